// SPDX-License-Identifier: GPL-3.0-or-later
// A program that does nothing but show what the shared command line understood.
#define _POSIX_C_SOURCE 200809L
#include "core/app/program.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static tal_status run(const tal_invocation *invocation, tal_error *err);

static const tal_option options[] = {
    {"until", 'u', "SECONDS", "A number to show."},
    {"wait", 0, NULL, "Wait for Ctrl-C."},
    {"work", 0, NULL, "Pretend to work for a bit more than a second."},
    {"forget", 0, NULL, "Fail without saying why."},
};

static void pretend_to_work(void) {
    tal_progress progress;
    tal_progress_begin(&progress, "counting \"sheep\"", "sheep", 100.0);
    for (int i = 0; i < 120; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 12000000}, NULL);
        tal_progress_advance(&progress, i < 100 ? (double)i : 100.0);
        if (i == 60) {
            tal_log_warn("one is black");
            tal_log_debug("it is number %d", i);
        }
    }
    tal_progress_end(&progress, 100.0);
}

static tal_status check(tal_invocation *invocation, tal_error *err);

static const tal_program program = {
    .name = "talus-echo",
    .summary = "Shows what the command line says.",
    .arguments = "SITE.ini [OPTION]...",
    .description = "For tests.",
    .examples = "  talus-echo site.ini\n",
    .stages = TAL_STAGE_INGEST | TAL_STAGE_SOLVE,
    .needs_site_file = true,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .check = check,
    .run = run,
};

static tal_status check(tal_invocation *invocation, tal_error *err) {
    const char *until = tal_invocation_option(&program, invocation, "until");
    if (until != NULL && strcmp(until, "never") == 0) {
        return tal_error_add(err, TAL_BAD_USAGE, "--until=never is too long");
    }
    return TAL_OK;
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    const char *until = tal_invocation_option(&program, invocation, "until");
    printf("friction %g\nthreads %d\nuntil %s\n", invocation->settings.contact.friction,
           invocation->thread_count, until != NULL ? until : "not given");
    fflush(stdout);
    while (tal_invocation_option(&program, invocation, "wait") != NULL) {
        TAL_TRY(tal_interrupt_check(err));
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    if (tal_invocation_option(&program, invocation, "work") != NULL) {
        pretend_to_work();
    }
    if (tal_invocation_option(&program, invocation, "forget") != NULL) {
        return TAL_NOT_CONVERGED;
    }
    char path[TAL_PATH_SIZE];
    tal_path_join(path, invocation->out, "echo.txt");
    return tal_file_write_text(path, "echo\n", invocation->overwrite, err);
}

int main(int argc, char **argv) {
    return tal_program_main(&program, argc, argv);
}
