// SPDX-License-Identifier: GPL-3.0-or-later
// The checks of whole structures that debug and sanitizer builds make at the borders of a step: each
// thing that they promise is broken once and must be found.
#include "solver/percussion/contact_solver.h"
#include "solver/percussion/memory.h"
#include "tests/support/check.h"

enum { BODIES = 4, PAIRS = 4, CONTACTS = 6, COLORS = 3 };

// Bodies 0, 1 and 2 are one island: 0 on the ground and 1 on 2 (first color), 0 on 1 (second color). Body
// 3 on the ground is the other.
typedef struct {
    tal_inertia inertia[BODIES + 1];
    tal_pair pair[PAIRS + 1];
    tal_contact contact[CONTACTS];
    tal_island island[2];
    int32_t color_end[COLORS];
    tal_percussion_problem problem;
} whole;

static void make_whole(whole *w) {
    static const int32_t body[PAIRS][2] = {{0, BODIES}, {1, 2}, {0, 1}, {3, BODIES}};
    static const int32_t count[PAIRS] = {2, 1, 2, 1};
    *w = (whole){0};
    for (int b = 0; b < BODIES; b++) {
        w->inertia[b].inverse_mass = 1.0;
    }
    int32_t next = 0;
    for (int p = 0; p < PAIRS; p++) {
        w->pair[p] = (tal_pair){.body_i = body[p][0],
                                .body_j = body[p][1],
                                .first_contact = next,
                                .contact_count = count[p],
                                .island = p == PAIRS - 1};
        next += count[p];
    }
    assert_int_equal(next, CONTACTS);
    for (int k = 0; k < CONTACTS; k++) {
        w->contact[k].w[0] = w->contact[k].w[3] = w->contact[k].w[5] = 1.0;
    }
    w->color_end[0] = 2;
    w->color_end[1] = 3;
    w->color_end[2] = 4;
    w->island[0] =
        (tal_island){.first_pair = 0, .pair_count = 3, .first_color = 0, .color_count = 2};
    w->island[1] =
        (tal_island){.first_pair = 3, .pair_count = 1, .first_color = 2, .color_count = 1};
    w->problem = (tal_percussion_problem){.body_count = BODIES,
                                          .inertia = w->inertia,
                                          .pair_count = PAIRS,
                                          .pair = w->pair,
                                          .contact_count = CONTACTS,
                                          .contact = w->contact,
                                          .island_count = 2,
                                          .island = w->island,
                                          .color_end = w->color_end};
}

static bool is_valid(const whole *w) {
    int32_t scratch[BODIES];
    return tal_problem_is_valid(&w->problem, scratch);
}

static void break_problem(whole *w, int fault) {
    tal_pair *pair = &w->pair[2]; // 0 on 1
    switch (fault) {
    case 0:
        pair->body_i = -1;
        return;
    case 1:
        pair->body_i = BODIES;
        return;
    case 2:
        pair->body_j = -1;
        return;
    case 3:
        pair->body_j = BODIES + 1;
        return;
    case 4:
        pair->first_contact++;
        return;
    case 5:
        w->pair[0].first_contact = 1;
        return;
    case 6:
        w->pair[3].contact_count = 0;
        return;
    case 7:
        pair->island = 1;
        return;
    case 8:
        w->inertia[3].inverse_mass = 0.0;
        return; // neither it nor the ground moves
    case 9:
        w->contact[4].w[0] = 0.0;
        return;
    case 10:
        w->contact[4].w[3] = -1.0;
        return;
    case 11:
        w->contact[4].w[5] = NAN;
        return;
    case 12:
        w->contact[5].percussion[0] = INFINITY;
        return;
    case 13:
        w->contact[5].percussion[1] = NAN;
        return;
    case 14:
        w->contact[5].percussion[2] = NAN;
        return;
    case 15:
        pair->is_general = 1;
        return;
    case 16:
        w->pair[1].body_i = 0;
        return; // shares body 0 within the first color
    case 17:
        w->pair[1].body_j = 0;
        return;
    case 18:
        w->island[0].first_pair = 1;
        return;
    case 19:
        w->island[1].first_pair = 2;
        return;
    case 20:
        w->island[0].pair_count = 2;
        return;
    case 21:
        w->color_end[1] = 2;
        return;
    case 22:
        w->problem.pair_count = 3;
        return;
    default:
        w->problem.island_count = 1;
        return;
    }
}

static void a_broken_contact_problem_is_found(void **unused) {
    (void)unused;
    whole w;
    make_whole(&w);
    assert_true(is_valid(&w));
    for (int fault = 0; fault <= 23; fault++) {
        make_whole(&w);
        break_problem(&w, fault);
        if (is_valid(&w)) {
            fail_msg("fault %d is not found", fault);
        }
    }
}

// One color after the other: a body may return in the next one. Only a last color that is swept by one
// thread may use a body twice.
static void a_serial_color_may_share_bodies(void **unused) {
    (void)unused;
    whole w;
    make_whole(&w);
    w.color_end[0] = 1; // pairs 1 - 2 and 0 - 1 in one color
    assert_false(is_valid(&w));
    w.island[0].last_color_is_serial = true;
    assert_true(is_valid(&w));
    w.color_end[0] = 2; // pairs 0 - ground and 1 - 2, then 0 - 1: nothing is shared
    assert_true(is_valid(&w));
    w.pair[1].body_i = 0; // the first color is not the serial one
    assert_false(is_valid(&w));
}

enum { REMEMBERED = 4, POINTS = 7 };

typedef struct {
    tal_memory_pair pair[REMEMBERED];
    tal_memory_point point[POINTS];
    tal_contact_memory memory;
} remembered;

static void make_memory(remembered *r) {
    *r = (remembered){.pair = {{.body_i = 0, .body_j = -1, .first_point = 0, .point_count = 3},
                               {.body_i = 0, .body_j = 2, .first_point = 3, .point_count = 1},
                               {.body_i = 1, .body_j = -1, .first_point = 4, .point_count = 2},
                               {.body_i = 1, .body_j = -1, .first_point = 6, .point_count = 1}}};
    r->point[1].bonded = 1.0;
    r->memory = (tal_contact_memory){.pair_count = REMEMBERED,
                                     .pair_capacity = REMEMBERED,
                                     .point_count = POINTS,
                                     .point_capacity = POINTS,
                                     .pair = r->pair,
                                     .point = r->point};
}

static void break_memory(remembered *r, int fault) {
    switch (fault) {
    case 0:
        r->pair[2].body_i = -1;
        return;
    case 1:
        r->pair[1].body_j = -2;
        return;
    case 2:
        r->pair[0].first_point = 1;
        return;
    case 3:
        r->pair[2].first_point = 5;
        return;
    case 4:
        r->pair[3].point_count = 0;
        return;
    case 5:
        r->point[6].normal = NAN;
        return;
    case 6:
        r->point[0].tangential.y = INFINITY;
        return;
    case 7:
        r->point[2].bonded = -0.5;
        return;
    case 8:
        r->point[2].bonded = 1.5;
        return;
    case 9:
        r->point[2].bonded = NAN;
        return;
    case 10:
        r->memory.pair_capacity--;
        return;
    case 11:
        r->memory.point_capacity--;
        return;
    default:
        r->memory.dt = -1.0;
        return;
    }
}

static void a_broken_memory_is_found(void **unused) {
    (void)unused;
    remembered r;
    make_memory(&r);
    assert_true(tal_memory_is_valid(&r.memory));
    for (int fault = 0; fault <= 12; fault++) {
        make_memory(&r);
        break_memory(&r, fault);
        if (tal_memory_is_valid(&r.memory)) {
            fail_msg("fault %d is not found", fault);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_contact_problem_is_found),
        cmocka_unit_test(a_serial_color_may_share_bodies),
        cmocka_unit_test(a_broken_memory_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
