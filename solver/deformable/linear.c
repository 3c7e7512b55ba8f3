// SPDX-License-Identifier: GPL-3.0-or-later
// What linear kinematics share: forces of stiffness and damping in a step.
#include "solver/deformable/kinematics.h"

#include <string.h>

double tal_field_dot(const tal_solid *s, const double *a, const double *b) {
    double sum = 0.0;
    for (int32_t k = 0; k < 3 * s->node_count; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

double tal_strain_energy(const tal_solid *s, const double *q, double *kq) {
    tal_solid_multiply_stiffness(s, q, kq);
    return 0.5 * tal_field_dot(s, q, kq);
}

// K (q + h (p0 before + p1 after) + beta (r0 before + r1 after)) + alpha M (r0 before + r1 after), one row
// after the other.
void tal_linear_force(const tal_soft_body *soft, const double *q, const double *before,
                      const double *after, double *force) {
    const tal_solid *s = soft->solid;
    const tal_elastic_step *t = &soft->level->step;
    const double of_before = t->h * t->p0 + s->beta * t->r0;
    const double of_after = after != NULL ? t->h * t->p1 + s->beta * t->r1 : 0.0;
    double *strained = soft->scratch + 6 * s->node_count, *rate = strained + 3 * s->node_count;
    if (after == NULL) {
        after = before; // times zero
    }
    for (int32_t n = 0; n < 3 * s->node_count; n++) {
        strained[n] = q[n] + of_before * before[n] + of_after * after[n];
    }
    tal_solid_multiply_stiffness(s, strained, force);
    if (s->alpha > 0.0) {
        const double then = s->alpha * t->r0, now = after != before ? s->alpha * t->r1 : 0.0;
        for (int32_t n = 0; n < 3 * s->node_count; n++) {
            rate[n] = then * before[n] + now * after[n];
        }
        tal_solid_multiply_mass(s, rate, strained);
        for (int32_t n = 0; n < 3 * s->node_count; n++) {
            force[n] += strained[n];
        }
    }
}

void tal_linear_free_rate(tal_soft_body *soft, const double *q) {
    const tal_solid *s = soft->solid;
    double *inner = soft->scratch, *mass = inner + 3 * s->node_count;
    tal_linear_force(soft, q, soft->rate_before, NULL, inner);
    tal_solid_multiply_mass(s, soft->rate_before, mass);
    for (int32_t k = 0; k < 3 * s->node_count; k++) {
        const bool held = s->is_held[k / 3] != 0;
        inner[k] = held ? 0.0 : mass[k] + soft->force[k] - soft->level->step.h * inner[k];
    }
    tal_solid_solve(s, soft->level, inner, soft->substitution, soft->rate_free);
}
