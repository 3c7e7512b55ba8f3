// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of how one survey was fitted to the other.
#ifndef TALUS_INGEST_CHECK_REGISTRATION_H
#define TALUS_INGEST_CHECK_REGISTRATION_H

#include "ingest/compare/comparison.h"

// Shift and rotation against that, a fit that did not settle, a shift that depends on the cells or on
// the terrain it was found on, a tilt that a shift cannot take away, little stable terrain.
tal_status tal_check_registration(tal_case *site, const tal_comparison *a, tal_error *err);

#endif
