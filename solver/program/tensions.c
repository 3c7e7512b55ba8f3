// SPDX-License-Identifier: GPL-3.0-or-later
// The largest tensile stresses of the blocks of a run.
#include "solver/program/tensions.h"

#include "core/base/log.h"
#include "core/base/memory.h"

#include <math.h>

void tal_tensions_destroy(tal_tensions *t) {
    tal_memory_destroy(t->tension_pa);
    tal_memory_destroy(t->time_s);
    tal_memory_destroy(t->place_m);
    tal_memory_destroy(t->direction);
    tal_memory_destroy(t->joint_use);
    tal_memory_destroy(t->blow_dt_s);
    tal_memory_destroy(t->is_missed);
    *t = (tal_tensions){0};
}

static tal_status make_room(tal_tensions *t, tal_error *err) {
    const size_t count = (size_t)t->block_count + 1;
    TAL_CREATE(t->tension_pa, count, "stresses of blocks", err);
    TAL_CREATE(t->time_s, count, "stresses of blocks", err);
    TAL_CREATE(t->place_m, 3 * count, "stresses of blocks", err);
    TAL_CREATE(t->direction, 3 * count, "stresses of blocks", err);
    TAL_CREATE(t->joint_use, count, "stresses of blocks", err);
    TAL_CREATE(t->blow_dt_s, count, "stresses of blocks", err);
    TAL_CREATE(t->is_missed, count, "stresses of blocks", err);
    return TAL_OK;
}

static void take_block(tal_tensions *t, const tal_solve_scene *scene, int32_t b, bool is_soft,
                       const tal_tension *from, double blow_dt_s) {
    const bool is_given = is_soft && from->missed_dt_s == 0.0 && from->tension_pa > 0.0;
    const double place[3] = {from->place_m.x, from->place_m.y, from->place_m.z};
    const double along[3] = {from->direction.x, from->direction.y, from->direction.z};
    t->tension_pa[b] = is_given ? from->tension_pa : NAN;
    t->time_s[b] = is_given ? from->time_s : NAN;
    t->blow_dt_s[b] = is_soft ? blow_dt_s : NAN;
    t->is_missed[b] = is_soft && from->missed_dt_s > 0.0 ? 1 : 0;
    for (int k = 0; k < 3; k++) {
        t->place_m[3 * b + k] = is_given ? place[k] + scene->origin_m[k] : NAN;
        t->direction[3 * b + k] = is_given ? along[k] : NAN;
    }
}

static void count_block(tal_tensions *t, int32_t b) {
    if (t->is_missed[b] != 0) {
        t->needed_dt_s =
            t->missed_count == 0 ? t->blow_dt_s[b] : fmin(t->needed_dt_s, t->blow_dt_s[b]);
        t->missed_count++;
    }
    if (!isnan(t->tension_pa[b])) {
        t->broken_count += t->tension_pa[b] > t->strength_pa || t->joint_use[b] > 1.0 ? 1 : 0;
        t->most = t->most < 0 || t->tension_pa[b] > t->tension_pa[t->most] ? b : t->most;
    }
}

// Of a piece also what the blocks had that it was part of.
static tal_tension tension_of(const tal_model *model, const tal_state *state,
                              const tal_leaves *leaves, int32_t b) {
    tal_tension most = tal_state_tension(model, state, b);
    for (int32_t a = leaves != NULL ? leaves->piece[b].parent : -1; a >= 0;
         a = leaves->piece[a].parent) {
        const tal_tension before = tal_state_tension(model, state, a);
        const double missed = fmax(most.missed_dt_s, before.missed_dt_s);
        most = before.tension_pa > most.tension_pa ? before : most;
        most.missed_dt_s = missed;
    }
    return most;
}

static double use_of_joints(const tal_model *model, const tal_state *state,
                            const tal_leaves *leaves, int32_t b) {
    double most = NAN;
    for (int32_t a = b; a >= 0; a = leaves != NULL ? leaves->piece[a].parent : -1) {
        const tal_weak_plane *plane = NULL;
        const int32_t count = tal_model_weak_planes(model, a, &plane);
        for (int32_t n = 0; n < count; n++) {
            const tal_tension t = tal_state_tension_across(model, state, a, n);
            most =
                fmax(most, t.tension_pa / plane[n].strength_pa); // the other one where one is NaN
        }
    }
    return most;
}

tal_status tal_tensions_create(tal_tensions *t, const tal_solve_scene *scene,
                               const tal_leaves *leaves, const tal_model *model,
                               const tal_state *state, double strength_pa, tal_error *err) {
    *t = (tal_tensions){.block_count = scene->input.body_count,
                        .soft_count = scene->soft_count,
                        .most = -1,
                        .needed_dt_s = NAN,
                        .strength_pa = strength_pa,
                        .is_cut = leaves != NULL,
                        .plane_count = scene->input.weak_plane_count};
    const tal_status status = make_room(t, err);
    for (int32_t n = 0; status == TAL_OK && n < t->block_count; n++) {
        const int32_t b = leaves != NULL ? leaves->body[n] : n;
        const tal_tension tension = tension_of(model, state, leaves, b);
        take_block(t, scene, n, tal_model_element_count(model, b) > 0, &tension,
                   tal_model_blow_dt_s(model, b));
        t->joint_use[n] = isnan(t->tension_pa[n]) ? NAN : use_of_joints(model, state, leaves, b);
        count_block(t, n);
    }
    if (status != TAL_OK) {
        tal_tensions_destroy(t);
    }
    return status;
}

void tal_tensions_put(const tal_tensions *t, tal_netcdf *file, int block, int three) {
    const int axes[2] = {block, three};
    if (t->soft_count == 0) {
        return;
    }
    const struct {
        const char *name, *units, *text;
        int rank;
        const double *values;
    } all[] = {{"tension_max", "Pa",
                "largest tensile stress of the block, mean over a length and the transit time", 1,
                t->tension_pa},
               {"tension_time", "s", "when it was that large", 1, t->time_s},
               {"tension_place", "m", "and where, in coordinates of the study", 2, t->place_m},
               {"tension_direction", "1", "direction of the tension, world axes", 2, t->direction},
               {"blow_dt", "s", "longest step that resolves a blow on the block", 1, t->blow_dt_s},
               {"joint_use", "1", "largest tension across a joint over the strength of the joint",
                1, t->joint_use}};
    const size_t count = sizeof all / sizeof *all - (t->plane_count > 0 ? 0 : 1);
    for (size_t k = 0; k < count; k++) {
        const int variable = tal_netcdf_variable(file, all[k].name, TAL_NC_DOUBLE, all[k].rank,
                                                 axes, all[k].units, all[k].text);
        tal_netcdf_put_doubles(file, variable, all[k].values);
    }
    const int missed =
        tal_netcdf_variable(file, "blow_missed", TAL_NC_INT, 1, axes, "1",
                            "1: a blow on it fell into a step that does not resolve it");
    tal_netcdf_put_ints(file, missed, t->is_missed);
    tal_netcdf_integer(file, TAL_NC_GLOBAL, "blocks_that_deform", t->soft_count);
    tal_netcdf_integer(file, TAL_NC_GLOBAL, "blows_missed", t->missed_count);
    tal_netcdf_real(file, TAL_NC_GLOBAL, "blow_dt_needed_s", t->needed_dt_s);
    if (!isnan(t->strength_pa)) {
        tal_netcdf_real(file, TAL_NC_GLOBAL, "tensile_strength_pa", t->strength_pa);
        tal_netcdf_integer(file, TAL_NC_GLOBAL, "blocks_that_would_have_broken", t->broken_count);
    }
}

void tal_tensions_add_json(const tal_tensions *t, cJSON *root) {
    if (t->soft_count == 0) {
        return;
    }
    cJSON *stress = cJSON_AddObjectToObject(root, "stress");
    tal_json_add_number(stress, "blocks_that_deform", t->soft_count);
    tal_json_add_number(stress, "blocks_with_blows_missed", t->missed_count);
    tal_json_add_number(stress, "blow_dt_needed_s", t->needed_dt_s);
    if (t->most >= 0) {
        tal_json_add_number(stress, "tension_max_pa", t->tension_pa[t->most]);
        tal_json_add_number(stress, "tension_max_block", t->most);
        tal_json_add_number(stress, "tension_max_s", t->time_s[t->most]);
    }
    if (!isnan(t->strength_pa)) {
        tal_json_add_number(stress, "tensile_strength_pa", t->strength_pa);
        tal_json_add_number(stress, "blocks_that_would_have_broken", t->broken_count);
    }
}

// Two digits, never more than the value.
static double round_down(double value) {
    const double unit = pow(10.0, floor(log10(value)) - 1.0);
    return unit * floor(value / unit);
}

void tal_tensions_say(const tal_tensions *t) {
    if (t->soft_count == 0) {
        return;
    }
    if (t->most >= 0) {
        tal_log_info("largest tensile stress %.3g MPa, in block %d at %g s",
                     1e-6 * t->tension_pa[t->most], t->most, t->time_s[t->most]);
    }
    if (!isnan(t->strength_pa)) {
        tal_log_info("%d of %d blocks that deform came above %.3g MPa%s%s", t->broken_count,
                     t->soft_count, 1e-6 * t->strength_pa,
                     t->plane_count > 0 ? " or the strength of a joint" : "",
                     t->is_cut ? ", they or what they are a piece of" : " and would have broken");
    }
    if (t->missed_count > 0) {
        tal_log_warn("blows on %d blocks fell into steps that do not resolve them: no stress is "
                     "given for these; [solve] blow_dt_s = %.2g would do",
                     t->missed_count, round_down(t->needed_dt_s));
    }
}
