// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of where things lie, once the files were read and before anything is gridded.
#ifndef TALUS_INGEST_CHECK_PLACES_H
#define TALUS_INGEST_CHECK_PLACES_H

#include "ingest/compare/comparison.h"

// Surveys, area of interest and outlines that miss each other, with the reason where one is seen:
// exchanged axes, another unit of the map. `bounds` is what all have in common; only to be used
// where nothing was refused.
void tal_check_places(tal_case *site, tal_bounds *bounds);

#endif
