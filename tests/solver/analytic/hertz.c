// SPDX-License-Identifier: GPL-3.0-or-later
// Hertz: a block with a rounded lower side, z = (x^2 + y^2)/(2 R), strikes a rigid plane. With E* = E/(1 - nu^2)
//   d = (15 m v^2/(16 E* sqrt R))^(2/5), F = 4/3 E* sqrt(R) d^(3/2), t = 2.943275184 d/v.
// Four nodes of a grid on a paraboloid lie in a plane, so the block is a convex polyhedron. Elements are
// small where it touches and grow from there; all of them are refined together.
//
// What Hertz leaves out is known beforehand. His depth is counted from infinity, that of the block from its
// centre of mass at the height z, where a point load F moves a half-space by u = F (3 - 2 nu)/(2 pi (1 - nu) E* z)
// (Boussinesq). A block has free sides, which give way by some of that again, so it lacks the compliance of
// 0 to u/F. With the share x of the depth that is lacking at the largest force,
//   d = (F/K)^(2/3) - x d0 F/F0, and the work of F is m v^2/2,
// so to first order the force is larger by 3/4 x, and depth and time are smaller by x/2 and 0.568 x. By the mesh:
// between nodes at a distance h the lower side is a chord, up to h^2/(8 R) above the paraboloid in each direction
// and h^2/(6 R) in the mean, which is (h/a)^2/6 of the depth, a being the radius of the contact, and by the power
// of 3/2 a quarter of (h/a)^2 of the force. These are the bars.
// With arguments (cells, radius of the contact, cells that grow): the course of the force, for hertz.sh.
#include "core/geometry/angle.h"
#include "core/geometry/mass_properties.h"
#include "solver/step/state.h"
#include "tests/solver/scenes/box_mesh.h"
#include "tests/support/check.h"

#include <stdlib.h>

static const double YOUNG = 1e9, POISSON = 0.25, DENSITY = 2500.0;
static const double WIDTH = 1.0, ROUNDING = 1.0;
enum { STEPS = 200, MEAN = 12, CELLS_MAX = 20, SIDE_MAX = CELLS_MAX + 1 };

// Cells a side, of which `grown` on each side of the middle are outside of one and a half radii of the
// contact; its radius at its largest.
typedef struct {
    int cells, grown;
    double contact;
} layout;

// Of a contact time; forces are means over MEAN steps, which takes 0.2 % from their peak.
typedef struct {
    double force, time, depth, rebound; // over those of Hertz, the last over the speed
    double lacking;                     // x of a half-space
    int contacts;
    double course[2 * STEPS];
} blow;

// n cells in `length`: as many equal ones within one and a half radii of the contact as `grown` leaves, then
// each larger than the last by one ratio.
static void grade(int n, int grown, double contact, double length, double *at) {
    const double fine = 1.5 * contact, first = fine / (n - grown);
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

static void shape_mesh(box_mesh *mesh, const int cells[3], const layout *of) {
    double across[SIDE_MAX], up[SIDE_MAX], side[SIDE_MAX];
    grade(cells[0] / 2, of->grown, of->contact, 0.5 * WIDTH, across);
    grade(cells[2], of->grown + 1, of->contact, WIDTH, up);
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
    double mass, height, speed, depth, force, time;
} rig;

static void set_reference(rig *r, double contact) {
    const double stiffness = YOUNG / (1.0 - POISSON * POISSON);
    r->depth = contact * contact / ROUNDING;
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
    in.settings.substep_max = 1; // one factor: the blow is slow
    check_ok(tal_model_create(&r->model, &in, &check_error));
    check_ok(tal_state_create(&r->state, r->model, 1, &check_error));
}

static void begin(rig *r, layout of) {
    const int cells[3] = {of.cells, of.cells, of.cells / 2 + 1};
    const double size[3] = {WIDTH, WIDTH, WIDTH};
    tal_vec3 inertia;
    r->mesh = box_mesh_make(size, cells, false);
    shape_mesh(&r->mesh, cells, &of);
    make_hull(&r->shape, &r->mesh, cells);
    const tal_vec3 place = measure(r, &inertia);
    r->height = place.z;
    set_reference(r, of.contact);
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

static blow strike(layout of) {
    rig r;
    blow b = {0};
    begin(&r, of);
    // (4/3 E* a^3/R) (3 - 2 nu)/(2 pi (1 - nu) E* z) over a^2/R
    b.lacking = 4.0 / 3.0 * of.contact * (3.0 - 2.0 * POISSON) /
                (2.0 * TAL_PI * (1.0 - POISSON) * r.height);
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

static void check_between(double value, double low, double high) {
    if (!(value >= low && value <= high)) {
        fail_msg("%.4f is not in [%.4f, %.4f]", value, low, high);
    }
}

// Within what the half-space lacks on one side and nothing on the other, and the error of the mesh on both. The
// force is a mean, which takes 0.2 % from it, and the time is known to a step.
static blow check_blow(layout of) {
    const blow b = strike(of);
    const double per_radius = (0.5 * of.cells - of.grown) / 1.5; // a/h
    const double x = b.lacking, mesh = 0.25 / (per_radius * per_radius);
    printf("%d cells, %d grown, radius %.3f, %d nodes touch: force %.4f, time %.4f, depth %.4f of "
           "Hertz; "
           "rebound %.4f, x %.4f\n",
           of.cells, of.grown, of.contact, b.contacts, b.force, b.time, b.depth, b.rebound, x);
    check_between(b.force, 1.0 - mesh - 0.002, 1.0 + 0.75 * x + mesh);
    check_between(b.depth, 1.0 - 0.5 * x - 2.0 / 3.0 * mesh, 1.0 + 2.0 / 3.0 * mesh);
    check_between(b.time, 1.0 - 0.568 * x - 2.0 / 3.0 * mesh - 1.0 / STEPS,
                  1.0 + 2.0 / 3.0 * mesh + 1.0 / STEPS);
    check_near(b.rebound, 1.0, 5e-3); // nothing of the blow stays in the block
    return b;
}

// All cells are halved or divided by three at once: steps of an error of second order in h would be as 1/4 - 1/9 to
// 1/9 - 1/16.
static void finer_meshes_converge_by_second_order_or_better(void **unused) {
    (void)unused;
    const blow two = check_blow((layout){8, 2, 0.06});
    const blow three = check_blow((layout){12, 3, 0.06});
    const blow four = check_blow((layout){16, 4, 0.06});
    const double first = fabs(three.force - two.force), second = fabs(four.force - three.force);
    assert_true(second < first * (1.0 / 9.0 - 1.0 / 16.0) / (1.0 / 4.0 - 1.0 / 9.0));
}

// As many cells in the contact, and as many more around it as its distance from the sides asks for.
static void a_smaller_contact_comes_nearer_to_hertz(void **unused) {
    (void)unused;
    const blow large = check_blow((layout){10, 2, 0.06}), half = check_blow((layout){12, 3, 0.03});
    check_near((large.force - 1.0) / (half.force - 1.0), 2.0, 0.5);
    check_near((large.time - 1.0) / (half.time - 1.0), 2.0, 0.5);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finer_meshes_converge_by_second_order_or_better),
        cmocka_unit_test(a_smaller_contact_comes_nearer_to_hertz)};
    if (argc < 4) {
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
    const layout of = {atoi(argv[1]), atoi(argv[3]), atof(argv[2])};
    if (of.cells < 4 || of.cells > CELLS_MAX || of.cells % 2 != 0 || of.grown < 1 ||
        of.grown >= of.cells / 2) {
        fprintf(stderr, "cells: an even number from 4 to %d, more than twice those that grow\n",
                CELLS_MAX);
        return 2;
    }
    const blow b = strike(of);
    fprintf(stderr, "force %.4f, time %.4f, depth %.4f of Hertz\n", b.force, b.time, b.depth);
    for (int k = 0; k < 2 * STEPS; k++) {
        printf("%g %g\n", (k + 1 - 0.5 * MEAN) / STEPS, b.course[k]);
    }
    return 0;
}
