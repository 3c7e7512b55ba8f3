// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzing of files that the product tries in a child first (core/geo/hdf5_probe.h): here one child tries many,
// since a fork under sanitizers takes ten times as long as the file. Linked with --wrap=tal_hdf5_probe. A
// library that crashes on a file is what the child is for; a finding in our own code ends the fuzzing.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/hdf5_probe.h"
#include "tests/support/mutate.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

tal_status __wrap_tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code,
                                 tal_error *err);
void __sanitizer_set_death_callback(void (*callback)(void));

enum { FILES_MAX = 300, SECONDS_MAX = 20, LOG_BYTES = 1 << 16 };

typedef struct {
    char path[TAL_PATH_SIZE];
    tal_trial_reader *reader;
} request;

static struct {
    pid_t pid;
    int ask, answer; // our ends of two pipes
    int file_count;
    char log[TAL_PATH_SIZE]; // what the child says
} child;

static _Noreturn void serve(int questions, int answers) {
    static request wanted;
    const int words = open(child.log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)dup2(words, STDOUT_FILENO);
    (void)dup2(words, STDERR_FILENO);
    __sanitizer_set_death_callback(NULL); // the fuzzer's would keep the input as a finding
    (void)signal(SIGABRT, SIG_DFL);       // a library that gives up; ours say so first
    while (read(questions, &wanted, sizeof wanted) == (ssize_t)sizeof wanted) {
        (void)signal(SIGALRM, SIG_DFL);
        (void)alarm(SECONDS_MAX);
        const int code = wanted.reader(wanted.path);
        (void)alarm(0);
        if (write(answers, &code, sizeof code) != (ssize_t)sizeof code) {
            break;
        }
    }
    _exit(0);
}

static void start_child(void) {
    int questions[2], answers[2];
    if (child.log[0] == '\0') {
        static mutant room;
        mutant_begin(&room, "child.log");
        memcpy(child.log, room.path, sizeof child.log);
    }
    if (pipe(questions) != 0 || pipe(answers) != 0) {
        abort();
    }
    child.pid = fork();
    if (child.pid < 0) {
        abort();
    }
    if (child.pid == 0) {
        close(questions[1]);
        close(answers[0]);
        serve(questions[0], answers[1]);
    }
    close(questions[0]);
    close(answers[1]);
    child.ask = questions[1];
    child.answer = answers[0];
    child.file_count = 0;
}

static void end_child(void) {
    close(child.ask);
    close(child.answer);
    (void)waitpid(child.pid, NULL, 0);
    child.pid = 0;
}

// Of the frames that a report lists after `words` the first that has a source line or lies in a library
// decides; those of the sanitizer have neither.
static bool is_our_frame(const char *words) {
    const char *frame = words != NULL ? strstr(words, "    #0 ") : NULL;
    const char *line = frame != NULL ? strstr(frame, ".c:") : NULL;
    const char *library = frame != NULL ? strstr(frame, ".so") : NULL;
    return line != NULL && (library == NULL || line < library);
}

// Wrong in our code, or in a library that wrote beyond memory of ours.
static bool is_ours(const char *words) {
    return strstr(words, "runtime error:") != NULL || strstr(words, "internal error") != NULL ||
           is_our_frame(words) || is_our_frame(strstr(words, "allocated by"));
}

static void judge_death(void) {
    static char words[LOG_BYTES];
    FILE *stream = fopen(child.log, "rb");
    const size_t length = stream != NULL ? fread(words, 1, sizeof words - 1, stream) : 0;
    words[length] = '\0';
    if (stream != NULL) {
        fclose(stream);
    }
    if (is_ours(words)) {
        fprintf(stderr, "in the child that tries files:\n%s\n", words);
        abort();
    }
}

tal_status __wrap_tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code,
                                 tal_error *err) {
    static request wanted;
    (void)err;
    if (child.pid != 0 &&
        child.file_count >= FILES_MAX) { // the library keeps what it could not close
        end_child();
    }
    if (child.pid == 0) {
        start_child();
    }
    child.file_count++;
    wanted.reader = reader;
    snprintf(wanted.path, sizeof wanted.path, "%s", path);
    if (write(child.ask, &wanted, sizeof wanted) != (ssize_t)sizeof wanted) {
        abort();
    }
    if (read(child.answer, code, sizeof *code) != (ssize_t)sizeof *code) {
        end_child();
        judge_death();
        *code = -1;
    }
    return TAL_OK;
}
