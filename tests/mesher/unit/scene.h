// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up site for the tests of the mesher: a rough cliff between a plateau and a talus, with a
// bite out of it.
#ifndef TALUS_TESTS_MESHER_UNIT_SCENE_H
#define TALUS_TESTS_MESHER_UNIT_SCENE_H

#include "core/base/random.h"
#include "core/geo/grid.h"

#include <math.h>
#include <stdint.h>

typedef struct {
    tal_raster before, bed, source;
} test_site;

// Smooth noise in [-1, 1] on a lattice of spacing `length`.
static inline double test_noise(tal_random random, double x, double y, double length) {
    const double u = x / length + 1000, v = y / length + 1000;
    const uint64_t i = (uint64_t)u, j = (uint64_t)v;
    const double fx = u - (double)i, fy = v - (double)j;
    const double sx = fx * fx * (3 - 2 * fx), sy = fy * fy * (3 - 2 * fy);
    double corner[4];
    for (uint64_t k = 0; k < 4; k++) {
        corner[k] = 2 * tal_random_uniform(random, (j + k / 2) * 4096 + i + k % 2) - 1;
    }
    return (corner[0] * (1 - sx) + corner[1] * sx) * (1 - sy) +
           (corner[2] * (1 - sx) + corner[3] * sx) * sy;
}

static inline double test_roughness(tal_random random, double x, double y, double amplitude) {
    return amplitude * (6 * test_noise(random, x, y, 90) + 2 * test_noise(random, x, y, 31) +
                        0.7 * test_noise(random, x, y, 11) + 0.25 * test_noise(random, x, y, 4));
}

// Height of the ground before: talus, cliff of about 60 degrees, plateau, running east-west with a
// slant, so that strike is neither along the grid nor across it.
static inline double test_before(tal_random random, double x, double y) {
    const double across = 0.94 * y - 0.34 * x; // distance up the slope
    double z = 400 + 0.5 * across;
    const double cliff = across - 60;
    if (cliff > 0) {
        z += cliff < 75 ? 1.3 * cliff : 97.5 + 0 * cliff;
    }
    if (cliff > 75) {
        z -= 0.35 * (cliff - 75);
    }
    return z + test_roughness(random, x, y, 1);
}

// Height of the scar: a bowl with its own roughness.
static inline double test_scar(tal_random random, double x, double y, double size) {
    const double along = 0.94 * x + 0.34 * y, across = 0.94 * y - 0.34 * x;
    const double a = (along - 380) / (118 * size), b = (across - 120) / (82 * size);
    const double r2 = a * a + b * b;
    if (r2 >= 1) {
        return 1e9;
    }
    const double depth = 62 * size * sqrt(1 - r2);
    const double base = 400 + 0.5 * 120 + 1.3 * 60 + 0.95 * (across - 120) + 6;
    return base - depth + test_roughness(random, x + 7000, y, 0.4);
}

// `size` 1 gives about 8e5 m3.
static inline void test_site_make(test_site *site, int32_t columns, int32_t rows, double cell,
                                  double size) {
    const tal_random ground = tal_random_stream(7, 0, "test/ground");
    const tal_random scar = tal_random_stream(8, 0, "test/scar");
    const tal_random survey = tal_random_stream(9, 0, "test/survey");
    const tal_grid grid = {700000, 1600000 + rows * cell, cell, columns, rows};
    tal_raster *all[3] = {&site->before, &site->bed, &site->source};
    for (int k = 0; k < 3; k++) {
        if (tal_raster_create(all[k], &grid, NULL) != TAL_OK) {
            return;
        }
    }
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t column = 0; column < columns; column++) {
            const size_t at = (size_t)row * (size_t)columns + (size_t)column;
            const double x = (column + 0.5) * cell, y = (rows - row - 0.5) * cell;
            const double before = test_before(ground, x, y);
            const double after = fmin(before, test_scar(scar, x, y, size));
            const double lost = before - after;
            site->before.value[at] =
                (float)(before + 0.05 * tal_random_normal(survey, 2 * (uint64_t)at));
            site->bed.value[at] = site->before.value[at];
            if (lost > 0.3) {
                site->bed.value[at] =
                    (float)(after + 0.05 * tal_random_normal(survey, 2 * (uint64_t)at + 1));
            }
            site->source.value[at] = fmaxf(site->before.value[at] - site->bed.value[at], 0);
        }
    }
}

static inline void test_site_destroy(test_site *site) {
    tal_raster_destroy(&site->before);
    tal_raster_destroy(&site->bed);
    tal_raster_destroy(&site->source);
}

#endif
