// SPDX-License-Identifier: GPL-3.0-or-later
// Surface classes: names, and the class of every triangle of the ground.
#ifndef TALUS_MESHER_ROCK_CLASSES_H
#define TALUS_MESHER_ROCK_CLASSES_H

#include "core/base/settings.h"
#include "core/base/status.h"
#include "core/geo/crs.h"
#include "mesher/terrain/terrain_mesh.h"

#include <stdint.h>

enum { TAL_CLASS_NAME_SIZE = 64, TAL_CLASSES_MAX = 64 };

typedef struct {
    int count;
    char name[TAL_CLASSES_MAX][TAL_CLASS_NAME_SIZE];
} tal_class_names;

// Number of a name, added when it is new; -1 when it is too long or there are too many.
int tal_class_names_find(tal_class_names *names, const char *name);

// One class per face: that of the polygon (text field `class`) or of the raster cell (values 1, 2, 3
// as [mesh] ground_class_names says) that holds its centroid, else the first of `names`.
tal_status tal_classes_assign(int32_t *face_class, const tal_terrain_mesh *mesh,
                              const double origin[3], const tal_settings *settings,
                              const tal_crs *crs, tal_class_names *names, tal_error *err);

// The class `name` for every face whose centroid lies on a cell that holds rock of the source.
tal_status tal_classes_assign_source(int32_t *face_class, const tal_terrain_mesh *mesh,
                                     const double origin[3], const tal_raster *source,
                                     const char *name, tal_class_names *names, tal_error *err);

#endif
