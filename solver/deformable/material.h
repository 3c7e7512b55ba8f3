// SPDX-License-Identifier: GPL-3.0-or-later
// Isotropic elasticity: linear, and Saint Venant-Kirchhoff, which is the same law between the Green
// strain and the second Piola-Kirchhoff stress. Numbers in brackets: docs/theory/deformable.md.
#ifndef TALUS_SOLVER_DEFORMABLE_MATERIAL_H
#define TALUS_SOLVER_DEFORMABLE_MATERIAL_H

#include "core/base/math3_types.h"

#include <math.h>

typedef struct {
    double lambda, mu; // Lame
} tal_elasticity;

static inline tal_elasticity tal_elasticity_make(double young, double poisson) {
    return (tal_elasticity){.lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
                            .mu = 0.5 * young / (1.0 + poisson)};
}

// Of pressure waves (18).
static inline double tal_elasticity_speed(tal_elasticity law, double density) {
    return sqrt((law.lambda + 2.0 * law.mu) / density);
}

// (3): stress of a symmetric strain
static inline tal_mat3 tal_elasticity_stress(tal_elasticity law, const tal_mat3 *strain) {
    const double pressure = law.lambda * (strain->m[0][0] + strain->m[1][1] + strain->m[2][2]);
    tal_mat3 stress;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            stress.m[i][j] = 2.0 * law.mu * strain->m[i][j] + (i == j ? pressure : 0.0);
        }
    }
    return stress;
}

// Half of strain : stress.
static inline double tal_elasticity_energy(tal_elasticity law, const tal_mat3 *strain) {
    const tal_mat3 stress = tal_elasticity_stress(law, strain);
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += strain->m[i][j] * stress.m[i][j];
        }
    }
    return 0.5 * sum;
}

// (4): the Green strain (F'F - 1)/2
static inline tal_mat3 tal_green_strain(const tal_mat3 *f) {
    tal_mat3 strain;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double product =
                f->m[0][i] * f->m[0][j] + f->m[1][i] * f->m[1][j] + f->m[2][i] * f->m[2][j];
            strain.m[i][j] = 0.5 * (product - (i == j ? 1.0 : 0.0));
        }
    }
    return strain;
}

#endif
