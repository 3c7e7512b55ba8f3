// SPDX-License-Identifier: GPL-3.0-or-later
// How QGIS draws the layers of result.gpkg.
#include "postproc/write/gis_style.h"

#include <string.h>

const tal_gis_style tal_gis_styles[] = {
    {"block_points", "Blocks, centroids", 'X', "60,60,60,255", "255,255,255,255", 0.2, "solid",
     false},
    {"flow_line", "Flow line", 'L', "", "20,20,20,255", 0.5, "dot", true},
    {"surveyed_outline", "Surveyed deposit", 'P', "0,114,178,0", "0,114,178,255", 0.7, "solid",
     true},
    {"simulated_outline", "Simulated deposit", 'P', "213,94,0,0", "213,94,0,255", 0.5, "solid",
     true},
    {"source_outline", "Source", 'P', "0,0,0,0", "20,20,20,255", 0.6, "dash", true},
    {"trajectories", "Trajectories", 'L', "", "90,90,90,110", 0.15, "solid", false},
    {"blocks", "Blocks at rest", 'P', "160,120,90,50", "60,45,35,255", 0.15, "solid", true},
    {0}};

const tal_gis_style *tal_gis_style_of(const char *layer) {
    for (const tal_gis_style *style = tal_gis_styles; style->layer != NULL; style++) {
        if (strcmp(style->layer, layer) == 0) {
            return style;
        }
    }
    return NULL;
}

static void append_option(tal_text *text, const char *name, const char *value) {
    tal_text_append(text, "<Option type=\"QString\" name=\"%s\" value=\"%s\"/>", name, value);
}

static void append_width(tal_text *text, const char *name, double width) {
    tal_text_append(text, "<Option type=\"QString\" name=\"%s\" value=\"%g\"/>", name, width);
}

void tal_gis_style_append_renderer(tal_text *text, const tal_gis_style *style) {
    const char *kind = style->geometry == 'P' ? "fill" : style->geometry == 'L' ? "line" : "marker";
    const char *class_name = style->geometry == 'P'   ? "SimpleFill"
                             : style->geometry == 'L' ? "SimpleLine"
                                                      : "SimpleMarker";
    tal_text_append(text,
                    "<renderer-v2 type=\"singleSymbol\" symbollevels=\"0\" enableorderby=\"0\" "
                    "forceraster=\"0\"><symbols><symbol type=\"%s\" name=\"0\" alpha=\"1\" "
                    "clip_to_extent=\"1\" force_rhr=\"0\"><layer class=\"%s\" enabled=\"1\" "
                    "locked=\"0\" pass=\"0\"><Option type=\"Map\">",
                    kind, class_name);
    if (style->geometry == 'L') {
        append_option(text, "line_color", style->line);
        append_option(text, "line_style", style->dash);
        append_width(text, "line_width", style->width_mm);
        append_option(text, "line_width_unit", "MM");
    } else {
        append_option(text, "color", style->fill);
        append_option(text, "outline_color", style->line);
        append_option(text, "outline_style", style->dash);
        append_width(text, "outline_width", style->width_mm);
        append_option(text, "outline_width_unit", "MM");
        append_option(text, "style", "solid");
        if (style->geometry == 'X') {
            append_option(text, "name", "circle");
            append_option(text, "size", "1.4");
            append_option(text, "size_unit", "MM");
        }
    }
    tal_text_append(text, "</Option></layer></symbol></symbols><rotation/><sizescale/>"
                          "</renderer-v2>");
}

void tal_gis_style_append_qml(tal_text *text, const tal_gis_style *style) {
    tal_text_append(text, "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
                          "<qgis version=\"3.22.16\" styleCategories=\"Symbology\">");
    tal_gis_style_append_renderer(text, style);
    tal_text_append(text,
                    "<blendMode>0</blendMode><featureBlendMode>0</featureBlendMode>"
                    "<layerGeometryType>%d</layerGeometryType></qgis>\n",
                    style->geometry == 'P'   ? 2
                    : style->geometry == 'L' ? 1
                                             : 0);
}
