// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up study for tests of post-processing: every file the earlier stages would have left, with
// boxes that slide down a slope and come to rest on a terrace. Nothing of it is physics.
#ifndef TALUS_TESTS_POSTPROC_SUPPORT_SCENE_H
#define TALUS_TESTS_POSTPROC_SUPPORT_SCENE_H

#include "core/base/status.h"

#include <stdint.h>

typedef struct {
    int32_t columns, rows; // of the grid
    double cell_m;
    int32_t block_count;
    int32_t frame_count;
    double duration_s;
    int epochs;
    bool is_local;            // no coordinate system
    bool has_deposit;         // surveyed
    bool survey_is_empty;     // nodata everywhere
    bool stands_still;        // no block moves
    bool two_sources;         // a second one in the north, on a slope of its own
    int32_t more_sources;     // small ones beside the first, up the slope
    bool all_lost;            // every block leaves over the rim
    double unconverged_steps; // what the solver says of itself
    double finished_steps;
    double energy_drift;
    const char *ended_because;
    double clausius_duhem_j;
    uint32_t run; // varies where blocks stop
} tal_post_scene;

tal_post_scene tal_post_scene_default(void);
// Writes ingest.json, the rasters, terrain.nc, blocks.nc, run.nc and site.ini into `folder`.
tal_status tal_post_scene_write(const tal_post_scene *scene, const char *folder, tal_error *err);
// blocks.nc and run.nc only.
tal_status tal_post_scene_write_run(const tal_post_scene *scene, const char *folder,
                                    tal_error *err);

#endif
