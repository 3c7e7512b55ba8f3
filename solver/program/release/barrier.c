// SPDX-License-Identifier: GPL-3.0-or-later
// Barriers, and all obstacles together.
#include "solver/program/release/obstacle.h"

#include <math.h>
#include <stdio.h>

static tal_status read_barrier(tal_barrier *barrier, const tal_settings *settings, int number,
                               const tal_features_frame *frame, tal_error *err) {
    const tal_barrier_settings *b = &settings->barrier[number];
    char where[2 * TAL_WHERE_SIZE + 2 * TAL_LABEL_SIZE];
    snprintf(where, sizeof where, "%s: [barrier.%s]", tal_settings_where_in(settings, b, sizeof *b),
             b->label);
    TAL_TRY(tal_features_create(&barrier->line, settings, b->place, &b->line_m, TAL_PLACE_LINE,
                                frame, where, err));
    if (barrier->line.kind != TAL_PLACE_LINE) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: a barrier is a line, and this layer has none",
                        where);
    }
    barrier->height = b->height_m;
    barrier->capacity = 1000.0 * b->capacity_kj;
    return TAL_OK;
}

static bool barriers_meet(const tal_features *a, const tal_features *b) {
    for (int32_t part = 0; part < a->part_count; part++) {
        for (int32_t i = a->part_start[part] + 1; i < a->part_start[part + 1]; i++) {
            const double p[2] = {a->x[i - 1], a->y[i - 1]}, q[2] = {a->x[i], a->y[i]};
            for (int32_t other = 0; other < b->part_count; other++) {
                for (int32_t k = b->part_start[other] + 1; k < b->part_start[other + 1]; k++) {
                    const double r[2] = {b->x[k - 1], b->y[k - 1]}, s[2] = {b->x[k], b->y[k]};
                    if (tal_segments_meet(p, q, r, s)) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

// Does any of the points along the line lie on the ground?
static bool is_on_ground(const tal_features *line, const tal_ground *ground) {
    enum { LOOKS = 64 };
    for (int32_t i = 1; i < line->vertex_count; i++) { // also between two lines: no harm
        for (int k = 0; k <= LOOKS; k++) {
            const double t = (double)k / LOOKS;
            if (isfinite(tal_ground_height(ground, (1.0 - t) * line->x[i - 1] + t * line->x[i],
                                           (1.0 - t) * line->y[i - 1] + t * line->y[i]))) {
                return true;
            }
        }
    }
    return false;
}

static void check_barrier(const tal_obstacles *o, const tal_settings *settings, int number,
                          const tal_solve_scene *scene, const tal_ground *ground, tal_error *err) {
    const tal_barrier_settings *b = &settings->barrier[number];
    const char *where = tal_settings_where_in(settings, b, sizeof *b);
    const tal_features *line = &o->barrier[number].line;
    if (!is_on_ground(line, ground)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [barrier.%s] stands outside the terrain (its first corner is at %.2f "
                      "%.2f)",
                      where, b->label, line->x[0] + scene->origin_m[0],
                      line->y[0] + scene->origin_m[1]);
    }
    for (int k = 0; k < number; k++) {
        if (barriers_meet(&o->barrier[k].line, line)) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "%s: [barrier.%s] overlaps [barrier.%s]: a rock would hit both at the "
                          "same place. Move one of them, or merge them",
                          where, b->label, settings->barrier[k].label);
        }
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
    for (int k = 0; k < o->barrier_count; k++) {
        check_barrier(o, settings, k, scene, ground, err);
    }
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
