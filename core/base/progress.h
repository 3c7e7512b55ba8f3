// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of long work: a line with rate and time left on a terminal, a plain line per 5 %
// elsewhere, one JSON object per line for machines.
#ifndef TALUS_CORE_BASE_PROGRESS_H
#define TALUS_CORE_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

typedef enum {
    TAL_PROGRESS_AUTO, // terminal line or plain, as standard error is
    TAL_PROGRESS_PLAIN,
    TAL_PROGRESS_JSON,
    TAL_PROGRESS_NONE
} tal_progress_mode;

typedef struct {
    const char *label; // "reading before.las"
    const char *unit;  // "points"
    double total;      // <= 0: not known
    double started_s;
    double shown_s;
    int shown_step; // last 5 % step that was printed
    bool ended;
} tal_progress;

void tal_progress_set_mode(tal_progress_mode mode);
void tal_progress_begin(tal_progress *progress, const char *label, const char *unit, double total);
// Cheap: looks at the clock and prints only when it is due.
void tal_progress_advance(tal_progress *progress, double done);
void tal_progress_end(tal_progress *progress, double done);

// The pieces, for tests: the text of a state `elapsed_s` after the start.
int tal_progress_format(char *line, size_t size, const tal_progress *progress, double done,
                        double elapsed_s);

#endif
