// SPDX-License-Identifier: GPL-3.0-or-later
// A trial in a child.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/hdf5_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// In the child, without words: what a crashing library prints helps nobody.
static _Noreturn void read_and_leave(const char *path, tal_trial_reader *reader, rlim_t seconds) {
    const int nothing = open("/dev/null", O_WRONLY);
    struct sigaction usual = {.sa_handler = SIG_DFL};
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) {
        sigaction(crashes[i], &usual, NULL);
    }
    (void)dup2(nothing, STDOUT_FILENO);
    (void)dup2(nothing, STDERR_FILENO);
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    (void)setrlimit(RLIMIT_CPU, &(struct rlimit){.rlim_cur = seconds, .rlim_max = seconds});
    _exit(reader(path));
}

tal_status tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code, tal_error *err) {
    struct stat info;
    const double megabytes = stat(path, &info) == 0 ? 1e-6 * (double)info.st_size : 0.0;
    const pid_t child = fork();
    if (child == 0) {
        read_and_leave(path, reader,
                       (rlim_t)(20.0 + megabytes / 10.0)); // ten times what the slowest disk needs
    }
    int outcome = 0;
    while (child > 0 && waitpid(child, &outcome, 0) < 0) {
        if (errno != EINTR) {
            return TAL_FAIL(err, TAL_IO, "%s: the process that was checking it got lost: %s", path,
                            strerror(errno));
        }
    }
    *code = WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
    return TAL_OK; // without a child the library must do
}

tal_status tal_hdf5_crashes(const char *path, tal_error *err) {
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s is damaged: the library that reads it crashes on it. Create it again",
                    path);
}
