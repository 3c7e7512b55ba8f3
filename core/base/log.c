// SPDX-License-Identifier: GPL-3.0-or-later
// Words for people, on standard error.
#define _POSIX_C_SOURCE 200809L
#include "core/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *log_program = "talus";
static tal_log_level log_level = TAL_LOG_INFO;
static bool log_terminal;
static bool log_colour;

void tal_log_init(const char *program, tal_log_level level) {
    const char *no_colour = getenv("NO_COLOR");
    log_program = program;
    log_level = level;
    log_terminal = isatty(STDERR_FILENO) == 1;
    log_colour = log_terminal && (no_colour == NULL || no_colour[0] == '\0');
}

static void print_line(const char *word, const char *colour, const char *text, size_t length) {
    const char *on = log_colour ? colour : "";
    const char *off = log_colour && colour[0] != '\0' ? "\033[0m" : "";
    // On a terminal the line may stand where a progress line was: clear it first.
    fprintf(stderr, "%s%s: %s%s%s%.*s\n", log_terminal ? "\r\033[K" : "", log_program, on, word,
            off, (int)length, text);
}

static void print(const char *word, const char *colour, const char *format, va_list list) {
    char text[4096];
    vsnprintf(text, sizeof text, format, list);
    print_line(word, colour, text, strlen(text));
}

void tal_log_info(const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (log_level >= TAL_LOG_INFO) {
        print("", "", format, list);
    }
    va_end(list);
}

void tal_log_warn(const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (log_level >= TAL_LOG_WARN) {
        print("warning: ", "\033[33m", format, list);
    }
    va_end(list);
}

void tal_log_debug(const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (log_level >= TAL_LOG_DEBUG) {
        print("debug: ", "\033[2m", format, list);
    }
    va_end(list);
}

static void print_error_line(const char *text, size_t length) {
    print_line("error: ", "\033[31m", text, length);
}

void tal_log_error(const tal_error *err) {
    for (const char *line = err->text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        print_error_line(line, length);
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    if (err->left_out > 0) {
        char more[64];
        snprintf(more, sizeof more, "and %d more", err->left_out);
        print_error_line(more, strlen(more));
    }
    if (err->message_count == 0) {
        const char *text = tal_status_text(err->status);
        print_error_line(text, strlen(text));
    }
}
