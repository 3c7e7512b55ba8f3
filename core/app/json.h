// SPDX-License-Identifier: GPL-3.0-or-later
// JSON files by cJSON: read with the line of a mistake, written aside and renamed.
#ifndef TALUS_CORE_APP_JSON_H
#define TALUS_CORE_APP_JSON_H

#include "core/base/file.h"
#include "core/base/status.h"

#include <cjson/cJSON.h>

// One that a stage has listed must be what it wrote.
tal_status tal_json_read(const char *path, cJSON **root, tal_error *err);
tal_status tal_json_write(const char *path, const cJSON *root, tal_overwrite overwrite,
                          tal_error *err);

// A number that must be there: `path` is dotted, "source.volume_m3". `file` begins the message.
tal_status tal_json_number(const cJSON *root, const char *path, const char *file, double *value,
                           tal_error *err);
// NaN and infinities, which JSON does not have, become null.
void tal_json_add_number(cJSON *object, const char *name, double value);

#endif
