// SPDX-License-Identifier: GPL-3.0-or-later
// Where the settings of a run come from: the calibrate.json that [report] calibration names.
#include "postproc/report/report_calibration.h"

#include "core/app/html.h"
#include "core/app/json.h"
#include "core/app/number.h"

#include <math.h>
#include <string.h>

static const cJSON *item_of(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *words_of(const cJSON *object, const char *name) {
    const char *words = cJSON_GetStringValue(item_of(object, name));
    return words != NULL ? words : "";
}

static double number_of(const cJSON *object, const char *name) {
    const cJSON *item = item_of(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

// Scores of the first site, which takes part in the fit: "before" or "after".
static const cJSON *sheet_of(const cJSON *root, const char *which) {
    return item_of(cJSON_GetArrayItem(item_of(root, "sites"), 0), which);
}

tal_status tal_report_calibration_read(cJSON **root, const tal_settings *settings, tal_error *err) {
    const char *cursor = settings->report.calibration;
    char path[TAL_PATH_SIZE];
    *root = NULL;
    if (!tal_settings_next_file(settings, &cursor, path)) {
        return TAL_OK;
    }
    TAL_TRY(tal_json_read(path, root, err));
    if (!cJSON_IsArray(item_of(*root, "parameters")) || sheet_of(*root, "before") == NULL ||
        sheet_of(*root, "after") == NULL) {
        cJSON_Delete(*root);
        *root = NULL;
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: %s is no result of talus-calibrate: name its calibrate.json in "
                        "[report] calibration",
                        tal_settings_where(settings, settings->report.calibration), path);
    }
    return TAL_OK;
}

tal_status tal_report_calibration_check(const tal_settings *settings, tal_error *err) {
    cJSON *root = NULL;
    const tal_status status = tal_report_calibration_read(&root, settings, err);
    cJSON_Delete(root);
    return status;
}

static double run_count(const cJSON *root) {
    return number_of(root, "points") * number_of(root, "runs_per_point");
}

void tal_report_calibration_sentence(tal_text *text, const cJSON *root) {
    const cJSON *before = sheet_of(root, "before");
    char overlap[TAL_NUMBER_SIZE], runout[TAL_NUMBER_SIZE];
    tal_text_append(text,
                    "The settings come from a <a href=\"#calibration\">calibration</a> of %.0f "
                    "runs on this deposit. Before it the overlap (IoU) was %s and the runout error "
                    "%s\xc2\xa0m.",
                    run_count(root), tal_number_format(overlap, number_of(before, "iou")),
                    tal_number_format(runout, number_of(before, "runout_error_m")));
}

// The value of "contact.friction" in a run.
static void append_own(tal_text *text, const char *name, const tal_settings *settings) {
    const char *dot = strrchr(name, '.');
    char section[TAL_LABEL_SIZE];
    if (dot == NULL || (size_t)(dot - name) >= sizeof section) {
        return;
    }
    memcpy(section, name, (size_t)(dot - name));
    section[dot - name] = '\0';
    const tal_setting *setting = tal_settings_find(section, dot + 1);
    const void *at = tal_settings_section_struct(settings, section);
    tal_text value = {0};
    if (setting != NULL && at != NULL) {
        tal_settings_value(at, setting, &value);
    }
    tal_html_append(text, tal_text_string(&value));
    tal_text_destroy(&value);
}

static void append_found(tal_text *text, const cJSON *parameter, const char *name) {
    const cJSON *item = item_of(parameter, name);
    char number[TAL_NUMBER_SIZE];
    if (cJSON_IsNumber(item)) {
        tal_text_append(text, "%s",
                        tal_number_format_within(number, item->valuedouble,
                                                 number_of(parameter, "low"),
                                                 number_of(parameter, "high")));
    } else {
        tal_html_append(text, words_of(parameter, name));
    }
}

static void append_parameters(tal_text *text, const cJSON *root, const tal_settings *settings) {
    const cJSON *parameter;
    cJSON_ArrayForEach(parameter, item_of(root, "parameters")) {
        const char *name = words_of(parameter, "setting");
        tal_text_append(text, "<tr><td><code>");
        tal_html_append(text, name);
        tal_text_append(text, "</code></td><td class=\"number\">");
        append_found(text, parameter, "start");
        tal_text_append(text, "</td><td class=\"number\">");
        append_found(text, parameter, "best");
        tal_text_append(text, "</td><td class=\"number\">");
        append_own(text, name, settings);
        tal_text_append(text, "</td></tr>\n");
    }
}

static void append_scores(tal_text *text, const cJSON *root, const tal_back_analysis *a) {
    static const tal_score_key SHOWN[] = {TAL_SCORE_iou, TAL_SCORE_runout_error_m,
                                          TAL_SCORE_centroid_distance_m, TAL_SCORE_volume_ratio,
                                          TAL_SCORE_thickness_rmse_m};
    for (size_t i = 0; i < sizeof SHOWN / sizeof *SHOWN; i++) {
        const double value[] = {number_of(sheet_of(root, "before"), tal_score_notes[SHOWN[i]].key),
                                number_of(sheet_of(root, "after"), tal_score_notes[SHOWN[i]].key),
                                a->scores.value[SHOWN[i]]};
        const char *unit = tal_unit_pretty(tal_score_notes[SHOWN[i]].unit);
        tal_text_append(text, "<tr data-calibrated=\"%s\"><td>%s</td>",
                        tal_score_notes[SHOWN[i]].key, tal_score_notes[SHOWN[i]].label);
        for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
            char number[TAL_NUMBER_SIZE];
            tal_text_append(
                text, "<td class=\"number\">%s%s%s</td>", tal_number_format(number, value[k]),
                unit[0] != '\0' && isfinite(value[k]) ? " " : "", isfinite(value[k]) ? unit : "");
        }
        tal_text_append(text, "</tr>\n");
    }
}

static bool is_parameter(const cJSON *root, const char *name) {
    const cJSON *parameter;
    cJSON_ArrayForEach(parameter, item_of(root, "parameters")) {
        if (strcmp(words_of(parameter, "setting"), name) == 0) {
            return true;
        }
    }
    return false;
}

// The value of a key of a section in the text of a site file, of `length` bytes; NULL without one.
static const char *value_in(const char *site, const char *section, const char *key,
                            size_t *length) {
    char head[2 * TAL_LABEL_SIZE];
    (void)snprintf(head, sizeof head, "[%s]\n", section);
    const char *line = strstr(site, head);
    const size_t size = strlen(key);
    for (line = line != NULL ? strchr(line, '\n') : NULL; line != NULL && line[1] != '[';
         line = strchr(line + 1, '\n')) {
        if (strncmp(line + 1, key, size) == 0 && strncmp(line + 1 + size, " =", 2) == 0) {
            const char *value = line + 3 + size;
            value += *value == ' ';
            *length = strcspn(value, "\n");
            return value;
        }
    }
    return NULL;
}

// What else was different there: fewer blocks make a calibration cheap, other clouds make it another one.
static void append_differences(tal_text *text, const cJSON *root, const tal_settings *settings) {
    const char *there = words_of(item_of(root, "provenance"), "settings");
    tal_text here = {0};
    char section[TAL_LABEL_SIZE] = "";
    int count = 0;
    tal_settings_write(settings, TAL_STAGE_INGEST | TAL_STAGE_MESH | TAL_STAGE_SOLVE,
                       TAL_SETTINGS_PORTABLE, &here);
    for (const char *line = tal_text_string(&here); *line != '\0';) {
        const size_t length = strcspn(line, "\n"), word = strcspn(line, " =]\n");
        char key[TAL_LABEL_SIZE], name[2 * TAL_LABEL_SIZE];
        size_t old_length = 0;
        if (line[0] == '[' && word < sizeof section) {
            (void)snprintf(section, sizeof section, "%.*s", (int)(word - 1), line + 1);
        } else if (word > 0 && word + 2 <= length && word < sizeof key) {
            (void)snprintf(key, sizeof key, "%.*s", (int)word, line);
            (void)snprintf(name, sizeof name, "%s.%s", section, key);
            const char *own = line + word + 2 + (line[word + 2] == ' ' ? 1 : 0);
            const size_t own_length = (size_t)(line + length - own);
            const char *old = value_in(there, section, key, &old_length);
            if (old != NULL && !is_parameter(root, name) &&
                (old_length != own_length || strncmp(old, own, own_length) != 0)) {
                tal_text_append(text, "%s<code>%s</code> = %.*s instead of %.*s",
                                count++ == 0 ? " Its runs had " : ", ", name, (int)old_length, old,
                                (int)own_length, own);
            }
        }
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    tal_text_append(text, "%s", count > 0 ? "." : "");
    tal_text_destroy(&here);
}

void tal_report_append_calibration(tal_text *text, const cJSON *root, const tal_back_analysis *a,
                                   const tal_settings *settings) {
    const cJSON *sentence;
    tal_text_append(text,
                    "<h2 id=\"calibration\">Where the settings come from</h2>\n<p "
                    "class=\"intro\">A calibration of %.0f runs looked for the settings that "
                    "explain this deposit.",
                    run_count(root));
    append_differences(text, root, settings);
    tal_text_append(text, "</p>\n<ul>");
    cJSON_ArrayForEach(sentence, item_of(root, "conclusions")) {
        const char *words = cJSON_GetStringValue(sentence);
        tal_text_append(text, "<li>");
        tal_html_append(text, words != NULL ? words : "");
        tal_text_append(text, "</li>");
    }
    tal_text_append(
        text, "</ul>\n<div class=\"table\"><table><thead><tr><th scope=\"col\"></th><th "
              "scope=\"col\" class=\"number\">Before</th><th scope=\"col\" class=\"number\">"
              "After</th><th scope=\"col\" class=\"number\">This run</th></tr></thead><tbody>\n");
    append_parameters(text, root, settings);
    append_scores(text, root, a);
    tal_text_append(text, "</tbody></table></div>\n");
}
