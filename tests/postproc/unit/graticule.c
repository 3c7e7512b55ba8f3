// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of equal longitude and latitude on a map: where they must run, and what their labels say.
#include "postproc/figures/graticule.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_graticule(const char *crs_name, tal_bounds sheet, tal_text *line,
                            tal_text *label) {
    tal_crs *crs;
    check_ok(tal_crs_create(&crs, crs_name, "test", &check_error));
    check_ok(tal_graticule_write(line, label, crs, &sheet, &check_error));
    tal_crs_destroy(crs);
}

// UTM zone 20 has its central meridian, 63 degrees west, at an easting of 500 km, where it runs due north.
static void central_meridian_runs_due_north(void **state) {
    (void)state;
    tal_text line = {0}, label = {0};
    const tal_bounds sheet = {499000.0, 1637000.0, 501000.0, 1639000.0};
    write_graticule("EPSG:32620", sheet, &line, &label);
    int on_it = 0;
    double x, y;
    for (const char *at = strchr(tal_text_string(&line), '\n'); at != NULL;
         at = strchr(at + 1, '\n')) {
        on_it += sscanf(at, "%lf %lf", &x, &y) == 2 && fabs(x - 500000.0) < 1e-3;
    }
    assert_true(on_it >= 33); // all points of one line, and where the parallels cross it
    assert_non_null(
        strstr(tal_text_string(&label), "500000.000 1637000.000 TC 63\\26000'00\\042W"));
    tal_text_destroy(&line);
    tal_text_destroy(&label);
}

// 14 48 50 N, 61 12 00 W is at 693707.689, 1638519.604 in that zone (cs2cs of PROJ 9.1). Lines of equal
// longitude and latitude turn by half a degree there: 2 and 4 m on the way to the rims.
static void labels_tell_degrees_minutes_and_seconds(void **state) {
    (void)state;
    tal_text line = {0}, label = {0};
    const tal_bounds sheet = {693300.0, 1638300.0, 693900.0, 1638800.0};
    write_graticule("EPSG:32620", sheet, &line, &label);
    const struct {
        const char *words, *place;
        double x, y, slack_x, slack_y;
    } wanted[] = {
        {"61\\26012'00\\042W", " TC ", 693707.689, sheet.south, 3.0, 1e-3},
        {"14\\26048'50\\042N", " RM ", sheet.west, 1638519.604, 1e-3, 5.0},
    };
    for (int k = 0; k < 2; k++) {
        const char *text = tal_text_string(&label), *at = strstr(text, wanted[k].words);
        double x, y;
        assert_non_null(at);
        while (at > text && at[-1] != '\n') {
            at--;
        }
        assert_int_equal(sscanf(at, "%lf %lf", &x, &y), 2);
        check_near(x, wanted[k].x, wanted[k].slack_x);
        check_near(y, wanted[k].y, wanted[k].slack_y);
        assert_non_null(strstr(at, wanted[k].place));
    }
    tal_text_destroy(&line);
    tal_text_destroy(&label);
}

static void local_coordinates_have_no_place_on_earth(void **state) {
    (void)state;
    tal_text line = {0}, label = {0};
    double longitude, latitude;
    tal_crs *local, *utm;
    write_graticule("local", (tal_bounds){0.0, 0.0, 10.0, 10.0}, &line, &label);
    assert_int_equal(line.length + label.length, 0);
    check_ok(tal_crs_create(&local, "local", "test", &check_error));
    check_ok(tal_crs_create(&utm, "EPSG:32620", "test", &check_error));
    assert_false(tal_graticule_find_place(local, 1.0, 2.0, &longitude, &latitude));
    assert_true(tal_graticule_find_place(utm, 500000.0, 0.0, &longitude, &latitude));
    check_near(longitude, -63.0, 1e-9);
    check_near(latitude, 0.0, 1e-9);
    tal_crs_destroy(local);
    tal_crs_destroy(utm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(central_meridian_runs_due_north),
        cmocka_unit_test(labels_tell_degrees_minutes_and_seconds),
        cmocka_unit_test(local_coordinates_have_no_place_on_earth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
