// SPDX-License-Identifier: GPL-3.0-or-later
// The friction that lets rock go.
#include "solver/program/onset.h"

#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/math3.h"
#include "core/base/memory.h"
#include "solver/program/watch.h"

#include <math.h>
#include <string.h>

// Halved until it moves, then the gap is halved once on a logarithmic scale: the friction that lets it go
// and the one that holds it are a factor of 1.4 apart. Six halvings of 0.55 are an angle of half a degree.
enum { HALVINGS = 6, REFINEMENTS = 1, LOOK_EVERY = 10 };

const tal_onset tal_onset_unknown = {.moves_at = NAN, .holds_at = NAN};

typedef struct {
    tal_model *model;
    const tal_solve_scene *scene;
    const tal_solve_settings *solve;
    int thread_count;
    uint8_t *lost;
    bool is_share; // what is tried is a share of the frictions given, which differ
    double given;  // the friction of the scene, or 1
} trial;

// Two digits, as a user would write it: what is told is what was tried.
static double round_to_two_digits(double value) {
    const double step = pow(10.0, floor(log10(value)) - 1.0);
    return round(value / step) * step;
}

static bool has_friction(const tal_law *law) {
    return law->kind != TAL_LAW_NONE && law->friction > 0.0;
}

static tal_status set_frictions(const trial *t, double friction, tal_error *err) {
    const int32_t count = t->scene->input.class_count;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = i; j < count; j++) {
            tal_law law = t->scene->input.law[i * count + j];
            if (has_friction(&law)) {
                law.friction = t->is_share ? law.friction * friction : friction;
                TAL_TRY(tal_model_set_law(t->model, i, j, &law, err));
            }
        }
    }
    return TAL_OK;
}

// Share of the blocks that came farther than `part` of their size.
static double share_beyond(const trial *t, const tal_state *state, double part) {
    const tal_vec3 *position = tal_state_positions(state);
    const int32_t count = t->scene->input.body_count;
    int32_t moved = 0;
    for (int32_t b = 0; b < count && t->scene->volume_m3 != NULL; b++) {
        const double way =
            tal_vec3_length(tal_vec3_subtract(position[b], t->scene->input.position_m[b]));
        moved += way > part * cbrt(t->scene->volume_m3[b]);
    }
    return (double)moved / (double)count;
}

// What starts to slide goes faster and faster: rock of which most has not come a hundredth of its size
// in a third of the time will not come its size in all of it.
static bool is_decided(const trial *t, const tal_state *state, int64_t step, int64_t last,
                       bool *moved) {
    *moved = share_beyond(t, state, 1.0) >= 0.5;
    return *moved || (3 * step >= last && share_beyond(t, state, 0.01) < 0.5);
}

static tal_status watch_it(const trial *t, tal_state *state, bool *moved, tal_error *err) {
    const int64_t last = tal_watch_steps(t->solve->until_s, t->solve->dt_s);
    double moved_s = 0.0;
    tal_report report;
    for (int64_t step = 1; step <= last && !tal_interrupt_pending(); step++) {
        TAL_TRY(tal_step(t->model, state, &report, err));
        tal_watch_take_out_lost(t->scene, tal_model_ground(t->model), state, t->lost);
        const double time_s = tal_state_time(state);
        if (tal_watch_is_moving(t->scene, state, t->lost, t->solve->still_mps)) {
            moved_s = time_s;
        } else if (time_s - moved_s >= t->solve->still_s) {
            break;
        }
        if ((step % LOOK_EVERY == 0 || step == last) && is_decided(t, state, step, last, moved)) {
            break;
        }
    }
    return TAL_OK;
}

static tal_status try_friction(const trial *t, double friction, bool *moved, tal_error *err) {
    tal_state *state = NULL;
    *moved = false;
    memset(t->lost, 0, (size_t)t->scene->input.body_count);
    TAL_TRY(set_frictions(t, friction, err));
    TAL_TRY(tal_state_create(&state, t->model, t->thread_count, err));
    const tal_status status = watch_it(t, state, moved, err);
    tal_state_destroy(state);
    return status;
}

static tal_status search(const trial *t, tal_onset *onset, tal_error *err) {
    onset->holds_at = t->given;
    for (int halvings = 0, refinements = 0; halvings < HALVINGS && refinements < REFINEMENTS;) {
        const bool is_found = !isnan(onset->moves_at);
        const double friction = round_to_two_digits(
            is_found ? sqrt(onset->moves_at * onset->holds_at) : 0.5 * onset->holds_at);
        bool moved;
        const tal_status status = try_friction(t, friction, &moved, err);
        if (status == TAL_BAD_SETTING) { // a law that weakens to more than this: there is no less
            tal_error_reset(err);
            return TAL_OK;
        }
        TAL_TRY(status);
        if (tal_interrupt_pending()) {
            return TAL_OK;
        }
        *(moved ? &onset->moves_at : &onset->holds_at) = friction;
        halvings += !is_found;
        refinements += is_found;
    }
    return TAL_OK;
}

// NaN where nothing has friction.
static void find_given(trial *t) {
    const int32_t count = t->scene->input.class_count * t->scene->input.class_count;
    t->given = NAN;
    for (int32_t i = 0; i < count; i++) {
        const tal_law *law = &t->scene->input.law[i];
        if (has_friction(law)) {
            t->is_share = t->is_share || (!isnan(t->given) && law->friction != t->given);
            t->given = law->friction;
        }
    }
    t->given = t->is_share ? 1.0 : t->given;
}

tal_status tal_onset_find(tal_onset *onset, tal_model *model, const tal_solve_scene *scene,
                          const tal_solve_settings *solve, int thread_count, tal_error *err) {
    trial t = {.model = model, .scene = scene, .solve = solve, .thread_count = thread_count};
    *onset = tal_onset_unknown;
    find_given(&t);
    if (isnan(t.given)) {
        return TAL_OK;
    }
    tal_log_info("the rock did not move: trying which friction lets it go");
    onset->is_share = t.is_share;
    TAL_CREATE(t.lost, (size_t)scene->input.body_count + 1, "the blocks", err);
    const tal_status status = search(&t, onset, err);
    tal_memory_destroy(t.lost);
    return status;
}
