// SPDX-License-Identifier: GPL-3.0-or-later
// Rays into the scene against slow references: small steps over the exact ground, every tree tried.
#include "tests/support/check.h"

#include "core/base/random.h"
#include "datasets/scan_scene.h"

static tal_site_ground *surface;
static tal_scan_scene scene;

static int make_scene(void **state) {
    (void)state;
    return tal_site_ground_create(&surface, TAL_SITE_PITON_MARCEL, NULL) != TAL_OK ||
           tal_scan_scene_create(&scene, surface, TAL_AFTER, 1, NULL) != TAL_OK;
}

static int drop_scene(void **state) {
    (void)state;
    tal_scan_scene_destroy(&scene);
    tal_site_ground_destroy(surface);
    return 0;
}

// A ray that passes 700 m elevation near the cliff, tilted up to 40 degrees any way.
static tal_ray random_ray(uint64_t number) {
    const tal_random random = tal_random_stream(5, 0, "tests/rays");
    const double turn = 6.283185307 * tal_random_uniform(random, 4 * number);
    const double tilt = tan(0.7 * tal_random_uniform(random, 4 * number + 1));
    tal_ray ray = {.z = 1000.0, .east = tilt * cos(turn), .north = tilt * sin(turn)};
    ray.x = 480.0 + 200.0 * tal_random_uniform(random, 4 * number + 2) - 300.0 * ray.east;
    ray.y = 80.0 + 380.0 * tal_random_uniform(random, 4 * number + 3) - 300.0 * ray.north;
    return ray;
}

static double slow_fall(const tal_ray *ray) {
    for (double fall = 150.0; fall < 560.0; fall += 0.1) {
        if (ray->z - fall <= tal_site_ground_elevation(surface, TAL_AFTER,
                                                       ray->x + fall * ray->east,
                                                       ray->y + fall * ray->north)) {
            return fall;
        }
    }
    return NAN;
}

static void rays_stop_at_the_first_ground_they_meet(void **state) {
    (void)state;
    int tried = 0, off = 0;
    double worst = 0.0;
    for (uint64_t i = 0; i < 2500; i++) {
        const tal_ray ray = random_ray(i);
        tal_ground_hit hit;
        const double expected = slow_fall(&ray);
        const double x = ray.x + expected * ray.east, y = ray.y + expected * ray.north;
        if (!(x > 0.0 && x < 700.0 && y > 0.0 && y < 500.0)) {
            continue;
        }
        assert_true(tal_scan_scene_find_ground(&scene, &ray, &hit));
        check_near(hit.z, tal_site_ground_elevation(surface, TAL_AFTER, hit.x, hit.y), 1e-9);
        const double error = fabs(hit.fall - expected);
        tried++;
        off += error > 0.5 ? 1 : 0;
        worst = error < 0.5 ? fmax(worst, error) : worst;
    }
    printf("%d rays, %d off by more than 0.5 m, the others by at most %.2f m\n", tried, off, worst);
    assert_true(tried > 1500);
    assert_true(off <= tried / 200); // grazing rays may miss a bump smaller than the raster's metre
}

static void every_crown_above_a_point_is_found(void **state) {
    (void)state;
    int met = 0;
    for (uint64_t i = 0; i < 1500; i++) {
        tal_ray ray = random_ray(i);
        ray.x -= 300.0; // the wooded side
        tal_ground_hit ground;
        if (!tal_scan_scene_find_ground(&scene, &ray, &ground)) {
            continue;
        }
        tal_crown_hit crowns[8];
        const int count = tal_scan_scene_find_crowns(&scene, &ray, &ground, crowns, 8);
        // Samples every 5 cm down the ray, inside any ellipsoid of any tree, near the ground.
        for (double fall = ground.fall - 20.0; fall < ground.fall; fall += 0.05) {
            const double x = ray.x + fall * ray.east, y = ray.y + fall * ray.north;
            bool inside = false, listed = false;
            for (int k = 0; k < scene.tree_columns * scene.tree_rows; k++) {
                const tal_tree *tree = &scene.tree[k];
                if (tree->height == 0.0 || fabs(tree->x - x) > 5.0 || fabs(tree->y - y) > 5.0) {
                    continue;
                }
                const double middle = tree->base + tree->height - 0.5 * tree->depth;
                const double u = (x - tree->x) / tree->radius, v = (y - tree->y) / tree->radius;
                const double w = (ray.z - fall - middle) / (0.5 * tree->depth);
                inside = inside || u * u + v * v + w * w < 0.999;
            }
            for (int k = 0; k < count; k++) {
                listed = listed || (fall >= crowns[k].enter && fall <= crowns[k].leave);
            }
            assert_true(!inside || listed);
            met += inside ? 1 : 0;
            if (i % 8 != 0) {
                fall += 1.0; // most rays coarsely, some finely
            }
        }
        for (int k = 1; k < count; k++) {
            assert_true(crowns[k - 1].enter <= crowns[k].enter);
        }
    }
    assert_true(met > 200);
}

static void trees_that_still_stand_are_the_same_trees(void **state) {
    (void)state;
    tal_scan_scene earlier;
    check_ok(tal_scan_scene_create(&earlier, surface, TAL_BEFORE, 1, &check_error));
    int standing = 0, gone = 0;
    for (int i = 0; i < scene.tree_columns * scene.tree_rows; i++) {
        const tal_tree *then = &earlier.tree[i], *now = &scene.tree[i];
        if (now->height > 0.0) {
            assert_memory_equal(then, now, sizeof *now);
            standing++;
        } else {
            gone += then->height > 0.0 ? 1 : 0;
        }
    }
    printf("%d trees stand, %d are gone\n", standing, gone);
    assert_true(standing > 1000 && gone > 200);
    tal_scan_scene_destroy(&earlier);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_stop_at_the_first_ground_they_meet),
        cmocka_unit_test(every_crown_above_a_point_is_found),
        cmocka_unit_test(trees_that_still_stand_are_the_same_trees),
    };
    return cmocka_run_group_tests_name("dataset_scene", tests, make_scene, drop_scene);
}
