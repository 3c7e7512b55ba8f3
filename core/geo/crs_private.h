// SPDX-License-Identifier: GPL-3.0-or-later
// What crs.c and crs_transform.c share. Private to core/geo.
#ifndef TALUS_CORE_GEO_CRS_PRIVATE_H
#define TALUS_CORE_GEO_CRS_PRIVATE_H

#include "core/geo/crs.h"

#include <proj.h>

// What PROJ last complained about; one per context.
typedef struct {
    char text[1024];
} tal_proj_log;

struct tal_crs {
    PJ_CONTEXT *context; // one of its own: PROJ's contexts must not be shared between threads
    tal_proj_log log;
    PJ *given;      // NULL for local
    PJ *horizontal; // the horizontal part, in two dimensions
    tal_crs_info info;
    bool y_before_x;      // the authority's axis order is north, east
    bool axes_are_usual;  // x to the east and y to the north, or a polar projection
    bool heights_go_down; // depths
    char *wkt;
    char *horizontal_wkt;
};

// A context without network, whose messages go to `log` and never to the terminal.
PJ_CONTEXT *tal_proj_context_create(tal_proj_log *log);

// " (PROJ: ...)" or "" when PROJ said nothing. The text lives as long as the log.
const char *tal_proj_log_text(tal_proj_log *log);

#endif
