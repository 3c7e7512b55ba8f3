// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run may be believed.
#include "postproc/measure/trust.h"

#include <math.h>
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
        check->level = TAL_TRUST_DOUBTFUL;
        (void)snprintf(
            check->text, sizeof check->text,
            "All %d steps reached the tolerance, but %.0f of them (%.3g %%) by the "
            "finisher only: look for blocks much heavier than their neighbours, or lower "
            "dt_s in [solve].",
            (int)motion->step_count, motion->finished_steps, finished);
    } else if (check->level == TAL_TRUST_GOOD) {
        (void)snprintf(check->text, sizeof check->text,
                       "The percussions of all %d steps were solved to the tolerance.",
                       (int)motion->step_count);
    } else {
        (void)snprintf(check->text, sizeof check->text,
                       "%.0f of %d steps (%.3g %%) did not reach the tolerance: raise "
                       "iterations_max or lower dt_s in [solve].",
                       motion->unconverged_steps, (int)motion->step_count, share);
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
    (void)snprintf(
        check->text, sizeof check->text,
        "The deepest penetration was %.3g m, %.2g %% of the size of the smallest block%s", deepest,
        share, check->level == TAL_TRUST_GOOD ? "." : ": lower dt_s in [solve].");
}

static void judge_energy(tal_trust_check *check, const tal_run_record *motion) {
    const double drift = 100.0 * fabs(motion->energy_drift);
    *check = check_share("energy_drift", "Energy drift", drift, 0.1, 1.0);
    (void)snprintf(check->text, sizeof check->text,
                   "The energy balance closes to %.2g %% of the energy released%s", drift,
                   check->level == TAL_TRUST_GOOD
                       ? "."
                       : ": energy was made or lost by the computation; lower dt_s in [solve].");
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
    *check = check_share("clausius_duhem", "Energy made by a contact", share, 0.01, 1.0);
    (void)snprintf(check->text, sizeof check->text,
                   "The most energy one contact made in a step, where it may make none "
                   "(Clausius-Duhem), was %.3g J, %.2g %% of what all contacts dissipated%s",
                   worst, share,
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
        (void)snprintf(check->text, sizeof check->text,
                       "%.0f of %d blocks (%.3g %% of the volume) left the ground that is known: "
                       "enlarge the study area.",
                       motion->blocks_lost, (int)blocks->count, share);
    } else {
        (void)snprintf(check->text, sizeof check->text, "No block left the ground that is known.");
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
    if (strcmp(motion->ended_because, "still") == 0) {
        check->level = TAL_TRUST_GOOD;
        (void)snprintf(check->text, sizeof check->text,
                       "Every block had come to rest after %.4g s.", end);
    } else if (strcmp(motion->ended_because, "until") == 0) {
        check->level = TAL_TRUST_DOUBTFUL;
        (void)snprintf(
            check->text, sizeof check->text,
            "Blocks were still moving when the simulation ended at %.4g s: raise until_s "
            "in [solve] if their way to rest matters.",
            end);
    } else {
        check->level = TAL_TRUST_BAD;
        (void)snprintf(check->text, sizeof check->text,
                       "This run is partial: it was stopped at %.4g s. make run, or talus-solve "
                       "--resume, goes on.",
                       end);
    }
}

void tal_trust_judge(tal_trust *trust, const tal_blocks *blocks, const tal_run_record *motion) {
    judge_convergence(&trust->check[0], motion);
    judge_penetration(&trust->check[1], blocks, motion);
    judge_energy(&trust->check[2], motion);
    judge_contacts(&trust->check[3], motion);
    judge_losses(&trust->check[4], blocks, motion);
    judge_end(&trust->check[5], motion);
    trust->level = TAL_TRUST_GOOD;
    for (int i = 0; i < TAL_TRUST_CHECKS; i++) {
        trust->level = trust->check[i].level > trust->level ? trust->check[i].level : trust->level;
    }
}
