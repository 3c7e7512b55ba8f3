// SPDX-License-Identifier: GPL-3.0-or-later
// terrain.nc and blocks.nc.
#ifndef TALUS_MESHER_WRITE_TERRAIN_FILE_H
#define TALUS_MESHER_WRITE_TERRAIN_FILE_H

#include "core/base/file.h"
#include "core/geo/crs.h"
#include "mesher/rock/block_set.h"
#include "mesher/rock/classes.h"
#include "mesher/rock/volume_mesh.h"
#include "mesher/terrain/terrain_mesh.h"

// What both files carry.
typedef struct {
    const tal_crs *crs;
    const char *provenance;
    double origin[3];
    double mesh_error_m;
    tal_overwrite overwrite;
} tal_mesh_notes;

tal_status tal_terrain_file_write(const char *path, const tal_terrain_mesh *mesh,
                                  const int32_t *face_class, const tal_class_names *names,
                                  const tal_mesh_notes *notes, tal_error *err);

tal_status tal_blocks_file_write(const char *path, const tal_block_set *set,
                                 const int32_t *block_class, const tal_volume_mesh *volume,
                                 const tal_class_names *names, const tal_mesh_notes *notes,
                                 tal_error *err);

#endif
