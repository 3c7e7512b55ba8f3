// SPDX-License-Identifier: GPL-3.0-or-later
// M is taken apart into bodies, the sets of velocities that are connected in it, and each is factored by
// Cholesky as a full matrix. W_kl = sum over the bodies both touch of (L^-1 H_k)' (L^-1 H_l).
#include "solver/percussion/given_mass.h"

#include "core/base/arena.h"
#include "core/base/memory.h"
#include "solver/percussion/coloring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A full factor of so many velocities has 64 MB; larger bodies are better reduced by who gives them.
enum { BODY_MOTION_MAX = 4000 };

// One entry of H, sorted by contact, then body.
typedef struct {
    int32_t contact, body, motion, axis;
    double value;
} h_entry;

// L^-1 H of one contact at one body: 3 columns of its velocities.
typedef struct {
    int32_t contact, body;
    size_t first; // in `column`
} reach;

typedef struct {
    int32_t row, column, body;
    double value[9];
} w_part;

struct tal_mass {
    tal_arena arena;
    int32_t motion_count, contact_count, body_count;
    int32_t *body_of, *local;       // of each velocity: its body, its number there
    int32_t *size;                  // of each body
    int32_t *first_member, *member; // the velocities of each body
    size_t *first;                  // of each body in `factor`
    double *factor;                 // L, row by row
    double *f;
    int32_t h_count;
    h_entry *h;
    int32_t *h_start; // by contact
    int32_t reach_count;
    reach *touch; // by body, then contact
    double *column;
    int32_t part_count;
    w_part *part;
    double *friction, *q, *block;
    uint8_t *is_held;
    int32_t *row, *col;
};

#define FAULT(...)                                                                                 \
    do {                                                                                           \
        fault_count++;                                                                             \
        tal_error_add(err, TAL_BAD_INPUT, __VA_ARGS__);                                            \
    } while (0)

static int check_entries(const tal_entries *e, const char *name, int32_t rows, int32_t columns,
                         tal_error *err) {
    int fault_count = 0;
    for (int32_t n = 0; n < e->count; n++) {
        if (e->row[n] < 0 || e->row[n] >= rows || e->column[n] < 0 || e->column[n] >= columns) {
            FAULT("entry %d of %s is at (%d, %d), but the matrix is %d x %d", n, name, e->row[n],
                  e->column[n], rows, columns);
        } else if (!isfinite(e->value[n])) {
            FAULT("entry %d of %s, at (%d, %d), is not finite", n, name, e->row[n], e->column[n]);
        }
    }
    return fault_count;
}

static tal_status check_input(const tal_global_input *in, tal_error *err) {
    int fault_count = 0;
    if (in->contact_count < 1 || in->motion_count < 1 || in->h.count < 1) {
        FAULT("the problem has %d contacts, %d velocities and %d entries in H: nothing to do",
              in->contact_count, in->motion_count, in->h.count);
    }
    fault_count += check_entries(&in->mass, "M", in->motion_count, in->motion_count, err);
    fault_count += check_entries(&in->h, "H", in->motion_count, 3 * in->contact_count, err);
    return fault_count > 0 ? TAL_BAD_INPUT : TAL_OK;
}

// Bodies: what is connected in M.
static tal_status find_bodies(tal_mass *m, const tal_global_input *in, tal_error *err) {
    const size_t count = (size_t)in->motion_count;
    tal_edge *edge;
    int32_t *parent;
    TAL_TAKE(&m->arena, edge, (size_t)in->mass.count + count, "edges", err);
    TAL_TAKE(&m->arena, parent, count, "parents", err);
    TAL_TAKE(&m->arena, m->body_of, count, "bodies", err);
    TAL_TAKE(&m->arena, m->local, count, "numbers", err);
    for (int32_t n = 0; n < in->mass.count; n++) {
        edge[n] = (tal_edge){in->mass.row[n], in->mass.column[n]};
    }
    for (int32_t n = 0; n < in->motion_count; n++) {
        edge[in->mass.count + n] = (tal_edge){n, n};
    }
    m->body_count = tal_find_islands(edge, in->mass.count + in->motion_count, in->motion_count,
                                     parent, m->body_of);
    TAL_TAKE(&m->arena, m->size, (size_t)m->body_count, "sizes", err);
    TAL_TAKE(&m->arena, m->first, (size_t)m->body_count, "factors", err);
    for (int32_t n = 0; n < in->motion_count; n++) {
        m->local[n] = m->size[m->body_of[n]]++;
    }
    TAL_TAKE(&m->arena, m->first_member, (size_t)m->body_count + 1, "bodies", err);
    TAL_TAKE(&m->arena, m->member, count, "velocities of bodies", err);
    for (int32_t b = 0; b < m->body_count; b++) {
        m->first_member[b + 1] = m->first_member[b] + m->size[b];
    }
    for (int32_t n = 0; n < in->motion_count; n++) {
        m->member[m->first_member[m->body_of[n]] + m->local[n]] = n;
    }
    size_t total = 0;
    for (int32_t b = 0; b < m->body_count; b++) {
        if (m->size[b] > BODY_MOTION_MAX) {
            return TAL_FAIL(err, TAL_TOO_LARGE,
                            "M connects %d velocities, at most %d can be factored: give W instead",
                            m->size[b], BODY_MOTION_MAX);
        }
        m->first[b] = total;
        total += (size_t)m->size[b] * (size_t)m->size[b];
    }
    TAL_TAKE(&m->arena, m->factor, total, "the factors of M", err);
    return TAL_OK;
}

static bool factor_body(double *l, int32_t n) {
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n; i++) {
            double sum = l[i * n + j];
            for (int32_t k = 0; k < j; k++) {
                sum -= l[i * n + k] * l[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    }
    return true;
}

static tal_status factor(tal_mass *m, const tal_global_input *in, tal_error *err) {
    for (int32_t n = 0; n < in->mass.count; n++) {
        const int32_t i = in->mass.row[n], j = in->mass.column[n], b = m->body_of[i];
        m->factor[m->first[b] + (size_t)m->local[i] * (size_t)m->size[b] + (size_t)m->local[j]] =
            in->mass.value[n];
    }
    for (int32_t b = 0; b < m->body_count; b++) {
        if (!factor_body(&m->factor[m->first[b]], m->size[b])) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "M is not positive definite (its body %d of %d, with %d velocities)", b,
                            m->body_count, m->size[b]);
        }
    }
    return TAL_OK;
}

// x = L^-1 x, with every `stride`-th number of x.
static void forward(const double *l, int32_t n, double *x, int stride) {
    for (int32_t i = 0; i < n; i++) {
        double sum = x[i * stride];
        for (int32_t k = 0; k < i; k++) {
            sum -= l[i * n + k] * x[k * stride];
        }
        x[i * stride] = sum / l[i * n + i];
    }
}

static void backward(const double *l, int32_t n, double *x) {
    for (int32_t i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int32_t k = i + 1; k < n; k++) {
            sum -= l[k * n + i] * x[k];
        }
        x[i] = sum / l[i * n + i];
    }
}

static int compare_h(const void *a, const void *b) {
    const h_entry *x = a, *y = b;
    if (x->contact != y->contact) {
        return x->contact < y->contact ? -1 : 1;
    }
    if (x->body != y->body) {
        return x->body < y->body ? -1 : 1;
    }
    return x->motion != y->motion ? (x->motion < y->motion ? -1 : 1) : x->axis - y->axis;
}

static tal_status sort_h(tal_mass *m, const tal_global_input *in, tal_error *err) {
    TAL_TAKE(&m->arena, m->h, (size_t)in->h.count, "H", err);
    TAL_TAKE(&m->arena, m->h_start, (size_t)in->contact_count + 1, "rows of H", err);
    m->h_count = in->h.count;
    for (int32_t n = 0; n < in->h.count; n++) {
        const int32_t motion = in->h.row[n], contact = in->h.column[n] / 3;
        m->h[n] =
            (h_entry){contact, m->body_of[motion], motion, in->h.column[n] % 3, in->h.value[n]};
        m->h_start[contact + 1]++;
    }
    for (int32_t k = 0; k < in->contact_count; k++) {
        m->h_start[k + 1] += m->h_start[k];
    }
    qsort(m->h, (size_t)in->h.count, sizeof *m->h, compare_h);
    return TAL_OK;
}

static int compare_reach(const void *a, const void *b) {
    const reach *x = a, *y = b;
    if (x->body != y->body) {
        return x->body < y->body ? -1 : 1;
    }
    return x->contact < y->contact ? -1 : x->contact > y->contact;
}

static bool begins_reach(const tal_mass *m, int32_t n) {
    return n == 0 || m->h[n].contact != m->h[n - 1].contact || m->h[n].body != m->h[n - 1].body;
}

// L^-1 H for each contact and each body it touches.
static tal_status make_columns(tal_mass *m, tal_error *err) {
    size_t total = 0;
    int32_t count = 0;
    for (int32_t n = 0; n < m->h_count; n++) {
        count += begins_reach(m, n);
        total += begins_reach(m, n) ? 3 * (size_t)m->size[m->h[n].body] : 0;
    }
    TAL_TAKE(&m->arena, m->touch, (size_t)count, "contacts of bodies", err);
    TAL_TAKE(&m->arena, m->column, total, "columns", err);
    total = 0;
    for (int32_t n = 0; n < m->h_count; n++) {
        const h_entry *h = &m->h[n];
        if (begins_reach(m, n)) {
            m->touch[m->reach_count++] = (reach){h->contact, h->body, total};
            total += 3 * (size_t)m->size[h->body];
        }
        m->column[m->touch[m->reach_count - 1].first + 3 * (size_t)m->local[h->motion] +
                  (size_t)h->axis] += h->value;
    }
    for (int32_t t = 0; t < m->reach_count; t++) {
        const int32_t b = m->touch[t].body;
        for (size_t axis = 0; axis < 3; axis++) {
            forward(&m->factor[m->first[b]], m->size[b], &m->column[m->touch[t].first + axis], 3);
        }
    }
    qsort(m->touch, (size_t)m->reach_count, sizeof *m->touch, compare_reach);
    return TAL_OK;
}

static int compare_part(const void *a, const void *b) {
    const w_part *x = a, *y = b;
    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    if (x->column != y->column) {
        return x->column < y->column ? -1 : 1;
    }
    return x->body < y->body ? -1 : x->body > y->body;
}

static void multiply(const tal_mass *m, const reach *a, const reach *b, double value[9]) {
    const double *x = &m->column[a->first], *y = &m->column[b->first];
    for (int32_t n = 0; n < m->size[a->body]; n++) {
        for (int f = 0; f < 3; f++) {
            for (int g = 0; g < 3; g++) {
                value[3 * f + g] += x[3 * n + f] * y[3 * n + g];
            }
        }
    }
}

static int32_t end_of_body(const tal_mass *m, int32_t t) {
    int32_t end = t;
    while (end < m->reach_count && m->touch[end].body == m->touch[t].body) {
        end++;
    }
    return end;
}

static tal_status make_parts(tal_mass *m, tal_error *err) {
    size_t total = 0;
    for (int32_t t = 0; t < m->reach_count; t = end_of_body(m, t)) {
        const size_t touching = (size_t)(end_of_body(m, t) - t);
        total += touching * touching;
    }
    if (total > INT32_MAX / 2) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "W has more than %d blocks", INT32_MAX / 2);
    }
    TAL_TAKE(&m->arena, m->part, total, "W", err);
    for (int32_t t = 0; t < m->reach_count;) {
        const int32_t end = end_of_body(m, t);
        for (int32_t a = t; a < end; a++) {
            for (int32_t b = t; b < end; b++) {
                w_part *part = &m->part[m->part_count++];
                *part = (w_part){m->touch[a].contact, m->touch[b].contact, m->touch[t].body, {0}};
                multiply(m, &m->touch[a], &m->touch[b], part->value);
            }
        }
        t = end;
    }
    qsort(m->part, (size_t)m->part_count, sizeof *m->part, compare_part);
    return TAL_OK;
}

static tal_status make_blocks(tal_mass *m, tal_local_input *reduced, tal_error *err) {
    const size_t room = (size_t)m->part_count;
    TAL_TAKE(&m->arena, m->row, room, "rows of W", err);
    TAL_TAKE(&m->arena, m->col, room, "columns of W", err);
    TAL_TAKE(&m->arena, m->block, 9 * room, "blocks of W", err);
    int32_t count = 0;
    for (int32_t n = 0; n < m->part_count; n++) {
        const w_part *part = &m->part[n];
        if (n == 0 || part->row != part[-1].row || part->column != part[-1].column) {
            m->row[count] = part->row;
            m->col[count++] = part->column;
        }
        for (int f = 0; f < 9; f++) {
            m->block[9 * (size_t)(count - 1) + (size_t)f] += part->value[f];
        }
    }
    *reduced = (tal_local_input){.contact_count = m->contact_count,
                                 .block_count = count,
                                 .row = m->row,
                                 .column = m->col,
                                 .block = m->block};
    return TAL_OK;
}

// q = H' M^-1 f + w, and copies of the rest.
static tal_status make_free(tal_mass *m, const tal_global_input *in, tal_local_input *reduced,
                            tal_error *err) {
    const size_t contacts = (size_t)in->contact_count;
    double *v;
    TAL_TAKE(&m->arena, m->q, 3 * contacts, "free velocities", err);
    TAL_TAKE(&m->arena, v, (size_t)in->motion_count, "a motion", err);
    memcpy(m->q, in->w, 3 * contacts * sizeof *m->q);
    tal_mass_begin(m, v);
    tal_mass_solve(m, v);
    for (int32_t n = 0; n < m->h_count; n++) {
        m->q[3 * m->h[n].contact + m->h[n].axis] += m->h[n].value * v[m->h[n].motion];
    }
    reduced->q = m->q;
    reduced->friction = in->friction;
    reduced->is_held = in->is_held;
    return TAL_OK;
}

static tal_status fill(tal_mass *m, const tal_global_input *in, tal_local_input *reduced,
                       tal_error *err) {
    TAL_TRY(tal_arena_create(&m->arena, 65536, err));
    m->motion_count = in->motion_count;
    m->contact_count = in->contact_count;
    TAL_TAKE(&m->arena, m->f, (size_t)in->motion_count, "forces", err);
    memcpy(m->f, in->f, (size_t)in->motion_count * sizeof *m->f);
    TAL_TRY(find_bodies(m, in, err));
    TAL_TRY(factor(m, in, err));
    TAL_TRY(sort_h(m, in, err));
    TAL_TRY(make_columns(m, err));
    TAL_TRY(make_parts(m, err));
    TAL_TRY(make_blocks(m, reduced, err));
    return make_free(m, in, reduced, err);
}

tal_status tal_mass_create(tal_mass **mass, const tal_global_input *input, tal_local_input *reduced,
                           tal_error *err) {
    *mass = NULL;
    TAL_TRY(check_input(input, err));
    tal_mass *made;
    TAL_CREATE(made, 1, "the masses of a contact problem", err);
    const tal_status status = fill(made, input, reduced, err);
    if (status != TAL_OK) {
        tal_mass_destroy(made);
        return status;
    }
    *mass = made;
    return TAL_OK;
}

void tal_mass_destroy(tal_mass *mass) {
    if (mass != NULL) {
        tal_arena_destroy(&mass->arena);
        tal_memory_destroy(mass);
    }
}

void tal_mass_begin(const tal_mass *m, double *v) {
    memcpy(v, m->f, (size_t)m->motion_count * sizeof *v);
}

void tal_mass_add(const tal_mass *m, int32_t contact, const double r[3], double *v) {
    for (int32_t n = m->h_start[contact]; n < m->h_start[contact + 1]; n++) {
        v[m->h[n].motion] += m->h[n].value * r[m->h[n].axis];
    }
}

// Velocities of a body need not stand together in v: they are gathered, solved and put back.
void tal_mass_solve(const tal_mass *m, double *v) {
    double x[BODY_MOTION_MAX];
    for (int32_t b = 0; b < m->body_count; b++) {
        const int32_t *member = &m->member[m->first_member[b]];
        for (int32_t n = 0; n < m->size[b]; n++) {
            x[n] = v[member[n]];
        }
        forward(&m->factor[m->first[b]], m->size[b], x, 1);
        backward(&m->factor[m->first[b]], m->size[b], x);
        for (int32_t n = 0; n < m->size[b]; n++) {
            v[member[n]] = x[n];
        }
    }
}
