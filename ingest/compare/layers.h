// SPDX-License-Identifier: GPL-3.0-or-later
// What the stages after ingest build on, on the vertical grid: source and deposit as columns, and
// the ground below them.
#ifndef TALUS_INGEST_COMPARE_LAYERS_H
#define TALUS_INGEST_COMPARE_LAYERS_H

#include "ingest/compare/comparison.h"

typedef struct {
    float *bed;                          // metres from the origin
    float *source, *deposit;             // thickness; NaN where nothing is known
    uint8_t *source_mask, *deposit_mask; // cells of the outlines
} tal_layers;

tal_status tal_layers_create(tal_layers *layers, const tal_grid *grid, tal_error *err);
void tal_layers_destroy(tal_layers *layers);

// From what two epochs showed. `cliff` is NULL where the vertical frame is enough; the deposit was
// measured along the face only where `deposit_on_cliff`. `bed_choice` is a tal_bed_choice.
void tal_layers_fill(tal_layers *layers, const tal_comparison *vertical,
                     const tal_comparison *cliff, bool deposit_on_cliff, int bed_choice);

#endif
