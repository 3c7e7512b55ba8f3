// SPDX-License-Identifier: GPL-3.0-or-later
// A project of Rockyfor3D: ESRI ASCII grids by their fixed names in one folder.
#ifndef TALUS_PIPELINES_ROCKYFOR3D_PROJECT_H
#define TALUS_PIPELINES_ROCKYFOR3D_PROJECT_H

#include "core/base/file.h"
#include "core/geo/grid.h"

// Every grid that is read; the order is that of the table in project.c.
typedef enum {
    TAL_RF_DEM,
    TAL_RF_ROCKDENSITY,
    TAL_RF_D1,
    TAL_RF_D2,
    TAL_RF_D3,
    TAL_RF_BLSHAPE,
    TAL_RF_SOILTYPE,
    TAL_RF_RG70,
    TAL_RF_RG20,
    TAL_RF_RG10,
    TAL_RF_NRTREES,
    TAL_RF_DBHMEAN,
    TAL_RF_DBHSTD,
    TAL_RF_CONIF_PERCENT,
    TAL_RF_NET_NUMBER,
    TAL_RF_NET_ENERGY,
    TAL_RF_NET_HEIGHT,
    TAL_RF_COUNT
} tal_rf_grid;

typedef struct {
    char folder[TAL_PATH_SIZE];
    bool has[TAL_RF_COUNT];
    tal_raster grid[TAL_RF_COUNT];
} tal_rf_project;

const char *tal_rf_name(tal_rf_grid grid);

// Finds NAME.asc (or .tif), reads all of them and adds every mistake to `err`: what is missing, does not
// fit the dem, or lies outside its range.
tal_status tal_rf_project_read(tal_rf_project *project, const char *folder, tal_error *err);
void tal_rf_project_destroy(tal_rf_project *project);

// The file of a grid, as it is found in the folder.
void tal_rf_file(const tal_rf_project *project, tal_rf_grid grid, char name[64]);

// site.ini in `out`; `per_cell` rocks from every source cell. Paths in it lead to
// the folder of the project.
tal_status tal_rf_write_site(const tal_rf_project *project, const char *out, const char *crs,
                             int64_t per_cell, tal_overwrite overwrite, tal_error *err);

#endif
