// SPDX-License-Identifier: GPL-3.0-or-later
// One set of defaults: a scene put together by calls is solved as one that a site file describes.
#include "tests/support/check.h"

#include "core/base/settings.h"
#include "solver/include/talus_solver.h"

static void library_and_site_file_have_the_same_defaults(void **unused) {
    (void)unused;
    static tal_settings of_file;
    tal_settings_init(&of_file);
    const tal_solver_settings of_library = tal_solver_settings_default();
    check_near(of_library.dt_s, of_file.solve.dt_s, 0.0);
    check_near(-of_library.gravity_mps2.z, of_file.solve.gravity_mps2, 0.0);
    check_near(of_library.gravity_mps2.x, 0.0, 0.0);
    check_near(of_library.gravity_mps2.y, 0.0, 0.0);
    check_near(of_library.tolerance, of_file.solve.tolerance, 0.0);
    assert_int_equal(of_library.iteration_max, of_file.solve.iterations_max);
    assert_true((of_library.scheme == TAL_SCHEME_ACD2) ==
                (of_file.solve.scheme == TAL_CHOICE_SCHEME_ACD2));
}

// What tosses and slopes of real blocks gave (docs/validation); solver_property_default_law runs it.
static void contacts_have_the_law_of_the_experiments(void **unused) {
    (void)unused;
    static const char *const shipped[][2] = {{"law", "acd2+coulomb"},
                                             {"friction", "0.55"},
                                             {"restitution", "0.1"},
                                             {"tangential_restitution", "0"}};
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        const tal_setting *setting = tal_settings_find("contact", shipped[i][0]);
        assert_non_null(setting);
        assert_string_equal(setting->preset, shipped[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_and_site_file_have_the_same_defaults),
        cmocka_unit_test(contacts_have_the_law_of_the_experiments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
