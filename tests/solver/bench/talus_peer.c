// SPDX-License-Identifier: GPL-3.0-or-later
// talus with the settings of its scenes. The effort is the tolerance (1e-3), BENCH_THREADS the number of threads (1).
#include "peer.h"

#include "tests/solver/scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>

static const double TOLERANCE = 1e-3;
static const peer_scene *given;
static tal_model *model;
static tal_state *state;

static void must(tal_status status, const tal_error *err) {
    if (status != TAL_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(1);
    }
}

static double height(double x, double y) {
    return given->height[(int)y * given->nx + (int)x];
}

void peer_create(const peer_scene *s) {
    static tal_error err;
    test_scene scene;
    given = s;
    test_scene_init(&scene);
    scene.settings.gravity_mps2 = (tal_vec3){s->gravity[0], s->gravity[1], s->gravity[2]};
    scene.settings.dt_s = s->dt;
    scene.settings.tolerance = s->effort > 0.0 ? s->effort : TOLERANCE;
    scene.law.friction = s->mu;
    scene.law.restitution = s->restitution;
    if (s->nx > 0) {
        test_scene_set_grid(&scene, s->nx, s->ny, height);
    } else {
        test_scene_set_plane(&scene, (tal_vec3){0}, (tal_vec3){0.0, 0.0, 1.0}, 500.0);
    }
    for (int k = 0; k < s->box_count; k++) {
        const peer_box *b = &s->box[k];
        const tal_vec3 at = {b->position[0], b->position[1], b->position[2]};
        const tal_quat turned = {b->orientation[0], b->orientation[1], b->orientation[2],
                                 b->orientation[3]};
        test_scene_add_box(&scene, b->edge[0], b->edge[1], b->edge[2], at, turned,
                           b->mass / (b->edge[0] * b->edge[1] * b->edge[2]));
    }
    const char *threads = getenv("BENCH_THREADS");
    must(test_scene_create_model(&scene, &model, &err), &err);
    must(tal_state_create(&state, model, threads != NULL ? atoi(threads) : 1, &err), &err);
    test_scene_destroy(&scene);
}

void peer_step(double dt) {
    static tal_error err;
    tal_report report;
    (void)dt; // the model has it
    must(tal_step(model, state, &report, &err), &err);
}

void peer_state(int box, double position[3], double orientation[4], double velocity[3]) {
    const tal_vec3 p = tal_state_positions(state)[box], v = tal_state_velocities(state)[box];
    const tal_quat q = tal_state_orientations(state)[box];
    position[0] = p.x;
    position[1] = p.y;
    position[2] = p.z;
    orientation[0] = q.w;
    orientation[1] = q.x;
    orientation[2] = q.y;
    orientation[3] = q.z;
    velocity[0] = v.x;
    velocity[1] = v.y;
    velocity[2] = v.z;
}
