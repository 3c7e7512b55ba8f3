// SPDX-License-Identifier: GPL-3.0-or-later
// What a fit leaves of the difference on stable terrain, as the forms that mistakes have: a tilt, a dome
// (drones without control points), a turn and a stretch of the map.
#ifndef TALUS_INGEST_CHECK_TREND_H
#define TALUS_INGEST_CHECK_TREND_H

#include "ingest/compare/comparison.h"

// All in metres at the rim of the study (half its diagonal from the middle); of the later survey.
typedef struct {
    double tilt;    // how much higher one side lies than the middle
    double dome;    // the rim above the middle: negative where the middle bulges
    double turn;    // counter-clockwise
    double stretch; // outwards
    double nmad;    // what scatters about all of these
} tal_trend;

// docs/theory/ingest.md (18). Zeros where there is too little stable terrain.
tal_status tal_trend_find(const tal_comparison *a, tal_trend *trend, tal_error *err);

#endif
