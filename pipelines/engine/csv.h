// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as CSV (RFC 4180): read whole, and cells written with the quotes they need.
#ifndef TALUS_PIPELINES_ENGINE_CSV_H
#define TALUS_PIPELINES_ENGINE_CSV_H

#include "core/base/status.h"
#include "core/base/text.h"

typedef struct {
    int rows, columns; // the header is row 0
    char **cell;       // rows * columns, "" where a row is short
    char *bytes;
} tal_csv; // starts as {0}

tal_status tal_csv_read(tal_csv *csv, const char *path, tal_error *err);
const char *tal_csv_cell(const tal_csv *csv, int row, int column);
void tal_csv_destroy(tal_csv *csv);

void tal_csv_append_text(tal_text *out, const char *text);
void tal_csv_append_real(tal_text *out, double value); // nothing for NaN

#endif
