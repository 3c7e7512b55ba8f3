// SPDX-License-Identifier: GPL-3.0-or-later
// The book of energies by islands, from which the guard judges: work of the contacts, what stepping gravity may
// feign, and what was exchanged, which errors are measured against.
#include "solver/step/observe.h"

#include "tests/solver/scenes/world.h"

static const double DT = 1e-3, G = 10.0;

enum { WORK, BOUND, SLACK, NUMBERS };

static double *energy_of(const world *w, int32_t body) {
    return &w->state->work.island_energy[NUMBERS * w->state->work.island_of_body[body]];
}

static void begin(world *w, tal_law law) {
    world_init(w, DT, law);
    w->scene.settings.gravity_mps2 = (tal_vec3){0};
    test_scene_set_plane(&w->scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
}

static int32_t add_striking_ball(world *w, double x, double r, double m, double vt, double vn) {
    const int32_t b =
        test_scene_add_ball(&w->scene, r, tal_vec3_make(x, 0, r + 0.5 * DT * vn), 1000.0);
    const double i = 0.4 * m * r * r;
    w->scene.mass[b] = m;
    w->scene.inertia[b] = tal_vec3_make(i, i, i);
    w->scene.velocity[b] = tal_vec3_make(0.6 * vt, 0.8 * vt, -vn);
    return b;
}

// A ball that strikes and slides: R_N = m (1 + e) v_N and mu R_N against the slip, which is lessened by
// 7/(2 m) of it. What was exchanged is the sum of the percussions times the mean of speeds without signs.
static void check_striking_ball(const double *energy, double m, double mu, double e, double vt,
                                double vn) {
    const double push = m * (1.0 + e) * vn, slip = vt - 3.5 / m * mu * push;
    const double normal = 0.5 * m * (1.0 - e * e) * vn * vn, along = 0.5 * mu * push * (vt + slip);
    check_near(energy[WORK], -normal - along, 1e-8);
    check_near(energy[SLACK], 0.5 * push * (vn + e * vn) + along, 1e-8);
}

static void each_island_has_a_book_of_its_own(void **unused) {
    (void)unused;
    const double mu = 0.2, e = 0.5;
    world w;
    begin(&w, law_coulomb(mu, e));
    for (int b = 0; b < 3; b++) {
        add_striking_ball(&w, 2.0 * b, 0.1 + 0.1 * b, 3.0 + b, 5.0 + b, 2.0 - 0.5 * b);
    }
    world_start(&w);
    world_step(&w);
    for (int n = 0; n < 2; n++) { // looked at again, it says the same
        for (int b = 0; b < 3; b++) {
            check_striking_ball(energy_of(&w, b), 3.0 + b, mu, e, 5.0 + b, 2.0 - 0.5 * b);
            check_near(energy_of(&w, b)[BOUND], 0.0, 0.0);
        }
        tal_observe_contacts(w.model, w.state, DT, &w.report);
    }
    world_end(&w);
}

// m (g dt)^2/8 of each body of the island: two balls, one on the other, and one alone.
static void gravity_may_feign_its_share_in_each_island(void **unused) {
    (void)unused;
    world w;
    begin(&w, law_coulomb(0.5, 0.0));
    w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -G);
    test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(0, 0, 0.5), 1000.0);
    test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(3, 0, 0.5), 2000.0);
    test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(3, 0, 1.5), 3000.0);
    test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(6, 0, 9.5), 3000.0); // touches nothing
    world_start(&w);
    world_step(&w);
    const double *m = w.scene.mass, per_kg = G * DT * G * DT / 8.0;
    assert_int_equal(w.report.island_count, 2);
    for (int n = 0; n < 2; n++) {
        check_near(energy_of(&w, 0)[BOUND], m[0] * per_kg, 1e-12 * m[0] * per_kg);
        check_near(energy_of(&w, 1)[BOUND], (m[1] + m[2]) * per_kg, 1e-12 * m[0] * per_kg);
        tal_observe_contacts(w.model, w.state, DT, &w.report);
    }
    world_end(&w);
}

// A spinning ball strikes: M = c r R_N brakes the spin w by M/I, and M (w- + w+)/2 is exchanged as well as lost.
static void moments_are_in_the_book_of_their_island(void **unused) {
    (void)unused;
    const double c = 0.1, e = 0.5, vn = 1.0, r = 0.4, m = 5.0, spin = 20.0;
    world w;
    begin(&w, (tal_law){.kind = TAL_LAW_ROLLING, .restitution = e, .rolling_friction = c});
    add_striking_ball(&w, 0.0, r, m, 0.0, vn);
    w.scene.spin[0] = tal_vec3_make(0.6 * spin, -0.8 * spin, 0);
    world_start(&w);
    world_step(&w);
    const double push = m * (1.0 + e) * vn, moment = c * r * push;
    const double after = spin - moment / (0.4 * m * r * r);
    assert_true(after > 0.0);
    const double turned = 0.5 * moment * (spin + after);
    check_near(energy_of(&w, 0)[WORK], -0.5 * m * (1.0 - e * e) * vn * vn - turned, 1e-7);
    check_near(energy_of(&w, 0)[SLACK], 0.5 * push * (vn + e * vn) + turned, 1e-7);
    world_end(&w);
}

static tal_vec3 point_velocity(const tal_rigid_motion *u, const double arm[3]) {
    return tal_vec3_add(u->v, tal_vec3_cross(u->w, tal_vec3_make(arm[0], arm[1], arm[2])));
}

// Of a constraint R . (d- + d+)/2 is what it gave, of which R . d+ counts as driven: the rest, R . (d- - d+)/2, is
// judged with the contacts. Here for any percussion and any motion.
static void what_a_drive_gives_is_not_a_gain(void **unused) {
    (void)unused;
    const tal_constraint hold = {.hold = TAL_HOLD_POINT,
                                 .body_i = 0,
                                 .body_j = 1,
                                 .point_i_m = {0.5, 0.1, 0.2},
                                 .point_j_m = {-0.5, 0.1, 0.2}};
    world w;
    begin(&w, law_coulomb(0.5, 0.0));
    for (int b = 0; b < 2; b++) {
        test_scene_add_ball(&w.scene, 0.4, tal_vec3_make(b, 0, 5), 1000.0);
        w.scene.velocity[b] = tal_vec3_make(0.3, 0.5 - b, 0.2 * b);
        w.scene.spin[b] = tal_vec3_make(1.0, 2.0 * b, -0.5);
    }
    w.scene.constraint = &hold;
    w.scene.constraint_count = 1;
    world_start(&w);
    world_step(&w);
    const tal_percussion_problem *problem = &w.state->work.problem;
    assert_int_equal(problem->pair_count, 1);
    const tal_pair *pair = &problem->pair[0];
    tal_rigid_motion *motion = w.state->work.motion;
    motion[pair->body_i].v = tal_vec3_make(0.7, -0.4, 0.2);
    motion[pair->body_j].w = tal_vec3_make(-0.3, 0.6, 0.8);
    double given = 0.0, rest = 0.0;
    for (int k = 0; k < pair->contact_count; k++) {
        tal_contact *c = &problem->contact[k];
        double before[3], *p = c->percussion;
        tal_contact_velocity_before(problem, pair, k, before);
        p[0] = 3.0 + k;
        p[1] = -2.0;
        p[2] = 5.0;
        const tal_vec3 r = tal_vec3_add_scaled(
            tal_vec3_add_scaled(tal_vec3_scale(pair->normal, p[0]), p[1], pair->tangent_1), p[2],
            pair->tangent_2);
        const tal_vec3 after = tal_vec3_subtract(point_velocity(&motion[pair->body_i], c->arm_i),
                                                 point_velocity(&motion[pair->body_j], c->arm_j));
        const double came = before[0] * p[0] + before[1] * p[1] + before[2] * p[2];
        given += 0.5 * (came + tal_vec3_dot(r, after));
        rest += 0.5 * (came - tal_vec3_dot(r, after));
    }
    tal_observe_contacts(w.model, w.state, DT, &w.report);
    assert_true(fabs(given) > 0.1 && fabs(rest) > 0.1);
    check_near(w.report.constraint_j, given, 1e-12);
    check_near(energy_of(&w, 0)[WORK], rest, 1e-12);
    world_end(&w);
}

// The guard as it judges numbers that are put into the book: beyond the bound and twice the relative error of
// what was exchanged, and only where an impact can rebound.
static int32_t judge(world *w, double beyond, double residual) {
    double *energy = energy_of(w, 0);
    energy[BOUND] = 3.0;
    energy[SLACK] = 50.0;
    energy[WORK] = 3.0 + beyond;
    w->report.residual = residual;
    return tal_guard_energy(w->model, w->state, DT, &w->report);
}

static void start_strike(world *w, tal_law law, double vn) {
    begin(w, law);
    w->scene.settings.impact_speed_mps = 0.5;
    add_striking_ball(w, 0.0, 0.2, 3.0, 1.0, vn);
    world_start(w);
    world_step(w);
    assert_int_equal(w->report.islands_resolved, 0);
}

static void the_guard_allows_for_what_was_not_solved(void **unused) {
    (void)unused;
    world w;
    start_strike(&w, law_coulomb(0.2, 0.5), 2.0);
    assert_int_equal(judge(&w, 9.9, 0.1), 0);
    assert_int_equal(judge(&w, -0.1, 0.0), 0);
    assert_int_equal(judge(&w, 10.1, 0.1), 1); // solved again: it does not rebound
    check_near(w.state->work.motion[0].v.z, 0.0, 1e-9);
    world_end(&w);
    start_strike(&w, law_coulomb(0.2, 0.5), 2.0);
    assert_int_equal(judge(&w, 0.1, 0.0), 1);
    world_end(&w);
}

static void the_guard_leaves_alone_what_it_cannot_better(void **unused) {
    (void)unused;
    world w;
    start_strike(&w, (tal_law){.kind = TAL_LAW_ACD2, .restitution = 0.5}, 2.0);
    assert_int_equal(judge(&w, 20.0, 0.0), 0); // dissipates contact by contact
    world_end(&w);
    start_strike(&w, law_coulomb(0.2, 0.0), 2.0);
    assert_int_equal(judge(&w, 20.0, 0.0), 0); // has no rebound
    world_end(&w);
    start_strike(&w, law_coulomb(0.2, 0.5), 0.4);
    assert_int_equal(judge(&w, 20.0, 0.0), 0); // too slow for an impact
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_island_has_a_book_of_its_own),
        cmocka_unit_test(gravity_may_feign_its_share_in_each_island),
        cmocka_unit_test(moments_are_in_the_book_of_their_island),
        cmocka_unit_test(what_a_drive_gives_is_not_a_gain),
        cmocka_unit_test(the_guard_allows_for_what_was_not_solved),
        cmocka_unit_test(the_guard_leaves_alone_what_it_cannot_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
