// SPDX-License-Identifier: GPL-3.0-or-later
// Finding pdal, writing its pipelines and running them.
#define _GNU_SOURCE
#include "ingest/read/pdal.h"

#include "core/app/json.h"
#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "ingest/read/las_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- Finding -----------------------------------------------------------------------------------

static bool is_program(const char *path) {
    return path[0] != '\0' && access(path, X_OK) == 0;
}

static bool find_on_path(char program[TAL_PATH_SIZE]) {
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        const size_t length = strcspn(path, ":");
        const int written = snprintf(program, TAL_PATH_SIZE, "%.*s/pdal", (int)length, path);
        if (length > 0 && written > 0 && written < TAL_PATH_SIZE && is_program(program)) {
            return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

static bool find_under(char program[TAL_PATH_SIZE], const char *prefix, const char *below) {
    return tal_path_join(program, prefix, below) && is_program(program);
}

// In a build tree and after installation the private PDAL lies next to the programs' folder.
static bool find_beside(char program[TAL_PATH_SIZE]) {
    char self[TAL_PATH_SIZE], folder[TAL_PATH_SIZE];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        return false;
    }
    self[length] = '\0';
    tal_path_folder(folder, self);
    return find_under(program, folder, "../../pdal/bin/pdal") ||
           find_under(program, folder, "../lib/talus/pdal/bin/pdal") ||
           find_under(program, folder, "../libexec/talus/pdal/bin/pdal");
}

bool tal_pdal_find(char program[TAL_PATH_SIZE]) {
    const char *given = getenv("TALUS_PDAL"), *prefix = getenv("TALUS_PREFIX");
    if (given != NULL && given[0] != '\0') {
        return tal_text_copy(program, TAL_PATH_SIZE, given) && is_program(program);
    }
    if (find_on_path(program) || find_beside(program)) {
        return true;
    }
    return prefix != NULL && prefix[0] != '\0' &&
           (find_under(program, prefix, "pdal/bin/pdal") ||
            find_under(program, prefix, "lib/talus/pdal/bin/pdal"));
}

tal_status tal_pdal_missing(const char *why, tal_error *err) {
    return TAL_FAIL(err, TAL_UNAVAILABLE,
                    "%s, but there is no pdal program here: run `make deps`, or "
                    "name one in TALUS_PDAL, or convert the cloud to LAS",
                    why);
}

// ---- The pipeline ------------------------------------------------------------------------------

// `path` as seen from `folder`, so that a pipeline moves with its study.
static tal_status relative_path(const char *path, const char *folder, tal_text *out,
                                tal_error *err) {
    char *from = realpath(folder, NULL), *to = realpath(path, NULL);
    if (from == NULL || to == NULL) {
        const char *which = from == NULL ? folder : path;
        free(from);
        free(to);
        return TAL_FAIL(err, TAL_IO, "%s cannot be found: %s", which, strerror(errno));
    }
    size_t common = 0;
    for (size_t i = 0; from[i] != '\0' && from[i] == to[i]; i++) {
        if (from[i + 1] == '/' || from[i + 1] == '\0') {
            common = to[i + 1] == '/' ? i + 1 : common;
        }
    }
    for (const char *c = from + common; *c != '\0'; c++) {
        if (*c == '/') {
            tal_text_append(out, "../");
        }
    }
    tal_text_append(out, "%s", to + common + (to[common] == '/'));
    free(from);
    free(to);
    return out->failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for a path") : TAL_OK;
}

static cJSON *add_stage(cJSON *stages, const char *type) {
    cJSON *stage = cJSON_CreateObject();
    cJSON_AddStringToObject(stage, "type", type);
    cJSON_AddItemToArray(stages, stage);
    return stage;
}

static void add_ground_stages(cJSON *stages, tal_pdal_work work) {
    if (work == TAL_PDAL_CONVERT) {
        return;
    }
    cJSON *noise = add_stage(stages, "filters.outlier");
    cJSON_AddStringToObject(noise, "method", "statistical");
    cJSON_AddNumberToObject(noise, "mean_k", 8);
    cJSON_AddNumberToObject(noise, "multiplier", 8.0);
    cJSON *ground = add_stage(stages, work == TAL_PDAL_SMRF ? "filters.smrf" : "filters.csf");
    cJSON_AddStringToObject(ground, "ignore", "Classification[7:7]");
    cJSON *range = add_stage(stages, "filters.range");
    cJSON_AddStringToObject(range, "limits", "Classification[2:2]");
}

static cJSON *pipeline(const char *input, const char *output, tal_pdal_work work) {
    cJSON *root = cJSON_CreateObject();
    cJSON *stages = cJSON_AddArrayToObject(root, "pipeline");
    cJSON_AddItemToArray(stages, cJSON_CreateString(input));
    add_ground_stages(stages, work);
    cJSON *writer = add_stage(stages, "writers.las");
    cJSON_AddStringToObject(writer, "filename", output);
    cJSON_AddNumberToObject(writer, "minor_version", 4);
    // Scale and offset of the input keep its coordinates as they are; formats without take these.
    const char *extension = strrchr(input, '.');
    const bool is_las = extension != NULL &&
                        (strcasecmp(extension, ".las") == 0 || strcasecmp(extension, ".laz") == 0);
    if (is_las) {
        cJSON_AddStringToObject(writer, "forward", "scale,offset");
    } else {
        for (int axis = 0; axis < 3; axis++) {
            const char scale[] = {'s', 'c', 'a', 'l', 'e', '_', (char)('x' + axis), '\0'};
            const char offset[] = {'o', 'f', 'f', 's', 'e', 't', '_', (char)('x' + axis), '\0'};
            cJSON_AddNumberToObject(writer, scale, 0.0001);
            cJSON_AddStringToObject(writer, offset, "auto");
        }
    }
    return root;
}

// ---- Running -----------------------------------------------------------------------------------

// More than any cloud we know took, and less than a night.
enum { TIME_MAX_S = 4 * 3600, MEMORY_MIN_MB = 2048 };

// Four fifths of the machine: a filter that runs away is stopped before everything else is.
static rlim_t memory_limit(void) {
    const double pages = (double)sysconf(_SC_PHYS_PAGES), page = (double)sysconf(_SC_PAGESIZE);
    return (rlim_t)fmax(0.8 * pages * page, MEMORY_MIN_MB * 1048576.0);
}

static void limit(unsigned resource, rlim_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) == 0 && (now.rlim_max == RLIM_INFINITY || now.rlim_max > most)) {
        setrlimit(resource, &(struct rlimit){.rlim_cur = most, .rlim_max = most});
    }
}

// A cloud, or a pipeline made from its name, must reach nobody. The kernel sees to it where it lets us;
// else whatever PDAL and its libraries fetch goes to a proxy that is not there.
static void leave_network(void) {
    if (unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0) {
        return;
    }
    static const char *const proxies[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "ftp_proxy",
                                          "ALL_PROXY"};
    for (size_t i = 0; i < sizeof proxies / sizeof proxies[0]; i++) {
        setenv(proxies[i], "http://127.0.0.1:9", 1);
    }
    unsetenv("no_proxy");
    unsetenv("NO_PROXY");
    setenv("PROJ_NETWORK", "OFF", 1);
}

// In the child: it ends when we do. The folder of the results is where the paths of the pipeline begin.
static _Noreturn void become_pdal(const char *program, const char *folder, const char *json,
                                  int messages, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);
    }
    setpgid(0, 0); // ended together with whatever it starts
    limit(RLIMIT_AS, memory_limit());
    limit(RLIMIT_CPU, (rlim_t)TIME_MAX_S * (rlim_t)sysconf(_SC_NPROCESSORS_ONLN));
    limit(RLIMIT_CORE, 0);
    leave_network();
    dup2(messages, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    if (chdir(folder) == 0) {
        execl(program, program, "pipeline", json, (char *)NULL);
    }
    _exit(127);
}

static void last_line_of(int messages, char *line, size_t size) {
    char text[4096];
    const off_t end = lseek(messages, 0, SEEK_END);
    const off_t start = end > (off_t)sizeof text - 1 ? end - (off_t)sizeof text + 1 : 0;
    const ssize_t got = pread(messages, text, sizeof text - 1, start);
    size_t length = got > 0 ? (size_t)got : 0;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) {
        length--;
    }
    text[length] = '\0';
    const char *newline = strrchr(text, '\n');
    snprintf(line, size, "%.500s", newline != NULL ? newline + 1 : text);
}

// Waits for the end of the child, of our time or of its own; `alive` closes when it has ended. False
// when it was stopped for taking too long.
static bool wait_for(pid_t child, int alive, int *outcome) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const time_t end = now.tv_sec + TIME_MAX_S;
    struct pollfd watched = {.fd = alive, .events = POLLIN};
    while (poll(&watched, 1, 1000) <= 0 && !tal_interrupt_pending() && now.tv_sec < end) {
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    kill(-child, SIGKILL); // nobody is left where it has ended by itself
    while (waitpid(child, outcome, 0) < 0 && errno == EINTR) {
    }
    return now.tv_sec < end;
}

static const char *why_it_failed(int outcome, bool in_time, const char *line) {
    return !in_time               ? "it took more than four hours"
           : line[0] != '\0'      ? line
           : WIFSIGNALED(outcome) ? "it was killed, perhaps because memory ran out"
                                  : "it stopped without a message";
}

static tal_status run(const char *program, const char *folder, const char *json, const char *input,
                      tal_error *err) {
    FILE *kept = tmpfile();
    int alive[2];
    if (kept == NULL || pipe(alive) != 0) {
        return TAL_FAIL(err, TAL_IO, "no temporary file for pdal's messages: %s", strerror(errno));
    }
    const int messages = fileno(kept);
    const pid_t self = getpid(), child = fork();
    if (child == 0) {
        close(alive[0]);
        become_pdal(program, folder, json, messages, self);
    }
    close(alive[1]);
    int outcome = 1;
    if (child > 0) {
        setpgid(child, child); // whoever of the two comes first
    }
    const bool in_time = child > 0 && wait_for(child, alive[0], &outcome);
    close(alive[0]);
    char line[512] = "";
    last_line_of(messages, line, sizeof line);
    fclose(kept);
    TAL_TRY(tal_interrupt_check(err));
    if (!in_time || !WIFEXITED(outcome) || WEXITSTATUS(outcome) != 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: pdal could not read it: %s", input,
                        why_it_failed(outcome, child < 0 || in_time, line));
    }
    return TAL_OK;
}

// In PDAL 2.2.0 the cloth filter squares the number of points (PDAL's bug 3248) and fills the memory.
static tal_status check_cloth_filter(const char *program, tal_error *err) {
    char command[TAL_PATH_SIZE + 64], line[256];
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", program);
    FILE *answer = strchr(program, '\'') == NULL ? popen(command, "r") : NULL;
    bool broken = false;
    while (answer != NULL && fgets(line, sizeof line, answer) != NULL) {
        broken = broken || strstr(line, "2.2.0") != NULL;
    }
    if (answer != NULL) {
        pclose(answer);
    }
    return !broken
               ? TAL_OK
               : TAL_FAIL(err, TAL_UNAVAILABLE,
                          "ground = csf: the cloth filter of PDAL 2.2.0 is broken. Use native or "
                          "smrf, or name a newer pdal in TALUS_PDAL");
}

tal_status tal_pdal_run(const char *input, const char *folder, const char *name, tal_pdal_work work,
                        tal_overwrite overwrite, char las_path[TAL_PATH_SIZE], tal_error *err) {
    char program[TAL_PATH_SIZE], json_path[TAL_PATH_SIZE], las_name[256], json_name[256];
    tal_text input_from_there = {0};
    tal_status status = TAL_OK;
    cJSON *root = NULL;
    if (!tal_pdal_find(program)) {
        return tal_pdal_missing(input, err);
    }
    if (work == TAL_PDAL_CSF) {
        TAL_TRY(check_cloth_filter(program, err));
    }
    snprintf(json_name, sizeof json_name, "pdal_%s.json", name);
    snprintf(las_name, sizeof las_name, "pdal_%s.las", name);
    if (!tal_path_join(json_path, folder, json_name) ||
        !tal_path_join(las_path, folder, las_name)) {
        return TAL_FAIL(err, TAL_BAD_USAGE, "%s: the path is too long", folder);
    }
    TAL_TRY_OR_DONE(relative_path(input, folder, &input_from_there, err));
    root = pipeline(tal_text_string(&input_from_there), las_name, work);
    TAL_TRY_OR_DONE(tal_json_write(json_path, root, overwrite, err));
    TAL_TRY_OR_DONE(run(program, folder, json_name, input, err));
done:
    cJSON_Delete(root);
    tal_text_destroy(&input_from_there);
    if (status != TAL_OK) {
        remove(las_path);
    }
    return status;
}

// ---- As rows of the formats --------------------------------------------------------------------

static bool begins_compressed(const uint8_t *bytes, size_t count) {
    return count > 104 && memcmp(bytes, "LASF", 4) == 0 && (bytes[104] & 0xC0) != 0;
}

// What stands in these files only PDAL knows.
static tal_status look_at_nothing(const char *path, tal_file_header *header, tal_error *err) {
    (void)path, (void)header, (void)err;
    return TAL_OK;
}

static const char *const laz_endings[] = {"laz", NULL};
static const char *const endings[] = {"e57", "ply", "pcd", "bpf", "obj", "rdbx", NULL};

const tal_format tal_format_laz = {.name = "pdal",
                                   .meaning = "compressed LAS",
                                   .endings = laz_endings,
                                   .begins = begins_compressed,
                                   .through_pdal = true,
                                   .look = tal_las_look};

const tal_format tal_format_pdal = {.name = "pdal",
                                    .meaning = "a cloud for PDAL",
                                    .endings = endings,
                                    .through_pdal = true,
                                    .look = look_at_nothing};
