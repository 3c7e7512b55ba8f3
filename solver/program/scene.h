// SPDX-License-Identifier: GPL-3.0-or-later
// The scene of talus-solve: terrain.nc, blocks.nc and the laws of the site file, as the library wants
// them. Positions are metres from the site's origin.
#ifndef TALUS_SOLVER_PROGRAM_SCENE_H
#define TALUS_SOLVER_PROGRAM_SCENE_H

#include "core/base/arena.h"
#include "core/base/settings.h"
#include "core/geo/crs.h"
#include "solver/include/talus_solver.h"

enum { TAL_CLASSES_MAX = 64 };

// Elements of the blocks, as blocks.nc has them; NULL: none.
typedef struct {
    int32_t *node_start, *element_start; // per block
    tal_vec3 *node;                      // body axes
    int32_t *corner;                     // 8 per element; tetrahedra end in -1
} tal_scene_elements;

typedef struct {
    tal_arena arena;  // owns every array below
    tal_arena shapes; // but those that the shapes of the input point to
    tal_model_input input;
    double *bounding_radius_m; // per block
    double *volume_m3;         // per block; NULL where blocks.nc has none
    double origin_m[3];
    tal_crs *crs;
    char class_name[TAL_CLASSES_MAX][TAL_LABEL_SIZE];
    double low_m[3], high_m[3]; // of the terrain
    double mesh_error_m;        // how far the bed may be from its triangles
    double ground_friction[2];  // least and greatest between any block and any ground
    tal_scene_elements elements;
    int32_t soft_count; // blocks that deform
} tal_solve_scene;

// `folder` holds terrain.nc and blocks.nc.
tal_status tal_scene_read(tal_solve_scene *scene, const char *folder, const tal_settings *settings,
                          tal_error *err);

// The model of it; what is wrong is said with the file it is wrong in.
tal_status tal_scene_create_model(const tal_solve_scene *scene, const char *folder,
                                  tal_model **model, tal_error *err);

// The model has a copy of the shapes: where nothing breaks, nobody asks the scene for them again.
void tal_scene_drop_shapes(tal_solve_scene *scene);
void tal_scene_destroy(tal_solve_scene *scene);

#endif
