// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of points and the planes through them.
#include "ingest/ground/bins.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

tal_status tal_bins_create(tal_bins *bins, const tal_grid *grid, tal_error *err) {
    *bins = (tal_bins){.grid = *grid};
    TAL_CREATE(bins->sums, tal_grid_cell_count(grid), "the cells of the grid", err);
    return TAL_OK;
}

void tal_bins_reset(tal_bins *bins) {
    memset(bins->sums, 0, tal_grid_cell_count(&bins->grid) * sizeof *bins->sums);
}

void tal_bins_destroy(tal_bins *bins) {
    tal_memory_destroy(bins->sums);
    *bins = (tal_bins){0};
}

void tal_sums_add(tal_sums *sums, const tal_sums *other, double dx, double dy) {
    const double n = other->n;
    sums->n += n;
    sums->x += other->x + n * dx;
    sums->y += other->y + n * dy;
    sums->z += other->z;
    sums->xx += other->xx + 2.0 * dx * other->x + n * dx * dx;
    sums->xy += other->xy + dx * other->y + dy * other->x + n * dx * dy;
    sums->yy += other->yy + 2.0 * dy * other->y + n * dy * dy;
    sums->xz += other->xz + dx * other->z;
    sums->yz += other->yz + dy * other->z;
    sums->zz += other->zz;
}

// Central second moments, times n.
typedef struct {
    double xx, xy, yy, xz, yz, zz;
} moments;

static moments central(const tal_sums *s) {
    const double mx = s->x / s->n, my = s->y / s->n, mz = s->z / s->n;
    return (moments){.xx = s->xx - s->x * mx,
                     .xy = s->xy - s->x * my,
                     .yy = s->yy - s->y * my,
                     .xz = s->xz - s->x * mz,
                     .yz = s->yz - s->y * mz,
                     .zz = s->zz - s->z * mz};
}

static double residual_squares(const moments *m, double a, double b) {
    return fmax(0.0, m->zz - 2.0 * (a * m->xz + b * m->yz) + a * a * m->xx + 2.0 * a * b * m->xy +
                         b * b * m->yy);
}

tal_cell_plane tal_sums_plane(const tal_sums *sums) {
    tal_cell_plane plane = {.height = NAN, .deviation = NAN, .n = sums->n};
    if (sums->n < 1.0) {
        return plane;
    }
    const moments m = central(sums);
    const double determinant = m.xx * m.yy - m.xy * m.xy;
    // Points on a line, or too few of them, say nothing of the slope across it.
    if (sums->n >= 3.0 && determinant > 1e-3 * (m.xx + m.yy) * (m.xx + m.yy)) {
        plane.slope_x = (m.xz * m.yy - m.yz * m.xy) / determinant;
        plane.slope_y = (m.yz * m.xx - m.xz * m.xy) / determinant;
    }
    plane.height = (sums->z - plane.slope_x * sums->x - plane.slope_y * sums->y) / sums->n;
    if (sums->n >= 4.0) {
        plane.deviation =
            sqrt(residual_squares(&m, plane.slope_x, plane.slope_y) / (sums->n - 3.0));
    }
    return plane;
}

tal_sums tal_bins_window(const tal_bins *bins, int32_t column, int32_t row, int radius) {
    TAL_ASSERT(column >= 0 && column < bins->grid.columns && row >= 0 && row < bins->grid.rows);
    tal_sums sums = {0};
    const tal_grid *grid = &bins->grid;
    for (int32_t r = row - radius; r <= row + radius; r++) {
        for (int32_t c = column - radius; c <= column + radius; c++) {
            if (r < 0 || c < 0 || r >= grid->rows || c >= grid->columns) {
                continue;
            }
            tal_sums_add(&sums, &bins->sums[(size_t)r * (size_t)grid->columns + (size_t)c],
                         (c - column) * grid->cell, (row - r) * grid->cell);
        }
    }
    return sums;
}

double tal_sums_deviation(const tal_sums *sums, double slope_x, double slope_y) {
    if (sums->n < 4.0) {
        return NAN;
    }
    const moments m = central(sums);
    return sqrt(residual_squares(&m, slope_x, slope_y) / (sums->n - 1.0));
}
