// SPDX-License-Identifier: GPL-3.0-or-later
// The score sheet as scores.json and scores.csv.
#include "postproc/write/score_file.h"

#include "core/app/json.h"
#include "core/base/text.h"

#include <math.h>

static cJSON *score_json(const tal_back_analysis *a, int i) {
    const tal_score_interval *interval = &a->interval[i];
    cJSON *score = cJSON_CreateObject();
    tal_json_add_number(score, "value", a->scores.value[i]);
    cJSON_AddStringToObject(score, "unit", tal_score_notes[i].unit);
    cJSON *runs = cJSON_AddObjectToObject(score, "runs");
    tal_json_add_number(runs, "p05", interval->low);
    tal_json_add_number(runs, "p50", interval->median);
    tal_json_add_number(runs, "p95", interval->high);
    cJSON *survey = cJSON_AddObjectToObject(score, "survey");
    tal_json_add_number(survey, "low", interval->survey_low);
    tal_json_add_number(survey, "high", interval->survey_high);
    cJSON *numeric = cJSON_AddObjectToObject(score, "numeric");
    tal_json_add_number(numeric, "low", interval->numeric_low);
    tal_json_add_number(numeric, "high", interval->numeric_high);
    cJSON *all = cJSON_AddObjectToObject(score, "all");
    tal_json_add_number(all, "low", interval->all_low);
    tal_json_add_number(all, "high", interval->all_high);
    cJSON_AddStringToObject(score, "meaning", tal_score_notes[i].sentence);
    return score;
}

static cJSON *trust_json(const tal_trust *trust) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "level", tal_trust_word(trust->level));
    for (int i = 0; i < TAL_TRUST_CHECKS; i++) {
        const tal_trust_check *check = &trust->check[i];
        cJSON *item = cJSON_AddObjectToObject(root, check->key);
        cJSON_AddStringToObject(item, "level", tal_trust_word(check->level));
        tal_json_add_number(item, "value", check->value);
        tal_json_add_number(item, "good_limit", check->good_limit);
        tal_json_add_number(item, "bad_limit", check->bad_limit);
        cJSON_AddStringToObject(item, "unit", check->unit);
        cJSON_AddStringToObject(item, "text", check->text);
    }
    return root;
}

static void add_volume(cJSON *root, const char *name, const tal_volume_range *volume) {
    cJSON *item = cJSON_AddObjectToObject(root, name);
    tal_json_add_number(item, "volume_m3", volume->volume);
    tal_json_add_number(item, "low_m3", volume->low);
    tal_json_add_number(item, "high_m3", volume->high);
}

static cJSON *sheet_json(const tal_back_analysis *a, const tal_output_place *place) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddBoolToObject(root, "partial", tal_run_record_is_partial(&a->motion));
    cJSON_AddItemToObject(root, "trust", trust_json(&a->trust));
    cJSON_AddBoolToObject(root, "surveyed", a->has_survey_deposit);
    cJSON_AddNumberToObject(root, "runs", a->run_count);
    cJSON_AddNumberToObject(root, "bad_runs", a->bad_run_count);
    cJSON_AddNumberToObject(root, "shown_run", a->shown_run);
    cJSON *scores = cJSON_AddObjectToObject(root, "scores");
    for (int i = 0; i < TAL_SCORE_COUNT; i++) {
        cJSON_AddItemToObject(scores, tal_score_notes[i].key, score_json(a, i));
    }
    cJSON *by_run = cJSON_AddArrayToObject(root, "by_run");
    for (int r = 0; r < a->run_count; r++) {
        cJSON *item = cJSON_CreateObject();
        for (int i = 0; i < TAL_SCORE_COUNT; i++) {
            tal_json_add_number(item, tal_score_notes[i].key, a->by_run[r].value[i]);
        }
        cJSON_AddItemToArray(by_run, item);
    }
    add_volume(root, "source", &a->survey.source_volume);
    add_volume(root, "deposit", &a->survey.deposit_volume);
    cJSON *simulated = cJSON_AddObjectToObject(root, "simulated");
    tal_json_add_number(simulated, "solid_volume_m3", a->deposit.solid_volume);
    tal_json_add_number(simulated, "outside_volume_m3", a->deposit.outside_volume);
    tal_json_add_number(simulated, "lost_volume_m3", a->deposit.lost_volume);
    cJSON_AddNumberToObject(simulated, "blocks", a->blocks.count);
    cJSON_AddNumberToObject(simulated, "blocks_at_rest", a->deposit.resting_count);
    cJSON_AddItemToObject(root, "provenance", cJSON_Duplicate(place->provenance_json, true));
    return root;
}

// Empty where there is no number.
static void append_number(tal_text *text, double value) {
    if (isfinite(value)) {
        tal_text_append_real(text, value);
    }
}

static void sheet_csv(const tal_back_analysis *a, tal_text *text) {
    tal_text_append(text, "score,unit,value,runs_p05,runs_p50,runs_p95,survey_low,survey_high,"
                          "all_low,all_high,numeric_low,numeric_high\n");
    for (int i = 0; i < TAL_SCORE_COUNT; i++) {
        const tal_score_interval *interval = &a->interval[i];
        const double column[] = {a->scores.value[i],    interval->low,        interval->median,
                                 interval->high,        interval->survey_low, interval->survey_high,
                                 interval->all_low,     interval->all_high,   interval->numeric_low,
                                 interval->numeric_high};
        tal_text_append(text, "%s,%s", tal_score_notes[i].key, tal_score_notes[i].unit);
        for (size_t k = 0; k < sizeof column / sizeof *column; k++) {
            tal_text_append(text, ",");
            append_number(text, column[k]);
        }
        tal_text_append(text, "\n");
    }
}

tal_status tal_score_file_write(const tal_back_analysis *analysis, const tal_output_place *place,
                                tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_output_path(place, "scores.json", path, err));
    cJSON *root = sheet_json(analysis, place);
    const tal_status status = tal_json_write(path, root, place->overwrite, err);
    cJSON_Delete(root);
    TAL_TRY(status);
    tal_text text = {0};
    sheet_csv(analysis, &text);
    return tal_output_write_made(place, "scores.csv", &text, TAL_OK, err);
}
