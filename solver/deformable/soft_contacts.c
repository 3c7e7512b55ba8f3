// SPDX-License-Identifier: GPL-3.0-or-later
// Contacts of bodies that deform. Detection knows shapes as they were; strains of rock move surfaces by
// far less than a block is wide, so a manifold tells where two bodies touch and along which normal. Here
// its points are put where the surfaces really are, and the nodes within it join them
// (docs/theory/deformable.md, "Contact").
#include "solver/deformable/soft_body.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "solver/step/look_ahead.h"
#include "solver/step/state.h"

#include <math.h>
#include <string.h>

// Names of nodes differ from those of detected features and of points added by a look ahead.
static const uint64_t IDENTITY_NODE = UINT64_C(1) << 62, IDENTITY_SIDE = UINT64_C(1) << 61;

// A node lies within a manifold up to this share of the size of the body; the surface under a manifold
// is flat up to the same.
static const double SLACK = 1e-6;
// A plane is that of a face if their normals agree to this.
static const double SAME_NORMAL = 1e-9;
// A point is at a node if the weights of the others are below this.
static const double AT_NODE = 1e-6;

// A manifold in its own plane: the points, and both surfaces as heights over the plane.
typedef struct {
    tal_vec3 normal, tangent[2], origin;
    int32_t count;
    double at[TAL_MANIFOLD_POINTS_MAX][2];  // around the outline
    double length[TAL_MANIFOLD_POINTS_MAX]; // of its edges, each from its point to the next
    double slope[2][2], height[2];          // of the sides of i and j
    bool is_flat[2];
    double slack;
} patch;

typedef struct {
    const tal_model *model;
    tal_state *state;
    const tal_manifolds *from;
    tal_manifolds *to;
} refinement;

static void place_in(const patch *p, tal_vec3 x, double at[2], double *height) {
    const tal_vec3 d = tal_vec3_subtract(x, p->origin);
    at[0] = tal_vec3_dot(d, p->tangent[0]);
    at[1] = tal_vec3_dot(d, p->tangent[1]);
    *height = tal_vec3_dot(d, p->normal);
}

// Around the mean, which is the origin.
static void sort_outline(patch *p) {
    for (int32_t k = 1; k < p->count; k++) {
        const double x = p->at[k][0], y = p->at[k][1];
        int32_t m = k;
        for (; m > 0 && atan2(p->at[m - 1][1], p->at[m - 1][0]) > atan2(y, x); m--) {
            memcpy(p->at[m], p->at[m - 1], sizeof p->at[m]);
        }
        p->at[m][0] = x;
        p->at[m][1] = y;
    }
}

// Least squares: height = h0 + slope . at; along a line where the points are on one.
static void fit_side(patch *p, const double at[][2], const double *height, int side) {
    double xx = 0.0, xy = 0.0, yy = 0.0, xh = 0.0, yh = 0.0, mean = 0.0;
    for (int32_t k = 0; k < p->count; k++) {
        mean += height[k] / p->count;
        xx += at[k][0] * at[k][0];
        xy += at[k][0] * at[k][1];
        yy += at[k][1] * at[k][1];
        xh += at[k][0] * height[k];
        yh += at[k][1] * height[k];
    }
    const double det = xx * yy - xy * xy, size = xx + yy;
    double *slope = p->slope[side];
    if (det > 1e-9 * size * size) {
        slope[0] = (yy * xh - xy * yh) / det;
        slope[1] = (xx * yh - xy * xh) / det;
    } else if (size > 0.0) {
        const double x = sqrt(xx), y = xy >= 0.0 ? sqrt(yy) : -sqrt(yy);
        const double along = (x * xh + y * yh) / (size * size);
        slope[0] = along * x;
        slope[1] = along * y;
    }
    p->height[side] = mean;
    p->is_flat[side] = true;
    for (int32_t k = 0; k < p->count; k++) {
        const double off = height[k] - mean - slope[0] * at[k][0] - slope[1] * at[k][1];
        p->is_flat[side] = p->is_flat[side] && fabs(off) <= p->slack;
    }
}

static patch make_patch(const tal_manifold *m, const tal_contact_point *point, double size) {
    patch p = {.normal = point[0].normal, .count = m->point_count, .slack = SLACK * size};
    double at[TAL_MANIFOLD_POINTS_MAX][2] = {{0}}, height[2][TAL_MANIFOLD_POINTS_MAX] = {{0}};
    TAL_ASSERT(p.count <= TAL_MANIFOLD_POINTS_MAX);
    tal_vec3_tangents(p.normal, &p.tangent[0], &p.tangent[1]);
    for (int32_t k = 0; k < p.count; k++) {
        p.origin = tal_vec3_add_scaled(p.origin, 1.0 / p.count, point[k].point);
    }
    for (int32_t k = 0; k < p.count; k++) {
        double middle;
        place_in(&p, point[k].point, at[k], &middle);
        height[0][k] = middle + 0.5 * point[k].gap;
        height[1][k] = middle - 0.5 * point[k].gap;
    }
    fit_side(&p, (const double(*)[2])at, height[0], 0);
    fit_side(&p, (const double(*)[2])at, height[1], 1);
    memcpy(p.at, at, sizeof at);
    sort_outline(&p);
    for (int32_t k = 0; k < p.count; k++) {
        const double *a = p.at[k], *b = p.at[k + 1 < p.count ? k + 1 : 0];
        p.length[k] = hypot(b[0] - a[0], b[1] - a[1]);
    }
    return p;
}

// Within the outline, or next to it.
static bool holds(const patch *p, const double at[2]) {
    if (p->count < 3) {
        const double *a = p->at[0], *b = p->at[p->count - 1];
        const double x = b[0] - a[0], y = b[1] - a[1], square = x * x + y * y;
        const double along =
            square > 0.0 ? ((at[0] - a[0]) * x + (at[1] - a[1]) * y) / square : 0.0;
        const double t = fmin(fmax(along, 0.0), 1.0);
        return hypot(at[0] - a[0] - t * x, at[1] - a[1] - t * y) <= p->slack;
    }
    for (int32_t k = 0; k < p->count; k++) {
        const double *a = p->at[k], *b = p->at[k + 1 < p->count ? k + 1 : 0];
        const double x = b[0] - a[0], y = b[1] - a[1];
        const double inside = x * (at[1] - a[1]) - y * (at[0] - a[0]);
        if (inside < -p->slack * p->length[k]) {
            return false;
        }
    }
    return true;
}

// The surface point of a body, deformed if it is soft; `rigid` is where it would be undeformed.
static tal_vec3 surface_point(const refinement *r, int32_t body, tal_vec3 rigid,
                              tal_solid_site *site) {
    const tal_soft_body *soft = tal_soft_of(r->model, r->state, body);
    site->count = 0;
    if (soft == NULL) {
        return rigid;
    }
    const tal_mat3 q = tal_quat_matrix(r->state->orientation[body]);
    const tal_vec3 x =
        tal_mat3_apply_transposed(&q, tal_vec3_subtract(rigid, r->state->position[body]));
    tal_vec3 sum = {0};
    *site = tal_solid_find_site(soft->solid, x);
    for (int32_t n = 0; n < site->count; n++) {
        sum = tal_vec3_add_scaled(sum, site->weight[n],
                                  tal_soft_node_place(r->state, soft, site->node[n]));
    }
    return sum;
}

static void append_point(const refinement *r, tal_vec3 on_i, tal_vec3 on_j, tal_vec3 normal,
                         uint64_t identity) {
    tal_manifolds *to = r->to;
    const int32_t k = to->point_count++;
    const tal_vec3 middle = tal_vec3_scale(tal_vec3_add(on_i, on_j), 0.5);
    const double gap = tal_vec3_dot(normal, tal_vec3_subtract(on_i, on_j));
    to->point[k] = (tal_contact_point){middle, normal, gap, identity};
}

static bool is_at_node(const tal_solid_site *site) {
    double most = 0.0;
    for (int32_t n = 0; n < site->count; n++) {
        most = fmax(most, site->weight[n]);
    }
    return most > 1.0 - AT_NODE;
}

// Nodes of the softer side, or the finer one of two soft bodies, meet the surface of the other.
static int slave_of(const refinement *r, const tal_manifold *m) {
    const tal_soft_body *i = tal_soft_of(r->model, r->state, m->body_i);
    const tal_soft_body *j = tal_soft_of(r->model, r->state, m->body_j);
    if (i == NULL || j == NULL) {
        return i != NULL ? 0 : 1;
    }
    return i->solid->edge <= j->solid->edge ? 0 : 1;
}

static tal_vec3 undeformed_place(const tal_state *state, const tal_soft_body *soft, int32_t node) {
    return tal_vec3_add(state->position[soft->body],
                        tal_quat_rotate(state->orientation[soft->body], soft->solid->node[node]));
}

// Whether a point lies in a face of a body as it was, whose outward normal is known.
static bool is_on_face(const refinement *r, int32_t body, tal_vec3 outward, tal_vec3 point,
                       double slack) {
    const tal_shapes *shapes = &r->model->shapes;
    const int32_t shape = r->model->shape_of_body[body];
    const tal_mat3 q = tal_quat_matrix(r->state->orientation[body]);
    const tal_vec3 n = tal_mat3_apply_transposed(&q, outward);
    const tal_vec3 x =
        tal_mat3_apply_transposed(&q, tal_vec3_subtract(point, r->state->position[body]));
    for (int32_t f = shapes->face_start[shape]; f < shapes->face_start[shape + 1]; f++) {
        if (tal_vec3_dot(shapes->face_normal[f], n) >= 1.0 - SAME_NORMAL &&
            fabs(tal_vec3_dot(shapes->face_normal[f], x) - shapes->face_offset[f]) <= slack) {
            return tal_shape_face_holds(shapes, shape, f, x, slack);
        }
    }
    return false;
}

// Whether a node meets the plane of a manifold. The outline says so for another body, and so does a face of it
// that the plane is of: a rounded side touches it with more of its faces than the one that was found. Ground goes on
// beyond the outline, and within it need not be flat: three points always have a plane. There the ground under the node has to
// be in that plane, and a node below it has to be in the ground: beyond a brow it hangs in the air, and the
// foot above it is on the slope all the same.
static bool meets(const refinement *r, const tal_manifold *m, const patch *p, int slave,
                  bool is_held, tal_vec3 node, tal_vec3 foot, double gap) {
    if (m->body_j >= 0) {
        const tal_vec3 outward = tal_vec3_scale(p->normal, slave == 0 ? 1.0 : -1.0);
        return is_held ||
               is_on_face(r, slave == 0 ? m->body_j : m->body_i, outward, foot, p->slack);
    }
    if (r->model->ground->has_overhang) {
        return is_held;
    }
    const tal_terrain *ground = &r->model->ground->terrain;
    const double height = tal_terrain_height(ground, foot.x, foot.y);
    return fabs(height - foot.z) <= p->slack && // false beyond the rim, where it is NaN
           (gap >= 0.0 || tal_terrain_height(ground, node.x, node.y) >= node.z - p->slack);
}

static void append_nodes(const refinement *r, const tal_manifold *m, const patch *p, int slave,
                         double reach) {
    const int32_t body[2] = {m->body_i, m->body_j};
    const tal_soft_body *soft = tal_soft_of(r->model, r->state, body[slave]);
    const int master = 1 - slave;
    for (int32_t n = 0; p->is_flat[master] && n < soft->solid->surface_count; n++) {
        const int32_t node = soft->solid->surface_node[n];
        const tal_vec3 x = tal_soft_node_place(r->state, soft, node);
        double at[2], height;
        place_in(p, x, at, &height);
        const double under =
            p->height[master] + p->slope[master][0] * at[0] + p->slope[master][1] * at[1];
        const double gap = (slave == 0 ? 1.0 : -1.0) * (height - under);
        if (gap > reach || gap < -reach - soft->solid->edge) {
            continue;
        }
        const tal_vec3 foot = tal_vec3_add_scaled(x, under - height, p->normal);
        place_in(p, undeformed_place(r->state, soft, node), at, &height);
        if (!meets(r, m, p, slave, holds(p, at), x, foot, gap)) {
            continue; // deformation does not take an edge out of its own outline
        }
        tal_solid_site site;
        const tal_vec3 on = surface_point(r, body[master], foot, &site);
        const uint64_t identity = IDENTITY_NODE | (slave == 0 ? 0 : IDENTITY_SIDE) | (uint64_t)node;
        append_point(r, slave == 0 ? x : on, slave == 0 ? on : x, p->normal, identity);
    }
}

// Points of the manifold that are no nodes: where edges cross, and corners of the other body.
static void append_features(const refinement *r, const tal_manifold *m, int slave, bool with_nodes,
                            bool nodes_only) {
    const tal_contact_point *point = &r->from->point[m->first_point];
    for (int32_t k = 0; !(with_nodes && nodes_only) && k < m->point_count; k++) {
        const tal_vec3 n = point[k].normal;
        tal_solid_site site[2];
        const tal_vec3 i = tal_vec3_add_scaled(point[k].point, 0.5 * point[k].gap, n);
        const tal_vec3 j = tal_vec3_add_scaled(point[k].point, -0.5 * point[k].gap, n);
        const tal_vec3 on_i = surface_point(r, m->body_i, i, &site[0]);
        const tal_vec3 on_j = surface_point(r, m->body_j, j, &site[1]);
        if (with_nodes && is_at_node(&site[slave])) {
            continue;
        }
        append_point(r, on_i, on_j, n, point[k].identity);
    }
}

static double size_of(const tal_model *model, int32_t body) {
    return model->shapes.bounding_radius[model->shape_of_body[body]];
}

static void refine(const refinement *r, const tal_manifold *m) {
    tal_manifold *made = &r->to->manifold[r->to->manifold_count++];
    const int slave = slave_of(r, m);
    const tal_soft_body *soft = tal_soft_of(r->model, r->state, slave == 0 ? m->body_i : m->body_j);
    const patch p = make_patch(m, &r->from->point[m->first_point], size_of(r->model, soft->body));
    const double reach =
        r->state->work.reach[m->body_i] + (m->body_j >= 0 ? r->state->work.reach[m->body_j] : 0.0);
    const bool is_meshed = soft->solid->kinematics != TAL_KINEMATICS_PSEUDO_RIGID;
    *made = *m;
    made->first_point = r->to->point_count;
    if (is_meshed) {
        append_nodes(r, m, &p, slave, reach);
    }
    const bool with_nodes = r->to->point_count > made->first_point;
    append_features(r, m, slave, with_nodes, soft->solid->nodes_only);
    made->point_count = r->to->point_count - made->first_point;
}

static void copy(const refinement *r, const tal_manifold *m) {
    tal_manifolds *to = r->to;
    tal_manifold *made = &to->manifold[to->manifold_count++];
    const size_t count = (size_t)m->point_count;
    *made = *m;
    made->first_point = to->point_count;
    memcpy(&to->point[to->point_count], &r->from->point[m->first_point], count * sizeof *to->point);
    to->point_count += m->point_count;
}

static int32_t points_at_most(const tal_model *model, const tal_state *state) {
    int32_t count = state->work.list.point_count;
    for (int32_t m = 0; m < state->work.list.manifold_count; m++) {
        const int32_t body[2] = {state->work.list.manifold[m].body_i,
                                 state->work.list.manifold[m].body_j};
        for (int side = 0; side < 2; side++) {
            const tal_soft_body *soft = tal_soft_of(model, state, body[side]);
            count += soft != NULL ? soft->solid->surface_count : 0;
        }
    }
    return count;
}

tal_status tal_soft_list_contacts(const tal_model *model, tal_state *state, tal_error *err) {
    if (model->soft_count == 0) {
        return TAL_OK;
    }
    tal_manifolds *to = &state->work.list_added;
    const refinement r = {model, state, &state->work.list, to};
    TAL_TRY(tal_manifolds_reserve(to, state->work.list.manifold_count, points_at_most(model, state),
                                  err));
    to->manifold_count = to->point_count = 0;
    for (int32_t m = 0; m < state->work.list.manifold_count; m++) {
        const tal_manifold *manifold = &state->work.list.manifold[m];
        if (tal_soft_of(model, state, manifold->body_i) != NULL ||
            tal_soft_of(model, state, manifold->body_j) != NULL) {
            refine(&r, manifold);
        } else {
            copy(&r, manifold);
        }
    }
    const tal_manifolds refined = state->work.list_added;
    state->work.list_added = state->work.list;
    state->work.list = refined;
    return TAL_OK;
}

// Where in the body the contact takes hold: at the node it is named after, or by its place.
static tal_solid_site find_site(const tal_model *model, const tal_state *state,
                                const tal_soft_body *soft, const tal_manifold *manifold, int32_t k,
                                int side) {
    const uint64_t name = state->work.list.point[k].identity;
    if ((name & IDENTITY_NODE) != 0 && ((name & IDENTITY_SIDE) != 0) == (side == 1) &&
        soft->solid->kinematics != TAL_KINEMATICS_PSEUDO_RIGID) {
        return (tal_solid_site){1, {(int32_t)(name & UINT32_MAX)}, {1.0}};
    }
    tal_vec3 arm[2];
    tal_listed_arms(model, state, manifold, k, arm);
    const tal_mat3 q = tal_quat_matrix(state->orientation[soft->body]);
    return tal_solid_find_site(soft->solid, tal_mat3_apply_transposed(&q, arm[side]));
}

static int32_t activate(tal_soft_body *soft, int32_t slot) {
    TAL_ASSERT(slot >= 0);
    if (soft->active_of_slot[slot] < 0) {
        const int32_t node = soft->solid->surface_node[slot];
        memcpy(&soft->before[8 + 3 * soft->active_count], &soft->rate_before[3 * node],
               3 * sizeof *soft->before);
        soft->active_slot[soft->active_count] = slot;
        soft->active_of_slot[slot] = soft->active_count++;
    }
    return soft->active_of_slot[slot];
}

static void place_contact(const tal_model *model, const tal_state *state, tal_soft_body *soft,
                          const tal_pair *pair, int32_t number, int side, tal_soft_site *site) {
    const tal_manifold *manifold = &state->work.list.manifold[pair->manifold];
    const int32_t first = manifold->first_point;
    const tal_solid_site found =
        find_site(model, state, soft, manifold, first + number - pair->first_contact, side);
    const tal_vec3 point_normal = state->work.list.point[first].normal;
    tal_vec3 axis[3] = {point_normal};
    tal_vec3_tangents(point_normal, &axis[1], &axis[2]);
    site->count = found.count;
    for (int32_t n = 0; n < found.count; n++) {
        site->node[n] = found.node[n];
        site->slot[n] = soft->solid->surface_slot[found.node[n]];
        site->active[n] = activate(soft, site->slot[n]);
        site->weight[n] = found.weight[n];
    }
    for (int f = 0; f < 3; f++) {
        const tal_vec3 a = tal_mat3_apply_transposed(&soft->rotation, axis[f]);
        site->axis[f][0] = a.x;
        site->axis[f][1] = a.y;
        site->axis[f][2] = a.z;
    }
}

static void forget_contacts(const tal_model *model, tal_state *state) {
    for (int32_t n = 0; n < model->soft_count; n++) {
        tal_soft_body *soft = &state->soft[n];
        for (int32_t k = 0; k < soft->active_count; k++) {
            soft->active_of_slot[soft->active_slot[k]] = -1;
        }
        soft->active_count = 0;
        soft->site = state->work.soft_site;
        memcpy(soft->before, &state->work.motion_before[soft->body], sizeof(tal_rigid_motion));
    }
}

static tal_status reserve_sites(tal_state *state, int32_t contact_count, tal_error *err) {
    if (contact_count > state->work.soft_site_capacity) {
        const size_t room = (size_t)contact_count + (size_t)contact_count / 2 + 64;
        tal_memory_destroy(state->work.soft_site);
        state->work.soft_site_capacity = 0;
        TAL_CREATE(state->work.soft_site, 2 * room, "places of contacts", err);
        state->work.soft_site_capacity = (int32_t)room;
    }
    return TAL_OK;
}

// (9): rates of all nodes touched by a percussion at the nodes of a site. The inverse is symmetric, and a row of
// it lies together.
static void fill_response(const tal_soft_body *soft, tal_soft_site *site) {
    const tal_solid *s = soft->solid;
    const double *row[4];
    for (int32_t n = 0; n < site->count; n++) {
        row[n] = &soft->level->compliance[9 * (ptrdiff_t)site->slot[n] * s->surface_count];
    }
    s->kernel->answer(soft->active_count, soft->active_slot, site->count, row, site->weight,
                      (const double(*)[3])site->axis, tal_soft_column(soft), site->response);
}

typedef struct {
    const tal_model *model;
    tal_state *state;
} filling;

static void fill_responses(void *context, int64_t first, int64_t end) {
    const filling *f = context;
    for (int64_t p = first; p < end; p++) {
        const tal_pair *pair = &f->state->work.problem.pair[p];
        const int32_t body[2] = {pair->body_i, pair->body_j};
        for (int side = 0; side < 2; side++) {
            const tal_soft_body *soft = tal_soft_of(f->model, f->state, body[side]);
            for (int32_t n = 0; soft != NULL && n < pair->contact_count; n++) {
                fill_response(soft,
                              &f->state->work.soft_site[2 * (pair->first_contact + n) + side]);
            }
        }
    }
}

// How many numbers the answers of all sites take; where `room` is given they get their places in it.
static size_t lay_out_responses(const tal_model *model, tal_state *state, double *room) {
    const tal_percussion_problem *problem = &state->work.problem;
    size_t total = 0;
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        const int32_t body[2] = {pair->body_i, pair->body_j};
        for (int side = 0; side < 2; side++) {
            const tal_soft_body *soft = tal_soft_of(model, state, body[side]);
            for (int32_t n = 0; soft != NULL && n < pair->contact_count; n++) {
                if (room != NULL) {
                    const int32_t k = pair->first_contact + n;
                    state->work.soft_site[2 * k + side].response = &room[total];
                }
                total += 3 * (size_t)tal_soft_column(soft);
            }
        }
    }
    return total;
}

// After all nodes touched are known.
static tal_status find_responses(const tal_model *model, tal_state *state, tal_error *err) {
    const size_t total = lay_out_responses(model, state, NULL);
    if (total > state->work.soft_response_capacity) {
        const size_t room = total + total / 2 + 1024;
        tal_memory_destroy(state->work.soft_response);
        state->work.soft_response_capacity = 0;
        TAL_CREATE(state->work.soft_response, room, "answers of nodes", err);
        state->work.soft_response_capacity = room;
    }
    lay_out_responses(model, state, state->work.soft_response);
    tal_threads_loop(state->work.thread_count, state->work.problem.pair_count, 1, fill_responses,
                     &(filling){model, state});
    return TAL_OK;
}

tal_status tal_soft_place_contacts(const tal_model *model, tal_state *state, tal_error *err) {
    tal_percussion_problem *problem = &state->work.problem;
    if (model->soft_count == 0) {
        return TAL_OK;
    }
    TAL_TRY(reserve_sites(state, problem->contact_count, err));
    forget_contacts(model, state);
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        const int32_t body[2] = {pair->body_i, pair->body_j};
        for (int side = 0; side < 2; side++) {
            tal_soft_body *soft = tal_soft_of(model, state, body[side]);
            for (int32_t n = 0; soft != NULL && n < pair->contact_count; n++) {
                const int32_t k = pair->first_contact + n;
                place_contact(model, state, soft, pair, k, side,
                              &state->work.soft_site[2 * k + side]);
            }
        }
    }
    for (int32_t n = 0; n < model->soft_count; n++) {
        state->work.general[n].motion_count = 8 + 3 * state->soft[n].active_count;
        state->work.general[n].is_mobile = state->is_immovable[state->soft[n].body] == 0;
    }
    problem->general_count = model->soft_count;
    problem->general = state->work.general;
    problem->general_number = model->soft_of_body;
    return find_responses(model, state, err);
}
