// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of studies.
#include "pipelines/engine/study_page.h"

#include "core/app/number.h"
#include "core/base/memory.h"
#include "core/geo/pixels.h"
#include "pipelines/engine/study_script.h"

#include <math.h>
#include <stdint.h>

void tal_page_begin(tal_text *page, const char *title) {
    tal_html_begin(page, title);
    tal_html_begin_body(page);
    tal_text_append(page, "<header><h1>");
    tal_html_append(page, title);
    tal_text_append(page, "</h1></header>\n");
}

void tal_page_end(tal_text *page) {
    tal_text_append(page, "<script>");
    tal_text_append_bytes(page, (const char *)tal_script_study_js, tal_script_study_js_size);
    tal_text_append(page, "</script>\n");
    tal_html_end(page);
}

void tal_page_number(tal_text *page, double value) {
    char number[TAL_NUMBER_SIZE];
    tal_text_append(page, "%s", tal_number_format(number, value));
}

tal_status tal_page_write(tal_text *page, const char *folder, const char *name, tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (page->failed || !tal_path_join(path, folder, name)) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for %s", name);
    }
    return tal_file_write_text(path, tal_text_string(page), TAL_REPLACE, err);
}

void tal_page_table_begin(tal_text *page) {
    tal_text_append(page, "<div class=\"table\"><table class=\"sortable\">\n<thead><tr>");
}

void tal_page_table_rows(tal_text *page) {
    tal_text_append(page, "</tr></thead>\n<tbody>\n");
}

void tal_page_table_end(tal_text *page) {
    tal_text_append(page, "</tbody></table></div>\n");
}

// --- map ---

// Light from the north-west, 45 degrees high; no ground is white.
static double shade(const tal_raster *ground, int32_t column, int32_t row) {
    const tal_grid *grid = &ground->grid;
    const int32_t west = column > 0 ? column - 1 : 0, north = row > 0 ? row - 1 : 0;
    const int32_t east = column + 1 < grid->columns ? column + 1 : column;
    const int32_t south = row + 1 < grid->rows ? row + 1 : row;
    const float *z = ground->value;
    const size_t n = (size_t)grid->columns;
    const double gx =
        ((double)z[(size_t)row * n + (size_t)east] - (double)z[(size_t)row * n + (size_t)west]) /
        (fmax(1, east - west) * grid->cell);
    const double gy = ((double)z[(size_t)north * n + (size_t)column] -
                       (double)z[(size_t)south * n + (size_t)column]) /
                      (fmax(1, south - north) * grid->cell);
    const double light = (0.5 * gx - 0.5 * gy + 0.7071067811865476) / sqrt(1.0 + gx * gx + gy * gy);
    return isfinite(light) ? 0.35 + 0.62 * fmax(0.0, light) : 1.0;
}

// White over the ground to dark red, which also reads in grey.
static void paint(tal_pixels *p, const tal_raster *share, const tal_raster *ground, int step) {
    static const double END[3] = {0.42, 0.0, 0.12}, FIRST[3] = {1.0, 0.86, 0.55};
    const bool has_ground = tal_grid_equal(&share->grid, &ground->grid);
    for (int row = 0; row < p->rows; row++) {
        for (int column = 0; column < p->columns; column++) {
            const int32_t c = column * step, r = row * step;
            const double t =
                (double)share->value[(size_t)r * (size_t)share->grid.columns + (size_t)c];
            const double light = has_ground ? shade(ground, c, r) : 1.0;
            for (int k = 0; k < 3; k++) {
                const double tint = FIRST[k] + fmin(1.0, t) * (END[k] - FIRST[k]);
                const double value = t > 0.0 ? 0.3 * light + 0.7 * tint : light;
                p->value[((size_t)k * (size_t)p->rows + (size_t)row) * (size_t)p->columns +
                         (size_t)column] = (uint8_t)lround(255.0 * fmin(1.0, fmax(0.0, value)));
            }
        }
    }
}

static void append_map_marks(tal_text *page, const tal_grid *grid, double height) {
    const double scale = 1000.0 / (grid->columns * grid->cell);
    const double wanted = grid->columns * grid->cell / 6.0, unit = pow(10.0, floor(log10(wanted)));
    const double metres = unit * (wanted >= 5.0 * unit ? 5.0 : wanted >= 2.0 * unit ? 2.0 : 1.0);
    tal_text_append(page,
                    "<rect x=\"14\" y=\"%.1f\" width=\"%.1f\" height=\"54\" rx=\"6\" "
                    "fill=\"#fff\" fill-opacity=\".85\"/><path d=\"M28 %.1fv9h%.1fv-9\" "
                    "fill=\"none\" stroke=\"#111\" stroke-width=\"3\"/><text x=\"28\" "
                    "y=\"%.1f\" font-size=\"22\" font-weight=\"600\">%g m</text><path d=\"M954 "
                    "22l11 30-11-7-11 7z\"/><text x=\"954\" y=\"78\" font-size=\"22\" "
                    "text-anchor=\"middle\">N</text>\n",
                    height - 70.0, fmax(metres * scale, 90.0) + 28.0, height - 36.0, metres * scale,
                    height - 44.0, metres);
}

tal_status tal_page_map(tal_text *page, const tal_raster *share, const tal_raster *ground,
                        const char *name, tal_error *err) {
    enum { WIDEST = 1200 };
    const tal_grid *grid = &share->grid;
    const int wide = grid->columns > grid->rows ? grid->columns : grid->rows;
    const int step = (wide + WIDEST - 1) / WIDEST;
    tal_pixels pixels = {.columns = (grid->columns + step - 1) / step,
                         .rows = (grid->rows + step - 1) / step,
                         .bands = 3,
                         .order = TAL_PIXELS_BY_BAND};
    uint8_t *bytes = NULL;
    size_t count;
    TAL_CREATE(pixels.value, 3 * (size_t)pixels.columns * (size_t)pixels.rows, "a map", err);
    paint(&pixels, share, ground, step);
    const tal_status status = tal_pixels_encode(&pixels, false, &bytes, &count, err);
    tal_memory_destroy(pixels.value);
    TAL_TRY(status);
    const double height = 1000.0 * grid->rows / grid->columns;
    tal_text_append(page,
                    "<figure><svg style=\"max-height:min(88vh,72rem)\" viewBox=\"0 0 1000 %.1f\" "
                    "role=\"img\" aria-label=\"",
                    height);
    tal_html_append(page, name);
    tal_text_append(page,
                    "\"><image width=\"1000\" height=\"%.1f\" preserveAspectRatio=\"none\" "
                    "href=\"data:image/png;base64,",
                    height);
    tal_html_append_base64(page, bytes, count);
    tal_memory_destroy(bytes);
    tal_text_append(page, "\"/>\n");
    append_map_marks(page, grid, height);
    tal_text_append(page, "</svg>\n<ul class=\"legend\"><li>");
    tal_html_append(page, name);
    tal_text_append(page, " 0 <span class=\"ramp\" style=\"background:linear-gradient(90deg,"
                          "rgb(255,219,140),rgb(107,0,31))\"></span> 1</li></ul></figure>\n");
    return TAL_OK;
}
