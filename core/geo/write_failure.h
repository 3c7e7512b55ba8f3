// SPDX-License-Identifier: GPL-3.0-or-later
// One sentence for a write that a geodata library could not do. Private to core/geo.
#ifndef TALUS_CORE_GEO_WRITE_FAILURE_H
#define TALUS_CORE_GEO_WRITE_FAILURE_H

#include "core/base/status.h"

// "PATH: cannot write WHAT: WHY", and what to do about it when the disk is full: the libraries
// themselves seldom say so.
tal_status tal_write_failed(tal_error *err, const char *path, const char *what, const char *why);

#endif
