// SPDX-License-Identifier: GPL-3.0-or-later
// talus-rockyfor3d: a project of Rockyfor3D becomes a site of talus.
#define _XOPEN_SOURCE 700 // realpath
#include "core/app/program.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "pipelines/rockyfor3d/project.h"

#include <stdlib.h>

static const tal_option options[] = {
    {.name = "crs",
     .argument = "CRS",
     .sentence = "Coordinate system of the grids, with heights, such as EPSG:2056+5728. Default: "
                 "local."},
    {.name = "rocks-per-cell",
     .argument = "NUMBER",
     .sentence = "Rocks from each source cell, 1 to 100000. Default 100."},
};

static tal_status check(tal_invocation *invocation, tal_error *err);
static tal_status run(const tal_invocation *invocation, tal_error *err);

static const tal_program program = {
    .name = "talus-rockyfor3d",
    .summary = "make a site of a Rockyfor3D project",
    .arguments = "FOLDER [OPTION]...",
    .description =
        "Reads the grids of a Rockyfor3D project by their names: dem, rockdensity (source cells), "
        "d1, d2, d3, blshape; where they are there also soiltype, rg70, rg20, rg10, nrtrees, "
        "dbhmean, dbhstd, conif_percent, net_number, net_energy and net_height. All that is "
        "missing or out of range is named at once.\n\n"
        "Writes site.ini into the folder given by --out, with a [release] from the source cells, "
        "a class of ground per soil type, the forest, and a barrier per net. Results then also "
        "appear under Rockyfor3D's names. rg70, rg20 and rg10 become bumps of the ground, one "
        "height per soil type; friction and restitution of the classes are to be calibrated.",
    .examples = "talus-rockyfor3d project --out site\n"
                "make run SITE=site/site.ini\n",
    .arguments_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .check = check,
    .run = run,
};

static bool read_per_cell(const tal_invocation *invocation, int64_t *number) {
    const char *text = tal_invocation_option(&program, invocation, "rocks-per-cell");
    *number = 100;
    return text == NULL || (tal_text_to_integer(text, number) && *number >= 1 && *number <= 100000);
}

static tal_status check(tal_invocation *invocation, tal_error *err) {
    int64_t number;
    if (invocation->argument_count == 0) {
        tal_error_add(err, TAL_BAD_USAGE, "which folder? Name the one with dem.asc");
    }
    if (!read_per_cell(invocation, &number)) {
        tal_error_add(err, TAL_BAD_USAGE, "--rocks-per-cell must be a whole number in [1, 100000]");
    }
    return err->status;
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    static tal_rf_project project;
    int64_t number;
    char full[TAL_PATH_SIZE];
    const char *crs = tal_invocation_option(&program, invocation, "crs");
    (void)read_per_cell(invocation, &number);
    // The site file lies elsewhere: its paths are absolute.
    char *folder = realpath(invocation->argument[0], NULL);
    if (folder == NULL || !tal_text_copy(full, sizeof full, folder)) {
        free(folder);
        return TAL_FAIL(err, TAL_NOT_FOUND, "%s does not exist", invocation->argument[0]);
    }
    free(folder);
    tal_status status = tal_rf_project_read(&project, full, err);
    if (status == TAL_OK) {
        status = tal_rf_write_site(&project, invocation->out, crs != NULL ? crs : "local", number,
                                   invocation->overwrite, err);
    }
    tal_rf_project_destroy(&project);
    TAL_TRY(status);
    tal_log_info("wrote %s/site.ini: make run SITE=%s/site.ini", invocation->out, invocation->out);
    return TAL_OK;
}

int main(int argc, char **argv) {
    return tal_program_main(&program, argc, argv);
}
