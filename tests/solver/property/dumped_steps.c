// SPDX-License-Identifier: GPL-3.0-or-later
// The contact problem of a step in a file: read back, it has the percussions of the step as a solution, and
// what talus-contact finds moves the bodies as the step did. Single percussions of faces are not determined;
// velocities are, but where a face slides and turns: the friction of its corners has as many directions, so
// that its moment depends on how they share the weight, and each way to share it is a solution of its own.
#include "core/base/memory.h"
#include "solver/finish/island.h"
#include "solver/program/contact/problem.h"
#include "solver/program/contact/solvers.h"
#include "solver/program/dump.h"
#include "solver/step/state.h"
#include "tests/solver/scenes/scene.h"
#include "tests/support/check.h"

#include <math.h>

static const double TOLERANCE = 1e-8;
static const char *folder;

// Boxes and balls that fall on each other: blows, slides and rest at once.
static void set_scene(test_scene *s, tal_law law) {
    test_scene_init(s);
    s->settings.tolerance = TOLERANCE;
    s->settings.iteration_max = 20000;
    s->settings.rest_steps = 0;
    s->law = law;
    test_scene_set_plane(s, tal_vec3_make(0, 0, 0), tal_vec3_make(0, 0, 1), 100);
    const tal_quat tilted = {cos(0.2), sin(0.2) * 0.6, sin(0.2) * 0.8, 0.0};
    for (int k = 0; k < 8; k++) {
        const tal_vec3 at = tal_vec3_make(0.2 * (k % 2), 0.15 * (k % 3), 0.6 + 1.1 * k);
        const int32_t b = k % 3 == 2 ? test_scene_add_ball(s, 0.4, at, 2000.0)
                                     : test_scene_add_box(s, 1.0, 0.8, 0.6, at, tilted, 2500.0);
        s->velocity[b] = tal_vec3_make(1.0 - 0.3 * k, 0.2, -2.0);
    }
}

// Largest |W (a - b)| against the largest |W a + q|, q with the velocities before.
static double farthest(const tal_friction_problem *p, const double *a, const double *b) {
    const size_t size = 3 * (size_t)p->w.count;
    double *difference = calloc(size, sizeof *difference), *u = calloc(size, sizeof *u);
    double worst = 0.0, fastest = 0.0;
    assert_true(difference != NULL && u != NULL);
    for (size_t i = 0; i < size; i++) {
        difference[i] = a[i] - b[i];
    }
    tal_block_matrix_multiply(&p->w, difference, u);
    for (size_t i = 0; i < size; i++) {
        worst = fmax(worst, fabs(u[i]));
        fastest = fmax(fastest, fabs(p->q[i]));
    }
    free(difference);
    free(u);
    return worst / fastest;
}

// Carried on far beyond the accuracy of both, a solution stays where it is. (Faces that slide and turn may pass
// percussions on for ever, which leaves the last digits open.)
static bool is_solution(const tal_contact_task *task, const double *r) {
    tal_contact_task again = *task;
    tal_contact_outcome outcome;
    const tal_contact_solver *sweeps = tal_contact_solver_find("sweeps", &check_error);
    double *exact = calloc(3 * (size_t)task->friction->w.count, sizeof *exact);
    again.start = r;
    again.tolerance = 1e-13;
    assert_true(sweeps != NULL && exact != NULL);
    check_ok(tal_contact_solver_run(sweeps, &again, exact, &outcome, &check_error));
    const double way = farthest(task->friction, exact, r);
    free(exact);
    return tal_friction_residual_worst(&outcome.residual) < 1e-9 && way < 1e-6;
}

static int answers, others; // velocities of the step; those of another solution

static void check_answer(const tal_contact_task *task, const double *r, const double *percussion) {
    const double apart = farthest(task->friction, r, percussion);
    answers++;
    if (apart >= 1e-5) {
        print_message("another solution, %.2g of the velocity away\n", apart);
        assert_true(is_solution(task, r) && is_solution(task, percussion));
        others++;
    }
}

static void solve_file(const char *path, const tal_friction_problem *own, const double *percussion,
                       bool *has_laws) {
    tal_contact_problem problem;
    tal_friction_problem friction;
    tal_contact_outcome outcome;
    check_ok(tal_contact_problem_read(&problem, path, &check_error));
    check_ok(tal_friction_problem_copy(&friction, &problem.input, &check_error));
    assert_int_equal(friction.w.count, own->w.count);
    const size_t size = 3 * (size_t)own->w.count;
    double *r = calloc(size, sizeof *r), *u = calloc(size, sizeof *u);
    const tal_contact_task task = {.input = &problem.input,
                                   .friction = &friction,
                                   .tolerance = 1e-9,
                                   .sweeps_max = 20000,
                                   .systems_max = 2000,
                                   .thread_count = 1};
    const tal_friction_residual residual = tal_friction_problem_measure(&friction, percussion, u);
    // The step ends at 1e-8 of the energy of its bodies; a blow weighs less than they do.
    assert_true(tal_friction_residual_worst(&residual) < 1e-5);
    for (int s = 0; s < TAL_CONTACT_SOLVER_COUNT; s++) {
        const char *name = TAL_CONTACT_SOLVERS[s].name;
        if ((strcmp(name, "automatic") == 0 || strcmp(name, "finisher") == 0 ||
             strcmp(name, "acd2-interior-point") == 0) &&
            tal_contact_solver_fits(&TAL_CONTACT_SOLVERS[s], &task)) {
            check_ok(
                tal_contact_solver_run(&TAL_CONTACT_SOLVERS[s], &task, r, &outcome, &check_error));
            assert_true(outcome.is_solved);
            check_answer(&task, r, percussion);
        }
    }
    *has_laws = friction.law != NULL;
    free(r);
    free(u);
    tal_friction_problem_destroy(&friction);
    tal_contact_problem_destroy(&problem);
}

// Both forms of one step.
static bool check_step(const tal_state *state) {
    char path[512], plain[512];
    tal_friction_problem own;
    double *percussion;
    bool has_laws, again;
    check_ok(tal_finish_collect(&state->work.problem, &own, &percussion, &check_error));
    check_ok(tal_dump_problem(state, folder, (long long)state->step, &check_error));
    snprintf(path, sizeof path, "%s/contact-%lld.hdf5", folder, (long long)state->step);
    snprintf(plain, sizeof plain, "%s/contact.fcp", folder);
    solve_file(path, &own, percussion, &has_laws);
    tal_contact_problem problem;
    check_ok(tal_contact_problem_read(&problem, path, &check_error));
    check_ok(tal_contact_problem_write(&problem, NULL, plain, &check_error));
    tal_contact_problem_destroy(&problem);
    solve_file(plain, &own, percussion, &again);
    assert_int_equal(again, has_laws);
    tal_friction_problem_destroy(&own);
    tal_memory_destroy(percussion);
    return has_laws;
}

static void run_with(tal_law law, int steps, int least) {
    test_scene s;
    tal_model *model;
    tal_state *state;
    int checked = 0, with_laws = 0;
    answers = others = 0;
    set_scene(&s, law);
    check_ok(test_scene_create_model(&s, &model, &check_error));
    check_ok(tal_state_create(&state, model, 1, &check_error));
    for (int n = 0; n < steps; n++) {
        tal_report report;
        check_ok(tal_step(model, state, &report, &check_error));
        if (report.contact_count > 0 && report.substeps == 1 && report.islands_resolved == 0) {
            assert_int_equal(report.unconverged_count, 0);
            with_laws += check_step(state);
            checked++;
        }
    }
    print_message("%d steps in files, %d of them with blows\n", checked, with_laws);
    assert_true(with_laws >= least && checked > least);
    assert_true(100 * others <= answers); // a rare thing
    tal_state_destroy(state);
    tal_model_destroy(model);
    test_scene_destroy(&s);
}

static void default_law_in_a_file_is_that_of_the_step(void **unused) {
    (void)unused;
    run_with((tal_law){.kind = TAL_LAW_ACD2_COULOMB, .friction = 0.5, .restitution = 0.3}, 200, 20);
}

static void acd2_in_a_file_is_that_of_the_step(void **unused) {
    (void)unused;
    run_with((tal_law){.kind = TAL_LAW_ACD2, .restitution = 0.3, .tangential_restitution = 0.5},
             100, 20);
}

static void adhesion_goes_into_the_file(void **unused) {
    (void)unused;
    run_with(
        (tal_law){
            .kind = TAL_LAW_ACD2_COULOMB, .friction = 0.5, .restitution = 0.3, .cohesion_pa = 1e3},
        100, 10);
}

int main(void) {
    folder = check_scratch();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_law_in_a_file_is_that_of_the_step),
        cmocka_unit_test(acd2_in_a_file_is_that_of_the_step),
        cmocka_unit_test(adhesion_goes_into_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
