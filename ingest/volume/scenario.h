// SPDX-License-Identifier: GPL-3.0-or-later
// One epoch only: the source is what the user says, by a basal plane under an outline, by its
// thickness, or by the surface below it.
#ifndef TALUS_INGEST_VOLUME_SCENARIO_H
#define TALUS_INGEST_VOLUME_SCENARIO_H

#include "ingest/compare/layers.h"

typedef struct {
    tal_layers layers; // without a deposit
    tal_volume_estimate source, deposit;
} tal_scenario;

bool tal_scenario_is_given(const tal_ingest_settings *settings);
tal_status tal_scenario_make(tal_scenario *scenario, const tal_case *site,
                             const tal_comparison *ground, tal_error *err);
void tal_scenario_destroy(tal_scenario *scenario);

#endif
