// SPDX-License-Identifier: GPL-3.0-or-later
// run.nc, made from the journal when the run has ended.
#ifndef TALUS_SOLVER_PROGRAM_RUN_FILE_H
#define TALUS_SOLVER_PROGRAM_RUN_FILE_H

#include "core/geometry/travel.h"
#include "solver/program/journal.h"
#include "solver/program/onset.h"
#include "solver/program/scene.h"
#include "solver/program/tensions.h"

typedef struct {
    const char *ended_because; // still, until, interrupted
    bool ended_too_early;      // to say whether the rock moves
    const uint8_t *lost;       // per block: left over the rim
    const char *provenance;
    const char *event;        // ISO 8601, empty: 1970-01-01T00:00:00
    const tal_vec3 *position; // of the blocks at the end
    const tal_tensions *tensions;
    const tal_onset *onset;
    const tal_leaves *leaves; // of a run in which blocks broke; the scene is theirs then
} tal_run_notes;

// What the whole run adds up to; also stored in run.nc.
typedef struct {
    size_t frame_count, step_count;
    int64_t unconverged_steps;
    int64_t islands_resolved;
    int64_t finished_steps, islands_finished; // solved by the finisher, not by sweeps
    double regularisation_max;                // of its answers, in mean inverse masses
    int blocks_lost;
    double duration_s;
    double energy_start_j, energy_end_j;
    double dissipated_normal_j, dissipated_tangential_j, correction_j;
    double dissipated_material_j; // of blocks that deform
    double broken_j;              // of those that broke
    double energy_drift;          // summed defect over the energy exchanged
    double penetration_max_m;     // deepest of all steps
    double residual_max;
    double
        clausius_duhem_worst_j; // most energy a contact made in a step; must be nothing but rounding
    double kinetic_peak_j, kinetic_peak_s;
    double settled_s; // from then on the kinetic energy is below a thousandth of its peak
    tal_travel travel;
} tal_run_summary;

tal_status tal_run_file_write(const char *path, tal_overwrite overwrite, tal_journal *journal,
                              const tal_solve_scene *scene, const tal_run_notes *notes,
                              tal_run_summary *summary, tal_error *err);

#endif
