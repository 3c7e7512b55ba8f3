// SPDX-License-Identifier: GPL-3.0-or-later
// Where a result comes from: program, version, resolved settings, and the SHA-256 of every input.
// No clock, host, folder or thread count enters: the same study gives the same bytes anywhere.
#ifndef TALUS_CORE_APP_PROVENANCE_H
#define TALUS_CORE_APP_PROVENANCE_H

#include "core/base/settings.h"
#include "core/base/status.h"

#include <cjson/cJSON.h>

enum { TAL_SHA256_TEXT_SIZE = 65, TAL_PROVENANCE_INPUTS_MAX = 256 };

typedef struct {
    char name[256]; // last part of the path
    char sha256[TAL_SHA256_TEXT_SIZE];
} tal_provenance_input;

typedef struct {
    const char *program;
    char *settings; // as tal_settings_write prints them
    int input_count;
    tal_provenance_input input[TAL_PROVENANCE_INPUTS_MAX];
} tal_provenance;

void tal_sha256_bytes(const void *bytes, size_t count, char text[TAL_SHA256_TEXT_SIZE]);
tal_status tal_sha256_file(const char *path, char text[TAL_SHA256_TEXT_SIZE], tal_error *err);

tal_status tal_provenance_create(tal_provenance *provenance, const char *program,
                                 const tal_settings *settings, unsigned stages, tal_error *err);
tal_status tal_provenance_add_input(tal_provenance *provenance, const char *path, tal_error *err);
void tal_provenance_destroy(tal_provenance *provenance);

// As JSON: {"program", "version", "settings", "inputs": [{"name", "sha256"}]}. NULL without memory.
cJSON *tal_provenance_json(const tal_provenance *provenance);
// The same on one line, for an attribute; the caller frees it with cJSON_free.
char *tal_provenance_text(const tal_provenance *provenance);

#endif
