// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded sites: which ground, which two surveys, which files.
#ifndef TALUS_DATASETS_SITES_H
#define TALUS_DATASETS_SITES_H

#include "datasets/flight.h"
#include "datasets/site_ground.h"

typedef struct {
    const char *name; // also its folder below datasets/
    tal_site_kind kind;
    const char *about;              // one sentence for truth.json
    const char *file_name[2];       // by epoch; .las or .xyz
    tal_flight survey[2];           // by epoch
    double points_per_m2[2];        // what the surveys were planned for, by epoch
    uint16_t day[2], year[2];       // in the headers, by epoch
    const unsigned char *site_file; // text of the committed site file
    const size_t *site_file_size;
    const unsigned char *calibration; // text of the committed calibrate.json; NULL: none
    const size_t *calibration_size;
} tal_site;

// NULL when there is none of that name.
const tal_site *tal_site_find(const char *name);
// Ended by NULL.
extern const char *const tal_site_names[];

#endif
