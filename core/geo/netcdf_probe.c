// SPDX-License-Identifier: GPL-3.0-or-later
// libhdf5 crashes on some damaged files. One that nobody vouches for is read by a child first, which may.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/hdf5_exit.h"
#include "core/geo/netcdf_private.h"

#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// The child ends with 0, or with the error of the library without its sign (33 to 140).
enum { EXIT_ERROR_MIN = 32, PIECE_BYTES = 1 << 24, NAME_BYTES = NC_MAX_NAME + 1 };

// Attributes of a variable or, with NC_GLOBAL, of the file.
static int read_attributes(int file, int variable, int count, char *room) {
    int code = NC_NOERR;
    for (int i = 0; i < count && code == NC_NOERR; i++) {
        char name[NAME_BYTES];
        nc_type type = 0;
        size_t length = 0;
        code = nc_inq_attname(file, variable, i, name);
        code = code == NC_NOERR ? nc_inq_att(file, variable, name, &type, &length) : code;
        if (code == NC_NOERR && type <= NC_UINT64 && length < PIECE_BYTES / 8) {
            code = nc_get_att(file, variable, name, room);
        }
    }
    return code;
}

// The values in pieces along the first dimension.
static int read_values(int file, int variable, nc_type type, int dimensions, const int *dimension,
                       char *room) {
    size_t start[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS], row = 8;
    int code = NC_NOERR;
    for (int d = 0; d < dimensions && code == NC_NOERR; d++) {
        code = nc_inq_dimlen(file, dimension[d], &count[d]);
        if (code == NC_NOERR && (count[d] == 0 || (d > 0 && count[d] > PIECE_BYTES / row))) {
            return NC_NOERR; // nothing, or a row that is larger than any we read
        }
        row *= d > 0 ? count[d] : 1;
    }
    if (code != NC_NOERR || type > NC_UINT64 || dimensions == 0) {
        return code;
    }
    const size_t rows = count[0], most = PIECE_BYTES / row > 0 ? PIECE_BYTES / row : 1;
    for (start[0] = 0; start[0] < rows && code == NC_NOERR; start[0] += count[0]) {
        count[0] = rows - start[0] < most ? rows - start[0] : most;
        code = nc_get_vara(file, variable, start, count, room);
    }
    return code;
}

static int read_everything(int file, char *room) {
    int variables = 0, attributes = 0;
    int code = nc_inq(file, NULL, &variables, &attributes, NULL);
    code = code == NC_NOERR ? read_attributes(file, NC_GLOBAL, attributes, room) : code;
    for (int v = 0; v < variables && code == NC_NOERR; v++) {
        nc_type type = 0;
        int dimensions = 0, dimension[NC_MAX_VAR_DIMS];
        code = nc_inq_var(file, v, NULL, &type, &dimensions, dimension, &attributes);
        code = code == NC_NOERR ? read_attributes(file, v, attributes, room) : code;
        code = code == NC_NOERR ? read_values(file, v, type, dimensions, dimension, room) : code;
    }
    return code;
}

// In the child, without words: what a crashing library prints helps nobody.
static _Noreturn void read_and_leave(const char *path, rlim_t seconds) {
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
    char *room = malloc(PIECE_BYTES);
    int file = -1;
    int code = room != NULL ? nc_open(path, NC_NOWRITE, &file) : NC_ENOMEM;
    code = code == NC_NOERR ? read_everything(file, room) : code;
    code = code == NC_NOERR ? nc_close(file) : code;
    _exit(code < 0 && code > -256 ? -code : code == NC_NOERR ? 0 : -NC_EHDFERR);
}

tal_status tal_netcdf_probe(const char *path, tal_error *err) {
    struct stat info;
    const double megabytes = stat(path, &info) == 0 ? 1e-6 * (double)info.st_size : 0.0;
    const pid_t child = fork();
    if (child == 0) {
        read_and_leave(path,
                       (rlim_t)(20.0 + megabytes / 10.0)); // ten times what the slowest disk needs
    }
    int outcome = 0;
    while (child > 0 && waitpid(child, &outcome, 0) < 0) {
        if (errno != EINTR) {
            return TAL_FAIL(err, TAL_IO, "%s: lost the process that looks at it: %s", path,
                            strerror(errno));
        }
    }
    const int code = WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
    if (child < 0 || code == 0) {
        return TAL_OK; // without a child the library must do
    }
    return code > EXIT_ERROR_MIN
               ? tal_netcdf_open_failed(path, -code, err)
               : TAL_FAIL(err, TAL_BAD_INPUT,
                          "%s is damaged: the NetCDF library crashes on it. Make it again", path);
}
