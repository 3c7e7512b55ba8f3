// SPDX-License-Identifier: GPL-3.0-or-later
// The text reader on arbitrary bytes: every point it gives is finite and on Earth.
#include "ingest/read/xyz_file.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static tal_points points;
    static tal_error err;
    tal_xyz *xyz = NULL;
    if (points.x == NULL && tal_points_create(&points, &err) != TAL_OK) {
        return 0;
    }
    if (tal_xyz_open_memory(&xyz, (const char *)bytes, size, "fuzz.xyz", &err) != TAL_OK) {
        return 0;
    }
    do {
        if (tal_xyz_read(xyz, &points, &err) != TAL_OK) {
            break;
        }
        for (size_t i = 0; i < points.count; i++) {
            if (!(fabs(points.x[i]) <= 1e9 && fabs(points.y[i]) <= 1e9 &&
                  fabs(points.z[i]) <= 1e9)) {
                abort();
            }
        }
    } while (points.count > 0);
    tal_xyz_close(xyz);
    return 0;
}
