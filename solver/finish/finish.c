// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/finish/finish.h"

#include "core/base/memory.h"
#include "solver/finish/interior_point.h"
#include "solver/finish/newton.h"

#include <math.h>
#include <string.h>

// Where the interior point hands over to Newton: an early start, a usual one and a late one. The first
// places are kept for the last resort.
static const double HAND_OVER[] = {1e-2, 1e-3, 1e-4, 1e-6, 1e-8};
enum { HAND_OVER_COUNT = 5, FIRST_TRY = 2 };
// Steps of the interior point without a gain of a tenth: before the proximal points, and after them.
enum { IMPATIENT = 15, PATIENT = 60 };
// Contacts from which on the interior point comes before the proximal points, too: there a system costs so much
// that few of them count. Below, proximal points from where it ends get stuck more often than those from where
// Newton ends (5 of 1300 random problems, and 2).
enum { LARGE = 500 };
enum { CENTRE_STEPS_MAX = 50, IDLE_ROUNDS_MAX = 8 };
// Problems tied to an anchor that the interior point solves: how many before Newton has its turn, in how many
// steps, how far the anchor goes beyond their answers, and how they are tied, round by round. Walls of rock
// that fall are solved with 3e-4 (with 1e-2 the anchor creeps, at 1e-5 the interior point stands still).
enum { TIED_A_ROUND = 4, TIED_STEPS_MAX = 40, TIE_COUNT = 3 };
// Rounds without a gain. Below LARGE they come after the other methods: before them they used up the systems allowed
// on 11 of 18 random problems that are solved this way.
enum { IDLE_TIED_LARGE = 6, IDLE_TIED_SMALL = 1 };
static const double BEYOND = 1.8, TIES[TIE_COUNT] = {3e-4, 1e-3, 1e-4};
// An island of which not even this many systems can be solved with the operations allowed is not begun.
enum { SYSTEMS_MIN = 10 };

// How Newton is run. Patient: on rock piles with much friction a slow decrease of the regularisation
// gets there where a fast one wanders.
typedef struct {
    double regularisation, less, more;
    int lost_max, iteration_max;
} newton_way;
static const newton_way FROM_START = {1e-1, 1.0 / 3.0, 10.0, 8, 30};
// From where the sweeps have led within the tolerance. Of the islands of S1_fall_3000 that linger 3087 are solved instead
// of 3040, with four fifths of the work: little has to be regularised there.
static const newton_way FROM_NEAR = {1e-3, 1.0 / 3.0, 10.0, 12, 30};
static const newton_way FROM_INTERIOR = {1e-3, 1.0 / 3.0, 10.0, 8, 40};
static const newton_way LAST_RESORT[] = {{1e-2, 0.7, 3.0, 10, 500},
                                         {1e-1, 1.0 / 3.0, 10.0, 10, 300},
                                         {1e-3, 0.5, 5.0, 5, 300},
                                         {1e-2, 0.5, 3.0, 20, 500},
                                         {1e-3, 0.7, 2.0, 20, 2000}};

typedef struct {
    const tal_finish_settings *settings;
    tal_finish_work work;
    tal_interior_point interior;
    tal_newton newton;
    double *anchor;                  // what the interior point is tied to
    double *at_hand;                 // the reaction of the interior point
    double *stored[HAND_OVER_COUNT]; // its reactions where it crossed HAND_OVER
    bool is_stored[HAND_OVER_COUNT];
    double *best; // scaled, of everything
    double best_residual;
    double regularisation; // of the steps that led to the best
} finisher;

const char *tal_finish_method_name(tal_finish_method method) {
    static const char *const name[] = {
#define X(value, text) text,
        TAL_FINISH_METHOD_LIST(X)
#undef X
    };
    return name[method];
}

const char *tal_finish_reason_text(tal_finish_reason reason) {
    static const char *const text_of[] = {
#define X(value, text) text,
        TAL_FINISH_REASON_LIST(X)
#undef X
    };
    return text_of[reason];
}

static size_t bytes_of(const finisher *f) {
    return 3 * (size_t)f->work.scaled.w.count * sizeof(double);
}

static bool is_solved(const finisher *f) {
    return f->best_residual <= f->settings->tolerance;
}

static bool is_enough(const finisher *f) {
    return f->best_residual <= f->settings->enough;
}

static int iterations_left(const finisher *f) {
    const bool has_worked_enough = f->work.flops >= f->settings->flops_max;
    return has_worked_enough ? 0 : f->settings->iteration_max - f->work.factorisation_count;
}

static void consider(finisher *f, const double *scaled_r, double residual, double regularisation) {
    if (residual < f->best_residual) {
        f->best_residual = residual;
        f->regularisation = regularisation;
        memcpy(f->best, scaled_r, bytes_of(f));
    }
}

typedef tal_status (*newton_run)(tal_newton *, tal_finish_work *, const tal_newton_settings *,
                                 tal_error *);

static void consider_interior(finisher *f, double residual) {
    consider(f, f->at_hand, residual, tal_interior_point_regularisation(&f->interior));
}

static tal_status try_run(finisher *f, newton_run run, const double *start, const newton_way *way,
                          tal_error *err) {
    const int left = iterations_left(f);
    const tal_newton_settings settings = {.regularisation = way->regularisation,
                                          .less = way->less,
                                          .more = way->more,
                                          .lost_max = way->lost_max,
                                          .iteration_max =
                                              left < way->iteration_max ? left : way->iteration_max,
                                          .flops_max = f->settings->flops_max,
                                          .tolerance = f->settings->tolerance};
    memmove(f->newton.best, start, bytes_of(f));
    f->newton.best_residual = INFINITY;
    TAL_TRY(run(&f->newton, &f->work, &settings, err));
    consider(f, f->newton.best, f->newton.best_residual, f->newton.best_regularisation);
    return TAL_OK;
}

static tal_status try_newton(finisher *f, const double *start, const newton_way *way,
                             tal_error *err) {
    return try_run(f, tal_newton_run, start, way, err);
}

// From the best reaction so far. 800: the piles, walls and towers that get there at all do so earlier.
static tal_status try_proximal(finisher *f, tal_error *err) {
    static const newton_way way = {.regularisation = 1e-1, .iteration_max = 800};
    memcpy(f->at_hand, f->best, bytes_of(f));
    return try_run(f, tal_newton_run_proximal, f->at_hand, &way, err);
}

// The reaction in the middle of those that solve the problem with the slip of `slip_of` (NULL: none),
// at hand.
static tal_status find_centre(finisher *f, const double *slip_of, tal_error *err) {
    bool moved = true;
    tal_interior_point_begin_convex(&f->interior, &f->work, slip_of);
    for (int n = 0; n < CENTRE_STEPS_MAX && moved && iterations_left(f) > 0; n++) {
        TAL_TRY(tal_interior_point_advance(&f->interior, &f->work, &moved, err));
        if (moved && tal_interior_point_is_centred(&f->interior, &f->work)) {
            break;
        }
    }
    tal_interior_point_get(&f->interior, &f->work, f->at_hand);
    consider_interior(f, tal_finish_work_measure(&f->work, f->at_hand));
    return TAL_OK;
}

// Proximal points from the middle of a convex problem, and again with the slip that they came to.
static tal_status run_rounds(finisher *f, tal_error *err) {
    static const newton_way way = {.regularisation = 1e-3, .iteration_max = 1500};
    const double *slip_of = NULL;
    for (int idle = 0; idle < IDLE_ROUNDS_MAX && iterations_left(f) > 0; idle++) {
        const double before = f->best_residual;
        TAL_TRY(find_centre(f, slip_of, err));
        TAL_TRY(try_run(f, tal_newton_run_proximal, f->at_hand, &way, err));
        if (is_enough(f)) {
            return TAL_OK;
        }
        slip_of = f->newton.anchor;
        idle = f->best_residual < 0.9 * before ? -1 : idle;
    }
    return TAL_OK;
}

// Solves the problem tied to the anchor by the interior point, and moves the anchor.
static tal_status advance_anchor(finisher *f, double tie, tal_error *err) {
    bool moved = true;
    tal_interior_point_begin_tied(&f->interior, &f->work, f->anchor, tie);
    for (int n = 0; n < TIED_STEPS_MAX && moved && iterations_left(f) > 0; n++) {
        TAL_TRY(tal_interior_point_advance(&f->interior, &f->work, &moved, err));
    }
    tal_interior_point_get(&f->interior, &f->work, f->at_hand);
    consider_interior(f, tal_finish_work_measure(&f->work, f->at_hand));
    for (int32_t i = 0; i < 3 * f->work.scaled.w.count; i++) {
        f->anchor[i] += BEYOND * (f->at_hand[i] - f->anchor[i]);
    }
    return TAL_OK;
}

// Proximal points by the interior point, which solves tied problems that Newton does not, and by Newton from
// where they led, in turn.
static tal_status run_tied(finisher *f, int idle_max, tal_error *err) {
    static const newton_way way = {.regularisation = 1e-4, .iteration_max = 1500};
    memcpy(f->anchor, f->best, bytes_of(f));
    for (int idle = 0, round = 0; idle < idle_max && iterations_left(f) > 0; idle++, round++) {
        const double before = f->best_residual;
        for (int n = 0; n < TIED_A_ROUND; n++) {
            TAL_TRY(advance_anchor(f, TIES[round % TIE_COUNT], err));
        }
        TAL_TRY(try_run(f, tal_newton_run_proximal, f->at_hand, &way, err));
        memcpy(f->anchor, f->newton.anchor, bytes_of(f));
        if (!is_enough(f)) {
            TAL_TRY(try_newton(f, f->newton.best, &FROM_INTERIOR, err));
        }
        if (is_enough(f)) {
            return TAL_OK;
        }
        idle = f->best_residual < 0.9 * before ? -1 : idle;
    }
    return TAL_OK;
}

// Keeps the reactions where a threshold is crossed; true if Newton is to have a try from there.
static bool store_crossings(finisher *f, double residual) {
    bool is_new = false;
    for (int h = 0; h < HAND_OVER_COUNT; h++) {
        if (!f->is_stored[h] && residual <= HAND_OVER[h]) {
            f->is_stored[h] = true;
            memcpy(f->stored[h], f->at_hand, bytes_of(f));
            is_new = is_new || h >= FIRST_TRY;
        }
    }
    return is_new;
}

// The interior point until it is solved, stands still or is out of iterations. With `with_newton`
// Newton tries to finish it on the way.
static tal_status run_interior(finisher *f, int patience, bool with_newton, tal_error *err) {
    double lowest = INFINITY;
    tal_interior_point_begin(&f->interior, &f->work);
    for (int stagnation = 0; stagnation < patience && iterations_left(f) > 0; stagnation++) {
        bool moved;
        TAL_TRY(tal_interior_point_advance(&f->interior, &f->work, &moved, err));
        if (!moved) {
            return TAL_OK;
        }
        tal_interior_point_get(&f->interior, &f->work, f->at_hand);
        const double residual = tal_finish_work_measure(&f->work, f->at_hand);
        consider_interior(f, residual);
        if (is_solved(f)) {
            return TAL_OK;
        }
        if (residual < 0.9 * lowest) {
            lowest = residual;
            stagnation = 0;
        }
        if (store_crossings(f, residual) && with_newton) {
            TAL_TRY(try_newton(f, f->at_hand, &FROM_INTERIOR, err));
            if (is_enough(f)) {
                return TAL_OK;
            }
        }
    }
    return TAL_OK;
}

// Every stored point with every way to run, the latest points first.
static tal_status run_last_resort(finisher *f, tal_error *err) {
    for (size_t w = 0; w < sizeof LAST_RESORT / sizeof LAST_RESORT[0]; w++) {
        for (int h = HAND_OVER_COUNT - 1; h >= 0; h--) {
            if (is_enough(f) || iterations_left(f) <= 0) {
                return TAL_OK;
            }
            if (f->is_stored[h]) {
                TAL_TRY(try_newton(f, f->stored[h], &LAST_RESORT[w], err));
            }
        }
        memcpy(f->at_hand, f->best, bytes_of(f));
        TAL_TRY(try_newton(f, f->at_hand, &LAST_RESORT[w], err));
    }
    return TAL_OK;
}

static tal_status run(finisher *f, tal_error *err) {
    const tal_finish_method method = f->settings->method;
    const bool has_cones_only = f->work.given->law == NULL; // what the interior point knows
    if (is_solved(f)) {
        return TAL_OK;
    }
    if (method != TAL_FINISH_INTERIOR_POINT) {
        memcpy(f->at_hand, f->best, bytes_of(f));
        newton_way way = f->settings->is_near ? FROM_NEAR : FROM_START;
        way.iteration_max =
            method == TAL_FINISH_NEWTON ? f->settings->iteration_max : way.iteration_max;
        TAL_TRY(try_newton(f, f->at_hand, &way, err));
    }
    const bool is_large = f->work.scaled.w.count >= LARGE;
    if (!is_enough(f) && method == TAL_FINISH_AUTOMATIC && has_cones_only && is_large) {
        TAL_TRY(run_interior(f, IMPATIENT, true, err));
    }
    if (!is_enough(f) && method == TAL_FINISH_AUTOMATIC) {
        TAL_TRY(try_proximal(f, err));
    }
    if (!is_enough(f) && method == TAL_FINISH_AUTOMATIC && has_cones_only && is_large) {
        TAL_TRY(run_tied(f, IDLE_TIED_LARGE, err));
    }
    if (!is_enough(f) && method == TAL_FINISH_AUTOMATIC && has_cones_only) {
        TAL_TRY(run_rounds(f, err));
    }
    if (!is_enough(f) && method != TAL_FINISH_NEWTON && has_cones_only) {
        TAL_TRY(run_interior(f, PATIENT, method == TAL_FINISH_AUTOMATIC, err));
    }
    if (!is_enough(f) && method == TAL_FINISH_AUTOMATIC && has_cones_only && !is_large) {
        TAL_TRY(run_tied(f, IDLE_TIED_SMALL, err));
    }
    return is_enough(f) || method != TAL_FINISH_AUTOMATIC ? TAL_OK : run_last_resort(f, err);
}

static tal_status prepare(finisher *f, const tal_friction_problem *problem, const double *r,
                          tal_error *err) {
    const size_t size = 3 * (size_t)problem->w.count;
    TAL_TRY(tal_finish_work_create(&f->work, problem, err));
    tal_contact_system_limit(&f->work.contacts, f->settings->flops_max / SYSTEMS_MIN);
    TAL_TRY(tal_interior_point_create(&f->interior, &f->work, err));
    TAL_TRY(tal_newton_create(&f->newton, &f->work, err));
    TAL_CREATE(f->anchor, size, "reactions", err);
    TAL_CREATE(f->at_hand, size, "reactions", err);
    TAL_CREATE(f->best, size, "reactions", err);
    for (int h = 0; h < HAND_OVER_COUNT; h++) {
        TAL_CREATE(f->stored[h], size, "reactions", err);
    }
    for (size_t i = 0; i < size; i++) {
        f->best[i] = r[i] / f->work.scale[i / 3];
    }
    f->best_residual = tal_finish_work_measure(&f->work, f->best);
    return TAL_OK;
}

static void release(finisher *f) {
    tal_finish_work_destroy(&f->work);
    tal_interior_point_destroy(&f->interior);
    tal_newton_destroy(&f->newton);
    tal_memory_destroy(f->anchor);
    tal_memory_destroy(f->at_hand);
    tal_memory_destroy(f->best);
    for (int h = 0; h < HAND_OVER_COUNT; h++) {
        tal_memory_destroy(f->stored[h]);
    }
}

tal_status tal_finish_solve(const tal_friction_problem *problem,
                            const tal_finish_settings *settings, double *r,
                            tal_finish_result *result, tal_error *err) {
    finisher f = {.settings = settings};
    tal_status status;
    *result = (tal_finish_result){0};
    TAL_TRY_OR_DONE(prepare(&f, problem, r, err));
    TAL_TRY_OR_DONE(run(&f, err));
    for (int32_t i = 0; i < 3 * problem->w.count; i++) {
        r[i] = f.work.scale[i / 3] * f.best[i];
    }
    result->residual = tal_friction_problem_measure(problem, r, f.work.u);
    result->iterations = f.work.factorisation_count;
    result->regularisation = f.regularisation;
    result->perturbed_count = f.work.perturbed_max;
    result->reason = is_solved(&f)              ? TAL_FINISH_SOLVED
                     : iterations_left(&f) <= 0 ? TAL_FINISH_OUT_OF_ITERATIONS
                                                : TAL_FINISH_NO_STEP;
done:
    release(&f);
    return status;
}
