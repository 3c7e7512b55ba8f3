// SPDX-License-Identifier: GPL-3.0-or-later
// The scores of a run.
#define _POSIX_C_SOURCE 200809L // strtok_r
#include "pipelines/engine/score_sheet.h"

#include "core/app/json.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tal_sheet_names[TAL_SHEET_COUNT] = {
#define SCORE(key, unit, group, best, label, sentence) #key,
#define SCORE_OF_RUN(key, unit, group, best, label, sentence)
#include "core/app/score.def"
};
const char *const tal_sheet_units[TAL_SHEET_COUNT] = {
#define SCORE(key, unit, group, best, label, sentence) unit,
#define SCORE_OF_RUN(key, unit, group, best, label, sentence)
#include "core/app/score.def"
};

tal_status tal_sheet_read(const char *path, tal_sheet *sheet, tal_error *err) {
    cJSON *root = NULL;
    TAL_TRY(tal_json_read(path, &root, err));
    const cJSON *scores = cJSON_GetObjectItem(root, "scores");
    tal_status status = TAL_OK;
    if (!cJSON_IsObject(scores)) {
        status = TAL_FAIL(err, TAL_BAD_INPUT, "%s has no scores", path);
    }
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        const cJSON *value =
            cJSON_GetObjectItem(cJSON_GetObjectItem(scores, tal_sheet_names[i]), "value");
        sheet->value[i] = cJSON_IsNumber(value) ? value->valuedouble : NAN;
    }
    const char *level =
        cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "trust"), "level"));
    sheet->trusted = level == NULL || strcmp(level, "bad") != 0;
    cJSON_Delete(root);
    return status;
}

// --- what is remembered ---

static tal_status store_add(tal_sheet_store *store, const char *key, const tal_sheet *sheet,
                            tal_error *err) {
    if (store->count == store->capacity) {
        const size_t capacity = store->capacity > 0 ? 2 * store->capacity : 64;
        TAL_GROW(store->sheet, store->count, capacity, "scores", err);
        TAL_GROW(store->key, store->count, capacity, "scores", err);
        store->capacity = capacity;
    }
    store->sheet[store->count] = *sheet;
    tal_text_copy(store->key[store->count], TAL_KEY_SIZE, key);
    return tal_table_set(&store->index, key, (int64_t)store->count++, err);
}

// "KEY trusted iou precision ... .": the point at the end says that the line is whole.
static bool parse_line(char *line, char key[TAL_KEY_SIZE], tal_sheet *sheet) {
    char *state = NULL;
    const char *word = strtok_r(line, "\t", &state);
    if (word == NULL || !tal_text_copy(key, TAL_KEY_SIZE, word)) {
        return false;
    }
    word = strtok_r(NULL, "\t", &state);
    if (word == NULL) {
        return false;
    }
    sheet->trusted = strcmp(word, "1") == 0;
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        word = strtok_r(NULL, "\t", &state);
        if (word == NULL || !tal_text_to_real(word, &sheet->value[i])) {
            return false;
        }
    }
    word = strtok_r(NULL, "\t", &state);
    return word != NULL && strcmp(word, ".") == 0;
}

static tal_status take_sheet(void *context, char *line, tal_error *err) {
    tal_sheet_store *store = context;
    char key[TAL_KEY_SIZE];
    tal_sheet sheet;
    if (!parse_line(line, key, &sheet) || tal_table_find(&store->index, key) >= 0) {
        return TAL_OK;
    }
    return store_add(store, key, &sheet, err);
}

tal_status tal_sheet_store_read(tal_sheet_store *store, const tal_study_folder *study,
                                tal_error *err) {
    return tal_study_read_notes(study, "scores.tsv", take_sheet, store, err);
}

void tal_sheet_store_destroy(tal_sheet_store *store) {
    tal_table_destroy(&store->index);
    tal_memory_destroy(store->sheet);
    tal_memory_destroy(store->key);
    *store = (tal_sheet_store){0};
}

static tal_status note_sheet(const tal_study_folder *study, const char *key, const tal_sheet *sheet,
                             tal_error *err) {
    tal_text line = {0};
    tal_text_append(&line, "%s\t%d", key, sheet->trusted ? 1 : 0);
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        tal_text_append(&line, "\t");
        if (isnan(sheet->value[i])) {
            tal_text_append(&line, "nan");
        } else {
            tal_text_append_real(&line, sheet->value[i]);
        }
    }
    tal_text_append(&line, "\t.\n");
    const tal_status status = line.failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for scores")
                                          : tal_study_note(study, "scores.tsv", line.bytes, err);
    tal_text_destroy(&line);
    return status;
}

tal_status tal_sheet_find(tal_sheet_store *store, const tal_study_folder *study, const char *key,
                          tal_sheet *sheet, tal_error *err) {
    const int64_t row = tal_table_find(&store->index, key);
    if (row >= 0) {
        *sheet = store->sheet[row];
        return TAL_OK;
    }
    char folder[TAL_PATH_SIZE], path[TAL_PATH_SIZE];
    TAL_TRY(tal_study_result(study, TAL_CHAIN_POST, key, folder, err));
    if (!tal_path_join(path, folder, "scores.json")) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", folder);
    }
    TAL_TRY(tal_sheet_read(path, sheet, err));
    TAL_TRY(store_add(store, key, sheet, err));
    return note_sheet(study, key, sheet, err);
}

// --- misfit ---

enum { PARTS = 10 };

// Each kind of observation with its weight; NaN where a run has no such score.
static void find_parts(const tal_sheet *sheet, const tal_calibrate_settings *w,
                       double part[PARTS][2]) {
    const double *v = sheet->value;
    const double runout = v[TAL_SHEET_runout_surveyed_m];
    const double thickness = v[TAL_SHEET_volume_surveyed_m3] / v[TAL_SHEET_area_surveyed_m2];
    const double found[PARTS][2] = {
        {w->weight_iou, 1.0 - v[TAL_SHEET_iou]},
        {w->weight_runout, fabs(v[TAL_SHEET_runout_error_m]) / runout},
        {w->weight_volume, fabs(v[TAL_SHEET_volume_ratio] - 1.0)},
        {w->weight_thickness, v[TAL_SHEET_thickness_rmse_m] / thickness},
        {w->weight_centroid, v[TAL_SHEET_centroid_distance_m] / runout},
        {w->weight_emd, v[TAL_SHEET_emd_m] / runout},
        {w->weight_stops, fabs(v[TAL_SHEET_stops_distance_m]) / v[TAL_SHEET_stops_spread_m]},
        {w->weight_ks, 0.5 * (v[TAL_SHEET_stops_ks_along] + v[TAL_SHEET_stops_ks_across])},
        {w->weight_passages, v[TAL_SHEET_passages_ks]},
        {w->weight_fahrboeschung,
         fabs(v[TAL_SHEET_fahrboeschung_error]) / v[TAL_SHEET_fahrboeschung_surveyed]},
    };
    memcpy(part, found, sizeof found);
}

bool tal_sheet_is_compared(const tal_sheet *sheet, const tal_calibrate_settings *w) {
    double part[PARTS][2];
    bool is = false;
    find_parts(sheet, w, part);
    for (int i = 0; i < PARTS; i++) {
        is = is || (part[i][0] > 0.0 && isfinite(part[i][1]));
    }
    return is;
}

// docs/theory/calibration.md (1).
double tal_sheet_misfit(const tal_sheet *sheet, const tal_calibrate_settings *w) {
    double part[PARTS][2], sum = 0, weight = 0;
    find_parts(sheet, w, part);
    for (int i = 0; i < PARTS; i++) {
        sum += part[i][0] * (isfinite(part[i][1]) ? part[i][1] : 1.0);
        weight += part[i][0];
    }
    return weight > 0 ? sum / weight : 1.0;
}
