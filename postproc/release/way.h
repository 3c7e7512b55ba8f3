// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a rock as short straight pieces. Between two moments it flies as their positions and
// velocities say (a parabola where nothing touches it); velocity and ground change evenly.
#ifndef TALUS_POSTPROC_RELEASE_WAY_H
#define TALUS_POSTPROC_RELEASE_WAY_H

#include "postproc/release/rocks.h"

// What is measured at a point of the way.
typedef struct {
    double time, x, y, z;
    double speed, energy; // of the centroid, m/s; kinetic with rotation, J
    double spin;          // rad/s
    double jump;   // height of the lowest point above the ground; below 0 in it, as at a blow
    double height; // of the centroid above the ground
} tal_way_point;

// Between a and b, `share` from 0 to 1.
tal_way_point tal_way_between(const tal_rocks_moment *a, const tal_rocks_moment *b, double mass,
                              double share);
// On a short piece.
tal_way_point tal_way_mix(const tal_way_point *a, const tal_way_point *b, double share);

// Calls `visit` for each piece, none longer than `piece_m` in the plane.
typedef void tal_way_visit(void *context, const tal_way_point *from, const tal_way_point *to);
void tal_way_walk(const tal_rocks_moment *moment, int32_t count, double mass, double piece_m,
                  tal_way_visit *visit, void *context);

#endif
