// SPDX-License-Identifier: GPL-3.0-or-later
// A ball strikes the gabion wall of the thesis (Leon 2016, section 6.1; docs/validation/gabion.md).
// Without arguments: one gabion, the slowest and the fastest ball for 55 ms. `solver_test_gabion wall`:
// all nine, the four impacts one after another, 100 ms each.
#include "tests/support/check.h"

#include "solver/percussion/contact.h"
#include "tests/solver/scenes/gabion.h"

#include <time.h>

enum { IMPACTS = 4 };

static bool is_wall;

// Kinetic energies of the ball, and the processor times of the thesis (its table 6.1).
static const double IMPACT_J[IMPACTS] = {2e3, 4e3, 8e3, 1e4};
static const double THESIS_CPU_S[IMPACTS] = {4527.525, 5718.016, 3435.088, 7768.229};

typedef struct {
    double energy_rise_j, momentum_defect;
    double depth_m, front_m, back_m, aside_m; // of rigid bodies in each other; out of the cages
    double dent_m, slowing_mps2, ball_mps, cpu_s;
    int32_t contacts_least, contacts_most, listed_most;
    int iterations;
} extremes;

typedef struct {
    gabion_wall wall;
    tal_law law;
    bool has_ball;
    tal_model *model;
    tal_state *state;
    tal_collider *judge; // measures overlaps apart from the run
    double *no_reach;
    tal_vec3 *velocity_before;
    extremes worst;
} run;

static int32_t mover_count(const run *m) {
    return m->wall.grain_count + (m->has_ball ? 1 : 0);
}

static bool is_spring(const run *m, int32_t body_i, int32_t body_j) {
    const int32_t *class_of = m->model->class_of_body;
    return m->model->law[class_of[body_i] * m->model->class_count + class_of[body_j]].kind ==
           TAL_LAW_PENALTY;
}

// Energy that the springs give off in the step just made: k/2 (g^2 - g+^2), g+ = g + dt d_N+.
static double spring_release(const run *m) {
    const tal_percussion_problem *problem = &m->state->work.problem;
    const double dt = m->model->settings.dt_s;
    double sum = 0.0;
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        const int32_t end = pair->first_contact + pair->contact_count;
        const bool counts = is_spring(m, pair->body_i, pair->body_j);
        for (int32_t k = pair->first_contact; counts && k < end; k++) {
            const double gap = tal_gap_of(m->model, m->state, pair, k);
            const double stiffness = m->model->law[pair->law].stiffness_n_m / pair->contact_count;
            double after[3];
            tal_relative_velocity(pair, &problem->contact[k], &m->state->work.motion[pair->body_i],
                                  &m->state->work.motion[pair->body_j], after);
            const double now = fmin(0.0, gap), next = fmin(0.0, gap + dt * after[0]);
            sum += 0.5 * stiffness * (now * now - next * next);
        }
    }
    return sum;
}

// Percussions that come from outside: of slabs and gravity. The ball's weight hangs on its slings.
static tal_vec3 percussion_from_outside(const run *m) {
    const tal_percussion_problem *problem = &m->state->work.problem;
    const double dt = m->model->settings.dt_s;
    tal_vec3 sum = {0};
    for (int32_t g = 0; g < m->wall.grain_count; g++) {
        sum = tal_vec3_add_scaled(sum, dt * m->wall.mass[g], m->model->settings.gravity_mps2);
    }
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        assert_true(pair->body_i < mover_count(m)); // slabs have the last numbers
        for (int32_t k = 0; pair->body_j >= mover_count(m) && k < pair->contact_count; k++) {
            const double *r = problem->contact[pair->first_contact + k].percussion;
            sum = tal_vec3_add_scaled(sum, r[0], pair->normal);
            sum = tal_vec3_add_scaled(sum, r[1], pair->tangent_1);
            sum = tal_vec3_add_scaled(sum, r[2], pair->tangent_2);
        }
    }
    return sum;
}

// Share of the momentum whose change they do not explain.
static double momentum_defect(const run *m) {
    const tal_vec3 *v = tal_state_velocities(m->state);
    tal_vec3 change = {0};
    double size = 1.0;
    for (int32_t b = 0; b < mover_count(m); b++) {
        const double mass = m->model->mass[b];
        const tal_vec3 gained = tal_vec3_subtract(v[b], m->velocity_before[b]);
        change = tal_vec3_add_scaled(change, mass, gained);
        size += mass * tal_vec3_length(v[b]);
    }
    return tal_vec3_length(tal_vec3_subtract(change, percussion_from_outside(m))) / size;
}

// Deepest overlap of grains, ball and rigid sides, found anew from the poses at the end of a step.
static double rigid_overlap(const run *m) {
    const tal_model *model = m->model;
    const tal_collide_input input = {.shapes = &model->shapes,
                                     .body_count = model->body_count,
                                     .shape_of_body = model->shape_of_body,
                                     .position = tal_state_positions(m->state),
                                     .orientation = tal_state_orientations(m->state),
                                     .reach = m->no_reach,
                                     .is_fixed = model->is_immovable,
                                     .thread_count = 1};
    tal_manifolds found;
    double depth = 0.0;
    check_ok(tal_collide(m->judge, &input, &found, &check_error));
    for (int32_t n = 0; n < found.manifold_count; n++) {
        const tal_manifold *manifold = &found.manifold[n];
        const int32_t end = manifold->first_point + manifold->point_count;
        const bool counts = !is_spring(m, manifold->body_i, manifold->body_j);
        for (int32_t k = manifold->first_point; counts && k < end; k++) {
            depth = fmax(depth, -found.point[k].gap);
        }
    }
    return depth;
}

static void observe(run *m, const tal_report *r) {
    extremes *worst = &m->worst;
    const double gain = -r->dissipated_normal_j - r->dissipated_tangential_j - spring_release(m);
    worst->energy_rise_j = fmax(worst->energy_rise_j, gain - r->energy_rise_bound_j);
    worst->momentum_defect = fmax(worst->momentum_defect, momentum_defect(m));
    worst->depth_m = fmax(worst->depth_m, rigid_overlap(m));
    for (int32_t b = 0; b < m->wall.grain_count; b++) {
        const gabion_outside out = gabion_wall_outside(&m->wall, m->state, b);
        worst->front_m = fmax(worst->front_m, out.front);
        worst->back_m = fmax(worst->back_m, out.back);
        worst->aside_m = fmax(worst->aside_m, out.aside);
    }
    const int32_t active = r->active_count, listed = r->contact_count;
    worst->contacts_least = active < worst->contacts_least ? active : worst->contacts_least;
    worst->contacts_most = active > worst->contacts_most ? active : worst->contacts_most;
    worst->listed_most = listed > worst->listed_most ? listed : worst->listed_most;
    worst->iterations += r->iterations;
}

// Every step is one piece, converges, and its book closes.
static void step(run *m) {
    const size_t bodies = (size_t)m->model->body_count;
    tal_report r;
    memcpy(m->velocity_before, tal_state_velocities(m->state), bodies * sizeof(tal_vec3));
    const clock_t start = clock();
    check_ok(tal_step(m->model, m->state, &r, &check_error));
    m->worst.cpu_s += (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(r.substeps, 1);
    assert_int_equal(r.unconverged_count, 0);
    const double exchanged = fabs(r.dissipated_normal_j) + fabs(r.dissipated_tangential_j) +
                             fabs(r.correction_j) + fabs(r.applied_j);
    const double rounding = 1e-12 * (fabs(r.potential_j) + r.kinetic_translation_j);
    if (!(fabs(r.energy_defect_j) <= 1e-6 * exchanged + rounding)) {
        fail_msg("at %g s the book misses %g J of %g J", r.time_s, r.energy_defect_j, exchanged);
    }
    observe(m, &r);
}

static void begin(run *m, double ball_speed) {
    m->has_ball = ball_speed > 0.0;
    m->worst = (extremes){.contacts_least = INT32_MAX};
    check_ok(gabion_wall_model(&m->wall, m->law, ball_speed, &m->model, &check_error));
    check_ok(tal_state_create(&m->state, m->model, 1, &check_error));
    const tal_model *model = m->model;
    check_ok(tal_collider_create(&m->judge, &model->shapes, NULL, model->shape_of_body,
                                 model->body_count, &check_error));
    tal_collider_set_passing(m->judge, model->class_of_body, model->class_count, model->passes);
    m->velocity_before = calloc((size_t)model->body_count, sizeof *m->velocity_before);
    m->no_reach = calloc((size_t)model->body_count, sizeof *m->no_reach);
    assert_true(m->velocity_before != NULL && m->no_reach != NULL);
}

static void end(run *m, bool keep_wall) {
    if (keep_wall) {
        gabion_wall_take(&m->wall, m->state);
    }
    free(m->velocity_before);
    free(m->no_reach);
    tal_collider_destroy(m->judge);
    tal_state_destroy(m->state);
    tal_model_destroy(m->model);
}

// What holds for a run as a whole. Overlaps: 5 % of the thinnest grain's width.
static void judge(const run *m) {
    const extremes *worst = &m->worst;
    assert_true(worst->energy_rise_j < 1e-9 * IMPACT_J[0]);
    assert_true(worst->momentum_defect < 1e-12);
    assert_true(worst->depth_m < 0.05 * m->model->smallest_width);
    assert_true(worst->front_m < 0.01 && worst->aside_m < 0.01); // no grain leaves its cage
    assert_true(worst->back_m < 0.5 * GABION_EDGE_M);
}

static double kinetic_of_grains(const run *m) {
    double sum = 0.0;
    for (int32_t b = 0; b < m->wall.grain_count; b++) {
        const tal_vec3 v = tal_state_velocities(m->state)[b];
        sum += 0.5 * m->wall.mass[b] * tal_vec3_dot(v, v);
    }
    return sum;
}

// The wall alone: at the end it holds less than a hundredth of the weakest impact.
static void settle(run *m, int steps) {
    begin(m, 0.0);
    for (int n = 0; n < steps; n++) {
        step(m);
    }
    const double left = kinetic_of_grains(m);
    print_message("%d ms alone: %.3g J left, sand %.1f mm, rigid overlap %.2f mm, %.0f s of "
                  "processor time\n",
                  steps, left, 1e3 * m->worst.back_m, 1e3 * m->worst.depth_m, m->worst.cpu_s);
    judge(m);
    assert_true(left < 0.01 * IMPACT_J[0]);
    end(m, true);
}

static void print_impact(const run *m, int impact, int steps) {
    const extremes *w = &m->worst;
    print_message(
        "%.0f J: dent %.1f mm, sand %.1f mm, ball %.2f m/s after %d ms, slowed by at most "
        "%.0f m/s^2\n"
        "    %d to %d contacts (%d listed), %.0f sweeps a step, %.1f s of processor time "
        "(thesis, nine gabions: %.0f s)\n"
        "    rigid overlap %.2f mm; out of the cages %.1f mm front, %.1f mm aside; energy "
        "%.0e J too high, momentum %.0e\n",
        IMPACT_J[impact], 1e3 * w->dent_m, 1e3 * w->back_m, w->ball_mps, steps, w->slowing_mps2,
        w->contacts_least, w->contacts_most, w->listed_most, (double)w->iterations / steps,
        w->cpu_s, THESIS_CPU_S[impact], 1e3 * w->depth_m, 1e3 * w->front_m, 1e3 * w->aside_m,
        w->energy_rise_j, w->momentum_defect);
}

// Grains only push: the ball never gets faster towards them. Every joule it has lost is accounted
// for step by step; here, that it lost most of them.
static extremes strike(run *m, int impact, int steps) {
    const double speed = sqrt(2.0 * IMPACT_J[impact] / GABION_BALL_KG);
    const int32_t ball = m->wall.grain_count;
    begin(m, speed);
    for (int n = 0; n < steps; n++) {
        const double before = tal_state_velocities(m->state)[ball].y;
        step(m);
        const double after = tal_state_velocities(m->state)[ball].y;
        const double front = tal_state_positions(m->state)[ball].y + GABION_BALL_RADIUS_M;
        assert_true(after <= before + 1e-9);
        m->worst.slowing_mps2 = fmax(m->worst.slowing_mps2, (before - after) / 1e-3);
        m->worst.dent_m = fmax(m->worst.dent_m, front);
        m->worst.ball_mps = after;
    }
    print_impact(m, impact, steps);
    judge(m);
    assert_true(fabs(m->worst.ball_mps) < 0.75 * speed);
    const extremes worst = m->worst;
    end(m, is_wall);
    return worst;
}

static void create_wall(run *m, int columns, int rows) {
    double mass = 0.0;
    *m = (run){0};
    check_ok(gabion_wall_create(&m->wall, columns, rows, &check_error));
    for (int32_t b = 0; b < m->wall.grain_count; b++) {
        mass += m->wall.mass[b] / m->wall.grain_count;
    }
    // The thesis: friction as a viscosity of 0.3 N s/m, i.e. kt / dt; kn is not given, and half the
    // mass of a grain is that of its granular layers.
    m->law = (tal_law){
        .kind = TAL_LAW_ACD2, .dissipation_in_kg = true, .kn_kg = 0.5 * mass, .kt_kg = 3e-4};
    print_message("%d grains of %.3f kg, %.1f %% rock, overlap when packed %.2f mm\n",
                  m->wall.grain_count, mass, 100.0 * gabion_wall_fill(&m->wall),
                  1e3 * m->wall.pack_depth_m);
    assert_true(m->wall.pack_depth_m < 5e-4);
}

static void faster_ball_dents_a_gabion_deeper(void **unused) {
    (void)unused;
    run m;
    create_wall(&m, 1, 1);
    settle(&m, 100);
    const extremes slow = strike(&m, 0, 55), fast = strike(&m, 3, 55);
    assert_true(fast.ball_mps < 0.0); // on its way back: the springs have given energy off
    assert_true(fast.dent_m > 1.25 * slow.dent_m);
    assert_true(fast.back_m > 1.25 * slow.back_m);
    assert_true(fast.slowing_mps2 > 1.5 * slow.slowing_mps2);
    gabion_wall_destroy(&m.wall);
}

static void wall_of_the_thesis_stops_four_impacts(void **unused) {
    (void)unused;
    run m;
    extremes worst[IMPACTS];
    create_wall(&m, 3, 3);
    settle(&m, 250);
    for (int k = 0; k < IMPACTS; k++) {
        worst[k] = strike(&m, k, 100);
        assert_true(worst[k].ball_mps < 0.0); // thrown back
        assert_true(worst[k].contacts_least > 6200 / 2 && worst[k].contacts_most < 8600 * 2);
        assert_true(k == 0 || worst[k].dent_m > worst[k - 1].dent_m);
        assert_true(k == 0 || worst[k].slowing_mps2 > worst[k - 1].slowing_mps2);
        if (k + 1 < IMPACTS) {
            settle(&m, 150);
        }
    }
    gabion_wall_destroy(&m.wall);
}

int main(int argc, char **argv) {
    is_wall = argc > 1 && strcmp(argv[1], "wall") == 0;
    const struct CMUnitTest one[] = {cmocka_unit_test(faster_ball_dents_a_gabion_deeper)};
    const struct CMUnitTest all[] = {cmocka_unit_test(wall_of_the_thesis_stops_four_impacts)};
    return is_wall ? cmocka_run_group_tests(all, NULL, NULL)
                   : cmocka_run_group_tests(one, NULL, NULL);
}
