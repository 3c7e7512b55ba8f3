// SPDX-License-Identifier: GPL-3.0-or-later
// Points of a survey in the study's coordinates, kept in a file while the study looks at them again
// and again: parsing and reprojecting them once is enough. The file has no name, so that nothing is
// left of it however the program ends.
#ifndef TALUS_INGEST_READ_SCRATCH_H
#define TALUS_INGEST_READ_SCRATCH_H

#include "ingest/read/points.h"

typedef struct tal_scratch tal_scratch;

// In `folder`, which has room for 26 bytes a point.
tal_status tal_scratch_create(tal_scratch **scratch, const char *folder, tal_error *err);
void tal_scratch_destroy(tal_scratch *scratch);

tal_status tal_scratch_add(tal_scratch *scratch, const tal_points *points, tal_error *err);
// Back to the first point.
tal_status tal_scratch_rewind(tal_scratch *scratch, tal_error *err);
// The next points as they were added (none at the end).
tal_status tal_scratch_read(tal_scratch *scratch, tal_points *points, tal_error *err);

#endif
