// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes: what is accepted, what is derived from it, and what each fault is called.
#include "tests/solver/unit/geometry_fixture.h"

#include "core/base/fault.h"

static void refuse(const solid *s, const char *expected) {
    const tal_shape_input input = solid_input(s);
    tal_shapes shapes;
    tal_error err;
    assert_int_equal(tal_shapes_create(&shapes, &input, 1, &err), TAL_BAD_INPUT);
    if (strstr(err.text, expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", err.text, expected);
    }
    assert_null(shapes.vertex);
}

static void box_has_the_counts_and_planes_of_a_box(void **state) {
    (void)state;
    const solid box = make_box(2.0, 4.0, 6.0);
    const tal_shape_input input = solid_input(&box);
    tal_shapes s;
    tal_error err;
    assert_int_equal(tal_shapes_create(&s, &input, 1, &err), TAL_OK);
    assert_int_equal(s.vertex_start[1], 8);
    assert_int_equal(s.face_start[1], 6);
    assert_int_equal(s.edge_start[1], 12);
    assert_near(s.bounding_radius[0], sqrt(1.0 + 4.0 + 9.0), 1e-15);
    assert_near(s.smallest_edge[0], 2.0, 0.0);
    for (int32_t f = 0; f < 6; f++) {
        const tal_vec3 n = s.face_normal[f];
        assert_near(s.face_offset[f], fabs(n.x) * 1.0 + fabs(n.y) * 2.0 + fabs(n.z) * 3.0, 1e-15);
        assert_near(s.face_area[f], fabs(n.x) * 24.0 + fabs(n.y) * 12.0 + fabs(n.z) * 8.0, 1e-13);
    }
    tal_shapes_destroy(&s);
}

static void edges_run_along_the_cross_product_of_their_normals(void **state) {
    (void)state;
    const solid rock = make_rock(tal_random_stream(5, 0, "rock"), 1, 12, (tal_vec3){1, 2, 3});
    const tal_shape_input input = solid_input(&rock);
    tal_shapes s;
    tal_error err;
    assert_int_equal(tal_shapes_create(&s, &input, 1, &err), TAL_OK);
    assert_int_equal(s.vertex_start[1] - s.edge_start[1] + s.face_start[1], 2);
    for (int32_t e = 0; e < s.edge_start[1]; e++) {
        const tal_vec3 along =
            tal_vec3_subtract(s.vertex[s.edge_vertex[2 * e + 1]], s.vertex[s.edge_vertex[2 * e]]);
        const tal_vec3 n = tal_vec3_cross(s.face_normal[s.edge_face[2 * e]],
                                          s.face_normal[s.edge_face[2 * e + 1]]);
        assert_true(tal_vec3_dot(n, along) > 0.0);
        assert_near(
            tal_vec3_length(tal_vec3_cross(tal_vec3_normalize(n), tal_vec3_normalize(along))), 0.0,
            1e-9);
    }
    for (int32_t f = 0; f < s.face_start[1]; f++) {
        for (int32_t k = s.loop_start[f]; k < s.loop_start[f + 1]; k++) {
            const int32_t next = k + 1 < s.loop_start[f + 1] ? k + 1 : s.loop_start[f];
            const int32_t e = s.loop_edge[k];
            const int32_t a = s.face_vertex[k], b = s.face_vertex[next];
            const int32_t p = s.edge_vertex[2 * e], q = s.edge_vertex[2 * e + 1];
            assert_true((a == p && b == q) || (a == q && b == p));
        }
    }
    tal_shapes_destroy(&s);
}

static void triangulated_cube_gets_its_six_faces_back(void **state) {
    (void)state;
    const solid box = make_box(1.0, 1.0, 1.0);
    solid cut = box;
    cut.face_count = 12;
    for (int32_t f = 0; f < 6; f++) {
        const int32_t *l = &box.loop_vertex[4 * f];
        const int32_t two[6] = {l[0], l[1], l[2], l[0], l[2], l[3]};
        memcpy(&cut.loop_vertex[6 * f], two, sizeof two);
        cut.loop_size[2 * f] = cut.loop_size[2 * f + 1] = 3;
    }
    const tal_shape_input input = solid_input(&cut);
    tal_shapes s;
    tal_error err;
    assert_int_equal(tal_shapes_create(&s, &input, 1, &err), TAL_OK);
    assert_int_equal(s.face_start[1], 6);
    assert_int_equal(s.edge_start[1], 12);
    for (int32_t f = 0; f < 6; f++) {
        assert_int_equal(s.loop_start[f + 1] - s.loop_start[f], 4);
        assert_near(s.face_area[f], 1.0, 1e-15);
    }
    tal_shapes_destroy(&s);
}

static void sphere_has_a_radius_and_no_vertices(void **state) {
    (void)state;
    const tal_shape_input inputs[2] = {{.kind = TAL_SHAPE_SPHERE, .radius = 0.254},
                                       {.kind = TAL_SHAPE_SPHERE, .radius = -1.0}};
    tal_shapes s;
    tal_error err;
    assert_int_equal(tal_shapes_create(&s, inputs, 1, &err), TAL_OK);
    assert_near(s.bounding_radius[0], 0.254, 0.0);
    assert_near(s.smallest_edge[0], 0.508, 0.0);
    assert_int_equal(s.vertex_start[1], 0);
    tal_shapes_destroy(&s);
    assert_int_equal(tal_shapes_create(&s, inputs, 2, &err), TAL_BAD_INPUT);
    assert_non_null(strstr(err.text, "shape 1: the radius of a sphere is -1"));
}

static void faults_are_named(void **state) {
    (void)state;
    const solid box = make_box(1.0, 1.0, 1.0);
    solid s = box;
    s.face_count = 5;
    refuse(&s, "open at the edge");
    s = box;
    for (int32_t f = 0; f < 6; f++) {
        const int32_t swap = s.loop_vertex[4 * f + 1];
        s.loop_vertex[4 * f + 1] = s.loop_vertex[4 * f + 3];
        s.loop_vertex[4 * f + 3] = swap;
    }
    refuse(&s, "inside out");
    s = box;
    s.loop_vertex[1] = box.loop_vertex[3];
    s.loop_vertex[3] = box.loop_vertex[1];
    refuse(&s, "in the same direction");
    s = box;
    s.vertex[7].x += 1e-6;
    refuse(&s, "not planar");
    s = box;
    s.vertex[3].y = NAN;
    refuse(&s, "coordinates must be finite");
    s = box;
    s.loop_vertex[5] = 8;
    refuse(&s, "names vertex 8");
    s = box;
    s.loop_vertex[5] = s.loop_vertex[4];
    refuse(&s, "twice");
    s = box;
    s.loop_size[2] = 2;
    refuse(&s, "face 2 has 2 corners");
    s = box;
    s.vertex[s.vertex_count++] = s.vertex[0];
    refuse(&s, "the same point");
    s = box;
    s.vertex_count = 3;
    refuse(&s, "at least 4 of each");
}

// A pyramid over a square whose tip is pushed through the base: closed, but not convex.
static void more_corners_than_can_be_numbered_are_refused(void **state) {
    (void)state;
    enum { FACES = 65535 / 3 + 1 };
    const solid box = make_box(1, 1, 1);
    int32_t *loop_size = test_malloc(FACES * sizeof *loop_size);
    int32_t *loop_vertex = test_malloc(3 * FACES * sizeof *loop_vertex);
    tal_vec3 *vertex = test_calloc(65536, sizeof *vertex);
    for (int32_t k = 0; k < 3 * FACES; k++) {
        loop_size[k / 3] = 3;
        loop_vertex[k] = k % 3;
    }
    tal_shape_input many = solid_input(&box);
    many.face_count = FACES;
    many.loop_size = loop_size;
    many.loop_vertex = loop_vertex;
    tal_shapes shapes;
    tal_error err;
    assert_int_equal(tal_shapes_create(&shapes, &many, 1, &err), TAL_BAD_INPUT);
    assert_non_null(strstr(err.text, "shape 0: more than 65535 corners"));
    tal_shape_input large = solid_input(&box);
    large.vertex = vertex;
    large.vertex_count = 65536;
    assert_int_equal(tal_shapes_create(&shapes, &large, 1, &err), TAL_BAD_INPUT);
    assert_non_null(strstr(err.text, "shape 0: 65536 vertices"));
    test_free(loop_size);
    test_free(loop_vertex);
    test_free(vertex);
}

static void dented_shape_is_not_convex(void **state) {
    (void)state;
    solid s = make_box(1.0, 1.0, 1.0);
    // The top face becomes four triangles that meet at a vertex below it.
    const int32_t loops[] = {0, 2, 3, 1, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2,
                             1, 3, 7, 5, 4, 5, 8, 5, 7, 8, 7, 6, 8, 6, 4, 8};
    const int32_t sizes[] = {4, 4, 4, 4, 4, 3, 3, 3, 3};
    memcpy(s.loop_vertex, loops, sizeof loops);
    memcpy(s.loop_size, sizes, sizeof sizes);
    s.face_count = 9;
    s.vertex[s.vertex_count++] = (tal_vec3){0.0, 0.0, 0.4};
    refuse(&s, "not convex");
    s.vertex[8].z = 0.6;
    const tal_shape_input input = solid_input(&s);
    tal_shapes shapes;
    tal_error err;
    assert_int_equal(tal_shapes_create(&shapes, &input, 1, &err), TAL_OK);
    tal_shapes_destroy(&shapes);
}

static void faults_of_several_shapes_are_reported_together(void **state) {
    (void)state;
    solid first = make_box(1, 1, 1), second = make_box(1, 1, 1), third = make_box(1, 1, 1);
    first.vertex[0].x = NAN;
    third.face_count = 5;
    const tal_shape_input inputs[3] = {solid_input(&first), solid_input(&second),
                                       solid_input(&third)};
    tal_shapes shapes;
    tal_error err;
    assert_int_equal(tal_shapes_create(&shapes, inputs, 3, &err), TAL_BAD_INPUT);
    assert_non_null(strstr(err.text, "shape 0: vertex 0"));
    assert_null(strstr(err.text, "shape 1"));
    assert_non_null(strstr(err.text, "shape 2: open"));
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    tal_error err;
    for (long nth = 1;; nth++) {
        tal_shapes shapes;
        tal_fault_arm(TAL_FAULT_ALLOCATION, nth, false);
        const tal_status status = tal_shapes_create(&shapes, &input, 1, &err);
        const long struck = tal_fault_count();
        tal_fault_disarm();
        if (struck == 0) {
            assert_int_equal(status, TAL_OK);
            tal_shapes_destroy(&shapes);
            assert_true(nth > 20);
            return;
        }
        assert_int_equal(status, TAL_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_has_the_counts_and_planes_of_a_box),
        cmocka_unit_test(edges_run_along_the_cross_product_of_their_normals),
        cmocka_unit_test(triangulated_cube_gets_its_six_faces_back),
        cmocka_unit_test(sphere_has_a_radius_and_no_vertices),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(more_corners_than_can_be_numbered_are_refused),
        cmocka_unit_test(dented_shape_is_not_convex),
        cmocka_unit_test(faults_of_several_shapes_are_reported_together),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
