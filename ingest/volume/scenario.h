// SPDX-License-Identifier: GPL-3.0-or-later
// One epoch only: what falls is what the user says, by a basal plane under each outline, by its
// thickness below the ground or on top of it, by the surface below it, or as blocks alone.
#ifndef TALUS_INGEST_VOLUME_SCENARIO_H
#define TALUS_INGEST_VOLUME_SCENARIO_H

#include "ingest/compare/layers.h"

typedef struct {
    tal_layers layers; // without a deposit
    tal_volume_estimate source, deposit;
} tal_scenario;

bool tal_scenario_is_given(const tal_settings *settings);
// Adds what is missing to `err`: a plane for every polygon of the source.
void tal_scenario_check(const tal_case *site, tal_error *err);
// A pile on top raises `ground->before`: that is the ground from which it falls.
tal_status tal_scenario_make(tal_scenario *scenario, tal_case *site, tal_comparison *ground,
                             tal_error *err);
void tal_scenario_destroy(tal_scenario *scenario);

#endif
