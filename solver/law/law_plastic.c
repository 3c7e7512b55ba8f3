// SPDX-License-Identifier: GPL-3.0-or-later
// plastic: ground that yields. The harder the blow for its area, the smaller the share that comes back.
#include "solver/law/prepare.h"

extern const tal_law_traits tal_law_plastic;
const tal_law_traits tal_law_plastic = {TAL_MIXED_TRAITS, .restitution = tal_plastic_restitution};
