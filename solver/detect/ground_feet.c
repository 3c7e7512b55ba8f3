// SPDX-License-Identifier: GPL-3.0-or-later
// Points of a body (vertices, or a sphere's centre) against the faces of the ground. A point in
// front of a face it projects onto may touch it; a point behind the surface is pushed out through
// the nearest part of it, and through others only where the surface is concave, so that a thin
// ridge never pushes to both sides.
#include "solver/detect/narrow_ground.h"

#include <math.h>

// Nearest point of the ground to a point: on triangle `triangle`; `edge` and `vertex` say on which
// of its edges or vertices (corner numbers), both -1 inside the face.
typedef struct {
    double distance2;
    tal_vec3 point;
    int32_t triangle;
    int32_t edge, vertex;
    double height; // over the triangle, when on its face
} nearest_ground;

static int32_t next_corner(int32_t corner) {
    return corner < 2 ? corner + 1 : 0;
}

// Projection slack, relative to the body: neighbouring triangles overlap by it, so that no point
// falls between them.
static double foot_slack(const tal_posed_body *body) {
    return 1e-9 * body->bounding_radius;
}

// The three sides of a triangle's prism, seen from the body's centre.
typedef struct {
    tal_vec3 leave[3]; // in the plane, out of the triangle, as long as the side
    double offset[3];
    double length[3]; // of `leave`, in the sum norm: only slacks are scaled with it
} prism;

static prism make_prism(const tal_terrain *t, const tal_posed_body *body, int32_t triangle) {
    const tal_vec3 corner[4] = {
        tal_ground_corner(t, body, triangle, 0), tal_ground_corner(t, body, triangle, 1),
        tal_ground_corner(t, body, triangle, 2), tal_ground_corner(t, body, triangle, 0)};
    prism p;
    for (int32_t k = 0; k < 3; k++) {
        const tal_vec3 leave =
            tal_vec3_cross(tal_vec3_subtract(corner[k + 1], corner[k]), t->normal[triangle]);
        p.leave[k] = leave;
        p.offset[k] = tal_vec3_dot(leave, corner[k]);
        p.length[k] = fabs(leave.x) + fabs(leave.y) + fabs(leave.z);
    }
    return p;
}

// Past a concave edge the slack grows by how deep p lies behind the neighbour: in a valley both
// faces keep their contact while one is slightly sunk into.
static double concave_slack(const tal_terrain *t, const tal_posed_body *body, int32_t triangle,
                            int32_t corner, tal_vec3 p) {
    const int32_t neighbour = t->neighbour[3 * triangle + corner];
    if (neighbour < 0 || t->edge_convex[3 * triangle + corner] != 0 ||
        t->patch[neighbour] == t->patch[triangle]) {
        return 0.0;
    }
    const tal_vec3 from = tal_vec3_subtract(p, tal_ground_corner(t, body, triangle, corner));
    return tal_larger(0.0, -tal_vec3_dot(t->normal[neighbour], from));
}

// Does p project onto the triangle?
static bool projects_onto(const tal_terrain *t, const tal_posed_body *body, int32_t triangle,
                          const prism *sides, tal_vec3 p, bool *past_edge) {
    const double slack = foot_slack(body);
    *past_edge = false;
    for (int32_t k = 0; k < 3; k++) {
        const double overshoot = tal_vec3_dot(sides->leave[k], p) - sides->offset[k];
        if (overshoot <= slack * sides->length[k]) {
            continue;
        }
        *past_edge = true;
        if (overshoot > (slack + concave_slack(t, body, triangle, k, p)) * sides->length[k]) {
            return false;
        }
    }
    return true;
}

static void add_foot(tal_ground_scratch *scratch, tal_ground_foot foot) {
    void *list = scratch->foot;
    if (tal_ground_make_room(scratch, &list, scratch->foot_count, &scratch->foot_capacity,
                             sizeof *scratch->foot)) {
        scratch->foot = list;
        scratch->foot[scratch->foot_count++] = foot;
    }
}

static int32_t point_count_of(const tal_posed_body *body) {
    return body->kind == TAL_SHAPE_SPHERE ? 1 : body->vertex_count;
}

static tal_vec3 point_of(const tal_posed_body *body, int32_t vertex) {
    return body->kind == TAL_SHAPE_SPHERE ? (tal_vec3){0.0, 0.0, 0.0}
                                          : tal_posed_vertex(body, vertex);
}

// The feet of all points of the body on one triangle; false when it is out of reach.
static bool collect_feet_on(const tal_terrain *t, const tal_posed_body *body,
                            const tal_ground_triangle *near, tal_ground_scratch *scratch) {
    const int32_t count = point_count_of(body);
    const double limit = body->reach + body->radius;
    const tal_vec3 n = t->normal[near->triangle];
    const double lowest = body->kind == TAL_SHAPE_SPHERE ? 0.0 : tal_posed_lowest(body, n);
    if (!(near->centre_height + lowest < limit)) {
        return false;
    }
    const prism sides = make_prism(t, body, near->triangle);
    for (int32_t v = 0; v < count; v++) {
        const tal_vec3 p = point_of(body, v);
        const double height = tal_vec3_dot(n, p) + near->centre_height;
        bool past_edge;
        if (height < limit) {
            scratch->vertex_behind[v] |= height < 0.0 ? 1 : 0;
            if (projects_onto(t, body, near->triangle, &sides, p, &past_edge)) {
                add_foot(scratch, (tal_ground_foot){v, near->triangle, height, past_edge});
            }
        }
    }
    return true;
}

static double lowest_over(const tal_terrain *t, const tal_posed_body *body,
                          const tal_ground_triangle *near) {
    const double lowest = body->kind == TAL_SHAPE_SPHERE
                              ? -body->radius
                              : tal_posed_lowest(body, t->normal[near->triangle]);
    return near->centre_height + lowest;
}

// Has it sunk in by so much that it is to be reported? No ridge or peak, unless its sides are steeper than 60
// degrees, holds a body twice as deep as the planes beside it do.
static bool is_deep(const tal_terrain *t, const tal_posed_body *body,
                    const tal_ground_scratch *scratch) {
    for (int32_t k = 0; k < scratch->triangle_count; k++) {
        if (lowest_over(t, body, &scratch->triangle[k]) < -body->shallow) {
            return true;
        }
    }
    return false;
}

bool tal_ground_collect_feet(const tal_terrain *t, const tal_posed_body *body,
                             tal_ground_scratch *scratch) {
    bool in_reach = false;
    scratch->foot_count = 0;
    if (body->shallow > 0.0 && !is_deep(t, body, scratch)) {
        return false;
    }
    for (int32_t v = 0; v < point_count_of(body); v++) {
        scratch->vertex_behind[v] = 0;
    }
    for (int32_t k = 0; k < scratch->triangle_count; k++) {
        in_reach = collect_feet_on(t, body, &scratch->triangle[k], scratch) || in_reach;
    }
    return in_reach;
}

// Closest point on the border of a triangle, rim left out.
static void try_border(const tal_terrain *t, const tal_posed_body *body, int32_t triangle,
                       tal_vec3 p, nearest_ground *best) {
    for (int32_t k = 0; k < 3; k++) {
        if (t->neighbour[3 * triangle + k] < 0) {
            continue;
        }
        const tal_vec3 a = tal_ground_corner(t, body, triangle, k);
        const tal_vec3 ab =
            tal_vec3_subtract(tal_ground_corner(t, body, triangle, next_corner(k)), a);
        double s = tal_vec3_dot(tal_vec3_subtract(p, a), ab) / tal_vec3_dot(ab, ab);
        s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
        const tal_vec3 q = tal_vec3_add_scaled(a, s, ab), d = tal_vec3_subtract(p, q);
        if (tal_vec3_dot(d, d) < best->distance2) {
            const int32_t vertex = s <= 0.0 ? k : s >= 1.0 ? next_corner(k) : -1;
            *best =
                (nearest_ground){tal_vec3_dot(d, d), q, triangle, vertex < 0 ? k : -1, vertex, 0.0};
        }
    }
}

static bool is_over_face(const tal_terrain *t, const tal_posed_body *body, int32_t triangle,
                         tal_vec3 p) {
    const tal_vec3 n = t->normal[triangle];
    for (int32_t k = 0; k < 3; k++) {
        const tal_vec3 a = tal_ground_corner(t, body, triangle, k);
        const tal_vec3 along =
            tal_vec3_subtract(tal_ground_corner(t, body, triangle, next_corner(k)), a);
        if (tal_vec3_dot(tal_vec3_cross(along, n), tal_vec3_subtract(p, a)) > 0.0) {
            return false;
        }
    }
    return true;
}

// Searches all near triangles for one closer than `best`; the patch best lies on is skipped.
static void find_nearest(const tal_terrain *t, const tal_posed_body *body,
                         const tal_ground_scratch *scratch, tal_vec3 p, nearest_ground *best) {
    const int32_t known_patch = best->triangle >= 0 ? t->patch[best->triangle] : -1;
    for (int32_t k = 0; k < scratch->triangle_count; k++) {
        const int32_t triangle = scratch->triangle[k].triangle;
        const tal_vec3 n = t->normal[triangle];
        const double height = tal_vec3_dot(n, p) + scratch->triangle[k].centre_height;
        if (t->patch[triangle] == known_patch || height * height >= best->distance2) {
            continue;
        }
        if (is_over_face(t, body, triangle, p)) {
            *best = (nearest_ground){
                height * height, tal_vec3_add_scaled(p, -height, n), triangle, -1, -1, height};
        } else {
            try_border(t, body, triangle, p, best);
        }
    }
}

// In front of the surface: over a face by the height itself (the foot of a point sunk by less than
// its rounding is the point), elsewhere by the (summed) normal of the nearest feature.
static bool is_outside(const tal_terrain *t, const nearest_ground *nearest, tal_vec3 p) {
    if (nearest->edge < 0 && nearest->vertex < 0) {
        return nearest->height >= 0.0;
    }
    const tal_vec3 away = tal_vec3_subtract(p, nearest->point);
    tal_vec3 n = t->normal[nearest->triangle];
    if (nearest->vertex >= 0) {
        n = t->vertex_normal[t->triangle[3 * nearest->triangle + nearest->vertex]];
    } else if (nearest->edge >= 0) {
        n = tal_vec3_add(n, t->normal[t->neighbour[3 * nearest->triangle + nearest->edge]]);
    }
    return tal_vec3_dot(away, n) >= 0.0;
}

static void write_foot(const tal_terrain *t, const tal_posed_body *body,
                       tal_ground_scratch *scratch, int32_t vertex, int32_t triangle,
                       double height) {
    const double gap = height - body->radius;
    const tal_vec3 n = t->normal[triangle];
    if (gap < body->reach) {
        const uint32_t feature =
            body->kind == TAL_SHAPE_SPHERE ? 0 : tal_feature_vertex(body, vertex);
        tal_ground_add(scratch, body, tal_vec3_add_scaled(point_of(body, vertex), -height, n), n,
                       gap, feature, tal_ground_feature_patch(t, triangle),
                       t->surface_class[triangle]);
    }
}

static double height_over(const tal_terrain *t, const tal_posed_body *body, int32_t triangle,
                          tal_vec3 p) {
    return tal_vec3_dot(t->normal[triangle],
                        tal_vec3_subtract(p, tal_ground_corner(t, body, triangle, 0)));
}

// Nearest on a concave edge or vertex: the normal snaps to a face.
static void write_snapped(const tal_terrain *t, const tal_posed_body *body,
                          tal_ground_scratch *scratch, int32_t vertex,
                          const nearest_ground *nearest) {
    const tal_vec3 p = point_of(body, vertex);
    if (nearest->edge >= 0) {
        const int32_t sides[2] = {nearest->triangle,
                                  t->neighbour[3 * nearest->triangle + nearest->edge]};
        for (int s = 0; s < 2; s++) {
            write_foot(t, body, scratch, vertex, sides[s], height_over(t, body, sides[s], p));
        }
        return;
    }
    const int32_t corner = t->triangle[3 * nearest->triangle + nearest->vertex];
    const tal_vec3 out = tal_vec3_subtract(nearest->point, p);
    int32_t best = nearest->triangle;
    for (int32_t k = t->vertex_triangle_start[corner]; k < t->vertex_triangle_start[corner + 1];
         k++) {
        const int32_t other = t->vertex_triangle[k];
        if (tal_vec3_dot(t->normal[other], out) > tal_vec3_dot(t->normal[best], out)) {
            best = other;
        }
    }
    write_foot(t, body, scratch, vertex, best, height_over(t, body, best, p));
}

// Is triangle `other` in front of which `point` lies part of a hollow with the nearest one?
static bool is_concave_to(const tal_terrain *t, const tal_posed_body *body, int32_t other,
                          tal_vec3 point) {
    return height_over(t, body, other, point) >= -foot_slack(body);
}

static void settle_behind(const tal_terrain *t, const tal_posed_body *body,
                          tal_ground_scratch *scratch, int32_t vertex) {
    const tal_vec3 p = point_of(body, vertex);
    nearest_ground nearest = {.distance2 = INFINITY, .triangle = -1, .edge = -1, .vertex = -1};
    for (int32_t k = 0; k < scratch->foot_count; k++) {
        const tal_ground_foot *foot = &scratch->foot[k];
        if (foot->vertex == vertex && !foot->past_edge && foot->gap < 0.0 &&
            foot->gap * foot->gap < nearest.distance2) {
            nearest =
                (nearest_ground){foot->gap * foot->gap,
                                 tal_vec3_add_scaled(p, -foot->gap, t->normal[foot->triangle]),
                                 foot->triangle,
                                 -1,
                                 -1,
                                 foot->gap};
        }
    }
    find_nearest(t, body, scratch, p, &nearest);
    // Beyond what has been gathered something nearer may say otherwise: then no contact is claimed.
    const double known = scratch->known_distance;
    if (nearest.distance2 > known * known || nearest.triangle < 0 || is_outside(t, &nearest, p)) {
        return;
    }
    if (nearest.edge >= 0 || nearest.vertex >= 0) {
        write_snapped(t, body, scratch, vertex, &nearest);
    } else {
        write_foot(t, body, scratch, vertex, nearest.triangle,
                   height_over(t, body, nearest.triangle, p));
    }
    for (int32_t k = 0; k < scratch->foot_count; k++) {
        const tal_ground_foot foot = scratch->foot[k];
        if (foot.vertex == vertex && (foot.gap < 0.0 || foot.past_edge) &&
            foot.triangle != nearest.triangle &&
            is_concave_to(t, body, foot.triangle, nearest.point)) {
            write_foot(t, body, scratch, vertex, foot.triangle, foot.gap);
        }
    }
}

bool tal_ground_holds(const tal_terrain *t, const tal_posed_body *body,
                      const tal_ground_scratch *scratch, tal_vec3 point) {
    nearest_ground nearest = {.distance2 = INFINITY, .triangle = -1, .edge = -1, .vertex = -1};
    find_nearest(t, body, scratch, point, &nearest);
    return nearest.triangle >= 0 && !is_outside(t, &nearest, point);
}

bool tal_ground_feet_are_deep(const tal_posed_body *body, const tal_ground_scratch *scratch) {
    for (int32_t k = 0; k < scratch->foot_count; k++) {
        if (scratch->foot[k].gap < -body->reach) {
            return true;
        }
    }
    return false;
}

// High above the highest ground a point cannot be behind it, though it is behind the planes of
// triangles beside it. Saves most of the searches for what is nearest.
static bool is_above_all(const tal_terrain *t, const tal_posed_body *body, tal_vec3 p) {
    const tal_vec3 at = tal_vec3_add(body->centre, p);
    const double ground = tal_terrain_height(t, at.x, at.y); // NaN beyond the rim
    return at.z - ground > 1e-6 * body->bounding_radius;
}

void tal_ground_settle_feet(const tal_terrain *terrain, const tal_posed_body *body,
                            tal_ground_scratch *scratch) {
    for (int32_t k = 0; k < scratch->foot_count; k++) {
        const tal_ground_foot foot = scratch->foot[k];
        if (foot.gap >= 0.0 && !foot.past_edge) {
            write_foot(terrain, body, scratch, foot.vertex, foot.triangle, foot.gap);
        }
    }
    for (int32_t v = 0; v < point_count_of(body); v++) {
        if (scratch->vertex_behind[v] != 0 && !is_above_all(terrain, body, point_of(body, v))) {
            settle_behind(terrain, body, scratch, v);
        }
    }
}
