// SPDX-License-Identifier: GPL-3.0-or-later
// The misfit between the points that were run.
#include "pipelines/calibrate/surrogate.h"

#include "core/base/memory.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 400, TRIES_PER_SETTING = 60 };
static const double LENGTH_LEAST = 0.05, LENGTH_MOST = 20, NOISE_LEAST = 1e-6, NOISE_MOST = 0.5;

// Words have no order: two of them are either the same or one range apart.
static double separation(const tal_parameter *p, double a, double b) {
    if (p->value_count > 0) {
        return tal_parameter_number(p, a) == tal_parameter_number(p, b) ? 0 : 1;
    }
    return a - b;
}

static double scaled_distance2(const tal_parameters *parameters, const double *length,
                               const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < parameters->count; k++) {
        const double d = separation(&parameters->parameter[k], a[k], b[k]) / length[k];
        sum += d * d;
    }
    return sum;
}

double tal_surrogate_distance2(const tal_surrogate *s, const double *a, const double *b) {
    return scaled_distance2(s->parameters, s->length, a, b);
}

// docs/theory/calibration.md (4).
static double matern(double distance2) {
    const double r = sqrt(5 * distance2);
    return (1 + r + r * r / 3) * exp(-r);
}

// --- fitting ---

typedef struct {
    tal_surrogate *s;
    const double *value; // standardised misfit
} fitting;

// Fills and factors K; false when it is not positive definite.
static bool factor_covariance(tal_surrogate *s, const double *length, double noise) {
    const int n = s->count, d = s->parameters->count;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            const double k =
                matern(scaled_distance2(s->parameters, length, s->point + (size_t)i * (size_t)d,
                                        s->point + (size_t)j * (size_t)d));
            s->factor[i * n + j] = s->factor[j * n + i] = k + (i == j ? noise : 0);
        }
    }
    gsl_matrix_view matrix = gsl_matrix_view_array(s->factor, (size_t)n, (size_t)n);
    return gsl_linalg_cholesky_decomp1(&matrix.matrix) == GSL_SUCCESS;
}

static double solve_alpha(tal_surrogate *s, const double *value) {
    const size_t n = (size_t)s->count;
    gsl_matrix_view matrix = gsl_matrix_view_array(s->factor, n, n);
    gsl_vector_view alpha = gsl_vector_view_array(s->alpha, n);
    const gsl_vector_const_view right = gsl_vector_const_view_array(value, n);
    double product = 0;
    gsl_linalg_cholesky_solve(&matrix.matrix, &right.vector, &alpha.vector);
    gsl_blas_ddot(&right.vector, &alpha.vector, &product);
    return product;
}

// Minus twice the log likelihood, the variance taken at its best, with a mild pull towards lengths
// of the range so that a few points do not decide everything.
// docs/theory/calibration.md (5).
static double badness(unsigned count, const double *x, double *gradient, void *context) {
    const fitting *f = context;
    (void)gradient;
    double length[TAL_PARAMETERS_MAX], pull = 0;
    for (unsigned k = 0; k + 1 < count; k++) {
        length[k] = exp(x[k]);
        pull += 0.25 * x[k] * x[k];
    }
    if (!factor_covariance(f->s, length, exp(x[count - 1]))) {
        return 1e9;
    }
    const int n = f->s->count;
    const double variance = solve_alpha(f->s, f->value) / n;
    double determinant = 0;
    for (int i = 0; i < n; i++) {
        determinant += 2 * log(f->s->factor[i * n + i]);
    }
    return n * log(fmax(variance, 1e-300)) + determinant + pull;
}

static void find_lengths(tal_surrogate *s, const double *value) {
    const unsigned dimensions = (unsigned)s->parameters->count + 1;
    fitting f = {.s = s, .value = value};
    double best = INFINITY;
    for (int start = 0; start < 3; start++) {
        double x[TAL_PARAMETERS_MAX + 1], low[TAL_PARAMETERS_MAX + 1], high[TAL_PARAMETERS_MAX + 1];
        double reached = INFINITY;
        for (unsigned k = 0; k < dimensions; k++) {
            const bool is_noise = k + 1 == dimensions;
            low[k] = log(is_noise ? NOISE_LEAST : LENGTH_LEAST);
            high[k] = log(is_noise ? NOISE_MOST : LENGTH_MOST);
            x[k] = is_noise ? log(1e-3) : log(start == 0 ? 0.3 : start == 1 ? 1.0 : 4.0);
        }
        nlopt_opt solver = nlopt_create(NLOPT_LN_NELDERMEAD, dimensions);
        if (solver == NULL) {
            return;
        }
        nlopt_set_lower_bounds(solver, low);
        nlopt_set_upper_bounds(solver, high);
        nlopt_set_min_objective(solver, badness, &f);
        nlopt_set_xtol_abs1(solver, 1e-2);
        nlopt_set_maxeval(solver, TRIES_PER_SETTING * (int)dimensions);
        (void)nlopt_optimize(solver, x, &reached);
        nlopt_destroy(solver);
        if (reached < best) {
            best = reached;
            for (unsigned k = 0; k + 1 < dimensions; k++) {
                s->length[k] = exp(x[k]);
            }
            s->noise = exp(x[dimensions - 1]);
        }
    }
}

// --- which points ---

typedef struct {
    double misfit;
    int number;
} graded;

static int compare_graded(const void *a, const void *b) {
    const graded *x = a, *y = b;
    return x->misfit < y->misfit ? -1 : x->misfit > y->misfit ? 1 : x->number - y->number;
}

// The better half as it is, the others thinned evenly.
static tal_status choose_points(tal_surrogate *s, const double *points, const double *misfit,
                                int count, double *value, tal_error *err) {
    const size_t d = (size_t)s->parameters->count;
    graded *order = NULL;
    TAL_CREATE(order, (size_t)count, "points", err);
    for (int i = 0; i < count; i++) {
        order[i] = (graded){misfit[i], i};
    }
    qsort(order, (size_t)count, sizeof *order, compare_graded);
    const int half = s->count / 2;
    for (int i = 0; i < s->count; i++) {
        const int place =
            count <= POINTS_MAX || i < half
                ? i
                : half + (int)((int64_t)(i - half) * (count - half) / (s->count - half));
        memcpy(s->point + (size_t)i * d, points + (size_t)order[place].number * d,
               d * sizeof *points);
        value[i] = order[place].misfit;
    }
    tal_memory_destroy(order);
    return TAL_OK;
}

// Far from the best it does not matter how bad: cut, so that failed runs do not bend the rest.
static void standardise(tal_surrogate *s, double *value) {
    static const double CUT = 0.5;
    double sum2 = 0;
    const double best = value[0];
    for (int i = 0; i < s->count; i++) {
        value[i] = fmin(value[i], best + CUT);
        s->mean += value[i] / s->count;
    }
    for (int i = 0; i < s->count; i++) {
        value[i] -= s->mean;
        sum2 += value[i] * value[i] / s->count;
    }
    s->scale = sqrt(sum2);
    for (int i = 0; i < s->count; i++) {
        value[i] /= s->scale > 0 ? s->scale : 1;
    }
}

tal_status tal_surrogate_create(tal_surrogate *surrogate, const tal_parameters *parameters,
                                const double *points, const double *misfit, int count,
                                tal_error *err) {
    *surrogate = (tal_surrogate){.parameters = parameters,
                                 .count = count < POINTS_MAX ? count : POINTS_MAX,
                                 .noise = NOISE_LEAST};
    const size_t n = (size_t)surrogate->count;
    double *value = NULL;
    for (int k = 0; k < parameters->count; k++) {
        surrogate->length[k] = LENGTH_MOST;
    }
    TAL_CREATE(surrogate->point, n * (size_t)parameters->count, "a surrogate", err);
    TAL_CREATE(surrogate->factor, n * n, "a surrogate", err);
    TAL_CREATE(surrogate->alpha, n, "a surrogate", err);
    TAL_CREATE(surrogate->work, n, "a surrogate", err);
    TAL_CREATE(value, n, "a surrogate", err);
    tal_status status = choose_points(surrogate, points, misfit, count, value, err);
    if (status == TAL_OK) {
        gsl_error_handler_t *before = gsl_set_error_handler_off();
        standardise(surrogate, value);
        if (surrogate->scale > 0) {
            find_lengths(surrogate, value);
        }
        while (!factor_covariance(surrogate, surrogate->length, surrogate->noise)) {
            surrogate->noise *= 10;
        }
        const double variance = solve_alpha(surrogate, value) / (double)n;
        // From here on in the unit of the misfit.
        for (size_t i = 0; i < n; i++) {
            surrogate->alpha[i] *= surrogate->scale;
        }
        surrogate->scale *= sqrt(variance);
        gsl_set_error_handler(before);
    }
    tal_memory_destroy(value);
    return status;
}

void tal_surrogate_destroy(tal_surrogate *surrogate) {
    tal_memory_destroy(surrogate->point);
    tal_memory_destroy(surrogate->factor);
    tal_memory_destroy(surrogate->alpha);
    tal_memory_destroy(surrogate->work);
    *surrogate = (tal_surrogate){0};
}

double tal_surrogate_covariance(const tal_surrogate *s, const double *a, const double *b) {
    return matern(tal_surrogate_distance2(s, a, b));
}

void tal_surrogate_whiten(const tal_surrogate *s, const double *place, double *white,
                          double *mean) {
    const size_t n = (size_t)s->count;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        white[i] = tal_surrogate_covariance(s, s->point + i * (size_t)s->parameters->count, place);
        sum += white[i] * s->alpha[i];
    }
    gsl_matrix_view matrix = gsl_matrix_view_array(s->factor, n, n);
    gsl_vector_view view = gsl_vector_view_array(white, n);
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, &matrix.matrix, &view.vector);
    *mean = s->mean + sum;
}

void tal_surrogate_predict(const tal_surrogate *s, const double *place, double *mean,
                           double *deviation) {
    double explained = 0;
    tal_surrogate_whiten(s, place, s->work, mean);
    const gsl_vector_view work = gsl_vector_view_array(s->work, (size_t)s->count);
    gsl_blas_ddot(&work.vector, &work.vector, &explained);
    *deviation = s->scale * sqrt(fmax(0, 1 - explained));
}
