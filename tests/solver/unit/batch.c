// SPDX-License-Identifier: GPL-3.0-or-later
// Batches against the kernel for one pair: the same bits, whatever the width, the number of points in each
// lane, and whether points are open, hold or slide.
#include "solver/percussion/rigid_kernel.h"
#include "tests/solver/scenes/four_pairs.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

static void assert_same(const four_pairs *one, const four_pairs *other) {
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

static void count_states(const four_pairs *s, seen *n) {
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

// Motions so slow that the squares of percussions are no numbers.
static void slow_down(four_pairs *s) {
    const double scale = 1e-170;
    for (int32_t b = 0; b < BODIES; b++) {
        s->motion[b].v = tal_vec3_scale(s->motion[b].v, scale);
        s->motion[b].w = tal_vec3_scale(s->motion[b].w, scale);
    }
    for (int32_t k = 0; k < POINTS; k++) {
        s->contact[k].bound *= scale;
        for (int f = 0; f < 3; f++) {
            s->contact[k].percussion[f] *= scale;
        }
    }
}

static void check_visits(const tal_batch_kernel *kernel) {
    static four_pairs one, other;
    static four_batched b;
    seen n = {0};
    for (uint32_t run = 0; run < 500; run++) {
        const int lanes = 1 + (int)(run % PAIRS);
        four_pairs_make(&one, 1, run, 0);
        if (run % 10 == 9) {
            slow_down(&one);
        }
        memcpy(&other, &one, sizeof one);
        other.problem.motion = other.motion;
        four_pairs_batch(&one, lanes, &b);
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
        for (int32_t body = 0; body < BODIES; body++) {
            assert_true(isfinite(tal_vec3_length(one.motion[body].v)));
        }
        count_states(&one, &n);
    }
    assert_true(n.open > 1000 && n.held > 1000 && n.slid > 1000);
}

static void visits_have_the_bits_of_single_pairs(void **unused) {
    (void)unused;
    check_visits(&tal_batch_kernel_plain);
    check_visits(tal_batch_kernel_best());
}

// Two batches of other bodies, visited together and one after the other.
static void check_visits_of_two(const tal_batch_kernel *kernel, int32_t point_count, uint32_t run) {
    static four_pairs pairs[2];
    static four_batched b[2];
    static tal_rigid_motion motion[2 * BODIES + 1];
    static tal_batch two[2];
    static tal_batch_point point[2 * TAL_BATCH_POINTS_MAX];
    static tal_batch_percussion percussion[2 * TAL_BATCH_POINTS_MAX];
    for (int n = 0; n < 2; n++) {
        four_pairs_make(&pairs[n], 4 + (uint64_t)n, run, point_count);
        four_pairs_batch(&pairs[n], n == 0 ? PAIRS : 1 + (int)(run % PAIRS), &b[n]);
        two[n] = b[n].batch;
        two[n].first_point = n * TAL_BATCH_POINTS_MAX;
        for (int lane = 0; lane < TAL_LANES; lane++) {
            int32_t *body[2] = {&two[n].body_i[lane], &two[n].body_j[lane]};
            for (int side = 0; side < 2; side++) {
                *body[side] += *body[side] == BODIES ? BODIES : n * BODIES; // one ground for all
            }
        }
        memcpy(&motion[n * BODIES], pairs[n].motion, BODIES * sizeof *motion);
        memcpy(&point[two[n].first_point], b[n].point, sizeof b[n].point);
        memcpy(&percussion[two[n].first_point], b[n].percussion, sizeof b[n].percussion);
    }
    for (int sweep = 0; sweep < 6; sweep++) {
        const double beta = sweep % 2 == 0 ? 0.0 : 0.5;
        kernel->visit_two(two, point, percussion, motion, beta);
        for (int n = 0; n < 2; n++) {
            kernel->visit(&b[n].batch, b[n].point, b[n].percussion, pairs[n].motion, beta);
            assert_memory_equal(&two[n].energy, &b[n].batch.energy, sizeof(double));
        }
    }
    for (int n = 0; n < 2; n++) {
        assert_memory_equal(&motion[n * BODIES], pairs[n].motion, BODIES * sizeof *motion);
        assert_memory_equal(&percussion[two[n].first_point], b[n].percussion,
                            (size_t)point_count * sizeof *percussion);
    }
}

static void two_batches_at_once_have_the_bits_of_one_after_the_other(void **unused) {
    (void)unused;
    for (uint32_t run = 0; run < 200; run++) {
        const int32_t point_count = 1 + (int32_t)(run % TAL_BATCH_POINTS_MAX);
        check_visits_of_two(&tal_batch_kernel_plain, point_count, run);
        check_visits_of_two(tal_batch_kernel_best(), point_count, run);
    }
}

// beta * direction is gone, the change of the last sweep is the new direction.
static void sweeps_go_on_along_the_last_direction(void **unused) {
    (void)unused;
    static four_pairs s;
    static four_batched b, still;
    const double beta = 0.75;
    four_pairs_make(&s, 2, 0, 0);
    four_pairs_batch(&s, PAIRS, &b);
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
    static four_pairs s;
    static four_batched b;
    for (uint32_t run = 0; run < 200; run++) {
        double error[POINTS];
        four_pairs_make(&s, 3, run, 0);
        four_pairs_batch(&s, PAIRS, &b);
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

// What the pushes of a pair do to one of its bodies.
static tal_rigid_motion displacement_by(const four_pairs *s, const tal_pair *pair, int side,
                                        const double *push) {
    const int32_t body = side == 0 ? pair->body_i : pair->body_j;
    const tal_inertia *inertia = &s->inertia[body];
    tal_rigid_motion sum = {0};
    for (int32_t k = 0; k < pair->contact_count; k++) {
        const tal_contact *c = &s->contact[pair->first_contact + k];
        const tal_vec3 p = tal_vec3_scale(pair->normal, side == 0 ? push[k] : -push[k]);
        const tal_vec3 arm = tal_arm(side == 0 ? c->arm_i : c->arm_j);
        sum.v = tal_vec3_add_scaled(sum.v, inertia->inverse_mass, p);
        sum.w = tal_vec3_add(sum.w, tal_apply_inertia(inertia, tal_vec3_cross(arm, p)));
    }
    return sum;
}

// Equation (50): pushes alone displace, nothing pulls, all open as far as asked, and none that is pushed further.
static void check_opened(const four_pairs *s, const tal_batch_opening *opening,
                         const tal_rigid_motion *displacement) {
    for (int lane = 0; lane < PAIRS; lane++) {
        const tal_pair *pair = &s->pair[lane];
        double push[TAL_BATCH_POINTS_MAX];
        for (int32_t k = 0; k < pair->contact_count; k++) {
            push[k] = opening[k].push[lane];
        }
        tal_rigid_motion of[2];
        for (int side = 0; side < 2; side++) {
            const int32_t body = side == 0 ? pair->body_i : pair->body_j;
            of[side] = displacement_by(s, pair, side, push);
            if (s->inertia[body].inverse_mass > 0.0) {
                const tal_rigid_motion *is = &displacement[body];
                assert_true(tal_vec3_length(tal_vec3_subtract(is->v, of[side].v)) < 1e-12);
                assert_true(tal_vec3_length(tal_vec3_subtract(is->w, of[side].w)) < 1e-12);
            }
        }
        for (int32_t k = 0; k < pair->contact_count; k++) {
            const tal_contact *c = &s->contact[pair->first_contact + k];
            const tal_vec3 i = tal_vec3_add(of[0].v, tal_vec3_cross(of[0].w, tal_arm(c->arm_i)));
            const tal_vec3 j = tal_vec3_add(of[1].v, tal_vec3_cross(of[1].w, tal_arm(c->arm_j)));
            const double beyond =
                tal_vec3_dot(pair->normal, tal_vec3_subtract(i, j)) - opening[k].wanted[lane];
            assert_true(push[k] >= 0.0 && beyond > -1e-6);
            assert_true(push[k] == 0.0 || beyond < 1e-6);
        }
    }
}

static void corrections_open_as_far_as_asked(void **unused) {
    (void)unused;
    static four_pairs s;
    static four_batched b;
    int pushed = 0, left = 0;
    for (uint32_t run = 0; run < 200; run++) {
        tal_batch_opening opening[2][TAL_BATCH_POINTS_MAX] = {0};
        tal_rigid_motion displacement[2][BODIES + 1] = {0};
        const tal_batch_kernel *kernel[2] = {&tal_batch_kernel_plain, tal_batch_kernel_best()};
        double moved[2][TAL_LANES];
        four_pairs_make(&s, 4, run, 0);
        four_pairs_batch(&s, PAIRS, &b);
        for (int32_t k = 0; k < b.batch.point_count; k++) {
            for (int lane = 0; lane < TAL_LANES; lane++) {
                opening[0][k].wanted[lane] = opening[1][k].wanted[lane] =
                    0.01 * sin(7.0 * run + 3.0 * k + lane);
            }
        }
        for (int n = 0; n < 2; n++) {
            for (int sweep = 0; sweep < 4000; sweep++) {
                kernel[n]->open(&b.batch, b.point, opening[n], displacement[n], moved[n]);
            }
        }
        assert_memory_equal(opening[0], opening[1], sizeof opening[0]);
        assert_memory_equal(displacement[0], displacement[1], sizeof displacement[0]);
        check_opened(&s, opening[0], displacement[0]);
        for (int32_t k = 0; k < b.batch.point_count; k++) {
            pushed += opening[0][k].push[0] > 0.0;
            left += opening[0][k].push[0] == 0.0;
        }
    }
    assert_true(pushed > 50 && left > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_have_the_bits_of_single_pairs),
        cmocka_unit_test(two_batches_at_once_have_the_bits_of_one_after_the_other),
        cmocka_unit_test(sweeps_go_on_along_the_last_direction),
        cmocka_unit_test(residuals_have_the_bits_of_single_pairs),
        cmocka_unit_test(corrections_open_as_far_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
