// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rocks that really passed a target.
#include "postproc/release/passages_file.h"

#include "core/base/file.h"
#include "core/base/memory.h"

#include <math.h>
#include <string.h>

enum { COLUMNS_MAX = 64, SKIPPED = -1 };

typedef struct {
    tal_passages *passages;
    const char *path;
    int line, column_count;
    int quantity[COLUMNS_MAX]; // of each column; SKIPPED: not ours
} reader;

// Ends the field that begins at *cursor and goes on behind it; NULL after the last.
static char *next_field(char **cursor) {
    char *field = *cursor;
    if (field == NULL) {
        return NULL;
    }
    char *end = field + strcspn(field, ",;\t");
    *cursor = *end != '\0' ? end + 1 : NULL;
    *end = '\0';
    field += strspn(field, " \r\"");
    field[strcspn(field, " \r\"")] = '\0';
    return field;
}

static tal_status read_header(reader *r, char *line, tal_error *err) {
    int known = 0;
    for (char *field; (field = next_field(&line)) != NULL && r->column_count < COLUMNS_MAX;) {
        int quantity = SKIPPED;
        for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
            quantity = strcmp(field, tal_at_quantity_notes[q].column) == 0 ? q : quantity;
        }
        known += quantity != SKIPPED;
        r->quantity[r->column_count++] = quantity;
    }
    return known > 0 ? TAL_OK
                     : TAL_FAIL(err, TAL_BAD_INPUT,
                                "%s:%d: no column is named energy_kj, velocity_mps, jump_height_m, "
                                "centre_height_m or rotation_radps: write these names into the "
                                "first line",
                                r->path, r->line);
}

static tal_status read_row(reader *r, char *line, tal_error *err) {
    tal_passages *p = r->passages;
    char *field;
    for (int k = 0; (field = next_field(&line)) != NULL && k < r->column_count; k++) {
        const int q = r->quantity[k];
        double value;
        if (q == SKIPPED || *field == '\0') {
            continue;
        }
        if (!tal_text_to_real(field, &value) || !isfinite(value) || value < 0.0) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s:%d: %s = '%.40s' must be a number of 0 or more, or empty", r->path,
                            r->line, tal_at_quantity_notes[q].column, field);
        }
        TAL_GROW(p->value[q], p->count[q], p->count[q] + 1, "observed passages", err);
        p->value[q][p->count[q]++] = value;
    }
    return TAL_OK;
}

static tal_status read_lines(reader *r, char *text, tal_error *err) {
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        r->line++;
        const char first = line[strspn(line, " \t\r")];
        if (first == '\0' || first == '#') {
            continue;
        }
        TAL_TRY(r->column_count == 0 ? read_header(r, line, err) : read_row(r, line, err));
    }
    return TAL_OK;
}

static size_t count_of(const tal_passages *p) {
    size_t count = 0;
    for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
        count += p->count[q];
    }
    return count;
}

static tal_status read_table(tal_passages *p, const char *path, tal_error *err) {
    reader r = {.passages = p, .path = path};
    const size_t before = count_of(p);
    char *text = NULL, *ended = NULL;
    size_t length = 0;
    tal_status status = TAL_OK;
    TAL_TRY(tal_file_read(path, &text, &length, err));
    TAL_CREATE_OR_DONE(ended, length + 1, "a table of passages", err);
    memcpy(ended, text, length);
    TAL_TRY_OR_DONE(read_lines(&r, ended, err));
    if (count_of(p) == before) {
        status = TAL_FAIL(err, TAL_BAD_INPUT, "%s: no passages in it: give one per line", path);
    }
done:
    tal_memory_destroy(text);
    tal_memory_destroy(ended);
    return status;
}

tal_status tal_passages_read(tal_passages *p, const tal_settings *settings, const char *files,
                             tal_error *err) {
    char path[TAL_PATH_SIZE];
    *p = (tal_passages){0};
    while (tal_settings_next_file(settings, &files, path)) {
        const tal_status status = read_table(p, path, err);
        if (status != TAL_OK) {
            tal_passages_destroy(p);
            return status;
        }
    }
    return TAL_OK;
}

void tal_passages_destroy(tal_passages *p) {
    for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
        tal_memory_destroy(p->value[q]);
    }
    *p = (tal_passages){0};
}
