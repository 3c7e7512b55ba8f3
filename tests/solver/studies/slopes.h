// SPDX-License-Identifier: GPL-3.0-or-later
// Single blocks on a plane slope and over a break of slope: ensembles of starts.
#ifndef TALUS_TESTS_SOLVER_STUDIES_SLOPES_H
#define TALUS_TESTS_SOLVER_STUDIES_SLOPES_H

#include "tests/solver/studies/study.h"

typedef struct {
    tal_law law;
    double dt;
    double slope_deg;
    double length;  // along the slope
    double flat;    // of the level ground behind it; 0: none, the run ends with the slope
    double edge[3]; // of the block
    double speed;   // at the start, at most, rolling along
    int starts;
    uint64_t seed;
} slope_study;

typedef struct {
    study_numbers arrival; // at the end of the slope, s
    study_numbers stop;    // behind the break, m
    int missing;           // blocks that stopped on the slope, or went on beyond the flat
    double rise;           // worst of all runs
} slope_result;

// 100 m at 35 degrees; a block of 1 x 0.9 x 0.8 m that rolls in at 5 to 10 m/s.
slope_study slope_study_plane(tal_law law, double dt, int starts);

// 40 m at 45 degrees, then level ground; the block rolls in at 2.5 to 5 m/s.
slope_study slope_study_break(tal_law law, double dt, int starts);

// 10 m of it, from rest: most blocks slide on a face and strike the level ground with an edge.
slope_study slope_study_short_break(tal_law law, double dt, int starts);

tal_status slope_study_run(const slope_study *study, slope_result *result, tal_error *err);

#endif
