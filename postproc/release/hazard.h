// SPDX-License-Identifier: GPL-3.0-or-later
// All that a release tells, and the writing of it.
#ifndef TALUS_POSTPROC_RELEASE_HAZARD_H
#define TALUS_POSTPROC_RELEASE_HAZARD_H

#include "core/app/program.h"
#include "postproc/measure/surveyed.h"
#include "postproc/release/cell_maps.h"
#include "postproc/release/compared.h"
#include "postproc/release/targets.h"
#include "postproc/write/output.h"

// A rock of 0.3 m that rolled at 12 m/s stopped 12 % short with steps in which it moved by 0.4 of its size,
// 8 % with 0.2, 2 % with 0.1 (docs/validation/grounds.md, "Tschamut").
#define TAL_HURRIED 0.25

typedef struct {
    tal_surveyed survey;
    tal_rocks rocks;
    tal_cell_maps maps;
    tal_targets targets;
    tal_compared compared;
    int64_t by_end[4]; // tal_rocks_end
    int64_t stem_hits, unconverged_steps, step_count;
    double dt_s;
    int64_t hurried;            // rocks that moved by more than TAL_HURRIED of their size in a step
    double runout[3];           // 5, 50, 95 %: level distance from start to end, m
    double travel_angle_deg[3]; // the same of the slope between them
    double fastest_mps, strongest_kj, highest_jump_m;
} tal_hazard;

tal_status tal_hazard_create(tal_hazard *hazard, const tal_invocation *invocation, tal_error *err);
void tal_hazard_destroy(tal_hazard *hazard);

// Parts of the output, one per file.
tal_status tal_hazard_write_maps(const tal_hazard *hazard, const tal_output_place *place,
                                 tal_error *err);
tal_status tal_hazard_write_rockyfor3d(const tal_hazard *hazard, const tal_output_place *place,
                                       tal_error *err);
tal_status tal_hazard_write_tables(const tal_hazard *hazard, const tal_output_place *place,
                                   tal_error *err);
tal_status tal_hazard_write_gis(tal_hazard *hazard, const tal_output_place *place, tal_error *err);
tal_status tal_hazard_write_scores(const tal_hazard *hazard, const tal_output_place *place,
                                   tal_error *err);
tal_status tal_hazard_write_report(const tal_hazard *hazard, const tal_output_place *place,
                                   tal_error *err);

// The whole of post-processing for a site with a [release].
tal_status tal_hazard_run(const tal_invocation *invocation, tal_error *err);

#endif
