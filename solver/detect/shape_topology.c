// SPDX-License-Identifier: GPL-3.0-or-later
// Groups shapes by topology: a hash of all tables finds candidates, comparing them decides.
#include "solver/detect/shape_topology.h"

#include "core/base/memory.h"

#include <string.h>

// One table of a shape: `count` entries from `first` on.
typedef struct {
    const void *data;
    size_t bytes;
} table;

enum { TABLES = 9 };

static table make_table(const void *array, int32_t first, int32_t end, size_t size) {
    return (table){(const char *)array + (size_t)first * size, (size_t)(end - first) * size};
}

// All that must agree, apart from counters that are told by the sizes. Loop and fan starts count
// from the beginning of all shapes, so their sizes are compared through what they enclose.
static void list_tables(const tal_shapes *s, int32_t k, table *tables) {
    const int32_t loop = s->loop_start[s->face_start[k]];
    const int32_t loop_end = s->loop_start[s->face_start[k + 1]];
    const int32_t fan = s->vertex_face_start[s->vertex_start[k]];
    const int32_t fan_end = s->vertex_face_start[s->vertex_start[k + 1]];
    const int32_t edge = s->edge_start[k], edge_end = s->edge_start[k + 1];
    tables[0] = make_table(s->face_vertex, loop, loop_end, sizeof *s->face_vertex);
    tables[1] = make_table(s->loop_edge, loop, loop_end, sizeof *s->loop_edge);
    tables[2] = make_table(s->vertex_face, fan, fan_end, sizeof *s->vertex_face);
    tables[3] = make_table(s->edge_vertex, 2 * edge, 2 * edge_end, sizeof *s->edge_vertex);
    tables[4] = make_table(s->edge_face, 2 * edge, 2 * edge_end, sizeof *s->edge_face);
    tables[5] = make_table(s->edge_axis, edge, edge_end, sizeof *s->edge_axis);
    tables[6] = make_table(s->edge_sign, edge, edge_end, sizeof *s->edge_sign);
    tables[7] =
        make_table(s->axis_edge, s->axis_start[k], s->axis_start[k + 1], sizeof *s->axis_edge);
    tables[8] = (table){&s->kind[k], sizeof s->kind[k]};
}

static uint64_t hash_shape(const tal_shapes *s, int32_t k) {
    table tables[TABLES];
    uint64_t hash = 14695981039346656037u; // FNV-1a
    list_tables(s, k, tables);
    for (int t = 0; t < TABLES; t++) {
        const unsigned char *bytes = tables[t].data;
        for (size_t b = 0; b < tables[t].bytes; b++) {
            hash = (hash ^ bytes[b]) * 1099511628211u;
        }
    }
    return hash;
}

static bool same_starts(const int32_t *starts, int32_t first, int32_t other, int32_t count) {
    for (int32_t k = 1; k <= count; k++) {
        if (starts[first + k] - starts[first] != starts[other + k] - starts[other]) {
            return false;
        }
    }
    return true;
}

static bool same_topology(const tal_shapes *s, int32_t k, int32_t m) {
    table left[TABLES], right[TABLES];
    const int32_t faces = s->face_start[k + 1] - s->face_start[k];
    const int32_t vertices = s->vertex_start[k + 1] - s->vertex_start[k];
    if (faces != s->face_start[m + 1] - s->face_start[m] ||
        vertices != s->vertex_start[m + 1] - s->vertex_start[m]) {
        return false;
    }
    list_tables(s, k, left);
    list_tables(s, m, right);
    for (int t = 0; t < TABLES; t++) {
        if (left[t].bytes != right[t].bytes ||
            (left[t].bytes > 0 && memcmp(left[t].data, right[t].data, left[t].bytes) != 0)) {
            return false;
        }
    }
    return same_starts(s->loop_start, s->face_start[k], s->face_start[m], faces) &&
           same_starts(s->vertex_face_start, s->vertex_start[k], s->vertex_start[m], vertices);
}

tal_status tal_shapes_find_topologies(tal_shapes *shapes, tal_error *err) {
    size_t room = 16;
    while (room < 2 * (size_t)shapes->shape_count) {
        room *= 2;
    }
    int32_t *leader; // open addressing; number + 1, zero where free
    TAL_CREATE(leader, room, "shape topologies", err);
    for (int32_t k = 0; k < shapes->shape_count; k++) {
        size_t slot = (size_t)hash_shape(shapes, k) & (room - 1);
        while (leader[slot] != 0 && !same_topology(shapes, leader[slot] - 1, k)) {
            slot = (slot + 1) & (room - 1);
        }
        leader[slot] = leader[slot] != 0 ? leader[slot] : k + 1;
        shapes->topology[k] = leader[slot] - 1;
    }
    tal_memory_destroy(leader);
    return TAL_OK;
}
