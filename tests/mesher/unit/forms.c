// SPDX-License-Identifier: GPL-3.0-or-later
// Forms of single rocks.
#include "mesher/rock/forms.h"
#include "core/geometry/mass_properties.h"
#include "tests/support/check.h"

static tal_block_set made(const char *words, int count, uint64_t seed) {
    tal_block_set set = {0};
    const tal_forms_options options = {
        .words = words, .count = count, .seed = seed, .density_kg_m3 = 2000};
    check_ok(tal_forms_check(words, "site.ini:2", &check_error));
    check_ok(tal_forms_make(&set, &options, &check_error));
    return set;
}

// Widths along the principal axes.
static void widths(const tal_block_set *set, int32_t block, double width[3]) {
    const tal_surface surface = tal_block_set_surface(set, block);
    tal_vec3 low, high;
    tal_surface_bounds(&surface, &low, &high);
    width[0] = high.x - low.x;
    width[1] = high.y - low.y;
    width[2] = high.z - low.z;
}

// One cube of edge 1, a prism of it on each face, wedges between these, corners between those: with edge
// 3 the chamfered cube holds 1 + 6 + 12 / 2 + 8 / 6 = 43 / 3.
static void the_eota_block_is_a_cube_chamfered_by_thirds(void **state) {
    (void)state;
    tal_block_set set = made("eota", 1, 1);
    assert_int_equal(set.block_count, 1);
    assert_int_equal(set.vertex_count, 24);
    assert_int_equal(set.face_count, 26);
    const tal_surface surface = tal_block_set_surface(&set, 0);
    check_near(tal_surface_volume(&surface), 1.0, 1e-12);
    check_near(set.block[0].mass, 2000.0, 1e-9);
    double reach = 0; // corners lie at (1.5, 0.5, 0.5) of an edge of 3
    for (int32_t v = 0; v < 24; v++) {
        reach = fmax(reach, tal_vec3_length(set.vertex[v]));
    }
    check_near(reach, sqrt(1.5 * 1.5 + 0.5) / cbrt(43.0 / 3.0), 1e-12);
    tal_block_set_destroy(&set);
}

static void cubes_and_spheres_hold_a_cubic_metre(void **state) {
    (void)state;
    tal_block_set set = made("cube sphere", 5, 1);
    assert_int_equal(set.block_count, 2);
    check_near(set.block[0].volume, 1.0, 1e-12);
    check_near(set.block[0].inertia[0], 2000.0 / 6.0, 1e-9);
    check_near(set.block[1].volume, 1.0, 1e-12);
    tal_block_set_destroy(&set);
}

static void natural_forms_look_like_their_names(void **state) {
    (void)state;
    static const struct {
        const char *word;
        double middle[2], shortest[2];           // over the longest: least, most
    } forms[] = {{"equant", {0.8, 1}, {0.7, 1}}, // classes of Zingg (1935) part at two thirds
                 {"platy", {2.0 / 3, 1}, {0.25, 0.5}},
                 {"long", {0.4, 2.0 / 3}, {0.35, 0.6}},
                 {"bladed", {0.5, 0.8}, {0.2, 0.45}}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        double mean[2] = {0, 0};
        tal_block_set set = made(forms[k].word, 20, 9);
        assert_int_equal(set.block_count, 20);
        for (int32_t b = 0; b < 20; b++) {
            double w[3];
            const tal_surface surface = tal_block_set_surface(&set, b);
            widths(&set, b, w);
            const double longest = fmax(w[0], fmax(w[1], w[2]));
            const double shortest = fmin(w[0], fmin(w[1], w[2]));
            const double middle = w[0] + w[1] + w[2] - longest - shortest;
            check_near(tal_surface_volume(&surface), 1.0, 1e-9);
            mean[0] += middle / longest / 20;
            mean[1] += shortest / longest / 20;
        }
        assert_true(mean[0] > forms[k].middle[0] && mean[0] < forms[k].middle[1]);
        assert_true(mean[1] > forms[k].shortest[0] && mean[1] < forms[k].shortest[1]);
        assert_true(set.block[0].inertia[0] != set.block[1].inertia[0]);
        tal_block_set_destroy(&set);
    }
}

static void the_seed_makes_the_rocks(void **state) {
    (void)state;
    tal_block_set a = made("long", 3, 4), b = made("eota long", 3, 4), c = made("long", 3, 5);
    // Another form before it moves nothing.
    check_near(a.block[2].inertia[0], b.block[3].inertia[0], 1e-9); // it stands 3 m farther east
    assert_true(fabs(a.block[2].inertia[0] - c.block[2].inertia[0]) > 0.1);
    tal_block_set_destroy(&a);
    tal_block_set_destroy(&b);
    tal_block_set_destroy(&c);
}

static void words_that_are_no_form_are_named_together(void **state) {
    (void)state;
    check_fails(tal_forms_check("eota rounded flat", "site.ini:2", &check_error), TAL_BAD_SETTING,
                "site.ini:2: [mesh] forms: rounded is not known");
    assert_non_null(strstr(check_error.text, "flat is not known"));
    check_fails(tal_forms_check("  ", "site.ini:2", &check_error), TAL_BAD_SETTING,
                "names no form");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_eota_block_is_a_cube_chamfered_by_thirds),
        cmocka_unit_test(cubes_and_spheres_hold_a_cubic_metre),
        cmocka_unit_test(natural_forms_look_like_their_names),
        cmocka_unit_test(the_seed_makes_the_rocks),
        cmocka_unit_test(words_that_are_no_form_are_named_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
