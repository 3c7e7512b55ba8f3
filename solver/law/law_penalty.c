// SPDX-License-Identifier: GPL-3.0-or-later
// penalty: spring and dashpot, dry friction. Implicit: force -k (gap + dt d_N+) - c d_N+ over dt.
#include "solver/law/prepare.h"

static void prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                    tal_law_more *more) {
    tal_prepare_dry(data, law->friction, c, more);
    const double hardness = data->dt * (data->dt * data->stiffness + data->damping);
    c->bound = -INFINITY;
    more->softness = hardness > 0.0 ? 1.0 / hardness : INFINITY;
    more->pull = hardness > 0.0 ? -data->dt * data->stiffness * data->gap / hardness : 0.0;
}

extern const tal_law_traits tal_law_penalty;
const tal_law_traits tal_law_penalty = {
    .is_spring = true, .needs_stiffness = true, .prepare = prepare, .prepare_inelastic = prepare};
