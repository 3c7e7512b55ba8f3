// SPDX-License-Identifier: GPL-3.0-or-later
// Divides the rock: every thread carves cells into a store of its own, then all pieces are put in
// the order of their cells, so that the number of threads leaves no trace.
#include "mesher/rock/divide.h"

#include "core/app/number.h"
#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/geometry/mass_properties.h"
#include "mesher/import/simplify.h"
#include "mesher/rock/carve.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

// Where a piece is and which cell it came from.
typedef struct {
    int64_t cell;
    int32_t number;        // within its cell
    int32_t thread, block; // block -1: a sliver
    tal_vec3 centroid;
    double inside; // rock of the rock in it
    double volume; // before gaps
} piece_entry;

typedef struct {
    tal_block_set store;
    piece_entry *entry;
    int64_t entry_count, entry_capacity;
    int64_t cell;
    int32_t number, thread;
    int64_t rough_count; // blocks with short edges or many corners that could not be simplified
    double gap;
    bool clip_to_rock;
    tal_status status;
    tal_error error;
} divider;

static tal_status reserve_entry(divider *w, tal_error *err) {
    if (w->entry_count < w->entry_capacity) {
        return TAL_OK;
    }
    const size_t target = (size_t)w->entry_capacity * 2 + 256;
    TAL_GROW(w->entry, (size_t)w->entry_capacity, target, "a list of blocks", err);
    w->entry_capacity = (int64_t)target;
    return TAL_OK;
}

// Every face moves inwards by half the gap; false when nothing is left.
static bool shrink(tal_polyhedron *piece, double gap) {
    tal_halfspace planes[TAL_POLYHEDRON_FACES];
    const int32_t count = piece->face_count;
    tal_polyhedron_planes(piece, planes);
    for (int32_t f = 0; f < count; f++) {
        planes[f].offset -= gap / 2;
        const tal_cut cut = tal_polyhedron_cut(piece, planes[f]);
        if (cut == TAL_CUT_EMPTY || cut == TAL_CUT_FAILED) {
            return false;
        }
    }
    (void)tal_polyhedron_simplify(piece, &tal_simplify_blocks);
    return true;
}

static tal_status take_piece(void *context, const tal_polyhedron *piece, double inside,
                             bool is_sliver, tal_error *err) {
    divider *w = context;
    tal_polyhedron shape;
    TAL_TRY(reserve_entry(w, err));
    tal_polyhedron_copy(&shape, piece);
    const double volume = tal_polyhedron_volume(piece);
    if (!is_sliver && !tal_polyhedron_simplify(&shape, &tal_simplify_blocks)) {
        w->rough_count++;
    }
    const tal_surface whole = tal_polyhedron_surface(&shape);
    const tal_mass_properties mass = tal_surface_mass(&whole);
    piece_entry *entry = &w->entry[w->entry_count++];
    *entry = (piece_entry){w->cell,    w->number++,   w->thread,
                           -1,         mass.centroid, inside * (mass.volume / volume),
                           mass.volume};
    if (is_sliver || (w->gap > 0 && !shrink(&shape, w->gap))) {
        return TAL_OK;
    }
    entry->block = w->store.block_count;
    const tal_surface surface = tal_polyhedron_surface(&shape);
    return tal_block_set_add(&w->store, &surface, mass.volume, err);
}

static tal_status divide_cell(divider *w, const tal_partition *partition, const tal_rock *rock,
                              tal_carver *carver, int64_t index, tal_error *err) {
    tal_polyhedron cell;
    w->cell = index;
    w->number = 0;
    TAL_TRY(partition->make_cell(partition, index, &cell, err));
    if (cell.vertex_count == 0) {
        return TAL_OK;
    }
    if (w->clip_to_rock) {
        if (partition->target != NULL) {
            // Small cells are wanted here: what is left of one is measured by itself.
            const double own = tal_polyhedron_volume(&cell), nominal = partition->nominal_volume;
            tal_carver_set_nominal(carver, fmin(nominal, fmax(own, 0.02 * nominal)));
        }
        return tal_carver_cut(carver, &cell, take_piece, w, err);
    }
    if (!tal_rock_holds(rock, partition->centre(partition, index, &cell))) {
        return TAL_OK;
    }
    double inside = 0;
    TAL_TRY(tal_carver_rock(carver, &cell, &inside, err));
    return take_piece(w, &cell, inside, false, err);
}

// How much trouble is taken to fill the rock; more of it gives more and smaller blocks.
typedef struct {
    double loss_share, piece_share, sliver_share, air_weight; // see tal_carve_options
} carve_effort;

// How much trouble is taken, from little to much. Blocks that stand out of the old surface a little
// come before blocks that are broken up more: the first keep their number.
static const carve_effort efforts[] = {
    {0.3, 0.2, 0.06, 1},       {0.3, 0.2, 0.06, 0.5},     {0.3, 0.2, 0.06, 0.2},
    {0.15, 0.12, 0.05, 0.2},   {0.08, 0.08, 0.04, 0.2},   {0.05, 0.05, 0.03, 0.2},
    {0.025, 0.05, 0.025, 0.2}, {0.012, 0.025, 0.02, 0.2}, {0.012, 0.025, 0.02, 0.5},
    {0.025, 0.05, 0.02, 1},    {0.006, 0.02, 0.01, 1}};
enum { EFFORT_COUNT = sizeof efforts / sizeof efforts[0] };
enum {
    SMALL_EFFORTS = 3
}; // those that do not break cells up more: here a partition may ask for larger slivers

static carve_effort effort_of(const tal_partition *partition, int number) {
    carve_effort effort = efforts[number];
    if (number < SMALL_EFFORTS) {
        effort.sliver_share = fmax(effort.sliver_share, partition->sliver_share);
    }
    return effort;
}

static void divide_all(divider *workers, const tal_partition *partition, const tal_rock *rock,
                       const tal_divide_options *options, const carve_effort *effort,
                       int thread_count) {
    const tal_carve_options carve = {.nominal_volume = partition->nominal_volume,
                                     .depth = options->depth_m,
                                     .loss_share = effort->loss_share,
                                     .piece_share = effort->piece_share,
                                     .sliver_share = effort->sliver_share,
                                     .air_weight = effort->air_weight};
    tal_progress progress;
    tal_progress_begin(&progress, "dividing the source", "cells", (double)partition->cell_count);
    int64_t done = 0;
#pragma omp parallel num_threads(thread_count)
    {
        divider *w = &workers[omp_get_thread_num()];
        tal_carver *carver = NULL;
        w->status = tal_carver_create(&carver, rock, &carve, &w->error);
#pragma omp for schedule(dynamic, 16)
        for (int64_t index = 0; index < partition->cell_count; index++) {
            if (w->status != TAL_OK) {
                continue;
            }
            w->status = divide_cell(w, partition, rock, carver, index, &w->error);
            if (index % 64 == 0 && w->status == TAL_OK) {
                w->status = tal_interrupt_check(&w->error);
#pragma omp critical
                tal_progress_advance(&progress, (double)(done += 64));
            }
        }
        tal_carver_destroy(carver);
    }
    tal_progress_end(&progress, (double)partition->cell_count);
}

// ---- Putting together ------------------------------------------------------------------

static int compare_entries(const void *left, const void *right) {
    const piece_entry *a = left, *b = right;
    if (a->cell != b->cell) {
        return a->cell < b->cell ? -1 : 1;
    }
    return a->number < b->number ? -1 : (a->number > b->number ? 1 : 0);
}

static tal_status gather(tal_block_set *set, const divider *workers, const piece_entry *entry,
                         int64_t count, tal_divide_report *report, tal_error *err) {
    for (int64_t k = 0; k < count; k++) {
        // One order, whichever thread made it.
        TAL_ASSERT(k == 0 || compare_entries(&entry[k - 1], &entry[k]) < 0);
        if (entry[k].block < 0) {
            report->sliver_count++;
            report->sliver_volume += entry[k].inside;
            continue;
        }
        const tal_block_set *store = &workers[entry[k].thread].store;
        const tal_surface surface = tal_block_set_surface(store, entry[k].block);
        TAL_TRY(tal_block_set_add(set, &surface, entry[k].volume, err));
        report->piece_volume += entry[k].volume;
        report->inside_volume += entry[k].inside;
    }
    return TAL_OK;
}

// A block and how far east it is.
typedef struct {
    double x;
    int32_t block;
} eastward;

static int compare_eastward(const void *a, const void *b) {
    const double x = ((const eastward *)a)->x, y = ((const eastward *)b)->x;
    return (x > y) - (x < y);
}

static int32_t first_east_of(const eastward *list, int32_t count, double x) {
    int32_t low = 0;
    for (int32_t high = count; low < high;) {
        const int32_t middle = low + (high - low) / 2;
        if (list[middle].x < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The block whose centroid is nearest, ties to the first: outwards from the place in the list, until what
// is left is farther away by its x alone.
static int32_t nearest_block(const tal_block_set *set, const eastward *list, tal_vec3 at) {
    int32_t east = first_east_of(list, set->block_count, at.x), west = east - 1, best = -1;
    double nearest = INFINITY;
    while (west >= 0 || east < set->block_count) {
        const double to_west = west >= 0 ? at.x - list[west].x : INFINITY;
        const double to_east = east < set->block_count ? list[east].x - at.x : INFINITY;
        const double step = fmin(to_west, to_east);
        if (step * step > nearest) {
            break;
        }
        const int32_t b = to_west < to_east ? list[west--].block : list[east++].block;
        const tal_vec3 d = tal_vec3_subtract(set->block[b].position, at);
        const double distance = tal_vec3_dot(d, d);
        if (distance < nearest || (distance == nearest && b < best)) {
            nearest = distance;
            best = b;
        }
    }
    return best;
}

// The rock of each sliver goes to the block whose centroid is nearest.
static tal_status give_slivers(tal_block_set *set, const piece_entry *entry, int64_t count,
                               int thread_count, tal_error *err) {
    int32_t *heir = NULL;
    eastward *list = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(heir, (size_t)count, "heirs of slivers", err);
    TAL_CREATE_OR_DONE(list, (size_t)set->block_count, "blocks from west to east", err);
    for (int32_t b = 0; b < set->block_count; b++) {
        list[b] = (eastward){set->block[b].position.x, b};
    }
    qsort(list, (size_t)set->block_count, sizeof *list, compare_eastward);
#pragma omp parallel for num_threads(thread_count) schedule(dynamic, 64)
    for (int64_t k = 0; k < count; k++) {
        heir[k] = entry[k].block < 0 ? nearest_block(set, list, entry[k].centroid) : -1;
    }
    for (int64_t k = 0; k < count; k++) {
        if (heir[k] >= 0) {
            set->block[heir[k]].rock_volume += entry[k].inside;
        }
    }
done:
    tal_memory_destroy(heir);
    tal_memory_destroy(list);
    return status;
}

static tal_status collect(tal_block_set *set, const divider *workers, int thread_count,
                          tal_divide_report *report, tal_error *err) {
    int64_t count = 0;
    for (int t = 0; t < thread_count; t++) {
        if (workers[t].status != TAL_OK) {
            *err = workers[t].error;
            return workers[t].status;
        }
        count += workers[t].entry_count;
        report->rough_count += workers[t].rough_count;
    }
    piece_entry *entry;
    TAL_CREATE(entry, (size_t)count + 1, "a list of blocks", err);
    int64_t at = 0;
    for (int t = 0; t < thread_count; t++) {
        for (int64_t k = 0; k < workers[t].entry_count; k++) {
            entry[at++] = workers[t].entry[k];
        }
    }
    TAL_ASSERT(at == count);
    qsort(entry, (size_t)count, sizeof *entry, compare_entries);
    tal_status status = gather(set, workers, entry, count, report, err);
    if (status == TAL_OK) {
        status = give_slivers(set, entry, count, thread_count, err);
    }
    tal_memory_destroy(entry);
    return status;
}

static double rock_sum(const tal_block_set *set) {
    double sum = 0;
    for (int32_t b = 0; b < set->block_count; b++) {
        sum += set->block[b].rock_volume;
    }
    return sum;
}

static void finish(tal_block_set *set, const tal_divide_options *options, double rock_volume,
                   tal_divide_report *report) {
    report->mass_factor = options->clip_to_rock ? rock_volume / rock_sum(set) : 1;
    tal_block_set_finish(set, options->density_kg_m3, report->mass_factor);
    report->mass = 0;
    for (int32_t b = 0; b < set->block_count; b++) {
        report->mass += set->block[b].mass;
    }
}

static tal_status divide_once(tal_block_set *set, const tal_partition *partition,
                              const tal_rock *rock, const tal_divide_options *options, int effort,
                              tal_divide_report *report, tal_error *err) {
    const int thread_count = options->thread_count > 0 ? options->thread_count : 1;
    *report = (tal_divide_report){
        .cell_count = partition->cell_count, .rock_volume = rock->volume, .effort = effort};
    divider *workers;
    TAL_CREATE(workers, (size_t)thread_count, "threads", err);
    for (int t = 0; t < thread_count; t++) {
        workers[t].thread = t;
        workers[t].gap = options->gap_m;
        workers[t].clip_to_rock = options->clip_to_rock;
    }
    const carve_effort trouble = effort_of(partition, effort);
    divide_all(workers, partition, rock, options, &trouble, thread_count);
    const tal_status status = collect(set, workers, thread_count, report, err);
    for (int t = 0; t < thread_count; t++) {
        tal_block_set_destroy(&workers[t].store);
        tal_memory_destroy(workers[t].entry);
    }
    tal_memory_destroy(workers);
    return status;
}

// How far the fill is from good, between 97.2 % and 100.5 %; too much is worse than too little.
static double misfit(double fill) {
    return fmax(0, fmax(0.972 - fill, 4 * (fill - 1.005)));
}

// The first effort that fills the rock well counts, else the best of them.
static tal_status divide_well(tal_block_set *set, const tal_partition *partition,
                              const tal_rock *rock, const tal_divide_options *options,
                              tal_divide_report *report, tal_error *err) {
    const int rounds = options->clip_to_rock ? EFFORT_COUNT : 1;
    double best = INFINITY;
    int best_effort = 0, effort = options->first_effort;
    for (; effort < rounds && best > 0; effort++) {
        tal_block_set_destroy(set);
        TAL_TRY(divide_once(set, partition, rock, options, effort, report, err));
        const double off = misfit(report->piece_volume / rock->volume);
        if (off < best) {
            best = off;
            best_effort = effort;
        }
    }
    if (best_effort != effort - 1) {
        tal_block_set_destroy(set);
        TAL_TRY(divide_once(set, partition, rock, options, best_effort, report, err));
    }
    if (set->block_count == 0) {
        char all[TAL_NUMBER_SIZE], one[TAL_NUMBER_SIZE];
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "no block fits into the source of %s m3: its blocks would be %s m3; ask "
                        "for smaller ones in [mesh] (brick_m, size_m, block_count)",
                        tal_number_format(all, rock->volume),
                        tal_number_format(one, partition->nominal_volume));
    }
    return TAL_OK;
}

tal_status tal_divide(tal_block_set *set, const tal_partition *partition, const tal_rock *rock,
                      const tal_divide_options *options, tal_divide_report *report,
                      tal_error *err) {
    const tal_status status = divide_well(set, partition, rock, options, report, err);
    if (status == TAL_OK) {
        finish(set, options, rock->volume, report);
    } else {
        tal_block_set_destroy(set);
    }
    return status;
}
