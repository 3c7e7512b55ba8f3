// SPDX-License-Identifier: GPL-3.0-or-later
// The energy guard: Newton's restitution with friction can create energy; an island in which it does
// is solved again without rebound, and no other (docs/theory/solver.md, "Energy").
#include "tests/solver/scenes/world.h"

static const tal_vec3 UP = {0, 0, 1}, ORIGIN = {0, 0, 0};
static const double DT = 1e-4, E = 0.9, LEAN = 0.5, HEADING = 0.6;

// A cube of 1000 kg that leans towards HEADING, so that both tangents take part, and whose mass sits near the
// middle (moments `inertia`), comes down on one edge with this velocity; `x` is where it stands.
static void add_cube(world *w, double x, double inertia, double along, double down) {
    const tal_quat pose =
        tal_quat_multiply((tal_quat){cos(0.5 * HEADING), 0, 0, sin(0.5 * HEADING)},
                          (tal_quat){cos(0.5 * LEAN), 0, sin(0.5 * LEAN), 0});
    const double half = 0.5 * (cos(LEAN) + sin(LEAN));
    const int32_t b = test_scene_add_box(&w->scene, 1, 1, 1,
                                         tal_vec3_make(x, 0, half + 0.5 * DT * down), pose, 1000.0);
    w->scene.inertia[b] = tal_vec3_make(inertia, inertia, inertia);
    w->scene.velocity[b] = tal_vec3_make(along * cos(HEADING), along * sin(HEADING), -down);
}

// The edge below, seen from the centre: along HEADING, and down.
static tal_vec3 edge(void) {
    return tal_vec3_make(0.5 * (cos(LEAN) - sin(LEAN)), 0, -0.5 * (cos(LEAN) + sin(LEAN)));
}

// With friction that holds, d+ = (e v, 0) and the energy changes by (d+'A d+ - d-'A d-)/2, A the
// inverse of W = ((1/m + x^2/I, -x z/I), (-x z/I, 1/m + z^2/I)).
static double change_by_newton(double inertia, double along, double down) {
    const tal_vec3 r = edge();
    const double wnn = 1e-3 + r.x * r.x / inertia, wtt = 1e-3 + r.z * r.z / inertia;
    const double wnt = -r.x * r.z / inertia, det = wnn * wtt - wnt * wnt;
    const double after = wtt * E * E * down * down;
    const double before = wtt * down * down + 2.0 * wnt * down * along + wnn * along * along;
    return 0.5 * (after - before) / det;
}

static double normal_speed(const world *w, int32_t b) {
    const tal_vec3 axis = {-sin(HEADING), cos(HEADING), 0};
    return tal_state_velocities(w->state)[b].z -
           tal_vec3_dot(axis, tal_state_spins(w->state)[b]) * edge().x;
}

static void begin(world *w, tal_law law) {
    world_init(w, DT, law);
    w->scene.settings.gravity_mps2 = ORIGIN;
    test_scene_set_plane(&w->scene, ORIGIN, UP, 50.0);
}

// Of three cubes far apart the second would gain energy: it alone is solved again, and stays down.
static void an_island_that_gains_energy_is_solved_again_without_rebound(void **unused) {
    (void)unused;
    const double inertia = 5.0, gains = -1.7, loses = 0.3;
    assert_true(change_by_newton(inertia, gains, 1.0) > 10.0);
    assert_true(change_by_newton(inertia, loses, 1.0) < -10.0);
    world w;
    begin(&w, law_coulomb(20.0, E));
    add_cube(&w, -5.0, inertia, loses, 1.0);
    add_cube(&w, 0.0, inertia, gains, 1.0);
    add_cube(&w, 5.0, inertia, loses, 1.0);
    world_start(&w);
    world_step(&w); // and checks that contacts gave no energy
    assert_int_equal(w.report.islands_resolved, 1);
    check_near(normal_speed(&w, 0), E, 1e-3); // to what the edge turns in half a step
    check_near(normal_speed(&w, 1), 0.0, 1e-3);
    check_near(normal_speed(&w, 2), E, 1e-3);
    world_end(&w);
}

// On one corner: W = a E - b r r' with a = 1/m + r^2/I and b = 1/I, so d'A d = (d^2 + m/I (r.d)^2)/a. The
// velocity along the ground makes r.d- vanish; then Newton's rebound with friction that holds gives energy.
static void one_point_is_enough_for_the_guard(void **unused) {
    (void)unused;
    const double inertia = 5.0, m = 1000.0;
    const tal_quat pose = tal_quat_multiply((tal_quat){cos(0.25), sin(0.25), 0, 0},
                                            (tal_quat){cos(0.2), 0, sin(0.2), 0});
    tal_vec3 r = ORIGIN;
    for (int k = 0; k < 8; k++) {
        const tal_vec3 corner = tal_quat_rotate(
            pose, tal_vec3_make(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5));
        r = corner.z < r.z ? corner : r;
    }
    const double level = r.x * r.x + r.y * r.y;
    const tal_vec3 before = tal_vec3_make(r.z * r.x / level, r.z * r.y / level, -1.0);
    const double a = 1.0 / m + tal_vec3_dot(r, r) / inertia;
    const double gain =
        0.5 / a * (E * E * (1.0 + m / inertia * r.z * r.z) - tal_vec3_dot(before, before));
    assert_true(gain > 10.0);
    world w;
    begin(&w, law_coulomb(20.0, E));
    const int32_t b =
        test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, -r.z + 0.5 * DT), pose, 1000.0);
    w.scene.inertia[b] = tal_vec3_make(inertia, inertia, inertia);
    w.scene.velocity[b] = before;
    world_start(&w);
    world_step(&w);
    assert_int_equal(w.report.contact_count, 1);
    assert_int_equal(w.report.islands_resolved, 1);
    world_end(&w);
}

// Sweeps that run out are counted in both solutions: the two points of an edge that cannot be solved in one.
static void what_the_guard_leaves_unsolved_is_counted_too(void **unused) {
    (void)unused;
    int count[2];
    for (int k = 0; k < 2; k++) {
        world w;
        begin(&w, law_coulomb(20.0, E));
        w.scene.settings.iteration_max = 1;
        w.scene.settings.tolerance = 1e-16; // below rounding: the finisher cannot reach it either
        add_cube(&w, 0.0, 5.0, k == 0 ? 0.3 : -1.7, 1.0);
        world_start(&w);
        check_ok(tal_step(w.model, w.state, &w.report, &check_error));
        assert_int_equal(w.report.islands_resolved, k);
        count[k] = w.report.unconverged_count;
        world_end(&w);
    }
    assert_true(count[0] > 0 && count[1] > count[0]);
}

static void impacts_that_lose_energy_are_left_as_they_are(void **unused) {
    (void)unused;
    world w;
    begin(&w, law_coulomb(20.0, E));
    add_cube(&w, 0.0, 5.0, 0.3, 1.0);
    world_start(&w);
    world_step(&w);
    assert_int_equal(w.report.islands_resolved, 0);
    const double lost = w.report.dissipated_normal_j + w.report.dissipated_tangential_j;
    check_near(lost, -change_by_newton(5.0, 0.3, 1.0), 1e-3 * lost);
    world_end(&w);
}

// A ball that spins about a level axis strikes: the moment M = c r (1 + e) m v brakes the spin, which takes
// M w - M^2/(2 I) from it. That is a loss like any other.
static void the_work_of_rolling_counts_as_the_loss_it_is(void **unused) {
    (void)unused;
    const double radius = 0.4, c = 0.5, down = 1.0, spin = 20.0;
    world w;
    begin(&w, (tal_law){.kind = TAL_LAW_ROLLING, .restitution = E, .rolling_friction = c});
    test_scene_add_ball(&w.scene, radius, tal_vec3_make(0, 0, radius + 0.5 * DT * down), 2700.0);
    w.scene.velocity[0].z = -down;
    w.scene.spin[0] = tal_vec3_make(spin * cos(HEADING), spin * sin(HEADING), 0);
    world_start(&w);
    world_step(&w);
    assert_int_equal(w.report.islands_resolved, 0);
    check_near(tal_state_velocities(w.state)[0].z, E * down, 1e-9);
    const double mass = w.scene.mass[0], inertia = w.scene.inertia[0].x;
    const double moment = c * radius * (1.0 + E) * mass * down;
    const double lost = moment * spin - moment * moment / (2.0 * inertia);
    check_near(w.report.dissipated_tangential_j, lost, 1e-6 * lost);
    world_end(&w);
}

// A rebound with e = 1 and nothing to slide gives back all there was, to rounding: no reason either.
static void an_impact_that_keeps_its_energy_is_left_as_it_is(void **unused) {
    (void)unused;
    world w;
    begin(&w, law_coulomb(0.0, 1.0));
    add_cube(&w, 0.0, 166.0, 0.0, 1.0);
    world_start(&w);
    world_step(&w);
    assert_int_equal(w.report.islands_resolved, 0);
    check_near(normal_speed(&w, 0), 1.0, 1e-3);
    world_end(&w);
}

// The same with a kick g dt along the ground within the step: R.x = (d+ - d- - kick)'A(d+ + d-)/2.
static double work_with_kick(double inertia, double along, double down, double kick) {
    const tal_vec3 r = edge();
    const double wnn = 1e-3 + r.x * r.x / inertia, wtt = 1e-3 + r.z * r.z / inertia;
    const double wnt = -r.x * r.z / inertia, det = wnn * wtt - wnt * wnt;
    const double pull = -wnt * (E - 1.0) * down + wnn * along;
    return change_by_newton(inertia, along, down) - 0.5 * kick * pull / det;
}

// Stepping gravity may feign m (g dt)^2/8: a gain below that is no reason to solve again, a larger one
// is. The speed along the ground is chosen so that the contact gives 0.9 and 1.1 of it.
static void a_gain_up_to_gravitys_share_is_accepted(void **unused) {
    (void)unused;
    const double inertia = 5.0, down = 1.0, kick = 0.05, bound = 1000.0 * kick * kick / 8.0;
    for (int k = 0; k < 2; k++) {
        const double want = (k ? 1.1 : 0.9) * bound;
        double low = 1.0, high = -2.0; // loses, gains
        for (int n = 0; n < 60; n++) {
            const double half = 0.5 * (low + high);
            *(work_with_kick(inertia, half, down, kick) < want ? &low : &high) = half;
        }
        world w;
        begin(&w, law_coulomb(20.0, E));
        w.scene.settings.gravity_mps2 =
            tal_vec3_make(kick / DT * cos(HEADING), kick / DT * sin(HEADING), 0);
        add_cube(&w, 0.0, inertia, low, down);
        world_start(&w);
        world_step(&w);
        assert_int_equal(w.report.islands_resolved, k);
        if (k == 0) {
            check_near(-w.report.dissipated_normal_j - w.report.dissipated_tangential_j, want,
                       1e-6 * want);
        }
        world_end(&w);
    }
}

// The mixed law dissipates at each impact whatever its numbers: it needs no guard where a rebound by
// Newton would.
static void mixed_law_needs_no_guard_there(void **unused) {
    (void)unused;
    world w;
    begin(&w, law_mixed(20.0, E, 0.5));
    add_cube(&w, 0.0, 5.0, -1.7, 1.0);
    world_start(&w);
    world_step(&w);
    assert_int_equal(w.report.islands_resolved, 0);
    assert_true(w.report.clausius_duhem_worst_j <= 1e-9);
    world_end(&w);
}

// The book of one blow: a ball that strikes at (v_T, -v_N) without gravity loses m (1 - e^2) v_N^2/2
// by the normal percussion, and by friction that slides mu (1 + e) m v_N times the mean slip speed.
static void the_book_splits_normal_and_tangential_loss(void **unused) {
    (void)unused;
    const double mu = 0.2, e = 0.5, vn = 2.0, vt = 5.0, m = 3.0, r = 0.1;
    world w;
    begin(&w, law_coulomb(mu, e));
    test_scene_add_ball(&w.scene, r, tal_vec3_make(0, 0, r + 0.5 * DT * vn), 1000.0);
    w.scene.mass[0] = m;
    w.scene.inertia[0] = tal_vec3_make(0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r);
    w.scene.velocity[0] = tal_vec3_make(0.6 * vt, 0.8 * vt, -vn);
    world_start(&w);
    world_step(&w);
    const double push = m * (1.0 + e) * vn, slip = vt - 3.5 / m * mu * push;
    check_near(w.report.dissipated_normal_j, 0.5 * m * (1.0 - e * e) * vn * vn, 1e-9);
    check_near(w.report.dissipated_tangential_j, mu * push * 0.5 * (vt + slip), 1e-8);
    check_near(w.report.opposed_worst_j, -mu * push * slip, 1e-8);
    check_near(w.report.kinetic_translation_j + w.report.kinetic_rotation_j,
               0.5 * m * (vt * vt + vn * vn) - w.report.dissipated_normal_j -
                   w.report.dissipated_tangential_j,
               1e-9);
    assert_int_equal(w.report.islands_resolved, 0);
    world_end(&w);
}

// acd2: R.x of the only contact is what was lost, and the report's worst is it.
static void the_worst_contact_of_acd2_is_reported(void **unused) {
    (void)unused;
    const double m = 3.0, r = 0.1, e = 0.5;
    world w;
    begin(&w, (tal_law){.kind = TAL_LAW_ACD2, .restitution = e, .tangential_restitution = 0.2});
    for (int b = 0; b < 2; b++) {
        const double vn = b ? 1.0 : 2.0;
        test_scene_add_ball(&w.scene, r, tal_vec3_make(b, 0, r + 0.5 * DT * vn), 1000.0);
        w.scene.mass[b] = m;
        w.scene.inertia[b] = tal_vec3_make(0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r);
        w.scene.velocity[b] = tal_vec3_make(0, 1.0, -vn);
    }
    world_start(&w);
    world_step(&w);
    const double normal = 0.5 * m * (1.0 - e * e), along = 0.5 * m / 3.5 * (1.0 - 0.04);
    check_near(w.report.dissipated_normal_j, normal * 5.0, 1e-8);
    check_near(w.report.dissipated_tangential_j, 2.0 * along, 1e-8);
    check_near(w.report.clausius_duhem_worst_j, -normal - along, 1e-8);
    assert_true(w.report.opposed_worst_j == -INFINITY); // no dry friction here
    world_end(&w);
}

// m (g dt)^2/8 of every body that moves.
static void the_bound_of_a_step_is_gravitys_share(void **unused) {
    (void)unused;
    world w;
    begin(&w, law_coulomb(0.5, 0.0));
    w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -10);
    add_cube(&w, 0.0, 166.0, 0.0, 0.0);
    add_cube(&w, 5.0, 166.0, 0.0, 0.0);
    w.scene.fixed[1] = 1;
    world_start(&w);
    world_step(&w);
    check_near(w.report.energy_rise_bound_j, 1000.0 * 1e-6 / 8.0, 1e-12);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_island_that_gains_energy_is_solved_again_without_rebound),
        cmocka_unit_test(one_point_is_enough_for_the_guard),
        cmocka_unit_test(what_the_guard_leaves_unsolved_is_counted_too),
        cmocka_unit_test(impacts_that_lose_energy_are_left_as_they_are),
        cmocka_unit_test(the_work_of_rolling_counts_as_the_loss_it_is),
        cmocka_unit_test(an_impact_that_keeps_its_energy_is_left_as_it_is),
        cmocka_unit_test(a_gain_up_to_gravitys_share_is_accepted),
        cmocka_unit_test(mixed_law_needs_no_guard_there),
        cmocka_unit_test(the_book_splits_normal_and_tangential_loss),
        cmocka_unit_test(the_worst_contact_of_acd2_is_reported),
        cmocka_unit_test(the_bound_of_a_step_is_gravitys_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
