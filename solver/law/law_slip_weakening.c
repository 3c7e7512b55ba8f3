// SPDX-License-Identifier: GPL-3.0-or-later
// slip-weakening: friction that falls with the way that the more worn of two bodies has slid
// (docs/theory/grounds.md (14)): joints lose their roughness, rock is ground up.
#include "solver/law/prepare.h"

#include <math.h>

static double friction(const tal_law *law, const tal_contact_data *data) {
    return law->friction_worn +
           (law->friction - law->friction_worn) * exp(-data->slid / law->weakening_slip_m);
}

extern const tal_law_traits tal_law_slip_weakening;
const tal_law_traits tal_law_slip_weakening = {TAL_MIXED_TRAITS, .wears = true, .needs_slip = true,
                                               .friction = friction};
