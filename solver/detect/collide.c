// SPDX-License-Identifier: GPL-3.0-or-later
// The collider: poses the bodies, finds the candidate pairs, and lets every thread work through its own run
// of bodies. Runs are put together in order, so the result does not depend on the threads.
#include "solver/detect/collide.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "solver/detect/answers.h"
#include "solver/detect/broad_phase.h"
#include "solver/detect/narrow_ground.h"
#include "solver/detect/narrow_phase.h"

#include <math.h>
#include <string.h>

// Some microseconds of work: less is not worth sharing.
enum { POSES_PER_PIECE = 64 };
// What a pair costs differs: in a heap that others fall on, one of two shares took five times as long.
enum { SHARES_PER_THREAD = 8 };

typedef struct {
    tal_manifolds own;    // if others work as well
    tal_manifolds *found; // that, or the answer itself
    tal_narrow_scratch pair;
    tal_ground_scratch ground;
    tal_contact_point point[TAL_CLIP_POINTS_MAX];
    int32_t first_body, end_body;
    tal_status status;
} worker;

// Of a body between two queries: nothing; its reach alone, which is larger; pose, way or being fixed as well.
typedef enum { BODY_SAME, BODY_WIDER, BODY_CHANGED } body_change;

struct tal_collider {
    const tal_shapes *shapes;
    int32_t body_count;
    const int32_t *class_of_body; // with the next two: who goes through whom
    int32_t class_count;
    const uint8_t *passes; // NULL: nobody
    const uint64_t *excluded;
    int32_t excluded_count;
    tal_broad_phase *broad_phase;
    tal_posed_body *posed;
    tal_quat *orientation; // as posed
    tal_body_box *box;     // grown by the reach
    tal_body_box *fat;     // grown some more: `candidates` are all overlaps of these
    tal_candidates candidates;
    bool has_candidates;
    bool is_paired_anew; // in the query at hand
    int32_t added_count; // of them since all were paired: as many may be out of date
    size_t *slot;        // per body: where its turned vertices and faces begins
    double *turned; // x.. y.. z.. of the vertices, then (normal, offset) of the faces, body by body
    size_t turned_count;
    tal_pair_hint *hint; // per pair: an axis that separated it last time
    int32_t *old_start;  // pairs and hints of the list before
    int32_t *old_partner;
    tal_pair_hint *old_hint;
    int32_t old_partner_capacity, old_hint_capacity, hint_capacity;
    worker *workers;
    int worker_count;

    // The last answer is copied for bodies that nothing has changed for since.
    tal_answers answers;
    int32_t *last_start; // body_count + 1: manifolds by body_i
    uint8_t *was_fixed;
    uint8_t *change; // since then: a body_change
    const tal_terrain *last_terrain;
};

// Margin of the fat boxes: shares of the reach and of the bounding radius. S1_fall_3000 while it falls: 5.7 ms a
// step with half a reach, 5.0 with two or four. Reaches that are passed on to slow bodies leave boxes of 0.02.
static const double FAT_REACHES = 2.0, FAT_SIZE = 0.1;

// How many bodies get new boxes of their own, and at which share of added pairs all do.
enum { LEAVERS_MAX = 32, ADDED_SHARE = 8 };

// Vertices are read four at a time.
static int32_t padded(int32_t vertex_count) {
    return (vertex_count + 3) / 4 * 4;
}

static tal_status create_slots(tal_collider *c, const int32_t *shape_of_body, tal_error *err) {
    const tal_shapes *s = c->shapes;
    size_t room = 0;
    TAL_CREATE(c->slot, (size_t)c->body_count, "body vertices", err);
    for (int32_t b = 0; b < c->body_count; b++) {
        const int32_t shape = shape_of_body[b];
        if (shape < 0 || shape >= s->shape_count) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "body %d has shape %d; shapes are numbered 0 to %d",
                            b, shape, s->shape_count - 1);
        }
        c->slot[b] = room;
        room += 3 * (size_t)padded(s->vertex_start[shape + 1] - s->vertex_start[shape]) +
                4 * (size_t)(s->face_start[shape + 1] - s->face_start[shape]);
        room = (room + 7) / 8 * 8; // whole cache lines
    }
    TAL_CREATE(c->turned, room, "body vertices", err);
    c->turned_count = room;
    return TAL_OK;
}

static tal_status create_parts(tal_collider *c, const int32_t *shape_of_body, tal_error *err) {
    const size_t bodies = (size_t)c->body_count;
    TAL_TRY(create_slots(c, shape_of_body, err));
    TAL_CREATE(c->posed, bodies, "posed bodies", err);
    TAL_CREATE(c->orientation, bodies, "body orientations", err);
    TAL_CREATE(c->box, bodies, "body boxes", err);
    TAL_CREATE(c->fat, bodies, "body boxes", err);
    TAL_CREATE(c->last_start, bodies + 1, "last contacts", err);
    TAL_CREATE(c->was_fixed, bodies, "last contacts", err);
    TAL_CREATE(c->change, bodies, "last contacts", err);
    TAL_CREATE(c->old_start, bodies + 1, "pair hints", err);
    return tal_broad_phase_create(&c->broad_phase, c->body_count, err);
}

tal_status tal_collider_create(tal_collider **collider, const tal_shapes *shapes,
                               const tal_terrain *terrain, const int32_t *shape_of_body,
                               int32_t body_count, tal_error *err) {
    (void)terrain; // all its tables are its own
    *collider = NULL;
    tal_collider *c;
    TAL_CREATE(c, 1, "the collider", err);
    c->shapes = shapes;
    c->body_count = body_count;
    const tal_status status = create_parts(c, shape_of_body, err);
    if (status != TAL_OK) {
        tal_collider_destroy(c);
        return status;
    }
    *collider = c;
    return TAL_OK;
}

static void destroy_worker(worker *w) {
    tal_manifolds_destroy(&w->own);
    tal_narrow_scratch_destroy(&w->pair);
    tal_ground_scratch_destroy(&w->ground);
}

void tal_collider_destroy(tal_collider *c) {
    if (c == NULL) {
        return;
    }
    for (int t = 0; t < c->worker_count; t++) {
        destroy_worker(&c->workers[t]);
    }
    tal_broad_phase_destroy(c->broad_phase);
    tal_answers_destroy(&c->answers);
    void *const arrays[] = {c->posed,   c->orientation, c->box,         c->fat,   c->slot,
                            c->turned,  c->old_start,   c->old_partner, c->hint,  c->old_hint,
                            c->workers, c->last_start,  c->was_fixed,   c->change};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        tal_memory_destroy(arrays[k]);
    }
    tal_memory_destroy(c);
}

void tal_collider_set_passing(tal_collider *c, const int32_t *class_of_body, int32_t class_count,
                              const uint8_t *passes) {
    c->class_of_body = class_of_body;
    c->class_count = class_count;
    c->passes = passes;
}

void tal_collider_set_excluded(tal_collider *c, const uint64_t *excluded, int32_t count) {
    c->excluded = excluded;
    c->excluded_count = count;
}

static tal_status make_workers(tal_collider *c, int count, tal_error *err) {
    if (count <= c->worker_count) {
        return TAL_OK;
    }
    worker *memory =
        tal_memory_grow(c->workers, (size_t)c->worker_count, (size_t)count, sizeof *memory);
    if (memory == NULL) {
        return tal_memory_failed(err, "threads", (size_t)count, sizeof *memory);
    }
    c->workers = memory;
    while (c->worker_count < count) {
        worker *w = &c->workers[c->worker_count];
        tal_status status = tal_narrow_scratch_create(&w->pair, c->shapes, err);
        if (status == TAL_OK) {
            status = tal_ground_scratch_create(&w->ground, c->shapes, err);
        }
        if (status != TAL_OK) {
            destroy_worker(w);
            return status;
        }
        c->worker_count++;
    }
    return TAL_OK;
}

// Turns the vertices of body b, repeating the last one up to a multiple of four.
static void turn_vertices(tal_collider *c, tal_posed_body *p, int32_t b) {
    const tal_vec3 *vertex = &c->shapes->vertex[c->shapes->vertex_start[p->shape]];
    double *x = &c->turned[c->slot[b]];
    double *y = x + p->padded_count, *z = y + p->padded_count;
    tal_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t k = 0; k < p->padded_count; k++) {
        const int32_t from = k < p->vertex_count ? k : p->vertex_count - 1;
        const tal_vec3 v = tal_mat3_apply(&p->rotation, vertex[from]);
        x[k] = v.x;
        y[k] = v.y;
        z[k] = v.z;
        low.x = v.x < low.x ? v.x : low.x;
        low.y = v.y < low.y ? v.y : low.y;
        low.z = v.z < low.z ? v.z : low.z;
        high.x = v.x > high.x ? v.x : high.x;
        high.y = v.y > high.y ? v.y : high.y;
        high.z = v.z > high.z ? v.z : high.z;
    }
    p->low = tal_vec3_add(p->centre, low);
    p->high = tal_vec3_add(p->centre, high);
    p->x = x;
    p->y = y;
    p->z = z;
}

static void turn_faces(tal_collider *c, tal_posed_body *p, int32_t b) {
    const int32_t first = c->shapes->face_start[p->shape];
    tal_posed_face *turned = (tal_posed_face *)&c->turned[c->slot[b] + 3 * (size_t)p->padded_count];
    for (int32_t f = 0; f < p->face_count; f++) {
        turned[f].normal = tal_mat3_apply(&p->rotation, c->shapes->face_normal[first + f]);
        turned[f].offset = c->shapes->face_offset[first + f];
    }
    p->face = turned;
}

static void find_half_edges(tal_posed_body *p) {
    const tal_shapes *s = p->shapes;
    for (int32_t k = 0; k < 3; k++) {
        const int32_t edge =
            s->edge_start[p->topology] + s->axis_edge[s->axis_start[p->topology] + k];
        const tal_vec3 along = tal_vec3_subtract(tal_posed_vertex(p, s->edge_vertex[2 * edge + 1]),
                                                 tal_posed_vertex(p, s->edge_vertex[2 * edge]));
        p->half_edge[k] = tal_vec3_scale(along, 0.5);
    }
}

static bool is_posed(const tal_collider *c, const tal_collide_input *input, int32_t b) {
    const tal_vec3 x = input->position[b], y = c->posed[b].centre;
    const tal_quat q = input->orientation[b], r = c->orientation[b];
    return x.x == y.x && x.y == y.y && x.z == y.z && q.w == r.w && q.x == r.x && q.y == r.y &&
           q.z == r.z;
}

static void turn_body(tal_collider *c, const tal_collide_input *input, int32_t b) {
    const tal_shapes *s = c->shapes;
    const int32_t shape = input->shape_of_body[b];
    tal_posed_body *p = &c->posed[b];
    c->orientation[b] = input->orientation[b]; // all zero before the first time: nobody's
    p->shapes = s;
    p->shape = shape;
    p->topology = s->topology[shape];
    p->kind = s->kind[shape];
    p->centre = input->position[b];
    p->rotation = tal_quat_matrix(input->orientation[b]);
    p->radius = s->sphere_radius[shape];
    p->bounding_radius = s->bounding_radius[shape];
    p->smallest_edge = s->smallest_edge[shape];
    p->vertex_count = s->vertex_start[shape + 1] - s->vertex_start[shape];
    p->padded_count = padded(p->vertex_count);
    p->face_count = s->face_start[shape + 1] - s->face_start[shape];
    p->edge_count = s->edge_start[shape + 1] - s->edge_start[shape];
    p->is_box = s->is_box[shape];
    if (p->kind == TAL_SHAPE_SPHERE) {
        const tal_vec3 r = {p->radius, p->radius, p->radius};
        p->low = tal_vec3_subtract(p->centre, r);
        p->high = tal_vec3_add(p->centre, r);
    } else {
        turn_vertices(c, p, b);
        turn_faces(c, p, b);
        if (p->is_box != 0) {
            find_half_edges(p);
        }
    }
}

static bool is_fixed(const tal_collide_input *input, int32_t b) {
    return input->is_fixed != NULL && input->is_fixed[b] != 0;
}

// What that does to the answer.
static body_change set_reach(tal_posed_body *p, const tal_collide_input *input, int32_t b) {
    const tal_vec3 way =
        input->velocity != NULL ? tal_vec3_scale(input->velocity[b], input->dt) : (tal_vec3){0};
    const double shallow = input->shallow * input->shapes->smallest_width[p->shape];
    const bool is_same_way =
        p->shallow == shallow && p->way.x == way.x && p->way.y == way.y && p->way.z == way.z;
    const body_change change = !is_same_way || !(p->reach <= input->reach[b]) ? BODY_CHANGED
                               : p->reach == input->reach[b]                  ? BODY_SAME
                                                                              : BODY_WIDER;
    p->reach_before = p->reach;
    p->reach = input->reach[b];
    p->shallow = shallow;
    p->way = way;
    p->reach_aside = p->reach - tal_vec3_length(way);
    return change;
}

static void pose_body(tal_collider *c, const tal_collide_input *input, int32_t b) {
    tal_posed_body *p = &c->posed[b];
    const bool is_turned = !is_posed(c, input, b), fixed = is_fixed(input, b);
    if (is_turned) {
        turn_body(c, input, b);
    }
    const body_change change = set_reach(p, input, b);
    c->change[b] = (uint8_t)(is_turned || c->was_fixed[b] != fixed ? BODY_CHANGED : change);
    c->was_fixed[b] = fixed;
    const tal_vec3 grow = {p->reach, p->reach, p->reach};
    c->box[b] = (tal_body_box){tal_vec3_subtract(p->low, grow), tal_vec3_add(p->high, grow)};
}

static bool is_within(const tal_body_box *inner, const tal_body_box *outer) {
    return inner->low.x >= outer->low.x && inner->low.y >= outer->low.y &&
           inner->low.z >= outer->low.z && inner->high.x <= outer->high.x &&
           inner->high.y <= outer->high.y && inner->high.z <= outer->high.z;
}

static bool overlap(const tal_body_box *a, const tal_body_box *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

// Bodies that have left their fat boxes; one more than can be listed if there are more.
static int32_t list_leavers(const tal_collider *c, int32_t *leaver) {
    int32_t count = 0;
    for (int32_t b = 0; count <= LEAVERS_MAX && b < c->body_count; b++) {
        if (!is_within(&c->box[b], &c->fat[b])) {
            leaver[count < LEAVERS_MAX ? count : 0] = b;
            count++;
        }
    }
    return count;
}

static void fatten_box(tal_collider *c, int32_t b) {
    const tal_posed_body *p = &c->posed[b];
    const double margin = FAT_REACHES * p->reach + FAT_SIZE * p->bounding_radius;
    const tal_vec3 grow = {margin, margin, margin};
    c->fat[b] =
        (tal_body_box){tal_vec3_subtract(c->box[b].low, grow), tal_vec3_add(c->box[b].high, grow)};
}

// The first `kept` stay.
static tal_status grow_hints(tal_collider *c, int32_t kept, int32_t pair_count, tal_error *err) {
    if (pair_count <= c->hint_capacity) {
        return TAL_OK;
    }
    const size_t room = (size_t)pair_count + (size_t)pair_count / 2;
    tal_pair_hint *memory = tal_memory_grow(c->hint, (size_t)kept, room, sizeof *memory);
    if (memory == NULL) {
        return tal_memory_failed(err, "pair hints", room, sizeof *memory);
    }
    c->hint = memory;
    c->hint_capacity = (int32_t)room;
    return TAL_OK;
}

// Both lists of partners rise: one walk carries the hints of body i's pairs over.
static void carry_hints(tal_collider *c, const tal_candidates *candidates, int32_t i) {
    int32_t old = c->old_start[i];
    const int32_t old_end = c->old_start[i + 1];
    for (int32_t k = candidates->start[i]; k < candidates->start[i + 1]; k++) {
        while (old < old_end && c->old_partner[old] < candidates->partner[k]) {
            old++;
        }
        const bool known = old < old_end && c->old_partner[old] == candidates->partner[k];
        c->hint[k] = known ? c->old_hint[old] : (tal_pair_hint){0};
    }
}

static tal_status keep_hints(tal_collider *c, const tal_candidates *candidates, tal_error *err) {
    if (candidates->pair_count > c->old_partner_capacity) {
        tal_memory_destroy(c->old_partner);
        c->old_partner_capacity = 0;
        TAL_CREATE(c->old_partner, (size_t)c->hint_capacity, "pair hints", err);
        c->old_partner_capacity = c->hint_capacity;
    }
    memcpy(c->old_start, candidates->start,
           ((size_t)c->body_count + 1) * sizeof *candidates->start);
    if (candidates->pair_count > 0) {
        memcpy(c->old_partner, candidates->partner,
               (size_t)candidates->pair_count * sizeof *candidates->partner);
    }
    tal_pair_hint *const hint = c->hint;
    const int32_t capacity = c->hint_capacity;
    c->hint = c->old_hint;
    c->hint_capacity = c->old_hint_capacity;
    c->old_hint = hint;
    c->old_hint_capacity = capacity;
    return TAL_OK;
}

static void fatten_boxes(void *context, int64_t first, int64_t end) {
    for (int64_t b = first; b < end; b++) {
        fatten_box(context, (int32_t)b);
    }
}

static void carry_all_hints(void *context, int64_t first, int64_t end) {
    tal_collider *c = context;
    for (int64_t b = first; b < end; b++) {
        carry_hints(c, &c->candidates, (int32_t)b);
    }
}

static tal_status find_all_candidates(tal_collider *c, int threads, tal_error *err) {
    if (c->has_candidates) {
        TAL_TRY(keep_hints(c, &c->candidates, err));
    }
    c->has_candidates = false;
    tal_threads_loop(threads, c->body_count, POSES_PER_PIECE, fatten_boxes, c);
    TAL_TRY(tal_broad_phase_find(c->broad_phase, c->fat, threads, &c->candidates, err));
    TAL_TRY(grow_hints(c, 0, c->candidates.pair_count, err));
    tal_threads_loop(threads, c->body_count, POSES_PER_PIECE, carry_all_hints, c);
    // Until all are paired anew.
    if (tal_is_worth_forgetting((size_t)c->old_hint_capacity, sizeof *c->old_hint)) {
        tal_memory_forget(c->old_hint, 0, (size_t)c->old_hint_capacity, sizeof *c->old_hint);
        tal_memory_forget(c->old_partner, 0, (size_t)c->old_partner_capacity,
                          sizeof *c->old_partner);
    }
    c->added_count = 0;
    c->has_candidates = c->is_paired_anew = true;
    return TAL_OK;
}

static void insert_hints(tal_collider *c, int32_t count) {
    int32_t end = count;
    for (int32_t n = c->candidates.added_count; n > 0; n--) {
        const int32_t at = (int32_t)c->candidates.added[n - 1];
        const int32_t from = at + 1 - n; // what comes behind it was here
        memmove(&c->hint[at + 1], &c->hint[from], (size_t)(end - from) * sizeof *c->hint);
        c->hint[at] = (tal_pair_hint){0};
        end = from;
    }
}

static tal_status add_candidates(tal_collider *c, const int32_t *leaver, int32_t leavers,
                                 tal_error *err) {
    const int32_t count = c->candidates.pair_count;
    for (int32_t k = 0; k < leavers; k++) {
        fatten_box(c, leaver[k]);
    }
    c->has_candidates = false;
    TAL_TRY(tal_broad_phase_add(c->broad_phase, c->fat, leaver, leavers, &c->candidates, err));
    TAL_TRY(grow_hints(c, count, c->candidates.pair_count, err));
    insert_hints(c, count);
    c->added_count += c->candidates.added_count;
    c->has_candidates = true;
    return TAL_OK;
}

// The candidates of one query serve the next ones. Bodies that leave their fat boxes, because they were struck
// as a rule, get new ones; where many do, and after a while, everything is paired anew.
static tal_status find_candidates(tal_collider *c, int threads, tal_error *err) {
    int32_t leaver[LEAVERS_MAX];
    c->is_paired_anew = false;
    const int32_t leavers = c->has_candidates ? list_leavers(c, leaver) : LEAVERS_MAX + 1;
    if (leavers == 0) {
        return TAL_OK;
    }
    return leavers <= LEAVERS_MAX && c->added_count <= c->candidates.pair_count / ADDED_SHARE
               ? add_candidates(c, leaver, leavers, err)
               : find_all_candidates(c, threads, err);
}

// Neither body i changed nor anything that it meets, or met last, under its own number.
static bool is_as_before(const tal_collider *c, int32_t i) {
    bool same = c->answers.has_last && c->change[i] == BODY_SAME;
    for (int32_t k = c->candidates.start[i]; same && k < c->candidates.start[i + 1]; k++) {
        same = c->change[c->candidates.partner[k]] == BODY_SAME;
    }
    // Those are among the candidates, unless all were paired anew.
    for (int32_t m = c->last_start[i]; same && c->is_paired_anew && m < c->last_start[i + 1]; m++) {
        const int32_t j = c->answers.last.manifold[m].body_j;
        same = j < 0 || c->change[j] == BODY_SAME;
    }
    return same;
}

static tal_status copy_manifold(const tal_collider *c, int32_t m, worker *w) {
    const tal_manifold *manifold = &c->answers.last.manifold[m];
    return tal_manifolds_add(w->found, *manifold, &c->answers.last.point[manifold->first_point],
                             manifold->point_count);
}

// All that a run of bodies had in the last answer.
static tal_status copy_last(const tal_collider *c, int32_t first, int32_t end, worker *w) {
    return tal_manifolds_append(w->found, &c->answers.last, c->last_start[first],
                                c->last_start[end]);
}

// What body i had with j (below 0: with the ground) in the last answer.
static tal_status copy_last_with(const tal_collider *c, int32_t i, int32_t j, worker *w) {
    for (int32_t m = c->last_start[i]; m < c->last_start[i + 1]; m++) {
        const int32_t other = c->answers.last.manifold[m].body_j;
        if (other == j || (other < 0 && j < 0)) {
            TAL_TRY(copy_manifold(c, m, w));
        }
    }
    return TAL_OK;
}

static bool is_excluded(const tal_collider *c, int32_t i, uint32_t j) {
    const uint64_t key = (uint64_t)i << 32 | j;
    int32_t low = 0, high = c->excluded_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (c->excluded[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < c->excluded_count && c->excluded[low] == key;
}

static bool pass_each_other(const tal_collider *c, int32_t i, int32_t j) {
    return (c->passes != NULL &&
            c->passes[c->class_of_body[i] * c->class_count + c->class_of_body[j]] != 0) ||
           (c->excluded_count > 0 && is_excluded(c, i, (uint32_t)j));
}

// (61): at most the sum of the reaches.
static double reach_of_pair(const tal_posed_body *i, const tal_posed_body *j) {
    return i->reach_aside + j->reach_aside + tal_vec3_length(tal_vec3_subtract(i->way, j->way));
}

static tal_body_box box_before(const tal_posed_body *p) {
    const tal_vec3 grow = {p->reach_before, p->reach_before, p->reach_before};
    return (tal_body_box){tal_vec3_subtract(p->low, grow), tal_vec3_add(p->high, grow)};
}

// Pair k of two bodies that lie as they did: was it looked at, and is a larger reach known to change nothing?
static bool is_known(const tal_collider *c, int32_t i, int32_t j, int32_t k, double reach) {
    const double same_below = (double)c->hint[k].same_below; // zero: nobody knows
    if (!c->answers.has_last || c->change[i] == BODY_CHANGED || c->change[j] == BODY_CHANGED ||
        !(same_below > 0.0 && reach < same_below)) {
        return false;
    }
    const tal_body_box of_i = box_before(&c->posed[i]), of_j = box_before(&c->posed[j]);
    return overlap(&of_i, &of_j);
}

static tal_status collide_pair(tal_collider *c, int32_t i, int32_t j, int32_t k, worker *w) {
    const tal_posed_body *of_i = &c->posed[i], *of_j = &c->posed[j];
    const double reach = reach_of_pair(of_i, of_j);
    if (is_known(c, i, j, k, reach)) {
        return copy_last_with(c, i, j, w);
    }
    int32_t count = tal_narrow_find(of_i, of_j, reach, &c->hint[k], &w->pair, w->point);
    if (count == 0) {
        return TAL_OK;
    }
    count = tal_manifold_reduce(w->point, count);
    const tal_manifold manifold = {.body_i = i, .body_j = j};
    return tal_manifolds_add(w->found, manifold, w->point, count);
}

static tal_status collide_body(tal_collider *c, const tal_collide_input *input, int32_t i,
                               worker *w) {
    const tal_candidates *candidates = &c->candidates;
    const tal_posed_body *body = &c->posed[i];
    const bool is_same = c->answers.has_last && c->change[i] == BODY_SAME;
    if (is_same) {
        TAL_TRY(copy_last_with(c, i, -1, w));
    } else if (input->terrain != NULL && !is_fixed(input, i) &&
               !(c->excluded_count > 0 && is_excluded(c, i, UINT32_MAX))) {
        TAL_TRY(tal_ground_find(input->terrain, body, i, &w->ground, w->found));
    }
    for (int32_t k = candidates->start[i]; k < candidates->start[i + 1]; k++) {
        const int32_t j = candidates->partner[k];
        if (is_same && c->change[j] == BODY_SAME) {
            TAL_TRY(copy_last_with(c, i, j, w));
            continue;
        }
        if (!overlap(&c->box[i], &c->box[j]) || (is_fixed(input, i) && is_fixed(input, j)) ||
            pass_each_other(c, i, j)) {
            continue;
        }
        TAL_TRY(collide_pair(c, i, j, k, w));
    }
    return TAL_OK;
}

static void collide_bodies(tal_collider *c, const tal_collide_input *input, worker *w) {
    w->found->manifold_count = 0;
    w->found->point_count = 0;
    w->status = TAL_OK;
    for (int32_t i = w->first_body, end; i < w->end_body && w->status == TAL_OK; i = end) {
        for (end = i; end < w->end_body && is_as_before(c, end);) {
            end++;
        }
        w->status = end > i ? copy_last(c, i, end, w) : collide_body(c, input, end++, w);
    }
}

// Runs of bodies with about the same number of pairs (and a little for the ground) each.
static void share_bodies(tal_collider *c, const tal_candidates *candidates, int shares) {
    const int64_t total = (int64_t)candidates->pair_count + c->body_count;
    int32_t body = 0;
    for (int t = 0; t < shares; t++) {
        c->workers[t].found = shares > 1 ? &c->workers[t].own : &c->answers.now;
        c->workers[t].first_body = body;
        while (body < c->body_count &&
               (int64_t)candidates->start[body] + body < total * (t + 1) / shares) {
            body++;
        }
        c->workers[t].end_body = t + 1 < shares ? body : c->body_count;
        body = c->workers[t].end_body;
    }
}

static void copy_found(void *context, int64_t first, int64_t end) {
    tal_collider *c = context;
    for (int64_t t = first; t < end; t++) {
        const tal_manifolds *from = &c->workers[t].own;
        int32_t manifold = 0, point = 0;
        for (int64_t s = 0; s < t; s++) {
            manifold += c->workers[s].own.manifold_count;
            point += c->workers[s].own.point_count;
        }
        if (from->manifold_count == 0) {
            continue;
        }
        memcpy(&c->answers.now.point[point], from->point,
               (size_t)from->point_count * sizeof *from->point);
        for (int32_t k = 0; k < from->manifold_count; k++) {
            c->answers.now.manifold[manifold + k] = from->manifold[k];
            c->answers.now.manifold[manifold + k].first_point += point;
        }
    }
}

// Each may be small, but all of them are a second answer.
static void forget_shares(tal_collider *c) {
    const size_t points = (size_t)c->answers.now.point_count;
    for (int t = 0;
         tal_is_worth_forgetting(points, sizeof(tal_contact_point)) && t < c->worker_count; t++) {
        tal_manifolds_forget(&c->workers[t].own);
    }
}

static tal_status join_workers(tal_collider *c, int threads, int shares, tal_error *err) {
    int64_t manifolds = 0, points = 0;
    for (int t = 0; t < shares; t++) {
        manifolds += c->workers[t].own.manifold_count;
        points += c->workers[t].own.point_count;
    }
    if (points > INT32_MAX / 2) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "more than %d contact points", INT32_MAX / 2);
    }
    TAL_TRY(tal_answers_make_room(&c->answers, (int32_t)manifolds, (int32_t)points, err));
    tal_threads_loop(threads, shares, 1, copy_found, c);
    forget_shares(c);
    return TAL_OK;
}

static tal_status collect(tal_collider *c, int threads, int shares, tal_manifolds *found,
                          tal_error *err) {
    for (int t = 0; t < shares; t++) {
        if (c->workers[t].status != TAL_OK) {
            return TAL_FAIL(err, c->workers[t].status, "no memory for contacts");
        }
    }
    if (shares > 1) {
        TAL_TRY(join_workers(c, threads, shares, err));
    }
    *found = c->answers.now;
    return TAL_OK;
}

void tal_collider_take_answer(tal_collider *c, tal_manifolds *list) {
    tal_answers_take(&c->answers, list);
}

void tal_collider_give_back(tal_collider *c, tal_manifolds *list) {
    tal_answers_give_back(&c->answers, list);
}

// Bodies at rest would have to be posed again for nothing.
static bool are_most_mobile(const tal_collider *c) {
    int32_t fixed = 0;
    for (int32_t b = 0; b < c->body_count; b++) {
        fixed += c->was_fixed[b];
    }
    return fixed <= c->body_count / 4;
}

static void forget_poses(tal_collider *c) {
    const size_t bodies = (size_t)c->body_count;
    if (tal_is_worth_forgetting(c->turned_count, sizeof *c->turned) && are_most_mobile(c)) {
        tal_memory_forget(c->turned, 0, c->turned_count, sizeof *c->turned);
        tal_memory_forget(c->posed, 0, bodies, sizeof *c->posed);
        memset(c->orientation, 0, bodies * sizeof *c->orientation); // nobody's
    }
}

void tal_collider_pause(tal_collider *c) {
    tal_answers_forget(&c->answers);
    forget_poses(c);
}

// Where the manifolds of each body begin, for the next query.
static void number_answer(tal_collider *c, const tal_collide_input *input,
                          const tal_manifolds *found) {
    int32_t m = 0;
    for (int32_t b = 0; b <= c->body_count; b++) {
        while (m < found->manifold_count && found->manifold[m].body_i < b) {
            m++;
        }
        c->last_start[b] = m;
    }
    c->last_terrain = input->terrain;
    tal_answers_end(&c->answers);
}

typedef struct {
    tal_collider *collider;
    const tal_collide_input *input;
} query;

static void pose_bodies(void *context, int64_t first, int64_t end) {
    const query *q = context;
    for (int64_t b = first; b < end; b++) {
        pose_body(q->collider, q->input, (int32_t)b);
    }
}

static void collide_shares(void *context, int64_t first, int64_t end) {
    const query *q = context;
    for (int64_t t = first; t < end; t++) {
        collide_bodies(q->collider, q->input, &q->collider->workers[t]);
    }
}

tal_status tal_collide(tal_collider *collider, const tal_collide_input *input, tal_manifolds *found,
                       tal_error *err) {
    const int threads = input->thread_count > 1 ? input->thread_count : 1;
    const int shares = threads > 1 ? SHARES_PER_THREAD * threads : 1;
    TAL_ASSERT(input->body_count == collider->body_count && input->shapes == collider->shapes);
    *found = (tal_manifolds){0};
    TAL_TRY(make_workers(collider, shares, err));
    tal_answers_begin(&collider->answers, collider->last_terrain == input->terrain);
    query q = {collider, input};
    tal_threads_loop(threads, input->body_count, POSES_PER_PIECE, pose_bodies, &q);
    TAL_TRY(find_candidates(collider, threads, err));
    share_bodies(collider, &collider->candidates, shares);
    tal_threads_loop(threads, shares, 1, collide_shares, &q);
    TAL_TRY(collect(collider, threads, shares, found, err));
    number_answer(collider, input, found);
    TAL_VALIDATE(tal_manifolds_are_valid(found, input->body_count));
    return TAL_OK;
}
