// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/constraint/time_series.h"

#include <string.h>

// A cubic from `from` on, whose second derivative is linear.
static tal_time_values go_on(const tal_time_entry *from, double slope, double h) {
    return (tal_time_values){.value = from->value + slope * h,
                             .once = from->once + h * (from->value + 0.5 * slope * h),
                             .twice = from->twice +
                                      h * (from->once + h * (0.5 * from->value + slope * h / 6.0))};
}

static double slope_of(const tal_time_entry *a, const tal_time_entry *b) {
    return b->time > a->time ? (b->value - a->value) / (b->time - a->time) : 0.0;
}

int32_t tal_times_until(const double *time, size_t stride, int32_t count, double at) {
    int32_t low = 0, high = count; // entries before `low` are not later, from `high` on are
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        double then;
        memcpy(&then, (const char *)time + (size_t)middle * stride, sizeof then);
        if (then <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void tal_time_series_integrate(tal_time_entry *entry, int32_t count) {
    entry[0].once = entry[0].twice = 0.0;
    for (int32_t k = 1; k < count; k++) {
        const tal_time_entry *last = &entry[k - 1];
        const tal_time_values next =
            go_on(last, slope_of(last, &entry[k]), entry[k].time - last->time);
        entry[k].once = next.once;
        entry[k].twice = next.twice;
    }
}

tal_time_values tal_time_series_at(const tal_time_entry *entry, int32_t count, double time) {
    const int32_t low = tal_times_until(&entry->time, sizeof *entry, count, time);
    const tal_time_entry *from = &entry[low > 0 ? low - 1 : 0];
    const double slope = low > 0 && low < count ? slope_of(from, &entry[low]) : 0.0;
    return go_on(from, slope, time - from->time);
}
