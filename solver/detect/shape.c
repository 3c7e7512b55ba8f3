// SPDX-License-Identifier: GPL-3.0-or-later
// From checked inputs to flat arrays: coplanar faces joined, edges numbered, face frames prepared.
#include "solver/detect/shape.h"

#include "core/base/memory.h"
#include "solver/detect/shape_check.h"
#include "solver/detect/shape_topology.h"

#include <math.h>
#include <string.h>

// Where the next shape goes, and what one shape needs while it is built.
typedef struct {
    tal_shapes *shapes;
    int32_t vertex_count, face_count, loop_count, edge_count, axis_count;
    tal_shape_side *sides; // of the shape at hand
    int32_t *group;        // per input face: the lowest face of its coplanar group
    int32_t *group_face;   // per input face that leads a group: its local number, else -1
    int32_t *next;         // per vertex: the next one along the outline of a group, -1 elsewhere
} shape_builder;

typedef struct {
    int32_t vertices, faces, loops;                // over all shapes
    int32_t most_vertices, most_faces, most_loops; // in one shape
} shape_totals;

static int32_t clamp_size(int32_t size) {
    return size < 0 ? 0 : size > TAL_FACE_CORNERS_MAX ? TAL_FACE_CORNERS_MAX : size;
}

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

// False when the counts do not fit 32 bits.
static bool count_inputs(const tal_shape_input *inputs, int32_t count, shape_totals *totals) {
    int64_t vertices = 0, faces = 0, loops = 0;
    *totals = (shape_totals){0};
    for (int32_t s = 0; s < count; s++) {
        if (inputs[s].kind != TAL_SHAPE_POLYHEDRON) {
            continue;
        }
        int32_t own_loops = 0;
        for (int32_t f = 0; f < inputs[s].face_count && inputs[s].loop_size != NULL; f++) {
            own_loops += clamp_size(inputs[s].loop_size[f]);
        }
        vertices += larger(inputs[s].vertex_count, 0);
        faces += larger(inputs[s].face_count, 0);
        loops += own_loops;
        totals->most_vertices = larger(totals->most_vertices, inputs[s].vertex_count);
        totals->most_faces = larger(totals->most_faces, inputs[s].face_count);
        totals->most_loops = larger(totals->most_loops, own_loops);
    }
    totals->vertices = (int32_t)vertices;
    totals->faces = (int32_t)faces;
    totals->loops = (int32_t)loops;
    return vertices < INT32_MAX && faces < INT32_MAX && loops < INT32_MAX;
}

static tal_status create_arrays(tal_shapes *s, int32_t count, const shape_totals *totals,
                                tal_error *err) {
    const size_t shapes = (size_t)count, vertices = (size_t)totals->vertices;
    const size_t faces = (size_t)totals->faces, loops = (size_t)totals->loops;
    TAL_CREATE(s->kind, shapes, "shape kinds", err);
    TAL_CREATE(s->sphere_radius, shapes, "sphere radii", err);
    TAL_CREATE(s->bounding_radius, shapes, "bounding radii", err);
    TAL_CREATE(s->smallest_edge, shapes, "smallest edges", err);
    TAL_CREATE(s->smallest_width, shapes, "smallest widths", err);
    TAL_CREATE(s->vertex_start, shapes + 1, "shape vertices", err);
    TAL_CREATE(s->face_start, shapes + 1, "shape faces", err);
    TAL_CREATE(s->edge_start, shapes + 1, "shape edges", err);
    TAL_CREATE(s->vertex, vertices, "shape vertices", err);
    TAL_CREATE(s->vertex_face_start, vertices + 1, "faces around vertices", err);
    TAL_CREATE(s->vertex_face, loops + vertices, "faces around vertices", err);
    TAL_CREATE(s->loop_start, faces + 1, "face loops", err);
    TAL_CREATE(s->face_normal, faces, "face normals", err);
    TAL_CREATE(s->face_offset, faces, "face offsets", err);
    TAL_CREATE(s->face_area, faces, "face areas", err);
    TAL_CREATE(s->face_vertex, loops, "face loops", err);
    TAL_CREATE(s->loop_edge, loops, "face loops", err);
    TAL_CREATE(s->edge_vertex, loops, "shape edges", err);
    TAL_CREATE(s->edge_face, loops, "shape edges", err);
    TAL_CREATE(s->axis_start, shapes + 1, "edge directions", err);
    TAL_CREATE(s->axis_edge, loops, "edge directions", err);
    TAL_CREATE(s->topology, shapes, "shape topologies", err);
    TAL_CREATE(s->is_box, shapes, "shape kinds", err);
    TAL_CREATE(s->edge_axis, loops, "edge directions", err);
    TAL_CREATE(s->edge_sign, loops, "edge directions", err);
    return TAL_OK;
}

static tal_status create_scratch(shape_builder *b, const shape_totals *totals, tal_error *err) {
    TAL_CREATE(b->sides, (size_t)totals->most_loops, "shape sides", err);
    TAL_CREATE(b->group, (size_t)totals->most_faces, "coplanar faces", err);
    TAL_CREATE(b->group_face, (size_t)totals->most_faces, "coplanar faces", err);
    TAL_CREATE(b->next, (size_t)totals->most_vertices, "face outlines", err);
    return TAL_OK;
}

static void destroy_scratch(shape_builder *b) {
    tal_memory_destroy(b->sides);
    tal_memory_destroy(b->group);
    tal_memory_destroy(b->group_face);
    tal_memory_destroy(b->next);
}

// First entry of face f in the input's loops.
static int32_t input_loop_start(const tal_shape_input *input, int32_t face) {
    int32_t first = 0;
    for (int32_t f = 0; f < face; f++) {
        first += input->loop_size[f];
    }
    return first;
}

static bool lies_in_plane_of(const tal_shape_input *input, int32_t face, int32_t other,
                             double tolerance) {
    tal_vec3 area, middle;
    tal_shape_loop_area(input->vertex, &input->loop_vertex[input_loop_start(input, face)],
                        input->loop_size[face], &area, &middle);
    const tal_vec3 normal = tal_vec3_normalize(area);
    const int32_t first = input_loop_start(input, other);
    for (int32_t k = 0; k < input->loop_size[other]; k++) {
        const tal_vec3 p = input->vertex[input->loop_vertex[first + k]];
        if (fabs(tal_vec3_dot(normal, tal_vec3_subtract(p, middle))) > tolerance) {
            return false;
        }
    }
    return true;
}

static void find_coplanar_groups(shape_builder *b, const tal_shape_input *input,
                                 int32_t side_count) {
    const double tolerance = TAL_SHAPE_TOLERANCE * tal_shape_input_size(input);
    for (int32_t f = 0; f < input->face_count; f++) {
        b->group[f] = f;
    }
    for (int32_t k = 0; k < side_count; k += 2) {
        const int32_t f = b->sides[k].face, g = b->sides[k + 1].face;
        const int32_t low = b->group[f] < b->group[g] ? b->group[f] : b->group[g];
        const int32_t high = b->group[f] < b->group[g] ? b->group[g] : b->group[f];
        // Both ways, and against the leader, so that a chain of almost flat edges does not creep.
        if (low == high || !lies_in_plane_of(input, f, g, tolerance) ||
            !lies_in_plane_of(input, g, f, tolerance) ||
            !lies_in_plane_of(input, low, high, tolerance)) {
            continue;
        }
        for (int32_t h = 0; h < input->face_count; h++) {
            b->group[h] = b->group[h] == high ? low : b->group[h];
        }
    }
}

static void add_face_loop(shape_builder *b, const tal_shape_input *input, int32_t leader,
                          int32_t side_count) {
    tal_shapes *s = b->shapes;
    int32_t start = -1;
    for (int32_t k = 0; k < side_count; k += 2) {
        const tal_shape_side *pair = &b->sides[k];
        if (b->group[pair[0].face] == b->group[pair[1].face]) {
            continue;
        }
        for (int32_t w = 0; w < 2; w++) {
            if (b->group[pair[w].face] == leader) {
                b->next[pair[w].a] = pair[w].b;
            }
        }
    }
    // Begin where the leading face begins, or at its first corner on the outline.
    const int32_t first = input_loop_start(input, leader);
    for (int32_t k = 0; k < input->loop_size[leader] && start < 0; k++) {
        const int32_t v = input->loop_vertex[first + k];
        start = b->next[v] >= 0 ? v : -1;
    }
    for (int32_t v = 0; v < input->vertex_count && start < 0; v++) {
        start = b->next[v] >= 0 ? v : -1;
    }
    for (int32_t v = start; v >= 0;) {
        const int32_t following = b->next[v];
        s->face_vertex[b->loop_count++] = (tal_shape_index)v;
        b->next[v] = -1;
        v = following;
        if (v >= 0 && b->next[v] < 0) {
            break; // round
        }
    }
}

static void add_faces(shape_builder *b, const tal_shape_input *input, int32_t side_count) {
    tal_shapes *s = b->shapes;
    int32_t local = 0;
    for (int32_t v = 0; v < input->vertex_count; v++) {
        b->next[v] = -1;
    }
    for (int32_t f = 0; f < input->face_count; f++) {
        b->group_face[f] = -1;
        if (b->group[f] == f) {
            b->group_face[f] = local++;
            add_face_loop(b, input, f, side_count);
            s->loop_start[++b->face_count] = b->loop_count;
        }
    }
}

static void add_edges(shape_builder *b, int32_t side_count) {
    tal_shapes *s = b->shapes;
    for (int32_t k = 0; k < side_count; k += 2) {
        const tal_shape_side *pair = &b->sides[k];
        const int32_t f = b->group_face[b->group[pair[0].face]];
        const int32_t g = b->group_face[b->group[pair[1].face]];
        if (f != g) {
            s->edge_vertex[2 * b->edge_count] = (tal_shape_index)pair[0].a;
            s->edge_vertex[2 * b->edge_count + 1] = (tal_shape_index)pair[0].b;
            s->edge_face[2 * b->edge_count] = (tal_shape_index)f;
            s->edge_face[2 * b->edge_count + 1] = (tal_shape_index)g;
            b->edge_count++;
        }
    }
}

static void number_loop_edges(tal_shapes *s, int32_t shape) {
    for (int32_t e = s->edge_start[shape]; e < s->edge_start[shape + 1]; e++) {
        for (int side = 0; side < 2; side++) {
            const int32_t face = s->face_start[shape] + s->edge_face[2 * e + side];
            for (int32_t k = s->loop_start[face]; k < s->loop_start[face + 1]; k++) {
                if (s->face_vertex[k] == s->edge_vertex[2 * e + side]) {
                    s->loop_edge[k] = (tal_shape_index)(e - s->edge_start[shape]);
                }
            }
        }
    }
}

// `loop`: scratch.
static void prepare_face(tal_shapes *s, int32_t shape, int32_t face, int32_t *loop) {
    const tal_vec3 *vertex = &s->vertex[s->vertex_start[shape]];
    const int32_t first = s->loop_start[face], size = s->loop_start[face + 1] - first;
    tal_vec3 area, middle;
    for (int32_t k = 0; k < size; k++) {
        loop[k] = s->face_vertex[first + k];
    }
    tal_shape_loop_area(vertex, loop, size, &area, &middle);
    const tal_vec3 normal = tal_vec3_normalize(area);
    s->face_normal[face] = normal;
    s->face_offset[face] = tal_vec3_dot(normal, middle);
    s->face_area[face] = tal_vec3_length(area);
}

// A point in the plane of a face.
typedef struct {
    double u, v;
} plane_point;

// How far p lies beyond the side from a to b of a face that is walked counter-clockwise.
static double beyond_side(plane_point a, plane_point b, plane_point p) {
    const double du = b.u - a.u, dv = b.v - a.v, length = sqrt(du * du + dv * dv);
    const double outward_u = dv / length, outward_v = -du / length;
    return outward_u * p.u + outward_v * p.v - (outward_u * a.u + outward_v * a.v);
}

bool tal_shape_face_holds(const tal_shapes *s, int32_t shape, int32_t f, tal_vec3 point,
                          double slack) {
    const tal_vec3 *vertex = &s->vertex[s->vertex_start[shape]];
    const tal_shape_index *loop = &s->face_vertex[s->loop_start[f]];
    const int32_t size = s->loop_start[f + 1] - s->loop_start[f];
    const tal_vec3 normal = s->face_normal[f];
    const tal_vec3 along = tal_vec3_subtract(vertex[loop[1]], vertex[loop[0]]);
    const tal_vec3 u =
        tal_vec3_normalize(tal_vec3_add_scaled(along, -tal_vec3_dot(along, normal), normal));
    const tal_vec3 v = tal_vec3_cross(normal, u);
    const plane_point p = {tal_vec3_dot(point, u), tal_vec3_dot(point, v)};
    plane_point a = {tal_vec3_dot(vertex[loop[0]], u), tal_vec3_dot(vertex[loop[0]], v)};
    for (int32_t k = 0; k < size; k++) {
        const tal_vec3 next = vertex[loop[k + 1 < size ? k + 1 : 0]];
        const plane_point b = {tal_vec3_dot(next, u), tal_vec3_dot(next, v)};
        if (beyond_side(a, b, p) > slack) {
            return false;
        }
        a = b;
    }
    return true;
}

// A vertex inside a joined face has no face left around it: it gets the one whose plane holds it.
static int32_t nearest_face(const tal_shapes *s, int32_t shape, tal_vec3 p) {
    int32_t best = 0;
    double best_distance = -INFINITY;
    for (int32_t f = s->face_start[shape]; f < s->face_start[shape + 1]; f++) {
        const double d = tal_vec3_dot(s->face_normal[f], p) - s->face_offset[f];
        if (d > best_distance) {
            best_distance = d;
            best = f - s->face_start[shape];
        }
    }
    return best;
}

static void list_faces_around_vertices(tal_shapes *s, int32_t shape) {
    int32_t used = s->vertex_face_start[s->vertex_start[shape]];
    for (int32_t v = s->vertex_start[shape]; v < s->vertex_start[shape + 1]; v++) {
        const int32_t before = used;
        s->vertex_face_start[v] = used;
        for (int32_t f = s->face_start[shape]; f < s->face_start[shape + 1]; f++) {
            for (int32_t k = s->loop_start[f]; k < s->loop_start[f + 1]; k++) {
                if (s->face_vertex[k] == v - s->vertex_start[shape]) {
                    s->vertex_face[used++] = (tal_shape_index)(f - s->face_start[shape]);
                }
            }
        }
        if (used == before) {
            s->vertex_face[used++] = (tal_shape_index)nearest_face(s, shape, s->vertex[v]);
        }
    }
    s->vertex_face_start[s->vertex_start[shape + 1]] = used;
}

static tal_vec3 unit_along(const tal_shapes *s, const tal_vec3 *vertex, int32_t edge) {
    return tal_vec3_normalize(
        tal_vec3_subtract(vertex[s->edge_vertex[2 * edge + 1]], vertex[s->edge_vertex[2 * edge]]));
}

// Parallel edges share a direction: a box has three instead of twelve.
static void find_axes(shape_builder *b, int32_t shape) {
    tal_shapes *s = b->shapes;
    const tal_vec3 *vertex = &s->vertex[s->vertex_start[shape]];
    const int32_t first = s->axis_start[shape];
    for (int32_t e = s->edge_start[shape]; e < s->edge_start[shape + 1]; e++) {
        const tal_vec3 along = unit_along(s, vertex, e);
        int32_t a = first;
        tal_vec3 axis = along;
        for (; a < b->axis_count; a++) {
            axis = unit_along(s, vertex, s->edge_start[shape] + s->axis_edge[a]);
            if (tal_vec3_length(tal_vec3_cross(axis, along)) <= TAL_SHAPE_TOLERANCE) {
                break;
            }
        }
        if (a == b->axis_count) {
            s->axis_edge[b->axis_count++] = (tal_shape_index)(e - s->edge_start[shape]);
            axis = along;
        }
        s->edge_axis[e] = (tal_shape_index)(a - first);
        s->edge_sign[e] = tal_vec3_dot(axis, along) < 0.0 ? -1 : 1;
    }
    s->axis_start[shape + 1] = b->axis_count;
}

// Exactly the eight corners +-a +-b +-c of half edges a, b, c?
static bool is_centred_box(const tal_shapes *s, int32_t shape) {
    const tal_vec3 *vertex = &s->vertex[s->vertex_start[shape]];
    const int32_t first = s->edge_start[shape], axis = s->axis_start[shape];
    if (s->vertex_start[shape + 1] - s->vertex_start[shape] != 8 ||
        s->edge_start[shape + 1] - first != 12 || s->axis_start[shape + 1] - axis != 3) {
        return false;
    }
    tal_vec3 half[3];
    for (int k = 0; k < 3; k++) {
        const int32_t e = first + s->axis_edge[axis + k];
        half[k] = tal_vec3_scale(
            tal_vec3_subtract(vertex[s->edge_vertex[2 * e + 1]], vertex[s->edge_vertex[2 * e]]),
            0.5);
    }
    for (int corner = 0; corner < 8; corner++) {
        tal_vec3 p = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; k++) {
            p = tal_vec3_add_scaled(p, (corner >> k & 1) != 0 ? 1.0 : -1.0, half[k]);
        }
        bool found = false;
        for (int v = 0; v < 8; v++) {
            found = found || tal_vec3_length(tal_vec3_subtract(vertex[v], p)) <=
                                 1e-13 * s->bounding_radius[shape];
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static void measure_shape(tal_shapes *s, int32_t shape) {
    const tal_vec3 *vertex = &s->vertex[s->vertex_start[shape]];
    const int32_t vertex_count = s->vertex_start[shape + 1] - s->vertex_start[shape];
    for (int32_t v = 0; v < vertex_count; v++) {
        s->bounding_radius[shape] = fmax(s->bounding_radius[shape], tal_vec3_length(vertex[v]));
    }
    s->smallest_edge[shape] = INFINITY;
    for (int32_t e = s->edge_start[shape]; e < s->edge_start[shape + 1]; e++) {
        const tal_vec3 d =
            tal_vec3_subtract(vertex[s->edge_vertex[2 * e + 1]], vertex[s->edge_vertex[2 * e]]);
        s->smallest_edge[shape] = fmin(s->smallest_edge[shape], tal_vec3_length(d));
    }
    s->smallest_width[shape] = INFINITY;
    for (int32_t f = s->face_start[shape]; f < s->face_start[shape + 1]; f++) {
        double deepest = 0.0;
        for (int32_t v = 0; v < vertex_count; v++) {
            deepest = fmax(deepest, s->face_offset[f] - tal_vec3_dot(s->face_normal[f], vertex[v]));
        }
        s->smallest_width[shape] = fmin(s->smallest_width[shape], deepest);
    }
}

static void add_polyhedron(shape_builder *b, const tal_shape_input *input, int32_t shape) {
    tal_shapes *s = b->shapes;
    const int32_t side_count = tal_shape_input_side_count(input);
    memcpy(&s->vertex[b->vertex_count], input->vertex,
           (size_t)input->vertex_count * sizeof *input->vertex);
    b->vertex_count += input->vertex_count;
    tal_shape_sort_sides(input, b->sides);
    find_coplanar_groups(b, input, side_count);
    add_faces(b, input, side_count);
    add_edges(b, side_count);
    s->vertex_start[shape + 1] = b->vertex_count;
    s->face_start[shape + 1] = b->face_count;
    s->edge_start[shape + 1] = b->edge_count;
    number_loop_edges(s, shape);
    for (int32_t f = s->face_start[shape]; f < s->face_start[shape + 1]; f++) {
        prepare_face(s, shape, f, b->next);
    }
    list_faces_around_vertices(s, shape);
    find_axes(b, shape);
    measure_shape(s, shape);
    s->is_box[shape] = is_centred_box(s, shape) ? 1 : 0;
}

static void add_sphere(shape_builder *b, const tal_shape_input *input, int32_t shape) {
    tal_shapes *s = b->shapes;
    s->sphere_radius[shape] = input->radius;
    s->bounding_radius[shape] = input->radius;
    s->smallest_edge[shape] = 2.0 * input->radius;
    s->smallest_width[shape] = 2.0 * input->radius;
    s->vertex_start[shape + 1] = b->vertex_count;
    s->face_start[shape + 1] = b->face_count;
    s->edge_start[shape + 1] = b->edge_count;
    s->axis_start[shape + 1] = b->axis_count;
}

static tal_status check_inputs(shape_builder *b, const tal_shape_input *inputs, int32_t count,
                               tal_error *err) {
    tal_status status = TAL_OK;
    for (int32_t s = 0; s < count; s++) {
        const tal_status own = tal_shape_input_check(&inputs[s], s, b->sides, err);
        status = status == TAL_OK ? own : status;
    }
    return status;
}

// Joined triangles may add up to more corners than a single face may have.
static tal_status check_joined_faces(const tal_shapes *s, int32_t shape, tal_error *err) {
    for (int32_t f = s->face_start[shape]; f < s->face_start[shape + 1]; f++) {
        const int32_t corners = s->loop_start[f + 1] - s->loop_start[f];
        if (corners > TAL_FACE_CORNERS_MAX) {
            return TAL_FAIL(err, TAL_TOO_LARGE,
                            "shape %d: %d corners lie in one plane; a face has at most %d: use "
                            "fewer, or a coarser outline",
                            shape, corners, TAL_FACE_CORNERS_MAX);
        }
    }
    return TAL_OK;
}

tal_status tal_shapes_create(tal_shapes *shapes, const tal_shape_input *inputs, int32_t count,
                             tal_error *err) {
    *shapes = (tal_shapes){.shape_count = count};
    shape_builder builder = {.shapes = shapes};
    shape_totals totals;
    tal_status status = TAL_OK;
    tal_error_reset(err);
    if (!count_inputs(inputs, count, &totals)) {
        status =
            TAL_FAIL(err, TAL_TOO_LARGE, "more than %d vertices or faces in all shapes", INT32_MAX);
        goto done;
    }
    TAL_TRY_OR_DONE(create_scratch(&builder, &totals, err));
    TAL_TRY_OR_DONE(check_inputs(&builder, inputs, count, err));
    TAL_TRY_OR_DONE(create_arrays(shapes, count, &totals, err));
    for (int32_t s = 0; s < count; s++) {
        shapes->kind[s] = inputs[s].kind;
        if (inputs[s].kind == TAL_SHAPE_SPHERE) {
            add_sphere(&builder, &inputs[s], s);
        } else {
            add_polyhedron(&builder, &inputs[s], s);
            TAL_TRY_OR_DONE(check_joined_faces(shapes, s, err));
        }
    }
    TAL_TRY_OR_DONE(tal_shapes_find_topologies(shapes, err));
done:
    destroy_scratch(&builder);
    if (status != TAL_OK) {
        tal_shapes_destroy(shapes);
    }
    return status;
}

void tal_shapes_destroy(tal_shapes *shapes) {
    if (shapes == NULL) {
        return;
    }
    void *const arrays[] = {
        shapes->kind,          shapes->sphere_radius,     shapes->bounding_radius,
        shapes->smallest_edge, shapes->smallest_width,    shapes->vertex_start,
        shapes->vertex,        shapes->face_start,        shapes->loop_start,
        shapes->face_vertex,   shapes->face_normal,       shapes->face_offset,
        shapes->edge_start,    shapes->edge_vertex,       shapes->edge_face,
        shapes->loop_edge,     shapes->vertex_face_start, shapes->vertex_face,
        shapes->face_area,     shapes->axis_start,        shapes->axis_edge,
        shapes->edge_axis,     shapes->edge_sign,         shapes->topology,
        shapes->is_box};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        tal_memory_destroy(arrays[k]);
    }
    *shapes = (tal_shapes){0};
}
