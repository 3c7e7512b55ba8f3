// SPDX-License-Identifier: GPL-3.0-or-later
// Contacts that join a problem which is set up and partly solved: what was there stays bit for bit, what joins is
// what a set-up from the start would make of it, and the solution is that of the whole.
#include "solver/percussion/extend.h"

#include "solver/motion/integrate.h"
#include "solver/percussion/contact.h"
#include "solver/percussion/sweep_set.h"
#include "tests/solver/scenes/world.h"

#include <string.h>

enum { COLUMNS = 7, LAYERS = 5, STEPS = 3 };
static const double DT = 0.01;
static double goal_tolerance = 1e-5;
static const tal_quat UPRIGHT = {1, 0, 0, 0};
static const uint64_t ADDED = UINT64_C(1) << 62;

// A wall of boxes in layers that lie across each other, large enough for batches, between a column and a box: three
// islands.
static void build(world *w) {
    world_init(w, DT, law_coulomb(0.5, 0.0));
    w->scene.settings.tolerance = 1e-5;
    test_scene_set_plane(&w->scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    for (int n = 0; n < 3; n++) {
        test_scene_add_box(&w->scene, 1, 1, 1, tal_vec3_make(-20, 0, 0.5 + n), UPRIGHT, 2000.0);
    }
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int n = 0; n < COLUMNS; n++) {
            const tal_vec3 at = {1.01 * n + 0.5 * (layer % 2), 0, 0.5 + layer};
            test_scene_add_box(&w->scene, 1, 1, 1, at, UPRIGHT, 2000.0 + 100.0 * n);
        }
    }
    test_scene_add_box(&w->scene, 1, 1, 1, tal_vec3_make(20, 0, 0.5), UPRIGHT, 2000.0);
    world_start(w);
    for (int32_t b = 0; b < w->state->body_count; b++) {
        w->state->velocity[b].x = 0.1 * (b % 5);
    }
    for (int n = 0; n < STEPS; n++) {
        world_step(w);
    }
}

static void copy_manifold(const tal_manifolds *from, int32_t m, tal_manifolds *to, int32_t was) {
    tal_manifold copy = from->manifold[m];
    const int32_t first = copy.first_point;
    copy.was = was;
    copy.first_point = to->point_count;
    to->manifold[to->manifold_count++] = copy;
    for (int32_t k = first; k < first + copy.point_count; k++) {
        to->point[to->point_count++] = from->point[k];
    }
}

// As a look ahead leaves it: every `every`-th manifold has a second one of the same bodies behind it.
static void add(tal_state *state, int32_t every) {
    const tal_manifolds *list = &state->work.list;
    tal_manifolds *added = &state->work.list_added;
    static tal_error err;
    assert_int_equal(tal_manifolds_reserve(added, list->manifold_count, list->point_count, &err),
                     TAL_OK);
    added->manifold_count = added->point_count = 0;
    for (int32_t m = 0; m < list->manifold_count; m += every) {
        copy_manifold(list, m, added, m + 1);
    }
    for (int32_t k = 0; k < added->point_count; k++) {
        added->point[k].identity |= ADDED;
    }
}

static void prepare(world *w) {
    static tal_error err;
    static tal_report report;
    assert_int_equal(tal_prepare_contacts(w->model, w->state, DT, &report, &err), TAL_OK);
    tal_advance_free_velocity(w->model, w->state, DT);
    tal_set_energy_scales(&w->state->work.problem, 0.05);
    tal_warm_start(&w->state->work.problem);
}

static void solve(world *w) {
    tal_solver_result result;
    const tal_solver_goal goal = {.tolerance = goal_tolerance, .sweeps_min = 3, .sweeps_max = 5000};
    tal_solve_percussions(&w->state->work.problem, &w->state->work.contacts.work, NULL, &goal,
                          &result);
    w->state->work.contacts.work.batches.are_filled = true;
    assert_int_equal(result.unconverged_count, 0);
}

static void extend(world *w) {
    static tal_error err;
    static tal_report report;
    assert_true(tal_can_extend_contacts(w->model, w->state));
    assert_int_equal(tal_extend_contacts(w->model, w->state, DT, 0.05, &report, &err), TAL_OK);
}

static const tal_pair *pair_of(const world *w, int32_t m) {
    return &w->state->work.problem.pair[w->state->work.contacts.pair_of_manifold[m]];
}

// Each added manifold against the one in front of it, of which it is a copy.
static void check_added(const world *w, int32_t m) {
    const tal_pair *pair = pair_of(w, m), *twin = pair_of(w, m - 1);
    const tal_island *island = &w->state->work.island[pair->island];
    assert_int_equal(pair->island, twin->island);
    const int32_t first_added =
        island->first_color + island->color_count - island->added_color_count;
    assert_true(pair - w->state->work.problem.pair >=
                w->state->work.problem.color_end[first_added - 1]);
    assert_true(twin - w->state->work.problem.pair <
                w->state->work.problem.color_end[first_added - 1]);
    assert_false(island->last_color_is_serial);
    assert_true(pair->energy_scale == twin->energy_scale);
    for (int32_t n = 0; n < pair->contact_count; n++) {
        const tal_contact *c = &w->state->work.problem.contact[pair->first_contact + n];
        const tal_contact *of_twin = &w->state->work.problem.contact[twin->first_contact + n];
        assert_memory_equal(c->w, of_twin->w, sizeof c->w);
        assert_memory_equal(c->arm_i, of_twin->arm_i, sizeof c->arm_i);
        assert_true(c->bound == of_twin->bound && c->friction == of_twin->friction);
        assert_true(c->percussion[0] == 0.0 && c->percussion[1] == 0.0 && c->percussion[2] == 0.0);
    }
}

typedef struct {
    tal_pair pair;
    tal_contact contact[TAL_MANIFOLD_POINTS_MAX];
    tal_law_more more[TAL_MANIFOLD_POINTS_MAX];
} kept;

// Every third contact gets something of its own beyond dry friction, without an effect.
static void give_more(const tal_state *state) {
    const tal_contacts *set = &state->work.contacts;
    for (int32_t k = 0; k < state->work.problem.contact_count; k += 3) {
        set->more[k] = tal_nothing_more;
        set->more[k].pull = k;
        set->contact[k].more = &set->more[k];
    }
}

static void keep(const world *w, int32_t m, kept *to) {
    to->pair = *pair_of(w, m);
    for (int32_t n = 0; n < to->pair.contact_count; n++) {
        const int32_t k = to->pair.first_contact + n;
        to->contact[n] = w->state->work.problem.contact[k];
        to->more[n] = *to->contact[n].more;
        assert_true(to->contact[n].more == &tal_nothing_more ||
                    to->contact[n].more == &w->state->work.contacts.more[k]);
        to->contact[n].more = NULL; // it may move
    }
}

static void what_was_there_stays_and_what_joins_is_set_up(void **unused) {
    (void)unused;
    static kept before[512];
    world w;
    build(&w);
    prepare(&w);
    solve(&w);
    give_more(w.state);
    const int32_t count = w.state->work.list.manifold_count;
    assert_in_range(count, 40, 512);
    for (int32_t m = 0; m < count; m++) {
        keep(&w, m, &before[m]);
    }
    add(w.state, 9);
    extend(&w);
    const tal_manifolds *list = &w.state->work.list;
    assert_true(tal_problem_is_valid(&w.state->work.problem, w.state->work.island_parent));
    assert_int_equal(w.state->work.problem.pair_count, list->manifold_count);
    assert_int_equal(w.state->work.problem.contact_count, list->point_count);
    int added = 0;
    for (int32_t m = 0; m < list->manifold_count; m++) {
        if (list->manifold[m].was < 0) {
            check_added(&w, m);
            added++;
            continue;
        }
        kept now;
        keep(&w, m, &now);
        const kept *was = &before[list->manifold[m].was];
        const size_t points = (size_t)now.pair.contact_count;
        assert_true(now.pair.body_i == was->pair.body_i && now.pair.body_j == was->pair.body_j);
        assert_memory_equal(now.contact, was->contact, points * sizeof *now.contact);
        assert_memory_equal(now.more, was->more, points * sizeof *now.more);
    }
    assert_int_equal(added, (count + 8) / 9);
    world_end(&w);
}

// Every second box that others stand on lies on nothing in the list, and on the ground with what is added, as if a look
// had seen that. The first of them is in the column, so that the islands behind it move.
static void take_apart(tal_state *state) {
    tal_manifolds *list = &state->work.list, *added = &state->work.list_added;
    const int32_t count = list->manifold_count;
    add(state, 1); // for the room
    added->manifold_count = added->point_count = 0;
    list->manifold_count = list->point_count = 0;
    for (int32_t m = 0; m < count; m++) {
        const tal_manifold *of = &list->manifold[m];
        const bool is_added =
            of->body_j < 0 && of->body_i % 2 == 0 && of->body_i + 1 < state->body_count;
        copy_manifold(list, m, is_added ? added : list, list->manifold_count);
    }
}

// One by one in double precision, and in batches, which what joins has of its own.
static void check_solution(double tolerance, double error) {
    static tal_rigid_motion part[64], extended[64];
    world w;
    build(&w);
    goal_tolerance = tolerance;
    const size_t size = (size_t)w.state->body_count * sizeof *extended;
    take_apart(w.state);
    prepare(&w);
    solve(&w);
    memcpy(part, w.state->work.motion, size);
    extend(&w);
    solve(&w);
    memcpy(extended, w.state->work.motion, size);
    prepare(&w);
    solve(&w);
    double changed = 0.0;
    for (int32_t b = 0; b < w.state->body_count; b++) {
        const double whole =
            w.state->work.motion[b].v.z; // along the layers friction leaves some freedom
        changed = fmax(changed, fabs(part[b].v.z - whole));
        check_near(extended[b].v.z, whole, error);
    }
    assert_true(changed > 1e-2);
    assert_true(w.state->work.problem.island_count >= 3);
    world_end(&w);
}

static void extended_problems_have_the_solution_of_the_whole(void **unused) {
    (void)unused;
    check_solution(1e-5, 2e-4);
    check_solution(1e-4, 2e-3);
    goal_tolerance = 1e-5;
}

// Names of what a look adds say so (look_ahead.c): its points were found where the bodies are a step later.
static void what_a_look_added_has_the_arms_of_the_poses_ahead(void **unused) {
    (void)unused;
    const uint64_t ahead = UINT64_C(1) << 63;
    world w;
    build(&w);
    prepare(&w);
    add(w.state, 9);
    tal_manifolds *added = &w.state->work.list_added;
    for (int32_t k = 0; k < added->point_count; k++) {
        added->point[k].identity = (added->point[k].identity & ~ADDED) | ahead;
    }
    tal_vec3 *later = w.state->work.position_ahead;
    for (int32_t b = 0; b < w.state->body_count; b++) {
        later[b] = tal_vec3_add(w.state->position[b], tal_vec3_make(0.1 * b, 0.2, -0.3));
    }
    extend(&w);
    const tal_manifolds *list = &w.state->work.list;
    for (int32_t m = 0; m < list->manifold_count; m++) {
        const tal_manifold *of = &list->manifold[m];
        const tal_vec3 *at = of->was < 0 ? later : w.state->position;
        const tal_pair *pair = pair_of(&w, m);
        for (int32_t n = 0; n < of->point_count; n++) {
            const tal_contact *c = &w.state->work.problem.contact[pair->first_contact + n];
            const tal_vec3 point = list->point[of->first_point + n].point;
            const tal_vec3 arm_i = tal_vec3_subtract(point, at[of->body_i]);
            check_near(tal_vec3_length(tal_vec3_subtract(tal_arm(c->arm_i), arm_i)), 0.0, 1e-12);
            const tal_vec3 arm_j =
                of->body_j >= 0 ? tal_vec3_subtract(point, at[of->body_j]) : (tal_vec3){0};
            check_near(tal_vec3_length(tal_vec3_subtract(tal_arm(c->arm_j), arm_j)), 0.0, 1e-12);
        }
    }
    world_end(&w);
}

// The same manifold so many times: no two of them may have a color.
static void add_copies(tal_state *state, int32_t m, int copies) {
    add(state, 1); // for the room
    tal_manifolds *added = &state->work.list_added;
    added->manifold_count = added->point_count = 0;
    for (int n = 0; n < copies; n++) {
        copy_manifold(&state->work.list, m, added, m + 1);
    }
    for (int32_t k = 0; k < added->point_count; k++) {
        added->point[k].identity |= ADDED;
    }
}

static const tal_island *extend_by_copies(world *w, int32_t m, int copies) {
    const tal_island *island = &w->state->work.island[pair_of(w, m)->island];
    add_copies(w->state, m, copies);
    extend(w);
    assert_true(tal_problem_is_valid(&w->state->work.problem, w->state->work.island_parent));
    solve(w);
    return island;
}

// The same for a manifold of two boxes of the wall.
static const tal_island *extend_wall(world *w, int copies, bool has_colors_left) {
    build(w);
    prepare(w);
    int32_t m = 0;
    while (tal_edge_of(w->state, &w->state->work.list.manifold[m]).j < COLUMNS) {
        m++;
    }
    w->state->work.island[pair_of(w, m)->island].last_color_is_serial = !has_colors_left;
    return extend_by_copies(w, m, copies);
}

static void what_finds_no_color_is_visited_one_by_one(void **unused) {
    (void)unused;
    world w;
    goal_tolerance = 1e-4; // in batches
    const tal_island *island = extend_wall(&w, 3, true);
    assert_true(island->added_color_count == 3 && !island->last_color_is_serial);
    assert_true(island->added_are_batched);
    world_end(&w);
    island = extend_wall(&w, 8, true); // a batch each: more than there is room for
    assert_true(island->added_color_count == 8 && !island->last_color_is_serial);
    assert_false(island->added_are_batched);
    world_end(&w);
    island = extend_wall(&w, 10, true);
    assert_true(island->added_color_count == 9 && island->last_color_is_serial);
    world_end(&w);
    island = extend_wall(&w, 3, false);
    assert_true(island->added_color_count == 0 && island->last_color_is_serial);
    world_end(&w);
    goal_tolerance = 1e-5;
}

// A plate on 62 boxes needs as many colors: two are left.
static void colors_of_an_island_are_no_more_than_there_are(void **unused) {
    (void)unused;
    world w;
    world_init(&w, DT, law_coulomb(0.5, 0.0));
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    for (int n = 0; n < 62; n++) {
        const tal_vec3 at = {1.5 * (n % 8), 1.5 * (n / 8), 0.5};
        test_scene_add_box(&w.scene, 1, 1, 1, at, UPRIGHT, 2000.0);
    }
    test_scene_add_box(&w.scene, 14, 14, 1, tal_vec3_make(5.25, 5.25, 1.5), UPRIGHT, 2000.0);
    world_start(&w);
    world_step(&w);
    world_step(&w);
    prepare(&w);
    int32_t m = 0;
    while (tal_edge_of(w.state, &w.state->work.list.manifold[m]).j < 0) {
        m++;
    }
    assert_in_range(w.state->work.island[0].color_count, 62, 63);
    const tal_island *island = extend_by_copies(&w, m, 3);
    assert_true(island->color_count <= TAL_COLOR_MAX + 1 && island->last_color_is_serial);
    world_end(&w);
}

static void islands_that_become_one_are_set_up_anew(void **unused) {
    (void)unused;
    world w;
    build(&w);
    prepare(&w);
    add(w.state, 9);
    assert_true(tal_can_extend_contacts(w.model, w.state));
    tal_manifold *added = &w.state->work.list_added.manifold[0];
    added->body_i = 0; // alone on the left
    added->body_j = w.state->body_count - 1;
    assert_false(tal_can_extend_contacts(w.model, w.state));
    add(w.state, 1); // more than there is room for
    assert_false(tal_can_extend_contacts(w.model, w.state));
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_there_stays_and_what_joins_is_set_up),
        cmocka_unit_test(extended_problems_have_the_solution_of_the_whole),
        cmocka_unit_test(what_finds_no_color_is_visited_one_by_one),
        cmocka_unit_test(colors_of_an_island_are_no_more_than_there_are),
        cmocka_unit_test(what_a_look_added_has_the_arms_of_the_poses_ahead),
        cmocka_unit_test(islands_that_become_one_are_set_up_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
