// SPDX-License-Identifier: GPL-3.0-or-later
// The few scores that the pages of studies show of every run.
#include "pipelines/engine/headline.h"

#include "core/app/number.h"
#include "pipelines/engine/study_page.h"

#include <math.h>
#include <stdio.h>

static const struct {
    tal_sheet_score score;
    const char *head;
} SHOWN[] = {{TAL_SHEET_iou, "IoU"},
             {TAL_SHEET_runout_error_m, "Runout error, m"},
             {TAL_SHEET_volume_ratio, "Volume ratio"},
             {TAL_SHEET_thickness_rmse_m, "Thickness error, m"},
             {TAL_SHEET_centroid_distance_m, "Centroids apart, m"},
             {TAL_SHEET_stops_distance_m, "Stops, energy distance, m"},
             {TAL_SHEET_stops_ks_along, "Stops along (KS)"},
             {TAL_SHEET_stops_ks_across, "Stops across (KS)"},
             {TAL_SHEET_passages_ks, "Passages (KS)"}};
enum { SHOWN_COUNT = sizeof SHOWN / sizeof *SHOWN };

unsigned tal_headline_columns(const tal_run_answer *answer, int count) {
    unsigned columns = 0;
    for (int i = 0; i < SHOWN_COUNT; i++) {
        for (int k = 0; k < count; k++) {
            const bool has = answer[k].done && isfinite(answer[k].sheet.value[SHOWN[i].score]);
            columns |= has ? 1U << i : 0U;
        }
    }
    return columns != 0 ? columns : 1U; // a table needs one: nothing was compared
}

void tal_headline_append_heads(tal_text *page, unsigned columns) {
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if ((columns & 1U << i) != 0) {
            tal_text_append(page, "<th>%s</th>", SHOWN[i].head);
        }
    }
}

static int count_of(unsigned columns) {
    int count = 0;
    for (int i = 0; i < SHOWN_COUNT; i++) {
        count += (columns & 1U << i) != 0 ? 1 : 0;
    }
    return count;
}

bool tal_headline_append(tal_text *page, const tal_run_answer *answer, unsigned columns) {
    if (!answer->done) {
        tal_text_append(page,
                        "<td class=\"words bad\" colspan=\"%d\">failed: ", count_of(columns) + 1);
        tal_html_append(page, answer->reason);
        tal_text_append(page, "</td>");
        return false;
    }
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if ((columns & 1U << i) != 0) {
            tal_text_append(page, "<td>");
            tal_page_number(page, answer->sheet.value[SHOWN[i].score]);
            tal_text_append(page, "</td>");
        }
    }
    return true;
}

double tal_prediction_reach(const tal_run_answer *answer) {
    const double seen = answer->sheet.value[TAL_SHEET_runout_surveyed_m];
    const double made = answer->sheet.value[TAL_SHEET_runout_simulated_m];
    return answer->done && isfinite(seen) && isfinite(made) ? fmax(seen, made) : 0;
}

void tal_prediction_begin(tal_text *page) {
    tal_text_append(page,
                    "<figure style=\"max-width:36rem\"><svg class=\"chart\" viewBox=\"0 0 520 "
                    "500\" role=\"group\" aria-label=\"Simulated against surveyed runout\"><path "
                    "class=\"axis\" d=\"M70 20V440H490M70 440L490 20\"/>\n");
}

void tal_prediction_mark(tal_text *page, const tal_run_answer *answer, const char *name, int point,
                         bool is_hollow, double most) {
    const double seen = answer->sheet.value[TAL_SHEET_runout_surveyed_m];
    const double made = answer->sheet.value[TAL_SHEET_runout_simulated_m];
    char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE], id[32] = "";
    if (!(tal_prediction_reach(answer) > 0)) {
        return;
    }
    if (point >= 0) {
        (void)snprintf(id, sizeof id, "data-point=\"%d\" ", point);
    }
    tal_text_append(page,
                    "<circle %stabindex=\"0\" role=\"img\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\" "
                    "fill=\"%s\" fill-opacity=\".8\" stroke=\"#0072b2\" aria-label=\"",
                    id, 70.0 + 420.0 * seen / most, 440.0 - 420.0 * made / most,
                    is_hollow ? "none" : "#0072b2");
    tal_html_append(page, name);
    tal_text_append(page, ": %s m simulated, %s m surveyed\"/>\n", tal_number_format(one, made),
                    tal_number_format(two, seen));
}

void tal_prediction_end(tal_text *page, double most, const char *attributes, const char *caption) {
    char end[TAL_NUMBER_SIZE];
    (void)tal_number_format(end, most);
    tal_text_append(
        page,
        "<text x=\"280\" y=\"480\" text-anchor=\"middle\">Surveyed runout, m</text><text "
        "x=\"490\" y=\"460\" text-anchor=\"end\">%s</text><text x=\"62\" y=\"26\" "
        "text-anchor=\"end\">%s</text><text transform=\"translate(24 230) "
        "rotate(-90)\" text-anchor=\"middle\">Simulated runout, m</text></svg><figcaption%s>"
        "<b>Prediction against observation.</b> %s</figcaption></figure>\n",
        end, end, attributes, caption);
}
