// SPDX-License-Identifier: GPL-3.0-or-later
// Contact manifolds: face clipping, reduction, and the buffers they are collected in.
#include "solver/detect/manifold.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

// A corner of the incident face while it is clipped, in the axes of the reference face: in-plane
// u, v and height h above it. `edge` is what the polygon walks along from here to the next corner:
// an edge of the incident body, or ~k for side k of the reference face.
typedef struct {
    double u, v, h;
    int32_t vertex; // of the incident body, -1 when cut
    int32_t edge;
} clip_corner;

// Corners this close (relative to the smaller body's shortest edge) outside a side stay as they
// are: bodies built flush, in a wall, keep their own corners while they tremble about that place.
static const double SIDE_SLACK = 1e-3;

static tal_status grow_to(void **array, int32_t count, int32_t *capacity, int32_t wanted,
                          size_t size) {
    if (wanted <= *capacity) {
        return TAL_OK;
    }
    if (wanted > INT32_MAX / 2) {
        return TAL_NO_MEMORY;
    }
    const int32_t larger = 2 * wanted > 256 ? 2 * wanted : 256;
    void *memory = tal_memory_grow(*array, (size_t)count, (size_t)larger, size);
    if (memory == NULL) {
        return TAL_NO_MEMORY;
    }
    *array = memory;
    *capacity = larger;
    return TAL_OK;
}

static tal_status make_room(tal_manifolds *all, int32_t manifolds, int32_t points) {
    void *manifold_room = all->manifold, *point_room = all->point;
    tal_status status = grow_to(&manifold_room, all->manifold_count, &all->manifold_capacity,
                                all->manifold_count + manifolds, sizeof *all->manifold);
    all->manifold = manifold_room;
    if (status == TAL_OK) {
        status = grow_to(&point_room, all->point_count, &all->point_capacity,
                         all->point_count + points, sizeof *all->point);
        all->point = point_room;
    }
    return status;
}

tal_status tal_manifolds_append(tal_manifolds *all, const tal_manifolds *from, int32_t first,
                                int32_t end) {
    if (first >= end) {
        return TAL_OK;
    }
    const tal_manifold *last = &from->manifold[end - 1];
    const int32_t point = from->manifold[first].first_point;
    const int32_t points = last->first_point + last->point_count - point;
    TAL_TRY(make_room(all, end - first, points));
    memcpy(&all->point[all->point_count], &from->point[point], (size_t)points * sizeof *all->point);
    for (int32_t m = first; m < end; m++) {
        tal_manifold *copy = &all->manifold[all->manifold_count++];
        *copy = from->manifold[m];
        copy->first_point += all->point_count - point;
    }
    all->point_count += points;
    return TAL_OK;
}

tal_status tal_manifolds_add(tal_manifolds *all, tal_manifold manifold,
                             const tal_contact_point *points, int32_t point_count) {
    TAL_TRY(make_room(all, 1, point_count));
    manifold.first_point = all->point_count;
    manifold.point_count = point_count;
    all->manifold[all->manifold_count++] = manifold;
    memcpy(&all->point[all->point_count], points, (size_t)point_count * sizeof *points);
    all->point_count += point_count;
    return TAL_OK;
}

void tal_manifolds_destroy(tal_manifolds *all) {
    tal_memory_destroy(all->manifold);
    tal_memory_destroy(all->point);
    *all = (tal_manifolds){0};
}

static bool is_manifold_valid(const tal_manifolds *all, int32_t m, int32_t body_count) {
    const tal_manifold *manifold = &all->manifold[m], *last = m > 0 ? manifold - 1 : NULL;
    const int32_t expected = last != NULL ? last->first_point + last->point_count : 0;
    if (last != NULL && (last->body_i > manifold->body_i ||
                         (last->body_i == manifold->body_i && last->body_j > manifold->body_j))) {
        return false;
    }
    for (int32_t k = manifold->first_point; k < manifold->first_point + manifold->point_count;
         k++) {
        const double length = tal_vec3_length(all->point[k].normal);
        if (!(fabs(length - 1.0) < 1e-6 && isfinite(all->point[k].gap))) {
            return false;
        }
    }
    return manifold->first_point == expected && manifold->point_count >= 1 &&
           manifold->body_i >= 0 && manifold->body_i < body_count &&
           (manifold->body_j == TAL_BODY_TERRAIN ||
            (manifold->body_j > manifold->body_i && manifold->body_j < body_count));
}

bool tal_manifolds_are_valid(const tal_manifolds *all, int32_t body_count) {
    for (int32_t m = 0; m < all->manifold_count; m++) {
        if (!is_manifold_valid(all, m, body_count)) {
            return false;
        }
    }
    return all->manifold_count <= all->manifold_capacity && all->point_count <= all->point_capacity;
}

static clip_corner cut_corner(const clip_corner *a, double da, const clip_corner *b, double db,
                              int32_t edge) {
    const double s = da / (da - db);
    return (clip_corner){a->u + s * (b->u - a->u), a->v + s * (b->v - a->v),
                         a->h + s * (b->h - a->h), -1, edge};
}

// One Sutherland-Hodgman cut by a side: keeps the corners with distance <= slack. A kept corner
// beyond the side itself stands for the cut beside it.
static int32_t clip_to_side(const clip_corner *in, const double *distance, int32_t count,
                            double slack, int32_t side, clip_corner *out) {
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t next = k + 1 < count ? k + 1 : 0;
        if (distance[k] <= slack) {
            out[kept++] = in[k];
            if (distance[next] <= slack) {
                continue;
            }
            if (distance[k] >= 0.0) {
                out[kept - 1].edge = ~side;
            } else {
                out[kept++] = cut_corner(&in[k], distance[k], &in[next], distance[next], ~side);
            }
        } else if (distance[next] < 0.0) {
            out[kept++] = cut_corner(&in[k], distance[k], &in[next], distance[next], in[k].edge);
        }
    }
    return kept;
}

// The features a clipped corner stands for: a vertex of one body on the face of the other, or the
// crossing of two edges.
static void corner_features(const tal_posed_body *reference, int32_t reference_face,
                            const tal_posed_body *incident, int32_t incident_face,
                            const clip_corner *corner, int32_t edge_before,
                            uint32_t *reference_feature, uint32_t *incident_feature) {
    const tal_shapes *s = reference->shapes;
    const int32_t face = s->face_start[reference->topology] + reference_face;
    const int32_t first = s->loop_start[face], size = s->loop_start[face + 1] - first;
    *reference_feature = tal_feature_face(reference_face);
    *incident_feature = tal_feature_face(incident_face);
    if (corner->vertex >= 0) {
        *incident_feature = tal_feature_vertex(incident, corner->vertex);
    } else if (corner->edge >= 0 || edge_before >= 0) {
        const int32_t edge = corner->edge >= 0 ? corner->edge : edge_before;
        const int32_t side = corner->edge >= 0 ? ~edge_before : ~corner->edge;
        *incident_feature = tal_feature_edge(incident, edge);
        *reference_feature = tal_feature_edge(reference, s->loop_edge[first + side]);
    } else {
        // The incident loop runs clockwise seen from the reference: from side k it turns into k-1.
        const int32_t from = ~edge_before, to = ~corner->edge;
        if (from == (to + 1 < size ? to + 1 : 0)) {
            *reference_feature = tal_feature_vertex(reference, s->face_vertex[first + from]);
        } else {
            *reference_feature = tal_feature_vertex(reference, reference->vertex_count) +
                                 (uint32_t)(from * TAL_FACE_CORNERS_MAX + to);
        }
    }
}

// The axes of the reference face: everything is taken from the turned vertices, which are in the
// cache already.
typedef struct {
    tal_vec3 u, v, n;
    double offset;
    int32_t first, size; // its loop
} face_frame;

static face_frame make_frame(const tal_posed_body *reference, int32_t reference_face) {
    const tal_shapes *s = reference->shapes;
    const int32_t face = s->face_start[reference->topology] + reference_face;
    face_frame f;
    f.first = s->loop_start[face];
    f.size = s->loop_start[face + 1] - f.first;
    f.n = reference->face[reference_face].normal;
    f.offset = reference->face[reference_face].offset;
    f.u = tal_vec3_normalize(
        tal_vec3_subtract(tal_posed_vertex(reference, s->face_vertex[f.first + 1]),
                          tal_posed_vertex(reference, s->face_vertex[f.first])));
    f.v = tal_vec3_cross(f.n, f.u);
    return f;
}

// The incident face in the axes of the reference face.
static int32_t load_incident(const tal_posed_body *reference, const face_frame *frame,
                             const tal_posed_body *incident, int32_t incident_face,
                             clip_corner *corners) {
    const tal_shapes *s = incident->shapes;
    const int32_t face = s->face_start[incident->topology] + incident_face;
    const int32_t first = s->loop_start[face], count = s->loop_start[face + 1] - first;
    const tal_vec3 shift = tal_vec3_subtract(incident->centre, reference->centre);
    for (int32_t k = 0; k < count; k++) {
        const int32_t vertex = s->face_vertex[first + k];
        const tal_vec3 p = tal_vec3_add(tal_posed_vertex(incident, vertex), shift);
        corners[k] = (clip_corner){tal_vec3_dot(p, frame->u), tal_vec3_dot(p, frame->v),
                                   tal_vec3_dot(p, frame->n) - frame->offset, vertex,
                                   s->loop_edge[first + k]};
    }
    return count;
}

// Cuts the corners in buffers[0] by all sides of the reference face; returns which buffer holds
// the result.
static int32_t clip_to_face(const tal_posed_body *reference, const face_frame *frame, double slack,
                            clip_corner (*buffers)[TAL_CLIP_POINTS_MAX], int32_t *count) {
    const tal_shape_index *loop = &reference->shapes->face_vertex[frame->first];
    int32_t current = 0;
    tal_vec3 p = tal_posed_vertex(reference, loop[0]);
    double u = tal_vec3_dot(p, frame->u), v = tal_vec3_dot(p, frame->v);
    for (int32_t k = 0; k<frame->size && * count> 0; k++) {
        p = tal_posed_vertex(reference, loop[k + 1 < frame->size ? k + 1 : 0]);
        const double next_u = tal_vec3_dot(p, frame->u), next_v = tal_vec3_dot(p, frame->v);
        const double du = next_u - u, dv = next_v - v;
        // Outward normal (dv, -du), not of unit length; the slack is scaled with it.
        const double limit = dv * u - du * v;
        const double side_slack = slack * tal_larger(fabs(du), fabs(dv));
        double distance[TAL_CLIP_POINTS_MAX];
        bool cuts = false;
        for (int32_t m = 0; m < *count; m++) {
            distance[m] = dv * buffers[current][m].u - du * buffers[current][m].v - limit;
            cuts = cuts || distance[m] > side_slack;
        }
        if (cuts) {
            *count = clip_to_side(buffers[current], distance, *count, side_slack, k,
                                  buffers[1 - current]);
            current = 1 - current;
        }
        u = next_u;
        v = next_v;
    }
    return current;
}

int32_t tal_manifold_clip_faces(const tal_posed_body *reference, int32_t reference_face,
                                const tal_posed_body *incident, int32_t incident_face,
                                bool reference_is_i, double reach, double *same_below,
                                tal_contact_point *points) {
    const face_frame frame = make_frame(reference, reference_face);
    const double slack =
        SIDE_SLACK * tal_smaller(reference->smallest_edge, incident->smallest_edge);
    clip_corner buffers[2][TAL_CLIP_POINTS_MAX];
    int32_t count = load_incident(reference, &frame, incident, incident_face, buffers[0]);
    const clip_corner *corners = buffers[clip_to_face(reference, &frame, slack, buffers, &count)];
    const tal_vec3 normal = reference_is_i ? tal_vec3_scale(frame.n, -1.0) : frame.n;
    int32_t written = 0;
    for (int32_t k = 0; k < count; k++) {
        const clip_corner *c = &corners[k];
        if (!(c->h < reach)) {
            *same_below = tal_smaller(*same_below, c->h);
            continue;
        }
        uint32_t reference_feature, incident_feature;
        corner_features(reference, reference_face, incident, incident_face, c,
                        corners[k > 0 ? k - 1 : count - 1].edge, &reference_feature,
                        &incident_feature);
        tal_vec3 p = tal_vec3_add_scaled(reference->centre, c->u, frame.u);
        p = tal_vec3_add_scaled(p, c->v, frame.v);
        p = tal_vec3_add_scaled(p, frame.offset + 0.5 * c->h, frame.n);
        points[written++] =
            (tal_contact_point){p, normal, c->h,
                                reference_is_i ? tal_identity(reference_feature, incident_feature)
                                               : tal_identity(incident_feature, reference_feature)};
    }
    return written;
}

static double distance_squared(const tal_contact_point *a, const tal_contact_point *b) {
    const tal_vec3 d = tal_vec3_subtract(a->point, b->point);
    return tal_vec3_dot(d, d);
}

static int32_t deepest_point(const tal_contact_point *points, int32_t count) {
    int32_t deepest = 0;
    for (int32_t k = 1; k < count; k++) {
        deepest = points[k].gap < points[deepest].gap ? k : deepest;
    }
    return deepest;
}

int32_t tal_manifold_reduce(tal_contact_point *points, int32_t point_count) {
    if (point_count <= TAL_MANIFOLD_POINTS_MAX) {
        return point_count;
    }
    // Farthest-point selection from the deepest one, then back into the old order.
    int32_t kept[TAL_MANIFOLD_POINTS_MAX];
    int32_t kept_count = 1;
    kept[0] = deepest_point(points, point_count);
    for (int32_t n = 1; n < TAL_MANIFOLD_POINTS_MAX; n++) {
        double best_distance = 0.0;
        for (int32_t k = 0; k < point_count; k++) {
            double nearest = INFINITY;
            for (int32_t m = 0; m < n; m++) {
                nearest = tal_smaller(nearest, distance_squared(&points[k], &points[kept[m]]));
            }
            if (nearest > best_distance) {
                best_distance = nearest;
                kept[n] = k;
            }
        }
        if (best_distance <= 0.0) {
            break; // the rest coincides with points already kept
        }
        kept_count++;
    }
    for (int32_t n = 1; n < kept_count; n++) {
        const int32_t moving = kept[n];
        int32_t m = n;
        for (; m > 0 && kept[m - 1] > moving; m--) {
            kept[m] = kept[m - 1];
        }
        kept[m] = moving;
    }
    for (int32_t n = 0; n < kept_count; n++) {
        points[n] = points[kept[n]];
    }
    return kept_count;
}
