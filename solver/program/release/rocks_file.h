// SPDX-License-Identifier: GPL-3.0-or-later
// rocks.nc, made from the journal when the rocks have fallen.
#ifndef TALUS_SOLVER_PROGRAM_RELEASE_ROCKS_FILE_H
#define TALUS_SOLVER_PROGRAM_RELEASE_ROCKS_FILE_H

#include "solver/program/release/obstacle.h"
#include "solver/program/release/rock_journal.h"

// What all rocks together add up to.
typedef struct {
    int64_t rock_count, by_end[4]; // tal_rock_end
    int64_t sample_count, step_count, unconverged_steps, stem_hits;
    double penetration_max, duration_max;
} tal_release_summary;

typedef struct {
    const char *path, *provenance;
    tal_overwrite overwrite;
    const tal_settings *settings;
    const tal_solve_scene *scene;
    const tal_obstacles *obstacles;
} tal_rocks_notes;

tal_status tal_rocks_file_write(tal_rock_journal *journal, const tal_rocks_notes *notes,
                                tal_release_summary *summary, tal_error *err);

#endif
