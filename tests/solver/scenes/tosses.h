// SPDX-License-Identifier: GPL-3.0-or-later
// The tracked tosses of a real cube (ContactNets, Pfrommer, Halm and Posa 2020): reading them,
// running one of them from its first frame, and the distance between run and track.
#ifndef TALUS_TESTS_SOLVER_SCENES_TOSSES_H
#define TALUS_TESTS_SOLVER_SCENES_TOSSES_H

#include "core/base/status.h"
#include "solver/include/talus_solver.h"

enum { TOSS_FRAMES_MAX = 1000 };

typedef struct {
    tal_vec3 position, velocity, spin; // half widths, seconds, world axes
    tal_quat orientation;
} toss_frame;

// Frames of toss k: frame[start[k]] to frame[start[k + 1] - 1], `frame_dt` apart.
typedef struct {
    int32_t toss_count, frame_count;
    int32_t *start;
    toss_frame *frame;
    double frame_dt, gravity, mass, inertia, friction, restitution;
} tosses;

typedef enum {
    TOSS_FIRST_FRAME,   // pose and velocities as they stand there
    TOSS_HALF_FRAME_ON, // they are backward differences: gravity of half a frame is added
    TOSS_FLIGHT         // a parabola and a steady turn through all frames before the first touch
} toss_start;

// What the runs may differ in. The defaults are those of the experiment.
typedef struct {
    tal_law law;
    int steps_per_frame;
    double floor;   // height of the plate
    double inertia; // about any axis
    toss_start start;
} toss_settings;

// Errors of a run against the track, in cube widths and degrees.
typedef struct {
    double position, angle;
} toss_error;

// Reads experiment.json and tosses-*.csv of `directory`.
tal_status tosses_read(tosses *t, const char *directory, tal_error *err);
void tosses_destroy(tosses *t);

toss_settings tosses_default(const tosses *t);

// Runs toss k from its first frame to its last; `path` gets one entry per frame.
tal_status tosses_run(const tosses *t, int32_t k, const toss_settings *settings, toss_frame *path,
                      tal_error *err);

toss_error tosses_compare(const toss_frame *a, const toss_frame *b);

// Median of `count` numbers, which it sorts.
double tosses_median(double *number, int32_t count);

#endif
