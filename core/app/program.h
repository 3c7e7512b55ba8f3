// SPDX-License-Identifier: GPL-3.0-or-later
// The command line all programs share: GNU long options, a site file, --set, --help in several
// formats, exit 0 done, 1 failed, 2 usage or settings, 128 + the signal when stopped by one.
#ifndef TALUS_CORE_APP_PROGRAM_H
#define TALUS_CORE_APP_PROGRAM_H

#include "core/base/file.h"
#include "core/base/settings.h"
#include "core/base/status.h"

typedef struct {
    const char *name;     // "until"
    char letter;          // 0 where there is none
    const char *argument; // "SECONDS", NULL for a flag
    const char *sentence;
} tal_option;

enum { TAL_OPTIONS_MAX = 32, TAL_ARGUMENTS_MAX = 256, TAL_SETS_MAX = 256 };

// What the user asked for.
typedef struct {
    tal_settings settings; // resolved: defaults, site file, --set
    int argument_count;
    const char *argument[TAL_ARGUMENTS_MAX];   // what is not an option, without the site file
    const char *option_value[TAL_OPTIONS_MAX]; // by index in tal_program.options; "" for a flag
    const char *set[TAL_SETS_MAX];             // "SECTION.KEY=VALUE" of each --set, in order
    int set_count;
    const char *out; // --out, the output folder
    tal_overwrite overwrite;
    int thread_count;       // --threads, else OMP_NUM_THREADS, else all cores
    bool threads_are_given; // by one of the first two
    int refused_count;      // site files that could not be used, where the program takes several
} tal_invocation;

// Settles every setting that the options of the program stand for and looks for mistakes that can be
// seen before work starts, adding one message each to `err`. Called once the command line and the
// settings are in order.
typedef tal_status tal_program_check(tal_invocation *invocation, tal_error *err);
typedef tal_status tal_program_run(const tal_invocation *invocation, tal_error *err);

typedef struct {
    const char *name;        // "talus-ingest"
    const char *summary;     // one line
    const char *arguments;   // "SITE.ini [OPTION]..."
    const char *description; // paragraphs, parted by blank lines
    const char *examples;    // lines for the end of the man page
    unsigned stages;         // settings this program reads
    bool needs_site_file;
    bool takes_more_sites; // every argument is a site file; the usable ones are used
    int arguments_max;     // arguments allowed besides the site file
    const tal_option *options;
    int option_count;
    tal_program_check *check; // may be NULL
    tal_program_run *run;
} tal_program;

// Parses, checks, runs. Returns the exit code: 0 done, 1 failed, 2 wrong usage or settings, 129 stopped
// because the terminal was closed, 130 by Ctrl-C, 143 by SIGTERM.
int tal_program_main(const tal_program *program, int argc, char **argv);

// The value of an option by name, NULL when it was not given.
const char *tal_invocation_option(const tal_program *program, const tal_invocation *invocation,
                                  const char *name);

extern const char *const tal_version;

#endif
