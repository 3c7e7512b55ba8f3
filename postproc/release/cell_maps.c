// SPDX-License-Identifier: GPL-3.0-or-later
// Rocks cell by cell. A first walk over all ways counts; further ones gather the values of as many rows as
// fit into memory, each cell's in a place of its own, so that nothing has to be sorted by cell.
#include "postproc/release/cell_maps.h"

#include "core/base/memory.h"
#include "core/base/quantile.h"

#include <math.h>

// What one rock has in one cell.
typedef struct {
    size_t cell;
    double time;
    float value[TAL_CELL_QUANTITIES];
} visit;

typedef struct {
    tal_cell_maps *maps;
    const tal_rocks *rocks;
    const tal_grid *grid;
    int32_t *slot; // per cell: 1 + place in `visits` of the rock at hand
    visit *visits;
    size_t visit_count, visit_room;
    bool is_out_of_memory;
    // Gathering:
    size_t first_cell, end_cell; // whose values are kept in this walk
    int64_t *start;              // per cell and one more: place of its first value
    int64_t *filled;             // per cell: how many it has
    float *value[TAL_CELL_QUANTITIES];
} painter;

static visit *visit_of(painter *p, size_t cell) {
    if (p->slot[cell] == 0) {
        if (p->visit_count == p->visit_room) {
            const size_t room = 2 * p->visit_room + 256;
            visit *larger = tal_memory_grow(p->visits, p->visit_room, room, sizeof *larger);
            if (larger == NULL) {
                p->is_out_of_memory = true;
                return NULL;
            }
            p->visits = larger;
            p->visit_room = room;
        }
        p->visits[p->visit_count] = (visit){.cell = cell, .time = INFINITY};
        p->slot[cell] = (int32_t)++p->visit_count;
    }
    return &p->visits[p->slot[cell] - 1];
}

static void raise_to(float *value, double candidate) {
    *value = fmaxf(*value, (float)candidate);
}

static void paint(painter *p, int64_t cell, const tal_way_point *at) {
    visit *v = cell >= 0 ? visit_of(p, (size_t)cell) : NULL;
    if (v != NULL) {
        v->time = fmin(v->time, at->time);
        raise_to(&v->value[TAL_CELL_ENERGY], at->energy / 1000.0);
        raise_to(&v->value[TAL_CELL_VELOCITY], at->speed);
        raise_to(&v->value[TAL_CELL_JUMP], at->jump);
    }
}

// Share of a short piece at which it meets the line between two columns (or rows); 1 where it does not.
static double meets_line(double from, double to, double first, double cell) {
    const double a = (from - first) / cell, b = (to - first) / cell;
    const double line = fmax(floor(a), floor(b));
    return floor(a) != floor(b) && a != b ? (line - a) / (b - a) : 1.0;
}

// Both ends of the part of the piece in each cell: energy, speed and height change evenly between them.
static void paint_piece(void *context, const tal_way_point *a, const tal_way_point *b) {
    painter *p = context;
    const tal_grid *g = p->grid;
    double cut[4] = {0.0, meets_line(a->x, b->x, g->west, g->cell),
                     meets_line(a->y, b->y, g->north, g->cell), 1.0};
    if (cut[1] > cut[2]) {
        const double swap = cut[1];
        cut[1] = cut[2];
        cut[2] = swap;
    }
    for (int k = 0; k < 3; k++) {
        if (cut[k + 1] > cut[k] || (k == 0 && cut[3] == cut[0])) {
            const tal_way_point middle = tal_way_mix(a, b, 0.5 * (cut[k] + cut[k + 1]));
            const tal_way_point from = tal_way_mix(a, b, cut[k]);
            const tal_way_point to = tal_way_mix(a, b, cut[k + 1]);
            const int64_t cell = tal_grid_index(g, middle.x, middle.y);
            paint(p, cell, &from);
            paint(p, cell, &to);
        }
    }
}

static tal_status walk_rock(painter *p, int64_t rock, const tal_rocks_moment *moment, int32_t count,
                            tal_error *err) {
    p->visit_count = 0;
    tal_way_walk(moment, count, p->rocks->mass[rock], 0.25 * p->grid->cell, paint_piece, p);
    return p->is_out_of_memory ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the cells of a rock")
                               : TAL_OK;
}

static void forget_visits(painter *p) {
    for (size_t k = 0; k < p->visit_count; k++) {
        p->slot[p->visits[k].cell] = 0;
    }
}

static void count_moment(painter *p, tal_raster *raster, const tal_rocks_moment *at) {
    const int64_t cell = tal_grid_index(p->grid, at->position[0], at->position[1]);
    if (cell >= 0) {
        raster->value[cell] += 1.0F;
    }
}

static tal_status count_rock(void *context, int64_t rock, const tal_rocks_moment *moment,
                             int32_t count, tal_error *err) {
    painter *p = context;
    tal_cell_maps *maps = p->maps;
    TAL_TRY(walk_rock(p, rock, moment, count, err));
    for (size_t k = 0; k < p->visit_count; k++) {
        const visit *v = &p->visits[k];
        maps->passages.value[v->cell] += 1.0F;
        maps->arrival.value[v->cell] =
            fminf(isnan(maps->arrival.value[v->cell]) ? INFINITY : maps->arrival.value[v->cell],
                  (float)v->time);
    }
    forget_visits(p);
    if (count > 0) {
        count_moment(p, &maps->starts, &moment[0]);
        if (p->rocks->end[rock] == TAL_END_AT_REST || p->rocks->end[rock] == TAL_END_BARRIER) {
            count_moment(p, &maps->stops, &moment[count - 1]);
        }
    }
    return TAL_OK;
}

static tal_status gather_rock(void *context, int64_t rock, const tal_rocks_moment *moment,
                              int32_t count, tal_error *err) {
    painter *p = context;
    TAL_TRY(walk_rock(p, rock, moment, count, err));
    for (size_t k = 0; k < p->visit_count; k++) {
        const visit *v = &p->visits[k];
        if (v->cell >= p->first_cell && v->cell < p->end_cell) {
            const int64_t at = p->start[v->cell] - p->start[p->first_cell] + p->filled[v->cell]++;
            for (int q = 0; q < TAL_CELL_QUANTITIES; q++) {
                p->value[q][at] = v->value[q];
            }
        }
    }
    forget_visits(p);
    return TAL_OK;
}

static void find_percentiles(painter *p, double *scratch) {
    tal_cell_maps *maps = p->maps;
    for (size_t cell = p->first_cell; cell < p->end_cell; cell++) {
        const int64_t first = p->start[cell] - p->start[p->first_cell];
        const size_t count = (size_t)(p->start[cell + 1] - p->start[cell]);
        for (int q = 0; count > 0 && q < TAL_CELL_QUANTITIES; q++) {
            double sum = 0.0;
            for (size_t k = 0; k < count; k++) {
                scratch[k] = (double)p->value[q][(size_t)first + k];
                sum += scratch[k];
            }
            for (int n = 0; n < maps->percentile_count; n++) {
                maps->value[q][n].value[cell] =
                    (float)tal_quantile(scratch, count, maps->percentile[n] / 100.0);
            }
            if (q == TAL_CELL_ENERGY) {
                maps->energy_mean.value[cell] = (float)(sum / (double)count);
            }
        }
    }
}

// As many cells from `first_cell` on as `values_max` values allow, at least one.
static size_t end_of_band(const painter *p, size_t cells, int64_t values_max) {
    size_t end = p->first_cell + 1;
    while (end < cells && p->start[end + 1] - p->start[p->first_cell] <= values_max) {
        end++;
    }
    return end;
}

static tal_status gather(painter *p, tal_rocks *rocks, size_t bytes_max, tal_error *err) {
    const size_t cells = tal_grid_cell_count(p->grid);
    const int64_t values_max = (int64_t)(bytes_max / (TAL_CELL_QUANTITIES * sizeof(float)));
    double *scratch = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE(p->start, cells + 1, "the maps", err);
    TAL_CREATE(p->filled, cells, "the maps", err);
    for (size_t k = 0; k < cells; k++) {
        p->start[k + 1] = p->start[k] + (int64_t)p->maps->passages.value[k];
    }
    TAL_CREATE(scratch, (size_t)rocks->count + 1, "the maps", err);
    for (p->first_cell = 0; p->first_cell < cells; p->first_cell = p->end_cell) {
        p->end_cell = end_of_band(p, cells, values_max);
        const int64_t values = p->start[p->end_cell] - p->start[p->first_cell];
        for (int q = 0; q < TAL_CELL_QUANTITIES; q++) {
            tal_memory_destroy(p->value[q]);
            p->value[q] = NULL;
            TAL_CREATE_OR_DONE(p->value[q], (size_t)values + 1, "the maps", err);
        }
        if (values > 0) {
            TAL_TRY_OR_DONE(tal_rocks_walk(rocks, gather_rock, p, err));
            find_percentiles(p, scratch);
        }
    }
done:
    tal_memory_destroy(scratch);
    return status;
}

static tal_status make_rasters(tal_cell_maps *m, const tal_grid *grid, tal_error *err) {
    tal_raster *const counts[] = {&m->passages, &m->reach, &m->stops, &m->starts};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        TAL_TRY(tal_raster_create(counts[k], grid, err));
        for (size_t i = 0; i < tal_grid_cell_count(grid); i++) {
            counts[k]->value[i] = 0.0F;
        }
    }
    TAL_TRY(tal_raster_create(&m->arrival, grid, err));
    TAL_TRY(tal_raster_create(&m->energy_mean, grid, err));
    for (int q = 0; q < TAL_CELL_QUANTITIES; q++) {
        for (int n = 0; n < m->percentile_count; n++) {
            TAL_TRY(tal_raster_create(&m->value[q][n], grid, err));
        }
    }
    return TAL_OK;
}

static tal_status fill(painter *p, tal_rocks *rocks, size_t bytes_max, tal_error *err) {
    tal_cell_maps *m = p->maps;
    const size_t cells = tal_grid_cell_count(p->grid);
    TAL_TRY(make_rasters(m, p->grid, err));
    TAL_CREATE(p->slot, cells, "the maps", err);
    TAL_TRY(tal_rocks_walk(rocks, count_rock, p, err));
    for (size_t k = 0; k < cells; k++) {
        m->reach.value[k] = m->passages.value[k] / (float)rocks->count;
        m->reach_area_m2 += m->passages.value[k] > 0.0F ? p->grid->cell * p->grid->cell : 0.0;
    }
    return gather(p, rocks, bytes_max, err);
}

tal_status tal_cell_maps_create(tal_cell_maps *maps, tal_rocks *rocks, const tal_grid *grid,
                                const tal_reals *percentiles, size_t bytes_max, tal_error *err) {
    *maps = (tal_cell_maps){.percentile_count = percentiles->count};
    for (int k = 0; k < percentiles->count; k++) {
        maps->percentile[k] = percentiles->value[k];
    }
    painter p = {.maps = maps, .rocks = rocks, .grid = grid};
    const tal_status status = fill(&p, rocks, bytes_max, err);
    tal_memory_destroy(p.slot);
    tal_memory_destroy(p.visits);
    tal_memory_destroy(p.start);
    tal_memory_destroy(p.filled);
    for (int q = 0; q < TAL_CELL_QUANTITIES; q++) {
        tal_memory_destroy(p.value[q]);
    }
    if (status != TAL_OK) {
        tal_cell_maps_destroy(maps);
    }
    return status;
}

void tal_cell_maps_destroy(tal_cell_maps *m) {
    tal_raster *const rasters[] = {&m->passages, &m->reach,   &m->stops,
                                   &m->starts,   &m->arrival, &m->energy_mean};
    for (size_t k = 0; k < sizeof rasters / sizeof *rasters; k++) {
        tal_raster_destroy(rasters[k]);
    }
    for (int q = 0; q < TAL_CELL_QUANTITIES; q++) {
        for (int n = 0; n < TAL_REALS_MAX; n++) {
            tal_raster_destroy(&m->value[q][n]);
        }
    }
    *m = (tal_cell_maps){0};
}
