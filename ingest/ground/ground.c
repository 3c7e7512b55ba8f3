// SPDX-License-Identifier: GPL-3.0-or-later
// The ground filter.
#include "ingest/ground/ground.h"

#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "ingest/compare/statistics.h"

#include <math.h>
#include <string.h>

// Half-widths of the windows, from the scale of crowns to that of boulders, and the distance from
// the plane (along its normal, m) at which the trust in a point has fallen to one half.
typedef struct {
    double radius_m;
    double half_trust_m;
    int rounds;
} filter_level;
static const filter_level levels[] = {{9.0, 1.6, 3}, {5.0, 0.8, 3}, {2.5, 0.45, 3}};
enum { LEVEL_COUNT = sizeof levels / sizeof levels[0], WINDOW_MAX = 9 };

static const double low_gap_m = 1.2;      // a lone point this far below the rest is no ground
static const double accept_above_m = 0.6; // from the reference, along the normal
static const double accept_below_m = 0.4;

// ---- Memory ------------------------------------------------------------------------------------

tal_status tal_lowest_create(tal_lowest *lowest, const tal_grid *grid, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    tal_status status = TAL_OK;
    *lowest = (tal_lowest){.grid = *grid};
    TAL_CREATE_OR_DONE(lowest->z, cells, "lowest points", err);
    TAL_CREATE_OR_DONE(lowest->dx, cells, "lowest points", err);
    TAL_CREATE_OR_DONE(lowest->dy, cells, "lowest points", err);
    for (size_t i = 0; i < cells; i++) {
        lowest->z[i] = NAN;
    }
done:
    if (status != TAL_OK) {
        tal_lowest_destroy(lowest);
    }
    return status;
}

void tal_lowest_destroy(tal_lowest *lowest) {
    tal_memory_destroy(lowest->z);
    tal_memory_destroy(lowest->dx);
    tal_memory_destroy(lowest->dy);
    *lowest = (tal_lowest){0};
}

void tal_lowest_add(tal_lowest *lowest, int64_t cell, double dx, double dy, double z) {
    TAL_VALIDATE(cell >= 0 && (size_t)cell < tal_grid_cell_count(&lowest->grid));
    if (lowest->z[cell] <= (float)z) {
        return;
    }
    lowest->z[cell] = (float)z;
    lowest->dx[cell] = (float)dx;
    lowest->dy[cell] = (float)dy;
}

tal_status tal_ground_create(tal_ground_limits *ground, const tal_grid *grid, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    tal_status status = TAL_OK;
    *ground = (tal_ground_limits){.grid = *grid};
    TAL_CREATE_OR_DONE(ground->height, cells, "the ground filter", err);
    TAL_CREATE_OR_DONE(ground->slope_x, cells, "the ground filter", err);
    TAL_CREATE_OR_DONE(ground->slope_y, cells, "the ground filter", err);
    TAL_CREATE_OR_DONE(ground->below, cells, "the ground filter", err);
    TAL_CREATE_OR_DONE(ground->above, cells, "the ground filter", err);
done:
    if (status != TAL_OK) {
        tal_ground_destroy(ground);
    }
    return status;
}

void tal_ground_destroy(tal_ground_limits *ground) {
    tal_memory_destroy(ground->height);
    tal_memory_destroy(ground->slope_x);
    tal_memory_destroy(ground->slope_y);
    tal_memory_destroy(ground->below);
    tal_memory_destroy(ground->above);
    *ground = (tal_ground_limits){0};
}

// ---- Robust planes -----------------------------------------------------------------------------

// Weighted plane through the lowest points around a cell; n is the sum of weights.
static tal_cell_plane fit_window(const tal_lowest *lowest, const float *weight, int32_t column,
                                 int32_t row, int radius) {
    const tal_grid *grid = &lowest->grid;
    tal_sums sums = {0};
    const int32_t top = row - radius < 0 ? 0 : row - radius;
    const int32_t bottom = row + radius >= grid->rows ? grid->rows - 1 : row + radius;
    const int32_t left = column - radius < 0 ? 0 : column - radius;
    const int32_t right = column + radius >= grid->columns ? grid->columns - 1 : column + radius;
    const double reach = (radius + 0.5) * (radius + 0.5);
    for (int32_t r = top; r <= bottom; r++) {
        for (int32_t c = left; c <= right; c++) {
            const size_t i = (size_t)r * (size_t)grid->columns + (size_t)c;
            const double distance =
                (double)(r - row) * (r - row) + (double)(c - column) * (c - column);
            if (!(weight[i] > 0.0F) || distance > reach) {
                continue;
            }
            // Near points count more: a window of one slope bends less of the terrain away.
            const double near = 1.0 - 0.9 * distance / reach;
            const double w = (double)weight[i] * near;
            const double x = (c - column) * grid->cell + (double)lowest->dx[i];
            const double y = (row - r) * grid->cell + (double)lowest->dy[i];
            const double z = (double)lowest->z[i];
            sums.n += w;
            sums.x += w * x;
            sums.y += w * y;
            sums.z += w * z;
            sums.xx += w * x * x;
            sums.xy += w * x * y;
            sums.yy += w * y * y;
            sums.xz += w * x * z;
            sums.yz += w * y * z;
        }
    }
    return sums.n > 0.0 ? tal_sums_plane(&sums) : (tal_cell_plane){.height = NAN};
}

// Two windows side by side, `stride` columns apart and both inside the grid, in one vector register.
// Per window the terms and their order are those of fit_window, so the planes are the same to the
// last bit: cells without weight add nothing.
enum { LANES = 2 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

typedef struct {
    lanes n, x, y, z, xx, xy, yy, xz, yz;
} lane_sums;

// The cells of a window that lies inside the grid, row by row.
typedef struct {
    int count, radius;
    int64_t offset[(2 * WINDOW_MAX + 1) * (2 * WINDOW_MAX + 1)]; // of the cell from the middle one
    double near[(2 * WINDOW_MAX + 1) * (2 * WINDOW_MAX + 1)];
    double x[(2 * WINDOW_MAX + 1) * (2 * WINDOW_MAX + 1)];
    double y[(2 * WINDOW_MAX + 1) * (2 * WINDOW_MAX + 1)];
} window_cells;

static void list_window(window_cells *list, const tal_grid *grid, int radius) {
    const double reach = (radius + 0.5) * (radius + 0.5);
    list->count = 0;
    list->radius = radius;
    for (int r = -radius; r <= radius; r++) {
        for (int c = -radius; c <= radius; c++) {
            const double distance = (double)r * r + (double)c * c;
            if (distance <= reach) {
                list->offset[list->count] = (int64_t)r * grid->columns + c;
                list->near[list->count] = 1.0 - 0.9 * distance / reach;
                list->x[list->count] = c * grid->cell;
                list->y[list->count++] = -r * grid->cell;
            }
        }
    }
}

static lane_sums sum_lanes(const tal_lowest *lowest, const float *weight, const window_cells *list,
                           int64_t middle, int stride) {
    const float *dx = lowest->dx, *dy = lowest->dy, *lowest_z = lowest->z;
    lane_sums s = {0};
    for (int k = 0; k < list->count; k++) {
        const int64_t i = middle + list->offset[k], j = i + stride;
        if (!(weight[i] > 0.0F || weight[j] > 0.0F)) {
            continue;
        }
        const lanes w = (lanes){(double)weight[i], (double)weight[j]} * list->near[k];
        const lanes x = (lanes){(double)dx[i], (double)dx[j]} + list->x[k];
        const lanes y = (lanes){(double)dy[i], (double)dy[j]} + list->y[k];
        const lanes z = {weight[i] > 0.0F ? (double)lowest_z[i] : 0.0,
                         weight[j] > 0.0F ? (double)lowest_z[j] : 0.0};
        const lanes wx = w * x, wy = w * y;
        s.n += w;
        s.x += wx;
        s.y += wy;
        s.z += w * z;
        s.xx += wx * x;
        s.xy += wx * y;
        s.yy += wy * y;
        s.xz += wx * z;
        s.yz += wy * z;
    }
    return s;
}

static void fit_lanes(const tal_lowest *lowest, const float *weight, const window_cells *list,
                      int64_t middle, int stride, tal_cell_plane plane[LANES]) {
    const lane_sums s = sum_lanes(lowest, weight, list, middle, stride);
    for (int k = 0; k < LANES; k++) {
        const tal_sums sums = {.n = s.n[k],
                               .x = s.x[k],
                               .y = s.y[k],
                               .z = s.z[k],
                               .xx = s.xx[k],
                               .xy = s.xy[k],
                               .yy = s.yy[k],
                               .xz = s.xz[k],
                               .yz = s.yz[k]};
        plane[k] = sums.n > 0.0 ? tal_sums_plane(&sums) : (tal_cell_plane){.height = NAN};
    }
}

// The planes of up to LANES windows from `column` on.
static void fit_some(const tal_lowest *lowest, const float *weight, const window_cells *list,
                     int32_t column, int32_t row, int stride, int count,
                     tal_cell_plane plane[LANES]) {
    const tal_grid *grid = &lowest->grid;
    const int radius = list->radius;
    const bool inside = count == LANES && column >= radius && row >= radius &&
                        row + radius < grid->rows &&
                        column + (LANES - 1) * stride + radius < grid->columns;
    if (inside) {
        fit_lanes(lowest, weight, list, (int64_t)row * grid->columns + column, stride, plane);
        return;
    }
    for (int k = 0; k < count; k++) {
        plane[k] = fit_window(lowest, weight, column + k * stride, row, radius);
    }
}

static int windows_left(int32_t columns, int32_t column, int stride) {
    const int left = (columns - column + stride - 1) / stride;
    return left < LANES ? left : LANES;
}

static double normal_distance(const tal_lowest *lowest, size_t i, const tal_cell_plane *plane) {
    const double vertical = (double)lowest->z[i] - plane->height -
                            plane->slope_x * (double)lowest->dx[i] -
                            plane->slope_y * (double)lowest->dy[i];
    return vertical / sqrt(1.0 + plane->slope_x * plane->slope_x + plane->slope_y * plane->slope_y);
}

// Full trust on and below the plane, falling quickly above it: docs/theory/ingest.md (3).
static float trust(double distance, double half_trust) {
    if (distance <= 0.0) {
        return 1.0F;
    }
    const double t = distance / half_trust;
    const double t4 = t * t * t * t;
    return t4 > 999.0 ? 0.0F : (float)(1.0 / (1.0 + t4));
}

static int radius_cells(const filter_level *level, double cell) {
    const int radius = (int)lround(level->radius_m / cell);
    return radius < 2 ? 2 : radius > WINDOW_MAX ? WINDOW_MAX : radius;
}

// The cells of one block against the plane at its middle.
static void judge_block(const tal_lowest *lowest, int32_t first_column, int32_t first_row,
                        int stride, tal_cell_plane plane, double half_trust, float *distance,
                        float *new_weight) {
    const tal_grid *grid = &lowest->grid;
    const int32_t column = first_column + stride / 2, row = first_row + stride / 2;
    for (int32_t r = first_row; r < first_row + stride && r < grid->rows; r++) {
        for (int32_t c = first_column; c < first_column + stride && c < grid->columns; c++) {
            const size_t i = (size_t)r * (size_t)grid->columns + (size_t)c;
            new_weight[i] = 0.0F;
            distance[i] = NAN;
            if (isnan(lowest->z[i])) {
                continue;
            }
            tal_cell_plane here = plane;
            here.height +=
                plane.slope_x * (c - column) * grid->cell + plane.slope_y * (row - r) * grid->cell;
            const double d = isnan(plane.height) ? 0.0 : normal_distance(lowest, i, &here);
            distance[i] = (float)d;
            new_weight[i] = trust(d, half_trust);
        }
    }
}

// One round: planes from the old weights, distances from these planes, new weights. Wide windows
// are fitted once for a few cells.
static void run_round(const tal_lowest *lowest, int radius, double half_trust, const float *weight,
                      float *distance, float *new_weight) {
    const tal_grid *grid = &lowest->grid;
    const int stride = radius >= 6 ? 3 : radius >= 4 ? 2 : 1;
    window_cells list;
    list_window(&list, grid, radius);
#pragma omp parallel for schedule(dynamic, 8)
    for (int32_t row = 0; row < grid->rows; row += stride) {
        for (int32_t column = 0; column < grid->columns; column += LANES * stride) {
            const int count = windows_left(grid->columns, column, stride);
            tal_cell_plane plane[LANES];
            fit_some(lowest, weight, &list, column + stride / 2, row + stride / 2, stride, count,
                     plane);
            for (int k = 0; k < count; k++) {
                judge_block(lowest, column + k * stride, row, stride, plane[k], half_trust,
                            distance, new_weight);
            }
        }
    }
}

// ---- Stray low points --------------------------------------------------------------------------

// True when the point lies far below all but two of its neighbours.
static bool is_lone_and_low(const float *distance, const tal_grid *grid, int32_t column,
                            int32_t row) {
    const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
    double near[49];
    size_t count = 0;
    for (int32_t r = row - 3; r <= row + 3; r++) {
        for (int32_t c = column - 3; c <= column + 3; c++) {
            if (r < 0 || c < 0 || r >= grid->rows || c >= grid->columns) {
                continue;
            }
            const float d = distance[(size_t)r * (size_t)grid->columns + (size_t)c];
            if (!isnan(d) && (r != row || c != column)) {
                near[count++] = (double)d;
            }
        }
    }
    return count < 4 || (double)distance[i] < tal_select(near, count, 2) - low_gap_m;
}

static void drop_strays(tal_lowest *lowest, const float *distance, uint8_t *stray) {
    const tal_grid *grid = &lowest->grid;
    const size_t cells = tal_grid_cell_count(grid);
#pragma omp parallel for schedule(dynamic, 8)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            stray[i] = !isnan(distance[i]) && distance[i] < -0.5F * (float)low_gap_m &&
                       is_lone_and_low(distance, grid, column, row);
        }
    }
    for (size_t i = 0; i < cells; i++) {
        if (stray[i]) {
            lowest->z[i] = NAN;
        }
    }
}

// ---- The reference -----------------------------------------------------------------------------

static void set_cell(tal_ground_limits *ground, size_t i, const tal_cell_plane *plane) {
    const double steepness =
        sqrt(1.0 + plane->slope_x * plane->slope_x + plane->slope_y * plane->slope_y);
    ground->height[i] = (float)plane->height;
    ground->slope_x[i] = (float)plane->slope_x;
    ground->slope_y[i] = (float)plane->slope_y;
    ground->below[i] = (float)(accept_below_m * steepness);
    ground->above[i] = (float)(accept_above_m * steepness);
}

// Where the narrow window holds too little, wider ones are tried.
static void set_reference(tal_ground_limits *ground, const tal_lowest *lowest,
                          const float *weight) {
    const tal_grid *grid = &ground->grid;
    const int radius = radius_cells(&levels[LEVEL_COUNT - 1], grid->cell);
    window_cells list;
    list_window(&list, grid, radius);
#pragma omp parallel for schedule(dynamic, 8)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column += LANES) {
            const int count = windows_left(grid->columns, column, 1);
            tal_cell_plane plane[LANES];
            fit_some(lowest, weight, &list, column, row, 1, count, plane);
            for (int k = 0; k < count; k++) {
                for (int r = radius + 2; r <= WINDOW_MAX && !(plane[k].n >= 3.0); r += 2) {
                    plane[k] = fit_window(lowest, weight, column + k, row, r);
                }
                set_cell(ground, (size_t)row * (size_t)grid->columns + (size_t)(column + k),
                         &plane[k]);
            }
        }
    }
}

static tal_status filter(tal_ground_limits *ground, tal_lowest *lowest, float *weight,
                         float *new_weight, float *distance, uint8_t *stray) {
    const size_t cells = tal_grid_cell_count(&lowest->grid);
    for (size_t i = 0; i < cells; i++) {
        weight[i] = isnan(lowest->z[i]) ? 0.0F : 1.0F;
    }
    for (int k = 0; k < LEVEL_COUNT; k++) {
        const int radius = radius_cells(&levels[k], lowest->grid.cell);
        for (int round = 0; round < levels[k].rounds; round++) {
            run_round(lowest, radius, levels[k].half_trust_m, weight, distance, new_weight);
            if (round == 0) {
                drop_strays(lowest, distance, stray);
                for (size_t i = 0; i < cells; i++) {
                    new_weight[i] = stray[i] ? 0.0F : new_weight[i];
                }
            }
            memcpy(weight, new_weight, cells * sizeof *weight);
        }
    }
    set_reference(ground, lowest, weight);
    return TAL_OK;
}

tal_status tal_ground_from_lowest(tal_ground_limits *ground, const tal_lowest *lowest,
                                  tal_error *err) {
    const size_t cells = tal_grid_cell_count(&lowest->grid);
    TAL_ASSERT(tal_grid_equal(&ground->grid, &lowest->grid));
    float *weight = NULL, *new_weight = NULL, *distance = NULL;
    uint8_t *stray = NULL;
    tal_lowest own = {0};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_lowest_create(&own, &lowest->grid, err));
    memcpy(own.z, lowest->z, cells * sizeof *own.z);
    memcpy(own.dx, lowest->dx, cells * sizeof *own.dx);
    memcpy(own.dy, lowest->dy, cells * sizeof *own.dy);
    TAL_CREATE_OR_DONE(weight, cells, "the ground filter", err);
    TAL_CREATE_OR_DONE(new_weight, cells, "the ground filter", err);
    TAL_CREATE_OR_DONE(distance, cells, "the ground filter", err);
    TAL_CREATE_OR_DONE(stray, cells, "the ground filter", err);
    status = filter(ground, &own, weight, new_weight, distance, stray);
done:
    tal_lowest_destroy(&own);
    tal_memory_destroy(weight);
    tal_memory_destroy(new_weight);
    tal_memory_destroy(distance);
    tal_memory_destroy(stray);
    return status;
}

// ---- Refinement --------------------------------------------------------------------------------

// Median deviation by slope class, over windows with points enough.
static tal_status pool_deviations(const tal_bins *bins, double pooled[9], tal_error *err) {
    const tal_grid *grid = &bins->grid;
    const size_t cells = tal_grid_cell_count(grid);
    double *values = NULL;
    uint8_t *slope_class = NULL;
    float *deviation = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(values, cells, "deviations", err);
    TAL_CREATE_OR_DONE(slope_class, cells, "deviations", err);
    TAL_CREATE_OR_DONE(deviation, cells, "deviations", err);
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            const tal_sums window = tal_bins_window(bins, column, row, 1);
            const tal_cell_plane plane = tal_sums_plane(&window);
            const double steep = tal_degrees(atan(hypot(plane.slope_x, plane.slope_y)));
            slope_class[i] = (uint8_t)fmin(steep / 10.0, 8.0);
            deviation[i] = (float)plane.deviation;
        }
    }
    for (int k = 0; k < 9; k++) {
        size_t count = 0;
        for (size_t i = 0; i < cells; i++) {
            if (slope_class[i] == k && !isnan(deviation[i])) {
                values[count++] = (double)deviation[i];
            }
        }
        pooled[k] = count >= 20 ? tal_median(values, count) : k > 0 ? pooled[k - 1] : 0.1;
    }
done:
    tal_memory_destroy(values);
    tal_memory_destroy(slope_class);
    tal_memory_destroy(deviation);
    return status;
}

tal_status tal_ground_refine(tal_ground_limits *ground, const tal_bins *bins, double deviations,
                             tal_error *err) {
    const tal_grid *grid = &ground->grid;
    double pooled[9];
    TAL_ASSERT(tal_grid_equal(grid, &bins->grid) && deviations > 0.0);
    TAL_TRY(pool_deviations(bins, pooled, err));
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            const tal_sums window = tal_bins_window(bins, column, row, 1);
            const tal_cell_plane plane = tal_sums_plane(&window);
            if (plane.n < 6.0) {
                continue; // the reference stays
            }
            const double steep = tal_degrees(atan(hypot(plane.slope_x, plane.slope_y)));
            const double usual = pooled[(int)fmin(steep / 10.0, 8.0)];
            // Rough cells may scatter more than is usual for their slope, but not without end.
            const double scatter = fmin(fmax(plane.deviation, usual), 2.5 * usual);
            ground->height[i] = (float)plane.height;
            ground->slope_x[i] = (float)plane.slope_x;
            ground->slope_y[i] = (float)plane.slope_y;
            ground->below[i] = ground->above[i] = (float)(deviations * scatter);
        }
    }
    return TAL_OK;
}

// ---- Noise only --------------------------------------------------------------------------------

typedef struct {
    double low[8], high[8], range[8];
    size_t count;
} neighbours;

static void look_around(const tal_lowest *lowest, const tal_lowest *highest, int32_t column,
                        int32_t row, neighbours *n) {
    const tal_grid *grid = &lowest->grid;
    n->count = 0;
    for (int32_t r = row - 1; r <= row + 1; r++) {
        for (int32_t c = column - 1; c <= column + 1; c++) {
            if (r < 0 || c < 0 || r >= grid->rows || c >= grid->columns ||
                (r == row && c == column)) {
                continue;
            }
            const size_t i = (size_t)r * (size_t)grid->columns + (size_t)c;
            if (!isnan(lowest->z[i])) {
                n->low[n->count] = (double)lowest->z[i];
                n->high[n->count] = -(double)highest->z[i];
                n->range[n->count] = n->high[n->count] - n->low[n->count];
                n->count++;
            }
        }
    }
}

// Of sign times the values.
static double second_lowest(const double *values, size_t count, double sign) {
    double first = INFINITY, second = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double value = sign * values[i];
        if (value < first) {
            second = first;
            first = value;
        } else if (value < second) {
            second = value;
        }
    }
    return second;
}

// The second lowest and second highest of the neighbours: one of them may be noise itself, and on
// both sides of an edge there are at least two.
static void set_span(tal_ground_limits *ground, size_t i, neighbours *n, double deviations,
                     double own_low, double own_high) {
    if (n->count < 4) { // too little to judge by
        ground->height[i] = (float)(0.5 * (own_low + own_high));
        ground->below[i] = ground->above[i] = (float)(0.5 * (own_high - own_low) + 1e-3);
        return;
    }
    double low = second_lowest(n->low, n->count, 1.0),
           high = -second_lowest(n->high, n->count, -1.0);
    if (own_low >= low && own_high <= high) { // the usual case: nothing sticks out
        low = own_low - 1e-3;
        high = own_high + 1e-3;
    } else { // a range holds about three deviations of the few points of a cell
        const double tolerance = deviations * tal_median(n->range, n->count) / 3.0 + 1e-3;
        low -= tolerance;
        high += tolerance;
    }
    ground->height[i] = (float)(0.5 * (low + high));
    ground->below[i] = ground->above[i] = (float)(0.5 * (high - low));
}

tal_status tal_ground_from_span(tal_ground_limits *ground, const tal_lowest *lowest,
                                const tal_lowest *highest_negated, double deviations,
                                tal_error *err) {
    (void)err;
    const tal_grid *grid = &ground->grid;
    TAL_ASSERT(tal_grid_equal(grid, &lowest->grid));
    TAL_ASSERT(tal_grid_equal(grid, &highest_negated->grid));
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            neighbours n;
            look_around(lowest, highest_negated, column, row, &n);
            ground->slope_x[i] = ground->slope_y[i] = 0.0F;
            set_span(ground, i, &n, deviations, (double)lowest->z[i],
                     -(double)highest_negated->z[i]);
        }
    }
    return TAL_OK;
}
