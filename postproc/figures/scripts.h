// SPDX-License-Identifier: GPL-3.0-or-later
// The files of figures/scripts, built into the program.
#ifndef TALUS_POSTPROC_FIGURES_SCRIPTS_H
#define TALUS_POSTPROC_FIGURES_SCRIPTS_H

#include <stddef.h>

typedef struct {
    const char *name;
    const unsigned char *text; // ended by '\0'
} tal_script_file;

extern const tal_script_file tal_script_files[];
extern const size_t tal_script_file_count;

#endif
