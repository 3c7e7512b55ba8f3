// SPDX-License-Identifier: GPL-3.0-or-later
// Ground of an epoch.
#include "ingest/ground/epoch.h"

#include "core/base/memory.h"

#include <math.h>

tal_status tal_epoch_prepare(tal_epoch_ground *epoch, tal_origin origin, const tal_rigid *frame,
                             const tal_grid *grid, const tal_ingest_settings *settings,
                             double depth_max, tal_error *err) {
    if (!epoch->survey.has_clouds) {
        return TAL_OK;
    }
    // What PDAL filtered is ground already; only noise is left to cut.
    const bool filtered = settings->ground == TAL_GROUND_SMRF || settings->ground == TAL_GROUND_CSF;
    TAL_TRY(tal_gridding_create(&epoch->gridding, &epoch->survey, origin, frame, grid,
                                filtered ? TAL_GROUND_NONE : settings->ground,
                                settings->outlier_deviations, depth_max, err));
    epoch->gridded = true;
    epoch->ground_choice = filtered ? settings->ground : epoch->gridding.ground_choice;
    return TAL_OK;
}

void tal_epoch_release(tal_epoch_ground *epoch) {
    if (epoch->gridded) {
        tal_gridding_destroy(&epoch->gridding);
        epoch->gridded = false;
    }
}

// Rasters move by looking at them from the other side: the grid is shifted back.
static tal_status add_rasters(tal_epoch_ground *epoch, tal_origin origin, const tal_grid *grid,
                              const tal_rigid *motion, tal_dem *dem, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    tal_grid moved = *grid;
    float *z;
    TAL_CREATE(z, cells, "a raster", err);
    for (size_t i = 0; i < cells; i++) {
        z[i] = NAN;
    }
    moved.west -= motion->shift[0];
    moved.north -= motion->shift[1];
    const tal_status status = tal_survey_sample_rasters(&epoch->survey, origin, &moved, z, err);
    for (size_t i = 0; i < cells && status == TAL_OK; i++) {
        if (isnan(dem->z[i]) && !isnan(z[i])) {
            dem->z[i] = z[i] + (float)motion->shift[2];
            dem->kind[i] = TAL_CELL_RASTER;
        }
    }
    tal_memory_destroy(z);
    return status;
}

tal_status tal_epoch_make_dem(tal_epoch_ground *epoch, tal_origin origin, const tal_grid *grid,
                              const tal_rigid *motion, double hole_m2, tal_dem *dem,
                              tal_error *err) {
    const tal_rigid still = tal_rigid_identity();
    TAL_ASSERT(epoch->gridded == epoch->survey.has_clouds); // tal_epoch_prepare was there
    if (epoch->survey.has_clouds) {
        TAL_TRY(tal_gridding_make_dem(&epoch->gridding, motion, hole_m2, dem, err));
        epoch->ground_points = epoch->gridding.used;
    } else {
        TAL_TRY(tal_dem_create(dem, grid, err));
    }
    if (epoch->survey.has_rasters) {
        const tal_status status =
            add_rasters(epoch, origin, grid, motion != NULL ? motion : &still, dem, err);
        if (status != TAL_OK) {
            tal_dem_destroy(dem);
            return status;
        }
    }
    return TAL_OK;
}
