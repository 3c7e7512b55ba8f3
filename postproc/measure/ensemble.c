// SPDX-License-Identifier: GPL-3.0-or-later
// Maps over the runs of an ensemble.
#include "postproc/measure/ensemble.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

tal_status tal_ensemble_begin(tal_ensemble_stack *stack, const tal_grid *grid, int run_count,
                              tal_error *err) {
    *stack = (tal_ensemble_stack){.grid = *grid, .run_count = run_count};
    if (run_count < 2) {
        return TAL_OK;
    }
    for (int k = 0; k < TAL_STACK_COUNT; k++) {
        stack->value[k] = tal_memory_create((size_t)run_count * tal_grid_cell_count(grid),
                                            sizeof *stack->value[k]);
        if (stack->value[k] == NULL) {
            tal_ensemble_end(stack);
            return tal_memory_failed(err, "the maps of all runs",
                                     (size_t)run_count * tal_grid_cell_count(grid), sizeof(float));
        }
    }
    return TAL_OK;
}

tal_status tal_ensemble_add(tal_ensemble_stack *stack, int run, const tal_deposit *deposit,
                            const tal_passage *passage, tal_error *err) {
    (void)err;
    const size_t cells = tal_grid_cell_count(&stack->grid);
    const float *const from[TAL_STACK_COUNT] = {deposit->thickness.value, passage->velocity.value,
                                                passage->energy.value, passage->jump.value,
                                                passage->arrival.value};
    for (int k = 0; k < TAL_STACK_COUNT; k++) {
        memcpy(&stack->value[k][(size_t)run * cells], from[k], cells * sizeof *from[k]);
    }
    return TAL_OK;
}

void tal_ensemble_end(tal_ensemble_stack *stack) {
    for (int k = 0; k < TAL_STACK_COUNT; k++) {
        tal_memory_destroy(stack->value[k]);
        stack->value[k] = NULL;
    }
}

// Values of one cell over the runs.
static void gather(const tal_ensemble_stack *stack, tal_stack_kind kind, size_t cell,
                   double *values) {
    const size_t cells = tal_grid_cell_count(&stack->grid);
    for (int r = 0; r < stack->run_count; r++) {
        const double value = (double)stack->value[kind][(size_t)r * cells + cell];
        values[r] = kind != TAL_STACK_ARRIVAL && !isfinite(value) ? 0.0 : value;
    }
}

static tal_status make_quantile(tal_raster *raster, const tal_ensemble_stack *stack,
                                tal_stack_kind kind, double p, double *values, tal_error *err) {
    TAL_TRY(tal_raster_create(raster, &stack->grid, err));
    for (size_t i = 0; i < tal_grid_cell_count(&stack->grid); i++) {
        // Without bed there is no thickness in any run.
        if (isfinite(stack->value[TAL_STACK_THICKNESS][i])) {
            gather(stack, kind, i, values);
            raster->value[i] = (float)tal_quantile(values, (size_t)stack->run_count, p);
        }
    }
    return TAL_OK;
}

static tal_status make_mean(tal_raster *raster, const tal_ensemble_stack *stack, double *values,
                            tal_error *err) {
    TAL_TRY(tal_raster_create(raster, &stack->grid, err));
    for (size_t i = 0; i < tal_grid_cell_count(&stack->grid); i++) {
        if (isfinite(stack->value[TAL_STACK_THICKNESS][i])) {
            double sum = 0.0;
            gather(stack, TAL_STACK_THICKNESS, i, values);
            for (int r = 0; r < stack->run_count; r++) {
                sum += values[r];
            }
            raster->value[i] = (float)(sum / stack->run_count);
        }
    }
    return TAL_OK;
}

static tal_status make_all(tal_ensemble *e, const tal_ensemble_stack *stack, double *values,
                           tal_error *err) {
    struct {
        tal_raster *raster;
        tal_stack_kind kind;
        double p;
    } wanted[] = {{&e->thickness_low, TAL_STACK_THICKNESS, 0.05},
                  {&e->thickness_median, TAL_STACK_THICKNESS, 0.5},
                  {&e->thickness_high, TAL_STACK_THICKNESS, 0.95},
                  {&e->velocity_median, TAL_STACK_VELOCITY, 0.5},
                  {&e->velocity_high, TAL_STACK_VELOCITY, 0.95},
                  {&e->energy_median, TAL_STACK_ENERGY, 0.5},
                  {&e->energy_high, TAL_STACK_ENERGY, 0.95},
                  {&e->jump_median, TAL_STACK_JUMP, 0.5},
                  {&e->jump_high, TAL_STACK_JUMP, 0.95},
                  {&e->arrival_low, TAL_STACK_ARRIVAL, 0.05},
                  {&e->arrival_median, TAL_STACK_ARRIVAL, 0.5}};
    TAL_TRY(make_mean(&e->thickness_mean, stack, values, err));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        TAL_TRY(make_quantile(wanted[i].raster, stack, wanted[i].kind, wanted[i].p, values, err));
    }
    return TAL_OK;
}

tal_status tal_ensemble_create(tal_ensemble *ensemble, const tal_ensemble_stack *stack,
                               tal_error *err) {
    double *values;
    *ensemble = (tal_ensemble){0};
    TAL_CREATE(values, (size_t)stack->run_count, "the maps of all runs", err);
    const tal_status status = make_all(ensemble, stack, values, err);
    tal_memory_destroy(values);
    if (status != TAL_OK) {
        tal_ensemble_destroy(ensemble);
    }
    return status;
}

void tal_ensemble_destroy(tal_ensemble *e) {
    tal_raster *all[] = {&e->thickness_mean, &e->thickness_low,   &e->thickness_median,
                         &e->thickness_high, &e->velocity_median, &e->velocity_high,
                         &e->energy_median,  &e->energy_high,     &e->jump_median,
                         &e->jump_high,      &e->arrival_low,     &e->arrival_median};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tal_raster_destroy(all[i]);
    }
}
