// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzing of readers whose library may crash on a damaged file, which the product survives by trying the file in
// a child first (core/geo/hdf5_probe.h). A fork for every file would take ten times as long as the file.
#ifndef TALUS_TESTS_SUPPORT_WATCHED_H
#define TALUS_TESTS_SUPPORT_WATCHED_H

#include <stddef.h>
#include <stdint.h>

// To be called at the end of LLVMFuzzerInitialize: the fuzzing goes on in a child, which is started again when
// the library crashed. A finding in our own code ends it. Linked with --wrap=tal_hdf5_probe, after which files
// are tried in the process itself.
void watched_begin(int *argc, char ***argv);
// To be called with every input, before and after it is read.
void watched_try(const uint8_t *data, size_t size);
void watched_end_try(void);

#endif
