// SPDX-License-Identifier: GPL-3.0-or-later
// From numpy arrays to the input of a model. Sizes and starts are checked here, so that the library never
// reads beyond an array; what the numbers mean, it checks itself.
#include "python/module/module.h"

#include <math.h>
#include <string.h>

typedef struct {
    talus_arrays *arrays;
    PyObject *dictionary;
    bool failed;
} reader;

static void fail(reader *r, PyObject *kind, const char *name, const char *what) {
    if (!r->failed) {
        PyErr_Format(kind, "%s %s", name, what);
    }
    r->failed = true;
}

// An array of `width` numbers per row, of doubles (d), 32-bit integers (i) or bytes (B); NULL if it is not
// given, has no rows, or is not as it should be.
static const void *take(reader *r, const char *name, char kind, int64_t width, int32_t *rows) {
    *rows = 0;
    PyObject *given = r->failed ? NULL : PyDict_GetItemString(r->dictionary, name);
    if (given == NULL) {
        return NULL;
    }
    Py_buffer *view = &r->arrays->buffer[r->arrays->buffer_count];
    if (r->arrays->buffer_count == TALUS_BUFFERS_MAX ||
        PyObject_GetBuffer(given, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        fail(r, PyExc_TypeError, name, "must be an array without gaps");
        return NULL;
    }
    r->arrays->buffer_count++;
    const int64_t size = kind == 'd' ? 8 : kind == 'i' ? 4 : 1, row = size * width;
    if (view->format == NULL || view->format[0] != kind || view->format[1] != '\0' ||
        view->itemsize != size) {
        fail(r, PyExc_TypeError, name, "has numbers of the wrong kind");
        return NULL;
    }
    if (view->len % row != 0 || view->len / row > INT32_MAX) {
        fail(r, PyExc_ValueError, name, "has the wrong shape");
        return NULL;
    }
    *rows = (int32_t)(view->len / row);
    return *rows > 0 ? view->buf : NULL;
}

// The same, with a number of rows that is known.
static const void *take_rows(reader *r, const char *name, char kind, int64_t width, int32_t rows) {
    int32_t found;
    const void *data = take(r, name, kind, width, &found);
    if (!r->failed && found != rows) {
        fail(r, PyExc_ValueError, name, "has the wrong number of rows");
    }
    return data;
}

// Starts of ragged rows: from 0 on never falling, up to `end`.
static const int32_t *take_starts(reader *r, const char *name, int32_t count, int32_t end) {
    const int32_t *start = take_rows(r, name, 'i', 1, count + 1);
    bool good = !r->failed && start[0] == 0 && start[count] == end;
    for (int32_t n = 0; good && n < count; n++) {
        good = start[n] <= start[n + 1];
    }
    if (!good) {
        fail(r, PyExc_ValueError, name, "do not increase from 0 to the number of entries");
    }
    return start;
}

static void *make(reader *r, int32_t count, size_t size) {
    void *made = r->failed ? NULL : PyMem_Calloc((size_t)count + 1, size);
    if (made == NULL) {
        if (!r->failed) {
            PyErr_NoMemory();
        }
        r->failed = true;
        return NULL;
    }
    r->arrays->made[r->arrays->made_count++] = made;
    return made;
}

static tal_vec3 vector(const double *number) {
    return (tal_vec3){number[0], number[1], number[2]};
}

static void read_shapes(reader *r, tal_model_input *in) {
    int32_t count, vertices, faces, corners;
    const int32_t *kind = take(r, "shape_kind", 'i', 1, &count);
    const double *radius = take_rows(r, "shape_radius", 'd', 1, count);
    const tal_vec3 *vertex = take(r, "shape_vertex", 'd', 3, &vertices);
    const int32_t *loop_size = take(r, "loop_size", 'i', 1, &faces);
    const int32_t *corner = take(r, "loop_vertex", 'i', 1, &corners);
    const int32_t *vertex_start = take_starts(r, "shape_vertex_start", count, vertices);
    const int32_t *face_start = take_starts(r, "shape_face_start", count, faces);
    int64_t sum = 0;
    for (int32_t f = 0; !r->failed && f < faces; f++) {
        if (loop_size[f] < 0) {
            fail(r, PyExc_ValueError, "loop_size", "must not be negative");
        }
        sum += loop_size[f];
    }
    if (!r->failed && sum != corners) {
        fail(r, PyExc_ValueError, "loop_size", "do not add up to the corners given");
    }
    tal_shape_input *shape = make(r, count, sizeof *shape);
    int64_t next = 0;
    for (int32_t s = 0; !r->failed && s < count; s++) {
        shape[s] = (tal_shape_input){.kind = kind[s] == 1 ? TAL_SHAPE_SPHERE : TAL_SHAPE_POLYHEDRON,
                                     .radius = radius[s],
                                     .vertex_count = vertex_start[s + 1] - vertex_start[s],
                                     .vertex = vertices > 0 ? vertex + vertex_start[s] : NULL,
                                     .face_count = face_start[s + 1] - face_start[s],
                                     .loop_size = faces > 0 ? loop_size + face_start[s] : NULL,
                                     .loop_vertex = corners > 0 ? corner + next : NULL};
        for (int32_t f = face_start[s]; f < face_start[s + 1]; f++) {
            next += loop_size[f];
        }
    }
    in->shape_count = count;
    in->shape = shape;
}

static void read_terrain(reader *r, tal_model_input *in) {
    in->terrain_vertex_m = take(r, "terrain_vertex", 'd', 3, &in->terrain_vertex_count);
    in->terrain_triangle = take(r, "terrain_triangle", 'i', 3, &in->terrain_triangle_count);
    in->terrain_class = take_rows(r, "terrain_class", 'i', 1, in->terrain_triangle_count);
    for (int32_t k = 0; !r->failed && k < 3 * in->terrain_triangle_count; k++) {
        if (in->terrain_triangle[k] < 0 || in->terrain_triangle[k] >= in->terrain_vertex_count) {
            fail(r, PyExc_ValueError, "terrain_triangle", "names vertices that are not there");
        }
    }
}

static void read_bodies(reader *r, tal_model_input *in) {
    in->body_shape = take(r, "body_shape", 'i', 1, &in->body_count);
    const int32_t count = in->body_count;
    in->body_class = take_rows(r, "body_class", 'i', 1, count);
    in->body_fixed = take_rows(r, "body_fixed", 'B', 1, count);
    in->mass_kg = take_rows(r, "mass", 'd', 1, count);
    in->inertia_kg_m2 = take_rows(r, "inertia", 'd', 3, count);
    in->position_m = take_rows(r, "position", 'd', 3, count);
    in->orientation = take_rows(r, "orientation", 'd', 4, count);
    in->velocity_mps = take_rows(r, "velocity", 'd', 3, count);
    in->spin_radps = take_rows(r, "spin", 'd', 3, count);
}

static void read_solids(reader *r, tal_model_input *in) {
    int32_t count, nodes, hexahedra, tetrahedra;
    const int32_t *kinematics = take(r, "solid_kinematics", 'i', 1, &count);
    if (count == 0) {
        return;
    }
    const double *number = take_rows(r, "solid", 'd', 5, count);
    const tal_vec3 *node = take(r, "solid_node", 'd', 3, &nodes);
    const int32_t *hexahedron = take(r, "solid_hexahedron", 'i', 8, &hexahedra);
    const int32_t *tetrahedron = take(r, "solid_tetrahedron", 'i', 4, &tetrahedra);
    const int32_t *node_start = take_starts(r, "solid_node_start", count, nodes);
    const int32_t *hex_start = take_starts(r, "solid_hexahedron_start", count, hexahedra);
    const int32_t *tet_start = take_starts(r, "solid_tetrahedron_start", count, tetrahedra);
    tal_solid_input *solid = make(r, count, sizeof *solid);
    for (int32_t n = 0; !r->failed && n < count; n++, number += 5) {
        solid[n] = (tal_solid_input){
            .kinematics = (tal_kinematics)kinematics[n],
            .density_kg_m3 = number[0],
            .young_pa = number[1],
            .poisson = number[2],
            .damping_mass_per_s = number[3],
            .damping_stiffness_s = number[4],
            .node_count = node_start[n + 1] - node_start[n],
            .node_m = nodes > 0 ? node + node_start[n] : NULL,
            .hexahedron_count = hex_start[n + 1] - hex_start[n],
            .hexahedron = hexahedra > 0 ? hexahedron + 8 * (ptrdiff_t)hex_start[n] : NULL,
            .tetrahedron_count = tet_start[n + 1] - tet_start[n],
            .tetrahedron = tetrahedra > 0 ? tetrahedron + 4 * (ptrdiff_t)tet_start[n] : NULL};
    }
    in->solid_count = count;
    in->solid = solid;
    in->body_solid = take_rows(r, "body_solid", 'i', 1, in->body_count);
}

static void read_series(reader *r, tal_model_input *in) {
    int32_t count, entries;
    const int32_t *body = take(r, "prescribed_body", 'i', 1, &count);
    const double *time = take(r, "prescribed_time", 'd', 1, &entries);
    const tal_vec3 *velocity = take_rows(r, "prescribed_velocity", 'd', 3, entries);
    const tal_vec3 *spin = take_rows(r, "prescribed_spin", 'd', 3, entries);
    const int32_t *start = count > 0 ? take_starts(r, "prescribed_start", count, entries) : NULL;
    tal_motion_series *series = make(r, count, sizeof *series);
    for (int32_t n = 0; !r->failed && n < count; n++) {
        const int32_t first = start[n];
        series[n] = (tal_motion_series){body[n], start[n + 1] - first, time + first,
                                        velocity + first, spin + first};
    }
    in->prescribed_count = count;
    in->prescribed = series;
}

static void read_forces(reader *r, tal_model_input *in) {
    int32_t count;
    const int32_t *body = take(r, "force_body", 'i', 1, &count);
    const double *number = take_rows(r, "force", 'd', 11, count);
    tal_point_force *force = make(r, count, sizeof *force);
    for (int32_t n = 0; !r->failed && n < count; n++, number += 11) {
        force[n] = (tal_point_force){.body = body[n],
                                     .force_n = vector(number),
                                     .torque_nm = vector(number + 3),
                                     .point_m = vector(number + 6),
                                     .start_s = number[9],
                                     .end_s = number[10]};
    }
    in->force_count = count;
    in->force = force;
}

static void read_constraints(reader *r, tal_model_input *in) {
    int32_t count, entries;
    const int32_t *name = take(r, "constraint_name", 'i', 4, &count); // hold, i, j, drive
    const double *number = take_rows(r, "constraint", 'd', 11, count);
    const double *time = take(r, "constraint_time", 'd', 1, &entries);
    const double *value = take_rows(r, "constraint_value", 'd', 1, entries);
    const int32_t *start = count > 0 ? take_starts(r, "constraint_start", count, entries) : NULL;
    tal_constraint *constraint = make(r, count, sizeof *constraint);
    for (int32_t n = 0; !r->failed && n < count; n++, name += 4, number += 11) {
        const bool is_driven = start[n + 1] > start[n];
        constraint[n] = (tal_constraint){.hold = (tal_hold)name[0],
                                         .body_i = name[1],
                                         .body_j = name[2],
                                         .point_i_m = vector(number),
                                         .point_j_m = vector(number + 3),
                                         .direction = vector(number + 6),
                                         .drive = (tal_drive)name[3],
                                         .count = start[n + 1] - start[n],
                                         .time_s = is_driven ? time + start[n] : NULL,
                                         .value = is_driven ? value + start[n] : NULL,
                                         .least_m = number[9],
                                         .most_m = number[10]};
    }
    in->constraint_count = count;
    in->constraint = constraint;
    in->excluded = take(r, "excluded", 'i', 2, &in->excluded_count);
    in->gravity_time_s = take(r, "gravity_time", 'd', 1, &in->gravity_count);
    in->gravity_mps2 = take_rows(r, "gravity", 'd', 3, in->gravity_count);
}

#define FIELD(name)                                                                                \
    { #name, offsetof(tal_law, name) }
const talus_law_field talus_law_fields[TALUS_LAW_FIELDS] = {FIELD(friction),
                                                            FIELD(restitution),
                                                            FIELD(tangential_restitution),
                                                            FIELD(kn_kg),
                                                            FIELD(kt_kg),
                                                            FIELD(cohesion_pa),
                                                            FIELD(stiffness_n_m),
                                                            FIELD(damping_n_s_m),
                                                            FIELD(rolling_friction),
                                                            FIELD(friction_max),
                                                            FIELD(scar_growth_per_m),
                                                            FIELD(scar_decay_per_s),
                                                            FIELD(drag_per_s),
                                                            FIELD(plastic_energy_j_m2),
                                                            FIELD(friction_fast),
                                                            FIELD(weakening_speed_mps),
                                                            FIELD(friction_worn),
                                                            FIELD(weakening_slip_m),
                                                            FIELD(turbulence_mps2)};
#undef FIELD

tal_law talus_law_make(int kind, bool in_kg, const double *number) {
    tal_law law = {.kind = (tal_law_kind)kind, .dissipation_in_kg = in_kg};
    for (int f = 0; f < TALUS_LAW_FIELDS; f++) {
        memcpy((char *)&law + talus_law_fields[f].offset, &number[f], sizeof number[f]);
    }
    return law;
}

static void read_laws(reader *r, tal_model_input *in) {
    int32_t count;
    const int32_t *kind = take(r, "law_kind", 'i', 1, &count);
    const double *number = take_rows(r, "law", 'd', TALUS_LAW_FIELDS, count);
    const uint8_t *in_kg = take_rows(r, "law_in_kg", 'B', 1, count);
    tal_law *law = make(r, count, sizeof *law);
    while (in->class_count < 1000 && in->class_count * in->class_count < count) {
        in->class_count++;
    }
    if (!r->failed && in->class_count * in->class_count != count) {
        fail(r, PyExc_ValueError, "law_kind", "must be a square table");
    }
    for (int32_t n = 0; !r->failed && n < count; n++) {
        law[n] = talus_law_make(kind[n], in_kg[n] != 0, &number[(ptrdiff_t)n * TALUS_LAW_FIELDS]);
    }
    in->law = law;
}

// A whole number, or one that the library will refuse.
static int whole(double number) {
    return number >= -1.0 && number <= 1e9 ? (int)number : -1;
}

static void read_settings(reader *r, tal_model_input *in) {
    const double *s = take_rows(r, "settings", 'd', 14, 1);
    if (s == NULL) {
        fail(r, PyExc_ValueError, "settings", "are missing");
        return;
    }
    in->settings = tal_solver_settings_default();
    in->settings.dt_s = s[0];
    in->settings.gravity_mps2 = vector(s + 1);
    in->settings.scheme = s[4] == 1.0 ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU;
    in->settings.tolerance = s[5];
    in->settings.iteration_max = whole(s[6]);
    in->settings.impact_speed_mps = s[7];
    in->settings.correction = s[8];
    in->settings.slop = s[9];
    in->settings.overlap_max = s[10];
    in->settings.ground_overlap_max_m = s[11];
    in->settings.substep_max = whole(s[12]);
    in->settings.rest_steps = whole(s[13]);
}

bool talus_arrays_read(talus_arrays *arrays, PyObject *dictionary) {
    memset(arrays, 0, sizeof *arrays);
    reader r = {.arrays = arrays, .dictionary = dictionary};
    tal_model_input *in = &arrays->input;
    read_shapes(&r, in);
    read_terrain(&r, in);
    read_bodies(&r, in);
    read_solids(&r, in);
    read_series(&r, in);
    read_forces(&r, in);
    read_constraints(&r, in);
    read_laws(&r, in);
    read_settings(&r, in);
    return !r.failed;
}

void talus_arrays_release(talus_arrays *arrays) {
    for (int n = 0; n < arrays->buffer_count; n++) {
        PyBuffer_Release(&arrays->buffer[n]);
    }
    for (int n = 0; n < arrays->made_count; n++) {
        PyMem_Free(arrays->made[n]);
    }
}

PyObject *talus_fill(PyObject *module, PyObject *arguments) {
    PyObject *dictionary, *result = NULL;
    double element;
    if (!PyArg_ParseTuple(arguments, "O!d:fill", &PyDict_Type, &dictionary, &element)) {
        return NULL;
    }
    talus_arrays *arrays = PyMem_Calloc(1, sizeof *arrays);
    tal_error *err = PyMem_Calloc(1, sizeof *err);
    if (arrays == NULL || err == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    reader r = {.arrays = arrays, .dictionary = dictionary};
    read_shapes(&r, &arrays->input);
    if (!r.failed && arrays->input.shape_count != 1) {
        fail(&r, PyExc_ValueError, "fill", "takes one shape");
    }
    if (!r.failed) {
        tal_filling filling = {0};
        const tal_status status = tal_filling_create(&filling, arrays->input.shape, element, err);
        const size_t nodes = (size_t)filling.node_count * sizeof *filling.node_m,
                     corners = 4 * (size_t)filling.tetrahedron_count * sizeof *filling.tetrahedron;
        result = status != TAL_OK
                     ? talus_raise(talus_module_of(module), status, err)
                     : Py_BuildValue("(y#y#)", (const char *)filling.node_m, (Py_ssize_t)nodes,
                                     (const char *)filling.tetrahedron, (Py_ssize_t)corners);
        tal_filling_destroy(&filling);
    }
    talus_arrays_release(arrays);
done:
    PyMem_Free(arrays);
    PyMem_Free(err);
    return result;
}
