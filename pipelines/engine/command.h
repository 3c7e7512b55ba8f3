// SPDX-License-Identifier: GPL-3.0-or-later
// Other people's programs: run one and read what it says.
#ifndef TALUS_PIPELINES_ENGINE_COMMAND_H
#define TALUS_PIPELINES_ENGINE_COMMAND_H

#include "core/base/status.h"
#include "core/base/text.h"

// Runs `words` (ended by NULL; the first is looked for in PATH) and appends what it writes to
// standard output to `out`; both outputs when `with_errors`. A program that cannot be started gives
// code 127.
tal_status tal_command_run(const char *const *words, bool with_errors, tal_text *out, int *code,
                           tal_error *err);

#endif
