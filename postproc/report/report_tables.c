// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the report that only some studies have.
#include "postproc/report/report_tables.h"

#include "core/app/number.h"
#include "core/geometry/angle.h"

#include <math.h>

static void append_heads(tal_text *text, const char *const *head, size_t count) {
    tal_text_append(text, "<div class=\"table\"><table><thead><tr>");
    for (size_t i = 0; i < count; i++) {
        tal_text_append(text, "<th scope=\"col\"%s>%s</th>", i > 0 ? " class=\"number\"" : "",
                        head[i]);
    }
    tal_text_append(text, "</tr></thead><tbody>\n");
}

static void append_count_cell(tal_text *text, int32_t count) {
    tal_text_append(text, "<td class=\"number\">%d</td>", (int)count);
}

static void append_number_cell(tal_text *text, double value, const char *unit) {
    char number[TAL_NUMBER_SIZE];
    tal_text_append(text, "<td class=\"number\">%s%s%s</td>", tal_number_format(number, value),
                    isfinite(value) && unit[0] != '\0' ? " " : "", isfinite(value) ? unit : "");
}

static void append_source_row(tal_text *text, int index, const tal_source *source) {
    const bool stayed = tal_travel_is_none(&source->travel) || tal_travel_is_open(&source->travel);
    tal_text_append(text, "<tr data-source=\"%d\"><td>%d%s</td>", index + 1, index + 1,
                    tal_travel_is_none(&source->travel) ? ": did not move" : "");
    append_number_cell(text, source->volume, "m\xc2\xb3");
    append_count_cell(text, source->block_count);
    tal_text_append(text, "<td class=\"number\">%.0f\xc2\xb0</td>",
                    tal_degrees(atan(source->base_tangent)));
    append_number_cell(text, source->travel.median, "m");
    tal_text_append(text, "<td class=\"number\">%.0f %%</td>", 100.0 * source->travel.moved_share);
    append_number_cell(text, stayed ? NAN : source->runout, "m");
    append_number_cell(text, stayed ? NAN : source->drop / source->runout, "");
    tal_text_append(text, "</tr>\n");
}

void tal_report_append_sources(tal_text *text, const tal_back_analysis *a) {
    static const char *const HEAD[] = {
        "Source", "Volume", "Blocks", "Slope of its base", "Travel, median", "Blocks that moved",
        "Runout", "H/L"};
    if (a->sources.count < 2) {
        return;
    }
    tal_text_append(
        text,
        "<h2 id=\"sources\">Sources</h2>\n<p class=\"intro\">Rock broke out in %d places. "
        "Each has a flow line of its own, from its crown to the toe of what its blocks left. "
        "Scores that need one line are measured along that of the largest, the first.</p>\n",
        a->sources.count);
    append_heads(text, HEAD, sizeof HEAD / sizeof *HEAD);
    for (int i = 0; i < a->sources.count; i++) {
        append_source_row(text, i, &a->sources.source[i]);
    }
    tal_text_append(text, "</tbody></table></div>\n");
}

static void append_variant_row(tal_text *text, const char *name, const char *label,
                               int32_t block_count, const tal_scores *scores) {
    static const tal_score_key SHOWN[] = {TAL_SCORE_iou, TAL_SCORE_runout_simulated_m,
                                          TAL_SCORE_fahrboeschung_simulated,
                                          TAL_SCORE_area_simulated_m2, TAL_SCORE_travel_median_m};
    tal_text_append(text, "<tr data-variant=\"%s\"><td>%s</td>", name, label);
    append_count_cell(text, block_count);
    for (size_t i = 0; i < sizeof SHOWN / sizeof *SHOWN; i++) {
        append_number_cell(text, scores->value[SHOWN[i]],
                           tal_unit_pretty(tal_score_notes[SHOWN[i]].unit));
    }
    tal_text_append(text, "</tr>\n");
}

void tal_report_append_variants(tal_text *text, const tal_back_analysis *a) {
    static const char *const HEAD[] = {"Run", "Blocks", "Overlap (IoU)", "Runout",
                                       "H/L", "Area",   "Travel, median"};
    if (a->variants.count == 0) {
        return;
    }
    tal_text_append(
        text,
        "<h2 id=\"variants\">Blocks, time step and seed</h2>\n<p class=\"intro\">The same event "
        "computed otherwise. Nothing but the way of computing differs between these runs.</p>\n");
    append_heads(text, HEAD, sizeof HEAD / sizeof *HEAD);
    append_variant_row(text, "shown", "As shown", a->blocks.count, &a->scores);
    for (int i = 0; i < a->variants.count; i++) {
        const tal_variant *variant = &a->variants.variant[i];
        append_variant_row(text, variant->name, variant->label, variant->block_count,
                           &variant->scores);
    }
    tal_text_append(text, "</tbody></table></div>\n");
}
