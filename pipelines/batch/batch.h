// SPDX-License-Identifier: GPL-3.0-or-later
// Many sites times many settings: one table, one GeoPackage, one page.
#ifndef TALUS_PIPELINES_BATCH_BATCH_H
#define TALUS_PIPELINES_BATCH_BATCH_H

#include "pipelines/engine/csv.h"
#include "pipelines/engine/runner.h"

// Settings to combine with every site: a row each, a column per setting; the column `name`, if
// there is one, names the row.
typedef struct {
    tal_csv csv;
    int name_column; // -1: none
    int count;       // 1 without a table
} tal_variations;

tal_status tal_variations_read(tal_variations *variations, const char *path,
                               const tal_study_sites *sites, tal_error *err);
void tal_variations_destroy(tal_variations *variations);
void tal_variations_name(const tal_variations *variations, int row, char *name, size_t size);

// All runs of a batch, site by site.
typedef struct {
    const tal_study_sites *sites;
    const tal_variations *variations;
    const tal_run_answer *answer; // sites * variations
    tal_study_folder *study;
    int failed_count;
} tal_batch_runs;

tal_status tal_batch_write(const tal_batch_runs *batch, tal_error *err);

// Where a site is, by the outline of its source.
typedef struct {
    bool is_known;
    double degrees[2]; // longitude, latitude
} tal_batch_place;
// All sites in one GeoPackage; `place`, one per site, is told on the way.
tal_status tal_batch_write_package(const tal_batch_runs *batch, const char *path,
                                   tal_batch_place *place, tal_error *err);

#endif
