// SPDX-License-Identifier: GPL-3.0-or-later
// The settings table, made from core/base/settings.def, and everything that walks over it.
#include "core/base/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_NAMES_MAX = 64, KEY_NAMES_MAX = 128 };

// --- the table ---

#define CHOICE_TEXT(name, text)                 text,
#define SECTION(name, stages, text)             static const tal_setting name##_rows[] = {
#define SECTION_NAMED(name, word, stages, text) SECTION(name, stages, text)
#define SECTIONS(name, stages, text)            SECTION(name, stages, text)
#define PLACE(section, name)                    .key = #name, .offset = offsetof(tal_##section##_settings, name)
#define REAL(section, name, value, span, measure, text)                                            \
    {PLACE(section, name), .kind = TAL_KIND_REAL, .preset = value,                                 \
     .range = span,        .unit = measure,       .sentence = text},
#define REALS(section, name, value, span, measure, text)                                           \
    {PLACE(section, name), .kind = TAL_KIND_REALS, .preset = value,                                \
     .range = span,        .unit = measure,        .sentence = text},
#define INTEGER(section, name, value, span, measure, text)                                         \
    {PLACE(section, name), .kind = TAL_KIND_INTEGER, .preset = value,                              \
     .range = span,        .unit = measure,          .sentence = text},
#define BOOLEAN(section, name, value, text)                                                        \
    {PLACE(section, name), .kind = TAL_KIND_BOOLEAN, .preset = value, .sentence = text},
#define TEXT(section, name, value, text)                                                           \
    {PLACE(section, name), .kind = TAL_KIND_TEXT, .preset = value, .sentence = text},
#define FILES(section, name, value, text)                                                          \
    {PLACE(section, name), .kind = TAL_KIND_FILES, .preset = value, .sentence = text},
#define CHOICE(section, name, value, list, text)                                                   \
    {PLACE(section, name), .kind = TAL_KIND_CHOICE, .preset = value, .sentence = text,             \
     .choices = (const char *const[]){list(CHOICE_TEXT) NULL}},
#define END_SECTION(name)                                                                          \
    }                                                                                              \
    ;
#include "core/base/settings.def"

#define SECTION(section, which, text) SECTION_NAMED(section, #section, which, text)
#define SECTION_NAMED(section, word, which, text)                                                  \
    {.name = word,                                                                                 \
     .stages = which,                                                                              \
     .sentence = text,                                                                             \
     .offset = offsetof(tal_settings, section),                                                    \
     .size = sizeof(tal_##section##_settings),                                                     \
     .setting_count = (int)(sizeof section##_rows / sizeof section##_rows[0]),                     \
     .settings = section##_rows},
#define SECTIONS(section, which, text)                                                             \
    {.name = #section,                                                                             \
     .stages = which,                                                                              \
     .sentence = text,                                                                             \
     .repeats = true,                                                                              \
     .offset = offsetof(tal_settings, section),                                                    \
     .count_offset = offsetof(tal_settings, section##_count),                                      \
     .size = sizeof(tal_##section##_settings),                                                     \
     .setting_count = (int)(sizeof section##_rows / sizeof section##_rows[0]),                     \
     .settings = section##_rows},
#define REAL(section, key, value, range, unit, text)
#define REALS(section, key, value, range, unit, text)
#define INTEGER(section, key, value, range, unit, text)
#define BOOLEAN(section, key, value, text)
#define TEXT(section, key, value, text)
#define FILES(section, key, value, text)
#define CHOICE(section, key, value, list, text)
#define END_SECTION(name)
static const tal_settings_section sections[] = {
#include "core/base/settings.def"
};

enum { SECTION_COUNT = sizeof sections / sizeof sections[0] };

const tal_settings_section *tal_settings_sections(int *count) {
    *count = SECTION_COUNT;
    return sections;
}

// --- looking things up ---

// Compares up to the dot: "joint.1" is of section "joint".
static bool section_matches(const tal_settings_section *section, const char *name) {
    const size_t length = strlen(section->name);
    if (strncmp(section->name, name, length) != 0) {
        return false;
    }
    return name[length] == '\0' || (section->repeats && name[length] == '.');
}

const tal_settings_section *tal_settings_find_section(const char *name) {
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (section_matches(&sections[i], name)) {
            return &sections[i];
        }
    }
    return NULL;
}

static const tal_setting *find_key(const tal_settings_section *section, const char *key) {
    for (int i = 0; i < section->setting_count; i++) {
        if (strcmp(section->settings[i].key, key) == 0) {
            return &section->settings[i];
        }
    }
    return NULL;
}

const tal_setting *tal_settings_find(const char *section_name, const char *key) {
    const tal_settings_section *section = tal_settings_find_section(section_name);
    return section != NULL ? find_key(section, key) : NULL;
}

static int *section_count(tal_settings *settings, const tal_settings_section *section) {
    return (int *)(void *)((char *)settings + section->count_offset);
}

// --- values ---

typedef struct {
    double low, high;
    bool low_open, high_open;
} interval;

static interval parse_range(const char *range) {
    interval span = {.low_open = range[0] == '('};
    char *end = NULL;
    span.low = strtod(range + 1, &end);
    TAL_ASSERT(*end == ',');
    span.high = strtod(end + 1, &end);
    TAL_ASSERT(*end == ')' || *end == ']');
    span.high_open = *end == ')';
    return span;
}

static bool in_range(const char *range, double value) {
    const interval span = parse_range(range);
    return isfinite(value) && (span.low_open ? value > span.low : value >= span.low) &&
           (span.high_open ? value < span.high : value <= span.high);
}

// What every message about a value needs.
typedef struct {
    const char *where;
    const char *section;
    const tal_setting *setting;
    const char *value;
    tal_error *err;
} assignment;

// One line, whatever the value: lists are joined and long values cut.
static tal_status refuse(const assignment *a, const char *why) {
    enum { SHOWN_MAX = 80 };
    char shown[SHOWN_MAX + 4];
    snprintf(shown, sizeof shown, "%.*s%s", SHOWN_MAX, a->value,
             strlen(a->value) > SHOWN_MAX ? "..." : "");
    for (char *c = shown; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
    return tal_error_add(a->err, TAL_BAD_SETTING, "%s: [%s] %s =%s%s %s", a->where, a->section,
                         a->setting->key, shown[0] != '\0' ? " " : "", shown, why);
}

static tal_status refuse_range(const assignment *a) {
    const char *unit = a->setting->unit;
    char why[128];
    snprintf(why, sizeof why, "must be in %s%s%s", a->setting->range,
             strcmp(unit, "1") == 0 ? "" : " ", strcmp(unit, "1") == 0 ? "" : unit);
    return refuse(a, why);
}

static tal_status refuse_number(const assignment *a) {
    return refuse(a, strchr(a->value, ',') != NULL
                         ? "is not a number; use a decimal point, and spaces between numbers"
                         : "is not a number");
}

static tal_status assign_real(const assignment *a, double *target) {
    if (a->value[0] == '\0' && a->setting->preset[0] == '\0') {
        *target = NAN;
        return TAL_OK;
    }
    double value = 0.0;
    if (!tal_text_to_real(a->value, &value)) {
        return refuse_number(a);
    }
    if (!in_range(a->setting->range, value)) {
        return refuse_range(a);
    }
    *target = value;
    return TAL_OK;
}

static tal_status assign_reals(const assignment *a, tal_reals *target) {
    tal_reals list = {0};
    for (const char *c = a->value; *c != '\0';) {
        const size_t length = strcspn(c, " \t\n");
        char word[64];
        if (length > 0) {
            if (list.count == TAL_REALS_MAX) {
                return refuse(a, "has too many numbers");
            }
            double *value = &list.value[list.count++];
            if (length >= sizeof word) {
                return refuse_number(a);
            }
            memcpy(word, c, length);
            word[length] = '\0';
            if (!tal_text_to_real(word, value)) {
                return refuse_number(a);
            }
            if (!in_range(a->setting->range, *value)) {
                return refuse_range(a);
            }
        }
        c += length + (c[length] != '\0' ? 1 : 0);
    }
    *target = list;
    return TAL_OK;
}

// 1e4 is a whole number, too; one beyond 64 bits is out of every range.
static tal_status assign_integer(const assignment *a, int64_t *target) {
    int64_t value = 0;
    double real = 0.0;
    if (!tal_text_to_integer(a->value, &value)) {
        if (!tal_text_to_real(a->value, &real) || real != floor(real)) {
            return refuse(a, "is not a whole number");
        }
        if (!in_range(a->setting->range, real)) {
            return refuse_range(a);
        }
        value = (int64_t)real;
    }
    if (!in_range(a->setting->range, (double)value)) {
        return refuse_range(a);
    }
    *target = value;
    return TAL_OK;
}

static tal_status assign_boolean(const assignment *a, bool *target) {
    static const char *const words[2][4] = {{"no", "false", "off", "0"},
                                            {"yes", "true", "on", "1"}};
    for (int value = 0; value < 2; value++) {
        for (int i = 0; i < 4; i++) {
            if (strcmp(a->value, words[value][i]) == 0) {
                *target = value == 1;
                return TAL_OK;
            }
        }
    }
    return refuse(a, "must be yes or no");
}

static tal_status assign_choice(const assignment *a, int *target) {
    for (int i = 0; a->setting->choices[i] != NULL; i++) {
        if (strcmp(a->setting->choices[i], a->value) == 0) {
            *target = i;
            return TAL_OK;
        }
    }
    char why[256] = "is not one of";
    for (int i = 0; a->setting->choices[i] != NULL; i++) {
        const size_t used = strlen(why);
        snprintf(why + used, sizeof why - used, "%s %s", i > 0 ? "," : "", a->setting->choices[i]);
    }
    return refuse(a, why);
}

// One path per line, blanks around each taken off.
static tal_status assign_files(const assignment *a, char target[TAL_SETTING_FILES_SIZE]) {
    char list[TAL_SETTING_FILES_SIZE] = "";
    size_t used = 0;
    for (const char *line = a->value; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *next = line + length + (line[length] != '\0' ? 1 : 0);
        while (length > 0 && isspace((unsigned char)line[length - 1])) {
            length--;
        }
        while (length > 0 && isspace((unsigned char)*line)) {
            line++;
            length--;
        }
        if (length > 0) {
            if (used + length + 2 > sizeof list) {
                return refuse(a, "names too many files; join them first or use a folder of tiles");
            }
            memcpy(list + used, line, length);
            list[used + length] = '\n';
            used += length + 1;
        }
        line = next;
    }
    memcpy(target, list, sizeof list);
    return TAL_OK;
}

static tal_status assign_text(const assignment *a, char target[TAL_SETTING_TEXT_SIZE]) {
    if (strlen(a->value) >= TAL_SETTING_TEXT_SIZE) {
        return refuse(a, "is too long");
    }
    if (strchr(a->value, '\n') != NULL) {
        return refuse(a, "must be on one line");
    }
    tal_text_copy(target, TAL_SETTING_TEXT_SIZE, a->value);
    return TAL_OK;
}

static tal_status assign(const assignment *a, void *section_struct) {
    void *target = (char *)section_struct + a->setting->offset;
    switch (a->setting->kind) {
    case TAL_KIND_REAL:
        return assign_real(a, target);
    case TAL_KIND_REALS:
        return assign_reals(a, target);
    case TAL_KIND_INTEGER:
        return assign_integer(a, target);
    case TAL_KIND_BOOLEAN:
        return assign_boolean(a, target);
    case TAL_KIND_FILES:
        return assign_files(a, target);
    case TAL_KIND_CHOICE:
        return assign_choice(a, target);
    case TAL_KIND_TEXT:
        break;
    }
    return assign_text(a, target);
}

// --- defaults ---

static void init_section(const tal_settings_section *section, void *section_struct) {
    memset(section_struct, 0, section->size);
    for (int i = 0; i < section->setting_count; i++) {
        const tal_setting *setting = &section->settings[i];
        tal_error err;
        tal_error_reset(&err);
        const assignment a = {.where = "core/base/settings.def",
                              .section = section->name,
                              .setting = setting,
                              .value = setting->preset,
                              .err = &err};
        const tal_status status = assign(&a, section_struct);
        TAL_ASSERT(status == TAL_OK);
    }
}

void tal_settings_init(tal_settings *settings) {
    memset(settings, 0, sizeof *settings);
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (!sections[i].repeats) {
            init_section(&sections[i], (char *)settings + sections[i].offset);
        }
    }
}

// --- setting by name ---

static tal_status refuse_section(const char *name, const char *where, tal_error *err) {
    const char *names[SECTION_NAMES_MAX + 1] = {NULL};
    char stem[TAL_LABEL_SIZE] = "";
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name);
    for (int i = 0; i < SECTION_COUNT && i < SECTION_NAMES_MAX; i++) {
        names[i] = sections[i].name;
    }
    const char *nearest = tal_text_nearest(stem, names);
    if (nearest == NULL) {
        return tal_error_add(err, TAL_BAD_SETTING, "%s: section [%s] is not known", where, name);
    }
    const tal_settings_section *meant = tal_settings_find_section(nearest);
    return tal_error_add(err, TAL_BAD_SETTING,
                         "%s: section [%s] is not known; did you mean [%s%s]?", where, name,
                         nearest, meant->repeats ? ".NAME" : "");
}

static tal_status refuse_key(const tal_settings_section *section, const char *section_name,
                             const char *key, const char *where, tal_error *err) {
    const char *names[KEY_NAMES_MAX + 1] = {NULL};
    for (int i = 0; i < section->setting_count && i < KEY_NAMES_MAX; i++) {
        names[i] = section->settings[i].key;
    }
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (find_key(&sections[i], key) != NULL) {
            return tal_error_add(err, TAL_BAD_SETTING, "%s: [%s] has no %s; it belongs to [%s%s]",
                                 where, section_name, key, sections[i].name,
                                 sections[i].repeats ? ".NAME" : "");
        }
    }
    const char *nearest = tal_text_nearest(key, names);
    return tal_error_add(err, TAL_BAD_SETTING, "%s: [%s] %s is not known%s%s%s", where,
                         section_name, key, nearest != NULL ? "; did you mean " : "",
                         nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
}

static bool label_is_usable(const char *label) {
    const size_t length = strlen(label);
    for (const char *c = label; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && strchr("_-+.", *c) == NULL) {
            return false;
        }
    }
    return length > 0 && length < TAL_LABEL_SIZE;
}

static void note_given(tal_settings *settings, const void *value, const char *where) {
    const size_t offset = (size_t)((const char *)value - (const char *)settings);
    int at = 0;
    while (at < settings->given_count && settings->given[at].offset != offset) {
        at++;
    }
    if (at == TAL_GIVEN_MAX) {
        return; // as many as a site file may have
    }
    tal_setting_given *given = &settings->given[at];
    const size_t length = strlen(where), most = sizeof given->where - 1;
    given->offset = offset;
    given->is_settled = false;
    snprintf(given->where, sizeof given->where, "%s%s", length > most ? "..." : "",
             length > most ? where + length - (most - 3) : where);
    settings->given_count += at == settings->given_count ? 1 : 0;
}

// The struct of [joint.label], made on first mention.
static void *repeated_section(tal_settings *settings, const tal_settings_section *section,
                              const char *name, const char *where, tal_error *err) {
    const char *label = name + strlen(section->name);
    label += *label == '.' ? 1 : 0;
    if (!label_is_usable(label)) {
        tal_error_add(
            err, TAL_BAD_SETTING,
            "%s: section [%s] needs a name after a dot, of at most %d letters, digits, _ - "
            "+ .: [%s.1]",
            where, name, TAL_LABEL_SIZE - 1, section->name);
        return NULL;
    }
    int *count = section_count(settings, section);
    char *first = (char *)settings + section->offset;
    for (int i = 0; i < *count; i++) {
        char *existing = first + (size_t)i * section->size;
        if (strcmp(existing, label) == 0) { // `label` is the struct's first member
            return existing;
        }
    }
    if (*count == TAL_REPEAT_MAX) {
        tal_error_add(err, TAL_BAD_SETTING, "%s: more than %d sections [%s.*]", where,
                      TAL_REPEAT_MAX, section->name);
        return NULL;
    }
    char *made = first + (size_t)(*count)++ * section->size;
    init_section(section, made);
    tal_text_copy(made, TAL_LABEL_SIZE, label);
    note_given(settings, made, where); // the section has a place even if none of its values holds
    return made;
}

const void *tal_settings_section_struct(const tal_settings *settings, const char *name) {
    const tal_settings_section *section = tal_settings_find_section(name);
    TAL_ASSERT(section != NULL);
    const char *first = (const char *)settings + section->offset;
    if (!section->repeats) {
        return first;
    }
    int count = 0;
    memcpy(&count, (const char *)settings + section->count_offset, sizeof count);
    const char *label = name + strlen(section->name) + 1; // behind the dot
    int k = 0;
    while (k < count && strcmp(first + (size_t)k * section->size, label) != 0) {
        k++; // every such struct begins with its label
    }
    TAL_ASSERT(k < count);
    return first + (size_t)k * section->size;
}

const char *tal_settings_given_in(const tal_settings *settings, const void *section, size_t size) {
    const size_t first = (size_t)((const char *)section - (const char *)settings);
    for (int i = 0; i < settings->given_count; i++) {
        const size_t offset = settings->given[i].offset;
        if (!settings->given[i].is_settled && offset >= first && offset < first + size) {
            return settings->given[i].where;
        }
    }
    return NULL;
}

const char *tal_settings_where_in(const tal_settings *settings, const void *section, size_t size) {
    const size_t first = (size_t)((const char *)section - (const char *)settings);
    for (int i = 0; i < settings->given_count; i++) {
        const size_t offset = settings->given[i].offset;
        if (offset >= first && offset < first + size) {
            return settings->given[i].where;
        }
    }
    return settings->site_file;
}

const char *tal_settings_where(const tal_settings *settings, const void *value) {
    return tal_settings_where_in(settings, value, 1);
}

const char *tal_settings_given(const tal_settings *settings, const void *value) {
    return tal_settings_given_in(settings, value, 1);
}

tal_status tal_settings_set(tal_settings *settings, const char *section_name, const char *key,
                            const char *value, const char *where, tal_error *err) {
    const tal_settings_section *section = tal_settings_find_section(section_name);
    if (section == NULL) {
        return refuse_section(section_name, where, err);
    }
    void *section_struct = section->repeats
                               ? repeated_section(settings, section, section_name, where, err)
                               : (char *)settings + section->offset;
    if (section_struct == NULL) {
        return TAL_BAD_SETTING;
    }
    const tal_setting *setting = find_key(section, key);
    if (setting == NULL) {
        return refuse_key(section, section_name, key, where, err);
    }
    const assignment a = {
        .where = where, .section = section_name, .setting = setting, .value = value, .err = err};
    const tal_status status = assign(&a, section_struct);
    if (status == TAL_OK && value[0] != '\0') {
        note_given(settings, (char *)section_struct + setting->offset, where);
    }
    return status;
}

// --- printing ---

static void append_files(const char *files, bool portable, tal_text *out) {
    for (const char *line = files; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        size_t from = 0;
        for (size_t i = 0; portable && i < length; i++) {
            from = line[i] == '/' ? i + 1 : from;
        }
        tal_text_append(out, "%s%.*s", line == files ? "" : "\n    ", (int)(length - from),
                        line + from);
        line += length + 1;
    }
}

static void append_value(const void *section_struct, const tal_setting *setting, bool portable,
                         tal_text *out) {
    const void *value = (const char *)section_struct + setting->offset;
    switch (setting->kind) {
    case TAL_KIND_REAL:
        if (!isnan(*(const double *)value)) {
            tal_text_append_real(out, *(const double *)value);
        }
        break;
    case TAL_KIND_REALS: {
        const tal_reals *list = value;
        for (int i = 0; i < list->count; i++) {
            tal_text_append(out, "%s", i > 0 ? " " : "");
            tal_text_append_real(out, list->value[i]);
        }
        break;
    }
    case TAL_KIND_INTEGER:
        tal_text_append(out, "%lld", (long long)*(const int64_t *)value);
        break;
    case TAL_KIND_BOOLEAN:
        tal_text_append(out, "%s", *(const bool *)value ? "yes" : "no");
        break;
    case TAL_KIND_CHOICE:
        tal_text_append(out, "%s", setting->choices[*(const int *)value]);
        break;
    case TAL_KIND_TEXT:
        tal_text_append(out, "%s", (const char *)value);
        break;
    case TAL_KIND_FILES:
        append_files(value, portable, out);
        break;
    }
}

void tal_settings_value(const void *section_struct, const tal_setting *setting, tal_text *out) {
    append_value(section_struct, setting, false, out);
}

static void append_note(const tal_setting *setting, tal_text *out) {
    tal_text_append(out, "# %s", setting->sentence);
    if (setting->range != NULL) {
        tal_text_append(out, " %s%s%s.", setting->range, strcmp(setting->unit, "1") == 0 ? "" : " ",
                        strcmp(setting->unit, "1") == 0 ? "" : setting->unit);
    }
    for (int i = 0; setting->choices != NULL && setting->choices[i] != NULL; i++) {
        tal_text_append(out, "%s%s", i > 0 ? " | " : " ", setting->choices[i]);
    }
    tal_text_append(out, "\n");
}

static void write_section(const tal_settings_section *section, const char *section_struct,
                          tal_settings_style style, tal_text *out) {
    const char *label = section_struct;
    tal_text_append(out, "%s[%s%s%s]\n", out->length > 0 ? "\n" : "", section->name,
                    label[0] != '\0' ? "." : "", label);
    for (int i = 0; i < section->setting_count; i++) {
        const tal_setting *setting = &section->settings[i];
        const void *value = section_struct + setting->offset;
        if (setting->kind == TAL_KIND_REAL && setting->preset[0] != '\0' &&
            isnan(*(const double *)value)) {
            continue; // another setting stands in its place: an empty value would not be read back
        }
        if (style == TAL_SETTINGS_NOTES) {
            append_note(setting, out);
        }
        tal_text_append(out, "%s =", setting->key);
        const size_t before = out->length;
        tal_text_append(out, " ");
        append_value(section_struct, setting, style == TAL_SETTINGS_PORTABLE, out);
        if (!out->failed && out->length == before + 1) { // nothing: no blank at the end of the line
            out->bytes[--out->length] = '\0';
        }
        tal_text_append(out, "\n");
    }
}

void tal_settings_write(const tal_settings *settings, unsigned stages, tal_settings_style style,
                        tal_text *out) {
    for (int i = 0; i < SECTION_COUNT; i++) {
        const tal_settings_section *section = &sections[i];
        if ((section->stages & stages) == 0) {
            continue;
        }
        const char *first = (const char *)settings + section->offset;
        const int count =
            section->repeats
                ? *(const int *)(const void *)((const char *)settings + section->count_offset)
                : 1;
        for (int k = 0; k < count; k++) {
            write_section(section, first + (size_t)k * section->size, style, out);
        }
    }
}

bool tal_settings_next_file(const tal_settings *settings, const char **cursor,
                            char path[TAL_PATH_SIZE]) {
    const size_t length = strcspn(*cursor, "\n");
    if (length == 0) {
        return false;
    }
    char name[TAL_SETTING_FILES_SIZE], folder[TAL_PATH_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)length, *cursor);
    tal_path_folder(folder, settings->site_file);
    if (!tal_path_join(path, folder, name)) {
        return false;
    }
    *cursor += length + ((*cursor)[length] == '\n' ? 1 : 0);
    return true;
}
