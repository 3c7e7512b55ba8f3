// SPDX-License-Identifier: GPL-3.0-or-later
// The rocks of a release as rocks.nc holds them: what is known of each in memory, their ways read piece by
// piece.
#ifndef TALUS_POSTPROC_RELEASE_ROCKS_H
#define TALUS_POSTPROC_RELEASE_ROCKS_H

#include "core/geo/crs.h"
#include "core/geo/netcdf_file.h"

// As written by talus-solve.
typedef enum {
    TAL_END_AT_REST = 0,
    TAL_END_LEFT = 1,
    TAL_END_BARRIER = 2,
    TAL_END_MOVING = 3
} tal_rocks_end;

// A moment of a rock's way; metres from the origin.
typedef struct {
    double time;
    double position[3], velocity[3];
    double spin;     // rad/s
    double drop;     // from the centroid down to the lowest point
    double ground;   // height below the centroid
    double rotation; // kinetic energy, J
} tal_rocks_moment;

typedef struct {
    int32_t rock, kind, number, outcome; // kind 1: a barrier
    double position[3], height, energy, taken;
} tal_rocks_meeting;

typedef struct {
    tal_netcdf file;
    tal_origin origin;
    int64_t count;
    double *mass, *size, *duration; // per rock
    int32_t *end, *stem_count, *block;
    int64_t *first; // per rock and one more: its moments
    int64_t meeting_count;
    tal_rocks_meeting *meeting;
} tal_rocks;

tal_status tal_rocks_open(tal_rocks *rocks, const char *path, const tal_origin *origin,
                          tal_error *err);
void tal_rocks_close(tal_rocks *rocks);

// The ways in the order of the rocks; `moment` is valid during the call.
typedef tal_status tal_rocks_visit(void *context, int64_t rock, const tal_rocks_moment *moment,
                                   int32_t count, tal_error *err);
tal_status tal_rocks_walk(tal_rocks *rocks, tal_rocks_visit *visit, void *context, tal_error *err);

#endif
