// SPDX-License-Identifier: GPL-3.0-or-later
// Where rocks of a [release] start and what stands in their way, held against a ground: talus-ingest asks its
// grid before anything else is done with it, talus-solve its triangles.
#ifndef TALUS_CORE_GEO_RELEASE_PLACES_H
#define TALUS_CORE_GEO_RELEASE_PLACES_H

#include "core/geo/features.h"
#include "core/geo/grid.h"

typedef struct {
    double (*height)(const void *ground, double x, double y); // NaN: there is none
    const void *ground;
    tal_bounds box;     // around it
    double origin_m[3]; // of all its coordinates
    double spare_m;     // a height so little below it is taken to lie on it
} tal_place_ground;

// Each adds what is wrong to `err`, with the line of the site file (`where`: that of the release).
void tal_release_check_start(const tal_place_ground *ground, const tal_features *from,
                             const char *where, tal_error *err);
void tal_release_check_cells(const tal_place_ground *ground, const tal_raster *cells,
                             const char *where, tal_error *err);
// A rock that is as large as the ground is wide.
void tal_release_check_size(const tal_place_ground *ground, const tal_settings *settings,
                            double size_m, tal_error *err);
// Number `number` of `line`, one per barrier; those before it were checked.
void tal_release_check_barrier(const tal_place_ground *ground, const tal_settings *settings,
                               const tal_features *const *line, int number, tal_error *err);

// The line of the site file that says where rocks start.
const char *tal_release_where(const tal_settings *settings);

// The line of one barrier, a target's lines or polygons, and the polygons of a forest that no raster gives.
tal_status tal_release_read_barrier(tal_features *line, const tal_settings *settings, int number,
                                    const tal_features_frame *frame, tal_error *err);
tal_status tal_release_read_target(tal_features *place, const tal_settings *settings, int number,
                                   const tal_features_frame *frame, tal_error *err);
tal_status tal_release_read_forest(tal_features *area, const tal_settings *settings,
                                   const tal_features_frame *frame, tal_error *err);

// Calls `take` for each stem of the tables of forest.stems: lines "east north diameter-in-cm", by blanks, commas or
// semicolons, after a header if there is one. All other lines are mistakes, and all of them are named.
typedef tal_status tal_stem_take(void *context, double x, double y, double diameter_cm,
                                 tal_error *err);
tal_status tal_release_read_stems(const tal_settings *settings, const double origin_m[3],
                                  tal_stem_take *take, void *context, tal_error *err);

// All files of a release, of what stands in its way and of where it is counted: read, and held against
// `ground`. Everything that is wrong is added to `err`.
void tal_release_check_places(const tal_place_ground *ground, const tal_settings *settings,
                              const tal_features_frame *frame, tal_error *err);

#endif
