// SPDX-License-Identifier: GPL-3.0-or-later
// What talus-post reads of a run, edited: terrain.nc, blocks.nc, run.nc and rocks.nc are read or refused, and what was
// read can be used.
#include "postproc/measure/ground_mesh.h"
#include "postproc/measure/run_record.h"
#include "postproc/release/rocks.h"
#include "tests/support/mutate.h"
#include "tests/support/paper_netcdf.h"

static const char TERRAIN[] = "dim node 4\ndim face 2\ndim three 3\n"
                              "double node_x node : 0 9 9 0\ndouble node_y node : 0 0 9 9\n"
                              "double node_z node : 1\nint face_node face,three : 0 1 2 0 2 3\n"
                              "int face_class face : 0\n";

static const char BLOCKS[] =
    "dim block 2\ndim block_edge 3\ndim vertex 8\ndim face 8\ndim face_edge 9\ndim corner 24\n"
    "dim three 3\ndim four 4\n"
    "int vertex_start block_edge : 0 4 8\nint face_start block_edge : 0 4 8\n"
    "int corner_start face_edge : 0 3 6 9 12 15 18 21 24\n"
    "int corner_vertex corner : 0 2 1 0 1 3 1 2 3 2 0 3\n"
    "double vertex vertex,three : -1 -1 -1 1 -1 -1 0 1 -1 0 0 1\n"
    "double volume block : 2\ndouble mass block : 5000\ndouble inertia block,three : 900\n"
    "double sphere_radius block : 0 1.5\n";

static const char RUN[] =
    "dim frame 3\ndim block 2\ndim step 4\ndim three 3\ndim four 4\n"
    "double time frame : 0 0.5 1\nint state block : 0\n"
    "double x frame,block : 3\ndouble y frame,block : 4\ndouble z frame,block : 5\n"
    "double orientation frame,block,four : 1 0 0 0\ndouble velocity frame,block,three : 1\n"
    "double angular_velocity frame,block,three : 0.5\n"
    "double step_time step : 0.25 0.5 0.75 1\ndouble kinetic_translation step : 1\n"
    "double kinetic_rotation step : 1\ndouble potential step : 1\n"
    "double dissipated_normal step : 1\ndouble dissipated_tangential step : 1\n"
    "double correction_work step : 0\ndouble contact_count step : 3\ndouble iterations step : 9\n"
    "double residual step : 1e-4\ndouble penetration step : 1e-3\n"
    "double tension_max block : 1e5\ndouble tension_time block : 0.2\n"
    "double tension_place block,three : 1\ndouble joint_use block : 0.1\n"
    "number unconverged_steps 0\nnumber finished_steps 0\nnumber energy_drift 0\n"
    "number clausius_duhem_worst_j 0\nnumber blocks_lost 0\nnumber dt_s 0.25\n"
    "number ground_friction_low 0.5\nnumber ground_friction_high 0.5\nnumber onset_moves_at 0.2\n"
    "number onset_holds_at 0.3\ntext onset_of share\nnumber ended_too_early 0\n"
    "text ended_because still\nnumber blocks_that_deform 2\nnumber blows_missed 1\n"
    "number blow_dt_needed_s 1e-4\nnumber tensile_strength_pa 1e6\nnumber blocks_broken 1\n"
    "number broken_along_joints 1\nnumber crack_area_m2 1\nnumber crack_energy_j 1\n";

static const char ROCKS[] =
    "dim rock 2\ndim sample 5\ndim meeting 2\ndim three 3\n"
    "double mass rock : 900\ndouble size rock : 0.7\ndouble duration rock : 2\nint end rock : 0 1\n"
    "int stem_count rock : 0\nint block rock : 0\nint sample_count rock : 3 2\n"
    "double x sample : 1\ndouble y sample : 2\ndouble z sample : 3\n"
    "double velocity sample,three : 1\ndouble angular_velocity sample,three : 1\n"
    "double time sample : 0 1 2 0 1\ndouble drop sample : 0.3\ndouble ground sample : 2\n"
    "double rotation_energy sample : 5\nint meeting_rock meeting : 0 1\n"
    "int meeting_kind meeting : 1 2\nint meeting_number meeting : 0\n"
    "int meeting_outcome meeting : 0 1\ndouble meeting_x meeting : 1\ndouble meeting_y meeting : "
    "1\n"
    "double meeting_z meeting : 1\ndouble meeting_height meeting : 1\n"
    "double meeting_energy meeting : 1\ndouble meeting_taken meeting : 1\nnumber meeting_count 2\n";

static tal_error err;
static const tal_origin ORIGIN = {.east = 0};

static tal_status read_run(void) {
    static tal_run_record run;
    static tal_blocks blocks;
    TAL_TRY(tal_blocks_read(&blocks, "blocks.nc", &err));
    const tal_status status = tal_run_record_read(&run, "run.nc", &blocks, &ORIGIN, &err);
    if (status == TAL_OK) {
        tal_vec3 *vertex = calloc((size_t)blocks.vertex_count_max + 1, sizeof *vertex);
        for (int32_t b = 0; b < blocks.count; b++) {
            double translation = 0, rotation = 0;
            const tal_surface surface =
                tal_blocks_pose_frame(&blocks, &run, b, run.frame_count - 1, vertex);
            (void)tal_surface_volume(&surface);
            tal_blocks_energy(&blocks, &run, b, 0, &translation, &rotation);
        }
        free(vertex);
        tal_run_record_destroy(&run);
    }
    tal_blocks_destroy(&blocks);
    return status;
}

static tal_status look_at(void *sum, int64_t rock, const tal_rocks_moment *moment, int32_t count,
                          tal_error *unused) {
    (void)rock, (void)unused;
    for (int32_t k = 0; k < count; k++) {
        *(double *)sum += moment[k].spin + moment[k].ground;
    }
    return TAL_OK;
}

static tal_status read_rocks(void) {
    static tal_rocks rocks;
    double sum = 0;
    TAL_TRY(tal_rocks_open(&rocks, "rocks.nc", &ORIGIN, &err));
    const tal_status status = tal_rocks_walk(&rocks, look_at, &sum, &err);
    tal_rocks_close(&rocks);
    return status;
}

static tal_status read_ground(void) {
    tal_ground_mesh ground;
    TAL_TRY(tal_ground_mesh_read(&ground, "terrain.nc", &ORIGIN, &err));
    tal_ground_mesh_destroy(&ground);
    return TAL_OK;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    paper_netcdf_add("terrain.nc", TERRAIN);
    paper_netcdf_add("blocks.nc", BLOCKS);
    paper_netcdf_add("run.nc", RUN);
    paper_netcdf_add("rocks.nc", ROCKS);
    mutant_need(read_ground(), &err);
    mutant_need(read_run(), &err);
    mutant_need(read_rocks(), &err);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    paper_netcdf_edit(data, size);
    (void)read_ground();
    paper_netcdf_edit(data, size); // a call that fails is counted from here
    (void)read_run();
    paper_netcdf_edit(data, size);
    (void)read_rocks();
    return 0;
}
