// SPDX-License-Identifier: GPL-3.0-or-later
// From detected points to numbers of a law, seen from outside: one step of small scenes whose outcome
// has a closed form (docs/theory/solver.md, "Gaps" and "Laws").
#include "tests/solver/scenes/world.h"

static const tal_vec3 UP = {0, 0, 1}, ORIGIN = {0, 0, 0};
static const tal_quat UPRIGHT = {1, 0, 0, 0};
static const double DT = 0.001, RADIUS = 0.1;
static const tal_law_kind REBOUNDING[] = {TAL_LAW_COULOMB, TAL_LAW_ACD2, TAL_LAW_ACD2_COULOMB};

static tal_law law_acd2(double e, double et) {
    return (tal_law){.kind = TAL_LAW_ACD2, .restitution = e, .tangential_restitution = et};
}

// An empty plane without gravity.
static void begin(world *w, tal_law law) {
    world_init(w, DT, law);
    w->scene.settings.gravity_mps2 = ORIGIN;
    test_scene_set_plane(&w->scene, ORIGIN, UP, 50.0);
}

// A ball of 2 kg with these moments, whose gap is `gap` when contacts are looked for, after half a
// step.
static void add_ball(world *w, tal_vec3 velocity, double gap) {
    const tal_vec3 at = {0, 0, RADIUS + gap - 0.5 * DT * velocity.z};
    const int32_t b = test_scene_add_ball(&w->scene, RADIUS, at, 1000.0);
    w->scene.mass[b] = 2.0;
    w->scene.inertia[b] = tal_vec3_make(0.008, 0.008, 0.008); // 0.4 m r^2
    w->scene.velocity[b] = velocity;
}

static tal_vec3 after_one_step(world *w) {
    world_start(w);
    world_step(w);
    const tal_vec3 v = tal_state_velocities(w->state)[0];
    return v;
}

// ---- When an impact happens --------------------------------------------------------------------

// Without gravity a ball meets the ground after gap / v, wherever within its step that is, and is as far away
// again as its rebound takes it in the rest of the step.
static void every_law_that_rebounds_strikes_at_the_surface(void **unused) {
    (void)unused;
    const double v = 2.0, e = 0.5, skin = 2e-5 * 2.0 * RADIUS; // (13)
    for (int k = 0; k < 9; k++) {
        const double until = (0.1 + 0.15 * (k / 3)) * DT; // after the middle of the step
        world w;
        begin(&w, (tal_law){.kind = REBOUNDING[k % 3], .friction = 0.5, .restitution = e});
        add_ball(&w, tal_vec3_make(0, 0, -v), v * until);
        check_near(after_one_step(&w).z, e * v, 1e-9);
        const double height = tal_state_positions(w.state)[0].z - RADIUS;
        check_near(height, skin + e * v * (0.5 * DT - until + skin / v), 1e-9);
        world_end(&w);
    }
}

// ---- Which contact is an impact ---------------------------------------------------------------

static double rebound(tal_law_kind kind, double speed, double threshold, double gravity) {
    world w;
    begin(&w, (tal_law){.kind = kind, .friction = 0.5, .restitution = 0.5});
    w.scene.settings.impact_speed_mps = threshold;
    w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -gravity);
    add_ball(&w, tal_vec3_make(0, 0, -speed), 0.0);
    const double up = after_one_step(&w).z;
    assert_int_equal(w.report.impact_count, up > 0.0);
    world_end(&w);
    return up;
}

// Slower contacts than max(setting, 2 |g| dt) do not rebound.
static void only_faster_contacts_than_the_threshold_rebound(void **unused) {
    (void)unused;
    // 2 g dt = 0.02. At the surface a leapfrog step has the energy v (v + g dt)/2 per mass; a ratio of
    // 0.5 leaves a quarter of it.
    const double kick = 10.0 * DT, leaves = 0.25 * 0.0201 * (0.0201 + kick);
    const double up = sqrt(0.25 * kick * kick + leaves) - 0.5 * kick;
    for (int k = 0; k < 3; k++) {
        const tal_law_kind kind = REBOUNDING[k];
        check_near(rebound(kind, 0.501, 0.5, 0.0), 0.2505, 1e-12);
        check_near(rebound(kind, 0.499, 0.5, 0.0), 0.0, 1e-12);
        check_near(rebound(kind, 0.0201, 0.0, 10.0), up, 1e-12);
        check_near(rebound(kind, 0.0199, 0.0, 10.0), 0.0, 1e-12);
        check_near(rebound(kind, 0.0201, 0.03, 10.0), 0.0, 1e-12); // the larger of both counts
    }
}

// ---- Ratios become kn and kt --------------------------------------------------------------------

// Cube on a face, an edge, a corner; a brick and a plate on a face: four, two, one points.
static tal_vec3 land(int how, tal_law law, int *impacts, tal_vec3 *spin) {
    static const double edges[5][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 2, 3}, {2, 2, 0.5}};
    const double quarter = 0.125 * acos(-1.0);
    const double tilt = 0.5 * acos(sqrt(1.0 / 3.0)); // takes the space diagonal to the vertical
    const tal_quat about_y = {cos(quarter), 0, sin(quarter), 0};
    const tal_quat on_corner = {cos(tilt), sqrt(0.5) * sin(tilt), -sqrt(0.5) * sin(tilt), 0};
    const tal_quat pose = how == 1 ? about_y : how == 2 ? on_corner : UPRIGHT;
    const double *e = edges[how];
    const double height = how == 1 ? sqrt(0.5) : how == 2 ? sqrt(0.75) : 0.5 * e[2];
    world w;
    begin(&w, law);
    test_scene_add_box(&w.scene, e[0], e[1], e[2], tal_vec3_make(0, 0, height + 0.5 * DT), pose,
                       1000.0);
    w.scene.velocity[0] = tal_vec3_make(0, 0, -1.0);
    const tal_vec3 v = after_one_step(&w);
    *impacts = w.report.impact_count;
    *spin = tal_state_spins(w.state)[0];
    world_end(&w);
    return v;
}

static void a_pair_rebounds_by_e_however_many_points_share_the_blow(void **unused) {
    (void)unused;
    static const int points[5] = {4, 2, 1, 4, 4};
    for (int how = 0; how < 5; how++) {
        for (int k = 0; k < 2; k++) {
            int impacts;
            tal_vec3 spin;
            const tal_law law = k ? law_acd2(0.4, 1.0) : law_mixed(0.3, 0.4, 1.0);
            const tal_vec3 v = land(how, law, &impacts, &spin);
            check_near(v.z, 0.4, 1e-8);
            check_near(tal_vec3_length(spin), 0.0, 1e-8);
            assert_int_equal(impacts, points[how]);
        }
    }
}

// In kg kn belongs to the pair: e = (kn/m - 2)/(kn/m + 2) on four points as on one.
static void dissipation_in_kg_is_shared_by_the_points(void **unused) {
    (void)unused;
    for (int how = 0; how < 2; how++) {
        int impacts;
        tal_vec3 spin;
        const tal_law law = {.kind = TAL_LAW_ACD2, .dissipation_in_kg = true, .kn_kg = 6000.0};
        check_near(land(how, law, &impacts, &spin).z, 0.5, 1e-8); // m = 1000: (6 - 2)/(6 + 2)
    }
}

// Below a ball's centre W_NT = 0 and W_TT = 1/m + r^2/I of the axis across. kt is the mean of what
// either tangent would need, so each velocity keeps (2 - kt W)/(2 + kt W) of itself.
static void tangential_ratio_is_made_from_both_tangents(void **unused) {
    (void)unused;
    const double et = 0.2, arm = RADIUS * RADIUS;
    const tal_vec3 moments = {0.004, 0.009, 0.008};
    const double wx = 0.5 + arm / moments.y, wy = 0.5 + arm / moments.x;
    const double kt = (1.0 - et) / (1.0 + et) * (1.0 / wx + 1.0 / wy);
    for (int k = 0; k < 2; k++) {
        world w;
        begin(&w, k ? law_acd2(0.0, et) : law_mixed(10.0, 0.0, et));
        add_ball(&w, tal_vec3_make(0.3, 0.2, -1.0), 0.0);
        w.scene.inertia[0] = moments;
        const tal_vec3 v = after_one_step(&w), s = tal_state_spins(w.state)[0];
        // to what the spin of an uneven body turns in the half step that follows
        check_near(v.x - RADIUS * s.y, 0.3 * (2.0 - kt * wx) / (2.0 + kt * wx), 1e-6);
        check_near(v.y + RADIUS * s.x, 0.2 * (2.0 - kt * wy) / (2.0 + kt * wy), 1e-6);
        world_end(&w);
    }
}

static void tangential_ratios_of_one_and_minus_one_keep_and_reverse(void **unused) {
    (void)unused;
    for (int k = 0; k < 3; k++) {
        const double et = k - 1.0;
        world w;
        begin(&w, law_acd2(0.3, et));
        add_ball(&w, tal_vec3_make(0.3, 0.2, -1.0), 0.0);
        const tal_vec3 v = after_one_step(&w), s = tal_state_spins(w.state)[0];
        check_near(v.x - RADIUS * s.y, 0.3 * et, 1e-9);
        check_near(v.y + RADIUS * s.x, 0.2 * et, 1e-9);
        check_near(v.z, 0.3, 1e-9);
        world_end(&w);
    }
}

static void tangential_dissipation_in_kg_acts_on_both_tangents(void **unused) {
    (void)unused;
    const double kt = 0.3, wt = 0.5 + RADIUS * RADIUS / 0.008;
    world w;
    begin(&w, (tal_law){.kind = TAL_LAW_ACD2, .dissipation_in_kg = true, .kt_kg = kt});
    add_ball(&w, tal_vec3_make(0.3, 0.2, -1.0), 0.0);
    const tal_vec3 v = after_one_step(&w), s = tal_state_spins(w.state)[0];
    check_near(v.x - RADIUS * s.y, 0.3 * (2.0 - kt * wt) / (2.0 + kt * wt), 1e-10);
    check_near(v.y + RADIUS * s.x, 0.2 * (2.0 - kt * wt) / (2.0 + kt * wt), 1e-10);
    world_end(&w);
}

// Two boxes of unequal mass meet face to face, off centre: W of both bodies counts.
static void two_free_bodies_exchange_momentum_by_e(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        world w;
        begin(&w, k ? law_acd2(0.6, 1.0) : law_mixed(0.0, 0.6, 1.0));
        for (int b = 0; b < 2; b++) {
            const double x = b == k ? -0.5 : 0.5 + DT; // meet half-way in the step
            test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(x, 0, 9), UPRIGHT,
                               b == 0 ? 1000.0 : 3000.0);
        }
        w.scene.velocity[k] = tal_vec3_make(2.0, 0, 0);
        world_start(&w);
        world_step(&w);
        const double m1 = w.scene.mass[k], m2 = w.scene.mass[1 - k];
        const tal_vec3 *v = tal_state_velocities(w.state);
        check_near(v[k].x, 2.0 * (m1 - 0.6 * m2) / (m1 + m2), 1e-8);
        check_near(v[1 - k].x, 2.0 * 1.6 * m1 / (m1 + m2), 1e-8);
        world_end(&w);
    }
}

// The published law dissipates by kn at every closing contact, the impacts of acd2 only; and on a
// rod that meets the ground at one end kn follows W_NN = 1/m + a^2/I.
static void a_rod_rebounds_at_its_end_by_e(void **unused) {
    (void)unused;
    static const tal_law_kind kinds[3] = {TAL_LAW_ACD2, TAL_LAW_ACD2_PUBLISHED,
                                          TAL_LAW_ACD2_COULOMB};
    for (int k = 0; k < 3; k++) {
        world w;
        begin(&w, (tal_law){.kind = kinds[k], .restitution = 0.5, .tangential_restitution = 1.0});
        const double lean = 0.1, half = 1.0 * cos(lean), low = 1.0 * sin(lean) + 0.05 * cos(lean);
        const tal_quat pose = {cos(0.5 * lean), 0, sin(0.5 * lean), 0}; // +x end down
        test_scene_add_box(&w.scene, 2.0, 0.1, 0.1, tal_vec3_make(0, 0, low + 0.5 * DT), pose,
                           1000.0);
        w.scene.velocity[0] = tal_vec3_make(0, 0, -1);
        const tal_vec3 v = after_one_step(&w), s = tal_state_spins(w.state)[0];
        assert_int_equal(w.report.impact_count, 2); // its lower edge
        const double reach = half - 0.05 * sin(lean);
        check_near(v.z - s.y * reach, 0.5, 1e-6);
        world_end(&w);
    }
}

// ---- Gaps -----------------------------------------------------------------------------------

// Too slow for an impact: it may close what is open beyond the skin (2e-5 of the smallest edge, the
// diameter of a ball).
static void a_slow_contact_closes_the_gap_down_to_the_skin(void **unused) {
    (void)unused;
    const double skin = 2e-5 * 2.0 * RADIUS;
    for (int k = 0; k < 2; k++) {
        const double gap = k ? 5e-5 : 0.5 * skin;
        world w;
        begin(&w, law_coulomb(0.5, 0.5));
        w.scene.settings.impact_speed_mps = 1.0;
        add_ball(&w, tal_vec3_make(0, 0, -0.5), gap);
        check_near(after_one_step(&w).z, k ? -(gap - skin) / DT : 0.0, 1e-10);
        world_end(&w);
    }
}

// At 1 m/s a gap of half a step's way closes within the step, and rebounds; one of one and a half does not.
static void a_gap_wider_than_the_way_of_a_step_is_no_contact_yet(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        world w;
        begin(&w, k % 2 ? law_acd2(0.5, 1.0) : law_coulomb(0.5, 0.5));
        add_ball(&w, tal_vec3_make(0, 0, -1.0), 0.5 * DT);
        check_near(after_one_step(&w).z, 0.5, 1e-9);
        world_end(&w);
        begin(&w, k % 2 ? law_acd2(0.5, 1.0) : law_coulomb(0.5, 0.5));
        add_ball(&w, tal_vec3_make(0, 0, -1.0), 1.5 * DT);
        check_near(after_one_step(&w).z, -1.0, 1e-12);
        assert_int_equal(w.report.impact_count, 0);
        world_end(&w);
    }
}

// A plate that leans by 1.1 mm: its lower edge strikes, its upper one is listed and does not close, and has
// no share of kn.
static void only_points_that_close_share_the_blow(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const double lean = 1.1e-3;
        const tal_quat pose = {cos(0.5 * lean), 0, sin(0.5 * lean), 0};
        const double low = 0.5 * sin(lean) + 0.1 * cos(lean),
                     reach = 0.5 * cos(lean) - 0.1 * sin(lean);
        world w;
        begin(&w, k ? law_acd2(0.4, 1.0) : law_mixed(0.3, 0.4, 1.0));
        test_scene_add_box(&w.scene, 1, 1, 0.2, tal_vec3_make(0, 0, low + 0.5 * DT), pose, 1000.0);
        w.scene.velocity[0] = tal_vec3_make(0, 0, -1.0);
        w.scene.inertia[0] = tal_vec3_make(100, 100, 100); // hard to turn: the upper edge stays off
        const tal_vec3 v = after_one_step(&w), s = tal_state_spins(w.state)[0];
        assert_int_equal(w.report.impact_count, 2);
        check_near(v.z - s.y * reach, 0.4, 1e-3); // half a step later it has turned
        world_end(&w);
    }
}

static void what_was_taken_out_touches_nothing(void **unused) {
    (void)unused;
    world w;
    begin(&w, law_coulomb(0.5, 0.5));
    add_ball(&w, tal_vec3_make(0, 0, -1.0), 0.0);
    add_ball(&w, ORIGIN, 0.0);
    w.scene.position[0].z += 2.0 * RADIUS; // on top of the other
    w.scene.position[1].z -= RADIUS;       // which lies half in the ground
    w.scene.settings.ground_overlap_max_m = 1.0;
    w.scene.settings.overlap_max = 0.9;
    world_start(&w);
    tal_state_remove_body(w.state, 1);
    world_step(&w);
    check_near(tal_state_velocities(w.state)[0].z, -1.0, 1e-12);
    check_near(w.report.penetration_m, 0.0, 0.0);
    assert_int_equal(w.report.contact_count, 0);
    world_end(&w);
}

// kt of acd2 acts at contacts that would close, by speed or by weight: a block creeps down an incline
// at m g sin dt/kt. A body that falls beside its neighbour does not press on it.
static void acd2_creeps_down_an_incline_at_the_viscous_speed(void **unused) {
    (void)unused;
    const double angle = 0.35, g = 9.81, kt = 2000.0;
    const tal_vec3 normal = {sin(angle), 0, cos(angle)};
    const tal_quat pose = {cos(0.5 * angle), 0, sin(0.5 * angle), 0};
    world w;
    world_init(&w, DT, (tal_law){.kind = TAL_LAW_ACD2, .dissipation_in_kg = true, .kt_kg = kt});
    test_scene_set_plane(&w.scene, ORIGIN, normal, 50.0);
    test_scene_add_box(&w.scene, 1, 1, 0.2, tal_vec3_scale(normal, 0.1), pose, 5000.0);
    w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -g);
    world_start(&w);
    world_run(&w, 0.03);
    const tal_vec3 v = tal_state_velocities(w.state)[0];
    check_near(v.x * cos(angle) - v.z * sin(angle), 1000.0 * g * sin(angle) * DT / kt, 1e-9);
    world_end(&w);
}

// Side by side in free fall, sliding along one another: nothing presses, nothing brakes. Pressed
// against a fixed one by gravity that points sideways, kt does, whichever of the two is fixed.
static void bodies_that_fall_together_do_not_press_on_each_other(void **unused) {
    (void)unused;
    const double kt = 0.3, wt = 0.5 + RADIUS * RADIUS / 0.008;
    for (int fixed = -1; fixed < 2; fixed++) {
        world w;
        begin(&w, (tal_law){.kind = TAL_LAW_ACD2, .dissipation_in_kg = true, .kt_kg = kt});
        add_ball(&w, ORIGIN, 9.0);
        add_ball(&w, ORIGIN, 9.0);
        w.scene.position[1].x = fixed == 0 ? -2.0 * RADIUS : 2.0 * RADIUS;
        w.scene.settings.gravity_mps2 =
            tal_vec3_make(fixed < 0 ? 0.0 : 10.0, 0, fixed < 0 ? -10.0 : 0.0);
        const int mover = fixed == 0 ? 1 : 0;
        if (fixed >= 0) {
            w.scene.fixed[fixed] = 1;
        }
        w.scene.velocity[mover].y = 0.1;
        world_start(&w);
        world_step(&w);
        const tal_vec3 v = tal_state_velocities(w.state)[mover];
        const tal_vec3 s = tal_state_spins(w.state)[mover];
        const double ratio = fixed >= 0 ? (2.0 - kt * wt) / (2.0 + kt * wt) : 1.0;
        check_near(v.y + RADIUS * s.z, 0.1 * ratio, 1e-5); // half a step on, the normal has turned
        world_end(&w);
    }
}

// A point force presses as gravity does: the contact closes although nothing moves yet.
static void a_load_alone_makes_a_contact_close(void **unused) {
    (void)unused;
    const double kt = 0.3, wt = 0.5 + RADIUS * RADIUS / 0.008;
    for (int down = 0; down < 2; down++) {
        const tal_point_force push = {
            .force_n = {0, 0, down ? -5.0 : 5.0}, .start_s = 0.0, .end_s = 1.0};
        world w;
        begin(&w, (tal_law){.kind = TAL_LAW_ACD2, .dissipation_in_kg = true, .kt_kg = kt});
        w.scene.force_count = 1;
        w.scene.force = &push;
        add_ball(&w, tal_vec3_make(0.3, 0.0, 0.0), 0.0);
        const tal_vec3 v = after_one_step(&w), s = tal_state_spins(w.state)[0];
        const double ratio = down ? (2.0 - kt * wt) / (2.0 + kt * wt) : 1.0;
        check_near(v.x - RADIUS * s.y, 0.3 * ratio, 1e-10);
        check_near(v.z, down ? 0.0 : 5.0 * DT / 2.0, 1e-12);
        world_end(&w);
    }
}

// ---- Springs and the report ------------------------------------------------------------------

// The spring belongs to the pair: four corners carry m g at the depth m g/k, and c decides how fast.
static void spring_and_dashpot_are_shared_by_the_points(void **unused) {
    (void)unused;
    const double m = 1000.0, k = 4e5, c = 3000.0, v = -0.5, depth = 0.01;
    world w;
    begin(&w, (tal_law){.kind = TAL_LAW_PENALTY, .stiffness_n_m = k, .damping_n_s_m = c});
    w.scene.settings.overlap_max = 0.5;
    w.scene.settings.ground_overlap_max_m = 0.5;
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0.5 - depth - 0.5 * DT * v), UPRIGHT,
                       m);
    w.scene.velocity[0] = tal_vec3_make(0, 0, v);
    const double up = after_one_step(&w).z;
    check_near(up, (m * v + DT * k * depth) / (m + DT * DT * k + DT * c), 1e-9);
    check_near(w.report.penetration_m, 0.0, 0.0); // the deflection of a spring is none
    world_end(&w);
}

static void the_report_names_the_deepest_penetration_and_who_is_in_it(void **unused) {
    (void)unused;
    world w;
    begin(&w, law_coulomb(0.5, 0.0));
    w.scene.settings.overlap_max = 0.5;
    w.scene.settings.ground_overlap_max_m = 0.5;
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(5, 0, 0.5 - 0.001), UPRIGHT, 1000.0);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0.5 - 0.003), UPRIGHT, 1000.0);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(10, 0, 5.0), UPRIGHT, 1000.0);
    world_start(&w);
    world_step(&w);
    check_near(w.report.penetration_m, 0.003, 1e-12);
    assert_int_equal(w.report.penetration_body_i, 1);
    assert_int_equal(w.report.penetration_body_j, TAL_BODY_TERRAIN);
    assert_int_equal(w.report.manifold_count, 2);
    assert_int_equal(w.report.contact_count, 8);
    assert_int_equal(w.report.island_count, 2);
    assert_int_equal(w.report.impact_count, 0);
    world_end(&w);
    begin(&w, law_coulomb(0.5, 0.0));
    w.scene.settings.overlap_max = 0.5;
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 5), UPRIGHT, 1000.0);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 6.0 - 0.002), UPRIGHT, 1000.0);
    world_start(&w);
    world_step(&w);
    check_near(w.report.penetration_m, 0.002, 1e-12);
    assert_int_equal(w.report.penetration_body_i + w.report.penetration_body_j, 1);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_that_rebounds_strikes_at_the_surface),
        cmocka_unit_test(only_faster_contacts_than_the_threshold_rebound),
        cmocka_unit_test(a_pair_rebounds_by_e_however_many_points_share_the_blow),
        cmocka_unit_test(dissipation_in_kg_is_shared_by_the_points),
        cmocka_unit_test(tangential_ratio_is_made_from_both_tangents),
        cmocka_unit_test(tangential_ratios_of_one_and_minus_one_keep_and_reverse),
        cmocka_unit_test(tangential_dissipation_in_kg_acts_on_both_tangents),
        cmocka_unit_test(two_free_bodies_exchange_momentum_by_e),
        cmocka_unit_test(a_rod_rebounds_at_its_end_by_e),
        cmocka_unit_test(a_slow_contact_closes_the_gap_down_to_the_skin),
        cmocka_unit_test(a_gap_wider_than_the_way_of_a_step_is_no_contact_yet),
        cmocka_unit_test(only_points_that_close_share_the_blow),
        cmocka_unit_test(what_was_taken_out_touches_nothing),
        cmocka_unit_test(acd2_creeps_down_an_incline_at_the_viscous_speed),
        cmocka_unit_test(bodies_that_fall_together_do_not_press_on_each_other),
        cmocka_unit_test(a_load_alone_makes_a_contact_close),
        cmocka_unit_test(spring_and_dashpot_are_shared_by_the_points),
        cmocka_unit_test(the_report_names_the_deepest_penetration_and_who_is_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
