// SPDX-License-Identifier: GPL-3.0-or-later
// Polyhedron pairs by separating axes: faces first, edges only where faces cannot decide, closest
// points where the bodies are apart corner to corner.
#include "solver/detect/narrow_phase.h"

#include "core/base/memory.h"
#include "solver/detect/narrow_distance.h"

#include <math.h>

// Two axes whose separations differ by less than this part of the smaller body's shortest edge
// count as equal: then faces win over edges, and the larger face over the smaller.
static const double AXIS_TOLERANCE = 1e-3;
// A contact normal this close to a face normal (cosine of about 2 degrees) gets the face's full
// manifold.
static const double FACE_COSINE = 0.9994;
// That manifold may be deeper than what was found otherwise by this part of the smaller body's radius,
// unless that is ten times as deep anyway: then its depth has to be exact.
static const double FACE_DEEPER = 2e-3;

typedef struct {
    double separation;
    int32_t face;
} face_axis;

typedef struct {
    double separation;
    tal_vec3 normal; // from i to j
    int32_t edge_i, edge_j;
} edge_axis;

// A pair at hand: bodies i and j, j's centre seen from i's.
typedef struct {
    const tal_posed_body *i, *j;
    tal_vec3 shift;
    double reach;
    double margin;    // rounding of a separation
    double tolerance; // AXIS_TOLERANCE in metres
    double enough;    // bodies that an axis separates by more have nothing to report
    double enough_by_hint;
    double *same_below; // which larger reaches have the same answer, as far as is known
} pair_view;

static pair_view view_pair(const tal_posed_body *i, const tal_posed_body *j, double reach,
                           double *same_below) {
    const double size = i->bounding_radius + j->bounding_radius;
    const double shallow = tal_smaller(i->shallow, j->shallow);
    pair_view pair = {.i = i,
                      .j = j,
                      .shift = tal_vec3_subtract(j->centre, i->centre),
                      .reach = reach,
                      .margin = 1e-12 * size,
                      .tolerance = AXIS_TOLERANCE * tal_smaller(i->smallest_edge, j->smallest_edge),
                      .same_below = same_below};
    // What a hint rules out, the full search would rule out too. The hint is a unit vector to seven digits
    // only. Bodies that overlap have a face or edges that separate as much as any other direction; those that do
    // not may miss it by the tolerance.
    pair.enough = shallow > 0.0 ? -shallow : reach + pair.margin;
    pair.enough_by_hint =
        shallow > 0.0 ? -shallow + 1e-6 * size : reach * (1.0 + 1e-5) + 2.0 * pair.tolerance;
    return pair;
}

static int32_t lowest_vertex_along(const tal_posed_body *body, tal_vec3 n) {
    int32_t best = 0;
    double low = INFINITY;
    for (int32_t k = 0; k < body->vertex_count; k++) {
        const double d = n.x * body->x[k] + n.y * body->y[k] + n.z * body->z[k];
        best = d < low ? k : best;
        low = d < low ? d : low;
    }
    return best;
}

static double separation_along(const pair_view *pair, tal_vec3 n) {
    return tal_posed_lowest(pair->j, n) + tal_vec3_dot(n, pair->shift) +
           tal_posed_lowest(pair->i, tal_vec3_scale(n, -1.0));
}

static void note_limit(const pair_view *pair, double reach) {
    *pair->same_below = tal_smaller(*pair->same_below, reach);
}

static double face_separation(const tal_posed_body *a, const tal_posed_body *b, tal_vec3 shift,
                              int32_t face) {
    const tal_posed_face *f = &a->face[face];
    return tal_vec3_dot(f->normal, shift) - f->offset + tal_posed_lowest(b, f->normal);
}

// The face of one of the two that separated them last time, wherever it looks now.
static bool face_hint_separates(const pair_view *pair, int32_t face) {
    const double separation =
        face > 0 ? face_separation(pair->i, pair->j, pair->shift, face - 1)
                 : face_separation(pair->j, pair->i, tal_vec3_scale(pair->shift, -1.0), -face - 1);
    if (!(separation > pair->enough)) {
        return false;
    }
    note_limit(pair, separation - pair->margin);
    return true;
}

static bool hint_separates(const pair_view *pair, const tal_pair_hint *hint) {
    if (hint->face != 0) {
        return face_hint_separates(pair, hint->face);
    }
    const tal_vec3 n = {hint->x, hint->y, hint->z};
    const double separation = tal_vec3_dot(n, n) > 0.5 ? separation_along(pair, n) : -INFINITY;
    if (!(separation > pair->enough_by_hint)) {
        return false;
    }
    note_limit(pair, (separation - 2.0 * pair->tolerance) * (1.0 - 1e-5));
    return true;
}

// Nothing to report, because of an axis that separates the two.
static int32_t leave_apart(const pair_view *pair, tal_pair_hint *hint, tal_vec3 n,
                           double separation) {
    note_limit(pair, separation - pair->margin);
    *hint = (tal_pair_hint){(float)n.x, (float)n.y, (float)n.z, 0, 0.0F};
    return 0;
}

static int32_t leave_apart_by_face(const pair_view *pair, tal_pair_hint *hint, int32_t face,
                                   double separation) {
    note_limit(pair, separation - pair->margin);
    *hint = (tal_pair_hint){.face = face};
    return 0;
}

// Two boxes, or a polyhedron against a box: how far the box reaches is known along every normal. Stops at the
// first face beyond `enough`.
static face_axis find_face_axis_of_box(const tal_posed_body *a, const tal_posed_body *b,
                                       tal_vec3 shift, double enough) {
    face_axis best = {-INFINITY, 0};
    for (int32_t f = 0; f < a->face_count && best.separation <= enough; f++) {
        const tal_vec3 n = a->face[f].normal;
        const double along = tal_vec3_dot(n, shift);
        // The opposite face of a box separates at least as much.
        if (along < 0.0 && a->is_box != 0) {
            continue;
        }
        const double s = along - a->face[f].offset + tal_posed_lowest(b, n);
        best = s > best.separation ? (face_axis){s, f} : best;
    }
    return best;
}

// The face of `a` that separates most, the first of equal ones. No face separates by more than it does from a
// point of `b`, here the corner that looks towards `a`: most need no other. Stops beyond `enough`.
static face_axis find_face_axis(const tal_posed_body *a, const tal_posed_body *b, tal_vec3 shift,
                                double enough) {
    if (b->is_box != 0) {
        return find_face_axis_of_box(a, b, shift, enough);
    }
    const tal_vec3 corner = tal_vec3_add(tal_posed_vertex(b, lowest_vertex_along(b, shift)), shift);
    double most = -INFINITY;
    int32_t likely = 0;
    for (int32_t f = 0; f < a->face_count; f++) {
        const double bound = tal_vec3_dot(a->face[f].normal, corner) - a->face[f].offset;
        likely = bound > most ? f : likely;
        most = bound > most ? bound : most;
    }
    const double slack = 1e-12 * (a->bounding_radius + b->bounding_radius); // for rounding
    face_axis best = {-INFINITY, 0};
    for (int32_t n = -1; n < a->face_count && best.separation <= enough; n++) {
        const int32_t f = n < 0 ? likely : n;
        const tal_posed_face *face = &a->face[f];
        if (n == likely ||
            tal_vec3_dot(face->normal, corner) - face->offset + slack < best.separation) {
            continue;
        }
        const double s = face_separation(a, b, shift, f);
        if (s > best.separation || (s == best.separation && f < best.face)) {
            best = (face_axis){s, f};
        }
    }
    return best;
}

static const tal_shape_index *edge_ends(const tal_posed_body *body, int32_t edge) {
    const tal_shapes *s = body->shapes;
    return &s->edge_vertex[2 * (s->edge_start[body->topology] + edge)];
}

static tal_vec3 edge_vector(const tal_posed_body *body, int32_t edge) {
    const tal_shape_index *v = edge_ends(body, edge);
    return tal_vec3_subtract(tal_posed_vertex(body, v[1]), tal_posed_vertex(body, v[0]));
}

static tal_vec3 edge_origin(const tal_posed_body *body, int32_t edge) {
    return tal_posed_vertex(body, edge_ends(body, edge)[0]);
}

static const tal_shape_index *edge_faces(const tal_posed_body *body, int32_t edge) {
    const tal_shapes *s = body->shapes;
    return &s->edge_face[2 * (s->edge_start[body->topology] + edge)];
}

// Parallel edges share the direction of one of them.
static tal_vec3 edge_direction(const tal_posed_body *body, int32_t edge) {
    const tal_shapes *s = body->shapes;
    const int32_t axis = s->edge_axis[s->edge_start[body->topology] + edge];
    return edge_vector(body, s->axis_edge[s->axis_start[body->topology] + axis]);
}

// The edges whose separation from the other body may be `floor` or more. No normal n between those of an edge's
// two faces separates by more than n . (point - edge), for any point of the other body: `point`, seen from
// this one's centre, is best taken where the two are close. As n = s a + t b with s + t >= 1, the edge is out if
// the point is that far behind both faces. Returns how many there are.
static int32_t list_near_edges(const tal_posed_body *body, tal_vec3 point, double floor,
                               int32_t *near) {
    int32_t count = 0;
    for (int32_t e = 0; e < body->edge_count; e++) {
        const tal_shape_index *faces = edge_faces(body, e);
        const tal_posed_face *a = &body->face[faces[0]], *b = &body->face[faces[1]];
        near[count] = e;
        count += tal_vec3_dot(a->normal, point) - a->offset >= floor ||
                 tal_vec3_dot(b->normal, point) - b->offset >= floor;
    }
    return count;
}

// Separation along the common normal of two edges whose arcs cross on the Gauss map.
static void try_edges(const pair_view *pair, int32_t edge_i, int32_t edge_j, tal_vec3 axis_i,
                      tal_vec3 axis_j, edge_axis *best) {
    const tal_vec3 cross = tal_vec3_cross(axis_i, axis_j);
    const double length2 = tal_vec3_dot(cross, cross);
    const tal_vec3 p = edge_origin(pair->i, edge_i);
    const tal_vec3 q = tal_vec3_add(edge_origin(pair->j, edge_j), pair->shift);
    // The centre is inside, so the outward normal of a supporting edge looks away from it.
    const double sign = tal_vec3_dot(cross, p) < 0.0 ? -1.0 : 1.0;
    const double s = sign * tal_vec3_dot(cross, tal_vec3_subtract(q, p));
    // s / length > best, without the root where the signs decide.
    if ((s <= 0.0 && best->separation > 0.0) ||
        length2 <= 1e-16 * tal_vec3_dot(axis_i, axis_i) * tal_vec3_dot(axis_j, axis_j)) {
        return;
    }
    const double scale = 1.0 / sqrt(length2);
    if (s * scale > best->separation) {
        *best = (edge_axis){s * scale, tal_vec3_scale(cross, sign * scale), edge_i, edge_j};
    }
}

// The edge along direction `axis` of a box that lies farthest along n.
static int32_t farthest_edge(const tal_posed_body *box, int32_t axis, tal_vec3 n) {
    const int32_t first = box->shapes->edge_start[box->topology];
    int32_t best = 0;
    double farthest = -INFINITY;
    for (int32_t e = 0; e < box->edge_count; e++) {
        if (box->shapes->edge_axis[first + e] == axis) {
            const double d = tal_vec3_dot(n, edge_origin(box, e));
            best = d > farthest ? e : best;
            farthest = d > farthest ? d : farthest;
        }
    }
    return best;
}

// Two boxes: nine directions, and along each the widths of both are known.
static edge_axis find_box_edge_axis(const pair_view *pair) {
    const tal_posed_body *i = pair->i, *j = pair->j;
    edge_axis best = {.separation = -INFINITY, .edge_i = -1, .edge_j = -1};
    int32_t best_a = 0, best_b = 0;
    for (int32_t a = 0; a < 3; a++) {
        for (int32_t b = 0; b < 3; b++) {
            const tal_vec3 n = tal_vec3_cross(i->half_edge[a], j->half_edge[b]);
            const double length2 = tal_vec3_dot(n, n);
            const double parallel = 1e-16 * tal_vec3_dot(i->half_edge[a], i->half_edge[a]) *
                                    tal_vec3_dot(j->half_edge[b], j->half_edge[b]);
            const double along = tal_vec3_dot(n, pair->shift);
            const double s = fabs(along) - tal_posed_half_width(i, n) - tal_posed_half_width(j, n);
            if (length2 <= parallel || (s <= 0.0 && best.separation > 0.0)) {
                continue;
            }
            const double scale = 1.0 / sqrt(length2);
            if (s * scale > best.separation) {
                best.separation = s * scale;
                best.normal = tal_vec3_scale(n, along < 0.0 ? -scale : scale);
                best_a = a;
                best_b = b;
            }
        }
    }
    best.edge_i = farthest_edge(i, best_a, best.normal);
    best.edge_j = farthest_edge(j, best_b, tal_vec3_scale(best.normal, -1.0));
    return best;
}

// The edge pair that separates most, if that is `floor` or more. Only pairs that form a face of the Minkowski
// difference can: the arcs between the normals on both sides of each edge must cross (Gregorius 2013). With edge
// directions along (first face) x (second face), c and d the normals of j along i's edge, a and b
// those of i along j's, they cross where c d < 0, a b < 0 and c b < 0. `normal`, from i to j, is about
// where they are close.
static edge_axis find_edge_axis(const pair_view *pair, tal_narrow_scratch *scratch, tal_vec3 normal,
                                double floor, double enough) {
    const tal_posed_body *i = pair->i, *j = pair->j;
    const int8_t *sign_i = &i->shapes->edge_sign[i->shapes->edge_start[i->topology]];
    const int8_t *sign_j = &j->shapes->edge_sign[j->shapes->edge_start[j->topology]];
    const tal_vec3 of_i = tal_posed_vertex(i, lowest_vertex_along(i, tal_vec3_scale(normal, -1.0)));
    const tal_vec3 of_j = tal_posed_vertex(j, lowest_vertex_along(j, normal));
    const double low = tal_smaller(floor, 0.0) - pair->margin;
    const int32_t count_i =
        list_near_edges(i, tal_vec3_add(of_j, pair->shift), low, scratch->near[0]);
    const int32_t count_j =
        list_near_edges(j, tal_vec3_subtract(of_i, pair->shift), low, scratch->near[1]);
    edge_axis best = {.separation = -INFINITY, .edge_i = -1, .edge_j = -1};
    for (int32_t k = 0; k < count_j; k++) {
        scratch->axis[k] = edge_direction(j, scratch->near[1][k]);
    }
    const tal_shape_index *faces_of_j = edge_faces(j, 0);
    for (int32_t n = 0; n < count_i && best.separation <= enough; n++) {
        const int32_t e = scratch->near[0][n];
        const tal_shape_index *faces_i = edge_faces(i, e);
        const tal_vec3 axis_i = edge_direction(i, e);
        for (int32_t f = 0; f < j->face_count; f++) {
            scratch->along[f] = tal_vec3_dot(j->face[f].normal, axis_i);
        }
        for (int32_t k = 0; k < count_j; k++) {
            const int32_t g = scratch->near[1][k];
            const double c = scratch->along[faces_of_j[2 * g]];
            const double d = scratch->along[faces_of_j[2 * g + 1]];
            if (c * d >= 0.0) {
                continue;
            }
            const double a = tal_vec3_dot(i->face[faces_i[0]].normal, scratch->axis[k]);
            const double b = tal_vec3_dot(i->face[faces_i[1]].normal, scratch->axis[k]);
            if (a * b < 0.0 && c * sign_i[e] * b * sign_j[g] < 0.0) {
                try_edges(pair, e, g, axis_i, scratch->axis[k], &best);
            }
        }
    }
    return best;
}

// The face of `incident` through its lowest vertex that looks most against n.
static int32_t find_incident_face(const tal_posed_body *incident, tal_vec3 n) {
    const tal_shapes *s = incident->shapes;
    const int32_t v = s->vertex_start[incident->topology] + lowest_vertex_along(incident, n);
    int32_t best = s->vertex_face[s->vertex_face_start[v]];
    for (int32_t k = s->vertex_face_start[v] + 1; k < s->vertex_face_start[v + 1]; k++) {
        const int32_t f = s->vertex_face[k];
        if (tal_vec3_dot(incident->face[f].normal, n) <
            tal_vec3_dot(incident->face[best].normal, n)) {
            best = f;
        }
    }
    return best;
}

// The one of the two faces at an edge that looks most against n.
static int32_t find_face_at_edge(const tal_posed_body *incident, int32_t edge, tal_vec3 n) {
    const tal_shape_index *face = edge_faces(incident, edge);
    return tal_vec3_dot(incident->face[face[0]].normal, n) <=
                   tal_vec3_dot(incident->face[face[1]].normal, n)
               ? face[0]
               : face[1];
}

// `edge` of the other body is known to touch; -1: nothing is known.
static int32_t clip_face_of(const pair_view *pair, bool reference_is_i, int32_t face, int32_t edge,
                            tal_contact_point *points) {
    const tal_posed_body *reference = reference_is_i ? pair->i : pair->j;
    const tal_posed_body *incident = reference_is_i ? pair->j : pair->i;
    const tal_vec3 n = reference->face[face].normal;
    const int32_t other =
        edge >= 0 ? find_face_at_edge(incident, edge, n) : find_incident_face(incident, n);
    return tal_manifold_clip_faces(reference, face, incident, other, reference_is_i, pair->reach,
                                   pair->same_below, points);
}

static double smallest_gap(const tal_contact_point *points, int32_t count) {
    double gap = INFINITY;
    for (int32_t k = 0; k < count; k++) {
        gap = points[k].gap < gap ? points[k].gap : gap;
    }
    return gap;
}

static double face_area(const tal_posed_body *body, int32_t face) {
    return body->shapes->face_area[body->shapes->face_start[body->shape] + face];
}

// Near-equal separations: the larger face, then the lower body, is the reference.
static bool prefer_face_of_i(const pair_view *pair, face_axis of_i, face_axis of_j) {
    const double difference = of_i.separation - of_j.separation;
    if (fabs(difference) > pair->tolerance) {
        return difference > 0.0;
    }
    return face_area(pair->i, of_i.face) >= face_area(pair->j, of_j.face) * (1.0 - 1e-9);
}

// A single point between two witnesses given about i's centre.
static int32_t write_single(const pair_view *pair, tal_vec3 on_i, tal_vec3 on_j, tal_vec3 normal,
                            double gap, uint32_t feature_i, uint32_t feature_j,
                            tal_contact_point *points) {
    if (!(gap < pair->reach)) {
        note_limit(pair, gap);
        return 0;
    }
    const tal_vec3 middle = tal_vec3_scale(tal_vec3_add(on_i, on_j), 0.5);
    points[0] =
        (tal_contact_point){tal_vec3_add(pair->i->centre, middle), tal_vec3_scale(normal, -1.0),
                            gap, tal_identity(feature_i, feature_j)};
    return 1;
}

// The closest points of the two lines through the edges, as fractions of their lengths; true when
// both lie on the edges themselves.
static bool edge_witnesses(const pair_view *pair, const edge_axis *axis, tal_vec3 *on_i,
                           tal_vec3 *on_j) {
    const tal_vec3 p = edge_origin(pair->i, axis->edge_i), u = edge_vector(pair->i, axis->edge_i);
    const tal_vec3 q = tal_vec3_add(edge_origin(pair->j, axis->edge_j), pair->shift);
    const tal_vec3 v = edge_vector(pair->j, axis->edge_j), w = tal_vec3_subtract(p, q);
    const double uu = tal_vec3_dot(u, u), uv = tal_vec3_dot(u, v), vv = tal_vec3_dot(v, v);
    const double uw = tal_vec3_dot(u, w), vw = tal_vec3_dot(v, w);
    const double determinant = uu * vv - uv * uv;
    const double s = (uv * vw - vv * uw) / determinant, t = (uu * vw - uv * uw) / determinant;
    *on_i = tal_vec3_add_scaled(p, s, u);
    *on_j = tal_vec3_add_scaled(q, t, v);
    const double slack = 1e-9;
    return s >= -slack && s <= 1.0 + slack && t >= -slack && t <= 1.0 + slack;
}

// The face that looks most along n.
static int32_t find_face_along(const tal_posed_body *body, tal_vec3 n, double *cosine) {
    int32_t best = 0;
    *cosine = -1.0;
    for (int32_t f = 0; f < body->face_count; f++) {
        const double c = tal_vec3_dot(body->face[f].normal, n);
        best = c > *cosine ? f : best;
        *cosine = c > *cosine ? c : *cosine;
    }
    return best;
}

// When a normal found otherwise is nearly a face's, that face's manifold says more than one point: an
// edge that lies across a face touches both its sides. It has to hold the place that was found, and
// must not be much deeper. `edge_i`, `edge_j`: the edges that touch there, or -1.
static int32_t try_faces_along(const pair_view *pair, tal_vec3 normal, double gap, int32_t edge_i,
                               int32_t edge_j, tal_contact_point *points) {
    const double part =
        FACE_DEEPER * tal_smaller(pair->i->bounding_radius, pair->j->bounding_radius);
    const double deeper = gap > -10.0 * part ? part : pair->tolerance;
    double cosine[2];
    const int32_t face[2] = {find_face_along(pair->i, normal, &cosine[0]),
                             find_face_along(pair->j, tal_vec3_scale(normal, -1.0), &cosine[1])};
    const bool first_is_i = cosine[0] >= cosine[1];
    for (int turn = 0; turn < 2; turn++) {
        const bool reference_is_i = (turn == 0) == first_is_i;
        if (cosine[reference_is_i ? 0 : 1] < FACE_COSINE) {
            return 0; // the other one looks even farther away
        }
        const int32_t count = clip_face_of(pair, reference_is_i, face[reference_is_i ? 0 : 1],
                                           reference_is_i ? edge_j : edge_i, points);
        const double smallest = smallest_gap(points, count);
        if (count > 1 && smallest <= gap + pair->tolerance && smallest >= gap - deeper) {
            return count;
        }
    }
    return 0;
}

static int32_t write_edges(const pair_view *pair, const edge_axis *axis,
                           tal_contact_point *points) {
    tal_vec3 on_i, on_j;
    edge_witnesses(pair, axis, &on_i, &on_j);
    const int32_t count =
        try_faces_along(pair, axis->normal, axis->separation, axis->edge_i, axis->edge_j, points);
    if (count > 0) {
        return count;
    }
    return write_single(pair, on_i, on_j, axis->normal, axis->separation,
                        tal_feature_edge(pair->i, axis->edge_i),
                        tal_feature_edge(pair->j, axis->edge_j), points);
}

static int32_t write_closest(const pair_view *pair, tal_vec3 guess, tal_pair_hint *hint,
                             tal_contact_point *points) {
    tal_closest_pair closest = tal_polyhedra_closest(pair->i, pair->j, guess);
    if (closest.distance > pair->reach) {
        return leave_apart(pair, hint, closest.normal, closest.distance);
    }
    if (closest.distance < pair->margin) {
        closest.normal = guess; // touching: the direction between the witnesses is noise
    }
    const int32_t count = try_faces_along(pair, closest.normal, closest.distance, -1, -1, points);
    if (count > 0) {
        return count;
    }
    return write_single(pair, closest.on_a, closest.on_b, closest.normal, closest.distance,
                        closest.feature_a, closest.feature_b, points);
}

// Deep, with no corner left after clipping (a sliver): the lowest vertex alone.
static int32_t write_lowest_vertex(const pair_view *pair, bool reference_is_i, face_axis axis,
                                   tal_contact_point *points) {
    const tal_posed_body *reference = reference_is_i ? pair->i : pair->j;
    const tal_posed_body *incident = reference_is_i ? pair->j : pair->i;
    const tal_vec3 n = reference->face[axis.face].normal;
    const int32_t v = lowest_vertex_along(incident, n);
    const tal_vec3 p = tal_posed_vertex(incident, v);
    const tal_vec3 tip = reference_is_i ? tal_vec3_add(p, pair->shift) : p;
    const tal_vec3 foot = tal_vec3_add_scaled(tip, -axis.separation, n);
    const uint32_t face = tal_feature_face(axis.face), vertex = tal_feature_vertex(incident, v);
    return reference_is_i ? write_single(pair, foot, tip, n, axis.separation, face, vertex, points)
                          : write_single(pair, tip, foot, tal_vec3_scale(n, -1.0), axis.separation,
                                         vertex, face, points);
}

static tal_vec3 outward(const pair_view *pair, bool reference_is_i, int32_t face) {
    return reference_is_i ? pair->i->face[face].normal
                          : tal_vec3_scale(pair->j->face[face].normal, -1.0);
}

static int32_t find_points(const pair_view *pair, tal_pair_hint *hint, tal_narrow_scratch *scratch,
                           tal_contact_point *points) {
    const tal_posed_body *i = pair->i, *j = pair->j;
    const double enough = pair->enough;
    if (hint_separates(pair, hint)) {
        return 0;
    }
    const face_axis of_i = find_face_axis(i, j, pair->shift, enough);
    if (of_i.separation > enough) {
        return leave_apart_by_face(pair, hint, of_i.face + 1, of_i.separation);
    }
    const face_axis of_j = find_face_axis(j, i, tal_vec3_scale(pair->shift, -1.0), enough);
    if (of_j.separation > enough) {
        return leave_apart_by_face(pair, hint, -of_j.face - 1, of_j.separation);
    }

    // A face whose clipped manifold reaches the separation it claims is the answer unless deep; where only what
    // is deep is wanted, edges may still say that it is not.
    const bool first_is_i = prefer_face_of_i(pair, of_i, of_j);
    const face_axis first = first_is_i ? of_i : of_j;
    const double deepest_face = tal_larger(of_i.separation, of_j.separation);
    int32_t count = clip_face_of(pair, first_is_i, first.face, -1, points);
    const bool agrees = count > 0 && smallest_gap(points, count) <= deepest_face + pair->tolerance;
    if (agrees && deepest_face > -pair->tolerance && enough > 0.0) {
        return count;
    }

    // Where the faces agree, edges count only if they separate by noticeably more.
    const double floor =
        agrees ? tal_smaller(deepest_face + pair->tolerance, enough) : deepest_face;
    const edge_axis edges =
        i->is_box != 0 && j->is_box != 0
            ? find_box_edge_axis(pair)
            : find_edge_axis(pair, scratch, outward(pair, first_is_i, first.face), floor, enough);
    if (edges.separation > enough) {
        return leave_apart(pair, hint, edges.normal, edges.separation);
    }
    const double best = tal_larger(deepest_face, edges.separation);
    if (best > 0.0 && !agrees) {
        tal_vec3 on_i, on_j;
        if (edges.separation >= deepest_face && edge_witnesses(pair, &edges, &on_i, &on_j)) {
            return write_edges(pair, &edges, points);
        }
        const tal_vec3 guess =
            edges.separation >= deepest_face ? edges.normal : outward(pair, first_is_i, first.face);
        return write_closest(pair, guess, hint, points);
    }
    if (edges.separation > deepest_face + pair->tolerance ||
        (edges.separation > deepest_face && !agrees)) {
        return write_edges(pair, &edges, points);
    }
    return count > 0 ? count : write_lowest_vertex(pair, first_is_i, first, points);
}

int32_t tal_narrow_find_polyhedra(const tal_posed_body *i, const tal_posed_body *j, double reach,
                                  tal_pair_hint *hint, tal_narrow_scratch *scratch,
                                  tal_contact_point *points) {
    double same_below = INFINITY;
    const pair_view pair = view_pair(i, j, reach, &same_below);
    const int32_t count = find_points(&pair, hint, scratch, points);
    hint->same_below = (float)(same_below * (1.0 - 1e-6)); // rounded down
    return count;
}

int32_t tal_narrow_find(const tal_posed_body *i, const tal_posed_body *j, double reach,
                        tal_pair_hint *hint, tal_narrow_scratch *scratch,
                        tal_contact_point *points) {
    if (i->kind == TAL_SHAPE_SPHERE || j->kind == TAL_SHAPE_SPHERE) {
        return tal_narrow_find_spheres(i, j, reach, points);
    }
    return tal_narrow_find_polyhedra(i, j, reach, hint, scratch, points);
}

tal_status tal_narrow_scratch_create(tal_narrow_scratch *scratch, const tal_shapes *shapes,
                                     tal_error *err) {
    int32_t edges = 0, faces = 0;
    for (int32_t s = 0; s < shapes->shape_count; s++) {
        const int32_t own_edges = shapes->edge_start[s + 1] - shapes->edge_start[s];
        const int32_t own_faces = shapes->face_start[s + 1] - shapes->face_start[s];
        edges = own_edges > edges ? own_edges : edges;
        faces = own_faces > faces ? own_faces : faces;
    }
    TAL_CREATE(scratch->near[0], (size_t)edges + 1, "edge tests", err);
    TAL_CREATE(scratch->near[1], (size_t)edges + 1, "edge tests", err);
    TAL_CREATE(scratch->axis, (size_t)edges + 1, "edge directions", err);
    TAL_CREATE(scratch->along, (size_t)faces + 1, "edge tests", err);
    return TAL_OK;
}

void tal_narrow_scratch_destroy(tal_narrow_scratch *scratch) {
    tal_memory_destroy(scratch->near[0]);
    tal_memory_destroy(scratch->near[1]);
    tal_memory_destroy(scratch->axis);
    tal_memory_destroy(scratch->along);
    *scratch = (tal_narrow_scratch){0};
}
