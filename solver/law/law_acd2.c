// SPDX-License-Identifier: GPL-3.0-or-later
// acd2: Fremond's dissipative percussions, one-sided. No cone: kt is a viscous friction.
#include "solver/law/prepare.h"

static void prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                    tal_law_more *more) {
    tal_prepare_dry(data, INFINITY, c, more);
    tal_add_dissipation(data, data->impact ? data->kn : 0.0, data->closing ? data->kt : 0.0, more);
    if (data->impact) {
        tal_set_rebound(law, data, more);
    }
}

static void prepare_inelastic(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                              tal_law_more *more) {
    (void)law;
    tal_prepare_dry(data, 0.0, c, more);
}

extern const tal_law_traits tal_law_acd2;
const tal_law_traits tal_law_acd2 = {.rebounds = true,
                                     .kn_acts = TAL_WHILE_CLOSING,
                                     .clausius_duhem = TAL_ALWAYS,
                                     .prepare = prepare,
                                     .prepare_inelastic = prepare_inelastic};
