// SPDX-License-Identifier: GPL-3.0-or-later
// Figures by GMT 6: writes the data and the scripts, runs the scripts where GMT is there.
#define _POSIX_C_SOURCE 200809L
#include "postproc/figures/figures.h"

#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "postproc/figures/figure_data.h"
#include "postproc/figures/figure_scripts.h"
#include "postproc/write/outside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Where the file of a figure lies while results are being written.
static bool figure_path(char path[TAL_PATH_SIZE], const tal_output_place *place, const char *name,
                        const char *ending) {
    char place_path[TAL_PATH_SIZE];
    const int used =
        snprintf(place_path, TAL_PATH_SIZE, "%s/figures/%s%s", place->folder, name, ending);
    tal_file_written_path(place_path, path);
    return used > 0 && used < TAL_PATH_SIZE;
}

// The scripts draw from maps of earlier stages as well: these get a link beside the new ones, which is
// not one of the results.
static void link_maps(const tal_output_place *place) {
    static const char *const names[] = {"bed.tif", "lod.tif", "deposit.tif"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[TAL_PATH_SIZE], link[TAL_PATH_SIZE], target[64];
        if (tal_path_join(path, place->folder, names[i])) {
            tal_file_written_path(path, link);
            (void)snprintf(target, sizeof target, "../%s", names[i]);
            if (strcmp(path, link) != 0 && symlink(target, link) != 0) {
                tal_log_warn("%s: no link for the figures: %s", link, strerror(errno));
            }
        }
    }
}

// A figure that cannot be drawn costs a warning, never the report.
static void draw(tal_figures *figures, const tal_figure_script *script,
                 const tal_output_place *place) {
    char path[TAL_PATH_SIZE], log[TAL_PATH_SIZE];
    tal_figure *figure = &figures->figure[figures->count];
    if (!figure_path(path, place, script->name, ".sh") ||
        !figure_path(log, place, script->name, ".log") ||
        !figure_path(figure->png, place, script->name, ".png")) {
        return;
    }
    char *const arguments[] = {"/bin/sh", path, NULL};
    const bool is_drawn = tal_outside_run(arguments, log, log) == 0;
    if (tal_interrupt_pending()) {
        return;
    }
    if (!is_drawn || !tal_file_exists(figure->png)) {
        tal_log_warn("GMT could not draw %s; see %s", figure->png, log);
        return;
    }
    (void)remove(log);
    figure->title = script->title;
    (void)tal_text_copy(figure->caption, sizeof figure->caption, tal_text_string(&script->caption));
    figure->is_wide = script->is_wide;
    figures->count++;
}

static tal_status write_script(const tal_figure_script *script, const tal_output_place *place,
                               tal_error *err) {
    char name[96], path[TAL_PATH_SIZE], written[TAL_PATH_SIZE];
    (void)snprintf(name, sizeof name, "figures/%s.sh", script->name);
    TAL_TRY(tal_output_write_text(place, name, tal_text_string(&script->text), script->text.length,
                                  err));
    TAL_TRY(tal_output_path(place, name, path, err));
    tal_file_written_path(path, written);
    (void)chmod(written, 0755);
    return TAL_OK;
}

// Ready to be pasted into a paper.
static tal_status write_captions(const tal_figure_scripts *scripts, const tal_output_place *place,
                                 tal_error *err) {
    tal_text text = {0};
    for (int i = 0; i < scripts->count; i++) {
        const tal_figure_script *script = &scripts->script[i];
        tal_text_append(&text, "%s\n\n**%s.** %s\n\n", script->name, script->title,
                        tal_text_string(&script->caption));
    }
    return tal_output_write_made(place, "figures/captions.md", &text, TAL_OK, err);
}

tal_status tal_figures_write(tal_figures *figures, const tal_back_analysis *analysis,
                             const tal_output_place *place, tal_error *err) {
    static const char *const GMT[] = {"gmt", NULL};
    char gmt[TAL_PATH_SIZE];
    tal_figure_scripts scripts;
    figures->count = 0;
    link_maps(place);
    TAL_TRY(tal_figure_data_write(analysis, place, err));
    tal_status status = tal_figure_scripts_create(&scripts, analysis, place->settings, err);
    for (int i = 0; i < scripts.count && status == TAL_OK; i++) {
        status = write_script(&scripts.script[i], place, err);
    }
    status = status == TAL_OK ? write_captions(&scripts, place, err) : status;
    if (status == TAL_OK && !tal_outside_find(gmt, "TALUS_GMT", GMT)) {
        tal_log_warn("gmt is not installed: the report has no figures; the scripts in figures/ can "
                     "draw them later (Debian: gmt and ghostscript)");
    } else {
        for (int i = 0; i < scripts.count && status == TAL_OK; i++) {
            draw(figures, &scripts.script[i], place);
            status = tal_interrupt_check(err);
        }
    }
    tal_figure_scripts_destroy(&scripts);
    return status;
}
