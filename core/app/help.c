// SPDX-License-Identifier: GPL-3.0-or-later
// Help, man page, bash completion and the settings reference, all from the same tables.
#include "core/app/help.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 6 };

const tal_option tal_common_options[] = {
    {"out", 'o', "DIR", "Folder for the results, made when missing (default: out)."},
    {"overwrite", 0, NULL, "Replace results that exist already."},
    {"set", 's', "SECTION.KEY=VALUE", "Change one setting of the site file; may be repeated."},
    {"print-settings", 0, NULL, "Print the resolved settings as a site file and stop."},
    {"print-inputs", 0, NULL, "Print the files the settings name, one per line, and stop."},
    {"threads", 'j', "N",
     "Threads to use (default: OMP_NUM_THREADS, else all cores, or one where more would not "
     "help). Results do not depend on it."},
    {"progress", 0, "MODE",
     "How progress is shown: auto (a line on a terminal, else plain), plain, json or none."},
    {"quiet", 'q', NULL, "Say nothing but errors."},
    {"verbose", 'v', NULL, "Say more."},
    {"help", 'h', NULL, "Print this help and stop."},
    {"version", 'V', NULL, "Print the version and stop."},
    {0}};

// Wraps `sentence` at WIDTH, each line behind `indent` blanks.
static void append_wrapped(tal_text *out, const char *sentence, int indent) {
    int column = 0;
    for (const char *word = sentence; *word != '\0';) {
        const int length = (int)strcspn(word, " \n");
        if (column > 0 && column + 1 + length > WIDTH) {
            tal_text_append(out, "\n");
            column = 0;
        }
        if (column == 0) {
            tal_text_append(out, "%*s%.*s", indent, "", length, word);
            column = indent + length;
        } else {
            tal_text_append(out, " %.*s", length, word);
            column += 1 + length;
        }
        word += length;
        word += strspn(word, " \n");
    }
    tal_text_append(out, "\n");
}

static void append_paragraphs(tal_text *out, const char *text, int indent, const char *between) {
    while (text != NULL && *text != '\0') {
        const char *end = strstr(text, "\n\n");
        const size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
        tal_text paragraph = {0};
        tal_text_append_bytes(&paragraph, text, length);
        append_wrapped(out, tal_text_string(&paragraph), indent);
        tal_text_destroy(&paragraph);
        tal_text_append(out, "%s", end != NULL ? between : "");
        text = end != NULL ? end + 2 : NULL;
    }
}

static void append_option_head(tal_text *out, const tal_option *option) {
    if (option->letter != 0) {
        tal_text_append(out, "-%c, ", option->letter);
    }
    tal_text_append(out, "--%s%s%s", option->name, option->argument != NULL ? "=" : "",
                    option->argument != NULL ? option->argument : "");
}

static void append_text_options(tal_text *out, const tal_option *options, int count) {
    for (int i = 0; i < count && options[i].name != NULL; i++) {
        tal_text_append(out, "  ");
        append_option_head(out, &options[i]);
        tal_text_append(out, "\n");
        append_wrapped(out, options[i].sentence, INDENT);
    }
}

// "0.6, [0, 10]" or "auto: auto | vertical | cliff" or "yes or no".
static void append_domain(tal_text *out, const tal_setting *setting) {
    if (setting->range != NULL) {
        tal_text_append(out, "%s%s%s", setting->range, strcmp(setting->unit, "1") == 0 ? "" : " ",
                        strcmp(setting->unit, "1") == 0 ? "" : setting->unit);
    }
    for (int i = 0; setting->choices != NULL && setting->choices[i] != NULL; i++) {
        tal_text_append(out, "%s%s", i > 0 ? " | " : "", setting->choices[i]);
    }
    if (setting->kind == TAL_KIND_BOOLEAN) {
        tal_text_append(out, "yes | no");
    } else if (setting->kind == TAL_KIND_FILES) {
        tal_text_append(out, "paths, one per line");
    } else if (setting->kind == TAL_KIND_TEXT) {
        tal_text_append(out, "text");
    }
}

// " = 0.6", or nothing where the setting has no default.
static void append_preset(tal_text *out, const tal_setting *setting) {
    if (setting->preset[0] != '\0') {
        tal_text_append(out, " = %s", setting->preset);
    }
}

#define EXIT_STATUS                                                                                \
    "0 done, 1 failed, 2 wrong command line or settings, 129 stopped because the terminal was "    \
    "closed, 130 by Ctrl-C, 143 by SIGTERM."

// "friction = 0.55   in [0, 10]"; a long list of choices goes below.
static void append_text_head(tal_text *out, const tal_setting *setting) {
    const bool is_range = setting->range != NULL;
    tal_text domain = {0};
    tal_text_append(&domain, is_range ? "in " : "(");
    append_domain(&domain, setting);
    tal_text_append(&domain, is_range ? "" : ")");
    tal_text_append(out, "    %s", setting->key);
    append_preset(out, setting);
    const char *words = tal_text_string(&domain);
    if (strlen(setting->key) + strlen(setting->preset) + strlen(words) + 10 <= WIDTH) {
        tal_text_append(out, "   %s\n", words);
    } else {
        tal_text_append(out, "\n");
        append_wrapped(out, words, INDENT + 2);
    }
    tal_text_destroy(&domain);
}

// The section after `last` that these stages read; NULL before the first and after the last.
static const tal_settings_section *next_section(const tal_settings_section *last, unsigned stages) {
    int count = 0;
    const tal_settings_section *sections = tal_settings_sections(&count);
    const tal_settings_section *section = last == NULL ? sections : last + 1;
    while (section < sections + count && (section->stages & stages) == 0) {
        section++;
    }
    return section < sections + count ? section : NULL;
}

static void append_text_settings(tal_text *out, unsigned stages) {
    const tal_settings_section *section = NULL;
    while ((section = next_section(section, stages)) != NULL) {
        tal_text_append(out, "\n  [%s%s]\n", section->name, section->repeats ? ".NAME" : "");
        append_wrapped(out, section->sentence, INDENT - 2);
        for (int k = 0; k < section->setting_count; k++) {
            const tal_setting *setting = &section->settings[k];
            append_text_head(out, setting);
            append_wrapped(out, setting->sentence, INDENT + 2);
        }
    }
}

static void write_text(const tal_program *program, tal_text *out) {
    tal_text_append(out, "Usage: %s %s\n\n", program->name, program->arguments);
    append_wrapped(out, program->summary, 0);
    tal_text_append(out, "\n");
    append_paragraphs(out, program->description, 0, "\n");
    tal_text_append(out, "\nOptions:\n");
    append_text_options(out, program->options, program->option_count);
    append_text_options(out, tal_common_options, TAL_OPTIONS_MAX);
    if (program->stages != 0) {
        tal_text_append(out, "\nSettings of the site file, with their defaults:\n");
        append_text_settings(out, program->stages);
    }
    if (program->examples != NULL) {
        tal_text_append(out, "\nExamples:\n%s", program->examples);
    }
    tal_text_append(out, "\n");
    append_wrapped(out, "Exit status: " EXIT_STATUS, 0);
}

// --- man ---

// A hyphen in an option must not be turned into a typographic one, a leading dot is a request.
static void append_man(tal_text *out, const char *text) {
    if (*text == '.' || *text == '\'') {
        tal_text_append(out, "\\&");
    }
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '-' || *c == '\\') {
            tal_text_append(out, *c == '-' ? "\\-" : "\\e");
        } else if (*c == '\n' && c[1] == '\n') {
            tal_text_append(out, "\n.PP\n");
            c++;
        } else {
            tal_text_append_bytes(out, c, 1);
        }
    }
    tal_text_append(out, "\n");
}

static void append_man_options(tal_text *out, const tal_option *options, int count) {
    for (int i = 0; i < count && options[i].name != NULL; i++) {
        tal_text head = {0};
        append_option_head(&head, &options[i]);
        tal_text_append(out, ".TP\n.B ");
        append_man(out, tal_text_string(&head));
        append_man(out, options[i].sentence);
        tal_text_destroy(&head);
    }
}

static void append_man_settings(tal_text *out, unsigned stages) {
    const tal_settings_section *section = NULL;
    while ((section = next_section(section, stages)) != NULL) {
        tal_text_append(out, ".SS [%s%s]\n", section->name, section->repeats ? ".NAME" : "");
        append_man(out, section->sentence);
        for (int k = 0; k < section->setting_count; k++) {
            const tal_setting *setting = &section->settings[k];
            tal_text domain = {0};
            append_domain(&domain, setting);
            tal_text head = {0};
            tal_text_append(&head, "%s", setting->key);
            append_preset(&head, setting);
            tal_text_append(out, ".TP\n.B ");
            append_man(out, tal_text_string(&head));
            tal_text_destroy(&head);
            append_man(out, setting->sentence);
            tal_text_append(out, ".br\n");
            append_man(out, tal_text_string(&domain));
            tal_text_destroy(&domain);
        }
    }
}

static void write_man(const tal_program *program, tal_text *out) {
    tal_text_append(out, ".TH %s 1 \"\" \"talus %s\" \"talus\"\n.SH NAME\n", program->name,
                    tal_version);
    tal_text_append(out, "%s \\- ", program->name);
    append_man(out, program->summary);
    tal_text_append(out, ".SH SYNOPSIS\n.B %s\n", program->name);
    append_man(out, program->arguments);
    tal_text_append(out, ".SH DESCRIPTION\n");
    append_man(out, program->description);
    tal_text_append(out, ".SH OPTIONS\n");
    append_man_options(out, program->options, program->option_count);
    append_man_options(out, tal_common_options, TAL_OPTIONS_MAX);
    if (program->stages != 0) {
        tal_text_append(out, ".SH SETTINGS\n");
        append_man(out, "Settings of the site file, with their defaults.");
        append_man_settings(out, program->stages);
    }
    tal_text_append(out, ".SH EXIT STATUS\n");
    append_man(out, EXIT_STATUS);
    if (program->examples != NULL) {
        tal_text_append(out, ".SH EXAMPLES\n.nf\n");
        append_man(out, program->examples);
        tal_text_append(out, ".fi\n");
    }
}

// --- bash completion ---

static void write_bash(const tal_program *program, tal_text *out) {
    tal_text function = {0};
    tal_text_append(&function, "_%s", program->name);
    for (size_t i = 0; i < function.length; i++) {
        if (function.bytes[i] == '-') {
            function.bytes[i] = '_';
        }
    }
    const char *name = tal_text_string(&function);
    tal_text_append(out, "%s() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n    case $word in\n",
                    name);
    tal_text_append(out, "    -*) mapfile -t COMPREPLY < <(compgen -W \"");
    for (int i = 0; i < program->option_count; i++) {
        tal_text_append(out, "--%s ", program->options[i].name);
    }
    for (int i = 0; tal_common_options[i].name != NULL; i++) {
        tal_text_append(out, "--%s ", tal_common_options[i].name);
    }
    tal_text_append(out, "\" -- \"$word\") ;;\n    *) mapfile -t COMPREPLY < <(compgen -f -- "
                         "\"$word\") ;;\n");
    tal_text_append(out, "    esac\n}\ncomplete -o filenames -F %s %s\n", name, program->name);
    tal_text_destroy(&function);
}

// --- docs/settings.md ---

static const char *stage_names(unsigned stages, char *text, size_t size) {
    static const struct {
        unsigned stage;
        const char *name;
    } names[] = {{TAL_STAGE_INGEST, "talus-ingest"},
                 {TAL_STAGE_MESH, "talus-mesh"},
                 {TAL_STAGE_SOLVE, "talus-solve"},
                 {TAL_STAGE_POST, "talus-post"},
                 {TAL_STAGE_CALIBRATE, "talus-calibrate"}};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((stages & names[i].stage) != 0) {
            const size_t used = strlen(text);
            snprintf(text + used, size - used, "%s`%s`", used > 0 ? ", " : "", names[i].name);
        }
    }
    return text;
}

static void write_settings(tal_text *out) {
    int count = 0;
    const tal_settings_section *sections = tal_settings_sections(&count);
    tal_text_append(out,
                    "# Settings\n\nEvery key of a site file, made from the table the programs "
                    "read (`make docs`). A key left out has its default; an empty default means "
                    "not set. Units are in the names.\n");
    for (int i = 0; i < count; i++) {
        const tal_settings_section *section = &sections[i];
        char stages[256];
        tal_text_append(out, "\n## [%s%s]\n\n%s Read by %s.\n\n", section->name,
                        section->repeats ? ".NAME" : "", section->sentence,
                        stage_names(section->stages, stages, sizeof stages));
        tal_text_append(out, "| key | default | values | meaning |\n|---|---|---|---|\n");
        for (int k = 0; k < section->setting_count; k++) {
            const tal_setting *setting = &section->settings[k];
            tal_text domain = {0};
            append_domain(&domain, setting);
            const char *tick = setting->preset[0] != '\0' ? "`" : "";
            tal_text_append(out, "| `%s` | %s%s%s | ", setting->key, tick, setting->preset, tick);
            for (const char *c = tal_text_string(&domain); *c != '\0'; c++) {
                tal_text_append(out, "%s%c", *c == '|' ? "\\" : "", *c);
            }
            tal_text_append(out, " | %s |\n", setting->sentence);
            tal_text_destroy(&domain);
        }
    }
}

bool tal_help_write(const tal_program *program, const char *format, tal_text *out) {
    if (strcmp(format, "text") == 0) {
        write_text(program, out);
    } else if (strcmp(format, "man") == 0) {
        write_man(program, out);
    } else if (strcmp(format, "bash") == 0) {
        write_bash(program, out);
    } else if (strcmp(format, "settings") == 0) {
        write_settings(out);
    } else {
        return false;
    }
    return true;
}
