// SPDX-License-Identifier: GPL-3.0-or-later
// The whole stage: reads what ingest left in the folder, makes terrain and blocks, writes them.
#ifndef TALUS_MESHER_STAGE_H
#define TALUS_MESHER_STAGE_H

#include "core/app/program.h"
#include "core/app/provenance.h"
#include "core/geo/crs.h"
#include "core/geo/grid.h"
#include "mesher/import/import.h"
#include "mesher/rock/block_set.h"
#include "mesher/rock/classes.h"
#include "mesher/rock/divide.h"
#include "mesher/rock/rock.h"
#include "mesher/terrain/terrain_mesh.h"

// Everything the stage knows, in the order it comes to know it.
typedef struct {
    const tal_settings *settings;
    const char *folder;
    tal_overwrite overwrite;
    int thread_count;
    const char *export_format; // NULL without
    tal_provenance provenance;
    tal_crs *crs;
    double origin[3];
    double ingest_volume; // NaN where ingest states none
    tal_raster bed, before, source;
    tal_terrain_mesh terrain;
    int32_t *face_class;
    tal_class_names ground_names;
    bool has_rock;
    tal_rock rock;
    double strike;       // of bricks and Voronoi cells
    double block_size;   // wanted: cube root of the volume; NaN where no size is wanted
    int effort;          // where divisions begin, see tal_divide_options
    int64_t plane_count; // joints
    int64_t seed_count;  // Voronoi
    tal_divide_report division;
    tal_import_report import;
    tal_block_set blocks;
    int32_t *block_class;
    tal_volume_mesh *volume; // per block
    tal_class_names block_names;
} tal_mesh_stage;

tal_status tal_mesh_stage_run(const tal_invocation *invocation, const char *export_format,
                              tal_error *err);

// Mistakes that can be seen before any work.
tal_status tal_mesh_stage_check(const tal_invocation *invocation, const char *export_format,
                                tal_error *err);

// Parts of it, one per file.
tal_status tal_mesh_read_inputs(tal_mesh_stage *stage, tal_error *err);
tal_status tal_mesh_make_blocks(tal_mesh_stage *stage, tal_error *err);
tal_status tal_mesh_write_summary(const tal_mesh_stage *stage, tal_error *err);
tal_status tal_mesh_write_picture(const tal_mesh_stage *stage, tal_error *err);
tal_status tal_mesh_write_exports(const tal_mesh_stage *stage, tal_error *err);

#endif
