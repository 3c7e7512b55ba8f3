// SPDX-License-Identifier: GPL-3.0-or-later
// result.qgz: a zip archive with one project file in it, stored without compression and without a
// date, so that the same study gives the same bytes.
#include "postproc/write/gis_project.h"

#include "core/app/html.h"
#include "core/app/number.h"
#include "core/app/title.h"
#include "core/base/text.h"
#include "postproc/report/image.h"
#include "postproc/report/report_map.h"
#include "postproc/write/gis_style.h"

#include <string.h>

typedef struct {
    const char *id, *file, *title;
    bool is_shown;
} raster_layer;

static const raster_layer RASTERS[] = {
    {"thickness", "thickness.tif", "Simulated thickness (m)", true},
    {"deposit", "deposit.tif", "Surveyed thickness (m)", false},
    {"energy_max", "energy_max.tif", "Greatest energy (kJ)", false},
    {"hillshade", "bed.tif", "Hillshade of the bed", true}};
enum { RASTER_COUNT = sizeof RASTERS / sizeof *RASTERS };

static bool has_layer(const tal_back_analysis *a, const char *name) {
    if (strcmp(name, "surveyed_outline") == 0 || strcmp(name, "deposit") == 0) {
        return a->has_survey_deposit;
    }
    return strcmp(name, "flow_line") != 0 || a->has_line;
}

// Projects of QGIS know no heights: of a compound system they get the horizontal part, which is the
// text from PROJCRS to its closing bracket.
static void append_horizontal(tal_text *text, const char *wkt) {
    const char *begin = strstr(wkt, "PROJCRS[");
    if (begin == NULL) {
        tal_html_append(text, wkt);
        return;
    }
    int depth = 0;
    bool is_quoted = false;
    tal_text part = {0};
    for (const char *c = begin; *c != '\0'; c++) {
        is_quoted = *c == '"' ? !is_quoted : is_quoted;
        depth += is_quoted ? 0 : *c == '[' ? 1 : *c == ']' ? -1 : 0;
        tal_text_append_bytes(&part, c, 1);
        if (depth == 0 && *c == ']') {
            break;
        }
    }
    tal_html_append(text, tal_text_string(&part));
    tal_text_destroy(&part);
}

static void append_crs(tal_text *text, const tal_back_analysis *a) {
    if (tal_crs_get_info(a->survey.crs)->is_local) {
        return;
    }
    tal_text_append(text, "<spatialrefsys nativeFormat=\"Wkt\"><wkt>");
    append_horizontal(text, tal_crs_wkt(a->survey.crs));
    tal_text_append(text, "</wkt></spatialrefsys>");
}

// QGIS replaces identifiers of less than ten characters, hence the long ones.
static void append_tree_layer(tal_text *text, const char *id, const char *title, const char *source,
                              const char *provider, bool is_shown) {
    tal_text_append(
        text,
        "<layer-tree-layer id=\"talus_layer_%s\" name=\"%s\" source=\"%s\" providerKey=\"%s\" "
        "checked=\"%s\" expanded=\"0\"><customproperties/></layer-tree-layer>\n",
        id, title, source, provider, is_shown ? "Qt::Checked" : "Qt::Unchecked");
}

static void append_tree(tal_text *text, const tal_back_analysis *a) {
    tal_text_append(text, "<layer-tree-group>\n<customproperties/>\n");
    for (const tal_gis_style *s = tal_gis_styles; s->layer != NULL; s++) {
        if (has_layer(a, s->layer)) {
            tal_text source = {0};
            tal_text_append(&source, "./result.gpkg|layername=%s", s->layer);
            append_tree_layer(text, s->layer, s->title, tal_text_string(&source), "ogr",
                              s->is_shown);
            tal_text_destroy(&source);
        }
    }
    for (int i = 0; i < RASTER_COUNT; i++) {
        if (has_layer(a, RASTERS[i].id)) {
            append_tree_layer(text, RASTERS[i].id, RASTERS[i].title, RASTERS[i].file, "gdal",
                              RASTERS[i].is_shown);
        }
    }
    tal_text_append(text, "</layer-tree-group>\n");
}

static void append_vector(tal_text *text, const tal_back_analysis *a, const tal_gis_style *s) {
    tal_text_append(text,
                    "<maplayer type=\"vector\" "
                    "geometry=\"%s\"><id>talus_layer_%s</id><datasource>./result.gpkg|"
                    "layername=%s</datasource><layername>%s</layername><srs>",
                    s->geometry == 'P'   ? "Polygon"
                    : s->geometry == 'L' ? "Line"
                                         : "Point",
                    s->layer, s->layer, s->title);
    append_crs(text, a);
    tal_text_append(text, "</srs><provider encoding=\"UTF-8\">ogr</provider>");
    tal_gis_style_append_renderer(text, s);
    tal_text_append(text, "<blendMode>0</blendMode></maplayer>\n");
}

// A ramp with values up to `full`; below `from` nothing is drawn.
static void append_ramp(tal_text *text, double from, double full) {
    tal_text_append(text,
                    "<rasterrenderer type=\"singlebandpseudocolor\" band=\"1\" opacity=\"0.85\" "
                    "classificationMin=\"%g\" classificationMax=\"%g\" alphaBand=\"-1\" "
                    "nodataColor=\"\"><rasterTransparency><singleValuePixelList><pixelListEntry "
                    "min=\"-1e+30\" max=\"%g\" percentTransparent=\"100\"/></singleValuePixelList>"
                    "</rasterTransparency><rastershader><colorrampshader "
                    "colorRampType=\"INTERPOLATED\" clip=\"0\" classificationMode=\"1\" "
                    "minimumValue=\"%g\" maximumValue=\"%g\">",
                    from, full, from, from, full);
    for (int i = 0; i <= 5; i++) {
        uint8_t rgb[3];
        tal_colour_thickness(i / 5.0, rgb);
        tal_text_append(text,
                        "<item value=\"%g\" label=\"%.3g\" color=\"#%02x%02x%02x\" "
                        "alpha=\"255\"/>",
                        from + (full - from) * i / 5.0, from + (full - from) * i / 5.0, rgb[0],
                        rgb[1], rgb[2]);
    }
    tal_text_append(text, "</colorrampshader></rastershader></rasterrenderer>");
}

static double energy_scale(const tal_back_analysis *a) {
    double most = 1.0;
    for (size_t i = 0; i < tal_grid_cell_count(&a->survey.grid); i++) {
        const float e = a->passage.energy.value[i];
        most = (double)e > most ? (double)e : most;
    }
    return most;
}

static void append_raster(tal_text *text, const tal_back_analysis *a, const raster_layer *r) {
    tal_text_append(text,
                    "<maplayer type=\"raster\"><id>talus_layer_%s</id><datasource>./%s</datasource>"
                    "<layername>%s</layername><srs>",
                    r->id, r->file, r->title);
    append_crs(text, a);
    tal_text_append(text,
                    "</srs><provider>gdal</provider><pipe><provider><resampling "
                    "enabled=\"true\" maxOversampling=\"2\" zoomedInResamplingMethod=\"cubic\" "
                    "zoomedOutResamplingMethod=\"bilinear\"/></provider>");
    if (strcmp(r->id, "hillshade") == 0) {
        tal_text_append(text, "<rasterrenderer type=\"hillshade\" band=\"1\" opacity=\"0.6\" "
                              "alphaBand=\"-1\" azimuth=\"315\" angle=\"45\" zfactor=\"1\" "
                              "multidirection=\"1\" nodataColor=\"\"><rasterTransparency/>"
                              "</rasterrenderer>");
    } else {
        append_ramp(text, strcmp(r->id, "energy_max") == 0 ? 0.001 : 0.05,
                    strcmp(r->id, "energy_max") == 0 ? energy_scale(a)
                                                     : tal_report_thickness_scale(a));
    }
    tal_text_append(text, "<resamplingStage>provider</resamplingStage></pipe><blendMode>0"
                          "</blendMode></maplayer>\n");
}

static void append_project(tal_text *text, const tal_back_analysis *a,
                           const tal_settings *settings) {
    char title[TAL_SETTING_TEXT_SIZE];
    const tal_bounds b = tal_report_map_focus(a);
    const double east = (double)a->survey.origin.east, north = (double)a->survey.origin.north;
    tal_title_find(settings, title, sizeof title);
    tal_text_append(text, "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
                          "<qgis version=\"3.22.16\" projectname=\"");
    tal_html_append(text, title);
    tal_text_append(text, "\">\n<title>");
    tal_html_append(text, title);
    tal_text_append(text, "</title>\n<projectCrs>");
    append_crs(text, a);
    tal_text_append(text, "</projectCrs>\n");
    append_tree(text, a);
    tal_text_append(
        text,
        "<mapcanvas name=\"theMapCanvas\" annotationsVisible=\"1\"><units>meters</units>"
        "<extent><xmin>%.3f</xmin><ymin>%.3f</ymin><xmax>%.3f</xmax><ymax>%.3f</ymax>"
        "</extent><rotation>0</rotation><destinationsrs>",
        b.west + east, b.south + north, b.east + east, b.north + north);
    append_crs(text, a);
    // The window reads the extent above; servers and scripts read this one.
    tal_text_append(text,
                    "</destinationsrs></mapcanvas>\n<ProjectViewSettings UseProjectScales=\"0\">"
                    "<Scales/><DefaultViewExtent xmin=\"%.3f\" ymin=\"%.3f\" xmax=\"%.3f\" "
                    "ymax=\"%.3f\">",
                    b.west + east, b.south + north, b.east + east, b.north + north);
    append_crs(text, a);
    tal_text_append(text, "</DefaultViewExtent></ProjectViewSettings>\n<projectlayers>\n");
    for (const tal_gis_style *s = tal_gis_styles; s->layer != NULL; s++) {
        if (has_layer(a, s->layer)) {
            append_vector(text, a, s);
        }
    }
    for (int i = 0; i < RASTER_COUNT; i++) {
        if (has_layer(a, RASTERS[i].id)) {
            append_raster(text, a, &RASTERS[i]);
        }
    }
    tal_text_append(
        text, "</projectlayers>\n<properties><SpatialRefSys><ProjectionsEnabled type=\"int\">1"
              "</ProjectionsEnabled></SpatialRefSys><Paths><Absolute type=\"bool\">false"
              "</Absolute></Paths></properties>\n</qgis>\n");
}

// CRC-32 as zip wants it (ISO 3309, reflected polynomial).
static uint32_t crc32_of(const char *bytes, size_t count) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint8_t)bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (crc & 1u ? 0xedb88320u : 0u);
        }
    }
    return ~crc;
}

static void put16(tal_text *out, uint32_t value) {
    const char bytes[2] = {(char)(value & 255u), (char)(value >> 8 & 255u)};
    tal_text_append_bytes(out, bytes, 2);
}

static void put32(tal_text *out, uint32_t value) {
    put16(out, value & 0xffffu);
    put16(out, value >> 16);
}

// What the local header and the directory have in common; dates are the earliest zip knows.
static void put_entry(tal_text *out, uint32_t crc, uint32_t size, uint32_t name_size) {
    put16(out, 20); // version needed
    put16(out, 0);
    put16(out, 0);  // stored
    put16(out, 0);  // 00:00
    put16(out, 33); // 1980-01-01
    put32(out, crc);
    put32(out, size);
    put32(out, size);
    put16(out, name_size);
    put16(out, 0);
}

static void zip_one(tal_text *out, const char *name, const tal_text *content) {
    const uint32_t crc = crc32_of(content->bytes, content->length);
    const uint32_t size = (uint32_t)content->length, name_size = (uint32_t)strlen(name);
    put32(out, 0x04034b50u);
    put_entry(out, crc, size, name_size);
    tal_text_append_bytes(out, name, name_size);
    tal_text_append_bytes(out, content->bytes, content->length);
    const uint32_t directory = (uint32_t)out->length;
    put32(out, 0x02014b50u);
    put16(out, 20); // made by
    put_entry(out, crc, size, name_size);
    put16(out, 0); // comment
    put16(out, 0); // disk
    put16(out, 0);
    put32(out, 0);
    put32(out, 0); // where the entry is
    tal_text_append_bytes(out, name, name_size);
    const uint32_t directory_size = (uint32_t)out->length - directory;
    put32(out, 0x06054b50u);
    put16(out, 0);
    put16(out, 0);
    put16(out, 1);
    put16(out, 1);
    put32(out, directory_size);
    put32(out, directory);
    put16(out, 0);
}

tal_status tal_gis_project_write(const tal_back_analysis *analysis, const tal_output_place *place,
                                 tal_error *err) {
    tal_text project = {0}, archive = {0};
    append_project(&project, analysis, place->settings);
    zip_one(&archive, "result.qgs", &project);
    const tal_status status =
        project.failed || archive.failed
            ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for result.qgz")
            : tal_output_write_text(place, "result.qgz", archive.bytes, archive.length, err);
    tal_text_destroy(&project);
    tal_text_destroy(&archive);
    return status;
}
