// SPDX-License-Identifier: GPL-3.0-or-later
// The ground of the embedded sites against the published figures and closed forms.
#include "tests/support/check.h"

#include "datasets/site_ground.h"
#include "datasets/truth.h"

static tal_site_ground *piton;
static tal_site_ground *slope;

static int make_surfaces(void **state) {
    (void)state;
    return tal_site_ground_create(&piton, TAL_SITE_PITON_MARCEL, NULL) != TAL_OK ||
           tal_site_ground_create(&slope, TAL_SITE_SLOPE, NULL) != TAL_OK;
}

static int drop_surfaces(void **state) {
    (void)state;
    tal_site_ground_destroy(piton);
    tal_site_ground_destroy(slope);
    return 0;
}

typedef struct {
    double loss, gain;
} volumes;

// Composite Gauss-Legendre, two points a side, on cells that share no line with the generator's.
static volumes integrate(const tal_site_ground *surface, double cells_per_metre) {
    const tal_site_frame frame = tal_site_ground_frame(surface);
    const int columns = (int)(frame.width * cells_per_metre),
              rows = (int)(frame.height * cells_per_metre);
    const double dx = frame.width / columns, dy = frame.height / rows;
    const double node[2] = {0.5 - 0.5 / sqrt(3.0), 0.5 + 0.5 / sqrt(3.0)};
    volumes sum = {0.0, 0.0};
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            for (int k = 0; k < 4; k++) {
                const double x = (column + node[k % 2]) * dx, y = (row + node[k / 2]) * dy;
                const double change = tal_site_ground_elevation(surface, TAL_AFTER, x, y) -
                                      tal_site_ground_elevation(surface, TAL_BEFORE, x, y);
                sum.loss += fmax(-change, 0.0) * 0.25 * dx * dy;
                sum.gain += fmax(change, 0.0) * 0.25 * dx * dy;
            }
        }
    }
    return sum;
}

static void volumes_between_the_surfaces_are_the_stated_ones(void **state) {
    (void)state;
    const volumes found = integrate(piton, 0.87);
    printf("piton-marcel: source %.1f m3, deposit %.1f m3\n", found.loss, found.gain);
    check_near(found.loss, 8.0e5, 0.001 * 8.0e5);
    check_near(found.gain, 1.25 * 8.0e5, 0.001 * 1.25 * 8.0e5);
    check_near(tal_site_ground_figures(piton).source_volume_m3, 8.0e5, 0.0);
    check_near(tal_site_ground_figures(piton).deposit_volume_m3, 1.25 * 8.0e5, 0.0);
}

static void slope_holds_forty_cubic_metres(void **state) {
    (void)state;
    const volumes found = integrate(slope, 8.3);
    check_near(found.loss, 40.0, 0.04);
    check_near(found.gain, 48.0, 0.048);
}

static void greatest_loss_is_about_sixty_metres(void **state) {
    (void)state;
    double greatest = 0.0;
    for (double y = 0.15; y < 500.0; y += 0.9) {
        for (double x = 400.15; x < 700.0; x += 0.9) {
            greatest = fmax(greatest, tal_site_ground_elevation(piton, TAL_BEFORE, x, y) -
                                          tal_site_ground_elevation(piton, TAL_AFTER, x, y));
        }
    }
    printf("greatest loss %.2f m\n", greatest);
    assert_true(greatest > 55.0 && greatest < 62.0);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// On lines down the middle of the scar: from where the ground first gets steeper than 45 degrees to
// where it was so for the last time. The gradient over 8 m belongs to their middle.
static void cliff_is_about_130_metres_high(void **state) {
    (void)state;
    enum { LINES = 13 };
    double height[LINES];
    for (int line = 0; line < LINES; line++) {
        const double across = 5.0 * (line - LINES / 2);
        double top = NAN, foot = NAN;
        for (double along = -140.0; along < 60.0; along += 1.0) {
            double z[2];
            for (int k = 0; k < 2; k++) {
                const double here = along + 8.0 * k;
                z[k] = tal_site_ground_elevation(piton, TAL_BEFORE,
                                                 548.0 - 0.97815 * here - 0.20791 * across,
                                                 282.0 - 0.20791 * here + 0.97815 * across);
            }
            if ((z[0] - z[1]) / 8.0 > 1.0) {
                foot = 0.5 * (z[0] + z[1]);
                top = isnan(top) ? foot : top;
            }
        }
        height[line] = top - foot;
    }
    qsort(height, LINES, sizeof height[0], by_value);
    printf("cliff height %.1f m\n", height[LINES / 2]);
    check_near(height[LINES / 2], 130.0, 8.0);
}

static void ground_changes_only_inside_source_and_deposit(void **state) {
    (void)state;
    for (double y = 1.0; y < 500.0; y += 3.7) {
        for (double x = 1.0; x < 700.0; x += 3.7) {
            const double loss = tal_site_ground_loss(piton, x, y),
                         gain = tal_site_ground_gain(piton, x, y);
            assert_true(loss >= 0.0 && gain >= 0.0);
            assert_true(loss == 0.0 || gain == 0.0);
            check_near(tal_site_ground_elevation(piton, TAL_BEFORE, x, y) -
                           tal_site_ground_elevation(piton, TAL_AFTER, x, y),
                       loss - gain, 1e-9);
        }
    }
}

// Width of the deposit at a distance down the valley.
static double deposit_width(double along) {
    double width = 0.0;
    for (double across = -240.0; across <= 240.0; across += 1.0) {
        const double x = 548.0 - 0.97815 * along - 0.20791 * across;
        const double y = 282.0 - 0.20791 * along + 0.97815 * across;
        width += tal_site_ground_gain(piton, x, y) > 0.5 ? 1.0 : 0.0;
    }
    return width;
}

static void deposit_is_an_arrowhead_that_points_down_the_valley(void **state) {
    (void)state;
    // Ever narrower from its shoulders to its tip.
    double wider = deposit_width(150.0);
    assert_true(wider > 150.0);
    for (double along = 190.0; along < 390.0; along += 40.0) {
        const double narrower = deposit_width(along);
        assert_true(narrower < wider);
        wider = narrower;
    }
    assert_true(deposit_width(360.0) > 0.0 && deposit_width(360.0) < 60.0);
    check_near(deposit_width(430.0), 0.0, 0.0);
    // A notch behind: rubble lies farther up on both sides than in the middle.
    for (int side = -1; side <= 1; side++) {
        const double x = 548.0 - 0.97815 * 90.0 - 0.20791 * 100.0 * side;
        const double y = 282.0 - 0.20791 * 90.0 + 0.97815 * 100.0 * side;
        assert_int_equal(tal_site_ground_gain(piton, x, y) > 0.0, side != 0);
    }
}

static void deposit_lies_at_the_break_of_slope(void **state) {
    (void)state;
    // Mean gradient of the valley floor over 60 m: above and below the middle of the deposit.
    double z[4];
    const double along[4] = {40.0, 100.0, 260.0, 320.0};
    for (int i = 0; i < 4; i++) {
        z[i] = tal_site_ground_elevation(piton, TAL_BEFORE, 548.0 - 0.97815 * along[i],
                                         282.0 - 0.20791 * along[i]);
    }
    assert_true((z[0] - z[1]) / 60.0 > tan(30.0 * 3.14159265 / 180.0));
    assert_true((z[2] - z[3]) / 60.0 < tan(15.0 * 3.14159265 / 180.0));
}

// Shoelace formula against counted cells.
static void outlines_enclose_the_areas(void **state) {
    (void)state;
    const tal_site_ground *surfaces[2] = {piton, slope};
    for (int i = 0; i < 4; i++) {
        static tal_extent extent;
        tal_extent_measure(&extent, surfaces[i / 2], i % 2 == 0 ? TAL_SOURCE : TAL_DEPOSIT);
        double twice = 0.0;
        for (int a = 0; a < TAL_OUTLINE_VERTICES; a++) {
            const int b = (a + 1) % TAL_OUTLINE_VERTICES;
            twice += extent.x[a] * extent.y[b] - extent.x[b] * extent.y[a];
        }
        printf("area %.1f m2, outline %.1f m2\n", extent.area_m2, 0.5 * twice);
        check_near(0.5 * twice, extent.area_m2, 0.01 * extent.area_m2);
    }
}

static void caps_of_the_slope_have_their_closed_form(void **state) {
    (void)state;
    static tal_extent extent;
    tal_extent_measure(&extent, slope, TAL_SOURCE);
    // Half axes 3.2 and 2.7 m: area pi a b, height 2 V / (pi a b).
    const double area = 3.14159265358979 * 3.2 * 2.7;
    check_near(extent.area_m2, area, 0.01 * area);
    check_near(extent.max_thickness_m, 80.0 / area, 0.01);
}

// Co-registration needs slopes that face all ways on ground that did not move.
static void stable_ground_has_slopes_in_both_directions(void **state) {
    (void)state;
    double xx = 0.0, yy = 0.0, xy = 0.0;
    int count = 0;
    for (double y = 5.0; y < 495.0; y += 4.0) {
        for (double x = 5.0; x < 695.0; x += 4.0) {
            if (tal_site_ground_loss(piton, x, y) > 0.0 ||
                tal_site_ground_gain(piton, x, y) > 0.0) {
                continue;
            }
            const double east = 0.5 * (tal_site_ground_elevation(piton, TAL_BEFORE, x + 1.0, y) -
                                       tal_site_ground_elevation(piton, TAL_BEFORE, x - 1.0, y));
            const double north = 0.5 * (tal_site_ground_elevation(piton, TAL_BEFORE, x, y + 1.0) -
                                        tal_site_ground_elevation(piton, TAL_BEFORE, x, y - 1.0));
            xx += east * east;
            yy += north * north;
            xy += east * north;
            count++;
        }
    }
    // Smaller eigenvalue of the mean of the gradient's outer product.
    const double half = 0.5 * (xx + yy) / count, difference = 0.5 * (xx - yy) / count;
    const double smallest = half - hypot(difference, xy / count);
    printf("rms gradient in the weakest direction %.3f\n", sqrt(smallest));
    assert_true(sqrt(smallest) > 0.25);
}

static void no_tree_stands_on_scar_deposit_or_path(void **state) {
    (void)state;
    double cover[2] = {0.0, 0.0};
    for (double y = 1.0; y < 500.0; y += 5.0) {
        for (double x = 1.0; x < 700.0; x += 5.0) {
            const double now = tal_site_ground_cover(piton, TAL_AFTER, x, y);
            cover[0] += tal_site_ground_cover(piton, TAL_BEFORE, x, y) / 14000.0;
            cover[1] += now / 14000.0;
            if (tal_site_ground_loss(piton, x, y) > 0.0 ||
                tal_site_ground_gain(piton, x, y) > 0.0) {
                check_near(now, 0.0, 0.0);
            }
        }
    }
    printf("cover before %.2f, after %.2f\n", cover[0], cover[1]);
    assert_true(cover[0] > 0.25 && cover[1] > 0.15 && cover[1] < cover[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_between_the_surfaces_are_the_stated_ones),
        cmocka_unit_test(slope_holds_forty_cubic_metres),
        cmocka_unit_test(greatest_loss_is_about_sixty_metres),
        cmocka_unit_test(cliff_is_about_130_metres_high),
        cmocka_unit_test(ground_changes_only_inside_source_and_deposit),
        cmocka_unit_test(deposit_is_an_arrowhead_that_points_down_the_valley),
        cmocka_unit_test(deposit_lies_at_the_break_of_slope),
        cmocka_unit_test(outlines_enclose_the_areas),
        cmocka_unit_test(caps_of_the_slope_have_their_closed_form),
        cmocka_unit_test(stable_ground_has_slopes_in_both_directions),
        cmocka_unit_test(no_tree_stands_on_scar_deposit_or_path),
    };
    return cmocka_run_group_tests_name("dataset_surface", tests, make_surfaces, drop_surfaces);
}
