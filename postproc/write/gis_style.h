// SPDX-License-Identifier: GPL-3.0-or-later
// How QGIS draws the layers of result.gpkg.
#ifndef TALUS_POSTPROC_WRITE_GIS_STYLE_H
#define TALUS_POSTPROC_WRITE_GIS_STYLE_H

#include "core/base/text.h"

// Colours as QGIS writes them: "213,94,0,255".
typedef struct {
    const char *layer; // in result.gpkg
    const char *title; // in the project
    char geometry;     // 'P' polygon, 'L' line, 'X' point
    const char *fill, *line;
    double width_mm;
    const char *dash; // "solid", "dash", "dot", "no"
    bool is_shown;
} tal_gis_style;

// In drawing order, the topmost first; ended by a row without a layer.
extern const tal_gis_style tal_gis_styles[];

const tal_gis_style *tal_gis_style_of(const char *layer);
// The <renderer-v2> element.
void tal_gis_style_append_renderer(tal_text *text, const tal_gis_style *style);
// A whole style document, as the GeoPackage keeps it.
void tal_gis_style_append_qml(tal_text *text, const tal_gis_style *style);

#endif
