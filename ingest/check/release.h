// SPDX-License-Identifier: GPL-3.0-or-later
// The places of a [release] against the ground, as early as it is known.
#ifndef TALUS_INGEST_CHECK_RELEASE_H
#define TALUS_INGEST_CHECK_RELEASE_H

#include "ingest/compare/layers.h"

// Adds to `err` what lies outside `bounds`: before anything is gridded.
void tal_check_release_bounds(const tal_case *site, tal_bounds bounds, tal_error *err);

// Observed stops, of single rocks or of blocks: adds to `err` what is no stop or far away, and warns of those outside.
void tal_check_stops(tal_case *site, tal_bounds bounds, tal_error *err);

// Fails with what lies where the bed has no ground, or below it: before anything is written.
tal_status tal_check_release_bed(const tal_case *site, const tal_grid *grid,
                                 const tal_layers *layers, tal_error *err);

#endif
