// SPDX-License-Identifier: GPL-3.0-or-later
// Seeds that move to the middle of the rock nearest to them, round by round (Lloyd 1982): cells become
// rounder, and those at the surfaces of the rock are as thick as others instead of slices of whole ones.
#include "mesher/rock/voronoi.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"

#include <math.h>

// Relaxed cells are alike, so what is smaller than a fifth of one is a chip that the carving left, as long as the
// source is well filled without: 130 chips with 0.3 % of the rock of the embedded site, beside 2,071 blocks. Without
// them no block there has an inner radius below 1.3 m.
static const double sliver_share = 0.2;
// Points of rock along a side of a cell, as long as there are no more than `points_most` in all: 100,000 cells have
// about twenty each, which is enough for a middle.
static const double points_across = 5, points_most = 2e6;

// Points that stand for the rock, in stretched coordinates, and how much of it each stands for.
typedef struct {
    tal_vec3 *at;
    double *volume;
    int64_t *seed; // nearest to it
    int64_t count, capacity;
} rock_points;

// What a seed is nearest to.
typedef struct {
    tal_vec3 sum; // of places times volumes
    double volume;
} share;

static void destroy_points(rock_points *points) {
    tal_memory_destroy(points->at);
    tal_memory_destroy(points->volume);
    tal_memory_destroy(points->seed);
}

static tal_status add_point(rock_points *points, tal_vec3 at, double volume, tal_error *err) {
    if (points->count == points->capacity) {
        const size_t room = (size_t)points->capacity * 2 + 4096;
        TAL_GROW(points->at, (size_t)points->count, room, "points of the rock", err);
        TAL_GROW(points->volume, (size_t)points->count, room, "points of the rock", err);
        points->capacity = (int64_t)room;
    }
    points->at[points->count] = at;
    points->volume[points->count++] = volume;
    return TAL_OK;
}

// The points of one column of rock over a square of side `side`.
static tal_status add_column(const tal_partition *p, rock_points *points, double x, double y,
                             double side, double height, tal_error *err) {
    const tal_rock_sample rock = tal_rock_at(p->rock, x, y);
    const int64_t count = (int64_t)ceil(rock.thickness / height);
    for (int64_t k = 0; k < count; k++) {
        const double z = rock.bed + ((double)k + 0.5) / (double)count * rock.thickness;
        const tal_vec3 c = tal_frame_coordinates(&p->frame, tal_vec3_make(x, y, z));
        TAL_TRY(add_point(points,
                          tal_vec3_make(c.x / p->stretch.x, c.y / p->stretch.y, c.z / p->stretch.z),
                          rock.thickness / (double)count * side * side, err));
    }
    return TAL_OK;
}

// Cells of the grid, or parts of them where blocks are smaller.
static tal_status find_points(const tal_partition *p, rock_points *points, tal_error *err) {
    const tal_rock *rock = p->rock;
    const double apart =
        fmax(cbrt(p->nominal_volume) / points_across, cbrt(rock->volume / points_most));
    const int parts = (int)fmin(64, ceil(rock->cell / apart));
    const double side = rock->cell / parts;
    for (int64_t row = 0; row < (int64_t)rock->rows * parts; row++) {
        for (int64_t column = 0; column < (int64_t)rock->columns * parts; column++) {
            const double x = rock->west + ((double)column + 0.5) * side - 0.5 * rock->cell;
            const double y = rock->south + ((double)row + 0.5) * side - 0.5 * rock->cell;
            TAL_TRY(add_column(p, points, x, y, side, fmax(side, apart), err));
        }
    }
    TAL_CREATE(points->seed, (size_t)points->count + 1, "points of the rock", err);
    return TAL_OK;
}

static void share_out(const tal_partition *p, rock_points *points, share *shares) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t k = 0; k < points->count; k++) {
        points->seed[k] = tal_voronoi_nearest(p, points->at[k]);
    }
    for (int64_t s = 0; s < p->seed_count; s++) {
        shares[s] = (share){{0, 0, 0}, 0};
    }
    for (int64_t k = 0; k < points->count; k++) {
        share *own = &shares[points->seed[k]];
        own->sum = tal_vec3_add_scaled(own->sum, points->volume[k], points->at[k]);
        own->volume += points->volume[k];
    }
}

// Seeds that no rock is nearest to are dropped: their cells would only cut the blocks at the surface.
static void move_seeds(tal_partition *p, const share *shares) {
    int64_t kept = 0;
    for (int64_t s = 0; s < p->seed_count; s++) {
        if (shares[s].volume > 0) {
            p->seed[kept++] = tal_vec3_scale(shares[s].sum, 1 / shares[s].volume);
        }
    }
    p->seed_count = kept;
    p->seeded_volume = p->rock->volume;
}

static tal_status run_rounds(tal_partition *p, rock_points *points, share *shares, int64_t rounds,
                             tal_error *err) {
    for (int64_t round = 0; round < rounds; round++) {
        TAL_TRY(tal_voronoi_sort(p, err));
        TAL_TRY(tal_interrupt_check(err));
        share_out(p, points, shares);
        move_seeds(p, shares);
    }
    return TAL_OK;
}

tal_status tal_voronoi_relax(tal_partition *partition, int64_t rounds, tal_error *err) {
    rock_points points = {0};
    share *shares = NULL;
    partition->sliver_share = sliver_share;
    tal_status status = find_points(partition, &points, err);
    if (status == TAL_OK && points.count > 0) {
        TAL_CREATE_OR_DONE(shares, (size_t)partition->seed_count, "shares of seeds", err);
        status = run_rounds(partition, &points, shares, rounds, err);
    }
done:
    tal_memory_destroy(shares);
    destroy_points(&points);
    return status;
}
