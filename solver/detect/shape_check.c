// SPDX-License-Identifier: GPL-3.0-or-later
// The checks of one shape, cheapest first: what a later check relies on was checked before it.
#include "solver/detect/shape_check.h"

#include <math.h>
#include <stdlib.h>

double tal_shape_input_size(const tal_shape_input *input) {
    tal_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t k = 0; k < input->vertex_count; k++) {
        const tal_vec3 p = input->vertex[k];
        low = (tal_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (tal_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    return tal_vec3_length(tal_vec3_subtract(high, low));
}

int32_t tal_shape_input_side_count(const tal_shape_input *input) {
    int32_t count = 0;
    for (int32_t f = 0; f < input->face_count; f++) {
        count += input->loop_size[f];
    }
    return count;
}

void tal_shape_loop_area(const tal_vec3 *vertex, const int32_t *loop, int32_t size,
                         tal_vec3 *area_vector, tal_vec3 *middle) {
    tal_vec3 sum = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < size; k++) {
        sum = tal_vec3_add(sum, vertex[loop[k]]);
    }
    *middle = tal_vec3_scale(sum, 1.0 / size);
    tal_vec3 area = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < size; k++) {
        const tal_vec3 a = tal_vec3_subtract(vertex[loop[k]], *middle);
        const tal_vec3 b = tal_vec3_subtract(vertex[loop[k + 1 < size ? k + 1 : 0]], *middle);
        area = tal_vec3_add_scaled(area, 0.5, tal_vec3_cross(a, b));
    }
    *area_vector = area;
}

static int compare_sides(const void *left, const void *right) {
    const tal_shape_side *l = left, *r = right;
    const int32_t keys[5][2] = {{l->a < l->b ? l->a : l->b, r->a < r->b ? r->a : r->b},
                                {l->a < l->b ? l->b : l->a, r->a < r->b ? r->b : r->a},
                                {l->a, r->a},
                                {l->face, r->face},
                                {l->entry, r->entry}};
    for (int k = 0; k < 5; k++) {
        if (keys[k][0] != keys[k][1]) {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

void tal_shape_sort_sides(const tal_shape_input *input, tal_shape_side *sides) {
    int32_t entry = 0;
    for (int32_t f = 0; f < input->face_count; f++) {
        const int32_t first = entry, size = input->loop_size[f];
        for (int32_t k = 0; k < size; k++, entry++) {
            sides[entry] =
                (tal_shape_side){input->loop_vertex[entry],
                                 input->loop_vertex[first + (k + 1 < size ? k + 1 : 0)], f, entry};
        }
    }
    qsort(sides, (size_t)entry, sizeof *sides, compare_sides);
}

static bool check_counts(const tal_shape_input *input, int32_t number, tal_error *err) {
    if (input->vertex_count < 4 || input->face_count < 4 || input->vertex == NULL ||
        input->loop_size == NULL || input->loop_vertex == NULL) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "shape %d: %d vertices and %d faces; a polyhedron needs at least 4 of each",
                      number, input->vertex_count, input->face_count);
        return false;
    }
    if (input->vertex_count > TAL_SHAPE_INDEX_MAX) {
        tal_error_add(err, TAL_BAD_INPUT, "shape %d: %d vertices; a polyhedron has at most %d",
                      number, input->vertex_count, TAL_SHAPE_INDEX_MAX);
        return false;
    }
    return true;
}

static bool check_vertices(const tal_shape_input *input, int32_t number, tal_error *err) {
    bool good = true;
    for (int32_t k = 0; k < input->vertex_count; k++) {
        const tal_vec3 p = input->vertex[k];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "shape %d: vertex %d is (%g, %g, %g); coordinates must be finite", number,
                          k, p.x, p.y, p.z);
            good = false;
        }
    }
    return good;
}

static bool check_distinct(const tal_shape_input *input, int32_t number, double tolerance,
                           tal_error *err) {
    bool good = true;
    for (int32_t k = 0; k < input->vertex_count; k++) {
        for (int32_t l = k + 1; l < input->vertex_count; l++) {
            const tal_vec3 d = tal_vec3_subtract(input->vertex[k], input->vertex[l]);
            if (tal_vec3_dot(d, d) <= tolerance * tolerance) {
                tal_error_add(err, TAL_BAD_INPUT,
                              "shape %d: vertices %d and %d are the same point (%g, %g, %g); "
                              "join them",
                              number, k, l, input->vertex[k].x, input->vertex[k].y,
                              input->vertex[k].z);
                good = false;
            }
        }
    }
    return good;
}

static bool check_loop(const tal_shape_input *input, int32_t number, int32_t face, int32_t first,
                       tal_error *err) {
    const int32_t size = input->loop_size[face];
    bool good = true;
    for (int32_t k = 0; k < size; k++) {
        const int32_t v = input->loop_vertex[first + k];
        if (v < 0 || v >= input->vertex_count) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "shape %d: face %d names vertex %d; vertices are numbered 0 to %d",
                          number, face, v, input->vertex_count - 1);
            good = false;
            continue;
        }
        for (int32_t l = 0; l < k; l++) {
            if (input->loop_vertex[first + l] == v) {
                tal_error_add(err, TAL_BAD_INPUT, "shape %d: face %d visits vertex %d twice",
                              number, face, v);
                good = false;
            }
        }
    }
    return good;
}

static bool check_loops(const tal_shape_input *input, int32_t number, tal_error *err) {
    bool good = true;
    int32_t first = 0;
    for (int32_t f = 0; f < input->face_count; f++) {
        const int32_t size = input->loop_size[f];
        if (size < 3 || size > TAL_FACE_CORNERS_MAX) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "shape %d: face %d has %d corners; a face has between 3 and %d", number,
                          f, size, TAL_FACE_CORNERS_MAX);
            return false; // the loops behind it cannot be told apart safely
        }
        if (size >
            TAL_SHAPE_INDEX_MAX - first) { // hence as many edges, and more than there are faces
            tal_error_add(
                err, TAL_BAD_INPUT,
                "shape %d: more than %d corners in all its faces; a block is coarser than that",
                number, TAL_SHAPE_INDEX_MAX);
            return false;
        }
        good = check_loop(input, number, f, first, err) && good;
        first += size;
    }
    return good;
}

// Every edge is walked once in each direction: closed, and all faces agree on the outside.
static bool check_closed(const tal_shape_input *input, int32_t number, const tal_shape_side *sides,
                         int32_t side_count, tal_error *err) {
    bool good = true;
    for (int32_t first = 0, next; first < side_count; first = next) {
        const tal_shape_side *s = &sides[first];
        for (next = first + 1; next < side_count; next++) {
            const tal_shape_side *t = &sides[next];
            const bool same = (t->a == s->a && t->b == s->b) || (t->a == s->b && t->b == s->a);
            if (!same) {
                break;
            }
        }
        if (next - first == 2 && sides[first].a == sides[first + 1].b) {
            continue;
        }
        good = false;
        if (next - first == 1) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "shape %d: open at the edge from vertex %d to %d: only face %d is there",
                          number, s->a, s->b, s->face);
        } else if (next - first == 2) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "shape %d: faces %d and %d follow the edge %d-%d in the same direction; "
                          "reverse one of them",
                          number, s->face, sides[first + 1].face, s->a, s->b);
        } else {
            tal_error_add(err, TAL_BAD_INPUT, "shape %d: %d faces meet at the edge %d-%d, not 2",
                          number, next - first, s->a, s->b);
        }
    }
    const int32_t euler = input->vertex_count - side_count / 2 + input->face_count;
    if (good && euler != 2) {
        tal_error_add(
            err, TAL_BAD_INPUT,
            "shape %d: vertices - edges + faces = %d, not 2: it has a hole, several parts "
            "or vertices that no face uses",
            number, euler);
        good = false;
    }
    return good;
}

static double signed_volume(const tal_shape_input *input) {
    double volume = 0.0;
    int32_t first = 0;
    for (int32_t f = 0; f < input->face_count; f++) {
        tal_vec3 area, middle;
        tal_shape_loop_area(input->vertex, &input->loop_vertex[first], input->loop_size[f], &area,
                            &middle);
        volume += tal_vec3_dot(area, tal_vec3_subtract(middle, input->vertex[0])) / 3.0;
        first += input->loop_size[f];
    }
    return volume;
}

static bool check_planar(const tal_shape_input *input, int32_t number, int32_t face, int32_t first,
                         tal_vec3 normal, tal_vec3 middle, double tolerance, tal_error *err) {
    double worst = 0.0;
    for (int32_t k = 0; k < input->loop_size[face]; k++) {
        const tal_vec3 p = input->vertex[input->loop_vertex[first + k]];
        worst = fmax(worst, fabs(tal_vec3_dot(normal, tal_vec3_subtract(p, middle))));
    }
    if (worst > tolerance) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "shape %d: face %d is not planar: a corner lies %.3g off its plane; split it "
                      "into triangles",
                      number, face, worst);
    }
    return worst <= tolerance;
}

static bool check_behind(const tal_shape_input *input, int32_t number, int32_t face,
                         tal_vec3 normal, tal_vec3 middle, double tolerance, tal_error *err) {
    double worst = 0.0;
    int32_t worst_vertex = -1;
    for (int32_t k = 0; k < input->vertex_count; k++) {
        const double d = tal_vec3_dot(normal, tal_vec3_subtract(input->vertex[k], middle));
        if (d > worst) {
            worst = d;
            worst_vertex = k;
        }
    }
    if (worst > tolerance) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "shape %d: not convex: vertex %d lies %.3g outside face %d; split the block "
                      "into convex parts",
                      number, worst_vertex, worst, face);
    }
    return worst <= tolerance;
}

static bool check_faces(const tal_shape_input *input, int32_t number, double size, tal_error *err) {
    const double tolerance = TAL_SHAPE_TOLERANCE * size;
    bool good = true;
    int32_t first = 0;
    for (int32_t f = 0; f < input->face_count; f++) {
        tal_vec3 area, middle;
        tal_shape_loop_area(input->vertex, &input->loop_vertex[first], input->loop_size[f], &area,
                            &middle);
        const double length = tal_vec3_length(area);
        if (!(length > tolerance * tolerance)) {
            tal_error_add(err, TAL_BAD_INPUT, "shape %d: face %d has no area", number, f);
            good = false;
        } else {
            const tal_vec3 normal = tal_vec3_scale(area, 1.0 / length);
            const bool planar =
                check_planar(input, number, f, first, normal, middle, tolerance, err);
            good = planar && check_behind(input, number, f, normal, middle, tolerance, err) && good;
        }
        first += input->loop_size[f];
    }
    return good;
}

static tal_status check_sphere(const tal_shape_input *input, int32_t number, tal_error *err) {
    if (!(input->radius > 0.0) || !isfinite(input->radius)) {
        return tal_error_add(err, TAL_BAD_INPUT,
                             "shape %d: the radius of a sphere is %g; it must be positive", number,
                             input->radius);
    }
    return TAL_OK;
}

tal_status tal_shape_input_check(const tal_shape_input *input, int32_t number,
                                 tal_shape_side *sides, tal_error *err) {
    if (input->kind == TAL_SHAPE_SPHERE) {
        return check_sphere(input, number, err);
    }
    if (!check_counts(input, number, err) || !check_vertices(input, number, err) ||
        !check_loops(input, number, err)) {
        return TAL_BAD_INPUT;
    }
    const double size = tal_shape_input_size(input);
    bool good = check_distinct(input, number, TAL_SHAPE_TOLERANCE * size, err);
    tal_shape_sort_sides(input, sides);
    good = check_closed(input, number, sides, tal_shape_input_side_count(input), err) && good;
    if (!good) {
        return TAL_BAD_INPUT;
    }
    const double volume = signed_volume(input);
    if (volume <= 0.0) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "shape %d: inside out (volume %g): list the corners of each face "
                      "counter-clockwise seen from outside",
                      number, volume);
        return TAL_BAD_INPUT;
    }
    return check_faces(input, number, size, err) ? TAL_OK : TAL_BAD_INPUT;
}
