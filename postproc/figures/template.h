// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts with placeholders. In a script (figures/scripts, built into the program)
//   {{name}}         is replaced by a value; one without a value is an error
//   {{?name}}line    keeps the line where the value is there and not empty, {{!name}} where it is not
//   {{+name}}        is replaced by the file name.part
//   {{#}}line        is a remark that is left out
#ifndef TALUS_POSTPROC_FIGURES_TEMPLATE_H
#define TALUS_POSTPROC_FIGURES_TEMPLATE_H

#include "core/base/status.h"
#include "core/base/text.h"

enum { TAL_TEMPLATE_VALUES_MAX = 40, TAL_TEMPLATE_VALUE_SIZE = 256 };

typedef struct {
    int count;
    struct {
        const char *name; // not copied
        char text[TAL_TEMPLATE_VALUE_SIZE];
    } value[TAL_TEMPLATE_VALUES_MAX];
} tal_template_values; // starts as {0}

void tal_template_set(tal_template_values *values, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A built-in file by its name ("map.sh", "begin.part"), or NULL.
const char *tal_script_find(const char *name);

// Appends the script with its placeholders replaced; `file` is its name for messages.
tal_status tal_template_expand(tal_text *text, const char *script, const char *file,
                               const tal_template_values *values, tal_error *err);
// The same for a sentence.
tal_status tal_template_expand_line(tal_text *text, const char *line, size_t length,
                                    const char *where, const tal_template_values *values,
                                    tal_error *err);

#endif
