// SPDX-License-Identifier: GPL-3.0-or-later
// Points of a survey as one stream, and its rasters on the study's grid.
#include "ingest/read/survey.h"

#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <math.h>
#include <stdio.h>

// No projected system has coordinates beyond this, nor any height.
static const double east_max = 1e8, height_max = 1e5;

// ---- One cloud ---------------------------------------------------------------------------------

static tal_status bring_to_study(const tal_survey_file *file, tal_origin origin, tal_points *points,
                                 tal_error *err) {
    if (file->height_factor != 1.0) {
        for (size_t i = 0; i < points->count; i++) {
            points->z[i] *= file->height_factor;
        }
    }
    TAL_TRY(tal_crs_transform_apply(file->to_study, points->x, points->y, points->z, points->count,
                                    err));
    const double east = (double)origin.east, north = (double)origin.north;
    const double height = (double)origin.height;
    for (size_t i = 0; i < points->count; i++) {
        points->x[i] -= east;
        points->y[i] -= north;
        points->z[i] -= height;
    }
    return TAL_OK;
}

typedef struct {
    tal_points points;
    tal_progress progress;
    double done;
} stream_state;

static tal_status stream_file(const tal_survey_file *file, tal_origin origin, stream_state *state,
                              tal_point_sink *sink, void *context, tal_error *err) {
    const bool converted = file->las_path[0] != '\0';
    const tal_format *format = converted ? &tal_format_las : file->format;
    void *reader = NULL;
    tal_status status = TAL_OK;
    TAL_TRY(format->open(&reader, converted ? file->las_path : file->path, err));
    for (;;) {
        TAL_TRY_OR_DONE(format->read(reader, &state->points, err));
        if (state->points.count == 0) {
            break;
        }
        state->done += (double)state->points.count;
        TAL_TRY_OR_DONE(bring_to_study(file, origin, &state->points, err));
        TAL_TRY_OR_DONE(sink(context, &state->points, err));
        TAL_TRY_OR_DONE(tal_interrupt_check(err));
        tal_progress_advance(&state->progress, state->done);
    }
done:
    format->close(reader);
    return status;
}

static double expected_points(const tal_survey_reader *survey) {
    double total = 0.0;
    for (int i = 0; i < survey->file_count; i++) {
        const tal_survey_file *file = &survey->file[i];
        if (!file->format->is_raster && file->point_count == 0) {
            return 0.0; // not known yet
        }
        total += (double)file->point_count;
    }
    return total;
}

tal_status tal_survey_stream(const tal_survey_reader *survey, tal_origin origin, const char *label,
                             tal_point_sink *sink, void *context, tal_error *err) {
    stream_state state = {0};
    tal_status status = TAL_OK;
    char text[128];
    snprintf(text, sizeof text, "%s %s", label, survey->name);
    TAL_TRY(tal_points_create(&state.points, err));
    tal_progress_begin(&state.progress, text, "points", expected_points(survey));
    for (int i = 0; i < survey->file_count; i++) {
        if (!survey->file[i].format->is_raster) {
            TAL_TRY_OR_DONE(stream_file(&survey->file[i], origin, &state, sink, context, err));
        }
    }
    tal_progress_end(&state.progress, state.done);
done:
    tal_points_destroy(&state.points);
    return status;
}

// ---- Scan --------------------------------------------------------------------------------------

typedef struct {
    tal_survey_file *file;
    uint64_t count;
} scan_state;

static void widen(tal_bounds *bounds, double x, double y) {
    bounds->west = fmin(bounds->west, x);
    bounds->east = fmax(bounds->east, x);
    bounds->south = fmin(bounds->south, y);
    bounds->north = fmax(bounds->north, y);
}

static const tal_bounds no_bounds = {INFINITY, INFINITY, -INFINITY, -INFINITY};

static tal_status scan_sink(void *context, tal_points *points, tal_error *err) {
    scan_state *state = context;
    tal_survey_file *file = state->file;
    tal_bounds bounds = file->bounds;
    double low = file->low, high = file->high;
    for (size_t i = 0; i < points->count; i++) {
        const double x = points->x[i], y = points->y[i], z = points->z[i];
        const bool sane = fabs(x) <= east_max && fabs(y) <= east_max && fabs(z) <= height_max;
        if (!sane) { // also true of NaN
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: point %llu lies at %g %g %g, which is nowhere on "
                            "Earth in metres; is its coordinate system right?",
                            file->path, (unsigned long long)(state->count + i + 1), x, y, z);
        }
        bounds.west = x < bounds.west ? x : bounds.west;
        bounds.east = x > bounds.east ? x : bounds.east;
        bounds.south = y < bounds.south ? y : bounds.south;
        bounds.north = y > bounds.north ? y : bounds.north;
        low = z < low ? z : low;
        high = z > high ? z : high;
        file->ground_count += points->point_class[i] == TAL_CLASS_GROUND;
    }
    file->bounds = bounds;
    file->low = low;
    file->high = high;
    state->count += points->count;
    return TAL_OK;
}

// Corners of a raster in the study's coordinates.
static tal_status scan_raster(tal_survey_file *file, tal_error *err) {
    tal_raster_info info;
    TAL_TRY(tal_raster_info_read(&info, file->path, err));
    const double *g = info.geotransform;
    double x[4], y[4], z[4] = {0};
    for (int k = 0; k < 4; k++) {
        x[k] = g[0] + g[1] * (k % 2 == 0 ? 0 : info.columns);
        y[k] = g[3] + g[5] * (k < 2 ? 0 : info.rows);
    }
    tal_raster_info_destroy(&info);
    TAL_TRY(tal_crs_transform_apply(file->to_study, x, y, z, 4, err));
    for (int k = 0; k < 4; k++) {
        widen(&file->bounds, x[k], y[k]);
    }
    return TAL_OK;
}

static tal_status scan_cloud(tal_survey_reader *survey, tal_survey_file *file, tal_error *err) {
    scan_state state = {.file = file};
    // One file at a time, so that messages name it.
    const tal_survey_reader alone = {.name = survey->name, .file_count = 1, .file = file};
    TAL_TRY(tal_survey_stream(&alone, (tal_origin){0}, "looking at", scan_sink, &state, err));
    if (state.count == 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: holds no points", file->path);
    }
    file->point_count = state.count;
    survey->point_count += state.count;
    survey->ground_count += file->ground_count;
    return TAL_OK;
}

tal_status tal_survey_scan(tal_survey_reader *survey, tal_error *err) {
    survey->bounds = no_bounds;
    survey->low = INFINITY;
    survey->high = -INFINITY;
    for (int i = 0; i < survey->file_count; i++) {
        tal_survey_file *file = &survey->file[i];
        file->bounds = no_bounds;
        file->low = INFINITY;
        file->high = -INFINITY;
        TAL_TRY(file->format->is_raster ? scan_raster(file, err) : scan_cloud(survey, file, err));
        widen(&survey->bounds, file->bounds.west, file->bounds.south);
        widen(&survey->bounds, file->bounds.east, file->bounds.north);
        survey->low = fmin(survey->low, file->low);
        survey->high = fmax(survey->high, file->high);
    }
    return TAL_OK;
}

// ---- Rasters -----------------------------------------------------------------------------------

typedef struct {
    const tal_survey_file *file;
    tal_raster raster;
    tal_origin origin;
    int samples; // per cell and axis: more than one where the raster is finer than the grid
} sampler;

// One row of sub-samples: places of the grid, moved into the raster's system and back.
static tal_status sample_row(const sampler *s, const tal_grid *grid, int32_t row, int sub_row,
                             double *x, double *y, double *z, tal_error *err) {
    const size_t count = (size_t)grid->columns * (size_t)s->samples;
    const double step = grid->cell / s->samples;
    for (size_t i = 0; i < count; i++) {
        x[i] = grid->west + ((double)i + 0.5) * step + (double)s->origin.east;
        y[i] = grid->north - (row * (double)s->samples + sub_row + 0.5) * step +
               (double)s->origin.north;
    }
    TAL_TRY(tal_crs_transform_apply(s->file->from_study, x, y, NULL, count, err));
    for (size_t i = 0; i < count; i++) {
        z[i] = tal_raster_sample(&s->raster, x[i], y[i]) * s->file->height_factor;
    }
    if (!tal_crs_transform_is_identity(s->file->to_study)) {
        TAL_TRY(tal_crs_transform_apply(s->file->to_study, x, y, z, count, err));
    }
    return TAL_OK;
}

static tal_status sample_into(const sampler *s, const tal_grid *grid, float *z_out,
                              tal_error *err) {
    const size_t count = (size_t)grid->columns * (size_t)s->samples;
    double *x = NULL, *y = NULL, *z = NULL, *sum = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(x, count, "a row of samples", err);
    TAL_CREATE_OR_DONE(y, count, "a row of samples", err);
    TAL_CREATE_OR_DONE(z, count, "a row of samples", err);
    TAL_CREATE_OR_DONE(sum, (size_t)grid->columns, "a row of samples", err);
    const double share = 1.0 / ((double)s->samples * (double)s->samples);
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t c = 0; c < grid->columns; c++) {
            sum[c] = 0.0;
        }
        for (int sub = 0; sub < s->samples; sub++) {
            TAL_TRY_OR_DONE(sample_row(s, grid, row, sub, x, y, z, err));
            for (size_t i = 0; i < count; i++) {
                sum[i / (size_t)s->samples] += z[i] * share; // a gap makes the cell a gap
            }
        }
        float *out = z_out + (size_t)row * (size_t)grid->columns;
        for (int32_t c = 0; c < grid->columns; c++) {
            if (isnan(out[c]) && !isnan(sum[c])) {
                out[c] = (float)(sum[c] - (double)s->origin.height);
            }
        }
    }
done:
    tal_memory_destroy(x);
    tal_memory_destroy(y);
    tal_memory_destroy(z);
    tal_memory_destroy(sum);
    return status;
}

tal_status tal_survey_sample_rasters(const tal_survey_reader *survey, tal_origin origin,
                                     const tal_grid *grid, float *z, tal_error *err) {
    for (int i = 0; i < survey->file_count; i++) {
        sampler s = {.file = &survey->file[i], .origin = origin};
        if (!s.file->format->is_raster) {
            continue;
        }
        TAL_TRY(tal_raster_read(&s.raster, s.file->path, err));
        const double ratio = grid->cell / s.raster.grid.cell;
        s.samples = ratio > 1.5 ? (int)fmin(ceil(ratio), 16.0) : 1;
        const tal_status status = sample_into(&s, grid, z, err);
        tal_raster_destroy(&s.raster);
        TAL_TRY(status);
    }
    return TAL_OK;
}
