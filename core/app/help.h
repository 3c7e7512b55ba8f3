// SPDX-License-Identifier: GPL-3.0-or-later
// Help, man page, bash completion and the settings reference, all from the same tables.
#ifndef TALUS_CORE_APP_HELP_H
#define TALUS_CORE_APP_HELP_H

#include "core/app/program.h"
#include "core/base/text.h"

// Options every program has; ended by a row without a name.
extern const tal_option tal_common_options[];

// `format`: text, man, bash, settings (markdown). False when it is none of these.
bool tal_help_write(const tal_program *program, const char *format, tal_text *out);

#endif
