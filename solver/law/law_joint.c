// SPDX-License-Identifier: GPL-3.0-or-later
// joint: two-sided. The normal gap closes within the step, and the points do not slide; percussions of
// either sign and any size see to it.
#include "solver/law/law.h"

static void prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c) {
    (void)law;
    tal_contact_hold(c, (double[3]){-data->gap / data->dt, 0.0, 0.0}, true);
}

extern const tal_law_traits tal_law_joint;
const tal_law_traits tal_law_joint = {
    .is_joint = true, .prepare = prepare, .prepare_inelastic = prepare};
