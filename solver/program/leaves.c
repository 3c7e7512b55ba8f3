// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a run in which some broke.
#include "solver/program/leaves.h"

#include "core/base/math3.h"
#include "core/base/memory.h"

#include <math.h>
#include <string.h>

void tal_leaves_destroy(tal_leaves *l) {
    void *const array[] = {l->body,     l->lost,     l->start, l->end,
                           l->position, l->velocity, l->spin,  l->orientation};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        tal_memory_destroy(array[k]);
    }
    tal_memory_destroy(l->scene.volume_m3);
    *l = (tal_leaves){0};
}

static tal_status make_room(tal_leaves *l, size_t count, tal_error *err) {
    TAL_CREATE(l->body, count, "pieces of blocks", err);
    TAL_CREATE(l->lost, count, "pieces of blocks", err);
    TAL_CREATE(l->start, count, "pieces of blocks", err);
    TAL_CREATE(l->end, count, "pieces of blocks", err);
    TAL_CREATE(l->position, count, "pieces of blocks", err);
    TAL_CREATE(l->velocity, count, "pieces of blocks", err);
    TAL_CREATE(l->spin, count, "pieces of blocks", err);
    TAL_CREATE(l->orientation, count, "pieces of blocks", err);
    TAL_CREATE(l->scene.volume_m3, count, "pieces of blocks", err);
    return TAL_OK;
}

// What broke is no leaf.
static void list_bodies(tal_leaves *l, const tal_solve_scene *scene) {
    for (int32_t b = 0; b < scene->input.body_count; b++) {
        bool is_whole = true;
        for (int32_t p = b + 1; p < scene->input.body_count && is_whole; p++) {
            is_whole = l->piece[p].parent != b;
        }
        if (is_whole) {
            l->body[l->count++] = b;
        }
    }
}

typedef struct {
    tal_vec3 position, velocity, spin;
    tal_quat orientation;
} pose;

// A piece that is not born yet moves with what it is part of.
static pose pose_of(const tal_leaves *l, const tal_journal_frame *frame, int32_t b) {
    const tal_piece *piece = &l->piece[b];
    if (piece->parent < 0 || piece->born_s <= frame->time_s) {
        return (pose){frame->position[b], frame->velocity[b], frame->spin[b],
                      frame->orientation[b]};
    }
    const pose whole = pose_of(l, frame, piece->parent);
    const tal_vec3 arm = tal_quat_rotate(whole.orientation, piece->offset);
    return (pose){tal_vec3_add(whole.position, arm),
                  tal_vec3_add(whole.velocity, tal_vec3_cross(whole.spin, arm)), whole.spin,
                  tal_quat_normalize(tal_quat_multiply(whole.orientation, piece->turn))};
}

tal_journal_frame tal_leaves_pose(const tal_leaves *l, const tal_journal_frame *frame) {
    for (int32_t n = 0; n < l->count; n++) {
        const pose p = pose_of(l, frame, l->body[n]);
        l->position[n] = p.position;
        l->velocity[n] = p.velocity;
        l->spin[n] = p.spin;
        l->orientation[n] = p.orientation;
    }
    return (tal_journal_frame){.time_s = frame->time_s,
                               .body_count = l->count,
                               .position = l->position,
                               .orientation = l->orientation,
                               .velocity = l->velocity,
                               .spin = l->spin,
                               .field = frame->field};
}

static void fill(tal_leaves *l, const tal_solve_scene *scene, const tal_state *state,
                 const uint8_t *lost) {
    const tal_model_input *in = &scene->input;
    const tal_journal_frame start = {.time_s = -1.0, // before anything broke
                                     .position = in->position_m,
                                     .orientation = in->orientation,
                                     .velocity = in->velocity_mps,
                                     .spin = in->spin_radps};
    int32_t soft_count = 0;
    for (int32_t n = 0; n < l->count; n++) {
        const int32_t b = l->body[n];
        l->start[n] = pose_of(l, &start, b).position;
        l->end[n] = tal_state_positions(state)[b];
        l->lost[n] = lost[b];
        l->scene.volume_m3[n] = scene->volume_m3[b];
        soft_count += in->body_solid[b] >= 0 ? 1 : 0;
    }
    double *volume = l->scene.volume_m3;
    l->scene = *scene;
    l->scene.volume_m3 = volume;
    l->scene.soft_count = soft_count;
    l->scene.input.body_count = l->count;
    l->scene.input.position_m = l->start;
}

tal_status tal_leaves_create(tal_leaves *l, const tal_breaking *breaking,
                             const tal_solve_scene *scene, const tal_state *state,
                             const uint8_t *lost, tal_error *err) {
    *l = (tal_leaves){.piece = breaking->piece,
                      .broken_count = breaking->broken_count,
                      .along_joints = breaking->along_joints,
                      .area_m2 = breaking->area_m2,
                      .surface_j = breaking->surface_j,
                      .released_j = breaking->released_j};
    const tal_status status = make_room(l, (size_t)scene->input.body_count, err);
    if (status != TAL_OK) {
        tal_leaves_destroy(l);
        return status;
    }
    list_bodies(l, scene);
    fill(l, scene, state, lost);
    return TAL_OK;
}

// --- into run.nc ---

typedef struct {
    int32_t *vertex_start, *face_start, *corner_start, *corner;
    double *vertex, *mass, *inertia;
    int32_t vertex_count, face_count, corner_count;
} shapes;

static const tal_shape_input *shape_of(const tal_leaves *l, int32_t n) {
    const tal_model_input *in = &l->scene.input;
    return &in->shape[in->body_shape[l->body[n]]];
}

static tal_status count_shapes(const tal_leaves *l, shapes *s, tal_error *err) {
    for (int32_t n = 0; n < l->count; n++) {
        const tal_shape_input *shape = shape_of(l, n);
        s->vertex_count += shape->vertex_count;
        s->face_count += shape->face_count;
        for (int32_t f = 0; f < shape->face_count; f++) {
            s->corner_count += shape->loop_size[f];
        }
    }
    const size_t count = (size_t)l->count;
    TAL_CREATE(s->vertex_start, count + 1, "shapes of pieces", err);
    TAL_CREATE(s->face_start, count + 1, "shapes of pieces", err);
    TAL_CREATE(s->corner_start, (size_t)s->face_count + 1, "shapes of pieces", err);
    TAL_CREATE(s->corner, (size_t)s->corner_count, "shapes of pieces", err);
    TAL_CREATE(s->vertex, 3 * (size_t)s->vertex_count, "shapes of pieces", err);
    TAL_CREATE(s->mass, count, "shapes of pieces", err);
    TAL_CREATE(s->inertia, 3 * count, "shapes of pieces", err);
    return TAL_OK;
}

static void gather_shapes(const tal_leaves *l, shapes *s) {
    int32_t face = 0, corner = 0;
    for (int32_t n = 0; n < l->count; n++) {
        const tal_shape_input *shape = shape_of(l, n);
        const tal_vec3 inertia = l->scene.input.inertia_kg_m2[l->body[n]];
        const int32_t first = corner;
        memcpy(&s->vertex[3 * s->vertex_start[n]], shape->vertex,
               (size_t)shape->vertex_count * sizeof *shape->vertex);
        for (int32_t f = 0; f < shape->face_count; f++) {
            corner += shape->loop_size[f];
            s->corner_start[++face] = corner;
        }
        memcpy(&s->corner[first], shape->loop_vertex, (size_t)(corner - first) * sizeof *s->corner);
        s->vertex_start[n + 1] = s->vertex_start[n] + shape->vertex_count;
        s->face_start[n + 1] = face;
        s->mass[n] = l->scene.input.mass_kg[l->body[n]];
        s->inertia[3 * n] = inertia.x;
        s->inertia[3 * n + 1] = inertia.y;
        s->inertia[3 * n + 2] = inertia.z;
    }
}

static void put_ints(tal_netcdf *file, const char *name, int dimension, const char *text,
                     const int32_t *values) {
    tal_netcdf_put_ints(file, tal_netcdf_variable(file, name, TAL_NC_INT, 1, &dimension, "1", text),
                        values);
}

static void put_doubles(tal_netcdf *file, const char *name, int rank, int first, int second,
                        const char *units, const char *text, const double *values) {
    const int axes[2] = {first, second};
    tal_netcdf_put_doubles(
        file, tal_netcdf_variable(file, name, TAL_NC_DOUBLE, rank, axes, units, text), values);
}

static tal_status put_origins(const tal_leaves *l, tal_netcdf *file, int block, tal_error *err) {
    int32_t *origin;
    double *born;
    TAL_CREATE(origin, (size_t)l->count, "shapes of pieces", err);
    TAL_CREATE(born, (size_t)l->count, "shapes of pieces", err);
    for (int32_t n = 0; n < l->count; n++) {
        const tal_piece *piece = &l->piece[l->body[n]];
        born[n] = piece->parent >= 0 ? piece->born_s : 0.0;
        origin[n] = l->body[n];
        while (l->piece[origin[n]].parent >= 0) {
            origin[n] = l->piece[origin[n]].parent;
        }
    }
    put_ints(file, "part_of", block, "block of blocks.nc that it was part of", origin);
    put_doubles(file, "born", 1, block, 0, "s",
                "when it broke off; until then it moves with what it was part of", born);
    tal_memory_destroy(origin);
    tal_memory_destroy(born);
    return TAL_OK;
}

tal_status tal_leaves_put(const tal_leaves *l, tal_netcdf *file, int block, int three,
                          tal_error *err) {
    shapes s = {0};
    tal_status status = count_shapes(l, &s, err);
    if (status == TAL_OK) {
        gather_shapes(l, &s);
        const int edge = tal_netcdf_dimension(file, "block_edge", (size_t)l->count + 1);
        const int faces = tal_netcdf_dimension(file, "face", (size_t)s.face_count);
        const int face_edge = tal_netcdf_dimension(file, "face_edge", (size_t)s.face_count + 1);
        const int vertex = tal_netcdf_dimension(file, "vertex", (size_t)s.vertex_count);
        const int corner = tal_netcdf_dimension(file, "corner", (size_t)s.corner_count);
        (void)faces;
        put_ints(file, "vertex_start", edge, "first vertex of each block", s.vertex_start);
        put_ints(file, "face_start", edge, "first face of each block", s.face_start);
        put_ints(file, "corner_start", face_edge, "first corner of each face", s.corner_start);
        put_ints(file, "corner_vertex", corner,
                 "vertex, local to its block, counter-clockwise seen from outside", s.corner);
        put_doubles(file, "vertex", 2, vertex, three, "m",
                    "vertices in body axes: centroid, principal axes of inertia", s.vertex);
        put_doubles(file, "volume", 1, block, 0, "m3", "volume", l->scene.volume_m3);
        put_doubles(file, "mass", 1, block, 0, "kg", "mass", s.mass);
        put_doubles(file, "inertia", 2, block, three, "kg m2", "principal moments of inertia",
                    s.inertia);
        status = put_origins(l, file, block, err);
        tal_netcdf_integer(file, TAL_NC_GLOBAL, "blocks_broken", l->broken_count);
        tal_netcdf_integer(file, TAL_NC_GLOBAL, "broken_along_joints", l->along_joints);
        tal_netcdf_real(file, TAL_NC_GLOBAL, "crack_area_m2", l->area_m2);
        tal_netcdf_real(file, TAL_NC_GLOBAL, "crack_energy_j", l->surface_j);
    }
    void *const array[] = {s.vertex_start, s.face_start, s.corner_start, s.corner,
                           s.vertex,       s.mass,       s.inertia};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        tal_memory_destroy(array[k]);
    }
    return status;
}
