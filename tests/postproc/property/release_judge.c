// SPDX-License-Identifier: GPL-3.0-or-later
// A judge of the maps of a release with code of its own: it follows each stored trajectory in tiny steps,
// keeps what every rock has in every cell, and compares with the rasters that talus-post wrote.
#include "core/geo/netcdf_file.h"
#include "core/geo/raster_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 300, QUANTITIES = 3 };

static tal_error error;

static void must(tal_status status) {
    if (status != TAL_OK) {
        fprintf(stderr, "judge: %s\n", error.text);
        exit(2);
    }
}

typedef struct {
    size_t rocks, samples;
    int32_t *count, *end;
    double *mass, *time, *x, *y, *z, *v, *drop, *ground, *rotation;
} trajectories;

static double *numbers(tal_netcdf *file, const char *name, size_t count) {
    double *values = calloc(count, sizeof *values);
    must(tal_netcdf_get_doubles(file, name, values, count, &error));
    return values;
}

static trajectories read_all(const char *folder) {
    static tal_netcdf file;
    trajectories t = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/rocks.nc", folder);
    must(tal_netcdf_open(&file, path, &error));
    must(tal_netcdf_get_length(&file, "rock", &t.rocks, &error));
    must(tal_netcdf_get_length(&file, "sample", &t.samples, &error));
    t.count = calloc(t.rocks, sizeof *t.count);
    t.end = calloc(t.rocks, sizeof *t.end);
    must(tal_netcdf_get_ints(&file, "sample_count", t.count, t.rocks, &error));
    must(tal_netcdf_get_ints(&file, "end", t.end, t.rocks, &error));
    t.mass = numbers(&file, "mass", t.rocks);
    t.time = numbers(&file, "time", t.samples);
    t.x = numbers(&file, "x", t.samples);
    t.y = numbers(&file, "y", t.samples);
    t.z = numbers(&file, "z", t.samples);
    t.v = numbers(&file, "velocity", 3 * t.samples);
    t.drop = numbers(&file, "drop", t.samples);
    t.ground = numbers(&file, "ground", t.samples);
    t.rotation = numbers(&file, "rotation_energy", t.samples);
    tal_netcdf_close(&file);
    return t;
}

static void free_all(const trajectories *t) {
    free(t->count);
    free(t->end);
    double *const numbers[] = {t->mass, t->time, t->x,      t->y,       t->z,
                               t->v,    t->drop, t->ground, t->rotation};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        free(numbers[k]);
    }
}

static tal_raster raster(const char *folder, const char *name) {
    tal_raster r;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.tif", folder, name);
    must(tal_raster_read(&r, path, &error));
    return r;
}

// Position by the two ends and their velocities, as Newton's divided differences.
static double position(double p, double q, double u, double v, double span, double t) {
    const double slope = (q - p) / span, bend = (slope - u) / span;
    const double twist = (v - 2 * slope + u) / (span * span);
    const double s = t * span;
    return p + s * u + s * s * bend + s * s * (s - span) * twist;
}

// Greatest value of each rock in each cell: rocks x cells, -1 where it was not.
typedef struct {
    size_t cells;
    float *most[QUANTITIES];
    float *first;
} table;

// Maps follow ways by straight pieces on which the velocity changes by at most 0.5 m/s: what bends over the rim of
// a cell and back between two samples by less than the bow of such a piece, 0.5 span / 8, they do not see.
static bool is_graze(double at, double from, double to, double cell, double span) {
    const double depth = 0.5 * span / 8, number = floor(at / cell), inside = at - number * cell;
    return number != floor(from / cell) && number != floor(to / cell) &&
           (inside < depth || inside > cell - depth);
}

static void follow(const trajectories *t, size_t rock, size_t first, const tal_grid *g,
                   table *out) {
    for (int32_t k = 0; k + 1 < t->count[rock]; k++) {
        const size_t a = first + (size_t)k, b = a + 1;
        const double span = t->time[b] - t->time[a];
        if (!(span > 0)) {
            continue; // before and after it met a stem or a barrier, at the same moment
        }
        for (int i = 0; i <= STEPS; i++) {
            const double s = (double)i / STEPS;
            double square = 0;
            for (size_t d = 0; d < 3; d++) {
                const double v = (1 - s) * t->v[3 * a + d] + s * t->v[3 * b + d];
                square += v * v;
            }
            const double x = position(t->x[a], t->x[b], t->v[3 * a], t->v[3 * b], span, s);
            const double y = position(t->y[a], t->y[b], t->v[3 * a + 1], t->v[3 * b + 1], span, s);
            const double z = position(t->z[a], t->z[b], t->v[3 * a + 2], t->v[3 * b + 2], span, s);
            const double column = floor((x - g->west) / g->cell),
                         row = floor((g->north - y) / g->cell);
            if (is_graze(x - g->west, t->x[a] - g->west, t->x[b] - g->west, g->cell, span) ||
                is_graze(g->north - y, g->north - t->y[a], g->north - t->y[b], g->cell, span)) {
                continue;
            }
            if (column < 0 || row < 0 || column >= g->columns || row >= g->rows) {
                continue;
            }
            const double ground =
                isfinite(t->ground[b]) ? (1 - s) * t->ground[a] + s * t->ground[b] : t->ground[a];
            const double energy =
                0.5 * t->mass[rock] * square + (1 - s) * t->rotation[a] + s * t->rotation[b];
            const double value[QUANTITIES] = {
                energy / 1000, sqrt(square),
                fmax(0, z - ((1 - s) * t->drop[a] + s * t->drop[b]) - ground)};
            const size_t at = rock * out->cells + (size_t)row * (size_t)g->columns + (size_t)column;
            if (out->first[at] < 0) {
                out->first[at] = (float)(t->time[a] + s * span);
            }
            for (int q = 0; q < QUANTITIES; q++) {
                out->most[q][at] = fmaxf(out->most[q][at], (float)value[q]);
            }
        }
    }
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(double *value, size_t n, double percent) {
    qsort(value, n, sizeof *value, by_size);
    const double place = percent / 100 * (double)(n - 1);
    const size_t below = (size_t)place;
    return below + 1 < n
               ? value[below] + (place - (double)below) * (value[below + 1] - value[below])
               : value[n - 1];
}

static int wrong = 0;
static void complain(const char *what, size_t cell, double map, double judged) {
    if (wrong++ < 20) {
        printf("%s: cell %zu has %g, judged %g\n", what, cell, map, judged);
    }
}

// A cell whose corner a way cuts off between two tiny steps is seen by the maps only: such rocks have
// hardly been there, but shift a percentile. Where counts agree, values must.
static void compare_percentiles(const char *folder, const table *t, size_t rocks,
                                const tal_raster *passages) {
    static const char *const name[QUANTITIES] = {"energy", "velocity", "jump_height"};
    static const double percents[] = {50, 90, 95, 99}, tolerance[QUANTITIES] = {0.02, 0.01, 0.02};
    // On a piece of a way the velocity changes by up to 0.5 m/s, evenly with the way in the maps and with
    // time here: a quarter of that between them.
    static const double slack[QUANTITIES] = {0.02, 0.125, 0.02};
    double *value = calloc(rocks, sizeof *value);
    for (int q = 0; q < QUANTITIES; q++) {
        for (int p = 0; p < 4; p++) {
            char file[64];
            snprintf(file, sizeof file, "%s_p%g", name[q], percents[p]);
            tal_raster map = raster(folder, file);
            for (size_t cell = 0; cell < t->cells; cell++) {
                size_t n = 0;
                for (size_t k = 0; k < rocks; k++) {
                    if (t->first[k * t->cells + cell] >= 0) {
                        value[n++] = (double)t->most[q][k * t->cells + cell];
                    }
                }
                if (n == 0 || n != (size_t)passages->value[cell]) {
                    continue;
                }
                const double judged = percentile(value, n, percents[p]);
                if (!(fabs(judged - (double)map.value[cell]) <= tolerance[q] * judged + slack[q])) {
                    complain(file, cell, (double)map.value[cell], judged);
                }
            }
            tal_raster_destroy(&map);
        }
    }
    free(value);
}

static void compare_counts(const char *folder, const table *t, const trajectories *all,
                           const tal_raster *passages) {
    tal_raster reach = raster(folder, "reach"), stops = raster(folder, "stops");
    tal_raster arrival = raster(folder, "arrival");
    const tal_grid *g = &passages->grid;
    float *judged_stops = calloc(t->cells, sizeof *judged_stops);
    size_t first = 0, seen = 0, extra = 0;
    for (size_t k = 0; k < all->rocks; k++) {
        const size_t last = first + (size_t)all->count[k] - 1;
        const double column = floor((all->x[last] - g->west) / g->cell);
        const double row = floor((g->north - all->y[last]) / g->cell);
        if (all->end[k] == 0 || all->end[k] == 2) {
            judged_stops[(size_t)row * (size_t)g->columns + (size_t)column] += 1;
        }
        first += (size_t)all->count[k];
    }
    for (size_t cell = 0; cell < t->cells; cell++) {
        double count = 0, soonest = INFINITY;
        for (size_t k = 0; k < all->rocks; k++) {
            const double time = (double)t->first[k * t->cells + cell];
            count += time >= 0;
            soonest = time >= 0 ? fmin(soonest, time) : soonest;
        }
        const double map = (double)passages->value[cell];
        seen += (size_t)count;
        extra += map > count ? (size_t)(map - count) : 0;
        if (map < count) {
            complain("passages", cell, map, count);
        }
        if (fabs((double)reach.value[cell] - map / (double)all->rocks) > 1e-6) {
            complain("reach", cell, (double)reach.value[cell], map / (double)all->rocks);
        }
        if (stops.value[cell] != judged_stops[cell]) {
            complain("stops", cell, (double)stops.value[cell], (double)judged_stops[cell]);
        }
        if (count > 0 && map == count && fabs((double)arrival.value[cell] - soonest) > 0.05) {
            complain("arrival", cell, (double)arrival.value[cell], soonest);
        }
    }
    printf("%zu rocks, %zu passages, %zu cut corners\n", all->rocks, seen, extra);
    if (seen < 1000 || extra > seen / 100) {
        printf("too few passages or too many cells that no tiny step sees\n");
        wrong++;
    }
    free(judged_stops);
    tal_raster_destroy(&reach);
    tal_raster_destroy(&stops);
    tal_raster_destroy(&arrival);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: judge FOLDER\n");
        return 2;
    }
    const trajectories all = read_all(argv[1]);
    tal_raster passages = raster(argv[1], "passages");
    table t = {.cells = (size_t)passages.grid.rows * (size_t)passages.grid.columns};
    t.first = malloc(all.rocks * t.cells * sizeof *t.first);
    for (int q = 0; q < QUANTITIES; q++) {
        t.most[q] = calloc(all.rocks * t.cells, sizeof *t.most[q]);
    }
    for (size_t k = 0; k < all.rocks * t.cells; k++) {
        t.first[k] = -1;
    }
    size_t first = 0;
    for (size_t k = 0; k < all.rocks; k++) {
        follow(&all, k, first, &passages.grid, &t);
        first += (size_t)all.count[k];
    }
    compare_counts(argv[1], &t, &all, &passages);
    compare_percentiles(argv[1], &t, all.rocks, &passages);
    printf("%d differences\n", wrong);
    free_all(&all);
    free(t.first);
    for (int q = 0; q < QUANTITIES; q++) {
        free(t.most[q]);
    }
    tal_raster_destroy(&passages);
    return wrong > 0;
}
