// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts with placeholders, line by line.
#include "postproc/figures/template.h"

#include "postproc/figures/scripts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tal_template_set(tal_template_values *values, const char *name, const char *format, ...) {
    TAL_ASSERT(values->count < TAL_TEMPLATE_VALUES_MAX);
    va_list list;
    va_start(list, format);
    values->value[values->count].name = name;
    (void)vsnprintf(values->value[values->count].text, TAL_TEMPLATE_VALUE_SIZE, format, list);
    va_end(list);
    values->count++;
}

const char *tal_script_find(const char *name) {
    for (size_t i = 0; i < tal_script_file_count; i++) {
        if (strcmp(tal_script_files[i].name, name) == 0) {
            return (const char *)tal_script_files[i].text;
        }
    }
    return NULL;
}

// NULL where there is none.
static const char *find_value(const tal_template_values *values, const char *name, size_t length) {
    for (int i = 0; i < values->count; i++) {
        if (strlen(values->value[i].name) == length &&
            memcmp(values->value[i].name, name, length) == 0) {
            return values->value[i].text;
        }
    }
    return NULL;
}

// The first "{{" in the line, or its end.
static const char *find_mark(const char *from, const char *end) {
    for (const char *c = from; c + 1 < end; c++) {
        if (c[0] == '{' && c[1] == '{') {
            return c;
        }
    }
    return end;
}

// A mark at `*at` is taken in: its name, and `*at` behind its end. False when it does not end.
static bool take_mark(const char **at, const char *end, const char **name, size_t *length) {
    for (const char *c = *at + 2; c + 1 < end; c++) {
        if (c[0] == '}' && c[1] == '}') {
            *name = *at + 2;
            *length = (size_t)(c - *name);
            *at = c + 2;
            return true;
        }
    }
    return false;
}

tal_status tal_template_expand_line(tal_text *text, const char *line, size_t length,
                                    const char *where, const tal_template_values *values,
                                    tal_error *err) {
    const char *at = line, *end = line + length;
    while (at < end) {
        const char *mark = find_mark(at, end), *name = NULL;
        size_t size = 0;
        tal_text_append_bytes(text, at, (size_t)(mark - at));
        at = mark;
        if (at == end) {
            break;
        }
        if (!take_mark(&at, end, &name, &size)) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: a placeholder does not end", where);
        }
        const char *value = find_value(values, name, size);
        if (value == NULL) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: {{%.*s}} has no value", where, (int)size,
                            name);
        }
        tal_text_append(text, "%s", value);
    }
    return TAL_OK;
}

static tal_status expand_part(tal_text *text, const char *name, size_t length, const char *where,
                              const tal_template_values *values, tal_error *err) {
    char part[64];
    (void)snprintf(part, sizeof part, "%.*s.part", (int)length, name);
    const char *script = tal_script_find(part);
    if (script == NULL) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: there is no %s", where, part);
    }
    return tal_template_expand(text, script, part, values, err);
}

// What a line's first mark asks for; `*line` moves behind it where it is a condition.
typedef enum { LINE_STAYS, LINE_GOES, LINE_IS_PART } line_kind;

static line_kind kind_of(const char **line, const char *end, const tal_template_values *values,
                         const char **name, size_t *length) {
    const char *behind = *line;
    if (find_mark(*line, end) != *line || !take_mark(&behind, end, name, length) || *length == 0) {
        return LINE_STAYS;
    }
    const char first = **name;
    if (first == '#') {
        return LINE_GOES;
    }
    if (first != '+' && first != '?' && first != '!') {
        return LINE_STAYS;
    }
    (*name)++;
    (*length)--;
    if (first == '+') {
        return LINE_IS_PART;
    }
    const char *value = find_value(values, *name, *length);
    *line = behind;
    return (value != NULL && value[0] != '\0') == (first == '?') ? LINE_STAYS : LINE_GOES;
}

tal_status tal_template_expand(tal_text *text, const char *script, const char *file,
                               const tal_template_values *values, tal_error *err) {
    int number = 0;
    for (const char *line = script; *line != '\0';) {
        const char *end = strchr(line, '\n'), *name = NULL;
        end = end != NULL ? end : line + strlen(line);
        const char *next = *end == '\n' ? end + 1 : end;
        size_t length = 0;
        char where[96];
        (void)snprintf(where, sizeof where, "figures/scripts/%s:%d", file, ++number);
        switch (kind_of(&line, end, values, &name, &length)) {
        case LINE_IS_PART:
            TAL_TRY(expand_part(text, name, length, where, values, err));
            break;
        case LINE_STAYS:
            TAL_TRY(
                tal_template_expand_line(text, line, (size_t)(next - line), where, values, err));
            break;
        case LINE_GOES:
            break;
        }
        line = next;
    }
    return TAL_OK;
}
