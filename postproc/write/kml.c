// SPDX-License-Identifier: GPL-3.0-or-later
// result.kmz for Google Earth.
#define _DEFAULT_SOURCE // timegm
#include "postproc/write/kml.h"

#include "core/app/html.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/geo/raster_file.h"
#include "postproc/measure/region.h"

#include <cpl_vsi.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Google Earth becomes slow beyond some ten thousand polygons.
enum { MOMENTS_MAX = 60, POLYGONS_MAX = 20000 };

typedef struct {
    tal_text text;
    const tal_back_analysis *a;
    tal_crs_transform *to_degrees;
} kml;

// Points in metres from the origin become "longitude,latitude,0 " one after another.
static tal_status append_points(kml *k, double *x, double *y, size_t count, tal_error *err) {
    for (size_t i = 0; i < count; i++) {
        x[i] += (double)k->a->survey.origin.east;
        y[i] += (double)k->a->survey.origin.north;
    }
    TAL_TRY(tal_crs_transform_apply(k->to_degrees, x, y, NULL, count, err));
    for (size_t i = 0; i < count; i++) {
        if (isfinite(x[i]) && isfinite(y[i])) {
            tal_text_append(&k->text, "%.8f,%.8f,0 ", x[i], y[i]);
        }
    }
    return TAL_OK;
}

// A closed ring: its first point again at the end. `x`, `y` have room for one more.
static tal_status append_ring(kml *k, const char *kind, double *x, double *y, size_t count,
                              tal_error *err) {
    x[count] = x[0];
    y[count] = y[0];
    tal_text_append(&k->text, "<%s><LinearRing><coordinates>", kind);
    TAL_TRY(append_points(k, x, y, count + 1, err));
    tal_text_append(&k->text, "</coordinates></LinearRing></%s>", kind);
    return TAL_OK;
}

// Outlines as lines: rings of holes look the same as outer ones.
static tal_status append_outline(kml *k, const char *name, const char *style,
                                 const tal_outline *outline, tal_error *err) {
    double *x, *y;
    const size_t room =
        outline->ring_count > 0 ? (size_t)outline->ring_start[outline->ring_count] : 0;
    TAL_CREATE(x, 2 * (room + 2), "an outline for KML", err);
    y = x + room + 2;
    tal_text_append(&k->text, "<Placemark><name>%s</name><styleUrl>#%s</styleUrl><MultiGeometry>\n",
                    name, style);
    tal_status status = TAL_OK;
    for (int32_t ring = 0; ring < outline->ring_count && status == TAL_OK; ring++) {
        const size_t first = (size_t)outline->ring_start[ring];
        const size_t count = (size_t)outline->ring_start[ring + 1] - first;
        memcpy(x, &outline->x[first], count * sizeof *x);
        memcpy(y, &outline->y[first], count * sizeof *y);
        x[count] = x[0];
        y[count] = y[0];
        tal_text_append(&k->text, "<LineString><tessellate>1</tessellate><coordinates>");
        status = append_points(k, x, y, count + 1, err);
        tal_text_append(&k->text, "</coordinates></LineString>\n");
    }
    tal_text_append(&k->text, "</MultiGeometry></Placemark>\n");
    tal_memory_destroy(x);
    return status;
}

static tal_status append_outlines(kml *k, tal_error *err) {
    static const struct {
        const char *name, *style;
    } LOOK[] = {[TAL_REGION_SOURCE] = {"Source", "source"},
                [TAL_REGION_SIMULATED] = {"Simulated deposit", "simulated"},
                [TAL_REGION_SURVEYED] = {"Surveyed deposit", "surveyed"}};
    for (int region = 0; region < tal_region_count(k->a); region++) {
        tal_outline outline;
        TAL_TRY(tal_region_outline(&outline, k->a, (tal_region)region, &k->a->survey.grid, err));
        const tal_status status =
            append_outline(k, LOOK[region].name, LOOK[region].style, &outline, err);
        tal_outline_destroy(&outline);
        TAL_TRY(status);
    }
    return TAL_OK;
}

// "2010-05-11T00:00:12.500Z": the event, or 1970 where no date is known, and seconds after it.
static void append_moment(tal_text *text, const char *event, double seconds) {
    struct tm day = {.tm_year = 70, .tm_mday = 1};
    char start[40];
    (void)sscanf(event, "%d-%d-%dT%d:%d:%d", &day.tm_year, &day.tm_mon, &day.tm_mday, &day.tm_hour,
                 &day.tm_min, &day.tm_sec);
    if (day.tm_year > 1000) {
        day.tm_year -= 1900;
        day.tm_mon -= 1;
    }
    // Whole seconds are added by the calendar.
    const double whole = floor(seconds);
    day.tm_sec += (int)whole;
    const time_t moment = timegm(&day);
    if (moment == (time_t)-1 || strftime(start, sizeof start, "%Y-%m-%dT%H:%M:%S", &day) == 0) {
        (void)snprintf(start, sizeof start, "1970-01-01T00:00:00");
    }
    tal_text_append(text, "%s.%03dZ", start, (int)(1000.0 * (seconds - whole)));
}

static tal_status append_footprints(kml *k, int32_t frame, double *room, int32_t *order,
                                    tal_vec3 *vertex, tal_error *err) {
    const tal_back_analysis *a = k->a;
    const size_t most = (size_t)a->blocks.vertex_count_max + 2;
    double *x = room + 2 * most, *y = x + most;
    for (int32_t b = 0; b < a->blocks.count; b++) {
        const tal_surface block = tal_blocks_pose_frame(&a->blocks, &a->motion, b, frame, vertex);
        const int32_t count = tal_block_footprint(&block, room, order);
        for (int32_t i = 0; i < count; i++) {
            x[i] = room[2 * i];
            y[i] = room[2 * i + 1];
        }
        if (count >= 3) {
            tal_text_append(&k->text, "<Polygon><tessellate>1</tessellate>");
            TAL_TRY(append_ring(k, "outerBoundaryIs", x, y, (size_t)count, err));
            tal_text_append(&k->text, "</Polygon>\n");
        }
    }
    return TAL_OK;
}

static tal_status append_moments(kml *k, const char *event, tal_error *err) {
    const tal_back_analysis *a = k->a;
    const tal_run_record *m = &a->motion;
    const size_t most = (size_t)a->blocks.vertex_count_max + 2;
    const int32_t fitting = POLYGONS_MAX / (a->blocks.count > 0 ? a->blocks.count : 1);
    const int32_t moments = fitting < 2 ? 2 : fitting > MOMENTS_MAX ? MOMENTS_MAX : fitting;
    const int32_t stride = (m->frame_count + moments - 1) / moments;
    double *room = NULL;
    int32_t *order = NULL;
    tal_vec3 *vertex = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(room, 4 * most, "a block for KML", err);
    TAL_CREATE_OR_DONE(order, 3 * most, "a block for KML", err);
    TAL_CREATE_OR_DONE(vertex, most, "a block for KML", err);
    tal_text_append(&k->text, "<Folder><name>Blocks over time</name>\n");
    for (int32_t i = 0; i < m->frame_count; i += stride) {
        const bool is_last = i + stride >= m->frame_count;
        const int32_t frame = is_last ? m->frame_count - 1 : i;
        tal_text_append(&k->text, "<Placemark><name>%.1f s</name><TimeSpan><begin>",
                        m->time[frame]);
        append_moment(&k->text, event, m->time[frame]);
        if (!is_last) {
            tal_text_append(&k->text, "</begin><end>");
            append_moment(
                &k->text, event,
                m->time[i + 2 * stride >= m->frame_count ? m->frame_count - 1 : i + stride]);
            tal_text_append(&k->text, "</end>");
        } else {
            tal_text_append(&k->text, "</begin>");
        }
        tal_text_append(&k->text, "</TimeSpan><styleUrl>#block</styleUrl><MultiGeometry>\n");
        TAL_TRY_OR_DONE(append_footprints(k, frame, room, order, vertex, err));
        tal_text_append(&k->text, "</MultiGeometry></Placemark>\n");
    }
    tal_text_append(&k->text, "</Folder>\n");
done:
    tal_memory_destroy(room);
    tal_memory_destroy(order);
    tal_memory_destroy(vertex);
    return status;
}

static void append_styles(tal_text *text) {
    static const struct {
        const char *name, *line, *fill; // aabbggrr
    } STYLES[] = {{"source", "ff111111", "00000000"},
                  {"simulated", "ff005ed5", "00000000"},
                  {"surveyed", "ffb27200", "00000000"},
                  {"block", "ff404850", "e07890a8"}};
    for (size_t i = 0; i < sizeof STYLES / sizeof *STYLES; i++) {
        tal_text_append(text,
                        "<Style id=\"%s\"><LineStyle><color>%s</color><width>%d</width></LineStyle>"
                        "<PolyStyle><color>%s</color></PolyStyle></Style>\n",
                        STYLES[i].name, STYLES[i].line, i == 3 ? 1 : 3, STYLES[i].fill);
    }
}

static tal_status append_document(kml *k, const tal_settings *settings, tal_error *err) {
    tal_text_append(&k->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                              "<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>\n<name>");
    tal_html_append(&k->text, settings->report.title[0] != '\0' ? settings->report.title : "talus");
    tal_text_append(&k->text, "</name>\n");
    append_styles(&k->text);
    TAL_TRY(append_outlines(k, err));
    TAL_TRY(append_moments(k, settings->solve.event, err));
    tal_text_append(&k->text, "</Document></kml>\n");
    return k->text.failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for result.kmz") : TAL_OK;
}

// A KMZ is a zip archive with a doc.kml.
static tal_status write_zip(const kml *k, const tal_output_place *place, tal_error *err) {
    char path[TAL_PATH_SIZE], written[TAL_PATH_SIZE], inside[TAL_PATH_SIZE + 32];
    TAL_TRY(tal_output_path(place, "result.kmz", path, err));
    tal_file_written_path(path, written);
    (void)snprintf(inside, sizeof inside, "/vsizip/{%s}/doc.kml", written);
    VSILFILE *file = VSIFOpenL(inside, "wb");
    const bool good =
        file != NULL && VSIFWriteL(k->text.bytes, 1, k->text.length, file) == k->text.length;
    return (file != NULL && VSIFCloseL(file) != 0) || !good
               ? TAL_FAIL(err, TAL_IO, "%s cannot be written", written)
               : TAL_OK;
}

tal_status tal_kml_write(const tal_back_analysis *a, const tal_output_place *place,
                         tal_error *err) {
    if (tal_crs_get_info(a->survey.crs)->is_local) {
        tal_log_warn("result.kmz is left out: the study has no coordinate system on Earth");
        return TAL_OK;
    }
    kml k = {.a = a};
    tal_crs *degrees = NULL;
    tal_status status = TAL_OK;
    tal_gdal_init();
    TAL_TRY_OR_DONE(tal_crs_create(&degrees, "EPSG:4326", "KML", err));
    TAL_TRY_OR_DONE(
        tal_crs_transform_create_flat(&k.to_degrees, a->survey.crs, degrees, "KML", err));
    TAL_TRY_OR_DONE(append_document(&k, place->settings, err));
    TAL_TRY_OR_DONE(write_zip(&k, place, err));
done:
    tal_crs_transform_destroy(k.to_degrees);
    tal_crs_destroy(degrees);
    tal_text_destroy(&k.text);
    return status;
}
