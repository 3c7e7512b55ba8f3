// SPDX-License-Identifier: GPL-3.0-or-later
// A small picture of what the run did.
#include "postproc/report/thumbnail.h"

#include "core/geo/pixels.h"
#include "postproc/measure/region.h"
#include "postproc/report/image.h"
#include "postproc/report/report_map.h"

enum { THUMBNAIL_WIDTH = 200 };

// Lays one picture over the other.
static void cover(tal_image *image, const tal_image *over) {
    const size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; i++) {
        const double share = over->rgba[4 * i + 3] / 255.0;
        for (size_t k = 0; k < 3; k++) {
            const double mixed =
                (1.0 - share) * image->rgba[4 * i + k] + share * over->rgba[4 * i + k];
            image->rgba[4 * i + k] = (uint8_t)(mixed + 0.5);
        }
    }
}

static bool holds(const tal_back_analysis *a, const tal_image *image, tal_region region,
                  int32_t column, int32_t row) {
    const tal_bounds *b = &image->bounds;
    const double x = b->west + (column + 0.5) / image->width * (b->east - b->west);
    const double y = b->north - (row + 0.5) / image->height * (b->north - b->south);
    const int64_t cell = tal_grid_index(&a->survey.grid, x, y);
    return cell >= 0 && tal_region_holds(a, region, (size_t)cell);
}

// Pixels of a region beside one that does not belong to it.
static void draw_outline(tal_image *image, const tal_back_analysis *a, tal_region region) {
    static const uint8_t COLOUR[][3] = {[TAL_REGION_SOURCE] = {20, 20, 20},
                                        [TAL_REGION_SIMULATED] = {213, 94, 0},
                                        [TAL_REGION_SURVEYED] = {0, 114, 178}};
    for (int32_t row = 0; row < image->height; row++) {
        for (int32_t column = 0; column < image->width; column++) {
            if (holds(a, image, region, column, row) &&
                !(holds(a, image, region, column - 1, row) &&
                  holds(a, image, region, column + 1, row) &&
                  holds(a, image, region, column, row - 1) &&
                  holds(a, image, region, column, row + 1))) {
                uint8_t *pixel =
                    &image->rgba[4 * ((size_t)row * (size_t)image->width + (size_t)column)];
                for (int k = 0; k < 3; k++) {
                    pixel[k] = COLOUR[region][k];
                }
            }
        }
    }
}

static tal_status write_png(const tal_image *image, const tal_output_place *place, tal_error *err) {
    char path[TAL_PATH_SIZE];
    const tal_pixels pixels = {.columns = image->width,
                               .rows = image->height,
                               .bands = 4,
                               .order = TAL_PIXELS_BY_PIXEL_OF_4,
                               .value = image->rgba};
    TAL_TRY(tal_output_path(place, "thumbnail.png", path, err));
    return tal_pixels_write_png(&pixels, path, place->overwrite, err);
}

tal_status tal_thumbnail_write(const tal_back_analysis *a, const tal_output_place *place,
                               tal_error *err) {
    tal_raster ground = a->survey.bed;
    ground.grid = a->survey.grid;
    tal_image image, thickness = {0};
    TAL_TRY(tal_image_shade(&image, &ground, tal_report_map_focus(a), THUMBNAIL_WIDTH, err));
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_image_like(&thickness, &image, err));
    tal_image_tint_thickness(&thickness, &a->deposit.thickness, &a->survey.lod,
                             tal_report_thickness_scale(a));
    cover(&image, &thickness);
    for (int region = 0; region < tal_region_count(a); region++) {
        draw_outline(&image, a, (tal_region)region);
    }
    status = write_png(&image, place, err);
done:
    tal_image_destroy(&image);
    tal_image_destroy(&thickness);
    return status;
}
