// SPDX-License-Identifier: GPL-3.0-or-later
// The cliff frame: a grid along the mean face, change measured along its normal.
#ifndef TALUS_INGEST_COMPARE_CLIFF_H
#define TALUS_INGEST_COMPARE_CLIFF_H

#include "ingest/compare/comparison.h"

// Runs the study once more along the face where the setting asks for it or the source is steep;
// `cliff->is_cliff` says whether it did.
tal_status tal_cliff_analyse(tal_comparison *cliff, tal_case *site, const tal_comparison *vertical,
                             double source_slope_deg, tal_error *err);

// Whether the deposit, too, is to be measured along the face: not where it lies on gentler ground, as
// deposits mostly do.
bool tal_cliff_holds_deposit(const tal_comparison *vertical);

// What the cliff frame found, as columns of the vertical grid: for each cell the length of the
// vertical line inside the body between the two surfaces under `mask` (source: sign -1, deposit:
// +1), averaged over the cell; 0 outside. So the columns hold the volume that was measured along
// the normal.
void tal_cliff_columns(const tal_comparison *cliff, const uint8_t *mask, double sign,
                       const tal_grid *grid, float *thickness);

#endif
