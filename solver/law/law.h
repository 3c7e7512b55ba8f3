// SPDX-License-Identifier: GPL-3.0-or-later
// One contact point and its law: all laws are brought to one local problem with a handful of
// numbers, so that the sweep tests no options (docs/theory/solver.md, "One local problem"). What else
// the solver has to know of a law it reads from its traits.
#ifndef TALUS_SOLVER_LAW_LAW_H
#define TALUS_SOLVER_LAW_LAW_H

#include "core/base/math3.h"
#include "solver/include/talus_solver.h"

#include <math.h>
#include <stddef.h>

// The local problem of a contact: find the percussion R = (R_N, R_1, R_2) so that, with the relative
// velocity d = W R + q,
//   R_N = max(floor, (bound - d_N)/0+ , (pull - d_N)/softness)   rigid and compliant branch
//   R_T = - (d_T + slide)/lambda, lambda >= slack, |R_T| <= friction R_N, one of both equal.

// What a law has beyond dry friction.
typedef struct {
    double pull;     // of the compliant branch
    double softness; // INFINITY: no compliant branch
    double slack;    // INFINITY: no tangential percussion
    double slide[2];
    double floor;    // 0, or -INFINITY for the published acd2
    double adhesion; // percussion needed to tear the contact open
} tal_law_more;

extern const tal_law_more tal_nothing_more; // dry friction: rigid, and all else 0

// 160 bytes, one after the other in sweep order: a sweep reads each once, all of it. Millions of them are most of the
// memory of a run.
typedef struct {
    double w[6];     // W: nn n1 n2 11 12 22
    double bound;    // least normal velocity after the percussion
    double friction; // INFINITY: no cone
    double percussion[3];
    double lambda; // of the last slide, bettered: where the next search starts
    double arm_i[3], arm_j[3];
    double inverse_normal;    // 1 / w[0]
    const tal_law_more *more; // its own, or tal_nothing_more, as most have it
} tal_contact;

// What a law puts into the local problem, where its numbers are given and not prepared. Without adhesion,
// which is a shift of the percussion, and with 0 for the floor.
typedef struct {
    double bound, pull, softness, slack, slide[2], friction;
} tal_local_law;

// Rigid, without a gap, with a friction cone.
static inline tal_local_law tal_dry_law(double friction) {
    return (tal_local_law){.softness = INFINITY, .friction = friction};
}

static inline tal_local_law tal_local_law_of(const tal_contact *c) {
    const tal_law_more *m = c->more;
    return (tal_local_law){c->bound,   m->pull, m->softness, m->slack, {m->slide[0], m->slide[1]},
                           c->friction};
}

static inline double tal_mean_inverse_mass(const tal_contact *c) {
    return (c->w[0] + c->w[3] + c->w[5]) / 3.0;
}

// Inverse of W + diag(0, slack, slack), symmetric positive definite: of a rigid contact that does not slide.
static inline void tal_sticking_inverse(const tal_contact *c, double inverse[6]) {
    const double slack = isinf(c->more->slack) ? 0.0 : c->more->slack;
    const double a = c->w[0], b = c->w[1], d = c->w[2], e = c->w[3] + slack, f = c->w[4],
                 g = c->w[5] + slack;
    const double m00 = e * g - f * f, m01 = d * f - b * g, m02 = b * f - d * e;
    const double s = 1.0 / (a * m00 + b * m01 + d * m02);
    inverse[0] = m00 * s;
    inverse[1] = m01 * s;
    inverse[2] = m02 * s;
    inverse[3] = (a * g - d * d) * s;
    inverse[4] = (b * d - a * f) * s;
    inverse[5] = (a * e - b * b) * s;
}

// Nothing but a rigid contact with a friction cone: what batches of contacts solve side by side. Whatever
// else a law puts into its local problem is solved one by one.
static inline bool tal_is_dry(const tal_contact *c) {
    const tal_law_more *m = c->more;
    return m->softness == INFINITY && m->slack == 0.0 && m->slide[0] == 0.0 && m->slide[1] == 0.0 &&
           c->friction > 0.0 && c->friction < INFINITY && m->floor == 0.0 && m->adhesion == 0.0;
}

// Data of a contact that its law needs, all known before the solve.
typedef struct {
    double gap, dt;
    double before[3]; // relative velocity before: normal, two tangents
    double pull;      // normal velocity that gravity and loads give within the step
    double ahead;     // time by which the bodies went on to meet each other
    double kn, kt;    // in kg, of this point
    double stiffness, damping;
    double adhesion;
    double hold[3];    // joints: the relative velocity wanted
    double scar, slid; // of the bodies, the larger (motion/trail.h), m
    double radius;     // inner radius of the body, of two the smaller
    bool closing, impact;
    bool holds_normal_only, is_one_sided; // joints
} tal_contact_data;

// Time until the gap is looked at again; a body may be ahead by the whole step and more.
static inline double tal_time_left(const tal_contact_data *data) {
    return fmax(data->dt - data->ahead, 0.01 * data->dt);
}

// When something of a law acts.
typedef enum { TAL_NEVER, TAL_AT_IMPACTS, TAL_WHILE_CLOSING, TAL_ALWAYS } tal_law_moment;

// What a law is. One of these stands in its file, law_<id>.c; its name and number in core/base/laws.h.
typedef struct {
    bool passes;           // no contact at all
    bool is_joint;         // a constraint between points of bodies: not for surfaces
    bool is_spring;        // what is deep in it is its deflection; it gives back the energy it took
    bool has_dry_friction; // holds up to the cone: what rests on it may be left alone
    bool needs_stiffness;  // stiffness_n_m must be above 0
    bool needs_speed;      // weakening_speed_mps must be above 0
    bool needs_slip;       // weakening_slip_m must be above 0
    bool rebounds;         // an impact leaves the ratio `restitution` of its velocity
    bool rolls;            // rolling_friction bounds a moment (percussion/roll.h)
    bool scars;            // bodies keep the length of their scar, and drag acts (motion/trail.h)
    bool wears;            // bodies keep how far they slid
    bool is_turbulent;     // what stands still drags with the square of the speed (motion/trail.h)
    tal_law_moment kn_acts;        // dissipation by kn, kt (or the two ratios)
    tal_law_moment clausius_duhem; // R . x <= 0 holds contact by contact

    // Friction and rebound here and now, where they are no constants; NULL: those of the law.
    double (*friction)(const tal_law *law, const tal_contact_data *data);
    double (*restitution)(const tal_law *law, const tal_contact_data *data, double w_normal);

    // True if several such contacts together can raise the energy at impacts; NULL: never.
    bool (*can_raise_energy)(const tal_law *law);

    // Fills all numbers of the local problem but w, arms and percussion, those beyond dry friction into `more`;
    // needs w.
    void (*prepare)(const tal_law *law, const tal_contact_data *data, tal_contact *contact,
                    tal_law_more *more);

    // The same contact with e = kn = kt = 0: the safe form in which energy provably does not rise.
    void (*prepare_inelastic)(const tal_law *law, const tal_contact_data *data,
                              tal_contact *contact, tal_law_more *more);
} tal_law_traits;

// NULL for TAL_LAW_NONE and numbers that are no law.
const tal_law_traits *tal_law_traits_of(tal_law_kind kind);

static inline bool tal_law_acts(tal_law_moment moment, bool closing, bool impact) {
    return moment == TAL_ALWAYS || (moment == TAL_WHILE_CLOSING && closing) ||
           (moment == TAL_AT_IMPACTS && impact);
}

static inline bool tal_law_passes(const tal_law *law) {
    const tal_law_traits *traits = tal_law_traits_of(law->kind);
    return traits != NULL && traits->passes;
}

// All numbers of a law with their ranges: ROW(field, low, high).
#define TAL_LAW_NUMBERS(ROW)                                                                       \
    ROW(friction, 0.0, 100.0)                                                                      \
    ROW(restitution, 0.0, 1.0)                                                                     \
    ROW(tangential_restitution, -1.0, 1.0)                                                         \
    ROW(kn_kg, 0.0, 1e18)                                                                          \
    ROW(kt_kg, 0.0, 1e18)                                                                          \
    ROW(cohesion_pa, 0.0, 1e12)                                                                    \
    ROW(stiffness_n_m, 0.0, 1e15)                                                                  \
    ROW(damping_n_s_m, 0.0, 1e15)                                                                  \
    ROW(rolling_friction, 0.0, 100.0)                                                              \
    ROW(friction_max, 0.0, 100.0)                                                                  \
    ROW(scar_growth_per_m, 0.0, 1e6)                                                               \
    ROW(scar_decay_per_s, 0.0, 1e6)                                                                \
    ROW(drag_per_s, 0.0, 1e3)                                                                      \
    ROW(plastic_energy_j_m2, 0.0, 1e12)                                                            \
    ROW(friction_fast, 0.0, 100.0)                                                                 \
    ROW(weakening_speed_mps, 0.0, 1e6)                                                             \
    ROW(friction_worn, 0.0, 100.0)                                                                 \
    ROW(weakening_slip_m, 0.0, 1e6)                                                                \
    ROW(turbulence_mps2, 0.0, 1e9)

// The law with the friction and the rebound that hold at this contact; needs w of the normal.
tal_law tal_law_now(const tal_law *law, const tal_contact_data *data, double w_normal);

// The numbers of the local problem; needs w. `room` is for what the contact has beyond dry friction, and is left
// alone if there is nothing.
void tal_law_prepare(const tal_law *law, const tal_contact_data *data, tal_contact *contact,
                     tal_law_more *room);

// The local problem with these numbers; needs w.
void tal_contact_set_law(tal_contact *contact, const tal_local_law *law, tal_law_more *room);

// The same contact with e = kn = kt = 0: the safe form in which energy provably does not rise.
void tal_law_prepare_inelastic(const tal_law *law, const tal_contact_data *data,
                               tal_contact *contact, tal_law_more *room);

// Normal velocity after an impact of rebound ratio e: such that the bodies rise as far as if the blow
// fell when the gap is closed and not up to a step earlier (docs/theory/solver.md, "Gaps").
double tal_law_rebound(const tal_contact_data *data, double e);

// Solves the local problem for `q`, the relative velocity without this contact's own percussion.
void tal_law_solve(tal_contact *contact, const double q[3], double percussion[3]);

// Natural-map residual (percussion) of R at relative velocity d, step rho.
void tal_law_residual(const tal_contact *contact, const double d[3], double rho,
                      double residual[3]);

// The word of the site file.
const char *tal_law_name(tal_law_kind kind);

// A two-sided constraint in place of a law: the relative velocity becomes `velocity` whatever
// percussion, of either sign, that takes. Without `tangents` only the normal component is held.
void tal_contact_hold(tal_contact *contact, const double velocity[3], bool tangents,
                      tal_law_more *more);

// What such a contact was made of.
static inline bool tal_hold_has_tangents(const tal_contact *contact) {
    return contact->more->slack == 0.0;
}
static inline bool tal_hold_is_one_sided(const tal_contact *contact) {
    return contact->more->floor == 0.0;
}
static inline void tal_hold_velocity(const tal_contact *contact, double velocity[3]) {
    velocity[0] = contact->bound;
    velocity[1] = -contact->more->slide[0];
    velocity[2] = -contact->more->slide[1];
}

#endif
