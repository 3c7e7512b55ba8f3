// SPDX-License-Identifier: GPL-3.0-or-later
// The command line all programs share.
#define _GNU_SOURCE // getopt_long, sched_getaffinity
#include "core/app/program.h"

#include "core/app/help.h"
#include "core/app/idle_check.h"
#include "core/app/results.h"
#include "core/app/site_check.h"
#include "core/app/site_file.h"
#include "core/base/fault.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const tal_version = TALUS_VERSION;

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128, COMMON_MAX = 16 };

// What parsing collects before anything is done with it.
typedef struct {
    const tal_program *program;
    tal_invocation *invocation;
    tal_error *err;
    const char *common[COMMON_MAX]; // by index in tal_common_options
    const char *site_file;
} command_line;

static int common_count(void) {
    int count = 0;
    while (tal_common_options[count].name != NULL) {
        count++;
    }
    TAL_ASSERT(count <= COMMON_MAX);
    return count;
}

static const char *common_value(const command_line *line, const char *name) {
    for (int i = 0; tal_common_options[i].name != NULL; i++) {
        if (strcmp(tal_common_options[i].name, name) == 0) {
            return line->common[i];
        }
    }
    return NULL;
}

const char *tal_invocation_option(const tal_program *program, const tal_invocation *invocation,
                                  const char *name) {
    for (int i = 0; i < program->option_count; i++) {
        if (strcmp(program->options[i].name, name) == 0) {
            return invocation->option_value[i];
        }
    }
    const bool option_is_known = false;
    TAL_ASSERT(option_is_known);
    return NULL;
}

// The tables as getopt wants them: option i of the program has value i + 256, common ones follow.
static void fill_getopt(const tal_program *program, struct option *longs, char *letters) {
    int next = 0;
    *letters++ = ':';
    for (int pass = 0; pass < 2; pass++) {
        const tal_option *options = pass == 0 ? program->options : tal_common_options;
        const int count = pass == 0 ? program->option_count : common_count();
        for (int i = 0; i < count; i++) {
            const bool is_help = pass == 1 && strcmp(options[i].name, "help") == 0;
            longs[next] =
                (struct option){.name = options[i].name,
                                .has_arg = is_help                       ? optional_argument
                                           : options[i].argument != NULL ? required_argument
                                                                         : no_argument,
                                .val = 256 + next};
            if (options[i].letter != 0) {
                *letters++ = options[i].letter;
                if (options[i].argument != NULL) {
                    *letters++ = ':';
                }
            }
            next++;
        }
    }
    longs[next] = (struct option){0};
    *letters = '\0';
}

static int index_of_letter(const tal_program *program, int letter) {
    for (int i = 0; i < program->option_count; i++) {
        if (program->options[i].letter == letter) {
            return i;
        }
    }
    for (int i = 0; tal_common_options[i].name != NULL; i++) {
        if (tal_common_options[i].letter == letter) {
            return program->option_count + i;
        }
    }
    return -1;
}

static void refuse_option(command_line *line, const char *word) {
    const char *names[TAL_OPTIONS_MAX + COMMON_MAX + 1] = {NULL};
    int count = 0;
    for (int i = 0; i < line->program->option_count; i++) {
        names[count++] = line->program->options[i].name;
    }
    for (int i = 0; tal_common_options[i].name != NULL; i++) {
        names[count++] = tal_common_options[i].name;
    }
    char stem[128] = "";
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(word, "="), word);
    const char *bare = stem + strspn(stem, "-");
    const char *nearest = tal_text_nearest(bare, names);
    if (nearest != NULL) {
        tal_error_add(line->err, TAL_BAD_USAGE, "option %s is not known; did you mean --%s?", stem,
                      nearest);
    } else {
        tal_error_add(line->err, TAL_BAD_USAGE, "option %s is not known; %s --help lists them",
                      stem, line->program->name);
    }
}

// What getopt could not use: an unknown letter or word, or a flag with a value.
static void refuse_word(command_line *line, char **argv, const struct option *longs) {
    if (optopt >= 256) {
        tal_error_add(line->err, TAL_BAD_USAGE, "option --%s takes no value",
                      longs[optopt - 256].name);
    } else if (optopt > 0) {
        refuse_option(line, (char[]){'-', (char)optopt, '\0'});
    } else if (optopt == 0) {
        refuse_option(line, argv[optind - 1]);
    } else if (line->err->message_count == 0) { // one byte of several: say it once
        tal_error_add(line->err, TAL_BAD_USAGE,
                      "option letters are plain ASCII letters; %s --help lists them",
                      line->program->name);
    }
}

static void take_option(command_line *line, int index, const char *value) {
    if (index < line->program->option_count) {
        line->invocation->option_value[index] = value;
        return;
    }
    const int common = index - line->program->option_count;
    line->common[common] = value;
    if (strcmp(tal_common_options[common].name, "set") != 0) {
        return;
    }
    tal_invocation *invocation = line->invocation;
    if (invocation->set_count == TAL_SETS_MAX) {
        tal_error_add(line->err, TAL_BAD_USAGE,
                      "--set %s: more than %d of them; write the settings into the site file",
                      value, TAL_SETS_MAX);
        return;
    }
    invocation->set[invocation->set_count++] = value;
}

static void parse_options(command_line *line, int argc, char **argv) {
    struct option longs[TAL_OPTIONS_MAX + COMMON_MAX + 1];
    char letters[2 * (TAL_OPTIONS_MAX + COMMON_MAX) + 2];
    fill_getopt(line->program, longs, letters);
    opterr = 0;
    optind = 1;
    for (int code = 0; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        if (code == '?') {
            refuse_word(line, argv, longs);
        } else if (code == ':') {
            tal_error_add(line->err, TAL_BAD_USAGE, "option %s needs a value", argv[optind - 1]);
        } else {
            const int index = code >= 256 ? code - 256 : index_of_letter(line->program, code);
            take_option(line, index, optarg != NULL ? optarg : "");
        }
    }
}

static void parse_arguments(command_line *line, int argc, char **argv) {
    tal_invocation *invocation = line->invocation;
    int next = optind;
    if (line->program->needs_site_file) {
        if (next == argc) {
            tal_error_add(
                line->err, TAL_BAD_USAGE,
                "which site? Give a site file: %s site.ini (datasets/README.md shows one)",
                line->program->name);
        } else {
            line->site_file = argv[next++];
        }
    }
    for (; next < argc; next++) {
        if (invocation->argument_count == line->program->arguments_max ||
            invocation->argument_count == TAL_ARGUMENTS_MAX) {
            // Text copied from a document often has a long dash in place of two hyphens.
            const bool long_dash = strncmp(argv[next], "\xE2\x80", 2) == 0;
            tal_error_add(line->err, TAL_BAD_USAGE, "'%s' is one argument too many%s", argv[next],
                          long_dash ? "; options begin with two hyphens: --" : "");
        } else {
            invocation->argument[invocation->argument_count++] = argv[next];
        }
    }
}

// The cores this process may run on: a batch system often grants fewer than the machine has.
static int core_count(void) {
    cpu_set_t granted;
    if (sched_getaffinity(0, sizeof granted, &granted) == 0) {
        return CPU_COUNT(&granted);
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

static void apply_threads(command_line *line) {
    const char *text = common_value(line, "threads"), *usual = getenv("OMP_NUM_THREADS");
    int64_t count = core_count(), wanted = 0;
    if (text == NULL && usual != NULL && tal_text_to_integer(usual, &wanted) && wanted >= 1 &&
        wanted <= 1024) {
        count = wanted;
        line->invocation->threads_are_given = true;
    }
    if (text != NULL && (!tal_text_to_integer(text, &count) || count < 1 || count > 1024)) {
        tal_error_add(line->err, TAL_BAD_USAGE, "--threads=%s must be a whole number in [1, 1024]",
                      text);
        count = 1;
    }
    line->invocation->threads_are_given = line->invocation->threads_are_given || text != NULL;
    line->invocation->thread_count = (int)count;
}

static void apply_progress(command_line *line) {
    static const char *const names[] = {"auto", "plain", "json", "none", NULL};
    const char *mode = common_value(line, "progress");
    if (common_value(line, "quiet") != NULL) {
        tal_progress_set_mode(TAL_PROGRESS_NONE);
    }
    for (int i = 0; mode != NULL; i++) {
        if (names[i] == NULL) {
            tal_error_add(line->err, TAL_BAD_USAGE,
                          "--progress=%s must be auto, plain, json or none", mode);
            return;
        }
        if (strcmp(names[i], mode) == 0) {
            tal_progress_set_mode((tal_progress_mode)i);
            return;
        }
    }
}

// --set joint.1.dip_deg=40: the last dot before the = parts section and key.
static void apply_set(command_line *line, const char *text) {
    char section[512], where[600];
    const char *equals = strchr(text, '=');
    snprintf(where, sizeof where, "--set %s", text);
    snprintf(section, sizeof section, "%.*s", equals != NULL ? (int)(equals - text) : 0, text);
    char *dot = strrchr(section, '.');
    if (dot == NULL) {
        tal_error_add(line->err, TAL_BAD_USAGE, "%s: write SECTION.KEY=VALUE", where);
        return;
    }
    *dot = '\0';
    tal_settings *settings = &line->invocation->settings;
    if (tal_settings_set(settings, section, dot + 1, equals + 1, where, line->err) == TAL_OK) {
        const tal_settings_section *found = tal_settings_find_section(section);
        if ((found->stages & line->program->stages) != 0) {
            tal_site_file_check_files(settings, section, dot + 1, where, line->err);
        }
    }
}

static tal_status read_site(const command_line *line, const char *path, tal_error *err) {
    tal_settings *settings = &line->invocation->settings;
    tal_settings_init(settings);
    tal_error one;
    tal_error_reset(&one);
    // A file that cannot be opened replaces the record; its mistakes are added to it.
    return tal_file_check_readable(path, &one) != TAL_OK
               ? tal_error_add(err, TAL_BAD_USAGE, "%s", one.text)
               : tal_site_file_read(settings, path, line->program->stages, err);
}

// Of several sites those with mistakes are told and left out, as long as one remains.
static void drop_wrong_sites(command_line *line) {
    tal_invocation *invocation = line->invocation;
    static tal_error all, one; // large
    const char *good[TAL_ARGUMENTS_MAX + 1];
    int good_count = 0;
    tal_error_reset(&all);
    for (int i = -1; i < invocation->argument_count; i++) {
        const char *path = i < 0 ? line->site_file : invocation->argument[i];
        tal_error_reset(&one);
        if (read_site(line, path, &one) == TAL_OK) {
            good[good_count++] = path;
        } else {
            tal_error_add(&all, one.status, "%s", one.text);
        }
    }
    if (good_count == 0 || all.message_count == 0) {
        return; // told as ever, or nothing to tell
    }
    tal_log_error(&all);
    invocation->refused_count = invocation->argument_count + 1 - good_count;
    line->site_file = good[0];
    invocation->argument_count = good_count - 1;
    for (int i = 1; i < good_count; i++) {
        invocation->argument[i - 1] = good[i];
    }
}

static void resolve_settings(command_line *line) {
    tal_settings_init(&line->invocation->settings);
    if (line->site_file != NULL && line->program->takes_more_sites) {
        drop_wrong_sites(line);
    }
    if (line->site_file != NULL) {
        (void)read_site(line, line->site_file, line->err);
    }
    for (int i = 0; i < line->invocation->set_count; i++) {
        apply_set(line, line->invocation->set[i]);
    }
    if (line->err->message_count == 0) { // not after a mistake: what was refused would be missed
        (void)tal_site_check(&line->invocation->settings, line->err);
    }
    if (line->err->message_count == 0) {
        tal_idle_check(&line->invocation->settings, line->err);
    }
}

static int fail(const tal_error *err, int code) {
    tal_log_error(err);
    return code;
}

static int print_and_destroy(tal_text *text) {
    static tal_error err;
    if (text->failed) {
        TAL_FAIL(&err, TAL_NO_MEMORY, "no memory for the text to be printed");
    } else if (fputs(tal_text_string(text), stdout) == EOF || fflush(stdout) != 0) {
        TAL_FAIL(&err, TAL_IO, "cannot write to standard output: %s", strerror(errno));
    }
    tal_text_destroy(text);
    return err.message_count == 0 ? EXIT_DONE : fail(&err, EXIT_FAILED);
}

static int print_help(const tal_program *program, const char *format) {
    tal_text text = {0};
    if (!tal_help_write(program, format[0] != '\0' ? format : "text", &text)) {
        fprintf(stderr, "%s: error: --help=%s must be text, man, bash or settings\n", program->name,
                format);
        return EXIT_USAGE;
    }
    return print_and_destroy(&text);
}

static int print_settings(const command_line *line) {
    tal_text text = {0};
    tal_settings_write(&line->invocation->settings, line->program->stages, TAL_SETTINGS_NOTES,
                       &text);
    return print_and_destroy(&text);
}

// Every file of every FILES setting this program reads, as it would be opened.
static int print_inputs(const command_line *line) {
    const tal_settings *settings = &line->invocation->settings;
    tal_text text = {0};
    int count = 0;
    const tal_settings_section *sections = tal_settings_sections(&count);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < sections[i].setting_count; k++) {
            const tal_setting *setting = &sections[i].settings[k];
            if (setting->kind != TAL_KIND_FILES ||
                (sections[i].stages & line->program->stages) == 0) {
                continue;
            }
            int copies = 1; // of a section that repeats
            if (sections[i].repeats) {
                memcpy(&copies, (const char *)settings + sections[i].count_offset, sizeof copies);
            }
            for (int n = 0; n < copies; n++) {
                char path[TAL_PATH_SIZE];
                const char *cursor = (const char *)settings + sections[i].offset +
                                     (size_t)n * sections[i].size + setting->offset;
                while (tal_settings_next_file(settings, &cursor, path)) {
                    tal_text_append(&text, "%s\n", path);
                }
            }
        }
    }
    return print_and_destroy(&text);
}

// Wrong words and settings are the user's to mend (2); a machine without memory or a file that
// cannot be read are not.
static int code_of(const tal_error *err) {
    return err->status == TAL_NO_MEMORY || err->status == TAL_IO ? EXIT_FAILED : EXIT_USAGE;
}

static int run(command_line *line) {
    tal_invocation *invocation = line->invocation;
    tal_error *err = line->err;
    if (tal_folder_create(invocation->out, err) != TAL_OK) {
        return fail(err, EXIT_FAILED);
    }
    tal_interrupt_install();
    if (tal_results_recover(invocation->out, err) != TAL_OK) {
        return fail(err, EXIT_FAILED);
    }
    tal_status status = line->program->run(invocation, err);
    if (status == TAL_OK && invocation->refused_count > 0) {
        status = TAL_FAIL(err, TAL_BAD_USAGE, "%d of %d sites were left out, see above",
                          invocation->refused_count,
                          invocation->refused_count + 1 + invocation->argument_count);
    }
    if (status == TAL_OK) {
        return EXIT_DONE;
    }
    if (err->message_count == 0) { // a stage that forgot to say why
        err->status = status;
    }
    // As a shell says of a program that a signal has ended: scripts tell a stop from a failure.
    const int stopped = tal_interrupt_signal();
    return fail(err, stopped != 0 ? EXIT_SIGNAL + stopped : EXIT_FAILED);
}

static int parse_and_run(command_line *line, int argc, char **argv) {
    parse_options(line, argc, argv);
    const char *help = common_value(line, "help");
    if (help != NULL) {
        return print_help(line->program, help);
    }
    if (common_value(line, "version") != NULL) {
        tal_text version = {0};
        tal_text_append(&version, "%s %s\n", line->program->name, tal_version);
        return print_and_destroy(&version);
    }
    const tal_log_level level = common_value(line, "quiet") != NULL     ? TAL_LOG_QUIET
                                : common_value(line, "verbose") != NULL ? TAL_LOG_DEBUG
                                                                        : TAL_LOG_INFO;
    tal_log_init(line->program->name, level);
    parse_arguments(line, argc, argv);
    apply_threads(line);
    apply_progress(line);
    resolve_settings(line);
    tal_invocation *invocation = line->invocation;
    const char *out = common_value(line, "out");
    invocation->out = out != NULL ? out : "out";
    invocation->overwrite =
        common_value(line, "overwrite") != NULL ? TAL_REPLACE : TAL_KEEP_EXISTING;
    // Not after a mistake: what was refused would be missed again ("befor" makes before empty).
    if (line->program->check != NULL && line->err->message_count == 0) {
        line->program->check(invocation, line->err);
    }
    if (line->err->message_count > 0) {
        return fail(line->err, code_of(line->err));
    }
    return common_value(line, "print-settings") != NULL ? print_settings(line)
           : common_value(line, "print-inputs") != NULL ? print_inputs(line)
                                                        : run(line);
}

int tal_program_main(const tal_program *program, int argc, char **argv) {
    tal_memory_begin();
    if (!tal_fault_arm_from_environment()) {
        fprintf(stderr, "%s: error: TALUS_FAULT must be KIND:N or KIND:N+\n", program->name);
        return EXIT_USAGE;
    }
    static tal_error err;
    tal_error_reset(&err);
    tal_log_init(program->name, TAL_LOG_INFO);
    command_line line = {.program = program, .err = &err};
    line.invocation = tal_memory_create(1, sizeof *line.invocation);
    if (line.invocation == NULL) {
        tal_memory_failed(&err, "the settings", 1, sizeof *line.invocation);
        return fail(&err, EXIT_FAILED);
    }
    const int code = parse_and_run(&line, argc, argv);
    tal_memory_destroy(line.invocation);
    return code;
}
