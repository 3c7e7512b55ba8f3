// SPDX-License-Identifier: GPL-3.0-or-later
// Batches against the kernel for one pair: the same bits, whatever the width, the number of points in each
// lane, and whether points are open, hold or slide.
#include "solver/percussion/batch.h"
#include "core/base/random.h"
#include "solver/percussion/rigid_kernel.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

enum { PAIRS = TAL_LANES, BODIES = 2 * PAIRS, POINTS = 8 * PAIRS };

typedef struct {
    tal_rigid_motion motion[BODIES + 1];
    tal_inertia inertia[BODIES + 1];
    tal_pair pair[PAIRS];
    tal_contact contact[POINTS];
    tal_percussion_problem problem;
} scene;

typedef struct {
    tal_random random;
    uint64_t next;
} draws;

static double draw(draws *d, double low, double high) {
    return low + (high - low) * tal_random_uniform(d->random, d->next++);
}

static tal_vec3 draw_vector(draws *d) {
    return (tal_vec3){draw(d, -1.0, 1.0), draw(d, -1.0, 1.0), draw(d, -1.0, 1.0)};
}

static void make_contact(scene *s, draws *d, const tal_pair *pair, int32_t k) {
    tal_contact *c = &s->contact[k];
    const tal_law law = {.kind = TAL_LAW_COULOMB, .friction = draw(d, 0.1, 1.5)};
    const tal_contact_data data = {.dt = 0.01, .gap = fmax(0.0, draw(d, -0.01, 0.002))};
    for (int f = 0; f < 3; f++) {
        c->arm_i[f] = draw(d, -1.0, 1.0);
        c->arm_j[f] = draw(d, -1.0, 1.0);
    }
    tal_contact_effective_mass(&s->problem, pair, k);
    tal_law_prepare(&law, &data, c);
    c->percussion[0] = fmax(0.0, draw(d, -1.0, 2.0));
    c->percussion[1] = draw(d, -0.3, 0.3) * c->percussion[0];
    c->percussion[2] = draw(d, -0.3, 0.3) * c->percussion[0];
    c->lambda = fmax(0.0, draw(d, -1.0, 1.0));
}

// Lane l has bodies 2 l and 2 l + 1, the last lane the ground for its second.
static void make_scene(scene *s, draws *d) {
    memset(s, 0, sizeof *s);
    s->problem = (tal_percussion_problem){.body_count = BODIES,
                                          .motion = s->motion,
                                          .before = s->motion,
                                          .inertia = s->inertia,
                                          .pair_count = PAIRS,
                                          .pair = s->pair,
                                          .contact = s->contact};
    for (int32_t b = 0; b < BODIES; b++) {
        const double m = draw(d, 0.5, 2.0);
        s->motion[b].v = draw_vector(d);
        s->motion[b].w = draw_vector(d);
        s->inertia[b] =
            (tal_inertia){m, {4.0 * m, 0.5 * m, -0.3 * m, 5.0 * m, 0.2 * m, 6.0 * m}, 0.0};
    }
    for (int32_t p = 0; p < PAIRS; p++) {
        tal_pair *pair = &s->pair[p];
        *pair = (tal_pair){.body_i = 2 * p,
                           .body_j = p + 1 < PAIRS ? 2 * p + 1 : BODIES,
                           .first_contact = 8 * p,
                           .contact_count = 1 + (int32_t)draw(d, 0.0, 8.0),
                           .energy_scale = 2.0};
        pair->normal = tal_vec3_normalize(draw_vector(d));
        tal_vec3_tangents(pair->normal, &pair->tangent_1, &pair->tangent_2);
        for (int32_t k = 0; k < pair->contact_count; k++) {
            make_contact(s, d, pair, pair->first_contact + k);
        }
    }
}

typedef struct {
    tal_batch batch;
    tal_batch_point point[8];
    tal_batch_percussion percussion[8];
} batched;

static void make_batch(const scene *s, batched *b, int lanes) {
    b->batch.point_count = 0;
    b->batch.first_point = 0;
    for (int p = 0; p < lanes; p++) {
        b->batch.point_count = b->batch.point_count > s->pair[p].contact_count
                                   ? b->batch.point_count
                                   : s->pair[p].contact_count;
    }
    tal_batch_clear(&b->batch, b->point, BODIES);
    for (int p = 0; p < lanes; p++) {
        tal_batch_set_lane(&b->batch, b->point, p, p, &s->pair[p], s->contact, s->inertia);
    }
    tal_batch_load(&b->batch, b->percussion, s->contact);
}

static void assert_same(const scene *one, const scene *other) {
    for (int32_t k = 0; k < POINTS; k++) {
        assert_memory_equal(one->contact[k].percussion, other->contact[k].percussion,
                            sizeof one->contact[k].percussion);
        assert_memory_equal(&one->contact[k].lambda, &other->contact[k].lambda, sizeof(double));
    }
    assert_memory_equal(one->motion, other->motion, sizeof one->motion);
}

// What states the points were seen in, so that the test knows that it tests all.
typedef struct {
    int open, held, slid;
} seen;

static void count_states(const scene *s, seen *n) {
    for (int32_t p = 0; p < PAIRS; p++) {
        for (int32_t k = 0; k < s->pair[p].contact_count; k++) {
            const tal_contact *c = &s->contact[s->pair[p].first_contact + k];
            const double radius = c->friction * c->percussion[0];
            const bool slides = hypot(c->percussion[1], c->percussion[2]) > 0.999 * radius;
            n->open += c->percussion[0] == 0.0;
            n->slid += c->percussion[0] > 0.0 && slides;
            n->held += c->percussion[0] > 0.0 && !slides;
        }
    }
}

static void check_visits(const tal_batch_kernel *kernel) {
    static scene one, other;
    static batched b;
    seen n = {0};
    for (uint32_t run = 0; run < 500; run++) {
        draws d = {.random = tal_random_stream(1, run, "tests/batch")};
        const int lanes = 1 + (int)(run % PAIRS);
        make_scene(&one, &d);
        memcpy(&other, &one, sizeof one);
        other.problem.motion = other.motion;
        make_batch(&one, &b, lanes);
        for (int sweep = 0; sweep < 6; sweep++) {
            for (int p = 0; p < lanes; p++) {
                tal_percussion_problem problem = other.problem;
                problem.contact = other.contact;
                tal_rigid_visit(&problem, &other.pair[p]);
            }
            kernel->visit(&b.batch, b.point, b.percussion, one.motion, 0.0);
        }
        tal_batch_store(&b.batch, b.percussion, one.contact);
        assert_same(&one, &other);
        count_states(&one, &n);
    }
    assert_true(n.open > 1000 && n.held > 1000 && n.slid > 1000);
}

static void visits_have_the_bits_of_single_pairs(void **unused) {
    (void)unused;
    check_visits(&tal_batch_kernel_plain);
    check_visits(tal_batch_kernel_best());
}

// beta * direction is gone, the change of the last sweep is the new direction.
static void sweeps_go_on_along_the_last_direction(void **unused) {
    (void)unused;
    static scene s;
    static batched b, still;
    const double beta = 0.75;
    draws d = {.random = tal_random_stream(2, 0, "tests/batch")};
    make_scene(&s, &d);
    make_batch(&s, &b, PAIRS);
    tal_batch_kernel_best()->visit(&b.batch, b.point, b.percussion, s.motion, 0.0);
    for (int32_t k = 0; k < b.batch.point_count; k++) {
        for (int f = 0; f < 3; f++) {
            b.percussion[k].direction[f] = b.percussion[k].change[f];
        }
    }
    still = b;
    tal_batch_kernel_best()->visit(&b.batch, b.point, b.percussion, s.motion, beta);
    for (int32_t k = 0; k < b.batch.point_count; k++) {
        for (int f = 0; f < 3; f++) {
            for (int lane = 0; lane < TAL_LANES; lane++) {
                const double step = still.percussion[k].change[f][lane];
                const double start = still.percussion[k].percussion[f][lane] + beta * step;
                assert_true(b.percussion[k].direction[f][lane] == beta * step + step);
                assert_true(b.percussion[k].change[f][lane] ==
                            b.percussion[k].percussion[f][lane] - start);
            }
        }
    }
}

static void check_residual(const tal_batch_kernel *kernel) {
    static scene s;
    static batched b;
    for (uint32_t run = 0; run < 200; run++) {
        draws d = {.random = tal_random_stream(3, run, "tests/batch")};
        double error[POINTS];
        make_scene(&s, &d);
        make_batch(&s, &b, PAIRS);
        kernel->residual(&b.batch, b.point, b.percussion, s.motion, error);
        for (int32_t p = 0; p < PAIRS; p++) {
            for (int32_t n = 0; n < s.pair[p].contact_count; n++) {
                const tal_contact *c = &s.contact[s.pair[p].first_contact + n];
                const double weight = tal_mean_inverse_mass(c);
                double v[3], e[3];
                tal_contact_velocity(&s.problem, &s.pair[p], s.pair[p].first_contact + n, v);
                tal_law_residual(c, v, 1.0 / weight, e);
                assert_true(error[s.pair[p].first_contact + n] ==
                            weight * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) /
                                s.pair[p].energy_scale);
            }
        }
    }
}

static void residuals_have_the_bits_of_single_pairs(void **unused) {
    (void)unused;
    check_residual(&tal_batch_kernel_plain);
    check_residual(tal_batch_kernel_best());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_have_the_bits_of_single_pairs),
        cmocka_unit_test(sweeps_go_on_along_the_last_direction),
        cmocka_unit_test(residuals_have_the_bits_of_single_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
