// SPDX-License-Identifier: GPL-3.0-or-later
// The benchmark's layers of 100 to 3000 boxes that fall on a plane, at the tolerance of a site file (or that
// of the first argument): every step is solved, and how deep they are in each other at the end, by separating
// axes, without anything of the solver. With data.
#include "tests/solver/scenes/world.h"

typedef struct {
    tal_vec3 centre, axis[3];
    double half[3];
} box;

static box box_of(const world *w, int32_t b) {
    box made = {.centre = tal_state_positions(w->state)[b]};
    const tal_quat q = tal_state_orientations(w->state)[b];
    const tal_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        made.axis[k] = tal_quat_rotate(q, unit[k]);
        made.half[k] = 0.5 * w->scene.edge[b][k];
    }
    return made;
}

static double reach_along(const box *a, tal_vec3 axis) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += a->half[k] * fabs(tal_vec3_dot(a->axis[k], axis));
    }
    return sum;
}

static double overlap_along(const box *a, const box *b, tal_vec3 axis) {
    const double apart = fabs(tal_vec3_dot(tal_vec3_subtract(a->centre, b->centre), axis));
    return reach_along(a, axis) + reach_along(b, axis) - apart;
}

// Least overlap over the 15 axes that can separate two boxes: negative if they are apart.
static double overlap(const box *a, const box *b) {
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        least = fmin(least, overlap_along(a, b, a->axis[i]));
        least = fmin(least, overlap_along(a, b, b->axis[i]));
        for (int j = 0; j < 3; j++) {
            const tal_vec3 cross = tal_vec3_cross(a->axis[i], b->axis[j]);
            const double length = tal_vec3_length(cross);
            if (length > 1e-6) {
                least = fmin(least, overlap_along(a, b, tal_vec3_scale(cross, 1.0 / length)));
            }
        }
    }
    return least;
}

typedef struct {
    double deepest, sum, smallest_edge;
    int count;
} depths;

static void add_depth(depths *d, double depth) {
    if (depth > 0.0) {
        d->deepest = fmax(d->deepest, depth);
        d->sum += depth;
        d->count++;
    }
}

static depths measure(const world *w) {
    const tal_vec3 up = {0, 0, 1};
    depths d = {.smallest_edge = INFINITY};
    for (int32_t i = 0; i < w->scene.body_count; i++) {
        const box a = box_of(w, i);
        add_depth(&d, reach_along(&a, up) - a.centre.z); // into the plane
        for (int k = 0; k < 3; k++) {
            d.smallest_edge = fmin(d.smallest_edge, 2.0 * a.half[k]);
        }
        for (int32_t j = i + 1; j < w->scene.body_count; j++) {
            const box b = box_of(w, j);
            const double reach = hypot(hypot(a.half[0], a.half[1]), a.half[2]) +
                                 hypot(hypot(b.half[0], b.half[1]), b.half[2]);
            if (tal_vec3_length(tal_vec3_subtract(a.centre, b.centre)) < reach) {
                add_depth(&d, overlap(&a, &b));
            }
        }
    }
    return d;
}

static double tolerance = 1e-3; // by the first argument

static void layer_comes_to_lie_without_sinking_in(int count) {
    (void)check_data("falling layers");
    char name[32];
    world w = {0};
    snprintf(name, sizeof name, "S1_fall_%d", count);
    check_ok(test_scene_read(&w.scene, test_scene_bench_directory(), name, &check_error));
    w.scene.settings.tolerance = tolerance;
    world_start(&w);
    long unconverged = 0;
    double exchanged = 0.0, defect = 0.0;
    const long steps = lround(w.scene.end_time / w.scene.settings.dt_s);
    for (long n = 0; n < steps; n++) {
        check_ok(tal_step(w.model, w.state, &w.report, &check_error));
        const tal_report *r = &w.report;
        unconverged += r->unconverged_count > 0;
        exchanged += fabs(r->dissipated_normal_j) + fabs(r->dissipated_tangential_j);
        defect += fabs(r->energy_defect_j);
        const double gain = -r->dissipated_normal_j - r->dissipated_tangential_j;
        assert_true(gain <= r->energy_rise_bound_j + r->residual * fabs(gain));
    }
    const depths d = measure(&w);
    const double mean = d.count > 0 ? d.sum / d.count : 0.0;
    printf("%d boxes: deepest %.3g mm, mean %.3g mm over %d, smallest edge %.3g m; kinetic %.2g J, "
           "steps not converged %ld of %ld, book off by %.1e\n",
           count, 1e3 * d.deepest, 1e3 * mean, d.count, d.smallest_edge,
           w.report.kinetic_translation_j, unconverged, steps, defect / exchanged);
    assert_true(d.count > count / 10); // they do touch
    assert_true(d.deepest < 0.01 * d.smallest_edge);
    assert_true(mean < 0.001 * d.smallest_edge);
    assert_true(defect < 1e-6 * exchanged);
    assert_int_equal(unconverged, 0);
    world_end(&w);
}

static void layers_of_100_and_500(void **unused) {
    (void)unused;
    layer_comes_to_lie_without_sinking_in(100);
    layer_comes_to_lie_without_sinking_in(500);
}

static void layers_of_1000_and_3000(void **unused) {
    (void)unused;
    layer_comes_to_lie_without_sinking_in(1000);
    layer_comes_to_lie_without_sinking_in(3000);
}

int main(int argc, char **argv) {
    tolerance = argc > 1 ? strtod(argv[1], NULL) : tolerance;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_of_100_and_500),
        cmocka_unit_test(layers_of_1000_and_3000),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
