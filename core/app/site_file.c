// SPDX-License-Identifier: GPL-3.0-or-later
// The site file. libinih splits the lines; this file counts them (inih cuts long ones silently and
// reports the first bad one only), joins the lines of a list, and keeps going after a mistake.
#include "core/app/site_file.h"

#include "core/app/site_check.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

// inih holds 200 bytes of a line: a blank that says "goes on", the text, and the end.
enum { LINE_MAX_LENGTH = 198, KEYS_MAX = 1024, NAME_SIZE = LINE_MAX_LENGTH + 2 };

typedef struct {
    char section[NAME_SIZE];
    char key[NAME_SIZE];
    int line;
} seen_key;

typedef struct {
    tal_settings *settings;
    const char *path;
    unsigned stages;
    tal_error *err;
    int mistake_count;
    const char *cursor; // next unread byte
    int line;
    bool continues;         // the line handed to inih last goes on with the key above
    char header[NAME_SIZE]; // section being read; inih keeps 49 characters of it only
    // The key whose lines are being joined.
    bool has_pending;
    char section[NAME_SIZE];
    char key[NAME_SIZE];
    int pending_line;
    tal_text value;
    seen_key *seen;
    int seen_count;
} reader;

static void complain(reader *r, int line, const char *format, const char *what) {
    char message[512];
    r->mistake_count++;
    snprintf(message, sizeof message, format, what);
    tal_error_add(r->err, TAL_BAD_SETTING, "%s:%d: %s", r->path, line, message);
}

// Length of a line without its comment: # or ; at the start, after a blank, or where a value begins.
static size_t length_without_comment(const char *line, size_t length) {
    bool may_begin = true, in_value = false;
    for (size_t i = 0; i < length; i++) {
        if (may_begin && (line[i] == '#' || line[i] == ';')) {
            return i;
        }
        const bool separates = !in_value && (line[i] == '=' || line[i] == ':');
        may_begin = separates || isspace((unsigned char)line[i]);
        in_value = in_value || separates;
    }
    return length;
}

static bool pending_is_list(const reader *r) {
    const tal_setting *pending = r->has_pending ? tal_settings_find(r->section, r->key) : NULL;
    return pending != NULL && pending->kind == TAL_KIND_FILES;
}

// Does an indented line begin a new key, rather than go on with the value above?
static bool begins_key(const reader *r, const char *text) {
    if (!r->has_pending || strcspn(text, "=:") == strlen(text)) {
        return !r->has_pending;
    }
    if (!pending_is_list(r)) {
        return true;
    }
    char key[NAME_SIZE];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(text, "=: \t"), text);
    return tal_settings_find(r->section, key) != NULL;
}

// Remembers the section and complains about it here, so that an unknown one is named once, with the
// line of its header.
static void take_header(reader *r, const char *text) {
    const char *close = strchr(text, ']');
    if (close == NULL) {
        complain(r, r->line, "'%s' lacks its closing ]", text);
        close = text + strlen(text);
    } else if (close[1] != '\0') {
        complain(r, r->line, "'%s' must stand alone: keys go on the lines below", text);
    }
    const char *name = text + 1;
    while (name < close && isspace((unsigned char)*name)) {
        name++;
    }
    while (close > name && isspace((unsigned char)close[-1])) {
        close--;
    }
    snprintf(r->header, sizeof r->header, "%.*s", (int)(close - name), name);
    if (tal_settings_find_section(r->header) == NULL) {
        char where[TAL_PATH_SIZE + 16];
        snprintf(where, sizeof where, "%s:%d", r->path, r->line);
        tal_settings_set(r->settings, r->header, "", "", where, r->err);
        r->mistake_count++;
    }
}

// What inih would trip over, said with the line.
static bool line_is_broken(reader *r, const char *text, bool after_list) {
    if (strcspn(text, "=:") == strlen(text)) {
        complain(r, r->line,
                 after_list ? "'%s' is neither a [section] nor key = value; begin the line with a "
                              "space if it continues the list above"
                            : "'%s' is neither a [section] nor key = value",
                 text);
        return true;
    }
    if (*text == '=' || *text == ':') {
        complain(r, r->line, "'%s' has no key", text);
        return true;
    }
    return false;
}

static void finish_pending(reader *r);

// Hands a line to inih: a blank before it means that the value above goes on.
static void give_line(reader *r, char *target, const char *text, bool indented) {
    r->continues = indented && *text != '[' && !begins_key(r, text);
    if (r->continues) {
        snprintf(target, LINE_MAX_LENGTH + 2, " %s", text);
        return;
    }
    const bool after_list = pending_is_list(r);
    finish_pending(r); // messages come in the order of the lines
    if (*text == '[') {
        take_header(r, text);
    } else if (!line_is_broken(r, text, after_list)) {
        snprintf(target, LINE_MAX_LENGTH + 2, "%s", text);
    }
}

// The reader inih calls: like fgets, one line at a time.
static char *read_line(char *target, int size, void *stream) {
    reader *r = stream;
    if (*r->cursor == '\0') {
        return NULL;
    }
    TAL_ASSERT(size >= LINE_MAX_LENGTH + 2);
    const char *start = r->cursor;
    size_t length = strcspn(start, "\n");
    r->cursor += length + (start[length] == '\n' ? 1 : 0);
    r->line++;
    length = length_without_comment(start, length);
    while (length > 0 && isspace((unsigned char)start[length - 1])) {
        length--;
    }
    const bool indented = length > 0 && isspace((unsigned char)*start);
    while (length > 0 && isspace((unsigned char)*start)) {
        start++;
        length--;
    }
    target[0] = '\0';
    if (length > LINE_MAX_LENGTH) {
        char count[32];
        snprintf(count, sizeof count, "%zu", length);
        complain(
            r, r->line,
            "the line has %s characters; at most 198 are allowed. Spread lists over several lines",
            count);
    } else if (length > 0) {
        char text[LINE_MAX_LENGTH + 1];
        memcpy(text, start, length);
        text[length] = '\0';
        give_line(r, target, text, indented);
    }
    return target;
}

static bool seen_before(reader *r) {
    for (int i = 0; i < r->seen_count; i++) {
        const seen_key *seen = &r->seen[i];
        if (strcmp(seen->section, r->section) == 0 && strcmp(seen->key, r->key) == 0) {
            char what[2 * NAME_SIZE + 64];
            snprintf(what, sizeof what, "[%s] %s is given twice, first on line %d", r->section,
                     r->key, seen->line);
            complain(r, r->pending_line, "%s", what);
            return true;
        }
    }
    if (r->seen_count < KEYS_MAX) {
        seen_key *seen = &r->seen[r->seen_count++];
        memcpy(seen->section, r->section, sizeof seen->section);
        memcpy(seen->key, r->key, sizeof seen->key);
        seen->line = r->pending_line;
    }
    return false;
}

static void finish_pending(reader *r) {
    if (!r->has_pending) {
        return;
    }
    r->has_pending = false;
    const tal_settings_section *section = tal_settings_find_section(r->section);
    if (section == NULL) { // reported with its header
        return;
    }
    char where[TAL_PATH_SIZE + 16];
    snprintf(where, sizeof where, "%s:%d", r->path, r->pending_line);
    if (seen_before(r)) {
        return;
    }
    tal_status status = tal_settings_set(r->settings, r->section, r->key,
                                         tal_text_string(&r->value), where, r->err);
    if (status == TAL_OK && (section->stages & r->stages) != 0) {
        status = tal_site_file_check_files(r->settings, r->section, r->key, where, r->err);
    }
    r->mistake_count += status != TAL_OK ? 1 : 0;
}

static int take_pair(void *user, const char *section, const char *name, const char *value) {
    (void)section; // cut to 49 characters; `header` is whole
    reader *r = user;
    if (r->continues) {
        const char *between = pending_is_list(r) ? "\n" : r->value.length > 0 ? " " : "";
        tal_text_append(&r->value, "%s%s", between, value);
        return 1;
    }
    if (r->header[0] == '\0') {
        complain(r, r->line, "%s stands before the first [section]", name);
        return 1;
    }
    memcpy(r->section, r->header, sizeof r->section);
    snprintf(r->key, sizeof r->key, "%s", name);
    r->pending_line = r->line;
    r->has_pending = true;
    r->value.length = 0;
    tal_text_append(&r->value, "%s", value);
    return 1;
}

tal_status tal_site_file_check_files(const tal_settings *settings, const char *section,
                                     const char *key, const char *where, tal_error *err) {
    const tal_setting *setting = tal_settings_find(section, key);
    if (setting == NULL || setting->kind != TAL_KIND_FILES) {
        return TAL_OK;
    }
    const char *cursor =
        (const char *)tal_settings_section_struct(settings, section) + setting->offset;
    tal_status status = TAL_OK;
    char path[TAL_PATH_SIZE];
    while (tal_settings_next_file(settings, &cursor, path)) {
        tal_error one;
        tal_error_reset(&one);
        if (tal_file_check_readable(path, &one) != TAL_OK) {
            status = tal_error_add(err, TAL_BAD_SETTING, "%s: [%s] %s: %s", where, section, key,
                                   one.text);
        }
    }
    if (*cursor != '\0') {
        status = tal_error_add(err, TAL_BAD_SETTING, "%s: [%s] %s: '%.60s...' is too long a path",
                               where, section, key, cursor);
    }
    return status;
}

static tal_status parse(reader *r, const char *bytes, size_t length) {
    if (strlen(bytes) != length) {
        return tal_error_add(r->err, TAL_BAD_SETTING, "%s: not a text file", r->path);
    }
    TAL_CREATE(r->seen, KEYS_MAX, "the keys of a site file", r->err);
    r->cursor = strncmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? bytes + 3 : bytes; // byte order mark
    const int answer = ini_parse_stream(read_line, r, take_pair, r);
    finish_pending(r);
    if (r->value.failed || answer == -2) {
        return TAL_FAIL(r->err, TAL_NO_MEMORY, "no memory to read %s", r->path);
    }
    if (answer > 0 && r->mistake_count == 0) {
        complain(r, answer, "%s", "this line is not understood");
    }
    const tal_status together = tal_site_check(r->settings, r->err);
    return r->mistake_count > 0 ? TAL_BAD_SETTING : together;
}

tal_status tal_site_file_read(tal_settings *settings, const char *path, unsigned stages,
                              tal_error *err) {
    char *bytes = NULL;
    size_t length = 0;
    TAL_TRY(tal_file_read(path, &bytes, &length, err));
    if (!tal_text_copy(settings->site_file, sizeof settings->site_file, path)) {
        tal_memory_destroy(bytes);
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.100s...: path too long", path);
    }
    reader r = {.settings = settings, .path = path, .stages = stages, .err = err};
    const tal_status status = parse(&r, bytes, length);
    tal_text_destroy(&r.value);
    tal_memory_destroy(r.seen);
    tal_memory_destroy(bytes);
    return status;
}

// ---- Where a key stands ------------------------------------------------------------------------

static bool line_sets(const char *text, const char *key) {
    const size_t length = strlen(key);
    return strncmp(text, key, length) == 0 &&
           strchr("=:", text[length + strspn(text + length, " \t")]) != NULL &&
           text[length + strspn(text + length, " \t")] != '\0';
}

int tal_site_file_find_line(const tal_settings *settings, const char *section, const char *key) {
    char *bytes = NULL, header[NAME_SIZE];
    size_t length = 0;
    tal_error unread;
    tal_error_reset(&unread);
    if (settings->site_file[0] == '\0' ||
        tal_file_read(settings->site_file, &bytes, &length, &unread) != TAL_OK) {
        return 0;
    }
    bool inside = false;
    int line = 0, found = 0;
    snprintf(header, sizeof header, "[%s]", section);
    for (char *at = bytes; at != NULL && found == 0;) {
        const char *text = at + strspn(at, " \t");
        line++;
        if (text[0] == '[') {
            inside = strncmp(text, header, strlen(header)) == 0;
        } else if (inside && line_sets(text, key)) {
            found = line;
        }
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    tal_memory_destroy(bytes);
    return found;
}
