// SPDX-License-Identifier: GPL-3.0-or-later
// What every test file needs: cmocka with its includes in order, checks on statuses, scratch folders,
// and data that users do not have.
#ifndef TALUS_TESTS_SUPPORT_CHECK_H
#define TALUS_TESTS_SUPPORT_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/status.h"

// The call succeeds; if not, its message is shown.
#define check_ok(call)                                                                             \
    do {                                                                                           \
        tal_error_reset(&check_error);                                                             \
        const tal_status check_status_ = (call);                                                   \
        if (check_status_ != TAL_OK) {                                                             \
            fail_msg("%s: %s", tal_status_text(check_status_), check_error.text);                  \
        }                                                                                          \
    } while (0)

// The call fails with this status and its message contains `words`.
#define check_fails(call, expected, words)                                                         \
    do {                                                                                           \
        tal_error_reset(&check_error);                                                             \
        const tal_status check_status_ = (call);                                                   \
        assert_int_equal(check_status_, (expected));                                               \
        if (strstr(check_error.text, (words)) == NULL) {                                           \
            fail_msg("'%s' does not say '%s'", check_error.text, (words));                         \
        }                                                                                          \
    } while (0)

#define check_near(actual, expected, tolerance)                                                    \
    do {                                                                                           \
        const double check_a_ = (actual), check_b_ = (expected), check_t_ = (tolerance);           \
        if (!(fabs(check_a_ - check_b_) <= check_t_)) {                                            \
            fail_msg("%s = %.17g, expected %.17g +- %g", #actual, check_a_, check_b_, check_t_);   \
        }                                                                                          \
    } while (0)

// Shared by check_ok and check_fails: pass &check_error to the call.
static tal_error check_error __attribute__((unused));

// A new empty folder below TMPDIR, which ctest sets inside the build; it may be left behind.
static inline const char *check_scratch(void) {
    static char path[256];
    const char *base = getenv("TMPDIR");
    const int length =
        snprintf(path, sizeof path, "%s/talus-test-XXXXXX", base != NULL ? base : "/tmp");
    extern char *mkdtemp(char *);
    if (length < 0 || length >= (int)sizeof path || mkdtemp(path) == NULL) {
        fail_msg("no scratch folder %s; set TMPDIR to a short path that can be written to", path);
    }
    return path;
}

// Folder with real data, or a visible skip.
static inline const char *check_data(const char *what) {
    const char *folder = getenv("TALUS_TEST_DATA");
    if (folder == NULL || folder[0] == '\0') {
        printf("SKIPPED: %s needs TALUS_TEST_DATA\n", what);
        fflush(stdout);
        skip();
    }
    return folder;
}

#endif
