// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems with a given W.
#include "solver/percussion/given.h"

#include "core/base/arena.h"
#include "core/base/memory.h"
#include "solver/percussion/contact_solver.h"
#include "solver/percussion/given_mass.h"

#include <math.h>
#include <string.h>

// The sweeps measure errors against a scale that is set before |r| is known: at most so many times it is
// set anew, each time this much below what is missing.
enum { ROUNDS_MAX = 40 };
static const double TIGHTER = 0.5;

// Contacts stand in sweep order, `place` says where: contact k of the input is number place[k].
struct tal_given_problem {
    tal_arena arena;
    int32_t count;
    int32_t *place;
    int32_t *row_start; // W by rows, in sweep order
    int32_t *column;
    double (*block)[9];
    double (*q)[3];
    tal_law_more *more; // of contacts that have it
    uint8_t *is_held;
    tal_general_body *body;
    int32_t *scratch; // of TAL_VALIDATE
    tal_percussion_problem problem;
    tal_solver_work work;
    double nothing; // of it all motions have none
    tal_mass *mass; // NULL: W was given
};

// u = q + W r of the contact in place p.
static void row_velocity(const tal_given_problem *g, int32_t p, double u[3]) {
    memcpy(u, g->q[p], sizeof g->q[p]);
    for (int32_t n = g->row_start[p]; n < g->row_start[p + 1]; n++) {
        const double *b = g->block[n], *r = g->problem.contact[g->column[n]].percussion;
        for (int f = 0; f < 3; f++) {
            u[f] += b[3 * f] * r[0] + b[3 * f + 1] * r[1] + b[3 * f + 2] * r[2];
        }
    }
}

static void velocity(const void *body, const double *motion, tal_side at, double u[3]) {
    (void)motion;
    row_velocity(body, at.number, u);
}

// A percussion is seen by its neighbours through their rows: there is nothing to write.
static void strike(const void *body, double *motion, tal_side at, const double r[3]) {
    (void)body;
    (void)motion;
    (void)at;
    (void)r;
}

static void add_mobility(const void *body, tal_side at, double w[6]) {
    const tal_given_problem *g = body;
    for (int32_t n = g->row_start[at.number]; n < g->row_start[at.number + 1]; n++) {
        if (g->column[n] == at.number) {
            const double *b = g->block[n];
            const double own[6] = {b[0], b[1], b[2], b[4], b[5], b[8]};
            for (int entry = 0; entry < 6; entry++) {
                w[entry] += own[entry];
            }
        }
    }
}

static const tal_body_kind GIVEN = {
    .name = "given", .velocity = velocity, .strike = strike, .add_mobility = add_mobility};

#define FAULT(...)                                                                                 \
    do {                                                                                           \
        fault_count++;                                                                             \
        tal_error_add(err, TAL_BAD_INPUT, __VA_ARGS__);                                            \
    } while (0)

static int check_contacts(int32_t count, const double *friction, const double *q, tal_error *err) {
    int fault_count = 0;
    if (count < 1) {
        FAULT("the problem has no contacts: nothing to do");
    }
    for (int32_t k = 0; k < count; k++) {
        if (friction != NULL && !(friction[k] >= 0.0 && isfinite(friction[k]))) {
            FAULT("contact %d: friction = %g must not be negative, nor infinite", k, friction[k]);
        }
        if (!isfinite(q[3 * k]) || !isfinite(q[3 * k + 1]) || !isfinite(q[3 * k + 2])) {
            FAULT("contact %d: its free velocity is not finite", k);
        }
    }
    return fault_count;
}

static int check_block(const tal_local_input *in, int32_t n, tal_error *err) {
    int fault_count = 0;
    const int32_t row = in->row[n], column = in->column[n];
    const double *b = &in->block[9 * (size_t)n];
    if (row < 0 || row >= in->contact_count || column < 0 || column >= in->contact_count) {
        FAULT("block %d of W is at (%d, %d), but contacts are numbered 0 to %d", n, row, column,
              in->contact_count - 1);
    }
    for (int f = 0; f < 9; f++) {
        if (!isfinite(b[f])) {
            FAULT("block %d of W, at (%d, %d), is not finite", n, row, column);
            break;
        }
    }
    if (row == column && !(b[0] > 0.0 && b[4] > 0.0 && b[8] > 0.0)) {
        FAULT("contact %d: the diagonal of its own block of W (%g, %g, %g) must be positive", row,
              b[0], b[4], b[8]);
    }
    return fault_count;
}

static tal_status check_input(const tal_local_input *in, tal_error *err) {
    int fault_count =
        check_contacts(in->contact_count, in->law == NULL ? in->friction : NULL, in->q, err);
    if (in->block_count < in->contact_count) {
        FAULT("W has %d blocks for %d contacts: each contact needs one of its own", in->block_count,
              in->contact_count);
    }
    for (int32_t n = 0; n < in->block_count; n++) {
        fault_count += check_block(in, n, err);
    }
    return fault_count > 0 ? TAL_BAD_INPUT : TAL_OK;
}

// Rows of the input as lists, columns rising.
typedef struct {
    int32_t *start, *column, *block;
} rows;

static void sort_row(const rows *r, int32_t row) {
    for (int32_t n = r->start[row] + 1; n < r->start[row + 1]; n++) {
        const int32_t column = r->column[n], block = r->block[n];
        int32_t m = n;
        for (; m > r->start[row] && r->column[m - 1] > column; m--) {
            r->column[m] = r->column[m - 1];
            r->block[m] = r->block[m - 1];
        }
        r->column[m] = column;
        r->block[m] = block;
    }
}

static bool has_block(const rows *r, int32_t row, int32_t column) {
    for (int32_t n = r->start[row]; n < r->start[row + 1]; n++) {
        if (r->column[n] == column) {
            return true;
        }
    }
    return false;
}

static tal_status check_rows(const rows *r, int32_t count, tal_error *err) {
    int fault_count = 0;
    for (int32_t k = 0; k < count; k++) {
        if (!has_block(r, k, k)) {
            FAULT("contact %d has no block of its own in W", k);
        }
        for (int32_t n = r->start[k]; n < r->start[k + 1]; n++) {
            if (n > r->start[k] && r->column[n] == r->column[n - 1]) {
                FAULT("W has two blocks at (%d, %d): keep one", k, r->column[n]);
            }
            if (!has_block(r, r->column[n], k)) {
                FAULT("W has a block at (%d, %d) and none at (%d, %d): give both triangles", k,
                      r->column[n], r->column[n], k);
            }
        }
    }
    return fault_count > 0 ? TAL_BAD_INPUT : TAL_OK;
}

static tal_status make_rows(tal_arena *arena, const tal_local_input *in, rows *r, tal_error *err) {
    const size_t count = (size_t)in->contact_count, blocks = (size_t)in->block_count;
    TAL_TAKE(arena, r->start, count + 2, "rows of W", err);
    TAL_TAKE(arena, r->column, blocks, "columns of W", err);
    TAL_TAKE(arena, r->block, blocks, "blocks of W", err);
    int32_t *next = &r->start[1]; // moved on by one while the rows are filled
    for (size_t n = 0; n < blocks; n++) {
        next[in->row[n] + 1]++;
    }
    for (size_t k = 0; k < count; k++) {
        next[k + 1] += next[k];
    }
    for (int32_t n = 0; n < in->block_count; n++) {
        const int32_t to = next[in->row[n]]++;
        r->column[to] = in->column[n];
        r->block[to] = n;
    }
    for (int32_t k = 0; k < in->contact_count; k++) {
        sort_row(r, k);
    }
    return check_rows(r, in->contact_count, err);
}

static tal_status take_arrays(tal_given_problem *g, int32_t block_count, tal_error *err) {
    tal_arena *arena = &g->arena;
    const size_t count = (size_t)g->count, blocks = (size_t)block_count;
    TAL_TAKE(arena, g->place, count, "places", err);
    TAL_TAKE(arena, g->row_start, count + 1, "rows", err);
    TAL_TAKE(arena, g->column, blocks, "columns", err);
    TAL_TAKE(arena, g->block, blocks, "blocks", err);
    TAL_TAKE(arena, g->q, count, "free velocities", err);
    TAL_TAKE(arena, g->is_held, count, "marks", err);
    TAL_TAKE(arena, g->body, count, "bodies", err);
    TAL_TAKE(arena, g->scratch, count, "scratch", err);
    TAL_TAKE(arena, g->problem.pair, count, "pairs", err);
    TAL_TAKE(arena, g->problem.contact, count, "contacts", err);
    TAL_TAKE(arena, g->more, count, "contacts", err);
    TAL_TAKE(arena, g->work.change, 3 * count, "changes", err);
    TAL_TAKE(arena, g->work.last, 3 * count, "last percussions", err);
    TAL_TAKE(arena, g->work.error, count, "errors", err);
    TAL_TAKE(arena, g->work.change_sum, 2 * count, "sums", err);
    TAL_TAKE(arena, g->work.listed, 4 * count, "lists", err);
    TAL_TAKE(arena, g->work.is_listed, count, "marks", err);
    TAL_TAKE(arena, g->work.island_result, count, "island results", err);
    TAL_TAKE(arena, g->work.near_body, count, "hot bodies", err);
    TAL_TAKE(arena, g->work.is_near, count, "hot marks", err);
    return TAL_OK;
}

// Islands and colors of the rows, and with them the order of the sweeps.
static tal_status set_order(tal_given_problem *g, const rows *r, int32_t **order, tal_error *err) {
    tal_arena *arena = &g->arena;
    const size_t count = (size_t)g->count;
    const int32_t blocks = r->start[g->count];
    tal_edge *edge, *own;
    uint8_t *color;
    int32_t *by_color, *parent, *island_of, *island_body, *color_end;
    tal_island *island;
    tal_coloring coloring;
    TAL_TAKE(arena, edge, (size_t)blocks, "edges", err);
    TAL_TAKE(arena, own, count, "edges", err);
    TAL_TAKE(arena, color, count, "colors", err);
    TAL_TAKE(arena, by_color, count, "an order", err);
    TAL_TAKE(arena, parent, count, "island parents", err);
    TAL_TAKE(arena, island_of, count, "islands", err);
    TAL_TAKE(arena, island, count, "islands", err);
    TAL_TAKE(arena, island_body, count, "island bodies", err);
    TAL_TAKE(arena, color_end, count, "color ends", err);
    TAL_TAKE(arena, *order, count, "an order", err);
    for (int32_t k = 0; k < g->count; k++) {
        own[k] = (tal_edge){k, -1};
        for (int32_t n = r->start[k]; n < r->start[k + 1]; n++) {
            edge[n] = (tal_edge){k, r->column[n]};
        }
    }
    g->problem.island_count = tal_find_islands(edge, blocks, g->count, parent, island_of);
    tal_color_rows(r->start, r->column, g->count, color, by_color, &coloring);
    tal_sort_by_island(own, color, g->count, by_color, island_of, g->count, g->problem.island_count,
                       island, *order, island_body, color_end);
    g->problem.island = island;
    g->problem.island_body = island_body;
    g->problem.color_end = color_end;
    return TAL_OK;
}

static void copy_rows(tal_given_problem *g, const tal_local_input *in, const rows *r,
                      const int32_t *order) {
    for (int32_t p = 0; p < g->count; p++) {
        g->place[order[p]] = p;
    }
    int32_t next = 0;
    for (int32_t p = 0; p < g->count; p++) {
        const int32_t k = order[p];
        g->row_start[p] = next;
        for (int32_t n = r->start[k]; n < r->start[k + 1]; n++, next++) {
            g->column[next] = g->place[r->column[n]];
            memcpy(g->block[next], &in->block[9 * (size_t)r->block[n]], sizeof *g->block);
        }
        memcpy(g->q[p], &in->q[3 * k], sizeof *g->q);
        g->is_held[p] = in->is_held != NULL ? in->is_held[k] : 0;
    }
    g->row_start[g->count] = next;
}

// The velocities before do not matter here: q holds all that the percussions answer to.
static void set_contacts(tal_given_problem *g, const tal_local_input *in, const int32_t *order) {
    const double still[3] = {0.0, 0.0, 0.0};
    for (int32_t p = 0; p < g->count; p++) {
        tal_contact *c = &g->problem.contact[p];
        tal_pair *pair = &g->problem.pair[p];
        *pair = (tal_pair){.body_i = order[p],
                           .body_j = g->count,
                           .first_contact = p,
                           .contact_count = 1,
                           .is_general = 1};
        tal_contact_effective_mass(&g->problem, pair, p);
        if (g->is_held[p]) {
            tal_contact_hold(c, still, true, &g->more[p]);
        } else {
            const tal_local_law law =
                in->law != NULL ? in->law[order[p]] : tal_dry_law(in->friction[order[p]]);
            tal_contact_set_law(c, &law, &g->more[p]);
        }
    }
}

static tal_status fill(tal_given_problem *g, const tal_local_input *in, int thread_count,
                       tal_error *err) {
    rows r = {0};
    int32_t *order = NULL;
    TAL_TRY(tal_arena_create(&g->arena, 65536, err));
    g->count = in->contact_count;
    TAL_TRY(make_rows(&g->arena, in, &r, err));
    TAL_TRY(take_arrays(g, in->block_count, err));
    TAL_TRY(set_order(g, &r, &order, err));
    copy_rows(g, in, &r, order);
    g->problem.body_count = g->problem.general_count = g->count;
    g->problem.general = g->body;
    g->problem.pair_count = g->problem.contact_count = g->count;
    g->problem.thread_count = thread_count;
    for (int32_t b = 0; b < g->count; b++) {
        g->body[b] = (tal_general_body){.kind = &GIVEN,
                                        .body = g,
                                        .is_mobile = true,
                                        .motion = &g->nothing,
                                        .last = &g->nothing};
    }
    set_contacts(g, in, order);
    for (int32_t n = 0; n < g->problem.island_count; n++) {
        const tal_island *island = &g->problem.island[n];
        for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
            g->problem.pair[p].island = n;
        }
    }
    return TAL_OK;
}

tal_status tal_given_create(tal_given_problem **problem, const tal_local_input *input,
                            int thread_count, tal_error *err) {
    *problem = NULL;
    TAL_TRY(check_input(input, err));
    tal_given_problem *made;
    TAL_CREATE(made, 1, "a contact problem", err);
    const tal_status status = fill(made, input, thread_count, err);
    if (status != TAL_OK) {
        tal_given_destroy(made);
        return status;
    }
    *problem = made;
    return TAL_OK;
}

tal_status tal_given_create_global(tal_given_problem **problem, const tal_global_input *input,
                                   int thread_count, tal_error *err) {
    *problem = NULL;
    tal_mass *mass = NULL;
    tal_local_input reduced;
    TAL_TRY(tal_mass_create(&mass, input, &reduced, err));
    const tal_status status = tal_given_create(problem, &reduced, thread_count, err);
    if (status != TAL_OK) {
        tal_mass_destroy(mass);
        return status;
    }
    (*problem)->mass = mass;
    return TAL_OK;
}

void tal_given_destroy(tal_given_problem *problem) {
    if (problem == NULL) {
        return;
    }
    tal_mass_destroy(problem->mass);
    tal_arena_destroy(&problem->arena);
    tal_memory_destroy(problem);
}

void tal_given_start(tal_given_problem *g, const double *percussion) {
    for (int32_t k = 0; k < g->count; k++) {
        memcpy(g->problem.contact[g->place[k]].percussion, &percussion[3 * k], 3 * sizeof(double));
    }
}

void tal_given_percussions(const tal_given_problem *g, double *r) {
    for (int32_t k = 0; k < g->count; k++) {
        memcpy(&r[3 * k], g->problem.contact[g->place[k]].percussion, 3 * sizeof(double));
    }
}

void tal_given_velocities(const tal_given_problem *g, double *u) {
    for (int32_t k = 0; k < g->count; k++) {
        row_velocity(g, g->place[k], &u[3 * k]);
    }
}

void tal_given_motion(const tal_given_problem *g, double *v) {
    TAL_ASSERT(g->mass != NULL);
    tal_mass_begin(g->mass, v);
    for (int32_t k = 0; k < g->count; k++) {
        tal_mass_add(g->mass, k, g->problem.contact[g->place[k]].percussion, v);
    }
    tal_mass_solve(g->mass, v);
}

static double square_of(const double x[3]) {
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

static double mean_inverse_mass(const tal_contact *c) {
    return (c->w[0] + c->w[3] + c->w[5]) / 3.0;
}

static double ratio(double square, double size) {
    return square > 0.0 ? sqrt(square / size) : 0.0;
}

tal_given_error tal_given_measure(const tal_given_problem *g) {
    double by_contact = 0.0, by_unit = 0.0, r_square = 0.0, u_square = 0.0, q_square = 0.0;
    for (int32_t p = 0; p < g->count; p++) {
        const tal_contact *c = &g->problem.contact[p];
        double u[3], e[3];
        row_velocity(g, p, u);
        tal_law_residual(c, u, 1.0 / mean_inverse_mass(c), e);
        by_contact += square_of(e);
        tal_law_residual(c, u, 1.0, e);
        by_unit += square_of(e);
        r_square += square_of(c->percussion);
        u_square += square_of(u);
        q_square += square_of(g->q[p]);
    }
    return (tal_given_error){.by_contact = ratio(by_contact, r_square),
                             .by_unit = ratio(by_unit, fmax(q_square, fmax(r_square, u_square)))};
}

// Scales that make the residual of the sweeps |e| / (tightness |r|). Before the first solve |r| is
// what stops each contact alone.
static void set_scales(tal_given_problem *g, double tightness) {
    double square = 0.0, guess = 0.0;
    for (int32_t p = 0; p < g->count; p++) {
        const double w = mean_inverse_mass(&g->problem.contact[p]);
        square += square_of(g->problem.contact[p].percussion);
        guess += square_of(g->q[p]) / (w * w);
    }
    const double size = tightness * tightness * (square > 0.0 ? square : guess) / g->count;
    for (int32_t p = 0; p < g->count; p++) {
        g->problem.pair[p].energy_scale = mean_inverse_mass(&g->problem.contact[p]) * size;
    }
}

tal_given_result tal_given_solve(tal_given_problem *g, double tolerance, int sweeps_max) {
    TAL_ASSERT(tolerance > 0.0 && sweeps_max >= 1);
    TAL_VALIDATE(tal_problem_is_valid(&g->problem, g->scratch));
    tal_given_result result = {.error = tal_given_measure(g)};
    double tightness = 1.0;
    for (int round = 0; round < ROUNDS_MAX && result.sweeps < sweeps_max; round++) {
        const tal_solver_goal goal = {
            .tolerance = tolerance, .sweeps_min = 1, .sweeps_max = sweeps_max - result.sweeps};
        tal_solver_result solved;
        set_scales(g, tightness);
        tal_solve_percussions(&g->problem, &g->work, NULL, &goal, &solved);
        result.sweeps += solved.iterations;
        result.error = tal_given_measure(g);
        const double worst = fmax(result.error.by_contact, result.error.by_unit);
        result.is_solved = worst <= tolerance;
        if (result.is_solved) {
            break;
        }
        tightness *= TIGHTER * fmin(1.0, tolerance / worst);
    }
    return result;
}
