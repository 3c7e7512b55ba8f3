// SPDX-License-Identifier: GPL-3.0-or-later
// The map at the top of the report.
#include "postproc/report/report_map.h"

#include "core/app/number.h"
#include "core/base/memory.h"
#include "postproc/measure/region.h"
#include "postproc/report/image.h"

#include <math.h>

enum { MAP_WIDTH = 1000, PICTURE_WIDTH = 1100 };

static void widen(tal_bounds *b, double x, double y, double reach) {
    b->west = fmin(b->west, x - reach);
    b->east = fmax(b->east, x + reach);
    b->south = fmin(b->south, y - reach);
    b->north = fmax(b->north, y + reach);
}

// At least as wide as `ratio` times its height, as far as the grid allows.
static void shape(tal_bounds *b, const tal_bounds *grid) {
    const double width = b->east - b->west, height = b->north - b->south;
    const double wanted_width = fmax(width, height * 0.95),
                 wanted_height = fmax(height, width * 0.5);
    const double dx = (wanted_width - width) / 2.0, dy = (wanted_height - height) / 2.0;
    b->west = fmax(grid->west, b->west - dx);
    b->east = fmin(grid->east, b->east + dx);
    b->south = fmax(grid->south, b->south - dy);
    b->north = fmin(grid->north, b->north + dy);
}

tal_bounds tal_report_map_focus(const tal_back_analysis *a) {
    const tal_surveyed *s = &a->survey;
    const tal_bounds whole = tal_grid_bounds(&s->grid);
    tal_bounds b = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < tal_grid_cell_count(&s->grid); i++) {
        if (tal_region_holds(a, TAL_REGION_SOURCE, i) ||
            tal_region_holds(a, TAL_REGION_SIMULATED, i) ||
            tal_region_holds(a, TAL_REGION_SURVEYED, i)) {
            double x, y;
            tal_grid_centre(&s->grid, (int32_t)(i % (size_t)s->grid.columns),
                            (int32_t)(i / (size_t)s->grid.columns), &x, &y);
            widen(&b, x, y, s->grid.cell);
        }
    }
    if (!(b.west < b.east)) {
        return whole;
    }
    const double margin = 0.13 * fmax(b.east - b.west, b.north - b.south);
    b = (tal_bounds){fmax(whole.west, b.west - margin), fmax(whole.south, b.south - margin),
                     fmin(whole.east, b.east + margin), fmin(whole.north, b.north + margin)};
    shape(&b, &whole);
    return b;
}

double tal_report_round_up(double value) {
    if (!(value > 0.0)) {
        return 1.0;
    }
    const double unit = pow(10.0, floor(log10(value)));
    const double step[] = {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        if (value <= step[i] * unit * 1.0000001) {
            return step[i] * unit;
        }
    }
    return 10.0 * unit;
}

double tal_report_thickness_scale(const tal_back_analysis *a) {
    double most = 0.0;
    for (size_t i = 0; i < tal_grid_cell_count(&a->survey.grid); i++) {
        const float simulated = a->deposit.thickness.value[i];
        most = simulated > 0.0f ? fmax(most, (double)simulated) : most;
        if (tal_region_holds(a, TAL_REGION_SURVEYED, i)) {
            most = fmax(most, (double)a->survey.deposit.value[i]);
        }
    }
    return tal_report_round_up(most);
}

typedef struct {
    tal_bounds bounds;
    double scale; // map units per metre
    double height;
} frame;

static double map_x(const frame *f, double x) {
    return (x - f->bounds.west) * f->scale;
}

static double map_y(const frame *f, double y) {
    return (f->bounds.north - y) * f->scale;
}

// Twice the area inside a ring, below 0 for one that goes around the other way.
static double ring_area(const tal_outline *outline, int32_t ring) {
    const int32_t first = outline->ring_start[ring], end = outline->ring_start[ring + 1];
    double sum = 0.0;
    for (int32_t v = first; v < end; v++) {
        const int32_t next = v + 1 < end ? v + 1 : first;
        sum += outline->x[v] * outline->y[next] - outline->x[next] * outline->y[v];
    }
    return sum;
}

// A hole of some cells between blocks is a speck on the map; blocks that lie alone are not.
static bool is_speck(const tal_outline *outline, int32_t ring, double cell) {
    double largest = 0.0;
    for (int32_t i = 0; i < outline->ring_count; i++) {
        const double area = ring_area(outline, i);
        largest = fabs(area) > fabs(largest) ? area : largest;
    }
    const double area = ring_area(outline, ring);
    return area * largest < 0.0 && fabs(area) < 2.0 * 6.0 * cell * cell;
}

static tal_status append_outline(tal_text *text, const frame *f, const tal_back_analysis *a,
                                 tal_region region, tal_error *err) {
    static const char *const CLASS[] = {[TAL_REGION_SOURCE] = "source",
                                        [TAL_REGION_SIMULATED] = "simulated",
                                        [TAL_REGION_SURVEYED] = "surveyed"};
    tal_outline outline;
    TAL_TRY(tal_region_outline(&outline, a, region, &a->survey.grid, err));
    tal_text_append(text, "<path class=\"o %s\" d=\"", CLASS[region]);
    for (int32_t ring = 0; ring < outline.ring_count; ring++) {
        if (is_speck(&outline, ring, a->survey.grid.cell)) {
            continue;
        }
        for (int32_t v = outline.ring_start[ring]; v < outline.ring_start[ring + 1]; v++) {
            tal_text_append(text, "%s%.1f %.1f", v == outline.ring_start[ring] ? "M" : "L",
                            map_x(f, outline.x[v]), map_y(f, outline.y[v]));
        }
        tal_text_append(text, "Z");
    }
    tal_text_append(text, "\"/>\n");
    tal_outline_destroy(&outline);
    return TAL_OK;
}

static tal_status append_outlines(tal_text *text, const frame *f, const tal_back_analysis *a,
                                  tal_error *err) {
    for (int region = 0; region < tal_region_count(a); region++) {
        TAL_TRY(append_outline(text, f, a, (tal_region)region, err));
    }
    return TAL_OK;
}

static void append_line(tal_text *text, const frame *f, const tal_flow_line *line, double end) {
    double x, y;
    tal_text_append(text, "<polyline class=\"flow\" points=\"");
    for (int32_t i = 0; i < line->count; i++) {
        tal_text_append(text, "%.1f,%.1f ", map_x(f, line->x[i]), map_y(f, line->y[i]));
    }
    tal_flow_line_point(line, end, &x, &y);
    tal_text_append(text, "%.1f,%.1f\"/>\n", map_x(f, x), map_y(f, y));
}

static void append_lines(tal_text *text, const frame *f, const tal_back_analysis *a) {
    if (a->has_line) {
        append_line(text, f, &a->line, tal_back_analysis_line_end(a));
    }
    for (int i = 0; i < a->sources.count; i++) {
        const tal_source *source = &a->sources.source[i];
        if (source->has_line) {
            const double last = source->line.s[source->line.count - 1];
            append_line(text, f, &source->line, fmax(last, source->runout));
        }
    }
}

// A bar of a round length near a fifth of the map, and an arrow to the north.
static void append_marks(tal_text *text, const frame *f) {
    const double metres = tal_report_round_up((f->bounds.east - f->bounds.west) / 6.0);
    const double length = metres * f->scale, x = 28.0, y = f->height - 34.0;
    const bool in_km = metres >= 1000.0;
    tal_text_append(text,
                    "<g id=\"map-marks\"><g class=\"marks scale\"><rect x=\"%.1f\" y=\"%.1f\" "
                    "width=\"%.1f\" height=\"58\" "
                    "rx=\"6\"/><path d=\"M%.1f %.1fv9h%.1fv-9\"/><text x=\"%.1f\" y=\"%.1f\">%g "
                    "%s</text></g>\n",
                    x - 14.0, y - 36.0, fmax(length, 90.0) + 28.0, x, y, length, x, y - 8.0,
                    in_km ? metres / 1000.0 : metres, in_km ? "km" : "m");
    const double nx = (double)MAP_WIDTH - 46.0;
    tal_text_append(text,
                    "<g class=\"marks\"><rect x=\"%.1f\" y=\"16\" width=\"56\" height=\"80\" "
                    "rx=\"6\"/><path class=\"north\" d=\"M%.1f 24l11 30-11-7-11 7z\"/><text "
                    "x=\"%.1f\" y=\"86\" text-anchor=\"middle\">N</text></g></g>\n",
                    nx - 28.0, nx, nx);
}

static tal_status append_image(tal_text *text, const frame *f, const tal_image *image,
                               tal_error *err) {
    tal_text_append(text,
                    "<image width=\"%d\" height=\"%.1f\" preserveAspectRatio=\"none\" href=\"",
                    MAP_WIDTH, f->height);
    TAL_TRY(tal_image_append_uri(image, false, text, err));
    tal_text_append(text, "\"/>\n");
    return TAL_OK;
}

// Ground and thickness are pictures of their own, so that the page can change one of them.
static tal_status append_pictures(tal_text *text, const frame *f, const tal_back_analysis *a,
                                  double thickness_scale, tal_error *err) {
    const tal_surveyed *s = &a->survey;
    tal_raster ground = s->bed;
    ground.grid = s->grid;
    tal_image shaded, thickness = {0};
    TAL_TRY(tal_image_shade(&shaded, &ground, f->bounds, PICTURE_WIDTH, err));
    tal_status status = TAL_OK;
    tal_text_append(text, "<g id=\"map-ground\">");
    TAL_TRY_OR_DONE(append_image(text, f, &shaded, err));
    TAL_TRY_OR_DONE(tal_image_like(&thickness, &shaded, err));
    tal_image_tint_thickness(&thickness, &a->deposit.thickness, &s->lod, thickness_scale);
    tal_text_append(text, "</g><g id=\"map-layers\">");
    TAL_TRY_OR_DONE(append_image(text, f, &thickness, err));
    tal_text_append(text, "</g>\n");
done:
    tal_image_destroy(&shaded);
    tal_image_destroy(&thickness);
    return status;
}

static void append_legend(tal_text *text, const tal_back_analysis *a, double thickness_scale) {
    tal_text_append(text, "<ul class=\"legend\">");
    if (a->has_survey_deposit) {
        tal_text_append(text, "<li><i style=\"border-color:#0072b2\"></i>Surveyed deposit</li>");
    }
    tal_text_append(
        text, "<li><i style=\"border-color:#d55e00\"></i>Simulated deposit</li>"
              "<li><i style=\"border-color:currentColor;border-top-style:dashed\"></i>Source</li>");
    if (a->has_line) {
        tal_text_append(
            text, "<li><i style=\"border-color:currentColor;border-top-style:dotted\"></i>Flow "
                  "line</li>");
    }
    tal_text_append(
        text, "<li class=\"still\">Simulated thickness 0 <span class=\"ramp\" style=\"background:"
              "linear-gradient(90deg");
    for (int i = 0; i <= 5; i++) {
        uint8_t rgb[3];
        tal_colour_thickness(i / 5.0, rgb);
        tal_text_append(text, ",rgb(%d,%d,%d)", rgb[0], rgb[1], rgb[2]);
    }
    tal_text_append(text, ")\"></span> %g m</li></ul>\n", thickness_scale);
}

// Shown by map.js, which makes them work.
static void append_controls(tal_text *text) {
    tal_text_append(
        text,
        "<p id=\"map-read\" class=\"read\" aria-live=\"polite\" hidden>Values under the "
        "pointer</p>\n"
        "<div id=\"map-bar\" class=\"bar\" hidden><span class=\"group\" role=\"group\" "
        "aria-label=\"Zoom\"><button id=\"map-in\" type=\"button\" aria-label=\"Closer\">+</button>"
        "<button id=\"map-out\" type=\"button\" "
        "aria-label=\"Farther\">\xe2\x88\x92</button><button "
        "id=\"map-home\" type=\"button\">Whole</button></span><label>Layer <select "
        "id=\"map-layer\">"
        "</select></label><label>Opacity <input id=\"map-opacity\" type=\"range\" min=\"0\" "
        "max=\"100\" value=\"82\"></label><label>Beside <select id=\"map-second\"></select></label>"
        "<label>Wipe <input id=\"map-wipe\" type=\"range\" min=\"0\" max=\"100\" value=\"50\" "
        "aria-label=\"First layer on the left, second on the right\" "
        "disabled></label><label><input "
        "id=\"map-outlines\" type=\"checkbox\" checked> Outlines</label><button "
        "id=\"map-section-button\" type=\"button\" aria-pressed=\"false\">Cross-section</button>"
        "<button id=\"map-export\" type=\"button\">Save PNG</button></div>\n<div "
        "id=\"map-section-box\" class=\"section\" aria-live=\"polite\" hidden></div>\n<ul "
        "id=\"map-key\" class=\"legend key\"></ul>\n");
}

tal_status tal_report_map_append(tal_text *text, const tal_back_analysis *a, tal_error *err) {
    frame f = {.bounds = tal_report_map_focus(a)};
    const double thickness_scale = tal_report_thickness_scale(a);
    f.scale = MAP_WIDTH / (f.bounds.east - f.bounds.west);
    f.height = (f.bounds.north - f.bounds.south) * f.scale;
    tal_text_append(
        text,
        "<figure>\n<svg id=\"map\" class=\"map\" viewBox=\"0 0 %d %.1f\" data-west=\"%.9g\" "
        "data-north=\"%.9g\" data-scale=\"%.9g\" role=\"img\" aria-label=\"Map of the "
        "source, the simulated and the surveyed deposit\">\n<style>.o{fill:none;"
        "stroke-linejoin:round;stroke-width:3.6}.simulated{stroke:#d55e00}"
        ".surveyed{stroke:#0072b2;stroke-width:4.6}.source{stroke:#111;"
        "stroke-dasharray:11 7}.flow{fill:none;stroke:#111;stroke-width:3.2;"
        "stroke-dasharray:1 9;stroke-linecap:round}.marks rect{fill:#fff;"
        "fill-opacity:.82}.marks path{fill:none;stroke:#111;stroke-width:3}.marks "
        ".north{fill:#111;stroke:none}.marks text{font:600 24px system-ui,sans-serif;"
        "fill:#111}.edge{fill:none;stroke:#fff;stroke-width:3}.section-line{fill:none;stroke:#"
        "b0005f;"
        "stroke-width:3.4}.o,.flow,.edge,.section-line{vector-effect:non-scaling-stroke}</style>\n",
        MAP_WIDTH, f.height, f.bounds.west, f.bounds.north, f.scale);
    TAL_TRY(append_pictures(text, &f, a, thickness_scale, err));
    tal_text_append(text, "<g id=\"map-lines\">\n");
    TAL_TRY(append_outlines(text, &f, a, err));
    append_lines(text, &f, a);
    tal_text_append(text, "</g>\n");
    append_marks(text, &f);
    tal_text_append(text, "</svg>\n");
    append_controls(text);
    append_legend(text, a, thickness_scale);
    tal_text_append(
        text, "<figcaption>%s</figcaption>\n</figure>\n",
        a->has_survey_deposit
            ? "<b>Where the rock lies.</b> Outlines of both deposits where they exceed the level "
              "of detection, over the shaded ground the blocks ran over; in colour the simulated "
              "thickness, unless another layer is chosen."
            : "<b>Where the rock lies.</b> The simulated deposit over the shaded ground the blocks "
              "ran over; in colour its thickness, unless another layer is chosen. There is no "
              "surveyed deposit to compare with.");
    return TAL_OK;
}
