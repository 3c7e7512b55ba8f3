// SPDX-License-Identifier: GPL-3.0-or-later
// Contacts with dry friction, and nothing else: with u = W r + q and
//   uhat = u + mu |u_T| e_N                                        (De Saxce)
// find r in K = { |r_T| <= mu r_N } with uhat in the dual cone and r . uhat = 0, contact by contact.
// Each contact has three numbers: normal, two tangents. A problem may have laws instead, a local problem
// per contact (solver/law/law.h): compliant, viscous, with or without a cone.
#ifndef TALUS_SOLVER_FINISH_FRICTION_PROBLEM_H
#define TALUS_SOLVER_FINISH_FRICTION_PROBLEM_H

#include "solver/finish/block_matrix.h"
#include "solver/percussion/given.h"

#include <math.h>

typedef struct {
    tal_block_matrix w; // positive semidefinite; blocks in symmetric places, all on the diagonal
    double *q;          // 3 per contact
    double *friction;   // per contact
    tal_local_law *law; // per contact, its friction included; NULL: dry friction
} tal_friction_problem;

// How far r is from a solution. Both residuals are norms of the natural map r - P_K(r - rho uhat).
typedef struct {
    double by_mass;     // rho = 3 / trace(W_kk), relative to |r|
    double by_unit;     // rho = 1, relative to max(|q|, |r|, |u|)
    double by_velocity; // as by_mass, but of the error over rho, relative to max(|q|, |u|)
    double outside_r;   // largest distance of a contact's r from its cone, relative to |r|
    double outside_u;   // of uhat from its dual cone (of u_N below the bound), to max(|q|, |u|)
    double largest_gap; // dry friction: largest |r . uhat| of a contact, to |r| max(|q|, |u|)
} tal_friction_residual;

tal_status tal_friction_problem_create(tal_friction_problem *problem, int32_t count,
                                       int64_t block_count, tal_error *err);
// Takes {0}.
void tal_friction_problem_destroy(tal_friction_problem *problem);

// Gives the contacts laws.
tal_status tal_friction_problem_set_laws(tal_friction_problem *problem, const tal_local_law *law,
                                         tal_error *err);

// The problem as given to the sweeps (solver/percussion/given.h), its blocks sorted. Two-sided contacts
// are not known here: there must be none.
tal_status tal_friction_problem_copy(tal_friction_problem *problem, const tal_local_input *input,
                                     tal_error *err);

// Says what is wrong with a problem from outside, all at once: values that are not numbers, negative
// friction, a contact without inverse mass, a block without its mirror image. (The values of mirror
// images may differ: gyroscopic terms in other codes make them.)
tal_status tal_friction_problem_check(const tal_friction_problem *problem, tal_error *err);

// Everything is measured from r alone. `u` is scratch: 3 per contact, u = W r + q on return.
tal_friction_residual tal_friction_problem_measure(const tal_friction_problem *problem,
                                                   const double *r, double *u);

// The larger of by_mass and by_unit, and by_velocity with a weight of 1e-3. The first two do not see what
// is small beside |r|: the velocity of a light body among heavy ones, or that nothing can stop two bodies,
// however large the reactions grow.
static inline double tal_friction_residual_worst(const tal_friction_residual *residual) {
    const double worst =
        residual->by_mass > residual->by_unit ? residual->by_mass : residual->by_unit;
    const double velocity = 1e-3 * residual->by_velocity;
    const bool is_number = residual->by_mass + residual->by_unit + velocity < INFINITY;
    return is_number ? (worst > velocity ? worst : velocity) : INFINITY;
}

#endif
