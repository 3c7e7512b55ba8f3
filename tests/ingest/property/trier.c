// SPDX-License-Identifier: GPL-3.0-or-later
// A real scanned cliff with a modelled rockfall of 14.90 m3 (3DGeo Heidelberg, AImon, MIT): scanned
// virtually before and after from the given position, the volume must come back along the cliff's
// normal, whatever the cell.
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"

#include "core/app/json.h"
#include "tests/ingest/support/scan.h"

static const double block_m3 = 14.90;
static char scratch[256];

static void scan_state(const char *const *parts, const char *name, uint64_t seed) {
    char path[1024];
    const char *data = getenv("TALUS_TEST_DATA");
    scan_mesh mesh = {0};
    scan_point *points = NULL;
    for (int i = 0; parts[i] != NULL; i++) {
        snprintf(path, sizeof path,
                 "/vsizip/%s/trier/data_for_aimon.zip/data_for_aimon/sceneparts/%s.obj", data,
                 parts[i]);
        assert_true(scan_mesh_add_obj(&mesh, path));
    }
    const scan_position position = {.place = {26.5, -240.015, 135.411},
                                    .azimuth_from_deg = -10.0,
                                    .azimuth_to_deg = 28.0,
                                    .elevation_from_deg = -4.0,
                                    .elevation_to_deg = 14.0,
                                    .step_deg = 0.015,
                                    .range_sigma_m = 0.005,
                                    .seed = seed};
    const size_t count = scan_mesh_from(&mesh, &position, &points);
    assert_true(count > 100000);
    snprintf(path, sizeof path, "%s/%s.las", scratch, name);
    assert_true(scan_write_las(path, points, count, 0.0005, 0, 0));
    printf("%s: %zu points\n", name, count);
    free(points);
    scan_mesh_free(&mesh);
}

static int set_up(void **state) {
    (void)state;
    static const char *const before[] = {"terrain_without_rock", "rock_in_terrain", NULL};
    static const char *const after[] = {"terrain_without_rock", "terrain_release_area",
                                        "rockfall_deposits", NULL};
    if (getenv("TALUS_TEST_DATA") == NULL) {
        return 0;
    }
    snprintf(scratch, sizeof scratch, "%s", check_scratch());
    scan_state(before, "before", 1);
    scan_state(after, "after", 2);
    return 0;
}

typedef struct {
    double volume, low, high, deposit;
    bool warned;
} measured;

static measured measure(const char *frame, const char *cell) {
    char path[1024], command[4096];
    cJSON *root = NULL;
    measured m = {0};
    snprintf(path, sizeof path, "%s/site.ini", scratch);
    FILE *site = fopen(path, "w");
    assert_non_null(site);
    fprintf(site,
            "[site]\nbefore = before.las\nafter = after.las\ncrs = local\n[ingest]\nground = none\n"
            "frame = %s\ncell_m = %s\nsource_area_min_m2 = 2\ndeposit_area_min_m2 = 2\n",
            frame, cell);
    fclose(site);
    snprintf(
        command, sizeof command,
        "'%s/talus-ingest' '%s/site.ini' --out '%s/out' --overwrite --progress none 2> '%s/words'",
        getenv("TALUS_BIN"), scratch, scratch, scratch);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command,
             "cat '%s/words'; grep -q 'should not be used here' '%s/words'", scratch, scratch);
    m.warned = system(command) == 0;
    snprintf(path, sizeof path, "%s/out/ingest.json", scratch);
    check_ok(tal_json_read(path, &root, &check_error));
    // The largest part is the block; crumbs of occlusion are not asked for.
    check_ok(tal_json_number(root, "source.volume_m3", path, &m.volume, &check_error));
    check_ok(tal_json_number(root, "source.low_m3", path, &m.low, &check_error));
    check_ok(tal_json_number(root, "source.high_m3", path, &m.high, &check_error));
    check_ok(tal_json_number(root, "deposit.volume_m3", path, &m.deposit, &check_error));
    cJSON_Delete(root);
    printf("frame %s, cells of %s m: %.2f m3 (%.2f to %.2f), deposit %.2f m3\n", frame, cell,
           m.volume, m.low, m.high, m.deposit);
    return m;
}

static void block_is_recovered_in_the_cliff_frame_for_every_cell(void **state) {
    (void)state;
    static const char *const cells[] = {"0.25", "0.5", "1"};
    check_data("the real cliff");
    for (int i = 0; i < 3; i++) {
        const measured m = measure("cliff", cells[i]);
        check_near(m.volume, block_m3, 0.1 * block_m3);
        assert_true(m.low < block_m3 && block_m3 < m.high); // the scar's shadows are in it
        // What lies at the foot is measured upright, whatever the frame of the face.
        check_near(m.deposit, block_m3, 0.15 * block_m3);
    }
}

static void cliff_frame_is_chosen_without_being_told(void **state) {
    (void)state;
    check_data("the real cliff");
    check_near(measure("auto", "0.5").volume, block_m3, 0.1 * block_m3);
}

static void vertical_frame_warns_on_the_cliff(void **state) {
    (void)state;
    check_data("the real cliff");
    assert_true(measure("vertical", "0.5").warned);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_is_recovered_in_the_cliff_frame_for_every_cell),
        cmocka_unit_test(cliff_frame_is_chosen_without_being_told),
        cmocka_unit_test(vertical_frame_warns_on_the_cliff)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
