// SPDX-License-Identifier: GPL-3.0-or-later
// acd2+coulomb: acd2 at impacts, cut at the friction cone; dry friction elsewhere.
#include "solver/law/prepare.h"

extern const tal_law_traits tal_law_acd2_coulomb;
const tal_law_traits tal_law_acd2_coulomb = {TAL_MIXED_TRAITS};
