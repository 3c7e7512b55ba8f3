// SPDX-License-Identifier: GPL-3.0-or-later
// Batches against the kernel for one pair: the same numbers to single precision, whatever the number of points in
// each lane, and whether points are open, hold or slide; and the same bits, whatever the width.
#include "solver/law/slide.h"
#include "solver/percussion/rigid_kernel.h"
#include "tests/solver/scenes/lane_pairs.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

// Single precision has 24 bits, 6e-8, and what points do to each other makes more of it. Of slides, a visit finds
// only TAL_SLIDE_ACCURACY, and one kernel may stop a trial before the other.
static const double PRECISION = 1e-5, SLIDE_PRECISION = 3.0 * TAL_SLIDE_ACCURACY;

static void assert_near(const lane_pairs *one, const lane_pairs *other) {
    for (int32_t k = 0; k < POINTS; k++) {
        for (int f = 0; f < 3; f++) {
            check_near(one->contact[k].percussion[f], other->contact[k].percussion[f],
                       SLIDE_PRECISION);
        }
    }
    for (int32_t b = 0; b < BODIES; b++) {
        const tal_rigid_motion *m = &one->motion[b], *n = &other->motion[b];
        assert_true(tal_vec3_length(tal_vec3_subtract(m->v, n->v)) < SLIDE_PRECISION);
        assert_true(tal_vec3_length(tal_vec3_subtract(m->w, n->w)) < 5.0 * SLIDE_PRECISION);
    }
}

// What states the points were seen in, so that the test knows that it tests all.
typedef struct {
    int open, held, slid;
} seen;

static void count_states(const lane_pairs *s, seen *n) {
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

// Motions and percussions in other units of mass or of time.
static void scale(lane_pairs *s, double mass, double velocity) {
    for (int32_t b = 0; b < BODIES; b++) {
        s->motion[b].v = tal_vec3_scale(s->motion[b].v, velocity);
        s->motion[b].w = tal_vec3_scale(s->motion[b].w, velocity);
        s->inertia[b].inverse_mass /= mass;
        for (int f = 0; f < 6; f++) {
            s->inertia[b].inverse_inertia[f] /= mass;
        }
    }
    for (int32_t k = 0; k < POINTS; k++) {
        tal_contact *c = &s->contact[k];
        c->bound *= velocity;
        c->inverse_normal *= mass;
        c->lambda /= mass;
        for (int f = 0; f < 6; f++) {
            c->w[f] /= mass;
        }
        for (int f = 0; f < 3; f++) {
            c->percussion[f] *= mass * velocity;
        }
    }
    for (int32_t p = 0; p < PAIRS; p++) {
        s->pair[p].energy_scale *= mass * velocity * velocity;
    }
}

static void check_visits(const tal_batch_kernel *kernel) {
    static lane_pairs one, other;
    static lane_batched b;
    seen n = {0};
    for (uint32_t run = 0; run < 500; run++) {
        const int lanes = 1 + (int)(run % PAIRS);
        lane_pairs_make(&one, 1, run, 0);
        memcpy(&other, &one, sizeof one);
        other.problem.motion = other.motion;
        lane_pairs_batch(&one, lanes, &b);
        for (int sweep = 0; sweep < 6; sweep++) {
            for (int p = 0; p < lanes; p++) {
                tal_percussion_problem problem = other.problem;
                problem.contact = other.contact;
                tal_rigid_visit(&problem, &other.pair[p]);
            }
            kernel->visit(&b.batch, b.point, b.percussion, b.course, b.motion, 0.0);
        }
        lane_pairs_take(&one, &b);
        assert_near(&one, &other);
        count_states(&one, &n);
    }
    assert_true(n.open > 1000 && n.held > 1000 && n.slid > 1000);
}

static void visits_do_what_those_of_single_pairs_do(void **unused) {
    (void)unused;
    check_visits(&tal_batch_kernel_plain);
    check_visits(tal_batch_kernel_best());
}

static void visit_some(const tal_batch_kernel *kernel, lane_pairs *s) {
    static lane_batched b;
    lane_pairs_batch(s, PAIRS, &b);
    for (int sweep = 0; sweep < 6; sweep++) {
        kernel->visit(&b.batch, b.point, b.percussion, b.course, b.motion,
                      sweep % 2 == 0 ? 0.0 : 0.5);
    }
    lane_pairs_take(s, &b);
}

static void all_widths_have_the_same_bits(void **unused) {
    (void)unused;
    static lane_pairs one, other;
    for (uint32_t run = 0; run < 200; run++) {
        lane_pairs_make(&one, 5, run, 0);
        lane_pairs_make(&other, 5, run, 0);
        visit_some(&tal_batch_kernel_plain, &one);
        visit_some(tal_batch_kernel_best(), &other);
        assert_memory_equal(one.motion, other.motion, sizeof one.motion);
        for (int32_t k = 0; k < POINTS; k++) {
            assert_memory_equal(one.contact[k].percussion, other.contact[k].percussion,
                                sizeof one.contact[k].percussion);
        }
    }
}

// Pebbles and mountains: a power of two as the unit of mass changes no bit of a velocity. What is so slow that
// products of its percussions are no numbers stays finite.
static void bodies_may_weigh_and_move_as_they_like(void **unused) {
    (void)unused;
    static lane_pairs one, other;
    const double mass[] = {0x1p-60, 0x1p60};
    for (uint32_t run = 0; run < 200; run++) {
        lane_pairs_make(&one, 6, run, 0);
        lane_pairs_make(&other, 6, run, 0);
        scale(&other, mass[run % 2], 1.0);
        visit_some(tal_batch_kernel_best(), &one);
        visit_some(tal_batch_kernel_best(), &other);
        assert_memory_equal(one.motion, other.motion, sizeof one.motion);
        scale(&other, 1.0, 0x1p-100);
        visit_some(tal_batch_kernel_best(), &other);
        for (int32_t k = 0; k < POINTS; k++) {
            assert_true(isfinite(other.contact[k].percussion[0]));
            assert_true(isfinite(other.contact[k].percussion[1]));
        }
        for (int32_t b = 0; b < BODIES; b++) {
            assert_true(isfinite(tal_vec3_length(other.motion[b].v)));
        }
    }
}

// Two batches of other bodies, visited together and one after the other.
static void check_visits_of_two(const tal_batch_kernel *kernel, int32_t point_count, uint32_t run) {
    static lane_pairs pairs[2];
    static lane_batched b[2];
    static tal_lane_motion motion[2 * BODIES + 1];
    static tal_batch two[2];
    static tal_batch_point point[2 * TAL_BATCH_POINTS_MAX];
    static tal_batch_percussion percussion[2 * TAL_BATCH_POINTS_MAX];
    static tal_batch_course course[2 * TAL_BATCH_POINTS_MAX];
    for (int n = 0; n < 2; n++) {
        lane_pairs_make(&pairs[n], 4 + (uint64_t)n, run, point_count);
        lane_pairs_batch(&pairs[n], n == 0 ? PAIRS : 1 + (int)(run % PAIRS), &b[n]);
        two[n] = b[n].batch;
        two[n].first_point = n * TAL_BATCH_POINTS_MAX;
        for (int lane = 0; lane < TAL_LANES; lane++) {
            int32_t *body[2] = {&two[n].body_i[lane], &two[n].body_j[lane]};
            for (int side = 0; side < 2; side++) {
                *body[side] += *body[side] == BODIES ? BODIES : n * BODIES; // one ground for all
            }
        }
        memcpy(&motion[n * BODIES], b[n].motion, BODIES * sizeof *motion);
        memcpy(&point[two[n].first_point], b[n].point, sizeof b[n].point);
        memcpy(&percussion[two[n].first_point], b[n].percussion, sizeof b[n].percussion);
        memcpy(&course[two[n].first_point], b[n].course, sizeof b[n].course);
    }
    for (int sweep = 0; sweep < 6; sweep++) {
        const double beta = sweep % 2 == 0 ? 0.0 : 0.5;
        kernel->visit_two(two, point, percussion, course, motion, beta);
        for (int n = 0; n < 2; n++) {
            kernel->visit(&b[n].batch, b[n].point, b[n].percussion, b[n].course, b[n].motion, beta);
            assert_memory_equal(&two[n].energy, &b[n].batch.energy, sizeof(double));
        }
    }
    for (int n = 0; n < 2; n++) {
        assert_memory_equal(&motion[n * BODIES], b[n].motion, BODIES * sizeof *motion);
        assert_memory_equal(&percussion[two[n].first_point], b[n].percussion,
                            (size_t)point_count * sizeof *percussion);
        assert_memory_equal(&course[two[n].first_point], b[n].course,
                            (size_t)point_count * sizeof *course);
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

// Two visits that differ only in how far they go on by themselves: one by its beta, the other ahead of the visit.
static void sweeps_go_on_by_what_changed_last(void **unused) {
    (void)unused;
    static lane_pairs s;
    static lane_batched b, ahead, swept;
    const tal_batch_kernel *kernel = tal_batch_kernel_best();
    const float beta = 0.75f;
    bool any = false;
    lane_pairs_make(&s, 2, 0, 0);
    lane_pairs_batch(&s, PAIRS, &b);
    kernel->visit(&b.batch, b.point, b.percussion, b.course, b.motion, 0.0); // no last yet
    kernel->visit(&b.batch, b.point, b.percussion, b.course, b.motion, 0.0);
    ahead = swept = b;
    tal_batch_go_on(&ahead.batch, ahead.percussion, ahead.course, (double)beta);
    for (int32_t k = 0; k < b.batch.point_count; k++) {
        for (int f = 0; f < 3; f++) {
            const tal_lanes now = b.percussion[k].percussion[f], last = b.course[k].last[f];
            for (int lane = 0; lane < TAL_LANES; lane++) {
                const float step = beta * (now[lane] - last[lane]);
                any = any || step != 0.0f;
                assert_true(ahead.percussion[k].percussion[f][lane] == now[lane] + step);
            }
        }
    }
    assert_true(any);
    kernel->visit(&b.batch, b.point, b.percussion, b.course, b.motion, (double)beta);
    kernel->visit(&ahead.batch, ahead.point, ahead.percussion, ahead.course, ahead.motion, 0.0);
    assert_memory_equal(b.percussion, ahead.percussion, sizeof b.percussion);
    assert_memory_equal(b.motion, ahead.motion, sizeof b.motion);
    assert_true(b.batch.energy == ahead.batch.energy);
    for (int32_t k = 0; k < b.batch.point_count; k++) {
        assert_memory_equal(b.course[k].last, swept.percussion[k].percussion,
                            sizeof b.course[k].last);
    }
}

static void check_residual(const tal_batch_kernel *kernel) {
    static lane_pairs s;
    static lane_batched b;
    for (uint32_t run = 0; run < 200; run++) {
        double error[POINTS];
        lane_pairs_make(&s, 3, run, 0);
        lane_pairs_batch(&s, PAIRS, &b);
        kernel->residual(&b.batch, b.point, b.percussion, b.motion, error);
        for (int32_t p = 0; p < PAIRS; p++) {
            for (int32_t n = 0; n < s.pair[p].contact_count; n++) {
                const tal_contact *c = &s.contact[s.pair[p].first_contact + n];
                const double weight = tal_mean_inverse_mass(c);
                double v[3], e[3];
                tal_contact_velocity(&s.problem, &s.pair[p], s.pair[p].first_contact + n, v);
                tal_law_residual(c, v, 1.0 / weight, e);
                const double square = weight * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
                check_near(sqrt(error[s.pair[p].first_contact + n]),
                           sqrt(square / s.pair[p].energy_scale), PRECISION);
            }
        }
    }
}

static void residuals_are_those_of_single_pairs(void **unused) {
    (void)unused;
    check_residual(&tal_batch_kernel_plain);
    check_residual(tal_batch_kernel_best());
}

// What the pushes of a pair do to one of its bodies.
static tal_rigid_motion displacement_by(const lane_pairs *s, const tal_pair *pair, int side,
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
static void check_opened(const lane_pairs *s, const tal_batch *batch,
                         const tal_batch_opening *opening, const tal_rigid_motion *displacement) {
    for (int lane = 0; lane < PAIRS; lane++) {
        const tal_pair *pair = &s->pair[lane];
        double push[TAL_BATCH_POINTS_MAX];
        for (int32_t k = 0; k < pair->contact_count; k++) {
            push[k] = (double)opening[k].push[lane] * (double)batch->mass[lane];
        }
        tal_rigid_motion of[2];
        for (int side = 0; side < 2; side++) {
            const int32_t body = side == 0 ? pair->body_i : pair->body_j;
            of[side] = displacement_by(s, pair, side, push);
            if (s->inertia[body].inverse_mass > 0.0) {
                const tal_rigid_motion *is = &displacement[body];
                assert_true(tal_vec3_length(tal_vec3_subtract(is->v, of[side].v)) < 1e-5);
                assert_true(tal_vec3_length(tal_vec3_subtract(is->w, of[side].w)) < 1e-5);
            }
        }
        for (int32_t k = 0; k < pair->contact_count; k++) {
            const tal_contact *c = &s->contact[pair->first_contact + k];
            const tal_vec3 i = tal_vec3_add(of[0].v, tal_vec3_cross(of[0].w, tal_arm(c->arm_i)));
            const tal_vec3 j = tal_vec3_add(of[1].v, tal_vec3_cross(of[1].w, tal_arm(c->arm_j)));
            const double beyond = tal_vec3_dot(pair->normal, tal_vec3_subtract(i, j)) -
                                  (double)opening[k].wanted[lane];
            assert_true(push[k] >= 0.0 && beyond > -1e-5);
            assert_true(push[k] == 0.0 || beyond < 1e-5);
        }
    }
}

static void corrections_open_as_far_as_asked(void **unused) {
    (void)unused;
    static lane_pairs s;
    static lane_batched b;
    int pushed = 0, left = 0;
    for (uint32_t run = 0; run < 200; run++) {
        tal_batch_opening opening[2][TAL_BATCH_POINTS_MAX] = {0};
        tal_rigid_motion displacement[2][BODIES + 1] = {0};
        const tal_batch_kernel *kernel[2] = {&tal_batch_kernel_plain, tal_batch_kernel_best()};
        double moved[2][TAL_LANES];
        lane_pairs_make(&s, 4, run, 0);
        lane_pairs_batch(&s, PAIRS, &b);
        for (int32_t k = 0; k < b.batch.point_count; k++) {
            for (int lane = 0; lane < TAL_LANES; lane++) {
                opening[0][k].wanted[lane] = opening[1][k].wanted[lane] =
                    0.01f * sinf(7.0f * (float)run + 3.0f * (float)k + (float)lane);
            }
        }
        for (int n = 0; n < 2; n++) {
            for (int sweep = 0; sweep < 4000; sweep++) {
                kernel[n]->open(&b.batch, b.point, opening[n], displacement[n], moved[n]);
            }
        }
        assert_memory_equal(opening[0], opening[1], sizeof opening[0]);
        assert_memory_equal(displacement[0], displacement[1], sizeof displacement[0]);
        check_opened(&s, &b.batch, opening[0], displacement[0]);
        for (int32_t k = 0; k < b.batch.point_count; k++) {
            pushed += opening[0][k].push[0] > 0.0f;
            left += opening[0][k].push[0] == 0.0f;
        }
    }
    assert_true(pushed > 50 && left > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_do_what_those_of_single_pairs_do),
        cmocka_unit_test(all_widths_have_the_same_bits),
        cmocka_unit_test(bodies_may_weigh_and_move_as_they_like),
        cmocka_unit_test(two_batches_at_once_have_the_bits_of_one_after_the_other),
        cmocka_unit_test(sweeps_go_on_by_what_changed_last),
        cmocka_unit_test(residuals_are_those_of_single_pairs),
        cmocka_unit_test(corrections_open_as_far_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
