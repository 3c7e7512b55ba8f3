// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of others that talus starts: GMT, a browser, ffmpeg.
#ifndef TALUS_POSTPROC_WRITE_OUTSIDE_H
#define TALUS_POSTPROC_WRITE_OUTSIDE_H

#include "core/base/file.h"

// The program to start for the first of `names` (ended by NULL) that is there: what the environment
// variable says, else what lies on the PATH. False when there is none.
bool tal_outside_find(char path[TAL_PATH_SIZE], const char *variable, const char *const *names);

// Runs a program to its end. What it prints goes to the file `out`, what it complains about to
// `log`, which may be the same. Its exit status, or -1 when it could not be started or was killed, as it is with
// all that it has started when we are told to stop (core/base/interrupt.h).
int tal_outside_run(char *const *arguments, const char *out, const char *log);

#endif
