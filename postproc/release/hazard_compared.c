// SPDX-License-Identifier: GPL-3.0-or-later
// A release against what was measured: its part of the report, and scores.json.
#include "core/app/html.h"
#include "core/app/json.h"
#include "core/app/number.h"
#include "postproc/release/hazard_picture.h"

#include <math.h>

// --- report ---

enum { WIDTH = 480, HEIGHT = 150, LEFT = 40, TOP = 20, CURVE_POINTS = 100 };

static double sorted_at(const double *value, size_t count, double share) {
    return value[(size_t)(share * (double)(count - 1) + 0.5)];
}

static void append_curve(tal_text *text, const double *value, size_t count, double low, double high,
                         const char *colour) {
    if (count == 0) {
        return;
    }
    tal_text_append(text, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"",
                    colour);
    for (int k = 0; k <= CURVE_POINTS; k++) {
        const double share = (double)k / CURVE_POINTS;
        tal_text_append(text, "%.1f,%.1f ",
                        LEFT + WIDTH * (sorted_at(value, count, share) - low) / (high - low),
                        TOP + HEIGHT * (1.0 - share));
    }
    tal_text_append(text, "\"/>");
}

// Shares of simulated and real rocks below a value.
static void append_figure(tal_text *text, const tal_compared_row *r) {
    char number[TAL_NUMBER_SIZE];
    double low = r->observed[0], high = r->observed[r->observed_count - 1];
    if (r->simulated_count > 0) {
        low = fmin(low, r->simulated[0]);
        high = fmax(high, r->simulated[r->simulated_count - 1]);
    }
    if (!(high > low)) {
        return;
    }
    tal_text_append(text, "<figure><svg viewBox=\"0 0 560 200\" role=\"img\" aria-label=\"%s\">",
                    r->name);
    tal_text_append(text, "<path d=\"M%d %dH%dM%d %dV%d\" stroke=\"var(--soft)\" fill=\"none\"/>",
                    LEFT, TOP + HEIGHT, LEFT + WIDTH, LEFT, TOP, TOP + HEIGHT);
    for (int k = 0; k <= 4; k++) {
        tal_text_append(text,
                        "<text x=\"%d\" y=\"188\" text-anchor=\"middle\" font-size=\"13\" "
                        "fill=\"var(--soft)\">%s</text>",
                        LEFT + k * WIDTH / 4,
                        tal_number_format(number, low + (high - low) * k / 4.0));
    }
    append_curve(text, r->simulated, r->simulated_count, low, high, "#d55e00");
    append_curve(text, r->observed, r->observed_count, low, high, "currentColor");
    tal_text_append(text, "</svg><figcaption><b>%s</b> (%s)", r->name, r->unit);
    if (r->target != NULL) {
        tal_text_append(text, " at ");
        tal_html_append(text, r->target);
    }
    tal_text_append(text, ": share of rocks with less, simulated (orange) and real.</figcaption>"
                          "</figure>\n");
}

static void append_row(tal_text *text, const tal_compared_row *r) {
    char number[4][TAL_NUMBER_SIZE];
    tal_text_append(text, "<tr><th scope=\"row\">");
    if (r->target != NULL) {
        tal_html_append(text, r->target);
        tal_text_append(text, ": ");
    }
    tal_text_append(text, "%s, %s</th>", r->name, r->unit);
    for (int q = 0; q < TAL_COMPARED_QUANTILES; q++) {
        tal_text_append(text, "<td class=\"number\">%s</td><td class=\"number\">%s (%s to %s)</td>",
                        tal_number_format(number[0], r->simulated_quantile[q]),
                        tal_number_format(number[1], r->observed_quantile[q]),
                        tal_number_format(number[2], r->low[q]),
                        tal_number_format(number[3], r->high[q]));
    }
    tal_text_append(text,
                    "<td class=\"number\">%s</td><td class=\"number\">%s</td><td "
                    "class=\"number\">%s (%s)</td></tr>\n",
                    tal_number_format(number[0], r->simulated_deviation),
                    tal_number_format(number[1], r->observed_deviation),
                    tal_number_format(number[2], r->ks), tal_number_format(number[3], r->ks_limit));
}

void tal_hazard_compared_append(tal_text *text, const tal_hazard *h) {
    const tal_compared *c = &h->compared;
    if (c->count == 0) {
        return;
    }
    tal_text_append(text, "<h2 id=\"compared\">Against what was measured</h2>\n<p "
                          "class=\"intro\">Quantiles of the simulated rocks beside those of the "
                          "real ones with their 95 %% interval: so much is chance among few real "
                          "rocks. Travel is the level distance from the mean of the starts, the "
                          "deviation is across the line from there to the mean of the real stops. "
                          "Kolmogorov-Smirnov: in brackets, what two samples of one distribution "
                          "stay below 19 times of 20.</p>\n<div class=\"table\"><table><thead><tr>"
                          "<th></th>");
    static const char *const shares[] = {"5 %", "median", "95 %", "deviation"};
    for (int k = 0; k < 4; k++) {
        tal_text_append(text, "<th class=\"number\">%s</th><th class=\"number\">real</th>",
                        shares[k]);
    }
    tal_text_append(text, "<th class=\"number\">Kolmogorov-Smirnov</th></tr></thead><tbody>\n");
    for (int k = 0; k < c->count; k++) {
        append_row(text, &c->row[k]);
    }
    tal_text_append(text, "</tbody></table></div>\n<div class=\"figures\">\n");
    for (int k = 0; k < c->count; k++) {
        append_figure(text, &c->row[k]);
    }
    tal_text_append(text, "</div>\n");
}

// --- scores.json ---

static void add_row(cJSON *list, const tal_compared_row *r) {
    static const char *const percent[] = {"p05", "p50", "p95"};
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    if (r->target != NULL) {
        cJSON_AddStringToObject(item, "target", r->target);
    }
    cJSON_AddStringToObject(item, "quantity", r->name);
    cJSON_AddStringToObject(item, "unit", r->unit);
    tal_json_add_number(item, "simulated_count", (double)r->simulated_count);
    tal_json_add_number(item, "observed_count", (double)r->observed_count);
    for (int q = 0; q < TAL_COMPARED_QUANTILES; q++) {
        cJSON *at = cJSON_AddObjectToObject(item, percent[q]);
        tal_json_add_number(at, "simulated", r->simulated_quantile[q]);
        tal_json_add_number(at, "observed", r->observed_quantile[q]);
        tal_json_add_number(at, "observed_low", r->low[q]);
        tal_json_add_number(at, "observed_high", r->high[q]);
    }
    cJSON *deviation = cJSON_AddObjectToObject(item, "deviation");
    tal_json_add_number(deviation, "simulated", r->simulated_deviation);
    tal_json_add_number(deviation, "observed", r->observed_deviation);
    tal_json_add_number(item, "ks", r->ks);
    tal_json_add_number(item, "ks_limit", r->ks_limit);
}

tal_status tal_hazard_write_scores(const tal_hazard *h, const tal_output_place *place,
                                   tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_output_path(place, "scores.json", path, err));
    cJSON *root = cJSON_CreateObject();
    cJSON_AddBoolToObject(root, "surveyed", false);
    cJSON_AddNumberToObject(root, "runs", 1);
    cJSON *scores = cJSON_AddObjectToObject(root, "scores");
    for (int k = 0; k < TAL_SCORE_COUNT; k++) {
        cJSON *score = cJSON_AddObjectToObject(scores, tal_score_notes[k].key);
        tal_json_add_number(score, "value", h->compared.scores.value[k]);
        cJSON_AddStringToObject(score, "unit", tal_score_notes[k].unit);
        cJSON_AddStringToObject(score, "meaning", tal_score_notes[k].sentence);
    }
    cJSON *rows = cJSON_AddArrayToObject(root, "compared");
    for (int k = 0; k < h->compared.count; k++) {
        add_row(rows, &h->compared.row[k]);
    }
    cJSON_AddItemToObject(root, "provenance", cJSON_Duplicate(place->provenance_json, true));
    const tal_status status = tal_json_write(path, root, place->overwrite, err);
    cJSON_Delete(root);
    return status;
}
