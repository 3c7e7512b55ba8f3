// SPDX-License-Identifier: GPL-3.0-or-later
// Frames, and the lattice of bricks.
#include "mesher/rock/partition.h"

#include "core/base/memory.h"

#include <math.h>

tal_frame tal_frame_along(double strike) {
    const double east = sin(strike), north = cos(strike);
    return (tal_frame){
        {tal_vec3_make(east, north, 0), tal_vec3_make(-north, east, 0), tal_vec3_make(0, 0, 1)}};
}

tal_vec3 tal_frame_coordinates(const tal_frame *frame, tal_vec3 p) {
    return tal_vec3_make(tal_vec3_dot(frame->axis[0], p), tal_vec3_dot(frame->axis[1], p),
                         tal_vec3_dot(frame->axis[2], p));
}

tal_vec3 tal_frame_point(const tal_frame *frame, tal_vec3 c) {
    return tal_vec3_add(
        tal_vec3_scale(frame->axis[0], c.x),
        tal_vec3_add(tal_vec3_scale(frame->axis[1], c.y), tal_vec3_scale(frame->axis[2], c.z)));
}

static void widen(tal_vec3 *low, tal_vec3 *high, tal_vec3 p) {
    *low = tal_vec3_make(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
    *high = tal_vec3_make(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
}

void tal_frame_bounds(const tal_frame *frame, const tal_rock *rock, tal_vec3 *low, tal_vec3 *high) {
    *low = tal_vec3_make(INFINITY, INFINITY, INFINITY);
    *high = tal_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t row = 0; row < rock->rows; row++) {
        for (int32_t column = 0; column < rock->columns; column++) {
            if (rock->thickness[(size_t)row * (size_t)rock->columns + (size_t)column] <= 0) {
                continue;
            }
            // Rock reaches to the centres of the neighbours.
            for (int k = 0; k < 4; k++) {
                const double x = rock->west + (column + (k & 1 ? 1 : -1)) * rock->cell;
                const double y = rock->south + (row + (k & 2 ? 1 : -1)) * rock->cell;
                widen(low, high, tal_frame_coordinates(frame, tal_vec3_make(x, y, rock->low.z)));
                widen(low, high, tal_frame_coordinates(frame, tal_vec3_make(x, y, rock->high.z)));
            }
        }
    }
}

void tal_partition_destroy(tal_partition *partition) {
    if (partition != NULL) {
        tal_memory_destroy(partition->seed);
        tal_memory_destroy(partition->weight);
        tal_memory_destroy(partition->target);
        tal_memory_destroy(partition->list_start);
        tal_block_set_destroy(&partition->cells);
        *partition = (tal_partition){0};
    }
}

// ---- Bricks ----------------------------------------------------------------------------

static tal_vec3 brick_corner(const tal_partition *partition, int64_t index) {
    TAL_ASSERT(index >= 0 && index < partition->cell_count);
    const int64_t i = index % partition->count[0];
    const int64_t j = index / partition->count[0] % partition->count[1];
    const int64_t k = index / (partition->count[0] * partition->count[1]);
    return tal_vec3_make(partition->corner.x + (double)i * partition->edge.x,
                         partition->corner.y + (double)j * partition->edge.y,
                         partition->corner.z + (double)k * partition->edge.z);
}

static tal_status make_brick(const tal_partition *partition, int64_t index, tal_polyhedron *cell,
                             tal_error *err) {
    (void)err;
    const tal_vec3 low = brick_corner(partition, index);
    tal_polyhedron_box(cell, low, tal_vec3_add(low, partition->edge));
    for (int32_t v = 0; v < cell->vertex_count; v++) {
        cell->vertex[v] = tal_frame_point(&partition->frame, cell->vertex[v]);
    }
    return TAL_OK;
}

static tal_vec3 brick_centre(const tal_partition *partition, int64_t index,
                             const tal_polyhedron *cell) {
    (void)cell;
    const tal_vec3 low = brick_corner(partition, index);
    return tal_frame_point(&partition->frame,
                           tal_vec3_add(low, tal_vec3_scale(partition->edge, 0.5)));
}

tal_status tal_partition_bricks(tal_partition *partition, const tal_rock *rock, double strike,
                                tal_vec3 edge, tal_vec3 phase, tal_error *err) {
    *partition = (tal_partition){.rock = rock, .frame = tal_frame_along(strike), .edge = edge};
    tal_vec3 low, high;
    tal_frame_bounds(&partition->frame, rock, &low, &high);
    const double extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    const double length[3] = {edge.x, edge.y, edge.z};
    double total = 1;
    for (int k = 0; k < 3; k++) {
        const double count = ceil(extent[k] / length[k]) + 1;
        total *= count;
        if (!(total <= TAL_CELLS_MAX)) {
            return TAL_FAIL(err, TAL_TOO_LARGE,
                            "bricks of %g x %g x %g m over a source of %.0f x %.0f x %.0f m are "
                            "more than %d; choose larger ones in [mesh] brick_m",
                            edge.x, edge.y, edge.z, extent[0], extent[1], extent[2], TAL_CELLS_MAX);
        }
        partition->count[k] = (int64_t)count;
    }
    partition->corner =
        tal_vec3_make(low.x - (1 - phase.x) * edge.x, low.y - (1 - phase.y) * edge.y,
                      low.z - (1 - phase.z) * edge.z);
    partition->cell_count = partition->count[0] * partition->count[1] * partition->count[2];
    partition->nominal_volume = edge.x * edge.y * edge.z;
    partition->make_cell = make_brick;
    partition->centre = brick_centre;
    return TAL_OK;
}
