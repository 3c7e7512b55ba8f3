// SPDX-License-Identifier: GPL-3.0-or-later
// Places of a release, twice: against the box of the surveys, and against the bed.
#include "ingest/check/release.h"

#include "core/app/site_file.h"
#include "core/geo/release_places.h"
#include "core/geo/stops.h"

#include <math.h>

// Somewhere inside, at a height that is not known yet.
static double height_in_box(const void *ground, double x, double y) {
    const tal_bounds *box = ground;
    return x >= box->west && x <= box->east && y >= box->south && y <= box->north ? -INFINITY : NAN;
}

void tal_check_release_bounds(const tal_case *site, tal_bounds bounds, tal_error *err) {
    const tal_features_frame frame = {.crs = site->study.crs};
    const tal_place_ground ground = {.height = height_in_box, .ground = &bounds, .box = bounds};
    if (site->settings->release.rocks > 0) {
        tal_release_check_places(&ground, site->settings, &frame, err);
    }
}

void tal_check_stops(tal_case *site, tal_bounds bounds, tal_error *err) {
    const tal_settings *settings = site->settings;
    const tal_origin here = {0};
    char text[TAL_FINDING_SIZE];
    tal_stops stops;
    tal_error own;
    tal_error_reset(&own);
    if (tal_site_file_check_files(settings, "report", "stops",
                                  tal_settings_where(settings, settings->report.stops),
                                  err) != TAL_OK) {
        return;
    }
    if (tal_stops_read(&stops, settings, &here, bounds, &own) != TAL_OK) {
        tal_error_add(err, own.status, "%s", own.text);
        return;
    }
    tal_stops_tell_outside(&stops, text, sizeof text);
    if (text[0] != '\0') {
        tal_findings_add(&site->findings, "stops", TAL_WARN, "report.stops", "%s", text);
    }
    tal_stops_destroy(&stops);
}

// Next to a single cell without data the triangles may or may not reach: not known.
static bool is_beside_one_gap(const tal_raster *bed, double x, double y) {
    const tal_grid *g = &bed->grid;
    const double half = 0.5 * g->cell;
    int known = 0;
    for (int k = 0; k < 4; k++) {
        const int64_t cell =
            tal_grid_index(g, x + (k % 2 == 0 ? -half : half), y + (k < 2 ? -half : half));
        known += cell >= 0 && !isnan(bed->value[cell]);
    }
    return known == 3;
}

static double height_of_bed(const void *ground, double x, double y) {
    const tal_raster *bed = ground;
    const double z = tal_raster_sample(bed, x, y);
    return isnan(z) && is_beside_one_gap(bed, x, y) ? -INFINITY : z;
}

tal_status tal_check_release_bed(const tal_case *site, const tal_grid *grid,
                                 const tal_layers *layers, tal_error *err) {
    const tal_raster bed = {*grid, layers->bed};
    const tal_origin *o = &site->study.origin;
    const double origin[3] = {(double)o->east, (double)o->north, (double)o->height};
    const tal_features_frame frame = {site->study.crs, {origin[0], origin[1], origin[2]}};
    const tal_place_ground ground = {.height = height_of_bed,
                                     .ground = &bed,
                                     .box = tal_grid_bounds(grid),
                                     .origin_m = {origin[0], origin[1], origin[2]},
                                     .spare_m = site->settings->mesh.mesh_error_m};
    const int before = err->message_count;
    if (site->settings->release.rocks > 0) {
        tal_release_check_places(&ground, site->settings, &frame, err);
    }
    return err->message_count > before ? TAL_BAD_INPUT : TAL_OK;
}
