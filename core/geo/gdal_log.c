// SPDX-License-Identifier: GPL-3.0-or-later
// GDAL's messages caught instead of printed, and its set-up.
#include "core/geo/gdal_log.h"

#include "core/base/file.h"
#include "core/geo/hdf5_exit.h"
#include "core/geo/raster_file.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>
#include <ogr_srs_api.h>
#include <string.h>
#include <threads.h>

static void set_up(void) {
    CPLSetErrorHandler(CPLQuietErrorHandler); // outside our calls: nothing reaches the terminal
    tal_hdf5_init();                          // GDAL reads NetCDF and HDF5 too
    GDALAllRegister();
    OSRSetPROJEnableNetwork(0);
}

void tal_gdal_init(void) {
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, set_up);
}

static void keep_first(char text[1024], const char *message) {
    if (text[0] == '\0') {
        snprintf(text, 1024, "%s", message);
        // Some messages end in a line break; ours go into one sentence.
        text[strcspn(text, "\r\n")] = '\0';
    }
}

static void CPL_STDCALL catch_message(CPLErr level, CPLErrorNum number, const char *message) {
    (void)number;
    tal_gdal_log *log = CPLGetErrorHandlerUserData();
    if (level == CE_Failure || level == CE_Fatal) {
        log->failure_count++;
        keep_first(log->failure, message);
    } else if (level == CE_Warning) {
        keep_first(log->warning, message);
    }
}

void tal_gdal_log_begin(tal_gdal_log *log) {
    tal_gdal_init();
    *log = (tal_gdal_log){0};
    CPLPushErrorHandlerEx(catch_message, log);
}

void tal_gdal_log_end(void) {
    CPLPopErrorHandler();
}

const char *tal_gdal_log_text(const tal_gdal_log *log) {
    if (log->failure[0] != '\0') {
        return log->failure;
    }
    return log->warning[0] != '\0' ? log->warning : "GDAL gives no reason";
}

tal_status tal_gdal_open_failed(const tal_gdal_log *log, const char *path, const char *kind,
                                tal_error *err) {
    TAL_TRY(tal_file_check_readable(path, err));
    return TAL_FAIL(err, TAL_BAD_INPUT, "%s cannot be read as %s: %s", path, kind,
                    tal_gdal_log_text(log));
}
