// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run may be believed.
#include "postproc/measure/trust.h"

#include "core/app/number.h"
#include "core/geometry/angle.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *tal_trust_word(tal_trust_level level) {
    return level == TAL_TRUST_GOOD ? "good" : level == TAL_TRUST_DOUBTFUL ? "doubtful" : "bad";
}

// Not a number is never good.
static tal_trust_level grade(double value, double good, double bad) {
    return value <= good ? TAL_TRUST_GOOD : value <= bad ? TAL_TRUST_DOUBTFUL : TAL_TRUST_BAD;
}

// A share in percent against its limits.
static tal_trust_check check_share(const char *key, const char *label, double share, double good,
                                   double bad) {
    return (tal_trust_check){.key = key,
                             .label = label,
                             .value = share,
                             .unit = "%",
                             .good_limit = good,
                             .bad_limit = bad,
                             .level = grade(share, good, bad)};
}

// Percent of the steps that may need the finisher before the reader is told.
static const double FINISHED_SHARE_MAX = 1.0;

static void judge_convergence(tal_trust_check *check, const tal_run_record *motion) {
    const double share =
        motion->step_count > 0 ? 100.0 * motion->unconverged_steps / motion->step_count : 0.0;
    *check = check_share("unconverged_steps", "Steps not converged", share, 0.0, 1.0);
    const double finished =
        motion->step_count > 0 ? 100.0 * motion->finished_steps / motion->step_count : 0.0;
    if (check->level == TAL_TRUST_GOOD && finished > FINISHED_SHARE_MAX) {
        char percent[TAL_NUMBER_SIZE];
        check->level = TAL_TRUST_DOUBTFUL;
        (void)snprintf(
            check->text, sizeof check->text,
            "All %d steps reached the tolerance, but %.0f of them (%s %%) by the "
            "finisher only: look for blocks much heavier than their neighbours, or lower "
            "dt_s in [solve].",
            (int)motion->step_count, motion->finished_steps,
            tal_number_format_digits(percent, finished, 2));
    } else if (check->level == TAL_TRUST_GOOD) {
        (void)snprintf(check->text, sizeof check->text,
                       "The percussions of all %d steps were solved to the tolerance.",
                       (int)motion->step_count);
    } else {
        char percent[TAL_NUMBER_SIZE];
        (void)snprintf(check->text, sizeof check->text,
                       "%.0f of %d steps (%s %%) did not reach the tolerance: raise "
                       "iterations_max or lower dt_s in [solve].",
                       motion->unconverged_steps, (int)motion->step_count,
                       tal_number_format_digits(percent, share, 2));
    }
}

static void judge_penetration(tal_trust_check *check, const tal_blocks *blocks,
                              const tal_run_record *motion) {
    double deepest = 0.0;
    for (int32_t i = 0; i < motion->step_count; i++) {
        deepest = fmax(deepest, motion->penetration[i]);
    }
    const double share = 100.0 * deepest / blocks->smallest_size;
    *check = check_share("penetration", "Deepest penetration", share, 1.0, 5.0);
    char depth[TAL_NUMBER_SIZE], percent[TAL_NUMBER_SIZE];
    (void)snprintf(check->text, sizeof check->text,
                   "The deepest penetration was %s m, %s %% of the size of the smallest block%s",
                   tal_number_format_digits(depth, deepest, 2),
                   tal_number_format_digits(percent, share, 2),
                   check->level == TAL_TRUST_GOOD ? "." : ": lower dt_s in [solve].");
}

static void judge_energy(tal_trust_check *check, const tal_run_record *motion) {
    const double drift = 100.0 * fabs(motion->energy_drift);
    *check = check_share("energy_drift", "Energy drift", drift, 0.1, 1.0);
    char percent[TAL_NUMBER_SIZE];
    (void)snprintf(check->text, sizeof check->text,
                   "The energy balance closes to %s %% of the energy released%s",
                   tal_number_format_digits(percent, drift, 2),
                   check->level == TAL_TRUST_GOOD
                       ? "."
                       : ": the computation created or lost energy; lower dt_s in [solve].");
}

// No contact may make energy (Clausius-Duhem). What it made at worst is judged against what all contacts
// dissipated: the sweeps stop at a residual, and leave that much of it.
static void judge_contacts(tal_trust_check *check, const tal_run_record *motion) {
    double dissipated = 0.0;
    const double worst = motion->clausius_duhem_worst;
    for (int32_t i = 0; worst > 0.0 && i < motion->step_count; i++) {
        dissipated += motion->dissipated_normal[i] + motion->dissipated_tangential[i];
    }
    const double share = worst > 0.0 ? 100.0 * worst / fmax(dissipated, 0.0) : worst;
    *check = check_share("clausius_duhem", "Energy created by a contact", share, 0.01, 1.0);
    char energy[TAL_NUMBER_SIZE], percent[TAL_NUMBER_SIZE];
    (void)snprintf(check->text, sizeof check->text,
                   "The most energy that one contact created in a step, where it may create none "
                   "(Clausius-Duhem), was %s J, %s %% of what all contacts dissipated%s",
                   tal_number_format_digits(energy, worst, 2),
                   tal_number_format_digits(percent, share, 2),
                   check->level == TAL_TRUST_GOOD ? "." : ": lower tolerance or dt_s in [solve].");
}

static void judge_losses(tal_trust_check *check, const tal_blocks *blocks,
                         const tal_run_record *motion) {
    double lost = 0.0, total = 0.0;
    for (int32_t b = 0; b < blocks->count; b++) {
        total += blocks->volume[b];
        lost += motion->left[b] != 0 ? blocks->volume[b] : 0.0;
    }
    const double share = 100.0 * lost / total;
    *check = check_share("blocks_lost", "Rock lost over the rim", share, 0.0, 1.0);
    if (motion->blocks_lost > 0.0) {
        char percent[TAL_NUMBER_SIZE];
        (void)snprintf(check->text, sizeof check->text,
                       "%.0f of %d blocks (%s %% of the volume) left the mapped ground: "
                       "enlarge the study area.",
                       motion->blocks_lost, (int)blocks->count,
                       tal_number_format_digits(percent, share, 2));
    } else {
        (void)snprintf(check->text, sizeof check->text, "No block left the mapped ground.");
    }
}

static void judge_end(tal_trust_check *check, const tal_run_record *motion) {
    const double end = motion->frame_count > 0 ? motion->time[motion->frame_count - 1] : 0.0;
    *check = (tal_trust_check){.key = "ended_because",
                               .label = "End of the motion",
                               .value = end,
                               .unit = "s",
                               .good_limit = NAN,
                               .bad_limit = NAN};
    char seconds[TAL_NUMBER_SIZE];
    if (strcmp(motion->ended_because, "still") == 0) {
        check->level = TAL_TRUST_GOOD;
        (void)snprintf(check->text, sizeof check->text, "Every block had come to rest after %s s.",
                       tal_number_format(seconds, end));
    } else if (strcmp(motion->ended_because, "until") == 0) {
        check->level = TAL_TRUST_DOUBTFUL;
        (void)snprintf(check->text, sizeof check->text,
                       "Blocks were still moving when the simulation ended at %s s: raise until_s "
                       "in [solve] if it matters where they come to rest.",
                       tal_number_format(seconds, end));
    } else {
        check->level = TAL_TRUST_BAD;
        (void)snprintf(check->text, sizeof check->text,
                       "This run is partial: it was stopped at %s s. Run make run again, or "
                       "talus-solve --resume, to continue.",
                       tal_number_format(seconds, end));
    }
}

static double degrees(double tangent) {
    return tal_degrees(atan(tangent));
}

static void append(tal_trust_check *check, const char *format, ...) {
    const size_t used = strlen(check->text);
    va_list list;
    va_start(list, format);
    (void)vsnprintf(check->text + used, sizeof check->text - used, format, list);
    va_end(list);
}

// The base of the steepest source beside the friction.
static void append_slope(tal_trust_check *check, const tal_run_record *motion,
                         const tal_sources *sources) {
    char low[TAL_NUMBER_SIZE];
    double steepest = NAN;
    for (int i = 0; i < sources->count; i++) {
        steepest = fmax(steepest, sources->source[i].base_tangent);
    }
    const double friction = motion->ground_friction[1];
    if (!isfinite(steepest) || !isfinite(friction)) {
        return;
    }
    const bool is_one = motion->ground_friction[0] == friction;
    (void)snprintf(low, sizeof low, "%g to ", motion->ground_friction[0]); // settings, as given
    append(check,
           " The friction on the ground is %s%g, an angle of %.0f\xc2\xb0; the base of the "
           "%ssource slopes at %.0f\xc2\xb0 overall.",
           is_one ? "" : low, friction, degrees(friction), sources->count > 1 ? "steepest " : "",
           degrees(steepest));
}

// What talus-solve has tried.
static void append_onset(tal_trust_check *check, const tal_run_record *motion) {
    const bool is_share = motion->onset_is_share;
    if (isfinite(motion->onset_moves_at)) {
        append(check,
               " A friction of %g%s would let it go, %g would not: both were tried, and with the "
               "first more than half of the blocks move farther than their own size.",
               motion->onset_moves_at, is_share ? " times what is given" : "",
               motion->onset_holds_at);
    } else if (isfinite(motion->onset_holds_at)) {
        append(check,
               " A friction of %g%s was tried and holds it, too: the ground itself does, or blocks "
               "that interlock with each other, or cohesion, or until_s in [solve] ends too early.",
               motion->onset_holds_at, is_share ? " times what is given" : "");
    }
}

static void judge_travel(tal_trust_check *check, const tal_run_record *motion,
                         const tal_travel *travel, const tal_sources *sources) {
    char median[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
    const bool stayed = tal_travel_is_open(travel) || tal_travel_is_partial(travel);
    const bool none = tal_travel_is_none(travel);
    (void)tal_number_format_digits(median,
                                   stayed ? tal_travel_bound(travel->median) : travel->median, 2);
    (void)tal_number_format_digits(high, none ? tal_travel_bound(travel->high) : travel->high, 2);
    *check = (tal_trust_check){.key = "travel",
                               .label = "Motion of the rock",
                               .value = 100.0 * travel->moved_share,
                               .unit = "%",
                               .good_limit = NAN,
                               .bad_limit = NAN};
    if (tal_travel_is_open(travel)) {
        check->level = TAL_TRUST_BAD;
        (void)snprintf(check->text, sizeof check->text,
                       "The run ended too early to say whether the rock moves: half of the blocks "
                       "moved less than %s m. Give it more time: until_s in [solve].",
                       median);
        return;
    }
    check->level = tal_travel_is_none(travel)      ? TAL_TRUST_BAD
                   : tal_travel_is_partial(travel) ? TAL_TRUST_DOUBTFUL
                                                   : TAL_TRUST_GOOD;
    const char *format =
        check->level == TAL_TRUST_BAD
            ? "The rock did not move: half of the blocks moved less than %s m, all but a twentieth "
              "less than %s m, and %.0f %% farther than their own size."
        : check->level == TAL_TRUST_DOUBTFUL
            ? "Most of the rock stayed: half of the blocks moved less than %s m, a twentieth "
              "farther than %s m, and %.0f %% farther than their own size."
            : "Half of the blocks moved farther than %s m, a twentieth farther than %s m, and %.0f "
              "%% farther than their own size.";
    (void)snprintf(check->text, sizeof check->text, format, median, high,
                   100.0 * travel->moved_share);
    if (check->level != TAL_TRUST_GOOD) {
        append_slope(check, motion, sources);
        append_onset(check, motion);
    }
}

// What is said until runs of it are there.
static void judge_sensitivity(tal_trust_check *check) {
    *check = (tal_trust_check){.key = "sensitivity",
                               .label = "Blocks and time step",
                               .value = NAN,
                               .unit = "1",
                               .good_limit = NAN,
                               .bad_limit = NAN};
    (void)snprintf(check->text, sizeof check->text,
                   "How much the result depends on the number of blocks, the time step and the "
                   "seed was not examined: set sensitivity = yes in [report].");
}

void tal_trust_add_variant(tal_trust_check *check, const char *label, const char *unit, double low,
                           double high, bool is_wide, bool has_survey) {
    char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
    const bool is_first = !isfinite(check->value);
    const size_t used = is_first ? 0 : strlen(check->text);
    const char *verdict = !is_wide ? ""
                          : has_survey
                              ? ": it depends on the discretisation more than on the survey"
                              : ": it depends on the discretisation by more than a tenth";
    check->value = is_first || is_wide ? (double)is_wide : check->value;
    check->level = is_wide ? TAL_TRUST_DOUBTFUL : check->level;
    (void)snprintf(check->text + used, sizeof check->text - used,
                   "%s%s is %s to %s%s%s over other block counts, time steps and seeds%s.",
                   is_first ? "" : " ", label, tal_number_format_within(one, low, low, high),
                   tal_number_format_within(two, high, low, high), unit[0] != '\0' ? " " : "", unit,
                   verdict);
}

void tal_trust_judge(tal_trust *trust, const tal_blocks *blocks, const tal_run_record *motion,
                     const tal_travel *travel, const tal_sources *sources) {
    judge_travel(&trust->check[0], motion, travel, sources);
    judge_end(&trust->check[1], motion);
    judge_losses(&trust->check[2], blocks, motion);
    judge_convergence(&trust->check[3], motion);
    judge_penetration(&trust->check[4], blocks, motion);
    judge_energy(&trust->check[5], motion);
    judge_contacts(&trust->check[6], motion);
    judge_sensitivity(&trust->check[7]);
    trust->level = TAL_TRUST_GOOD;
    for (int i = 0; i < TAL_TRUST_CHECKS; i++) {
        trust->level = trust->check[i].level > trust->level ? trust->check[i].level : trust->level;
    }
}
