// SPDX-License-Identifier: GPL-3.0-or-later
// The acd2 problem given to an independent optimiser (IPOPT): its velocities must be ours.
#include "tests/support/check.h"

#include "core/base/random.h"
#include "tests/reference/acd2_problem.h"
#include "tests/solver/scenes/percussions.h"

#include <IpStdCInterface.h>

// Unknowns: x (6 per body), then the slacks s of min(0, c x)^2. Dense, as the problems are small.
typedef struct {
    tal_acd2_problem acd2;
    int motions, unknowns;
    double *matrix; // 2M + sum kt T'T
} oracle;

static Bool objective(Index n, Number *z, Bool is_new, Number *value, UserDataPtr data) {
    (void)n;
    (void)is_new;
    const oracle *o = data;
    *value = 0.0;
    for (int i = 0; i < o->motions; i++) {
        for (int j = 0; j < o->motions; j++) {
            *value += 0.5 * z[i] * o->matrix[i * o->motions + j] * z[j];
        }
        *value -= o->acd2.right[i] * z[i];
    }
    for (int k = 0; k < o->acd2.contact_count; k++) {
        *value += 0.5 * o->acd2.kn[k] * z[o->motions + k] * z[o->motions + k];
    }
    return TRUE;
}

static Bool gradient(Index n, Number *z, Bool is_new, Number *slope, UserDataPtr data) {
    (void)n;
    (void)is_new;
    const oracle *o = data;
    for (int i = 0; i < o->motions; i++) {
        slope[i] = -o->acd2.right[i];
        for (int j = 0; j < o->motions; j++) {
            slope[i] += o->matrix[i * o->motions + j] * z[j];
        }
    }
    for (int k = 0; k < o->acd2.contact_count; k++) {
        slope[o->motions + k] = o->acd2.kn[k] * z[o->motions + k];
    }
    return TRUE;
}

// c x >= a, then s + c x >= 0.
static Bool constraints(Index n, Number *z, Bool is_new, Index m, Number *g, UserDataPtr data) {
    (void)n;
    (void)is_new;
    (void)m;
    const oracle *o = data;
    const int count = o->acd2.contact_count;
    for (int k = 0; k < count; k++) {
        g[k] = tal_acd2_problem_velocity(&o->acd2, k, 0, z);
        g[count + k] = g[k] + z[o->motions + k];
    }
    return TRUE;
}

static Bool jacobian(Index n, Number *z, Bool is_new, Index m, Index entries, Index *row,
                     Index *column, Number *value, UserDataPtr data) {
    (void)z;
    (void)is_new;
    (void)entries;
    const oracle *o = data;
    double *full = calloc((size_t)(n * m), sizeof *full);
    for (int k = 0; full != NULL && k < o->acd2.contact_count; k++) {
        const int below = o->acd2.contact_count + k;
        tal_acd2_problem_add_row(&o->acd2, k, 0, 1.0, &full[k * n]);
        tal_acd2_problem_add_row(&o->acd2, k, 0, 1.0, &full[below * n]);
        full[below * n + o->motions + k] = 1.0;
    }
    for (int e = 0; full != NULL && e < n * m; e++) {
        if (value == NULL) {
            row[e] = e / n;
            column[e] = e % n;
        } else {
            value[e] = full[e];
        }
    }
    free(full);
    return full != NULL ? TRUE : FALSE;
}

static Bool hessian(Index n, Number *z, Bool is_new, Number factor, Index m, Number *multiplier,
                    Bool multiplier_is_new, Index entries, Index *row, Index *column, Number *value,
                    UserDataPtr data) {
    (void)z;
    (void)is_new;
    (void)m;
    (void)multiplier;
    (void)multiplier_is_new;
    (void)entries;
    const oracle *o = data;
    int e = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++, e++) {
            if (value == NULL) {
                row[e] = i;
                column[e] = j;
            } else if (i < o->motions) {
                value[e] = factor * o->matrix[i * o->motions + j];
            } else {
                value[e] = i == j ? factor * o->acd2.kn[i - o->motions] : 0.0;
            }
        }
    }
    return TRUE;
}

static void ask(oracle *o, double *z) {
    const int n = o->unknowns, m = 2 * o->acd2.contact_count;
    double *low = calloc((size_t)n, sizeof *low), *high = calloc((size_t)n, sizeof *high);
    double *least = calloc((size_t)m, sizeof *least), *most = calloc((size_t)m, sizeof *most);
    for (int i = 0; i < n; i++) {
        low[i] = i < o->motions ? -2e19 : 0.0;
        high[i] = 2e19;
        z[i] = i < o->motions ? 0.0 : 1.0;
    }
    for (int k = 0; k < m; k++) {
        const bool is_bound = k < o->acd2.contact_count;
        least[k] = is_bound ? o->acd2.bound[k] : 0.0;
        most[k] = 2e19;
    }
    IpoptProblem problem =
        CreateIpoptProblem(n, low, high, m, least, most, n * m, n * (n + 1) / 2, 0, objective,
                           constraints, gradient, jacobian, hessian);
    assert_non_null(problem);
    char print[] = "print_level", banner[] = "sb", yes[] = "yes", goal[] = "tol";
    AddIpoptIntOption(problem, print, 0);
    AddIpoptStrOption(problem, banner, yes);
    AddIpoptNumOption(problem, goal, 1e-12);
    double value;
    const int status = (int)IpoptSolve(problem, z, NULL, &value, NULL, NULL, NULL, o);
    assert_true(status == Solve_Succeeded || status == Solved_To_Acceptable_Level);
    FreeIpoptProblem(problem);
    free(low);
    free(high);
    free(least);
    free(most);
}

static double uniform(uint32_t run, uint64_t draw, double low, double high) {
    return low +
           (high - low) * tal_random_uniform(tal_random_stream(11, run, "tests/oracle"), draw);
}

static void throw_problem(hand_made *h, uint32_t run) {
    const tal_vec3 zero = {0};
    hand_reset(h, 0.01, tal_vec3_make(0, 0, -9.81));
    for (uint64_t b = 0; b < 3; b++) {
        const double m = uniform(run, 100 * b, 0.5, 2.0);
        hand_add_body(
            h, m, tal_vec3_make(0.5 * m, 0.6 * m, 0.7 * m),
            tal_vec3_make(uniform(run, 100 * b + 1, -2, 2), uniform(run, 100 * b + 2, -2, 2), -2.0),
            tal_vec3_make(uniform(run, 100 * b + 3, -2, 2), 1.0, 0.5));
    }
    for (uint64_t k = 0; k < 6; k++) {
        const uint64_t d = 1000 + 50 * k;
        const tal_vec3 normal = tal_vec3_normalize(tal_vec3_make(
            uniform(run, d, -1, 1), uniform(run, d + 1, -1, 1), uniform(run, d + 2, 0.2, 1)));
        const tal_vec3 arm = {uniform(run, d + 3, -1, 1), uniform(run, d + 4, -1, 1), -0.5};
        const tal_law law = {.kind = TAL_LAW_ACD2,
                             .kn_kg = uniform(run, d + 5, 0.1, 8),
                             .kt_kg = uniform(run, d + 6, 0, 3)};
        const int32_t i = (int32_t)(k % 3);
        hand_add_contact(h, i, k < 3 ? -1 : (i + 1) % 3, arm, k < 3 ? zero : arm, normal, 0.0, law);
    }
}

static void an_independent_optimiser_finds_the_same_velocities(void **unused) {
    (void)unused;
    static hand_made h;
    double worst = 0.0;
    for (uint32_t run = 0; run < 20; run++) {
        oracle o = {0};
        throw_problem(&h, run);
        hand_prepare(&h);
        check_ok(tal_acd2_problem_create(&o.acd2, &h.problem, h.before, &check_error));
        hand_solve(&h, 1e-12, 100000);
        o.motions = 6 * h.body_count;
        o.unknowns = o.motions + h.contact_count;
        o.matrix = calloc((size_t)(o.motions * o.motions), sizeof *o.matrix);
        double *z = calloc((size_t)o.unknowns, sizeof *z);
        for (int j = 0; j < o.motions; j++) { // symmetric: rows are columns
            z[j] = 1.0;
            tal_acd2_problem_apply(&o.acd2, z, &o.matrix[j * o.motions]);
            z[j] = 0.0;
        }
        ask(&o, z);
        for (int32_t b = 0; b < h.body_count; b++) {
            const double *x = &z[6 * b];
            const tal_vec3 after = {2.0 * x[0] - h.before[b].v.x, 2.0 * x[1] - h.before[b].v.y,
                                    2.0 * x[2] - h.before[b].v.z};
            worst = fmax(worst, tal_vec3_length(tal_vec3_subtract(after, h.motion[b].v)));
        }
        free(z);
        free(o.matrix);
        tal_acd2_problem_destroy(&o.acd2);
    }
    print_message("largest difference in velocity %.2e\n", worst);
    assert_true(worst < 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_independent_optimiser_finds_the_same_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
