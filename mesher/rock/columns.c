// SPDX-License-Identifier: GPL-3.0-or-later
// Columns through a cell.
#include "mesher/rock/columns.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

void tal_columns_set_spacing(tal_columns *columns, double spacing_wish) {
    const double cell = columns->rock->cell;
    // Odd divisors and multiples keep the centres of grid cells among the columns.
    if (spacing_wish < cell) {
        const int divisor = (int)fmin(ceil(cell / spacing_wish), 1001) | 1;
        columns->spacing = cell / divisor;
    } else {
        int multiple = (int)fmin(floor(spacing_wish / cell), 1001);
        multiple = multiple % 2 == 0 ? multiple - 1 : multiple;
        columns->spacing = cell * multiple;
    }
}

void tal_columns_destroy(tal_columns *columns) {
    tal_memory_destroy(columns->column);
    columns->column = NULL;
    columns->count = columns->capacity = 0;
}

static tal_status reserve(tal_columns *columns, int64_t wanted, tal_error *err) {
    if (wanted <= columns->capacity) {
        return TAL_OK;
    }
    const int64_t target = wanted + wanted / 2 + 64;
    if (target > INT32_MAX / 2) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "a cell of the partition spans more than 1e9 columns");
    }
    TAL_GROW(columns->column, (size_t)columns->capacity, (size_t)target, "columns of a block", err);
    columns->capacity = (int32_t)target;
    return TAL_OK;
}

static void add_column(tal_columns *columns, const tal_halfspace *planes, int32_t plane_count,
                       double x, double y) {
    tal_column c = {.x = x, .y = y};
    if (!tal_halfspaces_column(planes, plane_count, x, y, &c.low, &c.high)) {
        return;
    }
    const tal_rock_sample sample = tal_rock_at(columns->rock, x, y);
    c.bed = sample.bed;
    c.top = sample.bed + sample.thickness;
    c.ground = sample.ground;
    if (isnan(c.bed)) {
        c.bed = c.top = c.ground = -INFINITY; // no ground here: nothing forbids the cell, no rock
    }
    TAL_ASSERT(columns->count < columns->capacity && c.low < c.high && c.bed <= c.top);
    columns->column[columns->count++] = c;
}

tal_status tal_columns_fill(tal_columns *columns, const tal_polyhedron *cell, tal_error *err) {
    tal_halfspace planes[TAL_POLYHEDRON_FACES];
    tal_vec3 low, high;
    tal_polyhedron_planes(cell, planes);
    tal_polyhedron_bounds(cell, &low, &high);
    const double h = columns->spacing;
    const double x0 = columns->rock->west - columns->rock->cell / 2 + h / 2;
    const double y0 = columns->rock->south - columns->rock->cell / 2 + h / 2;
    const double i0 = ceil((low.x - x0) / h), i1 = floor((high.x - x0) / h);
    const double j0 = ceil((low.y - y0) / h), j1 = floor((high.y - y0) / h);
    columns->count = 0;
    if (i1 < i0 || j1 < j0) {
        return TAL_OK;
    }
    const double wanted = (i1 - i0 + 1) * (j1 - j0 + 1);
    TAL_TRY(reserve(columns, wanted < 1e9 ? (int64_t)wanted : INT32_MAX, err));
    for (double j = j0; j <= j1; j++) {
        for (double i = i0; i <= i1; i++) {
            add_column(columns, planes, cell->face_count, x0 + i * h, y0 + j * h);
        }
    }
    return TAL_OK;
}

static double rock_between(const tal_column *c, double low, double high) {
    return tal_greater(0, tal_lesser(high, c->top) - tal_greater(low, c->bed));
}

double tal_columns_rock(const tal_columns *columns) {
    double sum = 0;
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        sum += rock_between(c, c->low, c->high);
    }
    return sum * columns->spacing * columns->spacing;
}

// The inside of the plane on a column: false when none of it is.
static bool cut_column(const tal_column *c, tal_halfspace plane, double *low, double *high) {
    const double rest = plane.offset - plane.normal.x * c->x - plane.normal.y * c->y;
    *low = c->low;
    *high = c->high;
    if (plane.normal.z > 1e-9) {
        *high = tal_lesser(*high, rest / plane.normal.z);
    } else if (plane.normal.z < -1e-9) {
        *low = tal_greater(*low, rest / plane.normal.z);
    } else if (rest < 0) {
        return false;
    }
    return *low < *high;
}

double tal_columns_lost(const tal_columns *columns, tal_halfspace plane) {
    double kept = 0;
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        double low, high;
        if (cut_column(c, plane, &low, &high)) {
            kept += rock_between(c, low, high);
        }
    }
    return tal_columns_rock(columns) - kept * columns->spacing * columns->spacing;
}

void tal_columns_cut(tal_columns *columns, tal_halfspace plane) {
    int32_t kept = 0;
    for (int32_t k = 0; k < columns->count; k++) {
        tal_column c = columns->column[k];
        double low, high;
        if (cut_column(&c, plane, &low, &high)) {
            c.low = low;
            c.high = high;
            columns->column[kept++] = c;
        }
    }
    columns->count = kept;
}

// ---- Score of a direction --------------------------------------------------------------

static const double weight_below = 2;

// Sums of events per bin: with them the score at every edge of a bin is exact.
enum { BINS = 96 };
typedef struct {
    double first, width, per_key; // per_key = 1 / width
    double slope[BINS + 1], slope_key[BINS + 1], jump[BINS + 1];
} histogram;

static int bin_of(const histogram *bins, double key) {
    const double b = (key - bins->first) * bins->per_key;
    if (!(b > 0)) {
        return 0;
    }
    const int whole = b >= BINS ? BINS : (int)b;
    return whole < BINS && b > whole ? whole + 1 : whole;
}

static void add_interval(histogram *bins, double key_a, double key_b, double value) {
    const double from = tal_lesser(key_a, key_b), to = tal_greater(key_a, key_b);
    if (to - from < 1e-9 * bins->width) {
        bins->jump[bin_of(bins, to)] += value;
        return;
    }
    const double slope = value / (to - from);
    const int start = bin_of(bins, from), end = bin_of(bins, to);
    bins->slope[start] += slope;
    bins->slope_key[start] += slope * from;
    bins->slope[end] -= slope;
    bins->slope_key[end] -= slope * to;
}

// docs/theory/mesher.md (6).
static void add_column_events(histogram *bins, const tal_column *c, tal_vec3 n, double air_weight) {
    const double base = n.x * c->x + n.y * c->y;
    const double bed = tal_lesser(tal_greater(c->bed, c->low), c->high);
    const double top = tal_lesser(tal_greater(c->top, bed), c->high);
    if (bed > c->low) {
        add_interval(bins, base + n.z * c->low, base + n.z * bed, -weight_below * (bed - c->low));
    }
    if (top > bed) {
        add_interval(bins, base + n.z * bed, base + n.z * top, top - bed);
    }
    if (c->high > top) {
        add_interval(bins, base + n.z * top, base + n.z * c->high, -air_weight * (c->high - top));
    }
}

static double best_of(const tal_columns *columns, tal_vec3 n, double first, double last,
                      double *offset) {
    histogram bins;
    memset(&bins, 0, sizeof bins);
    bins.first = first;
    bins.width = (last - first) / BINS;
    bins.per_key = 1 / bins.width;
    for (int32_t k = 0; k < columns->count; k++) {
        add_column_events(&bins, &columns->column[k], n, columns->air_weight);
    }
    double best = -INFINITY, slope = 0, slope_key = 0, jump = 0;
    for (int b = 0; b <= BINS; b++) {
        slope += bins.slope[b];
        slope_key += bins.slope_key[b];
        jump += bins.jump[b];
        const double edge = bins.first + b * bins.width;
        const double score = slope * edge - slope_key + jump;
        if (score > best) {
            best = score;
            *offset = edge;
        }
    }
    return best;
}

double tal_columns_score(const tal_columns *columns, tal_vec3 normal, double *offset) {
    double first = INFINITY, last = -INFINITY;
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        const double base = normal.x * c->x + normal.y * c->y;
        first = tal_lesser(first, tal_lesser(base + normal.z * c->low, base + normal.z * c->high));
        last = tal_greater(last, tal_greater(base + normal.z * c->low, base + normal.z * c->high));
    }
    *offset = last;
    if (!(last > first)) {
        return -INFINITY;
    }
    const double range = last - first;
    return best_of(columns, normal, first - 0.01 * range, last + 0.01 * range, offset);
}

double tal_columns_score_uncut(const tal_columns *columns) {
    double sum = 0;
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        const double bed = tal_lesser(tal_greater(c->bed, c->low), c->high);
        const double top = tal_lesser(tal_greater(c->top, bed), c->high);
        sum += (top - bed) - columns->air_weight * (c->high - top) - weight_below * (bed - c->low);
    }
    return sum;
}

// ---- Least squares ---------------------------------------------------------------------

void tal_plane_fit_add(tal_plane_fit *fit, double x, double y, double z) {
    fit->w += 1;
    fit->x += x;
    fit->y += y;
    fit->z += z;
    fit->xx += x * x;
    fit->xy += x * y;
    fit->yy += y * y;
    fit->xz += x * z;
    fit->yz += y * z;
}

bool tal_plane_fit_slopes(const tal_plane_fit *fit, double *slope_x, double *slope_y) {
    if (fit->w < 3) {
        return false;
    }
    const double mx = fit->x / fit->w, my = fit->y / fit->w, mz = fit->z / fit->w;
    const double xx = fit->xx / fit->w - mx * mx, yy = fit->yy / fit->w - my * my;
    const double xy = fit->xy / fit->w - mx * my;
    const double xz = fit->xz / fit->w - mx * mz, yz = fit->yz / fit->w - my * mz;
    const double determinant = xx * yy - xy * xy;
    if (!(determinant > 1e-6 * (xx + yy) * (xx + yy))) {
        return false;
    }
    *slope_x = (xz * yy - yz * xy) / determinant;
    *slope_y = (yz * xx - xz * xy) / determinant;
    return isfinite(*slope_x) && isfinite(*slope_y);
}
