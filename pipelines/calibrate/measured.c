// SPDX-License-Identifier: GPL-3.0-or-later
// Releases with the best settings against what people measured: the quantiles of each site's report, on one sheet.
#include "core/app/json.h"
#include "pipelines/calibrate/calibrate.h"
#include "pipelines/engine/study_page.h"

#include <math.h>
#include <stdio.h>

static const char *const PARTS[] = {"p05", "p50", "p95", "deviation"};

enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

static double number_in(const cJSON *part, const char *key) {
    const cJSON *value = cJSON_GetObjectItem(part, key);
    return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

// Simulated and measured; of a quantile also where the measured one lies with 95 %.
static void append_part(const cJSON *part, tal_text *page) {
    char low[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
    tal_text_append(page, "<td>");
    tal_page_number(page, number_in(part, "simulated"));
    tal_text_append(page, "</td><td>");
    tal_page_number(page, number_in(part, "observed"));
    if (!isnan(number_in(part, "observed_low"))) {
        tal_text_append(page, " (%s to %s)",
                        tal_number_format(low, number_in(part, "observed_low")),
                        tal_number_format(high, number_in(part, "observed_high")));
    }
    tal_text_append(page, "</td>");
}

static void append_row(const tal_calibration *c, int site, const cJSON *row, tal_text *page) {
    const char *target = cJSON_GetStringValue(cJSON_GetObjectItem(row, "target"));
    const char *quantity = cJSON_GetStringValue(cJSON_GetObjectItem(row, "quantity"));
    const char *unit = cJSON_GetStringValue(cJSON_GetObjectItem(row, "unit"));
    tal_text_append(page, "<tr><td>");
    tal_html_append(page, c->sites.site[site].name);
    tal_text_append(page, "%s</td><td class=\"words\">",
                    site >= c->judge_count ? " (held out)" : "");
    tal_html_append(page, quantity != NULL ? quantity : "");
    tal_text_append(page, "%s", target != NULL ? " at " : "");
    tal_html_append(page, target != NULL ? target : "");
    tal_text_append(page, ", %s</td>", unit != NULL ? unit : "1");
    for (int k = 0; k < PART_COUNT; k++) {
        append_part(cJSON_GetObjectItem(row, PARTS[k]), page);
    }
    tal_text_append(page, "</tr>\n");
}

static void append_head(tal_text *page) {
    tal_text_append(
        page,
        "<h2 id=\"measured\">Against what was measured</h2>\n"
        "<p>With the best settings. Beside each number the measured one, and in brackets where "
        "that lies with 95 %%, its rocks being few.</p>\n");
    tal_page_table_begin(page);
    tal_text_append(page, "<th>Site</th><th>Quantity</th><th>5 %%</th><th>measured</th>"
                          "<th>Median</th><th>measured</th><th>95 %%</th><th>measured</th>"
                          "<th>Deviation</th><th>measured</th>");
    tal_page_table_rows(page);
}

// Returns whether there was a row.
static bool append_site(const tal_calibration *c, int site, bool is_first, tal_text *page) {
    const tal_run_answer *answer = &c->report[2 * site + 1];
    char name[TAL_KEY_SIZE + 32], path[TAL_PATH_SIZE];
    cJSON *root = NULL;
    tal_error ignored;
    bool is_any = false;
    tal_error_reset(&ignored);
    (void)snprintf(name, sizeof name, "%s/scores.json", answer->keys.text[TAL_CHAIN_POST]);
    if (!answer->done ||
        tal_study_path(&c->runner->study, path, "runs", name, &ignored) != TAL_OK ||
        tal_json_read(path, &root, &ignored) != TAL_OK) {
        return false;
    }
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(root, "compared")) {
        if (is_first && !is_any) {
            append_head(page);
        }
        append_row(c, site, row, page);
        is_any = true;
    }
    cJSON_Delete(root);
    return is_any;
}

void tal_calibration_append_measured(const tal_calibration *c, tal_text *page) {
    bool is_any = false;
    for (int site = 0; site < c->sites.count; site++) {
        is_any |= append_site(c, site, !is_any, page);
    }
    if (is_any) {
        tal_page_table_end(page);
    }
}
