// SPDX-License-Identifier: GPL-3.0-or-later
// Into how many pieces a step is cut where bodies deform: their factors are made for a few lengths only.
#include "solver/deformable/pieces.h"

#include "solver/percussion/contact.h"
#include "solver/step/state.h"

#include <math.h>

static const double BLOW = 4.0; // falls of a step

double tal_blow_speed(const tal_solver_settings *settings) {
    return BLOW * settings->dt_s * tal_vec3_length(settings->gravity_mps2);
}

int tal_soft_list_pieces(const tal_solver_settings *settings, int pieces[TAL_SOLID_LEVELS_MAX]) {
    const int for_blows =
        settings->blow_dt_s > 0.0 ? (int)ceil(settings->dt_s / settings->blow_dt_s - 1e-9) : 1;
    int count = 0;
    for (int n = 1; n <= 4; n *= 2) { // for speed
        pieces[count++] = n;
        if (n >= settings->substep_max) {
            break;
        }
    }
    if (for_blows > pieces[count - 1]) {
        pieces[count++] = for_blows;
    }
    return count;
}

// Is a body that deforms struck within the time h?
static tal_status find_blow(const tal_model *model, tal_state *state, double h, bool *found,
                            tal_error *err) {
    const double fall = h * tal_vec3_length(model->settings.gravity_mps2);
    TAL_TRY(tal_find_contacts(model, state, h, err));
    const tal_manifolds *all = &state->work.found;
    for (int32_t m = 0; m < all->manifold_count; m++) {
        const tal_manifold *pair = &all->manifold[m];
        if (!tal_is_soft(model, pair->body_i) && !tal_is_soft(model, pair->body_j)) {
            continue;
        }
        for (int32_t p = pair->first_point; p < pair->first_point + pair->point_count; p++) {
            const double speed = fall + tal_found_closing(state, pair, p);
            *found = *found ||
                     (speed > tal_blow_speed(&model->settings) && all->point[p].gap < h * speed);
        }
    }
    return TAL_OK;
}

static void use_level(tal_state *state, int32_t soft_count, int level) {
    for (int32_t n = 0; n < soft_count; n++) {
        state->soft[n].level = &state->soft[n].solid->level[level];
    }
}

tal_status tal_soft_choose_pieces(const tal_model *model, tal_state *state, int *pieces,
                                  tal_error *err) {
    const double h = model->settings.dt_s;
    int made[TAL_SOLID_LEVELS_MAX], level = 0;
    if (model->soft_count == 0) {
        return TAL_OK;
    }
    const int count = tal_soft_list_pieces(&model->settings, made);
    if (model->settings.blow_dt_s > 0.0) {
        bool is_struck = false;
        // A step answers what happens until the middle of the next one (scheme acd2: until its end).
        TAL_TRY(find_blow(model, state, 2.0 * h, &is_struck, err));
        // What is struck at the end of that still moves in the step that follows.
        const bool is_shaken = *state->blow_until > state->time;
        *state->blow_until = is_struck ? state->time + 2.5 * h : *state->blow_until;
        level = is_struck || is_shaken ? count - 1 : 0;
    }
    while (level < count && made[level] < *pieces) {
        level++;
    }
    if (level == count) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "a body moves by more than its inner radius, or turns by more than half a "
                        "radian, within dt = %g s: steps of bodies that deform are cut into at "
                        "most %d pieces; take dt = %g s or less",
                        h, made[count - 1], h * made[count - 1] / *pieces);
    }
    *pieces = made[level];
    use_level(state, model->soft_count, level);
    return TAL_OK;
}
