// SPDX-License-Identifier: GPL-3.0-or-later
// report.html.
#define _XOPEN_SOURCE 700
#include "postproc/report/report.h"

#include "core/app/html.h"
#include "core/app/number.h"
#include "core/app/program.h"
#include "core/app/title.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "postproc/report/image.h"
#include "postproc/report/page.h"
#include "postproc/report/report_calibration.h"
#include "postproc/report/report_map.h"
#include "postproc/report/report_replay.h"
#include "postproc/report/report_stress.h"
#include "postproc/report/report_tables.h"
#include "postproc/report/report_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append_head(tal_text *text, const char *title) {
    tal_html_begin(text, title);
    tal_text_append(text, "<script>");
    tal_page_append(text, "watch.js");
    tal_text_append(text, "</script>\n<style>\n");
    tal_page_append(text, "report.css");
    tal_text_append(text, "</style>\n");
    tal_html_begin_body(text);
    tal_text_append(text, "<a class=\"skip\" href=\"#scores\">To the scores</a>\n");
}

static void append_trust_banner(tal_text *text, const tal_back_analysis *a) {
    const bool others_are_bad = a->run_count > 1 && a->bad_run_count > 0;
    const tal_trust_level level = others_are_bad ? TAL_TRUST_BAD : a->trust.level;
    if (level == TAL_TRUST_GOOD) {
        return;
    }
    // The first check is whether the rock moved: without that, nothing else matters.
    const int first = a->no_runout != NULL ? 1 : 0;
    tal_text_append(text, "<div class=\"banner %s\" role=\"alert\"><strong>",
                    tal_trust_word(level));
    tal_html_append(text, a->no_runout != NULL ? a->trust.check[0].text
                          : tal_run_record_is_partial(&a->motion)
                              ? "This is a partial run. Do not trust it as a result."
                          : level == TAL_TRUST_BAD ? "Do not trust this result."
                                                   : "Read this result with care.");
    tal_text_append(text, "</strong><ul>");
    if (others_are_bad) {
        tal_text_append(
            text,
            "<li>%d of %d runs fail a check below; the intervals over the runs include them.</li>",
            a->bad_run_count, a->run_count);
    }
    for (int i = first; i < TAL_TRUST_CHECKS; i++) {
        if (a->trust.check[i].level != TAL_TRUST_GOOD) {
            tal_text_append(text, "<li>");
            tal_html_append(text, a->trust.check[i].text);
            tal_text_append(text, "</li>");
        }
    }
    tal_text_append(text, "</ul></div>\n");
}

// What talus-ingest warned of: a run on a doubtful survey is doubtful.
static void append_survey_banner(tal_text *text, const tal_surveyed *survey) {
    const int count = cJSON_GetArraySize(survey->checks);
    const cJSON *item;
    if (count == 0) {
        return;
    }
    tal_text_append(text,
                    "<div class=\"banner doubtful\"><strong>The survey was taken with %d "
                    "warning%s.</strong><ul>",
                    count, count == 1 ? "" : "s");
    cJSON_ArrayForEach(item, survey->checks) {
        const char *sentence = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "text"));
        tal_text_append(text, "<li>");
        tal_html_append(text, sentence != NULL ? sentence : "");
        tal_text_append(text, "</li>");
    }
    tal_text_append(text, "</ul></div>\n");
}

static void append_card(tal_text *text, const char *name, const tal_score_interval *interval,
                        double value, const char *unit, const char *more) {
    char number[TAL_NUMBER_SIZE];
    tal_text_append(
        text,
        "<div class=\"card\"><p class=\"name\">%s</p><p class=\"big\">%s%s<small>%s"
        "</small></p><p class=\"more\">%s</p></div>\n",
        name, tal_number_format_within(number, value, interval->shown_low, interval->shown_high),
        strcmp(unit, "\xc2\xb0") != 0 ? " " : "", isfinite(value) ? unit : "", more);
}

static double degrees(double tangent) {
    return tal_degrees(atan(tangent));
}

// Nothing ran anywhere where the rock did not move.
static void append_runout_error_card(tal_text *text, const tal_back_analysis *a) {
    const double *v = a->scores.value, error = v[TAL_SCORE_runout_error_m];
    char more[160], one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
    (void)snprintf(more, sizeof more, "%s m simulated, %s m surveyed: %s",
                   tal_number_format(one, v[TAL_SCORE_runout_simulated_m]),
                   tal_number_format(two, v[TAL_SCORE_runout_surveyed_m]),
                   error < 0.0   ? "stops short"
                   : error > 0.0 ? "goes too far"
                                 : "as far");
    append_card(text, "Runout error", &a->interval[TAL_SCORE_runout_error_m],
                a->no_runout != NULL ? NAN : error, "m",
                a->no_runout != NULL ? a->no_runout
                : isfinite(error)    ? more
                                     : "There is no simulated toe to measure");
}

static void append_mobility_card(tal_text *text, const tal_back_analysis *a) {
    const double *v = a->scores.value;
    const double surveyed = degrees(v[TAL_SCORE_fahrboeschung_surveyed]);
    const double simulated = v[TAL_SCORE_fahrboeschung_simulated];
    char more[200], one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
    const tal_score_interval none = {.shown_low = NAN, .shown_high = NAN};
    if (isfinite(surveyed)) {
        (void)snprintf(more, sizeof more, "H/L %s from crown to toe; %s\xc2\xb0 surveyed",
                       tal_number_format_digits(one, simulated, 2),
                       tal_number_format(two, surveyed));
    } else {
        (void)snprintf(more, sizeof more, "H/L %s from crown to toe, over %s m",
                       tal_number_format_digits(one, simulated, 2),
                       tal_number_format(two, v[TAL_SCORE_runout_simulated_m]));
    }
    append_card(text, "Fahrb\xc3\xb6schung", &none, a->no_runout != NULL ? NAN : degrees(simulated),
                "\xc2\xb0",
                a->no_runout != NULL ? a->no_runout
                : isfinite(v[TAL_SCORE_runout_simulated_m])
                    ? more
                    : "There is no simulated toe to measure");
}

static void append_cards(tal_text *text, const tal_back_analysis *a) {
    const double *v = a->scores.value;
    char more[160], one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
    tal_text_append(text, "<div class=\"cards\">\n");
    if (a->has_survey_deposit) {
        append_card(
            text, "Overlap (IoU)", &a->interval[TAL_SCORE_iou], v[TAL_SCORE_iou], "",
            "Cells with a deposit in both over cells with one in either; 1 is a perfect match");
        append_runout_error_card(text, a);
        (void)snprintf(more, sizeof more,
                       "%s m\xc2\xb3 simulated over %s m\xc2\xb3 surveyed; 1 is a perfect match",
                       tal_number_format(one, v[TAL_SCORE_volume_simulated_m3]),
                       tal_number_format(two, v[TAL_SCORE_volume_surveyed_m3]));
        append_card(text, "Volume ratio", &a->interval[TAL_SCORE_volume_ratio],
                    v[TAL_SCORE_volume_ratio], "", more);
    } else {
        append_card(text, "Deposit volume", &a->interval[TAL_SCORE_volume_simulated_m3],
                    v[TAL_SCORE_volume_simulated_m3], "m\xc2\xb3", "Simulated, pores included");
        append_card(text, "Area", &a->interval[TAL_SCORE_area_simulated_m2],
                    v[TAL_SCORE_area_simulated_m2], "m\xc2\xb2", "Simulated deposit");
    }
    append_mobility_card(text, a);
    tal_text_append(text, "</div>\n");
}

// An interval of no width is none: the score does not depend on it.
static void append_interval(tal_text *text, const char *label, double low, double high) {
    char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
    (void)tal_number_format_within(one, low, low, high);
    (void)tal_number_format_within(two, high, low, high);
    const bool is_point = strcmp(one, two) == 0;
    tal_text_append(text, "<td class=\"number interval%s\" data-label=\"%s\">",
                    is_point ? " point" : "", label);
    if (is_point) {
        tal_text_append(text, "\xe2\x80\x93");
    } else {
        tal_text_append(text, "%s to %s", one, two);
    }
    tal_text_append(text, "</td>");
}

// An interval whose ends are written alike says nothing of the digits.
static const char *format_score(char number[TAL_NUMBER_SIZE], double value,
                                const tal_score_interval *interval) {
    const double low = interval->shown_low, high = interval->shown_high;
    char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
    (void)tal_number_format_within(one, low, low, high);
    (void)tal_number_format_within(two, high, low, high);
    return strcmp(one, two) == 0 ? tal_number_format(number, value)
                                 : tal_number_format_within(number, value, low, high);
}

static void append_score_row(tal_text *text, const tal_back_analysis *a, int i) {
    const tal_score_note *note = &tal_score_notes[i];
    char number[TAL_NUMBER_SIZE];
    tal_text_append(text, "<tr><td>%s<span class=\"meaning\">%s</span></td>", note->label,
                    note->sentence);
    tal_text_append(text, "<td class=\"number value\" data-score=\"%s\" data-value=\"", note->key);
    if (isfinite(a->scores.value[i])) {
        tal_text_append_real(text, a->scores.value[i]);
    }
    tal_text_append(text, "\">%s %s</td><td class=\"number best\">%s</td>",
                    format_score(number, a->scores.value[i], &a->interval[i]),
                    isfinite(a->scores.value[i]) ? tal_unit_pretty(note->unit) : "", note->best);
    if (a->run_count > 1) {
        append_interval(text, "Over the runs", a->interval[i].low, a->interval[i].high);
    }
    append_interval(text, "Over the survey's error", a->interval[i].survey_low,
                    a->interval[i].survey_high);
    if (a->run_count > 1) {
        append_interval(text, "Over both", a->interval[i].all_low, a->interval[i].all_high);
    }
    if (a->variants.count > 0) {
        append_interval(text, "Over blocks and steps", a->interval[i].numeric_low,
                        a->interval[i].numeric_high);
    }
    tal_text_append(text, "</tr>\n");
}

static bool has_scores(const tal_back_analysis *a, const char *group) {
    bool found = false;
    for (int i = 0; i < TAL_SCORE_COUNT; i++) {
        found =
            found || (isfinite(a->scores.value[i]) && strcmp(tal_score_notes[i].group, group) == 0);
    }
    return found;
}

static void append_scores(tal_text *text, const tal_back_analysis *a) {
    const char *group = "";
    const int columns = (a->run_count > 1 ? 6 : 4) + (a->variants.count > 0 ? 1 : 0);
    tal_text_append(text, "<h2 id=\"scores\">Score sheet</h2>\n<p class=\"intro\">");
    tal_report_sheet_words(text, a);
    tal_text_append(
        text,
        "</p>\n<div class=\"table\"><table class=\"sheet\">\n<thead><tr><th "
        "scope=\"col\">Score</th>"
        "<th scope=\"col\" class=\"number\">%s</th><th scope=\"col\" class=\"number\">"
        "Perfect</th>%s<th scope=\"col\" class=\"number interval\">Over the<br>survey's "
        "error</th>%s%s</tr></thead>\n<tbody>\n",
        a->run_count > 1 ? "Middle run" : "This run",
        a->run_count > 1 ? "<th scope=\"col\" class=\"number interval\">Over the runs"
                           "<br>5 to 95 %</th>"
                         : "",
        a->run_count > 1 ? "<th scope=\"col\" class=\"number interval\">Over both</th>" : "",
        a->variants.count > 0
            ? "<th scope=\"col\" class=\"number interval\">Over blocks,<br>steps, seeds</th>"
            : "");
    for (int i = 0; i < TAL_SCORE_COUNT; i++) {
        if (!isfinite(a->scores.value[i]) &&
            (!a->has_survey_deposit || !has_scores(a, tal_score_notes[i].group))) {
            continue; // a scenario has nothing to compare, nor has a site without observed stops
        }
        if (strcmp(group, tal_score_notes[i].group) != 0) {
            group = tal_score_notes[i].group;
            tal_text_append(text, "<tr><th scope=\"rowgroup\" colspan=\"%d\">%s</th></tr>\n",
                            columns, group);
        }
        append_score_row(text, a, i);
    }
    tal_text_append(text, "</tbody></table></div>\n");
}

static void append_trust(tal_text *text, const tal_trust *trust) {
    tal_text_append(text, "<h2>Can the run be believed?</h2>\n<p class=\"intro\">Whether the rock "
                          "moved and came to rest, and what the solver reported about itself, "
                          "against limits.</p>\n<div class=\"table\"><table>"
                          "<tbody>\n");
    for (int i = 0; i < TAL_TRUST_CHECKS; i++) {
        const tal_trust_check *check = &trust->check[i];
        const bool is_open = check->level == TAL_TRUST_GOOD && isnan(check->value);
        const char *word = is_open ? "open" : tal_trust_word(check->level);
        tal_text_append(text, "<tr><td>%s</td><td><span class=\"level %s\">%s</span></td><td>",
                        check->label, word, word);
        tal_html_append(text, check->text);
        tal_text_append(text, "</td></tr>\n");
    }
    tal_text_append(text, "</tbody></table></div>\n");
}

static void append_size_cell(tal_text *text, double size) {
    char number[TAL_NUMBER_SIZE];
    tal_text_append(text, "<td class=\"number\">");
    if (isfinite(size)) {
        tal_text_append(text, "%s m", tal_number_format(number, size));
    } else {
        tal_text_append(text, "\xe2\x80\x93");
    }
    tal_text_append(text, "</td>");
}

static tal_status append_sizes(tal_text *text, const tal_back_analysis *a, tal_error *err) {
    static const double SHARES[] = {0.1, 0.5, 0.9};
    const bool has_wanted = a->sieve.count > 0;
    double *volume, total;
    TAL_TRY(tal_sieve_sort_volumes(&a->blocks, &volume, &total, err));
    tal_text_append(
        text,
        "<h2 id=\"sizes\">Sizes of the blocks</h2>\n<p class=\"intro\">The size is "
        "the cube root of the volume. %s</p>\n<div class=\"table\"><table><thead><tr>"
        "<th scope=\"col\">Share of the rock in smaller blocks</th><th scope=\"col\" "
        "class=\"number\">Made</th>%s</tr></thead><tbody>\n",
        !has_wanted ? "It is not known which sizes were requested."
        : a->sieve.is_one_size
            ? "One size was requested; blocks cut at the surface of the rock mass come out smaller."
            : "A range of sizes was requested.",
        has_wanted ? "<th scope=\"col\" class=\"number\">Wanted</th>" : "");
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++) {
        tal_text_append(text, "<tr><td>%g %%</td>", 100.0 * SHARES[i]);
        append_size_cell(text, tal_sieve_made_size(volume, a->blocks.count, total, SHARES[i]));
        if (has_wanted) {
            append_size_cell(text, tal_sieve_wanted_size(&a->sieve, SHARES[i]));
        }
        tal_text_append(text, "</tr>\n");
    }
    tal_text_append(text, "</tbody></table></div>\n");
    tal_memory_destroy(volume);
    return TAL_OK;
}

static tal_status append_figures(tal_text *text, const tal_figures *figures, tal_error *err) {
    if (figures->count == 0) {
        return TAL_OK;
    }
    tal_text_append(text, "<h2>Figures</h2>\n<p class=\"intro\">Also as PDF in the folder "
                          "<code>figures</code>, beside the GMT scripts that draw them.</p>\n"
                          "<div class=\"figures\">\n");
    for (int i = 0; i < figures->count; i++) {
        const tal_figure *figure = &figures->figure[i];
        char *bytes;
        size_t length;
        TAL_TRY(tal_file_read(figure->png, &bytes, &length, err));
        tal_text_append(text, "<figure class=\"paper%s\"><img loading=\"lazy\" alt=\"",
                        figure->is_wide ? " wide" : "");
        tal_html_append(text, figure->title);
        tal_text_append(text, "\" src=\"data:image/png;base64,");
        tal_html_append_base64(text, bytes, length);
        tal_memory_destroy(bytes);
        tal_text_append(text, "\"><figcaption><b>%s.</b> %s</figcaption></figure>\n", figure->title,
                        figure->caption);
    }
    tal_text_append(text, "</div>\n");
    return TAL_OK;
}

static void append_provenance(tal_text *text, const tal_output_place *place) {
    tal_text settings = {0};
    tal_settings_write(place->settings, TAL_STAGE_ALL, false, &settings);
    tal_text_append(text,
                    "<h2>Where it comes from</h2>\n<details><summary>Settings</summary><pre>");
    tal_html_append(text, tal_text_string(&settings));
    tal_text_destroy(&settings);
    tal_text_append(text, "</pre></details>\n<details><summary>Inputs and program</summary><table>"
                          "<thead><tr><th>File</th><th>SHA-256</th></tr></thead><tbody>\n");
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(place->provenance_json, "inputs");
    const cJSON *input;
    cJSON_ArrayForEach(input, inputs) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(input, "name");
        const cJSON *sum = cJSON_GetObjectItemCaseSensitive(input, "sha256");
        tal_text_append(text, "<tr><td>");
        tal_html_append(text, cJSON_IsString(name) ? name->valuestring : "");
        tal_text_append(text, "</td><td><code>");
        tal_html_append(text, cJSON_IsString(sum) ? sum->valuestring : "");
        tal_text_append(text, "</code></td></tr>\n");
    }
    tal_text_append(text, "</tbody></table></details>\n");
}

static tal_status append_page(tal_text *text, const tal_back_analysis *a,
                              const tal_ground_mesh *ground, const tal_figures *figures,
                              const cJSON *calibration, const tal_output_place *place,
                              tal_error *err) {
    char title[TAL_SETTING_TEXT_SIZE];
    tal_title_find(place->settings, title, sizeof title);
    append_head(text, title);
    append_trust_banner(text, a); // what should make a reader distrust the rest comes first
    append_survey_banner(text, &a->survey);
    tal_text_append(text, "<header><p class=\"kind\">%s</p><h1>",
                    a->survey.epochs == 2 || a->surveys_are_apart ? "Rockfall back-analysis"
                                                                  : "Rockfall scenario");
    tal_html_append(text, title);
    tal_text_append(text, "</h1>\n<p class=\"lead\">");
    tal_report_verdict(text, a);
    tal_text_append(text, "</p>\n<p class=\"about\">");
    tal_report_about(text, a, place->settings);
    if (place->settings->report.remark[0] != '\0') {
        tal_text_append(text, "</p>\n<p class=\"about remark\">");
        tal_html_append(text, place->settings->report.remark);
    }
    if (calibration != NULL) {
        tal_text_append(text, "</p>\n<p class=\"about\">");
        tal_report_calibration_sentence(text, calibration);
    }
    tal_text_append(text, "</p></header>\n<main>\n");
    append_cards(text, a);
    TAL_TRY(tal_report_map_append(text, a, err));
    tal_report_replay_append_frame(text, a);
    append_scores(text, a);
    if (calibration != NULL) {
        tal_report_append_calibration(text, calibration, a, place->settings);
    }
    tal_report_append_sources(text, a);
    tal_report_append_variants(text, a);
    tal_report_append_stress(text, a);
    append_trust(text, &a->trust);
    TAL_TRY(append_sizes(text, a, err));
    TAL_TRY(append_figures(text, figures, err));
    append_provenance(text, place);
    tal_text_append(text,
                    "</main>\n<footer>Made by talus %s. Scores are defined in "
                    "docs/theory/scores.md.</footer>\n",
                    tal_version);
    TAL_TRY(tal_report_replay_append_data(text, a, ground, place->settings, err));
    tal_html_end(text);
    return TAL_OK;
}

tal_status tal_report_write(const tal_back_analysis *analysis, const tal_ground_mesh *ground,
                            const tal_figures *figures, const tal_output_place *place,
                            tal_error *err) {
    tal_text text = {0};
    cJSON *calibration = NULL;
    TAL_TRY(tal_report_calibration_read(&calibration, place->settings, err));
    const tal_status status =
        append_page(&text, analysis, ground, figures, calibration, place, err);
    cJSON_Delete(calibration);
    return tal_output_write_made(place, "report.html", &text, status, err);
}
