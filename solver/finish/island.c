// SPDX-License-Identifier: GPL-3.0-or-later
// Islands whose laws are all dry friction on a shifted velocity or percussion are brought to that form:
// the bound and the slide go into q, adhesion into r, slack and spring into the diagonal of W. Where a
// contact has two branches (a blow), the contacts keep their laws.
#include "solver/finish/island.h"

#include "core/base/memory.h"
#include "solver/finish/finish.h"

#include <math.h>
#include <string.h>

// Tighter than the tolerance of any step: where a heavy block stands on a light one, an error in what it
// weighs must be small beside the light one. The last steps of Newton cost little.
static const double TOLERANCE = 1e-10, ENOUGH = 1e-8;
// 5e9: some two seconds, in which boxes and blocks, whose contacts are patches, have more systems solved than in
// 2e10 with three unknowns per point. Larger piles stay as the sweeps left them, and are counted.
enum { SYSTEMS_MAX = 400 };
// Times the sweeps allowed, for islands that are not finished: two steps of the demo, when 400 blocks land at
// once, need between one and three times as many.
enum { SWEEPS_AGAIN = 2 };
static const double FLOPS_MAX = 5e9;
// Less for islands that are within the tolerance, half a second at most, and only small ones; and Newton alone,
// which makes them still at once or not at all: with all that follows it S1_fall_3000 took a tenth longer. They need
// no more than STILL of the tolerance of the step: with 1e-10 a quarter of them went on to the last system for
// nothing, with 1e-3 of it columns of hard_stacks creep.
static const double FLOPS_MAX_SMALL = 1e9;
enum { SMALL_MAX = 1000 }; // contacts
enum { SYSTEMS_MAX_SMALL = 30 };
static const double STILL = 1e-5;
// Larger ones that linger are swept closer: the wall of twenty courses leant by 4.9 mm in 3 s with steps of 10 ms and
// never came to rest; with a tenth of the tolerance it rests after 0.3 mm, in a quarter of the time. 0.03 halves the
// drift for a third more time, 100 sweeps do not differ from 30.
static const double CLOSER = 0.1;
enum { SWEEPS_CLOSER = 30 };
// Blocks of W, 150 MB of them, which are copied twice. (2,100 blocks that fill a source wall to wall have
// 73,000 contacts and five times as many blocks of W; their factors took 3 GB and minutes a step.)
static const int64_t BLOCKS_MAX = 2000000;

typedef struct {
    const tal_percussion_problem *problem;
    const tal_island *island;
    int32_t first, count; // contacts
    int32_t *pair_of;     // per contact
    int32_t
        *number_of; // per body of the problem: its number among those of the island, 0 for others
    int32_t body_count;  // so numbered
    int32_t *body_start; // per number, less one: its contacts in `touching`
    int32_t *touching;   // contacts, counted from `first`, ascending
    int32_t *neighbour;  // scratch: contacts that share a body with one
    int64_t block_count; // of W
    bool is_dry;         // no contact keeps its law
    tal_friction_problem friction;
    double *r, *before;
} island_problem;

// One branch of a law that has two: rigid at the bound, compliant above it.
static bool is_dry(const tal_contact *c) {
    return isfinite(c->friction) && c->more->floor == 0.0 &&
           (isinf(c->more->softness) || isinf(c->bound));
}

// What Newton knows: all but laws that pull.
static bool is_one_sided(const tal_contact *c) {
    return c->more->floor == 0.0;
}

static bool can_finish(const tal_percussion_problem *problem, const tal_island *island,
                       bool (*fits)(const tal_contact *)) {
    for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        if (pair->is_general || pair->roll_length > 0.0) {
            return false;
        }
        for (int32_t k = 0; k < pair->contact_count; k++) {
            if (!fits(&problem->contact[pair->first_contact + k])) {
                return false;
            }
        }
    }
    return true;
}

static int32_t count_contacts(const tal_percussion_problem *problem, const tal_island *island) {
    const tal_pair *first = &problem->pair[island->first_pair];
    const tal_pair *last = first + island->pair_count - 1;
    return last->first_contact + last->contact_count - first->first_contact;
}

bool tal_finish_is_cheap(const tal_percussion_problem *problem, const tal_island *island) {
    return count_contacts(problem, island) <= SMALL_MAX &&
           can_finish(problem, island, is_one_sided);
}

static int32_t body_of(const island_problem *i, int32_t k, int side) {
    const tal_pair *pair = &i->problem->pair[i->pair_of[k]];
    const int32_t body = side == 0 ? pair->body_i : pair->body_j;
    return i->problem->inertia[body].inverse_mass > 0.0 ? body : -1;
}

// Numbers the bodies of the island that can move, from 1, in the order of its contacts.
static void number_bodies(island_problem *i) {
    for (int32_t k = 0; k < i->count; k++) {
        for (int side = 0; side < 2; side++) {
            const int32_t body = body_of(i, k, side);
            if (body >= 0 && i->number_of[body] == 0) {
                i->number_of[body] = ++i->body_count;
            }
        }
    }
}

static void list_touching(island_problem *i) {
    for (int32_t k = 0; k < i->count; k++) {
        for (int side = 0; side < 2; side++) {
            const int32_t body = body_of(i, k, side);
            if (body >= 0) {
                i->body_start[i->number_of[body]]++;
            }
        }
    }
    for (int32_t b = 0; b < i->body_count; b++) {
        i->body_start[b + 1] += i->body_start[b];
    }
    const int32_t total = i->body_start[i->body_count];
    for (int32_t k = i->count - 1; k >= 0; k--) { // the end of a body moves down to its start
        for (int side = 1; side >= 0; side--) {
            const int32_t body = body_of(i, k, side);
            if (body >= 0) {
                i->touching[--i->body_start[i->number_of[body]]] = k;
            }
        }
    }
    memmove(&i->body_start[0], &i->body_start[1], (size_t)i->body_count * sizeof *i->body_start);
    i->body_start[i->body_count] = total;
}

// The contacts that share a mobile body with k, ascending, each once.
static int32_t find_neighbours(island_problem *i, int32_t k) {
    int32_t at[2] = {0, 0}, end[2] = {0, 0}, found = 0;
    for (int side = 0; side < 2; side++) {
        const int32_t body = body_of(i, k, side);
        const int32_t *start = body >= 0 ? &i->body_start[i->number_of[body] - 1] : NULL;
        at[side] = start != NULL ? start[0] : 0;
        end[side] = start != NULL ? start[1] : 0;
    }
    while (at[0] < end[0] || at[1] < end[1]) {
        const int32_t a = at[0] < end[0] ? i->touching[at[0]] : INT32_MAX;
        const int32_t b = at[1] < end[1] ? i->touching[at[1]] : INT32_MAX;
        const int32_t next = a < b ? a : b;
        i->neighbour[found++] = next;
        at[0] += a == next;
        at[1] += b == next;
    }
    return found;
}

static void axes_of(const tal_pair *pair, tal_vec3 axis[3]) {
    axis[0] = pair->normal;
    axis[1] = pair->tangent_1;
    axis[2] = pair->tangent_2;
}

static tal_vec3 arm_of(const tal_contact *c, int side) {
    return tal_arm(side == 0 ? c->arm_i : c->arm_j);
}

// Adds what a percussion at l does to the velocity at k through one body that both touch.
static void add_through(const island_problem *i, int32_t k, int side_k, int32_t l, int side_l,
                        double block[9]) {
    const tal_percussion_problem *problem = i->problem;
    const tal_inertia *inertia = &problem->inertia[body_of(i, k, side_k)];
    const tal_vec3 arm_k = arm_of(&problem->contact[i->first + k], side_k);
    const tal_vec3 arm_l = arm_of(&problem->contact[i->first + l], side_l);
    const double sign = side_k == side_l ? 1.0 : -1.0;
    tal_vec3 axis_k[3], axis_l[3];
    axes_of(&problem->pair[i->pair_of[k]], axis_k);
    axes_of(&problem->pair[i->pair_of[l]], axis_l);
    for (int b = 0; b < 3; b++) {
        const tal_vec3 turn = tal_apply_inertia(inertia, tal_vec3_cross(arm_l, axis_l[b]));
        const tal_vec3 spin = tal_vec3_cross(turn, arm_k);
        for (int a = 0; a < 3; a++) {
            block[3 * a + b] += sign * (inertia->inverse_mass * tal_vec3_dot(axis_k[a], axis_l[b]) +
                                        tal_vec3_dot(axis_k[a], spin));
        }
    }
}

static void set_block(const island_problem *i, int32_t k, int32_t l, double block[9]) {
    memset(block, 0, 9 * sizeof *block);
    for (int side = 0; side < 4; side++) {
        const int32_t body = body_of(i, k, side / 2);
        if (body >= 0 && body == body_of(i, l, side % 2)) {
            add_through(i, k, side / 2, l, side % 2, block);
        }
    }
}

// q of the present velocities: u - W r, shifted as dry friction wants it. Before slack and spring are added
// to W: they are no part of what moves the bodies.
static void set_free_velocities(island_problem *i) {
    const tal_percussion_problem *problem = i->problem;
    tal_friction_problem *f = &i->friction;
    tal_block_matrix_multiply(&f->w, i->r, f->q);
    for (int32_t k = 0; k < i->count; k++) {
        const tal_contact *c = &problem->contact[i->first + k];
        double u[3];
        tal_contact_velocity(problem, &problem->pair[i->pair_of[k]], i->first + k, u);
        const double shift[3] = {-(isinf(c->more->softness) ? c->bound : c->more->pull),
                                 c->more->slide[0], c->more->slide[1]};
        for (int a = 0; a < 3; a++) {
            f->q[3 * k + a] = u[a] - f->q[3 * k + a] + (i->is_dry ? shift[a] : 0.0);
        }
    }
}

static void set_diagonal(island_problem *i) {
    for (int32_t k = 0; k < i->count; k++) {
        const tal_contact *c = &i->problem->contact[i->first + k];
        double *own = &i->friction.w.value[9 * tal_block_matrix_find(&i->friction.w, k, k)];
        own[0] += isinf(c->more->softness) ? 0.0 : c->more->softness;
        own[4] += isinf(c->more->slack) ? 0.0 : c->more->slack;
        own[8] += isinf(c->more->slack) ? 0.0 : c->more->slack;
        i->friction.friction[k] = isinf(c->more->slack) ? 0.0 : c->friction;
    }
}

static tal_status set_laws(island_problem *i, tal_error *err) {
    tal_local_law *law;
    TAL_CREATE(law, (size_t)i->count, "laws of contacts", err);
    for (int32_t k = 0; k < i->count; k++) {
        law[k] = tal_local_law_of(&i->problem->contact[i->first + k]);
    }
    const tal_status status = tal_friction_problem_set_laws(&i->friction, law, err);
    tal_memory_destroy(law);
    return status;
}

static tal_status assemble(island_problem *i, tal_error *err) {
    TAL_TRY(tal_friction_problem_create(&i->friction, i->count, i->block_count, err));
    tal_block_matrix *w = &i->friction.w;
    for (int32_t k = 0; k < i->count; k++) {
        const int32_t found = find_neighbours(i, k);
        for (int32_t n = 0; n < found; n++) {
            const int64_t place = w->start[k] + n;
            w->column[place] = i->neighbour[n];
            set_block(i, k, i->neighbour[n], &w->value[9 * place]);
        }
        w->start[k + 1] = w->start[k] + found;
    }
    for (int32_t k = 0; k < i->count; k++) {
        const tal_contact *c = &i->problem->contact[i->first + k];
        memcpy(&i->r[3 * k], c->percussion, sizeof c->percussion);
        i->r[3 * k] += c->more->adhesion;
    }
    set_free_velocities(i);
    if (!i->is_dry) {
        return set_laws(i, err);
    }
    set_diagonal(i);
    return TAL_OK;
}

static tal_status prepare(island_problem *i, tal_error *err) {
    const tal_island *island = i->island;
    const tal_pair *first = &i->problem->pair[island->first_pair];
    i->first = first->first_contact;
    i->count = count_contacts(i->problem, island);
    i->is_dry = can_finish(i->problem, island, is_dry);
    const size_t count = (size_t)i->count;
    TAL_CREATE(i->pair_of, count, "pairs of contacts", err);
    TAL_CREATE(i->number_of, (size_t)i->problem->body_count + 1, "numbers of bodies", err);
    TAL_CREATE(i->body_start, 2 * count + 1, "contacts of bodies", err);
    TAL_CREATE(i->touching, 2 * count, "contacts of bodies", err);
    TAL_CREATE(i->neighbour, 2 * count, "neighbours", err);
    TAL_CREATE(i->r, 3 * count, "percussions", err);
    TAL_CREATE(i->before, 3 * count, "percussions", err);
    for (int32_t p = 0; p < island->pair_count; p++) {
        for (int32_t k = 0; k < first[p].contact_count; k++) {
            i->pair_of[first[p].first_contact + k - i->first] = island->first_pair + p;
        }
    }
    number_bodies(i);
    list_touching(i);
    for (int32_t k = 0; k < i->count; k++) {
        i->block_count += find_neighbours(i, k);
    }
    return TAL_OK;
}

static void release(island_problem *i) {
    tal_memory_destroy(i->pair_of);
    tal_memory_destroy(i->number_of);
    tal_memory_destroy(i->body_start);
    tal_memory_destroy(i->touching);
    tal_memory_destroy(i->neighbour);
    tal_memory_destroy(i->r);
    tal_memory_destroy(i->before);
    tal_friction_problem_destroy(&i->friction);
}

// Changes a percussion and with it the motion of its bodies.
static void set_percussion(const island_problem *i, int32_t k, const double r[3]) {
    const tal_percussion_problem *problem = i->problem;
    const tal_pair *pair = &problem->pair[i->pair_of[k]];
    tal_contact *c = &problem->contact[i->first + k];
    tal_rigid_motion of_i = problem->motion[pair->body_i], of_j = problem->motion[pair->body_j];
    double step[3];
    for (int a = 0; a < 3; a++) {
        step[a] = r[a] - c->percussion[a];
        c->percussion[a] = r[a];
    }
    tal_apply_percussion(pair, c, step, &problem->inertia[pair->body_i],
                         &problem->inertia[pair->body_j], &of_i, &of_j);
    tal_store_body_motion(problem, pair->body_i, &of_i);
    tal_store_body_motion(problem, pair->body_j, &of_j);
}

// Percussions as the finisher found them, and back if they are no better (false).
static bool put_back(const island_problem *i, const tal_solver_work *work, int32_t number,
                     double tolerance) {
    const tal_island_result old = work->island_result[number];
    for (int32_t k = 0; k < i->count; k++) {
        const tal_contact *c = &i->problem->contact[i->first + k];
        const double r[3] = {i->r[3 * k] - c->more->adhesion, i->r[3 * k + 1], i->r[3 * k + 2]};
        memcpy(&i->before[3 * k], c->percussion, sizeof c->percussion);
        set_percussion(i, k, r);
    }
    tal_measure_island(i->problem, work, number, tolerance);
    const bool is_better = work->island_result[number].error < old.error;
    if (!is_better) {
        for (int32_t k = 0; k < i->count; k++) {
            set_percussion(i, k, &i->before[3 * k]);
        }
        tal_measure_island(i->problem, work, number, tolerance);
    }
    return is_better;
}

static double tolerance_of_lingering(double tolerance) {
    return fmax(TOLERANCE, fmin(ENOUGH, STILL * tolerance));
}

static tal_status finish(island_problem *i, const tal_solver_work *work, int32_t number,
                         double tolerance, bool is_needed, tal_finish_count *count,
                         tal_error *err) {
    const tal_finish_settings settings =
        is_needed ? (tal_finish_settings){.method = TAL_FINISH_AUTOMATIC,
                                          .tolerance = TOLERANCE,
                                          .enough = ENOUGH,
                                          .iteration_max = SYSTEMS_MAX,
                                          .flops_max = FLOPS_MAX}
                  : (tal_finish_settings){.method = TAL_FINISH_NEWTON,
                                          .tolerance = tolerance_of_lingering(tolerance),
                                          .enough = ENOUGH,
                                          .iteration_max = SYSTEMS_MAX_SMALL,
                                          .flops_max = FLOPS_MAX_SMALL,
                                          .is_near = true};
    tal_finish_result result;
    TAL_TRY(prepare(i, err));
    if (i->block_count > BLOCKS_MAX) {
        return TAL_OK;
    }
    TAL_TRY(assemble(i, err));
    TAL_TRY(tal_finish_solve(&i->friction, &settings, i->r, &result, err));
    if (put_back(i, work, number, tolerance)) {
        count->regularisation = fmax(count->regularisation, result.regularisation);
    }
    return TAL_OK;
}

// One island once more by sweeps, from where it is.
static tal_status sweep_again(const tal_percussion_problem *problem, const tal_solver_work *work,
                              int32_t number, tal_solver_goal goal, tal_error *err) {
    tal_solver_result result;
    uint8_t *is_wanted;
    TAL_CREATE(is_wanted, (size_t)problem->island_count, "marks of islands", err);
    is_wanted[number] = 1;
    tal_solve_percussions(problem, work, is_wanted, &goal, &result);
    tal_memory_destroy(is_wanted);
    return TAL_OK;
}

// A large island that is within the tolerance, and is to be measured by it.
static tal_status sweep_closer(const tal_percussion_problem *problem, const tal_solver_work *work,
                               int32_t number, const tal_solver_goal *goal, tal_error *err) {
    const tal_solver_goal closer = {.tolerance = CLOSER * goal->tolerance,
                                    .sweeps_min = goal->sweeps_min,
                                    .sweeps_max = SWEEPS_CLOSER};
    TAL_TRY(sweep_again(problem, work, number, closer, err));
    tal_measure_island(problem, work, number, goal->tolerance);
    return TAL_OK;
}

tal_status tal_finish_islands(const tal_percussion_problem *problem, const tal_solver_work *work,
                              const tal_solver_goal *goal, const uint8_t *lingers,
                              tal_finish_count *count, tal_solver_result *result, tal_error *err) {
    *count = (tal_finish_count){0};
    for (int32_t n = 0; n < problem->island_count; n++) {
        const tal_island *island = &problem->island[n];
        const bool is_needed = work->island_result[n].unconverged_count > 0;
        const bool is_small = count_contacts(problem, island) <= SMALL_MAX;
        if (lingers[n] && !is_needed && !is_small) {
            TAL_TRY(sweep_closer(problem, work, n, goal, err));
            count->tried_count++;
            continue;
        }
        if (!(is_needed || lingers[n]) || !can_finish(problem, island, is_one_sided)) {
            continue;
        }
        count->needed_count += is_needed;
        count->tried_count++;
        island_problem i = {.problem = problem, .island = island};
        const tal_status status = finish(&i, work, n, goal->tolerance, is_needed, count, err);
        release(&i);
        TAL_TRY(status);
        if (is_needed && work->island_result[n].unconverged_count > 0) {
            const tal_solver_goal longer = {.tolerance = goal->tolerance,
                                            .sweeps_min = goal->sweeps_min,
                                            .sweeps_max = SWEEPS_AGAIN * goal->sweeps_max};
            TAL_TRY(sweep_again(problem, work, n, longer, err));
        }
    }
    if (count->tried_count > 0) {
        tal_sum_islands(problem, work, NULL, result);
    }
    return TAL_OK;
}

tal_status tal_finish_collect(const tal_percussion_problem *problem, tal_friction_problem *friction,
                              double **percussion, tal_error *err) {
    const tal_island all = {.pair_count = problem->pair_count};
    *friction = (tal_friction_problem){0};
    *percussion = NULL;
    if (problem->pair_count == 0 || !can_finish(problem, &all, is_one_sided)) {
        return TAL_FAIL(err, TAL_UNAVAILABLE,
                        problem->pair_count == 0
                            ? "there are no contacts in this step"
                            : "contacts of bodies that deform, rolling friction, constraints and "
                              "the law acd2-published have no form as a contact problem");
    }
    island_problem i = {.problem = problem, .island = &all};
    tal_status status = prepare(&i, err);
    status = status == TAL_OK ? assemble(&i, err) : status;
    if (status == TAL_OK) {
        *friction = i.friction;
        *percussion = i.r;
        i.friction = (tal_friction_problem){0};
        i.r = NULL;
    }
    release(&i);
    return status;
}
