// SPDX-License-Identifier: GPL-3.0-or-later
// Voronoi cells by cutting a box with the bisectors of near seeds, found in cell lists: linear in
// the number of seeds.
#include "mesher/rock/voronoi.h"

#include "core/base/memory.h"
#include "core/geometry/mass_properties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Cell lists ------------------------------------------------------------------------

static int64_t list_index(const tal_partition *p, double value, double low, int axis) {
    const double at = floor((value - low) / p->list_edge);
    return at <= 0
               ? 0
               : (at >= (double)(p->list_count[axis] - 1) ? p->list_count[axis] - 1 : (int64_t)at);
}

static int64_t list_of(const tal_partition *p, tal_vec3 s) {
    const int64_t i = list_index(p, s.x, p->low.x, 0), j = list_index(p, s.y, p->low.y, 1);
    const int64_t k = list_index(p, s.z, p->low.z, 2);
    return (k * p->list_count[1] + j) * p->list_count[0] + i;
}

// About two seeds per list where there are any, whatever the box.
static void size_lists(tal_partition *p) {
    const tal_vec3 extent = tal_vec3_subtract(p->high, p->low);
    const double box = extent.x * extent.y * extent.z;
    const double volume = p->seeded_volume > 0 ? fmin(p->seeded_volume, box) : box;
    const double length[3] = {extent.x, extent.y, extent.z};
    p->list_edge = cbrt(2 * volume / (double)p->seed_count);
    for (int k = 0; k < 3; k++) {
        const double count = ceil(length[k] / p->list_edge);
        p->list_count[k] = count < 1 ? 1 : (count > 4096 ? 4096 : (int64_t)count);
    }
}

// Moves values of seeds to their places in the lists.
static tal_status put_in_order(double **values, const int32_t *place, int64_t count,
                               tal_error *err) {
    double *sorted;
    if (*values == NULL) {
        return TAL_OK;
    }
    TAL_CREATE(sorted, (size_t)count, "sorted seeds", err);
    for (int64_t s = 0; s < count; s++) {
        sorted[place[s]] = (*values)[s];
    }
    tal_memory_destroy(*values);
    *values = sorted;
    return TAL_OK;
}

static tal_status move_seeds(tal_partition *p, const int32_t *place, tal_error *err) {
    tal_vec3 *sorted;
    TAL_CREATE(sorted, (size_t)p->seed_count, "sorted seeds", err);
    for (int64_t s = 0; s < p->seed_count; s++) {
        sorted[place[s]] = p->seed[s];
    }
    tal_memory_destroy(p->seed);
    p->seed = sorted;
    TAL_TRY(put_in_order(&p->weight, place, p->seed_count, err));
    return put_in_order(&p->target, place, p->seed_count, err);
}

tal_status tal_voronoi_sort(tal_partition *p, tal_error *err) {
    size_lists(p);
    const size_t lists = (size_t)(p->list_count[0] * p->list_count[1] * p->list_count[2]);
    int32_t *place;
    tal_memory_destroy(p->list_start);
    p->list_start = NULL;
    TAL_CREATE(p->list_start, lists + 1, "lists of seeds", err);
    TAL_CREATE(place, (size_t)p->seed_count, "places of seeds", err);
    for (int64_t s = 0; s < p->seed_count; s++) {
        p->list_start[list_of(p, p->seed[s]) + 1]++;
    }
    for (size_t l = 0; l < lists; l++) {
        p->list_start[l + 1] += p->list_start[l];
    }
    for (int64_t s = p->seed_count - 1; s >= 0; s--) {
        place[s] = --p->list_start[list_of(p, p->seed[s]) + 1];
    }
    // Each entry now holds the start of its own list: move them back by one.
    memmove(p->list_start, p->list_start + 1, lists * sizeof *p->list_start);
    p->list_start[lists] = (int32_t)p->seed_count;
    const tal_status status = move_seeds(p, place, err);
    tal_memory_destroy(place);
    p->weight_most = 0;
    for (int64_t s = 0; p->weight != NULL && s < p->seed_count; s++) {
        p->weight_most = s == 0 ? p->weight[s] : tal_greater(p->weight_most, p->weight[s]);
    }
    return status;
}

// ---- The nearest seed ------------------------------------------------------------------

typedef struct {
    tal_vec3 at;
    int64_t seed;
    double distance2;
} nearest_seed;

static void look_in_list(const tal_partition *p, int64_t i, int64_t j, int64_t k,
                         nearest_seed *best) {
    if (i < 0 || j < 0 || k < 0 || i >= p->list_count[0] || j >= p->list_count[1] ||
        k >= p->list_count[2]) {
        return;
    }
    const int64_t list = (k * p->list_count[1] + j) * p->list_count[0] + i;
    for (int64_t s = p->list_start[list]; s < p->list_start[list + 1]; s++) {
        const tal_vec3 d = tal_vec3_subtract(p->seed[s], best->at);
        const double distance2 = tal_vec3_dot(d, d);
        if (distance2 < best->distance2 || (distance2 == best->distance2 && s < best->seed)) {
            best->distance2 = distance2;
            best->seed = s;
        }
    }
}

int64_t tal_voronoi_nearest(const tal_partition *p, tal_vec3 at) {
    nearest_seed best = {at, -1, INFINITY};
    const int64_t i = list_index(p, at.x, p->low.x, 0), j = list_index(p, at.y, p->low.y, 1);
    const int64_t k = list_index(p, at.z, p->low.z, 2);
    const int64_t rings = p->list_count[0] + p->list_count[1] + p->list_count[2];
    // A seed in ring r is at least (r - 1) list edges away.
    for (int64_t ring = 0; ring < rings; ring++) {
        const double beyond = (double)(ring - 1) * p->list_edge;
        if (ring > 0 && beyond > 0 && beyond * beyond > best.distance2) {
            break;
        }
        for (int64_t dk = -ring; dk <= ring; dk++) {
            for (int64_t dj = -ring; dj <= ring; dj++) {
                const bool on_side = llabs(dk) == ring || llabs(dj) == ring;
                const int64_t step = on_side || ring == 0 ? 1 : 2 * ring;
                for (int64_t di = -ring; di <= ring; di += step) {
                    look_in_list(p, i + di, j + dj, k + dk, &best);
                }
            }
        }
    }
    return best.seed;
}

// ---- Cells -----------------------------------------------------------------------------

static double farthest_vertex(const tal_polyhedron *cell, tal_vec3 seed) {
    double far = 0;
    for (int32_t v = 0; v < cell->vertex_count; v++) {
        const tal_vec3 d = tal_vec3_subtract(cell->vertex[v], seed);
        far = fmax(far, tal_vec3_dot(d, d));
    }
    return sqrt(far);
}

typedef struct {
    double distance;
    int64_t seed;
} neighbour;

static int compare_neighbours(const void *left, const void *right) {
    const neighbour *a = left, *b = right;
    if (a->distance != b->distance) {
        return a->distance < b->distance ? -1 : 1;
    }
    return a->seed < b->seed ? -1 : (a->seed > b->seed ? 1 : 0);
}

static double weight_of(const tal_partition *p, int64_t seed) {
    return p->weight != NULL ? p->weight[seed] : 0;
}

enum { NEIGHBOURS_MAX = 1024 };

typedef struct {
    const tal_partition *p;
    int64_t self;
    tal_polyhedron *cell;
    double reach; // from the seed to the farthest vertex
    double limit; // no seed beyond this can cut
    tal_cut failed;
    int count;
    neighbour near[NEIGHBOURS_MAX];
} cell_work;

// The plane between two seeds at distance d lies (d^2 + own weight - other weight) / (2 d) from the
// own seed; it cannot cut when that is beyond the reach, whatever the other weight.
static void set_reach(cell_work *work) {
    const tal_partition *p = work->p;
    const double lead = p->weight_most - weight_of(p, work->self);
    work->reach = farthest_vertex(work->cell, p->seed[work->self]);
    work->limit = work->reach + sqrt(work->reach * work->reach + tal_greater(0, lead));
}

static void cut_by_near(cell_work *work) {
    const tal_vec3 seed = work->p->seed[work->self];
    qsort(work->near, (size_t)work->count, sizeof *work->near, compare_neighbours);
    for (int k = 0; k < work->count && work->near[k].distance < work->limit; k++) {
        const tal_vec3 way = tal_vec3_subtract(work->p->seed[work->near[k].seed], seed);
        const double lead = weight_of(work->p, work->self) - weight_of(work->p, work->near[k].seed);
        const double share = 0.5 + 0.5 * lead / tal_vec3_dot(way, way);
        const tal_vec3 between = tal_vec3_add_scaled(seed, share, way);
        const tal_cut cut = tal_polyhedron_cut(work->cell, tal_halfspace_through(between, way));
        if (cut == TAL_CUT_DONE) {
            set_reach(work);
        } else if (cut == TAL_CUT_FAILED) {
            work->failed = cut;
        }
    }
    work->count = 0;
}

static void visit_list(cell_work *work, int64_t i, int64_t j, int64_t k) {
    const tal_partition *p = work->p;
    if (i < 0 || j < 0 || k < 0 || i >= p->list_count[0] || j >= p->list_count[1] ||
        k >= p->list_count[2]) {
        return;
    }
    const int64_t list = (k * p->list_count[1] + j) * p->list_count[0] + i;
    for (int64_t s = p->list_start[list]; s < p->list_start[list + 1]; s++) {
        const double distance = tal_vec3_length(tal_vec3_subtract(p->seed[s], p->seed[work->self]));
        if (s == work->self || distance >= work->limit) {
            continue;
        }
        if (work->count == NEIGHBOURS_MAX) {
            cut_by_near(work);
        }
        work->near[work->count++] = (neighbour){distance, s};
    }
}

static void visit_ring(cell_work *work, const int64_t at[3], int64_t ring) {
    for (int64_t dk = -ring; dk <= ring; dk++) {
        for (int64_t dj = -ring; dj <= ring; dj++) {
            const bool on_side = llabs(dk) == ring || llabs(dj) == ring;
            const int64_t step = on_side || ring == 0 ? 1 : 2 * ring;
            for (int64_t di = -ring; di <= ring; di += step) {
                visit_list(work, at[0] + di, at[1] + dj, at[2] + dk);
            }
        }
    }
}

static tal_vec3 unstretch(const tal_partition *p, tal_vec3 c) {
    return tal_frame_point(
        &p->frame, tal_vec3_make(c.x * p->stretch.x, c.y * p->stretch.y, c.z * p->stretch.z));
}

static bool may_hold_rock(const tal_partition *p, const tal_polyhedron *cell) {
    tal_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t v = 0; v < cell->vertex_count; v++) {
        const tal_vec3 q = unstretch(p, cell->vertex[v]);
        low = tal_vec3_make(fmin(low.x, q.x), fmin(low.y, q.y), fmin(low.z, q.z));
        high = tal_vec3_make(fmax(high.x, q.x), fmax(high.y, q.y), fmax(high.z, q.z));
    }
    return tal_rock_may_touch(p->rock, low, high);
}

tal_status tal_voronoi_cell(const tal_partition *p, int64_t index, tal_polyhedron *cell,
                            tal_error *err) {
    TAL_ASSERT(index >= 0 && index < p->seed_count);
    cell_work work = {.p = p, .self = index, .cell = cell, .failed = TAL_CUT_MISSED};
    const tal_vec3 seed = p->seed[index];
    tal_polyhedron_box(cell, p->low, p->high);
    set_reach(&work);
    const int64_t at[3] = {list_index(p, seed.x, p->low.x, 0), list_index(p, seed.y, p->low.y, 1),
                           list_index(p, seed.z, p->low.z, 2)};
    int64_t rings = 0;
    for (int k = 0; k < 3; k++) {
        rings = p->list_count[k] > rings ? p->list_count[k] : rings;
    }
    // A seed in ring r is at least (r - 1) list edges away.
    for (int64_t ring = 0; ring < rings && cell->vertex_count > 0; ring++) {
        if ((double)(ring - 1) * p->list_edge >= work.limit) {
            break;
        }
        visit_ring(&work, at, ring);
        cut_by_near(&work);
        if (ring > 0 && cell->vertex_count > 0 && !may_hold_rock(p, cell)) {
            cell->vertex_count = 0; // far from the rock: not worth finishing
            return TAL_OK;
        }
    }
    if (work.failed == TAL_CUT_FAILED) {
        return TAL_FAIL(err, TAL_TOO_LARGE,
                        "a Voronoi cell has more than %d faces; spread the seeds more evenly",
                        TAL_POLYHEDRON_FACES);
    }
    return TAL_OK;
}

static tal_status make_voronoi(const tal_partition *p, int64_t index, tal_polyhedron *cell,
                               tal_error *err) {
    TAL_TRY(tal_voronoi_cell(p, index, cell, err));
    for (int32_t v = 0; v < cell->vertex_count; v++) {
        cell->vertex[v] = unstretch(p, cell->vertex[v]);
    }
    return TAL_OK;
}

static tal_vec3 voronoi_centre(const tal_partition *p, int64_t index, const tal_polyhedron *cell) {
    (void)index;
    (void)p;
    const tal_surface surface = tal_polyhedron_surface(cell);
    return tal_surface_mass(&surface).centroid;
}

// ---- Seeds -----------------------------------------------------------------------------

static int compare_seeds(const void *left, const void *right) {
    const double *a = left, *b = right;
    for (int k = 0; k < 3; k++) {
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return 0;
}

// Removes seeds that coincide; the order becomes that of the coordinates.
static void drop_duplicates(tal_partition *p) {
    qsort(p->seed, (size_t)p->seed_count, sizeof *p->seed, compare_seeds);
    const double near = 1e-9 * tal_vec3_length(tal_vec3_subtract(p->high, p->low));
    int64_t kept = 0;
    for (int64_t s = 0; s < p->seed_count; s++) {
        if (kept > 0 && tal_vec3_length(tal_vec3_subtract(p->seed[s], p->seed[kept - 1])) <= near) {
            p->duplicate_count++;
        } else {
            p->seed[kept++] = p->seed[s];
        }
    }
    p->seed_count = kept;
}

static void begin(tal_partition *p, const tal_rock *rock, double strike, tal_vec3 stretch) {
    *p = (tal_partition){.rock = rock, .frame = tal_frame_along(strike)};
    // Only the ratios matter: the volume of a cell stays.
    const double mean = cbrt(stretch.x * stretch.y * stretch.z);
    p->stretch = tal_vec3_scale(stretch, 1 / mean);
    tal_vec3 low, high;
    tal_frame_bounds(&p->frame, rock, &low, &high);
    p->low = tal_vec3_make(low.x / p->stretch.x, low.y / p->stretch.y, low.z / p->stretch.z);
    p->high = tal_vec3_make(high.x / p->stretch.x, high.y / p->stretch.y, high.z / p->stretch.z);
    p->make_cell = make_voronoi;
    p->centre = voronoi_centre;
}

static tal_status check_count(double count, double size, tal_error *err) {
    if (count <= TAL_CELLS_MAX) {
        return TAL_OK;
    }
    return TAL_FAIL(err, TAL_TOO_LARGE,
                    "Voronoi cells of %g m need %.0f seeds around the source, more than %d; choose "
                    "a larger size_m or a smaller block_count in [mesh]",
                    size, count, TAL_CELLS_MAX);
}

static tal_status make_random_seeds(tal_partition *p, double size, uint64_t random_seed,
                                    uint32_t run, tal_error *err) {
    const tal_vec3 extent = tal_vec3_subtract(p->high, p->low);
    const double count[3] = {ceil(extent.x / size), ceil(extent.y / size), ceil(extent.z / size)};
    TAL_TRY(check_count(count[0] * count[1] * count[2], size, err));
    // The box becomes whole cubes, with the rock in the middle.
    const tal_vec3 middle = tal_vec3_scale(tal_vec3_add(p->low, p->high), 0.5);
    const tal_vec3 half = {count[0] * size / 2, count[1] * size / 2, count[2] * size / 2};
    p->low = tal_vec3_subtract(middle, half);
    p->high = tal_vec3_add(middle, half);
    p->seed_count = (int64_t)(count[0] * count[1] * count[2]);
    TAL_CREATE(p->seed, (size_t)p->seed_count, "seeds", err);
    const tal_random random = tal_random_stream(random_seed, run, "mesher/seeds");
    const int64_t nx = (int64_t)count[0], ny = (int64_t)count[1];
    for (int64_t s = 0; s < p->seed_count; s++) {
        const uint64_t draw = 3 * (uint64_t)s;
        p->seed[s] = tal_vec3_make(
            p->low.x + ((double)(s % nx) + tal_random_uniform(random, draw)) * size,
            p->low.y + ((double)(s / nx % ny) + tal_random_uniform(random, draw + 1)) * size,
            p->low.z + ((double)(s / (nx * ny)) + tal_random_uniform(random, draw + 2)) * size);
    }
    return TAL_OK;
}

static tal_status finish(tal_partition *p, tal_status status, tal_error *err) {
    if (status == TAL_OK) {
        status = tal_voronoi_sort(p, err);
    }
    if (status != TAL_OK) {
        tal_partition_destroy(p);
    }
    p->cell_count = p->seed_count;
    return status;
}

tal_status tal_partition_voronoi(tal_partition *p, const tal_rock *rock, double strike, double size,
                                 tal_vec3 stretch, uint64_t random_seed, uint32_t run,
                                 tal_error *err) {
    begin(p, rock, strike, stretch);
    p->nominal_volume = size * size * size;
    return finish(p, make_random_seeds(p, size, random_seed, run, err), err);
}

tal_status tal_partition_voronoi_relaxed(tal_partition *p, const tal_rock *rock, double strike,
                                         double size, int64_t rounds, tal_vec3 stretch,
                                         uint64_t random_seed, uint32_t run, tal_error *err) {
    begin(p, rock, strike, stretch);
    p->nominal_volume = size * size * size;
    tal_status status = make_random_seeds(p, size, random_seed, run, err);
    if (status == TAL_OK) {
        status = tal_voronoi_relax(p, rounds, err);
    }
    return finish(p, status, err);
}

tal_status tal_partition_voronoi_sized(tal_partition *p, const tal_rock *rock, double strike,
                                       double size, double deviation, tal_vec3 stretch,
                                       uint64_t random_seed, uint32_t run, tal_error *err) {
    begin(p, rock, strike, stretch);
    p->nominal_volume = size * size * size;
    tal_status status = make_random_seeds(p, size, random_seed, run, err);
    if (status == TAL_OK) {
        status = tal_voronoi_match_sizes(p, deviation, random_seed, run, err);
    }
    return finish(p, status, err);
}

static tal_status take_seeds(tal_partition *p, const tal_vec3 *seeds, int64_t count,
                             tal_error *err) {
    if (count < 1 || count > INT32_MAX) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "there must be at least one seed");
    }
    TAL_CREATE(p->seed, (size_t)count, "seeds", err);
    p->seed_count = count;
    for (int64_t s = 0; s < count; s++) {
        const tal_vec3 c = tal_frame_coordinates(&p->frame, seeds[s]);
        p->seed[s] = tal_vec3_make(c.x / p->stretch.x, c.y / p->stretch.y, c.z / p->stretch.z);
        p->low = tal_vec3_make(fmin(p->low.x, p->seed[s].x), fmin(p->low.y, p->seed[s].y),
                               fmin(p->low.z, p->seed[s].z));
        p->high = tal_vec3_make(fmax(p->high.x, p->seed[s].x), fmax(p->high.y, p->seed[s].y),
                                fmax(p->high.z, p->seed[s].z));
    }
    drop_duplicates(p);
    return TAL_OK;
}

tal_status tal_partition_seeds(tal_partition *p, const tal_rock *rock, double strike,
                               const tal_vec3 *seeds, int64_t count, tal_vec3 stretch,
                               tal_error *err) {
    begin(p, rock, strike, stretch);
    const tal_status status = take_seeds(p, seeds, count, err);
    p->nominal_volume = rock->volume / (double)(p->seed_count > 0 ? p->seed_count : 1);
    return finish(p, status, err);
}
