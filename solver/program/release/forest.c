// SPDX-License-Identifier: GPL-3.0-or-later
// Stems: drawn tile by tile from the seed, so that those of one place do not depend on the size of the
// site, or read from a file.
#include "solver/program/release/obstacle.h"

#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/geo/raster_file.h"
#include "core/geo/release_places.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TILE_STEMS_MAX = 1 << 16 };
static const double TILE_M = 10.0, CELL_M = 5.0;

double tal_stem_energy(double diameter_cm, double strength) {
    return strength * 38.7 * pow(diameter_cm, 2.31);
}

typedef struct {
    tal_stems *stems;
    const tal_settings *settings;
    const tal_solve_scene *scene;
    const tal_ground *ground;
    int32_t room;
    tal_release_draws draws;
    bool is_raster;
    tal_raster density, mean, deviation;
    bool has_mean, has_deviation;
    tal_features area;
    double density_max; // per m2
    tal_random random;
} maker;

static tal_status add_stem(maker *m, double x, double y, double diameter_cm, tal_error *err) {
    tal_stems *s = m->stems;
    if (s->count == m->room) {
        const int32_t room = 2 * m->room + 1024;
        TAL_GROW(s->x, (size_t)m->room, (size_t)room, "stems", err);
        TAL_GROW(s->y, (size_t)m->room, (size_t)room, "stems", err);
        TAL_GROW(s->radius, (size_t)m->room, (size_t)room, "stems", err);
        TAL_GROW(s->energy, (size_t)m->room, (size_t)room, "stems", err);
        m->room = room;
    }
    s->x[s->count] = x;
    s->y[s->count] = y;
    s->radius[s->count] = 0.005 * diameter_cm;
    s->energy[s->count] = tal_stem_energy(diameter_cm, m->settings->forest.strength);
    s->radius_max = fmax(s->radius_max, s->radius[s->count]);
    s->count++;
    return TAL_OK;
}

static double value_at(const maker *m, const tal_raster *raster, double x, double y) {
    const int64_t cell =
        tal_grid_index(&raster->grid, x + m->scene->origin_m[0], y + m->scene->origin_m[1]);
    return cell >= 0 ? (double)raster->value[cell] : NAN;
}

// Stems per m2.
static double density_at(const maker *m, double x, double y) {
    if (m->is_raster) {
        const double per_ha = value_at(m, &m->density, x, y);
        return per_ha > 0.0 ? per_ha / 1e4 : 0.0;
    }
    const bool inside = m->area.part_count == 0 || tal_features_hold(&m->area, x, y);
    return inside ? m->density_max : 0.0;
}

static double diameter_at(const maker *m, double x, double y, uint64_t draw) {
    if (!m->has_mean) {
        return tal_distribution_draw(&m->draws.diameter, m->random, draw);
    }
    const double deviation = m->has_deviation ? value_at(m, &m->deviation, x, y) : 0.0;
    const double mean = value_at(m, &m->mean, x, y);
    const double drawn =
        mean + (deviation > 0.0 ? deviation : 0.0) * tal_random_normal(m->random, draw);
    return mean > 0.0 ? fmax(1.0, drawn) : NAN;
}

// A number of mean `mean`: exponential waits are counted.
static uint64_t draw_count(tal_random random, uint64_t first, double mean) {
    double waited = tal_random_exponential(random, first);
    uint64_t count = 0;
    while (waited < mean && count < TILE_STEMS_MAX) {
        count++;
        waited += tal_random_exponential(random, first + count);
    }
    return count;
}

static tal_status fill_tile(maker *m, int64_t column, int64_t row, tal_error *err) {
    const uint64_t tile = ((uint64_t)(column + (1 << 20)) << 21 | (uint64_t)(row + (1 << 20)))
                          << 20;
    const uint64_t first = tile + TILE_STEMS_MAX + 1;
    const uint64_t count = draw_count(m->random, tile, m->density_max * TILE_M * TILE_M);
    for (uint64_t k = 0; k < count; k++) {
        const double x = ((double)column + tal_random_uniform(m->random, first + 4 * k)) * TILE_M;
        const double y = ((double)row + tal_random_uniform(m->random, first + 4 * k + 1)) * TILE_M;
        const double keep = tal_random_uniform(m->random, first + 4 * k + 2);
        if (keep * m->density_max >= density_at(m, x, y) ||
            isnan(tal_ground_height(m->ground, x, y))) {
            continue;
        }
        const double diameter = diameter_at(m, x, y, first + 4 * k + 3);
        if (isfinite(diameter)) {
            TAL_TRY(add_stem(m, x, y, diameter, err));
        }
    }
    return TAL_OK;
}

static tal_status draw_stems(maker *m, tal_error *err) {
    const double *low = m->scene->low_m, *high = m->scene->high_m;
    const int64_t west = (int64_t)floor(low[0] / TILE_M), east = (int64_t)floor(high[0] / TILE_M);
    const int64_t south = (int64_t)floor(low[1] / TILE_M), north = (int64_t)floor(high[1] / TILE_M);
    for (int64_t row = south; row <= north; row++) {
        for (int64_t column = west; column <= east; column++) {
            TAL_TRY(fill_tile(m, column, row, err));
        }
    }
    return TAL_OK;
}

static tal_status read_rasters(maker *m, tal_error *err) {
    const tal_forest_settings *f = &m->settings->forest;
    char path[TAL_PATH_SIZE];
    const char *files = f->area;
    if (m->is_raster) {
        tal_settings_next_file(m->settings, &files, path);
        TAL_TRY(tal_raster_read(&m->density, path, err));
        for (size_t i = 0; i < tal_grid_cell_count(&m->density.grid); i++) {
            m->density_max = fmax(m->density_max, (double)m->density.value[i] / 1e4);
        }
    }
    files = f->diameters;
    m->has_mean = tal_settings_next_file(m->settings, &files, path);
    if (m->has_mean) {
        TAL_TRY(tal_raster_read(&m->mean, path, err));
        m->has_deviation = tal_settings_next_file(m->settings, &files, path);
    }
    return m->has_deviation ? tal_raster_read(&m->deviation, path, err) : TAL_OK;
}

static tal_status prepare(maker *m, tal_error *err) {
    const tal_forest_settings *f = &m->settings->forest;
    const tal_features_frame frame = {
        m->scene->crs, {m->scene->origin_m[0], m->scene->origin_m[1], m->scene->origin_m[2]}};
    const char *where = tal_settings_where_in(m->settings, f, sizeof *f);
    TAL_TRY(tal_release_draws_read(&m->draws, m->settings, err));
    m->is_raster = tal_features_are_raster(m->settings, f->area);
    m->density_max = m->is_raster ? 0.0 : f->stems_per_ha / 1e4;
    if (!m->is_raster) {
        TAL_TRY(tal_release_read_forest(&m->area, m->settings, &frame, err));
    }
    TAL_TRY(read_rasters(m, err));
    if (m->density_max * TILE_M * TILE_M > 0.5 * TILE_STEMS_MAX) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: [forest] %g stems per ha are too many", where,
                        m->density_max * 1e4);
    }
    return TAL_OK;
}

static tal_status take_stem(void *context, double x, double y, double diameter_cm, tal_error *err) {
    return add_stem(context, x, y, diameter_cm, err);
}

// --- by cells ---

static int32_t clamp(double value, int32_t count) {
    return value < 0.0 ? 0 : value >= (double)count ? count - 1 : (int32_t)value;
}

static int32_t cell_of(const tal_stems *s, double x, double y) {
    return clamp((y - s->south) / s->cell, s->rows) * s->columns +
           clamp((x - s->west) / s->cell, s->columns);
}

static void reorder(double *values, double *scratch, const int32_t *order, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        scratch[k] = values[order[k]];
    }
    if (count > 0) { // a forest may have no stem
        memcpy(values, scratch, (size_t)count * sizeof *values);
    }
}

static tal_status sort_stems(tal_stems *s, const tal_solve_scene *scene, tal_error *err) {
    tal_status status = TAL_OK;
    int32_t *order = NULL;
    double *scratch = NULL;
    s->cell = CELL_M;
    s->west = scene->low_m[0];
    s->south = scene->low_m[1];
    s->columns = (int32_t)ceil((scene->high_m[0] - s->west) / s->cell) + 1;
    s->rows = (int32_t)ceil((scene->high_m[1] - s->south) / s->cell) + 1;
    const size_t cells = (size_t)s->columns * (size_t)s->rows;
    TAL_CREATE(s->cell_start, cells + 2, "stems", err);
    TAL_CREATE_OR_DONE(order, (size_t)s->count + 1, "stems", err);
    TAL_CREATE_OR_DONE(scratch, (size_t)s->count + 1, "stems", err);
    for (int32_t k = 0; k < s->count; k++) {
        s->cell_start[cell_of(s, s->x[k], s->y[k]) + 2]++;
    }
    for (size_t c = 2; c < cells + 2; c++) {
        s->cell_start[c] += s->cell_start[c - 1];
    }
    for (int32_t k = 0; k < s->count; k++) { // afterwards entry c + 1 is the end of cell c
        order[s->cell_start[cell_of(s, s->x[k], s->y[k]) + 1]++] = k;
    }
    reorder(s->radius, scratch, order, s->count);
    reorder(s->energy, scratch, order, s->count);
    double *x = s->x;
    reorder(x, scratch, order, s->count);
    reorder(s->y, scratch, order, s->count);
done:
    tal_memory_destroy(order);
    tal_memory_destroy(scratch);
    return status;
}

tal_status tal_stems_create(tal_stems *stems, const tal_settings *settings,
                            const tal_solve_scene *scene, const tal_ground *ground,
                            tal_error *err) {
    maker m = {.stems = stems,
               .settings = settings,
               .scene = scene,
               .ground = ground,
               .random = tal_random_stream((uint64_t)settings->random.seed,
                                           (uint32_t)settings->random.run, "release/stems")};
    *stems = (tal_stems){0};
    tal_status status = TAL_OK;
    if (settings->forest.stems[0] != '\0') {
        TAL_TRY_OR_DONE(tal_release_read_stems(settings, scene->origin_m, take_stem, &m, err));
    } else {
        TAL_TRY_OR_DONE(prepare(&m, err));
        TAL_TRY_OR_DONE(draw_stems(&m, err));
    }
    TAL_TRY_OR_DONE(sort_stems(stems, scene, err));
    tal_log_info("forest: %d stems", stems->count);
done:
    tal_raster_destroy(&m.density);
    tal_raster_destroy(&m.mean);
    tal_raster_destroy(&m.deviation);
    tal_features_destroy(&m.area);
    if (status != TAL_OK) {
        tal_stems_destroy(stems);
    }
    return status;
}

void tal_stems_destroy(tal_stems *s) {
    tal_memory_destroy(s->x);
    tal_memory_destroy(s->y);
    tal_memory_destroy(s->radius);
    tal_memory_destroy(s->energy);
    tal_memory_destroy(s->cell_start);
    *s = (tal_stems){0};
}

// Share of the way from a to b at which its distance to a point falls to `reach`; above 1: never.
static double touch_at(const double a[2], const double b[2], double x, double y, double reach) {
    const double ux = b[0] - a[0], uy = b[1] - a[1], px = a[0] - x, py = a[1] - y;
    const double uu = ux * ux + uy * uy, pu = px * ux + py * uy;
    const double c = px * px + py * py - reach * reach;
    if (c <= 0.0) {
        return pu < 0.0 ? 0.0 : 2.0; // there already: counts while it comes closer
    }
    const double root = pu * pu - uu * c;
    return pu < 0.0 && root > 0.0 ? (-pu - sqrt(root)) / uu : 2.0;
}

int32_t tal_stems_first_touch(const tal_stems *s, const double a[2], const double b[2],
                              double radius, tal_stem_skip *skip, const void *context, double *at) {
    int32_t first = -1;
    *at = 1.0;
    if (s->count == 0) {
        return first;
    }
    const double reach = radius + s->radius_max;
    const int32_t west = clamp((fmin(a[0], b[0]) - reach - s->west) / s->cell, s->columns);
    const int32_t east = clamp((fmax(a[0], b[0]) + reach - s->west) / s->cell, s->columns);
    const int32_t south = clamp((fmin(a[1], b[1]) - reach - s->south) / s->cell, s->rows);
    const int32_t north = clamp((fmax(a[1], b[1]) + reach - s->south) / s->cell, s->rows);
    for (int32_t row = south; row <= north; row++) {
        const int32_t begin = s->cell_start[row * s->columns + west];
        const int32_t end = s->cell_start[row * s->columns + east + 1];
        for (int32_t k = begin; k < end; k++) {
            const double t = touch_at(a, b, s->x[k], s->y[k], radius + s->radius[k]);
            if (t <= 1.0 && (first < 0 || t < *at) && !skip(context, k)) {
                first = k;
                *at = t;
            }
        }
    }
    return first;
}
