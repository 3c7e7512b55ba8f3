// SPDX-License-Identifier: GPL-3.0-or-later
// The sources of an event.
#include "postproc/measure/source.h"

#include "core/base/memory.h"
#include "core/geometry/components.h"

#include <math.h>
#include <string.h>

static const double CRUMB = 0.05; // share of the rock

double tal_source_height(const tal_surveyed *s, size_t cell) {
    const float before = s->before.value[cell];
    return isfinite(before) ? (double)before
                            : (double)s->bed.value[cell] + (double)s->source.value[cell];
}

static bool holds_rock(const tal_surveyed *s, size_t cell) {
    return s->source.value[cell] > 0.0f && isfinite(s->bed.value[cell]);
}

// Pieces of the source, grown so that near ones touch.
static tal_status find_pieces(tal_components *pieces, const tal_surveyed *s, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&s->grid);
    uint8_t *mask;
    size_t count = 0;
    TAL_CREATE(mask, cells + 1, "the sources", err);
    for (size_t i = 0; i < cells; i++) {
        mask[i] = holds_rock(s, i) ? 1 : 0;
        count += mask[i];
    }
    const int reach = (int)(0.25 * sqrt((double)count));
    tal_status status = tal_mask_grow(mask, s->grid.columns, s->grid.rows, reach, err);
    if (status == TAL_OK) {
        status = tal_components_find(pieces, mask, s->grid.columns, s->grid.rows, true, err);
    }
    tal_memory_destroy(mask);
    return status;
}

// The pieces that are sources of their own, largest first; `rank` is per piece, the largest for crumbs.
static tal_status rank_pieces(tal_sources *sources, const tal_surveyed *s,
                              const tal_components *pieces, int8_t *rank, tal_error *err) {
    double *volume, total = 0.0;
    TAL_CREATE(volume, (size_t)pieces->count + 1, "the sources", err);
    for (size_t i = 0; i < tal_grid_cell_count(&s->grid); i++) {
        if (holds_rock(s, i)) {
            volume[pieces->label[i]] += (double)s->source.value[i];
            total += (double)s->source.value[i];
        }
    }
    for (;;) {
        int32_t largest = 0;
        for (int32_t p = 1; p <= pieces->count; p++) {
            largest = volume[p] > volume[largest] ? p : largest;
        }
        const bool is_source = sources->count == 0 || volume[largest] >= CRUMB * total;
        if (!(volume[largest] > 0.0) || !is_source || sources->count == TAL_SOURCES_MAX) {
            break;
        }
        rank[largest] = (int8_t)sources->count++;
        volume[largest] = 0.0;
    }
    tal_memory_destroy(volume);
    return TAL_OK;
}

// Gradient of the bed by central differences; false at an edge.
static bool bed_gradient(const tal_surveyed *s, size_t cell, double gradient[2]) {
    const size_t columns = (size_t)s->grid.columns;
    const size_t column = cell % columns, row = cell / columns;
    if (column == 0 || row == 0 || column + 1 >= columns || row + 1 >= (size_t)s->grid.rows) {
        return false;
    }
    const float *z = s->bed.value;
    gradient[0] = ((double)z[cell + 1] - (double)z[cell - 1]) / (2.0 * s->grid.cell);
    gradient[1] = ((double)z[cell - columns] - (double)z[cell + columns]) / (2.0 * s->grid.cell);
    return isfinite(gradient[0]) && isfinite(gradient[1]);
}

// Its slope: docs/theory/scores.md (12).
static void measure_source(tal_source *source, const tal_sources *all, int index,
                           const tal_surveyed *s) {
    double highest = -INFINITY, weight = 0.0, slope[2] = {0.0, 0.0}, slope_weight = 0.0;
    for (size_t i = 0; i < tal_grid_cell_count(&s->grid); i++) {
        double x, y, gradient[2];
        const double thickness = (double)s->source.value[i];
        if (all->of_cell[i] != index) {
            continue;
        }
        tal_grid_centre(&s->grid, (int32_t)(i % (size_t)s->grid.columns),
                        (int32_t)(i / (size_t)s->grid.columns), &x, &y);
        source->centroid[0] += thickness * x;
        source->centroid[1] += thickness * y;
        weight += thickness;
        if (tal_source_height(s, i) > highest) {
            highest = tal_source_height(s, i);
            source->crown = i;
        }
        if (bed_gradient(s, i, gradient)) {
            slope[0] += thickness * gradient[0];
            slope[1] += thickness * gradient[1];
            slope_weight += thickness;
        }
    }
    source->crown_height = highest;
    source->centroid[0] /= weight;
    source->centroid[1] /= weight;
    source->volume = weight * s->grid.cell * s->grid.cell;
    source->base_tangent = slope_weight > 0.0 ? hypot(slope[0], slope[1]) / slope_weight : NAN;
    source->runout = source->drop = NAN;
}

static tal_status label_cells(tal_sources *sources, const tal_surveyed *s,
                              const tal_components *pieces, tal_error *err) {
    int8_t *rank;
    TAL_CREATE(rank, (size_t)pieces->count + 1, "the sources", err);
    const tal_status status = rank_pieces(sources, s, pieces, rank, err);
    for (size_t i = 0; i < tal_grid_cell_count(&s->grid); i++) {
        sources->of_cell[i] = holds_rock(s, i) ? rank[pieces->label[i]] : -1;
    }
    tal_memory_destroy(rank);
    return status;
}

tal_status tal_sources_find(tal_sources *sources, const tal_surveyed *s, tal_error *err) {
    tal_components pieces;
    *sources = (tal_sources){0};
    TAL_CREATE(sources->of_cell, tal_grid_cell_count(&s->grid) + 1, "the sources", err);
    tal_status status = find_pieces(&pieces, s, err);
    if (status == TAL_OK) {
        status = label_cells(sources, s, &pieces, err);
        tal_components_destroy(&pieces);
    }
    for (int i = 0; status == TAL_OK && i < sources->count; i++) {
        measure_source(&sources->source[i], sources, i, s);
    }
    if (status != TAL_OK) {
        tal_sources_destroy(sources);
    }
    return status;
}

void tal_sources_destroy(tal_sources *sources) {
    for (int i = 0; i < sources->count; i++) {
        tal_flow_line_destroy(&sources->source[i].line);
    }
    tal_memory_destroy(sources->of_cell);
    *sources = (tal_sources){0};
}

int tal_sources_of_block(const tal_sources *sources, const tal_grid *grid,
                         const tal_run_record *motion, int32_t block) {
    const float *start = &motion->position[3 * tal_run_record_index(motion, 0, block)];
    const double x = (double)start[0], y = (double)start[1];
    const double column = floor((x - grid->west) / grid->cell),
                 row = floor((grid->north - y) / grid->cell);
    if (column >= 0.0 && row >= 0.0 && column < grid->columns && row < grid->rows) {
        const int own = sources->of_cell[(size_t)row * (size_t)grid->columns + (size_t)column];
        if (own >= 0) {
            return own;
        }
    }
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < sources->count; i++) {
        const double d =
            hypot(sources->source[i].centroid[0] - x, sources->source[i].centroid[1] - y);
        nearest = d < least ? i : nearest;
        least = fmin(d, least);
    }
    return nearest;
}

static double travel_of(const tal_run_record *motion, int32_t block) {
    const float *from = &motion->position[3 * tal_run_record_index(motion, 0, block)];
    const float *to =
        &motion->position[3 * tal_run_record_index(motion, motion->frame_count - 1, block)];
    return sqrt(pow((double)to[0] - (double)from[0], 2.0) +
                pow((double)to[1] - (double)from[1], 2.0) +
                pow((double)to[2] - (double)from[2], 2.0));
}

tal_status tal_sources_travel(const tal_sources *sources, int source, const tal_grid *grid,
                              const tal_blocks *blocks, const tal_run_record *motion,
                              tal_travel *travel, int32_t *block_count, tal_error *err) {
    const size_t n = (size_t)blocks->count;
    double *room;
    size_t count = 0;
    TAL_CREATE(room, 2 * n + 1, "the travel of the blocks", err);
    for (int32_t b = 0; b < blocks->count; b++) {
        if (source < 0 || tal_sources_of_block(sources, grid, motion, b) == source) {
            room[count] = travel_of(motion, b);
            room[n + count++] = blocks->volume[b];
        }
    }
    *block_count = (int32_t)count;
    const tal_status status = tal_travel_find(travel, room, room + n, count, err);
    travel->is_too_early = motion->ended_too_early;
    tal_memory_destroy(room);
    return status;
}
