// SPDX-License-Identifier: GPL-3.0-or-later
// Carving: planes chosen one after another, each the one that best parts rock from what is not;
// then planes that lift the block off the ground; rock that a plane takes off becomes a cell of
// its own. See docs/theory/mesher.md.
#include "mesher/rock/carve.h"

#include "core/base/memory.h"
#include "core/geometry/mass_properties.h"
#include "mesher/rock/columns.h"

#include <math.h>

enum { PARTS_MAX = 64, DEPTH_MAX = 10, FIT_CUTS_MAX = 10, LIFT_CUTS_MAX = 24, CANDIDATES_MAX = 32 };

static const double gain_share = 0.003;  // of the nominal volume: a plane must win this much
static const double sliver_ratio = 0.04; // thinner blocks are slivers: shortest to longest side
static const double columns_across = 11; // columns along a side of a cell

// A cell that waits for its turn.
typedef struct {
    tal_polyhedron shape;
    int depth;
} waiting_part;

struct tal_carver {
    const tal_rock *rock;
    tal_carve_options options;
    tal_columns columns;
    tal_columns finer; // every grid cell, where `columns` skips some
    bool has_finer;
    double size; // of the cell at hand, seen from above
    waiting_part waiting[PARTS_MAX];
};

// A cell on its way.
typedef struct {
    tal_carver *carver;
    tal_polyhedron shape;
    int waiting_count;
    double waiting_rock; // cut off from this cell and waiting
    int depth;
    tal_vec3 candidate[CANDIDATES_MAX];
    int candidate_count;
} carving;

// ---- Candidate directions --------------------------------------------------------------

typedef enum { SURFACE_BED, SURFACE_TOP } surface_kind;

// The height of the surface where it passes through the cell and bounds rock.
static bool surface_in(const tal_column *c, surface_kind kind, double *z) {
    if (!(fmin(c->high, c->top) > fmax(c->low, c->bed))) {
        return false;
    }
    *z = kind == SURFACE_BED ? c->bed : c->top;
    return *z > c->low && *z < c->high;
}

static void add_candidate(carving *work, tal_vec3 normal) {
    if (work->candidate_count < CANDIDATES_MAX && isfinite(normal.x + normal.y + normal.z) &&
        tal_vec3_length(normal) > 0) {
        work->candidate[work->candidate_count++] = tal_vec3_normalize(normal);
    }
}

static void add_slopes(carving *work, surface_kind kind, double slope_x, double slope_y) {
    const double sign = kind == SURFACE_BED ? 1 : -1;
    add_candidate(work, tal_vec3_make(sign * slope_x, sign * slope_y, -sign));
}

static void add_fit(carving *work, surface_kind kind, const tal_plane_fit *fit) {
    double slope_x, slope_y;
    if (tal_plane_fit_slopes(fit, &slope_x, &slope_y)) {
        add_slopes(work, kind, slope_x, slope_y);
    }
}

// Fits to all of a surface, to its quarters, and around the column where most is to be removed.
static void add_surface_fits(carving *work, surface_kind kind) {
    const tal_columns *columns = &work->carver->columns;
    tal_plane_fit all = {0}, quarter[4] = {{0}}, near[2] = {{0}};
    double worst = 0, worst_x = 0, worst_y = 0, z;
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        if (!surface_in(c, kind, &z)) {
            continue;
        }
        tal_plane_fit_add(&all, c->x, c->y, z);
        const double excess = kind == SURFACE_BED ? z - c->low : c->high - z;
        if (excess > worst) {
            worst = excess;
            worst_x = c->x;
            worst_y = c->y;
        }
    }
    if (all.w < 1) {
        return;
    }
    const double mx = all.x / all.w, my = all.y / all.w;
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        if (!surface_in(c, kind, &z)) {
            continue;
        }
        tal_plane_fit_add(&quarter[(c->x > mx ? 1 : 0) + (c->y > my ? 2 : 0)], c->x, c->y, z);
        const double distance = hypot(c->x - worst_x, c->y - worst_y);
        for (int r = 0; r < 2; r++) {
            if (distance <= work->carver->size * (r == 0 ? 0.2 : 0.4)) {
                tal_plane_fit_add(&near[r], c->x, c->y, z);
            }
        }
    }
    add_fit(work, kind, &all);
    for (int q = 0; q < 4; q++) {
        add_fit(work, kind, &quarter[q]);
    }
    add_fit(work, kind, &near[0]);
    add_fit(work, kind, &near[1]);
}

// From the rock towards columns without any.
static void add_outward(carving *work) {
    const tal_columns *columns = &work->carver->columns;
    double rock_volume = 0, rx = 0, ry = 0, empty = 0, ex = 0, ey = 0;
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        const double length = fmax(0, fmin(c->high, c->top) - fmax(c->low, c->bed));
        const double rest = c->high - c->low - length;
        rock_volume += length;
        rx += length * c->x;
        ry += length * c->y;
        empty += rest;
        ex += rest * c->x;
        ey += rest * c->y;
    }
    if (rock_volume > 0 && empty > 0) {
        const tal_vec3 out = {ex / empty - rx / rock_volume, ey / empty - ry / rock_volume, 0};
        add_candidate(work, out);
        add_candidate(work, tal_vec3_make(out.y, -out.x, 0));
        add_candidate(work, tal_vec3_make(-out.y, out.x, 0));
    }
}

// ---- Fitting ---------------------------------------------------------------------------

static void tangents(tal_vec3 n, tal_vec3 *t1, tal_vec3 *t2) {
    const tal_vec3 other = fabs(n.z) < 0.9 ? tal_vec3_make(0, 0, 1) : tal_vec3_make(1, 0, 0);
    *t1 = tal_vec3_normalize(tal_vec3_cross(other, n));
    *t2 = tal_vec3_cross(n, *t1);
}

// Tilts the direction as long as that wins.
static double climb(const tal_columns *columns, tal_vec3 *normal, double score, double *offset) {
    static const double tilts[] = {0.25, 0.12, 0.06, 0.03};
    for (size_t level = 0; level < sizeof tilts / sizeof tilts[0]; level++) {
        for (int round = 0; round < 3; round++) {
            tal_vec3 t1, t2, best = *normal;
            bool better = false;
            tangents(*normal, &t1, &t2);
            for (int k = 0; k < 4; k++) {
                const tal_vec3 t =
                    tal_vec3_scale(k < 2 ? t1 : t2, (k % 2 == 0 ? 1 : -1) * tilts[level]);
                const tal_vec3 n = tal_vec3_normalize(tal_vec3_add(*normal, t));
                double d;
                const double s = tal_columns_score(columns, n, &d);
                if (s > score) {
                    score = s;
                    best = n;
                    *offset = d;
                    better = true;
                }
            }
            if (!better) {
                break;
            }
            *normal = best;
        }
    }
    return score;
}

// The plane that wins most; false when none wins enough.
static bool find_fit(carving *work, tal_halfspace *plane) {
    const tal_columns *columns = &work->carver->columns;
    work->candidate_count = 0;
    add_surface_fits(work, SURFACE_BED);
    add_surface_fits(work, SURFACE_TOP);
    add_outward(work);
    double best = -INFINITY;
    for (int k = 0; k < work->candidate_count; k++) {
        double offset;
        const double score = tal_columns_score(columns, work->candidate[k], &offset);
        if (score > best) {
            best = score;
            *plane = (tal_halfspace){work->candidate[k], offset};
        }
    }
    if (best == -INFINITY) {
        return false;
    }
    best = climb(columns, &plane->normal, best, &plane->offset);
    const double gain = best - tal_columns_score_uncut(columns);
    return gain * columns->spacing * columns->spacing >
           gain_share * work->carver->options.nominal_volume;
}

// ---- Cutting ---------------------------------------------------------------------------

// Cuts the shape and its columns; rock worth a block of its own waits for its turn.
static bool apply_plane(carving *work, tal_halfspace plane) {
    tal_columns *columns = &work->carver->columns;
    const double lost = tal_columns_lost(columns, plane);
    const tal_carve_options *options = &work->carver->options;
    const double worth = options->piece_share * options->nominal_volume;
    if (lost > worth && work->waiting_count < PARTS_MAX && work->depth < DEPTH_MAX) {
        waiting_part *part = &work->carver->waiting[work->waiting_count];
        tal_polyhedron_copy(&part->shape, &work->shape);
        if (tal_polyhedron_cut(&part->shape, tal_halfspace_flip(plane)) == TAL_CUT_DONE) {
            part->depth = work->depth + 1;
            work->waiting_count++;
            work->waiting_rock += lost;
        }
    }
    const tal_cut cut = tal_polyhedron_cut(&work->shape, plane);
    if (cut == TAL_CUT_DONE) {
        tal_columns_cut(columns, plane);
        if (work->carver->has_finer) {
            tal_columns_cut(&work->carver->finer, plane);
        }
    } else if (cut == TAL_CUT_EMPTY) {
        columns->count = 0;
    }
    return cut == TAL_CUT_DONE;
}

static void fit_planes(carving *work) {
    for (int cut = 0; cut < FIT_CUTS_MAX && work->shape.vertex_count > 0; cut++) {
        tal_halfspace plane;
        if (!find_fit(work, &plane) || !apply_plane(work, plane)) {
            return;
        }
    }
}

// ---- Lifting off the ground ------------------------------------------------------------

static void note_depth(tal_deep_point *deepest, double x, double y, double ground, double z) {
    if (ground - z > deepest->depth) {
        *deepest = (tal_deep_point){ground - z, x, y, ground};
    }
}

// Both ends of an edge and points between them, half a cell apart.
static void note_edge(const tal_rock *rock, tal_deep_point *deepest, tal_vec3 from, tal_vec3 to) {
    const double length = hypot(to.x - from.x, to.y - from.y);
    const int steps = 1 + (int)fmin(1000, 2 * length / rock->cell);
    for (int k = 0; k <= steps; k++) {
        const tal_vec3 p =
            tal_vec3_add(from, tal_vec3_scale(tal_vec3_subtract(to, from), (double)k / steps));
        const tal_rock_sample sample = tal_rock_at(rock, p.x, p.y);
        note_depth(deepest, p.x, p.y, sample.ground, p.z);
    }
}

// The deepest point among columns and edges; where they see nothing, the triangles decide.
static tal_deep_point find_deepest(const carving *work) {
    const tal_carver *carver = work->carver;
    const tal_columns *columns = carver->has_finer ? &carver->finer : &carver->columns;
    tal_deep_point deepest = {-INFINITY, 0, 0, 0};
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        note_depth(&deepest, c->x, c->y, c->ground, c->low);
    }
    for (int32_t f = 0; f < work->shape.face_count; f++) {
        const int32_t start = work->shape.corner_start[f], end = work->shape.corner_start[f + 1];
        for (int32_t c = start; c < end; c++) {
            const int32_t from = work->shape.corner[c];
            const int32_t to = work->shape.corner[c + 1 < end ? c + 1 : start];
            if (from < to) { // each edge belongs to two faces
                note_edge(carver->rock, &deepest, work->shape.vertex[from], work->shape.vertex[to]);
            }
        }
    }
    if (deepest.depth <= carver->options.depth) {
        deepest.depth = carver->options.depth; // only what is deeper matters now
        tal_near_ground_find_deepest(&carver->rock->triangles, &work->shape, &deepest);
    }
    return deepest;
}

// Fits to the ground around the point, and its slope there.
static void add_ground_fits(carving *work, const tal_deep_point *at) {
    const tal_columns *columns = &work->carver->columns;
    static const double radius[4] = {0.15, 0.3, 0.6, 3};
    for (int r = 0; r < 4; r++) {
        tal_plane_fit fit = {0};
        for (int32_t k = 0; k < columns->count; k++) {
            const tal_column *c = &columns->column[k];
            if (hypot(c->x - at->x, c->y - at->y) <= radius[r] * work->carver->size) {
                tal_plane_fit_add(&fit, c->x, c->y, c->ground);
            }
        }
        add_fit(work, SURFACE_BED, &fit);
    }
    const double h = 0.5 * work->carver->rock->cell;
    const tal_rock *rock = work->carver->rock;
    add_slopes(
        work, SURFACE_BED,
        (tal_rock_at(rock, at->x + h, at->y).ground - tal_rock_at(rock, at->x - h, at->y).ground) /
            (2 * h),
        (tal_rock_at(rock, at->x, at->y + h).ground - tal_rock_at(rock, at->x, at->y - h).ground) /
            (2 * h));
    add_candidate(work, tal_vec3_make(0, 0, -1));
}

// Rock lost and depth left when the shape is cut there.
static double lift_cost(const tal_columns *columns, tal_halfspace plane, double allowed) {
    double left = 0;
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        const double rest =
            (plane.offset - plane.normal.x * c->x - plane.normal.y * c->y) / plane.normal.z;
        left += fmax(0, fmin(c->ground, c->high) - allowed - fmax(c->low, rest));
    }
    return tal_columns_lost(columns, plane) + 2 * left * columns->spacing * columns->spacing;
}

// Planes pass this high above the point they remove, so that its surroundings are gone as well.
static double clearance(const tal_carver *carver) {
    return fmin(0.02, 2e-3 * cbrt(carver->options.nominal_volume)) - carver->options.depth;
}

// Through the deepest point, or above all of the ground below the block.
static tal_halfspace find_lift(carving *work, const tal_deep_point *deepest, bool above_all) {
    const tal_columns *columns = &work->carver->columns;
    const double clear = clearance(work->carver);
    const tal_vec3 through = {deepest->x, deepest->y, deepest->ground + clear};
    tal_halfspace best = tal_halfspace_through(through, tal_vec3_make(0, 0, -1));
    double best_cost = INFINITY;
    work->candidate_count = 0;
    add_ground_fits(work, deepest);
    for (int k = 0; k < work->candidate_count; k++) {
        if (work->candidate[k].z > -1e-3) {
            continue;
        }
        tal_halfspace plane = tal_halfspace_through(through, work->candidate[k]);
        for (int all = above_all ? 1 : 0; all < 2; all++) {
            for (int32_t c = 0; all == 1 && c < columns->count; c++) {
                const tal_column *column = &columns->column[c];
                const tal_vec3 p = {column->x, column->y, column->ground + clear};
                plane.offset = fmin(plane.offset, tal_vec3_dot(plane.normal, p));
            }
            const double cost = lift_cost(columns, plane, work->carver->options.depth);
            if (cost < best_cost) {
                best_cost = cost;
                best = plane;
            }
        }
    }
    return best;
}

static bool lift_off(carving *work) {
    for (int cut = 0; cut < LIFT_CUTS_MAX && work->shape.vertex_count > 0; cut++) {
        const tal_deep_point deepest = find_deepest(work);
        if (deepest.depth <= work->carver->options.depth) {
            return true;
        }
        const tal_halfspace plane = find_lift(work, &deepest, cut >= LIFT_CUTS_MAX / 2);
        if (!apply_plane(work, plane)) {
            return false;
        }
    }
    return work->shape.vertex_count > 0 && find_deepest(work).depth <= work->carver->options.depth;
}

// ---- Pieces ----------------------------------------------------------------------------

// Shortest to longest side of the box with the same inertia.
static double thinness(const tal_polyhedron *shape) {
    const tal_surface surface = tal_polyhedron_surface(shape);
    const tal_mass_properties mass = tal_surface_mass(&surface);
    const tal_principal_axes principal = tal_inertia_principal((const double(*)[3])mass.inertia);
    const double *i = principal.moment;
    const double shortest = i[0] + i[1] - i[2], longest = i[1] + i[2] - i[0];
    return longest > 0 ? sqrt(fmax(0, shortest) / longest) : 0;
}

static tal_status finish_piece(carving *work, bool is_clear, tal_carve_emit *emit, void *context,
                               tal_error *err) {
    const double nominal = work->carver->options.nominal_volume;
    if (work->shape.vertex_count == 0) {
        return TAL_OK;
    }
    const double volume = tal_polyhedron_volume(&work->shape);
    const double rock_volume = tal_columns_rock(&work->carver->columns);
    if (volume <= 1e-9 * nominal) {
        return TAL_OK;
    }
    const bool is_sliver = !is_clear || volume < work->carver->options.sliver_share * nominal ||
                           rock_volume < 0.25 * volume || thinness(&work->shape) < sliver_ratio;
    return emit(context, &work->shape, rock_volume, is_sliver, err);
}

static tal_status fill_columns(tal_carver *carver, const tal_polyhedron *cell, tal_error *err) {
    tal_vec3 low, high;
    tal_polyhedron_bounds(cell, &low, &high);
    carver->size = sqrt((high.x - low.x) * (high.y - low.y));
    tal_columns_set_spacing(&carver->columns, carver->size / columns_across);
    tal_columns_set_spacing(&carver->finer, carver->rock->cell);
    carver->has_finer = carver->columns.spacing > 1.5 * carver->rock->cell;
    TAL_TRY(tal_columns_fill(&carver->columns, cell, err));
    return carver->has_finer ? tal_columns_fill(&carver->finer, cell, err) : TAL_OK;
}

static bool is_untouched(const carving *work) {
    const tal_columns *columns = &work->carver->columns;
    for (int32_t k = 0; k < columns->count; k++) {
        const tal_column *c = &columns->column[k];
        if (c->bed > c->low || c->top < c->high || c->ground > c->low) {
            return false;
        }
    }
    return columns->count > 0;
}

// The plane through the middle of the cell, across its longest axis.
static tal_halfspace halving_plane(const tal_polyhedron *shape) {
    const tal_surface surface = tal_polyhedron_surface(shape);
    const tal_mass_properties mass = tal_surface_mass(&surface);
    const tal_principal_axes principal = tal_inertia_principal((const double(*)[3])mass.inertia);
    const tal_vec3 longest = {principal.axis[0][0], principal.axis[1][0], principal.axis[2][0]};
    return tal_halfspace_through(mass.centroid, longest);
}

// Puts both halves of the cell back into the queue.
static bool halve(carving *work, const tal_polyhedron *cell) {
    waiting_part *first = &work->carver->waiting[work->waiting_count];
    const tal_halfspace plane = halving_plane(cell);
    if (work->waiting_count + 2 > PARTS_MAX ||
        !tal_polyhedron_split(cell, plane, &first[1].shape, &first[0].shape) ||
        first[0].shape.vertex_count == 0 || first[1].shape.vertex_count == 0) {
        return false;
    }
    first[0].depth = first[1].depth = work->depth + 1;
    work->waiting_count += 2;
    return true;
}

// Rock that fits neither the block nor the parts that wait is lost; when it is much, the cell is too
// large for its place. A plate of some volume, or a cell that no plane lifts off the ground, is better
// broken than dropped.
static bool should_halve(const carving *work, double rock_before, bool is_clear) {
    const tal_carve_options *options = &work->carver->options;
    const double nominal = options->nominal_volume;
    const double kept = tal_columns_rock(&work->carver->columns);
    const double lost = rock_before - kept - work->waiting_rock;
    if (work->depth >= DEPTH_MAX || rock_before < options->piece_share * nominal) {
        return false;
    }
    const bool is_plate = work->shape.vertex_count > 0 && thinness(&work->shape) < sliver_ratio;
    return is_plate || !is_clear ||
           (rock_before > 8 * options->loss_share * nominal &&
            lost > options->loss_share * fmax(rock_before, 0.4 * nominal));
}

static tal_status carve_part(carving *work, const tal_polyhedron *cell, tal_carve_emit *emit,
                             void *context, tal_error *err) {
    tal_carver *carver = work->carver;
    TAL_TRY(fill_columns(carver, cell, err));
    const double rock_volume = tal_columns_rock(&carver->columns);
    if (rock_volume <= 1e-4 * carver->options.nominal_volume) {
        return TAL_OK;
    }
    tal_polyhedron_copy(&work->shape, cell);
    work->waiting_rock = 0;
    const int waiting_before = work->waiting_count;
    bool is_clear = true;
    if (!is_untouched(work) || find_deepest(work).depth > carver->options.depth) {
        fit_planes(work);
        is_clear = lift_off(work);
    }
    if (should_halve(work, rock_volume, is_clear)) {
        const int waiting_after = work->waiting_count;
        work->waiting_count = waiting_before;
        if (halve(work, cell)) {
            return TAL_OK;
        }
        work->waiting_count = waiting_after;
    }
    return finish_piece(work, is_clear, emit, context, err);
}

tal_status tal_carver_cut(tal_carver *carver, const tal_polyhedron *cell, tal_carve_emit *emit,
                          void *context, tal_error *err) {
    tal_vec3 low, high;
    tal_polyhedron_bounds(cell, &low, &high);
    if (!tal_rock_may_touch(carver->rock, low, high)) {
        return TAL_OK;
    }
    carving work = {.carver = carver};
    tal_polyhedron part;
    tal_polyhedron_copy(&carver->waiting[0].shape, cell);
    carver->waiting[0].depth = 0;
    work.waiting_count = 1;
    while (work.waiting_count > 0) {
        const waiting_part *next = &carver->waiting[--work.waiting_count];
        tal_polyhedron_copy(&part, &next->shape);
        work.depth = next->depth;
        TAL_TRY(carve_part(&work, &part, emit, context, err));
    }
    return TAL_OK;
}

void tal_carver_set_nominal(tal_carver *carver, double nominal_volume) {
    carver->options.nominal_volume = nominal_volume;
}

tal_status tal_carver_rock(tal_carver *carver, const tal_polyhedron *cell, double *volume,
                           tal_error *err) {
    TAL_TRY(fill_columns(carver, cell, err));
    *volume = tal_columns_rock(&carver->columns);
    return TAL_OK;
}

tal_status tal_carver_create(tal_carver **carver, const tal_rock *rock,
                             const tal_carve_options *options, tal_error *err) {
    tal_carver *made;
    TAL_CREATE(made, 1, "carving", err);
    made->rock = rock;
    made->options = *options;
    made->columns.rock = rock;
    made->finer.rock = rock;
    made->columns.air_weight = options->air_weight;
    *carver = made;
    return TAL_OK;
}

void tal_carver_destroy(tal_carver *carver) {
    if (carver != NULL) {
        tal_columns_destroy(&carver->columns);
        tal_columns_destroy(&carver->finer);
        tal_memory_destroy(carver);
    }
}
