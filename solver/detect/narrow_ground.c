// SPDX-License-Identifier: GPL-3.0-or-later
// One body against the ground: gathers the triangles near it, collects contacts with their faces,
// ridges and peaks, and sorts them into one manifold per normal and surface class.
#include "solver/detect/narrow_ground.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

// Contacts whose normals differ by less (about 2.5 degrees) share a manifold.
static const double SAME_NORMAL_COSINE = 0.999;
// Points closer than this part of the body's radius are one.
static const double SAME_POINT = 1e-6;

bool tal_ground_make_room(tal_ground_scratch *scratch, void **list, int32_t count,
                          int32_t *capacity, size_t size) {
    if (count < *capacity) {
        return true;
    }
    const int32_t larger = *capacity < 64 ? 128 : *capacity < INT32_MAX / 2 ? 2 * *capacity : 0;
    void *memory = larger > 0 ? tal_memory_grow(*list, (size_t)count, (size_t)larger, size) : NULL;
    if (memory == NULL) {
        scratch->status = TAL_NO_MEMORY;
        return false;
    }
    *list = memory;
    *capacity = larger;
    return true;
}

void tal_ground_add(tal_ground_scratch *scratch, const tal_posed_body *body, tal_vec3 surface,
                    tal_vec3 normal, double gap, uint32_t body_feature, uint32_t ground_feature,
                    int32_t surface_class) {
    void *list = scratch->contact;
    if (!tal_ground_make_room(scratch, &list, scratch->contact_count, &scratch->contact_capacity,
                              sizeof *scratch->contact)) {
        return;
    }
    scratch->contact = list;
    const tal_vec3 middle = tal_vec3_add_scaled(surface, 0.5 * gap, normal);
    scratch->contact[scratch->contact_count++] =
        (tal_ground_contact){{tal_vec3_add(body->centre, middle), normal, gap,
                              tal_identity(body_feature, ground_feature)},
                             surface_class,
                             -1};
}

static void add_triangle(tal_ground_scratch *scratch, int32_t triangle, double centre_height) {
    void *list = scratch->triangle;
    if (tal_ground_make_room(scratch, &list, scratch->triangle_count, &scratch->triangle_capacity,
                             sizeof *scratch->triangle)) {
        scratch->triangle = list;
        scratch->triangle[scratch->triangle_count++] =
            (tal_ground_triangle){triangle, centre_height};
    }
}

static bool misses(double a, double b, double c, double low, double high) {
    return (a > high && b > high && c > high) || (a < low && b < low && c < low);
}

// The body's box seen from its centre, grown by a margin.
typedef struct {
    tal_vec3 low, high;
    double range; // of the sphere about it
} near_box;

// Keeps a triangle whose plane comes within the range of the centre and whose box meets the body's. A
// triangle lies in several grid cells: it is taken in the first one that the query visits.
static void consider_triangle(const tal_terrain *t, const tal_posed_body *body, const near_box *box,
                              const tal_terrain_cells *query, int32_t column, int32_t row,
                              int32_t triangle, tal_ground_scratch *scratch) {
    const int32_t own_column = t->first_column[triangle], own_row = t->first_row[triangle];
    if ((column != own_column && (own_column > query->column_low || column != query->column_low)) ||
        (row != own_row && (own_row > query->row_low || row != query->row_low))) {
        return;
    }
    const tal_vec3 a = tal_ground_corner(t, body, triangle, 0);
    const double height = -tal_vec3_dot(t->normal[triangle], a);
    if (!(height <= box->range && height >= -box->range)) {
        return;
    }
    const tal_vec3 b = tal_ground_corner(t, body, triangle, 1);
    const tal_vec3 c = tal_ground_corner(t, body, triangle, 2);
    if (!misses(a.x, b.x, c.x, box->low.x, box->high.x) &&
        !misses(a.y, b.y, c.y, box->low.y, box->high.y) &&
        !misses(a.z, b.z, c.z, box->low.z, box->high.z)) {
        add_triangle(scratch, triangle, height);
    }
}

// All of the ground within `margin` of the body is on the list, and above it as far as its radius: what
// has sunk in altogether must find its way out.
static void gather_triangles(const tal_terrain *t, const tal_posed_body *body, double margin,
                             tal_ground_scratch *scratch) {
    const tal_vec3 c = body->centre, grown = {margin, margin, margin};
    near_box box = {.low = tal_vec3_subtract(tal_vec3_subtract(body->low, c), grown),
                    .high = tal_vec3_add(tal_vec3_subtract(body->high, c), grown),
                    .range = body->bounding_radius + margin};
    box.high.z = box.range;
    const double z_low = c.z + box.low.z, z_high = c.z + box.high.z;
    tal_terrain_cells query;
    scratch->triangle_count = 0;
    scratch->known_distance = margin;
    if (z_low > t->high.z || z_high < t->low.z ||
        !tal_terrain_cells_find(t, c.x + box.low.x, c.x + box.high.x, c.y + box.low.y,
                                c.y + box.high.y, &query)) {
        return;
    }
    for (int32_t row = query.row_low; row <= query.row_high; row++) {
        for (int32_t column = query.column_low; column <= query.column_high; column++) {
            const int32_t cell = row * t->grid_columns + column;
            if (z_low > t->grid_high[cell] || z_high < t->grid_low[cell]) {
                continue;
            }
            for (int32_t k = t->grid_start[cell]; k < t->grid_start[cell + 1]; k++) {
                consider_triangle(t, body, &box, &query, column, row, t->grid_triangle[k], scratch);
            }
        }
    }
}

static int compare_by_identity(const void *left, const void *right) {
    const tal_ground_contact *l = left, *r = right;
    if (l->contact.identity != r->contact.identity) {
        return l->contact.identity < r->contact.identity ? -1 : 1;
    }
    return l->contact.gap < r->contact.gap ? -1 : l->contact.gap > r->contact.gap ? 1 : 0;
}

static int compare_by_depth(const void *left, const void *right) {
    const tal_ground_contact *l = left, *r = right;
    if (l->contact.gap != r->contact.gap) {
        return l->contact.gap < r->contact.gap ? -1 : 1;
    }
    return l->contact.identity < r->contact.identity   ? -1
           : l->contact.identity > r->contact.identity ? 1
                                                       : 0;
}

static int compare_normals(tal_vec3 a, tal_vec3 b) {
    const double left[3] = {a.x, a.y, a.z}, right[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 3; k++) {
        if (left[k] != right[k]) {
            return left[k] < right[k] ? -1 : 1;
        }
    }
    return 0;
}

// By leading normal, then class; within a manifold by identity. `cluster` is the index of the
// leader until the contacts move.
static int compare_for_output(const void *left, const void *right) {
    const tal_ground_contact *l = left, *r = right;
    if (l->cluster != r->cluster) {
        return l->cluster < r->cluster ? -1 : 1;
    }
    return compare_by_identity(left, right);
}

// Short lists: insertion keeps equal entries in order and costs no call.
static void sort_contacts(tal_ground_contact *list, int32_t count,
                          int (*compare)(const void *, const void *)) {
    if (count > 64) {
        qsort(list, (size_t)count, sizeof *list, compare);
        return;
    }
    for (int32_t k = 1; k < count; k++) {
        const tal_ground_contact moving = list[k];
        int32_t m = k;
        for (; m > 0 && compare(&list[m - 1], &moving) > 0; m--) {
            list[m] = list[m - 1];
        }
        list[m] = moving;
    }
}

static int32_t drop_repeated(tal_ground_contact *list, int32_t count) {
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        if (kept == 0 || list[kept - 1].contact.identity != list[k].contact.identity) {
            list[kept++] = list[k];
        }
    }
    return kept;
}

// Deepest first: each contact joins the first manifold led by a like normal, or leads its own.
// Returns the number of manifolds; leaders are listed in `leader`.
static int32_t cluster_contacts(tal_ground_contact *list, int32_t count, int32_t *leader,
                                int32_t leader_room) {
    int32_t leaders = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t home = -1;
        for (int32_t m = 0; m < leaders && home < 0; m++) {
            const tal_ground_contact *first = &list[leader[m]];
            if (first->surface_class == list[k].surface_class &&
                tal_vec3_dot(first->contact.normal, list[k].contact.normal) > SAME_NORMAL_COSINE) {
                home = m;
            }
        }
        if (home < 0 && leaders < leader_room) {
            leader[leaders] = k;
            home = leaders++;
        }
        list[k].cluster = home;
    }
    return leaders;
}

static int compare_leaders(const tal_ground_contact *a, const tal_ground_contact *b) {
    const int order = compare_normals(a->contact.normal, b->contact.normal);
    return order != 0 ? order : a->surface_class < b->surface_class ? -1 : 1;
}

// Renumbers the clusters so that they rise with the normal of their leader.
static void order_clusters(tal_ground_contact *list, int32_t count, const int32_t *leader,
                           int32_t leaders, int32_t *rank) {
    for (int32_t m = 0; m < leaders; m++) {
        rank[m] = 0;
        for (int32_t k = 0; k < leaders; k++) {
            rank[m] += k != m && compare_leaders(&list[leader[k]], &list[leader[m]]) < 0 ? 1 : 0;
        }
    }
    for (int32_t k = 0; k < count; k++) {
        list[k].cluster = list[k].cluster < 0 ? -1 : rank[list[k].cluster];
    }
}

static bool coincides(const tal_contact_point *points, int32_t count, const tal_contact_point *p,
                      double distance) {
    for (int32_t k = 0; k < count; k++) {
        const tal_vec3 d = tal_vec3_subtract(points[k].point, p->point);
        if (tal_vec3_dot(d, d) <= distance * distance) {
            return true;
        }
    }
    return false;
}

static tal_status write_cluster(tal_ground_scratch *scratch, const tal_posed_body *body,
                                int32_t body_index, const tal_ground_contact *list, int32_t count,
                                tal_manifolds *found) {
    const double distance = SAME_POINT * body->bounding_radius;
    int32_t points = 0;
    for (int32_t k = 0; k < count; k++) {
        if (coincides(scratch->point, points, &list[k].contact, distance)) {
            continue;
        }
        void *memory = scratch->point;
        if (!tal_ground_make_room(scratch, &memory, points, &scratch->point_capacity,
                                  sizeof *scratch->point)) {
            return scratch->status;
        }
        scratch->point = memory;
        scratch->point[points++] = list[k].contact;
    }
    points = tal_manifold_reduce(scratch->point, points);
    const tal_manifold manifold = {
        .body_i = body_index, .body_j = TAL_BODY_TERRAIN, .surface_class_j = list[0].surface_class};
    return tal_manifolds_add(found, manifold, scratch->point, points);
}

// The common case, a body on a flat: all contacts have the very same normal.
static bool is_one_cluster(const tal_ground_contact *list, int32_t count) {
    for (int32_t k = 1; k < count; k++) {
        if (list[k].surface_class != list[0].surface_class ||
            compare_normals(list[k].contact.normal, list[0].contact.normal) != 0) {
            return false;
        }
    }
    return true;
}

static tal_status write_manifolds(tal_ground_scratch *scratch, const tal_posed_body *body,
                                  int32_t body_index, tal_manifolds *found) {
    enum { LEADERS_MAX = 64 }; // contacts of yet another normal are the shallowest: left out
    int32_t leader[LEADERS_MAX], rank[LEADERS_MAX];
    tal_ground_contact *list = scratch->contact;
    sort_contacts(list, scratch->contact_count, compare_by_identity);
    const int32_t count = drop_repeated(list, scratch->contact_count);
    if (is_one_cluster(list, count)) {
        return write_cluster(scratch, body, body_index, list, count, found);
    }
    sort_contacts(list, count, compare_by_depth);
    const int32_t leaders = cluster_contacts(list, count, leader, LEADERS_MAX);
    order_clusters(list, count, leader, leaders, rank);
    sort_contacts(list, count, compare_for_output);
    for (int32_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && list[next].cluster == list[first].cluster;) {
            next++;
        }
        if (list[first].cluster >= 0) {
            TAL_TRY(write_cluster(scratch, body, body_index, &list[first], next - first, found));
        }
    }
    return TAL_OK;
}

tal_status tal_ground_find(const tal_terrain *terrain, const tal_posed_body *body,
                           int32_t body_index, tal_ground_scratch *scratch, tal_manifolds *found) {
    scratch->status = TAL_OK;
    scratch->contact_count = 0;
    gather_triangles(terrain, body, body->reach, scratch);
    if (!tal_ground_collect_feet(terrain, body, scratch)) {
        return scratch->status;
    }
    if (tal_ground_feet_are_deep(body, scratch)) {
        // A vertex is in or out by what is nearest to it: look as far around it as it may be deep.
        gather_triangles(terrain, body, body->reach + 2.0 * body->bounding_radius, scratch);
    }
    tal_ground_settle_feet(terrain, body, scratch);
    tal_ground_find_ridges(terrain, body, scratch);
    TAL_TRY(scratch->status);
    return scratch->contact_count > 0 ? write_manifolds(scratch, body, body_index, found) : TAL_OK;
}

tal_status tal_ground_scratch_create(tal_ground_scratch *scratch, const tal_shapes *shapes,
                                     tal_error *err) {
    int32_t vertices = 1, edges = 0;
    for (int32_t s = 0; s < shapes->shape_count; s++) {
        const int32_t own_vertices = shapes->vertex_start[s + 1] - shapes->vertex_start[s];
        const int32_t own_edges = shapes->edge_start[s + 1] - shapes->edge_start[s];
        vertices = own_vertices > vertices ? own_vertices : vertices;
        edges = own_edges > edges ? own_edges : edges;
    }
    TAL_CREATE(scratch->vertex_behind, (size_t)vertices + 4, "ground scratch", err);
    TAL_CREATE(scratch->height, (size_t)vertices, "ground scratch", err);
    TAL_CREATE(scratch->edge_direction, (size_t)edges, "ground scratch", err);
    TAL_CREATE(scratch->edge_length, (size_t)edges, "ground scratch", err);
    return TAL_OK;
}

void tal_ground_scratch_destroy(tal_ground_scratch *scratch) {
    tal_memory_destroy(scratch->triangle);
    tal_memory_destroy(scratch->foot);
    tal_memory_destroy(scratch->corner);
    tal_memory_destroy(scratch->contact);
    tal_memory_destroy(scratch->point);
    tal_memory_destroy(scratch->vertex_behind);
    tal_memory_destroy(scratch->height);
    tal_memory_destroy(scratch->edge_direction);
    tal_memory_destroy(scratch->edge_length);
    *scratch = (tal_ground_scratch){0};
}
