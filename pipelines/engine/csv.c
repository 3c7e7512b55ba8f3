// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as CSV.
#include "pipelines/engine/csv.h"

#include "core/base/file.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Takes one cell off the text, in place; returns what ended it: ',' '\n' or '\0'.
static char take_cell(char **cursor, char **cell) {
    char *from = *cursor, *to = NULL;
    while (*from == ' ' || *from == '\t') {
        from++;
    }
    *cell = to = from;
    bool quoted = false;
    if (*from == '"') {
        quoted = true;
        *cell = to = ++from;
    }
    for (; *from != '\0'; from++) {
        if (quoted && from[0] == '"' && from[1] == '"') {
            from++;
        } else if (quoted && *from == '"') {
            quoted = false;
            continue;
        } else if (!quoted && (*from == ',' || *from == '\n')) {
            break;
        }
        *to++ = *from;
    }
    const char end = *from;
    *cursor = end == '\0' ? from : from + 1;
    while (to > *cell && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r')) {
        to--;
    }
    *to = '\0';
    return end;
}

static void count_cells(const char *bytes, int *rows, int *columns) {
    bool quoted = false;
    int in_row = 1;
    *rows = 1;
    *columns = 1;
    for (const char *c = bytes; *c != '\0'; c++) {
        quoted = *c == '"' ? !quoted : quoted;
        in_row += !quoted && *c == ',' ? 1 : 0;
        *columns = in_row > *columns ? in_row : *columns;
        if (!quoted && *c == '\n') {
            (*rows)++;
            in_row = 1;
        }
    }
}

tal_status tal_csv_read(tal_csv *csv, const char *path, tal_error *err) {
    static char nothing[] = "";
    size_t length = 0;
    TAL_TRY(tal_file_read(path, &csv->bytes, &length, err));
    int rows = 0;
    count_cells(csv->bytes, &rows, &csv->columns);
    TAL_CREATE(csv->cell, (size_t)rows * (size_t)csv->columns, "a table", err);
    for (int i = 0; i < rows * csv->columns; i++) {
        csv->cell[i] = nothing;
    }
    for (char *cursor = csv->bytes; *cursor != '\0' && csv->rows < rows;) {
        char **row = csv->cell + (size_t)csv->rows * (size_t)csv->columns;
        char end = ',';
        for (int column = 0; end == ',' && column < csv->columns; column++) {
            end = take_cell(&cursor, &row[column]);
        }
        const bool empty = row[0][0] == '\0' && (csv->columns == 1 || row[1][0] == '\0');
        if (!empty && row[0][0] != '#') {
            csv->rows++;
            continue;
        }
        for (int column = 0; column < csv->columns; column++) {
            row[column] = nothing;
        }
    }
    return TAL_OK;
}

const char *tal_csv_cell(const tal_csv *csv, int row, int column) {
    return csv->cell[(size_t)row * (size_t)csv->columns + (size_t)column];
}

void tal_csv_destroy(tal_csv *csv) {
    tal_memory_destroy(csv->cell);
    tal_memory_destroy(csv->bytes);
    *csv = (tal_csv){0};
}

void tal_csv_append_text(tal_text *out, const char *text) {
    if (strpbrk(text, ",\"\n\r") == NULL) {
        tal_text_append(out, "%s", text);
        return;
    }
    tal_text_append(out, "\"");
    for (size_t length; *text != '\0'; text += length) {
        const size_t plain = strcspn(text, "\"");
        length = plain + (text[plain] == '"' ? 1 : 0);
        tal_text_append_bytes(out, text, length);
        tal_text_append(out, length > plain ? "\"" : "");
    }
    tal_text_append(out, "\"");
}

void tal_csv_append_real(tal_text *out, double value) {
    char digits[40] = "";
    for (int precision = 15; precision <= 17 && !isnan(value); precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) {
            break;
        }
    }
    tal_text_append(out, "%s", digits);
}
