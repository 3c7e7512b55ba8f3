// SPDX-License-Identifier: GPL-3.0-or-later
// JSON files by cJSON.
#include "core/app/json.h"

#include "core/app/results.h"
#include "core/base/memory.h"

#include <math.h>
#include <string.h>

static int line_of(const char *text, const char *position) {
    int line = 1;
    for (const char *c = text; c < position && *c != '\0'; c++) {
        line += *c == '\n' ? 1 : 0;
    }
    return line;
}

tal_status tal_json_read(const char *path, cJSON **root, tal_error *err) {
    char *text = NULL;
    size_t length = 0;
    TAL_TRY(tal_results_check_file(path, NULL, err));
    TAL_TRY(tal_file_read(path, &text, &length, err));
    const char *end = text;
    *root = cJSON_ParseWithOpts(text, &end, 1);
    tal_status status = TAL_OK;
    if (*root == NULL) {
        status = TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: not valid JSON", path, line_of(text, end));
    }
    tal_memory_destroy(text);
    return status;
}

tal_status tal_json_write(const char *path, const cJSON *root, tal_overwrite overwrite,
                          tal_error *err) {
    char *text = cJSON_Print(root);
    if (text == NULL) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory to write %s", path);
    }
    tal_output output;
    tal_status status = tal_output_open(&output, path, overwrite, err);
    if (status == TAL_OK) {
        tal_output_write(&output, text, strlen(text));
        tal_output_write(&output, "\n", 1);
        status = tal_output_commit(&output, err);
    }
    cJSON_free(text);
    return status;
}

tal_status tal_json_number(const cJSON *root, const char *path, const char *file, double *value,
                           tal_error *err) {
    const cJSON *item = root;
    for (const char *name = path; item != NULL && *name != '\0';) {
        char part[128];
        const size_t length = strcspn(name, ".");
        if (length >= sizeof part) {
            item = NULL;
            break;
        }
        memcpy(part, name, length);
        part[length] = '\0';
        item = cJSON_GetObjectItemCaseSensitive(item, part);
        name += length + (name[length] == '.' ? 1 : 0);
    }
    if (!cJSON_IsNumber(item)) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "%s: the number %s is missing. Was it made by another version? Run the stage "
            "that writes it again",
            file, path);
    }
    *value = item->valuedouble;
    return TAL_OK;
}

void tal_json_add_number(cJSON *object, const char *name, double value) {
    if (isfinite(value)) {
        cJSON_AddNumberToObject(object, name, value);
    } else {
        cJSON_AddNullToObject(object, name);
    }
}
