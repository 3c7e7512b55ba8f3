// SPDX-License-Identifier: GPL-3.0-or-later
// Order statistics by quickselect; the pivot is fixed by position, so the same values in the same
// order always take the same path.
#include "ingest/compare/statistics.h"

#include "core/base/status.h"

#include <math.h>
#include <stdlib.h>

static void swap(double *a, double *b) {
    const double t = *a;
    *a = *b;
    *b = t;
}

static double middle_of_three(double a, double b, double c) {
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

double tal_select(double *values, size_t count, size_t rank) {
    if (count == 0) {
        return NAN;
    }
    TAL_ASSERT(rank < count);
    size_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot =
            middle_of_three(values[low], values[low + (high - low) / 2], values[high]);
        size_t i = low, j = high;
        for (;;) {
            while (values[i] < pivot) {
                i++;
            }
            while (values[j] > pivot) {
                j--;
            }
            if (i >= j) {
                break;
            }
            swap(&values[i++], &values[j--]);
        }
        // Hoare's scheme: values[low..j] <= pivot <= values[j+1..high]
        if (rank <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
    return values[rank];
}

double tal_median(double *values, size_t count) {
    if (count == 0) {
        return NAN;
    }
    const double upper = tal_select(values, count, count / 2);
    if (count % 2 == 1) {
        return upper;
    }
    double lower = values[0]; // the selection left the smaller half in front
    for (size_t i = 1; i < count / 2; i++) {
        lower = fmax(lower, values[i]);
    }
    return 0.5 * (lower + upper);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void tal_sort(double *values, size_t count) {
    if (count > 1) {
        qsort(values, count, sizeof *values, compare);
    }
}

tal_statistics tal_statistics_find(double *values, size_t count) {
    tal_statistics found = {.count = count, .mean = NAN, .median = NAN, .nmad = NAN, .rmse = NAN};
    if (count == 0) {
        return found;
    }
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    found.mean = sum / (double)count;
    found.rmse = sqrt(squares / (double)count);
    found.median = tal_median(values, count);
    for (size_t i = 0; i < count; i++) {
        values[i] = fabs(values[i] - found.median);
    }
    found.nmad = 1.4826 * tal_median(values, count); // docs/theory/ingest.md (6)
    return found;
}
