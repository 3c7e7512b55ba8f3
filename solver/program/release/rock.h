// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of one rock of a release: its start, its way, what it met, how it ended.
#ifndef TALUS_SOLVER_PROGRAM_RELEASE_ROCK_H
#define TALUS_SOLVER_PROGRAM_RELEASE_ROCK_H

#include "solver/program/release/start.h"

// Numbers are those of rocks.nc.
typedef enum {
    TAL_ROCK_RESTS = 0,
    TAL_ROCK_LEFT = 1,    // over the rim
    TAL_ROCK_STOPPED = 2, // by a barrier
    TAL_ROCK_MOVES = 3    // when the time was over
} tal_rock_end;

typedef enum { TAL_MEETING_STEM = 0, TAL_MEETING_BARRIER = 1 } tal_meeting_kind;
typedef enum {
    TAL_MEETING_HELD = 0, // stopped, or turned aside by a stem that stands
    TAL_MEETING_BROKEN = 1,
    TAL_MEETING_OVER = 2
} tal_meeting_outcome;

// A moment of the way; between two of them a rock flies as their positions and velocities say.
typedef struct {
    float time, position[3], orientation[4], velocity[3], spin[3];
    float drop;     // from the centroid to the lowest point
    float ground;   // height of the ground below the centroid; NaN beyond the rim
    float rotation; // kinetic energy of rotation, J
} tal_fall_sample;

typedef struct {
    int32_t kind, number, outcome; // of which obstacle
    float time, position[3];
    float height; // of the centroid above the ground
    float energy; // kinetic, before, J
    float taken;  // of it
} tal_rock_meeting;

typedef struct {
    int64_t number;
    int32_t block, end, barrier; // barrier that stopped it, -1: none
    int32_t sample_count, meeting_count;
    int32_t step_count, unconverged_count;
    int32_t stem_count; // stems it hit
    double size, mass, radius;
    double duration;    // until it last moved
    double penetration; // deepest
} tal_rock_summary;

typedef struct {
    tal_rock_summary summary;
    int32_t sample_room, meeting_room;
    tal_fall_sample *sample;
    tal_rock_meeting *meeting;
    tal_rock_start start; // with its own room for vertices
} tal_fallen_rock;

tal_status tal_fallen_rock_create(tal_fallen_rock *rock, int32_t vertices_max, tal_error *err);
void tal_fallen_rock_destroy(tal_fallen_rock *rock);
tal_status tal_fallen_rock_add_sample(tal_fallen_rock *rock, const tal_fall_sample *sample,
                                      tal_error *err);
tal_status tal_fallen_rock_add_meeting(tal_fallen_rock *rock, const tal_rock_meeting *meeting,
                                       tal_error *err);

#endif
