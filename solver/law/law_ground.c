// SPDX-License-Identifier: GPL-3.0-or-later
// ground: rolling, scar and plastic at once; what is not wanted of them is left at 0.
#include "solver/law/prepare.h"

extern const tal_law_traits tal_law_ground;
const tal_law_traits tal_law_ground = {TAL_MIXED_TRAITS, .rolls = true, .scars = true,
                                       .friction = tal_scar_friction,
                                       .restitution = tal_plastic_restitution};
