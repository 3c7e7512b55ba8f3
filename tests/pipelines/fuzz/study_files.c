// SPDX-License-Identifier: GPL-3.0-or-later
// What studies read from hostile bytes: tables of settings, sheets of scores, plans of jobs. The first byte
// chooses.
#include "pipelines/engine/csv.h"
#include "pipelines/engine/plan.h"
#include "pipelines/engine/score_sheet.h"
#include "tests/support/hostile.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    return 0;
}

static void read_table(const char *path, tal_error *err) {
    tal_csv csv = {0};
    if (tal_csv_read(&csv, path, err) == TAL_OK) {
        for (int row = 0; row < csv.rows; row++) {
            (void)strlen(tal_csv_cell(&csv, row, csv.columns - 1));
        }
    }
    tal_csv_destroy(&csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    tal_sheet sheet;
    tal_plan plan = {0};
    if (size == 0) {
        return 0;
    }
    tal_error_reset(&err);
    const char *path = hostile_file("file", data + 1, size - 1);
    switch (data[0] % 3) {
    case 0:
        read_table(path, &err);
        break;
    case 1:
        (void)tal_sheet_read(path, &sheet, &err);
        break;
    default:
        (void)tal_plan_read(&plan, path, &err);
        tal_plan_destroy(&plan);
    }
    return 0;
}
