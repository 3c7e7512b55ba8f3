// SPDX-License-Identifier: GPL-3.0-or-later
// The scores of a run as post-processing wrote them (scores.json), and what a study remembers of
// them.
#ifndef TALUS_PIPELINES_ENGINE_SCORE_SHEET_H
#define TALUS_PIPELINES_ENGINE_SCORE_SHEET_H

#include "pipelines/engine/study.h"

// The scores that tables of studies carry.
typedef enum {
#define SCORE(key, unit, group, best, label, sentence) TAL_SHEET_##key,
#define SCORE_OF_RUN(key, unit, group, best, label, sentence)
#include "core/app/score.def"
    TAL_SHEET_COUNT
} tal_sheet_score;

extern const char *const tal_sheet_names[TAL_SHEET_COUNT];
extern const char *const tal_sheet_units[TAL_SHEET_COUNT];

typedef struct {
    double value[TAL_SHEET_COUNT]; // NaN: the run has none
    bool trusted;                  // false: post-processing says "do not trust this result"
} tal_sheet;

// Sheets known from earlier: .cache/scores.tsv.
typedef struct {
    tal_table index; // key of a run to its row
    tal_sheet *sheet;
    char (*key)[TAL_KEY_SIZE];
    size_t count, capacity;
} tal_sheet_store; // starts as {0}

tal_status tal_sheet_store_read(tal_sheet_store *store, const tal_study_folder *study,
                                tal_error *err);
void tal_sheet_store_destroy(tal_sheet_store *store);
// The scores of a finished run, from the store or from its folder.
tal_status tal_sheet_find(tal_sheet_store *store, const tal_study_folder *study, const char *key,
                          tal_sheet *sheet, tal_error *err);
tal_status tal_sheet_read(const char *path, tal_sheet *sheet, tal_error *err);

// How far a run is from the survey: the weighted mean of its scores, each made a share of something
// surveyed; 0 is a perfect match. A score the run does not have counts as 1.
double tal_sheet_misfit(const tal_sheet *sheet, const tal_calibrate_settings *weights);

// Whether the run has a score that counts.
bool tal_sheet_is_compared(const tal_sheet *sheet, const tal_calibrate_settings *weights);

#endif
