// SPDX-License-Identifier: GPL-3.0-or-later
// Status texts and the error record.
#include "core/base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tal_status_text(tal_status status) {
    static const char *const texts[] = {
#define X(name, text) text,
        TAL_STATUS_LIST(X)
#undef X
    };
    return (unsigned)status < TAL_STATUS_COUNT ? texts[status] : "unknown status";
}

void tal_error_reset(tal_error *err) {
    if (err != NULL) {
        err->status = TAL_OK;
        err->message_count = 0;
        err->left_out = 0;
        err->text[0] = '\0';
    }
}

tal_status tal_error_add_list(tal_error *err, tal_status status, const char *format, va_list list) {
    if (err == NULL) {
        return status;
    }
    if (err->message_count == 0) {
        err->status = status;
    }
    err->message_count++;
    const size_t used = strlen(err->text);
    const size_t room = sizeof err->text - used;
    const int newline = used > 0 ? 1 : 0;
    char *end = err->text + used;
    if (newline != 0 && room > 1) {
        *end = '\n';
    }
    const int wanted =
        room > 2 ? vsnprintf(end + newline, room - (size_t)newline, format, list) : -1;
    // A single message too long for the record is cut; a later one that does not fit is counted.
    if (wanted < 0 || ((size_t)wanted >= room - (size_t)newline && newline != 0)) {
        *end = '\0';
        err->left_out++;
    }
    return err->status;
}

tal_status tal_error_add(tal_error *err, tal_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const tal_status first = tal_error_add_list(err, status, format, list);
    va_end(list);
    return first;
}

tal_status tal_error_set(tal_error *err, tal_status status, const char *format, ...) {
    tal_error_reset(err);
    va_list list;
    va_start(list, format);
    tal_error_add_list(err, status, format, list);
    va_end(list);
    return status;
}

void tal_assert_failed(const char *condition, const char *file, int line) {
    fprintf(stderr, "talus: internal error at %s:%d: %s does not hold. Please report this.\n", file,
            line, condition);
    abort();
}
