// SPDX-License-Identifier: GPL-3.0-or-later
// The seam between contacts and bodies: the same sweeps run on rigid bodies, on a given W, on given
// masses, on a body with nine velocities and on a copy of a body that lives elsewhere.
#include "tests/solver/scenes/percussions.h"
#include "tests/support/check.h"

#include "solver/percussion/given.h"

enum { CONTACTS_MAX = 16, MOTION_MAX = 32, BODY_VALUES = 6 };

static const double TIGHT = 1e-13;

static tal_law dry(double friction) {
    return (tal_law){.kind = TAL_LAW_COULOMB, .friction = friction};
}

// Three balls on the ground and one on top of them, thrown down and sideways: some contacts slide,
// some hold, and no percussion is undetermined.
static void throw_balls(hand_made *h) {
    const double mass[4] = {1.0, 2.0, 1.5, 3.0}, r = 0.5;
    const tal_vec3 foot[3] = {{0.6, 0.0, 0.0}, {-0.3, 0.52, 0.0}, {-0.3, -0.52, 0.0}};
    hand_reset(h, 0.01, tal_vec3_make(0.0, 0.0, -9.81));
    for (int b = 0; b < 4; b++) {
        const double i = 0.4 * mass[b] * r * r;
        hand_add_body(h, mass[b], tal_vec3_make(i, i, i), tal_vec3_make(0.2, -0.1, -0.5),
                      tal_vec3_make(0.3 * b, 1.0, -0.2));
    }
    for (int b = 0; b < 3; b++) {
        const tal_vec3 up = {0.0, 0.0, 1.0};
        hand_add_contact(h, b, -1, tal_vec3_scale(up, -r), (tal_vec3){0}, up, 0.0,
                         dry(0.1 + 0.3 * b));
        const tal_vec3 n = tal_vec3_normalize(
            tal_vec3_subtract(tal_vec3_make(0.0, 0.0, 0.8), tal_vec3_scale(foot[b], 1.0)));
        hand_add_contact(h, 3, b, tal_vec3_scale(n, -r), tal_vec3_scale(n, r), n, 0.0, dry(0.3));
    }
}

static tal_solver_result sweep(hand_made *h) {
    const tal_solver_goal goal = {.tolerance = TIGHT, .sweeps_min = 1, .sweeps_max = 100000};
    tal_solver_result result;
    tal_solve_percussions(&h->problem, &h->work, NULL, &goal, &result);
    return result;
}

static void assert_same_percussions(const hand_made *h, const double *r, double tolerance) {
    for (int32_t k = 0; k < h->contact_count; k++) {
        for (int f = 0; f < 3; f++) {
            check_near(r[3 * k + f], h->contact[k].percussion[f], tolerance);
        }
    }
}

static int count_sliding(const hand_made *h) {
    int count = 0;
    for (int32_t k = 0; k < h->contact_count; k++) {
        const double *r = h->contact[k].percussion;
        count += hypot(r[1], r[2]) > 0.999 * h->contact[k].friction * r[0];
    }
    return count;
}

static void the_general_kernel_agrees_with_that_of_rigid_bodies(void **unused) {
    (void)unused;
    static hand_made rigid, general;
    throw_balls(&rigid);
    assert_int_equal(hand_solve(&rigid, TIGHT, 100000).unconverged_count, 0);
    assert_in_range(count_sliding(&rigid), 1, rigid.contact_count - 1); // of both
    throw_balls(&general);
    hand_prepare(&general);
    for (int32_t p = 0; p < general.contact_count; p++) {
        const double w = general.contact[p].w[4];
        general.pair[p].is_general = 1;
        tal_contact_effective_mass(&general.problem, &general.pair[p], p);
        check_near(general.contact[p].w[4], w, 1e-14);
    }
    tal_set_energy_scales(&general.problem, 0.01);
    assert_int_equal(sweep(&general).unconverged_count, 0);
    for (int32_t k = 0; k < rigid.contact_count; k++) {
        for (int f = 0; f < 3; f++) {
            check_near(general.contact[k].percussion[f], rigid.contact[k].percussion[f], 1e-10);
        }
    }
    for (int32_t b = 0; b < rigid.body_count; b++) {
        check_near(general.motion[b].v.x, rigid.motion[b].v.x, 1e-10);
        check_near(general.motion[b].w.y, rigid.motion[b].w.y, 1e-10);
    }
}

// Row of H: what velocity `value` of body b gives to component f of contact k.
static double h_of(const hand_made *h, int32_t k, int f, int32_t b, int value) {
    tal_rigid_motion unit[HAND_BODIES_MAX + 1] = {0};
    double d[3];
    double *of_body = value < 3 ? &unit[b].v.x : &unit[b].w.x;
    of_body[value % 3] = 1.0;
    tal_relative_velocity(&h->pair[k], &h->contact[k], &unit[h->pair[k].body_i],
                          &unit[h->pair[k].body_j], d);
    return d[f];
}

// A dense problem: H by columns of contacts, M, free motion. The reference for everything below.
typedef struct {
    int contacts, motions;
    double h[MOTION_MAX][3 * CONTACTS_MAX];
    double mass[MOTION_MAX][MOTION_MAX], inverse[MOTION_MAX][MOTION_MAX];
    double free[MOTION_MAX];
    double friction[CONTACTS_MAX];
} dense;

static void invert(dense *d) {
    double a[MOTION_MAX][2 * MOTION_MAX] = {{0}};
    for (int i = 0; i < d->motions; i++) {
        memcpy(a[i], d->mass[i], sizeof d->mass[i]);
        a[i][d->motions + i] = 1.0;
    }
    for (int i = 0; i < d->motions; i++) { // positive definite: no pivoting
        for (int k = 0; k < d->motions; k++) {
            const double factor = k == i ? 0.0 : a[k][i] / a[i][i];
            for (int j = 0; factor != 0.0 && j < 2 * d->motions; j++) {
                a[k][j] -= factor * a[i][j];
            }
        }
    }
    for (int i = 0; i < d->motions; i++) {
        for (int j = 0; j < d->motions; j++) {
            d->inverse[i][j] = a[i][d->motions + j] / a[i][i];
        }
    }
}

static double w_of(const dense *d, int row, int column) {
    double sum = 0.0;
    for (int i = 0; i < d->motions; i++) {
        for (int j = 0; j < d->motions; j++) {
            sum += d->h[i][row] * d->inverse[i][j] * d->h[j][column];
        }
    }
    return sum;
}

static void dense_from_rigid(dense *d, const hand_made *h) {
    *d = (dense){.contacts = h->contact_count, .motions = BODY_VALUES * h->body_count};
    for (int32_t b = 0; b < h->body_count; b++) {
        const double *inverse = h->inertia[b].inverse_inertia;
        const double moment[3] = {1.0 / inverse[0], 1.0 / inverse[3], 1.0 / inverse[5]};
        const tal_vec3 v = tal_vec3_add_scaled(h->before[b].v, h->dt, h->gravity);
        const double free[6] = {
            v.x, v.y, v.z, h->before[b].w.x, h->before[b].w.y, h->before[b].w.z};
        for (int n = 0; n < BODY_VALUES; n++) {
            const int row = BODY_VALUES * b + n;
            d->mass[row][row] = n < 3 ? h->mass[b] : moment[n - 3];
            d->free[row] = free[n];
            for (int32_t k = 0; k < h->contact_count; k++) {
                for (int f = 0; f < 3; f++) {
                    d->h[row][3 * k + f] = h_of(h, k, f, b, n);
                }
            }
        }
    }
    for (int32_t k = 0; k < h->contact_count; k++) {
        d->friction[k] = h->law[k].friction;
    }
    invert(d);
}

// W and q of it as given blocks.
typedef struct {
    int count;
    int32_t row[CONTACTS_MAX * CONTACTS_MAX], column[CONTACTS_MAX * CONTACTS_MAX];
    double block[9 * CONTACTS_MAX * CONTACTS_MAX];
    double q[3 * CONTACTS_MAX];
} blocks;

static void blocks_from_dense(blocks *w, const dense *d) {
    *w = (blocks){0};
    for (int k = 0; k < d->contacts; k++) {
        for (int l = 0; l < d->contacts; l++) {
            double size = 0.0;
            for (int n = 0; n < 9; n++) {
                const double value = w_of(d, 3 * k + n / 3, 3 * l + n % 3);
                w->block[9 * w->count + n] = value;
                size += fabs(value);
            }
            w->row[w->count] = k;
            w->column[w->count] = l;
            w->count += size > 0.0;
        }
    }
    for (int row = 0; row < 3 * d->contacts; row++) {
        for (int i = 0; i < d->motions; i++) {
            w->q[row] += d->h[i][row] * d->free[i];
        }
    }
}

static tal_local_input local_input(const blocks *w, const dense *d) {
    return (tal_local_input){.contact_count = d->contacts,
                             .friction = d->friction,
                             .q = w->q,
                             .block_count = w->count,
                             .row = w->row,
                             .column = w->column,
                             .block = w->block};
}

static void a_given_w_is_solved_as_the_bodies_it_comes_from(void **unused) {
    (void)unused;
    static hand_made h;
    static dense d;
    static blocks w;
    double r[3 * CONTACTS_MAX], u[3 * CONTACTS_MAX];
    throw_balls(&h);
    assert_int_equal(hand_solve(&h, TIGHT, 100000).unconverged_count, 0);
    dense_from_rigid(&d, &h);
    blocks_from_dense(&w, &d);
    assert_in_range(w.count, d.contacts + 1, d.contacts * d.contacts - 1); // sparse, but coupled
    const tal_local_input input = local_input(&w, &d);
    tal_given_problem *problem = NULL;
    check_ok(tal_given_create(&problem, &input, 1, &check_error));
    const tal_given_result result = tal_given_solve(problem, 1e-12, 100000);
    assert_true(result.is_solved);
    tal_given_percussions(problem, r);
    tal_given_velocities(problem, u);
    assert_same_percussions(&h, r, 1e-10);
    for (int32_t k = 0; k < h.contact_count; k++) {
        double of_bodies[3];
        hand_velocity(&h, k, of_bodies);
        for (int f = 0; f < 3; f++) {
            check_near(u[3 * k + f], of_bodies[f], 1e-10);
        }
    }
    // Started from the solution, there is nothing left to do.
    const tal_given_result again = tal_given_solve(problem, 1e-12, 100000);
    assert_in_range(again.sweeps, 1, 3);
    tal_given_destroy(problem);
}

// Entries of the dense M and H.
typedef struct {
    tal_entries mass, h;
    int32_t index[4][MOTION_MAX * 3 * CONTACTS_MAX];
    double value[2][MOTION_MAX * 3 * CONTACTS_MAX];
    double f[MOTION_MAX], zero[3 * CONTACTS_MAX];
} entries;

static tal_global_input global_input(entries *e, const dense *d) {
    *e = (entries){0};
    for (int i = 0; i < d->motions; i++) {
        for (int j = 0; j < d->motions; j++) {
            if (d->mass[i][j] != 0.0) {
                e->index[0][e->mass.count] = i;
                e->index[1][e->mass.count] = j;
                e->value[0][e->mass.count++] = d->mass[i][j];
                e->f[i] += d->mass[i][j] * d->free[j];
            }
        }
        for (int row = 0; row < 3 * d->contacts; row++) {
            if (d->h[i][row] != 0.0) {
                e->index[2][e->h.count] = i;
                e->index[3][e->h.count] = row;
                e->value[1][e->h.count++] = d->h[i][row];
            }
        }
    }
    const tal_entries mass = {e->mass.count, e->index[0], e->index[1], e->value[0]};
    const tal_entries h = {e->h.count, e->index[2], e->index[3], e->value[1]};
    return (tal_global_input){.contact_count = d->contacts,
                              .friction = d->friction,
                              .w = e->zero,
                              .motion_count = d->motions,
                              .f = e->f,
                              .mass = mass,
                              .h = h};
}

static void solve_global(const dense *d, double *r, double *v) {
    static entries e;
    const tal_global_input input = global_input(&e, d);
    tal_given_problem *problem = NULL;
    check_ok(tal_given_create_global(&problem, &input, 1, &check_error));
    assert_true(tal_given_solve(problem, 1e-12, 100000).is_solved);
    tal_given_percussions(problem, r);
    tal_given_motion(problem, v);
    tal_given_destroy(problem);
}

static void given_masses_are_solved_as_the_bodies_they_come_from(void **unused) {
    (void)unused;
    static hand_made h;
    static dense d;
    double r[3 * CONTACTS_MAX], v[MOTION_MAX];
    throw_balls(&h);
    hand_solve(&h, TIGHT, 100000);
    dense_from_rigid(&d, &h);
    solve_global(&d, r, v);
    assert_same_percussions(&h, r, 1e-10);
    for (int32_t b = 0; b < h.body_count; b++) {
        check_near(v[6 * b], h.motion[b].v.x, 1e-10);
        check_near(v[6 * b + 2], h.motion[b].v.z, 1e-10);
        check_near(v[6 * b + 4], h.motion[b].w.y, 1e-10);
    }
}

// A body of three point masses with springs between them that act within the step: nine velocities,
// one matrix. Contacts touch it at its masses.
typedef struct {
    double inverse[9][9];
    int mass_of_contact[CONTACTS_MAX];
} chain;

static void to_world(const tal_pair *pair, const double r[3], double p[3]) {
    const double *axis[3] = {&pair->normal.x, &pair->tangent_1.x, &pair->tangent_2.x};
    for (int i = 0; i < 3; i++) {
        p[i] = axis[0][i] * r[0] + axis[1][i] * r[1] + axis[2][i] * r[2];
    }
}

static void chain_velocity(const void *body, const double *motion, tal_side at, double u[3]) {
    const chain *c = body;
    const double *v = &motion[3 * c->mass_of_contact[at.number]];
    const tal_vec3 there = {v[0], v[1], v[2]};
    u[0] = tal_vec3_dot(at.pair->normal, there);
    u[1] = tal_vec3_dot(at.pair->tangent_1, there);
    u[2] = tal_vec3_dot(at.pair->tangent_2, there);
}

static void chain_strike(const void *body, double *motion, tal_side at, const double r[3]) {
    const chain *c = body;
    double p[3];
    to_world(at.pair, r, p);
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 3; j++) {
            motion[i] += c->inverse[i][3 * c->mass_of_contact[at.number] + j] * p[j];
        }
    }
}

static void chain_add_mobility(const void *body, tal_side at, double w[6]) {
    int entry = 0;
    for (int f = 0; f < 3; f++) {
        double motion[9] = {0}, unit[3] = {0}, u[3];
        unit[f] = 1.0;
        chain_strike(body, motion, at, unit);
        chain_velocity(body, motion, at, u);
        for (int g = f; g < 3; g++) {
            w[entry++] += u[g];
        }
    }
}

static double chain_energy_scale(const void *body, const double *before, double speed_min) {
    (void)body;
    (void)before;
    return 3.0 * speed_min * speed_min;
}

static const tal_body_kind CHAIN = {.name = "chain",
                                    .velocity = chain_velocity,
                                    .strike = chain_strike,
                                    .add_mobility = chain_add_mobility,
                                    .energy_scale = chain_energy_scale};

// A ball falls on the middle of a chain whose masses stand on the ground: ball first, chain second, each
// with its rows in the dense reference.
static void make_chain(hand_made *h, dense *d, chain *c) {
    const tal_vec3 up = {0.0, 0.0, 1.0}, lean = tal_vec3_normalize(tal_vec3_make(0.1, 0.05, 1.0));
    hand_reset(h, 0.01, tal_vec3_make(0.0, 0.0, -9.81));
    hand_add_body(h, 2.0, tal_vec3_make(0.2, 0.2, 0.2), tal_vec3_make(0.3, 0.0, -1.0),
                  tal_vec3_make(0.0, 1.0, 0.0));
    hand_add_body(h, 1.0, tal_vec3_make(1.0, 1.0, 1.0), (tal_vec3){0}, (tal_vec3){0}); // a place
    hand_add_contact(h, 0, 1, tal_vec3_scale(lean, -0.5), (tal_vec3){0}, lean, 0.0, dry(0.4));
    c->mass_of_contact[0] = 1;
    for (int n = 0; n < 3; n++) {
        hand_add_contact(h, 1, -1, (tal_vec3){0}, (tal_vec3){0}, up, 0.0, dry(0.1 + 0.2 * n));
        c->mass_of_contact[1 + n] = n;
    }
    hand_prepare(h);
    *d = (dense){.contacts = 4, .motions = 15};
    for (int n = 0; n < 6; n++) {
        d->mass[n][n] = n < 3 ? 2.0 : 0.2;
        for (int f = 0; f < 3; f++) {
            d->h[n][f] = h_of(h, 0, f, 0, n);
        }
    }
    const double spring[3][3] = {{1.0, -1.0, 0.0}, {-1.0, 2.0, -1.0}, {0.0, -1.0, 1.0}};
    for (int n = 0; n < 9; n++) {
        for (int m = 0; m < 9; m++) {
            const double k = (n % 3 == m % 3 ? 0.7 : 0.1) * spring[n / 3][m / 3];
            d->mass[6 + n][6 + m] = (n == m ? 1.0 + 0.2 * n : 0.0) + k;
        }
    }
    for (int k = 0; k < 4; k++) {
        const double *axis[3] = {&h->pair[k].normal.x, &h->pair[k].tangent_1.x,
                                 &h->pair[k].tangent_2.x};
        for (int i = 0; i < 3; i++) {
            for (int f = 0; f < 3; f++) {
                d->h[6 + 3 * c->mass_of_contact[k] + i][3 * k + f] =
                    (k == 0 ? -1.0 : 1.0) * axis[f][i];
            }
        }
        d->friction[k] = h->law[k].friction;
    }
    invert(d);
    for (int i = 0; i < 9; i++) {
        memcpy(c->inverse[i], &d->inverse[6 + i][6], sizeof c->inverse[i]);
    }
}

static void a_body_with_nine_velocities_is_solved_as_the_dense_problem(void **unused) {
    (void)unused;
    static hand_made h;
    static dense d;
    chain c;
    double motion[9], before[9] = {0}, last[9], r[12], v[MOTION_MAX];
    make_chain(&h, &d, &c);
    for (int n = 0; n < 9; n++) {
        motion[n] = n % 3 == 2 ? -0.2 : 0.05 * n;
        d.free[6 + n] = motion[n];
    }
    const double of_ball[6] = {0.3, 0.0, -1.0 - 0.0981, 0.0, 1.0, 0.0};
    memcpy(d.free, of_ball, sizeof of_ball);
    const tal_general_body general = {&CHAIN, &c, true, 9, motion, before, last};
    h.problem.general_count = 1;
    h.problem.general = &general;
    for (int32_t k = 0; k < h.contact_count; k++) {
        h.pair[k].is_general = 1;
        tal_contact_effective_mass(&h.problem, &h.pair[k], k);
        check_near(h.contact[k].w[1], w_of(&d, 3 * k, 3 * k + 1), 1e-13);
        tal_law_prepare(&h.law[k], &(tal_contact_data){.dt = h.dt}, &h.contact[k], &h.more[k]);
    }
    tal_set_energy_scales(&h.problem, 1.0);
    assert_int_equal(sweep(&h).unconverged_count, 0);
    solve_global(&d, r, v);
    assert_in_range(count_sliding(&h), 1, 3);
    assert_same_percussions(&h, r, 1e-10);
    check_near(h.motion[0].v.x, v[0], 1e-10);
    check_near(h.motion[0].w.y, v[4], 1e-10);
    for (int n = 0; n < 9; n++) {
        check_near(motion[n], v[6 + n], 1e-10);
    }
}

// A copy of a rigid body that lives in another process: it moves as its original would, and collects the
// percussions that have to be sent there. Sixteen values: its motion, and their sum and torque.
static void copy_velocity(const void *body, const double *motion, tal_side at, double u[3]) {
    tal_rigid_kind.velocity(body, motion, at, u);
}

static void copy_strike(const void *body, double *motion, tal_side at, const double r[3]) {
    const double *arm = at.side == 0 ? at.contact->arm_i : at.contact->arm_j;
    double p[3];
    to_world(at.pair, r, p);
    const tal_vec3 torque = tal_vec3_cross(tal_arm(arm), tal_vec3_make(p[0], p[1], p[2]));
    const double collected[8] = {p[0], p[1], p[2], 0.0, torque.x, torque.y, torque.z, 0.0};
    tal_rigid_kind.strike(body, motion, at, r);
    for (int n = 0; n < 8; n++) {
        motion[8 + n] += collected[n];
    }
}

static void a_copy_collects_what_its_original_has_to_get(void **unused) {
    (void)unused;
    static hand_made whole, parts;
    double motion[16] = {0}, before[16] = {0}, last[16];
    tal_body_kind copy = tal_rigid_kind;
    copy.velocity = copy_velocity;
    copy.strike = copy_strike;
    throw_balls(&whole);
    hand_solve(&whole, TIGHT, 100000);
    throw_balls(&parts);
    hand_prepare(&parts);
    memcpy(motion, &parts.motion[3], sizeof parts.motion[3]); // the one on top lives elsewhere
    memcpy(before, &parts.before[3], sizeof parts.before[3]);
    const tal_general_body general = {&copy, &parts.inertia[3], true, 16, motion, before, last};
    parts.problem.general_count = 1;
    parts.problem.general = &general;
    for (int32_t p = 0; p < parts.contact_count; p++) {
        parts.pair[p].is_general = parts.pair[p].body_i == 3;
    }
    assert_int_equal(sweep(&parts).unconverged_count, 0);
    tal_vec3 sum = {0};
    for (int32_t k = 0; k < parts.contact_count; k++) {
        double p[3];
        for (int f = 0; f < 3; f++) {
            check_near(parts.contact[k].percussion[f], whole.contact[k].percussion[f], 1e-10);
        }
        to_world(&parts.pair[k], parts.contact[k].percussion, p);
        if (parts.pair[k].body_i == 3) {
            sum = tal_vec3_add(sum, tal_vec3_make(p[0], p[1], p[2]));
        }
    }
    assert_true(tal_vec3_length(sum) > 1.0);
    check_near(motion[8], sum.x, 1e-12);
    check_near(motion[10], sum.z, 1e-12);
    // The original, moved by what was collected, moves as in the problem that was not cut.
    const tal_vec3 turn =
        tal_apply_inertia(&parts.inertia[3], tal_vec3_make(motion[12], motion[13], motion[14]));
    check_near(parts.motion[3].v.x + motion[8] / parts.mass[3], whole.motion[3].v.x, 1e-10);
    check_near(parts.motion[3].w.y + turn.y, whole.motion[3].w.y, 1e-10);
}

// A rod hangs from a pin, on the side where a one-sided contact would let go.
static void a_rod_on_a_pin_swings_with_its_period(void **unused) {
    (void)unused;
    static hand_made h;
    const double mass = 2.0, length = 1.5, moment = mass * length * length / 3.0 / 4.0, g = 9.81;
    const double half = 0.5 * length, dt = 1e-3,
                 exact = 2.0 * 3.14159265358979323846 *
                         sqrt((moment + mass * half * half) / (mass * g * half));
    const tal_law pin = {.kind = TAL_LAW_JOINT};
    double angle = 0.02, turned = 0.0, crossings[2] = {0.0, 0.0};
    int crossed = 0;
    for (int step = 0; crossed < 2 && step < 10000; step++) {
        const tal_vec3 arm = {-half * sin(angle), 0.0, half * cos(angle)}; // to the pin
        const tal_vec3 spin = {0.0, turned, 0.0};
        hand_reset(&h, dt, tal_vec3_make(0.0, 0.0, -g));
        hand_add_body(&h, mass, tal_vec3_make(moment, moment, moment),
                      tal_vec3_cross(tal_vec3_scale(spin, -1.0), arm), spin);
        hand_add_contact(&h, 0, -1, arm, (tal_vec3){0}, tal_vec3_make(0.0, 0.0, -1.0), 0.0, pin);
        assert_int_equal(hand_solve(&h, 1e-13, 100).unconverged_count, 0);
        double d[3];
        hand_velocity(&h, 0, d);
        check_near(d[0], 0.0, 1e-14);
        check_near(hypot(d[1], d[2]), 0.0, 1e-14);
        assert_true(h.contact[0].percussion[0] < 0.0); // it pulls
        turned = h.motion[0].w.y;
        const double next = angle - dt * turned; // turning about y takes the rod to -x
        if (angle > 0.0 && next <= 0.0) {
            crossings[crossed++] = dt * (step + angle / (angle - next));
        }
        angle = next;
    }
    assert_int_equal(crossed, 2);
    check_near(crossings[1] - crossings[0], exact, 1e-3 * exact);
}

static void a_held_point_gets_the_velocity_asked_for(void **unused) {
    (void)unused;
    static hand_made h;
    const double wanted[3] = {0.25, 0.1, -0.2};
    double d[3];
    hand_reset(&h, 0.01, (tal_vec3){0});
    hand_add_body(&h, 2.0, tal_vec3_make(1.0, 2.0, 3.0), tal_vec3_make(0.5, 0.0, 1.0),
                  tal_vec3_make(1.0, -1.0, 0.5));
    hand_add_contact(&h, 0, -1, tal_vec3_make(0.3, 0.2, -0.1), (tal_vec3){0},
                     tal_vec3_make(0.0, 0.0, 1.0), 0.0, dry(0.5));
    hand_prepare(&h);
    tal_contact_hold(&h.contact[0], wanted, true, &h.more[0]);
    tal_set_energy_scales(&h.problem, 1.0);
    assert_int_equal(sweep(&h).unconverged_count, 0);
    hand_velocity(&h, 0, d);
    for (int f = 0; f < 3; f++) {
        check_near(d[f], wanted[f], 1e-14);
    }
}

static void a_held_normal_leaves_the_tangents_free(void **unused) {
    (void)unused;
    static hand_made h;
    hand_reset(&h, 0.01, (tal_vec3){0});
    hand_add_body(&h, 2.0, tal_vec3_make(1.0, 1.0, 1.0), tal_vec3_make(0.5, 0.0, 1.0),
                  (tal_vec3){0});
    hand_add_contact(&h, 0, -1, (tal_vec3){0}, (tal_vec3){0}, tal_vec3_make(0.0, 0.0, 1.0), 0.0,
                     dry(0.5));
    hand_prepare(&h);
    tal_contact_hold(&h.contact[0], (double[3]){0.25, 0.0, 0.0}, false, &h.more[0]);
    tal_set_energy_scales(&h.problem, 1.0);
    assert_int_equal(sweep(&h).unconverged_count, 0);
    check_near(h.contact[0].percussion[0], 2.0 * (0.25 - 1.0), 1e-14);
    check_near(h.motion[0].v.z, 0.25, 1e-15);
    check_near(h.motion[0].v.x, 0.5, 0.0);
}

// (38): 2 kg at 3 m/s and 6 kg at rest have a mean square speed of 2 * 9 / 8; with a slow speed of 0.5 m/s.
static void errors_are_measured_against_the_flow(void **unused) {
    (void)unused;
    static hand_made h;
    const tal_vec3 moment = {1.0, 1.0, 1.0}, up = {0.0, 0.0, 1.0};
    const double mean = 2.0 * 9.0 / 8.0, slow = 0.25;
    hand_reset(&h, 0.01, (tal_vec3){0});
    hand_add_body(&h, 2.0, moment, tal_vec3_make(0.0, 3.0, 0.0), (tal_vec3){0});
    hand_add_body(&h, 6.0, moment, (tal_vec3){0}, (tal_vec3){0});
    hand_add_contact(&h, 0, 1, (tal_vec3){0}, (tal_vec3){0}, up, 0.0, dry(0.5));
    hand_add_contact(&h, 1, -1, (tal_vec3){0}, (tal_vec3){0}, up, 0.0, dry(0.5));
    hand_prepare(&h);
    tal_set_energy_scales(&h.problem, 0.5);
    const double of_slow = 6.0 * (mean + slow);
    check_near(h.pair[0].energy_scale, 2.0 * (9.0 + mean + slow) + of_slow, 1e-12);
    check_near(h.pair[1].energy_scale, of_slow, 1e-12);
    // The mean speed is 1.5 m/s: above twenty times the slow one, and below.
    tal_set_energy_scales(&h.problem, 0.07);
    assert_true(h.pair[0].flows && h.pair[1].flows);
    tal_set_energy_scales(&h.problem, 0.08);
    assert_true(!h.pair[0].flows && !h.pair[1].flows);
    h.before[0].v = (tal_vec3){0}; // at rest the slow speed alone is left
    tal_set_energy_scales(&h.problem, 0.5);
    check_near(h.pair[1].energy_scale, 6.0 * slow, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_measured_against_the_flow),
        cmocka_unit_test(the_general_kernel_agrees_with_that_of_rigid_bodies),
        cmocka_unit_test(a_given_w_is_solved_as_the_bodies_it_comes_from),
        cmocka_unit_test(given_masses_are_solved_as_the_bodies_they_come_from),
        cmocka_unit_test(a_body_with_nine_velocities_is_solved_as_the_dense_problem),
        cmocka_unit_test(a_copy_collects_what_its_original_has_to_get),
        cmocka_unit_test(a_rod_on_a_pin_swings_with_its_period),
        cmocka_unit_test(a_held_point_gets_the_velocity_asked_for),
        cmocka_unit_test(a_held_normal_leaves_the_tangents_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
