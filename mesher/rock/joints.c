// SPDX-License-Identifier: GPL-3.0-or-later
// What joint sets leave of the box around the rock: cells cut by one plane after another.
#include "mesher/rock/partition.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "core/geometry/dip.h"

#include <math.h>
#include <stdio.h>

enum { PLANES_MAX = 100000 };

typedef struct {
    tal_halfspace plane;
    double persistence;
} joint_plane;

typedef struct {
    joint_plane *plane;
    int64_t count, capacity;
} plane_list;

static tal_status add_plane(plane_list *list, tal_halfspace plane, double persistence,
                            tal_error *err) {
    if (list->count == list->capacity) {
        const size_t target = (size_t)list->capacity * 2 + 64;
        TAL_GROW(list->plane, (size_t)list->capacity, target, "joint planes", err);
        list->capacity = (int64_t)target;
    }
    list->plane[list->count++] = (joint_plane){plane, persistence};
    return TAL_OK;
}

// ---- Planes of a set -------------------------------------------------------------------

// Not below a tenth of the mean: joints closer than that bound no block.
static double draw_spacing(const tal_joint_set *set, tal_random random, uint64_t draw) {
    double factor = 1;
    switch (set->kind) {
    case TAL_SPACING_KIND_EXPONENTIAL:
        factor = tal_random_exponential(random, draw);
        break;
    case TAL_SPACING_KIND_NORMAL:
        factor = 1 + set->deviation * tal_random_normal(random, draw);
        break;
    case TAL_SPACING_KIND_LOGNORMAL: {
        const double variance = log(1 + set->deviation * set->deviation);
        factor = exp(sqrt(variance) * tal_random_normal(random, draw) - variance / 2);
        break;
    }
    case TAL_SPACING_KIND_CONSTANT:
        break;
    }
    return set->spacing * fmax(factor, 0.1);
}

static tal_vec3 scatter(tal_vec3 normal, double spread, tal_random random, uint64_t draw) {
    const tal_vec3 other = fabs(normal.z) < 0.9 ? tal_vec3_make(0, 0, 1) : tal_vec3_make(1, 0, 0);
    const tal_vec3 t1 = tal_vec3_normalize(tal_vec3_cross(other, normal));
    const tal_vec3 t2 = tal_vec3_cross(normal, t1);
    const double a = tan(spread * fmax(-3, fmin(3, tal_random_normal(random, draw))));
    const double b = tan(spread * fmax(-3, fmin(3, tal_random_normal(random, draw + 1))));
    return tal_vec3_normalize(
        tal_vec3_add(normal, tal_vec3_add(tal_vec3_scale(t1, a), tal_vec3_scale(t2, b))));
}

static tal_status add_set(plane_list *list, const tal_rock *rock, const tal_joint_set *set,
                          int number, uint64_t seed, uint32_t run, tal_error *err) {
    char stream[64];
    (void)snprintf(stream, sizeof stream, "mesher/joints/%d", number);
    const tal_random random = tal_random_stream(seed, run, stream);
    const tal_vec3 normal = tal_dip_normal(set->dip, set->dip_direction);
    const tal_vec3 extent = tal_vec3_subtract(rock->high, rock->low);
    const tal_vec3 middle = tal_vec3_scale(tal_vec3_add(rock->low, rock->high), 0.5);
    const double half =
        0.5 * (fabs(normal.x) * extent.x + fabs(normal.y) * extent.y + fabs(normal.z) * extent.z);
    // Scattered planes from farther out still reach the rock.
    const double reach = half + 0.5 * tal_vec3_length(extent) * fmin(1, tan(2 * set->spread));
    if (!(set->spacing > 0) || 2 * reach / set->spacing > PLANES_MAX) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "joint set %d: spacing_m = %g over a source %.0f m across needs more than "
                        "%d planes; give a larger spacing",
                        number, set->spacing, 2 * half, PLANES_MAX);
    }
    double at = -reach - set->spacing * tal_random_uniform(random, 0);
    for (uint64_t k = 0; at < reach; k++) {
        const tal_vec3 direction = scatter(normal, set->spread, random, 3 * k + 2);
        const tal_vec3 point = tal_vec3_add(middle, tal_vec3_scale(normal, at));
        TAL_TRY(add_plane(list, tal_halfspace_through(point, direction), set->persistence, err));
        at += draw_spacing(set, random, 3 * k + 1);
    }
    return TAL_OK;
}

// ---- Cells -----------------------------------------------------------------------------

typedef struct {
    tal_polyhedron shape;
    int64_t next;  // first plane that has not been tried
    uint64_t path; // names the cell: which planes cut it, on which side
} open_cell;

typedef struct {
    open_cell *stack;
    int64_t depth, capacity;
    const plane_list *planes;
    const tal_rock *rock;
    tal_random random;
    tal_partition *out;
} joint_cutting;

static uint64_t mix(uint64_t path, uint64_t plane, uint64_t side) {
    uint64_t h = path ^ (2 * plane + side + 1) * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
    return h ^ (h >> 31);
}

static tal_status push(joint_cutting *work, const tal_polyhedron *shape, int64_t next,
                       uint64_t path, tal_error *err) {
    tal_vec3 low, high;
    tal_polyhedron_bounds(shape, &low, &high);
    if (!tal_rock_may_touch(work->rock, low, high)) {
        return TAL_OK;
    }
    if (work->depth == work->capacity) {
        const size_t target = (size_t)work->capacity * 2 + 16;
        TAL_GROW(work->stack, (size_t)work->capacity, target, "cells between joints", err);
        work->capacity = (int64_t)target;
    }
    open_cell *cell = &work->stack[work->depth++];
    tal_polyhedron_copy(&cell->shape, shape);
    cell->next = next;
    cell->path = path;
    return TAL_OK;
}

static bool passes_through(const tal_polyhedron *shape, tal_halfspace plane) {
    bool in = false, out = false;
    for (int32_t v = 0; v < shape->vertex_count && !(in && out); v++) {
        const double d = tal_halfspace_distance(plane, shape->vertex[v]);
        in = in || d < -1e-9;
        out = out || d > 1e-9;
    }
    return in && out;
}

// Cuts the cell by the first plane that meets it and persists; a cell no plane cuts is done.
static tal_status advance_cell(joint_cutting *work, const open_cell *cell, tal_error *err) {
    for (int64_t p = cell->next; p < work->planes->count; p++) {
        const joint_plane *joint = &work->planes->plane[p];
        if (!passes_through(&cell->shape, joint->plane)) {
            continue;
        }
        const uint64_t name = mix(cell->path, (uint64_t)p, 2);
        if (joint->persistence < 1 &&
            tal_random_uniform(work->random, name) >= joint->persistence) {
            continue;
        }
        tal_polyhedron inside, outside;
        if (!tal_polyhedron_split(&cell->shape, joint->plane, &inside, &outside) ||
            inside.vertex_count == 0 || outside.vertex_count == 0) {
            continue;
        }
        const uint64_t path = cell->path;
        TAL_TRY(push(work, &outside, p + 1, mix(path, (uint64_t)p, 1), err));
        return push(work, &inside, p + 1, mix(path, (uint64_t)p, 0), err);
    }
    const tal_surface surface = tal_polyhedron_surface(&cell->shape);
    return tal_block_set_add(&work->out->cells, &surface, 0, err);
}

static tal_status cut_all(joint_cutting *work, tal_error *err) {
    open_cell *cell;
    TAL_CREATE(cell, 1, "a cell between joints", err);
    tal_status status = TAL_OK;
    while (work->depth > 0 && status == TAL_OK) {
        const open_cell *top = &work->stack[--work->depth];
        tal_polyhedron_copy(&cell->shape, &top->shape);
        cell->next = top->next;
        cell->path = top->path;
        status = advance_cell(work, cell, err);
        if (status == TAL_OK && work->out->cells.block_count % 1024 == 1023) {
            status = tal_interrupt_check(err);
        }
    }
    tal_memory_destroy(cell);
    return status;
}

static tal_status make_joint_cell(const tal_partition *p, int64_t index, tal_polyhedron *cell,
                                  tal_error *err) {
    (void)err;
    const tal_surface s = tal_block_set_surface(&p->cells, (int32_t)index);
    cell->vertex_count = s.vertex_count;
    cell->face_count = s.face_count;
    for (int32_t v = 0; v < s.vertex_count; v++) {
        cell->vertex[v] = s.vertex[v];
    }
    for (int32_t f = 0; f <= s.face_count; f++) {
        cell->corner_start[f] = s.corner_start[f] - s.corner_start[0];
    }
    for (int32_t c = 0; c < cell->corner_start[s.face_count]; c++) {
        cell->corner[c] = s.corner[s.corner_start[0] + c];
    }
    return TAL_OK;
}

static tal_vec3 joint_centre(const tal_partition *p, int64_t index, const tal_polyhedron *cell) {
    (void)cell;
    return p->cells.block[index].position;
}

// Parallel sets leave slabs as large as the rock: there the spacing says what a block is.
static double nominal_volume(const tal_rock *rock, const tal_joint_set *sets, int set_count,
                             int64_t cell_count) {
    double logarithm = 0;
    for (int k = 0; k < set_count; k++) {
        logarithm += log(sets[k].spacing);
    }
    const double spacing = set_count > 0 ? exp(logarithm / set_count) : INFINITY;
    return fmin(rock->volume / fmax(1, (double)cell_count), 3 * spacing * spacing * spacing);
}

tal_status tal_partition_joints(tal_partition *partition, const tal_rock *rock,
                                const tal_joint_set *sets, int set_count, uint64_t random_seed,
                                uint32_t run, tal_error *err) {
    tal_status status = TAL_OK;
    *partition = (tal_partition){.make_cell = make_joint_cell, .centre = joint_centre};
    plane_list planes = {0};
    joint_cutting work = {.planes = &planes,
                          .rock = rock,
                          .out = partition,
                          .random = tal_random_stream(random_seed, run, "mesher/persistence")};
    tal_polyhedron box;
    for (int k = 0; k < set_count; k++) {
        TAL_TRY_OR_DONE(add_set(&planes, rock, &sets[k], k + 1, random_seed, run, err));
    }
    partition->plane_count = planes.count;
    tal_polyhedron_box(&box, rock->low, rock->high);
    TAL_TRY_OR_DONE(push(&work, &box, 0, 1, err));
    TAL_TRY_OR_DONE(cut_all(&work, err));
    partition->cell_count = partition->cells.block_count;
    partition->nominal_volume = nominal_volume(rock, sets, set_count, partition->cell_count);
done:
    tal_memory_destroy(planes.plane);
    tal_memory_destroy(work.stack);
    if (status != TAL_OK) {
        tal_partition_destroy(partition);
    }
    return status;
}
