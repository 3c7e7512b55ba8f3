// SPDX-License-Identifier: GPL-3.0-or-later
// Which rocks come to targets and barriers.
#include "postproc/release/targets.h"

#include "core/base/memory.h"
#include "core/base/quantile.h"
#include "core/geo/release_places.h"

#include <math.h>
#include <stdio.h>

// Longer pieces of a way would cut the bends of its flight off.
static const double PIECE_M = 0.5;

const tal_at_notes tal_at_quantity_notes[TAL_AT_QUANTITIES] = {
    [TAL_AT_ENERGY] = {"energy", "Kinetic energy", "kJ", "energy_kj"},
    [TAL_AT_VELOCITY] = {"velocity", "Velocity", "m/s", "velocity_mps"},
    [TAL_AT_JUMP] = {"jump_height", "Jump height (lowest point)", "m", "jump_height_m"},
    [TAL_AT_HEIGHT] = {"centre_height", "Height of the centre", "m", "centre_height_m"},
    [TAL_AT_SPIN] = {"rotation", "Rotation", "rad/s", "rotation_radps"},
};

double tal_crossing_value(const tal_crossing *c, tal_at_quantity quantity) {
    const double values[TAL_AT_QUANTITIES] = {[TAL_AT_ENERGY] = c->at.energy / 1000.0,
                                              [TAL_AT_VELOCITY] = c->at.speed,
                                              [TAL_AT_JUMP] = fmax(0.0, c->at.jump),
                                              [TAL_AT_HEIGHT] = fmax(0.0, c->at.height),
                                              [TAL_AT_SPIN] = c->at.spin};
    return values[quantity];
}

tal_status tal_target_percentile(const tal_target *target, tal_at_quantity quantity, double percent,
                                 double *value, tal_error *err) {
    double *values;
    TAL_CREATE(values, (size_t)target->count + 1, "a table", err);
    for (int64_t k = 0; k < target->count; k++) {
        values[k] = tal_crossing_value(&target->crossing[k], quantity);
    }
    *value = target->count > 0 ? tal_quantile(values, (size_t)target->count, percent / 100.0) : NAN;
    tal_memory_destroy(values);
    return TAL_OK;
}

// --- crossings ---

typedef struct {
    tal_targets *targets;
    const tal_rocks *rocks;
    bool has_met[TAL_REPEAT_MAX]; // the rock at hand
    tal_crossing found[TAL_REPEAT_MAX];
} finder;

static void look_at_piece(void *context, const tal_way_point *a, const tal_way_point *b) {
    finder *f = context;
    const double from[2] = {a->x, a->y}, to[2] = {b->x, b->y};
    for (int k = 0; k < f->targets->target_count; k++) {
        if (f->has_met[k]) {
            continue;
        }
        const tal_features *place = &f->targets->target[k].place;
        const double t = tal_features_hold(place, from[0], from[1])
                             ? 0.0
                             : tal_features_first_crossing(place, from, to);
        if (t <= 1.0) {
            f->has_met[k] = true;
            f->found[k].at = tal_way_mix(a, b, t);
        }
    }
}

static tal_status add_crossing(tal_target *t, const tal_crossing *crossing, tal_error *err) {
    if (t->count == t->room) {
        const int64_t room = 2 * t->room + 256;
        TAL_GROW(t->crossing, (size_t)t->room, (size_t)room, "crossings", err);
        t->room = room;
    }
    t->crossing[t->count++] = *crossing;
    return TAL_OK;
}

static tal_status look_at_rock(void *context, int64_t rock, const tal_rocks_moment *moment,
                               int32_t count, tal_error *err) {
    finder *f = context;
    for (int k = 0; k < f->targets->target_count; k++) {
        f->has_met[k] = false;
        f->found[k] = (tal_crossing){.rock = rock, .mass = f->rocks->mass[rock]};
    }
    tal_way_walk(moment, count, f->rocks->mass[rock], PIECE_M, look_at_piece, f);
    for (int k = 0; k < f->targets->target_count; k++) {
        if (f->has_met[k]) {
            TAL_TRY(add_crossing(&f->targets->target[k], &f->found[k], err));
        }
    }
    return TAL_OK;
}

// --- barriers ---

static tal_status count_meetings(tal_barrier_record *b, int number, const tal_rocks *rocks,
                                 tal_error *err) {
    int64_t count = 0;
    for (int64_t k = 0; k < rocks->meeting_count; k++) {
        count += rocks->meeting[k].kind == 1 && rocks->meeting[k].number == number;
    }
    TAL_CREATE(b->energy_kj, (size_t)count + 1, "barriers", err);
    TAL_CREATE(b->height, (size_t)count + 1, "barriers", err);
    for (int64_t k = 0; k < rocks->meeting_count; k++) {
        const tal_rocks_meeting *m = &rocks->meeting[k];
        if (m->kind == 1 && m->number == number) {
            b->held += m->outcome == 0;
            b->broken += m->outcome == 1;
            b->over += m->outcome == 2;
            b->energy_kj[b->count] = m->energy / 1000.0;
            b->height[b->count++] = m->height;
        }
    }
    return TAL_OK;
}

static tal_status read_places(tal_targets *t, const tal_settings *settings,
                              const tal_features_frame *frame, tal_error *err) {
    for (int k = 0; k < settings->target_count; k++) {
        const tal_target_settings *s = &settings->target[k];
        tal_text_copy(t->target[k].name, sizeof t->target[k].name, s->label);
        t->target_count++;
        TAL_TRY(tal_release_read_target(&t->target[k].place, settings, k, frame, err));
    }
    for (int k = 0; k < settings->barrier_count; k++) {
        const tal_barrier_settings *s = &settings->barrier[k];
        tal_barrier_record *b = &t->barrier[k];
        tal_text_copy(b->name, sizeof b->name, s->label);
        b->height_m = s->height_m;
        b->capacity_kj = s->capacity_kj;
        t->barrier_count++;
        TAL_TRY(tal_release_read_barrier(&b->place, settings, k, frame, err));
    }
    return TAL_OK;
}

static tal_status fill(tal_targets *t, tal_rocks *rocks, const tal_settings *settings,
                       const tal_features_frame *frame, tal_error *err) {
    finder f = {.targets = t, .rocks = rocks};
    TAL_TRY(read_places(t, settings, frame, err));
    for (int k = 0; k < t->barrier_count; k++) {
        TAL_TRY(count_meetings(&t->barrier[k], k, rocks, err));
    }
    return t->target_count > 0 ? tal_rocks_walk(rocks, look_at_rock, &f, err) : TAL_OK;
}

tal_status tal_targets_create(tal_targets *t, tal_rocks *rocks, const tal_settings *settings,
                              const tal_features_frame *frame, tal_error *err) {
    *t = (tal_targets){0};
    const tal_status status = fill(t, rocks, settings, frame, err);
    if (status != TAL_OK) {
        tal_targets_destroy(t);
    }
    return status;
}

void tal_targets_destroy(tal_targets *t) {
    for (int k = 0; k < t->target_count; k++) {
        tal_features_destroy(&t->target[k].place);
        tal_memory_destroy(t->target[k].crossing);
    }
    for (int k = 0; k < t->barrier_count; k++) {
        tal_features_destroy(&t->barrier[k].place);
        tal_memory_destroy(t->barrier[k].energy_kj);
        tal_memory_destroy(t->barrier[k].height);
    }
    *t = (tal_targets){0};
}
