// SPDX-License-Identifier: GPL-3.0-or-later
// Laws per pair of surface classes: pairs that can meet need one, others do not, and both ways round
// it is the same.
#include "tests/solver/scenes/settings.h"
#include "tests/support/check.h"

#include "solver/include/talus_solver.h"

enum { GROUND, ROCK, WOOD, CLASSES };

static tal_law law[CLASSES * CLASSES];

static void set_law(int i, int j, double friction) {
    const tal_law given = {.kind = TAL_LAW_COULOMB, .friction = friction};
    law[CLASSES * i + j] = law[CLASSES * j + i] = given;
}

static int no_laws(void **unused) {
    (void)unused;
    memset(law, 0, sizeof law);
    return 0;
}

// A ball of rock and a ball of wood over two triangles of ground.
static tal_status create(void) {
    static const tal_shape_input shape = {.kind = TAL_SHAPE_SPHERE, .radius = 0.5};
    static const tal_vec3 vertex[4] = {{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}};
    static const tal_vec3 position[2] = {{0, 0, 1}, {3, 0, 1}};
    static const tal_vec3 inertia[2] = {{1, 1, 1}, {1, 1, 1}};
    static const tal_quat orientation[2] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    static const int32_t triangle[6] = {0, 1, 2, 0, 2, 3}, ground[2] = {GROUND, GROUND};
    static const int32_t shapes[2] = {0, 0}, classes[2] = {ROCK, WOOD};
    static const double mass[2] = {10, 10};
    const tal_model_input input = {.shape_count = 1,
                                   .shape = &shape,
                                   .terrain_vertex_count = 4,
                                   .terrain_vertex_m = vertex,
                                   .terrain_triangle_count = 2,
                                   .terrain_triangle = triangle,
                                   .terrain_class = ground,
                                   .body_count = 2,
                                   .body_shape = shapes,
                                   .body_class = classes,
                                   .mass_kg = mass,
                                   .inertia_kg_m2 = inertia,
                                   .position_m = position,
                                   .orientation = orientation,
                                   .class_count = CLASSES,
                                   .law = law,
                                   .settings = test_settings()};
    tal_model *model = NULL;
    const tal_status status = tal_model_create(&model, &input, &check_error);
    assert_true((model != NULL) == (status == TAL_OK));
    tal_model_destroy(model);
    return status;
}

static void set_needed_laws(void) {
    set_law(GROUND, ROCK, 0.6);
    set_law(GROUND, WOOD, 0.4);
    set_law(ROCK, ROCK, 0.6);
    set_law(ROCK, WOOD, 0.5);
    set_law(WOOD, WOOD, 0.3);
}

static void ground_needs_no_law_with_itself(void **unused) {
    (void)unused;
    set_needed_laws();
    check_ok(create());
}

static void pair_of_classes_without_a_law_is_named(void **unused) {
    (void)unused;
    set_needed_laws();
    law[CLASSES * ROCK + WOOD] = law[CLASSES * WOOD + ROCK] = (tal_law){0};
    check_fails(create(), TAL_BAD_SETTING, "no law for surface classes 1 and 2: give one");
    set_needed_laws();
    law[CLASSES * GROUND + WOOD] = law[CLASSES * WOOD + GROUND] = (tal_law){0};
    check_fails(create(), TAL_BAD_SETTING, "no law for surface classes 0 and 2: give one");
}

static void laws_that_differ_both_ways_round_are_refused(void **unused) {
    (void)unused;
    set_needed_laws();
    law[CLASSES * WOOD + ROCK].friction = 0.7;
    check_fails(create(), TAL_BAD_SETTING, "(1, 2) and (2, 1) differ");
}

static void wrong_number_names_its_pair(void **unused) {
    (void)unused;
    set_needed_laws();
    set_law(GROUND, WOOD, -0.1);
    check_fails(create(), TAL_BAD_SETTING, "surface classes 0 and 2: friction = -0.1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ground_needs_no_law_with_itself, no_laws),
        cmocka_unit_test_setup(pair_of_classes_without_a_law_is_named, no_laws),
        cmocka_unit_test_setup(laws_that_differ_both_ways_round_are_refused, no_laws),
        cmocka_unit_test_setup(wrong_number_names_its_pair, no_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
