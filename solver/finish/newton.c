// SPDX-License-Identifier: GPL-3.0-or-later
// With tau = r - u (scaled contacts, so that the step is 1) and dry friction:
//   F_N = r_N - max(0, tau_N),  F_T = r_T - P(tau_T),  P the projection on |.| <= mu max(0, tau_N).
// Other laws have what their contact answers in place of max(0, tau_N) and tau_T.
#include "solver/finish/newton.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

static const double LOST = 30.0; // times the best residual
static const double SLOW = 0.3, FAST = 0.1, LEVEL = 1.01;
static const double REGULARISATION_MIN = 1e-10, REGULARISATION_MAX = 1.0;

// Of the proximal point method, chosen on seven of the hardest problems at hand (a rock pile, vaults, walls,
// balls and boxes in bins): a problem is solved to a tenth, in 20 steps at most, of which none may raise its
// values tenfold; the tie is loosened after problems of up to 6 steps.
static const double TIED_GOAL = 0.1, TIED_RISE = 10.0, LOOSER = 0.3, TIGHTER = 3.0, TIE_MAX = 10.0;
enum { TIED_STEPS = 20, TIED_EASY = 6, HALVINGS = 4 };
// A run that gains less than a tenth in so many steps is over.
static const double GAIN = 0.9;
enum { PATIENCE = 150 };

static tal_status allocate(tal_newton *newton, size_t count, tal_error *err) {
    TAL_CREATE(newton->r, 3 * count, "reactions", err);
    TAL_CREATE(newton->step, 3 * count, "a step", err);
    TAL_CREATE(newton->value, 3 * count, "values", err);
    TAL_CREATE(newton->by_r, 9 * count, "derivatives", err);
    TAL_CREATE(newton->by_u, 9 * count, "derivatives", err);
    TAL_CREATE(newton->right, 3 * count, "a right-hand side", err);
    TAL_CREATE(newton->is_active, count, "marks of contacts", err);
    TAL_CREATE(newton->best, 3 * count, "reactions", err);
    TAL_CREATE(newton->anchor, 3 * count, "reactions", err);
    newton->best_residual = INFINITY;
    return TAL_OK;
}

tal_status tal_newton_create(tal_newton *newton, const tal_finish_work *work, tal_error *err) {
    *newton = (tal_newton){0};
    const tal_status status = allocate(newton, (size_t)work->scaled.w.count, err);
    if (status != TAL_OK) {
        tal_newton_destroy(newton);
    }
    return status;
}

void tal_newton_destroy(tal_newton *newton) {
    void *all[] = {newton->r,     newton->step,      newton->value, newton->by_r,  newton->by_u,
                   newton->right, newton->is_active, newton->best,  newton->anchor};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tal_memory_destroy(all[i]);
    }
    *newton = (tal_newton){0};
}

// What a contact answers: its normal percussion, and the tangential one before it is cut at the cone. Both
// are functions of r - u; `give` and `hold` are their derivatives (F3), (F8).
typedef struct {
    double normal, give;
    double tangent[2], hold;
} answer;

static answer answer_of(const tal_local_law *law, const double r[3], const double u[3]) {
    const double hold = 1.0 / (1.0 + law->slack); // 0: no tangential percussion
    answer a = {.normal = r[0] - (u[0] - law->bound), .give = 1.0, .hold = hold};
    const double soft = (r[0] - (u[0] - law->pull)) / (1.0 + law->softness);
    if (isfinite(law->softness) && soft > a.normal) {
        a.normal = soft;
        a.give = 1.0 / (1.0 + law->softness);
    }
    if (!(a.normal > 0.0)) {
        a.normal = a.give = 0.0;
    }
    for (int t = 0; t < 2; t++) {
        a.tangent[t] = hold * (r[t + 1] - (u[t + 1] + law->slide[t]));
    }
    return a;
}

// Nothing acts at the contact, neither across nor along.
static bool is_open(const tal_local_law *law, const answer *a) {
    return a->normal == 0.0 && (isfinite(law->friction) || a->hold == 0.0);
}

static double radius_of(const tal_local_law *law, const answer *a) {
    return isinf(law->friction) ? INFINITY : law->friction * a->normal;
}

// Sliding: F_T = r_T - mu normal d, d = tangent / |tangent|.
static void set_sliding(const answer *a, double length, double radius, double mu, double f[9],
                        double g[9]) {
    const double d[2] = {a->tangent[0] / length, a->tangent[1] / length};
    const double ratio = a->hold * radius / length;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            const double t = ratio * ((i == j) - d[i] * d[j]);
            f[3 * (i + 1) + j + 1] = (i == j) - t;
            g[3 * (i + 1) + j + 1] = t;
        }
        f[3 * (i + 1)] = -mu * d[i] * a->give;
        g[3 * (i + 1)] = mu * d[i] * a->give;
    }
}

// The value of a contact that acts and its derivatives by r (f) and by u (g).
static void set_active(const tal_local_law *law, const double r[3], const answer *a,
                       double value[3], double f[9], double g[9]) {
    const double length = sqrt(a->tangent[0] * a->tangent[0] + a->tangent[1] * a->tangent[1]);
    const double radius = radius_of(law, a);
    const bool slides = length > radius;
    memset(f, 0, 9 * sizeof *f);
    memset(g, 0, 9 * sizeof *g);
    value[0] = r[0] - a->normal;
    f[0] = 1.0 - a->give;
    g[0] = a->give;
    const double cut = slides ? radius / length : 1.0;
    value[1] = r[1] - cut * a->tangent[0];
    value[2] = r[2] - cut * a->tangent[1];
    if (slides) {
        set_sliding(a, length, radius, law->friction, f, g);
    } else {
        f[4] = f[8] = 1.0 - a->hold;
        g[4] = g[8] = a->hold;
    }
}

// What contact k answers, with W r in `right`.
static answer answer_at(const tal_newton *newton, const tal_friction_problem *problem, int32_t k) {
    double u[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3; a++) {
        const int32_t i = 3 * k + a;
        const double tie =
            newton->is_anchored ? newton->regularisation * (newton->r[i] - newton->anchor[i]) : 0.0;
        u[a] = newton->right[i] + problem->q[i] + tie;
    }
    return answer_of(&problem->law[k], &newton->r[3 * k], u);
}

// Values and derivatives of all contacts; the open ones (r must vanish) leave the system.
static void linearise(tal_newton *newton, tal_finish_work *work) {
    const tal_friction_problem *problem = &work->scaled;
    tal_block_matrix_multiply(&problem->w, newton->r, newton->right);
    for (int32_t k = 0; k < problem->w.count; k++) {
        const double *r = &newton->r[3 * k];
        const answer a = answer_at(newton, problem, k);
        newton->is_active[k] = !is_open(&problem->law[k], &a);
        if (newton->is_active[k]) {
            set_active(&problem->law[k], r, &a, &newton->value[3 * k], &newton->by_r[9 * k],
                       &newton->by_u[9 * k]);
        } else {
            memset(&newton->by_r[9 * k], 0, 9 * sizeof *newton->by_r);
            memset(&newton->by_u[9 * k], 0, 9 * sizeof *newton->by_u);
            for (int i = 0; i < 3; i++) {
                newton->value[3 * k + i] = r[i];
                newton->step[3 * k + i] = -r[i];
            }
        }
    }
}

// Right side of the contacts that act: what their values miss, less what the open ones will move.
static void set_right(tal_newton *newton, const tal_finish_work *work) {
    const int32_t count = work->scaled.w.count;
    for (int32_t i = 0; i < 3 * count; i++) {
        newton->step[i] = newton->is_active[i / 3] ? 0.0 : newton->step[i];
    }
    tal_block_matrix_multiply(&work->scaled.w, newton->step, newton->right);
    for (int32_t k = 0; k < count; k++) {
        double moved[3];
        tal_block_apply(&newton->by_u[9 * k], &newton->right[3 * k], moved);
        for (int a = 0; a < 9; a++) {
            newton->by_r[9 * k + a] += newton->regularisation * newton->by_u[9 * k + a];
        }
        for (int a = 0; a < 3; a++) {
            newton->right[3 * k + a] = -newton->value[3 * k + a] - moved[a];
        }
    }
}

// False in `solved` if the system is singular.
static tal_status find_step(tal_newton *newton, tal_finish_work *work, bool *solved,
                            tal_error *err) {
    linearise(newton, work);
    set_right(newton, work);
    TAL_TRY(tal_contact_system_prepare(&work->contacts, &work->scaled.w, newton->by_r, newton->by_u,
                                       newton->is_active, err));
    *solved = tal_finish_work_factorise(work) &&
              tal_contact_system_solve(&work->contacts, newton->right, newton->step);
    return TAL_OK;
}

// What the last residuals say about the regularisation. Without a line search: the residual often has
// to rise before the right contacts slide.
typedef struct {
    double before;
    int lost;
} progress;

static void go_back(tal_newton *newton, int32_t size, const tal_newton_settings *settings,
                    progress *p) {
    memcpy(newton->r, newton->best, (size_t)size * sizeof *newton->r);
    newton->regularisation = fmin(REGULARISATION_MAX, newton->regularisation * settings->more);
    p->lost = 0;
    p->before = newton->best_residual;
}

static void judge(tal_newton *newton, int32_t size, double residual,
                  const tal_newton_settings *settings, progress *p) {
    if (!(residual <= LOST * newton->best_residual)) {
        p->lost++;
        p->before = residual;
        if (p->lost >= settings->lost_max || !isfinite(residual)) {
            go_back(newton, size, settings, p);
        }
        return;
    }
    const bool is_level = residual > SLOW * p->before && residual < LEVEL * p->before;
    if (is_level || residual < FAST * p->before) {
        newton->regularisation = fmax(REGULARISATION_MIN, newton->regularisation * settings->less);
    }
    p->lost = 0;
    p->before = residual;
}

// Measures the reaction at hand, and keeps it if it is the best; true if there is no more to do.
static bool is_over(tal_newton *newton, tal_finish_work *work, const tal_newton_settings *settings,
                    double *residual) {
    *residual = tal_finish_work_measure(work, newton->r);
    if (*residual < newton->best_residual) {
        newton->best_residual = *residual;
        newton->best_regularisation = newton->regularisation;
        memcpy(newton->best, newton->r, 3 * (size_t)work->scaled.w.count * sizeof *newton->r);
    }
    return newton->best_residual <= settings->tolerance ||
           newton->iterations >= settings->iteration_max || work->flops >= settings->flops_max;
}

tal_status tal_newton_run(tal_newton *newton, tal_finish_work *work,
                          const tal_newton_settings *settings, tal_error *err) {
    const int32_t size = 3 * work->scaled.w.count;
    progress p = {.before = INFINITY};
    memcpy(newton->r, newton->best, (size_t)size * sizeof *newton->r);
    newton->regularisation = settings->regularisation;
    for (newton->iterations = 0;; newton->iterations++) {
        double residual;
        if (is_over(newton, work, settings, &residual)) {
            return TAL_OK;
        }
        judge(newton, size, residual, settings, &p);
        bool solved;
        TAL_TRY(find_step(newton, work, &solved, err));
        if (!solved) {
            go_back(newton, size, settings, &p);
            continue;
        }
        for (int32_t i = 0; i < size; i++) {
            newton->r[i] += newton->step[i];
        }
    }
}

// The length of all values (F3) at the reaction at hand.
static double length_of_values(tal_newton *newton, const tal_finish_work *work) {
    const tal_friction_problem *problem = &work->scaled;
    double sum = 0.0;
    tal_block_matrix_multiply(&problem->w, newton->r, newton->right);
    for (int32_t k = 0; k < problem->w.count; k++) {
        const double *r = &newton->r[3 * k];
        const answer a = answer_at(newton, problem, k);
        const double radius = radius_of(&problem->law[k], &a);
        const double length = hypot(a.tangent[0], a.tangent[1]);
        const double cut = length > radius ? radius / length : 1.0;
        const double value[3] = {r[0] - a.normal, r[1] - cut * a.tangent[0],
                                 r[2] - cut * a.tangent[1]};
        sum += value[0] * value[0] + value[1] * value[1] + value[2] * value[2];
    }
    return sqrt(sum);
}

// Goes the step found, or a part of it where the values would rise too much. Returns their length.
static double go(tal_newton *newton, const tal_finish_work *work, double before) {
    double gone = 0.0, length = 1.0, values = INFINITY;
    for (int h = 0; h <= HALVINGS && !(values <= TIED_RISE * before); h++, length *= 0.5) {
        for (int32_t i = 0; i < 3 * work->scaled.w.count; i++) {
            newton->r[i] += (length - gone) * newton->step[i];
        }
        gone = length;
        values = length_of_values(newton, work);
    }
    return values;
}

// What a problem tied to the anchor came to.
typedef struct {
    int steps;
    bool is_solved;
    bool ends_run;
} tied_result;

// Solves the problem with u + regularisation (r - anchor) for u, from the anchor.
static tal_status solve_tied(tal_newton *newton, tal_finish_work *work,
                             const tal_newton_settings *settings, tied_result *result,
                             tal_error *err) {
    memcpy(newton->r, newton->anchor, 3 * (size_t)work->scaled.w.count * sizeof *newton->r);
    double values = length_of_values(newton, work);
    const double goal = TIED_GOAL * values;
    *result = (tied_result){0};
    for (; result->steps < TIED_STEPS; result->steps++) {
        double residual;
        bool is_regular;
        result->ends_run = is_over(newton, work, settings, &residual);
        result->is_solved = result->steps > 0 && values <= goal;
        if (result->ends_run || result->is_solved) {
            return TAL_OK;
        }
        TAL_TRY(find_step(newton, work, &is_regular, err));
        newton->iterations++;
        if (!is_regular) {
            return TAL_OK;
        }
        values = go(newton, work, values);
    }
    return TAL_OK;
}

static tal_status run_tied(tal_newton *newton, tal_finish_work *work,
                           const tal_newton_settings *settings, tal_error *err) {
    const size_t bytes = 3 * (size_t)work->scaled.w.count * sizeof *newton->r;
    double mark = INFINITY;
    for (int since = 0; since < PATIENCE && newton->regularisation <= TIE_MAX;) {
        tied_result tied;
        TAL_TRY(solve_tied(newton, work, settings, &tied, err));
        if (tied.ends_run) {
            return TAL_OK;
        }
        if (tied.is_solved) {
            memcpy(newton->anchor, newton->r, bytes);
        }
        newton->regularisation *= !tied.is_solved           ? TIGHTER
                                  : tied.steps <= TIED_EASY ? LOOSER
                                                            : 1.0;
        newton->regularisation = fmax(REGULARISATION_MIN, newton->regularisation);
        since += tied.steps;
        if (newton->best_residual < GAIN * mark) {
            mark = newton->best_residual;
            since = 0;
        }
    }
    return TAL_OK;
}

tal_status tal_newton_run_proximal(tal_newton *newton, tal_finish_work *work,
                                   const tal_newton_settings *settings, tal_error *err) {
    memcpy(newton->anchor, newton->best, 3 * (size_t)work->scaled.w.count * sizeof *newton->r);
    newton->regularisation = settings->regularisation;
    newton->iterations = 0;
    newton->is_anchored = true;
    const tal_status status = run_tied(newton, work, settings, err);
    newton->is_anchored = false;
    return status;
}
