// SPDX-License-Identifier: GPL-3.0-or-later
// The granular layers of the thesis: boxes that fly together, spinning, above a plane and form a heap.
// Initial data as given: dt 1 ms, kn = kt = half the mean mass; the default law beside it. With data.
// `solver_test_layers N` runs the layer of N boxes (100, 500, 1000, 3000) instead of that of 100.
#include "tests/solver/scenes/world.h"

static int box_count = 100;

static void read_triple(FILE *file, double v[3]) {
    assert_int_equal(fscanf(file, "%lf %lf %lf", &v[0], &v[1], &v[2]), 3);
}

static tal_vec3 read_vector(FILE *file) {
    double v[3];
    read_triple(file, v);
    return tal_vec3_make(v[0], v[1], v[2]);
}

// From a rotation matrix whose columns are the body axes; the largest component first, by its square.
static tal_quat quaternion_of(tal_vec3 i, tal_vec3 j, tal_vec3 k) {
    const double square[4] = {1.0 + i.x + j.y + k.z, 1.0 + i.x - j.y - k.z, 1.0 - i.x + j.y - k.z,
                              1.0 - i.x - j.y + k.z};
    int most = 0;
    for (int n = 1; n < 4; n++) {
        most = square[n] > square[most] ? n : most;
    }
    const tal_quat by[4] = {{square[0], j.z - k.y, k.x - i.z, i.y - j.x},
                            {j.z - k.y, square[1], i.y + j.x, k.x + i.z},
                            {k.x - i.z, i.y + j.x, square[2], j.z + k.y},
                            {i.y - j.x, k.x + i.z, j.z + k.y, square[3]}};
    return tal_quat_normalize(by[most]);
}

static FILE *open_data(const char *folder, const char *kind, int count) {
    char path[1024];
    snprintf(path, sizeof path, "%s/leon-layers/%s_%d.data", folder, kind, count);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail_msg("%s cannot be opened", path);
    }
    return file;
}

static void read_layer(test_scene *scene, const char *folder, int count) {
    FILE *sizes = open_data(folder, "size", count), *rows = open_data(folder, "position", count);
    for (int n = 0; n < count; n++) {
        double edge[3];
        read_triple(sizes, edge);
        const tal_vec3 x = read_vector(rows), v = read_vector(rows), w = read_vector(rows);
        const tal_vec3 i = read_vector(rows), j = read_vector(rows), k = read_vector(rows);
        const tal_quat q = quaternion_of(i, j, k);
        assert_true(tal_vec3_length(
                        tal_vec3_subtract(tal_quat_rotate(q, tal_vec3_make(0, 1, 0)), j)) < 1e-6);
        const int32_t b = test_scene_add_box(scene, edge[0], edge[1], edge[2], x, q, 5000.0);
        scene->velocity[b] = v;
        scene->spin[b] = w;
    }
    fclose(sizes);
    fclose(rows);
}

static double lowest_corner(const world *w, int32_t b) {
    double low = INFINITY;
    for (int c = 0; c < 8; c++) {
        const double *e = w->scene.edge[b];
        const tal_vec3 corner = {(c & 1 ? 0.5 : -0.5) * e[0], (c & 2 ? 0.5 : -0.5) * e[1],
                                 (c & 4 ? 0.5 : -0.5) * e[2]};
        const tal_vec3 at = tal_quat_rotate(tal_state_orientations(w->state)[b], corner);
        low = fmin(low, tal_state_positions(w->state)[b].z + at.z);
    }
    return low;
}

// The book closes; R.x > 0 where the law forbids it, and gains, come from the residual alone.
static void step(world *w) {
    const tal_report *r = &w->report;
    check_ok(tal_step(w->model, w->state, &w->report, &check_error));
    const double energy = r->kinetic_translation_j + r->kinetic_rotation_j + fabs(r->potential_j) +
                          fabs(r->dissipated_normal_j) + fabs(r->dissipated_tangential_j);
    const double slack = fmax(r->residual, w->scene.settings.tolerance) * energy;
    assert_true(fabs(r->energy_defect_j) < 1e-12 * energy);
    assert_true(r->clausius_duhem_worst_j < slack);
    assert_true(-r->dissipated_normal_j - r->dissipated_tangential_j <
                r->energy_rise_bound_j + slack);
}

static void layer_comes_to_lie_on_the_plane(int count, tal_law law) {
    const char *folder = check_data("granular layers");
    world w = {0};
    test_scene_init(&w.scene);
    read_layer(&w.scene, folder, count);
    double mass = 0.0, smallest = INFINITY;
    for (int32_t b = 0; b < count; b++) {
        mass += w.scene.mass[b] / count;
        for (int k = 0; k < 3; k++) {
            smallest = fmin(smallest, w.scene.edge[b][k]);
        }
    }
    law.kn_kg = law.kt_kg = 0.5 * mass;
    w.scene.law = law;
    w.scene.settings.dt_s = 1e-3;
    w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -9.80665);
    w.scene.settings.overlap_max = 10.0; // the boxes were placed at random
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    world_start(&w);
    double energy = INFINITY, deepest = 0.0, before = 0.0;
    for (int n = 0; n < 3000; n++) {
        step(&w);
        energy = w.report.kinetic_translation_j + w.report.kinetic_rotation_j;
        before = n == 0 ? energy : before;
        deepest = fmax(deepest, w.report.penetration_m);
    }
    printf("%d boxes, law %d: kinetic %.3g J of %.3g J left after 3 s, penetration %.2g m at the "
           "end, %.2g m at most\n",
           count, (int)law.kind, energy, before, w.report.penetration_m, deepest);
    for (int32_t b = 0; b < count; b++) {
        assert_true(lowest_corner(&w, b) > -0.01 * smallest);
    }
    assert_true(energy < 0.05 * before);
    assert_true(w.report.penetration_m < 0.01 * smallest);
    world_end(&w);
}

static void layers_of_the_thesis_come_to_lie_on_the_plane(void **unused) {
    (void)unused;
    const tal_law thesis = {.kind = TAL_LAW_ACD2, .dissipation_in_kg = true};
    layer_comes_to_lie_on_the_plane(box_count, law_mixed(0.6, 0.3, 0.8));
    layer_comes_to_lie_on_the_plane(box_count, thesis);
}

// Contacts are added within steps here, while percussions are kept for the ones before.
static void falling_boxes_meet_new_contacts_within_a_step(void **unused) {
    (void)unused;
    (void)check_data("the benchmark scenes");
    world w = {0};
    check_ok(test_scene_read(&w.scene, test_scene_bench_directory(), "S1_fall_100", &check_error));
    w.scene.law = law_mixed(0.5, 0.3, 0.8);
    world_start(&w);
    for (int n = 0; n < 300; n++) {
        step(&w);
    }
    world_end(&w);
}

int main(int argc, char **argv) {
    box_count = argc > 1 ? atoi(argv[1]) : box_count;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_boxes_meet_new_contacts_within_a_step),
        cmocka_unit_test(layers_of_the_thesis_come_to_lie_on_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
