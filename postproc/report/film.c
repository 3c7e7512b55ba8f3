// SPDX-License-Identifier: GPL-3.0-or-later
// A film of the replay.
#define _XOPEN_SOURCE 700 // realpath
#include "postproc/report/film.h"

#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "postproc/write/outside.h"

#include <cpl_string.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Frames that one start of the browser draws: their text stays in memory meanwhile.
enum { WIDTH = 1920, HEIGHT = 1080, RATE = 25, FRAMES_A_START = 60 };

static const char *const BROWSERS[] = {"chromium", "chromium-browser", "google-chrome", NULL};
static const char *const JOINERS[] = {"ffmpeg", NULL};

tal_status tal_film_check(tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_error_reset(err);
    if (!tal_outside_find(path, "TALUS_CHROMIUM", BROWSERS)) {
        (void)tal_error_add(err, TAL_NOT_FOUND,
                            "--video needs a browser to draw the frames, and chromium is not "
                            "installed (Debian: chromium; TALUS_CHROMIUM names another place)");
    }
    if (!tal_outside_find(path, "TALUS_FFMPEG", JOINERS)) {
        (void)tal_error_add(err, TAL_NOT_FOUND,
                            "--video needs ffmpeg to join the frames, and it is not installed "
                            "(Debian: ffmpeg; TALUS_FFMPEG names another place)");
    }
    return err->status;
}

typedef struct {
    char report[TAL_PATH_SIZE], film[TAL_PATH_SIZE], still[TAL_PATH_SIZE]; // among the results
    char room[TAL_PATH_SIZE]; // for what is only needed meanwhile
    char frames[TAL_PATH_SIZE], joined[TAL_PATH_SIZE], log[TAL_PATH_SIZE], profile[TAL_PATH_SIZE];
    int total;
} film;

static tal_status find_places(film *f, const tal_output_place *place, tal_error *err) {
    const struct {
        const char *name;
        char *path;
    } results[] = {{"report.html", f->report}, {"replay.mp4", f->film}, {"replay.jpg", f->still}},
      rest[] = {{"frames.txt", f->frames},
                {"frames.mjpeg", f->joined},
                {"log.txt", f->log},
                {"browser", f->profile}};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        char path[TAL_PATH_SIZE];
        TAL_TRY(tal_output_path(place, results[i].name, path, err));
        tal_file_written_path(path, results[i].path);
    }
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(f->room, sizeof f->room, "%s/talus-film-XXXXXX",
                   temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    if (mkdtemp(f->room) == NULL) {
        return TAL_FAIL(err, TAL_IO, "%s cannot be made: set TMPDIR to a folder with free space",
                        f->room);
    }
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        if (!tal_path_join(rest[i].path, f->room, rest[i].name)) {
            return TAL_FAIL(err, TAL_IO, "%s is too long a path", f->room);
        }
    }
    return TAL_OK;
}

static tal_status draw_frames(const film *f, int first, tal_error *err) {
    char browser[TAL_PATH_SIZE], whole[TAL_PATH_SIZE], page[TAL_PATH_SIZE + 96],
        profile[TAL_PATH_SIZE + 32];
    TAL_TRY(tal_film_check(err));
    (void)tal_outside_find(browser, "TALUS_CHROMIUM", BROWSERS);
    if (realpath(f->report, whole) == NULL) {
        return TAL_FAIL(err, TAL_NOT_FOUND, "%s does not exist", f->report);
    }
    (void)snprintf(page, sizeof page, "file://%s#film=%d,%d,%d,%d,%d", whole, first, FRAMES_A_START,
                   f->total, WIDTH, HEIGHT);
    (void)snprintf(profile, sizeof profile, "--user-data-dir=%s", f->profile);
    // Drawn by the processor: the same picture everywhere, and no screen is needed.
    char *const arguments[] = {browser,
                               "--headless",
                               geteuid() == 0 ? "--no-sandbox" : "--disable-extensions",
                               "--disable-gpu",
                               "--use-angle=swiftshader",
                               "--enable-unsafe-swiftshader",
                               "--hide-scrollbars",
                               "--disable-background-networking",
                               "--virtual-time-budget=20000",
                               "--window-size=1920,1200",
                               profile,
                               "--dump-dom",
                               page,
                               NULL};
    const int status = tal_outside_run(arguments, f->frames, f->log);
    TAL_TRY(tal_interrupt_check(err));
    return status == 0 ? TAL_OK
                       : TAL_FAIL(err, TAL_IO, "%s could not draw the film (status %d); see %s",
                                  browser, status, f->log);
}

// Appends the frames of one start to the joined ones; gives back how many there were.
static tal_status take_frames(const film *f, FILE *joined, int first, int *count, tal_error *err) {
    char *text;
    size_t length;
    TAL_TRY(tal_file_read(f->frames, &text, &length, err));
    char *line = strstr(text, "<pre>");
    *count = 0;
    line = line != NULL ? strtok(line + strlen("<pre>"), "\n") : NULL;
    tal_status status = TAL_OK;
    for (; line != NULL && line[0] != '<' && status == TAL_OK; line = strtok(NULL, "\n")) {
        const int bytes = CPLBase64DecodeInPlace((GByte *)line);
        if (bytes <= 0 || fwrite(line, 1, (size_t)bytes, joined) != (size_t)bytes) {
            status = TAL_FAIL(err, TAL_IO, "%s cannot be written", f->joined);
        } else if (first + *count == 45 * f->total / 100) {
            FILE *still = fopen(f->still, "wb");
            const bool good =
                still != NULL && fwrite(line, 1, (size_t)bytes, still) == (size_t)bytes;
            if ((still != NULL && fclose(still) != 0) || !good) {
                status = TAL_FAIL(err, TAL_IO, "%s cannot be written", f->still);
            }
        }
        ++*count;
    }
    tal_memory_destroy(text);
    return status;
}

static tal_status collect(const film *f, FILE *joined, tal_error *err) {
    for (int first = 0; first < f->total;) {
        int count;
        tal_log_info("drawing the film: frame %d of %d", first, f->total);
        TAL_TRY(draw_frames(f, first, err));
        TAL_TRY(take_frames(f, joined, first, &count, err));
        if (count == 0) {
            return TAL_FAIL(err, TAL_IO, "the browser gave no frame of the film; see %s", f->log);
        }
        first += count;
    }
    return TAL_OK;
}

static tal_status join(const film *f, tal_error *err) {
    char joiner[TAL_PATH_SIZE];
    (void)tal_outside_find(joiner, "TALUS_FFMPEG", JOINERS);
    char *const arguments[] = {
        joiner,          "-y",         "-v",         "error", "-f",
        "mjpeg",         "-framerate", "25",         "-i",    (char *)f->joined,
        "-c:v",          "libx264",    "-crf",       "21",    "-pix_fmt",
        "yuv420p",       "-movflags",  "+faststart", "-f",    "mp4",
        (char *)f->film, NULL};
    const int status = tal_outside_run(arguments, f->log, f->log);
    TAL_TRY(tal_interrupt_check(err));
    return status == 0 ? TAL_OK
                       : TAL_FAIL(err, TAL_IO, "%s could not join the film (status %d); see %s",
                                  joiner, status, f->log);
}

tal_status tal_film_write(const tal_output_place *place, tal_error *err) {
    film f = {.total = (int)fmax(2.0, round(place->settings->report.video_s * RATE))};
    TAL_TRY(find_places(&f, place, err));
    FILE *joined = fopen(f.joined, "wb");
    if (joined == NULL) {
        return TAL_FAIL(err, TAL_IO, "%s cannot be written", f.joined);
    }
    tal_status status = collect(&f, joined, err);
    if (fclose(joined) != 0 && status == TAL_OK) {
        status = TAL_FAIL(err, TAL_IO, "%s cannot be written", f.joined);
    }
    if (status == TAL_OK) {
        status = join(&f, err);
    }
    if (status == TAL_OK) { // else what the programs said stays to be read
        char *const arguments[] = {"/bin/rm", "-r", "--", f.room, NULL};
        (void)tal_outside_run(arguments, "/dev/null", "/dev/null");
    }
    return status;
}
