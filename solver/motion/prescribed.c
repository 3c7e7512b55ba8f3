// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that follow a time series, and point forces.
#include "solver/motion/prescribed.h"

#include "core/base/memory.h"
#include "solver/constraint/time_series.h"
#include "solver/step/hash.h"

#include <math.h>
#include <string.h>

static tal_status copy_series(tal_model *model, const tal_model_input *input, tal_error *err) {
    size_t entry_count = 0;
    for (int32_t n = 0; n < input->prescribed_count; n++) {
        entry_count += (size_t)input->prescribed[n].count;
    }
    TAL_CREATE(model->series, (size_t)input->prescribed_count, "prescribed motions", err);
    TAL_CREATE(model->series_entry, entry_count, "prescribed motions", err);
    model->series_count = input->prescribed_count;
    size_t next = 0;
    for (int32_t n = 0; n < input->prescribed_count; n++) {
        const tal_motion_series *series = &input->prescribed[n];
        model->series[n] = (tal_series){series->body, series->count, next};
        for (int32_t k = 0; k < series->count; k++) {
            tal_series_entry *entry = &model->series_entry[next++];
            entry->time = series->time_s[k];
            entry->v = series->velocity_mps != NULL ? series->velocity_mps[k] : (tal_vec3){0};
            entry->w = series->spin_radps != NULL ? series->spin_radps[k] : (tal_vec3){0};
        }
    }
    model->series_entry_count = next;
    return TAL_OK;
}

// Gravity that changes loads all bodies.
static tal_status copy_gravity(tal_model *model, const tal_model_input *input, tal_error *err) {
    TAL_CREATE(model->gravity_entry, (size_t)input->gravity_count, "gravity", err);
    model->gravity_count = input->gravity_count;
    for (int32_t k = 0; k < input->gravity_count; k++) {
        model->gravity_entry[k] = (tal_series_entry){
            .time = input->gravity_time_s[k],
            .v = tal_vec3_subtract(input->gravity_mps2[k], input->settings.gravity_mps2)};
    }
    if (input->gravity_count > 0) {
        memset(model->is_loaded, 1, (size_t)model->body_count);
    }
    return TAL_OK;
}

tal_status tal_prescribed_create(tal_model *model, const tal_model_input *input, tal_error *err) {
    const size_t body_count = (size_t)model->body_count;
    TAL_CREATE(model->is_immovable, body_count, "immovable marks", err);
    TAL_CREATE(model->is_loaded, body_count, "load marks", err);
    memcpy(model->is_immovable, model->is_fixed, body_count);
    TAL_TRY(copy_series(model, input, err));
    TAL_CREATE(model->force, (size_t)input->force_count, "point forces", err);
    for (int32_t n = 0; n < input->force_count; n++) {
        model->force[n] = input->force[n];
        model->is_loaded[input->force[n].body] = 1;
    }
    model->force_count = input->force_count;
    TAL_TRY(copy_gravity(model, input, err));
    for (int32_t n = 0; n < model->series_count; n++) {
        const int32_t b = model->series[n].body;
        model->is_immovable[b] = model->is_loaded[b] = 1;
    }
    return TAL_OK;
}

void tal_prescribed_destroy(tal_model *model) {
    tal_memory_destroy(model->is_immovable);
    tal_memory_destroy(model->is_loaded);
    tal_memory_destroy(model->series);
    tal_memory_destroy(model->series_entry);
    tal_memory_destroy(model->force);
    tal_memory_destroy(model->gravity_entry);
}

// Field by field: the padding of a struct is not data.
uint64_t tal_prescribed_hash(uint64_t hash, const tal_model *model) {
    for (int32_t n = 0; n < model->series_count; n++) {
        const int32_t number[] = {model->series[n].body, model->series[n].count};
        hash = tal_hash_bytes(hash, number, sizeof number);
    }
    hash = tal_hash_bytes(hash, model->series_entry,
                          model->series_entry_count * sizeof *model->series_entry);
    for (int32_t n = 0; n < model->force_count; n++) {
        const tal_point_force *f = &model->force[n];
        const tal_vec3 vector[] = {f->force_n, f->torque_nm, f->point_m};
        const double number[] = {(double)f->body, f->start_s, f->end_s};
        hash = tal_hash_bytes(hash, vector, sizeof vector);
        hash = tal_hash_bytes(hash, number, sizeof number);
    }
    return tal_hash_bytes(hash, model->gravity_entry,
                          (size_t)model->gravity_count * sizeof *model->gravity_entry);
}

static tal_vec3 between(tal_vec3 a, tal_vec3 b, double share) {
    return tal_vec3_add_scaled(a, share, tal_vec3_subtract(b, a));
}

// The last entry that is not later than `time` and the next one, linearly; the first or last entry
// outside.
static tal_rigid_motion entry_at(const tal_series_entry *entry, int32_t count, double time) {
    const int32_t low = tal_times_until(&entry->time, sizeof *entry, count, time);
    if (low == 0 || low == count) {
        const tal_series_entry *end = &entry[low == 0 ? 0 : count - 1];
        return (tal_rigid_motion){.v = end->v, .w = end->w};
    }
    const tal_series_entry *a = &entry[low - 1], *b = &entry[low];
    TAL_ASSERT(a->time <= time && time <= b->time && a->time < b->time);
    const double share = (time - a->time) / (b->time - a->time);
    return (tal_rigid_motion){.v = between(a->v, b->v, share), .w = between(a->w, b->w, share)};
}

static tal_rigid_motion motion_at(const tal_model *model, const tal_series *series, double time) {
    return entry_at(&model->series_entry[series->first], series->count, time);
}

// What gravity adds in the piece beyond its constant part: by the trapezoidal rule, exact where the kinks
// of the series fall on steps.
static tal_vec3 gravity_kick(const tal_model *model, const tal_state *state) {
    const double start = state->work.piece_start, end = state->work.piece_end;
    const tal_vec3 a = entry_at(model->gravity_entry, model->gravity_count, start).v,
                   b = entry_at(model->gravity_entry, model->gravity_count, end).v;
    return tal_vec3_scale(tal_vec3_add(a, b), 0.5 * (end - start));
}

static bool feels_gravity(const tal_model *model, const tal_state *state, int32_t body) {
    return model->gravity_count > 0 && !state->is_immovable[body];
}

void tal_prescribed_follow(const tal_model *model, tal_state *state) {
    for (int32_t n = 0; n < model->series_count; n++) {
        const int32_t b = model->series[n].body;
        if (state->is_gone[b] == 0) {
            const tal_rigid_motion motion = motion_at(model, &model->series[n], state->time);
            state->velocity[b] = motion.v;
            state->spin[b] = motion.w;
        }
    }
}

tal_quat tal_prescribed_turn(tal_quat orientation, tal_vec3 spin, double h) {
    const double speed = tal_vec3_length(spin), half = 0.5 * h * speed;
    if (speed == 0.0) {
        return orientation;
    }
    const double s = sin(half) / speed;
    const tal_quat turn = {cos(half), s * spin.x, s * spin.y, s * spin.z};
    return tal_quat_normalize(tal_quat_multiply(turn, orientation));
}

// A force within the piece: its percussion, torque percussion about the centroid, and arm.
typedef struct {
    tal_vec3 percussion, twist;
} force_percussion;

static force_percussion percussion_of(const tal_state *state, const tal_point_force *force) {
    const double from = fmax(state->work.piece_start, force->start_s);
    const double duration = fmax(0.0, fmin(state->work.piece_end, force->end_s) - from);
    const tal_vec3 arm = tal_quat_rotate(state->orientation[force->body], force->point_m);
    const tal_vec3 p = tal_vec3_scale(force->force_n, duration);
    return (force_percussion){
        .percussion = p,
        .twist = tal_vec3_add_scaled(tal_vec3_cross(arm, p), duration, force->torque_nm)};
}

void tal_prescribed_load(const tal_model *model, tal_state *state) {
    for (int32_t n = 0; n < model->series_count; n++) {
        const int32_t b = model->series[n].body;
        if (state->is_gone[b] == 0) {
            const tal_rigid_motion next =
                motion_at(model, &model->series[n], state->work.piece_end);
            state->work.load[b].v = tal_vec3_subtract(next.v, state->work.motion_before[b].v);
            state->work.load[b].w = tal_vec3_subtract(next.w, state->work.motion_before[b].w);
        }
    }
    for (int32_t n = 0; n < model->force_count; n++) {
        state->work.load[model->force[n].body] = (tal_rigid_motion){0};
    }
    for (int32_t b = 0; model->gravity_count > 0 && b < model->body_count; b++) {
        if (feels_gravity(model, state, b)) {
            state->work.load[b] = (tal_rigid_motion){.v = gravity_kick(model, state)};
        }
    }
    for (int32_t n = 0; n < model->force_count; n++) {
        const int32_t b = model->force[n].body;
        const tal_inertia *inertia = &state->work.inertia_world[b];
        const force_percussion f = percussion_of(state, &model->force[n]);
        tal_rigid_motion *load = &state->work.load[b];
        load->v = tal_vec3_add_scaled(load->v, inertia->inverse_mass, f.percussion);
        load->w = tal_vec3_add(load->w, tal_apply_inertia(inertia, f.twist));
    }
}

double tal_prescribed_speed(const tal_model *model, const tal_state *state, int32_t body) {
    const double radius = model->shapes.bounding_radius[model->shape_of_body[body]];
    const tal_rigid_motion *load = &state->work.load[body];
    return tal_vec3_length(load->v) + tal_vec3_length(load->w) * radius;
}

double tal_prescribed_pull(const tal_state *state, const tal_pair *pair,
                           const tal_contact *contact) {
    double d[3];
    tal_relative_velocity(pair, contact, &state->work.load[pair->body_i],
                          &state->work.load[pair->body_j], d);
    return d[0];
}

static tal_rigid_motion mean_motion(const tal_state *state, int32_t body) {
    const tal_rigid_motion *before = &state->work.motion_before[body],
                           *after = &state->work.motion[body];
    return (tal_rigid_motion){.v = tal_vec3_scale(tal_vec3_add(before->v, after->v), 0.5),
                              .w = tal_vec3_scale(tal_vec3_add(before->w, after->w), 0.5)};
}

double tal_prescribed_force_work(const tal_model *model, const tal_state *state) {
    double work = 0.0;
    for (int32_t n = 0; n < model->force_count; n++) {
        const int32_t b = model->force[n].body;
        if (state->is_gone[b] == 0) {
            const force_percussion f = percussion_of(state, &model->force[n]);
            const tal_rigid_motion mean = mean_motion(state, b);
            work += tal_vec3_dot(f.percussion, mean.v) + tal_vec3_dot(f.twist, mean.w);
        }
    }
    for (int32_t b = 0; model->gravity_count > 0 && b < model->body_count; b++) {
        if (feels_gravity(model, state, b)) {
            work +=
                model->mass[b] * tal_vec3_dot(gravity_kick(model, state), mean_motion(state, b).v);
        }
    }
    return work;
}

static bool follows_series(const tal_model *model, int32_t body) {
    return body < model->body_count && model->is_immovable[body] && !model->is_fixed[body];
}

// R.x of a contact is the work on both bodies; what a body that follows a series has of it is not
// lost, it goes into what drives that body.
double tal_prescribed_contact_work(const tal_model *model, const tal_state *state,
                                   const tal_pair *pair, int32_t k) {
    const bool of_i = follows_series(model, pair->body_i);
    const bool of_j = follows_series(model, pair->body_j);
    if (!of_i && !of_j) {
        return 0.0;
    }
    const tal_contact *c = &state->work.contacts.contact[k];
    const tal_rigid_motion i = of_i ? mean_motion(state, pair->body_i) : (tal_rigid_motion){0};
    const tal_rigid_motion j = of_j ? mean_motion(state, pair->body_j) : (tal_rigid_motion){0};
    double d[3];
    tal_relative_velocity(pair, c, &i, &j, d);
    return -(c->percussion[0] * d[0] + c->percussion[1] * d[1] + c->percussion[2] * d[2]);
}

static double largest_moment(tal_vec3 inertia) {
    return fmax(inertia.x, fmax(inertia.y, inertia.z));
}

// Seen from a body that follows a series, all others are kicked the other way: root of m |kick|^2,
// the worst of all such bodies.
static double kick_of_series(const tal_model *model, const tal_state *state, int32_t body) {
    double worst = 0.0;
    for (int32_t n = 0; n < model->series_count; n++) {
        const int32_t s = model->series[n].body;
        const double turn = tal_vec3_length(state->work.load[s].w);
        const double distance =
            tal_vec3_length(tal_vec3_subtract(state->position[body], state->position[s]));
        const double speed = tal_vec3_length(state->work.load[s].v) + turn * distance;
        worst = fmax(worst, sqrt(model->mass[body]) * speed +
                                sqrt(largest_moment(model->inertia[body])) * turn);
    }
    return worst;
}

double tal_prescribed_kick_energy(const tal_model *model, const tal_state *state, int32_t body,
                                  double dt) {
    const tal_vec3 g = model->settings.gravity_mps2;
    const double mass = model->mass[body];
    if (model->series_count + model->force_count + model->gravity_count == 0) {
        return mass * tal_vec3_dot(g, g) * dt * dt / 8.0;
    }
    const tal_vec3 v = tal_vec3_add_scaled(state->work.load[body].v, dt, g),
                   w = state->work.load[body].w;
    const double square =
        mass * tal_vec3_dot(v, v) + largest_moment(model->inertia[body]) * tal_vec3_dot(w, w);
    const double root = sqrt(square) + kick_of_series(model, state, body);
    return root * root / 8.0;
}
