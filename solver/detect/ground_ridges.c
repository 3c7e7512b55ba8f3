// SPDX-License-Identifier: GPL-3.0-or-later
// The convex features of the ground against a body: ridges (and the rim) against body edges,
// vertices and spheres, peaks against everything. A normal is accepted only within the fan of
// normals that its feature has, so flat and hollow places never answer here.
#include "solver/detect/narrow_distance.h"
#include "solver/detect/narrow_ground.h"

#include <math.h>
#include <stdlib.h>

// How far (sine) a normal may leave the fan of a feature and still count: plates lying on ridges
// and peaks keep all their points while they rock a little.
static const double FAN_SLACK = 0.02;
// Edges closer to parallel than this (sine) have no common normal worth using.
static const double PARALLEL_SINE = 1e-3;
// Part of its length by which an edge is taken longer, so that nothing slips between two edges in
// line; what both find is one point.
static const double END_SLACK = 1e-9;

// A convex edge of the ground, seen from the body's centre.
typedef struct {
    int32_t triangle, corner;
    tal_vec3 from, along; // start, and unit direction
    double length;
    tal_vec3 normal[2]; // of the faces on both sides; beyond the rim: sideways
    tal_vec3 leave[2];  // in each face's plane, across the edge and out of the face
    int32_t surface_class[2];
    bool is_rim;
} ridge;

static int32_t next_corner(int32_t corner) {
    return corner < 2 ? corner + 1 : 0;
}

static ridge make_ridge(const tal_terrain *t, const tal_posed_body *body, int32_t triangle,
                        int32_t corner) {
    ridge r = {.triangle = triangle, .corner = corner};
    const int32_t neighbour = t->neighbour[3 * triangle + corner];
    r.from = tal_ground_corner(t, body, triangle, corner);
    const tal_vec3 span =
        tal_vec3_subtract(tal_ground_corner(t, body, triangle, next_corner(corner)), r.from);
    r.length = tal_vec3_length(span);
    r.along = tal_vec3_scale(span, 1.0 / r.length);
    r.normal[0] = t->normal[triangle];
    r.leave[0] = tal_vec3_cross(r.along, r.normal[0]);
    r.normal[1] = neighbour >= 0 ? t->normal[neighbour] : r.leave[0];
    r.leave[1] = tal_vec3_cross(r.normal[1], r.along);
    r.surface_class[0] = t->surface_class[triangle];
    r.surface_class[1] = neighbour >= 0 ? t->surface_class[neighbour] : r.surface_class[0];
    r.is_rim = neighbour < 0;
    return r;
}

// Is n (perpendicular to the ridge) between its two normals? A normal that leaves the fan by less
// than the slack is turned back to the nearer face normal.
static bool limit_to_ridge(const ridge *r, tal_vec3 *n) {
    const double beyond[2] = {tal_vec3_dot(*n, r->leave[0]), tal_vec3_dot(*n, r->leave[1])};
    if (beyond[0] < -FAN_SLACK || beyond[1] < -FAN_SLACK ||
        tal_vec3_dot(*n, tal_vec3_add(r->normal[0], r->normal[1])) <= 0.0) {
        return false;
    }
    if (beyond[0] < 0.0) {
        *n = r->normal[0];
    } else if (beyond[1] < 0.0) {
        *n = r->normal[1];
    }
    return true;
}

static int32_t ridge_class(const ridge *r, tal_vec3 n) {
    return tal_vec3_dot(n, r->normal[0]) >= tal_vec3_dot(n, r->normal[1]) ? r->surface_class[0]
                                                                          : r->surface_class[1];
}

// n lies between the outward normals of the two faces at a body edge.
static bool body_edge_faces(const tal_posed_body *body, int32_t edge, tal_vec3 unit_along,
                            tal_vec3 n) {
    const tal_shape_index *faces =
        &body->shapes->edge_face[2 * (body->shapes->edge_start[body->topology] + edge)];
    const tal_vec3 leave_first = tal_vec3_cross(unit_along, body->face[faces[0]].normal);
    const tal_vec3 leave_second = tal_vec3_cross(body->face[faces[1]].normal, unit_along);
    const tal_vec3 sum = tal_vec3_add(body->face[faces[0]].normal, body->face[faces[1]].normal);
    return tal_vec3_dot(n, leave_first) >= -FAN_SLACK &&
           tal_vec3_dot(n, leave_second) >= -FAN_SLACK && tal_vec3_dot(n, sum) > 0.0;
}

static bool body_holds(const tal_posed_body *body, tal_vec3 p) {
    for (int32_t f = 0; f < body->face_count; f++) {
        if (tal_vec3_dot(body->face[f].normal, p) - body->face[f].offset > 0.0) {
            return false;
        }
    }
    return true;
}

// Does any of a ridge lie in the body?
static bool ridge_pierces(const tal_posed_body *body, const ridge *r) {
    double enter = 0.0, leave = r->length;
    for (int32_t f = 0; f < body->face_count; f++) {
        const tal_posed_face *face = &body->face[f];
        const double outside = tal_vec3_dot(face->normal, r->from) - face->offset;
        const double slope = tal_vec3_dot(face->normal, r->along);
        if (slope < 0.0) {
            enter = tal_larger(enter, outside / -slope);
        } else if (slope > 0.0) {
            leave = tal_smaller(leave, outside / -slope);
        } else if (outside > 0.0) {
            return false;
        }
    }
    return enter < leave;
}

// Edges that cross below each other overlap if the point of either lies in the other solid: at an acute
// edge of a body the ridge point may already be outside again while the ridge beside it is not. Where the
// ridge is acute as well both points may be outside; then what lies beside them decides.
static bool edges_overlap(const tal_terrain *t, const tal_posed_body *body,
                          tal_ground_scratch *scratch, const ridge *r, tal_vec3 on_ridge,
                          tal_vec3 on_body) {
    return body_holds(body, on_ridge) || tal_ground_holds(t, body, scratch, on_body) ||
           (tal_vec3_dot(r->normal[0], r->normal[1]) < 0.0 && ridge_pierces(body, r));
}

// Lifting a body by its depth under the plane of the face clears an edge of that face: what claims more, comes from
// the wrong side. At the rim, which has no face beyond, a body that lies across it would be thrown off sideways.
static bool is_deeper_than_face(const tal_posed_body *body, const ridge *r, double gap) {
    double low = INFINITY;
    for (int32_t v = 0; v < body->vertex_count; v++) {
        const tal_vec3 p = tal_posed_vertex(body, v);
        low = tal_smaller(low, tal_vec3_dot(r->normal[0], tal_vec3_subtract(p, r->from)));
    }
    return gap < low - 1e-9 * body->bounding_radius;
}

static void try_body_edge(const tal_terrain *t, const tal_posed_body *body,
                          tal_ground_scratch *scratch, const ridge *r, int32_t edge) {
    const tal_shape_index *ends =
        &body->shapes->edge_vertex[2 * (body->shapes->edge_start[body->topology] + edge)];
    const tal_vec3 from = tal_posed_vertex(body, ends[0]);
    const double length = scratch->edge_length[edge];
    const tal_vec3 along = scratch->edge_direction[edge];
    const tal_vec3 cross = tal_vec3_cross(r->along, along);
    const double sine = tal_vec3_length(cross);
    if (sine < PARALLEL_SINE) {
        return;
    }
    const double sign =
        tal_vec3_dot(cross, tal_vec3_add(r->normal[0], r->normal[1])) < 0.0 ? -1.0 : 1.0;
    const tal_vec3 common = tal_vec3_scale(cross, sign / sine);
    tal_vec3 n = common;
    // The fan of a ridge is narrow: it turns most edges away.
    if (!limit_to_ridge(r, &n) ||
        !body_edge_faces(body, edge, along, tal_vec3_scale(common, -1.0))) {
        return;
    }
    // Closest points of the two lines (unit directions).
    const tal_vec3 between = tal_vec3_subtract(from, r->from);
    const double c = tal_vec3_dot(r->along, along);
    const double d = tal_vec3_dot(r->along, between), e = tal_vec3_dot(along, between);
    const double on_ridge = (d - c * e) / (sine * sine), on_body = (c * d - e) / (sine * sine);
    if (on_ridge < -END_SLACK * r->length || on_ridge > (1.0 + END_SLACK) * r->length ||
        on_body < -END_SLACK * length || on_body > (1.0 + END_SLACK) * length) {
        return;
    }
    const tal_vec3 p = tal_vec3_add_scaled(r->from, on_ridge, r->along);
    const tal_vec3 q = tal_vec3_add_scaled(from, on_body, along);
    const double gap = tal_vec3_dot(n, tal_vec3_subtract(q, p));
    if (gap < body->reach && gap > -body->bounding_radius &&
        (gap >= 0.0 || (edges_overlap(t, body, scratch, r, p, q) &&
                        !(r->is_rim && is_deeper_than_face(body, r, gap))))) {
        tal_ground_add(scratch, body, p, n, gap, tal_feature_edge(body, edge),
                       tal_ground_feature_edge(t, r->triangle, r->corner), ridge_class(r, n));
    }
}

static bool is_lowest_vertex(const tal_posed_body *body, int32_t vertex, tal_vec3 n) {
    const double own = tal_vec3_dot(n, tal_posed_vertex(body, vertex));
    for (int32_t k = 0; k < body->vertex_count; k++) {
        if (tal_vec3_dot(n, tal_posed_vertex(body, k)) < own - FAN_SLACK * body->smallest_edge) {
            return false;
        }
    }
    return true;
}

// A point outside, nearest to the inside of a ridge edge: between its two faces.
static void try_point(const tal_terrain *t, const tal_posed_body *body, tal_ground_scratch *scratch,
                      const ridge *r, tal_vec3 p, int32_t vertex) {
    const double s = tal_vec3_dot(tal_vec3_subtract(p, r->from), r->along);
    if (s < -END_SLACK * r->length || s > (1.0 + END_SLACK) * r->length) {
        return;
    }
    const tal_vec3 foot = tal_vec3_add_scaled(r->from, s, r->along);
    const tal_vec3 away = tal_vec3_subtract(p, foot);
    const double distance = tal_vec3_length(away);
    if (distance >= body->reach + body->radius || distance < 1e-9 * body->bounding_radius) {
        return;
    }
    const tal_vec3 n = tal_vec3_scale(away, 1.0 / distance);
    if (tal_vec3_dot(n, r->leave[0]) < 0.0 || tal_vec3_dot(n, r->leave[1]) < 0.0 ||
        tal_vec3_dot(n, tal_vec3_add(r->normal[0], r->normal[1])) <= 0.0 ||
        (vertex >= 0 && !is_lowest_vertex(body, vertex, n))) {
        return;
    }
    tal_ground_add(scratch, body, foot, n, distance - body->radius,
                   vertex >= 0 ? tal_feature_vertex(body, vertex) : 0,
                   tal_ground_feature_edge(t, r->triangle, r->corner), ridge_class(r, n));
}

static void find_edge_directions(const tal_posed_body *body, tal_ground_scratch *scratch) {
    const tal_shape_index *ends =
        &body->shapes->edge_vertex[2 * body->shapes->edge_start[body->topology]];
    for (int32_t e = 0; e < body->edge_count; e++) {
        const tal_vec3 span = tal_vec3_subtract(tal_posed_vertex(body, ends[2 * e + 1]),
                                                tal_posed_vertex(body, ends[2 * e]));
        scratch->edge_length[e] = tal_vec3_length(span);
        scratch->edge_direction[e] = tal_vec3_scale(span, 1.0 / scratch->edge_length[e]);
    }
    scratch->edge_directions_known = true;
}

// How far each vertex is above all of a ridge along the mean of its normals: what is out of reach there
// is out of reach altogether. False if all of the body is.
static bool measure_heights(const tal_posed_body *body, const ridge *r,
                            tal_ground_scratch *scratch) {
    const tal_vec3 n = tal_vec3_normalize(tal_vec3_add(r->normal[0], r->normal[1]));
    const double top =
        tal_vec3_dot(n, r->from) + tal_larger(0.0, r->length * tal_vec3_dot(n, r->along));
    double low = INFINITY;
    for (int32_t v = 0; v < body->vertex_count; v++) {
        scratch->height[v] = n.x * body->x[v] + n.y * body->y[v] + n.z * body->z[v] - top;
        low = tal_smaller(low, scratch->height[v]);
    }
    return low < body->reach;
}

static void meet_ridge(const tal_terrain *t, const tal_posed_body *body,
                       tal_ground_scratch *scratch, const ridge *r) {
    if (body->kind == TAL_SHAPE_SPHERE) {
        try_point(t, body, scratch, r, (tal_vec3){0.0, 0.0, 0.0}, -1);
        return;
    }
    if (!measure_heights(body, r, scratch)) {
        return;
    }
    if (!scratch->edge_directions_known) {
        find_edge_directions(body, scratch);
    }
    const tal_shape_index *ends =
        &body->shapes->edge_vertex[2 * body->shapes->edge_start[body->topology]];
    for (int32_t e = 0; e < body->edge_count; e++) {
        if (scratch->height[ends[2 * e]] < body->reach ||
            scratch->height[ends[2 * e + 1]] < body->reach) {
            try_body_edge(t, body, scratch, r, e);
        }
    }
    for (int32_t v = 0; v < body->vertex_count; v++) {
        if (scratch->height[v] < body->reach) {
            try_point(t, body, scratch, r, tal_posed_vertex(body, v), v);
        }
    }
}

// Does n (out of the ground) lie in the fan of a vertex, that is, does no edge rise above it?
static bool vertex_faces(const tal_terrain *t, int32_t vertex, tal_vec3 n) {
    const tal_vec3 top = t->vertex[vertex];
    for (int32_t k = t->vertex_triangle_start[vertex]; k < t->vertex_triangle_start[vertex + 1];
         k++) {
        const int32_t *corners = &t->triangle[3 * t->vertex_triangle[k]];
        for (int c = 0; c < 3; c++) {
            const tal_vec3 down = tal_vec3_subtract(t->vertex[corners[c]], top);
            const double rise = tal_vec3_dot(down, n);
            if (rise > 0.0 && rise * rise > FAN_SLACK * FAN_SLACK * tal_vec3_dot(down, down)) {
                return false;
            }
        }
    }
    return true;
}

static int32_t vertex_class(const tal_terrain *t, int32_t vertex, tal_vec3 n) {
    int32_t best = t->vertex_triangle[t->vertex_triangle_start[vertex]];
    for (int32_t k = t->vertex_triangle_start[vertex] + 1; k < t->vertex_triangle_start[vertex + 1];
         k++) {
        const int32_t other = t->vertex_triangle[k];
        if (tal_vec3_dot(n, t->normal[other]) > tal_vec3_dot(n, t->normal[best])) {
            best = other;
        }
    }
    return t->surface_class[best];
}

static void add_peak(const tal_terrain *t, const tal_posed_body *body, tal_ground_scratch *scratch,
                     int32_t vertex, tal_vec3 n, double gap, uint32_t body_feature) {
    if (gap < body->reach && vertex_faces(t, vertex, n)) {
        const tal_vec3 top = tal_vec3_subtract(t->vertex[vertex], body->centre);
        tal_ground_add(scratch, body, top, n, gap, body_feature,
                       tal_ground_feature_vertex(t, vertex), vertex_class(t, vertex, n));
    }
}

static void meet_peak_with_sphere(const tal_terrain *t, const tal_posed_body *body,
                                  tal_ground_scratch *scratch, int32_t vertex) {
    const tal_vec3 away = tal_vec3_subtract(body->centre, t->vertex[vertex]);
    const double distance = tal_vec3_length(away);
    const tal_vec3 n = tal_vec3_normalize(away);
    // Strictly within the fan: elsewhere a face or an edge is nearer and answers.
    for (int32_t k = t->vertex_triangle_start[vertex]; k < t->vertex_triangle_start[vertex + 1];
         k++) {
        const int32_t *corners = &t->triangle[3 * t->vertex_triangle[k]];
        for (int c = 0; c < 3; c++) {
            if (tal_vec3_dot(tal_vec3_subtract(t->vertex[corners[c]], t->vertex[vertex]), n) >
                0.0) {
                return;
            }
        }
    }
    if (tal_vec3_dot(n, t->vertex_normal[vertex]) > 0.0) {
        add_peak(t, body, scratch, vertex, n, distance - body->radius, 0);
    }
}

// A peak inside the body leaves through the least deep face that its fan allows.
static void meet_sunk_peak(const tal_terrain *t, const tal_posed_body *body,
                           tal_ground_scratch *scratch, int32_t vertex, tal_vec3 in_body) {
    const tal_shapes *s = body->shapes;
    const int32_t first = s->face_start[body->shape];
    double best = -body->bounding_radius;
    int32_t face = -1;
    for (int32_t f = 0; f < body->face_count; f++) {
        const double d =
            tal_vec3_dot(s->face_normal[first + f], in_body) - s->face_offset[first + f];
        if (d > best && tal_polyhedron_face_holds(body, f, in_body, 0.0) &&
            vertex_faces(t, vertex, tal_vec3_scale(body->face[f].normal, -1.0))) {
            best = d;
            face = f;
        }
    }
    if (face >= 0) {
        add_peak(t, body, scratch, vertex, tal_vec3_scale(body->face[face].normal, -1.0), best,
                 tal_feature_face(face));
    }
}

static void meet_peak(const tal_terrain *t, const tal_posed_body *body, tal_ground_scratch *scratch,
                      int32_t vertex) {
    if (body->kind == TAL_SHAPE_SPHERE) {
        meet_peak_with_sphere(t, body, scratch, vertex);
        return;
    }
    const tal_vec3 top = tal_vec3_subtract(t->vertex[vertex], body->centre);
    const tal_vec3 in_body = tal_mat3_apply_transposed(&body->rotation, top);
    const tal_closest_surface closest = tal_polyhedron_closest(body, in_body);
    if (closest.distance >= body->reach) {
        return;
    }
    if (closest.distance <= 0.0) {
        meet_sunk_peak(t, body, scratch, vertex, in_body);
    } else if (closest.on_face || closest.distance > 1e-9 * body->bounding_radius) {
        const tal_vec3 outward = tal_mat3_apply(&body->rotation, closest.normal);
        add_peak(t, body, scratch, vertex, tal_vec3_scale(outward, -1.0), closest.distance,
                 closest.feature);
    }
}

// Does the box of a segment meet the body's box grown by its reach?
static bool segment_is_near(const tal_posed_body *body, tal_vec3 a, tal_vec3 b) {
    const double reach = body->reach;
    const tal_vec3 low = tal_vec3_subtract(body->low, body->centre);
    const tal_vec3 high = tal_vec3_subtract(body->high, body->centre);
    return (a.x <= high.x + reach || b.x <= high.x + reach) &&
           (a.x >= low.x - reach || b.x >= low.x - reach) &&
           (a.y <= high.y + reach || b.y <= high.y + reach) &&
           (a.y >= low.y - reach || b.y >= low.y - reach) &&
           (a.z <= high.z + reach || b.z <= high.z + reach) &&
           (a.z >= low.z - reach || b.z >= low.z - reach);
}

static void note_corner(tal_ground_scratch *scratch, int32_t vertex) {
    void *list = scratch->corner;
    if (tal_ground_make_room(scratch, &list, scratch->corner_count, &scratch->corner_capacity,
                             sizeof *scratch->corner)) {
        scratch->corner = list;
        scratch->corner[scratch->corner_count++] = vertex;
    }
}

static int compare_corners(const void *left, const void *right) {
    const int32_t l = *(const int32_t *)left, r = *(const int32_t *)right;
    return l < r ? -1 : l > r ? 1 : 0;
}

static void visit_triangle(const tal_terrain *t, const tal_posed_body *body,
                           tal_ground_scratch *scratch, int32_t triangle) {
    for (int32_t k = 0; k < 3; k++) {
        const int32_t neighbour = t->neighbour[3 * triangle + k];
        const int32_t vertex = t->triangle[3 * triangle + k];
        const bool owns_edge =
            t->edge_convex[3 * triangle + k] != 0 && (neighbour < 0 || triangle < neighbour);
        if (!owns_edge && t->vertex_convex[vertex] == 0) {
            continue;
        }
        const tal_vec3 a = tal_ground_corner(t, body, triangle, k);
        if (owns_edge &&
            segment_is_near(body, a, tal_ground_corner(t, body, triangle, next_corner(k)))) {
            const ridge r = make_ridge(t, body, triangle, k);
            meet_ridge(t, body, scratch, &r);
        }
        if (t->vertex_convex[vertex] != 0 && segment_is_near(body, a, a)) {
            note_corner(scratch, vertex);
        }
    }
}

void tal_ground_find_ridges(const tal_terrain *terrain, const tal_posed_body *body,
                            tal_ground_scratch *scratch) {
    scratch->corner_count = 0;
    scratch->edge_directions_known = false;
    for (int32_t k = 0; k < scratch->triangle_count; k++) {
        visit_triangle(terrain, body, scratch, scratch->triangle[k].triangle);
    }
    if (scratch->corner_count > 1) {
        qsort(scratch->corner, (size_t)scratch->corner_count, sizeof *scratch->corner,
              compare_corners);
    }
    for (int32_t k = 0; k < scratch->corner_count; k++) {
        if (k == 0 || scratch->corner[k] != scratch->corner[k - 1]) {
            meet_peak(terrain, body, scratch, scratch->corner[k]);
        }
    }
}
