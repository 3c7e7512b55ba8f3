// SPDX-License-Identifier: GPL-3.0-or-later
// A fuzzer and the process that starts it again.
#define _GNU_SOURCE // MAP_ANONYMOUS, dladdr
#include "tests/support/watched.h"

#include "core/geo/hdf5_probe.h"
#include "tests/support/mutate.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

// The library keeps open what it could not close: after some hundred files there is a new process.
enum {
    LOG_BYTES = 1 << 20,
    INPUT_BYTES = 1 << 12,
    ARGUMENTS_MAX = 60,
    FILES_MAX = 800,
    MILLISECONDS_MAX = 100, // a hundred times what most files need
    EXIT_RENEW = 111,
    EXIT_LIBRARY = 112 // it crashed
};

tal_status __wrap_tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code,
                                 tal_error *err);

int __lsan_do_recoverable_leak_check(void);

// Shared with the fuzzer.
typedef struct {
    long file_count;
    size_t length; // of the input that it tries
    uint8_t input[INPUT_BYTES];
} trial;

static struct {
    char log[TAL_PATH_SIZE], words[LOG_BYTES]; // what the fuzzer says
    trial *trial;
    long crash_count;
    pid_t fuzzer;
    time_t begin;
} watch;

// Of the processor, after which the process ends; the product allows 20 seconds.
static void allow_milliseconds(int milliseconds) {
    (void)setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_usec = 1000 * milliseconds},
                    NULL);
}

// The trial takes as long as the reading that follows: one input in four has it, the others go straight to that.
tal_status __wrap_tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code,
                                 tal_error *err) {
    (void)err;
    unsigned sum = 0;
    for (size_t i = 0; i < watch.trial->length; i++) {
        sum += watch.trial->input[i];
    }
    *code = sum % 4 == 0 ? reader(path) : 0;
    return TAL_OK;
}

// Of the frames that a report lists after `words` the first that has a source line or lies in a library
// decides; those of the sanitizer have neither.
static bool is_our_frame(const char *words) {
    const char *frame = words != NULL ? strstr(words, "    #0 ") : NULL;
    const char *line = frame != NULL ? strstr(frame, ".c:") : NULL;
    const char *library = frame != NULL ? strstr(frame, ".so") : NULL;
    return line != NULL && (library == NULL || line < library);
}

// Where the library itself crashes, the report of the sanitizer, with all names looked up, takes as long as some
// hundred files: it is written for crashes elsewhere only.
static struct sigaction reporter;

static void look_where(int number, siginfo_t *info, void *context) {
#ifdef __x86_64__
    Dl_info where;
    const ucontext_t *at = context;
    if (dladdr((void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP], &where) != 0 &&
        (strstr(where.dli_fname, "libhdf5") != NULL ||
         strstr(where.dli_fname, "libnetcdf") != NULL)) {
        _exit(EXIT_LIBRARY);
    }
#endif
    reporter.sa_sigaction(number, info, context);
}

static void watch_crashes(void) {
    const struct sigaction ours = {.sa_sigaction = look_where, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    (void)sigaction(SIGSEGV, &ours, &reporter);
}

// Memory that a library took and lost is the library's: what we forget to close stays in its lists.
static bool is_our_leak(const char *words) {
    for (const char *at = words; (at = strstr(at, "allocated from:")) != NULL; at++) {
        if (is_our_frame(at)) {
            return true;
        }
    }
    return false;
}

// Wrong in our code, or in a library that wrote beyond memory of ours.
static bool is_ours(const char *words) {
    const char *report = strstr(words, "ERROR: ");
    return report == NULL || strstr(words, "runtime error:") != NULL ||
           strstr(words, "internal error") != NULL || is_our_leak(words) || is_our_frame(report) ||
           is_our_frame(strstr(report, "allocated by")) ||
           is_our_frame(strstr(report, "in stack of thread")) ||
           strstr(report, "global variable '") != NULL; // libraries have none that it knows
}

static void read_log(void) {
    FILE *stream = fopen(watch.log, "rb");
    size_t length = 0;
    if (stream != NULL) {
        (void)fseek(stream, 0, SEEK_END);
        const long end = ftell(stream);
        (void)fseek(stream, end > LOG_BYTES - 1 ? end - (LOG_BYTES - 1) : 0, SEEK_SET);
        length = fread(watch.words, 1, LOG_BYTES - 1, stream);
        fclose(stream);
    }
    watch.words[length] = '\0';
}

// Also where it comes between two fuzzers.
static volatile sig_atomic_t is_over;

static void pass_on(int number) {
    is_over = 1;
    (void)kill(watch.fuzzer, number);
}

static _Noreturn void end_watch(int code) {
    fprintf(stderr, "%s%ld files, of which %ld the library crashed on\n", watch.words,
            watch.trial->file_count, watch.crash_count);
    _exit(code);
}

// The value of the last of such arguments; -1 without one.
static long find_number(int argc, char **argv, const char *name) {
    long value = -1;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], name, strlen(name)) == 0) {
            value = strtol(argv[i] + strlen(name), NULL, 10);
        }
    }
    return value;
}

// The arguments of the next fuzzer: the runs and the seconds that are left, another seed, for it would try the
// same files again, and no leak check after each run. False where nothing is left.
static bool set_arguments(int *argc, char ***argv) {
    static char *arguments[ARGUMENTS_MAX + 4], no_leaks[] = "-detect_leaks=0", rest[2][40],
                                               seed[40];
    static const char *const name[2] = {"-runs=", "-max_total_time="};
    const long used[2] = {watch.trial->file_count, (long)(time(NULL) - watch.begin)};
    int count = *argc < ARGUMENTS_MAX ? *argc : ARGUMENTS_MAX;
    memcpy(arguments, *argv, (size_t)count * sizeof *arguments);
    for (int i = 0; i < 2; i++) {
        const long most = find_number(*argc, *argv, name[i]);
        if (most > 0 && used[i] >= most) {
            return false;
        }
        if (most > 0) {
            snprintf(rest[i], sizeof rest[i], "%s%ld", name[i], most - used[i]);
            arguments[count++] = rest[i];
        }
    }
    const long first_seed = find_number(*argc, *argv, "-seed=");
    snprintf(seed, sizeof seed, "-seed=%ld", (first_seed > 0 ? first_seed : watch.begin) + used[0]);
    arguments[count++] = seed;
    arguments[count++] = no_leaks;
    *argc = count;
    *argv = arguments;
    return true;
}

void watched_try(const uint8_t *data, size_t size) {
    static int file_count;
    if (file_count++ == FILES_MAX) {
        _exit(__lsan_do_recoverable_leak_check() == 0 ? EXIT_RENEW : 1);
    }
    ++watch.trial->file_count;
    watch.trial->length = size < INPUT_BYTES ? size : INPUT_BYTES;
    memcpy(watch.trial->input, data, watch.trial->length);
    allow_milliseconds(MILLISECONDS_MAX);
}

void watched_end_try(void) {
    allow_milliseconds(0);
}

static bool is_the_input(const char *path) {
    tal_error err = {0};
    char *bytes = NULL;
    size_t length = 0;
    const bool is_same = tal_file_read(path, &bytes, &length, &err) == TAL_OK &&
                         length == watch.trial->length &&
                         memcmp(bytes, watch.trial->input, length) == 0;
    tal_memory_destroy(bytes);
    return is_same;
}

// Inputs are kept in the first folder that is named. One that the library survived once, but not when it is tried
// again at the next start, would end every fuzzer before it has tried anything new.
static void forget_input(int argc, char **argv) {
    int n = 1;
    while (n < argc && argv[n][0] == '-') {
        n++;
    }
    DIR *folder = n < argc ? opendir(argv[n]) : NULL;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[TAL_PATH_SIZE];
        if (entry->d_name[0] != '.' && tal_path_join(path, argv[n], entry->d_name) &&
            is_the_input(path)) {
            (void)unlink(path);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

void watched_begin(int *argc, char ***argv) {
    static mutant room;
    mutant_begin(&room, "fuzzer.log");
    memcpy(watch.log, room.path, sizeof watch.log);
    // Half a megabyte for every file that is opened: kept, instead of given back each time.
    (void)H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
    watch.trial =
        mmap(NULL, sizeof *watch.trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (watch.trial == MAP_FAILED) {
        abort();
    }
    watch.begin = time(NULL);
    int count = *argc;
    char **arguments = *argv;
    while (set_arguments(&count, &arguments)) {
        int outcome = 0;
        watch.fuzzer = fork();
        if (watch.fuzzer == 0) {
            (void)signal(SIGINT, SIG_DFL); // those of the process that watches pass it on
            (void)signal(SIGTERM, SIG_DFL);
            const int words = open(watch.log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            (void)dup2(words, STDERR_FILENO);
            watch_crashes();
            *argc = count;
            *argv = arguments;
            return;
        }
        (void)signal(SIGINT, pass_on);
        (void)signal(SIGTERM, pass_on);
        while (waitpid(watch.fuzzer, &outcome, 0) < 0) {
        }
        read_log();
        const int code = WIFEXITED(outcome) ? WEXITSTATUS(outcome) : 1;
        const bool is_endless = WIFSIGNALED(outcome) && WTERMSIG(outcome) == SIGPROF;
        const bool is_report = code != EXIT_RENEW && code != EXIT_LIBRARY && !is_endless;
        if (code == 0 || is_over || (is_report && is_ours(watch.words))) {
            end_watch(code);
        }
        if (code != EXIT_RENEW) {
            watch.crash_count++;
            forget_input(*argc, *argv);
        }
        count = *argc;
        arguments = *argv;
    }
    end_watch(0);
}
