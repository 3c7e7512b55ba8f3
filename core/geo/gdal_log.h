// SPDX-License-Identifier: GPL-3.0-or-later
// GDAL's messages caught instead of printed. Private to core/geo.
#ifndef TALUS_CORE_GEO_GDAL_LOG_H
#define TALUS_CORE_GEO_GDAL_LOG_H

#include "core/base/status.h"

// What GDAL complained about between begin and end, on this thread: the first failure decides, a
// warning is kept only to explain a failure that came without words.
typedef struct {
    char failure[1024];
    char warning[1024];
    int failure_count;
} tal_gdal_log;

void tal_gdal_log_begin(tal_gdal_log *log);
void tal_gdal_log_end(void);
// Never empty.
const char *tal_gdal_log_text(const tal_gdal_log *log);

// For a file that GDAL could not open: missing, a folder, no right to read, or GDAL's own words.
tal_status tal_gdal_open_failed(const tal_gdal_log *log, const char *path, const char *kind,
                                tal_error *err);

#endif
