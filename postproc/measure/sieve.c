// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of blocks: what was wanted (mesh.json) and what was made.
#include "postproc/measure/sieve.h"

#include "core/app/json.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

static double number_of(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

// Points that are no rising line are of no use.
static void take_line(tal_sieve *sieve, const cJSON *steps) {
    const cJSON *step;
    cJSON_ArrayForEach(step, steps) {
        const double size = number_of(step, "size_m"), share = number_of(step, "wanted_passing");
        const int last = sieve->count - 1;
        const bool rises = last < 0 || (size > sieve->size[last] && share >= sieve->share[last]);
        if (sieve->count == TAL_SIEVE_POINTS_MAX || !(size > 0.0) || !(share >= 0.0) ||
            !(share <= 1.0) || !rises) {
            sieve->count = 0;
            return;
        }
        sieve->size[sieve->count] = size;
        sieve->share[sieve->count] = share;
        sieve->count++;
    }
}

// Nothing between none and all: one size was wanted, and the step stands at that size, not between
// the two sieves beside it.
static void find_one_size(tal_sieve *sieve, double wanted) {
    for (int i = 0; i < sieve->count; i++) {
        if (sieve->share[i] > 0.0 && sieve->share[i] < 1.0) {
            return;
        }
    }
    if (sieve->count > 0 && wanted > 0.0) {
        *sieve = (tal_sieve){
            .count = 2, .is_one_size = true, .size = {wanted, wanted}, .share = {0.0, 1.0}};
    }
}

void tal_sieve_read(tal_sieve *sieve, const char *folder, int32_t block_count) {
    char path[TAL_PATH_SIZE];
    cJSON *root = NULL;
    tal_error err = {0};
    *sieve = (tal_sieve){0};
    if (!tal_path_join(path, folder, "mesh.json") || !tal_file_exists(path)) {
        return;
    }
    if (tal_json_read(path, &root, &err) != TAL_OK) {
        tal_log_warn("%s; the sizes that were requested are left out", err.text);
        return;
    }
    const cJSON *blocks = cJSON_GetObjectItemCaseSensitive(root, "blocks");
    const cJSON *size = cJSON_GetObjectItemCaseSensitive(blocks, "size");
    if (number_of(blocks, "count") == (double)block_count) {
        take_line(sieve, cJSON_GetObjectItemCaseSensitive(size, "sieve"));
        find_one_size(sieve, number_of(size, "wanted_m"));
    } else {
        tal_log_warn("%s does not belong to the blocks in blocks.nc; the sizes that were requested "
                     "are left out",
                     path);
    }
    cJSON_Delete(root);
}

double tal_sieve_wanted_size(const tal_sieve *sieve, double p) {
    for (int i = 1; i < sieve->count; i++) {
        const double low = sieve->share[i - 1], high = sieve->share[i];
        if (low <= p && p <= high && high > low) {
            const double t = (p - low) / (high - low);
            return sieve->size[i - 1] + t * (sieve->size[i] - sieve->size[i - 1]);
        }
    }
    return NAN;
}

static int compare_reals(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

tal_status tal_sieve_sort_volumes(const tal_blocks *blocks, double **volume, double *total,
                                  tal_error *err) {
    const size_t n = (size_t)blocks->count;
    double *sorted;
    TAL_CREATE(sorted, n + 1, "the sizes of the blocks", err);
    *total = 0.0;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = blocks->volume[i];
        *total += sorted[i];
    }
    qsort(sorted, n, sizeof *sorted, compare_reals);
    *volume = sorted;
    return TAL_OK;
}

double tal_sieve_made_size(const double *volume, int32_t count, double total, double p) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        sum += volume[i];
        if (sum >= p * total || i + 1 == count) {
            return cbrt(volume[i]);
        }
    }
    return NAN;
}
