// SPDX-License-Identifier: GPL-3.0-or-later
// The committed site files as bytes; site_files.c is made from them by CMakeLists.txt.
#ifndef TALUS_DATASETS_SITE_FILES_H
#define TALUS_DATASETS_SITE_FILES_H

#include <stddef.h>

extern const unsigned char tal_site_file_piton_marcel[];
extern const size_t tal_site_file_piton_marcel_size;
extern const unsigned char tal_calibration_piton_marcel[]; // its calibrate.json
extern const size_t tal_calibration_piton_marcel_size;
extern const unsigned char tal_site_file_slope[];
extern const size_t tal_site_file_slope_size;

#endif
