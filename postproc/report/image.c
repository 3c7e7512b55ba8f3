// SPDX-License-Identifier: GPL-3.0-or-later
// Small pictures of the ground for the report.
#include "postproc/report/image.h"

#include "core/app/html.h"
#include "core/base/memory.h"
#include "core/geo/pixels.h"
#include "core/geometry/angle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void tal_image_destroy(tal_image *image) {
    tal_memory_destroy(image->rgba);
    *image = (tal_image){0};
}

static tal_status make_room(tal_image *image, tal_error *err) {
    TAL_CREATE(image->rgba, 4 * (size_t)image->width * (size_t)image->height, "a picture", err);
    return TAL_OK;
}

tal_status tal_image_like(tal_image *image, const tal_image *other, tal_error *err) {
    *image = *other;
    image->rgba = NULL;
    return make_room(image, err);
}

static void pixel_centre(const tal_image *image, int32_t column, int32_t row, double *x,
                         double *y) {
    const tal_bounds *b = &image->bounds;
    *x = b->west + ((double)column + 0.5) / (double)image->width * (b->east - b->west);
    *y = b->north - ((double)row + 0.5) / (double)image->height * (b->north - b->south);
}

// Between cell centres where that is possible, else the cell's own value.
static double sample(const tal_raster *raster, double x, double y) {
    const double value = tal_raster_sample(raster, x, y);
    if (isfinite(value)) {
        return value;
    }
    const int64_t cell = tal_grid_index(&raster->grid, x, y);
    return cell < 0 ? NAN : (double)raster->value[cell];
}

static double light(double dzdx, double dzdy, double azimuth_deg, double height_deg) {
    const double azimuth = tal_radians(azimuth_deg), height = tal_radians(height_deg);
    const double to_light[3] = {sin(azimuth) * cos(height), cos(azimuth) * cos(height),
                                sin(height)};
    const double length = sqrt(1.0 + dzdx * dzdx + dzdy * dzdy);
    return fmax(0.0, (-dzdx * to_light[0] - dzdy * to_light[1] + to_light[2]) / length);
}

static double one_sided(double low, double mid, double high, double reach) {
    if (isfinite(low) && isfinite(high)) {
        return (high - low) / (2.0 * reach);
    }
    return isfinite(high) ? (high - mid) / reach : isfinite(low) ? (mid - low) / reach : 0.0;
}

static void shade_pixel(uint8_t *rgba, const tal_raster *ground, double x, double y, double reach) {
    const double z = sample(ground, x, y);
    if (!isfinite(z)) {
        return;
    }
    const double dzdx =
        one_sided(sample(ground, x - reach, y), z, sample(ground, x + reach, y), reach);
    const double dzdy =
        one_sided(sample(ground, x, y - reach), z, sample(ground, x, y + reach), reach);
    const double sun = 0.62 * light(dzdx, dzdy, 315.0, 40.0) +
                       0.22 * light(dzdx, dzdy, 20.0, 45.0) + 0.16 * light(dzdx, dzdy, 250.0, 60.0);
    const double tone = 0.27 + 0.70 * pow(fmin(1.0, sun), 0.9);
    const double warm[3] = {1.0, 0.985, 0.955};
    for (int i = 0; i < 3; i++) {
        rgba[i] = (uint8_t)lround(255.0 * fmin(1.0, tone * warm[i]));
    }
    rgba[3] = 255;
}

tal_status tal_image_shade(tal_image *image, const tal_raster *ground, tal_bounds bounds,
                           int32_t width, tal_error *err) {
    const double pixel = (bounds.east - bounds.west) / (double)width;
    const double rows = round((bounds.north - bounds.south) / pixel);
    *image = (tal_image){.width = width, .bounds = bounds};
    image->height = rows < 1.0 ? 1 : rows > 8192.0 ? 8192 : (int32_t)rows;
    TAL_TRY(make_room(image, err));
    const double reach = fmax(ground->grid.cell, pixel);
    for (int32_t row = 0; row < image->height; row++) {
        for (int32_t column = 0; column < width; column++) {
            double x, y;
            pixel_centre(image, column, row, &x, &y);
            shade_pixel(&image->rgba[4 * ((size_t)row * (size_t)width + (size_t)column)], ground, x,
                        y, reach);
        }
    }
    return TAL_OK;
}

static void ramp(const uint8_t (*stop)[3], int count, double at, uint8_t rgb[3]) {
    const double scaled = fmin(1.0, fmax(0.0, at)) * (double)(count - 1);
    const int low = scaled >= (double)(count - 1) ? count - 2 : (int)scaled;
    const double t = scaled - (double)low;
    for (int i = 0; i < 3; i++) {
        rgb[i] = (uint8_t)lround((1.0 - t) * stop[low][i] + t * stop[low + 1][i]);
    }
}

// Both ramps darken evenly, so that they also read in grey and with any colour vision.
void tal_colour_thickness(double at, uint8_t rgb[3]) {
    static const uint8_t STOP[][3] = {{255, 240, 170}, {253, 197, 98}, {240, 138, 60},
                                      {203, 82, 42},   {146, 40, 36},  {84, 18, 30}};
    ramp(STOP, 6, at, rgb);
}

void tal_colour_change(double at, uint8_t rgb[3]) {
    static const uint8_t LOSS[][3] = {{252, 236, 214}, {247, 178, 103}, {213, 94, 0}, {127, 44, 0}};
    static const uint8_t GAIN[][3] = {
        {222, 235, 246}, {120, 180, 222}, {0, 114, 178}, {0, 52, 104}};
    ramp(at < 0.0 ? LOSS : GAIN, 4, fabs(at), rgb);
}

static void blend(uint8_t *rgba, const uint8_t rgb[3], double weight) {
    const double under = rgba[3] / 255.0 * (1.0 - weight);
    const double total = weight + under;
    for (int i = 0; i < 3; i++) {
        rgba[i] = (uint8_t)lround((weight * rgb[i] + under * rgba[i]) / total);
    }
    rgba[3] = (uint8_t)lround(255.0 * total);
}

// The nearest cell decides whether there is something to show; its colour is that of the cell, so
// that a map shows what was computed and nothing smoother.
void tal_image_tint_thickness(tal_image *image, const tal_raster *thickness, const tal_raster *lod,
                              double full) {
    for (int32_t row = 0; row < image->height; row++) {
        for (int32_t column = 0; column < image->width; column++) {
            double x, y;
            pixel_centre(image, column, row, &x, &y);
            const int64_t cell = tal_grid_index(&thickness->grid, x, y);
            if (cell < 0) {
                continue;
            }
            const double value = (double)thickness->value[cell];
            const double limit = isfinite(lod->value[cell]) ? (double)lod->value[cell] : 0.0;
            if (!(value > fmax(limit, 1e-6))) {
                continue;
            }
            uint8_t rgb[3];
            tal_colour_thickness(value / full, rgb);
            blend(&image->rgba[4 * ((size_t)row * (size_t)image->width + (size_t)column)], rgb,
                  0.82);
        }
    }
}

tal_status tal_image_append_uri(const tal_image *image, bool as_jpeg, tal_text *text,
                                tal_error *err) {
    const tal_pixels pixels = {image->width, image->height, as_jpeg ? 3 : 4,
                               TAL_PIXELS_BY_PIXEL_OF_4, image->rgba};
    uint8_t *bytes;
    size_t count;
    TAL_TRY(tal_pixels_encode(&pixels, as_jpeg, &bytes, &count, err));
    tal_text_append(text, "data:image/%s;base64,", as_jpeg ? "jpeg" : "png");
    tal_html_append_base64(text, bytes, count);
    tal_memory_destroy(bytes);
    return TAL_OK;
}
