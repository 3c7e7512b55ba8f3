// SPDX-License-Identifier: GPL-3.0-or-later
// Which parameter moves the misfit. Least squares by GSL's QR.
#include "pipelines/calibrate/sensitivity.h"

#include "core/base/memory.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

enum { DEGREE_MAX = 6, TERMS_MAX = 400 };

// Products of Legendre polynomials, orthonormal over the cube.
typedef struct {
    int count, dimensions;
    unsigned char degree[TERMS_MAX][TAL_PARAMETERS_MAX];
} basis;

// All products up to a total degree, by degree and then in the order of the parameters; false when
// there are too many.
static bool fill_basis(basis *b, int dimensions, int degree) {
    *b = (basis){.dimensions = dimensions, .count = 1};
    for (int first = 0, end = 1, d = 1; d <= degree; d++) {
        for (int i = first; i < end; i++) {
            int last = 0;
            for (int k = 0; k < dimensions; k++) {
                last = b->degree[i][k] > 0 ? k : last;
            }
            for (int k = last; k < dimensions; k++) {
                if (b->count == TERMS_MAX) {
                    return false;
                }
                memcpy(b->degree[b->count], b->degree[i], TAL_PARAMETERS_MAX);
                b->degree[b->count++][k]++;
            }
        }
        first = end;
        end = b->count;
    }
    return true;
}

static void fill_legendre(double u, double value[DEGREE_MAX + 1]) {
    const double x = 2 * u - 1;
    double p[DEGREE_MAX + 1] = {1, x};
    for (int n = 1; n < DEGREE_MAX; n++) {
        p[n + 1] = ((2 * n + 1) * x * p[n] - n * p[n - 1]) / (n + 1);
    }
    for (int n = 0; n <= DEGREE_MAX; n++) {
        value[n] = sqrt(2 * n + 1) * p[n];
    }
}

static void fill_rows(gsl_matrix *rows, const basis *b, const double *points) {
    double value[TAL_PARAMETERS_MAX][DEGREE_MAX + 1];
    for (size_t i = 0; i < rows->size1; i++) {
        for (int k = 0; k < b->dimensions; k++) {
            fill_legendre(points[i * (size_t)b->dimensions + (size_t)k], value[k]);
        }
        for (int t = 0; t < b->count; t++) {
            double product = 1;
            for (int k = 0; k < b->dimensions; k++) {
                product *= value[k][b->degree[t][k]];
            }
            gsl_matrix_set(rows, i, (size_t)t, product);
        }
    }
}

typedef struct {
    gsl_matrix *rows, *factors;
    gsl_vector *tau, *misfit, *coefficient, *residual, *work;
} fit;

static bool create_fit(fit *f, size_t points, size_t terms) {
    f->rows = gsl_matrix_alloc(points, terms);
    f->factors = gsl_matrix_alloc(points, terms);
    f->tau = gsl_vector_alloc(terms);
    f->misfit = gsl_vector_alloc(points);
    f->coefficient = gsl_vector_alloc(terms);
    f->residual = gsl_vector_alloc(points);
    f->work = gsl_vector_alloc(terms);
    return f->rows != NULL && f->factors != NULL && f->tau != NULL && f->misfit != NULL &&
           f->coefficient != NULL && f->residual != NULL && f->work != NULL;
}

static void destroy_fit(fit *f) {
    gsl_vector *vectors[] = {f->tau, f->misfit, f->coefficient, f->residual, f->work};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        if (vectors[i] != NULL) {
            gsl_vector_free(vectors[i]);
        }
    }
    if (f->rows != NULL) {
        gsl_matrix_free(f->rows);
    }
    if (f->factors != NULL) {
        gsl_matrix_free(f->factors);
    }
}

// The residual at a point left out is r / (1 - h), h = |R^-T row|^2 (the diagonal of the hat
// matrix).
// docs/theory/calibration.md (8).
static double left_out_error(fit *f) {
    const size_t terms = f->rows->size2;
    gsl_matrix_view r = gsl_matrix_submatrix(f->factors, 0, 0, terms, terms);
    double sum = 0;
    for (size_t i = 0; i < f->rows->size1; i++) {
        const gsl_vector_view row = gsl_matrix_row(f->rows, i);
        double h = 0;
        gsl_vector_memcpy(f->work, &row.vector);
        gsl_blas_dtrsv(CblasUpper, CblasTrans, CblasNonUnit, &r.matrix, f->work);
        gsl_blas_ddot(f->work, f->work, &h);
        const double error = gsl_vector_get(f->residual, i) / fmax(1 - h, 1e-12);
        sum += error * error;
    }
    return sum / (double)f->rows->size1;
}

// A column that depends on the others (too few different values along an axis) makes R singular.
static bool is_singular(const gsl_matrix *factors) {
    double most = 0, least = INFINITY;
    for (size_t i = 0; i < factors->size2; i++) {
        const double d = fabs(gsl_matrix_get(factors, i, i));
        most = fmax(most, d);
        least = fmin(least, d);
    }
    return !(least > 1e-9 * most);
}

// docs/theory/calibration.md (7).
static void take_indices(tal_sensitivity *s, const basis *b, const gsl_vector *coefficient) {
    double variance = 0;
    memset(s->first, 0, sizeof s->first);
    memset(s->total, 0, sizeof s->total);
    for (int t = 1; t < b->count; t++) {
        const double c = gsl_vector_get(coefficient, (size_t)t);
        int involved = 0;
        variance += c * c;
        for (int k = 0; k < b->dimensions; k++) {
            involved += b->degree[t][k] > 0 ? 1 : 0;
        }
        for (int k = 0; k < b->dimensions; k++) {
            s->total[k] += b->degree[t][k] > 0 ? c * c : 0;
            s->first[k] += b->degree[t][k] > 0 && involved == 1 ? c * c : 0;
        }
    }
    for (int k = 0; k < b->dimensions; k++) {
        s->first[k] /= variance > 0 ? variance : 1;
        s->total[k] /= variance > 0 ? variance : 1;
    }
}

static double variance_of(const double *value, int count) {
    double mean = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        mean += value[i] / count;
    }
    for (int i = 0; i < count; i++) {
        sum += (value[i] - mean) * (value[i] - mean);
    }
    return sum / count;
}

static tal_status try_degree(tal_sensitivity *s, const basis *b, int degree, const double *points,
                             const double *misfit, int count, tal_error *err) {
    fit f = {0};
    if (!create_fit(&f, (size_t)count, (size_t)b->count)) {
        destroy_fit(&f);
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the sensitivity of %d points", count);
    }
    fill_rows(f.rows, b, points);
    gsl_matrix_memcpy(f.factors, f.rows);
    for (int i = 0; i < count; i++) {
        gsl_vector_set(f.misfit, (size_t)i, misfit[i]);
    }
    gsl_linalg_QR_decomp(f.factors, f.tau);
    if (!is_singular(f.factors)) {
        gsl_linalg_QR_lssolve(f.factors, f.tau, f.misfit, f.coefficient, f.residual);
        const double predicted = 1 - left_out_error(&f) / variance_of(misfit, count);
        if (s->degree == 0 || predicted > s->predicted) {
            s->degree = degree;
            s->predicted = predicted;
            take_indices(s, b, f.coefficient);
        }
    }
    destroy_fit(&f);
    return TAL_OK;
}

bool tal_sensitivity_is_trusted(const tal_sensitivity *s) {
    return s->degree > 0 && s->predicted >= 0.5;
}

tal_status tal_sensitivity_find(tal_sensitivity *sensitivity, const double *points,
                                const double *misfit, int count, int dimensions, tal_error *err) {
    *sensitivity = (tal_sensitivity){.dimensions = dimensions};
    if (count < 3 || !(variance_of(misfit, count) > 0)) {
        return TAL_OK;
    }
    basis *b = NULL;
    TAL_CREATE(b, 1, "a polynomial", err);
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    tal_status status = TAL_OK;
    // Twice as many points as terms, so that the left-out error means something.
    for (int degree = 1; degree <= DEGREE_MAX && status == TAL_OK; degree++) {
        if (!fill_basis(b, dimensions, degree) || 2 * b->count > count) {
            break;
        }
        status = try_degree(sensitivity, b, degree, points, misfit, count, err);
    }
    gsl_set_error_handler(before);
    tal_memory_destroy(b);
    return status;
}
