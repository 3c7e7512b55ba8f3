// SPDX-License-Identifier: GPL-3.0-or-later
// The variogram by Dowd's robust estimator, 2 gamma = 2.198 (median |difference|)^2, fitted by
// non-negative least squares over a list of ranges.
#include "ingest/compare/variogram.h"

#include "core/base/memory.h"
#include "core/base/random.h"
#include "ingest/compare/statistics.h"

#include <math.h>

enum { PAIRS_PER_LAG = 100000, RANGES = 14, SUM_PAIRS = 400000 };

// ---- Measuring ---------------------------------------------------------------------------------

typedef struct {
    const tal_grid *grid;
    const float *value;
    int64_t *cell; // of the mask
    int64_t count;
} sample;

static tal_status sample_create(sample *s, const tal_grid *grid, const float *value,
                                const uint8_t *mask, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    *s = (sample){.grid = grid, .value = value};
    TAL_CREATE(s->cell, cells, "a variogram", err);
    for (size_t i = 0; i < cells; i++) {
        if (mask[i] != 0 && !isnan(value[i])) {
            s->cell[s->count++] = (int64_t)i;
        }
    }
    return TAL_OK;
}

// Differences of pairs about `lag` cells apart: a random cell, a random direction.
static size_t draw_pairs(const sample *s, double lag, int number, const uint8_t *mask,
                         double *difference) {
    const tal_random random = tal_random_stream(1, (uint32_t)number, "ingest/variogram");
    const int32_t columns = s->grid->columns, rows = s->grid->rows;
    size_t count = 0;
    for (uint64_t draw = 0; draw < 4 * PAIRS_PER_LAG && count < PAIRS_PER_LAG; draw++) {
        const int64_t from = s->cell[tal_random_below(random, 3 * draw, (uint64_t)s->count)];
        const double angle = 6.283185307179586 * tal_random_uniform(random, 3 * draw + 1);
        const double length = lag * (0.85 + 0.3 * tal_random_uniform(random, 3 * draw + 2));
        const int64_t column = from % columns + llround(length * cos(angle));
        const int64_t row = from / columns + llround(length * sin(angle));
        if (column < 0 || row < 0 || column >= columns || row >= rows) {
            continue;
        }
        const int64_t to = row * columns + column;
        if (to != from && mask[to] != 0 && !isnan(s->value[to])) {
            difference[count++] = fabs((double)s->value[from] - (double)s->value[to]);
        }
    }
    return count;
}

// docs/theory/ingest.md (11).
static void measure(tal_variogram *v, const sample *s, const uint8_t *mask, double *work) {
    const double longest = 0.6 * hypot(s->grid->columns, s->grid->rows);
    for (int k = 0; k < TAL_LAGS; k++) {
        const double lag = pow(longest, (double)k / (TAL_LAGS - 1));
        const size_t count = draw_pairs(s, lag, k, mask, work);
        if (count < 200) {
            continue;
        }
        const double median = tal_median(work, count);
        v->lag_m[v->lag_count] = lag * s->grid->cell;
        v->gamma[v->lag_count] = 0.5 * 2.198 * median * median;
        v->pairs[v->lag_count++] = (int64_t)count;
    }
}

// ---- Fitting -----------------------------------------------------------------------------------

static double spherical(double distance, double range) {
    if (distance >= range) {
        return 1.0;
    }
    const double t = distance / range;
    return 1.5 * t - 0.5 * t * t * t;
}

// Least squares in the unknowns of `active` (bits), the others zero; false when one turns negative.
static bool solve_active(const tal_variogram *v, const double range[2], unsigned active,
                         double unknown[3], double *squares) {
    double a[3][4] = {{0}};
    for (int k = 0; k < v->lag_count; k++) {
        const double base[3] = {1.0, spherical(v->lag_m[k], range[0]),
                                spherical(v->lag_m[k], range[1])};
        const double weight = 1.0 / (v->gamma[k] * v->gamma[k] + 1e-12); // relative misfit counts
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                a[i][j] += weight * base[i] * base[j];
            }
            a[i][3] += weight * base[i] * v->gamma[k];
        }
    }
    for (int i = 0; i < 3; i++) {
        if ((active >> i & 1U) == 0) {
            for (int j = 0; j < 4; j++) {
                a[i][j] = 0.0;
            }
            a[i][i] = 1.0;
        }
    }
    for (int k = 0; k < 3; k++) {
        if (!(fabs(a[k][k]) > 1e-14)) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            const double factor = i == k ? 0.0 : a[i][k] / a[k][k];
            for (int j = 0; j < 4; j++) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        unknown[i] = (active >> i & 1U) != 0 ? a[i][3] / a[i][i] : 0.0;
        if (unknown[i] < 0.0) {
            return false;
        }
    }
    *squares = 0.0;
    for (int k = 0; k < v->lag_count; k++) {
        const double model = unknown[0] + unknown[1] * spherical(v->lag_m[k], range[0]) +
                             unknown[2] * spherical(v->lag_m[k], range[1]);
        const double misfit = (model - v->gamma[k]) / (v->gamma[k] + 1e-6);
        *squares += misfit * misfit;
    }
    return true;
}

static void fit(tal_variogram *v) {
    double best = INFINITY;
    TAL_ASSERT(v->lag_count >= 4 && v->lag_m[0] < v->lag_m[v->lag_count - 1]);
    const double shortest = 2.0 * v->lag_m[0], longest = 1.2 * v->lag_m[v->lag_count - 1];
    for (int i = 0; i < RANGES; i++) {
        for (int j = i + 1; j < RANGES; j++) {
            const double range[2] = {shortest * pow(longest / shortest, (double)i / (RANGES - 1)),
                                     shortest * pow(longest / shortest, (double)j / (RANGES - 1))};
            for (unsigned active = 1; active < 8; active++) {
                double unknown[3], squares;
                if (solve_active(v, range, active, unknown, &squares) && squares < best) {
                    best = squares;
                    v->nugget = unknown[0];
                    for (int k = 0; k < 2; k++) {
                        v->sill[k] = unknown[k + 1];
                        v->range_m[k] = range[k];
                    }
                }
            }
        }
    }
}

tal_status tal_variogram_find(tal_variogram *variogram, const tal_grid *grid, const float *value,
                              const uint8_t *mask, tal_error *err) {
    sample s;
    double *work = NULL;
    tal_status status = TAL_OK;
    *variogram = (tal_variogram){0};
    TAL_TRY_OR_DONE(sample_create(&s, grid, value, mask, err));
    TAL_CREATE_OR_DONE(work, PAIRS_PER_LAG, "a variogram", err);
    if (s.count >= 200) {
        measure(variogram, &s, mask, work);
    }
    if (variogram->lag_count >= 4) {
        fit(variogram);
    }
done:
    tal_memory_destroy(s.cell);
    tal_memory_destroy(work);
    return status;
}

double tal_variogram_gamma(const tal_variogram *v, double distance) {
    double gamma = v->nugget;
    for (int k = 0; k < 2; k++) {
        gamma += v->sill[k] > 0.0 ? v->sill[k] * spherical(distance, v->range_m[k]) : 0.0;
    }
    return distance > 0.0 ? gamma : 0.0;
}

// docs/theory/ingest.md (12).
double tal_variogram_covariance(const tal_variogram *v, double distance) {
    double covariance = 0.0;
    for (int k = 0; k < 2; k++) {
        covariance +=
            v->sill[k] > 0.0 ? v->sill[k] * (1.0 - spherical(distance, v->range_m[k])) : 0.0;
    }
    return covariance;
}

// ---- Sums --------------------------------------------------------------------------------------

static double pair_covariance(const tal_variogram *variogram, const tal_grid *grid,
                              const float *scale, int64_t a, int64_t b) {
    const double dx = (double)(a % grid->columns - b % grid->columns);
    const double dy = (double)(a / grid->columns - b / grid->columns);
    return (double)scale[a] * (double)scale[b] *
           tal_variogram_covariance(variogram, grid->cell * hypot(dx, dy));
}

static double mean_of_all_pairs(const tal_variogram *variogram, const tal_grid *grid,
                                const float *scale, const sample *s) {
    double sum = 0.0;
    for (int64_t i = 0; i < s->count; i++) {
        sum += pair_covariance(variogram, grid, scale, s->cell[i], s->cell[i]);
        for (int64_t k = 0; k < i; k++) {
            sum += 2.0 * pair_covariance(variogram, grid, scale, s->cell[i], s->cell[k]);
        }
    }
    return sum / ((double)s->count * (double)s->count);
}

static double mean_of_drawn_pairs(const tal_variogram *variogram, const tal_grid *grid,
                                  const float *scale, const sample *s) {
    const tal_random random = tal_random_stream(1, 0, "ingest/sum");
    double sum = 0.0;
    for (uint64_t draw = 0; draw < SUM_PAIRS; draw++) {
        const int64_t a = s->cell[tal_random_below(random, 2 * draw, (uint64_t)s->count)];
        const int64_t b = s->cell[tal_random_below(random, 2 * draw + 1, (uint64_t)s->count)];
        sum += pair_covariance(variogram, grid, scale, a, b);
    }
    return sum / SUM_PAIRS;
}

// docs/theory/ingest.md (12).
tal_status tal_variogram_sum_deviation(const tal_variogram *variogram, const tal_grid *grid,
                                       const uint8_t *mask, const float *scale, double *deviation,
                                       tal_error *err) {
    sample s;
    *deviation = 0.0;
    TAL_TRY(sample_create(&s, grid, scale, mask, err));
    if (s.count > 0) {
        const bool few = s.count * s.count <= SUM_PAIRS;
        const double mean = few ? mean_of_all_pairs(variogram, grid, scale, &s)
                                : mean_of_drawn_pairs(variogram, grid, scale, &s);
        *deviation = (double)s.count * sqrt(fmax(0.0, mean));
    }
    tal_memory_destroy(s.cell);
    return TAL_OK;
}
