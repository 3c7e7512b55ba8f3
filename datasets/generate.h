// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the files of an embedded site: two clouds, the site file, and the truth about them.
#ifndef TALUS_DATASETS_GENERATE_H
#define TALUS_DATASETS_GENERATE_H

#include "core/base/file.h"
#include "datasets/sites.h"

typedef struct {
    const tal_site *site;
    uint64_t seed;
    double density_scale;
    const char *folder;
    tal_overwrite overwrite;
} tal_generation;

tal_status tal_generate(const tal_generation *wanted, tal_error *err);

#endif
