// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that maps, scores and pictures are made from: the survey, one run in full, and what an
// ensemble of runs adds to it.
#ifndef TALUS_POSTPROC_MEASURE_BACK_ANALYSIS_H
#define TALUS_POSTPROC_MEASURE_BACK_ANALYSIS_H

#include "postproc/measure/deposit.h"
#include "postproc/measure/flow_line.h"
#include "postproc/measure/observed.h"
#include "postproc/measure/passage.h"
#include "postproc/measure/run_record.h"
#include "postproc/measure/score.h"
#include "postproc/measure/sieve.h"
#include "postproc/measure/source.h"
#include "postproc/measure/surveyed.h"
#include "postproc/measure/trust.h"
#include "postproc/measure/variant.h"

enum { TAL_RUNS_MAX = 256 };

// A score over runs and over the survey's error; equal numbers where there is one run only.
typedef struct {
    double low, median, high;       // over runs: 5 %, 50 %, 95 %
    double survey_low, survey_high; // of the shown run, over the error of the survey
    double all_low, all_high;       // over both: 5 % of the runs' lows, 95 % of their highs
    double numeric_low,
        numeric_high; // over block counts, time steps and seeds; NaN without such runs
    double shown_low,
        shown_high; // the widest of them: what digits are cut to; NaN where there is none
} tal_score_interval;

// Cell by cell over the runs of an ensemble.
typedef struct {
    tal_raster thickness_mean, thickness_low, thickness_median, thickness_high; // 5, 50, 95 %
    tal_raster velocity_median, velocity_high;                                  // 50, 95 %
    tal_raster energy_median, energy_high;
    tal_raster jump_median, jump_high;
    tal_raster arrival_low, arrival_median; // 5, 50 %
} tal_ensemble;

typedef struct {
    tal_surveyed survey;
    tal_observed observed; // what was measured beside it
    uint8_t *valid;        // cells that can be compared
    tal_blocks blocks;     // of the shown run
    tal_sieve sieve;       // wanted when its blocks were made
    tal_run_record motion;
    tal_deposit deposit;
    tal_passage passage;
    tal_trust trust;
    int bad_run_count;     // runs of the ensemble that should not be trusted
    const char *no_runout; // why there is no word about how far the shown run ran; NULL: there is
    tal_sources sources;
    bool has_line;
    tal_flow_line line; // of the first source
    double crown_height;
    bool has_survey_deposit;
    bool surveys_are_apart; // no cell has a value in both: taken as a scenario
    tal_variants variants;
    int run_count;
    int shown_run;       // the one whose overlap is the median
    tal_scores scores;   // of the shown run
    tal_scores *by_run;  // run_count
    tal_scores *run_low; // of every run, least and greatest over the error of the survey
    tal_scores *run_high;
    tal_score_interval interval[TAL_SCORE_COUNT];
    tal_raster reach;      // share of runs in which a block reached the cell
    tal_ensemble ensemble; // empty with one run
} tal_back_analysis;

// Reads the survey in `folder` and the runs in `run_folder` (each with blocks.nc and run.nc), and
// works everything out. `settings` say how the surface of the deposit is seen, and whether runs in
// folder/sensitivity tell what the scores owe to the way of computing.
tal_status tal_back_analysis_create(tal_back_analysis *analysis, const char *folder,
                                    const char *const *run_folder, int run_count,
                                    const tal_settings *settings, tal_error *err);
void tal_back_analysis_destroy(tal_back_analysis *analysis);

// The end of the flow line or, where one is beyond it, the farther toe. Needs a line.
double tal_back_analysis_line_end(const tal_back_analysis *analysis);

// What the scores are made from, for those who want the masks again.
tal_score_input tal_back_analysis_comparison(const tal_back_analysis *analysis);

#endif
