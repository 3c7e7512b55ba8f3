// SPDX-License-Identifier: GPL-3.0-or-later
// A conic interior-point method for dry friction. In the letters of the self-dual cone,
//   x = (mu r_N, r_T),  z = (uhat_N / mu, u_T),  z - |z_T| e_0 = M x + b,  x o z = 0,
// Newton's method is applied to all of it at once: the term |z_T|, which makes the problem one of
// friction and not of optimisation, has its own derivative. Where that leads nowhere, it is held for a
// step: the step is then that of a convex problem and always leads somewhere.
#ifndef TALUS_SOLVER_FINISH_INTERIOR_POINT_H
#define TALUS_SOLVER_FINISH_INTERIOR_POINT_H

#include "solver/finish/finish_work.h"

typedef struct {
    double *shape;             // 3 per contact: r = shape * x
    double *x, *z;             // 3 per contact
    double *dx, *dz;           // the step
    double *right, *unscaled;  // scratch
    double *defect;            // z - slip e_0 - M x - b
    double *scaling, *inverse; // 9 per contact: Nesterov and Todd's S and S^-1
    double *axes, *square;     // 9 and 3 per contact: S S = Q diag(square) Q'
    tal_block_matrix turned;   // M in the axes of its contacts
    double *own;               // 9 per contact: what is added to M, in the axes
    double *lambda;            // S x
    double *target;            // of the complementarity, then lambda \ target
    double *slip;              // |z_T| as held
    double *turn;              // 2 per contact: derivative of |z_T|
    double centre;             // x . z per contact
    double size;               // of x and z at the start
    int held_steps;            // steps with the slip held that are still to come
    bool has_slip;
    double tie;           // of the reaction to its anchor
    const double *anchor; // 3 per contact, scaled
    bool is_convex;       // the slip is given and stays
} tal_interior_point;

tal_status tal_interior_point_create(tal_interior_point *ip, const tal_finish_work *work,
                                     tal_error *err);
// Takes {0}.
void tal_interior_point_destroy(tal_interior_point *ip);

// From the beginning: the whole problem, or a convex one with the slip given, that of the scaled reactions
// `slip_of` (NULL: none). Its path leads to the middle of the reactions that solve it.
void tal_interior_point_begin(tal_interior_point *ip, const tal_finish_work *work);
void tal_interior_point_begin_convex(tal_interior_point *ip, const tal_finish_work *work,
                                     const double *slip_of);
// Likewise the whole problem with u + tie (r - anchor) for u, r and anchor scaled. The anchor is kept by the
// caller until the next beginning.
void tal_interior_point_begin_tied(tal_interior_point *ip, const tal_finish_work *work,
                                   const double *anchor, double tie);

// Whether a convex problem is solved well enough to start from.
bool tal_interior_point_is_centred(const tal_interior_point *ip, const tal_finish_work *work);

// One step. `moved` is false if there is none: a singular system, or the limit of rounding.
tal_status tal_interior_point_advance(tal_interior_point *ip, tal_finish_work *work, bool *moved,
                                      tal_error *err);

// What was added to W in its systems, in mean inverse masses; a tie included.
double tal_interior_point_regularisation(const tal_interior_point *ip);

// The scaled reaction at hand.
void tal_interior_point_get(const tal_interior_point *ip, const tal_finish_work *work,
                            double *scaled_r);

#endif
