// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of geodata files share: bytes of a file, names in a folder, other programs'
// output, and a disk with little room.
#ifndef TALUS_TESTS_CORE_UNIT_GEO_CHECK_H
#define TALUS_TESTS_CORE_UNIT_GEO_CHECK_H

#include "core/base/file.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char geo_folder[256];

static inline int geo_make_folder(void **state) {
    (void)state;
    snprintf(geo_folder, sizeof geo_folder, "%s", check_scratch());
    return 0;
}

static inline int geo_remove_folder(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", geo_folder);
    return system(command);
}

// A path in the scratch folder, valid to the end of the test.
static inline const char *geo_path(const char *name) {
    static char paths[64][600];
    static int next = 0;
    char wanted[600];
    snprintf(wanted, sizeof wanted, "%s/%s", geo_folder, name);
    for (int i = 0; i < 64; i++) {
        if (strcmp(paths[i], wanted) == 0) {
            return paths[i];
        }
    }
    next = (next + 1) % 64;
    memcpy(paths[next], wanted, sizeof wanted);
    return paths[next];
}

static inline void geo_assert_same_bytes(const char *path, const char *other) {
    char *a = NULL;
    char *b = NULL;
    size_t a_length = 0;
    size_t b_length = 0;
    check_ok(tal_file_read(path, &a, &a_length, &check_error));
    check_ok(tal_file_read(other, &b, &b_length, &check_error));
    assert_int_equal(a_length, b_length);
    assert_memory_equal(a, b, a_length);
    tal_memory_destroy(a);
    tal_memory_destroy(b);
}

// How many names of the scratch folder begin so.
static inline int geo_count_names(const char *prefix) {
    DIR *folder = opendir(geo_folder);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0 ? 1 : 0;
    }
    closedir(folder);
    return count;
}

// Standard output of a command; skips the test where the program is not installed.
__attribute__((format(printf, 1, 2))) static inline const char *geo_run(const char *format, ...) {
    static char output[262144];
    char command[2000];
    va_list list;
    va_start(list, format);
    const int wanted = vsnprintf(command, sizeof command, format, list);
    va_end(list);
    assert_in_range(wanted, 1, sizeof command - 1);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    const int code = pclose(pipe);
    if (WIFEXITED(code) && WEXITSTATUS(code) == 127) {
        printf("SKIPPED: not installed: %s\n", command);
        skip();
    }
    assert_int_equal(code, 0);
    return output;
}

static inline void geo_assert_says(const char *text, const char *words) {
    if (strstr(text, words) == NULL) {
        fail_msg("'%s' is not in:\n%s", words, text);
    }
}

// Files cannot grow beyond this from now on: what a full disk looks like to a library.
static inline void geo_limit_file_size(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#endif
