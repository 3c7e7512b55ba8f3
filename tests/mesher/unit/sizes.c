// SPDX-License-Identifier: GPL-3.0-or-later
// Voronoi cells of wanted sizes.
#include "tests/support/check.h"

#include "mesher/rock/voronoi.h"
#include "tests/mesher/unit/scene.h"

static const double origin[3] = {700350, 1600250, 480};

typedef struct {
    test_site site;
    tal_rock rock;
} fixture;

static int make_fixture(void **state) {
    static fixture f;
    test_site_make(&f.site, 300, 150, 2, 0.45);
    check_ok(tal_rock_create(&f.rock, &f.site.bed, &f.site.before, &f.site.source, NULL, origin,
                             &check_error));
    *state = &f;
    return 0;
}

static int destroy_fixture(void **state) {
    fixture *f = *state;
    tal_rock_destroy(&f->rock);
    test_site_destroy(&f->site);
    return 0;
}

static tal_partition make_cells(const fixture *f, double deviation) {
    tal_partition partition;
    check_ok(tal_partition_voronoi_sized(&partition, &f->rock, 0.3, 7, deviation,
                                         tal_vec3_make(1, 1, 1), 1, 0, &check_error));
    return partition;
}

static void cells_have_the_wanted_sizes(void **state) {
    const fixture *f = *state;
    static const double deviations[] = {0, 0.15, 0.35};
    for (int k = 0; k < 3; k++) {
        tal_partition p = make_cells(f, deviations[k]);
        int near = 0, close = 0;
        double sum = 0, squares = 0;
        for (int64_t s = 0; s < p.seed_count; s++) {
            tal_polyhedron cell;
            check_ok(p.make_cell(&p, s, &cell, &check_error));
            if (cell.vertex_count > 0) {
                const double volume = tal_polyhedron_volume(&cell), size = log(volume) / 3;
                near++;
                close += fabs(cbrt(volume / p.target[s]) - 1) < 0.03 ? 1 : 0;
                sum += size;
                squares += size * size;
            }
        }
        const double mean = sum / near, found = sqrt(squares / near - mean * mean);
        print_message("deviation %g: %d cells, %d within 3 %% of their size, deviation %.3f\n",
                      deviations[k], near, close, found);
        assert_true(near > 200 && close > 0.95 * near);
        // The scatter of a sample of n is known to 1 / sqrt(2 n) of itself: four of those.
        check_near(found, deviations[k], 0.01 + deviations[k] * 4 / sqrt(2.0 * near));
        tal_partition_destroy(&p);
    }
}

// Power cells: a point belongs to the seed with the least squared distance minus weight.
static void power_cells_hold_the_points_of_their_seed(void **state) {
    const fixture *f = *state;
    const tal_random random = tal_random_stream(5, 0, "test/points");
    tal_partition p = make_cells(f, 0.35);
    const tal_rock *b = &f->rock;
    int checked = 0;
    for (uint64_t k = 0; checked < 300; k++) {
        const tal_vec3 at = {
            b->low.x + (b->high.x - b->low.x) * tal_random_uniform(random, 3 * k),
            b->low.y + (b->high.y - b->low.y) * tal_random_uniform(random, 3 * k + 1),
            b->low.z + (b->high.z - b->low.z) * tal_random_uniform(random, 3 * k + 2)};
        if (!tal_rock_holds(b, at)) {
            continue;
        }
        const tal_vec3 c = tal_frame_coordinates(&p.frame, at);
        int64_t owner = 0;
        double least = INFINITY;
        for (int64_t s = 0; s < p.seed_count; s++) {
            const tal_vec3 d = tal_vec3_subtract(c, p.seed[s]);
            const double power = tal_vec3_dot(d, d) - p.weight[s];
            if (power < least) {
                least = power;
                owner = s;
            }
        }
        tal_polyhedron cell;
        tal_halfspace planes[TAL_POLYHEDRON_FACES];
        check_ok(p.make_cell(&p, owner, &cell, &check_error));
        assert_true(cell.vertex_count > 0);
        tal_polyhedron_planes(&cell, planes);
        for (int32_t face = 0; face < cell.face_count; face++) {
            assert_true(tal_halfspace_distance(planes[face], at) < 1e-7);
        }
        checked++;
    }
    tal_partition_destroy(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_the_wanted_sizes),
        cmocka_unit_test(power_cells_hold_the_points_of_their_seed),
    };
    return cmocka_run_group_tests(tests, make_fixture, destroy_fixture);
}
