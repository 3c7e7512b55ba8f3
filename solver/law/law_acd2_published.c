// SPDX-License-Identifier: GPL-3.0-or-later
// acd2-published: acd2 as printed in the thesis. It pulls while kn acts, and can create energy.
#include "solver/law/prepare.h"

static void prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                    tal_law_more *more) {
    (void)law;
    tal_prepare_dry(data, INFINITY, c, more);
    tal_add_dissipation(data, data->impact ? data->kn : 0.0, data->closing ? data->kt : 0.0, more);
    if (data->closing) {
        c->bound = 0.0;
        more->softness = data->kn > 0.0 ? 2.0 / data->kn : INFINITY;
        more->floor = data->kn > 0.0 ? -INFINITY : 0.0;
    } else {
        c->bound = -fmax(data->gap, 0.0) / data->dt;
    }
}

static void prepare_inelastic(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                              tal_law_more *more) {
    (void)law;
    tal_prepare_dry(data, 0.0, c, more);
}

extern const tal_law_traits tal_law_acd2_published;
const tal_law_traits tal_law_acd2_published = {
    .kn_acts = TAL_WHILE_CLOSING, .prepare = prepare, .prepare_inelastic = prepare_inelastic};
