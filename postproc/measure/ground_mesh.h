// SPDX-License-Identifier: GPL-3.0-or-later
// The triangles the blocks ran over (terrain.nc), in metres from the study's origin.
#ifndef TALUS_POSTPROC_MEASURE_GROUND_MESH_H
#define TALUS_POSTPROC_MEASURE_GROUND_MESH_H

#include "core/geo/crs.h"

typedef struct {
    int32_t node_count;
    int32_t face_count;
    double *node;  // 3 per node
    int32_t *face; // 3 nodes per triangle
    int32_t *face_class;
} tal_ground_mesh;

tal_status tal_ground_mesh_read(tal_ground_mesh *ground, const char *path, const tal_origin *origin,
                                tal_error *err);
void tal_ground_mesh_destroy(tal_ground_mesh *ground);

#endif
