// SPDX-License-Identifier: GPL-3.0-or-later
// The fit once more, on cells twice as wide and on either half of the stable terrain: a shift that
// depends on such choices is not known as well as one fit says.
#ifndef TALUS_INGEST_COMPARE_REPEATS_H
#define TALUS_INGEST_COMPARE_REPEATS_H

#include "ingest/compare/coregister.h"

typedef struct {
    bool has_cell, has_halves; // whether there was terrain enough
    double by_cell[3];         // shift that cells twice as wide would add
    double by_half[3];         // shift of one half less that of the other
} tal_repeats;

// `after` as it was moved by the fit.
tal_status tal_repeats_find(tal_repeats *repeats, const tal_dem *before, const tal_dem *after,
                            const uint8_t *stable, const tal_coregister_options *options,
                            tal_error *err);

#endif
