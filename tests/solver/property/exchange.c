// SPDX-License-Identifier: GPL-3.0-or-later
// Frictional contact problems made by other codes: the local solver inside plain Gauss-Seidel must
// solve them, judged by the natural map recomputed from the percussions alone.
#include "tests/support/check.h"

#include "solver/law/law.h"

typedef struct {
    int contact_count, block_count;
    double *mu, *q, *r;
    int (*at)[2];
    double (*block)[9];
    int *row_start; // blocks sorted by row
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
    x->at = take((size_t)x->block_count, sizeof *x->at);
    x->block = take((size_t)x->block_count, sizeof *x->block);
    x->row_start = take((size_t)x->contact_count + 1, sizeof *x->row_start);
    for (int n = 0; n < x->block_count; n++) {
        assert_int_equal(fscanf(file, "%d %d", &x->at[n][0], &x->at[n][1]), 2);
        read_numbers(file, x->block[n], 9);
        x->row_start[x->at[n][0] + 1]++;
    }
    for (int k = 0; k < x->contact_count; k++) {
        x->row_start[k + 1] += x->row_start[k];
    }
}

static void sort_rows(exchange *x) {
    int(*at)[2] = take((size_t)x->block_count, sizeof *at);
    double(*block)[9] = take((size_t)x->block_count, sizeof *block);
    int *next = take((size_t)x->contact_count, sizeof *next);
    memcpy(next, x->row_start, (size_t)x->contact_count * sizeof *next);
    for (int n = 0; n < x->block_count; n++) {
        const int to = next[x->at[n][0]]++;
        memcpy(at[to], x->at[n], sizeof *at);
        memcpy(block[to], x->block[n], sizeof *block);
    }
    free(next);
    free(x->at);
    free(x->block);
    x->at = at;
    x->block = block;
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
    sort_rows(x);
}

static void exchange_end(exchange *x) {
    free(x->mu);
    free(x->q);
    free(x->r);
    free(x->at);
    free(x->block);
    free(x->row_start);
}

// u = W r + q of contact k, without its own block if `without_own`.
static const double *velocity(const exchange *x, int k, bool without_own, double u[3]) {
    const double *own = NULL;
    memcpy(u, &x->q[3 * k], 3 * sizeof *u);
    for (int n = x->row_start[k]; n < x->row_start[k + 1]; n++) {
        const double *b = x->block[n], *r = &x->r[3 * x->at[n][1]];
        own = x->at[n][1] == k ? b : own;
        for (int i = 0; i < 3 && !(without_own && x->at[n][1] == k); i++) {
            u[i] += b[3 * i] * r[0] + b[3 * i + 1] * r[1] + b[3 * i + 2] * r[2];
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
        const double *w = velocity(x, k, false, u), *r = &x->r[3 * k];
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

static void prepare(const exchange *x, tal_contact *contact) {
    for (int k = 0; k < x->contact_count; k++) {
        double u[3];
        const double *w = velocity(x, k, true, u);
        const tal_law law = {.kind = TAL_LAW_COULOMB, .friction = x->mu[k]};
        const tal_contact_data data = {.dt = 1.0};
        const double packed[6] = {w[0], w[1], w[2], w[4], w[5], w[8]};
        contact[k] = (tal_contact){0};
        memcpy(contact[k].w, packed, sizeof packed);
        tal_law_prepare(&law, &data, &contact[k]);
    }
}

static int solve(exchange *x, double tolerance, int sweeps_max) {
    tal_contact *contact = take((size_t)x->contact_count, sizeof *contact);
    prepare(x, contact);
    int sweeps = 0;
    do {
        for (int k = 0; k < x->contact_count; k++) {
            double u[3];
            velocity(x, k, true, u);
            tal_law_solve(&contact[k], u, &x->r[3 * k]);
        }
        sweeps++;
    } while (sweeps < sweeps_max && error_of(x) > tolerance);
    free(contact);
    return sweeps;
}

static void problems_of_other_codes_are_solved(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        int sweeps_max; // a generous multiple of what others need to 1e-6
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
        const double tolerance = n == 3 ? 1e-4 : 1e-8;
        const int sweeps = solve(&x, tolerance, problem[n].sweeps_max);
        print_message("%s: %d contacts, %d sweeps to %.1e\n", problem[n].name, x.contact_count,
                      sweeps, error_of(&x));
        assert_true(error_of(&x) <= tolerance);
        exchange_end(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_of_other_codes_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
