// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of the stems of a forest from hostile bytes.
#include "solver/program/release/obstacle.h"
#include "tests/support/hostile.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    return 0;
}

static bool skip_none(const void *context, int32_t stem) {
    (void)context, (void)stem;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    static tal_settings settings;
    static const tal_solve_scene scene = {.high_m = {200, 100, 50}};
    tal_stems stems;
    double at = 0;
    tal_settings_init(&settings);
    tal_error_reset(&err);
    mutant_need(tal_settings_set(&settings, "forest", "stems",
                                 hostile_file("stems.txt", data, size), "site.ini:1", &err),
                &err);
    if (tal_stems_create(&stems, &settings, &scene, NULL, &err) == TAL_OK) {
        (void)tal_stems_first_touch(&stems, (const double[2]){0, 0}, (const double[2]){200, 100},
                                    1.0, skip_none, NULL, &at);
        tal_stems_destroy(&stems);
    }
    return 0;
}
