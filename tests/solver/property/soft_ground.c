// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that deform slide over broken ground: their nodes meet what is there.
#include "solver/step/state.h"
#include "tests/solver/scenes/soft_box.h"

enum { BLOCKS = 6, STEPS = 250, SIDE = 90 };
static const double EDGE[3] = {5.0, 4.0, 3.0};
static const double NEAR = 1e-4; // far less than the ground is rough by, far more than rounding

// Terraces with brows, over a slope: 4 m wide, of a height from a hash of the place.
static double broken(double x, double y) {
    uint32_t n = (uint32_t)(floor(x / 4.0) + 131.0 * floor(y / 4.0)) * 2654435761u;
    n = (n ^ (n >> 15)) * 2246822519u;
    return 0.6 * x + 2.0 * ((n >> 8) & 0xffff) / 65536.0;
}

static void begin(soft_box *s) {
    const int cells[3] = {3, 3, 2};
    soft_box_divide(s, EDGE, cells, false, TAL_KINEMATICS_FLOATING_FRAME, 2600.0);
    test_scene_set_grid(&s->scene, SIDE, SIDE, broken);
    for (int b = 0; b < BLOCKS; b++) {
        const tal_quat turned = {1.0, 0.3 * b - 0.7, 0.2 * ((b * 3) % 5 - 2), -0.25 * b};
        const double x = 78.0, y = 8.5 + 14.0 * b;
        test_scene_add_box(&s->scene, EDGE[0], EDGE[1], EDGE[2],
                           tal_vec3_make(x, y, broken(78.0, 6.0) + 8.0), tal_quat_normalize(turned),
                           2600.0);
        s->scene.velocity[b] = tal_vec3_make(-14.0, 0.3 * b, -3.0);
    }
    s->solid.young_pa = 20e9;
    s->solid.poisson = 0.25;
    s->solid.damping_stiffness_s = 1e-4;
    s->scene.law = (tal_law){.kind = TAL_LAW_COULOMB, .friction = 0.2};
    s->scene.settings.dt_s = 0.02;
    soft_box_start(s);
}

// Nodes listed against the ground (bit 62 of their name): the ground is where the contact says, and one that
// is said to be in it is not above it.
static void check_nodes(const soft_box *s, int *count) {
    const tal_manifolds *list = &s->state->work.list;
    const tal_terrain *ground = &s->model->ground->terrain;
    for (int32_t m = 0; m < list->manifold_count; m++) {
        const tal_manifold *of = &list->manifold[m];
        for (int32_t k = of->first_point; k < of->first_point + of->point_count; k++) {
            const tal_contact_point *p = &list->point[k];
            if (of->body_j >= 0 || (p->identity >> 62 & 1) == 0) {
                continue;
            }
            const tal_vec3 node = tal_vec3_add_scaled(p->point, 0.5 * p->gap, p->normal);
            const tal_vec3 foot = tal_vec3_add_scaled(p->point, -0.5 * p->gap, p->normal);
            *count += 1;
            check_near(foot.z, tal_terrain_height(ground, foot.x, foot.y), NEAR);
            assert_true(p->gap > -NEAR ||
                        node.z < tal_terrain_height(ground, node.x, node.y) + NEAR);
        }
    }
}

static void nodes_meet_ground_that_is_there(void **unused) {
    (void)unused;
    soft_box s;
    tal_report report;
    int count = 0;
    begin(&s);
    for (int n = 0; n < STEPS; n++) {
        check_ok(tal_step(s.model, s.state, &report, &check_error));
        check_nodes(&s, &count);
    }
    assert_true(count > 500);
    soft_box_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_meet_ground_that_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
