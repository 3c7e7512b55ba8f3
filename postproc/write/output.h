// SPDX-License-Identifier: GPL-3.0-or-later
// Where and how results are written: shared by everything that writes.
#ifndef TALUS_POSTPROC_WRITE_OUTPUT_H
#define TALUS_POSTPROC_WRITE_OUTPUT_H

#include "core/app/program.h"
#include "core/app/provenance.h"
#include "core/base/text.h"

#include <cjson/cJSON.h>

typedef struct {
    const char *folder;
    tal_overwrite overwrite;
    const tal_settings *settings;
    char *provenance;       // JSON on one line
    cJSON *provenance_json; // the same as a tree
} tal_output_place;

// The output folder of an invocation, which outlives it.
tal_status tal_output_place_create(tal_output_place *place, const tal_invocation *invocation,
                                   const tal_provenance *provenance, tal_error *err);
void tal_output_place_destroy(tal_output_place *place);

// The path of `name` in the output folder.
tal_status tal_output_path(const tal_output_place *place, const char *name,
                           char path[TAL_PATH_SIZE], tal_error *err);
tal_status tal_output_write_text(const tal_output_place *place, const char *name, const char *text,
                                 size_t length, tal_error *err);
// The same with a text that was put together, which ended with `status`: the text is destroyed.
tal_status tal_output_write_made(const tal_output_place *place, const char *name, tal_text *text,
                                 tal_status status, tal_error *err);

#endif
