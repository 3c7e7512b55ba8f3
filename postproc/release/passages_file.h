// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rocks that really passed a target: heights, velocities, energies.
#ifndef TALUS_POSTPROC_RELEASE_PASSAGES_FILE_H
#define TALUS_POSTPROC_RELEASE_PASSAGES_FILE_H

#include "core/base/settings.h"
#include "postproc/release/targets.h"

typedef struct {
    size_t count[TAL_AT_QUANTITIES];
    double *value[TAL_AT_QUANTITIES];
} tal_passages;

// The tables of one [target.NAME] observed, by the names of columns that crossings.csv has. What is no number
// is named by file and line.
tal_status tal_passages_read(tal_passages *passages, const tal_settings *settings,
                             const char *files, tal_error *err);
void tal_passages_destroy(tal_passages *passages);

#endif
