// SPDX-License-Identifier: GPL-3.0-or-later
// Every allocation of the mesher fails once: each time there is a status and a message, and nothing
// leaks (seen by the sanitizer builds).
#include "tests/support/check.h"

#include "core/base/fault.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "mesher/import/mesh_file.h"
#include "mesher/rock/divide.h"
#include "mesher/rock/hull.h"
#include "mesher/terrain/terrain_mesh.h"
#include "tests/mesher/unit/scene.h"

static const double origin[3] = {700050, 1600050, 480};

// `attempt` is made again and again, with a later allocation failing each time, until it succeeds: the
// first ones one by one, then with growing steps, since loops repeat the same ones.
static void walk_through_failures(tal_status (*attempt)(tal_error *err)) {
    enum { ATTEMPTS_MAX = 100000 };
    for (long nth = 1; nth < ATTEMPTS_MAX; nth += 1 + nth / 20) {
        tal_error_reset(&check_error);
        tal_fault_arm(TAL_FAULT_ALLOCATION, nth, false);
        const tal_status status = attempt(&check_error);
        const long struck = tal_fault_count();
        tal_fault_disarm();
        if (struck == 0) {
            assert_int_equal(status, TAL_OK);
            assert_true(nth > 3);
            return;
        }
        if (status == TAL_OK) {
            continue; // made good: a hull that cannot be checked is made of triangles
        }
        if (status != TAL_NO_MEMORY || check_error.message_count != 1) {
            fail_msg("allocation %ld: %s: %s", nth, tal_status_text(status), check_error.text);
        }
    }
    fail_msg("never succeeds");
}

static test_site site;
static tal_terrain_mesh terrain;
static tal_rock rock;

static tal_status make_terrain(tal_error *err) {
    tal_terrain_mesh mesh;
    const tal_terrain_options options = {1, false, 10};
    TAL_TRY(tal_terrain_mesh_create(&mesh, &site.bed, &options, origin, err));
    const tal_status status = tal_terrain_mesh_add_wall(&mesh, 0.25, 50, err);
    tal_terrain_mesh_destroy(&mesh);
    return status;
}

static tal_status make_rock(tal_error *err) {
    tal_rock made;
    TAL_TRY(tal_rock_create(&made, &site.bed, &site.before, &site.source, &terrain, origin, err));
    tal_rock_destroy(&made);
    return TAL_OK;
}

static tal_status divide(tal_partition *partition, tal_error *err) {
    tal_block_set set = {0};
    tal_divide_report report;
    const tal_divide_options options = {
        .clip_to_rock = true, .depth_m = 0.05, .density_kg_m3 = 2600, .thread_count = 1};
    const tal_status status = tal_divide(&set, partition, &rock, &options, &report, err);
    tal_block_set_destroy(&set);
    tal_partition_destroy(partition);
    return status;
}

static tal_status make_voronoi(tal_error *err) {
    tal_partition partition;
    TAL_TRY(tal_partition_voronoi(&partition, &rock, 0, 6, tal_vec3_make(1, 1, 1), 1, 0, err));
    return divide(&partition, err);
}

static tal_status make_sized_voronoi(tal_error *err) {
    tal_partition partition;
    TAL_TRY(tal_partition_voronoi_sized(&partition, &rock, 0, 6, 0.2, tal_vec3_make(1, 1, 1), 1, 0,
                                        err));
    tal_partition_destroy(&partition);
    return TAL_OK;
}

static tal_status make_relaxed_voronoi(tal_error *err) {
    tal_partition partition;
    TAL_TRY(tal_partition_voronoi_relaxed(&partition, &rock, 0, 6, 2, tal_vec3_make(1, 1, 1), 1, 0,
                                          err));
    tal_partition_destroy(&partition);
    return TAL_OK;
}

static tal_status make_joints(tal_error *err) {
    tal_partition partition;
    const tal_joint_set sets[2] = {{1.2, 3.5, 6, 0.3, TAL_SPACING_KIND_CONSTANT, 0.1, 1},
                                   {0.5, 0.2, 6, 0.3, TAL_SPACING_KIND_CONSTANT, 0.1, 1}};
    TAL_TRY(tal_partition_joints(&partition, &rock, sets, 2, 1, 0, err));
    return divide(&partition, err);
}

static tal_status make_hull(tal_error *err) {
    const tal_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    tal_hull hull;
    TAL_TRY(tal_hull_create(&hull, points, 5, "a rock", err));
    tal_hull_destroy(&hull);
    return TAL_OK;
}

static tal_status read_surface(tal_error *err) {
    static const char text[] = "solid\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
                               "vertex 0 0 0\nvertex 0 1 0\nvertex 0 0 1\nendsolid\n";
    tal_mesh_file mesh;
    double volume = 0;
    int64_t open = 0;
    tal_status status = tal_mesh_file_parse_stl(&mesh, text, sizeof text - 1, "t.stl", err);
    if (status == TAL_OK) {
        status = tal_mesh_file_measure(&mesh, 0, &volume, &open, err);
    }
    if (status == TAL_OK) {
        status = tal_mesh_file_crossings(&mesh, 0, &open, err);
    }
    tal_mesh_file_destroy(&mesh);
    return status;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    walk_through_failures(make_terrain);
    walk_through_failures(make_rock);
    walk_through_failures(make_hull);
    walk_through_failures(read_surface);
    walk_through_failures(make_voronoi);
    walk_through_failures(make_sized_voronoi);
    walk_through_failures(make_relaxed_voronoi);
    walk_through_failures(make_joints);
}

// Level ground with a block of rock on it: quick to divide.
static void make_site(void) {
    enum { SIDE = 20 };
    const tal_grid grid = {700040, 1600060, 1, SIDE, SIDE};
    tal_raster *all[3] = {&site.before, &site.bed, &site.source};
    for (int k = 0; k < 3; k++) {
        check_ok(tal_raster_create(all[k], &grid, &check_error));
    }
    for (int k = 0; k < SIDE * SIDE; k++) {
        const bool inside = k % SIDE > 4 && k % SIDE < 15 && k / SIDE > 4 && k / SIDE < 15;
        site.bed.value[k] = k % 3 == 0 && !inside ? 502.0f : 500.0f;
        site.source.value[k] = inside ? 4 : 0;
        site.before.value[k] = site.bed.value[k] + site.source.value[k];
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(failed_allocations_are_reported)};
    const tal_terrain_options options = {1, false, 0};
    tal_progress_set_mode(TAL_PROGRESS_NONE);
    make_site();
    if (tal_terrain_mesh_create(&terrain, &site.bed, &options, origin, NULL) != TAL_OK ||
        tal_rock_create(&rock, &site.bed, &site.before, &site.source, &terrain, origin, NULL) !=
            TAL_OK) {
        return 1;
    }
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    tal_rock_destroy(&rock);
    tal_terrain_mesh_destroy(&terrain);
    test_site_destroy(&site);
    return failures;
}
