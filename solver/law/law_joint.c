// SPDX-License-Identifier: GPL-3.0-or-later
// joint: two-sided. The normal gap closes within the step, and the points get the velocity asked for;
// percussions of either sign and any size see to it. A one-sided joint (a link with a gap) pushes only,
// and leaves free what is faster than asked.
#include "solver/law/law.h"

static void prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                    tal_law_more *more) {
    (void)law;
    const double velocity[3] = {data->hold[0] - data->gap / data->dt, data->hold[1], data->hold[2]};
    tal_contact_hold(c, velocity, !data->holds_normal_only, more);
    if (data->is_one_sided) {
        more->floor = 0.0;
    }
}

extern const tal_law_traits tal_law_joint;
const tal_law_traits tal_law_joint = {
    .is_joint = true, .prepare = prepare, .prepare_inelastic = prepare};
