// SPDX-License-Identifier: GPL-3.0-or-later
// Plain LAS 1.0 to 1.4, point formats 0 to 10 (ASPRS LAS specification 1.4 R15), read in chunks.
#ifndef TALUS_INGEST_READ_LAS_FILE_H
#define TALUS_INGEST_READ_LAS_FILE_H

#include "core/base/status.h"
#include "ingest/read/format.h"
#include "ingest/read/points.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int version_minor; // of LAS 1.x
    int format;        // of the points, 0 to 10
    bool compressed;   // LAZ or COPC: the header can be read, the points cannot
    uint32_t record_length;
    uint32_t extra_bytes; // per point, beyond what the format defines
    uint64_t point_count;
    double scale[3], offset[3];
    double low[3], high[3];    // bounds as the header states them
    int vlr_count, evlr_count; // as found
    char *crs_definition;      // WKT or EPSG codes; NULL where the file has none talus can read
    double vertical_m;         // metres per unit of height, where a key states it; else 0
    double plan_m;             // the same of the map; 0 where the system comes from WKT
    char note[256];            // what was odd but harmless; "" without
} tal_las_header;

typedef struct tal_las tal_las;

tal_status tal_las_open(tal_las **las, const char *path, tal_error *err);
// The same on bytes in memory, which must outlive the handle; `path` is for messages.
tal_status tal_las_open_memory(tal_las **las, const uint8_t *bytes, size_t count, const char *path,
                               tal_error *err);
void tal_las_close(tal_las *las);
const tal_las_header *tal_las_get_header(const tal_las *las);

// The next points (none at the end), in the file's own coordinates.
tal_status tal_las_read(tal_las *las, tal_points *points, tal_error *err);
// Back to the first point.
void tal_las_rewind(tal_las *las);

// The header alone, also of compressed files.
tal_status tal_las_look(const char *path, tal_file_header *found, tal_error *err);

// GeoTIFF keys (directory, doubles and text as stored in the file) as a definition for PROJ:
// false when they do not name a coordinate system by code. `vertical_m` as in the header.
bool tal_las_crs_from_keys(const uint16_t *keys, size_t key_values, char *definition, size_t size,
                           double *vertical_m, char *note, size_t note_size);
// Metres per unit of the map as a key states it beside the system; 0 where none does.
double tal_las_plan_unit_from_keys(const uint16_t *keys, size_t key_values);

#endif
