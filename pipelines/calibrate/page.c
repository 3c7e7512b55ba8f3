// SPDX-License-Identifier: GPL-3.0-or-later
// calibrate.html: what was found, in one page without anything outside it, and the pairwise plot.
#include "core/base/memory.h"
#include "core/geo/raster_file.h"
#include "pipelines/calibrate/calibrate.h"
#include "pipelines/engine/comparison.h"
#include "pipelines/engine/headline.h"
#include "pipelines/engine/manifest.h"
#include "pipelines/engine/study_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- pairwise plot ---

enum { CELL = 150, GAP = 14, LEFT = 60, TOP = 24, BARS = 20, DOTS_MAX = 1500 };

static void append_bars(const tal_calibration *c, int k, double x, double y, tal_text *svg) {
    const tal_posterior *p = &c->posterior;
    double share[BARS] = {0}, most = 0;
    for (int i = 0; i < p->place_count; i++) {
        int bar = (int)(p->place[i * p->dimensions + k] * BARS);
        bar = bar < 0 ? 0 : bar >= BARS ? BARS - 1 : bar;
        share[bar] += p->place_weight[i];
    }
    for (int i = 0; i < BARS; i++) {
        most = fmax(most, share[i]);
    }
    for (int i = 0; i < BARS; i++) {
        const double height = most > 0 ? share[i] / most * (CELL - 8) : 0;
        tal_text_append(
            svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#7a9cc6\"/>\n",
            x + i * (double)CELL / BARS, y + CELL - height, (double)CELL / BARS - 0.5, height);
    }
    tal_text_append(
        svg, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#a40000\"/>\n",
        x + c->point[c->best].unit[k] * CELL, x + c->point[c->best].unit[k] * CELL, y, y + CELL);
}

// What explains the deposit in grey, the runs in colours from good (dark) to bad (light).
static void append_dots(const tal_calibration *c, int a, int b, double x, double y, tal_text *svg) {
    const tal_posterior *p = &c->posterior;
    const int every = p->place_count / DOTS_MAX + 1;
    for (int i = 0; i < p->place_count; i += every) {
        tal_text_append(svg,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"3\" height=\"3\" fill=\"#d5dde8\"/>\n",
                        x + p->place[i * p->dimensions + a] * CELL - 1.5,
                        y + (1 - p->place[i * p->dimensions + b]) * CELL - 1.5);
    }
    const double best = c->point[c->best].misfit;
    for (int i = 0; i < c->point_count && i < 4 * DOTS_MAX; i++) {
        const double excess = fmin(1, (c->point[i].misfit - best) / (4 * p->margin));
        tal_text_append(svg,
                        "<circle data-point=\"%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" "
                        "fill=\"hsl(215,60%%,%.0f%%)\"/>\n",
                        i, x + c->point[i].unit[a] * CELL, y + (1 - c->point[i].unit[b]) * CELL,
                        25 + 60 * excess);
    }
    tal_text_append(svg,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"none\" stroke=\"#a40000\" "
                    "stroke-width=\"1.5\"/>\n",
                    x + c->point[c->best].unit[a] * CELL,
                    y + (1 - c->point[c->best].unit[b]) * CELL);
}

static void append_ends(const tal_parameter *p, double x, double y, tal_text *svg) {
    char low[32], high[32];
    tal_parameter_text(p, 0, low);
    tal_parameter_text(p, 1, high);
    tal_text_append(svg, "<text x=\"%.1f\" y=\"%.1f\">", x, y);
    tal_html_append(svg, low);
    tal_text_append(svg, "</text>\n<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x + CELL, y);
    tal_html_append(svg, high);
    tal_text_append(svg, "</text>\n");
}

void tal_calibration_append_pairs(const tal_calibration *c, tal_text *svg) {
    const int n = c->parameters.count, size = n * (CELL + GAP);
    const double zoom = fmax(1.0, fmin(1.8, 900.0 / (LEFT + size))); // few settings: larger
    tal_text_append(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%.0f\" "
        "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"10\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        LEFT + size, TOP + size + 20, zoom * (LEFT + size), zoom * (TOP + size + 20));
    for (int row = 0; row < n; row++) {
        for (int column = 0; column <= row; column++) {
            const double x = LEFT + column * (CELL + GAP), y = TOP + row * (CELL + GAP);
            tal_text_append(svg, "<g>\n");
            if (row == column) {
                append_bars(c, row, x, y, svg);
                tal_text_append(svg, "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">", x, y - 3);
                tal_html_append(svg, c->parameters.parameter[row].name);
                tal_text_append(svg, "</text>\n");
            } else {
                append_dots(c, column, row, x, y, svg);
            }
            tal_text_append(svg,
                            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" "
                            "stroke=\"#666\"/>\n</g>\n",
                            x, y, CELL, CELL);
            if (row == n - 1) {
                append_ends(&c->parameters.parameter[column], x, y + CELL + 12, svg);
            }
        }
    }
    tal_text_append(svg, "</svg>\n");
}

// --- page ---

static tal_status append_words(const tal_calibration *c, tal_text *page, tal_error *err) {
    tal_text words = {0};
    const tal_status status = tal_calibration_words(c, &words, err);
    tal_text_append(page, "<ul>\n");
    for (char *line = words.bytes, *end = NULL; line != NULL && (end = strchr(line, '\n')) != NULL;
         line = end + 1) {
        *end = '\0';
        tal_text_append(page, "<li>");
        tal_html_append(page, line);
        tal_text_append(page, "</li>\n");
    }
    tal_text_append(page, "</ul>\n");
    tal_text_destroy(&words);
    return status;
}

static void append_cell(tal_text *page, const char *text) {
    tal_text_append(page, "<td>");
    tal_html_append(page, text);
    tal_text_append(page, "</td>");
}

static void append_parameters(const tal_calibration *c, tal_text *page) {
    const bool sensitive = tal_sensitivity_is_trusted(&c->sensitivity);
    tal_page_table_begin(page);
    tal_text_append(page, "<th>Setting</th><th>Before</th><th>Best</th><th>5 %%</th><th>50 "
                          "%%</th><th>95 %%</th><th>Sensitivity, alone</th><th>with others</th>");
    tal_page_table_rows(page);
    for (int k = 0; k < c->parameters.count; k++) {
        const tal_parameter *p = &c->parameters.parameter[k];
        const tal_marginal *m = &c->posterior.marginal[k];
        const double units[] = {c->point[c->best].unit[k], m->low, m->median, m->high};
        char text[TAL_NUMBER_SIZE];
        tal_text_append(page, "<tr>");
        append_cell(page, p->name);
        append_cell(page, p->own);
        for (int i = 0; i < 4; i++) {
            tal_parameter_words(p, units[i], m->low, m->high, text);
            append_cell(page, text);
        }
        tal_text_append(page, "<td>");
        tal_page_number(page, sensitive ? c->sensitivity.first[k] : NAN);
        tal_text_append(page, "</td><td>");
        tal_page_number(page, sensitive ? c->sensitivity.total[k] : NAN);
        tal_text_append(page, "</td></tr>\n");
    }
    tal_page_table_end(page);
}

static void append_report_row(const tal_calibration *c, int site, int after, unsigned columns,
                              tal_text *page) {
    const tal_run_answer *answer = &c->report[2 * site + after];
    tal_text_append(page, "<tr><td>");
    tal_html_append(page, c->sites.site[site].name);
    tal_text_append(page, "%s</td><td class=\"words\">%s</td>",
                    site >= c->judge_count ? " (held out)" : "", after == 0 ? "before" : "after");
    if (tal_headline_append(page, answer, columns)) {
        const char *key = answer->keys.text[TAL_CHAIN_POST];
        tal_run_comparison_append_thumbnail(page, c->sites.site[site].name, key);
        tal_text_append(page, "<td><a href=\"runs/%s/report.html\">report</a></td>", key);
    }
    tal_text_append(page, "</tr>\n");
}

static void append_reports(const tal_calibration *c, tal_text *page) {
    const unsigned columns = tal_headline_columns(c->report, 2 * c->sites.count);
    tal_page_table_begin(page);
    tal_text_append(page, "<th>Site</th><th></th>");
    tal_headline_append_heads(page, columns);
    tal_text_append(page, "<th></th><th></th>");
    tal_page_table_rows(page);
    for (int i = 0; i < 2 * c->sites.count; i++) {
        append_report_row(c, i / 2, i % 2, columns, page);
    }
    tal_page_table_end(page);
}

// Before the calibration hollow, after it full.
static void append_prediction(const tal_calibration *c, tal_text *page) {
    double most = 0;
    for (int i = 0; i < 2 * c->sites.count; i++) {
        most = fmax(most, tal_prediction_reach(&c->report[i]));
    }
    if (!(most > 0)) {
        return; // no site has a surveyed deposit
    }
    tal_prediction_begin(page);
    for (int i = 0; i < 2 * c->sites.count; i++) {
        char name[TAL_SETTING_TEXT_SIZE + 48];
        (void)snprintf(name, sizeof name, "%s%s, %s", c->sites.site[i / 2].name,
                       i / 2 >= c->judge_count ? " (held out)" : "",
                       i % 2 == 0 ? "before" : "after");
        tal_prediction_mark(page, &c->report[i], name, -1, i % 2 == 0, most);
    }
    tal_prediction_end(
        page, most, "",
        "Hollow before the calibration, full after it. Below the line the simulation "
        "stops short.");
}

static tal_status write_comparison(const tal_calibration *c, tal_error *err) {
    tal_run_comparison comparison = {0};
    for (int i = 0; i < 2 * c->sites.count; i++) {
        char name[TAL_SETTING_TEXT_SIZE + 16];
        if (c->report[i].done) {
            (void)snprintf(name, sizeof name, "%s, %s", c->sites.site[i / 2].name,
                           i % 2 == 0 ? "before" : "after");
            tal_run_comparison_add(&comparison, name, c->report[i].keys.text[TAL_CHAIN_POST]);
        }
    }
    return tal_run_comparison_write(&comparison, c->runner->study.path, err);
}

static void append_failures(const tal_calibration *c, tal_text *page) {
    const int count = c->point_count * tal_calibration_runs_per_point(c);
    int failed = 0, first = -1;
    for (int i = 0; i < count; i++) {
        failed += c->answer[i].done ? 0 : 1;
        first = first < 0 && !c->answer[i].done ? i : first;
    }
    if (failed > 0) {
        tal_text_append(
            page, "<p class=\"bad\">%d of %d runs failed; the first one reported: ", failed, count);
        tal_html_append(page, c->answer[first].reason);
        tal_text_append(page, ". All reasons are in <a href=\"runs.csv\">runs.csv</a>.</p>\n");
    }
}

// The ground of the first site, for the light under the map; none where it is not there.
static void read_ground(const tal_calibration *c, tal_raster *ground) {
    char folder[TAL_PATH_SIZE], path[TAL_PATH_SIZE];
    tal_error err = {0};
    *ground = (tal_raster){0};
    if (tal_study_result(&c->runner->study, TAL_CHAIN_INGEST,
                         c->report[1].keys.text[TAL_CHAIN_INGEST], folder, &err) == TAL_OK &&
        tal_path_join(path, folder, "bed.tif") && tal_file_exists(path)) {
        (void)tal_raster_read(ground, path, &err);
    }
}

static tal_status append_map(const tal_calibration *c, tal_text *page, tal_error *err) {
    char path[TAL_PATH_SIZE], name[512];
    snprintf(name, sizeof name,
             c->judge_count > 1 ? "reach_probability-%s.tif" : "reach_probability.tif",
             c->sites.site[0].name);
    TAL_TRY(tal_study_path(&c->runner->study, path, ".", name, err));
    if (!tal_file_exists(path)) {
        return TAL_OK;
    }
    tal_raster map = {0}, ground;
    TAL_TRY(tal_raster_read(&map, path, err));
    read_ground(c, &ground);
    tal_text_append(page,
                    "<h2>Probability of reach</h2>\n<p class=\"intro\">Over all settings that "
                    "explain the observations. As GeoTIFF: <a href=\"");
    tal_html_append(page, name);
    tal_text_append(page, "\">");
    tal_html_append(page, name);
    tal_text_append(page, "</a>.</p>\n");
    const tal_status status = tal_page_map(page, &map, &ground, "Probability of reach", err);
    tal_raster_destroy(&ground);
    tal_raster_destroy(&map);
    return status;
}

// --- parallel coordinates ---

enum { PARALLEL_WIDTH = 1000, PARALLEL_HEIGHT = 320, LINES_MAX = 600 };

static double parallel_y(double unit) {
    return 40.0 + (1.0 - unit) * (PARALLEL_HEIGHT - 80.0);
}

// What a reader is told of a point: its settings and its misfit.
static void append_told(const tal_calibration *c, int point, tal_text *page) {
    char text[32], misfit[TAL_NUMBER_SIZE];
    tal_text_append(page, "Point %d: misfit %s", point,
                    tal_number_format(misfit, c->point[point].misfit));
    for (int k = 0; k < c->parameters.count; k++) {
        double value = c->point[point].unit[k];
        tal_parameter_text(&c->parameters.parameter[k], value, text);
        tal_text_append(page, ", ");
        tal_html_append(page, c->parameters.parameter[k].name);
        tal_text_append(page, " ");
        double number;
        char shown[TAL_NUMBER_SIZE];
        tal_html_append(page,
                        tal_text_to_real(text, &number) ? tal_number_format(shown, number) : text);
    }
}

// A line a point over all settings and the misfit, where the best is on top.
static void append_parallel(const tal_calibration *c, tal_text *page) {
    const int axes = c->parameters.count + 1;
    const double apart = (PARALLEL_WIDTH - 160.0) / (axes - 1), best = c->point[c->best].misfit;
    tal_text_append(
        page,
        "<figure class=\"paper\"><svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"group\" "
        "aria-label=\"Settings and misfit of every point\">\n",
        PARALLEL_WIDTH, PARALLEL_HEIGHT);
    for (int i = 0; i < c->point_count && i < LINES_MAX; i++) {
        const double excess = fmin(1, (c->point[i].misfit - best) / (4 * c->posterior.margin));
        if (!isfinite(excess)) {
            continue;
        }
        tal_text_append(page,
                        "<polyline data-point=\"%d\" fill=\"none\" stroke=\"hsl(215,60%%,%.0f%%)\" "
                        "points=\"",
                        i, 25 + 60 * excess);
        for (int k = 0; k < axes; k++) {
            tal_text_append(page, "%.1f,%.1f ", 80.0 + k * apart,
                            parallel_y(k + 1 < axes ? c->point[i].unit[k] : 1.0 - excess));
        }
        tal_text_append(page, "\" role=\"img\" aria-label=\"");
        append_told(c, i, page);
        tal_text_append(page, "\"/>\n");
    }
    for (int k = 0; k < axes; k++) {
        const double x = 80.0 + k * apart;
        char low[32] = "worse", high[32] = "best";
        if (k + 1 < axes) {
            tal_parameter_text(&c->parameters.parameter[k], 0, low);
            tal_parameter_text(&c->parameters.parameter[k], 1, high);
        }
        tal_text_append(page,
                        "<path class=\"axis\" d=\"M%.1f 40V%d\"/><text x=\"%.1f\" y=\"16\" "
                        "text-anchor=\"middle\">",
                        x, PARALLEL_HEIGHT - 40, x);
        tal_html_append(page, k + 1 < axes ? c->parameters.parameter[k].name : "Fit");
        tal_text_append(page, "</text><text x=\"%.1f\" y=\"34\" text-anchor=\"middle\">", x);
        tal_html_append(page, high);
        tal_text_append(page, "</text><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x,
                        PARALLEL_HEIGHT - 20);
        tal_html_append(page, low);
        tal_text_append(page, "</text>\n");
    }
    tal_text_append(
        page, "</svg><figcaption id=\"study-read\" aria-live=\"polite\">Point at a line or a dot: "
              "it lights up here and below, and its settings are told.</figcaption></figure>\n");
}

// Every point, by its first run: settings, misfit and a picture that leads to the report.
static void append_runs(const tal_calibration *c, tal_text *page) {
    const int shown = c->point_count < LINES_MAX ? c->point_count : LINES_MAX;
    tal_text_append(page, "<h2>All runs</h2>\n<details><summary>%d points%s</summary>\n", shown,
                    shown < c->point_count ? ", the first of them" : "");
    tal_page_table_begin(page);
    tal_text_append(page, "<th>Point</th>");
    for (int k = 0; k < c->parameters.count; k++) {
        tal_text_append(page, "<th>");
        tal_html_append(page, c->parameters.parameter[k].name);
        tal_text_append(page, "</th>");
    }
    tal_text_append(page, "<th>Misfit</th><th></th>");
    tal_page_table_rows(page);
    for (int i = 0; i < shown; i++) {
        const tal_run_answer *answer = tal_calibration_answer(c, i, 0, 0);
        char name[32];
        (void)snprintf(name, sizeof name, "point %d", i);
        tal_text_append(page, "<tr data-point=\"%d\" tabindex=\"0\"><td>%d</td>", i, i);
        for (int k = 0; k < c->parameters.count; k++) {
            char text[32], shown_text[TAL_NUMBER_SIZE];
            double number;
            tal_parameter_text(&c->parameters.parameter[k], c->point[i].unit[k], text);
            append_cell(page, tal_text_to_real(text, &number)
                                  ? tal_number_format(shown_text, number)
                                  : text);
        }
        tal_text_append(page, "<td>");
        tal_page_number(page, c->point[i].misfit);
        tal_text_append(page, "</td>");
        if (answer->done) {
            tal_run_comparison_append_thumbnail(page, name, answer->keys.text[TAL_CHAIN_POST]);
        } else {
            tal_text_append(page, "<td class=\"words bad\">failed</td>");
        }
        tal_text_append(page, "</tr>\n");
    }
    tal_page_table_end(page);
    tal_text_append(page, "</details>\n");
}

tal_status tal_calibration_write_page(const tal_calibration *c, tal_error *err) {
    tal_text page = {0}, svg = {0};
    char title[TAL_SETTING_TEXT_SIZE + 32];
    char before[TAL_NUMBER_SIZE], best[TAL_NUMBER_SIZE], margin[TAL_NUMBER_SIZE];
    snprintf(title, sizeof title, "Calibration of %s", c->sites.site[0].name);
    tal_calibration_append_pairs(c, &svg);
    tal_status status = tal_page_write(&svg, c->runner->study.path, "pairs.svg", err);
    tal_page_begin(&page, title);
    tal_text_append(&page,
                    "<p>%d points with %d run%s each. Misfit %s before, %s at the best point; "
                    "points up to %s above the best count as equally good.</p>\n",
                    c->point_count, tal_calibration_runs_per_point(c),
                    tal_calibration_runs_per_point(c) == 1 ? "" : "s",
                    tal_number_format(before, c->point[0].misfit),
                    tal_number_format(best, c->point[c->best].misfit),
                    tal_number_format_digits(margin, c->posterior.margin, 2));
    append_failures(c, &page);
    if (status == TAL_OK) {
        status = append_words(c, &page, err);
    }
    append_parameters(c, &page);
    tal_text_append(&page, "<h2>Before and after</h2>\n");
    append_reports(c, &page);
    append_prediction(c, &page);
    tal_calibration_append_measured(c, &page);
    tal_text_append(&page,
                    "<p><a href=\"compare.html\">Before and after, side by side</a>, with the "
                    "replays in step and the difference of the deposits.</p>\n");
    tal_text_append(&page,
                    "<p>The best settings as a site file: <a href=\"best.ini\">best.ini</a>. All "
                    "runs: <a href=\"runs.csv\">runs.csv</a>, <a "
                    "href=\"runs.nc\">runs.nc</a>.</p>\n<h2>What explains the "
                    "deposit</h2>\n");
    append_parallel(c, &page);
    tal_text_append(&page, "<figure class=\"pairs\">");
    tal_text_append_bytes(&page, tal_text_string(&svg), svg.length);
    tal_text_append(&page, "<figcaption>Bars: settings weighted by how well they fit; grey: "
                           "combinations that fit; dots: runs, dark ones fit better; red: the "
                           "best. A slanting grey band is a trade-off.</figcaption></figure>\n");
    if (status == TAL_OK) {
        status = append_map(c, &page, err);
    }
    append_runs(c, &page);
    tal_page_end(&page);
    if (status == TAL_OK) {
        status = tal_page_write(&page, c->runner->study.path, "calibrate.html", err);
    }
    tal_text_destroy(&page);
    tal_text_destroy(&svg);
    return status;
}

tal_status tal_calibration_write(const tal_calibration *c, tal_error *err) {
    TAL_TRY(tal_calibration_write_tables(c, err));
    TAL_TRY(tal_calibration_write_best(c, err));
    TAL_TRY(tal_calibration_write_json(c, err));
    TAL_TRY(tal_calibration_write_maps(c, err));
    TAL_TRY(tal_calibration_write_page(c, err));
    TAL_TRY(write_comparison(c, err));
    return tal_manifest_write(&c->runner->study, &c->sites, "talus-calibrate", err);
}
