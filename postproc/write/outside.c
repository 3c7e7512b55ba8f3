// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of others that talus starts.
#define _POSIX_C_SOURCE 200809L
#include "postproc/write/outside.h"

#include "core/base/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool find_on_path(char path[TAL_PATH_SIZE], const char *name) {
    if (strchr(name, '/') != NULL) {
        return snprintf(path, TAL_PATH_SIZE, "%s", name) < TAL_PATH_SIZE && access(path, X_OK) == 0;
    }
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        const int used = snprintf(path, TAL_PATH_SIZE, "%.*s/%s", (int)length, folders, name);
        if (used > 0 && used < TAL_PATH_SIZE && access(path, X_OK) == 0) {
            return true;
        }
        folders += length + (folders[length] == ':' ? 1 : 0);
    }
    return false;
}

bool tal_outside_find(char path[TAL_PATH_SIZE], const char *variable, const char *const *names) {
    const char *asked = getenv(variable);
    if (asked != NULL && asked[0] != '\0') {
        return find_on_path(path, asked);
    }
    for (size_t i = 0; names[i] != NULL; i++) {
        if (find_on_path(path, names[i])) {
            return true;
        }
    }
    return false;
}

static void send_to(const char *path, int descriptor) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) {
        (void)dup2(file, descriptor);
    }
}

static _Noreturn void become(char *const *arguments, const char *out, const char *log,
                             pid_t parent) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);
    }
    (void)setpgid(0, 0); // ended together with whatever it starts
    send_to(out, STDOUT_FILENO);
    if (strcmp(out, log) == 0) {
        (void)dup2(STDOUT_FILENO, STDERR_FILENO);
    } else {
        send_to(log, STDERR_FILENO);
    }
    (void)execv(arguments[0], arguments);
    _exit(127);
}

int tal_outside_run(char *const *arguments, const char *out, const char *log) {
    const struct timespec pause = {.tv_nsec = 10000000}; // a figure takes a hundred times as long
    const pid_t self = getpid(), child = fork();
    if (child < 0) {
        return -1;
    }
    if (child == 0) {
        become(arguments, out, log, self);
    }
    (void)setpgid(child, child); // whoever of the two comes first
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
        (void)nanosleep(&pause, NULL);
        if (tal_interrupt_pending()) {
            (void)kill(-child, SIGKILL);
        }
    }
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
