// SPDX-License-Identifier: GPL-3.0-or-later
// Maps over the runs of an ensemble: means and quantiles, cell by cell.
#ifndef TALUS_POSTPROC_MEASURE_ENSEMBLE_H
#define TALUS_POSTPROC_MEASURE_ENSEMBLE_H

#include "postproc/measure/back_analysis.h"

typedef enum {
    TAL_STACK_THICKNESS,
    TAL_STACK_VELOCITY,
    TAL_STACK_ENERGY,
    TAL_STACK_JUMP,
    TAL_STACK_ARRIVAL,
    TAL_STACK_COUNT
} tal_stack_kind;

// The maps of all runs, kept until the quantiles are made.
typedef struct {
    tal_grid grid;
    int run_count;
    float *value[TAL_STACK_COUNT]; // run_count * cells; NULL with one run
} tal_ensemble_stack;

tal_status tal_ensemble_begin(tal_ensemble_stack *stack, const tal_grid *grid, int run_count,
                              tal_error *err);
tal_status tal_ensemble_add(tal_ensemble_stack *stack, int run, const tal_deposit *deposit,
                            const tal_passage *passage, tal_error *err);
void tal_ensemble_end(tal_ensemble_stack *stack);

// Where a run did not come it counts as zero for thickness, speed, energy and height; for the time
// of arrival only runs that came count.
tal_status tal_ensemble_create(tal_ensemble *ensemble, const tal_ensemble_stack *stack,
                               tal_error *err);
void tal_ensemble_destroy(tal_ensemble *ensemble);

#endif
