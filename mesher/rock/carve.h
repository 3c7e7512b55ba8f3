// SPDX-License-Identifier: GPL-3.0-or-later
// Cutting a convex cell to the missing rock by planes, so that what is left is convex, fills the
// rock and stays above the ground.
#ifndef TALUS_MESHER_ROCK_CARVE_H
#define TALUS_MESHER_ROCK_CARVE_H

#include "core/base/status.h"
#include "core/geometry/polyhedron.h"
#include "mesher/rock/rock.h"

#include <stdint.h>

typedef struct {
    double nominal_volume; // of a typical block: what counts as small is measured by it
    double depth;          // how far a block may reach below the ground
    double loss_share;     // a cell that loses more than this share of its rock is halved instead
    double piece_share;    // of the nominal volume: rock taken off by a plane becomes a block
    double sliver_share;   // of the nominal volume: smaller blocks are slivers
    double air_weight;     // 1: as much air is kept as rock is lost; less: blocks stand out more
} tal_carve_options;

// Receives each piece as it is done. `rock_volume` is the volume of the rock inside the piece. A sliver is
// to be dropped.
typedef tal_status tal_carve_emit(void *context, const tal_polyhedron *piece, double rock_volume,
                                  bool is_sliver, tal_error *err);

// Working memory of one thread.
typedef struct tal_carver tal_carver;
tal_status tal_carver_create(tal_carver **carver, const tal_rock *rock,
                             const tal_carve_options *options, tal_error *err);
void tal_carver_destroy(tal_carver *carver);

// Changes what counts as a typical block.
void tal_carver_set_nominal(tal_carver *carver, double nominal_volume);

// Cuts one cell; pieces are disjoint and lie inside it.
tal_status tal_carver_cut(tal_carver *carver, const tal_polyhedron *cell, tal_carve_emit *emit,
                          void *context, tal_error *err);

// Volume of the rock inside a convex cell, by columns.
tal_status tal_carver_rock(tal_carver *carver, const tal_polyhedron *cell, double *volume,
                           tal_error *err);

#endif
