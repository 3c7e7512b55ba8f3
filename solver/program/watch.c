// SPDX-License-Identifier: GPL-3.0-or-later
// What a program watches between steps.
#include "solver/program/watch.h"

#include "core/base/log.h"
#include "core/base/math3.h"
#include "core/base/memory.h"
#include "core/geometry/angle.h"

#include <math.h>

// A block whose centre left the ground falls, and with its other half below the ground it would be found deep in it.
// Over a hole that is smaller than itself it has ground on most sides, a radius away, and may lie on that.
static bool is_beyond_rim(const tal_ground *ground, tal_vec3 centre, double radius) {
    enum { SIDES = 8 };
    if (ground == NULL || !isnan(tal_ground_height(ground, centre.x, centre.y))) {
        return false;
    }
    int held = 0;
    for (int k = 0; k < SIDES; k++) {
        const double angle = 2.0 * TAL_PI * k / SIDES;
        held += !isnan(tal_ground_height(ground, centre.x + radius * cos(angle),
                                         centre.y + radius * sin(angle)));
    }
    return held <= SIDES / 2;
}

void tal_watch_take_out_lost(const tal_solve_scene *scene, const tal_ground *ground,
                             tal_state *state, uint8_t *lost) {
    const tal_vec3 *position = tal_state_positions(state);
    for (int32_t b = 0; b < scene->input.body_count; b++) {
        const double r = scene->bounding_radius_m[b];
        if (lost[b] == 0 &&
            (is_beyond_rim(ground, position[b], r) || position[b].z < scene->low_m[2] - r)) {
            lost[b] = 1;
            tal_state_remove_body(state, b);
        }
    }
}

bool tal_watch_is_moving(const tal_solve_scene *scene, const tal_state *state, const uint8_t *lost,
                         double still_mps) {
    const tal_vec3 *velocity = tal_state_velocities(state);
    const tal_vec3 *spin = tal_state_spins(state);
    for (int32_t b = 0; b < scene->input.body_count; b++) {
        const double fastest =
            tal_vec3_length(velocity[b]) + tal_vec3_length(spin[b]) * scene->bounding_radius_m[b];
        if (lost[b] == 0 && fastest > still_mps) {
            return true;
        }
    }
    return false;
}

tal_status tal_watch_travel(const tal_solve_scene *scene, const tal_vec3 *position,
                            tal_travel *travel, tal_error *err) {
    const size_t count = (size_t)scene->input.body_count;
    double *distance;
    TAL_CREATE(distance, count + 1, "the travel of the blocks", err);
    for (size_t b = 0; b < count; b++) {
        distance[b] = tal_vec3_length(tal_vec3_subtract(position[b], scene->input.position_m[b]));
    }
    const tal_status status = tal_travel_find(travel, distance, scene->volume_m3, count, err);
    tal_memory_destroy(distance);
    return status;
}

int64_t tal_watch_steps(double interval_s, double dt_s) {
    return (int64_t)fmax(1.0, round(interval_s / dt_s));
}

void tal_watch_tell_steps(const char *key, double interval_s, double dt_s) {
    const double taken_s = (double)tal_watch_steps(interval_s, dt_s) * dt_s;
    if (fabs(taken_s - interval_s) > 1e-9 * interval_s) {
        tal_log_info("%s = %g s is no whole number of steps of %g s: %g s are taken", key,
                     interval_s, dt_s, taken_s);
    }
}
