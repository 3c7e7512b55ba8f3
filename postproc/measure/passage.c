// SPDX-License-Identifier: GPL-3.0-or-later
// Where blocks went: the footprint of every block is moved between stored frames in steps of at
// most half a cell, so that a fast block leaves no gaps in the maps.
#include "postproc/measure/passage.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"

#include <math.h>

enum { SUBSTEPS_MAX = 1000 };

// What a block is doing at one moment.
typedef struct {
    double time;
    double speed;
    double translation, rotation; // J
    double bottom;                // lowest point, from the origin
    double centre[2];
} moment;

typedef struct {
    tal_passage *maps;
    const tal_grid *grid;
    const float *bed;
    double height_zero;
    int32_t *last_block; // per cell: block + 1 that was counted last
    tal_vec3 *vertex;
    double *outline;
    int32_t *order;
} painter;

void tal_passage_destroy(tal_passage *passage) {
    tal_raster *rasters[] = {&passage->count,           &passage->velocity,
                             &passage->energy,          &passage->energy_translation,
                             &passage->energy_rotation, &passage->jump,
                             &passage->arrival,         &passage->tension};
    for (size_t i = 0; i < sizeof rasters / sizeof *rasters; i++) {
        tal_raster_destroy(rasters[i]);
    }
    *passage = (tal_passage){0};
}

static void raise_to(float *value, double candidate) {
    if (!(*value >= (float)candidate)) { // NaN counts as lower
        *value = (float)candidate;
    }
}

static void paint_cell(painter *p, size_t cell, int32_t block, const moment *now) {
    if (!isfinite(p->bed[cell])) {
        return;
    }
    tal_passage *maps = p->maps;
    if (p->last_block[cell] != block + 1) {
        p->last_block[cell] = block + 1;
        maps->count.value[cell] += 1.0f;
    }
    raise_to(&maps->velocity.value[cell], now->speed);
    raise_to(&maps->energy.value[cell], (now->translation + now->rotation) / 1000.0);
    raise_to(&maps->energy_translation.value[cell], now->translation / 1000.0);
    raise_to(&maps->energy_rotation.value[cell], now->rotation / 1000.0);
    if (!(maps->arrival.value[cell] <= (float)now->time)) {
        maps->arrival.value[cell] = (float)now->time;
    }
}

// The height of a jump belongs to where the block is, not to all that it covers: under the downhill
// rim of a wide block on a slope the ground is always far below.
static void paint_jump(painter *p, const moment *now) {
    const int64_t cell = tal_grid_index(p->grid, now->centre[0], now->centre[1]);
    if (cell >= 0 && isfinite(p->bed[cell])) {
        const double height = now->bottom + p->height_zero - (double)p->bed[cell];
        raise_to(&p->maps->jump.value[cell], fmax(0.0, height));
    }
}

// Range in x of a convex outline on the line at height y; false where it is not met.
static bool outline_range(const double *xy, int32_t count, double y, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (int32_t i = 0; i < count; i++) {
        const double *a = &xy[2 * i];
        const double *b = &xy[2 * ((i + 1) % count)];
        if ((a[1] <= y) == (b[1] <= y)) {
            continue;
        }
        const double x = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        *low = fmin(*low, x);
        *high = fmax(*high, x);
    }
    return *low <= *high;
}

static int32_t clamp_to(double value, int32_t low, int32_t high) {
    return value < (double)low ? low : value > (double)high ? high : (int32_t)value;
}

static void paint_footprint(painter *p, const double *xy, int32_t count, int32_t block,
                            const moment *now) {
    const tal_grid *grid = p->grid;
    double south = INFINITY, north = -INFINITY;
    for (int32_t i = 0; i < count; i++) {
        south = fmin(south, xy[2 * i + 1]);
        north = fmax(north, xy[2 * i + 1]);
    }
    const int32_t first = clamp_to(ceil((grid->north - north) / grid->cell - 0.5), 0, grid->rows);
    const int32_t last =
        clamp_to(floor((grid->north - south) / grid->cell - 0.5), -1, grid->rows - 1);
    for (int32_t row = first; row <= last; row++) {
        double west, east;
        const double y = grid->north - ((double)row + 0.5) * grid->cell;
        if (!outline_range(xy, count, y, &west, &east)) {
            continue;
        }
        const int32_t begin =
            clamp_to(ceil((west - grid->west) / grid->cell - 0.5), 0, grid->columns);
        const int32_t end =
            clamp_to(floor((east - grid->west) / grid->cell - 0.5), -1, grid->columns - 1);
        for (int32_t column = begin; column <= end; column++) {
            paint_cell(p, (size_t)row * (size_t)grid->columns + (size_t)column, block, now);
        }
    }
    const int64_t own = tal_grid_index(grid, now->centre[0], now->centre[1]);
    if (own >= 0) {
        paint_cell(p, (size_t)own, block, now);
    }
    paint_jump(p, now);
}

static moment moment_at(const tal_blocks *blocks, const tal_run_record *motion, int32_t block,
                        int32_t frame) {
    const size_t at = tal_run_record_index(motion, frame, block);
    moment now = {.time = motion->time[frame]};
    for (size_t i = 0; i < 3; i++) {
        now.speed += (double)motion->velocity[3 * at + i] * (double)motion->velocity[3 * at + i];
    }
    now.speed = sqrt(now.speed);
    now.centre[0] = (double)motion->position[3 * at];
    now.centre[1] = (double)motion->position[3 * at + 1];
    tal_blocks_energy(blocks, motion, block, frame, &now.translation, &now.rotation);
    return now;
}

static double mix(double a, double b, double t) {
    return a + t * (b - a);
}

// From one frame to the next, first moment included, last not: footprint and values shift evenly.
static void paint_interval(painter *p, const double *xy, int32_t count, const moment *from,
                           const moment *to, int32_t block, double *shifted) {
    const double dx = to->centre[0] - from->centre[0], dy = to->centre[1] - from->centre[1];
    const double steps = ceil(hypot(dx, dy) / (0.5 * p->grid->cell));
    const int substeps = steps < 1.0 ? 1 : steps > SUBSTEPS_MAX ? SUBSTEPS_MAX : (int)steps;
    for (int k = 0; k < substeps; k++) {
        const double t = (double)k / (double)substeps;
        const moment now = {.time = mix(from->time, to->time, t),
                            .speed = mix(from->speed, to->speed, t),
                            .translation = mix(from->translation, to->translation, t),
                            .rotation = mix(from->rotation, to->rotation, t),
                            .bottom = mix(from->bottom, to->bottom, t),
                            .centre = {from->centre[0] + t * dx, from->centre[1] + t * dy}};
        for (int32_t i = 0; i < count; i++) {
            shifted[2 * i] = xy[2 * i] + t * dx;
            shifted[2 * i + 1] = xy[2 * i + 1] + t * dy;
        }
        paint_footprint(p, shifted, count, block, &now);
    }
}

// Nothing changes for a block that lies still, which most do for most of the time.
static bool is_same_place(const tal_run_record *motion, int32_t block, int32_t frame) {
    const size_t a = tal_run_record_index(motion, frame - 1, block);
    const size_t b = tal_run_record_index(motion, frame, block);
    for (size_t i = 0; i < 3; i++) {
        if (fabsf(motion->position[3 * a + i] - motion->position[3 * b + i]) > 1e-3f) {
            return false;
        }
    }
    return true;
}

static void paint_block(painter *p, const tal_blocks *blocks, const tal_run_record *motion,
                        int32_t block) {
    double *shifted = p->outline + 2 * (blocks->vertex_count_max + 1);
    moment before = {0};
    int32_t count = 0;
    for (int32_t frame = 0; frame < motion->frame_count; frame++) {
        const bool is_last = frame + 1 == motion->frame_count;
        if (frame > 0 && !is_last && is_same_place(motion, block, frame)) {
            continue;
        }
        const tal_surface solid = tal_blocks_pose_frame(blocks, motion, block, frame, p->vertex);
        moment now = moment_at(blocks, motion, block, frame);
        tal_vec3 low, high;
        tal_surface_bounds(&solid, &low, &high);
        now.bottom = low.z;
        if (!isfinite(now.centre[0])) {
            break; // left over the rim
        }
        if (frame > 0) {
            paint_interval(p, p->outline, count, &before, &now, block, shifted);
        }
        count = tal_block_footprint(&solid, p->outline, p->order);
        if (is_last) {
            paint_footprint(p, p->outline, count, block, &now);
        }
        before = now;
    }
}

// Each block where its own was largest.
static tal_status paint_tensions(tal_passage *passage, const tal_grid *grid,
                                 const tal_stress_record *stress, int32_t block_count,
                                 tal_error *err) {
    if (stress->soft_count == 0) {
        return TAL_OK;
    }
    TAL_TRY(tal_raster_create(&passage->tension, grid, err));
    for (int32_t b = 0; b < block_count; b++) {
        const double *at = &stress->place[3 * b];
        const int64_t cell =
            isfinite(stress->tension_pa[b]) ? tal_grid_index(grid, at[0], at[1]) : -1;
        if (cell >= 0) {
            raise_to(&passage->tension.value[cell], stress->tension_pa[b]);
        }
    }
    return TAL_OK;
}

static tal_status make_rasters(tal_passage *passage, const tal_grid *grid, tal_error *err) {
    TAL_TRY(tal_raster_create(&passage->count, grid, err));
    TAL_TRY(tal_raster_create(&passage->velocity, grid, err));
    TAL_TRY(tal_raster_create(&passage->energy, grid, err));
    TAL_TRY(tal_raster_create(&passage->energy_translation, grid, err));
    TAL_TRY(tal_raster_create(&passage->energy_rotation, grid, err));
    TAL_TRY(tal_raster_create(&passage->jump, grid, err));
    TAL_TRY(tal_raster_create(&passage->arrival, grid, err));
    for (size_t i = 0; i < tal_grid_cell_count(grid); i++) {
        passage->count.value[i] = 0.0f;
    }
    return TAL_OK;
}

tal_status tal_passage_create(tal_passage *passage, const tal_blocks *blocks,
                              const tal_run_record *motion, const tal_grid *grid, const float *bed,
                              double height_zero, tal_error *err) {
    tal_status status = TAL_OK;
    const size_t room = (size_t)blocks->vertex_count_max + 1;
    painter p = {.maps = passage, .grid = grid, .bed = bed, .height_zero = height_zero};
    *passage = (tal_passage){0};
    TAL_TRY_OR_DONE(make_rasters(passage, grid, err));
    TAL_TRY_OR_DONE(paint_tensions(passage, grid, &motion->stress, blocks->count, err));
    TAL_CREATE_OR_DONE(p.last_block, tal_grid_cell_count(grid), "the passages", err);
    TAL_CREATE_OR_DONE(p.vertex, room, "a block", err);
    TAL_CREATE_OR_DONE(p.outline, 4 * room, "the outline of a block", err);
    TAL_CREATE_OR_DONE(p.order, 3 * room, "the outline of a block", err);
    for (int32_t block = 0; block < blocks->count; block++) {
        TAL_TRY_OR_DONE(tal_interrupt_check(err));
        paint_block(&p, blocks, motion, block);
    }
done:
    tal_memory_destroy(p.last_block);
    tal_memory_destroy(p.vertex);
    tal_memory_destroy(p.outline);
    tal_memory_destroy(p.order);
    if (status != TAL_OK) {
        tal_passage_destroy(passage);
    }
    return status;
}
