// SPDX-License-Identifier: GPL-3.0-or-later
// Contact detection: from poses to contact manifolds. The dynamics asks for all contacts closer than
// a distance of its choosing and gets them in an order that depends on the poses alone.
#ifndef TALUS_SOLVER_DETECT_COLLIDE_H
#define TALUS_SOLVER_DETECT_COLLIDE_H

#include "core/base/status.h"
#include "solver/detect/shape.h"
#include "solver/detect/terrain.h"

#include <stdint.h>

enum { TAL_MANIFOLD_POINTS_MAX = 8 }; // points per manifold after reduction

// One touching pair: body against body (body_i < body_j) or body against ground (body_j =
// TAL_BODY_TERRAIN, one manifold per distinct ground normal and surface class).
typedef struct {
    int32_t body_i;
    int32_t body_j;
    int32_t surface_class_j; // of the ground triangle; unused for body pairs
    int32_t first_point;
    int32_t point_count;
    int32_t joint; // 1 + the row of the model that it is; 0: a contact, as all that detection finds
    int32_t
        was; // number in the list before others were added, below 0: one of those (look_ahead.h)
} tal_manifold;

// Normals point from j to i. `point` lies midway between the two surfaces; gap < 0 is penetration.
// `identity` names the two features, stable from step to step, unique within its manifold's pair.
typedef struct {
    tal_vec3 point;
    tal_vec3 normal;
    double gap;
    uint64_t identity;
} tal_contact_point;

// What one query needs. `reach[b]` is how far beyond body b's surface contacts are wanted (at least
// the motion within a step); a pair is reported when its gap is below reach[i] + reach[j] (ground:
// reach[i]). Of two that move together, with `velocity` for `dt`, less is wanted: what both have in common
// brings them no nearer. Immobile bodies (obstacles) are bodies with `is_fixed`: two fixed ones never pair.
typedef struct {
    const tal_shapes *shapes;
    const tal_terrain *terrain; // may be NULL
    int32_t body_count;
    const int32_t *shape_of_body;
    const tal_vec3 *position;
    const tal_quat *orientation;
    const double *reach;
    const tal_vec3 *velocity; // NULL: reaches count in full
    double dt;
    double
        shallow; // share of the smaller width: what sinks in by less need not be reported; 0: all is
    const uint8_t *is_fixed; // may be NULL
    int thread_count;
} tal_collide_input;

typedef struct tal_collider tal_collider; // grids, caches, scratch: allocated once, grown rarely

// Manifolds and their points. Those a query finds are sorted by body_i, body_j, then ground normal.
typedef struct {
    int32_t manifold_count, manifold_capacity;
    int32_t point_count, point_capacity;
    tal_manifold *manifold;
    tal_contact_point *point;
} tal_manifolds;

// Appends one manifold; the points are copied. TAL_NO_MEMORY when there is no room.
tal_status tal_manifolds_add(tal_manifolds *manifolds, tal_manifold manifold,
                             const tal_contact_point *points, int32_t point_count);
// Appends manifolds `first` to `end` - 1 of another list.
tal_status tal_manifolds_append(tal_manifolds *manifolds, const tal_manifolds *from, int32_t first,
                                int32_t end);
void tal_manifolds_destroy(tal_manifolds *manifolds);

// Sorted by bodies, points without holes, unit normals: what all that walk them rely on.
bool tal_manifolds_are_valid(const tal_manifolds *manifolds, int32_t body_count);

tal_status tal_collider_create(tal_collider **collider, const tal_shapes *shapes,
                               const tal_terrain *terrain, const int32_t *shape_of_body,
                               int32_t body_count, tal_error *err);
void tal_collider_destroy(tal_collider *collider);

// Bodies i and j with passes[class_of_body[i] * class_count + class_of_body[j]] != 0 go through each
// other: no query reports them. The arrays stay with the caller. Not called: all meet.
void tal_collider_set_passing(tal_collider *collider, const int32_t *class_of_body,
                              int32_t class_count, const uint8_t *passes);

// Pairs that no query reports either: i << 32 | j with i < j, or j = UINT32_MAX for the ground; sorted. The
// array stays with the caller.
void tal_collider_set_excluded(tal_collider *collider, const uint64_t *excluded, int32_t count);

// The arrays in `found` belong to the collider and live until the next call.
tal_status tal_collide(tal_collider *collider, const tal_collide_input *input, tal_manifolds *found,
                       tal_error *err);

// The answer to the last query becomes `list` itself, arrays and all, as long as the caller needs it: a copy would take
// as much memory as anything else of a step. What `list` held is gone.
void tal_collider_take_answer(tal_collider *collider, tal_manifolds *list);

// Before a query: `list` is no longer needed. Where it is what was taken last, and as it was, the query may read it;
// in any case there is room in it. What `list` holds is anything from now on.
void tal_collider_give_back(tal_collider *collider, tal_manifolds *list);

// No query for a while: whatever is large and only queries read, or can be made anew, goes back to the system. The
// last answer stays.
void tal_collider_pause(tal_collider *collider);

#endif
