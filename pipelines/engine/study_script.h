// SPDX-License-Identifier: GPL-3.0-or-later
// The scripts of pipelines/engine/page, built into the programs.
#ifndef TALUS_PIPELINES_ENGINE_STUDY_SCRIPT_H
#define TALUS_PIPELINES_ENGINE_STUDY_SCRIPT_H

#include <stddef.h>

extern const unsigned char tal_script_study_js[];
extern const size_t tal_script_study_js_size;
extern const unsigned char tal_script_compare_js[];
extern const size_t tal_script_compare_js_size;

#endif
