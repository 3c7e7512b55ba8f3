// SPDX-License-Identifier: GPL-3.0-or-later
// What the solver recorded of blocks that deform: the largest tensile stress of each (run.nc).
#ifndef TALUS_POSTPROC_MEASURE_STRESS_RECORD_H
#define TALUS_POSTPROC_MEASURE_STRESS_RECORD_H

#include "core/geo/crs.h"
#include "core/geo/netcdf_file.h"

typedef struct {
    int32_t soft_count; // blocks that deform; 0: none, and nothing below is there
    int32_t missed_count;
    double needed_dt_s;    // step that would have resolved the blows that were missed
    double strength_pa;    // NaN: not asked for
    int32_t broken_count;  // blocks above it, or above the strength of a joint
    int32_t along_joints;  // of those that broke
    int32_t cracked_count; // blocks and pieces that broke in the run
    double crack_area_m2, crack_energy_j;
    double *tension_pa, *time_s; // per block; NaN: not given
    double *joint_use;           // tension across a joint over its strength; NULL: no joints
    double *place;               // 3 per block, metres from the origin
    char path[TAL_PATH_SIZE];    // of run.nc
} tal_stress_record;

// `record` stays {0} where run.nc knows no stresses.
tal_status tal_stress_record_read(tal_stress_record *record, tal_netcdf *file, size_t block_count,
                                  const tal_origin *origin, tal_error *err);
void tal_stress_record_destroy(tal_stress_record *record);

static inline bool tal_stress_record_is_broken(const tal_stress_record *record, int32_t block) {
    return record->soft_count > 0 &&
           (record->tension_pa[block] > record->strength_pa ||
            (record->joint_use != NULL && record->joint_use[block] > 1.0));
}

#endif
