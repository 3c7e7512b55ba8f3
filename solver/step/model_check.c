// SPDX-License-Identifier: GPL-3.0-or-later
// What can be wrong with a scene. All faults are collected; the caller sees them together.
#include "solver/step/model.h"

#include "solver/constraint/joint.h"
#include "solver/law/law.h"

#include <math.h>

// Beyond this coordinate products of rotations lose micrometres: real coordinates have to be reduced
// to a local origin first.
static const double COORDINATE_MAX_M = 1e7;

typedef struct {
    const tal_model_input *input;
    tal_error *err;
    int fault_count;
} check;

#define FAULT(c, status, ...)                                                                      \
    do {                                                                                           \
        (c)->fault_count++;                                                                        \
        tal_error_add((c)->err, (status), __VA_ARGS__);                                            \
    } while (0)

static bool is_finite(tal_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static double largest_coordinate(tal_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static void check_settings(check *c) {
    const tal_solver_settings *s = &c->input->settings;
    if (!(s->dt_s > 0.0 && s->dt_s <= 1.0)) {
        FAULT(c, TAL_BAD_SETTING, "dt = %g s must be in (0, 1]; 0.005 suits metre-sized blocks",
              s->dt_s);
    }
    if (!is_finite(s->gravity_mps2) || largest_coordinate(s->gravity_mps2) > 1000.0) {
        FAULT(c, TAL_BAD_SETTING, "gravity = (%g, %g, %g) m/s^2 must be finite and below 1000",
              s->gravity_mps2.x, s->gravity_mps2.y, s->gravity_mps2.z);
    }
    if (s->scheme != TAL_SCHEME_MOREAU && s->scheme != TAL_SCHEME_ACD2) {
        FAULT(c, TAL_BAD_SETTING, "scheme = %d is not known; there are moreau and acd2",
              (int)s->scheme);
    }
    if (!(s->blow_dt_s == 0.0 || (s->blow_dt_s > 0.0 && s->dt_s / s->blow_dt_s <= 1e4))) {
        FAULT(c, TAL_BAD_SETTING, "blow_dt_s = %g must be 0, or between dt / 10000 and dt",
              s->blow_dt_s);
    }
    if (!(s->tension_length_m >= 0.0 && isfinite(s->tension_length_m))) {
        FAULT(c, TAL_BAD_SETTING, "tension_length_m = %g must not be negative",
              s->tension_length_m);
    }
    if (!(s->tolerance > 0.0 && s->tolerance < 1.0)) {
        FAULT(c, TAL_BAD_SETTING, "tolerance = %g must be between 0 and 1", s->tolerance);
    }
    if (s->iteration_max < 1) {
        FAULT(c, TAL_BAD_SETTING, "iteration_max = %d must be at least 1", s->iteration_max);
    }
    if (!(s->impact_speed_mps >= 0.0 && isfinite(s->impact_speed_mps))) {
        FAULT(c, TAL_BAD_SETTING, "impact_speed = %g m/s must not be negative",
              s->impact_speed_mps);
    }
    if (!(s->correction >= 0.0 && s->correction <= 1.0)) {
        FAULT(c, TAL_BAD_SETTING, "correction = %g must be in [0, 1]", s->correction);
    }
    if (!(s->slop >= 0.0 && s->slop < 0.1)) {
        FAULT(c, TAL_BAD_SETTING, "slop = %g must be in [0, 0.1)", s->slop);
    }
    if (!(s->overlap_max >= 0.0)) {
        FAULT(c, TAL_BAD_SETTING, "overlap_max = %g must not be negative", s->overlap_max);
    }
    if (!(s->ground_overlap_max_m >= 0.0)) {
        FAULT(c, TAL_BAD_SETTING, "ground_overlap_max_m = %g must not be negative",
              s->ground_overlap_max_m);
    }
    if (s->rest_steps < 0) {
        FAULT(c, TAL_BAD_SETTING, "rest_steps = %d must be 0 or more", s->rest_steps);
    }
    if (s->substep_max < 1) {
        FAULT(c, TAL_BAD_SETTING, "substep_max = %d must be at least 1", s->substep_max);
    }
}

static void check_law_number(check *c, int i, int j, const char *name, double value, double low,
                             double high) {
    if (!(value >= low && value <= high)) {
        FAULT(c, TAL_BAD_SETTING, "law of surface classes %d and %d: %s = %g must be in [%g, %g]",
              i, j, name, value, low, high);
    }
}

static void check_needed(check *c, int i, int j, const tal_law *law, bool is_needed,
                         const char *name, double value) {
    if (is_needed && value == 0.0) {
        FAULT(c, TAL_BAD_SETTING, "law of surface classes %d and %d: %s needs %s above 0", i, j,
              tal_law_name(law->kind), name);
    }
}

static void check_law(check *c, int i, int j, const tal_law *law) {
    const tal_law_traits *traits = tal_law_traits_of(law->kind);
    if (traits == NULL) {
        FAULT(c, TAL_BAD_SETTING,
              "no law for surface classes %d and %d: give one, for example acd2+coulomb with "
              "friction 0.6",
              i, j);
        return;
    }
#define CHECK(field, low, high) check_law_number(c, i, j, #field, law->field, low, high);
    TAL_LAW_NUMBERS(CHECK)
#undef CHECK
    check_needed(c, i, j, law, traits->needs_stiffness, "stiffness_n_m", law->stiffness_n_m);
    check_needed(c, i, j, law, traits->needs_speed, "weakening_speed_mps",
                 law->weakening_speed_mps);
    check_needed(c, i, j, law, traits->needs_slip, "weakening_slip_m", law->weakening_slip_m);
    if (traits->is_joint) {
        FAULT(c, TAL_BAD_SETTING,
              "law of surface classes %d and %d: %s joins points of bodies and is not a law for "
              "surfaces: give another, for example acd2+coulomb",
              i, j, tal_law_name(law->kind));
    }
}

tal_status tal_model_check_law(int32_t class_i, int32_t class_j, const tal_law *law,
                               tal_error *err) {
    tal_error local;
    check c = {.err = err != NULL ? err : &local};
    tal_error_reset(c.err);
    check_law(&c, class_i, class_j, law);
    return c.fault_count > 0 ? c.err->status : TAL_OK;
}

static bool laws_agree(const tal_law *a, const tal_law *b) {
    bool agree = a->kind == b->kind && a->dissipation_in_kg == b->dissipation_in_kg;
#define COMPARE(field, low, high) agree = agree && a->field == b->field;
    TAL_LAW_NUMBERS(COMPARE)
#undef COMPARE
    return agree;
}

// Only pairs of classes that can meet need a law: a body's class with any class in use.
static void check_laws(check *c) {
    const tal_model_input *in = c->input;
    if (in->class_count < 1 || in->class_count > 1000 || in->law == NULL) {
        FAULT(c, TAL_BAD_SETTING, "%d surface classes are given; there must be 1 to 1000",
              in->class_count);
        return;
    }
    bool by_body[1000] = {false}, by_ground[1000] = {false}, in_use[1000] = {false};
    for (int32_t b = 0; b < in->body_count; b++) {
        const int32_t k = in->body_class[b];
        if (k >= 0 && k < in->class_count) {
            by_body[k] = in_use[k] = true;
        }
    }
    for (int32_t k = 0; in->ground != NULL && k <= in->ground->class_high; k++) {
        if (k < in->class_count) {
            by_ground[k] = in->ground->is_class_used[k] != 0;
            in_use[k] = in_use[k] || by_ground[k];
        } else if (in->ground->is_class_used[k]) {
            FAULT(c, TAL_BAD_INPUT, "the ground has surface class %d of %d", k, in->class_count);
        }
    }
    for (int32_t t = 0; in->ground == NULL && t < in->terrain_triangle_count; t++) {
        const int32_t k = in->terrain_class != NULL ? in->terrain_class[t] : 0;
        if (k >= 0 && k < in->class_count) {
            by_ground[k] = in_use[k] = true;
        } else {
            FAULT(c, TAL_BAD_INPUT, "triangle %d of the terrain has surface class %d of %d", t, k,
                  in->class_count);
        }
    }
    for (int i = 0; i < in->class_count; i++) {
        for (int j = i; j < in->class_count; j++) {
            const tal_law *law = &in->law[i * in->class_count + j];
            const bool can_meet = (by_body[i] && in_use[j]) || (by_body[j] && in_use[i]);
            if (can_meet || law->kind != TAL_LAW_NONE) {
                check_law(c, i, j, law);
            }
            if (tal_law_passes(law) &&
                ((by_body[i] && by_ground[j]) || (by_body[j] && by_ground[i]))) {
                FAULT(c, TAL_BAD_SETTING,
                      "law of surface classes %d and %d: %s is for bodies among themselves, but "
                      "one of these classes lies on the ground: blocks would fall through it",
                      i, j, tal_law_name(law->kind));
            }
            if (i != j && !laws_agree(law, &in->law[j * in->class_count + i])) {
                FAULT(c, TAL_BAD_SETTING,
                      "the laws of surface classes (%d, %d) and (%d, %d) differ: they must be the "
                      "same",
                      i, j, j, i);
            }
        }
    }
}

static void check_mass(check *c, int32_t b) {
    const double mass = c->input->mass_kg[b];
    const tal_vec3 i = c->input->inertia_kg_m2[b];
    if (!(mass > 0.0 && isfinite(mass))) {
        FAULT(c, TAL_BAD_INPUT, "block %d: mass = %g kg must be positive (is its density 0?)", b,
              mass);
    }
    if (!(i.x > 0.0 && i.y > 0.0 && i.z > 0.0 && is_finite(i))) {
        FAULT(c, TAL_BAD_INPUT, "block %d: principal inertia (%g, %g, %g) kg m^2 must be positive",
              b, i.x, i.y, i.z);
        return;
    }
    const double sum = i.x + i.y + i.z, most = fmax(i.x, fmax(i.y, i.z));
    if (2.0 * most > sum * (1.0 + 1e-9)) {
        FAULT(c, TAL_BAD_INPUT,
              "block %d: principal inertia (%g, %g, %g) kg m^2 is impossible: one moment exceeds "
              "the sum of the other two",
              b, i.x, i.y, i.z);
    }
}

static void check_pose(check *c, int32_t b) {
    const tal_vec3 x = c->input->position_m[b];
    const tal_quat q = c->input->orientation[b];
    if (!is_finite(x)) {
        FAULT(c, TAL_BAD_INPUT, "block %d: position (%g, %g, %g) is not finite", b, x.x, x.y, x.z);
    } else if (largest_coordinate(x) > COORDINATE_MAX_M) {
        FAULT(c, TAL_BAD_INPUT,
              "block %d: position (%.1f, %.1f, %.1f) m is too far from the origin for millimetre "
              "accuracy; "
              "subtract a local origin near the site first",
              b, x.x, x.y, x.z);
    }
    const double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(fabs(norm - 1.0) < 1e-6)) {
        FAULT(c, TAL_BAD_INPUT,
              "block %d: quaternion (%g, %g, %g, %g) has length %g, not 1; divide it by its length",
              b, q.w, q.x, q.y, q.z, norm);
    }
    const tal_vec3 v = c->input->velocity_mps != NULL ? c->input->velocity_mps[b] : (tal_vec3){0};
    const tal_vec3 w = c->input->spin_radps != NULL ? c->input->spin_radps[b] : (tal_vec3){0};
    if (!is_finite(v) || !is_finite(w)) {
        FAULT(c, TAL_BAD_INPUT, "block %d: its velocity or angular velocity is not finite", b);
    } else if (tal_vec3_length(v) > 1e4 || tal_vec3_length(w) > 1e5) {
        FAULT(c, TAL_BAD_INPUT,
              "block %d: speed %g m/s, spin %g rad/s: no rock moves faster than 1e4 m/s or spins "
              "faster than 1e5 rad/s",
              b, tal_vec3_length(v), tal_vec3_length(w));
    }
}

static void check_bodies(check *c) {
    const tal_model_input *in = c->input;
    if (in->body_count < 1) {
        FAULT(c, TAL_BAD_INPUT, "the scene has no blocks: nothing to do");
        return;
    }
    for (int32_t b = 0; b < in->body_count; b++) {
        if (in->body_shape[b] < 0 || in->body_shape[b] >= in->shape_count) {
            FAULT(c, TAL_BAD_INPUT, "block %d: shape number %d, but there are %d shapes", b,
                  in->body_shape[b], in->shape_count);
        }
        if (in->body_class[b] < 0 || in->body_class[b] >= in->class_count) {
            FAULT(c, TAL_BAD_INPUT, "block %d: surface class %d, but there are %d classes", b,
                  in->body_class[b], in->class_count);
        }
        check_mass(c, b);
        check_pose(c, b);
    }
}

// Is there such a body, and can what is given for it do anything?
static bool check_target(check *c, const char *what, int32_t n, int32_t body) {
    const tal_model_input *in = c->input;
    if (body < 0 || body >= in->body_count) {
        FAULT(c, TAL_BAD_INPUT, "%s %d is for block %d, but blocks are numbered 0 to %d", what, n,
              body, in->body_count - 1);
        return false;
    }
    if (in->body_fixed != NULL && in->body_fixed[body]) {
        FAULT(c, TAL_BAD_INPUT,
              "%s %d is for block %d, which is fixed: release the block, or leave this entry out",
              what, n, body);
        return false;
    }
    return true;
}

static void check_series_entry(check *c, const tal_motion_series *series, int32_t k) {
    const tal_vec3 v = series->velocity_mps != NULL ? series->velocity_mps[k] : (tal_vec3){0};
    const tal_vec3 w = series->spin_radps != NULL ? series->spin_radps[k] : (tal_vec3){0};
    if (!isfinite(series->time_s[k]) || (k > 0 && !(series->time_s[k] >= series->time_s[k - 1]))) {
        FAULT(c, TAL_BAD_INPUT,
              "prescribed motion of block %d: the time of entry %d, %g s, must be finite and not "
              "before that of the entry above",
              series->body, k, series->time_s[k]);
    }
    if (!(tal_vec3_length(v) <= 1e4 && tal_vec3_length(w) <= 1e5)) {
        FAULT(c, TAL_BAD_INPUT,
              "prescribed motion of block %d: entry %d has %g m/s and %g rad/s; at most 1e4 m/s "
              "and 1e5 rad/s are possible",
              series->body, k, tal_vec3_length(v), tal_vec3_length(w));
    }
}

static void check_series(check *c) {
    const tal_model_input *in = c->input;
    for (int32_t n = 0; n < in->prescribed_count; n++) {
        const tal_motion_series *series = &in->prescribed[n];
        if (!check_target(c, "prescribed motion", n, series->body)) {
            continue;
        }
        if (series->count < 1 || series->time_s == NULL) {
            FAULT(c, TAL_BAD_INPUT,
                  "prescribed motion of block %d has no entries: give at least one", series->body);
            continue;
        }
        for (int32_t m = 0; m < n; m++) {
            if (in->prescribed[m].body == series->body) {
                FAULT(c, TAL_BAD_INPUT, "block %d has two prescribed motions, %d and %d: keep one",
                      series->body, m, n);
            }
        }
        for (int32_t k = 0; k < series->count; k++) {
            check_series_entry(c, series, k);
        }
    }
}

static void check_forces(check *c) {
    const tal_model_input *in = c->input;
    for (int32_t n = 0; n < in->force_count; n++) {
        const tal_point_force *f = &in->force[n];
        if (!check_target(c, "point force", n, f->body)) {
            continue;
        }
        for (int32_t m = 0; m < in->prescribed_count; m++) {
            if (in->prescribed[m].body == f->body) {
                FAULT(c, TAL_BAD_INPUT,
                      "point force %d is for block %d, whose motion is prescribed: a force cannot "
                      "change it; remove one of the two",
                      n, f->body);
            }
        }
        if (!is_finite(f->force_n) || !is_finite(f->torque_nm) || !is_finite(f->point_m)) {
            FAULT(c, TAL_BAD_INPUT,
                  "point force %d on block %d: force, torque and point must be finite", n, f->body);
        }
        if (!(f->start_s <= f->end_s)) {
            FAULT(c, TAL_BAD_INPUT,
                  "point force %d on block %d lasts from %g s to %g s: the end must not come first",
                  n, f->body, f->start_s, f->end_s);
        }
    }
}

static void check_terrain(check *c) {
    const tal_model_input *in = c->input;
    for (int32_t v = 0; in->ground == NULL && v < in->terrain_vertex_count; v++) {
        const tal_vec3 x = in->terrain_vertex_m[v];
        if (!is_finite(x) || largest_coordinate(x) > COORDINATE_MAX_M) {
            FAULT(c, TAL_BAD_INPUT,
                  "vertex %d of the terrain: (%.1f, %.1f, %.1f) m is not finite or too far from "
                  "the origin; subtract a local origin near the site first",
                  v, x.x, x.y, x.z);
        }
    }
}

tal_status tal_model_check_input(const tal_model_input *input, tal_error *err) {
    tal_error local;
    check c = {.input = input, .err = err != NULL ? err : &local};
    tal_error_reset(c.err);
    check_settings(&c);
    check_bodies(&c);
    check_series(&c);
    check_forces(&c);
    check_terrain(&c);
    c.fault_count += tal_constraints_check(input, c.err);
    if (input->body_count > 0) {
        check_laws(&c);
    }
    return c.fault_count > 0 ? c.err->status : TAL_OK;
}

tal_status tal_ground_check_input(const tal_model_input *input, tal_error *err) {
    tal_error local;
    check c = {.input = input, .err = err != NULL ? err : &local};
    tal_error_reset(c.err);
    check_terrain(&c);
    return c.fault_count > 0 ? c.err->status : TAL_OK;
}

static double width_of(const tal_model *model, int32_t body) {
    return body >= 0 ? model->shapes.smallest_width[model->shape_of_body[body]] : INFINITY;
}

static void check_overlap(check *c, const tal_model *model, const tal_manifolds *found,
                          const tal_manifold *manifold) {
    double depth = 0.0;
    for (int32_t k = 0; k < manifold->point_count; k++) {
        depth = fmax(depth, -found->point[manifold->first_point + k].gap);
    }
    const double width = fmin(width_of(model, manifold->body_i), width_of(model, manifold->body_j));
    const double exact = manifold->body_j < 0 ? model->settings.ground_overlap_max_m : 0.0;
    const double accepted = fmax(model->settings.overlap_max * width, exact);
    if (depth <= accepted) {
        return;
    }
    if (manifold->body_j < 0) {
        FAULT(c, TAL_BAD_INPUT,
              "block %d is %.3g m deep in the ground (%.1f %% of its width, up to %.3g m is "
              "accepted): "
              "lift it; blocks and ground of one run of talus-mesh fit each other",
              manifold->body_i, depth, 100.0 * depth / width, accepted);
    } else {
        FAULT(c, TAL_BAD_INPUT,
              "blocks %d and %d overlap by %.3g m (%.1f %% of the smaller width, up to %.3g m is "
              "accepted): move them apart; talus-mesh leaves space between blocks with gap_m in "
              "[mesh]",
              manifold->body_i, manifold->body_j, depth, 100.0 * depth / width, accepted);
    }
}

// With an overhang "below" has no meaning; elsewhere a centroid below the ground is a mistake.
static void check_below_ground(check *c, const tal_model *model) {
    if (model->ground == NULL || model->ground->has_overhang) {
        return;
    }
    for (int32_t b = 0; b < model->body_count; b++) {
        const tal_vec3 x = model->start_position[b];
        const double height = tal_ground_height(model->ground, x.x, x.y);
        if (!model->is_immovable[b] && x.z < height) { // false outside, where the height is NaN
            FAULT(c, TAL_BAD_INPUT,
                  "block %d starts below the ground: its centre is at z = %.3f m, the ground at "
                  "%.3f m; lift it, or check that both use one vertical datum",
                  b, x.z, height);
        }
    }
}

tal_status tal_model_check_start(const tal_model *model, tal_error *err) {
    tal_error local;
    check c = {.err = err != NULL ? err : &local};
    tal_error_reset(c.err);
    tal_state *state = NULL;
    tal_manifolds found;
    TAL_TRY(tal_state_create(&state, model, 1, err));
    const tal_status status = tal_state_find_overlaps(model, state, &found, err);
    for (int32_t m = 0; status == TAL_OK && m < found.manifold_count; m++) {
        check_overlap(&c, model, &found, &found.manifold[m]);
    }
    tal_state_destroy(state);
    if (status != TAL_OK) {
        return status;
    }
    check_below_ground(&c, model);
    return c.fault_count > 0 ? c.err->status : TAL_OK;
}
