// SPDX-License-Identifier: GPL-3.0-or-later
// What the studies of the default law share: a law given by words, ensembles of single blocks on a
// ground of triangles, and their statistics. Nothing in here is a test; tests use it.
#ifndef TALUS_TESTS_SOLVER_STUDIES_STUDY_H
#define TALUS_TESTS_SOLVER_STUDIES_STUDY_H

#include "core/base/random.h"
#include "tests/solver/scenes/scene.h"

// The law that ships: as the table of settings has it, not as someone remembers it.
tal_law study_default_law(void);

// Sets a law by "law=coulomb", "mu=0.5", "e=0.3", "et=0"; false if the word is none of these.
bool study_set_law(tal_law *law, const char *word);

// How a run ended: where the block was, when, and by how much its energy ever rose above gravity's
// share, relative to the most kinetic energy it had.
typedef struct {
    tal_vec3 place;
    double time;
    bool stopped;
    double rise;
    double unconverged; // steps
} study_end;

// When a run is over: at rest, after `time_max`, beyond `x_max`, or below `z_min` (it left the ground).
typedef struct {
    double time_max, x_max, z_min;
} study_limits;

// Steps body 0 of the scene until it rests, has gone beyond x_max, or time is over. The time at
// x_max is interpolated.
tal_status study_run(const test_scene *scene, study_limits limits, study_end *end, tal_error *err);

// A random orientation, all equally likely.
tal_quat study_orientation(tal_random random, uint64_t draw);

// Height of the lowest corner of box 0 over its centre.
double study_lowest(const test_scene *scene);

typedef struct {
    double mean, error;       // of the mean, by the scatter of the runs
    double low, median, high; // 5, 50, 95 %
} study_numbers;

study_numbers study_measure(double *value, int count);

#endif
