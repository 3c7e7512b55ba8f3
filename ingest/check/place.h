// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two surveys show the same place, once one was fitted to the other as well as it can be.
#ifndef TALUS_INGEST_CHECK_PLACE_H
#define TALUS_INGEST_CHECK_PLACE_H

#include "ingest/compare/comparison.h"

tal_status tal_check_place(tal_case *site, const tal_comparison *a, tal_error *err);

#endif
