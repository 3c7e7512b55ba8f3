// SPDX-License-Identifier: GPL-3.0-or-later
// Words for people, on standard error. Programs and stages speak through this; the solver library
// never does.
#ifndef TALUS_CORE_BASE_LOG_H
#define TALUS_CORE_BASE_LOG_H

#include "core/base/status.h"

typedef enum { TAL_LOG_QUIET, TAL_LOG_WARN, TAL_LOG_INFO, TAL_LOG_DEBUG } tal_log_level;

// `program` begins each line; colour is used on a terminal unless NO_COLOR is set.
void tal_log_init(const char *program, tal_log_level level);
void tal_log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tal_log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tal_log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Every message of the error, one line each, whatever the level.
void tal_log_error(const tal_error *err);

#endif
