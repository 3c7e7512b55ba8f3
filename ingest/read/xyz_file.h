// SPDX-License-Identifier: GPL-3.0-or-later
// Points from text: XYZ, CSV, TXT, PTS; with or without a header line; blanks, tabs, commas or
// semicolons between the columns.
#ifndef TALUS_INGEST_READ_XYZ_FILE_H
#define TALUS_INGEST_READ_XYZ_FILE_H

#include "core/base/status.h"
#include "ingest/read/points.h"

#include <stdbool.h>

typedef struct tal_xyz tal_xyz;

// Reads as far as needed to know the columns.
tal_status tal_xyz_open(tal_xyz **xyz, const char *path, tal_error *err);
// The same on bytes in memory, which must outlive the handle; `path` is for messages.
tal_status tal_xyz_open_memory(tal_xyz **xyz, const char *bytes, size_t count, const char *path,
                               tal_error *err);
void tal_xyz_close(tal_xyz *xyz);

// The next points (none at the end). A line that is not a point is an error that names it.
tal_status tal_xyz_read(tal_xyz *xyz, tal_points *points, tal_error *err);
tal_status tal_xyz_rewind(tal_xyz *xyz, tal_error *err);

// Share of the file read so far, 0 to 1.
double tal_xyz_progress(const tal_xyz *xyz);

#endif
