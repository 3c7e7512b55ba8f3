// SPDX-License-Identifier: GPL-3.0-or-later
// The table and the page of a batch.
#include "core/app/number.h"
#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "pipelines/batch/batch.h"
#include "pipelines/engine/comparison.h"
#include "pipelines/engine/headline.h"
#include "pipelines/engine/manifest.h"
#include "pipelines/engine/study_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- variations ---

static void check_column(const tal_variations *v, const char *path, int column,
                         tal_settings *scratch, tal_error *err) {
    const char *name = tal_csv_cell(&v->csv, 0, column);
    char section[TAL_SETTING_TEXT_SIZE];
    const char *key = NULL;
    if (!tal_setting_name_split(name, section, &key)) {
        tal_error_add(
            err, TAL_BAD_INPUT,
            "%s: column '%s' names no setting; write SECTION.KEY, such as contact.friction", path,
            name);
        return;
    }
    for (int row = 1; row < v->csv.rows; row++) {
        char where[TAL_PATH_SIZE + 32];
        snprintf(where, sizeof where, "%s, row %d", path, row + 1);
        const char *value = tal_csv_cell(&v->csv, row, column);
        if (value[0] != '\0' &&
            tal_settings_set(scratch, section, key, value, where, err) != TAL_OK && row == 1 &&
            tal_settings_find(section, key) == NULL) {
            return; // an unknown setting is told once
        }
    }
}

tal_status tal_variations_read(tal_variations *variations, const char *path,
                               const tal_study_sites *sites, tal_error *err) {
    variations->name_column = -1;
    variations->count = 1;
    if (path == NULL) {
        return TAL_OK;
    }
    TAL_TRY(tal_csv_read(&variations->csv, path, err));
    if (variations->csv.rows < 2) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "%s has no rows: the first line names settings, each further one is a variation", path);
    }
    variations->count = variations->csv.rows - 1;
    tal_settings *scratch = NULL;
    TAL_CREATE(scratch, 1, "settings", err);
    *scratch = *sites->site[0].settings;
    for (int column = 0; column < variations->csv.columns; column++) {
        if (strcmp(tal_csv_cell(&variations->csv, 0, column), "name") == 0) {
            variations->name_column = column;
        } else {
            check_column(variations, path, column, scratch, err);
        }
    }
    tal_memory_destroy(scratch);
    return err->message_count > 0 ? err->status : TAL_OK;
}

void tal_variations_destroy(tal_variations *variations) {
    tal_csv_destroy(&variations->csv);
}

void tal_variations_name(const tal_variations *v, int row, char *name, size_t size) {
    if (v->csv.rows == 0) {
        snprintf(name, size, "%s", "");
    } else if (v->name_column >= 0) {
        snprintf(name, size, "%s", tal_csv_cell(&v->csv, row + 1, v->name_column));
    } else {
        snprintf(name, size, "%d", row + 1);
    }
}

// --- table ---

static const tal_run_answer *answer_of(const tal_batch_runs *batch, int site, int variation) {
    return &batch->answer[site * batch->variations->count + variation];
}

static void append_header(const tal_batch_runs *batch, tal_text *text) {
    const tal_csv *csv = &batch->variations->csv;
    tal_text_append(text, "site,variation,run,state");
    for (int column = 0; csv->rows > 0 && column < csv->columns; column++) {
        if (column != batch->variations->name_column) {
            tal_text_append(text, ",");
            tal_csv_append_text(text, tal_csv_cell(csv, 0, column));
        }
    }
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        tal_text_append(text, ",%s", tal_sheet_names[i]);
    }
    tal_text_append(text, ",reason\n");
}

static void append_row(const tal_batch_runs *batch, int site, int variation, tal_text *text) {
    const tal_csv *csv = &batch->variations->csv;
    const tal_run_answer *answer = answer_of(batch, site, variation);
    char name[TAL_SETTING_TEXT_SIZE];
    tal_variations_name(batch->variations, variation, name, sizeof name);
    tal_csv_append_text(text, batch->sites->site[site].name);
    tal_text_append(text, ",");
    tal_csv_append_text(text, name);
    tal_text_append(text, ",%s,%s", answer->keys.text[TAL_CHAIN_POST], tal_run_answer_word(answer));
    for (int column = 0; csv->rows > 0 && column < csv->columns; column++) {
        if (column != batch->variations->name_column) {
            tal_text_append(text, ",");
            tal_csv_append_text(text, tal_csv_cell(csv, variation + 1, column));
        }
    }
    tal_run_answer_append(text, answer);
}

static tal_status write_table(const tal_batch_runs *batch, tal_error *err) {
    tal_text text = {0};
    append_header(batch, &text);
    for (int site = 0; site < batch->sites->count; site++) {
        for (int variation = 0; variation < batch->variations->count; variation++) {
            append_row(batch, site, variation, &text);
        }
    }
    const tal_status status = tal_page_write(&text, batch->study->path, "results.csv", err);
    tal_text_destroy(&text);
    return status;
}

// --- page ---

static void append_link(tal_text *page, const tal_run_answer *answer, const char *words) {
    tal_text_append(page, "<a href=\"runs/%s/report.html\">", answer->keys.text[TAL_CHAIN_POST]);
    tal_html_append(page, words);
    tal_text_append(page, "</a>");
}

static void append_page_row(const tal_batch_runs *batch, int site, int variation, unsigned columns,
                            tal_text *page) {
    const tal_run_answer *answer = answer_of(batch, site, variation);
    char name[TAL_SETTING_TEXT_SIZE];
    tal_variations_name(batch->variations, variation, name, sizeof name);
    tal_text_append(page, "<tr><td>");
    tal_html_append(page, batch->sites->site[site].name);
    tal_text_append(page, "</td><td class=\"words\">");
    tal_html_append(page, name);
    tal_text_append(page, "</td>");
    if (tal_headline_append(page, answer, columns)) {
        tal_run_comparison_append_thumbnail(page, name, answer->keys.text[TAL_CHAIN_POST]);
        tal_text_append(page, "<td>");
        append_link(page, answer, answer->sheet.trusted ? "report" : "report (do not trust)");
        tal_text_append(page, "</td>");
    }
    tal_text_append(page, "</tr>\n");
}

static void append_prediction(const tal_batch_runs *batch, tal_text *page) {
    const int count = batch->sites->count * batch->variations->count;
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, tal_prediction_reach(&batch->answer[i]));
    }
    if (!(most > 0)) {
        return; // no site has a surveyed deposit
    }
    tal_prediction_begin(page);
    for (int i = 0; i < count; i++) {
        tal_prediction_mark(page, &batch->answer[i],
                            batch->sites->site[i / batch->variations->count].name, i, false, most);
    }
    tal_prediction_end(page, most, " id=\"study-read\" aria-live=\"polite\"",
                       "Below the line the simulation stops short.");
}

static int done_count(const tal_batch_runs *batch) {
    int count = 0;
    for (int i = 0; i < batch->sites->count * batch->variations->count; i++) {
        count += batch->answer[i].done ? 1 : 0;
    }
    return count;
}

static tal_status write_comparison(const tal_batch_runs *batch, tal_error *err) {
    tal_run_comparison comparison = {0};
    for (int i = 0; i < batch->sites->count * batch->variations->count; i++) {
        char name[TAL_SETTING_TEXT_SIZE], both[2 * TAL_SETTING_TEXT_SIZE];
        if (batch->answer[i].done) {
            tal_variations_name(batch->variations, i % batch->variations->count, name, sizeof name);
            (void)snprintf(both, sizeof both, "%s %s",
                           batch->sites->site[i / batch->variations->count].name, name);
            tal_run_comparison_add(&comparison, both, batch->answer[i].keys.text[TAL_CHAIN_POST]);
        }
    }
    return tal_run_comparison_write(&comparison, batch->study->path, err);
}

// The frame of the map of sites: its middle in degrees, and how many degrees of latitude 300 units of it are.
typedef struct {
    double middle[2], span;
    double wide; // a degree eastward, in degrees northward
} site_frame;

static double frame_x(const site_frame *f, double east) {
    return 320.0 + 300.0 * (east - f->middle[0]) * f->wide / f->span;
}

static double frame_y(const site_frame *f, double north) {
    return 210.0 - 300.0 * (north - f->middle[1]) / f->span;
}

// Meridians and parallels at round degrees, with their names; none so near the rim that its name would be cut.
static void append_graticule(const site_frame *f, tal_text *page) {
    const double reach[2] = {0.88 * f->span / f->wide, 0.88 * 190.0 / 300.0 * f->span};
    for (int k = 0; k < 2; k++) {
        const double unit = pow(10.0, floor(log10(reach[k])));
        const double step = unit * (reach[k] >= 5.0 * unit   ? 5.0
                                    : reach[k] >= 2.0 * unit ? 2.0
                                                             : 1.0);
        const int decimals = (int)fmax(0.0, -floor(log10(step) + 1e-9));
        for (double at = ceil((f->middle[k] - reach[k]) / step) * step;
             at < f->middle[k] + reach[k]; at += step) {
            const char *side = k == 0 ? (at < 0.0 ? "W" : "E") : at < 0.0 ? "S" : "N";
            if (k == 0) {
                tal_text_append(page,
                                "<path class=\"axis\" d=\"M%.1f 20V400\"/><text x=\"%.1f\" "
                                "y=\"416\" text-anchor=\"middle\">",
                                frame_x(f, at), frame_x(f, at));
            } else {
                tal_text_append(page,
                                "<path class=\"axis\" d=\"M20 %.1fH620\"/><text x=\"25\" "
                                "y=\"%.1f\">",
                                frame_y(f, at), frame_y(f, at) - 4.0);
            }
            tal_text_append(page, "%.*f\xc2\xb0 %s</text>\n", decimals, fabs(at), side);
        }
    }
}

// How many of the sites before this one lie at its place: their names stand above its own.
static int count_before(const tal_batch_place *place, const site_frame *f, int site) {
    int count = 0;
    for (int i = 0; i < site; i++) {
        count += place[i].is_known &&
                 hypot(frame_x(f, place[i].degrees[0]) - frame_x(f, place[site].degrees[0]),
                       frame_y(f, place[i].degrees[1]) - frame_y(f, place[site].degrees[1])) < 12.0;
    }
    return count;
}

// Sites by longitude and latitude, in a frame that holds them all.
static void append_sites(const tal_batch_place *place, const tal_batch_runs *batch,
                         tal_text *page) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    int known = 0;
    for (int site = 0; site < batch->sites->count; site++) {
        for (int k = 0; k < 2 && place[site].is_known; k++) {
            low[k] = fmin(low[k], place[site].degrees[k]);
            high[k] = fmax(high[k], place[site].degrees[k]);
        }
        known += place[site].is_known ? 1 : 0;
    }
    if (known < 2) {
        return; // one site needs no map of sites
    }
    site_frame f = {.middle = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])}};
    f.wide = cos(tal_radians(f.middle[1]));
    f.span = fmax(fmax((high[0] - low[0]) * f.wide, high[1] - low[1]), 0.02);
    tal_text_append(page, "<figure><svg class=\"chart\" viewBox=\"0 0 640 425\" role=\"group\" "
                          "aria-label=\"Map of all sites\"><path class=\"axis\" "
                          "d=\"M20 20H620V400H20Z\"/>\n");
    append_graticule(&f, page);
    for (int site = 0; site < batch->sites->count; site++) {
        if (place[site].is_known) {
            const double x = frame_x(&f, place[site].degrees[0]);
            const double y = frame_y(&f, place[site].degrees[1]);
            tal_text_append(page,
                            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"#0072b2\"/>"
                            "<text class=\"name\" x=\"%.1f\" y=\"%.1f\">",
                            x, y, x + 10.0, y + 5.0 + 15.0 * count_before(place, &f, site));
            tal_html_append(page, batch->sites->site[site].name);
            tal_text_append(page, "</text>\n");
        }
    }
    tal_text_append(page, "</svg><figcaption><b>All sites.</b> By longitude and latitude; north is "
                          "up.</figcaption></figure>\n");
}

static tal_status write_page(const tal_batch_runs *batch, const tal_batch_place *place,
                             tal_error *err) {
    tal_text page = {0};
    tal_page_begin(&page, "Batch of rockfalls");
    tal_text_append(
        &page,
        "<p>%d site%s, %d variation%s each; %d runs failed. All scores are in <a "
        "href=\"results.csv\">results.csv</a>, outlines of all sites in <a "
        "href=\"sites.gpkg\">sites.gpkg</a>.%s</p>\n",
        batch->sites->count, batch->sites->count == 1 ? "" : "s", batch->variations->count,
        batch->variations->count == 1 ? "" : "s", batch->failed_count,
        done_count(batch) > 1 ? " <a href=\"compare.html\">Two runs side by side</a>." : "");
    tal_text_append(&page, "<div class=\"figures\">\n");
    append_sites(place, batch, &page);
    append_prediction(batch, &page);
    tal_text_append(&page, "</div>\n");
    const unsigned columns =
        tal_headline_columns(batch->answer, batch->sites->count * batch->variations->count);
    tal_page_table_begin(&page);
    tal_text_append(&page, "<th>Site</th><th>Variation</th>");
    tal_headline_append_heads(&page, columns);
    tal_text_append(&page, "<th></th><th></th>");
    tal_page_table_rows(&page);
    for (int site = 0; site < batch->sites->count; site++) {
        for (int variation = 0; variation < batch->variations->count; variation++) {
            append_page_row(batch, site, variation, columns, &page);
        }
    }
    tal_page_table_end(&page);
    tal_page_end(&page);
    const tal_status status = tal_page_write(&page, batch->study->path, "index.html", err);
    tal_text_destroy(&page);
    return status;
}

tal_status tal_batch_write(const tal_batch_runs *batch, tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_study_path(batch->study, path, ".", "sites.gpkg", err));
    TAL_TRY(write_table(batch, err));
    tal_batch_place *place;
    TAL_CREATE(place, (size_t)batch->sites->count, "places of sites", err);
    tal_status status = tal_batch_write_package(batch, path, place, err);
    status = status == TAL_OK ? write_page(batch, place, err) : status;
    tal_memory_destroy(place);
    TAL_TRY(status);
    TAL_TRY(write_comparison(batch, err));
    return tal_manifest_write(batch->study, batch->sites, "talus-batch", err);
}
