// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/scenes/friction_scene.h"

#include <math.h>

static const double GRAVITY_STEP = 9.81 * 0.02;

void friction_scene_stack(friction_scene *scene, int count, const double *mass, double friction) {
    *scene = (friction_scene){.body_count = count};
    for (int n = 0; n < count; n++) {
        scene->body[n] = (friction_body){.mass = mass[n],
                                         .inertia = mass[n] / 6.0,
                                         .position = {0.0, 0.0, n + 0.5},
                                         .v = {0.0, 0.0, -GRAVITY_STEP}};
        for (int corner = 0; corner < 4; corner++) {
            const double x = corner & 1 ? 0.5 : -0.5, y = corner & 2 ? 0.5 : -0.5;
            scene->contact[scene->contact_count++] = (friction_contact){.i = n,
                                                                        .j = n - 1,
                                                                        .point = {x, y, n},
                                                                        .normal = {0.0, 0.0, 1.0},
                                                                        .friction = friction};
        }
    }
}

typedef struct {
    tal_random random;
    uint64_t draw;
} dice;

static double uniform(dice *d, double low, double high) {
    return low + (high - low) * tal_random_uniform(d->random, d->draw++);
}

static tal_vec3 direction(dice *d) {
    double u[3];
    tal_random_direction(d->random, d->draw, u);
    d->draw += 8;
    return tal_vec3_make(u[0], u[1], u[2]);
}

static tal_vec3 anywhere(dice *d, double size) {
    const double x = uniform(d, -size, size), y = uniform(d, -size, size);
    return tal_vec3_make(x, y, uniform(d, -size, size));
}

// One to eight points in a plane: more than three make W singular.
static void throw_patch(friction_scene *scene, dice *d, int contacts) {
    const int32_t i = (int32_t)uniform(d, 0, scene->body_count);
    const int32_t other = (int32_t)uniform(d, -0.5 * scene->body_count, scene->body_count);
    const int32_t j = other < 0 || other == i ? -1 : other;
    const tal_vec3 normal = direction(d), centre = anywhere(d, 1.0);
    const double friction = uniform(d, 0, 1) < 0.1 ? 0.0 : uniform(d, 0.0, 2.0);
    const int points = 1 + (int)uniform(d, 0, 8);
    for (int n = 0; n < points && scene->contact_count < contacts; n++) {
        const tal_vec3 arm = tal_vec3_cross(normal, anywhere(d, 0.5));
        scene->contact[scene->contact_count++] = (friction_contact){
            .i = i,
            .j = j,
            .point = tal_vec3_add(tal_vec3_add(scene->body[i].position, centre), arm),
            .normal = normal,
            .friction = friction,
            .opening = uniform(d, 0, 1) < 0.2 ? uniform(d, 0.0, 0.5) : 0.0};
    }
}

void friction_scene_throw(friction_scene *scene, tal_random random, int contacts_max,
                          double mass_decades) {
    dice d = {random, 0};
    *scene = (friction_scene){0};
    const int contacts = 1 + (int)uniform(&d, 0, contacts_max);
    scene->body_count = 1 + (int32_t)uniform(&d, 0, 0.4 * contacts < 40 ? 0.4 * contacts : 40);
    for (int32_t b = 0; b < scene->body_count; b++) {
        const double mass = pow(10.0, uniform(&d, -0.5 * mass_decades, 0.5 * mass_decades));
        scene->body[b] = (friction_body){
            .mass = mass, .inertia = mass * uniform(&d, 0.05, 0.4), .position = anywhere(&d, 2.0)};
        scene->body[b].v = anywhere(&d, 1.0);
        scene->body[b].w = anywhere(&d, 1.0);
    }
    while (scene->contact_count < contacts) {
        throw_patch(scene, &d, contacts);
    }
}

// Row f of a contact: velocity of its body at the point, along an axis.
static void rows_of(const friction_scene *scene, const friction_contact *c, int side,
                    double row[3][6]) {
    const int32_t b = side == 0 ? c->i : c->j;
    tal_vec3 axis[3] = {c->normal};
    const tal_vec3 aside =
        fabs(c->normal.x) < 0.6 ? tal_vec3_make(1, 0, 0) : tal_vec3_make(0, 1, 0);
    const tal_vec3 first = tal_vec3_cross(c->normal, aside);
    axis[1] = tal_vec3_scale(first, 1.0 / sqrt(tal_vec3_dot(first, first)));
    axis[2] = tal_vec3_cross(c->normal, axis[1]);
    const tal_vec3 arm = tal_vec3_subtract(c->point, scene->body[b].position);
    for (int f = 0; f < 3; f++) {
        const tal_vec3 lever = tal_vec3_cross(arm, axis[f]);
        const double sign = side == 0 ? 1.0 : -1.0;
        const double full[6] = {axis[f].x, axis[f].y, axis[f].z, lever.x, lever.y, lever.z};
        for (int a = 0; a < 6; a++) {
            row[f][a] = sign * full[a];
        }
    }
}

static int32_t body_of(const friction_contact *c, int side) {
    return side == 0 ? c->i : c->j;
}

// Adds H_k M^-1 H_l' of one body that both touch; true if there is one.
static bool add_block(const friction_scene *scene, int32_t k, int32_t l, double block[9]) {
    const friction_contact *a = &scene->contact[k], *b = &scene->contact[l];
    bool any = false;
    for (int side = 0; side < 4; side++) {
        const int32_t body = body_of(a, side / 2);
        if (body < 0 || body != body_of(b, side % 2)) {
            continue;
        }
        double left[3][6], right[3][6];
        rows_of(scene, a, side / 2, left);
        rows_of(scene, b, side % 2, right);
        for (int e = 0; e < 9; e++) {
            for (int f = 0; f < 6; f++) {
                const double inertia = f < 3 ? scene->body[body].mass : scene->body[body].inertia;
                block[e] += left[e / 3][f] * right[e % 3][f] / inertia;
            }
        }
        any = true;
    }
    return any;
}

static void set_velocity(const friction_scene *scene, int32_t k, double q[3]) {
    const friction_contact *c = &scene->contact[k];
    for (int side = 0; side < 2; side++) {
        const int32_t b = body_of(c, side);
        if (b < 0) {
            continue;
        }
        double row[3][6];
        rows_of(scene, c, side, row);
        const tal_vec3 v = scene->body[b].v, w = scene->body[b].w;
        for (int f = 0; f < 3; f++) {
            q[f] += row[f][0] * v.x + row[f][1] * v.y + row[f][2] * v.z + row[f][3] * w.x +
                    row[f][4] * w.y + row[f][5] * w.z;
        }
    }
    q[0] += c->opening;
}

tal_status friction_scene_build(const friction_scene *scene, tal_friction_problem *problem,
                                tal_error *err) {
    const int32_t count = scene->contact_count;
    int64_t blocks = 0;
    for (int32_t k = 0; k < count; k++) {
        for (int32_t l = 0; l < count; l++) {
            double block[9] = {0};
            blocks += add_block(scene, k, l, block);
        }
    }
    TAL_TRY(tal_friction_problem_create(problem, count, blocks, err));
    for (int32_t k = 0, place = 0; k < count; k++) {
        for (int32_t l = 0; l < count; l++) {
            double block[9] = {0};
            if (add_block(scene, k, l, block)) {
                problem->w.column[place] = l;
                for (int e = 0; e < 9; e++) {
                    problem->w.value[9 * place + e] = block[e];
                }
                place++;
            }
        }
        problem->w.start[k + 1] = place;
        problem->friction[k] = scene->contact[k].friction;
        set_velocity(scene, k, &problem->q[3 * k]);
    }
    return TAL_OK;
}
