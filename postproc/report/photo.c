// SPDX-License-Identifier: GPL-3.0-or-later
// The photograph of the ground, for the replay.
#include "postproc/report/photo.h"

#include "core/base/memory.h"
#include "core/geo/raster_file.h"
#include "postproc/measure/region.h"
#include "postproc/report/image.h"

#include <gdal.h>
#include <gdal_utils.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A texture of this size is sharp to half a metre over a kilometre and takes about 1 MB as JPEG.
enum { PHOTO_SIDE = 2048, PHOTOS_MAX = 64 };

static void close_all(GDALDatasetH *sets, int count) {
    for (int i = 0; i < count; i++) {
        GDALClose(sets[i]);
    }
}

static tal_status open_all(GDALDatasetH *sets, int *count, const tal_settings *settings,
                           tal_error *err) {
    const char *cursor = settings->report.image;
    char path[TAL_PATH_SIZE];
    tal_gdal_init();
    for (*count = 0; *count < PHOTOS_MAX && tal_settings_next_file(settings, &cursor, path);) {
        sets[*count] = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL);
        if (sets[*count] == NULL) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "[report] image: %s is not a picture that GDAL reads", path);
        }
        ++*count;
        const int bands = GDALGetRasterCount(sets[*count - 1]);
        double place[6];
        if ((bands != 3 && bands != 4 && bands != 1) ||
            GDALGetGeoTransform(sets[*count - 1], place) != CE_None) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "[report] image: %s has %d bands or no coordinates; it must have "
                            "1, 3 or 4 bands and say where it lies (gdal_translate -a_ullr)",
                            path, bands);
        }
    }
    return TAL_OK;
}

// The pictures over the grid, joined and brought into the study's coordinates; alpha is the last band.
static tal_status warp(GDALDatasetH *warped, GDALDatasetH *sets, int count, const tal_image *image,
                       const tal_surveyed *survey, tal_error *err) {
    char box[4][32], size[2][16];
    const tal_bounds b = tal_grid_bounds(&survey->real_grid);
    const double corner[4] = {b.west, b.south, b.east, b.north};
    for (int i = 0; i < 4; i++) {
        (void)snprintf(box[i], sizeof box[i], "%.6f", corner[i]);
    }
    (void)snprintf(size[0], sizeof size[0], "%d", image->width);
    (void)snprintf(size[1], sizeof size[1], "%d", image->height);
    const char *crs = tal_crs_horizontal_wkt(survey->crs);
    const bool is_known = crs[0] != '\0' && GDALGetProjectionRef(sets[0])[0] != '\0';
    char *arguments[24] = {"-of",  "MEM",  "-r",   "bilinear", "-dstalpha", "-ot",   "Byte", "-te",
                           box[0], box[1], box[2], box[3],     "-ts",       size[0], size[1]};
    if (is_known) {
        arguments[15] = "-t_srs";
        arguments[16] = (char *)crs;
    }
    GDALWarpAppOptions *options = GDALWarpAppOptionsNew(arguments, NULL);
    *warped = options != NULL ? GDALWarp("", NULL, count, sets, options, NULL) : NULL;
    GDALWarpAppOptionsFree(options);
    return *warped != NULL ? TAL_OK
                           : TAL_FAIL(err, TAL_BAD_INPUT,
                                      "[report] image cannot be brought into the study's "
                                      "coordinates");
}

static tal_status read_pixels(tal_image *image, GDALDatasetH warped, tal_error *err) {
    const int bands = GDALGetRasterCount(warped), colours = bands - 1;
    for (int i = 0; i < 4; i++) {
        const int band = i == 3 ? bands : colours < 3 ? 1 : i + 1;
        if (GDALRasterIO(GDALGetRasterBand(warped, band), GF_Read, 0, 0, image->width,
                         image->height, image->rgba + i, image->width, image->height, GDT_Byte, 4,
                         4 * image->width) != CE_None) {
            return TAL_FAIL(err, TAL_IO, "[report] image cannot be read");
        }
    }
    return TAL_OK;
}

// The mean colour over the source as the page counts light, and grey where the picture has none:
// JPEG knows no gaps.
static bool settle(tal_image *image, const tal_back_analysis *a, double rock[3]) {
    double sum[3] = {0}, count = 0.0, seen = 0.0;
    for (int32_t row = 0; row < image->height; row++) {
        for (int32_t column = 0; column < image->width; column++) {
            uint8_t *rgba = &image->rgba[4 * ((size_t)row * (size_t)image->width + (size_t)column)];
            if (rgba[3] == 0) {
                memset(rgba, 150, 3);
                continue;
            }
            seen += 1.0;
            const tal_grid *grid = &a->survey.grid;
            const double x = grid->west + ((double)column + 0.5) / (double)image->width *
                                              (double)grid->columns * grid->cell;
            const double y = grid->north - ((double)row + 0.5) / (double)image->height *
                                               (double)grid->rows * grid->cell;
            const int64_t cell = tal_grid_index(grid, x, y);
            if (cell >= 0 && tal_region_holds(a, TAL_REGION_SOURCE, (size_t)cell)) {
                count += 1.0;
                for (int i = 0; i < 3; i++) {
                    sum[i] += pow(rgba[i] / 255.0, 2.0);
                }
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        rock[i] = count > 0.0 ? fmin(0.7, fmax(0.08, sum[i] / count)) : 0.35;
    }
    return seen > 0.0;
}

static tal_status append_photo(tal_text *text, const tal_back_analysis *a, GDALDatasetH *sets,
                               int count, tal_error *err) {
    const tal_grid *grid = &a->survey.grid;
    const double shrink =
        (double)PHOTO_SIDE / (grid->columns > grid->rows ? grid->columns : grid->rows);
    tal_image image = {.width = (int32_t)fmax(2.0, round(shrink * grid->columns)),
                       .height = (int32_t)fmax(2.0, round(shrink * grid->rows)),
                       .bounds = tal_grid_bounds(grid)};
    GDALDatasetH warped = NULL;
    double rock[3];
    tal_status status = TAL_OK;
    TAL_CREATE(image.rgba, 4 * (size_t)image.width * (size_t)image.height, "a photograph", err);
    TAL_TRY_OR_DONE(warp(&warped, sets, count, &image, &a->survey, err));
    TAL_TRY_OR_DONE(read_pixels(&image, warped, err));
    if (!settle(&image, a, rock)) {
        status =
            TAL_FAIL(err, TAL_BAD_INPUT,
                     "[report] image does not overlap the study: is its coordinate system right?");
        goto done;
    }
    tal_text_append(text, ",\n\"photo_rock\":[%.4f,%.4f,%.4f],\n\"photo\":\"", rock[0], rock[1],
                    rock[2]);
    status = tal_image_append_uri(&image, true, text, err);
    tal_text_append(text, "\"");
done:
    if (warped != NULL) {
        GDALClose(warped);
    }
    tal_image_destroy(&image);
    return status;
}

tal_status tal_photo_append(tal_text *text, const tal_back_analysis *a,
                            const tal_settings *settings, tal_error *err) {
    GDALDatasetH sets[PHOTOS_MAX];
    int count;
    tal_status status = open_all(sets, &count, settings, err);
    if (status == TAL_OK && count > 0) {
        status = append_photo(text, a, sets, count, err);
    }
    close_all(sets, count);
    return status;
}
