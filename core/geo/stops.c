// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of observed stops.
#include "core/geo/stops.h"

#include "core/base/file.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two numbers at the start of a line, by blanks, commas, semicolons or tabs.
static bool parse_point(const char *line, double *x, double *y) {
    char *end;
    *x = strtod(line, &end);
    if (end == line) {
        return false;
    }
    const char *second = end + strspn(end, " \t,;");
    *y = strtod(second, &end);
    return end != second && isfinite(*x) && isfinite(*y);
}

static tal_status add_point(tal_stops *s, double x, double y, int32_t line, tal_error *err) {
    TAL_GROW(s->x, s->count, s->count + 1, "observed stops", err);
    TAL_GROW(s->y, s->count, s->count + 1, "observed stops", err);
    TAL_GROW(s->line, s->count, s->count + 1, "observed stops", err);
    s->x[s->count] = x;
    s->y[s->count] = y;
    s->line[s->count++] = line;
    return TAL_OK;
}

// The first line may be a header; empty lines and remarks are left out.
static tal_status read_lines(tal_stops *s, char *text, const char *path, const tal_origin *origin,
                             tal_error *err) {
    int32_t number = 0;
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        number++;
        double x, y;
        line += strspn(line, " \t\r");
        if (parse_point(line, &x, &y)) {
            TAL_TRY(add_point(s, x - (double)origin->east, y - (double)origin->north, number, err));
        } else if (*line != '\0' && *line != '#' && number > 1) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s:%d: '%.40s' does not begin with two numbers, x and y of a stop",
                            path, number, line);
        }
    }
    return TAL_OK;
}

// Zero inside.
static double distance_to_box(tal_bounds box, double x, double y) {
    return hypot(fmax(0.0, fmax(box.west - x, x - box.east)),
                 fmax(0.0, fmax(box.south - y, y - box.north)));
}

// The stops of one table, from `first` on.
static tal_status check_table(tal_stops *s, size_t first, const char *path,
                              const tal_origin *origin, tal_bounds box, tal_error *err) {
    const double wide = fmax(box.east - box.west, box.north - box.south);
    const int before = err->message_count;
    size_t outside = 0;
    for (size_t k = first; k < s->count; k++) {
        outside += distance_to_box(box, s->x[k], s->y[k]) > 0.0;
    }
    for (size_t k = first; k < s->count; k++) {
        const double away = distance_to_box(box, s->x[k], s->y[k]);
        const double east = s->x[k] + (double)origin->east, north = s->y[k] + (double)origin->north;
        if (outside == s->count - first) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s:%d: none of its %zu stops lies on the terrain (this one, at %.2f "
                            "%.2f, is %.0f m away from it): are these x and y in the coordinate "
                            "system of the site?",
                            path, s->line[k], outside, east, north, away);
        }
        if (away > wide) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "%s:%d: the stop at %.2f %.2f lies %.0f m away from the terrain: correct "
                          "it, or begin its line with # to leave it out",
                          path, s->line[k], east, north, away);
        }
    }
    s->outside_count += outside;
    return err->message_count > before ? err->status : TAL_OK;
}

static tal_status read_table(tal_stops *s, const char *path, const tal_origin *origin,
                             tal_bounds ground, tal_error *err) {
    char *text = NULL;
    size_t length = 0;
    const size_t before = s->count;
    TAL_TRY(tal_file_read(path, &text, &length, err));
    char *ended = tal_memory_create(length + 1, 1);
    tal_status status = TAL_OK;
    if (ended == NULL) {
        status = tal_memory_failed(err, "a table of stops", length, 1);
    } else {
        memcpy(ended, text, length);
        status = read_lines(s, ended, path, origin, err);
    }
    tal_memory_destroy(text);
    tal_memory_destroy(ended);
    TAL_TRY(status);
    if (s->count == before) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s contains no stops: give the x and y of each on a line", path);
    }
    return check_table(s, before, path, origin, ground, err);
}

tal_status tal_stops_read(tal_stops *stops, const tal_settings *settings, const tal_origin *origin,
                          tal_bounds ground, tal_error *err) {
    char path[TAL_PATH_SIZE];
    const char *cursor = settings->report.stops;
    *stops = (tal_stops){0};
    while (tal_settings_next_file(settings, &cursor, path)) {
        const tal_status status = read_table(stops, path, origin, ground, err);
        if (status != TAL_OK) {
            tal_stops_destroy(stops);
            return status;
        }
    }
    return TAL_OK;
}

void tal_stops_destroy(tal_stops *stops) {
    tal_memory_destroy(stops->x);
    tal_memory_destroy(stops->y);
    tal_memory_destroy(stops->line);
    *stops = (tal_stops){0};
}

void tal_stops_tell_outside(const tal_stops *stops, char *text, size_t size) {
    text[0] = '\0';
    if (stops->outside_count > 0) {
        snprintf(text, size,
                 "%zu of %zu observed stops (%.0f %%) lie outside the terrain, where no simulated "
                 "rock can stop: what is compared with them is too short. Enlarge the site.",
                 stops->outside_count, stops->count,
                 100.0 * (double)stops->outside_count / (double)stops->count);
    }
}
