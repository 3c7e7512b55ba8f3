// SPDX-License-Identifier: GPL-3.0-or-later
// Stresses of blocks that deform, as run.nc has them.
#include "postproc/measure/stress_record.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <math.h>

void tal_stress_record_destroy(tal_stress_record *record) {
    tal_memory_destroy(record->tension_pa);
    tal_memory_destroy(record->time_s);
    tal_memory_destroy(record->place);
    tal_memory_destroy(record->joint_use);
    *record = (tal_stress_record){0};
}

static double attribute(tal_netcdf *file, const char *name) {
    tal_error unsaid = {0};
    double value = NAN;
    (void)tal_netcdf_get_real(file, NULL, name, &value, &unsaid);
    return value;
}

static const double TENSION_MAX_PA = 1e15;

static tal_status check_block(const tal_netcdf *file, const tal_stress_record *r, size_t b,
                              tal_error *err) {
    return isnan(r->tension_pa[b]) || (r->tension_pa[b] >= 0.0 && r->tension_pa[b] < TENSION_MAX_PA)
               ? TAL_OK
               : TAL_FAIL(
                     err, TAL_BAD_INPUT,
                     "%s: tension_max = %g Pa of block %zu cannot be: the file is damaged; run "
                     "talus-solve again",
                     file->path, r->tension_pa[b], b);
}

tal_status tal_stress_record_read(tal_stress_record *r, tal_netcdf *file, size_t block_count,
                                  const tal_origin *origin, tal_error *err) {
    if (!tal_netcdf_has(file, "tension_max")) {
        return TAL_OK;
    }
    const double shift[3] = {(double)origin->east, (double)origin->north, (double)origin->height};
    const double soft = attribute(file, "blocks_that_deform"),
                 missed = attribute(file, "blows_missed");
    TAL_CREATE(r->tension_pa, block_count, "stresses of blocks", err);
    TAL_CREATE(r->time_s, block_count, "stresses of blocks", err);
    TAL_CREATE(r->place, 3 * block_count, "stresses of blocks", err);
    TAL_TRY(tal_netcdf_get_doubles(file, "tension_max", r->tension_pa, block_count, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "tension_time", r->time_s, block_count, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "tension_place", r->place, 3 * block_count, err));
    if (tal_netcdf_has(file, "joint_use")) {
        TAL_CREATE(r->joint_use, block_count, "stresses of blocks", err);
        TAL_TRY(tal_netcdf_get_doubles(file, "joint_use", r->joint_use, block_count, err));
    }
    r->soft_count = soft >= 1.0 && soft <= (double)block_count ? (int32_t)soft : 0;
    r->missed_count = missed >= 1.0 && missed <= (double)block_count ? (int32_t)missed : 0;
    r->needed_dt_s = attribute(file, "blow_dt_needed_s");
    r->strength_pa = attribute(file, "tensile_strength_pa");
    const double cracked = attribute(file, "blocks_broken");
    r->cracked_count = cracked >= 1.0 && cracked <= (double)block_count ? (int32_t)cracked : 0;
    const double joints = attribute(file, "broken_along_joints");
    r->along_joints = joints >= 1.0 && joints <= cracked ? (int32_t)joints : 0;
    r->crack_area_m2 = attribute(file, "crack_area_m2");
    r->crack_energy_j = attribute(file, "crack_energy_j");
    for (size_t b = 0; b < block_count; b++) {
        TAL_TRY(check_block(file, r, b, err));
        r->broken_count += tal_stress_record_is_broken(r, (int32_t)b) ? 1 : 0;
        for (size_t k = 0; k < 3; k++) {
            r->place[3 * b + k] -= shift[k];
        }
    }
    (void)tal_text_copy(r->path, sizeof r->path, file->path);
    return TAL_OK;
}
