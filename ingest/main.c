// SPDX-License-Identifier: GPL-3.0-or-later
// talus-ingest: two surveys in, a source and a deposit with error bars out.
#include "core/app/program.h"
#include "core/geo/surface_classes.h"
#include "ingest/ingest.h"

// A name that the last stage would not know is told before the first begins.
static tal_status check(tal_invocation *invocation, tal_error *err) {
    return tal_surface_classes_check(&invocation->settings, err);
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    return tal_ingest_run(&invocation->settings, invocation->out, invocation->overwrite, err);
}

static const tal_program program = {
    .name = "talus-ingest",
    .summary = "Two surveys in, a source and a deposit with error bars out.",
    .arguments = "SITE.ini --out DIR [OPTION]...",
    .description =
        "Reads point clouds (LAS, XYZ text; LAZ, COPC, E57, PLY through PDAL) or elevation rasters "
        "(anything GDAL opens) from before and after an event, brings them into one coordinate "
        "system, tells ground from trees, fits the later survey to the earlier one on stable "
        "terrain, and measures what fell and where it came to rest.\n\n"
        "The results are written to DIR: before.tif, after.tif, bed.tif, dz.tif, lod.tif, "
        "source.tif, deposit.tif (one grid), site.gpkg with the outlines, ingest.json with every "
        "volume and its interval, ingest.png as a quick look, ingest.html as a page to judge them "
        "by.\n\n"
        "With one survey only, what falls is given in the site file (outlines with basal planes, a "
        "thickness, the surface below it, or blocks of one's own) and a scenario is prepared.\n\n"
        "The surveys are checked: units, axes, place, order, the shift between them, the balance "
        "of "
        "masses. What cannot be right is refused with its reason and the line to change, all at "
        "once; what is odd is told and kept in ingest.json.",
    .examples = "talus-ingest site.ini --out result\n"
                "talus-ingest site.ini --out result --overwrite --set ingest.cell_m=0.5",
    .stages = TAL_STAGE_INGEST,
    .needs_site_file = true,
    .check = check,
    .run = run};

int main(int argc, char **argv) {
    return tal_program_main(&program, argc, argv);
}
