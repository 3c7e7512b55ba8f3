// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes of Gmsh: a box of twelve tetrahedra and one of a hexahedron, and what is wrong with others.
#include "tests/support/check.h"

#include "core/base/memory.h"
#include "mesher/import/gmsh_file.h"

#define HEAD "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES                                                                                      \
    "$Nodes\n1 8 1 8\n3 1 0 8\n1\n2\n3\n4\n5\n6\n7\n18\n0 0 0\n2 0 0\n2 1 0\n0 1 0\n0 0 1\n2 0 "   \
    "1\n2 1 1\n0 1 1\n$EndNodes\n"
#define ELEMENT(corners) "$Elements\n1 1 1 1\n3 1 5 1\n1 " corners "\n$EndElements\n"

static tal_status parse(tal_volume_mesh *mesh, const char *text) {
    return tal_gmsh_file_parse(mesh, text, strlen(text), "box.msh", &check_error);
}

static void give_back(tal_volume_mesh *mesh) {
    tal_memory_destroy(mesh->node);
    tal_memory_destroy(mesh->element);
}

static void a_hexahedron_is_read(void **unused) {
    (void)unused;
    tal_volume_mesh mesh;
    check_ok(parse(&mesh, HEAD NODES ELEMENT("1 2 3 4 5 6 7 18")));
    assert_int_equal(mesh.node_count, 8);
    assert_int_equal(mesh.element_count, 1);
    assert_int_equal(mesh.element[7], 7); // node 18 is the eighth
    check_near(tal_volume_mesh_volume(&mesh), 2.0, 1e-15);
    check_near(mesh.node[6].x, 2.0, 0.0);
    give_back(&mesh);
}

// The file of the fuzz target: tetrahedra about a node within, two faces that do not count.
static void tetrahedra_are_read(void **unused) {
    (void)unused;
    char path[512];
    tal_volume_mesh mesh;
    snprintf(path, sizeof path, "%s/tests/mesher/fuzz/seeds/gmsh_file/box.msh",
             getenv("TALUS_SOURCE"));
    assert_true(tal_gmsh_file_is_known(path));
    check_ok(tal_gmsh_file_read(&mesh, path, &check_error));
    assert_int_equal(mesh.node_count, 9);
    assert_int_equal(mesh.element_count, 12);
    assert_int_equal(mesh.element[4], -1);
    check_near(tal_volume_mesh_volume(&mesh), 2.0, 1e-15);
    give_back(&mesh);
}

static void what_is_wrong_is_named_with_its_line(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"", "holds no tetrahedra"},
        {"solid\n", "box.msh:1: a Gmsh file begins with $MeshFormat"},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "box.msh:2: only version 4.1 as text"},
        {"$MeshFormat\n4.1 1 8\n", "box.msh:2: only version 4.1 as text"},
        {HEAD NODES ELEMENT("2 1 3 4 5 6 7 18"), "box.msh:27: this element is flat or inside out"},
        {HEAD NODES ELEMENT("1 2 3 4 5 6 7 8"),
         "box.msh:27: an element names node 8, which is not"},
        {HEAD NODES ELEMENT("1 2 3 4 5 6 7"),
         "box.msh:27: an element needs its number and 8 nodes"},
        {HEAD NODES "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 5\n$EndElements\n",
         "box.msh:18: this node belongs to no element"},
        {HEAD NODES "$Elements\n1 1 1 1\n3 1 11 1\n1 1 2 3 5\n$EndElements\n",
         "box.msh:26: elements of type 11 are not known"},
        {HEAD NODES "$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 4 5\n2 3 18 7 6\n$EndElements\n",
         "is in another piece"},
        {HEAD NODES "$Elements\n1 2 1 2\n3 1 5 2\n1 1 2 3 4 5 6 7 18\n$EndElements\n",
         "box.msh:28: an element must stand here"},
        {HEAD
         "$Nodes\n1 2 1 2\n3 1 0 2\n1\n1\n0 0 0\n1 0 0\n$EndNodes\n" ELEMENT("1 1 1 1 1 1 1 1"),
         "node 1 stands in the file twice"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 nan 0\n", "box.msh:8: a node needs three"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 1e30\n", "must be four whole numbers"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 99999999\n", "1e+08 nodes cannot be"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        tal_volume_mesh mesh;
        check_fails(parse(&mesh, wrong[k].text), TAL_BAD_INPUT, wrong[k].words);
        assert_null(mesh.node);
        assert_null(mesh.element);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hexahedron_is_read),
        cmocka_unit_test(tetrahedra_are_read),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
