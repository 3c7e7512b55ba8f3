// SPDX-License-Identifier: GPL-3.0-or-later
// Counter-based random numbers.
#include "core/base/random.h"
#include "tests/support/check.h"

enum { DRAWS = 200000 };

// Known answers published with the generator (Random123, kat_vectors, philox4x32 10 rounds).
static void philox_gives_the_published_answers(void **state) {
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t out[4];
        tal_random_philox(cases[i].counter, cases[i].key, out);
        assert_memory_equal(out, cases[i].out, sizeof out);
    }
}

static void a_draw_depends_on_seed_run_stream_and_number_alone(void **state) {
    (void)state;
    const tal_random a = tal_random_stream(7, 3, "mesher/seeds");
    const uint64_t first = tal_random_bits(a, 41);
    for (uint64_t i = 0; i < 100; i++) {
        (void)tal_random_bits(a, i); // other draws move nothing
    }
    assert_true(first == tal_random_bits(tal_random_stream(7, 3, "mesher/seeds"), 41));
    assert_true(first != tal_random_bits(a, 42));
    assert_true(first != tal_random_bits(tal_random_stream(8, 3, "mesher/seeds"), 41));
    assert_true(first != tal_random_bits(tal_random_stream(7, 4, "mesher/seeds"), 41));
    assert_true(first != tal_random_bits(tal_random_stream(7, 3, "mesher/seed"), 41));
    assert_true(first !=
                tal_random_bits(tal_random_stream(7 + (1ULL << 40), 3, "mesher/seeds"), 41));
}

static void draws_beyond_32_bits_are_new_ones(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(1, 0, "test");
    for (int bit = 32; bit < 64; bit++) {
        assert_true(tal_random_bits(random, 0) != tal_random_bits(random, 1ULL << bit));
    }
}

static void uniform_numbers_use_all_53_bits(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(1, 0, "test");
    int odd = 0;
    for (uint64_t i = 0; i < 100; i++) {
        const double scaled = tal_random_uniform(random, i) * 0x1p53;
        assert_true(scaled == floor(scaled));
        odd += fmod(scaled, 2.0) == 1.0 ? 1 : 0;
    }
    assert_true(odd > 20);
}

// Means and variances within five standard errors of their closed forms.
static void moments_agree_with_the_distributions(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(1, 0, "test");
    double uniform[2] = {0}, normal[4] = {0}, exponential[2] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        const double u = tal_random_uniform(random, i);
        const double n = tal_random_normal(random, i + DRAWS);
        const double e = tal_random_exponential(random, i + 2 * DRAWS);
        assert_true(u >= 0.0 && u < 1.0);
        assert_true(isfinite(n) && e >= 0.0);
        uniform[0] += u, uniform[1] += u * u;
        normal[0] += n, normal[1] += n * n, normal[2] += n * n * n, normal[3] += n * n * n * n;
        exponential[0] += e, exponential[1] += e * e;
    }
    const double root = sqrt((double)DRAWS);
    check_near(uniform[0] / DRAWS, 0.5, 5.0 * sqrt(1.0 / 12.0) / root);
    check_near(uniform[1] / DRAWS, 1.0 / 3.0, 5.0 * sqrt(4.0 / 45.0) / root);
    check_near(normal[0] / DRAWS, 0.0, 5.0 / root);
    check_near(normal[1] / DRAWS, 1.0, 5.0 * sqrt(2.0) / root);
    check_near(normal[2] / DRAWS, 0.0, 5.0 * sqrt(15.0) / root);
    check_near(normal[3] / DRAWS, 3.0, 5.0 * sqrt(96.0) / root);
    check_near(exponential[0] / DRAWS, 1.0, 5.0 / root);
    check_near(exponential[1] / DRAWS, 2.0, 5.0 * sqrt(20.0) / root);
}

static void bounded_numbers_fill_their_range_evenly(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(2, 0, "test");
    int count[6] = {0};
    for (uint64_t i = 0; i < 60000; i++) {
        const uint64_t value = tal_random_below(random, i, 6);
        assert_true(value < 6);
        count[value]++;
    }
    double chi2 = 0.0;
    for (int i = 0; i < 6; i++) {
        chi2 += pow(count[i] - 10000.0, 2.0) / 10000.0;
    }
    assert_true(chi2 < 25.7); // 5 degrees of freedom, probability 1e-4
}

static void directions_are_unit_vectors_without_a_preferred_axis(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(3, 0, "test");
    double mean[3] = {0}, square[3] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        double v[3];
        tal_random_direction(random, i, v);
        check_near(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 1.0, 1e-14);
        for (int k = 0; k < 3; k++) {
            mean[k] += v[k] / DRAWS;
            square[k] += v[k] * v[k] / DRAWS;
        }
    }
    for (int k = 0; k < 3; k++) {
        check_near(mean[k], 0.0, 5.0 * sqrt(1.0 / 3.0 / DRAWS));
        check_near(square[k], 1.0 / 3.0, 5.0 * sqrt(4.0 / 45.0 / DRAWS));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(a_draw_depends_on_seed_run_stream_and_number_alone),
        cmocka_unit_test(draws_beyond_32_bits_are_new_ones),
        cmocka_unit_test(uniform_numbers_use_all_53_bits),
        cmocka_unit_test(moments_agree_with_the_distributions),
        cmocka_unit_test(bounded_numbers_fill_their_range_evenly),
        cmocka_unit_test(directions_are_unit_vectors_without_a_preferred_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
