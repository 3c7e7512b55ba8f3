// SPDX-License-Identifier: GPL-3.0-or-later
// Storage of blocks, and their change to body axes.
#include "mesher/rock/block_set.h"

#include "core/base/memory.h"
#include "core/geometry/angle.h"

#include <math.h>
#include <string.h>

static tal_status grow(void *memory_of_pointer, int32_t *capacity, int64_t wanted, size_t size,
                       const char *what, tal_error *err) {
    if (wanted <= *capacity) {
        return TAL_OK;
    }
    int64_t target = (int64_t)*capacity * 2 > wanted ? (int64_t)*capacity * 2 : wanted + 64;
    if (wanted > INT32_MAX - 64) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "the blocks need more than 2^31 %s", what);
    }
    target = target > INT32_MAX ? INT32_MAX : target;
    void *old;
    memcpy(&old, memory_of_pointer, sizeof old);
    void *larger = tal_memory_grow(old, (size_t)*capacity, (size_t)target, size);
    if (larger == NULL) {
        return tal_memory_failed(err, what, (size_t)target, size);
    }
    memcpy(memory_of_pointer, &larger, sizeof larger);
    *capacity = (int32_t)target;
    return TAL_OK;
}

static tal_status reserve(tal_block_set *set, int32_t vertices, int32_t faces, int32_t corners,
                          tal_error *err) {
    int32_t capacity = set->block_capacity;
    const int64_t edges = (int64_t)set->block_count + 2;
    TAL_TRY(grow(&set->vertex_start, &capacity, edges, sizeof(int32_t), "blocks", err));
    capacity = set->block_capacity;
    TAL_TRY(grow(&set->face_start, &capacity, edges, sizeof(int32_t), "blocks", err));
    TAL_TRY(grow(&set->block, &set->block_capacity, edges, sizeof(tal_block), "blocks", err));
    TAL_TRY(grow(&set->vertex, &set->vertex_capacity, (int64_t)set->vertex_count + vertices,
                 sizeof(tal_vec3), "vertices", err));
    TAL_TRY(grow(&set->corner_start, &set->face_capacity, (int64_t)set->face_count + faces + 1,
                 sizeof(int32_t), "faces", err));
    return grow(&set->corner, &set->corner_capacity, (int64_t)set->corner_count + corners,
                sizeof(int32_t), "corners", err);
}

void tal_block_set_destroy(tal_block_set *set) {
    if (set != NULL) {
        tal_memory_destroy(set->block);
        tal_memory_destroy(set->vertex_start);
        tal_memory_destroy(set->face_start);
        tal_memory_destroy(set->vertex);
        tal_memory_destroy(set->corner_start);
        tal_memory_destroy(set->corner);
        *set = (tal_block_set){0};
    }
}

static tal_block *begin_block(tal_block_set *set) {
    tal_block *block = &set->block[set->block_count];
    *block = (tal_block){.orientation = {1, 0, 0, 0}};
    return block;
}

static void end_block(tal_block_set *set) {
    set->block_count++;
    set->vertex_start[set->block_count] = set->vertex_count;
    set->face_start[set->block_count] = set->face_count;
}

tal_status tal_block_set_add(tal_block_set *set, const tal_surface *surface, double rock_volume,
                             tal_error *err) {
    TAL_ASSERT(surface->vertex_count >= 4 && surface->face_count >= 4);
    const int32_t first = surface->corner_start[0];
    const int32_t corners = surface->corner_start[surface->face_count] - first;
    TAL_TRY(reserve(set, surface->vertex_count, surface->face_count, corners, err));
    tal_block *block = begin_block(set);
    memcpy(set->vertex + set->vertex_count, surface->vertex,
           (size_t)surface->vertex_count * sizeof(tal_vec3));
    memcpy(set->corner + set->corner_count, surface->corner + first,
           (size_t)corners * sizeof(int32_t));
    for (int32_t f = 0; f <= surface->face_count; f++) {
        set->corner_start[set->face_count + f] =
            set->corner_count + surface->corner_start[f] - first;
    }
    set->vertex_count += surface->vertex_count;
    set->face_count += surface->face_count;
    set->corner_count += corners;
    const tal_mass_properties mass = tal_surface_mass(surface);
    block->volume = mass.volume;
    block->rock_volume = rock_volume;
    block->position = mass.centroid;
    end_block(set);
    return TAL_OK;
}

tal_status tal_block_set_add_sphere(tal_block_set *set, tal_vec3 centre, double radius,
                                    tal_error *err) {
    TAL_TRY(reserve(set, 0, 0, 0, err));
    tal_block *block = begin_block(set);
    block->sphere_radius = radius;
    block->volume = 4 * TAL_PI / 3 * radius * radius * radius;
    block->rock_volume = block->volume;
    block->position = centre;
    end_block(set);
    return TAL_OK;
}

tal_surface tal_block_set_surface(const tal_block_set *set, int32_t block) {
    TAL_ASSERT(block >= 0 && block < set->block_count);
    const int32_t vertex = set->vertex_start[block], face = set->face_start[block];
    return (tal_surface){set->vertex + vertex, set->vertex_start[block + 1] - vertex,
                         set->corner_start + face, set->face_start[block + 1] - face, set->corner};
}

static void finish_sphere(tal_block *block) {
    for (int k = 0; k < 3; k++) {
        block->inertia[k] = 0.4 * block->mass * block->sphere_radius * block->sphere_radius;
    }
}

static void finish_polyhedron(tal_block_set *set, int32_t b) {
    tal_block *block = &set->block[b];
    const tal_surface surface = tal_block_set_surface(set, b);
    const tal_mass_properties mass = tal_surface_mass(&surface);
    const tal_principal_axes principal = tal_inertia_principal((const double(*)[3])mass.inertia);
    TAL_ASSERT(principal.moment[0] > 0 && principal.moment[0] <= principal.moment[1] &&
               principal.moment[1] <= principal.moment[2]);
    block->position = mass.centroid;
    memcpy(block->orientation, principal.quaternion, sizeof block->orientation);
    for (int k = 0; k < 3; k++) {
        block->inertia[k] = principal.moment[k] * block->mass / block->volume;
    }
    for (int32_t v = set->vertex_start[b]; v < set->vertex_start[b + 1]; v++) {
        set->vertex[v] = tal_quaternion_rotate_back(
            principal.quaternion, tal_vec3_subtract(set->vertex[v], mass.centroid));
    }
}

void tal_block_set_finish(tal_block_set *set, double density_kg_m3, double factor) {
    for (int32_t b = 0; b < set->block_count; b++) {
        tal_block *block = &set->block[b];
        const double density = block->density > 0 ? block->density : density_kg_m3;
        TAL_ASSERT(block->volume > 0 && block->rock_volume > 0 && density > 0);
        block->mass = density * block->rock_volume * factor;
        block->density = block->mass / block->volume;
        if (block->sphere_radius > 0) {
            finish_sphere(block);
        } else {
            finish_polyhedron(set, b);
        }
    }
}
