// SPDX-License-Identifier: GPL-3.0-or-later
// Co-registration of the later ground to the earlier one on stable terrain: a shift after Nuth and
// Kaab (2011) for rasters, a robust point-to-plane fit with rotation for clouds.
#ifndef TALUS_INGEST_COMPARE_COREGISTER_H
#define TALUS_INGEST_COMPARE_COREGISTER_H

#include "ingest/compare/rigid.h"
#include "ingest/compare/statistics.h"
#include "ingest/ground/dem.h"

#include <stdint.h>

typedef struct {
    bool with_rotation;
    double slope_max_deg; // steeper cells do not take part
} tal_coregister_options;

typedef struct {
    tal_rigid motion;          // moves the later survey onto the earlier one
    double covariance[6][6];   // of (shift, angles), for independent cells
    double block_deviation[6]; // the same by leaving out blocks and bands of terrain: the largest
    int block_count;
    int rounds;
    bool converged;
    int64_t cell_count; // that took part
} tal_coregister_result;

// `stable` marks cells that did not move; NULL: all. Fails where too few of them have both surveys.
tal_status tal_coregister(const tal_dem *before, const tal_dem *after, const uint8_t *stable,
                          const tal_coregister_options *options, tal_coregister_result *result,
                          tal_error *err);

// after - before on the cells of `mask` (NULL: all) that both have.
tal_status tal_difference_statistics(const tal_dem *before, const tal_dem *after,
                                     const uint8_t *mask, tal_statistics *statistics,
                                     tal_error *err);

#endif
