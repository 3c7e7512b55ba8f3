// SPDX-License-Identifier: GPL-3.0-or-later
// libhdf5 crashes on some damaged files. One that nobody vouches for is read by a child first, which may.
#ifndef TALUS_CORE_GEO_HDF5_PROBE_H
#define TALUS_CORE_GEO_HDF5_PROBE_H

#include "core/base/status.h"

// Reads all of a file and returns 0 or what went wrong, a number up to 255.
typedef int tal_trial_reader(const char *path);

// What `reader` returned in a child; -1 if it crashed or did not come to an end.
tal_status tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code, tal_error *err);
// The error to end with then.
tal_status tal_hdf5_crashes(const char *path, tal_error *err);

#endif
