// SPDX-License-Identifier: GPL-3.0-or-later
// Voronoi cells whose seeds moved to the middle of their rock.
#include "tests/support/check.h"

#include "core/base/progress.h"
#include "mesher/rock/divide.h"
#include "mesher/rock/voronoi.h"
#include "tests/mesher/unit/scene.h"

#include <omp.h>

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

// Of equal numbers of blocks, more or less: relaxed seeds outside of the rock move into it.
static tal_partition make_sized(const fixture *f, double size, int64_t rounds, tal_vec3 stretch) {
    tal_partition partition;
    check_ok(tal_partition_voronoi_relaxed(&partition, &f->rock, 0.3, size, rounds, stretch, 1, 0,
                                           &check_error));
    return partition;
}

static tal_partition make_cells(const fixture *f, int64_t rounds, tal_vec3 stretch) {
    return make_sized(f, 7, rounds, stretch);
}

// A point of the rock, in coordinates of the seeds.
static tal_vec3 draw_point(const fixture *f, const tal_partition *p, tal_random random,
                           uint64_t *draw) {
    const tal_rock *b = &f->rock;
    for (;;) {
        const uint64_t k = *draw;
        *draw += 3;
        const tal_vec3 at = {b->low.x + (b->high.x - b->low.x) * tal_random_uniform(random, k),
                             b->low.y + (b->high.y - b->low.y) * tal_random_uniform(random, k + 1),
                             b->low.z + (b->high.z - b->low.z) * tal_random_uniform(random, k + 2)};
        if (tal_rock_holds(b, at)) {
            const tal_vec3 c = tal_frame_coordinates(&p->frame, at);
            return tal_vec3_make(c.x / p->stretch.x, c.y / p->stretch.y, c.z / p->stretch.z);
        }
    }
}

static double squared_distance(tal_vec3 a, tal_vec3 b) {
    const tal_vec3 d = tal_vec3_subtract(a, b);
    return tal_vec3_dot(d, d);
}

static double least_distance(const tal_partition *p, tal_vec3 at) {
    double least = INFINITY;
    for (int64_t s = 0; s < p->seed_count; s++) {
        least = fmin(least, squared_distance(at, p->seed[s]));
    }
    return least;
}

static void nearest_seed_is_nearest(void **state) {
    const fixture *f = *state;
    static const int64_t rounds[] = {1, 6};
    for (int k = 0; k < 2; k++) {
        tal_partition p = make_cells(f, rounds[k], tal_vec3_make(2, 1, 1));
        const tal_random random = tal_random_stream(5, 0, "test/points");
        uint64_t draw = 0;
        for (int n = 0; n < 500; n++) {
            const tal_vec3 at = draw_point(f, &p, random, &draw);
            const int64_t found = tal_voronoi_nearest(&p, at);
            assert_true(found >= 0 && found < p.seed_count);
            assert_true(squared_distance(at, p.seed[found]) == least_distance(&p, at));
        }
        // Far outside of the box, too.
        const tal_vec3 far = tal_vec3_subtract(p.low, tal_vec3_make(500, 300, 200));
        assert_true(squared_distance(far, p.seed[tal_voronoi_nearest(&p, far)]) ==
                    least_distance(&p, far));
        tal_partition_destroy(&p);
    }
}

// Lloyd's theorem: no round makes the mean squared distance of the rock to its seeds larger. It is taken over
// points that the mesher does not know, whose mean is known to a part in sqrt(4000), twice that.
static void rounds_bring_the_seeds_nearer_to_the_rock(void **state) {
    const fixture *f = *state;
    static const int64_t rounds[] = {1, 2, 4, 8};
    double first = 0, last = INFINITY;
    for (int k = 0; k < 4; k++) {
        tal_partition p = make_cells(f, rounds[k], tal_vec3_make(1, 1, 1));
        const tal_random random = tal_random_stream(6, 0, "test/points");
        uint64_t draw = 0;
        double sum = 0;
        for (int n = 0; n < 4000; n++) {
            sum += least_distance(&p, draw_point(f, &p, random, &draw));
        }
        // Per seed: a round that drops seeds must not be blamed for it.
        const double mean = sum / 4000 / pow(f->rock.volume / (double)p.seed_count, 2.0 / 3);
        print_message("%d rounds: %d seeds, %.4f\n", (int)rounds[k], (int)p.seed_count, mean);
        assert_true(mean < last * (1 + 2 / sqrt(4000.0)));
        first = k == 0 ? mean : first;
        last = mean;
        tal_partition_destroy(&p);
    }
    // Less by more than chance; balls, which no cells can beat, have 3/5 (3 / (4 pi))^(2/3) = 0.2309.
    assert_true(last < first * (1 - 4 / sqrt(4000.0)) && last > 0.2309);
}

// Thinnest extent of a block across its faces, as a share of its size.
static double thinnest(const tal_block_set *set, int32_t block) {
    const tal_surface s = tal_block_set_surface(set, block);
    double least = INFINITY;
    for (int32_t face = 0; face < s.face_count; face++) {
        tal_vec3 area = {0, 0, 0};
        const tal_vec3 first = s.vertex[s.corner[s.corner_start[face]]];
        for (int32_t c = s.corner_start[face] + 1; c + 1 < s.corner_start[face + 1]; c++) {
            area = tal_vec3_add(
                area, tal_vec3_cross(tal_vec3_subtract(s.vertex[s.corner[c]], first),
                                     tal_vec3_subtract(s.vertex[s.corner[c + 1]], first)));
        }
        const tal_vec3 n = tal_vec3_normalize(area);
        double depth = 0;
        for (int32_t v = 0; v < s.vertex_count; v++) {
            depth = fmax(depth, tal_vec3_dot(n, tal_vec3_subtract(first, s.vertex[v])));
        }
        least = fmin(least, depth);
    }
    return least / cbrt(set->block[block].volume);
}

static double share_of_thin(const fixture *f, tal_partition *p, double *smallest) {
    static const tal_divide_options options = {
        .clip_to_rock = true, .depth_m = 0, .density_kg_m3 = 2600, .thread_count = 2};
    tal_block_set set = {0};
    tal_divide_report report;
    check_ok(tal_divide(&set, p, &f->rock, &options, &report, &check_error));
    check_near(report.mass, 2600 * f->rock.volume, 1e-9 * report.mass);
    assert_true(report.piece_volume > 0.96 * f->rock.volume);
    int thin = 0;
    *smallest = INFINITY;
    for (int32_t b = 0; b < set.block_count; b++) {
        *smallest = fmin(*smallest, set.block[b].volume);
        thin += thinnest(&set, b) < 0.75 ? 1 : 0; // a cube has 1
    }
    const double share = (double)thin / set.block_count;
    print_message("%d of %d blocks are thin, effort %d\n", thin, set.block_count, report.effort);
    tal_block_set_destroy(&set);
    tal_partition_destroy(p);
    return share;
}

// Neither thin slices nor chips, where cells need not be broken up to fill the rock: less than a fifth of a cell, but for
// what smoothing takes off a corner.
static void relaxed_blocks_are_seldom_thin_and_never_small(void **state) {
    const fixture *f = *state;
    const double size = 4.5, cell = size * size * size;
    tal_partition scattered, relaxed = make_sized(f, size, 5, tal_vec3_make(1, 1, 1));
    check_ok(tal_partition_voronoi(&scattered, &f->rock, 0.3, size, tal_vec3_make(1, 1, 1), 1, 0,
                                   &check_error));
    double chip, smallest;
    const double before = share_of_thin(f, &scattered, &chip);
    const double after = share_of_thin(f, &relaxed, &smallest);
    print_message("smallest: %.1f and %.1f m3\n", chip, smallest);
    assert_true(after < 0.2 * before);
    assert_true(chip < 0.1 * cell && smallest > 0.19 * cell);
}

static void threads_do_not_matter(void **state) {
    const fixture *f = *state;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    tal_partition one = make_cells(f, 5, tal_vec3_make(1, 1, 1));
    omp_set_num_threads(3);
    tal_partition three = make_cells(f, 5, tal_vec3_make(1, 1, 1));
    omp_set_num_threads(threads);
    assert_true(one.seed_count == three.seed_count);
    assert_memory_equal(one.seed, three.seed, (size_t)one.seed_count * sizeof *one.seed);
    tal_partition_destroy(&one);
    tal_partition_destroy(&three);
}

int main(void) {
    tal_progress_set_mode(TAL_PROGRESS_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_seed_is_nearest),
        cmocka_unit_test(rounds_bring_the_seeds_nearer_to_the_rock),
        cmocka_unit_test(relaxed_blocks_are_seldom_thin_and_never_small),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, make_fixture, destroy_fixture);
}
