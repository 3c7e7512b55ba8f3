// SPDX-License-Identifier: GPL-3.0-or-later
// Other people's programs.
#define _GNU_SOURCE
#include "pipelines/engine/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(const char *const *words, const int pipe_ends[2], bool with_errors) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0); // Ctrl-C is for the study
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, 0);
    dup2(pipe_ends[1], 1);
    dup2(with_errors ? pipe_ends[1] : nothing, 2);
    execvp(words[0], (char *const *)(const void *)words);
    _exit(127);
}

static void read_all(int file, tal_text *out) {
    char bytes[4096];
    for (ssize_t count = 0; (count = read(file, bytes, sizeof bytes)) != 0;) {
        if (count > 0) {
            tal_text_append_bytes(out, bytes, (size_t)count);
        } else if (errno != EINTR) {
            break;
        }
    }
}

tal_status tal_command_run(const char *const *words, bool with_errors, tal_text *out, int *code,
                           tal_error *err) {
    int ends[2], exit_status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return TAL_FAIL(err, TAL_UNAVAILABLE, "no pipe to %s: %s", words[0], strerror(errno));
    }
    const pid_t child = fork();
    if (child == 0) {
        become(words, ends, with_errors);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return TAL_FAIL(err, TAL_UNAVAILABLE, "%s cannot be started: %s", words[0],
                        strerror(errno));
    }
    read_all(ends[0], out);
    close(ends[0]);
    while (waitpid(child, &exit_status, 0) < 0 && errno == EINTR) {
    }
    *code = WIFEXITED(exit_status) ? WEXITSTATUS(exit_status) : 128;
    return out->failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for what %s says", words[0])
                       : TAL_OK;
}
