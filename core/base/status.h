// SPDX-License-Identifier: GPL-3.0-or-later
// Status codes and the one error record: filled where something went wrong, passed up by every
// caller, printed by main alone.
#ifndef TALUS_CORE_BASE_STATUS_H
#define TALUS_CORE_BASE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAL_STATUS_LIST(X)                                                                         \
    X(TAL_OK, "done")                                                                              \
    X(TAL_BAD_USAGE, "wrong command line")                                                         \
    X(TAL_BAD_SETTING, "wrong setting")                                                            \
    X(TAL_BAD_INPUT, "wrong input")                                                                \
    X(TAL_BAD_CRS, "wrong coordinate system")                                                      \
    X(TAL_NOT_FOUND, "not found")                                                                  \
    X(TAL_EXISTS, "already exists")                                                                \
    X(TAL_IO, "reading or writing failed")                                                         \
    X(TAL_NO_MEMORY, "out of memory")                                                              \
    X(TAL_TOO_LARGE, "too large")                                                                  \
    X(TAL_NOT_CONVERGED, "not converged")                                                          \
    X(TAL_UNTRUSTED, "result not to be trusted")                                                   \
    X(TAL_UNAVAILABLE, "not available on this machine")                                            \
    X(TAL_INTERRUPTED, "interrupted")

typedef enum {
#define X(name, text) name,
    TAL_STATUS_LIST(X)
#undef X
        TAL_STATUS_COUNT
} tal_status;

const char *tal_status_text(tal_status status);

enum { TAL_ERROR_TEXT_SIZE = 8192 };

// One failure, or several found together: `text` holds one line per message. When the lines do not
// fit, the rest is counted in `left_out`.
typedef struct {
    tal_status status;
    int message_count;
    int left_out;
    char text[TAL_ERROR_TEXT_SIZE];
} tal_error;

void tal_error_reset(tal_error *err);

// Replaces what `err` held. Returns `status`, so that `return TAL_FAIL(...)` is one statement.
// `err` may be NULL where the caller wants the status only.
tal_status tal_error_set(tal_error *err, tal_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Adds one more message; the first one decides the status.
tal_status tal_error_add(tal_error *err, tal_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
tal_status tal_error_add_list(tal_error *err, tal_status status, const char *format, va_list list);

#define TAL_FAIL(err, status, ...) tal_error_set((err), (status), __VA_ARGS__)

#define TAL_TRY(call)                                                                              \
    do {                                                                                           \
        const tal_status try_status_ = (call);                                                     \
        if (try_status_ != TAL_OK) {                                                               \
            return try_status_;                                                                    \
        }                                                                                          \
    } while (0)

// For functions that own something: `status` is the local variable, `done:` releases and returns it.
#define TAL_TRY_OR_DONE(call)                                                                      \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != TAL_OK) {                                                                    \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

// Wrong code, not wrong input: says where and aborts.
#ifdef __cplusplus
#define TAL_NORETURN [[noreturn]]
#else
#define TAL_NORETURN _Noreturn
#endif
TAL_NORETURN void tal_assert_failed(const char *condition, const char *file, int line);
#define TAL_ASSERT(condition)                                                                      \
    ((condition) ? (void)0 : tal_assert_failed(#condition, __FILE__, __LINE__))

// Costly invariants, debug builds only.
#ifdef TALUS_DEBUG
#define TAL_VALIDATE(condition) TAL_ASSERT(condition)
#else
#define TAL_VALIDATE(condition) ((void)0)
#endif

#ifdef __cplusplus
}
#endif

#endif
