// SPDX-License-Identifier: GPL-3.0-or-later
// The one pass over the files of a survey, its points as one stream, its rasters on the study's
// grid.
#include "ingest/read/survey.h"

#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <math.h>
#include <stdio.h>

// No projected system has coordinates beyond this, nor any height.
static const double east_max = 1e8, height_max = 1e5;

// ---- Reading a cloud once ----------------------------------------------------------------------

static tal_status bring_to_study(const tal_survey_file *file, tal_points *points, tal_error *err) {
    if (file->height_factor != 1.0) {
        for (size_t i = 0; i < points->count; i++) {
            points->z[i] *= file->height_factor;
        }
    }
    return tal_crs_transform_apply(file->to_study, points->x, points->y, points->z, points->count,
                                   err);
}

static void widen(tal_bounds *bounds, double x, double y) {
    bounds->west = fmin(bounds->west, x);
    bounds->east = fmax(bounds->east, x);
    bounds->south = fmin(bounds->south, y);
    bounds->north = fmax(bounds->north, y);
}

static const tal_bounds no_bounds = {INFINITY, INFINITY, -INFINITY, -INFINITY};

static void note_own_bounds(tal_survey_file *file, const tal_points *points) {
    for (size_t i = 0; i < points->count; i++) {
        widen(&file->own_bounds, points->x[i], points->y[i]);
    }
}

// Counts the chunk in; coordinates are those of the study, from no origin yet.
static tal_status look_at_points(tal_survey_file *file, const tal_points *points, tal_error *err) {
    tal_bounds bounds = file->bounds;
    double low = file->low, high = file->high;
    for (size_t i = 0; i < points->count; i++) {
        const double x = points->x[i], y = points->y[i], z = points->z[i];
        const bool sane = fabs(x) <= east_max && fabs(y) <= east_max && fabs(z) <= height_max;
        if (!sane) { // also true of NaN
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: point %llu lies at %g %g %g, which, in metres, is nowhere on "
                            "Earth; is its coordinate system right?",
                            file->path, (unsigned long long)(file->point_count + i + 1), x, y, z);
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
    file->point_count += points->count;
    return TAL_OK;
}

static tal_status read_cloud(tal_survey_file *file, tal_points *points, tal_progress *progress,
                             tal_scratch *scratch, tal_error *err) {
    const bool converted = file->las_path[0] != '\0';
    const tal_format *format = converted ? &tal_format_las : file->format;
    void *reader = NULL;
    tal_status status = TAL_OK;
    TAL_ASSERT(!format->is_raster && format->open != NULL); // PDAL's formats were converted
    TAL_TRY(format->open(&reader, converted ? file->las_path : file->path, err));
    for (;;) {
        TAL_TRY_OR_DONE(format->read(reader, points, err));
        if (points->count == 0) {
            break;
        }
        note_own_bounds(file, points);
        TAL_TRY_OR_DONE(bring_to_study(file, points, err));
        TAL_TRY_OR_DONE(look_at_points(file, points, err));
        TAL_TRY_OR_DONE(tal_scratch_add(scratch, points, err));
        TAL_TRY_OR_DONE(tal_interrupt_check(err));
        tal_progress_advance(progress, (double)file->point_count);
    }
done:
    format->close(reader);
    return status;
}

static tal_status scan_cloud(tal_survey_reader *survey, tal_survey_file *file, tal_error *err) {
    char text[128];
    tal_points points;
    tal_progress progress;
    snprintf(text, sizeof text, "reading %s", survey->name);
    TAL_TRY(tal_points_create(&points, err));
    tal_progress_begin(&progress, text, "points", (double)file->header.point_count);
    file->point_count = 0;
    const tal_status status = read_cloud(file, &points, &progress, survey->scratch, err);
    tal_points_destroy(&points);
    TAL_TRY(status);
    tal_progress_end(&progress, (double)file->point_count);
    if (file->point_count == 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s holds no points", file->path);
    }
    survey->point_count += file->point_count;
    survey->ground_count += file->ground_count;
    return TAL_OK;
}

// Corners of a raster in the study's coordinates.
static tal_status scan_raster(tal_survey_file *file, tal_error *err) {
    tal_raster_info info;
    TAL_TRY(tal_raster_info_read(&info, file->path, err));
    const double *g = info.geotransform;
    const int columns = info.columns;
    double x[4], y[4], z[4] = {0};
    for (int k = 0; k < 4; k++) {
        x[k] = g[0] + g[1] * (k % 2 == 0 ? 0 : info.columns);
        y[k] = g[3] + g[5] * (k < 2 ? 0 : info.rows);
    }
    tal_raster_info_destroy(&info);
    for (int k = 0; k < 4; k++) {
        widen(&file->own_bounds, x[k], y[k]);
    }
    TAL_TRY(tal_crs_transform_apply(file->to_study, x, y, z, 4, err));
    for (int k = 0; k < 4; k++) {
        widen(&file->bounds, x[k], y[k]);
    }
    file->raster_cell_m = (file->bounds.east - file->bounds.west) / columns;
    return TAL_OK;
}

tal_status tal_survey_scan(tal_survey_reader *survey, const char *folder, tal_error *err) {
    survey->bounds = no_bounds;
    survey->low = INFINITY;
    survey->high = -INFINITY;
    if (survey->has_clouds) {
        TAL_TRY(tal_scratch_create(&survey->scratch, folder, err));
    }
    for (int i = 0; i < survey->file_count; i++) {
        tal_survey_file *file = &survey->file[i];
        file->bounds = file->own_bounds = no_bounds;
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

// ---- The points again --------------------------------------------------------------------------

static void move_to_origin(tal_points *points, tal_origin origin) {
    const double east = (double)origin.east, north = (double)origin.north;
    const double height = (double)origin.height;
    for (size_t i = 0; i < points->count; i++) {
        points->x[i] -= east;
        points->y[i] -= north;
        points->z[i] -= height;
    }
}

tal_status tal_survey_stream(const tal_survey_reader *survey, tal_origin origin, const char *label,
                             tal_point_sink *sink, void *context, tal_error *err) {
    tal_points points;
    tal_progress progress;
    double done = 0.0;
    tal_status status = TAL_OK;
    char text[128];
    TAL_ASSERT(survey->scratch != NULL); // tal_survey_scan was there
    snprintf(text, sizeof text, "%s %s", label, survey->name);
    TAL_TRY(tal_points_create(&points, err));
    tal_progress_begin(&progress, text, "points", (double)survey->point_count);
    TAL_TRY_OR_DONE(tal_scratch_rewind(survey->scratch, err));
    for (;;) {
        TAL_TRY_OR_DONE(tal_scratch_read(survey->scratch, &points, err));
        if (points.count == 0) {
            break;
        }
        done += (double)points.count;
        move_to_origin(&points, origin);
        TAL_TRY_OR_DONE(sink(context, &points, err));
        TAL_TRY_OR_DONE(tal_interrupt_check(err));
        tal_progress_advance(&progress, done);
    }
    tal_progress_end(&progress, done);
done:
    tal_points_destroy(&points);
    return status;
}

// ---- Rasters -----------------------------------------------------------------------------------

typedef struct {
    const tal_survey_file *file;
    tal_raster raster;
    tal_origin origin;
    int samples; // per cell and axis: more than one where the raster is finer than the grid
} sampler;

// No ground is steeper than ten to one towards all sides; tips of trees may be in very small cells.
static const double spike_cells_min = 10.0, spike_min_m = 10.0;

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

tal_status tal_survey_sample_rasters(tal_survey_reader *survey, tal_origin origin,
                                     const tal_grid *grid, float *z, tal_error *err) {
    for (int i = 0; i < survey->file_count; i++) {
        sampler s = {.file = &survey->file[i], .origin = origin};
        if (!s.file->format->is_raster) {
            continue;
        }
        TAL_TRY(tal_raster_read(&s.raster, s.file->path, err));
        survey->file[i].spikes = tal_spikes_bridge(
            &s.raster,
            fmax(spike_min_m, spike_cells_min * s.file->raster_cell_m) / s.file->height_factor);
        const double ratio = grid->cell / s.raster.grid.cell;
        s.samples = ratio > 1.5 ? (int)fmin(ceil(ratio), 16.0) : 1;
        const tal_status status = sample_into(&s, grid, z, err);
        tal_raster_destroy(&s.raster);
        TAL_TRY(status);
    }
    return TAL_OK;
}
