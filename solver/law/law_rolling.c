// SPDX-License-Identifier: GPL-3.0-or-later
// rolling: acd2+coulomb, and a moment that resists rolling up to its own cone (percussion/roll.h).
#include "solver/law/prepare.h"

extern const tal_law_traits tal_law_rolling;
const tal_law_traits tal_law_rolling = {TAL_MIXED_TRAITS, .rolls = true};
