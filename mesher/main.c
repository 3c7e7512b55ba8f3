// SPDX-License-Identifier: GPL-3.0-or-later
// talus-mesh.
#include "core/geo/surface_classes.h"
#include "mesher/stage.h"

static const tal_option options[] = {
    {"export", 0, "FORMAT", "Also write terrain and blocks as obj, ply or vtp."},
};

static tal_status check(tal_invocation *invocation, tal_error *err);
static tal_status run(const tal_invocation *invocation, tal_error *err);

static const tal_program program = {
    .name = "talus-mesh",
    .summary = "bed and source to terrain mesh and blocks",
    .arguments = "SITE.ini --out DIR [OPTION]...",
    .description = "Reads the bed, the old surface and the source that talus-ingest left in DIR. "
                   "Writes the ground as triangles (terrain.nc) and the missing rock as polyhedral "
                   "blocks (blocks.nc), with a summary (mesh.json) and a picture (mesh.png).\n\n"
                   "Blocks are a lattice of bricks, the blocks between joint sets, Voronoi cells, "
                   "or rocks and tables of your own; see [mesh] and [joint] in the site file.",
    .examples = "talus-mesh site.ini --out run\n"
                "talus-mesh site.ini --out run --set mesh.blocks=voronoi --set mesh.size_m=8\n"
                "talus-mesh site.ini --out run --export vtp --overwrite\n",
    .stages = TAL_STAGE_MESH,
    .needs_site_file = true,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .check = check,
    .run = run,
};

static tal_status check(tal_invocation *invocation, tal_error *err) {
    TAL_TRY(tal_surface_classes_check(&invocation->settings, err));
    return tal_mesh_stage_check(invocation, tal_invocation_option(&program, invocation, "export"),
                                err);
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    return tal_mesh_stage_run(invocation, tal_invocation_option(&program, invocation, "export"),
                              err);
}

int main(int argc, char **argv) {
    return tal_program_main(&program, argc, argv);
}
