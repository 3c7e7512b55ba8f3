// SPDX-License-Identifier: GPL-3.0-or-later
// talus-post: motion and survey become maps, scores, figures and a report.
#include "core/app/program.h"
#include "postproc/post.h"
#include "postproc/release/hazard.h"
#include "postproc/write/export.h"

static tal_status check(tal_invocation *invocation, tal_error *err);
static tal_status run(const tal_invocation *invocation, tal_error *err);

static const tal_option options[] = {
    {"print-variants", 0, NULL,
     "Print the further runs that report.sensitivity asks for, and do nothing else: a name and its "
     "settings a line."},
    {"video", 0, NULL,
     "Also make a film of the replay: replay.mp4 (1080p) and replay.jpg, a picture from it. Needs "
     "chromium and ffmpeg."},
};

static const tal_program program = {
    .name = "talus-post",
    .summary = "maps, scores, figures and a report of a simulated rockfall",
    .arguments = "SITE.ini [RUN]...",
    .description =
        "Reads what talus-ingest, talus-mesh and talus-solve left in the output folder and "
        "compares "
        "the simulated deposit with the surveyed one: rasters of the deposit and of the motion, a "
        "score sheet, layers for QGIS, a time series for ParaView, figures by GMT, and report.html "
        "with a 3D replay.\n\n"
        "Each RUN is a folder with blocks.nc and run.nc of one run of an ensemble; scores then "
        "carry "
        "their interval over the runs, and maps their quantiles. Without RUN the run in the output "
        "folder is taken.\n\n"
        "With a [release] in the site file rocks.nc is read instead: maps of passages, reach and "
        "percentiles of energy, velocity and jump height, tables at targets and barriers, and a "
        "report.",
    .examples = "talus-post site.ini --out study\n"
                "talus-post site.ini --out study study/seed-*\n",
    .stages = TAL_STAGE_POST,
    .needs_site_file = true,
    .arguments_max = 255,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .check = check,
    .run = run,
};

static tal_status check(tal_invocation *invocation, tal_error *err) {
    return tal_export_check(&invocation->settings, err);
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    return tal_invocation_option(&program, invocation, "print-variants") != NULL
               ? tal_post_print_variants(invocation, err)
           : invocation->settings.release.rocks > 0
               ? tal_hazard_run(invocation, err)
               : tal_post_run(invocation,
                              tal_invocation_option(&program, invocation, "video") != NULL, err);
}

int main(int argc, char **argv) {
    return tal_program_main(&program, argc, argv);
}
