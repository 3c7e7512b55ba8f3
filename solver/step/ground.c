// SPDX-License-Identifier: GPL-3.0-or-later
// The ground of one model or of many.
#include "core/base/memory.h"
#include "solver/step/hash.h"
#include "solver/step/model.h"

static tal_status note_classes(tal_ground *ground, tal_error *err) {
    const tal_terrain *t = &ground->terrain;
    for (int32_t k = 0; k < t->triangle_count; k++) {
        const int32_t class = t->surface_class[k];
        if (class < 0) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "triangle %d of the terrain has surface class %d",
                            k, class);
        }
        ground->class_high = class > ground->class_high ? class : ground->class_high;
        ground->has_overhang = ground->has_overhang || t->normal[k].z <= 0.0;
    }
    TAL_CREATE(ground->is_class_used, (size_t)ground->class_high + 1, "the ground", err);
    for (int32_t k = 0; k < t->triangle_count; k++) {
        ground->is_class_used[t->surface_class[k]] = 1;
    }
    return TAL_OK;
}

static tal_status fill(tal_ground *ground, const tal_model_input *input, tal_error *err) {
    tal_terrain *t = &ground->terrain;
    TAL_TRY(tal_terrain_create(t, input->terrain_vertex_m, input->terrain_vertex_count,
                               input->terrain_triangle, input->terrain_triangle_count,
                               input->terrain_class, err));
    TAL_TRY(note_classes(ground, err));
    uint64_t hash =
        tal_hash_bytes(TAL_HASH_START, t->vertex, (size_t)t->vertex_count * sizeof *t->vertex);
    ground->fingerprint = tal_hash_bytes(hash, t->surface_class,
                                         (size_t)t->triangle_count * sizeof *t->surface_class);
    return TAL_OK;
}

tal_status tal_ground_create(tal_ground **ground, const tal_model_input *input, tal_error *err) {
    *ground = NULL;
    TAL_TRY(tal_ground_check_input(input, err));
    tal_ground *made;
    TAL_CREATE(made, 1, "the ground", err);
    const tal_status status = fill(made, input, err);
    if (status != TAL_OK) {
        tal_ground_destroy(made);
        return status;
    }
    *ground = made;
    return TAL_OK;
}

void tal_ground_destroy(tal_ground *ground) {
    if (ground == NULL) {
        return;
    }
    tal_terrain_destroy(&ground->terrain);
    tal_memory_destroy(ground->is_class_used);
    tal_memory_destroy(ground);
}

double tal_ground_height(const tal_ground *ground, double x_m, double y_m) {
    return tal_terrain_height(&ground->terrain, x_m, y_m);
}
