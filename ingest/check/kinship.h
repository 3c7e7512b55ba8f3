// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two surveys show the same ground at all, before one is fitted to the other: a wrong unit of
// height, exchanged axes, a survey that lies or is turned elsewhere, another place.
#ifndef TALUS_INGEST_CHECK_KINSHIP_H
#define TALUS_INGEST_CHECK_KINSHIP_H

#include "ingest/compare/comparison.h"

// Tells of the cells of rasters that were bridged, once these were sampled.
void tal_check_spikes(tal_case *site, const tal_survey_reader *survey);
// Both grounds in the vertical frame, as they came.
tal_status tal_check_kinship(tal_case *site, const tal_dem *before, const tal_dem *after,
                             tal_error *err);

#endif
