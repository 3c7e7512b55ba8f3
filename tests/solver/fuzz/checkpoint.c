// SPDX-License-Identifier: GPL-3.0-or-later
// Mutants of a checkpoint whose checksum is right, whatever else is wrong: refused, or gone on from.
#include "solver/step/hash.h"
#include "tests/solver/scenes/scene.h"
#include "tests/support/mutate.h"

enum { HEADER_BYTES = 64, CHECKSUM_AT = 56, ITERATION_MAX = 20 };

static mutant m;
static test_scene scene;
static tal_model *model;
static tal_state *state;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    mutant_begin(&m, "run.checkpoint");
    test_scene_init(&scene);
    scene.settings.iteration_max = ITERATION_MAX;
    test_scene_set_plane(&scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    for (int n = 0; n < 3; n++) {
        test_scene_add_box(&scene, 0.5, 0.6, 0.7, tal_vec3_make(0.1 * n, 0, 0.36 + 0.75 * n),
                           (tal_quat){1, 0, 0, 0}, 2700.0);
    }
    mutant_need(test_scene_create_model(&scene, &model, &err), &err);
    mutant_need(tal_state_create(&state, model, 1, &err), &err);
    for (int n = 0; n < 20; n++) {
        tal_report report;
        mutant_need(tal_step(model, state, &report, &err), &err);
    }
    mutant_need(tal_checkpoint_write(model, state, m.path, &err), &err);
    mutant_take_seed(&m);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    mutant_edit(&m, data, size);
    if (m.length > HEADER_BYTES) {
        const uint64_t sum =
            tal_hash_bytes(TAL_HASH_START, m.bytes + HEADER_BYTES, m.length - HEADER_BYTES);
        memcpy(m.bytes + CHECKSUM_AT, &sum, sizeof sum);
    }
    mutant_write(&m);
    if (tal_checkpoint_read(model, state, m.path, &err) == TAL_OK) {
        tal_report report;
        (void)tal_step(model, state, &report, &err);
    }
    return 0;
}
