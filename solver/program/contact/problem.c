// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/program/contact/problem.h"

#include "core/base/file.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tal_status tal_triplets_create(tal_triplets *t, int64_t count, tal_error *err) {
    if (count < 0 || count > INT32_MAX / 9) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "a matrix with %lld entries: at most %d are possible",
                        (long long)count, INT32_MAX / 9);
    }
    t->count = count;
    TAL_CREATE(t->row, (size_t)count, "rows of a matrix", err);
    TAL_CREATE(t->column, (size_t)count, "columns of a matrix", err);
    TAL_CREATE(t->value, (size_t)count, "values of a matrix", err);
    return TAL_OK;
}

void tal_triplets_destroy(tal_triplets *t) {
    tal_memory_destroy(t->row);
    tal_memory_destroy(t->column);
    tal_memory_destroy(t->value);
    *t = (tal_triplets){0};
}

void tal_contact_problem_destroy(tal_contact_problem *p) {
    tal_mass_destroy(p->masses);
    tal_triplets_destroy(&p->w);
    tal_triplets_destroy(&p->mass);
    tal_triplets_destroy(&p->h);
    tal_acd2_law_destroy(&p->acd2);
    void *all[] = {p->friction,     p->q,     p->guess, p->f, p->block_row,
                   p->block_column, p->block, p->law};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tal_memory_destroy(all[i]);
    }
    *p = (tal_contact_problem){0};
}

bool tal_contact_problem_takes(const char *name, double value) {
    static const char *const endless[] = {"mu", "kn", "kt", "bound"};
    bool is_endless = false;
    for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++) {
        is_endless = is_endless || strcmp(name, endless[i]) == 0;
    }
    return isfinite(value) || (isinf(value) && is_endless);
}

// Row 2k + a of a plane contact is row 3k + a of the lifted one.
static int32_t lift(const tal_contact_problem *p, int32_t row) {
    return p->dimension == 3 ? row : 3 * (row / 2) + row % 2;
}

static tal_status check_places(const tal_triplets *t, const char *name, tal_error *err) {
    for (int64_t n = 0; n < t->count; n++) {
        if (t->row[n] < 0 || t->row[n] >= t->row_count || t->column[n] < 0 ||
            t->column[n] >= t->column_count) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "entry %lld of %s is at (%d, %d), outside of %d by %d", (long long)n,
                            name, t->row[n], t->column[n], t->row_count, t->column_count);
        }
    }
    return TAL_OK;
}

// An entry of W and where it goes.
typedef struct {
    int32_t row, column; // of blocks
    int place;           // in the block
    double value;
} entry;

static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    if (x->column != y->column) {
        return x->column < y->column ? -1 : 1;
    }
    return (x->place > y->place) - (x->place < y->place);
}

// All entries twice, the second time at the mirrored place with value 0 (both blocks of a pair have to
// be there), and those of the lifted tangents.
static int64_t list_entries(const tal_contact_problem *p, entry *list) {
    const tal_triplets *w = &p->w;
    int64_t count = 0;
    for (int64_t n = 0; n < w->count; n++) {
        const int32_t i = lift(p, w->row[n]), j = lift(p, w->column[n]);
        list[count++] = (entry){i / 3, j / 3, 3 * (i % 3) + j % 3, w->value[n]};
        list[count++] = (entry){j / 3, i / 3, 3 * (j % 3) + i % 3, 0.0};
        if (p->dimension == 2 && i == j && i % 3 == 1) {
            list[count++] = (entry){i / 3, i / 3, 8, w->value[n] > 0.0 ? w->value[n] : 1.0};
        }
    }
    return count;
}

static int32_t gather_blocks(tal_contact_problem *p, const entry *list, int64_t count) {
    int32_t blocks = 0;
    for (int64_t n = 0; n < count; n++) {
        if (n == 0 || list[n].row != list[n - 1].row || list[n].column != list[n - 1].column) {
            p->block_row[blocks] = list[n].row;
            p->block_column[blocks] = list[n].column;
            blocks++;
        }
        p->block[9 * (ptrdiff_t)(blocks - 1) + list[n].place] += list[n].value;
    }
    return blocks;
}

static tal_status make_blocks(tal_contact_problem *p, tal_error *err) {
    const size_t most = 3 * (size_t)p->w.count + 1;
    entry *list;
    TAL_TRY(check_places(&p->w, "W", err));
    TAL_CREATE(p->block_row, most, "blocks of W", err);
    TAL_CREATE(p->block_column, most, "blocks of W", err);
    TAL_CREATE(list, most, "entries of W", err);
    const int64_t count = list_entries(p, list);
    qsort(list, (size_t)count, sizeof *list, compare_entries);
    int64_t blocks = 0;
    for (int64_t n = 0; n < count; n++) {
        blocks += n == 0 || list[n].row != list[n - 1].row || list[n].column != list[n - 1].column;
    }
    p->block = tal_memory_create(9 * (size_t)blocks, sizeof *p->block);
    if (p->block != NULL) {
        p->input.block_count = gather_blocks(p, list, count);
    }
    tal_memory_destroy(list);
    return p->block != NULL ? TAL_OK : tal_memory_failed(err, "blocks of W", 9 * (size_t)blocks, 8);
}

static tal_status prepare_local(tal_contact_problem *p, tal_error *err) {
    TAL_TRY(make_blocks(p, err));
    p->input.row = p->block_row;
    p->input.column = p->block_column;
    p->input.block = p->block;
    return TAL_OK;
}

// A motion of its own for the second tangent of every contact, with the mean mass of the others: it never
// starts to move.
static tal_status lift_masses(tal_contact_problem *p, tal_error *err) {
    const int32_t motions = p->motion_count, contacts = p->contact_count;
    double sum = 0.0;
    for (int64_t n = 0; n < p->mass.count; n++) {
        sum += p->mass.row[n] == p->mass.column[n] ? p->mass.value[n] : 0.0;
    }
    tal_triplets *side[2] = {&p->mass, &p->h};
    for (int s = 0; s < 2; s++) {
        tal_triplets old = *side[s], grown = {.row_count = motions + contacts};
        grown.column_count = s == 0 ? motions + contacts : 3 * contacts;
        TAL_TRY(tal_triplets_create(&grown, old.count + contacts, err));
        for (int64_t n = 0; n < old.count; n++) {
            grown.row[n] = old.row[n];
            grown.column[n] = s == 0 ? old.column[n] : lift(p, old.column[n]);
            grown.value[n] = old.value[n];
        }
        for (int32_t k = 0; k < contacts; k++) {
            grown.row[old.count + k] = motions + k;
            grown.column[old.count + k] = s == 0 ? motions + k : 3 * k + 2;
            grown.value[old.count + k] = s == 0 ? sum / motions : 1.0;
        }
        tal_triplets_destroy(&old);
        *side[s] = grown;
    }
    double *f = tal_memory_grow(p->f, (size_t)motions, (size_t)(motions + contacts), sizeof *f);
    if (f == NULL) {
        return tal_memory_failed(err, "forces", (size_t)(motions + contacts), sizeof *f);
    }
    p->f = f;
    p->motion_count = motions + contacts;
    return TAL_OK;
}

static tal_status prepare_global(tal_contact_problem *p, tal_error *err) {
    TAL_TRY(check_places(&p->mass, "M", err));
    TAL_TRY(check_places(&p->h, "H", err));
    if (p->dimension == 2) {
        TAL_TRY(lift_masses(p, err));
    }
    const tal_global_input input = {
        .contact_count = p->contact_count,
        .friction = p->friction,
        .w = p->q,
        .motion_count = p->motion_count,
        .f = p->f,
        .mass = {(int32_t)p->mass.count, p->mass.row, p->mass.column, p->mass.value},
        .h = {(int32_t)p->h.count, p->h.row, p->h.column, p->h.value}};
    return tal_mass_create(&p->masses, &input, &p->input, err);
}

static tal_status prepare_laws(tal_contact_problem *p, tal_error *err) {
    for (int32_t k = 0; !p->has_cones && k < p->contact_count; k++) {
        p->friction[k] = INFINITY;
    }
    TAL_TRY(tal_acd2_check(&p->acd2, p->friction, p->contact_count, err));
    TAL_CREATE(p->law, (size_t)p->contact_count, "laws", err);
    for (int32_t k = 0; k < p->contact_count; k++) {
        p->law[k] = tal_acd2_local(&p->acd2, p->friction, k);
    }
    p->input.law = p->law;
    return TAL_OK;
}

static tal_status prepare_matrix(tal_contact_problem *p, const char *path, tal_error *err) {
    if (p->motion_count == 0 && p->is_global) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: M is empty", path);
    }
    p->input =
        (tal_local_input){.contact_count = p->contact_count, .friction = p->friction, .q = p->q};
    return p->is_global ? prepare_global(p, err) : prepare_local(p, err);
}

static tal_status prepare(tal_contact_problem *p, const char *path, tal_error *err) {
    TAL_TRY(prepare_matrix(p, path, err));
    return p->is_acd2 ? prepare_laws(p, err) : TAL_OK;
}

static tal_status read_any(tal_contact_problem *p, const char *path, tal_error *err) {
    static const unsigned char hdf5[4] = {0x89, 'H', 'D', 'F'};
    unsigned char first[4] = {0};
    TAL_TRY(tal_file_check_readable(path, err));
    FILE *stream = fopen(path, "rb");
    const size_t count = stream != NULL ? fread(first, 1, sizeof first, stream) : 0;
    if (stream != NULL) {
        fclose(stream);
    }
    const bool is_hdf5 = count == sizeof first && memcmp(first, hdf5, sizeof hdf5) == 0;
    snprintf(p->title, sizeof p->title, "%s", tal_path_name(path));
    TAL_TRY(is_hdf5 ? tal_fclib_read(p, path, err) : tal_plain_read(p, path, err));
    return prepare(p, path, err);
}

// All or nothing.
static tal_status kept(tal_contact_problem *p, tal_status status) {
    if (status != TAL_OK) {
        tal_contact_problem_destroy(p);
    }
    return status;
}

tal_status tal_contact_problem_read(tal_contact_problem *p, const char *path, tal_error *err) {
    *p = (tal_contact_problem){0};
    return kept(p, read_any(p, path, err));
}

tal_status tal_contact_problem_parse(tal_contact_problem *p, const char *text, const char *name,
                                     tal_error *err) {
    *p = (tal_contact_problem){0};
    const tal_status status = tal_plain_parse(p, text, name, err);
    return kept(p, status == TAL_OK ? prepare(p, name, err) : status);
}

static bool ends_in(const char *path, const char *end) {
    const size_t length = strlen(path), tail = strlen(end);
    return length >= tail && strcmp(path + length - tail, end) == 0;
}

tal_status tal_contact_problem_write(const tal_contact_problem *p, const double *r,
                                     const char *path, tal_error *err) {
    const bool is_hdf5 = ends_in(path, ".hdf5") || ends_in(path, ".h5");
    return is_hdf5 ? tal_fclib_write(p, r, path, err) : tal_plain_write(p, r, path, err);
}

void tal_contact_problem_velocity(const tal_contact_problem *p, const double *r, double *u) {
    const tal_local_input *in = &p->input;
    memcpy(u, in->q, 3 * (size_t)in->contact_count * sizeof *u);
    for (int32_t n = 0; n < in->block_count; n++) {
        const double *b = &in->block[9 * (ptrdiff_t)n], *s = &r[3 * in->column[n]];
        for (int a = 0; a < 3; a++) {
            u[3 * in->row[n] + a] += b[3 * a] * s[0] + b[3 * a + 1] * s[1] + b[3 * a + 2] * s[2];
        }
    }
}

void tal_contact_problem_motion(const tal_contact_problem *p, const double *r, double *v) {
    TAL_ASSERT(p->masses != NULL);
    tal_mass_begin(p->masses, v);
    for (int32_t k = 0; k < p->contact_count; k++) {
        tal_mass_add(p->masses, k, &r[3 * k], v);
    }
    tal_mass_solve(p->masses, v);
}
