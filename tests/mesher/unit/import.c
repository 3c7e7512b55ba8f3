// SPDX-License-Identifier: GPL-3.0-or-later
// Rocks and tables of the user's own: good files, strange ones, broken ones.
#include "tests/support/check.h"

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "mesher/import/import.h"
#include "mesher/import/mesh_file.h"
#include "mesher/write/block_table.h"

static const char cube_obj[] = "# unit cube\n"
                               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                               "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                               "f 4 3 2 1\nf 5 6 7 8\nf 1/1 2/2 6/3 5/4\n"
                               "f 2//1 3//1 7//1 6//1\nf -6 -5 -1 -2\nf 4 1 5 8\n";

typedef struct {
    tal_block_set set;
    int32_t *block_class;
    tal_volume_mesh *volume;
    tal_class_names names;
    tal_import_report report;
    tal_settings settings;
    char path[TAL_PATH_SIZE];
} importer;

static void importer_destroy(importer *i) {
    tal_volume_meshes_destroy(i->volume, i->set.block_count);
    i->volume = NULL;
    tal_block_set_destroy(&i->set);
    tal_memory_destroy(i->block_class);
    tal_import_report_destroy(&i->report);
    i->block_class = NULL;
}

// Writes `text` to a file and imports it.
static tal_status import_bytes(importer *i, const char *name, const void *bytes, size_t length,
                               double unit) {
    memset(i, 0, sizeof *i);
    tal_output out;
    (void)tal_path_join(i->path, check_scratch(), name);
    check_ok(tal_output_open(&out, i->path, TAL_REPLACE, &check_error));
    tal_output_write(&out, bytes, length);
    check_ok(tal_output_commit(&out, &check_error));
    tal_settings_init(&i->settings);
    (void)snprintf(i->settings.mesh.import, sizeof i->settings.mesh.import, "%s\n", i->path);
    const tal_import_options options = {.settings = &i->settings,
                                        .unit_m = unit,
                                        .vertices_max = 60,
                                        .block_class = "rock",
                                        .density_kg_m3 = 2500};
    return tal_import(&i->set, &i->block_class, &i->volume, &i->names, &options, &i->report,
                      &check_error);
}

static tal_status import_text(importer *i, const char *name, const char *text, double unit) {
    return import_bytes(i, name, text, strlen(text), unit);
}

// ---- Rocks -----------------------------------------------------------------------------

static void obj_cube_in_millimetres_is_a_cube(void **state) {
    (void)state;
    importer i;
    check_ok(import_text(&i, "cube.obj", cube_obj, 1e-3));
    assert_int_equal(i.set.block_count, 1);
    check_near(i.set.block[0].volume, 1e-9, 1e-21);
    check_near(i.set.block[0].mass, 2500e-9, 1e-18);
    check_near(i.set.block[0].position.x, 0.5e-3, 1e-12);
    assert_int_equal(i.set.face_count, 6);
    assert_int_equal(i.report.solid[0].open_edges, 0);
    assert_int_equal(i.report.solid[0].crossings, 0);
    check_near(i.report.solid[0].file_volume, 1e-9, 1e-20);
    importer_destroy(&i);
}

static void obj_groups_are_rocks_of_their_own(void **state) {
    (void)state;
    tal_text text = {0};
    importer i;
    for (int k = 0; k < 3; k++) {
        const double x = 3.0 * k;
        tal_text_append(&text, "o rock%d\n", k);
        tal_text_append(&text, "v %g 0 0\nv %g 0 0\nv %g 1 0\nv %g 0 1\n", x, x + 1, x, x);
        tal_text_append(&text, "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -4 -1 -2\n");
    }
    check_ok(import_text(&i, "rocks.obj", tal_text_string(&text), 1));
    assert_int_equal(i.set.block_count, 3);
    for (int k = 0; k < 3; k++) {
        check_near(i.set.block[k].volume, 1.0 / 6, 1e-12);
        check_near(i.set.block[k].position.x, 3 * k + 0.25, 1e-12);
    }
    tal_text_destroy(&text);
    importer_destroy(&i);
}

static const char tetra_stl[] =
    "solid t\n"
    "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
    "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
    "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
    "endsolid t\n";

static void text_and_binary_stl_agree(void **state) {
    (void)state;
    importer i;
    check_ok(import_text(&i, "t.STL", tetra_stl, 1));
    check_near(i.set.block[0].volume, 1.0 / 6, 1e-12);
    assert_int_equal(i.report.solid[0].open_edges, 0);
    check_near(i.report.solid[0].file_volume, 1.0 / 6, 1e-12);
    importer_destroy(&i);
    const float facets[4][9] = {{0, 0, 0, 0, 1, 0, 1, 0, 0},
                                {0, 0, 0, 1, 0, 0, 0, 0, 1},
                                {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                {0, 0, 0, 0, 0, 1, 0, 1, 0}};
    unsigned char bytes[84 + 4 * 50] = "solid but binary";
    bytes[80] = 4;
    for (size_t k = 0; k < 4; k++) {
        memcpy(bytes + 84 + 50 * k + 12, facets[k], sizeof facets[k]);
    }
    check_ok(import_bytes(&i, "t.stl", bytes, sizeof bytes, 1));
    check_near(i.set.block[0].volume, 1.0 / 6, 1e-7);
    assert_int_equal(i.report.solid[0].open_edges, 0);
    importer_destroy(&i);
}

static void ply_in_three_encodings_agree(void **state) {
    (void)state;
    static const char header[] = "ply\nformat %s 1.0\ncomment a tetrahedron\nelement vertex 4\n"
                                 "property float x\nproperty float y\nproperty float z\n"
                                 "property uchar red\nelement face 4\n"
                                 "property list uchar int vertex_indices\n"
                                 "element extra 2\nproperty int n\nend_header\n";
    static const float vertices[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int format = 0; format < 3; format++) {
        tal_text text = {0};
        importer i;
        tal_text_append(&text, header, formats[format]);
        for (int v = 0; v < 4; v++) {
            for (int k = 0; k < 3; k++) {
                uint32_t bits;
                memcpy(&bits, &vertices[v][k], sizeof bits);
                bits = format == 2 ? __builtin_bswap32(bits) : bits;
                if (format == 0) {
                    tal_text_append(&text, "%g ", (double)vertices[v][k]);
                } else {
                    tal_text_append_bytes(&text, (const char *)&bits, sizeof bits);
                }
            }
            tal_text_append_bytes(&text, format == 0 ? "200\n" : "\xc8", format == 0 ? 4 : 1);
        }
        for (int f = 0; f < 4; f++) {
            tal_text_append_bytes(&text, format == 0 ? "3 " : "\x03", format == 0 ? 2 : 1);
            for (int k = 0; k < 3; k++) {
                uint32_t bits = (uint32_t)faces[f][k];
                bits = format == 2 ? __builtin_bswap32(bits) : bits;
                if (format == 0) {
                    tal_text_append(&text, "%d ", faces[f][k]);
                } else {
                    tal_text_append_bytes(&text, (const char *)&bits, sizeof bits);
                }
            }
        }
        check_ok(import_bytes(&i, "t.ply", text.bytes, text.length, 1));
        check_near(i.set.block[0].volume, 1.0 / 6, 1e-12);
        assert_int_equal(i.report.solid[0].open_edges, 0);
        importer_destroy(&i);
        tal_text_destroy(&text);
    }
}

static void strange_meshes_get_a_clear_answer(void **state) {
    (void)state;
    importer i;
    // Open: one face of the cube is missing.
    tal_text open = {0};
    tal_text_append_bytes(&open, cube_obj, strlen(cube_obj) - strlen("f 4 1 5 8\n"));
    check_ok(import_text(&i, "open.obj", tal_text_string(&open), 1));
    assert_int_equal(i.report.solid[0].open_edges, 4);
    assert_true(isnan(i.report.solid[0].file_volume));
    check_near(i.report.solid[0].hull_volume, 1, 1e-12);
    importer_destroy(&i);
    tal_text_destroy(&open);
    // Self-intersecting: two tetrahedra through each other, closed; the hull holds more.
    check_ok(
        import_text(&i, "crossed.obj",
                    "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nv 1 1 1\nv -1 1 1\nv 1 -1 1\nv 1 1 -1\n"
                    "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n",
                    1));
    assert_int_equal(i.report.solid[0].open_edges, 0);
    assert_true(i.report.solid[0].crossings > 0);
    assert_true(isnan(i.report.solid[0].file_volume));
    importer_destroy(&i);
    // Hollow without crossing: a tetrahedron with its floor pushed in by a third of a cubic metre.
    check_ok(import_text(&i, "hollow.obj",
                         "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nv 0.5 0.5 0.5\n"
                         "f 1 2 4\nf 2 3 4\nf 1 4 3\nf 1 3 5\nf 3 2 5\nf 2 1 5\n",
                         1));
    assert_int_equal(i.report.solid[0].crossings, 0);
    check_near(i.report.solid[0].hull_volume, 4.0 / 3, 1e-12);
    check_near(i.report.solid[0].file_volume, 4.0 / 3 - 2 * 0.5 / 3, 1e-12);
    importer_destroy(&i);
    check_fails(import_text(&i, "flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", 1),
                TAL_BAD_INPUT, "is flat");
    importer_destroy(&i);
    check_fails(import_text(&i, "empty.obj", "# nothing\n", 1), TAL_BAD_INPUT, "is empty");
    importer_destroy(&i);
    check_fails(import_text(&i, "empty.stl", "solid\nendsolid\n", 1), TAL_BAD_INPUT, "is empty");
    importer_destroy(&i);
    check_fails(import_text(&i, "void.ply", "", 1), TAL_BAD_INPUT, "end_header");
    importer_destroy(&i);
}

static void broken_files_name_the_line(void **state) {
    (void)state;
    importer i;
    const struct {
        const char *name, *text, *words;
    } cases[] = {
        {"a.obj", "v 0 0 0\nv 1 0 x\n", "a.obj:2: a vertex needs three numbers"},
        {"b.obj", "v 0 0 0\nf 1 2 3\n", "b.obj:2: a face names vertex 2"},
        {"c.obj", "v 0 0 0\nf 1 1\n", "c.obj:2: a face needs 3"},
        {"d.obj", "v 0 0 nan\n", "d.obj:1"},
        {"e.stl", "nothing of the kind", "is not an STL file"},
        {"f.ply", "plx\n", "does not begin with ply"},
        {"g.ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nend_header\n1\n",
         "lacks a finite"},
        {"h.ply",
         "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
         "property float z\nend_header\n1 2 3\n4 5\n",
         "the file ends"},
        {"i.ply", "ply\nformat ascii 1.0\nelement vertex -4\nend_header\n", "not understood"},
        {"j.ply", "ply\nformat morse 1.0\nend_header\n", "not understood"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        check_fails(import_text(&i, cases[k].name, cases[k].text, 1), TAL_BAD_INPUT,
                    cases[k].words);
        importer_destroy(&i);
    }
}

static void scanned_stones_import(void **state) {
    (void)state;
    const char *folder = check_data("scanned stones");
    static const char *const stones[] = {"rocks/A50.ply", "rocks/B43.ply", "rocks/D27.ply"};
    for (int k = 0; k < 3; k++) {
        importer i = {0};
        (void)tal_path_join(i.path, folder, stones[k]);
        tal_settings_init(&i.settings);
        (void)snprintf(i.settings.mesh.import, sizeof i.settings.mesh.import, "%s\n", i.path);
        const tal_import_options options = {.settings = &i.settings,
                                            .unit_m = 1e-3,
                                            .vertices_max = 60,
                                            .block_class = "rock",
                                            .density_kg_m3 = 2600,
                                            .has_position = true,
                                            .position = {10, 20, 30}};
        check_ok(tal_import(&i.set, &i.block_class, &i.volume, &i.names, &options, &i.report,
                            &check_error));
        const tal_import_solid *solid = &i.report.solid[0];
        print_message("%s: %lld vertices, %lld open edges, %lld crossings, volume %.3g, hull "
                      "%.3g, block %.3g m3\n",
                      solid->name, (long long)solid->vertex_count, (long long)solid->open_edges,
                      (long long)solid->crossings, solid->file_volume, solid->hull_volume,
                      solid->block_volume);
        assert_true(solid->hull_volume > 1e-4 && solid->hull_volume < 10);
        assert_true(solid->block_volume > 0.85 * solid->hull_volume);
        assert_true(solid->block_volume <= solid->hull_volume);
        check_near(i.set.block[0].position.x, 10, 1e-9);
        check_near(i.set.block[0].position.z, 30, 1e-9);
        const tal_surface surface = tal_block_set_surface(&i.set, 0);
        assert_null(tal_surface_fault(&surface, 1e-9));
        importer_destroy(&i);
    }
}

// ---- Meshes of elements ----------------------------------------------------------------

#define GMSH_HEAD "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"

// A hexahedron of 2 x 4 x 1 in study axes: its body axes begin with that of the least inertia, the longest.
static void a_gmsh_box_keeps_its_elements(void **state) {
    (void)state;
    importer i;
    const char *box = GMSH_HEAD
        "$Nodes\n1 8 1 8\n3 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n10 0 0\n12 0 0\n12 4 0\n10 4 0\n10 0 "
        "1\n12 0 1\n12 4 1\n10 4 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 5 1\n1 1 2 3 4 5 6 7 8\n"
        "$EndElements\n";
    check_ok(import_text(&i, "box.msh", box, 1));
    assert_int_equal(i.set.block_count, 1);
    check_near(i.set.block[0].volume, 8, 1e-12);
    check_near(i.set.block[0].position.x, 11, 1e-12);
    assert_int_equal(i.volume[0].node_count, 8);
    assert_int_equal(i.volume[0].element_count, 1);
    check_near(tal_volume_mesh_volume(&i.volume[0]), 8, 1e-12);
    for (int n = 0; n < 8; n++) {
        check_near(fabs(i.volume[0].node[n].x), 2, 1e-12);
        check_near(fabs(i.volume[0].node[n].y), 1, 1e-12);
        check_near(fabs(i.volume[0].node[n].z), 0.5, 1e-12);
    }
    importer_destroy(&i);
}

// Three of the five tetrahedra of a cube leave part of its hull empty.
static void elements_that_do_not_fill_their_hull_are_refused(void **state) {
    (void)state;
    importer i;
    const char *part = GMSH_HEAD
        "$Nodes\n1 8 1 8\n3 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 "
        "1\n1 1 1\n0 1 1\n$EndNodes\n$Elements\n1 4 1 4\n3 1 4 4\n1 1 2 4 5\n2 2 4 5 7\n3 3 4 2 "
        "7\n4 6 5 7 2\n$EndElements\n";
    check_fails(import_text(&i, "part.msh", part, 1), TAL_BAD_INPUT, "belongs to no element");
    const char *notched = GMSH_HEAD
        "$Nodes\n1 7 1 7\n3 1 0 7\n1\n2\n3\n4\n5\n6\n7\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 "
        "1\n1 1 1\n$EndNodes\n$Elements\n1 3 1 3\n3 1 4 3\n1 1 2 4 5\n3 3 4 2 7\n4 6 5 7 "
        "2\n$EndElements\n";
    check_fails(import_text(&i, "notched.msh", notched, 1), TAL_BAD_INPUT,
                "does not match the surface of a block");
    assert_null(i.volume);
}

// ---- Tables ----------------------------------------------------------------------------

static void table_gives_boxes_spheres_and_motion(void **state) {
    (void)state;
    importer i;
    check_ok(
        import_text(&i, "blocks.csv",
                    "# three blocks\n"
                    "x_m, y_m, z_m, length_m, width_m, height_m, radius_m, strike_deg, vx_mps, "
                    "wz_rps, density_kg_m3, class\n"
                    "10, 20, 30, 4, 2, 1, , 0, 3, 0.5, , \n"
                    "\n"
                    "50, 20, 30, , , , 1.5, , , , 7850, steel\r\n",
                    1));
    assert_int_equal(i.set.block_count, 2);
    assert_int_equal(i.report.row_count, 2);
    const tal_block *box = &i.set.block[0], *ball = &i.set.block[1];
    check_near(box->volume, 8, 1e-12);
    check_near(box->mass, 8 * 2500, 1e-8);
    check_near(box->velocity.x, 3, 0);
    check_near(box->angular_velocity.z, 0.5, 0);
    // The long edge points north: the vertex farthest along y is two metres off.
    double north = 0, east = 0;
    for (int32_t v = i.set.vertex_start[0]; v < i.set.vertex_start[1]; v++) {
        const tal_vec3 p = tal_quaternion_rotate(box->orientation, i.set.vertex[v]);
        north = fmax(north, p.y);
        east = fmax(east, p.x);
    }
    check_near(north, 2, 1e-12);
    check_near(east, 1, 1e-12);
    const double sphere = 4.0 / 3 * acos(-1) * 1.5 * 1.5 * 1.5;
    check_near(ball->volume, sphere, 1e-12);
    check_near(ball->mass, 7850 * sphere, 1e-6);
    check_near(ball->inertia[0], 0.4 * ball->mass * 2.25, 1e-6);
    check_near(ball->sphere_radius, 1.5, 0);
    assert_string_equal(i.names.name[i.block_class[1]], "steel");
    assert_string_equal(i.names.name[i.block_class[0]], "rock");
    importer_destroy(&i);
}

static void mistakes_of_a_table_are_reported_together(void **state) {
    (void)state;
    tal_block_table table;
    const char *text = "x_m;y_m;z_m;lenght_m;width_m;height_m;qw\n"
                       "1;2;three;4;5;6;1\n"
                       "1;2;3;4;5;6\n"
                       "1;2;3;4;0;6;2\n";
    tal_error_reset(&check_error);
    assert_int_equal(tal_block_table_parse(&table, text, "t.csv", &check_error), TAL_BAD_INPUT);
    const char *words[] = {"t.csv:1: column 'lenght_m' is not known; did you mean length_m?",
                           "t.csv:2: z_m = 'three' is not a number",
                           "t.csv:3: 6 values for 7 columns", "t.csv:4: a block needs length_m",
                           "t.csv:4: the quaternion has length 2"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strstr(check_error.text, words[k]) == NULL) {
            fail_msg("'%s' does not say '%s'", check_error.text, words[k]);
        }
    }
    check_fails(tal_block_table_parse(&table, "x_m,y_m\n", "u.csv", &check_error), TAL_BAD_INPUT,
                "x_m, y_m, z_m are needed");
    check_fails(tal_block_table_parse(&table, "# none\n", "v.csv", &check_error), TAL_BAD_INPUT,
                "holds no block");
}

// The granular layers of the thesis as a table: edge lengths, position, velocity, axes.
static void granular_layers_import_as_a_table(void **state) {
    (void)state;
    const char *folder = check_data("granular layers");
    char path[TAL_PATH_SIZE];
    char *sizes = NULL, *positions = NULL;
    size_t length;
    (void)tal_path_join(path, folder, "leon-layers/size_100.data");
    check_ok(tal_file_read(path, &sizes, &length, &check_error));
    (void)tal_path_join(path, folder, "leon-layers/position_100.data");
    check_ok(tal_file_read(path, &positions, &length, &check_error));
    tal_text text = {0};
    tal_text_append(&text, "x_m,y_m,z_m,length_m,width_m,height_m,vx_mps,vy_mps,vz_mps,"
                           "wx_rps,wy_rps,wz_rps,density_kg_m3\n");
    char *size_at = sizes, *at = positions;
    double mass = 0;
    for (int block = 0; block < 100; block++) {
        double edge[3], row[18];
        for (int k = 0; k < 3; k++) {
            edge[k] = strtod(size_at, &size_at);
        }
        for (int k = 0; k < 18; k++) {
            row[k] = strtod(at, &at);
        }
        mass += 5000 * edge[0] * edge[1] * edge[2];
        tal_text_append(&text, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,", row[0], row[1], row[2],
                        edge[0], edge[1], edge[2]);
        tal_text_append(&text, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,5000\n", row[3], row[4], row[5],
                        row[6], row[7], row[8]);
    }
    importer i;
    check_ok(import_text(&i, "layers.csv", tal_text_string(&text), 1));
    assert_int_equal(i.set.block_count, 100);
    double sum = 0;
    for (int b = 0; b < 100; b++) {
        sum += i.set.block[b].mass;
    }
    check_near(sum, mass, 1e-9 * mass);
    importer_destroy(&i);
    tal_text_destroy(&text);
    tal_memory_destroy(sizes);
    tal_memory_destroy(positions);
}

int main(void) {
    tal_log_init("test", TAL_LOG_QUIET);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_cube_in_millimetres_is_a_cube),
        cmocka_unit_test(obj_groups_are_rocks_of_their_own),
        cmocka_unit_test(text_and_binary_stl_agree),
        cmocka_unit_test(ply_in_three_encodings_agree),
        cmocka_unit_test(strange_meshes_get_a_clear_answer),
        cmocka_unit_test(broken_files_name_the_line),
        cmocka_unit_test(scanned_stones_import),
        cmocka_unit_test(table_gives_boxes_spheres_and_motion),
        cmocka_unit_test(mistakes_of_a_table_are_reported_together),
        cmocka_unit_test(a_gmsh_box_keeps_its_elements),
        cmocka_unit_test(elements_that_do_not_fill_their_hull_are_refused),
        cmocka_unit_test(granular_layers_import_as_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
