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
//
// Another block with a flat upper side, free to move, in place of the plane: E* is half as large, the mass is
// m1 m2/(m1 + m2), and each block lacks its own x of its own half of the depth. The error of the mesh is that of
// the coarser one of the two.
// With arguments (cells, radius of the contact, cells that grow, and those of the plate): the course of the force,
// for hertz.sh.
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
    int plate, plate_grown; // of the block below; 0: a rigid plane
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

// The lower side is at z = 0, with 1/R for its rounding; of a plate it is the upper one, looking up.
static void shape_mesh(box_mesh *mesh, const int cells[3], int grown, double contact,
                       double rounding, double up_or_down) {
    double across[SIDE_MAX], up[SIDE_MAX], side[SIDE_MAX];
    grade(cells[0] / 2, grown, contact, 0.5 * WIDTH, across);
    grade(cells[2], grown + 1, contact, WIDTH, up);
    for (int k = 0; k <= cells[0]; k++) {
        const int from_middle = k - cells[0] / 2;
        side[k] = from_middle < 0 ? -across[-from_middle] : across[from_middle];
    }
    for (int k = 0; k <= cells[2]; k++) {
        for (int j = 0; j <= cells[1]; j++) {
            for (int i = 0; i <= cells[0]; i++) {
                const double x = side[i], y = side[j], z = up[k];
                const double sag = (x * x + y * y) / 2.0 * rounding * (1.0 - z / WIDTH);
                const int at = up_or_down > 0.0 ? k : cells[2] - k; // elements stay as they are
                mesh->node[box_mesh_node(cells, i, j, at)] =
                    tal_vec3_make(x, y, up_or_down * (z + sag));
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
    tal_solid_input solid;
    double mass, height; // of its centroid above the lower side
    tal_vec3 inertia;
} block;

typedef struct {
    block block[2];
    int32_t count;
    tal_model *model;
    tal_state *state;
    double mass, speed, depth, force, time; // of both together
} rig;

static void set_reference(rig *r, double contact) {
    const bool two = r->count == 2;
    const double stiffness = YOUNG / (1.0 - POISSON * POISSON) / (two ? 2.0 : 1.0);
    const double m = r->block[0].mass, other = r->block[1].mass;
    r->mass = two ? m * other / (m + other) : m;
    r->depth = contact * contact / ROUNDING;
    r->speed = sqrt(16.0 / 15.0 * stiffness * sqrt(ROUNDING) * pow(r->depth, 2.5) / r->mass);
    r->force = 4.0 / 3.0 * stiffness * sqrt(ROUNDING) * pow(r->depth, 1.5);
    r->time = 2.943275184 * r->depth / r->speed;
}

// The mass and inertia of the polyhedron; nodes and vertices about its centroid.
static void measure(block *b) {
    hull *h = &b->shape;
    const tal_surface surface = {h->vertex, h->vertex_count, h->start, h->face_count, h->corner};
    const tal_mass_properties own = tal_surface_mass(&surface);
    for (int32_t n = 0; n < b->mesh.node_count; n++) {
        b->mesh.node[n] = tal_vec3_subtract(b->mesh.node[n], own.centroid);
    }
    for (int32_t v = 0; v < h->vertex_count; v++) {
        h->vertex[v] = tal_vec3_subtract(h->vertex[v], own.centroid);
    }
    b->mass = DENSITY * own.volume;
    b->inertia = tal_vec3_make(DENSITY * own.inertia[0][0], DENSITY * own.inertia[1][1],
                               DENSITY * own.inertia[2][2]);
    b->height = own.centroid.z;
}

static void make_cube(hull *h) {
    static const int32_t corner[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                       2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    h->vertex_count = 8;
    h->face_count = h->start[0] = 0;
    for (int v = 0; v < 8; v++) {
        h->vertex[v] = tal_vec3_make(WIDTH * ((v & 1) - 0.5), WIDTH * ((v >> 1 & 1) - 0.5),
                                     WIDTH * ((v >> 2) - 1));
    }
    memcpy(h->corner, corner, sizeof corner);
    for (int f = 0; f < 6; f++) {
        close_face(h, 4 * (f + 1));
    }
}

static void make_block(block *b, int n, int grown, double contact, bool is_plate) {
    const int cells[3] = {n, n, n / 2 + 1};
    const double size[3] = {WIDTH, WIDTH, WIDTH};
    b->mesh = box_mesh_make(size, cells, false);
    shape_mesh(&b->mesh, cells, grown, contact, is_plate ? 0.0 : 1.0 / ROUNDING,
               is_plate ? -1.0 : 1.0);
    if (is_plate) {
        make_cube(&b->shape);
    } else {
        make_hull(&b->shape, &b->mesh, cells);
    }
    measure(b);
    b->solid = box_mesh_solid(&b->mesh, TAL_KINEMATICS_FLOATING_FRAME);
    b->solid.density_kg_m3 = DENSITY;
    b->solid.young_pa = YOUNG;
    b->solid.poisson = POISSON;
}

static void create(rig *r) {
    static const tal_vec3 ground[4] = {{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}};
    static const int32_t triangle[6] = {0, 1, 2, 0, 2, 3}, class[2] = {0, 0}, number[2] = {0, 1};
    const tal_law law = {.kind = TAL_LAW_COULOMB};
    const tal_vec3 velocity[2] = {{0.0, 0.0, -r->speed}};
    const tal_quat upright[2] = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    tal_shape_input shape[2];
    tal_solid_input solid[2];
    tal_vec3 place[2], inertia[2];
    double mass[2];
    for (int k = 0; k < r->count; k++) {
        const block *b = &r->block[k];
        shape[k] = (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                                     .vertex_count = b->shape.vertex_count,
                                     .vertex = b->shape.vertex,
                                     .face_count = b->shape.face_count,
                                     .loop_size = b->shape.size,
                                     .loop_vertex = b->shape.corner};
        solid[k] = b->solid;
        place[k] = tal_vec3_make(0.0, 0.0, b->height);
        inertia[k] = b->inertia;
        mass[k] = b->mass;
    }
    tal_model_input in = {.shape_count = r->count,
                          .shape = shape,
                          .terrain_vertex_count = r->count == 1 ? 4 : 0,
                          .terrain_vertex_m = ground,
                          .terrain_triangle_count = r->count == 1 ? 2 : 0,
                          .terrain_triangle = triangle,
                          .terrain_class = class,
                          .body_count = r->count,
                          .body_shape = number,
                          .body_class = class,
                          .mass_kg = mass,
                          .inertia_kg_m2 = inertia,
                          .position_m = place,
                          .orientation = upright,
                          .velocity_mps = velocity,
                          .solid_count = r->count,
                          .solid = solid,
                          .body_solid = number,
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
    r->count = of.plate > 0 ? 2 : 1;
    make_block(&r->block[0], of.cells, of.grown, of.contact, false);
    if (r->count == 2) {
        make_block(&r->block[1], of.plate, of.plate_grown, of.contact, true);
    }
    set_reference(r, of.contact);
    create(r);
}

// (4/3 E* a^3/R) (3 - 2 nu)/(2 pi (1 - nu) E z/(1 - nu^2)) over a^2/R, the mean of both
static double lacking_of(const rig *r, double contact) {
    double sum = 0.0;
    for (int k = 0; k < r->count; k++) {
        sum += 4.0 / 3.0 * contact * (3.0 - 2.0 * POISSON) /
               (2.0 * TAL_PI * (1.0 - POISSON) * fabs(r->block[k].height));
    }
    return sum / r->count;
}

// How far the blocks are from each other, and how fast they part.
static double distance_of(const rig *r) {
    return r->state->position[0].z - (r->count == 2 ? r->state->position[1].z : 0.0);
}

static double parting_of(const rig *r) {
    return r->state->velocity[0].z - (r->count == 2 ? r->state->velocity[1].z : 0.0);
}

static blow strike(layout of) {
    static rig r;
    blow b = {0};
    begin(&r, of);
    b.lacking = lacking_of(&r, of.contact);
    const double start = distance_of(&r), h = r.time / STEPS;
    double velocity[2 * STEPS + 1] = {-r.speed};
    for (int k = 0; k < 2 * STEPS; k++) {
        tal_report report;
        check_ok(tal_step(r.model, r.state, &report, &check_error));
        assert_int_equal(report.unconverged_count, 0);
        velocity[k + 1] = parting_of(&r);
        const int from = k + 1 >= MEAN ? k + 1 - MEAN : 0;
        b.course[k] = r.mass * (velocity[k + 1] - velocity[from]) / (h * (k + 1 - from)) / r.force;
        b.force = fmax(b.force, b.course[k]);
        b.depth = fmax(b.depth, (start - distance_of(&r)) / r.depth);
        b.time = report.active_count > 0 ? report.time_s / r.time : b.time;
        b.contacts = report.active_count > b.contacts ? report.active_count : b.contacts;
    }
    b.rebound = velocity[2 * STEPS] / r.speed;
    tal_state_destroy(r.state);
    tal_model_destroy(r.model);
    for (int k = 0; k < r.count; k++) {
        box_mesh_destroy(&r.block[k].mesh);
    }
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
    double per_radius = (0.5 * of.cells - of.grown) / 1.5; // a/h
    if (of.plate > 0) {
        per_radius = fmin(per_radius, (0.5 * of.plate - of.plate_grown) / 1.5);
    }
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
    const blow two = check_blow((layout){8, 2, 0.06, 0, 0});
    const blow three = check_blow((layout){12, 3, 0.06, 0, 0});
    const blow four = check_blow((layout){16, 4, 0.06, 0, 0});
    const double first = fabs(three.force - two.force), second = fabs(four.force - three.force);
    assert_true(second < first * (1.0 / 9.0 - 1.0 / 16.0) / (1.0 / 4.0 - 1.0 / 9.0));
}

// As many cells in the contact, and as many more around it as its distance from the sides asks for.
static void a_smaller_contact_comes_nearer_to_hertz(void **unused) {
    (void)unused;
    const blow large = check_blow((layout){10, 2, 0.06, 0, 0}),
               half = check_blow((layout){12, 3, 0.03, 0, 0});
    check_near((large.force - 1.0) / (half.force - 1.0), 2.0, 0.5);
    check_near((large.time - 1.0) / (half.time - 1.0), 2.0, 0.5);
}

// A block with a rounded side strikes one with a flat side that deforms as much, and moves away.
static void two_blocks_that_deform_strike_as_hertz_says(void **unused) {
    (void)unused;
    const blow large = check_blow((layout){10, 2, 0.06, 8, 2}),
               half = check_blow((layout){12, 3, 0.03, 10, 3});
    assert_true(half.force - 1.0 < large.force - 1.0);
    assert_true(1.0 - half.time < 1.0 - large.time && 1.0 - half.depth < 1.0 - large.depth);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finer_meshes_converge_by_second_order_or_better),
        cmocka_unit_test(a_smaller_contact_comes_nearer_to_hertz),
        cmocka_unit_test(two_blocks_that_deform_strike_as_hertz_says)};
    if (argc < 4) {
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
    const layout of = {atoi(argv[1]), atoi(argv[3]), atof(argv[2]), argc > 5 ? atoi(argv[4]) : 0,
                       argc > 5 ? atoi(argv[5]) : 0};
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
