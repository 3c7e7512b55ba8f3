// SPDX-License-Identifier: GPL-3.0-or-later
// A survey: the files of one epoch, their coordinate systems, and their points as one stream in
// metres from the study's origin.
#ifndef TALUS_INGEST_READ_SURVEY_H
#define TALUS_INGEST_READ_SURVEY_H

#include "core/base/file.h"
#include "core/base/settings.h"
#include "core/geo/crs.h"
#include "core/geo/grid.h"
#include "core/geo/raster_file.h"
#include "ingest/read/format.h"
#include "ingest/read/scratch.h"
#include "ingest/read/spikes.h"

typedef struct {
    char path[TAL_PATH_SIZE];     // as the user named it
    char las_path[TAL_PATH_SIZE]; // what PDAL made of it; "" otherwise
    const tal_format *format;
    tal_file_header header;
    tal_crs *crs;
    tal_crs_transform *to_study, *from_study;
    double height_factor; // from the file's heights to those of `crs`
    uint64_t point_count; // of clouds, once scanned
    uint64_t ground_count;
    tal_bounds own_bounds; // in its own coordinates, as they stand in the file
    tal_bounds bounds;     // in the study's coordinates
    double low, high;      // heights
    double raster_cell_m;  // of a raster, about; 0 of clouds
    tal_spikes spikes;     // cells of a raster that were bridged, once sampled
} tal_survey_file;

typedef struct {
    const char *name; // "before", "after"
    int file_count;
    tal_survey_file *file;
    bool has_clouds, has_rasters;
    tal_scratch *scratch; // the points, once scanned; NULL without clouds
    uint64_t point_count, ground_count;
    tal_bounds bounds;
    double low, high;
} tal_survey_reader;

// The study's coordinate system and origin.
typedef struct {
    tal_crs *crs;
    bool crs_stated; // in the site file, not taken from the first file
    tal_origin origin;
} tal_site_crs;

// Looks at every file without reading its points: kinds, coordinate systems, units. Adds one
// message per mistake to `err`.
tal_status tal_survey_open(tal_survey_reader *survey, const char *name,
                           const tal_settings *settings, const char *files, tal_error *err);
void tal_survey_close(tal_survey_reader *survey);

// The study's coordinate system: as stated, else `own_crs`, which the site file states for the files
// of the first survey, else that of the first file that has one.
tal_status tal_site_crs_settle(tal_site_crs *study, const tal_site_settings *site,
                               const char *own_crs, tal_survey_reader *const *surveys,
                               int survey_count, tal_error *err);
void tal_site_crs_destroy(tal_site_crs *study);

// Brings every file together with the study (or says what stands in the way of that, where the study
// has no coordinate system yet); `own_crs` and `unit` are what the site file says.
tal_status tal_survey_place(tal_survey_reader *survey, const tal_site_crs *study,
                            const tal_site_settings *site, const char *own_crs, int unit,
                            tal_error *err);

// Turns files that need PDAL into LAS beside the results; with a ground filter where `work` asks.
tal_status tal_survey_convert(tal_survey_reader *survey, const char *folder,
                              tal_overwrite overwrite, int work, tal_error *err);

// Reads every cloud once, from begin to end: counts, bounds, ground classes; refuses empty clouds and
// wild coordinates. Keeps the points in the study's coordinates in `folder` until the survey closes.
tal_status tal_survey_scan(tal_survey_reader *survey, const char *folder, tal_error *err);

// Receives chunks of the points that were scanned; coordinates are metres from `origin`. May change
// them.
typedef tal_status tal_point_sink(void *context, tal_points *points, tal_error *err);
tal_status tal_survey_stream(const tal_survey_reader *survey, tal_origin origin, const char *label,
                             tal_point_sink *sink, void *context, tal_error *err);

// Elevations of the survey's rasters on `grid` (in metres from the origin), NaN where they have
// none.
tal_status tal_survey_sample_rasters(tal_survey_reader *survey, tal_origin origin,
                                     const tal_grid *grid, float *z, tal_error *err);

#endif
