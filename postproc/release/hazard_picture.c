// SPDX-License-Identifier: GPL-3.0-or-later
// Maps and diagrams of a release.
#include "postproc/release/hazard_picture.h"

#include "core/app/html.h"
#include "core/app/number.h"
#include "core/base/memory.h"
#include "postproc/report/image.h"

#include <math.h>

enum { WIDTH = 900, BINS = 24 };

// From pale to dark, told apart also without colour.
static const uint8_t COLOURS[6][3] = {{255, 237, 160}, {254, 196, 79}, {253, 141, 60},
                                      {227, 46, 38},   {152, 0, 67},   {73, 0, 106}};

// Where rocks came, with a margin, inside the grid; metres from the origin.
static tal_bounds focus_of(const tal_hazard *h) {
    const tal_grid *g = &h->survey.grid;
    const tal_bounds all = tal_grid_bounds(g);
    tal_bounds b = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int32_t row = 0; row < g->rows; row++) {
        for (int32_t column = 0; column < g->columns; column++) {
            if (h->maps.passages.value[(size_t)row * (size_t)g->columns + (size_t)column] > 0.0F) {
                double x, y;
                tal_grid_centre(g, column, row, &x, &y);
                b.west = fmin(b.west, x);
                b.east = fmax(b.east, x);
                b.south = fmin(b.south, y);
                b.north = fmax(b.north, y);
            }
        }
    }
    if (!(b.west <= b.east)) {
        return all;
    }
    const double margin = 0.1 * fmax(b.east - b.west, b.north - b.south) + 5.0 * g->cell;
    return (tal_bounds){fmax(all.west, b.west - margin), fmax(all.south, b.south - margin),
                        fmin(all.east, b.east + margin), fmin(all.north, b.north + margin)};
}

static int class_of(const tal_hazard_map *map, double value) {
    int found = -1;
    for (int k = 0; k < map->class_count; k++) {
        found = value > 0.0 && value >= map->from[k] ? k : found;
    }
    return found;
}

static void tint(tal_image *image, const tal_hazard *h, const tal_hazard_map *map) {
    const double step_x = (image->bounds.east - image->bounds.west) / image->width;
    const double step_y = (image->bounds.north - image->bounds.south) / image->height;
    for (int32_t row = 0; row < image->height; row++) {
        for (int32_t column = 0; column < image->width; column++) {
            const int64_t cell =
                tal_grid_index(&h->survey.grid, image->bounds.west + (column + 0.5) * step_x,
                               image->bounds.north - (row + 0.5) * step_y);
            const int class = cell >= 0 ? class_of(map, (double)map->values->value[cell]) : -1;
            uint8_t *pixel =
                &image->rgba[4 * ((size_t)row * (size_t)image->width + (size_t)column)];
            for (int k = 0; class >= 0 && k < 3; k++) {
                pixel[k] = (uint8_t)(0.25 * pixel[k] + 0.75 * COLOURS[class][k]);
            }
        }
    }
}

static void append_lines(tal_text *text, const tal_image *image, const tal_features *f,
                         const char *colour, const char *name) {
    const double per_m = image->width / (image->bounds.east - image->bounds.west);
    for (int32_t part = 0; part < f->part_count; part++) {
        tal_text_append(text, "<path d=\"");
        for (int32_t i = f->part_start[part]; i < f->part_start[part + 1]; i++) {
            tal_text_append(text, "%s%.1f %.1f", i == f->part_start[part] ? "M" : "L",
                            (f->x[i] - image->bounds.west) * per_m,
                            (image->bounds.north - f->y[i]) * per_m);
        }
        tal_text_append(text, "%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"3\"><title>",
                        f->kind == TAL_PLACE_POLYGON ? "Z" : "", colour);
        tal_html_append(text, name);
        tal_text_append(text, "</title></path>\n");
    }
}

static void append_legend(tal_text *text, const tal_hazard *h, const tal_hazard_map *map) {
    char number[TAL_NUMBER_SIZE];
    tal_text_append(text, "<ul class=\"legend\">");
    for (int k = 0; k < map->class_count; k++) {
        tal_text_append(text,
                        "<li><i style=\"border-top-width:.8rem;border-color:rgb(%d,%d,%d)\"></i>"
                        "%s%s %s</li>",
                        COLOURS[k][0], COLOURS[k][1], COLOURS[k][2], k == 0 ? "" : "from ",
                        k == 0 ? "less"
                               : tal_number_format_digits(number, map->from[k] * map->scale, 1),
                        k == 0 ? "" : map->unit);
    }
    if (h->targets.target_count > 0) {
        tal_text_append(text, "<li><i style=\"border-color:#0072b2\"></i>targets</li>");
    }
    if (h->targets.barrier_count > 0) {
        tal_text_append(text, "<li><i style=\"border-color:#1d6b45\"></i>barriers</li>");
    }
    tal_text_append(text, "</ul>");
}

tal_status tal_hazard_map_append(tal_text *text, const tal_hazard *h, const tal_hazard_map *map,
                                 tal_error *err) {
    tal_image image = {0};
    tal_raster bed = h->survey.bed;
    bed.grid = h->survey.grid;
    TAL_TRY(tal_image_shade(&image, &bed, focus_of(h), WIDTH, err));
    tint(&image, h, map);
    tal_text_append(text,
                    "<figure class=\"wide\"><svg class=\"map\" viewBox=\"0 0 %d %d\" role=\"img\" "
                    "aria-label=\"%s\"><image width=\"%d\" height=\"%d\" href=\"",
                    image.width, image.height, map->title, image.width, image.height);
    const tal_status status = tal_image_append_uri(&image, false, text, err);
    tal_text_append(text, "\"/>\n");
    for (int k = 0; k < h->targets.target_count; k++) {
        append_lines(text, &image, &h->targets.target[k].place, "#0072b2",
                     h->targets.target[k].name);
    }
    for (int k = 0; k < h->targets.barrier_count; k++) {
        append_lines(text, &image, &h->targets.barrier[k].place, "#1d6b45",
                     h->targets.barrier[k].name);
    }
    tal_text_append(text, "</svg>\n");
    append_legend(text, h, map);
    tal_text_append(text, "<figcaption><b>%s.</b> %s</figcaption></figure>\n", map->title,
                    map->caption);
    tal_image_destroy(&image);
    return status;
}

// --- diagrams ---

// The upper end of a scale with round numbers.
static double round_up(double value) {
    const double power = pow(10.0, floor(log10(value)));
    static const double steps[] = {1.0, 2.0, 5.0, 10.0};
    for (int k = 0; k < 4; k++) {
        if (value <= steps[k] * power) {
            return steps[k] * power;
        }
    }
    return 10.0 * power;
}

static void append_bars(tal_text *text, const int64_t bin[BINS], double top) {
    int64_t most = 1;
    char number[TAL_NUMBER_SIZE];
    for (int k = 0; k < BINS; k++) {
        most = bin[k] > most ? bin[k] : most;
    }
    for (int k = 0; k < BINS; k++) {
        const double height = 150.0 * (double)bin[k] / (double)most;
        tal_text_append(text,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"19\" height=\"%.1f\" "
                        "fill=\"var(--accent)\"/>",
                        40.0 + 20.0 * k, 170.0 - height, height);
    }
    tal_text_append(text,
                    "<path d=\"M40 170H520M40 20V170\" stroke=\"var(--soft)\" fill=\"none\"/>");
    for (int k = 0; k <= 4; k++) {
        tal_text_append(text,
                        "<text x=\"%d\" y=\"188\" text-anchor=\"middle\" font-size=\"13\" "
                        "fill=\"var(--soft)\">%s</text>",
                        40 + 120 * k, tal_number_format(number, top * k / 4.0));
    }
    tal_text_append(text,
                    "<text x=\"34\" y=\"26\" text-anchor=\"end\" font-size=\"13\" "
                    "fill=\"var(--soft)\">%lld</text>",
                    (long long)most);
}

// The value of the k-th rock.
typedef double value_at(const void *rocks, tal_at_quantity quantity, int64_t k);

static double target_value(const void *rocks, tal_at_quantity quantity, int64_t k) {
    return tal_crossing_value(&((const tal_target *)rocks)->crossing[k], quantity);
}

static double barrier_value(const void *rocks, tal_at_quantity quantity, int64_t k) {
    const tal_barrier_record *b = rocks;
    return quantity == TAL_AT_ENERGY ? b->energy_kj[k] : b->height[k];
}

// All of a figure but the end of its caption; the upper end of the scale, 0: nothing to be shown.
static double append_histogram(tal_text *text, const void *rocks, int64_t count, value_at *value,
                               tal_at_quantity quantity) {
    const tal_at_notes *notes = &tal_at_quantity_notes[quantity];
    int64_t bin[BINS] = {0};
    double most = 0.0;
    for (int64_t k = 0; k < count; k++) {
        most = fmax(most, value(rocks, quantity, k));
    }
    if (!(most > 0.0)) {
        return 0.0;
    }
    const double top = round_up(most);
    for (int64_t k = 0; k < count; k++) {
        const int at = (int)(value(rocks, quantity, k) / top * BINS);
        bin[at < 0 ? 0 : at < BINS ? at : BINS - 1]++;
    }
    tal_text_append(text, "<figure><svg viewBox=\"0 0 560 200\" role=\"img\" aria-label=\"%s\">",
                    notes->name);
    append_bars(text, bin, top);
    return top;
}

static void append_histogram_caption(tal_text *text, tal_at_quantity quantity, const char *which,
                                     const char *name) {
    tal_text_append(text, "</svg><figcaption><b>%s</b> (%s) of the rocks that %s ",
                    tal_at_quantity_notes[quantity].name, tal_at_quantity_notes[quantity].unit,
                    which);
    tal_html_append(text, name);
    tal_text_append(text, ", in numbers of rocks.");
}

void tal_hazard_histogram_append(tal_text *text, const tal_target *target,
                                 tal_at_quantity quantity) {
    if (append_histogram(text, target, target->count, target_value, quantity) > 0.0) {
        append_histogram_caption(text, quantity, "come to", target->name);
        tal_text_append(text, "</figcaption></figure>\n");
    }
}

void tal_hazard_barrier_histogram_append(tal_text *text, const tal_barrier_record *barrier,
                                         tal_at_quantity quantity) {
    const bool is_energy = quantity == TAL_AT_ENERGY;
    const double limit = is_energy ? barrier->capacity_kj : barrier->height_m;
    const double top = append_histogram(text, barrier, barrier->count, barrier_value, quantity);
    if (!(top > 0.0)) {
        return;
    }
    if (limit <= top) {
        const double x = 40.0 + 480.0 * limit / top;
        tal_text_append(text,
                        "<path d=\"M%.1f 14V170\" stroke=\"currentColor\" stroke-width=\"2\" "
                        "stroke-dasharray=\"6 4\" fill=\"none\"/>",
                        x);
    }
    append_histogram_caption(text, quantity, "meet", barrier->name);
    tal_text_append(text, " %s: %s, %g %s.</figcaption></figure>\n",
                    limit <= top ? "Dashed" : "Beyond the scale",
                    is_energy ? "its capacity" : "its height", limit,
                    tal_at_quantity_notes[quantity].unit);
}
