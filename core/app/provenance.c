// SPDX-License-Identifier: GPL-3.0-or-later
// Where a result comes from. SHA-256 by nettle.
#include "core/app/provenance.h"

#include "core/app/program.h"
#include "core/base/memory.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

static void digest_text(struct sha256_ctx *context, char text[TAL_SHA256_TEXT_SIZE]) {
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
}

void tal_sha256_bytes(const void *bytes, size_t count, char text[TAL_SHA256_TEXT_SIZE]) {
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, count, bytes);
    digest_text(&context, text);
}

tal_status tal_sha256_file(const char *path, char text[TAL_SHA256_TEXT_SIZE], tal_error *err) {
    TAL_TRY(tal_file_check_readable(path, err));
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return TAL_FAIL(err, TAL_IO, "%s: cannot read: %s", path, strerror(errno));
    }
    struct sha256_ctx context;
    sha256_init(&context);
    uint8_t buffer[65536];
    for (size_t count = 0; (count = fread(buffer, 1, sizeof buffer, stream)) > 0;) {
        sha256_update(&context, count, buffer);
    }
    const bool failed = ferror(stream) != 0;
    fclose(stream);
    if (failed) {
        return TAL_FAIL(err, TAL_IO, "%s: cannot read: %s", path, strerror(errno));
    }
    digest_text(&context, text);
    return TAL_OK;
}

tal_status tal_provenance_create(tal_provenance *provenance, const char *program,
                                 const tal_settings *settings, unsigned stages, tal_error *err) {
    *provenance = (tal_provenance){.program = program};
    tal_text text = {0};
    tal_settings_write(settings, stages, TAL_SETTINGS_PORTABLE, &text);
    if (text.failed) {
        tal_text_destroy(&text);
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the record of settings");
    }
    provenance->settings = text.bytes;
    return TAL_OK;
}

tal_status tal_provenance_add_input(tal_provenance *provenance, const char *path, tal_error *err) {
    if (provenance->input_count == TAL_PROVENANCE_INPUTS_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: more than %d input files", path,
                        TAL_PROVENANCE_INPUTS_MAX);
    }
    tal_provenance_input *input = &provenance->input[provenance->input_count];
    TAL_TRY(tal_sha256_file(path, input->sha256, err));
    snprintf(input->name, sizeof input->name, "%s", tal_path_name(path));
    provenance->input_count++;
    return TAL_OK;
}

void tal_provenance_destroy(tal_provenance *provenance) {
    if (provenance != NULL) {
        tal_memory_destroy(provenance->settings);
        *provenance = (tal_provenance){0};
    }
}

cJSON *tal_provenance_json(const tal_provenance *provenance) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "program", provenance->program);
    cJSON_AddStringToObject(root, "version", tal_version);
    cJSON_AddStringToObject(root, "settings",
                            provenance->settings != NULL ? provenance->settings : "");
    cJSON *inputs = cJSON_AddArrayToObject(root, "inputs");
    for (int i = 0; i < provenance->input_count; i++) {
        cJSON *input = cJSON_CreateObject();
        cJSON_AddStringToObject(input, "name", provenance->input[i].name);
        cJSON_AddStringToObject(input, "sha256", provenance->input[i].sha256);
        cJSON_AddItemToArray(inputs, input);
    }
    return root;
}

char *tal_provenance_text(const tal_provenance *provenance) {
    cJSON *root = tal_provenance_json(provenance);
    char *text = root != NULL ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    return text;
}
