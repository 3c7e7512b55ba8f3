// SPDX-License-Identifier: GPL-3.0-or-later
// The few scores that the pages of studies show of every run.
#include "pipelines/engine/headline.h"

#include "pipelines/engine/study_page.h"

static const struct {
    tal_sheet_score score;
    const char *head;
} SHOWN[] = {{TAL_SHEET_iou, "IoU"},
             {TAL_SHEET_runout_error_m, "Runout error, m"},
             {TAL_SHEET_volume_ratio, "Volume ratio"},
             {TAL_SHEET_thickness_rmse_m, "Thickness error, m"},
             {TAL_SHEET_centroid_distance_m, "Centroids apart, m"}};
enum { SHOWN_COUNT = sizeof SHOWN / sizeof *SHOWN };

void tal_headline_append_heads(tal_text *page) {
    for (int i = 0; i < SHOWN_COUNT; i++) {
        tal_text_append(page, "<th>%s</th>", SHOWN[i].head);
    }
}

bool tal_headline_append(tal_text *page, const tal_run_answer *answer) {
    if (!answer->done) {
        tal_text_append(page, "<td class=\"words bad\" colspan=\"%d\">failed: ", SHOWN_COUNT + 1);
        tal_html_append(page, answer->reason);
        tal_text_append(page, "</td>");
        return false;
    }
    for (int i = 0; i < SHOWN_COUNT; i++) {
        tal_text_append(page, "<td>");
        tal_page_number(page, answer->sheet.value[SHOWN[i].score]);
        tal_text_append(page, "</td>");
    }
    return true;
}
