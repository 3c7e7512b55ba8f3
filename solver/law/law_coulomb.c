// SPDX-License-Identifier: GPL-3.0-or-later
// coulomb: Moreau-Jean. Newton restitution at impacts, dry friction, cohesion if asked for.
#include "solver/law/prepare.h"

static bool can_raise_energy(const tal_law *law) {
    return law->restitution > 0.0;
}

static void prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                    tal_law_more *more) {
    tal_prepare_dry(data, law->friction, c, more);
    if (data->impact) {
        c->bound = tal_law_rebound(data, law->restitution);
    }
}

static void prepare_inelastic(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                              tal_law_more *more) {
    tal_prepare_dry(data, law->friction, c, more);
}

extern const tal_law_traits tal_law_coulomb;
const tal_law_traits tal_law_coulomb = {.has_dry_friction = true,
                                        .rebounds = true,
                                        .can_raise_energy = can_raise_energy,
                                        .prepare = prepare,
                                        .prepare_inelastic = prepare_inelastic};
