// SPDX-License-Identifier: GPL-3.0-or-later
// scar: soft ground (Leine and others 2014). Friction grows along the scar that a rock digs, is forgotten in
// flight, and the ground drags at what touches it (motion/trail.h).
#include "solver/law/prepare.h"

extern const tal_law_traits tal_law_scar;
const tal_law_traits tal_law_scar = {TAL_MIXED_TRAITS, .scars = true,
                                     .friction = tal_scar_friction};
