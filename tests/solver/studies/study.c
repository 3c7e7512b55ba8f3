// SPDX-License-Identifier: GPL-3.0-or-later
// What the studies of the default law share.
#include "tests/solver/studies/study.h"

#include "solver/law/law.h"

#include "core/base/grounds.h"
#include "core/base/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A block that moves slower than this for this long has stopped: a block that stands on an edge for a
// moment turns on within it.
static const double STILL_MPS = 0.02, STILL_S = 1.0;

tal_law study_default_law(void) {
    static tal_settings settings;
    static const tal_law_kind kind[] = {[TAL_CHOICE_LAW_ACD2_COULOMB] = TAL_LAW_ACD2_COULOMB,
                                        [TAL_CHOICE_LAW_ACD2] = TAL_LAW_ACD2,
                                        [TAL_CHOICE_LAW_ACD2_PUBLISHED] = TAL_LAW_ACD2_PUBLISHED,
                                        [TAL_CHOICE_LAW_COULOMB] = TAL_LAW_COULOMB,
                                        [TAL_CHOICE_LAW_PENALTY] = TAL_LAW_PENALTY};
    tal_settings_init(&settings);
    const tal_contact_settings *contact = &settings.contact;
    return (tal_law){.kind = kind[contact->law],
                     .friction = contact->friction,
                     .restitution = contact->restitution,
                     .tangential_restitution = contact->tangential_restitution};
}

static bool set_ground(tal_law *law, const char *name) {
#define ROW(X, kind, word, mu, most, growth, decay, drag)                                          \
    if (strcmp(name, word) == 0) {                                                                 \
        law->friction = mu;                                                                        \
        law->friction_max = most;                                                                  \
        law->scar_growth_per_m = growth;                                                           \
        law->scar_decay_per_s = decay;                                                             \
        law->drag_per_s = drag;                                                                    \
        return true;                                                                               \
    }
    TAL_GROUND_LIST(ROW, )
#undef ROW
    return false;
}

bool study_set_law(tal_law *law, const char *word) {
    const char *value = strchr(word, '=');
    if (value == NULL) {
        return false;
    }
    value++;
    if (strncmp(word, "law=", 4) == 0) {
        for (int k = TAL_LAW_ACD2; k <= TAL_LAW_SLIP_WEAKENING; k++) {
            if (strcmp(tal_law_name((tal_law_kind)k), value) == 0) {
                law->kind = (tal_law_kind)k;
                return true;
            }
        }
        return false;
    }
    if (strncmp(word, "ground=", 7) == 0) {
        return set_ground(law, value);
    }
#define ROW(field, low, high)                                                                      \
    if (strncmp(word, #field "=", sizeof #field) == 0) {                                           \
        law->field = strtod(value, NULL);                                                          \
        return true;                                                                               \
    }
    TAL_LAW_NUMBERS(ROW)
#undef ROW
    double *target = strncmp(word, "mu=", 3) == 0   ? &law->friction
                     : strncmp(word, "e=", 2) == 0  ? &law->restitution
                     : strncmp(word, "et=", 3) == 0 ? &law->tangential_restitution
                                                    : NULL;
    if (target != NULL) {
        *target = strtod(value, NULL);
    }
    return target != NULL;
}

static double speed(const test_scene *scene, const tal_state *state) {
    const double *edge = scene->edge[0];
    const double radius = 0.5 * sqrt(edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2]);
    return tal_vec3_length(tal_state_velocities(state)[0]) +
           radius * tal_vec3_length(tal_state_spins(state)[0]);
}

static tal_status step_on(const test_scene *scene, const tal_model *model, tal_state *state,
                          study_limits limits, study_end *end, tal_error *err) {
    tal_report report;
    double still = 0.0, most = 1e-9, x = scene->position[0].x;
    *end = (study_end){.place = scene->position[0]};
    for (double t = 0.0; t < limits.time_max && !end->stopped && end->place.z >= limits.z_min;
         t = report.time_s) {
        TAL_TRY(tal_step(model, state, &report, err));
        const double kinetic = report.kinetic_translation_j + report.kinetic_rotation_j;
        const double gain = -report.dissipated_normal_j - report.dissipated_tangential_j -
                            report.energy_rise_bound_j;
        most = fmax(most, kinetic);
        end->rise = fmax(end->rise, gain / most);
        end->unconverged += report.unconverged_count > 0;
        still = speed(scene, state) < STILL_MPS ? still + report.time_s - t : 0.0;
        end->stopped = still >= STILL_S;
        end->place = tal_state_positions(state)[0];
        end->time = report.time_s;
        if (end->place.x >= limits.x_max) {
            end->time -= (end->place.x - limits.x_max) / (end->place.x - x) * (report.time_s - t);
            return TAL_OK;
        }
        x = end->place.x;
    }
    return TAL_OK;
}

tal_status study_run(const test_scene *scene, study_limits limits, study_end *end, tal_error *err) {
    tal_model *model = NULL;
    tal_state *state = NULL;
    tal_status status = test_scene_create_model(scene, &model, err);
    if (status == TAL_OK) {
        status = tal_state_create(&state, model, 1, err);
    }
    if (status == TAL_OK) {
        status = step_on(scene, model, state, limits, end, err);
    }
    tal_state_destroy(state);
    tal_model_destroy(model);
    return status;
}

tal_quat study_orientation(tal_random random, uint64_t draw) {
    return tal_quat_normalize(
        (tal_quat){tal_random_normal(random, draw), tal_random_normal(random, draw + 1),
                   tal_random_normal(random, draw + 2), tal_random_normal(random, draw + 3)});
}

double study_lowest(const test_scene *scene) {
    const tal_mat3 r = tal_quat_matrix(scene->orientation[0]);
    const double *edge = scene->edge[0];
    return -0.5 *
           (fabs(r.m[2][0]) * edge[0] + fabs(r.m[2][1]) * edge[1] + fabs(r.m[2][2]) * edge[2]);
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double share) {
    const double at = share * (count - 1);
    const int below = (int)floor(at);
    return below + 1 < count ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below])
                             : sorted[below];
}

study_numbers study_measure(double *value, int count) {
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < count; k++) {
        sum += value[k];
    }
    const double mean = sum / count;
    for (int k = 0; k < count; k++) {
        squares += (value[k] - mean) * (value[k] - mean);
    }
    qsort(value, (size_t)count, sizeof *value, by_size);
    return (study_numbers){.mean = mean,
                           .error = sqrt(squares / (count - 1) / count),
                           .low = quantile(value, count, 0.05),
                           .median = quantile(value, count, 0.5),
                           .high = quantile(value, count, 0.95)};
}
