// SPDX-License-Identifier: GPL-3.0-or-later
// One time step. Numbers in brackets are the equations of docs/theory/solver.md.
#include "solver/constraint/joint.h"
#include "solver/deformable/pieces.h"
#include "solver/deformable/tension.h"
#include "solver/finish/island.h"
#include "solver/motion/hang.h"
#include "solver/motion/integrate.h"
#include "solver/motion/prescribed.h"
#include "solver/motion/rest.h"
#include "solver/motion/trail.h"
#include "solver/percussion/contact.h"
#include "solver/percussion/correction.h"
#include "solver/percussion/extend.h"
#include "solver/percussion/memory.h"
#include "solver/percussion/rigid.h"
#include "solver/percussion/sweep_set.h"
#include "solver/step/look_ahead.h"
#include "solver/step/meet.h"
#include "solver/step/observe.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// No body may move by more than its inner radius, nor turn by more than this, in one piece of a step.
static const double TURN_MAX = 0.5;

// While contacts are still being added, percussions need this many times less accuracy, and no more sweeps.
static const double LOOK_SLACK = 5.0;
enum { SETTLING_ROUNDS_MAX = 16, MEETS_MAX = 4 };
enum { LOOK_SWEEPS_MAX = 20, SWEEPS_MIN = 3 };

// Constraints are refined until the velocities that they miss are nothing beside those of their bodies, or
// no longer get smaller: each round gains about the turn within a step.
static const double REFINED = 1e-13, REFINE_GAIN = 0.5;
enum { REFINE_MAX = 8 };

// A bond, or a point that a body hangs on, holds as long as its points move by no more than errors: so many times the tolerance is what a
// single contact may have.
static const double BOND_SLACK = 30.0;

// Errors of slow bodies are measured against at most this speed.
static const double SLOW_MPS = 0.05;

// Of what sticks out of a long body that turns: blocks as they are have nothing there.
static double tip_speed(const tal_model *model, const tal_state *state, int32_t b) {
    const double inner = model->inner_radius[b];
    const double outer = model->shapes.bounding_radius[model->shape_of_body[b]];
    const double beyond = tal_is_soft(model, b) ? 0.0 : fmax(outer - 2.0 * inner, 0.0);
    return tal_vec3_length(state->spin[b]) * beyond / inner;
}

// (3)
static int count_substeps(const tal_model *model, const tal_state *state) {
    double fastest = 0.0; // in units of what is allowed per piece
    for (int32_t b = 0; b < model->body_count; b++) {
        const double speed = tal_vec3_length(state->velocity[b]) / model->inner_radius[b];
        const double spin = tal_vec3_length(state->spin[b]) / TURN_MAX;
        fastest = fmax(fastest, fmax(speed, fmax(spin, tip_speed(model, state, b))));
    }
    const double pieces = ceil(fastest * model->settings.dt_s);
    const double most = (double)model->settings.substep_max;
    return pieces <= 1.0 ? 1 : (int)fmin(pieces, most);
}

static void solve(const tal_model *model, tal_state *state, tal_solver_goal goal,
                  tal_report *report) {
    tal_solver_result result;
    tal_collider_pause(state->work.collider);
    tal_solve_percussions(&state->work.problem, &state->work.contacts.work, NULL, &goal, &result);
    tal_batches_pause(&state->work.contacts.work.batches);
    if (tal_sweeps_are_batched(&state->work.problem, goal.tolerance)) {
        state->work.contacts.work.batches.are_filled = true; // until contacts are set up again
    }
    tal_soft_share_motion(model, state);
    report->iterations += result.iterations;
    report->residual = result.residual;
    report->unconverged_count = result.unconverged_count;
}

// (60): constraints hold at the next midpoint itself, not only to first order.
static void refine(const tal_model *model, tal_state *state, double dt, tal_solver_goal goal,
                   tal_report *report) {
    double last = INFINITY;
    for (int round = 0; model->joint_count > 0 && round < REFINE_MAX; round++) {
        const double error = tal_joints_measure(model, state, dt);
        if (error <= REFINED || !(error < REFINE_GAIN * last)) {
            return;
        }
        last = error;
        tal_joints_refine(model, state, dt);
        state->work.contacts.work.batches.are_filled = false;
        tal_solver_result result;
        tal_solve_percussions(&state->work.problem, &state->work.contacts.work,
                              state->work.is_rising, &goal, &result);
        report->iterations += result.iterations;
        tal_sum_islands(&state->work.problem, &state->work.contacts.work, NULL, &result);
        report->residual = result.residual;
        report->unconverged_count = result.unconverged_count;
    }
}

// To the tolerance, and again as long as bodies that deform by much answer in another way than linearly.
static void solve_and_settle(const tal_model *model, tal_state *state, tal_solver_goal goal,
                             tal_report *report) {
    tal_solver_goal on = goal;
    on.goes_on = true;
    solve(model, state, on, report);
    for (int round = 0; round < SETTLING_ROUNDS_MAX && tal_soft_settle(model, state); round++) {
        solve(model, state, goal, report);
        report->settling_rounds++;
    }
}

// (38): what errors of slow bodies are measured against: the kick of a step by gravity (without it, by the
// strongest load), but a long step is no reason to let a pile creep.
static double slow_speed(const tal_model *model, const tal_state *state, double dt) {
    const double by_gravity = dt * tal_vec3_length(model->settings.gravity_mps2);
    double by_loads = 0.0;
    for (int32_t b = 0; by_gravity == 0.0 && b < model->body_count; b++) {
        by_loads = fmax(by_loads, tal_prescribed_speed(model, state, b));
    }
    return fmin(by_gravity > 0.0 ? by_gravity : by_loads, SLOW_MPS);
}

// What the sweeps could not solve, and what they may keep in motion.
static tal_status finish(const tal_model *model, tal_state *state, double dt, tal_solver_goal goal,
                         tal_report *report, tal_error *err) {
    tal_solver_result result = {.residual = report->residual,
                                .unconverged_count = report->unconverged_count};
    tal_finish_count count;
    TAL_TRY(tal_finish_islands(&state->work.problem, &state->work.contacts.work, &goal,
                               tal_find_lingering(model, state, slow_speed(model, state, dt)),
                               &count, &result, err));
    report->islands_finished += count.needed_count;
    report->regularisation = fmax(report->regularisation, count.regularisation);
    report->residual = result.residual;
    report->unconverged_count = result.unconverged_count;
    return TAL_OK;
}

// Contacts at the present poses. What moves wakes what it may touch.
static tal_status find_contacts(const tal_model *model, tal_state *state, double dt,
                                tal_error *err) {
    do {
        tal_load_motion(model, state);                     // (4): u-, inertias
        tal_prescribed_load(model, state);                 // (54), (55): series, point forces
        TAL_TRY(tal_find_contacts(model, state, dt, err)); // (10), (11): manifolds within reach
    } while (tal_wake_reached(state));
    TAL_TRY(tal_list_contacts(model, state, err));
    return tal_soft_list_contacts(model, state, err); // at nodes of what deforms
}

// The contact problem of the contacts listed, with the percussions of the last step or look.
static tal_status set_up(const tal_model *model, tal_state *state, double dt, tal_report *report,
                         tal_error *err) {
    TAL_TRY(tal_prepare_contacts(model, state, dt, report,
                                 err));          // (12) to (15), (18), (20) to (28), (32)
    tal_advance_free_velocity(model, state, dt); // (16): gravity, loads
    memcpy(state->work.motion_free, state->work.motion,
           (size_t)(model->body_count + 1) * sizeof *state->work.motion);
    tal_set_energy_scales(&state->work.problem, slow_speed(model, state, dt)); // (38)
    TAL_VALIDATE(tal_problem_is_valid(&state->work.problem, state->work.island_parent));
    tal_warm_start(&state->work.problem); // (17), (32): last percussions
    for (int32_t n = 0; n < state->work.problem.island_count; n++) {
        tal_forget_result(&state->work.contacts.work, n);
    }
    return TAL_OK;
}

// Solves roughly and looks ahead for contacts to add. True in `woke` if the look woke bodies at rest: their
// contacts have to be found before the next. Further looks would add more, but cost as much and leave the
// overlaps as they are (docs/benchmarks.md).
static tal_status complete_contacts(const tal_model *model, tal_state *state, double dt,
                                    tal_report *report, bool *woke, tal_error *err) {
    const int most = model->settings.iteration_max;
    const tal_solver_goal rough = {.tolerance = LOOK_SLACK * model->settings.tolerance,
                                   .sweeps_min = SWEEPS_MIN,
                                   .sweeps_max = most < LOOK_SWEEPS_MAX ? most : LOOK_SWEEPS_MAX};
    tal_look_result result;
    solve(model, state, rough, report);
    TAL_TRY(tal_look_ahead(model, state, dt, &result, err)); // (40) to (42)
    *woke = result == TAL_LOOK_WOKE;
    if (result != TAL_LOOK_ADDED) {
        return TAL_OK;
    }
    if (tal_can_extend_contacts(model, state)) {
        return tal_extend_contacts(model, state, dt, slow_speed(model, state, dt), report, err);
    }
    TAL_TRY(tal_remember_percussions(state, dt, err)); // as listed, before that changes
    TAL_TRY(tal_take_added(state, err));
    return set_up(model, state, dt, report, err);
}

// Bodies go on to where they strike, and contacts are found there. True in `met` if any did.
static tal_status meet(const tal_model *model, tal_state *state, double dt, tal_report *report,
                       bool *met, tal_error *err) {
    *met = tal_meet(model, state, dt, report); // (57)
    if (*met) {
        TAL_TRY(find_contacts(model, state, dt, err));
    }
    for (int n = 1;
         *met && n <= MEETS_MAX && tal_meet_earlier(model, state, dt, n == MEETS_MAX, report);
         n++) {
        TAL_TRY(find_contacts(model, state, dt, err));
    }
    return TAL_OK;
}

// The contacts of the step and their problem, complete: from the beginning again as long as something
// wakes, and less is at rest each time; once more for blows that only a look has seen.
static tal_status find_all_contacts(const tal_model *model, tal_state *state, double dt,
                                    tal_report *report, tal_error *err) {
    bool met, woke;
    TAL_TRY(find_contacts(model, state, dt, err)); // gaps at the mid-step position
    TAL_TRY(meet(model, state, dt, report, &met, err));
    TAL_TRY(set_up(model, state, dt, report, err)); // the contact problem
    for (bool again = true;;) {
        TAL_TRY(complete_contacts(model, state, dt, report, &woke, err)); // what appears within dt
        met = false;
        if (woke) {
            TAL_TRY(find_contacts(model, state, dt, err));
        } else if (again) {
            TAL_TRY(meet(model, state, dt, report, &met, err));
            again = false;
        }
        if (!woke && !met) {
            return TAL_OK;
        }
        TAL_TRY(set_up(model, state, dt, report, err));
    }
}

// Percussions at the present poses, and what follows from them.
static tal_status strike(const tal_model *model, tal_state *state, double dt, tal_report *report,
                         tal_error *err) {
    const tal_solver_goal goal = {.tolerance = model->settings.tolerance,
                                  .sweeps_min = SWEEPS_MIN,
                                  .sweeps_max = model->settings.iteration_max};
    TAL_TRY(find_all_contacts(model, state, dt, report, err));
    tal_forget_percussions(state);
    state->work.problem.is_finishable = tal_finish_is_cheap;
    solve_and_settle(model, state, goal, report);         // (19), (29) to (39), to the tolerance
    state->work.problem.is_finishable = NULL;             // what follows has no finisher behind it
    refine(model, state, dt, goal, report);               // (60)
    TAL_TRY(finish(model, state, dt, goal, report, err)); // islands that the sweeps leave above it
    tal_observe_contacts(model, state, dt, report);       // (44), (47), (56): their work
    report->energy_rise_bound_j = tal_observe_rise_bound(model, state, dt); // (48)
    report->islands_resolved = tal_guard_energy(model, state, dt, report);  // (49): no island gains
    tal_joints_observe(model, state);
    const double still = BOND_SLACK * model->settings.tolerance * slow_speed(model, state, dt);
    tal_break_bonds(model, state, still);                        // (27)
    tal_slow_hanging(model, state, dt, still, report);           // (58)
    tal_store_motion(model, state);                              // u+
    tal_advance_trails(model, state, dt, report);                // grounds.md (5), (7): drag, scars
    report->correction_j += tal_correct_positions(model, state); // (50) to (52): penetration
    report->correction_j += tal_rigid_potential_not_gone(model, state, 0.5 * dt);
    tal_contacts_forget_sweeps(&state->work.contacts);
    TAL_TRY(tal_remember_percussions(state, dt, err)); // (27), (32): for the next step
    tal_count_remembered(state, report);
    tal_observe_rest(state, report);
    tal_lay_to_rest(model, state, dt, slow_speed(model, state, dt), report); // (53)
    return TAL_OK;
}

// (2)
static tal_status advance(const tal_model *model, tal_state *state, double dt, tal_report *report,
                          tal_error *err) {
    const bool is_moreau = model->settings.scheme == TAL_SCHEME_MOREAU;
    report->correction_j += tal_rigid_potential_not_gone(model, state, 0.5 * dt);
    tal_forget_reaches(model, state);
    tal_advance_positions(model, state, is_moreau ? 0.5 * dt : dt); // (1), (5) to (9)
    TAL_TRY(strike(model, state, dt, report, err));                 // percussions
    if (is_moreau) {
        tal_advance_positions(model, state, 0.5 * dt); // (1)
    }
    return TAL_OK;
}

// The report of a step cut into pieces: sums of what adds up, extremes of what does not.
static void add_report(tal_report *sum, const tal_report *piece) {
    sum->dissipated_normal_j += piece->dissipated_normal_j;
    sum->dissipated_tangential_j += piece->dissipated_tangential_j;
    sum->correction_j += piece->correction_j;
    sum->applied_j += piece->applied_j;
    sum->constraint_j += piece->constraint_j;
    sum->settling_rounds += piece->settling_rounds;
    sum->energy_rise_bound_j += piece->energy_rise_bound_j;
    sum->clausius_duhem_worst_j = fmax(sum->clausius_duhem_worst_j, piece->clausius_duhem_worst_j);
    sum->opposed_worst_j = fmax(sum->opposed_worst_j, piece->opposed_worst_j);
    sum->iterations += piece->iterations;
    sum->residual = fmax(sum->residual, piece->residual);
    sum->unconverged_count += piece->unconverged_count;
    sum->islands_resolved += piece->islands_resolved;
    sum->islands_finished += piece->islands_finished;
    sum->regularisation = fmax(sum->regularisation, piece->regularisation);
    sum->impact_count += piece->impact_count;
    sum->manifold_count = piece->manifold_count;
    sum->contact_count = piece->contact_count;
    sum->active_count = piece->active_count;
    sum->color_count = piece->color_count;
    sum->island_count = piece->island_count;
    if (piece->penetration_m >= sum->penetration_m) {
        sum->penetration_m = piece->penetration_m;
        sum->penetration_body_i = piece->penetration_body_i;
        sum->penetration_body_j = piece->penetration_body_j;
    }
}

static double total(tal_energy energy) {
    return energy.translation + energy.rotation + energy.potential + energy.deformation +
           energy.strain;
}

// (45), from the energies (43)
static void close_book(tal_energy before, tal_energy energy, double elastic_work,
                       tal_report *report) {
    report->kinetic_translation_j = energy.translation;
    report->kinetic_rotation_j = energy.rotation;
    report->potential_j = energy.potential;
    report->kinetic_deformation_j = energy.deformation;
    report->strain_j = energy.strain;
    report->dissipated_material_j = elastic_work - (energy.strain - before.strain);
    report->energy_defect_j = total(energy) - total(before) + report->dissipated_normal_j +
                              report->dissipated_tangential_j + report->dissipated_material_j -
                              report->correction_j - report->applied_j - report->constraint_j;
}

tal_status tal_step(const tal_model *model, tal_state *state, tal_report *report, tal_error *err) {
    TAL_ASSERT(state->body_count == model->body_count);
    TAL_VALIDATE(tal_state_is_valid(model, state));
    int substeps = count_substeps(model, state);
    TAL_TRY(tal_soft_choose_pieces(model, state, &substeps, err)); // those there are factors for
    const double dt = model->settings.dt_s / substeps;
    const double end = (double)(state->step + 1) * model->settings.dt_s;
    const double ahead = model->settings.scheme == TAL_SCHEME_MOREAU ? 0.0 : 0.5 * dt;
    const tal_energy energy_before = tal_observe_energy(model, state, ahead);
    *report = (tal_report){.substeps = substeps,
                           .clausius_duhem_worst_j = -INFINITY,
                           .opposed_worst_j = -INFINITY,
                           .penetration_body_i = -1,
                           .penetration_body_j = -1};
    if (model->constraint_count > 0) {
        memset(state->work.reaction, 0,
               (size_t)model->constraint_count * sizeof *state->work.reaction);
    }
    double elastic_work = 0.0;
    for (int piece = 0; piece < substeps; piece++) {
        tal_report of_piece = {.penetration_body_i = -1, .penetration_body_j = -1};
        state->work.piece_dt = dt;
        state->work.piece_start = state->time + piece * dt;
        state->work.piece_end = piece + 1 < substeps ? state->time + (piece + 1) * dt : end;
        TAL_TRY(advance(model, state, dt, &of_piece, err));
        elastic_work += tal_soft_elastic_work(model, state);
        tal_watch_tension(model, state, dt);
        add_report(report, &of_piece);
    }
    state->step++;
    state->time = end;
    report->time_s = state->time;
    tal_prescribed_follow(model, state); // to the last bit what a resumed run starts from
    close_book(energy_before, tal_observe_energy(model, state, ahead), elastic_work, report);
    TAL_VALIDATE(tal_state_is_valid(model, state));
    return TAL_OK;
}
