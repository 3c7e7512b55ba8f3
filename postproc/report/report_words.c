// SPDX-License-Identifier: GPL-3.0-or-later
// What the report says in sentences.
#include "postproc/report/report_words.h"

#include "core/app/html.h"
#include "core/app/number.h"
#include "core/geometry/travel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void append_percent(tal_text *text, double share) {
    tal_text_append(text, "%.0f %%", 100.0 * share);
}

static void say_overlap(tal_text *text, const tal_back_analysis *a) {
    const double *v = a->scores.value;
    const tal_score_interval *known = &a->interval[TAL_SCORE_runout_error_m];
    char one[TAL_NUMBER_SIZE];
    tal_text_append(text, "The simulation covers ");
    append_percent(text, v[TAL_SCORE_recall]);
    tal_text_append(text, " of the surveyed deposit");
    if (isfinite(v[TAL_SCORE_precision])) {
        tal_text_append(text, ", and ");
        append_percent(text, v[TAL_SCORE_precision]);
        tal_text_append(text, " of what it deposits lies inside");
    }
    tal_text_append(text, ". ");
    const double error = v[TAL_SCORE_runout_error_m];
    if (isfinite(error) && a->no_runout == NULL) {
        tal_text_append(
            text, "Its toe stops %s m %s the surveyed one",
            tal_number_format_within(one, fabs(error), known->shown_low, known->shown_high),
            error < 0.0 ? "short of" : "beyond");
        tal_text_append(text, ", after %s m along the flow line. ",
                        tal_number_format(one, v[TAL_SCORE_runout_simulated_m]));
    }
}

// Beside the runout that was measured, where one was.
static void say_runout(tal_text *text, const tal_back_analysis *a) {
    const double *v = a->scores.value, error = v[TAL_SCORE_runout_error_m];
    char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
    tal_text_append(text, "The blocks run out to %s m along the flow line",
                    tal_number_format(one, v[TAL_SCORE_runout_simulated_m]));
    if (isfinite(error)) {
        tal_text_append(text, ", %s m %s the %s m that were measured",
                        tal_number_format_digits(one, fabs(error), 2),
                        error < 0.0 ? "short of" : "beyond",
                        tal_number_format(two, v[TAL_SCORE_runout_surveyed_m]));
    }
    tal_text_append(text, ". ");
}

// Blocks that are large against the source leave some of it out, and so do gaps between them.
static void say_fill(tal_text *text, const tal_back_analysis *a) {
    double all = 0.0;
    for (int32_t b = 0; b < a->blocks.count; b++) {
        all += a->blocks.volume[b];
    }
    const double share = all / a->survey.source_volume.volume;
    if (share < 0.97) {
        tal_text_append(text, " The blocks hold %.0f %% of the source%s.", 100.0 * share,
                        share > 0.5 ? "; the rest lies between them and along its surfaces" : "");
    }
}

void tal_report_verdict(tal_text *text, const tal_back_analysis *a) {
    const double *v = a->scores.value;
    char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
    if (a->deposit.resting_count == 0) {
        tal_text_append(text,
                        "No block came to rest on the ground that is known: all %d left over "
                        "its rim. There is no deposit to show.",
                        (int)a->blocks.count);
        return;
    }
    if (a->no_runout != NULL) {
        tal_text_append(
            text, "%s: half of the blocks moved less than %s m. ", a->no_runout,
            tal_number_format_digits(one, tal_travel_bound(v[TAL_SCORE_travel_median_m]), 2));
    }
    if (a->has_survey_deposit) {
        say_overlap(text, a);
    } else {
        const bool is_measured = isfinite(v[TAL_SCORE_runout_surveyed_m]);
        tal_text_append(text, "%s",
                        a->surveys_are_apart
                            ? "No cell has a value in both surveys, so there is no deposit to "
                              "compare the simulation with. "
                        : a->survey.epochs == 2
                            ? "The surveys show no deposit, so there is none to compare the "
                              "simulation with. "
                        : is_measured ? "A scenario from one survey, without a deposit. "
                                      : "A scenario from one survey: there is nothing to compare "
                                        "with. ");
        if (isfinite(v[TAL_SCORE_runout_simulated_m]) && a->no_runout == NULL) {
            say_runout(text, a);
        }
    }
    tal_text_append(text, "%s m\xc2\xb3 of rock in %d block%s %s",
                    tal_number_format(one, a->deposit.solid_volume + a->deposit.outside_volume),
                    (int)a->deposit.resting_count, a->deposit.resting_count == 1 ? "" : "s",
                    strcmp(a->motion.ended_because, "still") == 0
                        ? "came to rest"
                        : "had not all come to rest when the run ended");
    if (a->deposit.resting_count < a->blocks.count) {
        tal_text_append(text, ", %s m\xc2\xb3 left over the rim",
                        tal_number_format(two, a->deposit.lost_volume));
    }
    tal_text_append(text, ".");
    say_fill(text, a);
}

// Midnight stands for a day of which the hour is not known.
static void append_event(tal_text *text, const char *event) {
    char day[TAL_SETTING_TEXT_SIZE];
    (void)snprintf(day, sizeof day, "%s", event);
    char *hour = strstr(day, "T00:00:00");
    if (hour != NULL && (hour[9] == '\0' || strcmp(&hour[9], "Z") == 0)) {
        *hour = '\0';
    }
    tal_text_append(text, "Event of ");
    tal_html_append(text, day);
}

void tal_report_about(tal_text *text, const tal_back_analysis *a, const tal_settings *settings) {
    char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE], three[TAL_NUMBER_SIZE];
    if (settings->solve.event[0] != '\0') {
        append_event(text, settings->solve.event);
        tal_text_append(text, " \xc2\xb7 ");
    }
    const tal_volume_range *source = &a->survey.source_volume;
    if (isfinite(source->volume)) {
        tal_text_append(text, "Source of %s m\xc2\xb3",
                        tal_number_format_within(one, source->volume, source->low, source->high));
        (void)tal_number_format_within(two, source->low, source->low, source->high);
        (void)tal_number_format_within(three, source->high, source->low, source->high);
        if (strcmp(two, three) != 0) {
            tal_text_append(text, " (%s to %s)", two, three);
        } else {
            tal_text_append(text, ", as given");
        }
        tal_text_append(text, " \xc2\xb7 ");
    }
    tal_text_append(text, "%d block%s \xc2\xb7 %s s of motion \xc2\xb7 cells of %g m \xc2\xb7 ",
                    (int)a->blocks.count, a->blocks.count == 1 ? "" : "s",
                    tal_number_format(one, a->motion.time[a->motion.frame_count - 1]),
                    a->survey.grid.cell);
    if (a->run_count > 1) {
        tal_text_append(text, "%d runs, the middle one shown \xc2\xb7 ", a->run_count);
    }
    const tal_crs_info *info = tal_crs_get_info(a->survey.crs);
    tal_html_append(text, info->is_local ? "local coordinates" : info->name);
}

void tal_report_sheet_words(tal_text *text, const tal_back_analysis *a) {
    if (!a->has_survey_deposit) {
        tal_text_append(
            text, "Without a surveyed deposit, only scores of the simulation itself can be given.");
        return;
    }
    tal_text_append(text,
                    "Compared on every cell that both surveys cover. The survey has a deposit "
                    "where it gained more than the level of detection inside the deposit's "
                    "outline, the simulation where its thickness exceeds that cell's level of "
                    "detection. ");
    if (a->run_count > 1) {
        tal_text_append(text, "The interval over the runs covers nine tenths of the %d runs. ",
                        a->run_count);
    } else if (a->variants.count == 0) {
        tal_text_append(text, "There is one run, so nothing is said about the spread over seeds, "
                              "blocks and time steps. ");
    }
    if (a->variants.count > 0) {
        tal_text_append(text,
                        "Over blocks, steps and seeds: the least and the greatest of the %d "
                        "further runs below and this one. ",
                        a->variants.count);
    }
    tal_text_append(text,
                    "Over the survey's error the same run is scored again with the surveyed "
                    "volumes at the ends of their 95 %% interval; a dash stands where that changes "
                    "nothing.");
    if (a->run_count > 1) {
        tal_text_append(
            text, " Over both, every run is scored in this way: from the 5 %% quantile of the "
                  "lowest to the 95 %% quantile of the highest scores.");
    }
}
