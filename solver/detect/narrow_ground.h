// SPDX-License-Identifier: GPL-3.0-or-later
// One body against the ground.
#ifndef TALUS_SOLVER_DETECT_NARROW_GROUND_H
#define TALUS_SOLVER_DETECT_NARROW_GROUND_H

#include "solver/detect/manifold.h"

#include <stddef.h>

// A contact with the ground before it has found its manifold.
typedef struct {
    tal_contact_point contact;
    int32_t surface_class;
    int32_t cluster;
} tal_ground_contact;

// The foot of a body vertex on a triangle it lies over or under.
typedef struct {
    int32_t vertex;
    int32_t triangle;
    double gap;
    bool past_edge; // beyond a concave edge, by less than it is sunk into the neighbour
} tal_ground_foot;

// A triangle near the body.
typedef struct {
    int32_t triangle;
    double centre_height; // of the body's centre over its plane
} tal_ground_triangle;

// Scratch of one thread: lists that grow rarely.
typedef struct {
    tal_ground_triangle *triangle;
    int32_t triangle_count, triangle_capacity;
    double known_distance; // all of the ground within this distance of a body point is listed
    tal_ground_foot *foot;
    int32_t foot_count, foot_capacity;
    int32_t *corner; // terrain vertices that may be peaks
    int32_t corner_count, corner_capacity;
    tal_ground_contact *contact;
    int32_t contact_count, contact_capacity;
    tal_contact_point *point; // one cluster on its way out
    int32_t point_capacity;
    uint8_t *vertex_behind;   // per body vertex: behind the plane of some triangle near it
    double *height;           // per body vertex, over the ridge at hand
    tal_vec3 *edge_direction; // per body edge, and its length
    double *edge_length;
    bool edge_directions_known;
    tal_status status; // TAL_NO_MEMORY once a list could not grow
} tal_ground_scratch;

tal_status tal_ground_scratch_create(tal_ground_scratch *scratch, const tal_shapes *shapes,
                                     tal_error *err);
void tal_ground_scratch_destroy(tal_ground_scratch *scratch);

// Features of the ground in one numbering: coplanar patches (by their lowest triangle), edges (by
// triangle and corner of the lower side), vertices.
static inline uint32_t tal_ground_feature_patch(const tal_terrain *terrain, int32_t triangle) {
    return (uint32_t)terrain->patch[triangle];
}
static inline uint32_t tal_ground_feature_edge(const tal_terrain *terrain, int32_t triangle,
                                               int32_t corner) {
    return (uint32_t)terrain->triangle_count + 3u * (uint32_t)triangle + (uint32_t)corner;
}
static inline uint32_t tal_ground_feature_vertex(const tal_terrain *terrain, int32_t vertex) {
    return 4u * (uint32_t)terrain->triangle_count + (uint32_t)vertex;
}

// Adds one contact: `surface` is the point on the ground about the body's centre.
void tal_ground_add(tal_ground_scratch *scratch, const tal_posed_body *body, tal_vec3 surface,
                    tal_vec3 normal, double gap, uint32_t body_feature, uint32_t ground_feature,
                    int32_t surface_class);

// Room for one more entry in one of the lists; false (and scratch->status) when there is none.
bool tal_ground_make_room(tal_ground_scratch *scratch, void **list, int32_t count,
                          int32_t *capacity, size_t size);

// Corner of a triangle seen from the body's centre.
static inline tal_vec3 tal_ground_corner(const tal_terrain *terrain, const tal_posed_body *body,
                                         int32_t triangle, int32_t corner) {
    return tal_vec3_subtract(terrain->vertex[terrain->triangle[3 * triangle + corner]],
                             body->centre);
}

// Body vertices (or a sphere's centre) over and under the faces of the near triangles. False when
// the whole body is out of reach of all of them.
bool tal_ground_collect_feet(const tal_terrain *terrain, const tal_posed_body *body,
                             tal_ground_scratch *scratch);

// Is a point (seen from the body's centre) behind the surface, judged by what is nearest of all that
// was gathered?
bool tal_ground_holds(const tal_terrain *terrain, const tal_posed_body *body,
                      const tal_ground_scratch *scratch, tal_vec3 point);

// Is a foot deeper than the reach? Then what is nearest may not have been gathered yet.
bool tal_ground_feet_are_deep(const tal_posed_body *body, const tal_ground_scratch *scratch);

// Turns feet into contacts.
void tal_ground_settle_feet(const tal_terrain *terrain, const tal_posed_body *body,
                            tal_ground_scratch *scratch);

// Body edges and vertices against ridges, and peaks of the ground against the body.
void tal_ground_find_ridges(const tal_terrain *terrain, const tal_posed_body *body,
                            tal_ground_scratch *scratch);

// Appends the manifolds of body number `body_index` to `found`.
tal_status tal_ground_find(const tal_terrain *terrain, const tal_posed_body *body,
                           int32_t body_index, tal_ground_scratch *scratch, tal_manifolds *found);

#endif
