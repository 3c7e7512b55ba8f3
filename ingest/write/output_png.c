// SPDX-License-Identifier: GPL-3.0-or-later
// ingest.png: the later ground as a hillshade, loss in orange, gain in blue.
#include "ingest/write/output.h"

#include "core/base/memory.h"
#include "core/geo/pixels.h"

#include <math.h>

enum { LONGEST_SIDE = 1600 };

// Light from the north-west, 45 degrees high.
static double shade(const tal_dem *dem, int32_t column, int32_t row) {
    double slope_x, slope_y;
    if (!tal_dem_slope(dem, column, row, &slope_x, &slope_y)) {
        return NAN;
    }
    const double length = sqrt(1.0 + slope_x * slope_x + slope_y * slope_y);
    const double light = (0.5 * slope_x - 0.5 * slope_y + 0.7071067811865476) / length;
    return 0.35 + 0.65 * fmax(0.0, light);
}

static void colour(const tal_ingest_result *result, int32_t column, int32_t row, double strongest,
                   double rgb[3]) {
    const tal_comparison *v = result->vertical;
    const size_t i = (size_t)row * (size_t)v->grid.columns + (size_t)column;
    const tal_dem *ground = v->after.z != NULL ? &v->after : &v->before;
    const double light = shade(ground, column, row);
    if (isnan(light)) {
        rgb[0] = rgb[1] = rgb[2] = 1.0;
        return;
    }
    rgb[0] = rgb[1] = rgb[2] = light;
    double lost = result->layers->source != NULL ? (double)result->layers->source[i] : 0.0;
    double gained = result->layers->deposit != NULL ? (double)result->layers->deposit[i] : 0.0;
    const double share = 0.25 + 0.6 * sqrt(fmin(1.0, fmax(lost, gained) / strongest));
    if (lost > 0.0 || gained > 0.0) { // orange and blue: told apart by every eye
        const double tint[3] = {lost > 0.0 ? 0.78 : 0.0, lost > 0.0 ? 0.34 : 0.40,
                                lost > 0.0 ? 0.0 : 0.68};
        for (int k = 0; k < 3; k++) {
            rgb[k] = light * (1.0 - share) + share * tint[k];
        }
    }
}

double tal_picture_scale(const tal_ingest_result *result) {
    return fmax(1e-3, fmax(result->source->max_thickness_m, result->deposit->max_thickness_m));
}

static void paint(const tal_ingest_result *result, tal_picture *p) {
    const tal_grid *grid = &result->vertical->grid;
    const size_t plane = (size_t)p->columns * (size_t)p->rows;
    const double strongest = tal_picture_scale(result);
#pragma omp parallel for schedule(static)
    for (int row = 0; row < p->rows; row++) {
        for (int column = 0; column < p->columns; column++) {
            double rgb[3];
            int32_t c = (int32_t)((column + 0.5) * p->step), r = (int32_t)((row + 0.5) * p->step);
            c = c < grid->columns ? c : grid->columns - 1;
            r = r < grid->rows ? r : grid->rows - 1;
            colour(result, c, r, strongest, rgb);
            for (size_t k = 0; k < 3; k++) {
                p->rgb[k * plane + (size_t)row * (size_t)p->columns + (size_t)column] =
                    (uint8_t)lround(255.0 * fmin(1.0, fmax(0.0, rgb[k])));
            }
        }
    }
}

tal_status tal_picture_create(tal_picture *p, const tal_ingest_result *result, tal_error *err) {
    const tal_grid *grid = &result->vertical->grid;
    const int longest = grid->columns > grid->rows ? grid->columns : grid->rows;
    *p = (tal_picture){.step = fmax(1.0, (double)longest / LONGEST_SIDE)};
    p->columns = (int)fmax(1.0, floor(grid->columns / p->step));
    p->rows = (int)fmax(1.0, floor(grid->rows / p->step));
    TAL_CREATE(p->rgb, 3 * (size_t)p->columns * (size_t)p->rows, "a picture", err);
    paint(result, p);
    return TAL_OK;
}

tal_status tal_output_quick_look(const tal_ingest_result *result, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_picture p;
    if (!tal_path_join(path, result->folder, "ingest.png")) {
        return TAL_FAIL(err, TAL_BAD_USAGE, "%s: the path is too long", result->folder);
    }
    TAL_TRY(tal_picture_create(&p, result, err));
    const tal_pixels pixels = {p.columns, p.rows, 3, TAL_PIXELS_BY_BAND, p.rgb};
    const tal_status status = tal_pixels_write_png(&pixels, path, result->overwrite, err);
    tal_memory_destroy(p.rgb);
    return status;
}
