// SPDX-License-Identifier: GPL-3.0-or-later
// Barriers, and all obstacles together.
#include "solver/program/release/obstacle.h"

#include "solver/program/release/start.h"

static tal_status read_barrier(tal_barrier *barrier, const tal_settings *settings, int number,
                               const tal_features_frame *frame, tal_error *err) {
    const tal_barrier_settings *b = &settings->barrier[number];
    TAL_TRY(tal_release_read_barrier(&barrier->line, settings, number, frame, err));
    barrier->height = b->height_m;
    barrier->capacity = 1000.0 * b->capacity_kj;
    return TAL_OK;
}

static void check_barriers(const tal_obstacles *o, const tal_settings *settings,
                           const tal_place_ground *ground, tal_error *err) {
    const tal_features *line[TAL_REPEAT_MAX];
    for (int k = 0; k < o->barrier_count; k++) {
        line[k] = &o->barrier[k].line;
        tal_release_check_barrier(ground, settings, line, k, err);
    }
}

tal_status tal_obstacles_create(tal_obstacles *o, const tal_settings *settings,
                                const tal_solve_scene *scene, const tal_ground *ground,
                                tal_error *err) {
    const tal_features_frame frame = {scene->crs,
                                      {scene->origin_m[0], scene->origin_m[1], scene->origin_m[2]}};
    *o = (tal_obstacles){0};
    tal_status status = TAL_OK;
    for (int k = 0; k < settings->barrier_count; k++) {
        o->barrier_count++;
        TAL_TRY_OR_DONE(read_barrier(&o->barrier[k], settings, k, &frame, err));
    }
    tal_error_reset(err);
    const tal_place_ground places = tal_release_ground(settings, scene, ground);
    check_barriers(o, settings, &places, err);
    status = err->message_count > 0 ? err->status : TAL_OK;
    if (status == TAL_OK && tal_forest_is_given(&settings->forest)) {
        status = tal_stems_create(&o->stems, settings, scene, ground, err);
    }
done:
    if (status != TAL_OK) {
        tal_obstacles_destroy(o);
    }
    return status;
}

void tal_obstacles_destroy(tal_obstacles *o) {
    for (int k = 0; k < o->barrier_count; k++) {
        tal_features_destroy(&o->barrier[k].line);
    }
    tal_stems_destroy(&o->stems);
    *o = (tal_obstacles){0};
}
