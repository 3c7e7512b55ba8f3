// SPDX-License-Identifier: GPL-3.0-or-later
// solver_bench_visit: what one visit of a contact point costs, one pair at a time and in batches, from the
// cache and from memory; and how fast this machine copies. Pairs of four points, each visited over and over, so
// that most searches for a slide need one trial.
#include "solver/percussion/rigid_kernel.h"
#include "tests/solver/scenes/lane_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEW = 16, MANY = 8192, POINTS_PER_PAIR = 4, WARM_SWEEPS = 8 };

typedef struct {
    lane_pairs pairs;
    lane_batched batched;
} item;

static double seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void visit_single(item *of) {
    for (int p = 0; p < PAIRS; p++) {
        tal_rigid_visit(&of->pairs.problem, &of->pairs.pair[p]);
    }
}

static void visit_item(item *of, const tal_batch_kernel *kernel) {
    if (kernel == NULL) {
        visit_single(of);
    } else {
        kernel->visit(&of->batched.batch, of->batched.point, of->batched.percussion,
                      of->batched.course, of->batched.motion, 0.0);
    }
}

// ns per point and sweep.
static double cost(item *list, int count, const tal_batch_kernel *kernel) {
    const int sweeps = 4 * MANY / count;
    for (int n = 0; n < count; n++) {
        lane_pairs_make(&list[n].pairs, 1, (uint32_t)n, POINTS_PER_PAIR);
        lane_pairs_batch(&list[n].pairs, PAIRS, &list[n].batched);
    }
    double start = 0.0;
    for (int sweep = -WARM_SWEEPS; sweep < sweeps; sweep++) {
        start = sweep == 0 ? seconds() : start;
        for (int n = 0; n < count; n++) {
            visit_item(&list[n], kernel);
        }
    }
    return 1e9 * (seconds() - start) / ((double)sweeps * count * PAIRS * POINTS_PER_PAIR);
}

static double copied_gb_per_s(void *memory, size_t size) {
    const int rounds = 10;
    const double start = seconds();
    for (int n = 0; n < rounds; n++) {
        memcpy(memory, (char *)memory + size / 2, size / 2);
    }
    return 1e-9 * rounds * (double)size / (seconds() - start); // read and written
}

int main(void) {
    item *list = aligned_alloc(64, MANY * sizeof *list);
    if (list == NULL) {
        return 1;
    }
    const tal_batch_kernel *kernel[] = {NULL, &tal_batch_kernel_plain, tal_batch_kernel_best()};
    for (size_t k = 0; k < sizeof kernel / sizeof kernel[0]; k++) {
        const char *name = kernel[k] == NULL ? "one pair at a time" : kernel[k]->name;
        printf("%-20s %6.1f ns a point from the cache, %6.1f from memory\n", name,
               cost(list, FEW, kernel[k]), cost(list, MANY, kernel[k]));
    }
    printf("bytes a point: %zu constant, %zu percussions (read and written), %zu of its pair\n",
           sizeof(tal_batch_point) / TAL_LANES,
           (sizeof(tal_batch_percussion) + sizeof(tal_batch_course)) / TAL_LANES,
           sizeof(tal_batch) / TAL_LANES / POINTS_PER_PAIR);
    printf("copying %.1f GB/s, read and written\n", copied_gb_per_s(list, MANY * sizeof *list));
    free(list);
    return 0;
}
