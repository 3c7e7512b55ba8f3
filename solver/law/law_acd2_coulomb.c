// SPDX-License-Identifier: GPL-3.0-or-later
// acd2+coulomb: acd2 at impacts, cut at the friction cone; dry friction elsewhere.
#include "solver/law/prepare.h"

static bool can_raise_energy(const tal_law *law) {
    (void)law;
    return true;
}

static void prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c) {
    tal_prepare_dry(data, law->friction, c);
    if (data->impact) {
        tal_add_dissipation(data, data->kn, data->kt, c);
        tal_set_rebound(law, data, c);
    }
}

static void prepare_inelastic(const tal_law *law, const tal_contact_data *data, tal_contact *c) {
    tal_prepare_dry(data, law->friction, c);
}

extern const tal_law_traits tal_law_acd2_coulomb;
const tal_law_traits tal_law_acd2_coulomb = {.has_dry_friction = true,
                                             .rebounds = true,
                                             .kn_acts = TAL_AT_IMPACTS,
                                             .clausius_duhem = TAL_AT_IMPACTS,
                                             .can_raise_energy = can_raise_energy,
                                             .prepare = prepare,
                                             .prepare_inelastic = prepare_inelastic};
