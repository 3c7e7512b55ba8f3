// SPDX-License-Identifier: GPL-3.0-or-later
// Hertz: a block with a rounded lower side, z = (x^2 + y^2)/(2 R), strikes a rigid plane. With E* = E/(1 - nu^2)
//   d = (15 m v^2/(16 E* sqrt R))^(2/5), F = 4/3 E* sqrt(R) d^(3/2), t = 2.943275184 d/v.
// Four nodes of a grid on a paraboloid lie in a plane, so the block is a convex polyhedron. Elements are
// small where it touches; their number within the contact is what is refined.
// With an argument: the course of the force, for docs/validation/hertz.sh.
#include "core/geometry/mass_properties.h"
#include "solver/step/state.h"
#include "tests/solver/scenes/box_mesh.h"
#include "tests/support/check.h"

#include <stdlib.h>

static const double YOUNG = 1e9, POISSON = 0.25, DENSITY = 2500.0;
static const double WIDTH = 1.0, ROUNDING = 1.0;
static const double CONTACT = 0.06; // radius of the contact at its largest
enum { GROWN = 2, STEPS = 200, MEAN = 12, CELLS_MAX = 16, SIDE_MAX = CELLS_MAX + 1 };

// Of a contact time; forces are means over MEAN steps, which takes 0.2 % from their peak.
typedef struct {
    double force, time, depth, rebound; // over those of Hertz, the last over the speed
    int contacts;
    double course[2 * STEPS];
} blow;

// n cells in `length`: as many equal ones within one and a half radii of the contact as `grown` leaves, then
// each larger than the last by one ratio.
static void grade(int n, int grown, double length, double *at) {
    const double fine = 1.5 * CONTACT, first = fine / (n - grown);
    double low = 1.0, high = 50.0;
    for (int k = 0; k < 100; k++) {
        const double q = 0.5 * (low + high);
        double sum = fine, cell = first;
        for (int m = 0; m < grown; m++) {
            sum += cell *= q;
        }
        low = sum < length ? q : low;
        high = sum < length ? high : q;
    }
    at[0] = 0.0;
    double cell = first;
    for (int k = 1; k <= n; k++) {
        cell *= k > n - grown ? low : 1.0;
        at[k] = k == n ? length : at[k - 1] + cell;
    }
}

static void shape_mesh(box_mesh *mesh, const int cells[3]) {
    double across[SIDE_MAX], up[SIDE_MAX], side[SIDE_MAX];
    grade(cells[0] / 2, GROWN, 0.5 * WIDTH, across);
    grade(cells[2], GROWN + 1, WIDTH, up);
    for (int k = 0; k <= cells[0]; k++) {
        const int from_middle = k - cells[0] / 2;
        side[k] = from_middle < 0 ? -across[-from_middle] : across[from_middle];
    }
    for (int k = 0; k <= cells[2]; k++) {
        for (int j = 0; j <= cells[1]; j++) {
            for (int i = 0; i <= cells[0]; i++) {
                const double x = side[i], y = side[j], z = up[k];
                const double sag = (x * x + y * y) / (2.0 * ROUNDING) * (1.0 - z / WIDTH);
                mesh->node[box_mesh_node(cells, i, j, k)] = tal_vec3_make(x, y, z + sag);
            }
        }
    }
}

typedef struct {
    tal_vec3 vertex[SIDE_MAX * SIDE_MAX + 4];
    int32_t start[CELLS_MAX * CELLS_MAX + 6], size[CELLS_MAX * CELLS_MAX + 5];
    int32_t corner[4 * CELLS_MAX * CELLS_MAX + 4 * (CELLS_MAX + 3) + 4];
    int32_t vertex_count, face_count;
} hull;

static void close_face(hull *h, int32_t end) {
    h->size[h->face_count] = end - h->start[h->face_count];
    h->start[++h->face_count] = end;
}

static void make_hull(hull *h, const box_mesh *mesh, const int cells[3]) {
    const int n = cells[0], side = n + 1, top = side * side;
    int32_t c = 0;
    h->face_count = h->start[0] = 0;
    h->vertex_count = top + 4;
    for (int k = 0; k < top; k++) {
        h->vertex[k] = mesh->node[box_mesh_node(cells, k % side, k / side, 0)];
    }
    const int at[4][2] = {{0, 0}, {n, 0}, {n, n}, {0, n}};
    for (int k = 0; k < 4; k++) {
        h->vertex[top + k] = mesh->node[box_mesh_node(cells, at[k][0], at[k][1], cells[2])];
    }
    for (int k = 0; k < n * n; k++) {
        const int first = k / n * side + k % n;
        const int32_t quad[4] = {first, first + side, first + side + 1, first + 1};
        memcpy(&h->corner[c], quad, sizeof quad);
        close_face(h, c += 4);
    }
    for (int f = 0; f < 4; f++) { // around: the lower edge, then two corners above
        for (int k = 0; k <= n; k++) {
            const int row[4] = {k, k * side + n, n * side + n - k, (n - k) * side};
            h->corner[c++] = row[f];
        }
        h->corner[c++] = top + (f + 1) % 4;
        h->corner[c++] = top + f;
        close_face(h, c);
    }
    for (int k = 0; k < 4; k++) {
        h->corner[c++] = top + k;
    }
    close_face(h, c);
}

typedef struct {
    box_mesh mesh;
    hull shape;
    tal_model *model;
    tal_state *state;
    double mass, speed, depth, force, time;
} rig;

static void set_reference(rig *r) {
    const double stiffness = YOUNG / (1.0 - POISSON * POISSON);
    r->depth = CONTACT * CONTACT / ROUNDING;
    r->speed = sqrt(16.0 / 15.0 * stiffness * sqrt(ROUNDING) * pow(r->depth, 2.5) / r->mass);
    r->force = 4.0 / 3.0 * stiffness * sqrt(ROUNDING) * pow(r->depth, 1.5);
    r->time = 2.943275184 * r->depth / r->speed;
}

// The mass and inertia of the polyhedron; nodes and vertices about its centroid.
static tal_vec3 measure(rig *r, tal_vec3 *inertia) {
    hull *h = &r->shape;
    const tal_surface surface = {h->vertex, h->vertex_count, h->start, h->face_count, h->corner};
    const tal_mass_properties own = tal_surface_mass(&surface);
    for (int32_t n = 0; n < r->mesh.node_count; n++) {
        r->mesh.node[n] = tal_vec3_subtract(r->mesh.node[n], own.centroid);
    }
    for (int32_t v = 0; v < h->vertex_count; v++) {
        h->vertex[v] = tal_vec3_subtract(h->vertex[v], own.centroid);
    }
    r->mass = DENSITY * own.volume;
    *inertia = tal_vec3_make(DENSITY * own.inertia[0][0], DENSITY * own.inertia[1][1],
                             DENSITY * own.inertia[2][2]);
    return own.centroid;
}

static void create(rig *r, const tal_shape_input *shape, const tal_solid_input *solid,
                   tal_vec3 inertia, tal_vec3 place) {
    static const tal_vec3 ground[4] = {{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}};
    static const int32_t triangle[6] = {0, 1, 2, 0, 2, 3}, class[2] = {0, 0}, zero = 0;
    const tal_law law = {.kind = TAL_LAW_COULOMB};
    const tal_vec3 velocity = {0.0, 0.0, -r->speed};
    const tal_quat upright = {1.0, 0.0, 0.0, 0.0};
    tal_model_input in = {.shape_count = 1,
                          .shape = shape,
                          .terrain_vertex_count = 4,
                          .terrain_vertex_m = ground,
                          .terrain_triangle_count = 2,
                          .terrain_triangle = triangle,
                          .terrain_class = class,
                          .body_count = 1,
                          .body_shape = &zero,
                          .body_class = &zero,
                          .mass_kg = &r->mass,
                          .inertia_kg_m2 = &inertia,
                          .position_m = &place,
                          .orientation = &upright,
                          .velocity_mps = &velocity,
                          .solid_count = 1,
                          .solid = solid,
                          .body_solid = &zero,
                          .class_count = 1,
                          .law = &law,
                          .settings = tal_solver_settings_default()};
    in.settings.gravity_mps2 = (tal_vec3){0};
    in.settings.dt_s = r->time / STEPS;
    in.settings.tolerance = 1e-8;
    in.settings.iteration_max = 5000;
    in.settings.correction = 0.0;
    check_ok(tal_model_create(&r->model, &in, &check_error));
    check_ok(tal_state_create(&r->state, r->model, 1, &check_error));
}

static void begin(rig *r, int n) {
    const int cells[3] = {n, n, n / 2 + 1};
    const double size[3] = {WIDTH, WIDTH, WIDTH};
    tal_vec3 inertia;
    r->mesh = box_mesh_make(size, cells, false);
    shape_mesh(&r->mesh, cells);
    make_hull(&r->shape, &r->mesh, cells);
    const tal_vec3 place = measure(r, &inertia);
    set_reference(r);
    const tal_shape_input shape = {.kind = TAL_SHAPE_POLYHEDRON,
                                   .vertex_count = r->shape.vertex_count,
                                   .vertex = r->shape.vertex,
                                   .face_count = r->shape.face_count,
                                   .loop_size = r->shape.size,
                                   .loop_vertex = r->shape.corner};
    tal_solid_input solid = box_mesh_solid(&r->mesh, TAL_KINEMATICS_FLOATING_FRAME);
    solid.density_kg_m3 = DENSITY;
    solid.young_pa = YOUNG;
    solid.poisson = POISSON;
    create(r, &shape, &solid, inertia, place);
}

static blow strike(int n) {
    rig r;
    blow b = {0};
    begin(&r, n);
    const double start = r.state->position[0].z, h = r.time / STEPS;
    double velocity[2 * STEPS + 1] = {-r.speed};
    for (int k = 0; k < 2 * STEPS; k++) {
        tal_report report;
        check_ok(tal_step(r.model, r.state, &report, &check_error));
        assert_int_equal(report.unconverged_count, 0);
        velocity[k + 1] = r.state->velocity[0].z;
        const int from = k + 1 >= MEAN ? k + 1 - MEAN : 0;
        b.course[k] = r.mass * (velocity[k + 1] - velocity[from]) / (h * (k + 1 - from)) / r.force;
        b.force = fmax(b.force, b.course[k]);
        b.depth = fmax(b.depth, (start - r.state->position[0].z) / r.depth);
        b.time = report.active_count > 0 ? report.time_s / r.time : b.time;
        b.contacts = report.active_count > b.contacts ? report.active_count : b.contacts;
    }
    b.rebound = velocity[2 * STEPS] / r.speed;
    tal_state_destroy(r.state);
    tal_model_destroy(r.model);
    box_mesh_destroy(&r.mesh);
    return b;
}

// One, two and three equal cells within one and a half radii of the contact. A contact of nodes grows by
// whole cells, so its radius is known to half of one, a quarter of it for the finest; its area carries the
// force, and depth and time follow with its root. No order of convergence is to be seen in so few cells.
static void a_rounded_block_rebounds_as_hertz_says(void **unused) {
    (void)unused;
    const int cells[3] = {6, 8, 10};
    double error[3][3];
    for (int k = 0; k < 3; k++) {
        const blow b = strike(cells[k]);
        printf(
            "%d cells, %d nodes touch: force %.4f, time %.4f, depth %.4f of Hertz; rebound %.4f\n",
            cells[k], b.contacts, b.force, b.time, b.depth, b.rebound);
        error[k][0] = fabs(b.force - 1.0);
        error[k][1] = fabs(b.time - 1.0);
        error[k][2] = fabs(b.depth - 1.0);
        check_near(b.rebound, 1.0, 5e-3); // nothing of the blow stays in the block
    }
    for (int what = 0; what < 3; what++) {
        assert_true(error[2][what] < 0.5 * error[0][what]);
        assert_true(error[2][what] < (what == 0 ? 0.1 : 0.05));
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rounded_block_rebounds_as_hertz_says)};
    if (argc < 2) {
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
    const int cells = atoi(argv[1]);
    if (cells < 4 || cells > CELLS_MAX || cells % 2 != 0) {
        fprintf(stderr, "cells: an even number from 4 to %d\n", CELLS_MAX);
        return 2;
    }
    const blow b = strike(cells);
    fprintf(stderr, "force %.4f, time %.4f, depth %.4f of Hertz\n", b.force, b.time, b.depth);
    for (int k = 0; k < 2 * STEPS; k++) {
        printf("%g %g\n", (k + 1 - 0.5 * MEAN) / STEPS, b.course[k]);
    }
    return 0;
}
