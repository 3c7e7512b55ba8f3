// SPDX-License-Identifier: GPL-3.0-or-later
// One contact point and its law: all laws are brought to one local problem with a handful of
// numbers, so that the sweep tests no options (docs/theory/solver.md, "One local problem").
#ifndef TALUS_SOLVER_LAW_LAW_H
#define TALUS_SOLVER_LAW_LAW_H

#include "core/base/math3.h"
#include "solver/include/talus_solver.h"

// The local problem of a contact: find the percussion R = (R_N, R_1, R_2) so that, with the relative
// velocity d = W R + q,
//   R_N = max(floor, (bound - d_N)/0+ , (pull - d_N)/softness)   rigid and compliant branch
//   R_T = - (d_T + slide)/lambda, lambda >= slack, |R_T| <= friction R_N, one of both equal.
// 256 bytes, one after the other in sweep order: a sweep reads each once, all of it.
typedef struct {
    double w[6];       // W: nn n1 n2 11 12 22
    double inverse[6]; // of W + diag(0, slack, slack): rigid contact that does not slide
    double bound;      // least normal velocity after the percussion
    double pull;       // of the compliant branch
    double softness;   // INFINITY: no compliant branch
    double slack;      // INFINITY: no tangential percussion
    double slide[2];
    double friction; // INFINITY: no cone
    double floor;    // 0, or -INFINITY for the published acd2
    double adhesion; // percussion needed to tear the contact open
    double percussion[3];
    double lambda; // of the last slide, bettered: where the next search starts
    double arm_i[3], arm_j[3];
    double inverse_normal; // 1 / w[0]
} tal_contact;

// Data of a contact that its law needs, all known before the solve.
typedef struct {
    double gap, dt;
    double before[3]; // relative velocity before: normal, two tangents
    double pull;      // normal velocity that gravity and loads give within the step
    double ahead;     // time by which the bodies went on to meet each other
    double kn, kt;    // in kg, of this point
    double stiffness, damping;
    double adhesion;
    bool closing, impact;
} tal_contact_data;

// Normal velocity after an impact of rebound ratio e: such that the blocks rise as far as if the blow
// fell when the gap is closed and not up to a step earlier (docs/theory/solver.md, "Gaps").
double tal_law_rebound(const tal_contact_data *data, double e);

// Fills all but w, arms and percussion; needs w.
void tal_law_prepare(const tal_law *law, const tal_contact_data *data, tal_contact *contact);

// The same contact with e = kn = kt = 0: the safe form in which energy provably does not rise.
void tal_law_prepare_inelastic(const tal_law *law, const tal_contact_data *data,
                               tal_contact *contact);

// Solves the local problem for `q`, the relative velocity without this contact's own percussion.
void tal_law_solve(tal_contact *contact, const double q[3], double percussion[3]);

// Natural-map residual (percussion) of R at relative velocity d, step rho.
void tal_law_residual(const tal_contact *contact, const double d[3], double rho,
                      double residual[3]);

// True for laws whose contacts must not produce energy one by one (Clausius-Duhem).
bool tal_law_is_dissipative(tal_law_kind kind, bool impact);

const char *tal_law_name(tal_law_kind kind);

#endif
