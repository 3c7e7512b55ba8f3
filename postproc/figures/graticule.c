// SPDX-License-Identifier: GPL-3.0-or-later
// Where on Earth a map lies, and its lines of equal longitude and latitude.
#include "postproc/figures/graticule.h"

#include <math.h>

enum { LINE_POINTS = 33, LINES_MAX = 24 };

typedef struct {
    const tal_bounds *sheet;
    double low[2], high[2]; // longitude and latitude over the sheet, degrees
    double step;
    tal_crs_transform *to_degrees, *to_study;
} frame;

bool tal_graticule_find_place(const tal_crs *crs, double east, double north, double *longitude,
                              double *latitude) {
    tal_error err;
    tal_crs *degrees = NULL;
    *longitude = east;
    *latitude = north;
    bool is_known = !tal_crs_get_info(crs)->is_local;
    is_known =
        is_known && tal_crs_create(&degrees, "EPSG:4326", "figures", &err) == TAL_OK &&
        tal_crs_convert_flat(crs, degrees, "figures", longitude, latitude, 1, &err) == TAL_OK &&
        isfinite(*longitude) && isfinite(*latitude);
    tal_crs_destroy(degrees);
    return is_known;
}

// The step with about four lines over `range` degrees.
static double choose_step(double range) {
    static const double SECONDS[] = {0.1, 0.2, 0.5, 1,    2,    5,    10,   20,    30,   60,
                                     120, 300, 600, 1200, 1800, 3600, 7200, 18000, 36000};
    const int count = sizeof SECONDS / sizeof *SECONDS;
    int n = 0;
    while (n + 1 < count && range * 3600.0 / SECONDS[n] > 5.0) {
        n++;
    }
    return SECONDS[n] / 3600.0;
}

// Longitudes and latitudes along the rim of the sheet say what lies within.
static tal_status find_range(frame *f, tal_error *err) {
    const tal_bounds *b = f->sheet;
    double x[4 * LINE_POINTS], y[4 * LINE_POINTS];
    for (int n = 0; n < LINE_POINTS; n++) {
        const double t = (double)n / (LINE_POINTS - 1);
        const double east = b->west + t * (b->east - b->west);
        const double north = b->south + t * (b->north - b->south);
        const double rim[4][2] = {
            {east, b->south}, {east, b->north}, {b->west, north}, {b->east, north}};
        for (int side = 0; side < 4; side++) {
            x[4 * n + side] = rim[side][0];
            y[4 * n + side] = rim[side][1];
        }
    }
    TAL_TRY(tal_crs_transform_apply(f->to_degrees, x, y, NULL, 4 * LINE_POINTS, err));
    for (int k = 0; k < 2; k++) {
        const double *degrees = k == 0 ? x : y;
        f->low[k] = INFINITY;
        f->high[k] = -INFINITY;
        for (int n = 0; n < 4 * LINE_POINTS; n++) {
            f->low[k] = fmin(f->low[k], degrees[n]);
            f->high[k] = fmax(f->high[k], degrees[n]);
        }
    }
    f->step = choose_step(fmax(f->high[0] - f->low[0], f->high[1] - f->low[1]));
    return TAL_OK;
}

static void append_label(tal_text *label, const frame *f, double degrees, bool is_meridian,
                         double east, double north) {
    const double seconds = round(fabs(degrees) * 36000.0) / 10.0;
    const int whole = (int)(seconds / 3600.0), minutes = (int)(fmod(seconds, 3600.0) / 60.0);
    const char side = is_meridian ? degrees < 0.0 ? 'W' : 'E' : degrees < 0.0 ? 'S' : 'N';
    tal_text_append(label, "%.3f %.3f %s %d\\260", east, north, is_meridian ? "TC" : "RM", whole);
    if (f->step < 0.9999) {
        tal_text_append(label, "%02d'", minutes);
    }
    if (f->step < 0.9999 / 60.0) {
        const bool is_fine = f->step < 0.9999 / 3600.0;
        tal_text_append(label, "%0*.*f\\042", is_fine ? 4 : 2, is_fine ? 1 : 0,
                        fmod(seconds, 60.0));
    }
    tal_text_append(label, "%c\n", side);
}

// One line, sampled; its label stands where it crosses the south or west side.
static tal_status append_line(tal_text *line, tal_text *label, const frame *f, double degrees,
                              bool is_meridian, tal_error *err) {
    const int along = is_meridian ? 1 : 0;
    double x[LINE_POINTS], y[LINE_POINTS];
    for (int n = 0; n < LINE_POINTS; n++) {
        const double at = f->low[along] + (f->high[along] - f->low[along]) * n / (LINE_POINTS - 1);
        x[n] = is_meridian ? degrees : at;
        y[n] = is_meridian ? at : degrees;
    }
    TAL_TRY(tal_crs_transform_apply(f->to_study, x, y, NULL, LINE_POINTS, err));
    tal_text_append(line, ">\n");
    for (int n = 0; n < LINE_POINTS; n++) {
        tal_text_append(line, "%.3f %.3f\n", x[n], y[n]);
        const double edge = is_meridian ? f->sheet->south : f->sheet->west;
        const double from = n == 0 ? NAN : is_meridian ? y[n - 1] : x[n - 1];
        const double to = is_meridian ? y[n] : x[n];
        if (n > 0 && from <= edge && to > edge) {
            const double t = (edge - from) / (to - from);
            const double east = x[n - 1] + t * (x[n] - x[n - 1]);
            const double north = y[n - 1] + t * (y[n] - y[n - 1]);
            const bool is_on = is_meridian ? east > f->sheet->west && east < f->sheet->east
                                           : north > f->sheet->south && north < f->sheet->north;
            if (is_on) {
                append_label(label, f, degrees, is_meridian, east, north);
            }
        }
    }
    return TAL_OK;
}

static tal_status append_lines(tal_text *line, tal_text *label, frame *f, tal_error *err) {
    TAL_TRY(find_range(f, err));
    for (int k = 0; k < 2; k++) {
        const double first = ceil(f->low[k] / f->step);
        for (int n = 0; n < LINES_MAX && (first + n) * f->step <= f->high[k]; n++) {
            TAL_TRY(append_line(line, label, f, (first + n) * f->step, k == 0, err));
        }
    }
    return TAL_OK;
}

tal_status tal_graticule_write(tal_text *line, tal_text *label, const tal_crs *crs,
                               const tal_bounds *sheet, tal_error *err) {
    if (tal_crs_get_info(crs)->is_local) {
        return TAL_OK;
    }
    frame f = {.sheet = sheet};
    tal_crs *degrees;
    TAL_TRY(tal_crs_create(&degrees, "EPSG:4326", "figures", err));
    tal_status status = tal_crs_transform_create_flat(&f.to_degrees, crs, degrees, "figures", err);
    if (status == TAL_OK) {
        status = tal_crs_transform_create_flat(&f.to_study, degrees, crs, "figures", err);
    }
    if (status == TAL_OK) {
        status = append_lines(line, label, &f, err);
    }
    tal_crs_transform_destroy(f.to_study);
    tal_crs_transform_destroy(f.to_degrees);
    tal_crs_destroy(degrees);
    return status;
}
