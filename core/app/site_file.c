// SPDX-License-Identifier: GPL-3.0-or-later
// The site file. libinih splits the lines; this file counts them (inih cuts long ones silently and
// reports the first bad one only), joins the lines of a list, and keeps going after a mistake.
#include "core/app/site_file.h"

#include "core/memory.h"

#include <ctype.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_LENGTH = 198, KEYS_MAX = 1024, NAME_SIZE = 128 };

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
    bool continues; // the line handed to inih last goes on with the key above
    // The key whose lines are being joined.
    bool has_pending;
    char section[NAME_SIZE];
    char key[NAME_SIZE];
    int pending_line;
    tal_text value;
    seen_key *seen;
    int seen_count;
    char unknown_section[NAME_SIZE]; // reported already
} reader;

static void complain(reader *r, int line, const char *format, const char *what) {
    char message[512];
    r->mistake_count++;
    snprintf(message, sizeof message, format, what);
    tal_error_add(r->err, TAL_BAD_SETTING, "%s:%d: %s", r->path, line, message);
}

static void strip_comment(char *line) {
    for (char *c = line; *c != '\0'; c++) {
        if (*c == '#' && (c == line || isspace((unsigned char)c[-1]))) {
            *c = '\0';
            return;
        }
    }
}

// Does an indented line begin a new key, rather than go on with the list above?
static bool begins_key(const reader *r, const char *line) {
    if (!r->has_pending || strcspn(line, "=:") == strlen(line)) {
        return !r->has_pending;
    }
    const tal_setting *pending = tal_settings_find(r->section, r->key);
    if (pending == NULL || pending->kind != TAL_KIND_FILES) {
        return true;
    }
    char key[NAME_SIZE];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(line, "=: \t"), line);
    return tal_settings_find(r->section, key) != NULL;
}

// What inih would trip over, said with the line; the line is then blanked.
static bool line_is_broken(reader *r, const char *text) {
    if (*text == '\0' || *text == ';') {
        return false;
    }
    if (*text == '[') {
        if (strchr(text, ']') == NULL) {
            complain(r, r->line, "'%s' lacks its closing ]", text);
            return true;
        }
        return false;
    }
    if (!r->continues && strcspn(text, "=:") == strlen(text)) {
        complain(r, r->line, "'%s' is neither a [section] nor key = value", text);
        return true;
    }
    return false;
}

// The reader inih calls: like fgets, one line at a time.
static char *read_line(char *target, int size, void *stream) {
    reader *r = stream;
    if (*r->cursor == '\0') {
        return NULL;
    }
    const size_t length = strcspn(r->cursor, "\n");
    const char *start = r->cursor;
    r->cursor += length + (r->cursor[length] == '\n' ? 1 : 0);
    r->line++;
    target[0] = '\0';
    if (length > LINE_MAX_LENGTH || (int)length + 1 >= size) {
        char count[32];
        snprintf(count, sizeof count, "%zu", length);
        complain(r, r->line, "line of %s characters; at most 198 fit. Break lists over several lines",
                 count);
        return target;
    }
    memcpy(target, start, length);
    target[length] = '\0';
    strip_comment(target);
    char *text = target;
    while (isspace((unsigned char)*text)) {
        text++;
    }
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);) {
        *--end = '\0';
    }
    r->continues = text > target && *text != '\0' && *text != ';' && *text != '[' &&
                   !begins_key(r, text);
    if (line_is_broken(r, text)) {
        target[0] = '\0';
    } else if (!r->continues) {
        memmove(target, text, strlen(text) + 1);
    }
    return target;
}

static bool seen_before(reader *r) {
    for (int i = 0; i < r->seen_count; i++) {
        const seen_key *seen = &r->seen[i];
        if (strcmp(seen->section, r->section) == 0 && strcmp(seen->key, r->key) == 0) {
            char what[2 * NAME_SIZE + 64];
            snprintf(what, sizeof what, "[%s] %s is given twice, first on line %d", r->section, r->key,
                     seen->line);
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
    if (section == NULL) { // one mistake, however many keys it holds
        if (strcmp(r->unknown_section, r->section) == 0) {
            return;
        }
        memcpy(r->unknown_section, r->section, sizeof r->unknown_section);
    }
    char where[TAL_PATH_SIZE + 16];
    snprintf(where, sizeof where, "%s:%d", r->path, r->pending_line);
    if (seen_before(r)) {
        return;
    }
    tal_status status = tal_settings_set(r->settings, r->section, r->key, tal_text_string(&r->value),
                                         where, r->err);
    if (status == TAL_OK && (section->stages & r->stages) != 0) {
        status = tal_site_file_check_files(r->settings, r->section, r->key, where, r->err);
    }
    r->mistake_count += status != TAL_OK ? 1 : 0;
}

static int take_pair(void *user, const char *section, const char *name, const char *value) {
    reader *r = user;
    if (r->continues && r->has_pending) {
        tal_text_append(&r->value, "\n%s", value);
        return 1;
    }
    finish_pending(r);
    if (section[0] == '\0') {
        complain(r, r->line, "%s stands before the first [section]", name);
        return 1;
    }
    snprintf(r->section, sizeof r->section, "%s", section);
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
    const tal_settings_section *found = tal_settings_find_section(section);
    TAL_ASSERT(!found->repeats); // no repeated section names files
    const char *cursor = (const char *)settings + found->offset + setting->offset;
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
    return r->mistake_count > 0 ? TAL_BAD_SETTING : TAL_OK;
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
