// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/program/contact/acd2.h"

#include "core/base/memory.h"

void tal_acd2_law_destroy(tal_acd2_law *law) {
    tal_memory_destroy(law->kn);
    tal_memory_destroy(law->kt);
    tal_memory_destroy(law->before);
    tal_memory_destroy(law->bound);
    *law = (tal_acd2_law){0};
}

tal_status tal_acd2_check(const tal_acd2_law *law, const double *friction, int32_t count,
                          tal_error *err) {
    tal_error_reset(err);
    for (int32_t k = 0; k < count; k++) {
        const double *before = &law->before[3 * k];
        if (!(law->kn[k] >= 0.0 && law->kt[k] >= 0.0)) {
            tal_error_add(err, TAL_BAD_INPUT, "contact %d: kn = %g and kt = %g must be 0 or more",
                          k, law->kn[k], law->kt[k]);
        }
        if (!(friction[k] >= 0.0)) {
            tal_error_add(err, TAL_BAD_INPUT, "contact %d: friction %g must be 0 or more", k,
                          friction[k]);
        }
        const double bound = law->bound != NULL ? law->bound[k] : 0.0;
        if (!isfinite(before[0] + before[1] + before[2]) || !(bound < INFINITY)) {
            tal_error_add(err, TAL_BAD_INPUT, "contact %d: before or bound is not a number", k);
        }
        if (bound == -INFINITY && law->kn[k] == 0.0) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "contact %d: without a bound and with kn = 0 it is no contact", k);
        }
    }
    return err->message_count > 0 ? err->status : TAL_OK;
}

// Half of x = (u + before)/2 goes to the dissipation: kn x_N = (u_N + before_N) / (2/kn).
static double over(double k) {
    return k > 0.0 ? 2.0 / k : INFINITY;
}

tal_local_law tal_acd2_local(const tal_acd2_law *law, const double *friction, int32_t k) {
    const double *before = &law->before[3 * k];
    return (tal_local_law){.bound = law->bound != NULL ? law->bound[k] : 0.0,
                           .pull = -before[0],
                           .softness = over(law->kn[k]),
                           .slack = over(law->kt[k]),
                           .slide = {before[1], before[2]},
                           .friction = friction[k]};
}

void tal_acd2_from_local(tal_acd2_law *law, int32_t k, const tal_local_law *local) {
    const double before[3] = {0.0 - local->pull, local->slide[0], local->slide[1]};
    law->kn[k] = isinf(local->softness) ? 0.0 : 2.0 / local->softness;
    law->kt[k] = isinf(local->slack) ? 0.0 : 2.0 / local->slack;
    law->bound[k] = local->bound;
    for (int a = 0; a < 3; a++) {
        law->before[3 * k + a] = before[a];
    }
}
