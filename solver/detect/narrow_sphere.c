// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs with a sphere: one point each.
#include "solver/detect/narrow_distance.h"
#include "solver/detect/narrow_phase.h"

#include <math.h>

static int32_t find_two_spheres(const tal_posed_body *i, const tal_posed_body *j, double reach,
                                tal_contact_point *points) {
    const tal_vec3 between = tal_vec3_subtract(i->centre, j->centre);
    const double distance = tal_vec3_length(between);
    const double gap = distance - i->radius - j->radius;
    if (!(gap < reach)) {
        return 0;
    }
    // Concentric spheres have no direction of their own: up is as good as any and always the same.
    const tal_vec3 normal =
        distance > 0.0 ? tal_vec3_scale(between, 1.0 / distance) : (tal_vec3){0.0, 0.0, 1.0};
    points[0] = (tal_contact_point){tal_vec3_add_scaled(j->centre, j->radius + 0.5 * gap, normal),
                                    normal, gap, 0};
    return 1;
}

static int32_t find_sphere_and_polyhedron(const tal_posed_body *sphere,
                                          const tal_posed_body *polyhedron, bool sphere_is_i,
                                          double reach, tal_contact_point *points) {
    const tal_vec3 between = tal_vec3_subtract(sphere->centre, polyhedron->centre);
    const tal_closest_surface closest = tal_polyhedron_closest(
        polyhedron, tal_mat3_apply_transposed(&polyhedron->rotation, between));
    const double gap = closest.distance - sphere->radius;
    if (!(gap < reach)) {
        return 0;
    }
    const tal_vec3 outward = tal_mat3_apply(&polyhedron->rotation, closest.normal);
    const tal_vec3 foot =
        tal_vec3_add(polyhedron->centre, tal_mat3_apply(&polyhedron->rotation, closest.point));
    // A sphere has the single feature 0; the normal alone tells where on it.
    points[0] = (tal_contact_point){tal_vec3_add_scaled(foot, 0.5 * gap, outward),
                                    sphere_is_i ? outward : tal_vec3_scale(outward, -1.0), gap,
                                    sphere_is_i ? tal_identity(0, closest.feature)
                                                : tal_identity(closest.feature, 0)};
    return 1;
}

int32_t tal_narrow_find_spheres(const tal_posed_body *i, const tal_posed_body *j, double reach,
                                tal_contact_point *points) {
    if (i->kind == TAL_SHAPE_SPHERE && j->kind == TAL_SHAPE_SPHERE) {
        return find_two_spheres(i, j, reach, points);
    }
    return i->kind == TAL_SHAPE_SPHERE ? find_sphere_and_polyhedron(i, j, true, reach, points)
                                       : find_sphere_and_polyhedron(j, i, false, reach, points);
}
