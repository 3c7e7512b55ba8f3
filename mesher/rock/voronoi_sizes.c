// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of wanted sizes: a power diagram whose weights are found round by round, while seeds move to
// the middle of their cells.
#include "mesher/rock/voronoi.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "core/geometry/mass_properties.h"

#include <math.h>

// What a round sees of a cell.
typedef struct {
    double volume; // 0: the cell vanished; NaN: far from the rock
    tal_vec3 centroid;
} cell_view;

static tal_status draw_targets(tal_partition *p, double deviation, uint64_t random_seed,
                               uint32_t run, tal_error *err) {
    const tal_random random = tal_random_stream(random_seed, run, "mesher/sizes");
    const tal_vec3 extent = tal_vec3_subtract(p->high, p->low);
    double sum = 0;
    TAL_CREATE(p->weight, (size_t)p->seed_count, "weights of seeds", err);
    TAL_CREATE(p->target, (size_t)p->seed_count, "sizes of cells", err);
    for (int64_t s = 0; s < p->seed_count; s++) {
        p->target[s] = exp(3 * deviation * tal_random_normal(random, (uint64_t)s));
        sum += p->target[s];
    }
    const double scale = extent.x * extent.y * extent.z / sum;
    for (int64_t s = 0; s < p->seed_count; s++) {
        p->target[s] *= scale;
    }
    return TAL_OK;
}

static tal_status view_cells(const tal_partition *p, cell_view *view, tal_error *err) {
    tal_status status = TAL_OK;
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t s = 0; s < p->seed_count; s++) {
        tal_polyhedron cell;
        tal_error own;
        const tal_status made = tal_voronoi_cell(p, s, &cell, &own);
        view[s] = (cell_view){NAN, {0, 0, 0}};
        if (made != TAL_OK) {
#pragma omp critical
            if (status == TAL_OK) {
                status = made;
                *err = own;
            }
        } else if (cell.vertex_count > 0) {
            const tal_surface surface = tal_polyhedron_surface(&cell);
            const tal_mass_properties mass = tal_surface_mass(&surface);
            view[s] = (cell_view){mass.volume, mass.centroid};
        } else if (cell.face_count == 0) {
            view[s].volume = 0;
        }
    }
    return status;
}

// A sphere of radius r that touches its neighbours gains pi r of volume per unit of weight: each
// face moves by half the weight over the distance of the seeds, 2 r, and the faces measure 4 pi r^2.
// docs/theory/mesher.md (5).
static void improve(tal_partition *p, const cell_view *view, double move) {
    static const double damping = 0.6;
    for (int64_t s = 0; s < p->seed_count; s++) {
        if (isnan(view[s].volume)) {
            continue;
        }
        const double radius = cbrt(0.75 / TAL_PI * p->target[s]);
        p->weight[s] += damping * (p->target[s] - view[s].volume) / (TAL_PI * radius);
        if (view[s].volume > 0) {
            const tal_vec3 way = tal_vec3_subtract(view[s].centroid, p->seed[s]);
            p->seed[s] = tal_vec3_add_scaled(p->seed[s], move, way);
        }
    }
}

static tal_status run_rounds(tal_partition *p, cell_view *view, tal_error *err) {
    enum { ROUNDS = 30, MOVING_ROUNDS = 20 };
    for (int round = 0; round < ROUNDS; round++) {
        TAL_TRY(tal_voronoi_sort(p, err));
        TAL_TRY(tal_interrupt_check(err));
        TAL_TRY(view_cells(p, view, err));
        improve(p, view, round < MOVING_ROUNDS ? 0.3 : 0);
    }
    return TAL_OK;
}

tal_status tal_voronoi_match_sizes(tal_partition *partition, double deviation, uint64_t random_seed,
                                   uint32_t run, tal_error *err) {
    cell_view *view;
    TAL_TRY(draw_targets(partition, deviation, random_seed, run, err));
    TAL_CREATE(view, (size_t)partition->seed_count, "cells of a round", err);
    const tal_status status = run_rounds(partition, view, err);
    tal_memory_destroy(view);
    return status;
}
