// SPDX-License-Identifier: GPL-3.0-or-later
// What ingest leaves behind: rasters, outlines, the summary and a quick look.
#ifndef TALUS_INGEST_WRITE_OUTPUT_H
#define TALUS_INGEST_WRITE_OUTPUT_H

#include "core/app/provenance.h"
#include "core/base/file.h"
#include "ingest/compare/layers.h"

// One study, ready to be written. `cliff` is NULL where the vertical frame is enough.
typedef struct {
    const char *folder;
    tal_overwrite overwrite;
    const tal_case *site;
    const tal_comparison *vertical;
    const tal_comparison *cliff;
    bool deposit_on_cliff;                       // measured along the face like the source
    const tal_volume_estimate *source, *deposit; // each in the frame that was chosen for it
    const tal_layers *layers;
    const tal_provenance *provenance;
    double source_slope_deg;
} tal_ingest_result;

// Refuses early: files that exist already, a folder that cannot be written to.
tal_status tal_output_check(const char *folder, tal_overwrite overwrite, tal_error *err);

tal_status tal_output_rasters(const tal_ingest_result *result, tal_error *err);
tal_status tal_output_geopackage(const tal_ingest_result *result, tal_error *err);
tal_status tal_output_summary(const tal_ingest_result *result, tal_error *err);
// ingest.png: the ground as a hillshade, loss in orange, gain in blue.
tal_status tal_output_quick_look(const tal_ingest_result *result, tal_error *err);
// ingest.html: the same picture with outlines, numbers, scale, what was dropped, and how well the
// surveys fit, for a geologist to judge.
tal_status tal_output_page(const tal_ingest_result *result, tal_error *err);

// The picture of both as three planes of bytes, freed with tal_memory_destroy; `step` are the cells
// of a pixel.
typedef struct {
    int columns, rows;
    double step;
    uint8_t *rgb;
} tal_picture;
tal_status tal_picture_create(tal_picture *picture, const tal_ingest_result *result,
                              tal_error *err);
// What the colours end at, m.
double tal_picture_scale(const tal_ingest_result *result);

// The vertical grid in the study's own coordinates.
tal_grid tal_result_grid(const tal_ingest_result *result);

#endif
