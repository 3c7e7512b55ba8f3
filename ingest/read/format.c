// SPDX-License-Identifier: GPL-3.0-or-later
// The table of formats.
#define _POSIX_C_SOURCE 200809L
#include "ingest/read/format.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FORMAT_ROW(name) &tal_format_##name,
static const tal_format *const formats[] = {TAL_FORMATS(FORMAT_ROW)};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool ends_as(const tal_format *format, const char *path) {
    const char *dot = strrchr(tal_path_name(path), '.');
    for (int i = 0; dot != NULL && format->endings != NULL && format->endings[i] != NULL; i++) {
        if (strcasecmp(dot + 1, format->endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

const tal_format *tal_format_find(const char *path) {
    uint8_t head[TAL_FORMAT_HEAD];
    FILE *stream = fopen(path, "rb");
    const size_t count = stream != NULL ? fread(head, 1, sizeof head, stream) : 0;
    if (stream != NULL) {
        fclose(stream);
    }
    for (int i = 0; i < FORMATS; i++) {
        if (formats[i]->begins != NULL && formats[i]->begins(head, count)) {
            return formats[i];
        }
    }
    for (int i = 0; i < FORMATS; i++) {
        if (ends_as(formats[i], path)) {
            return formats[i];
        }
    }
    return formats[FORMATS - 1];
}

tal_status tal_format_refuse(const char *path, const char *reason, tal_error *err) {
    tal_text names = {0};
    for (int i = 0; i < FORMATS; i++) {
        tal_text_append(&names, "%s%s", i == 0 ? "" : ", nor ", formats[i]->meaning);
        for (int k = 0; i > 0 && formats[i]->endings != NULL && formats[i]->endings[k] != NULL;
             k++) {
            tal_text_append(&names, "%s%s", k == 0 ? " (" : " ", formats[i]->endings[k]);
        }
        tal_text_append(&names, "%s", i > 0 && formats[i]->endings != NULL ? ")" : "");
    }
    const tal_status status =
        TAL_FAIL(err, TAL_BAD_INPUT, "%s is neither %s: %s", path, tal_text_string(&names), reason);
    tal_text_destroy(&names);
    return status;
}

tal_status tal_file_header_set_crs(tal_file_header *header, const char *definition,
                                   tal_error *err) {
    if (definition == NULL || definition[0] == '\0') {
        return TAL_OK;
    }
    TAL_CREATE(header->crs_definition, strlen(definition) + 1, "a coordinate system", err);
    memcpy(header->crs_definition, definition, strlen(definition) + 1);
    return TAL_OK;
}
