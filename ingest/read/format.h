// SPDX-License-Identifier: GPL-3.0-or-later
// Formats of survey files, one row each. A new format is a file that defines tal_format_NAME, a
// NAME in the list below and a line in CMakeLists.txt; nothing else knows formats by name.
#ifndef TALUS_INGEST_READ_FORMAT_H
#define TALUS_INGEST_READ_FORMAT_H

#include "core/base/status.h"
#include "ingest/read/points.h"

// What a file says about itself before its points are read.
typedef struct {
    char *crs_definition; // freed with tal_memory_destroy; NULL: it does not say
    double height_m; // metres per unit of height, as the file states it beside that; 0: it does not
    double plan_m;   // the same of the map
    uint64_t point_count;   // 0: not known
    bool has_extent;        // whether the next two are known
    double low[2], high[2]; // of x and y
    char note[256];         // what was odd but harmless; "" without
} tal_file_header;

// A format holds either points, which are read from begin to end, or a raster, which is sampled.
typedef struct {
    const char *name;           // in ingest.json
    const char *meaning;        // in messages
    const char *const *endings; // of file names, NULL at the end; may be NULL
    bool (*begins)(const uint8_t *bytes, size_t count); // the first bytes tell; NULL: they do not
    bool is_raster;
    bool through_pdal; // PDAL turns it into LAS, which is read in its place
    tal_status (*look)(const char *path, tal_file_header *header, tal_error *err);
    // Of formats that are read directly.
    tal_status (*open)(void **reader, const char *path, tal_error *err);
    // Fills all arrays of `points` anew, with at most TAL_POINTS_CAPACITY points; none: at the end.
    tal_status (*read)(void *reader, tal_points *points, tal_error *err);
    void (*close)(void *reader);
} tal_format;

// Asked in this order: first for the beginning of a file, then for its ending; the last row takes
// what no other does, or says what is wrong with it.
#define TAL_FORMATS(ROW) ROW(las) ROW(laz) ROW(text) ROW(pdal) ROW(raster)

enum { TAL_FORMAT_HEAD = 128 }; // bytes that `begins` is shown

#define TAL_FORMAT_DECLARE(name) extern const tal_format tal_format_##name;
TAL_FORMATS(TAL_FORMAT_DECLARE)
#undef TAL_FORMAT_DECLARE

const tal_format *tal_format_find(const char *path);
// "PATH is neither LAS nor ...: REASON"
tal_status tal_format_refuse(const char *path, const char *reason, tal_error *err);
// For `look`: copies the definition of a coordinate system; empty ones are none.
tal_status tal_file_header_set_crs(tal_file_header *header, const char *definition, tal_error *err);

#endif
