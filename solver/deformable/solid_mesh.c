// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes and elements of a solid, and which nodes share an element.
#include "solver/deformable/solid_parts.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tal_status take_elements(tal_solid *s, int32_t count, int32_t corner_count,
                                int32_t point_count, tal_error *err) {
    s->element_count = count;
    TAL_CREATE(s->node_start, (size_t)count + 1, "elements", err);
    TAL_CREATE(s->point_start, (size_t)count + 1, "elements", err);
    TAL_CREATE(s->element_node, (size_t)corner_count, "elements", err);
    TAL_CREATE(s->point, (size_t)point_count, "integration points", err);
    TAL_CREATE(s->node, (size_t)s->node_count, "nodes", err);
    TAL_CREATE(s->is_held, (size_t)s->node_count, "nodes", err);
    return TAL_OK;
}

static void add_elements(tal_solid *s, int32_t first, int32_t count, const tal_element_kind *kind,
                         const int32_t *corner) {
    for (int32_t e = first; e < first + count; e++) {
        s->node_start[e + 1] = s->node_start[e] + kind->node_count;
        s->point_start[e + 1] = s->point_start[e] + kind->forces.count;
        memcpy(&s->element_node[s->node_start[e]], &corner[(e - first) * kind->node_count],
               (size_t)kind->node_count * sizeof *corner);
    }
}

tal_status tal_solid_copy_mesh(tal_solid *s, const tal_solid_input *input, tal_error *err) {
    const int32_t boxes = input->hexahedron_count, tets = input->tetrahedron_count;
    s->node_count = input->node_count;
    TAL_TRY(take_elements(s, boxes + tets, 8 * boxes + 4 * tets, 8 * boxes + tets, err));
    memcpy(s->node, input->node_m, (size_t)s->node_count * sizeof *s->node);
    add_elements(s, 0, boxes, &tal_hexahedron, input->hexahedron);
    add_elements(s, boxes, tets, &tal_tetrahedron, input->tetrahedron);
    for (int32_t n = 0; n < input->held_count; n++) {
        s->is_held[input->held_node[n]] = 1;
    }
    return TAL_OK;
}

tal_status tal_solid_make_four_nodes(tal_solid *s, double mass, tal_vec3 inertia, tal_error *err) {
    const double size = sqrt((inertia.x + inertia.y + inertia.z) / mass);
    const int32_t corner[4] = {0, 1, 2, 3};
    s->node_count = 4;
    TAL_TRY(take_elements(s, 1, 4, 1, err));
    add_elements(s, 0, 1, &tal_tetrahedron, corner);
    s->node[0] = (tal_vec3){size, size, size}; // a regular tetrahedron about the centroid
    s->node[1] = (tal_vec3){size, -size, -size};
    s->node[2] = (tal_vec3){-size, -size, size};
    s->node[3] = (tal_vec3){-size, size, -size};
    return TAL_OK;
}

static int compare_numbers(const void *left, const void *right) {
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

// Neighbours of each node, rising and without repetition; returns how many there are of all.
static int64_t list_neighbours(const tal_solid *s, const int64_t *start, int32_t *next,
                               int32_t *neighbour, int64_t *row_start) {
    for (int32_t e = 0; e < s->element_count; e++) {
        for (int32_t m = s->node_start[e]; m < s->node_start[e + 1]; m++) {
            const int32_t a = s->element_node[m];
            for (int32_t n = s->node_start[e]; n < s->node_start[e + 1]; n++) {
                neighbour[start[a] + next[a]++] = s->element_node[n];
            }
        }
    }
    int64_t kept = 0;
    for (int32_t a = 0; a < s->node_count; a++) {
        qsort(&neighbour[start[a]], (size_t)next[a], sizeof *neighbour, compare_numbers);
        row_start[a] = kept;
        for (int32_t n = 0; n < next[a]; n++) { // kept never passes start[a]
            const int32_t b = neighbour[start[a] + n];
            if (n == 0 || neighbour[kept - 1] != b) {
                neighbour[kept++] = b;
            }
        }
    }
    row_start[s->node_count] = kept;
    return kept;
}

static tal_status make_matrices(tal_solid *s, const int64_t *row_start, const int32_t *neighbour,
                                tal_error *err) {
    const int64_t count = row_start[s->node_count];
    tal_block_matrix *matrix[2] = {&s->stiffness, &s->system};
    for (int m = 0; m < 2; m++) {
        TAL_TRY(tal_block_matrix_create(matrix[m], s->node_count, count, err));
        memcpy(matrix[m]->start, row_start, ((size_t)s->node_count + 1) * sizeof *row_start);
        memcpy(matrix[m]->column, neighbour, (size_t)count * sizeof *neighbour);
    }
    return TAL_OK;
}

tal_status tal_solid_make_pattern(tal_solid *s, tal_error *err) {
    int64_t *start = NULL, *row_start = NULL;
    int32_t *next = NULL, *neighbour = NULL;
    tal_status status = TAL_OK;
    const size_t rows = (size_t)s->node_count + 1;
    TAL_CREATE_OR_DONE(start, rows, "neighbours of nodes", err);
    TAL_CREATE_OR_DONE(row_start, rows, "neighbours of nodes", err);
    TAL_CREATE_OR_DONE(next, rows, "neighbours of nodes", err);
    for (int32_t e = 0; e < s->element_count; e++) {
        const int32_t corners = s->node_start[e + 1] - s->node_start[e];
        for (int32_t m = s->node_start[e]; m < s->node_start[e + 1]; m++) {
            start[s->element_node[m] + 1] += corners;
        }
    }
    for (int32_t a = 0; a < s->node_count; a++) {
        start[a + 1] += start[a];
    }
    TAL_CREATE_OR_DONE(neighbour, (size_t)start[s->node_count], "neighbours of nodes", err);
    list_neighbours(s, start, next, neighbour, row_start);
    status = make_matrices(s, row_start, neighbour, err);
done:
    tal_memory_destroy(start);
    tal_memory_destroy(row_start);
    tal_memory_destroy(next);
    tal_memory_destroy(neighbour);
    return status;
}
