// SPDX-License-Identifier: GPL-3.0-or-later
// The plain form (docs/formats.md, "Contact problems"): keywords, numbers, comments after #.
#include "solver/program/contact/problem.h"

#include "core/base/file.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *path, *at;
    int line;
} scanner;

static void skip_blanks(scanner *s) {
    for (;; s->at++) {
        if (*s->at == '#') {
            while (*s->at != '\0' && *s->at != '\n') {
                s->at++;
            }
        }
        if (*s->at == '\n') {
            s->line++;
        } else if (!isspace((unsigned char)*s->at)) {
            return;
        }
    }
}

enum { WORD_SIZE = 64 };

static bool next_word(scanner *s, char word[WORD_SIZE]) {
    size_t length = 0;
    skip_blanks(s);
    while (*s->at != '\0' && !isspace((unsigned char)*s->at)) {
        if (length + 1 < WORD_SIZE) {
            word[length++] = *s->at;
        }
        s->at++;
    }
    word[length] = '\0';
    return length > 0;
}

static tal_status next_number(scanner *s, const char *what, double *value, tal_error *err) {
    char *end;
    skip_blanks(s);
    *value = strtod(s->at, &end);
    if (end == s->at || !(isspace((unsigned char)*end) || *end == '\0')) {
        char word[WORD_SIZE];
        next_word(s, word);
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: '%s' is not a number (%s)", s->path, s->line,
                        word, what);
    }
    if (!tal_contact_problem_takes(what, *value)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: %g in %s must be finite", s->path, s->line,
                        *value, what);
    }
    s->at = end;
    return TAL_OK;
}

static tal_status next_count(scanner *s, const char *what, int32_t *count, tal_error *err) {
    double value;
    TAL_TRY(next_number(s, what, &value, err));
    if (value != floor(value) || value < 0.0 || value > INT32_MAX / 27) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: %s = %g must be a count below %d", s->path,
                        s->line, what, value, INT32_MAX / 27);
    }
    *count = (int32_t)value;
    return TAL_OK;
}

// A number takes two bytes at least: a count that the rest of the file cannot hold is not believed.
static tal_status check_room(const scanner *s, const char *what, int64_t numbers, tal_error *err) {
    return numbers <= (int64_t)(strlen(s->at) / 2 + 1)
               ? TAL_OK
               : TAL_FAIL(err, TAL_BAD_INPUT,
                          "%s:%d: %s should have %lld numbers, but the file ends earlier", s->path,
                          s->line, what, (long long)numbers);
}

// `count` numbers; `per` of them make a contact, stored at a distance of `stride`.
static tal_status next_numbers(scanner *s, const char *what, int32_t count, int per, int stride,
                               double **to, tal_error *err) {
    if (*to != NULL) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: %s is given twice", s->path, s->line, what);
    }
    TAL_TRY(check_room(s, what, count, err));
    TAL_CREATE(*to, (size_t)(count / per + 1) * (size_t)stride, what, err);
    for (int32_t n = 0; n < count; n++) {
        TAL_TRY(next_number(s, what, &(*to)[(ptrdiff_t)(n / per) * stride + n % per], err));
    }
    return TAL_OK;
}

// `count` lines: row, column, and a block of `edge` by `edge` numbers.
static tal_status next_matrix(scanner *s, const char *what, int edge, int32_t rows, int32_t columns,
                              tal_triplets *t, tal_error *err) {
    int32_t blocks;
    if (t->row != NULL) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: %s is given twice", s->path, s->line, what);
    }
    TAL_TRY(next_count(s, what, &blocks, err));
    TAL_TRY(check_room(s, what, (int64_t)blocks * (edge * edge + 2), err));
    TAL_TRY(tal_triplets_create(t, (int64_t)blocks * edge * edge, err));
    t->row_count = rows;
    t->column_count = columns;
    for (int32_t n = 0, place = 0; n < blocks; n++) {
        int32_t row, column;
        TAL_TRY(next_count(s, what, &row, err));
        TAL_TRY(next_count(s, what, &column, err));
        for (int e = 0; e < edge * edge; e++, place++) {
            t->row[place] = edge * row + e / edge;
            t->column[place] = edge * column + e % edge;
            TAL_TRY(next_number(s, what, &t->value[place], err));
        }
    }
    return TAL_OK;
}

static tal_status read_kind(scanner *s, tal_contact_problem *p, tal_error *err) {
    char word[WORD_SIZE];
    next_word(s, word);
    p->is_global = strcmp(word, "global") == 0;
    if (!p->is_global && strcmp(word, "local") != 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: kind '%s' must be local or global", s->path,
                        s->line, word);
    }
    return TAL_OK;
}

static tal_status read_dimension(scanner *s, tal_contact_problem *p, tal_error *err) {
    int32_t dimension;
    TAL_TRY(next_count(s, "dim", &dimension, err));
    if (dimension != 2 && dimension != 3) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: dim = %d must be 2 or 3", s->path, s->line,
                        dimension);
    }
    p->dimension = dimension;
    return TAL_OK;
}

static tal_status read_law(scanner *s, tal_contact_problem *p, tal_error *err) {
    char word[WORD_SIZE];
    next_word(s, word);
    p->has_cones = strcmp(word, "acd2+coulomb") == 0;
    p->is_acd2 = p->has_cones || strcmp(word, "acd2") == 0;
    if (!p->is_acd2 && strcmp(word, "coulomb") != 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: law '%s' must be coulomb, acd2 or acd2+coulomb",
                        s->path, s->line, word);
    }
    return TAL_OK;
}

// What only acd2 has; NULL: none of it.
static double **acd2_numbers(tal_contact_problem *p, const char *word) {
    const struct {
        const char *name;
        double **to;
    } row[] = {{"kn", &p->acd2.kn}, {"kt", &p->acd2.kt}, {"bound", &p->acd2.bound}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (strcmp(word, row[i].name) == 0) {
            return row[i].to;
        }
    }
    return NULL;
}

// Solutions in a file are read over: everything is found anew.
static bool is_solution(const char *word) {
    return strcmp(word, "solution_r") == 0 || strcmp(word, "ref_r") == 0 ||
           strcmp(word, "ref_u") == 0;
}

// dim, nc or nd.
static tal_status read_size(scanner *s, tal_contact_problem *p, const char *word, tal_error *err) {
    const tal_acd2_law *law = &p->acd2;
    if (p->friction != NULL || p->q != NULL || p->f != NULL || p->guess != NULL ||
        law->kn != NULL || law->kt != NULL || law->before != NULL || law->bound != NULL ||
        p->w.row != NULL || p->mass.row != NULL || p->h.row != NULL) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: %s must stand before all that it counts",
                        s->path, s->line, word);
    }
    return strcmp(word, "dim") == 0
               ? read_dimension(s, p, err)
               : next_count(s, word, word[1] == 'c' ? &p->contact_count : &p->motion_count, err);
}

// One keyword and what belongs to it.
static tal_status read_section(scanner *s, tal_contact_problem *p, const char *word,
                               tal_error *err) {
    const int d = p->dimension;
    const int32_t rows = d * p->contact_count;
    if (strcmp(word, "kind") == 0) {
        return read_kind(s, p, err);
    }
    if (strcmp(word, "law") == 0) {
        return read_law(s, p, err);
    }
    if (acd2_numbers(p, word) != NULL) {
        return next_numbers(s, word, p->contact_count, 1, 1, acd2_numbers(p, word), err);
    }
    if (strcmp(word, "before") == 0) {
        return next_numbers(s, "before", rows, d, 3, &p->acd2.before, err);
    }
    if (strcmp(word, "dim") == 0 || strcmp(word, "nc") == 0 || strcmp(word, "nd") == 0) {
        return read_size(s, p, word, err);
    }
    if (strcmp(word, "mu") == 0) {
        return next_numbers(s, "mu", p->contact_count, 1, 1, &p->friction, err);
    }
    if (strcmp(word, "q") == 0 || strcmp(word, "w") == 0) {
        return next_numbers(s, word, rows, d, 3, &p->q, err);
    }
    if (strcmp(word, "f") == 0) {
        return next_numbers(s, "f", p->motion_count, 1, 1, &p->f, err);
    }
    if (strcmp(word, "guess_r") == 0) {
        return next_numbers(s, "guess_r", rows, d, 3, &p->guess, err);
    }
    if (is_solution(word)) {
        double *solution = NULL;
        const tal_status status = next_numbers(s, word, rows, d, 3, &solution, err);
        tal_memory_destroy(solution);
        return status;
    }
    if (strcmp(word, "W") == 0) {
        return next_matrix(s, "W", d, rows, rows, &p->w, err);
    }
    if (strcmp(word, "M") == 0) {
        return next_matrix(s, "M", 1, p->motion_count, p->motion_count, &p->mass, err);
    }
    if (strcmp(word, "H") == 0) {
        return next_matrix(s, "H", 1, p->motion_count, rows, &p->h, err);
    }
    return TAL_FAIL(
        err, TAL_BAD_INPUT,
        "%s:%d: '%s' is none of kind, dim, law, nc, nd, mu, kn, kt, before, bound, q, w, "
        "f, W, M, H, guess_r, solution_r, ref_r, ref_u, end",
        s->path, s->line, word);
}

static tal_status check_complete(const scanner *s, const tal_contact_problem *p, tal_error *err) {
    const struct {
        const char *name;
        bool is_missing;
    } part[] = {{"mu", (!p->is_acd2 || p->has_cones) && p->friction == NULL},
                {"kn", p->is_acd2 && p->acd2.kn == NULL},
                {"kt", p->is_acd2 && p->acd2.kt == NULL},
                {"before", p->is_acd2 && p->acd2.before == NULL},
                {p->is_global ? "w" : "q", p->q == NULL},
                {"W", !p->is_global && p->w.row == NULL},
                {"f", p->is_global && p->f == NULL},
                {"M", p->is_global && p->mass.row == NULL},
                {"H", p->is_global && p->h.row == NULL}};
    tal_error_reset(err);
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        if (part[i].is_missing) {
            tal_error_add(err, TAL_BAD_INPUT, "%s: %s is missing", s->path, part[i].name);
        }
    }
    if (p->contact_count == 0) {
        tal_error_add(err, TAL_BAD_INPUT, "%s: there are no contacts (nc)", s->path);
    }
    return err->message_count > 0 ? TAL_BAD_INPUT : TAL_OK;
}

// acd2 alone knows no cone: the friction that is read for it has no part.
static tal_status complete(const scanner *s, tal_contact_problem *p, tal_error *err) {
    TAL_TRY(check_complete(s, p, err));
    if (p->is_acd2 && p->friction == NULL) {
        TAL_CREATE(p->friction, (size_t)p->contact_count, "friction", err);
    }
    return TAL_OK;
}

static tal_status parse(scanner *s, tal_contact_problem *p, tal_error *err) {
    char word[WORD_SIZE];
    p->dimension = 3;
    if (!next_word(s, word) || strcmp(word, "FCP") != 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: neither FCLIB (HDF5) nor the plain form, whose first line is 'FCP 1'",
                        s->path);
    }
    int32_t version;
    TAL_TRY(next_count(s, "the version", &version, err));
    if (version != 1) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: version %d is not supported; only version 1 is",
                        s->path, s->line, version);
    }
    for (;;) {
        if (!next_word(s, word)) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: the file ends before 'end'", s->path,
                            s->line);
        }
        if (strcmp(word, "end") == 0) {
            return complete(s, p, err);
        }
        TAL_TRY(read_section(s, p, word, err));
    }
}

tal_status tal_plain_parse(tal_contact_problem *p, const char *text, const char *path,
                           tal_error *err) {
    scanner s = {.path = path, .at = text, .line = 1};
    return parse(&s, p, err);
}

tal_status tal_plain_read(tal_contact_problem *p, const char *path, tal_error *err) {
    char *text;
    size_t length;
    TAL_TRY(tal_file_read(path, &text, &length, err));
    const tal_status status = tal_plain_parse(p, text, path, err);
    tal_memory_destroy(text);
    return status;
}

static void print_numbers(tal_output *out, const char *name, int32_t count, const double *value) {
    tal_output_print(out, "%s\n", name);
    for (int32_t n = 0; n < count; n++) {
        tal_output_print(out, n + 1 < count ? "%.17g " : "%.17g\n", value[n]);
    }
}

static void print_entries(tal_output *out, const char *name, const tal_triplets *t) {
    tal_output_print(out, "%s %lld\n", name, (long long)t->count);
    for (int64_t n = 0; n < t->count; n++) {
        tal_output_print(out, "%d %d %.17g\n", t->row[n], t->column[n], t->value[n]);
    }
}

static void print_blocks(tal_output *out, const tal_local_input *in) {
    tal_output_print(out, "W %d\n", in->block_count);
    for (int32_t n = 0; n < in->block_count; n++) {
        tal_output_print(out, "%d %d", in->row[n], in->column[n]);
        for (int e = 0; e < 9; e++) {
            tal_output_print(out, " %.17g", in->block[9 * (ptrdiff_t)n + e]);
        }
        tal_output_print(out, "\n");
    }
}

tal_status tal_plain_write(const tal_contact_problem *p, const double *r, const char *path,
                           tal_error *err) {
    tal_output out;
    TAL_TRY(tal_output_open(&out, path, TAL_REPLACE, err));
    tal_output_print(&out, "FCP 1\n# %s\nkind %s\ndim 3\nnc %d\n", p->title,
                     p->is_global ? "global" : "local", p->contact_count);
    if (p->is_acd2) {
        tal_output_print(&out, "law %s\n", p->has_cones ? "acd2+coulomb" : "acd2");
        print_numbers(&out, "kn", p->contact_count, p->acd2.kn);
        print_numbers(&out, "kt", p->contact_count, p->acd2.kt);
        print_numbers(&out, "before", 3 * p->contact_count, p->acd2.before);
        if (p->acd2.bound != NULL) {
            print_numbers(&out, "bound", p->contact_count, p->acd2.bound);
        }
    }
    if (!p->is_acd2 || p->has_cones) {
        print_numbers(&out, "mu", p->contact_count, p->friction);
    }
    if (p->is_global) {
        tal_output_print(&out, "nd %d\n", p->motion_count);
        print_numbers(&out, "w", 3 * p->contact_count, p->q);
        print_numbers(&out, "f", p->motion_count, p->f);
        print_entries(&out, "M", &p->mass);
        print_entries(&out, "H", &p->h);
    } else {
        print_numbers(&out, "q", 3 * p->contact_count, p->q);
        print_blocks(&out, &p->input);
    }
    if (p->guess != NULL) {
        print_numbers(&out, "guess_r", 3 * p->contact_count, p->guess);
    }
    if (r != NULL) {
        print_numbers(&out, "solution_r", 3 * p->contact_count, r);
    }
    tal_output_print(&out, "end\n");
    return tal_output_commit(&out, err);
}
