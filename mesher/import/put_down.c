// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks put onto the ground.
#include "mesher/import/put_down.h"

#include "core/base/memory.h"
#include "mesher/terrain/near_ground.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    int32_t block;
    tal_vec3 low, high;
} tal_box;

static int compare_boxes(const void *a, const void *b) {
    const tal_box *one = a, *two = b;
    return one->low.z != two->low.z ? (one->low.z < two->low.z ? -1 : 1)
                                    : (one->block > two->block) - (one->block < two->block);
}

static tal_vec3 corner_of(const tal_block_set *set, int32_t number, int32_t vertex) {
    const tal_block *block = &set->block[number];
    const tal_vec3 arm = set->vertex[set->vertex_start[number] + vertex];
    return tal_vec3_add(tal_quaternion_rotate(block->orientation, arm), block->position);
}

static tal_box box_of(const tal_block_set *set, int32_t number) {
    const tal_block *block = &set->block[number];
    const double r = block->sphere_radius;
    if (r > 0.0) {
        return (tal_box){number, tal_vec3_subtract(block->position, tal_vec3_make(r, r, r)),
                         tal_vec3_add(block->position, tal_vec3_make(r, r, r))};
    }
    tal_box box = {number, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t v = 0; v < set->vertex_start[number + 1] - set->vertex_start[number]; v++) {
        const tal_vec3 p = corner_of(set, number, v);
        box.low = tal_vec3_make(fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z));
        box.high =
            tal_vec3_make(fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z));
    }
    return box;
}

// Planes that touch a sphere along the diagonals of its box: what is left reaches 13 % farther at most.
static void round_off(tal_polyhedron *shape, const tal_block *block) {
    for (int k = 0; k < 27; k++) {
        const tal_vec3 toward = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        const double length = tal_vec3_length(toward);
        if (length > 1.0) {
            const tal_vec3 arm = tal_vec3_scale(toward, block->sphere_radius / length);
            (void)tal_polyhedron_cut(
                shape, tal_halfspace_through(tal_vec3_add(block->position, arm), toward));
        }
    }
}

// The block, or something around it where it has more faces than a working polyhedron can have.
static void enclose(tal_polyhedron *shape, const tal_block_set *set, const tal_box *box) {
    const tal_block *block = &set->block[box->block];
    tal_polyhedron_box(shape, box->low, box->high);
    if (block->sphere_radius > 0.0) {
        round_off(shape, block);
        return;
    }
    const tal_surface surface = tal_block_set_surface(set, box->block);
    for (int32_t f = 0; f < surface.face_count; f++) {
        const int32_t *loop = surface.corner + surface.corner_start[f];
        const tal_vec3 a = corner_of(set, box->block, loop[0]);
        const tal_vec3 b = corner_of(set, box->block, loop[1]);
        const tal_vec3 c = corner_of(set, box->block, loop[2]);
        const tal_vec3 out = tal_vec3_cross(tal_vec3_subtract(b, a), tal_vec3_subtract(c, a));
        (void)tal_polyhedron_cut(shape, tal_halfspace_through(a, out));
    }
}

// The top of what already lies below or in the box, seen from above.
static double top_below(const tal_box *placed, int32_t count, const tal_box *box) {
    double top = -INFINITY;
    for (int32_t k = 0; k < count; k++) {
        const bool is_clear = placed[k].high.x <= box->low.x || placed[k].low.x >= box->high.x ||
                              placed[k].high.y <= box->low.y || placed[k].low.y >= box->high.y;
        top = is_clear ? top : fmax(top, placed[k].high.z);
    }
    return top;
}

static tal_status put_one(tal_block_set *set, const tal_near_ground *ground, tal_box *boxes,
                          int32_t at, tal_error *err) {
    tal_box *box = &boxes[at];
    tal_polyhedron shape;
    tal_deep_point deepest = {.depth = -INFINITY};
    enclose(&shape, set, box);
    tal_near_ground_find_deepest(ground, &shape, &deepest);
    if (!isfinite(deepest.depth)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "imported rock %d has no ground below it to rest on: move it into the "
                        "study area, or set import_onto_ground = no",
                        (int)box->block + 1);
    }
    const double rise = fmax(deepest.depth, top_below(boxes, at, box) - box->low.z);
    set->block[box->block].position.z += rise;
    box->low.z += rise;
    box->high.z += rise;
    return TAL_OK;
}

tal_status tal_blocks_put_down(tal_block_set *set, const tal_terrain_mesh *terrain,
                               tal_error *err) {
    tal_near_ground ground = {0};
    tal_box *boxes, all = {0, {INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, 0}};
    tal_status status = TAL_OK;
    TAL_CREATE(boxes, (size_t)set->block_count, "rocks to be put down", err);
    for (int32_t b = 0; b < set->block_count; b++) {
        boxes[b] = box_of(set, b);
        all.low =
            tal_vec3_make(fmin(all.low.x, boxes[b].low.x), fmin(all.low.y, boxes[b].low.y), 0);
        all.high =
            tal_vec3_make(fmax(all.high.x, boxes[b].high.x), fmax(all.high.y, boxes[b].high.y), 0);
    }
    qsort(boxes, (size_t)set->block_count, sizeof *boxes, compare_boxes);
    TAL_TRY_OR_DONE(tal_near_ground_create(&ground, terrain, all.low, all.high, err));
    for (int32_t k = 0; k < set->block_count; k++) {
        TAL_TRY_OR_DONE(put_one(set, &ground, boxes, k, err));
    }
done:
    tal_near_ground_destroy(&ground);
    tal_memory_destroy(boxes);
    return status;
}
