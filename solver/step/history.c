// SPDX-License-Identifier: GPL-3.0-or-later
// Time histories: the few numbers somebody asked for, one row per recorded step.
#include "core/base/memory.h"
#include "solver/step/state.h"

#include <string.h>

struct tal_history {
    int32_t channel_count;
    tal_channel *channel;
    int32_t *element; // per channel: whose stress it records
    int64_t row_count, row_capacity;
    double *value; // 1 + channel_count per row: the time, then the channels
};

static bool is_stress(const tal_channel *c) {
    return c->kind == TAL_CHANNEL_TENSION || c->kind == TAL_CHANNEL_VON_MISES;
}

static bool is_known(const tal_model *model, const tal_channel *c) {
    const bool is_reaction = c->kind == TAL_CHANNEL_REACTION;
    const int32_t count = is_reaction ? model->constraint_count : model->body_count;
    return c->kind >= 0 && c->kind < TAL_CHANNEL_KINDS && c->number >= 0 && c->number < count;
}

static tal_status check_channel(const tal_model *model, const tal_channel *c, int32_t n,
                                tal_error *err) {
    if (!is_known(model, c) || c->axis < 0 || c->axis > 2) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "channel %d of a history: kind %d, number %d, axis %d does not exist; "
                        "there are %d blocks, %d constraints and the axes 0 to 2",
                        n, (int)c->kind, c->number, c->axis, model->body_count,
                        model->constraint_count);
    }
    if (is_stress(c) && !tal_is_soft(model, c->number)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "channel %d of a history: body %d is rigid and has no stresses", n,
                        c->number);
    }
    return TAL_OK;
}

tal_status tal_history_create(tal_history **history, const tal_model *model,
                              const tal_channel *channel, int32_t channel_count, tal_error *err) {
    *history = NULL;
    for (int32_t n = 0; n < channel_count; n++) {
        TAL_TRY(check_channel(model, &channel[n], n, err));
    }
    tal_history *made;
    TAL_CREATE(made, 1, "a history", err);
    made->channel = tal_memory_create((size_t)channel_count, sizeof *channel);
    made->element = tal_memory_create((size_t)channel_count, sizeof *made->element);
    if (made->channel == NULL || made->element == NULL) {
        tal_history_destroy(made);
        return tal_memory_failed(err, "a history", (size_t)channel_count, sizeof *channel);
    }
    if (channel_count > 0) {
        memcpy(made->channel, channel, (size_t)channel_count * sizeof *channel);
    }
    for (int32_t n = 0; n < channel_count; n++) {
        made->element[n] = is_stress(&channel[n])
                               ? tal_model_element_at(model, channel[n].number, channel[n].point_m)
                               : -1;
    }
    made->channel_count = channel_count;
    *history = made;
    return TAL_OK;
}

void tal_history_destroy(tal_history *history) {
    if (history != NULL) {
        tal_memory_destroy(history->channel);
        tal_memory_destroy(history->element);
        tal_memory_destroy(history->value);
        tal_memory_destroy(history);
    }
}

static double component(tal_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static tal_vec3 start_of(const tal_model *model, const tal_channel *c) {
    const tal_vec3 arm = tal_quat_rotate(model->start_orientation[c->number], c->point_m);
    return tal_vec3_add(model->start_position[c->number], arm);
}

static double value_of(const tal_model *model, const tal_state *state, const tal_channel *c,
                       int32_t element) {
    const int32_t n = c->number;
    switch (c->kind) {
    case TAL_CHANNEL_DISPLACEMENT:
        return component(
            tal_vec3_subtract(tal_state_point_m(state, n, c->point_m), start_of(model, c)),
            c->axis);
    case TAL_CHANNEL_VELOCITY:
        return component(tal_state_point_velocity_mps(state, n, c->point_m), c->axis);
    case TAL_CHANNEL_KINETIC: {
        const tal_body_energy e = tal_state_body_energy(model, state, n);
        return e.kinetic_translation_j + e.kinetic_rotation_j;
    }
    case TAL_CHANNEL_POTENTIAL:
        return tal_state_body_energy(model, state, n).potential_j;
    case TAL_CHANNEL_TENSION:
        return tal_state_element_stress(model, state, n, element).tension_pa;
    case TAL_CHANNEL_VON_MISES:
        return tal_state_element_stress(model, state, n, element).von_mises_pa;
    default:
        return component(tal_state_reaction_n(state, n), c->axis);
    }
}

static tal_status grow(tal_history *history, tal_error *err) {
    const int64_t capacity = history->row_capacity + history->row_capacity / 2 + 256;
    const size_t width = (size_t)history->channel_count + 1;
    double *value = tal_memory_create((size_t)capacity * width, sizeof *value);
    if (value == NULL) {
        return tal_memory_failed(err, "a history", (size_t)capacity * width, sizeof *value);
    }
    if (history->row_count > 0) {
        memcpy(value, history->value, (size_t)history->row_count * width * sizeof *value);
    }
    tal_memory_destroy(history->value);
    history->value = value;
    history->row_capacity = capacity;
    return TAL_OK;
}

tal_status tal_history_record(tal_history *history, const tal_model *model, const tal_state *state,
                              tal_error *err) {
    if (history->row_count == history->row_capacity) {
        TAL_TRY(grow(history, err));
    }
    double *row = &history->value[history->row_count * (history->channel_count + 1)];
    row[0] = state->time;
    for (int32_t n = 0; n < history->channel_count; n++) {
        row[n + 1] = value_of(model, state, &history->channel[n], history->element[n]);
    }
    history->row_count++;
    return TAL_OK;
}

const double *tal_history_rows(const tal_history *history, int64_t *row_count) {
    *row_count = history->row_count;
    return history->value;
}
