// SPDX-License-Identifier: GPL-3.0-or-later
// From the constraints of the caller to rows.
#include "core/base/memory.h"
#include "solver/constraint/joint.h"
#include "solver/step/hash.h"

#include <math.h>
#include <stdlib.h>

// Points that belong together, links and their lengths have to fit at the start to this share of what
// they measure: more would be a blow in the first step.
static const double FIT = 1e-6;

typedef struct {
    const tal_model_input *input;
    tal_error *err;
    int fault_count;
} check;

#define FAULT(c, ...)                                                                              \
    do {                                                                                           \
        (c)->fault_count++;                                                                        \
        tal_error_add((c)->err, TAL_BAD_INPUT, __VA_ARGS__);                                       \
    } while (0)

static bool is_finite(tal_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_moved(const tal_model_input *in, int32_t body) {
    if (body < 0 || (in->body_fixed != NULL && in->body_fixed[body])) {
        return false;
    }
    for (int32_t n = 0; n < in->prescribed_count; n++) {
        if (in->prescribed[n].body == body) {
            return false;
        }
    }
    return true;
}

static bool is_soft(const tal_model_input *in, int32_t body) {
    return body >= 0 && in->solid_count > 0 && in->body_solid != NULL && in->body_solid[body] >= 0;
}

static bool check_bodies(check *c, int32_t n, const tal_constraint *k) {
    const int32_t count = c->input->body_count;
    if (k->body_i < 0 || k->body_i >= count || k->body_j < -1 || k->body_j >= count ||
        k->body_i == k->body_j) {
        FAULT(c,
              "constraint %d joins blocks %d and %d: give two different blocks from 0 to %d, or -1 "
              "as the second to hold the first in space",
              n, k->body_i, k->body_j, count - 1);
        return false;
    }
    if (!is_moved(c->input, k->body_i) && !is_moved(c->input, k->body_j)) {
        FAULT(c,
              "constraint %d on block %d: nothing that it joins can move (it is fixed, or its "
              "motion is prescribed): leave it out",
              n, k->body_i);
    }
    if (is_soft(c->input, k->body_i) || is_soft(c->input, k->body_j)) {
        FAULT(c, "constraint %d joins blocks %d and %d: only rigid blocks can be held so far", n,
              k->body_i, k->body_j);
    }
    return true;
}

static void check_drive(check *c, int32_t n, const tal_constraint *k) {
    if (k->drive != TAL_DRIVE_DISPLACEMENT && k->drive != TAL_DRIVE_VELOCITY &&
        k->drive != TAL_DRIVE_ACCELERATION) {
        FAULT(c, "constraint %d: drive %d is not known", n, (int)k->drive);
    }
    if (k->hold != TAL_HOLD_DIRECTION || k->body_j >= 0) {
        FAULT(c, "constraint %d: only a direction held in space can follow a time series", n);
    }
    if (k->count < 1 || k->time_s == NULL || k->value == NULL) {
        FAULT(c, "constraint %d: its series has no entries: give at least one", n);
        return;
    }
    for (int32_t e = 0; e < k->count; e++) {
        if (!isfinite(k->time_s[e]) || (e > 0 && !(k->time_s[e] >= k->time_s[e - 1]))) {
            FAULT(
                c,
                "constraint %d: the time of entry %d, %g s, must be finite and not before that of "
                "the entry above",
                n, e, k->time_s[e]);
        }
        if (!(fabs(k->value[e]) <= 1e6)) {
            FAULT(c, "constraint %d: entry %d is %g; at most 1e6 is allowed", n, e, k->value[e]);
        }
    }
}

static void check_constraint(check *c, int32_t n) {
    const tal_constraint *k = &c->input->constraint[n];
    if (!check_bodies(c, n, k)) {
        return;
    }
    if (!is_finite(k->point_i_m) || !is_finite(k->point_j_m)) {
        FAULT(c, "constraint %d: its points must be finite", n);
    }
    if (k->drive != TAL_DRIVE_NONE) {
        check_drive(c, n, k);
    }
    if (k->hold == TAL_HOLD_DIRECTION) {
        const double length = tal_vec3_length(k->direction);
        if (!(length > 0.0 && isfinite(length))) {
            FAULT(c, "constraint %d: its direction (%g, %g, %g) has no length", n, k->direction.x,
                  k->direction.y, k->direction.z);
        }
    } else if (k->hold == TAL_HOLD_LINK) {
        if (!(k->least_m >= 0.0 && k->most_m >= k->least_m && isfinite(k->most_m))) {
            FAULT(
                c,
                "constraint %d: a link may be %g m to %g m long; the second must be finite and not "
                "below the first, the first not below 0",
                n, k->least_m, k->most_m);
        }
    } else if (k->hold != TAL_HOLD_POINT) {
        FAULT(c, "constraint %d: hold %d is not known", n, (int)k->hold);
    }
}

static void check_excluded(check *c) {
    const tal_model_input *in = c->input;
    for (int32_t n = 0; n < in->excluded_count; n++) {
        const int32_t i = in->excluded[2 * n], j = in->excluded[2 * n + 1];
        const bool are_there =
            i >= -1 && j >= -1 && i < in->body_count && j < in->body_count && i != j;
        if (!are_there) {
            FAULT(c,
                  "pair %d without contact names blocks %d and %d: give two different blocks from "
                  "0 to %d, or -1 for the ground",
                  n, i, j, in->body_count - 1);
        }
    }
}

static void check_gravity(check *c) {
    const tal_model_input *in = c->input;
    for (int32_t n = 0; n < in->gravity_count; n++) {
        const double time = in->gravity_time_s[n];
        if (!isfinite(time) || (n > 0 && !(time >= in->gravity_time_s[n - 1]))) {
            FAULT(c,
                  "gravity: the time of entry %d, %g s, must be finite and not before that of the "
                  "entry above",
                  n, time);
        }
        if (!(tal_vec3_length(in->gravity_mps2[n]) <= 1000.0)) {
            FAULT(c, "gravity: entry %d is (%g, %g, %g) m/s^2; at most 1000 is allowed", n,
                  in->gravity_mps2[n].x, in->gravity_mps2[n].y, in->gravity_mps2[n].z);
        }
    }
}

int tal_constraints_check(const tal_model_input *input, tal_error *err) {
    check c = {.input = input, .err = err};
    for (int32_t n = 0; n < input->constraint_count; n++) {
        check_constraint(&c, n);
    }
    check_excluded(&c);
    check_gravity(&c);
    return c.fault_count;
}

static tal_vec3 place_at_start(const tal_model *model, int32_t body, tal_vec3 point) {
    return body < 0 ? point
                    : tal_vec3_add(model->start_position[body],
                                   tal_quat_rotate(model->start_orientation[body], point));
}

static tal_vec3 velocity_at_start(const tal_model *model, int32_t body, tal_vec3 point) {
    const tal_vec3 arm = tal_quat_rotate(model->start_orientation[body], point);
    return tal_vec3_add(model->start_velocity[body], tal_vec3_cross(model->start_spin[body], arm));
}

static tal_joint row_of(const tal_model *model, const tal_constraint *k, int32_t number) {
    const bool swap = k->body_j >= 0 && k->body_j < k->body_i;
    const tal_vec3 start = place_at_start(model, k->body_i, k->point_i_m);
    const bool is_placed = k->body_j >= 0 || k->hold == TAL_HOLD_LINK;
    const tal_vec3 point_j = is_placed ? k->point_j_m : start;
    tal_joint row = {.body_i = swap ? k->body_j : k->body_i,
                     .body_j = swap ? k->body_i : k->body_j,
                     .hold = k->hold,
                     .constraint = number,
                     .reaction_sign = swap ? -1.0 : 1.0,
                     .point_i = swap ? point_j : k->point_i_m,
                     .point_j = swap ? k->point_i_m : point_j,
                     .drive = k->drive,
                     .count = k->drive != TAL_DRIVE_NONE ? k->count : 0};
    const tal_vec3 apart = tal_vec3_subtract(start, place_at_start(model, k->body_j, point_j));
    if (k->hold == TAL_HOLD_DIRECTION) {
        const tal_vec3 unit = tal_vec3_scale(k->direction, 1.0 / tal_vec3_length(k->direction));
        row.direction = tal_vec3_scale(unit, row.reaction_sign);
        row.length = tal_vec3_dot(unit, apart);
        row.start_speed = tal_vec3_dot(unit, velocity_at_start(model, k->body_i, k->point_i_m));
    }
    return row;
}

static double distance_at_start(const tal_model *model, const tal_joint *row) {
    return tal_vec3_length(tal_vec3_subtract(place_at_start(model, row->body_i, row->point_i),
                                             place_at_start(model, row->body_j, row->point_j)));
}

static tal_joint *add_row(tal_model *model, const tal_joint *row) {
    model->joint[model->joint_count] = *row;
    return &model->joint[model->joint_count++];
}

// A rigid link is one row, one with a gap two: not shorter, not longer.
static void add_link(tal_model *model, const tal_constraint *k, const tal_joint *row,
                     double distance) {
    const bool as_at_start = k->least_m == 0.0 && k->most_m == 0.0;
    if (as_at_start || k->least_m == k->most_m) {
        add_row(model, row)->length = as_at_start ? distance : k->most_m;
        return;
    }
    if (k->least_m > 0.0) {
        tal_joint *lower = add_row(model, row);
        lower->side = 1;
        lower->length = k->least_m;
    }
    tal_joint *upper = add_row(model, row);
    upper->side = -1;
    upper->length = k->most_m;
}

static void check_fit(check *c, int32_t n, const tal_constraint *k, double distance) {
    const double size = fmax(tal_vec3_length(k->point_i_m), k->most_m);
    if (k->hold == TAL_HOLD_POINT && distance > FIT * (size + 1.0)) {
        FAULT(c, "constraint %d: its two points are %g m apart at the start: put them together", n,
              distance);
    }
    if (k->hold != TAL_HOLD_LINK) {
        return;
    }
    const bool as_at_start = k->least_m == 0.0 && k->most_m == 0.0;
    if (as_at_start && !(distance > FIT * (size + 1.0))) {
        FAULT(c, "constraint %d: its link has no length: hold the point instead", n);
    } else if (!as_at_start &&
               (distance < k->least_m - FIT * size || distance > k->most_m + FIT * size)) {
        FAULT(c, "constraint %d: at the start its link is %g m long, not %g m to %g m", n, distance,
              k->least_m, k->most_m);
    }
}

static void add_drive(tal_model *model, const tal_constraint *k, tal_joint *row) {
    tal_time_entry *entry = &model->joint_entry[model->joint_entry_count];
    row->first = model->joint_entry_count;
    for (int32_t e = 0; e < k->count; e++) {
        entry[e] = (tal_time_entry){.time = k->time_s[e], .value = k->value[e]};
    }
    tal_time_series_integrate(entry, k->count);
    model->joint_entry_count += (size_t)k->count;
}

static void add_rows(tal_model *model, const tal_model_input *input, check *c) {
    for (int32_t n = 0; n < input->constraint_count; n++) {
        const tal_constraint *k = &input->constraint[n];
        tal_joint row = row_of(model, k, n);
        const double distance = distance_at_start(model, &row);
        check_fit(c, n, k, distance);
        if (k->drive != TAL_DRIVE_NONE) {
            add_drive(model, k, &row);
            const double start =
                tal_time_series_at(&model->joint_entry[row.first], row.count, 0.0).value;
            if (k->drive == TAL_DRIVE_DISPLACEMENT && start != 0.0) {
                FAULT(c,
                      "constraint %d: its displacement is %g m at the start; count it from there, "
                      "beginning with 0",
                      n, start);
            }
        }
        if (k->hold == TAL_HOLD_LINK) {
            add_link(model, k, &row, distance);
        } else {
            add_row(model, &row);
        }
    }
}

static int by_bodies(const void *a, const void *b) {
    const tal_joint *x = a, *y = b;
    if (x->body_i != y->body_i) {
        return x->body_i < y->body_i ? -1 : 1;
    }
    if (x->body_j != y->body_j) {
        return x->body_j < y->body_j ? -1 : 1;
    }
    return x->constraint != y->constraint ? (x->constraint < y->constraint ? -1 : 1)
                                          : y->side - x->side;
}

static int by_key(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static tal_status copy_excluded(tal_model *model, const tal_model_input *input, tal_error *err) {
    TAL_CREATE(model->excluded, (size_t)input->excluded_count, "pairs without contact", err);
    model->excluded_count = input->excluded_count;
    for (int32_t n = 0; n < input->excluded_count; n++) {
        const uint32_t a = (uint32_t)input->excluded[2 * n],
                       b = (uint32_t)input->excluded[2 * n + 1]; // the ground is the largest
        model->excluded[n] = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    }
    if (input->excluded_count > 0) {
        qsort(model->excluded, (size_t)input->excluded_count, sizeof *model->excluded, by_key);
    }
    return TAL_OK;
}

tal_status tal_joints_create(tal_model *model, const tal_model_input *input, tal_error *err) {
    check c = {.input = input, .err = err};
    size_t entries = 0;
    tal_error_reset(err);
    for (int32_t n = 0; n < input->constraint_count; n++) {
        entries +=
            input->constraint[n].drive != TAL_DRIVE_NONE ? (size_t)input->constraint[n].count : 0;
    }
    TAL_CREATE(model->joint, 2 * (size_t)input->constraint_count, "constraints", err);
    TAL_CREATE(model->joint_entry, entries, "driven points", err);
    TAL_TRY(copy_excluded(model, input, err));
    model->constraint_count = input->constraint_count;
    add_rows(model, input, &c);
    if (model->joint_count > 0) {
        qsort(model->joint, (size_t)model->joint_count, sizeof *model->joint, by_bodies);
    }
    return c.fault_count > 0 ? TAL_BAD_INPUT : TAL_OK;
}

void tal_joints_destroy(tal_model *model) {
    tal_memory_destroy(model->joint);
    tal_memory_destroy(model->joint_entry);
    tal_memory_destroy(model->excluded);
}

// Field by field: the padding of a struct is not data. A scene without any hashes as before.
uint64_t tal_joints_hash(uint64_t hash, const tal_model *model) {
    for (int32_t n = 0; n < model->joint_count; n++) {
        const tal_joint *j = &model->joint[n];
        const tal_vec3 vector[] = {j->point_i, j->point_j, j->direction};
        const double number[] = {(double)j->body_i, (double)j->body_j, (double)j->hold,
                                 (double)j->side,   j->length,         (double)j->drive,
                                 j->start_speed,    (double)j->count};
        hash = tal_hash_bytes(hash, vector, sizeof vector);
        hash = tal_hash_bytes(hash, number, sizeof number);
    }
    hash = tal_hash_bytes(hash, model->joint_entry,
                          model->joint_entry_count * sizeof *model->joint_entry);
    return tal_hash_bytes(hash, model->excluded,
                          (size_t)model->excluded_count * sizeof *model->excluded);
}
