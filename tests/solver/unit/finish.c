// SPDX-License-Identifier: GPL-3.0-or-later
// The finisher on problems whose answers are known, and the sparse factors under it.
#include "solver/finish/finish.h"
#include "solver/finish/block_factor.h"
#include "solver/finish/cone.h"
#include "solver/finish/contact_system.h"
#include "solver/finish/interior_point.h"
#include "solver/finish/newton.h"
#include "solver/finish/ordering.h"
#include "tests/solver/scenes/friction_scene.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static friction_scene scene;
static tal_error err;
static double r[3 * FRICTION_CONTACTS_MAX];

static tal_finish_result solve(const tal_friction_problem *problem, tal_finish_method method,
                               double tolerance) {
    const tal_finish_settings settings = {method, tolerance, tolerance, 3000, INFINITY, false};
    tal_finish_result result;
    memset(r, 0, sizeof r);
    assert_int_equal(tal_finish_solve(problem, &settings, r, &result, &err), TAL_OK);
    return result;
}

// One kilogram that comes down with 1 m/s, sideways with `sideways`.
static tal_friction_problem one_contact(double sideways, double friction) {
    tal_friction_problem problem;
    assert_int_equal(tal_friction_problem_create(&problem, 1, 1, &err), TAL_OK);
    problem.w.start[1] = 1;
    problem.w.value[0] = problem.w.value[4] = problem.w.value[8] = 1.0;
    problem.q[0] = -1.0;
    problem.q[1] = sideways;
    problem.friction[0] = friction;
    return problem;
}

static void one_contact_sticks_slides_or_opens(void **unused) {
    (void)unused;
    for (int m = 0; m < TAL_FINISH_METHOD_COUNT; m++) {
        const double case_of[][4] = {{0.2, 0.5, 1.0, -0.2}, // friction holds it
                                     {5.0, 0.5, 1.0, -0.5}, // and does not
                                     {5.0, 0.0, 1.0, 0.0},  // there is none
                                     {1.5, 2.0, 1.0, -1.5}};
        for (size_t i = 0; i < sizeof case_of / sizeof case_of[0]; i++) {
            tal_friction_problem problem = one_contact(case_of[i][0], case_of[i][1]);
            solve(&problem, (tal_finish_method)m, 1e-9);
            check_near(r[0], case_of[i][2], 1e-6);
            check_near(r[1], case_of[i][3], 1e-6);
            check_near(r[2], 0.0, 1e-6);
            problem.q[0] = 1.0; // moves away
            assert_int_equal(solve(&problem, TAL_FINISH_AUTOMATIC, 1e-9).reason, TAL_FINISH_SOLVED);
            check_near(r[0], 0.0, 1e-12);
            tal_friction_problem_destroy(&problem);
        }
    }
}

// Whatever the four points of a face share, together they carry what stands on them.
static void stacks_carry_their_weight(const double *mass, int count) {
    tal_friction_problem problem;
    friction_scene_stack(&scene, count, mass, 0.5);
    assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
    const tal_finish_result result = solve(&problem, TAL_FINISH_AUTOMATIC, 1e-10);
    assert_int_equal(result.reason, TAL_FINISH_SOLVED);
    double above = 0.0, total = 0.0;
    for (int n = 0; n < count; n++) {
        total += mass[n] * 9.81 * 0.02;
    }
    for (int n = count - 1; n >= 0; n--) {
        double carried = 0.0;
        above += mass[n];
        for (int k = 4 * n; k < 4 * n + 4; k++) {
            carried += r[3 * k];
        }
        check_near(carried / total, above * 9.81 * 0.02 / total, 1e-6);
    }
    tal_friction_problem_destroy(&problem);
}

static void heavy_on_light_stands(void **unused) {
    (void)unused;
    stacks_carry_their_weight((const double[]){1.0, 1e4}, 2);
    stacks_carry_their_weight((const double[]){1.0, 1e6}, 2);
    stacks_carry_their_weight((const double[]){1.0, 1e6, 1.0, 1e6}, 4);
    double column[30];
    for (int n = 0; n < 30; n++) {
        column[n] = n == 29 ? 1e4 : 1.0;
    }
    stacks_carry_their_weight(column, 30);
}

// A slab on a square of `side` x `side` points, pushed sideways with half of what friction holds: six motions,
// up to 675 percussions. They carry its weight and hold it, whatever each of them does.
static void slab_rests_on_points(int side) {
    const int count = side * side;
    scene = (friction_scene){.body_count = 1, .contact_count = count};
    scene.body[0] = (friction_body){
        .mass = 3.0, .inertia = 0.7, .position = {0.1, -0.05, 0.2}, .v = {0.25, 0.0, -1.0}};
    for (int k = 0; k < count; k++) {
        const double step = 2.0 / (side - 1);
        scene.contact[k] =
            (friction_contact){.i = 0,
                               .j = -1,
                               .point = {step * (k % side) - 1.0, step * (k / side) - 1.0, 0.0},
                               .normal = {0.0, 0.0, 1.0},
                               .friction = 0.5};
    }
    tal_friction_problem problem;
    assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
    const tal_finish_result result = solve(&problem, TAL_FINISH_INTERIOR_POINT, 1e-10);
    assert_int_equal(result.reason, TAL_FINISH_SOLVED);
    double carried = 0.0, held[2] = {0.0, 0.0};
    for (int k = 0; k < count; k++) {
        carried += r[3 * k];
        held[0] += r[3 * k + 1];
        held[1] += r[3 * k + 2];
    }
    check_near(carried, 3.0, 1e-6);
    check_near(hypot(held[0], held[1]), 3.0 * 0.25,
               1e-6); // nothing slides: all of its motion is taken
    tal_friction_problem_destroy(&problem);
}

static void interior_point_alone_solves_what_many_points_carry(void **unused) {
    (void)unused;
    slab_rests_on_points(2);
    slab_rests_on_points(5);
    slab_rests_on_points(10);
    slab_rests_on_points(15);
}

// With W = 1 and q = (-1, 0, 0), tied to an anchor a along the normal by t: r + t (r - a) = 1.
static void interior_point_is_tied_to_its_anchor(void **unused) {
    (void)unused;
    const double w[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, anchor[3] = {3.0, 0.0, 0.0};
    tal_friction_problem problem;
    tal_finish_work work;
    tal_interior_point ip;
    double found[3];
    assert_int_equal(tal_friction_problem_create(&problem, 1, 1, &err), TAL_OK);
    memcpy(problem.w.value, w, sizeof w);
    problem.w.start[1] = 1;
    problem.friction[0] = 0.5;
    problem.q[0] = -1.0;
    assert_int_equal(tal_finish_work_create(&work, &problem, &err), TAL_OK);
    assert_int_equal(tal_interior_point_create(&ip, &work, &err), TAL_OK);
    const double tie[] = {0.0, 0.25, 1.0};
    for (int n = 0; n < 3; n++) {
        bool moved = true;
        tal_interior_point_begin_tied(&ip, &work, anchor, tie[n]);
        for (int s = 0; s < 40 && moved; s++) {
            assert_int_equal(tal_interior_point_advance(&ip, &work, &moved, &err), TAL_OK);
        }
        tal_interior_point_get(&ip, &work, found);
        check_near(found[0], (1.0 + tie[n] * anchor[0]) / (1.0 + tie[n]), 1e-6);
        assert_true(tal_interior_point_regularisation(&ip) > tie[n]);
    }
    tal_interior_point_destroy(&ip);
    tal_finish_work_destroy(&work);
    tal_friction_problem_destroy(&problem);
}

// What was added to W is told, whichever method found the answer.
static void regularisation_is_told(void **unused) {
    (void)unused;
    const double mass[3] = {1.0, 1.0, 1.0};
    const tal_finish_method method[] = {TAL_FINISH_AUTOMATIC, TAL_FINISH_NEWTON,
                                        TAL_FINISH_INTERIOR_POINT};
    tal_friction_problem problem;
    friction_scene_stack(&scene, 3, mass, 0.5);
    assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
    for (int m = 0; m < 3; m++) {
        const tal_finish_settings settings = {method[m], 1e-8, 1e-8, 1000, INFINITY, false};
        tal_finish_result result;
        double start[36] = {0};
        assert_int_equal(tal_finish_solve(&problem, &settings, start, &result, &err), TAL_OK);
        assert_int_equal(result.reason, TAL_FINISH_SOLVED);
        assert_true(result.regularisation > 0.0);
        // Solved already: nothing is added.
        assert_int_equal(tal_finish_solve(&problem, &settings, start, &result, &err), TAL_OK);
        assert_true(result.regularisation == 0.0);
    }
    tal_friction_problem_destroy(&problem);
}

// One problem by proximal points alone, from zero.
static double solve_by_proximal_points(const tal_friction_problem *problem) {
    const tal_newton_settings settings = {
        .regularisation = 0.1, .iteration_max = 1000, .flops_max = INFINITY, .tolerance = 1e-8};
    tal_finish_work work;
    tal_newton newton;
    assert_int_equal(tal_finish_work_create(&work, problem, &err), TAL_OK);
    assert_int_equal(tal_newton_create(&newton, &work, &err), TAL_OK);
    assert_int_equal(tal_newton_run_proximal(&newton, &work, &settings, &err), TAL_OK);
    const double residual = newton.best_residual;
    assert_true(residual == tal_finish_work_measure(&work, newton.best));
    assert_false(newton.is_anchored);
    tal_newton_destroy(&newton);
    tal_finish_work_destroy(&work);
    return residual;
}

// The tie to the last reaction vanishes: what is found solves the problem itself, hyperstatic or not.
static void proximal_points_lead_to_the_solution(void **unused) {
    (void)unused;
    int solved = 0;
    for (int n = 0; n < 20; n++) {
        tal_friction_problem problem;
        friction_scene_throw(&scene, tal_random_stream(5, (uint32_t)n, "proximal"), 60, 1.0);
        assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
        solved += solve_by_proximal_points(&problem) <= 1e-8;
        tal_friction_problem_destroy(&problem);
    }
    assert_true(solved >= 19);
    double column[30];
    tal_friction_problem problem;
    for (int n = 0; n < 30; n++) {
        column[n] = n == 29 ? 1e4 : 1.0;
    }
    friction_scene_stack(&scene, 30, column, 0.5);
    assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
    assert_true(solve_by_proximal_points(&problem) <= 1e-8);
    tal_friction_problem_destroy(&problem);
}

// Four corners can share the weight above them in many ways; the middle of these is a quarter each.
static void middle_of_a_column_is_even(void **unused) {
    (void)unused;
    enum { CUBES = 10 };
    const double mass[CUBES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    tal_friction_problem problem;
    tal_finish_work work;
    tal_interior_point ip;
    double middle[12 * CUBES];
    friction_scene_stack(&scene, CUBES, mass, 0.5);
    assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
    assert_int_equal(problem.w.count, 4 * CUBES);
    assert_int_equal(tal_finish_work_create(&work, &problem, &err), TAL_OK);
    assert_int_equal(tal_interior_point_create(&ip, &work, &err), TAL_OK);
    tal_interior_point_begin_convex(&ip, &work, NULL);
    bool moved = true;
    for (int n = 0; n < 60 && moved; n++) {
        assert_int_equal(tal_interior_point_advance(&ip, &work, &moved, &err), TAL_OK);
        if (tal_interior_point_is_centred(&ip, &work)) {
            break;
        }
    }
    assert_true(tal_interior_point_is_centred(&ip, &work));
    tal_interior_point_get(&ip, &work, middle);
    for (int32_t k = 0; k < problem.w.count;
         k++) { // cube n of the scene stands on contacts 4n .. 4n + 3
        const double quarter = 0.25 * 9.81 * 0.02 * (CUBES - k / 4);
        assert_true(fabs(work.scale[k] * middle[3 * k] - quarter) < 1e-3 * quarter);
    }
    tal_interior_point_destroy(&ip);
    tal_finish_work_destroy(&work);
    tal_friction_problem_destroy(&problem);
}

// A body squeezed between walls that close: no reaction can stop them.
static void what_has_no_solution_is_reported(void **unused) {
    (void)unused;
    tal_friction_problem problem;
    assert_int_equal(tal_friction_problem_create(&problem, 2, 4, &err), TAL_OK);
    for (int p = 0; p < 4; p++) {
        const double sign = p == 0 || p == 3 ? 1.0 : -1.0;
        problem.w.column[p] = p % 2;
        problem.w.value[9 * p] = problem.w.value[9 * p + 4] = sign;
        problem.w.value[9 * p + 8] = 1.0; // the second tangent is the same for both
    }
    problem.w.start[1] = 2;
    problem.w.start[2] = 4;
    problem.q[0] = problem.q[3] = -1.0;
    problem.friction[0] = problem.friction[1] = 0.3;
    for (int m = 0; m < TAL_FINISH_METHOD_COUNT; m++) {
        const tal_finish_result result = solve(&problem, (tal_finish_method)m, 1e-8);
        assert_int_not_equal(result.reason, TAL_FINISH_SOLVED);
        assert_true(result.residual.by_velocity > 0.1);
        for (int i = 0; i < 6; i++) {
            assert_true(isfinite(r[i]));
        }
    }
    tal_friction_problem_destroy(&problem);
}

// Grams and millimetres or tonnes and kilometres: powers of two, so that every bit is the same.
// One of the two residuals that end a run is in units of its own, so that a run may be a step longer or shorter.
static void units_do_not_matter(void **unused) {
    (void)unused;
    for (int n = 0; n < 10; n++) {
        tal_friction_problem problem;
        friction_scene_throw(&scene, tal_random_stream(3, (uint32_t)n, "units"), 60, 2.0);
        assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
        const tal_finish_result before = solve(&problem, TAL_FINISH_INTERIOR_POINT, 1e-6);
        const double load = r[0];
        const double mass = ldexp(1.0, 40), speed = ldexp(1.0, -30);
        for (int64_t p = 0; p < 9 * problem.w.start[problem.w.count]; p++) {
            problem.w.value[p] /= mass;
        }
        for (int32_t i = 0; i < 3 * problem.w.count; i++) {
            problem.q[i] *= speed;
        }
        const tal_finish_result after = solve(&problem, TAL_FINISH_INTERIOR_POINT, 1e-6);
        assert_true(before.residual.by_mass == after.residual.by_mass ||
                    after.residual.by_unit > 0);
        assert_true(r[0] / (mass * speed) == load);
        tal_friction_problem_destroy(&problem);
    }
}

static void bad_problems_are_refused_with_all_their_faults(void **unused) {
    (void)unused;
    tal_friction_problem problem = one_contact(0.0, -1.0);
    problem.q[1] = NAN;
    problem.w.value[0] = 0.0;
    problem.w.value[5] = INFINITY;
    assert_int_equal(tal_friction_problem_check(&problem, &err), TAL_BAD_INPUT);
    assert_int_equal(err.message_count, 4);
    assert_non_null(strstr(err.text, "friction"));
    assert_non_null(strstr(err.text, "block 0 0"));
    tal_friction_problem_destroy(&problem);
}

// Blocks on a random symmetric pattern, unsymmetric values.
static tal_block_matrix random_matrix(int32_t count, double density, uint32_t run) {
    const tal_random dice = tal_random_stream(11, run, "factor");
    tal_block_matrix m;
    assert_int_equal(tal_block_matrix_create(&m, count, (int64_t)count * count, &err), TAL_OK);
    int64_t place = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < count; j++) {
            const int32_t low = i < j ? i : j, high = i < j ? j : i;
            if (i == j || tal_random_uniform(dice, (uint64_t)(low * count + high)) < density) {
                m.column[place] = j;
                for (int e = 0; e < 9; e++) {
                    const uint64_t draw = (uint64_t)(1000000 + 9 * place + e);
                    m.value[9 * place + e] =
                        tal_random_uniform(dice, draw) - 0.5 + (i == j && e % 4 == 0 ? 6.0 : 0.0);
                }
                place++;
            }
        }
        m.start[i + 1] = place;
    }
    return m;
}

static void factors_solve_what_they_are_given(void **unused) {
    (void)unused;
    for (uint32_t run = 0; run < 20; run++) {
        const int32_t count = 1 + (int32_t)(7 * run);
        tal_block_matrix m = random_matrix(count, run % 2 ? 0.3 : 3.0 / count, run);
        int32_t order[160];
        bool seen[160] = {false};
        tal_block_factor factor;
        double x[480], b[480], back[480];
        assert_int_equal(tal_ordering_find(&m, order, &err), TAL_OK);
        for (int32_t i = 0; i < count; i++) {
            assert_in_range(order[i], 0, count - 1);
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
        }
        for (int32_t i = 0; i < 3 * count; i++) {
            x[i] = i % 7 - 3.0;
        }
        tal_block_matrix_multiply(&m, x, b);
        assert_int_equal(tal_block_factor_create(&factor, count, &err), TAL_OK);
        assert_int_equal(tal_block_factor_analyse(&factor, &m, order, &err), TAL_OK);
        assert_true(tal_block_factor_compute(&factor, &m));
        assert_true(tal_block_factor_solve(&factor, &m, b, 0, back));
        for (int32_t i = 0; i < 3 * count; i++) {
            check_near(back[i], x[i], 1e-9);
        }
        tal_block_factor_destroy(&factor);
        tal_block_matrix_destroy(&m);
    }
}

// How far a step is from f x + g A x = b of the contacts that take part, in units of b.
static double defect_of(const tal_block_matrix *a, const double *f, const double *g,
                        const uint8_t *is_in, const double *b, const double *x) {
    double moved[3 * FRICTION_CONTACTS_MAX], taken[3 * FRICTION_CONTACTS_MAX], worst = 0.0;
    for (int32_t i = 0; i < 3 * a->count; i++) {
        taken[i] = is_in[i / 3] ? x[i] : 0.0;
    }
    tal_block_matrix_multiply(a, taken, moved);
    for (int32_t i = 0; i < 3 * a->count; i++) {
        double left = b[i];
        for (int j = 0; j < 3; j++) {
            left -= f[9 * (i / 3) + 3 * (i % 3) + j] * taken[3 * (i / 3) + j];
            left -= g[9 * (i / 3) + 3 * (i % 3) + j] * moved[3 * (i / 3) + j];
        }
        worst = is_in[i / 3] ? fmax(worst, fabs(left)) : worst;
    }
    return worst;
}

// Solves a system on the stack of `scene` with numbers by dice, and returns its rows.
static int32_t rows_of_system(const tal_friction_problem *problem, const uint8_t *is_in,
                              uint32_t run) {
    const tal_random dice = tal_random_stream(13, run, "system");
    const int32_t count = problem->w.count;
    int32_t order[FRICTION_CONTACTS_MAX];
    double f[9 * FRICTION_CONTACTS_MAX], g[9 * FRICTION_CONTACTS_MAX];
    double b[3 * FRICTION_CONTACTS_MAX], x[3 * FRICTION_CONTACTS_MAX];
    tal_contact_system system;
    for (int32_t i = 0; i < 9 * count; i++) {
        const bool is_own = i % 9 % 4 == 0;
        f[i] = 0.2 * tal_random_uniform(dice, (uint64_t)i) + (is_own ? 1.0 : 0.0);
        g[i] = 0.2 * tal_random_uniform(dice, (uint64_t)(i + 100000)) + (is_own ? 1.0 : 0.0);
    }
    for (int32_t i = 0; i < 3 * count; i++) {
        b[i] = 1.0 + i % 5;
        x[i] = -7.0;
    }
    assert_int_equal(tal_ordering_find(&problem->w, order, &err), TAL_OK);
    assert_int_equal(tal_contact_system_create(&system, &problem->w, order, &err), TAL_OK);
    assert_int_equal(tal_contact_system_prepare(&system, &problem->w, f, g, is_in, &err), TAL_OK);
    assert_true(tal_contact_system_factorise(&system));
    assert_true(tal_contact_system_solve(&system, b, x));
    assert_true(defect_of(&problem->w, f, g, is_in, b, x) < 1e-9);
    for (int32_t i = 0; i < 3 * count; i++) {
        assert_true(is_in[i / 3] || x[i] == -7.0);
    }
    const int32_t rows = system.system[system.form].count;
    tal_contact_system_destroy(&system);
    return rows;
}

// Five cubes, four points a joint: five rows of six unknowns. A joint with two points has a row as well; one of
// which a spring is on the diagonal has two, because its points do not move as one body does.
static void a_patch_is_one_row_of_the_system(void **unused) {
    (void)unused;
    static const double mass[5] = {1.0, 3.0, 1.0, 0.2, 5.0};
    uint8_t is_in[20];
    tal_friction_problem problem;
    friction_scene_stack(&scene, 5, mass, 0.5);
    assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
    memset(is_in, 1, sizeof is_in);
    assert_int_equal(rows_of_system(&problem, is_in, 0), 5);
    is_in[4] = is_in[6] = 0;
    assert_int_equal(rows_of_system(&problem, is_in, 1), 5);
    for (int32_t k = 8; k < 12; k++) {
        problem.w.value[9 * tal_block_matrix_find(&problem.w, k, k)] += 0.1;
    }
    assert_int_equal(rows_of_system(&problem, is_in, 2), 6);
    memset(is_in, 0, sizeof is_in);
    is_in[0] = is_in[9] = is_in[17] = 1; // one point each: a row of three unknowns each
    assert_int_equal(rows_of_system(&problem, is_in, 3), 3);
    tal_friction_problem_destroy(&problem);
}

// A column of thirty cubes near the walls of its cones: of four points of a joint two hold (f is 1e-8) and two
// are nearly open (1e4). What belongs to a patch alone has 12 digits between its ends, which leaves 4 per solution
// and refinement; without its inverse nothing is left of the answer.
static void small_and_large_shares_of_a_patch_are_solved_alike(void **unused) {
    (void)unused;
    enum { CUBES = 30, COUNT = 4 * CUBES };
    static double f[9 * COUNT], b[3 * COUNT], x[3 * COUNT], moved[3 * COUNT];
    double mass[CUBES];
    int32_t order[COUNT];
    tal_friction_problem problem;
    tal_contact_system system;
    for (int n = 0; n < CUBES; n++) {
        mass[n] = 1.0;
    }
    friction_scene_stack(&scene, CUBES, mass, 0.5);
    assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
    for (int32_t i = 0; i < 3 * COUNT; i++) {
        f[9 * (i / 3) + 4 * (i % 3)] = i / 3 % 4 < 2 ? 1e-8 : 1e4;
        b[i] = i % 3 == 0 ? 1.0 : 0.1;
    }
    assert_int_equal(tal_ordering_find(&problem.w, order, &err), TAL_OK);
    assert_int_equal(tal_contact_system_create(&system, &problem.w, order, &err), TAL_OK);
    assert_int_equal(tal_contact_system_prepare(&system, &problem.w, f, NULL, NULL, &err), TAL_OK);
    assert_int_equal(system.form, TAL_WIDE);
    assert_true(tal_contact_system_factorise(&system));
    assert_true(tal_contact_system_solve(&system, b, x));
    tal_block_matrix_multiply(&problem.w, x, moved);
    double worst = 0.0, largest = 0.0;
    for (int32_t i = 0; i < 3 * COUNT; i++) {
        worst = fmax(worst, fabs(b[i] - f[9 * (i / 3) + 4 * (i % 3)] * x[i] - moved[i]));
        largest = fmax(largest, fabs(x[i]));
    }
    assert_true(worst < 1e-7 * largest);
    tal_contact_system_destroy(&system);
    tal_friction_problem_destroy(&problem);
}

// A hub that touches all others: eliminated last it causes no fill, first it fills everything.
// Rows and columns in units of their own: 1e6, 1, 1e-6. The answer in these units is exact, no pivot is made larger.
static void units_make_no_pivot_singular(void **unused) {
    (void)unused;
    static const double unit[6] = {1e6, 1.0, 1e-6, 1e-6, 1e6, 1.0};
    static const double exact[6] = {1.0, -2.0, 3.0, 0.5, 4.0, -1.0};
    static const int32_t order[2] = {0, 1};
    tal_block_matrix a;
    tal_block_factor factor;
    double b[6], x[6];
    assert_int_equal(tal_block_matrix_create(&a, 2, 4, &err), TAL_OK);
    assert_int_equal(tal_block_factor_create(&factor, 2, &err), TAL_OK);
    a.start[1] = 2;
    a.start[2] = 4;
    a.column[1] = a.column[3] = 1;
    for (int i = 0; i < 6; i++) {
        b[i] = 0.0;
        for (int j = 0; j < 6; j++) { // 2 on the diagonal, 0.3 beside it
            const double value = (i == j ? 2.0 : 0.3) * unit[i] * unit[j];
            a.value[9 * (2 * (i / 3) + j / 3) + 3 * (i % 3) + j % 3] = value;
            b[i] += value * exact[j] / unit[j];
        }
    }
    assert_int_equal(tal_block_factor_analyse(&factor, &a, order, &err), TAL_OK);
    assert_true(tal_block_factor_compute(&factor, &a));
    assert_int_equal(factor.perturbed_count, 0);
    assert_true(tal_block_factor_solve(&factor, &a, b, 0, x));
    for (int i = 0; i < 6; i++) {
        check_near(x[i] * unit[i], exact[i], 1e-12);
    }
    tal_block_factor_destroy(&factor);
    tal_block_matrix_destroy(&a);
}

// Of two points inside the cone: the square of the scaling, by its definition and by its axes.
static void axes_of_a_scaling_are_its_own(void **unused) {
    (void)unused;
    static const double pair[][6] = {{1.0, 0.3, 0.2, 2.0, -1.0, 0.5},
                                     {1.0, 0.0, 0.0, 3.0, 0.0, 0.0},
                                     {1.0, 0.6, 0.7999, 1e-4, -0.6e-4, -0.79e-4}};
    for (size_t n = 0; n < sizeof pair / sizeof pair[0]; n++) {
        double s[9], inverse[9], q[9], square[3], twice[9] = {0};
        tal_cone_scale(pair[n], &pair[n][3], s, inverse);
        tal_cone_axes(pair[n], &pair[n][3], q, square);
        tal_block_add_product(s, s, twice);
        const double size = fmax(square[0], square[2]);
        for (int i = 0; i < 9; i++) {
            double sum = 0.0, unit = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += q[3 * (i / 3) + k] * square[k] * q[3 * (i % 3) + k];
                unit += q[3 * (i / 3) + k] * q[3 * (i % 3) + k];
            }
            check_near(sum / size, twice[i] / size, 1e-12);
            check_near(unit, i % 4 == 0 ? 1.0 : 0.0, 1e-15);
        }
    }
}

static void the_order_keeps_factors_sparse(void **unused) {
    (void)unused;
    enum { COUNT = 50 };
    tal_block_matrix m;
    int32_t order[COUNT], place = 0;
    assert_int_equal(tal_block_matrix_create(&m, COUNT, 3 * COUNT, &err), TAL_OK);
    for (int32_t i = 0; i < COUNT; i++) {
        for (int32_t j = 0; j < COUNT; j++) {
            if (i == j || i == 0 || j == 0) {
                m.column[place++] = j;
            }
        }
        m.start[i + 1] = place;
    }
    assert_int_equal(tal_ordering_find(&m, order, &err), TAL_OK);
    tal_block_factor factor;
    assert_int_equal(tal_block_factor_create(&factor, COUNT, &err), TAL_OK);
    assert_int_equal(tal_block_factor_analyse(&factor, &m, order, &err), TAL_OK);
    assert_int_equal(factor.start[COUNT], COUNT - 1);
    tal_block_factor_destroy(&factor);
    tal_block_matrix_destroy(&m);
}

// Of a full matrix of n blocks column j has n - j of them below: 54 l (l + 1) operations each.
static void what_takes_too_long_is_not_begun(void **unused) {
    (void)unused;
    enum { COUNT = 40 };
    tal_block_matrix m = random_matrix(COUNT, 1.0, 3);
    int32_t order[COUNT];
    double flops = 0.0;
    for (int32_t j = 0; j < COUNT; j++) {
        order[j] = j;
        flops += 54.0 * (COUNT - 1 - j) * (COUNT - j);
    }
    for (int is_enough = 0; is_enough < 2; is_enough++) {
        tal_block_factor factor;
        assert_int_equal(tal_block_factor_create(&factor, COUNT, &err), TAL_OK);
        factor.flops_max = flops - (is_enough ? 0.0 : 1.0);
        assert_int_equal(tal_block_factor_analyse(&factor, &m, order, &err), TAL_OK);
        check_near(factor.flops, flops, 0.0);
        assert_int_equal(tal_block_factor_compute(&factor, &m), is_enough);
        assert_int_equal(factor.lower != NULL, is_enough); // nor is memory taken for it
        tal_block_factor_destroy(&factor);
    }
    tal_block_matrix_destroy(&m);
}

// The answer that was there stays when the operations allowed are not even enough for some systems.
static void a_large_problem_stays_as_it_was(void **unused) {
    (void)unused;
    tal_friction_problem problem;
    tal_finish_result result;
    const tal_finish_settings settings = {TAL_FINISH_AUTOMATIC, 1e-10, 1e-10, 3000, 1e4, false};
    friction_scene_stack(&scene, 3, (const double[]){1.0, 1.0, 1.0}, 0.5);
    assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
    for (int i = 0; i < 36; i++) {
        r[i] = i % 3 == 0 ? 0.01 : 0.0;
    }
    assert_int_equal(tal_finish_solve(&problem, &settings, r, &result, &err), TAL_OK);
    assert_int_equal(result.reason, TAL_FINISH_OUT_OF_ITERATIONS);
    assert_int_equal(result.iterations, 1);
    for (int i = 0; i < 36; i++) {
        check_near(r[i], i % 3 == 0 ? 0.01 : 0.0, 1e-15);
    }
    tal_friction_problem_destroy(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_sticks_slides_or_opens),
        cmocka_unit_test(heavy_on_light_stands),
        cmocka_unit_test(interior_point_alone_solves_what_many_points_carry),
        cmocka_unit_test(interior_point_is_tied_to_its_anchor),
        cmocka_unit_test(regularisation_is_told),
        cmocka_unit_test(proximal_points_lead_to_the_solution),
        cmocka_unit_test(middle_of_a_column_is_even),
        cmocka_unit_test(what_has_no_solution_is_reported),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(bad_problems_are_refused_with_all_their_faults),
        cmocka_unit_test(factors_solve_what_they_are_given),
        cmocka_unit_test(a_patch_is_one_row_of_the_system),
        cmocka_unit_test(small_and_large_shares_of_a_patch_are_solved_alike),
        cmocka_unit_test(units_make_no_pivot_singular),
        cmocka_unit_test(axes_of_a_scaling_are_its_own),
        cmocka_unit_test(the_order_keeps_factors_sparse),
        cmocka_unit_test(what_takes_too_long_is_not_begun),
        cmocka_unit_test(a_large_problem_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
