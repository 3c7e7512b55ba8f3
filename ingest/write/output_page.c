// SPDX-License-Identifier: GPL-3.0-or-later
// ingest.html: what a geologist needs to judge source and deposit.
#include "ingest/write/output.h"

#include "core/app/html.h"
#include "core/app/number.h"
#include "core/app/title.h"
#include "core/base/memory.h"
#include "core/geo/pixels.h"
#include "core/geometry/angle.h"
#include "core/geometry/outline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAP_WIDTH = 1000, LISTED_PATCHES = 40 };

typedef struct {
    const tal_ingest_result *result;
    tal_text text;
    double scale; // units of the map per metre
    double height;
} page;

static double map_x(const page *p, double x) {
    return (x - p->result->vertical->grid.west) * p->scale;
}

static double map_y(const page *p, double y) {
    return (p->result->vertical->grid.north - y) * p->scale;
}

static tal_status append_picture(page *p, tal_error *err) {
    tal_picture picture;
    uint8_t *bytes = NULL;
    size_t count;
    TAL_TRY(tal_picture_create(&picture, p->result, err));
    const tal_pixels pixels = {picture.columns, picture.rows, 3, TAL_PIXELS_BY_BAND, picture.rgb};
    const tal_status status = tal_pixels_encode(&pixels, false, &bytes, &count, err);
    tal_memory_destroy(picture.rgb);
    TAL_TRY(status);
    tal_text_append(&p->text,
                    "<image width=\"%d\" height=\"%.1f\" preserveAspectRatio=\"none\" "
                    "href=\"data:image/png;base64,",
                    MAP_WIDTH, p->height);
    tal_html_append_base64(&p->text, bytes, count);
    tal_text_append(&p->text, "\"/>\n");
    tal_memory_destroy(bytes);
    return TAL_OK;
}

// The number of a part stands on the middle of its outer ring.
static void append_number(page *p, const tal_outline *o, int32_t part, char letter) {
    const int32_t ring = o->polygon_start[part];
    double x = 0.0, y = 0.0, count = 0.0;
    for (int32_t v = o->ring_start[ring]; v < o->ring_start[ring + 1]; v++) {
        x += o->x[v];
        y += o->y[v];
        count += 1.0;
    }
    tal_text_append(
        &p->text, "<text class=\"part\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%c%d</text>\n",
        map_x(p, x / count), map_y(p, y / count) + 8.0, letter, (int)part + 1);
}

static tal_status append_parts(page *p, const uint8_t *mask, const char *kind, char letter,
                               tal_error *err) {
    const tal_grid *grid = &p->result->vertical->grid;
    tal_components parts = {0};
    tal_outline o = {0};
    tal_status status = TAL_OK;
    if (mask == NULL) {
        return TAL_OK;
    }
    const tal_cell_frame lattice = {grid->west, grid->north, grid->cell};
    TAL_TRY_OR_DONE(tal_components_find(&parts, mask, grid->columns, grid->rows, false, err));
    TAL_TRY_OR_DONE(tal_outline_trace(&o, &parts, lattice, err));
    tal_text_append(&p->text, "<path class=\"%s\" d=\"", kind);
    for (int32_t ring = 0; ring < o.ring_count; ring++) {
        for (int32_t v = o.ring_start[ring]; v < o.ring_start[ring + 1]; v++) {
            tal_text_append(&p->text, "%c%.1f %.1f", v == o.ring_start[ring] ? 'M' : 'L',
                            map_x(p, o.x[v]), map_y(p, o.y[v]));
        }
        tal_text_append(&p->text, "Z");
    }
    tal_text_append(&p->text, "\"/>\n");
    for (int32_t i = 0; i < o.polygon_count && i < LISTED_PATCHES; i++) {
        append_number(p, &o, i, letter);
    }
done:
    tal_outline_destroy(&o);
    tal_components_destroy(&parts);
    return status;
}

static int listed_count(const page *p) {
    const tal_patches *dropped = &p->result->vertical->change.dropped;
    return dropped->count < LISTED_PATCHES ? dropped->count : LISTED_PATCHES;
}

// Grey, as large as they are, numbered as in the table below; at the eastern rim the number stands on the left.
static void append_dropped(page *p) {
    const tal_patches *dropped = &p->result->vertical->change.dropped;
    for (int i = 0; i < listed_count(p); i++) {
        const tal_patch *patch = &dropped->item[i];
        const double x = map_x(p, patch->x), y = map_y(p, patch->y);
        const double radius = fmax(5.0, sqrt(patch->area_m2 / TAL_PI) * p->scale);
        const bool is_left = x + radius + 24.0 > MAP_WIDTH;
        tal_text_append(&p->text,
                        "<circle class=\"dropped\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/><text "
                        "class=\"patch\" x=\"%.1f\" y=\"%.1f\"%s>%d</text>\n",
                        x, y, radius, x + (is_left ? -1.0 : 1.0) * (radius + 2.0), y + 5.0,
                        is_left ? " text-anchor=\"end\"" : "", i + 1);
    }
}

static void append_marks(page *p) {
    const tal_grid *grid = &p->result->vertical->grid;
    const double wanted = grid->columns * grid->cell / 6.0, unit = pow(10.0, floor(log10(wanted)));
    const double metres = unit * (wanted >= 5.0 * unit ? 5.0 : wanted >= 2.0 * unit ? 2.0 : 1.0);
    tal_text_append(
        &p->text,
        "<rect class=\"plate\" x=\"14\" y=\"%.1f\" width=\"%.1f\" height=\"54\" "
        "rx=\"6\"/><path class=\"metres\" d=\"M28 %.1fv9h%.1fv-9\"/><text class=\"mark\" "
        "x=\"28\" y=\"%.1f\">%g m</text>\n<rect class=\"plate\" x=\"926\" y=\"14\" "
        "width=\"56\" height=\"80\" rx=\"6\"/><path d=\"M954 22l11 30-11-7-11 7z\"/>"
        "<text class=\"mark\" x=\"954\" y=\"84\" text-anchor=\"middle\">N</text>\n",
        p->height - 70.0, fmax(metres * p->scale, 90.0) + 28.0, p->height - 36.0, metres * p->scale,
        p->height - 44.0, metres);
}

static tal_status append_map(page *p, tal_error *err) {
    const tal_layers *layers = p->result->layers;
    char number[TAL_NUMBER_SIZE];
    tal_text_append(
        &p->text,
        "<figure><svg viewBox=\"0 0 %d %.1f\" role=\"img\" aria-label=\"Map of the source, the "
        "deposit and what was dropped\">\n<style>.source,.deposit{fill:none;stroke-width:3;"
        "stroke-linejoin:round}.source{stroke:#7a3500;stroke-dasharray:10 5}.deposit{stroke:"
        "#00406e}.dropped{fill:#888;fill-opacity:.35;stroke:#444}.part{font:700 26px system-ui,"
        "sans-serif;fill:#111;stroke:#fff;stroke-width:5;paint-order:stroke}.patch{font:600 15px "
        "system-ui,sans-serif;fill:#333;stroke:#fff;stroke-width:3;paint-order:stroke}.mark{font:"
        "600 22px system-ui,sans-serif}.plate{fill:#fff;fill-opacity:.85}.metres{fill:none;stroke:"
        "#111;stroke-width:3}@media(prefers-color-scheme:dark){.legend .deep{filter:"
        "brightness(2.2)}}</style>\n",
        MAP_WIDTH, p->height);
    TAL_TRY(append_picture(p, err));
    TAL_TRY(append_parts(p, layers->deposit_mask, "deposit", 'D', err));
    TAL_TRY(append_parts(p, layers->source_mask, "source", 'S', err));
    append_marks(p);
    append_dropped(p);
    (void)tal_number_format(number, tal_picture_scale(p->result));
    tal_text_append(
        &p->text,
        "</svg>\n<ul class=\"legend\"><li>Lost 0 <span class=\"ramp\" style=\""
        "background:linear-gradient(90deg,#d9c3ae,#c75700)\"></span> %s m</li><li>"
        "Gained 0 <span class=\"ramp\" style=\"background:linear-gradient(90deg,#a9bfcd,"
        "#0066ad)\"></span> %s m</li><li><i class=\"deep\" style=\"border-color:"
        "#7a3500;border-top-style:dashed\"></i>Source (S)</li><li><i class=\"deep\" "
        "style=\"border-color:#00406e\"></i>Deposit (D)</li><li><i style=\"border-color:#888;"
        "border-top-width:9px\"></i>Seen and dropped</li></ul>\n<figcaption><b>What "
        "moved.</b> Loss and gain over the shaded ground after the event; colours deepen "
        "as the square root of the thickness. North is up.</figcaption></figure>\n",
        number, number);
    return TAL_OK;
}

// An interval whose ends are written alike is none.
static const char *interval_of(const tal_volume_estimate *v, char *text, size_t size) {
    char low[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
    (void)tal_number_format_within(low, v->low_m3, v->low_m3, v->high_m3);
    (void)tal_number_format_within(high, v->high_m3, v->low_m3, v->high_m3);
    if (strcmp(low, high) == 0) {
        return "as given";
    }
    (void)snprintf(text, size, "%s to %s m\xc2\xb3", low, high);
    return text;
}

static void append_volume(page *p, const char *name, const tal_volume_estimate *v) {
    char one[TAL_NUMBER_SIZE], interval[3 * TAL_NUMBER_SIZE], area[TAL_NUMBER_SIZE],
        thick[TAL_NUMBER_SIZE], bridged[TAL_NUMBER_SIZE];
    if (v->area_m2 <= 0.0) {
        tal_text_append(&p->text, "<tr><th scope=\"row\">%s</th><td colspan=\"6\">none</td></tr>\n",
                        name);
        return;
    }
    tal_text_append(&p->text,
                    "<tr><th scope=\"row\">%s</th><td class=\"number value\">%s m\xc2\xb3</td><td "
                    "class=\"number\">%s</td><td class=\"number\">%s m\xc2\xb2</td><td "
                    "class=\"number\">%s m</td><td class=\"number\">%d</td><td class=\"number\">%s "
                    "m\xc2\xb2</td></tr>\n",
                    name, tal_number_format_within(one, v->volume_m3, v->low_m3, v->high_m3),
                    interval_of(v, interval, sizeof interval), tal_number_format(area, v->area_m2),
                    tal_number_format(thick, v->max_thickness_m), (int)v->part_count,
                    tal_number_format(bridged, v->filled_m2));
}

static void append_volumes(page *p) {
    tal_text_append(&p->text,
                    "<h2>How much</h2>\n<div class=\"table\"><table><thead><tr><th></th><th "
                    "class=\"number\">Volume</th><th class=\"number\">95 %% interval</th><th "
                    "class=\"number\">Area</th><th class=\"number\">Thickest</th><th "
                    "class=\"number\">Parts</th><th class=\"number\">Bridged across holes</th></tr>"
                    "</thead><tbody>\n");
    append_volume(p, "Source", p->result->source);
    append_volume(p, "Deposit", p->result->deposit);
    tal_text_append(&p->text, "</tbody></table></div>\n");
}

static void append_histogram(page *p, const char *title, const tal_histogram *h, int32_t most,
                             const tal_statistics *s, const char *colour) {
    char median[TAL_NUMBER_SIZE], nmad[TAL_NUMBER_SIZE], reach[TAL_NUMBER_SIZE];
    const double wide = 480.0 / TAL_HISTOGRAM_BINS, tall = 170.0;
    tal_text_append(&p->text,
                    "<figure><svg class=\"chart\" viewBox=\"0 0 500 215\" role=\"img\" "
                    "aria-label=\"%s\"><path class=\"axis\" d=\"M10 180H490M250 5v175\"/>\n",
                    title);
    for (int i = 0; i < TAL_HISTOGRAM_BINS; i++) {
        const double height = tall * h->count[i] / (most > 0 ? most : 1);
        tal_text_append(&p->text,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                        10.0 + i * wide, 180.0 - height, wide - 1.0, height, colour);
    }
    (void)tal_number_format(reach, h->step * (TAL_HISTOGRAM_BINS / 2));
    tal_text_append(
        &p->text,
        "\n<text x=\"10\" y=\"200\">\xe2\x88\x92%s m</text><text x=\"250\" y=\"200\" "
        "text-anchor=\"middle\">0</text><text x=\"490\" y=\"200\" text-anchor=\"end\">%s "
        "m</text></svg><figcaption><b>%s.</b> Median %s m, spread (NMAD) %s m, over %zu "
        "cells.</figcaption></figure>\n",
        reach, reach, title, tal_number_format_digits(median, s->median, 2),
        tal_number_format_digits(nmad, s->nmad, 2), s->count);
}

static void append_fit(page *p) {
    const tal_registration *r = &p->result->vertical->registration;
    int32_t most = 0;
    for (int i = 0; i < TAL_HISTOGRAM_BINS; i++) {
        most = r->spread_first.count[i] > most ? r->spread_first.count[i] : most;
        most = r->spread_last.count[i] > most ? r->spread_last.count[i] : most;
    }
    tal_text_append(
        &p->text, "<h2>How well the surveys fit</h2>\n<p class=\"intro\">Differences of height on "
                  "terrain that did not move, before and after the later survey was moved onto "
                  "the earlier one; both on one scale. A narrow peak at zero is what one "
                  "wants.</p>\n<div class=\"figures\">\n");
    append_histogram(p, "Before the fit", &r->spread_first, most, &r->at_first, "#9a9a9a");
    append_histogram(p, "After the fit", &r->spread_last, most, &r->at_last, "#0072b2");
    tal_text_append(&p->text, "</div>\n");
}

static void append_patches(page *p) {
    const tal_patches *dropped = &p->result->vertical->change.dropped;
    const tal_origin *origin = &p->result->site->study.origin;
    char area[TAL_NUMBER_SIZE], volume[TAL_NUMBER_SIZE];
    if (dropped->count == 0) {
        return;
    }
    tal_text_append(
        &p->text,
        "<h2>Seen and dropped</h2>\n<p class=\"intro\">Change that was not taken for "
        "source or deposit, largest volume first%s.</p>\n<div "
        "class=\"table\"><table><thead><tr><th>Number</th><th>"
        "Change</th><th class=\"number\">Area</th><th class=\"number\">Volume</th><th "
        "class=\"number\">East</th><th class=\"number\">North</th><th>Why</th></tr></thead>"
        "<tbody>\n",
        dropped->left_out > 0 || dropped->count > listed_count(p)
            ? "; smaller ones are in ingest.json"
            : "");
    for (int i = 0; i < listed_count(p); i++) {
        const tal_patch *patch = &dropped->item[i];
        tal_text_append(&p->text,
                        "<tr><td>%d</td><td>%s</td><td class=\"number\">%s m\xc2\xb2</td><td "
                        "class=\"number\">%s "
                        "m\xc2\xb3</td><td class=\"number\">%.0f m</td><td class=\"number\">%.0f "
                        "m</td><td>%s</td>"
                        "</tr>\n",
                        i + 1, patch->sign < 0.0 ? "loss" : "gain",
                        tal_number_format(area, patch->area_m2),
                        tal_number_format(volume, patch->volume_m3),
                        patch->x + (double)origin->east, patch->y + (double)origin->north,
                        patch->reason == TAL_DROPPED_SMALL ? "too small"
                                                           : "mostly below the level of detection");
    }
    tal_text_append(&p->text, "</tbody></table></div>\n");
}

// What was odd but possible, before anything else.
static void append_checks(page *p) {
    const tal_findings *findings = &p->result->site->findings;
    if (findings->count == 0) {
        return;
    }
    tal_text_append(&p->text, "<div class=\"banner doubtful\" role=\"alert\"><strong>Answer these "
                              "before you simulate.</strong><ul>");
    for (int i = 0; i < findings->count; i++) {
        tal_text_append(&p->text, "<li>");
        tal_html_append(&p->text, findings->item[i].sentence);
        tal_text_append(&p->text, "</li>");
    }
    tal_text_append(&p->text, "</ul></div>\n");
}

static tal_status append_body(page *p, tal_error *err) {
    const tal_settings *settings = p->result->site->settings;
    char title[TAL_SETTING_TEXT_SIZE];
    const tal_grid *grid = &p->result->vertical->grid;
    p->scale = MAP_WIDTH / (grid->columns * grid->cell);
    p->height = grid->rows * grid->cell * p->scale;
    tal_title_find(settings, title, sizeof title);
    tal_html_begin(&p->text, title);
    tal_html_begin_body(&p->text);
    tal_text_append(&p->text, "<header><p class=\"kind\">What the surveys show</p><h1>");
    tal_html_append(&p->text, title);
    tal_text_append(&p->text, "</h1></header>\n<main>\n");
    append_checks(p);
    TAL_TRY(append_map(p, err));
    append_volumes(p);
    if (p->result->site->epoch_count == 2) {
        append_fit(p);
        append_patches(p);
    }
    tal_text_append(&p->text,
                    "</main>\n<footer>Every number is in ingest.json; the outlines are in "
                    "site.gpkg.</footer>\n");
    tal_html_end(&p->text);
    return p->text.failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for ingest.html") : TAL_OK;
}

tal_status tal_output_page(const tal_ingest_result *result, tal_error *err) {
    char path[TAL_PATH_SIZE];
    page p = {.result = result};
    tal_status status = TAL_OK;
    if (!tal_path_join(path, result->folder, "ingest.html")) {
        return TAL_FAIL(err, TAL_BAD_USAGE, "%s: the path is too long", result->folder);
    }
    TAL_TRY_OR_DONE(append_body(&p, err));
    status = tal_file_write_text(path, tal_text_string(&p.text), result->overwrite, err);
done:
    tal_text_destroy(&p.text);
    return status;
}
