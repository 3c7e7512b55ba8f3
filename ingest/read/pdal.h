// SPDX-License-Identifier: GPL-3.0-or-later
// The bridge to PDAL: everything talus does not read itself (LAZ, COPC, E57, PLY ...) and PDAL's
// own ground filters. talus writes a pipeline, runs it, reads the LAS it produced and keeps the
// pipeline.
#ifndef TALUS_INGEST_READ_PDAL_H
#define TALUS_INGEST_READ_PDAL_H

#include "core/base/file.h"
#include "core/base/status.h"

typedef enum { TAL_PDAL_CONVERT, TAL_PDAL_SMRF, TAL_PDAL_CSF } tal_pdal_work;

// $TALUS_PDAL, else on the PATH, else in the private prefix beside the program or in $TALUS_PREFIX.
bool tal_pdal_find(char program[TAL_PATH_SIZE]);

// The one sentence for users without PDAL: `why` says what it is needed for.
tal_status tal_pdal_missing(const char *why, tal_error *err);

// Runs `input` through PDAL. `name` ("before_1") names DIR/pdal_NAME.json, which is kept, and
// DIR/pdal_NAME.las, whose path is returned and which the caller removes.
tal_status tal_pdal_run(const char *input, const char *folder, const char *name, tal_pdal_work work,
                        tal_overwrite overwrite, char las_path[TAL_PATH_SIZE], tal_error *err);

#endif
