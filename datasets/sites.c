// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded sites. Figures of the surveys: León 2016, chapter 6.2.1, gives heights to 0.05 m
// and plan to 0.4 m or better for airborne surveys of that time; the rest is usual practice.
#include "datasets/sites.h"

#include "datasets/site_files.h"

#include <string.h>

const char *const tal_site_names[] = {"piton-marcel", "slope", NULL};

static const tal_site SITES[] = {
    {.name = "piton-marcel",
     .kind = TAL_SITE_PITON_MARCEL,
     .about = "Synthetic: terrain, scar, deposit and both surveys are drawn from published figures "
              "of the 2010 collapse. Nothing here was measured.",
     .file_name = {"before.las", "after.las"},
     .points_per_m2 = {2.0, 6.0},
     .day = {74, 134},
     .year = {2010, 2010},
     // An aircraft high above, across the valley.
     .survey = {{.name = "before",
                 .strip_count = 3,
                 .heading_deg = 172.0,
                 .strip_spacing_m = 330.0,
                 .altitude_m = 1650.0,
                 .speed_mps = 65.0,
                 .gps_start_s = -47303185.0,
                 .half_angle_deg = 18.0,
                 .forward_deg = 0.0,
                 .line_m = 0.98,
                 .pulse_deg = 0.062,
                 .through_crown = 0.52,
                 .stray_share = 1.5e-4,
                 .plan_sigma_m = 0.30,
                 .height_sigma_m = 0.05,
                 .strip_plan_sigma_m = 0.06,
                 .strip_height_sigma_m = 0.03,
                 .drift_m = 0.02,
                 .drift_length_m = 410.0,
                 .shift_m = {0.0, 0.0, 0.0},
                 .classified = false},
                // A helicopter low above, along the valley, looking ahead: strips flown down the
                // valley see the cliff from behind.
                {.name = "after",
                 .strip_count = 5,
                 .heading_deg = 78.0,
                 .strip_spacing_m = 120.0,
                 .altitude_m = 980.0,
                 .speed_mps = 25.0,
                 .gps_start_s = -42119185.0,
                 .half_angle_deg = 28.0,
                 .forward_deg = 12.0,
                 .line_m = 0.73,
                 .pulse_deg = 0.110,
                 .through_crown = 0.60,
                 .stray_share = 1.0e-4,
                 .plan_sigma_m = 0.20,
                 .height_sigma_m = 0.05,
                 .strip_plan_sigma_m = 0.05,
                 .strip_height_sigma_m = 0.03,
                 .drift_m = 0.02,
                 .drift_length_m = 290.0,
                 .shift_m = {0.42, -0.31, 0.18},
                 .classified = true}},
     .site_file = tal_site_file_piton_marcel,
     .site_file_size = &tal_site_file_piton_marcel_size,
     .calibration = tal_calibration_piton_marcel,
     .calibration_size = &tal_calibration_piton_marcel_size},
    {.name = "slope",
     .kind = TAL_SITE_SLOPE,
     .about = "Synthetic: a plane slope that runs out on a flat, a knob of 40 cubic metres that "
              "fell from it, and two drone surveys. No such place exists.",
     .file_name = {"before.xyz", "after.las"},
     .points_per_m2 = {6.0, 8.0},
     .day = {74, 134},
     .year = {2010, 2010},
     .survey = {{.name = "slope-before",
                 .strip_count = 2,
                 .heading_deg = 0.0,
                 .strip_spacing_m = 30.0,
                 .altitude_m = 430.0,
                 .speed_mps = 5.0,
                 .gps_start_s = -47303185.0,
                 .half_angle_deg = 24.0,
                 .forward_deg = 0.0,
                 .line_m = 0.48,
                 .pulse_deg = 0.337,
                 .plan_sigma_m = 0.02,
                 .height_sigma_m = 0.02,
                 .strip_height_sigma_m = 0.005},
                {.name = "slope-after",
                 .strip_count = 2,
                 .heading_deg = 0.0,
                 .strip_spacing_m = 30.0,
                 .altitude_m = 430.0,
                 .speed_mps = 5.0,
                 .gps_start_s = -42119185.0,
                 .half_angle_deg = 24.0,
                 .forward_deg = 0.0,
                 .line_m = 0.43,
                 .pulse_deg = 0.285,
                 .plan_sigma_m = 0.02,
                 .height_sigma_m = 0.02,
                 .strip_height_sigma_m = 0.005,
                 .shift_m = {0.15, -0.10, 0.08},
                 .classified = true}},
     .site_file = tal_site_file_slope,
     .site_file_size = &tal_site_file_slope_size},
};

const tal_site *tal_site_find(const char *name) {
    for (size_t i = 0; i < sizeof SITES / sizeof SITES[0]; i++) {
        if (strcmp(SITES[i].name, name) == 0) {
            return &SITES[i];
        }
    }
    return NULL;
}
