// SPDX-License-Identifier: GPL-3.0-or-later
// Structures that sweeps alone do not hold, with steps of 20 ms, the shipped law and the default tolerance:
// heavy on light, tall columns, an arch, a house of cards. Errors within the tolerance add up from joint
// to joint.
#include "tests/solver/scenes/world.h"

// The shipped law and tolerance (core/base/settings.def).
static void init_default(world *w) {
    *w = (world){0};
    test_scene_init(&w->scene);
    w->scene.settings.dt_s = 0.02;
    w->scene.settings.tolerance = 1e-3;
    w->scene.law = law_mixed(0.55, 0.1, 0.0);
    test_scene_set_plane(&w->scene, tal_vec3_make(0, 0, 0), tal_vec3_make(0, 0, 1), 50.0);
}

typedef struct {
    double moved; // farthest, of any block
    int finished_steps, unconverged_steps;
} stand;

// Lets it stand for `time` and says how far a block moved from where it was laid.
static stand let_stand(world *w, double time) {
    stand s = {0};
    const int32_t count = w->scene.body_count;
    world_start(w);
    const long steps = lround(time / w->scene.settings.dt_s);
    for (long n = 0; n < steps; n++) {
        check_ok(tal_step(w->model, w->state, &w->report, &check_error));
        s.finished_steps += w->report.islands_finished > 0;
        s.unconverged_steps += w->report.unconverged_count > 0;
    }
    for (int32_t b = 0; b < count; b++) {
        const tal_vec3 way =
            tal_vec3_subtract(tal_state_positions(w->state)[b], w->scene.position[b]);
        s.moved = fmax(s.moved, tal_vec3_length(way));
    }
    printf("moved %.3g mm; %d of %ld steps finished, %d not converged\n", 1e3 * s.moved,
           s.finished_steps, steps, s.unconverged_steps);
    return s;
}

// Cubes of edge 1 with `gap` between them and below.
static void add_column(world *w, int count, const double *density, double gap) {
    for (int n = 0; n < count; n++) {
        test_scene_add_box(&w->scene, 1.0, 1.0, 1.0, tal_vec3_make(0, 0, n + 0.5 + (n + 1) * gap),
                           (tal_quat){1, 0, 0, 0}, density[n]);
    }
}

static void check_stands(world *w) {
    const stand s = let_stand(w, 5.0);
    world_end(w);
    assert_true(s.moved < 0.5e-3);
    assert_int_equal(s.unconverged_steps, 0);
}

static void check_stack(int count, const double *density) {
    world w;
    init_default(&w);
    add_column(&w, count, density, 0.0);
    check_stands(&w);
}

static void ten_thousand_on_one_stands(void **unused) {
    (void)unused;
    check_stack(2, (const double[]){1.0, 1e4});
}

static void a_million_on_one_stands(void **unused) {
    (void)unused;
    check_stack(2, (const double[]){1.0, 1e6});
}

// Sweeps that stagnate give way to the finisher, however many are allowed: not a million of them.
static void a_million_sweeps_are_not_made_where_they_stagnate(void **unused) {
    (void)unused;
    world w;
    int finished = 0, sweeps = 0;
    init_default(&w);
    w.scene.settings.iteration_max = 1000000;
    add_column(&w, 2, (const double[]){1.0, 1e6}, 0.0);
    world_start(&w);
    for (int n = 0; n < 50; n++) {
        check_ok(tal_step(w.model, w.state, &w.report, &check_error));
        finished += w.report.islands_finished;
        sweeps = w.report.iterations > sweeps ? w.report.iterations : sweeps;
        assert_int_equal(w.report.unconverged_count, 0);
    }
    world_end(&w);
    assert_true(finished > 0);
    assert_in_range(sweeps, 1, 5000);
}

static void set_densities(double density[30], double of_last) {
    for (int n = 0; n < 30; n++) {
        density[n] = n == 29 ? of_last : 1.0;
    }
}

static void column_of_thirty_stands_whatever_lies_on_it(void **unused) {
    (void)unused;
    static const double of_last[] = {1.0, 1e2, 1e4, 1e6};
    for (int k = 0; k < 4; k++) {
        double density[30];
        set_densities(density, of_last[k]);
        check_stack(30, density);
    }
}

// Laid with gaps of 1 mm it falls into place: upright, and at rest within the 5 s.
static void column_with_gaps_settles_upright(void **unused) {
    (void)unused;
    static const double of_last[] = {1.0, 1e4};
    for (int k = 0; k < 2; k++) {
        double density[30], aside = 0.0;
        world w;
        set_densities(density, of_last[k]);
        init_default(&w);
        add_column(&w, 30, density, 1e-3);
        let_stand(&w, 5.0);
        for (int32_t b = 0; b < 30; b++) {
            const tal_vec3 p = tal_state_positions(w.state)[b];
            aside = fmax(aside, hypot(p.x, p.y));
        }
        const double kinetic = w.report.kinetic_translation_j + w.report.kinetic_rotation_j;
        printf("aside %.3g mm\n", 1e3 * aside);
        world_end(&w);
        assert_true(aside < 0.5e-3);
        assert_true(kinetic == 0.0);
    }
}

// Blows have a compliant branch and a rigid one; the finisher takes them too. With three sweeps only, nothing
// that is struck would be solved without it.
static void a_blow_on_a_stack_is_solved(void **unused) {
    (void)unused;
    int64_t impacts = 0;
    world w;
    init_default(&w);
    w.scene.settings.tolerance = 1e-6;
    w.scene.settings.iteration_max = 3;
    w.scene.law = law_mixed(0.55, 0.5, 0.0);
    add_column(&w, 5, (const double[]){1.0, 10.0, 1.0, 1e3, 1.0}, 0.0);
    w.scene.position[4].z += 0.3;
    w.scene.velocity[4] = tal_vec3_make(0.5, 0.0, -5.0);
    w.scene.spin[4] = tal_vec3_make(1.0, 2.0, 0.0);
    world_start(&w);
    for (int n = 0; n < 50; n++) {
        check_ok(tal_step(w.model, w.state, &w.report, &check_error));
        impacts += w.report.impact_count;
        assert_int_equal(w.report.unconverged_count, 0);
    }
    assert_true(impacts > 0);
    world_end(&w);
}

static tal_quat turned_about_y(double angle) {
    return (tal_quat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
}

// Half a ring of 11 voussoirs of mean radius 2. It stands from a thickness of 0.107 radii (Milankovitch
// 1907) on.
static void start_arch(world *w, double thickness) {
    const double pi = acos(-1.0), half = pi / 22.0;
    const double inner = 2.0 - 0.5 * thickness, outer = 2.0 + 0.5 * thickness;
    init_default(w);
    for (int n = 0; n < 11; n++) {
        const double angle = (2 * n + 1) * half, middle = 0.5 * (inner + outer) * cos(half);
        test_scene_add_wedge(&w->scene, 2.0 * inner * sin(half), 2.0 * outer * sin(half), 1.0,
                             (outer - inner) * cos(half),
                             tal_vec3_make(middle * cos(angle), 0.0, middle * sin(angle)),
                             turned_about_y(0.5 * pi - angle), 2500.0);
    }
}

static void arch_of_eleven_stones_stands(void **unused) {
    (void)unused;
    world w;
    start_arch(&w, 0.4);
    check_stands(&w);
}

static void arch_that_is_too_thin_falls(void **unused) {
    (void)unused;
    world w;
    start_arch(&w, 0.16);
    const stand s = let_stand(&w, 5.0);
    world_end(&w);
    assert_true(s.moved > 1.0);
}

static const double CARD = 1.0, THICK = 0.02, LEAN = 0.35; // tan 0.35 = 0.37: friction allows it

// Two cards that lean against each other; their inner edges meet above x.
static void add_tent(world *w, double x, double floor) {
    const double out = 0.5 * (THICK * cos(LEAN) + CARD * sin(LEAN));
    const double up = floor + 0.5 * (THICK * sin(LEAN) + CARD * cos(LEAN));
    test_scene_add_box(&w->scene, THICK, 0.6, CARD, tal_vec3_make(x - out, 0.0, up),
                       turned_about_y(LEAN), 700.0);
    test_scene_add_box(&w->scene, THICK, 0.6, CARD, tal_vec3_make(x + out, 0.0, up),
                       turned_about_y(-LEAN), 700.0);
}

static void house_of_cards_of_six_levels_stands(void **unused) {
    (void)unused;
    const double rise = THICK * sin(LEAN) + CARD * cos(LEAN);
    const double apart = 2.0 * (CARD * sin(LEAN) + THICK * cos(LEAN)) + 0.01;
    world w;
    init_default(&w);
    for (int level = 0; level < 6; level++) {
        const double floor = level * (rise + THICK);
        for (int n = 0; n < 6 - level; n++) {
            const double x = (n + 0.5 * level) * apart;
            add_tent(&w, x, floor);
            if (n + 1 < 6 - level) {
                test_scene_add_box(&w.scene, apart - 0.004, 0.6, THICK,
                                   tal_vec3_make(x + 0.5 * apart, 0.0, floor + rise + 0.5 * THICK),
                                   (tal_quat){1, 0, 0, 0}, 700.0);
            }
        }
    }
    check_stands(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_on_one_stands),
        cmocka_unit_test(a_million_on_one_stands),
        cmocka_unit_test(a_million_sweeps_are_not_made_where_they_stagnate),
        cmocka_unit_test(column_of_thirty_stands_whatever_lies_on_it),
        cmocka_unit_test(column_with_gaps_settles_upright),
        cmocka_unit_test(a_blow_on_a_stack_is_solved),
        cmocka_unit_test(arch_of_eleven_stones_stands),
        cmocka_unit_test(arch_that_is_too_thin_falls),
        cmocka_unit_test(house_of_cards_of_six_levels_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
