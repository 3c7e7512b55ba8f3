// SPDX-License-Identifier: GPL-3.0-or-later
// The results of a stage appear together or not at all. Between begin and end every file written below
// the output folder lies in OUT/.STAGE.part; renaming that folder to OUT/.STAGE.ready is the moment at
// which the results are there. They are then moved to their places, by the next program that works in
// OUT if this one is killed. OUT/STAGE.sha256 lists what was written, as sha256sum does.
#ifndef TALUS_CORE_APP_RESULTS_H
#define TALUS_CORE_APP_RESULTS_H

#include "core/base/file.h"

// `stage` is "ingest", "mesh", "solve" or "post".
tal_status tal_results_begin(const char *folder, const char *stage, tal_error *err);
// With TAL_OK: puts all files in their places. Else: removes what was written. Returns `status`, or what
// went wrong.
tal_status tal_results_end(tal_status status, tal_error *err);

// Finishes what a killed program had ready in `folder`, and removes what it had not.
tal_status tal_results_recover(const char *folder, tal_error *err);

// A file that a stage has listed in its folder must be what was written. `*is_listed` (may be NULL) tells
// whether there was anything to compare with.
tal_status tal_results_check_file(const char *path, bool *is_listed, tal_error *err);

#endif
