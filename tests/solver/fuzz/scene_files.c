// SPDX-License-Identifier: GPL-3.0-or-later
// What talus-solve reads, edited: of terrain.nc and blocks.nc a model is made, or they are refused. The first byte says
// whether blocks deform.
#include "core/base/text.h"
#include "solver/program/scene.h"
#include "tests/support/mutate.h"
#include "tests/support/paper_netcdf.h"

static const char TERRAIN[] =
    "dim node 4\ndim face 2\ndim three 3\ndim class 1\ndim letters 64\n"
    "double node_x node : 0 9 9 0\ndouble node_y node : 0 0 9 9\ndouble node_z node : 1\n"
    "int face_node face,three : 0 1 2 0 2 3\nint face_class face : 0\n"
    "char class_name class,letters : ground\nnumber origin_east_m 0\nnumber origin_north_m 0\n"
    "number origin_height_m 0\nnumber mesh_error_m 0.1\n";

// Two equal tetrahedra, of one element each.
static const char BLOCKS[] =
    "dim block 2\ndim block_edge 3\ndim vertex 8\ndim face 8\ndim face_edge 9\ndim corner 24\n"
    "dim three 3\ndim four 4\ndim eight 8\ndim class 1\ndim letters 64\ndim mesh_node 8\n"
    "dim element 2\n"
    "int vertex_start block_edge : 0 4 8\nint face_start block_edge : 0 4 8\n"
    "int corner_start face_edge : 0 3 6 9 12 15 18 21 24\n"
    "int corner_vertex corner : 0 2 1 0 1 3 1 2 3 2 0 3\n"
    "double vertex vertex,three : -0.5 -0.5 -0.5 1.5 -0.5 -0.5 -0.5 1.5 -0.5 -0.5 -0.5 1.5\n"
    "double volume block : 1.3333333333333333\ndouble mass block : 4000\n"
    "double inertia block,three : 1200 1200 1200\n"
    "double position block,three : 2 2 4 6 6 8\n"
    "double velocity block,three : 0 0 -1\ndouble angular_velocity block,three : 0\n"
    "double orientation block,four : 1 0 0 0\nint block_class block : 0\n"
    "char class_name class,letters : rock\n"
    "int mesh_node_start block_edge : 0 4 8\nint element_start block_edge : 0 1 2\n"
    "double mesh_node mesh_node,three : -0.5 -0.5 -0.5 1.5 -0.5 -0.5 -0.5 1.5 -0.5 -0.5 -0.5 1.5\n"
    "int element_node element,eight : 0 1 2 3 -1 -1 -1 -1\n";

static tal_error err;
static tal_settings settings[3]; // rigid, pseudo-rigid, of elements

static void describe(int kind, const char *word) {
    tal_settings_init(&settings[kind]);
    if (word != NULL) {
        mutant_need(
            tal_settings_set(&settings[kind], "body.rock", "kind", word, "the harness", &err),
            &err);
        mutant_need(tal_settings_set(&settings[kind], "joint.1", "tensile_strength_pa", "1e5",
                                     "the harness", &err),
                    &err);
        mutant_need(
            tal_settings_set(&settings[kind], "joint.1", "dip_deg", "30", "the harness", &err),
            &err);
        mutant_need(tal_settings_set(&settings[kind], "joint.1", "dip_direction_deg", "30",
                                     "the harness", &err),
                    &err);
    }
}

static tal_status read_scene(int kind) {
    static tal_solve_scene scene;
    tal_model *model = NULL;
    tal_error_reset(&err);
    tal_status status = tal_scene_read(&scene, ".", &settings[kind], &err);
    if (status == TAL_OK) {
        status = tal_scene_create_model(&scene, ".", &model, &err);
    }
    tal_model_destroy(model);
    tal_scene_destroy(&scene);
    return status;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    paper_netcdf_add("terrain.nc", TERRAIN);
    paper_netcdf_add("blocks.nc", BLOCKS);
    describe(0, NULL);
    describe(1, "pseudo-rigid");
    describe(2, "finite-element");
    for (int kind = 0; kind < 3; kind++) {
        mutant_need(read_scene(kind), &err);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0) {
        paper_netcdf_edit(data + 1, size - 1);
        (void)read_scene(data[0] % 3);
    }
    return 0;
}
