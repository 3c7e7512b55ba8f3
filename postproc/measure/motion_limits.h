// SPDX-License-Identifier: GPL-3.0-or-later
// What no rock does, and single precision would no longer resolve.
#ifndef TALUS_POSTPROC_MEASURE_MOTION_LIMITS_H
#define TALUS_POSTPROC_MEASURE_MOTION_LIMITS_H

#define TAL_POSITION_MAX_M 1e6 // from the origin of the site
#define TAL_SPEED_MAX_MPS  1e4
#define TAL_SPIN_MAX_RADPS 1e6
#define TAL_TIME_MAX_S     1e6
#define TAL_MASS_MAX_KG    1e15 // of all the rock of the largest slides
#define TAL_ENERGY_MAX_J   (TAL_MASS_MAX_KG * TAL_SPEED_MAX_MPS * TAL_SPEED_MAX_MPS)

#endif
