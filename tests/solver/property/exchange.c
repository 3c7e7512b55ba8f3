// SPDX-License-Identifier: GPL-3.0-or-later
// Frictional contact problems made by other codes: the sweeps of the solver must solve them, judged by
// the natural map recomputed from the percussions alone.
#include "tests/support/check.h"

#include "solver/percussion/given.h"

typedef struct {
    int contact_count, block_count;
    double *mu, *q, *r;
    int32_t *row, *column;
    double *block; // 9 each
} exchange;

static void *take(size_t count, size_t size) {
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

static void read_numbers(FILE *file, double *to, int count) {
    for (int n = 0; n < count; n++) {
        assert_int_equal(fscanf(file, "%lf", &to[n]), 1);
    }
}

static void read_blocks(FILE *file, exchange *x) {
    x->row = take((size_t)x->block_count, sizeof *x->row);
    x->column = take((size_t)x->block_count, sizeof *x->column);
    x->block = take(9 * (size_t)x->block_count, sizeof *x->block);
    for (int n = 0; n < x->block_count; n++) {
        assert_int_equal(fscanf(file, "%d %d", &x->row[n], &x->column[n]), 2);
        read_numbers(file, &x->block[9 * n], 9);
    }
}

static void exchange_read(exchange *x, const char *path) {
    char word[64];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    *x = (exchange){0};
    while (fscanf(file, "%63s", word) == 1 && strcmp(word, "end") != 0) {
        if (word[0] == '#') {
            int c;
            while ((c = fgetc(file)) != '\n' && c != EOF) {
            }
        } else if (strcmp(word, "nc") == 0) {
            assert_int_equal(fscanf(file, "%d", &x->contact_count), 1);
            x->mu = take((size_t)x->contact_count, sizeof *x->mu);
            x->q = take(3 * (size_t)x->contact_count, sizeof *x->q);
            x->r = take(3 * (size_t)x->contact_count, sizeof *x->r);
        } else if (strcmp(word, "mu") == 0) {
            read_numbers(file, x->mu, x->contact_count);
        } else if (strcmp(word, "q") == 0) {
            read_numbers(file, x->q, 3 * x->contact_count);
        } else if (strcmp(word, "W") == 0) {
            assert_int_equal(fscanf(file, "%d", &x->block_count), 1);
            read_blocks(file, x);
        }
    }
    fclose(file);
}

static void exchange_end(exchange *x) {
    free(x->mu);
    free(x->q);
    free(x->r);
    free(x->row);
    free(x->column);
    free(x->block);
}

// u = W r + q of contact k; returns its own block.
static const double *velocity(const exchange *x, int k, double u[3]) {
    const double *own = NULL;
    memcpy(u, &x->q[3 * k], 3 * sizeof *u);
    for (int n = 0; n < x->block_count; n++) {
        if (x->row[n] == k) {
            const double *b = &x->block[9 * n], *r = &x->r[3 * x->column[n]];
            own = x->column[n] == k ? b : own;
            for (int i = 0; i < 3; i++) {
                u[i] += b[3 * i] * r[0] + b[3 * i + 1] * r[1] + b[3 * i + 2] * r[2];
            }
        }
    }
    return own;
}

static void project(double mu, double y[3]) {
    const double along = hypot(y[1], y[2]);
    if (along <= mu * y[0]) {
        return;
    }
    const double normal = fmax(0.0, (y[0] + mu * along) / (1.0 + mu * mu));
    const double scale = along > 0.0 ? mu * normal / along : 0.0;
    y[0] = normal;
    y[1] *= scale;
    y[2] *= scale;
}

// Natural map with rho = 3 / trace(W_kk), relative to |r|.
static double error_of(const exchange *x) {
    double sum = 0.0, size = 0.0;
    for (int k = 0; k < x->contact_count; k++) {
        double u[3];
        const double *w = velocity(x, k, u), *r = &x->r[3 * k];
        const double rho = 3.0 / (w[0] + w[4] + w[8]), mu = x->mu[k];
        double y[3] = {r[0] - rho * (u[0] + mu * hypot(u[1], u[2])), r[1] - rho * u[1],
                       r[2] - rho * u[2]};
        project(mu, y);
        for (int i = 0; i < 3; i++) {
            sum += (r[i] - y[i]) * (r[i] - y[i]);
            size += r[i] * r[i];
        }
    }
    return sqrt(sum / size);
}

static tal_given_result solve(exchange *x, double tolerance, int sweeps_max, int thread_count) {
    const tal_local_input input = {.contact_count = x->contact_count,
                                   .friction = x->mu,
                                   .q = x->q,
                                   .block_count = x->block_count,
                                   .row = x->row,
                                   .column = x->column,
                                   .block = x->block};
    tal_given_problem *problem = NULL;
    check_ok(tal_given_create(&problem, &input, thread_count, &check_error));
    const tal_given_result result = tal_given_solve(problem, tolerance, sweeps_max);
    tal_given_percussions(problem, x->r);
    tal_given_destroy(problem);
    return result;
}

static void problems_of_other_codes_are_solved(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        int sweeps_max; // a generous multiple of what others need
    } problem[] = {{"Confeti-ex03-Fc3D-SBM", 400},
                   {"Box_Stacks-i0122-82-5__loc", 400},
                   {"gen_RockWall-nc00323-k00006__sym", 2000},
                   {"Capsules-i100-889__sym", 8000}};
    const char *data = check_data("the exchanged contact problems");
    for (int n = 0; n < 4; n++) {
        char path[1024];
        exchange x;
        snprintf(path, sizeof path, "%s/fclib/%s.fcp", data, problem[n].name);
        exchange_read(&x, path);
        const double tolerance = 1e-8;
        const tal_given_result result = solve(&x, tolerance, problem[n].sweeps_max, 1);
        const double error = error_of(&x);
        print_message("%s: %d contacts, %d sweeps to %.1e\n", problem[n].name, x.contact_count,
                      result.sweeps, error);
        assert_true(result.is_solved);
        assert_true(error <= tolerance);
        check_near(result.error.by_contact, error, 1e-3 * error + 1e-15);
        exchange_end(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_of_other_codes_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
