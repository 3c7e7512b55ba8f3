// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that break. Numbers in brackets: docs/theory/deformable.md.
#include "solver/program/breaking.h"

#include "core/base/memory.h"
#include "core/geometry/mass_properties.h"
#include "core/geometry/polyhedron.h"
#include "solver/deformable/solid_parts.h"
#include "solver/program/scene_bodies.h"

#include <math.h>
#include <string.h>

// The place of the greatest stress is known to the length that stresses are averaged over. A plane that would
// cut off less than this share of the volume is moved towards the middle until it does not: slivers would
// ask for steps that are as short as they are thin.
static const double SHARE_MIN = 0.1;
enum { HALVINGS = 40 };

// The two parts of a block, in its axes.
typedef struct {
    tal_polyhedron part[2];
    tal_mass_properties mass[2];
    tal_halfspace plane;
    double area;
} halves;

// An array of the input with room for pieces; one that is not given means zeros, and pieces need it.
#define GROW(to, from, count)                                                                      \
    do {                                                                                           \
        TAL_TAKE(&scene->arena, to, (size_t)breaking->capacity, "pieces of blocks", err);          \
        if ((from) != NULL) {                                                                      \
            memcpy(to, from, (size_t)(count) * sizeof *(to));                                      \
        }                                                                                          \
        (from) = (to);                                                                             \
    } while (0)

// A piece has at most as many as there are joint sets.
static tal_status make_room_for_planes(tal_breaking *breaking, tal_solve_scene *scene,
                                       tal_error *err) {
    tal_model_input *in = &scene->input;
    const size_t room = (size_t)breaking->capacity * (size_t)breaking->settings->joint_count + 1;
    TAL_TAKE(&scene->arena, breaking->weak_plane, room, "joints of pieces", err);
    for (int32_t n = 0; n < in->weak_plane_count; n++) {
        breaking->weak_plane[n] = in->weak_plane[n];
    }
    in->weak_plane = breaking->weak_plane;
    return TAL_OK;
}

tal_status tal_breaking_begin(tal_breaking *breaking, tal_solve_scene *scene,
                              const tal_settings *settings, tal_error *err) {
    tal_model_input *in = &scene->input;
    *breaking = (tal_breaking){.is_on = settings->break_.cut && scene->soft_count > 0,
                               .settings = settings,
                               .block_count = in->body_count,
                               .capacity = in->body_count,
                               .solid_count = in->solid_count,
                               .weak_plane_count = in->weak_plane_count};
    if (!breaking->is_on) {
        return TAL_OK;
    }
    breaking->capacity += (int32_t)settings->break_.pieces_max;
    TAL_TAKE(&scene->arena, breaking->piece, (size_t)breaking->capacity, "pieces of blocks", err);
    for (int32_t b = 0; b < in->body_count; b++) {
        breaking->piece[b].parent = -1;
    }
    double *radius, *volume;
    uint8_t *fixed; // no piece is
    GROW(breaking->shape, in->shape, in->shape_count);
    GROW(breaking->body_shape, in->body_shape, in->body_count);
    GROW(breaking->body_class, in->body_class, in->body_count);
    GROW(breaking->body_solid, in->body_solid, in->body_count);
    GROW(fixed, in->body_fixed, in->body_count);
    GROW(breaking->mass, in->mass_kg, in->body_count);
    GROW(breaking->inertia, in->inertia_kg_m2, in->body_count);
    GROW(breaking->position, in->position_m, in->body_count);
    GROW(breaking->velocity, in->velocity_mps, in->body_count);
    GROW(breaking->spin, in->spin_radps, in->body_count);
    GROW(breaking->orientation, in->orientation, in->body_count);
    GROW(breaking->solid, in->solid, in->solid_count);
    GROW(radius, scene->bounding_radius_m, in->body_count);
    GROW(volume, scene->volume_m3, in->body_count);
    TAL_TRY(make_room_for_planes(breaking, scene, err));
    scene->elements = (tal_scene_elements){0}; // frames hold poses only: meshes come and go
    return TAL_OK;
}

void tal_breaking_reset(tal_breaking *breaking, tal_solve_scene *scene) {
    if (breaking->is_on) {
        scene->input.body_count = scene->input.shape_count = breaking->block_count;
        scene->input.solid_count = breaking->solid_count;
        scene->input.weak_plane_count = breaking->weak_plane_count;
        scene->input.is_under_way = false;
        breaking->broken_count = breaking->along_joints = 0;
        breaking->area_m2 = breaking->surface_j = breaking->released_j = 0.0;
    }
}

// --- geometry ---

static bool load_shape(const tal_shape_input *shape, tal_polyhedron *p) {
    int32_t corners = 0;
    for (int32_t f = 0; f < shape->face_count; f++) {
        corners += shape->loop_size[f];
    }
    if (shape->kind != TAL_SHAPE_POLYHEDRON || shape->vertex_count > TAL_POLYHEDRON_VERTICES ||
        shape->face_count > TAL_POLYHEDRON_FACES || corners > TAL_POLYHEDRON_CORNERS) {
        return false;
    }
    p->vertex_count = shape->vertex_count;
    p->face_count = shape->face_count;
    memcpy(p->vertex, shape->vertex, (size_t)shape->vertex_count * sizeof *p->vertex);
    memcpy(p->corner, shape->loop_vertex, (size_t)corners * sizeof *p->corner);
    p->corner_start[0] = 0;
    for (int32_t f = 0; f < shape->face_count; f++) {
        p->corner_start[f + 1] = p->corner_start[f] + shape->loop_size[f];
    }
    return true;
}

static double share_inside(const tal_polyhedron *whole, tal_halfspace plane, tal_polyhedron *kept) {
    tal_polyhedron_copy(kept, whole);
    const tal_cut cut = tal_polyhedron_cut(kept, plane);
    return cut == TAL_CUT_EMPTY    ? 0.0
           : cut == TAL_CUT_MISSED ? 1.0
                                   : tal_polyhedron_volume(kept) / tal_polyhedron_volume(whole);
}

// Towards the middle, which halves a convex body well enough: no part of it is below 8/27 of the whole.
static tal_halfspace moved_plane(const tal_polyhedron *whole, tal_halfspace plane,
                                 tal_polyhedron *scratch) {
    const double share = share_inside(whole, plane, scratch);
    if (share >= SHARE_MIN && share <= 1.0 - SHARE_MIN) {
        return plane;
    }
    double good = 0.0, bad = plane.offset; // the centroid is the origin
    for (int n = 0; n < HALVINGS; n++) {
        const tal_halfspace middle = {plane.normal, 0.5 * (good + bad)};
        const double s = share_inside(whole, middle, scratch);
        if (s >= SHARE_MIN && s <= 1.0 - SHARE_MIN) {
            good = middle.offset;
        } else {
            bad = middle.offset;
        }
    }
    return (tal_halfspace){plane.normal, good};
}

// Of the face that lies in the plane.
static double cut_area(const tal_polyhedron *p, tal_halfspace plane) {
    tal_vec3 sum = {0};
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t first = p->corner_start[f], end = p->corner_start[f + 1];
        double off = 0.0;
        for (int32_t c = first; c < end; c++) {
            off = fmax(off, fabs(tal_halfspace_distance(plane, p->vertex[p->corner[c]])));
        }
        for (int32_t c = first + 1; off < 1e-9 && c + 1 < end; c++) {
            const tal_vec3 a = p->vertex[p->corner[first]];
            const tal_vec3 u = tal_vec3_subtract(p->vertex[p->corner[c]], a);
            const tal_vec3 v = tal_vec3_subtract(p->vertex[p->corner[c + 1]], a);
            sum = tal_vec3_add_scaled(sum, 0.5, tal_vec3_cross(u, v));
        }
    }
    return tal_vec3_length(sum);
}

// False: it has more faces than a cut can handle, or the plane misses it.
static bool split(const tal_shape_input *shape, tal_halfspace plane, halves *h) {
    tal_polyhedron whole;
    h->plane = plane;
    if (!load_shape(shape, &whole) ||
        !tal_polyhedron_split(&whole, plane, &h->part[0], &h->part[1]) ||
        h->part[0].vertex_count == 0 || h->part[1].vertex_count == 0) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        const tal_surface surface = tal_polyhedron_surface(&h->part[k]);
        h->mass[k] = tal_surface_mass(&surface);
    }
    h->area = cut_area(&h->part[0], plane);
    return true;
}

// --- the motion of the pieces ---

// Inertia of both parts about the centroid of the whole, times the density.
static tal_mat3 inertia_of_whole(const halves *h, double density) {
    tal_mat3 sum = {0};
    for (int k = 0; k < 2; k++) {
        const double r[3] = {h->mass[k].centroid.x, h->mass[k].centroid.y, h->mass[k].centroid.z};
        const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                const double far = h->mass[k].volume * ((i == j ? square : 0.0) - r[i] * r[j]);
                sum.m[i][j] += density * (h->mass[k].inertia[i][j] + far);
            }
        }
    }
    return sum;
}

// (20): the rigid motion that has the momentum and the angular momentum of the block. What it had in
// deformation is released.
static void set_motion(const tal_model *model, const tal_state *state, const halves *h, double mass,
                       double energy_j_m2, tal_break *b) {
    const int32_t n = b->body;
    const double density = mass / (h->mass[0].volume + h->mass[1].volume);
    const tal_mat3 inertia = inertia_of_whole(h, density);
    const tal_mat3 inverse = tal_mat3_inverse_symmetric(&inertia);
    const tal_mat3 q = tal_quat_matrix(tal_state_orientations(state)[n]);
    const tal_vec3 momentum = tal_state_angular_momentum(state, n);
    const tal_vec3 own = tal_mat3_apply_transposed(&q, momentum);
    const tal_body_energy before = tal_state_body_energy(model, state, n);
    b->position = tal_state_positions(state)[n];
    b->orientation = tal_state_orientations(state)[n];
    b->velocity = tal_state_velocities(state)[n];
    b->spin = tal_mat3_apply(&q, tal_mat3_apply(&inverse, own));
    b->area_m2 = h->area;
    b->surface_j = energy_j_m2 * h->area;
    b->rotation_j = 0.5 * tal_vec3_dot(momentum, b->spin) - before.kinetic_rotation_j;
    b->deformation_j = -before.kinetic_deformation_j;
    b->strain_j = -before.strain_j;
}

// --- which blocks ---

// What tears a block in a step: the tension that is largest over the strength there, and the plane of weakness
// that it acts across, counted from 1 (0: none, it tears where there was rock).
typedef struct {
    tal_tension tension;
    double use; // 0: nothing was above what had been before
    int32_t joint;
} tearing;

static void take_larger(tearing *most, const tal_tension *t, double strength, int32_t joint,
                        double since) {
    const double use = t->tension_pa / strength;
    if (t->time_s > since && use > most->use) {
        *most = (tearing){*t, use, joint};
    }
}

// (22)
static tearing find_tearing(const tal_breaking *breaking, const tal_solve_scene *scene,
                            const tal_model *model, const tal_state *state, int32_t b) {
    const double since = tal_state_time(state) - 0.999 * scene->input.settings.dt_s;
    const tal_tension own = tal_state_tension(model, state, b);
    const tal_weak_plane *plane = NULL;
    const int32_t count = tal_model_weak_planes(model, b, &plane);
    tearing most = {0};
    take_larger(&most, &own, breaking->settings->break_.tensile_strength_pa, 0, since);
    for (int32_t n = 0; n < count; n++) {
        const tal_tension across = tal_state_tension_across(model, state, b, n);
        take_larger(&most, &across, plane[n].strength_pa, n + 1, since);
    }
    return most;
}

static bool may_break(const tal_breaking *breaking, const tal_solve_scene *scene,
                      const tal_state *state, int32_t b) {
    return tal_state_has_body(state, b) && scene->input.body_solid[b] >= 0 &&
           cbrt(scene->volume_m3[b]) >= breaking->settings->break_.smallest_m;
}

static bool find_plane(const tal_solve_scene *scene, const tal_state *state, const tal_tension *t,
                       int32_t b, halves *h) {
    const tal_mat3 q = tal_quat_matrix(tal_state_orientations(state)[b]);
    const tal_vec3 arm = tal_vec3_subtract(t->place_m, tal_state_positions(state)[b]);
    const tal_halfspace wanted = tal_halfspace_through(tal_mat3_apply_transposed(&q, arm),
                                                       tal_mat3_apply_transposed(&q, t->direction));
    const tal_shape_input *shape = &scene->input.shape[scene->input.body_shape[b]];
    tal_polyhedron whole;
    if (!load_shape(shape, &whole)) {
        return false;
    }
    return split(shape, moved_plane(&whole, wanted, &h->part[0]), h);
}

tal_status tal_breaking_find(const tal_breaking *breaking, const tal_solve_scene *scene,
                             const tal_model *model, const tal_state *state, tal_break *list,
                             int32_t capacity, int32_t *count, tal_error *err) {
    halves *h = NULL;
    *count = 0;
    if (!breaking->is_on) {
        return TAL_OK;
    }
    for (int32_t b = 0; b < scene->input.body_count && *count < capacity; b++) {
        const int32_t bodies = scene->input.body_count + 2 * (*count + 1);
        if (!may_break(breaking, scene, state, b) || bodies > breaking->capacity) {
            continue;
        }
        const tearing by = find_tearing(breaking, scene, model, state, b);
        if (by.use <= 1.0) {
            continue;
        }
        if (h == NULL) {
            TAL_CREATE(h, 1, "a block that breaks", err);
        }
        if (find_plane(scene, state, &by.tension, b, h)) {
            tal_break *made = &list[*count];
            *made = (tal_break){.time_s = tal_state_time(state),
                                .body = b,
                                .joint = by.joint,
                                .normal = h->plane.normal,
                                .offset = h->plane.offset,
                                .tension_pa = by.tension.tension_pa};
            set_motion(model, state, h, scene->input.mass_kg[b],
                       breaking->settings->break_.energy_j_m2, made);
            *count += tal_break_released_j(made) >= made->surface_j ? 1 : 0;
        }
    }
    tal_memory_destroy(h);
    return TAL_OK;
}

// --- pieces as bodies of the scene ---

static tal_status make_shape(tal_solve_scene *scene, const tal_polyhedron *p, tal_vec3 centroid,
                             const tal_quat *turn, tal_shape_input *shape, tal_error *err) {
    const int32_t corners = p->corner_start[p->face_count];
    tal_vec3 *vertex = NULL;
    int32_t *size = NULL, *loop = NULL;
    TAL_TAKE(&scene->arena, vertex, (size_t)p->vertex_count, "pieces of blocks", err);
    TAL_TAKE(&scene->arena, size, (size_t)p->face_count, "pieces of blocks", err);
    TAL_TAKE(&scene->arena, loop, (size_t)corners, "pieces of blocks", err);
    for (int32_t v = 0; v < p->vertex_count; v++) {
        vertex[v] =
            tal_quat_rotate(tal_quat_conjugate(*turn), tal_vec3_subtract(p->vertex[v], centroid));
    }
    for (int32_t f = 0; f < p->face_count; f++) {
        size[f] = p->corner_start[f + 1] - p->corner_start[f];
    }
    memcpy(loop, p->corner, (size_t)corners * sizeof *loop);
    *shape = (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                               .vertex_count = p->vertex_count,
                               .vertex = vertex,
                               .face_count = p->face_count,
                               .loop_size = size,
                               .loop_vertex = loop};
    return TAL_OK;
}

static void place_piece(tal_breaking *breaking, const tal_break *b, int32_t n, tal_vec3 offset,
                        tal_quat turn) {
    const tal_vec3 arm = tal_quat_rotate(b->orientation, offset);
    breaking->piece[n] =
        (tal_piece){.parent = b->body, .born_s = b->time_s, .offset = offset, .turn = turn};
    breaking->position[n] = tal_vec3_add(b->position, arm);
    breaking->orientation[n] = tal_quat_normalize(tal_quat_multiply(b->orientation, turn));
    breaking->velocity[n] = tal_vec3_add(b->velocity, tal_vec3_cross(b->spin, arm));
    breaking->spin[n] = b->spin;
}

// They turn with the rock.
static void add_planes(tal_breaking *breaking, tal_model_input *in, int32_t from, int32_t n,
                       tal_quat turn) {
    const int32_t count = in->weak_plane_count;
    for (int32_t k = 0; k < count; k++) {
        const tal_weak_plane *plane = &breaking->weak_plane[k];
        if (plane->body == from) {
            breaking->weak_plane[in->weak_plane_count++] = (tal_weak_plane){
                n, tal_quat_rotate(tal_quat_conjugate(turn), plane->normal), plane->strength_pa};
        }
    }
}

static tal_status add_piece(tal_breaking *breaking, tal_solve_scene *scene, const tal_break *b,
                            const halves *h, int k, double mass, tal_error *err) {
    tal_model_input *in = &scene->input;
    const int32_t n = in->body_count;
    const tal_mass_properties *own = &h->mass[k];
    const tal_principal_axes axes = tal_inertia_principal(own->inertia);
    const double density = mass / own->volume;
    const tal_quat turn = {axes.quaternion[0], axes.quaternion[1], axes.quaternion[2],
                           axes.quaternion[3]};
    TAL_ASSERT(n < breaking->capacity);
    tal_shape_input *shape = &breaking->shape[in->shape_count];
    TAL_TRY(make_shape(scene, &h->part[k], own->centroid, &turn, shape, err));
    place_piece(breaking, b, n, own->centroid, turn);
    scene->bounding_radius_m[n] = 0.0;
    for (int32_t v = 0; v < shape->vertex_count; v++) {
        scene->bounding_radius_m[n] =
            fmax(scene->bounding_radius_m[n], tal_vec3_length(shape->vertex[v]));
    }
    scene->volume_m3[n] = own->volume;
    breaking->mass[n] = mass;
    breaking->inertia[n] =
        (tal_vec3){density * axes.moment[0], density * axes.moment[1], density * axes.moment[2]};
    breaking->body_class[n] = breaking->body_class[b->body];
    breaking->body_shape[n] = in->shape_count++;
    breaking->body_solid[n] = in->solid_count++;
    in->body_count++;
    add_planes(breaking, in, b->body, n, turn);
    return tal_scene_describe_piece(scene, breaking->settings, n, shape,
                                    &breaking->solid[breaking->body_solid[n]], err);
}

tal_status tal_breaking_add(tal_breaking *breaking, tal_solve_scene *scene, const tal_break *b,
                            tal_error *err) {
    const tal_model_input *in = &scene->input;
    halves *h;
    if (b->body < 0 || b->body >= in->body_count || in->body_count + 2 > breaking->capacity) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "block %d cannot have broken: there is none", b->body);
    }
    TAL_CREATE(h, 1, "a block that breaks", err);
    const tal_halfspace plane = {b->normal, b->offset};
    const double mass = in->mass_kg[b->body];
    tal_status status =
        split(&in->shape[in->body_shape[b->body]], plane, h)
            ? TAL_OK
            : TAL_FAIL(err, TAL_BAD_INPUT, "block %d cannot have broken there", b->body);
    if (status == TAL_OK) {
        const double first = mass * h->mass[0].volume / (h->mass[0].volume + h->mass[1].volume);
        status = add_piece(breaking, scene, b, h, 0, first, err);
        status = status == TAL_OK ? add_piece(breaking, scene, b, h, 1, mass - first, err) : status;
    }
    tal_memory_destroy(h);
    scene->input.is_under_way = true;
    breaking->broken_count++;
    breaking->along_joints += b->joint > 0 ? 1 : 0;
    breaking->area_m2 += b->area_m2;
    breaking->surface_j += b->surface_j;
    breaking->released_j += tal_break_released_j(b) - b->surface_j;
    return status;
}
