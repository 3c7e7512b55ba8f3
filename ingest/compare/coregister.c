// SPDX-License-Identifier: GPL-3.0-or-later
// Iterated, robustly weighted least squares. Each later cell is an oriented point; its partner is
// the earlier surface at the same place. For a motion (t, w) about the centre c the residual along
// the normal n of the earlier surface changes by n.t + ((p - c) x n).w; without w and with n scaled
// to n_z = 1 that is Nuth and Kaab's relation between elevation difference, slope and aspect.
#include "ingest/compare/coregister.h"

#include "core/base/memory.h"
#include "core/geometry/angle.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MAX = 40, UNKNOWNS = 6, CELLS_MIN = 50, BLOCKS = 5 };

typedef struct {
    int64_t count;
    double *x, *y, *z; // of the later survey, as it came
    uint8_t *slope_class;
} cloud;

typedef struct {
    const tal_dem *dem;
    float *slope_x, *slope_y; // from planes over 5 by 5 cells
} target;

// ---- The earlier surface -----------------------------------------------------------------------

// Slopes from 25 cells: those from two neighbours share their noise with the residual, which biases
// the shift by noise over relief.
static void find_slope(const tal_dem *dem, int32_t column, int32_t row, float *slope_x,
                       float *slope_y) {
    tal_sums sums = {0};
    const tal_grid *grid = &dem->grid;
    for (int32_t r = row - 2; r <= row + 2; r++) {
        for (int32_t c = column - 2; c <= column + 2; c++) {
            if (r < 0 || c < 0 || r >= grid->rows || c >= grid->columns) {
                continue;
            }
            const float z = dem->z[(size_t)r * (size_t)grid->columns + (size_t)c];
            if (!isnan(z)) {
                tal_sums_add_point(&sums, (c - column) * grid->cell, (row - r) * grid->cell,
                                   (double)z);
            }
        }
    }
    const tal_cell_plane plane = tal_sums_plane(&sums);
    *slope_x = sums.n >= 9.0 ? (float)plane.slope_x : NAN;
    *slope_y = sums.n >= 9.0 ? (float)plane.slope_y : NAN;
}

static tal_status target_create(target *t, const tal_dem *dem, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&dem->grid);
    t->dem = dem;
    TAL_CREATE(t->slope_x, cells, "slopes", err);
    TAL_CREATE(t->slope_y, cells, "slopes", err);
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < dem->grid.rows; row++) {
        for (int32_t column = 0; column < dem->grid.columns; column++) {
            const size_t i = (size_t)row * (size_t)dem->grid.columns + (size_t)column;
            find_slope(dem, column, row, &t->slope_x[i], &t->slope_y[i]);
        }
    }
    return TAL_OK;
}

typedef struct {
    double z, slope_x, slope_y;
} footing;

// Height by bilinear interpolation and slope of the nearest cell; false next to gaps.
static bool find_footing(const target *t, double x, double y, footing *found) {
    const tal_grid *grid = &t->dem->grid;
    const double column = (x - grid->west) / grid->cell - 0.5;
    const double row = (grid->north - y) / grid->cell - 0.5;
    if (!(column >= 0.0 && row >= 0.0 && column <= grid->columns - 1.001 &&
          row <= grid->rows - 1.001)) {
        return false;
    }
    const int32_t c = (int32_t)column, r = (int32_t)row;
    const double fx = column - c, fy = row - r;
    const size_t i = (size_t)r * (size_t)grid->columns + (size_t)c;
    const size_t below = i + (size_t)grid->columns;
    const float *z = t->dem->z;
    found->z = (1.0 - fy) * ((1.0 - fx) * (double)z[i] + fx * (double)z[i + 1]) +
               fy * ((1.0 - fx) * (double)z[below] + fx * (double)z[below + 1]);
    const size_t nearest = (fy < 0.5 ? i : below) + (fx < 0.5 ? 0 : 1);
    found->slope_x = (double)t->slope_x[nearest];
    found->slope_y = (double)t->slope_y[nearest];
    return !isnan(found->z) && !isnan(found->slope_x) && !isnan(found->slope_y);
}

// ---- The later cells ---------------------------------------------------------------------------

static tal_status cloud_create(cloud *c, const tal_dem *after, const uint8_t *stable,
                               tal_error *err) {
    const tal_grid *grid = &after->grid;
    const size_t cells = tal_grid_cell_count(grid);
    TAL_CREATE(c->x, cells, "co-registration", err);
    TAL_CREATE(c->y, cells, "co-registration", err);
    TAL_CREATE(c->z, cells, "co-registration", err);
    TAL_CREATE(c->slope_class, cells, "co-registration", err);
    for (size_t i = 0; i < cells; i++) {
        const bool usable = (stable == NULL || stable[i] != 0) && !isnan(after->z[i]) &&
                            after->kind[i] != TAL_CELL_FILLED;
        if (usable) {
            tal_grid_centre(grid, (int32_t)(i % (size_t)grid->columns),
                            (int32_t)(i / (size_t)grid->columns), &c->x[c->count], &c->y[c->count]);
            c->z[c->count++] = (double)after->z[i];
        }
    }
    return TAL_OK;
}

static void cloud_destroy(cloud *c) {
    tal_memory_destroy(c->x);
    tal_memory_destroy(c->y);
    tal_memory_destroy(c->z);
    tal_memory_destroy(c->slope_class);
}

// ---- Normal equations --------------------------------------------------------------------------

// Gauss with pivoting on a symmetric positive system, padded to UNKNOWNS; also inverts.
static bool invert(int n, double a[UNKNOWNS][UNKNOWNS], double inverse[UNKNOWNS][UNKNOWNS]) {
    double work[UNKNOWNS][2 * UNKNOWNS] = {0};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            work[i][j] = a[i][j];
        }
        work[i][n + i] = 1.0;
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            pivot = fabs(work[i][k]) > fabs(work[pivot][k]) ? i : pivot;
        }
        if (!(fabs(work[pivot][k]) > 0.0)) {
            return false;
        }
        for (int j = 0; j < 2 * n; j++) {
            const double t = work[k][j];
            work[k][j] = work[pivot][j];
            work[pivot][j] = t;
        }
        const double scale = 1.0 / work[k][k];
        for (int j = 0; j < 2 * n; j++) {
            work[k][j] *= scale;
        }
        for (int i = 0; i < n; i++) {
            const double factor = work[i][k];
            for (int j = 0; j < 2 * n && i != k; j++) {
                work[i][j] -= factor * work[k][j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            inverse[i][j] = work[i][n + j];
        }
    }
    return true;
}

typedef struct {
    const target *t;
    const cloud *c;
    double centre[3];
    double reach; // half the extent, which scales the rotation
    double slope_max;
    int unknowns;
    double *residual; // along the normal; NaN: takes no part
    double *sorted;   // work
    double deviation[TAL_SLOPE_CLASSES];
    double median;
} fit;

// Residuals along the normal under the present motion.
static void find_residuals(fit *f, const tal_rigid *motion) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < f->c->count; i++) {
        double x = f->c->x[i], y = f->c->y[i], z = f->c->z[i];
        footing ground;
        tal_rigid_apply(motion, &x, &y, &z);
        f->residual[i] = NAN;
        if (!find_footing(f->t, x, y, &ground)) {
            continue;
        }
        const double slope = hypot(ground.slope_x, ground.slope_y);
        if (slope <= f->slope_max) {
            f->residual[i] = (z - ground.z) / sqrt(1.0 + slope * slope);
            f->c->slope_class[i] = (uint8_t)tal_slope_class(ground.slope_x, ground.slope_y);
        }
    }
}

// Median of all, and robust deviation by slope class about it.
static int64_t find_deviations(fit *f) {
    size_t all = 0;
    for (int64_t i = 0; i < f->c->count; i++) {
        if (!isnan(f->residual[i])) {
            f->sorted[all++] = f->residual[i];
        }
    }
    const tal_statistics overall = tal_statistics_find(f->sorted, all);
    f->median = overall.median;
    for (int k = 0; k < TAL_SLOPE_CLASSES; k++) {
        size_t count = 0;
        for (int64_t i = 0; i < f->c->count; i++) {
            if (!isnan(f->residual[i]) && f->c->slope_class[i] == k) {
                f->sorted[count++] = fabs(f->residual[i] - overall.median);
            }
        }
        const double own = 1.4826 * tal_median(f->sorted, count);
        f->deviation[k] = fmax(count >= 50 ? own : overall.nmad, 1e-4);
    }
    return (int64_t)all;
}

// Tukey's biweight: cells beyond 4.685 deviations have no say.
// docs/theory/ingest.md (5).
static double weight_of(double residual, double deviation) {
    const double t = residual / (4.685 * deviation);
    const double rest = 1.0 - t * t;
    return rest <= 0.0 ? 0.0 : rest * rest / (deviation * deviation);
}

typedef struct {
    double normal[UNKNOWNS][UNKNOWNS];
    double right[UNKNOWNS];
    double weight;
} equations;

// docs/theory/ingest.md (4).
static void add_equation(fit *f, int64_t i, const tal_rigid *motion, equations *e) {
    double x = f->c->x[i], y = f->c->y[i], z = f->c->z[i];
    footing ground;
    tal_rigid_apply(motion, &x, &y, &z);
    if (!find_footing(f->t, x, y, &ground)) {
        return;
    }
    const double length =
        sqrt(1.0 + ground.slope_x * ground.slope_x + ground.slope_y * ground.slope_y);
    const double n[3] = {-ground.slope_x / length, -ground.slope_y / length, 1.0 / length};
    const double p[3] = {(x - f->centre[0]) / f->reach, (y - f->centre[1]) / f->reach,
                         (z - f->centre[2]) / f->reach};
    const double row[UNKNOWNS] = {n[0],
                                  n[1],
                                  n[2],
                                  p[1] * n[2] - p[2] * n[1],
                                  p[2] * n[0] - p[0] * n[2],
                                  p[0] * n[1] - p[1] * n[0]};
    const double w = weight_of(f->residual[i], f->deviation[f->c->slope_class[i]]);
    for (int a = 0; a < f->unknowns; a++) {
        for (int b = 0; b < f->unknowns; b++) {
            e->normal[a][b] += w * row[a] * row[b];
        }
        e->right[a] -= w * row[a] * f->residual[i];
    }
    e->weight += w;
}

static bool solve_equations(int unknowns, equations *e, double inverse[UNKNOWNS][UNKNOWNS],
                            double solution[UNKNOWNS]) {
    if (!invert(unknowns, e->normal, inverse)) {
        return false;
    }
    for (int a = 0; a < UNKNOWNS; a++) {
        solution[a] = 0.0;
        for (int b = 0; b < unknowns && a < unknowns; b++) {
            solution[a] += inverse[a][b] * e->right[b];
        }
    }
    return true;
}

// One step; the sums run in index order, so that the bits do not depend on threads.
static bool step(fit *f, tal_rigid *motion, double covariance[UNKNOWNS][UNKNOWNS], double *length) {
    double update[UNKNOWNS];
    equations all = {0};
    for (int64_t i = 0; i < f->c->count; i++) {
        if (!isnan(f->residual[i])) {
            add_equation(f, i, motion, &all);
        }
    }
    if (!solve_equations(f->unknowns, &all, covariance, update)) {
        return false;
    }
    const double angles[3] = {update[3] / f->reach, update[4] / f->reach, update[5] / f->reach};
    const tal_rigid more = tal_rigid_make(angles, f->centre, update);
    *motion = tal_rigid_after(&more, motion);
    *length = 0.0;
    for (int a = 0; a < f->unknowns; a++) {
        *length = fmax(*length, fabs(update[a])); // rotation times reach: metres at the rim
    }
    return true;
}

// ---- Blocks ------------------------------------------------------------------------------------

// Neighbouring cells err together, so the covariance above is too small. Blocks of terrain, and bands
// of it (the strips of a survey err as a whole), do less so: each is left out in turn, and what that
// does to the solution gives its deviation (the delete-a-group jackknife for groups of unequal weight,
// Busing, Meijer and van der Leeden 1999): docs/theory/ingest.md (7).
static void add_left_out(fit *f, const equations *all, const equations *block, double variance[]) {
    equations rest = *all;
    double inverse[UNKNOWNS][UNKNOWNS], moved[UNKNOWNS];
    for (int a = 0; a < UNKNOWNS; a++) {
        for (int b = 0; b < UNKNOWNS; b++) {
            rest.normal[a][b] -= block->normal[a][b];
        }
        rest.right[a] -= block->right[a];
    }
    if (block->weight <= 0.0 || !solve_equations(f->unknowns, &rest, inverse, moved)) {
        return;
    }
    for (int a = 0; a < f->unknowns; a++) {
        variance[a] += (all->weight / block->weight - 1.0) * moved[a] * moved[a];
    }
}

static void find_block_deviation(fit *f, const tal_rigid *motion, const tal_bounds *bounds,
                                 int across, int up, tal_coregister_result *result) {
    equations all = {0}, block[BLOCKS * BLOCKS] = {0};
    int count = 0;
    double variance[UNKNOWNS] = {0};
    const double width = bounds->east - bounds->west, height = bounds->north - bounds->south;
    for (int64_t i = 0; i < f->c->count; i++) {
        if (isnan(f->residual[i])) {
            continue;
        }
        const int column = (int)(across * (f->c->x[i] - bounds->west) / width);
        const int row = (int)(up * (f->c->y[i] - bounds->south) / height);
        TAL_ASSERT(column >= 0 && column < across && row >= 0 && row < up);
        add_equation(f, i, motion, &block[row * across + column]);
    }
    for (int k = 0; k < across * up; k++) {
        for (int a = 0; a < UNKNOWNS; a++) {
            for (int b = 0; b < UNKNOWNS; b++) {
                all.normal[a][b] += block[k].normal[a][b];
            }
            all.right[a] += block[k].right[a];
        }
        all.weight += block[k].weight;
        count += block[k].weight > 0.0;
    }
    for (int k = 0; k < across * up; k++) {
        add_left_out(f, &all, &block[k], variance);
    }
    for (int a = 0; a < f->unknowns && count > 1; a++) {
        const double scale = a < 3 ? 1.0 : 1.0 / f->reach;
        result->block_deviation[a] =
            fmax(result->block_deviation[a], scale * sqrt(variance[a] / count));
    }
    result->block_count = count > result->block_count ? count : result->block_count;
}

static tal_status solve(fit *f, tal_coregister_result *result, tal_error *err) {
    double covariance[UNKNOWNS][UNKNOWNS] = {0};
    tal_rigid motion = tal_rigid_identity();
    memcpy(motion.centre, f->centre, sizeof motion.centre);
    for (int round = 1; round <= ROUNDS_MAX && !result->converged; round++) {
        double length = 0.0;
        find_residuals(f, &motion);
        result->cell_count = find_deviations(f);
        if (result->cell_count < CELLS_MIN) {
            return TAL_FAIL(err, TAL_UNTRUSTED,
                            "only %lld cells of stable terrain have ground in both surveys, too "
                            "few to fit one to the other; enlarge the study, give the stable area "
                            "as a polygon (stable =), or set coregister = none",
                            (long long)result->cell_count);
        }
        if (round == 1) { // a large common offset first, or nothing is an inlier
            motion.shift[2] -= f->median;
            continue;
        }
        if (!step(f, &motion, covariance, &length)) {
            return TAL_FAIL(err, TAL_UNTRUSTED,
                            "the stable terrain is too flat or too small to fit one survey to the "
                            "other; set coregister = none if they fit already");
        }
        result->rounds = round;
        result->converged = length < 1e-3; // a millimetre at the rim
    }
    result->motion = motion;
    for (int a = 0; a < f->unknowns; a++) {
        for (int b = 0; b < f->unknowns; b++) {
            const double scale = (a < 3 ? 1.0 : 1.0 / f->reach) * (b < 3 ? 1.0 : 1.0 / f->reach);
            result->covariance[a][b] = covariance[a][b] * scale;
        }
    }
    return TAL_OK;
}

tal_status tal_coregister(const tal_dem *before, const tal_dem *after, const uint8_t *stable,
                          const tal_coregister_options *options, tal_coregister_result *result,
                          tal_error *err) {
    target t = {0};
    cloud c = {0};
    fit f = {.t = &t, .c = &c, .unknowns = options->with_rotation ? 6 : 3};
    tal_status status = TAL_OK;
    const tal_bounds bounds = tal_grid_bounds(&before->grid);
    TAL_ASSERT(tal_grid_equal(&before->grid, &after->grid));
    *result = (tal_coregister_result){.motion = tal_rigid_identity()};
    TAL_TRY_OR_DONE(target_create(&t, before, err));
    TAL_TRY_OR_DONE(cloud_create(&c, after, stable, err));
    TAL_CREATE_OR_DONE(f.residual, (size_t)c.count + 1, "co-registration", err);
    TAL_CREATE_OR_DONE(f.sorted, (size_t)c.count + 1, "co-registration", err);
    double height = 0.0;
    for (int64_t i = 0; i < c.count; i++) {
        height += c.z[i] / (double)c.count;
    }
    f.centre[0] = floor(0.5 * (bounds.west + bounds.east));
    f.centre[1] = floor(0.5 * (bounds.south + bounds.north));
    f.centre[2] = floor(height);
    f.reach = 0.5 * fmax(bounds.east - bounds.west, bounds.north - bounds.south);
    f.slope_max = tan(tal_radians(options->slope_max_deg));
    TAL_TRY_OR_DONE(solve(&f, result, err));
    find_residuals(&f, &result->motion);
    find_block_deviation(&f, &result->motion, &bounds, BLOCKS, BLOCKS, result);
    find_block_deviation(&f, &result->motion, &bounds, BLOCKS, 1, result); // bands, as strips are
    find_block_deviation(&f, &result->motion, &bounds, 1, BLOCKS, result);
done:
    cloud_destroy(&c);
    tal_memory_destroy(t.slope_x);
    tal_memory_destroy(t.slope_y);
    tal_memory_destroy(f.residual);
    tal_memory_destroy(f.sorted);
    return status;
}

tal_status tal_difference_statistics(const tal_dem *before, const tal_dem *after,
                                     const uint8_t *mask, tal_statistics *statistics,
                                     tal_error *err) {
    const size_t cells = tal_grid_cell_count(&before->grid);
    TAL_ASSERT(tal_grid_equal(&before->grid, &after->grid));
    double *values;
    size_t count = 0;
    TAL_CREATE(values, cells, "differences", err);
    for (size_t i = 0; i < cells; i++) {
        const double dz = (double)after->z[i] - (double)before->z[i];
        if ((mask == NULL || mask[i] != 0) && !isnan(dz)) {
            values[count++] = dz;
        }
    }
    *statistics = tal_statistics_find(values, count);
    tal_memory_destroy(values);
    return TAL_OK;
}
