// SPDX-License-Identifier: GPL-3.0-or-later
// speed-weakening: friction that falls with the speed of sliding (Lucas, Mangeney and Ampuero 2014;
// docs/theory/grounds.md (13)). Taken at the velocity before the percussion: it changes by little in a step.
// With turbulence_mps2 the ground drags as well (motion/trail.h).
#include "solver/law/prepare.h"

#include <math.h>

static double friction(const tal_law *law, const tal_contact_data *data) {
    const double speed = hypot(data->before[1], data->before[2]);
    const double drop = law->friction - law->friction_fast;
    return law->friction_fast +
           drop * law->weakening_speed_mps / (law->weakening_speed_mps + speed);
}

extern const tal_law_traits tal_law_speed_weakening;
const tal_law_traits tal_law_speed_weakening = {TAL_MIXED_TRAITS, .needs_speed = true,
                                                .is_turbulent = true, .friction = friction};
