// SPDX-License-Identifier: GPL-3.0-or-later
// The LAS reader on arbitrary bytes: it reads or refuses, and never more than the file holds.
#include "ingest/read/las_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static tal_points points;
    static tal_error err;
    tal_las *las = NULL;
    if (points.x == NULL && tal_points_create(&points, &err) != TAL_OK) {
        return 0;
    }
    if (tal_las_open_memory(&las, bytes, size, "fuzz.las", &err) != TAL_OK) {
        return 0;
    }
    uint64_t seen = 0;
    do {
        if (tal_las_read(las, &points, &err) != TAL_OK) {
            break;
        }
        seen += points.count;
    } while (points.count > 0);
    if (seen * tal_las_get_header(las)->record_length > size) {
        abort();
    }
    tal_las_close(las);
    return 0;
}
