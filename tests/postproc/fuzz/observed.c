// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of observed stops from hostile bytes: read or refused, and no point that is not finite.
#include "postproc/measure/observed.h"
#include "tests/support/hostile.h"

#include <math.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    static tal_settings settings;
    static const tal_origin origin;
    static const tal_bounds ground = {-100.0, -100.0, 100.0, 100.0};
    tal_observed observed;
    tal_settings_init(&settings);
    tal_error_reset(&err);
    mutant_need(tal_settings_set(&settings, "report", "stops",
                                 hostile_file("stops.csv", data, size), "site.ini:1", &err),
                &err);
    if (tal_observed_read(&observed, &settings, &origin, ground, &err) == TAL_OK) {
        for (size_t i = 0; i < observed.stops.count; i++) {
            if (!isfinite(observed.stops.x[i]) || !isfinite(observed.stops.y[i])) {
                abort();
            }
        }
        tal_observed_destroy(&observed);
    }
    return 0;
}
