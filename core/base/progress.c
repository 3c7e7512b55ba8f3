// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of long work on standard error.
#define _DEFAULT_SOURCE // the width of a terminal
#include "core/base/progress.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static tal_progress_mode progress_mode = TAL_PROGRESS_AUTO;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool on_terminal(void) {
    return progress_mode == TAL_PROGRESS_AUTO && isatty(STDERR_FILENO) == 1;
}

void tal_progress_set_mode(tal_progress_mode mode) {
    progress_mode = mode;
}

static void format_count(char *text, size_t size, double count) {
    if (fabs(count) >= 1e9) {
        snprintf(text, size, "%.2f G", count / 1e9);
    } else if (fabs(count) >= 1e6) {
        snprintf(text, size, "%.2f M", count / 1e6);
    } else if (fabs(count) >= 9999.5) { // %.4g would say 1e+04
        snprintf(text, size, "%.1f k", count / 1e3);
    } else {
        snprintf(text, size, "%.4g", count);
    }
}

static void format_duration(char *text, size_t size, double seconds) {
    const long whole = (long)fmin(fmax(seconds, 0.0) + 0.5, 1e9);
    if (whole >= 3600) {
        snprintf(text, size, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    } else if (whole >= 60) {
        snprintf(text, size, "%ld min %02ld s", whole / 60, whole % 60);
    } else {
        snprintf(text, size, "%ld s", whole);
    }
}

int tal_progress_format(char *line, size_t size, const tal_progress *progress, double done,
                        double elapsed_s) {
    const double rate = elapsed_s > 0.0 ? done / elapsed_s : 0.0;
    char done_text[32], rate_text[32], left_text[32] = "?";
    format_count(done_text, sizeof done_text, done);
    format_count(rate_text, sizeof rate_text, rate);
    if (progress->total <= 0.0) {
        return snprintf(line, size, "%s: %s %s, %s/s", progress->label, done_text, progress->unit,
                        rate_text);
    }
    if (rate > 0.0) {
        format_duration(left_text, sizeof left_text, (progress->total - done) / rate);
    }
    return snprintf(line, size, "%s: %3.0f %%, %s %s, %s/s, %s left", progress->label,
                    fmin(100.0, 100.0 * done / progress->total), done_text, progress->unit,
                    rate_text, left_text);
}

static void print_json_string(const char *text) {
    fputc('"', stderr);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fputc('\\', stderr);
        }
        fputc((unsigned char)*c < 0x20 ? ' ' : *c, stderr);
    }
    fputc('"', stderr);
}

static void print_json(const tal_progress *progress, double done, double elapsed_s) {
    fputs("{\"label\": ", stderr);
    print_json_string(progress->label);
    fputs(", \"unit\": ", stderr);
    print_json_string(progress->unit);
    fprintf(stderr, ", \"done\": %.17g, \"total\": ", done);
    fprintf(stderr, progress->total > 0.0 ? "%.17g" : "null", progress->total);
    fprintf(stderr, ", \"elapsed_s\": %.3f}\n", elapsed_s);
}

// A line that fills the terminal would wrap, and each update would begin a new one.
static int line_width(void) {
    struct winsize size = {0};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

static void print_state(const tal_progress *progress, double done, double elapsed_s) {
    char line[256];
    if (progress_mode == TAL_PROGRESS_JSON) {
        print_json(progress, done, elapsed_s);
        return;
    }
    tal_progress_format(line, sizeof line, progress, done, elapsed_s);
    if (on_terminal()) {
        fprintf(stderr, "\r\033[K%.*s", line_width(), line);
    } else {
        fprintf(stderr, "%s\n", line);
    }
}

void tal_progress_begin(tal_progress *progress, const char *label, const char *unit, double total) {
    *progress = (tal_progress){.label = label, .unit = unit, .total = total};
    progress->started_s = now_s();
    progress->shown_s = progress->started_s;
}

void tal_progress_advance(tal_progress *progress, double done) {
    if (progress_mode == TAL_PROGRESS_NONE || progress->ended) {
        return;
    }
    const double now = now_s();
    const bool terminal = on_terminal();
    // Elsewhere a line per 5 %, and none within the first second: short work stays silent. Work of
    // unknown length gets a line every ten seconds.
    const int step = progress->total > 0.0 ? (int)(20.0 * done / progress->total)
                                           : (int)((now - progress->started_s) / 10.0);
    const bool due = terminal ? now - progress->shown_s > 0.1
                              : step > progress->shown_step && now - progress->started_s > 1.0;
    if (due) {
        print_state(progress, done, now - progress->started_s);
        progress->shown_s = now;
        progress->shown_step = step;
    }
}

void tal_progress_end(tal_progress *progress, double done) {
    if (progress->ended || progress_mode == TAL_PROGRESS_NONE) {
        progress->ended = true;
        return;
    }
    progress->ended = true;
    const double elapsed = now_s() - progress->started_s;
    if (progress_mode == TAL_PROGRESS_JSON) {
        print_json(progress, done, elapsed);
    } else if (on_terminal() || elapsed > 1.0) {
        char count[32], rate[32], duration[32];
        format_count(count, sizeof count, done);
        format_count(rate, sizeof rate, elapsed > 0.0 ? done / elapsed : 0.0);
        format_duration(duration, sizeof duration, elapsed);
        fprintf(stderr, "%s%s: %s %s in %s (%s/s)\n", on_terminal() ? "\r\033[K" : "",
                progress->label, count, progress->unit, duration, rate);
    }
}
