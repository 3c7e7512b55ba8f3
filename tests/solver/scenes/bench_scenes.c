// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/scenes/bench_scenes.h"

#include "core/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// A stream of draws, one after the other.
typedef struct {
    tal_random random;
    uint64_t next;
} draws;

static double draw(draws *d, double low, double high) {
    return low + (high - low) * tal_random_uniform(d->random, d->next++);
}

// Uniform among all rotations (Shoemake's three draws).
static tal_quat draw_rotation(draws *d) {
    const double u = draw(d, 0.0, 1.0), a = draw(d, 0.0, 2.0 * PI), b = draw(d, 0.0, 2.0 * PI);
    const double s = sqrt(1.0 - u), c = sqrt(u);
    return (tal_quat){c * cos(b), s * sin(a), s * cos(a), c * sin(b)};
}

// Spheres around boxes of at most 0.5 m, side by side.
static bool is_free(const test_scene *s, tal_vec3 at) {
    const double distance = 0.87;
    for (int32_t b = 0; b < s->body_count; b++) {
        if (tal_vec3_length(tal_vec3_subtract(s->position[b], at)) < distance) {
            return false;
        }
    }
    return true;
}

static void make_fall(test_scene *s, int32_t count, draws *d) {
    test_scene_set_plane(s, (tal_vec3){0}, (tal_vec3){0.0, 0.0, 1.0}, 500.0);
    while (s->body_count < count) {
        const double a = draw(d, 0.2, 0.5), b = draw(d, 0.2, 0.5), c = draw(d, 0.2, 0.5);
        const tal_quat q = draw_rotation(d);
        tal_vec3 at;
        do {
            at = (tal_vec3){draw(d, -15.0, 15.0), draw(d, -15.0, 15.0), draw(d, 2.0, 15.0)};
        } while (!is_free(s, at));
        test_scene_add_box(s, a, b, c, at, q, 5000.0);
    }
}

static double slope_height(double x, double y) {
    (void)y;
    return fmax(0.0, 90.0 - x) * tan(35.0 * PI / 180.0);
}

static void make_collapse(test_scene *s, int32_t count, draws *d) {
    enum { SIDE = 15 };
    const double pitch = 4.0 / 3.0;
    test_scene_set_grid(s, 201, 101, slope_height);
    for (int32_t n = 0; n < count; n++) {
        const double x = 92.0 / 3.0 + pitch * (n % SIDE);
        const double y = 122.0 / 3.0 + pitch * (n / SIDE % SIDE);
        const double z = slope_height(x, y) + 1.25 + pitch * (n / (SIDE * SIDE));
        const double a = draw(d, 0.8, 1.2), b = draw(d, 0.8, 1.2), c = draw(d, 0.8, 1.2);
        const tal_quat q = {1.0, draw(d, -0.02, 0.02), draw(d, -0.02, 0.02), draw(d, -0.02, 0.02)};
        test_scene_add_box(s, a, b, c, (tal_vec3){x, y, z}, tal_quat_normalize(q), 2700.0);
    }
}

// Four layers, as wide as it takes: the same regime for any number.
static void make_layers(test_scene *s, int32_t count, draws *d) {
    enum { LAYERS = 4 };
    const double pitch = 4.0 / 3.0;
    const int32_t side = (int32_t)ceil(sqrt((double)count / LAYERS));
    test_scene_set_plane(s, (tal_vec3){0}, (tal_vec3){0.0, 0.0, 1.0}, 1e4);
    for (int32_t n = 0; n < count; n++) {
        const tal_vec3 at = {pitch * (n % side), pitch * (n / side % side),
                             1.25 + pitch * (n / (side * side))};
        const double a = draw(d, 0.8, 1.2), b = draw(d, 0.8, 1.2), c = draw(d, 0.8, 1.2);
        const tal_quat q = {1.0, draw(d, -0.04, 0.04), draw(d, -0.04, 0.04), draw(d, -0.04, 0.04)};
        test_scene_add_box(s, a, b, c, at, tal_quat_normalize(q), 2700.0);
    }
}

static void make_wall(test_scene *s) {
    enum { COURSES = 20, LENGTH = 50 };
    test_scene_set_plane(s, (tal_vec3){0}, (tal_vec3){0.0, 0.0, 1.0}, 500.0);
    for (int n = 0; n < COURSES * LENGTH; n++) {
        const int course = n / LENGTH;
        const double start = course % 2 == 0 ? 0.5005 : 0.7505; // half a millimetre between ends
        const tal_vec3 at = {start + 1.001 * (n % LENGTH), 0.0, 0.25 + 0.5 * course};
        test_scene_add_box(s, 1.0, 0.5, 0.5, at, (tal_quat){1.0, 0.0, 0.0, 0.0}, 2700.0);
    }
}

tal_status test_scene_make(test_scene *s, const char *name, tal_error *err) {
    draws d = {.random = tal_random_stream(1, 0, name)};
    const char *underscore = strrchr(name, '_');
    const int32_t count = underscore != NULL ? (int32_t)atol(underscore + 1) : 0;
    test_scene_init(s);
    s->settings.dt_s = 0.005;
    s->end_time = 5.0;
    if (strcmp(name, "S3_wall") == 0) {
        make_wall(s);
    } else if (strncmp(name, "S1_fall_", 8) == 0 && count > 0) {
        make_fall(s, count, &d);
    } else if (strncmp(name, "S2_", 3) == 0 && count > 0) {
        make_collapse(s, count, &d);
    } else if (strncmp(name, "S4_layers_", 10) == 0 && count > 0) {
        make_layers(s, count, &d);
    } else {
        return TAL_FAIL(err, TAL_NOT_FOUND, "no scene %s: S1_fall_N, S2_N, S3_wall, S4_layers_N",
                        name);
    }
    return TAL_OK;
}
