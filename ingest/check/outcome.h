// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of what was found: whether a rockfall can have done it.
#ifndef TALUS_INGEST_CHECK_OUTCOME_H
#define TALUS_INGEST_CHECK_OUTCOME_H

#include "ingest/compare/comparison.h"

// Exchanged epochs, change outside of source and deposit that noise does not explain, noise of one
// epoch, mass balance, parts that were not seen, change that leaves the data, and where nothing was
// found, what would have been. `source` and `deposit` are the volumes that count.
tal_status tal_check_outcome(tal_case *site, const tal_comparison *vertical,
                             const tal_volume_estimate *source, const tal_volume_estimate *deposit,
                             tal_error *err);

#endif
