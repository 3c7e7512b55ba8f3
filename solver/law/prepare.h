// SPDX-License-Identifier: GPL-3.0-or-later
// What laws are put together from: a rigid contact with dry friction, and dissipation by kn and kt.
#ifndef TALUS_SOLVER_LAW_PREPARE_H
#define TALUS_SOLVER_LAW_PREPARE_H

#include "solver/law/law.h"

#include "core/geometry/angle.h"

#include <math.h>

// The bound of the gap: the surfaces may close what is open, no more; a contact that opens already
// is not asked to open faster (docs/theory/solver.md, "Gaps").
static inline double tal_gap_bound(const tal_contact_data *data) {
    return -fmax(fmax(data->gap, 0.0) / tal_time_left(data), data->before[0]);
}

// One-sided and inelastic, with a friction cone (INFINITY: none; 0: no friction).
static inline void tal_prepare_dry(const tal_contact_data *data, double friction, tal_contact *c,
                                   tal_law_more *more) {
    c->bound = tal_gap_bound(data);
    c->friction = friction;
    c->inverse_normal = 1.0 / c->w[0];
    *more = tal_nothing_more;
    more->adhesion = data->adhesion;
}

// kn on x_N and kt on x_T, x = (d- + d+)/2: 2 x = d + d-, so kn x_N becomes d_N + d_N- over 2/kn.
static inline void tal_add_dissipation(const tal_contact_data *data, double kn, double kt,
                                       tal_law_more *more) {
    more->pull = -data->before[0];
    more->softness = kn > 0.0 ? 2.0 / kn : INFINITY;
    more->slack = kt > 0.0 ? 2.0 / kt : INFINITY;
    more->slide[0] = data->before[1];
    more->slide[1] = data->before[2];
}

// kn from the ratio makes a lone contact part with e v - (1 - e) a dt/2. This softness in its place
// makes it part with the velocity wanted; the pull stays -d_N-, so that R.x <= 0.
static inline void tal_set_rebound(const tal_law *law, const tal_contact_data *data,
                                   tal_law_more *more) {
    const double e = law->restitution, speed = -data->before[0];
    if (law->dissipation_in_kg || e == 1.0) {
        return;
    }
    const double after = fmin(tal_law_rebound(data, e), speed);
    const double hard = (after + speed - data->pull) / (1.0 + e); // over (v - after)/(1 - e)
    more->softness *= (speed - after) / ((1.0 - e) * hard);
}

// acd2 at impacts, cut at the friction cone; dry friction elsewhere. Laws of grounds and avalanches are
// this one with a friction and a rebound of the moment.
static inline void tal_prepare_mixed(const tal_law *law, const tal_contact_data *data,
                                     tal_contact *c, tal_law_more *more) {
    tal_prepare_dry(data, law->friction, c, more);
    if (data->impact) {
        tal_add_dissipation(data, data->kn, data->kt, more);
        tal_set_rebound(law, data, more);
    }
}

static inline void tal_prepare_mixed_inelastic(const tal_law *law, const tal_contact_data *data,
                                               tal_contact *c, tal_law_more *more) {
    tal_prepare_dry(data, law->friction, c, more);
}

static inline bool tal_mixed_can_raise_energy(const tal_law *law) {
    (void)law;
    return true;
}

// The traits that all of them share.
#define TAL_MIXED_TRAITS                                                                           \
    .has_dry_friction = true, .rebounds = true, .kn_acts = TAL_AT_IMPACTS,                         \
    .clausius_duhem = TAL_AT_IMPACTS, .can_raise_energy = tal_mixed_can_raise_energy,              \
    .prepare = tal_prepare_mixed, .prepare_inelastic = tal_prepare_mixed_inelastic

// docs/theory/grounds.md (6): friction that grows from `friction` to `friction_max` along a scar.
static inline double tal_scar_friction(const tal_law *law, const tal_contact_data *data) {
    const double share = 2.0 / TAL_PI * atan(law->scar_growth_per_m * data->scar);
    return law->friction + share * (law->friction_max - law->friction);
}

// docs/theory/grounds.md (10): rebound that falls with the energy of the blow over the section of the body.
static inline double tal_plastic_restitution(const tal_law *law, const tal_contact_data *data,
                                             double w_normal) {
    const double speed = fmin(data->before[0], 0.0), area = TAL_PI * data->radius * data->radius;
    const double energy = 0.5 * speed * speed / (w_normal * area);
    return law->plastic_energy_j_m2 > 0.0
               ? law->restitution / (1.0 + energy / law->plastic_energy_j_m2)
               : law->restitution;
}

#endif
