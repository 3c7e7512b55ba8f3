// SPDX-License-Identifier: GPL-3.0-or-later
// Volumes of the parts of a source or deposit, each with the interval that the whole gets.
#ifndef TALUS_INGEST_VOLUME_PARTS_H
#define TALUS_INGEST_VOLUME_PARTS_H

#include "core/geometry/components.h"
#include "ingest/compare/comparison.h"

// `label` numbers the cells of the outline by their part, 1 .. part_count, 0 outside. `volumes` has
// part_count + 1 entries, from index 1. Every cell that counts for the whole counts for one part,
// so the volumes add up to that of the whole.
tal_status tal_parts_measure(const tal_comparison *comparison, const int32_t *label,
                             int32_t part_count, double sign, tal_volume_estimate *volumes,
                             tal_error *err);

// What columns on the cells of the parts hold, taken as exact: intervals without width.
void tal_parts_sum_columns(const tal_grid *grid, const tal_components *parts, const float *columns,
                           tal_volume_estimate *volumes);

// Gives such volumes the interval that follows from drawing them on cells: every cell of their rim may
// lie inside by any share.
void tal_parts_widen_by_rim(const tal_grid *grid, const tal_components *parts, const float *columns,
                            tal_volume_estimate *volumes);

// As tal_parts_measure, for parts on the vertical grid whose volume was found in the cliff frame:
// each cell of the face goes to the part that lies nearest in plan. Areas, thicknesses and volumes
// are those of the vertical columns (tal_cliff_columns, fitted to the volume), intervals as wide as
// the face has them.
tal_status tal_parts_measure_cliff(const tal_comparison *cliff, const tal_grid *grid,
                                   const tal_components *parts, const float *columns, double sign,
                                   tal_volume_estimate *volumes, tal_error *err);

#endif
