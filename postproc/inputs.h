// SPDX-License-Identifier: GPL-3.0-or-later
// Files that earlier stages left.
#ifndef TALUS_POSTPROC_INPUTS_H
#define TALUS_POSTPROC_INPUTS_H

#include "core/app/provenance.h"

typedef struct {
    const char *name, *maker; // file, and the program that writes it; NULL: it may be missing
} tal_input_file;

// Every file that is missing is named, at once.
void tal_inputs_check(const char *folder, const tal_input_file *file, size_t count, tal_error *err);

// Those that are there.
tal_status tal_inputs_add(tal_provenance *provenance, const char *folder,
                          const tal_input_file *file, size_t count, tal_error *err);

#endif
