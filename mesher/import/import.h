// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of the user's own: solids from OBJ, STL and PLY files, solids with their elements from Gmsh files,
// and tables of blocks.
#ifndef TALUS_MESHER_IMPORT_IMPORT_H
#define TALUS_MESHER_IMPORT_IMPORT_H

#include "core/base/settings.h"
#include "core/base/status.h"
#include "mesher/rock/block_set.h"
#include "mesher/rock/classes.h"
#include "mesher/rock/volume_mesh.h"

typedef struct {
    const tal_settings *settings; // [mesh] import names the files
    double unit_m; // metres per unit of solids; tables say their units in their header
    int vertices_max;
    bool has_position;
    tal_vec3 position; // of the first solid, in coordinates of the study
    double origin[3];
    const char *block_class;
    double density_kg_m3;
} tal_import_options;

enum { TAL_IMPORT_SOLIDS_MAX = 4096 };

// One imported solid file.
typedef struct {
    char name[256];
    int64_t vertex_count, face_count; // in the file
    int64_t open_edges;               // edges without a partner
    int64_t crossings;  // triangles that pass through each other; -1: too many to look
    double file_volume; // enclosed by the surface of the file; NaN when it is open
    double hull_volume;
    double block_volume; // after simplification
    int32_t block_vertices;
} tal_import_solid;

typedef struct {
    int solid_count;
    tal_import_solid *solid;
    int64_t row_count; // of tables
} tal_import_report;

void tal_import_report_destroy(tal_import_report *report);

// `set` starts as {0}; blocks are in body axes afterwards. One class and one mesh per block are allocated.
tal_status tal_import(tal_block_set *set, int32_t **block_class, tal_volume_mesh **volume,
                      tal_class_names *names, const tal_import_options *options,
                      tal_import_report *report, tal_error *err);

#endif
