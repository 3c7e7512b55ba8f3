// SPDX-License-Identifier: GPL-3.0-or-later
// How well a simulated deposit matches a surveyed one. Definitions: docs/theory/scores.md.
#ifndef TALUS_POSTPROC_MEASURE_SCORE_H
#define TALUS_POSTPROC_MEASURE_SCORE_H

#include "core/base/quantile.h"
#include "core/geo/grid.h"
#include "postproc/measure/flow_line.h"

typedef enum {
#define SCORE(key, unit, group, best, label, sentence) TAL_SCORE_##key,
#define SCORE_OF_RUN                                   SCORE
#include "core/app/score.def"
    TAL_SCORE_COUNT
} tal_score_key;

typedef struct {
    const char *key;
    const char *unit;
    const char *group;
    const char *best; // of a perfect match; "" where there is none
    const char *label;
    const char *sentence;
} tal_score_note;

extern const tal_score_note tal_score_notes[TAL_SCORE_COUNT];

// NaN where a score has no meaning (no deposit to compare with, for instance).
typedef struct {
    double value[TAL_SCORE_COUNT];
} tal_scores;

// What is compared, cell by cell. Thicknesses in metres; NaN counts as no deposit.
typedef struct {
    tal_grid grid;          // metres from the origin
    const uint8_t *valid;   // both epochs have data
    const float *lod;       // level of detection
    const float *simulated; // thickness
    const float *solid;     // rock per area
    const float *measured;  // thickness whose toe gives the simulated runout; NULL: all of it
    const float *surveyed;  // thickness inside the surveyed outline, 0 outside; NULL without survey
    const float *ground;    // height of the bed
    const tal_flow_line *line;
    double crown_height;
    double source_volume;
    double survey_factor; // 1, or low/volume, high/volume to carry the survey's error in
} tal_score_input;

tal_status tal_scores_compute(tal_scores *scores, const tal_score_input *comparison,
                              tal_error *err);

// Largest connected part of the cells where `thickness` exceeds the level of detection, and the
// cell of it that lies farthest along the line.
typedef struct {
    uint8_t *mask; // all cells with a deposit
    uint8_t *main; // its largest connected part
    size_t cells;  // of the mask
    int64_t toe;   // -1 when there is none
    double toe_s;
} tal_deposit_mask;

tal_status tal_deposit_mask_create(tal_deposit_mask *mask, const tal_score_input *comparison,
                                   const float *thickness, double factor, tal_error *err);
void tal_deposit_mask_destroy(tal_deposit_mask *mask);

// Earth mover's distance between two loads on a line, both scaled to one; NaN when one is empty.
// The points need not be sorted.
tal_status tal_emd_line(const double *s, const double *load_a, const double *load_b, size_t count,
                        double *distance, tal_error *err);

// H/L expected for a volume in m3: Scheidegger 1973, Corominas 1996 (rockfalls).
double tal_mobility_scheidegger(double volume);
double tal_mobility_corominas(double volume);

#endif
