// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks made of finite elements for ParaView: VTK XML unstructured grids.
#include "postproc/write/paraview_elements.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geo/netcdf_file.h"
#include "postproc/write/vtk_array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TETRAHEDRON = 10, HEXAHEDRON = 12, CORNERS = 8, STRESSES = 4 };

typedef struct {
    size_t node_count, element_count, corner_count;
    int32_t *node_start, *element_start, *element_node; // as in blocks.nc
    double *node;                                       // body axes
    int32_t *connectivity, *offset, *type, *block;
    double *displacement, *stress; // of a frame
    float *point, *moved, *principal, *von_mises;
} element_room;

static void room_destroy(element_room *r) {
    void *all[] = {r->node_start,   r->element_start, r->element_node, r->node,
                   r->connectivity, r->offset,        r->type,         r->block,
                   r->displacement, r->stress,        r->point,        r->moved,
                   r->principal,    r->von_mises};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tal_memory_destroy(all[i]);
    }
}

static bool is_rising(const int32_t *start, int32_t count, size_t end) {
    bool good = start[0] == 0 && (size_t)start[count] == end;
    for (int32_t b = 0; good && b < count; b++) {
        good = start[b] <= start[b + 1];
    }
    return good;
}

static tal_status read_mesh(element_room *r, tal_netcdf *file, int32_t blocks, tal_error *err) {
    const size_t count = (size_t)blocks + 1;
    TAL_TRY(tal_netcdf_get_length(file, "mesh_node", &r->node_count, err));
    TAL_TRY(tal_netcdf_get_length(file, "element", &r->element_count, err));
    TAL_CREATE(r->node_start, count, "the elements", err);
    TAL_CREATE(r->element_start, count, "the elements", err);
    TAL_CREATE(r->node, 3 * r->node_count, "the elements", err);
    TAL_CREATE(r->element_node, CORNERS * r->element_count, "the elements", err);
    TAL_TRY(tal_netcdf_get_ints(file, "mesh_node_start", r->node_start, count, err));
    TAL_TRY(tal_netcdf_get_ints(file, "element_start", r->element_start, count, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "mesh_node", r->node, 3 * r->node_count, err));
    TAL_TRY(tal_netcdf_get_ints(file, "element_node", r->element_node, CORNERS * r->element_count,
                                err));
    return is_rising(r->node_start, blocks, r->node_count) &&
                   is_rising(r->element_start, blocks, r->element_count)
               ? TAL_OK
               : TAL_FAIL(err, TAL_BAD_INPUT, "%s: the elements of its blocks are out of order",
                          file->path);
}

static tal_status make_cells(element_room *r, int32_t blocks, const char *path, tal_error *err) {
    TAL_CREATE(r->connectivity, CORNERS * r->element_count, "the elements", err);
    TAL_CREATE(r->offset, r->element_count, "the elements", err);
    TAL_CREATE(r->type, r->element_count, "the elements", err);
    TAL_CREATE(r->block, r->element_count, "the elements", err);
    for (int32_t b = 0; b < blocks; b++) {
        const int32_t nodes = r->node_start[b + 1] - r->node_start[b];
        for (int32_t e = r->element_start[b]; e < r->element_start[b + 1]; e++) {
            const int32_t *corner = &r->element_node[CORNERS * e];
            const int count = corner[4] < 0 ? 4 : CORNERS;
            for (int c = 0; c < count; c++) {
                if (corner[c] < 0 || corner[c] >= nodes) {
                    return TAL_FAIL(err, TAL_BAD_INPUT, "%s: element %d names node %d of %d", path,
                                    (int)e, (int)corner[c], (int)nodes);
                }
                r->connectivity[r->corner_count++] = r->node_start[b] + corner[c];
            }
            r->offset[e] = (int32_t)r->corner_count;
            r->type[e] = count == 4 ? TETRAHEDRON : HEXAHEDRON;
            r->block[e] = b;
        }
    }
    return TAL_OK;
}

static tal_status make_room(element_room *r, tal_error *err) {
    TAL_CREATE(r->displacement, 3 * r->node_count, "a frame of elements", err);
    TAL_CREATE(r->stress, STRESSES * r->element_count, "a frame of elements", err);
    TAL_CREATE(r->point, 3 * r->node_count, "a frame of elements", err);
    TAL_CREATE(r->moved, 3 * r->node_count, "a frame of elements", err);
    TAL_CREATE(r->principal, 3 * r->element_count, "a frame of elements", err);
    TAL_CREATE(r->von_mises, r->element_count, "a frame of elements", err);
    return TAL_OK;
}

static tal_status open_mesh(element_room *r, const tal_back_analysis *a, tal_error *err) {
    char folder[TAL_PATH_SIZE], path[TAL_PATH_SIZE];
    tal_netcdf file = {.id = -1};
    tal_path_folder(folder, a->motion.stress.path);
    if (!tal_path_join(path, folder, "blocks.nc")) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: the path is too long", folder);
    }
    TAL_TRY(tal_netcdf_open(&file, path, err));
    tal_status status = read_mesh(r, &file, a->blocks.count, err);
    tal_netcdf_close(&file);
    status = status == TAL_OK ? make_cells(r, a->blocks.count, path, err) : status;
    return status == TAL_OK ? make_room(r, err) : status;
}

static void place_nodes(element_room *r, const tal_back_analysis *a, int32_t frame) {
    for (int32_t b = 0; b < a->blocks.count; b++) {
        const size_t at = tal_run_record_index(&a->motion, frame, b);
        double turn[4];
        for (size_t i = 0; i < 4; i++) {
            turn[i] = (double)a->motion.orientation[4 * at + i];
        }
        const tal_mat3 m = tal_block_turn(turn);
        for (int32_t n = r->node_start[b]; n < r->node_start[b + 1]; n++) {
            const double *own = &r->node[3 * n];
            const tal_vec3 x = tal_mat3_apply(&m, tal_vec3_make(own[0], own[1], own[2]));
            const double place[3] = {x.x, x.y, x.z};
            for (int i = 0; i < 3; i++) {
                r->moved[3 * n + i] = (float)r->displacement[3 * n + i];
                r->point[3 * n + i] = (float)(place[i] + r->displacement[3 * n + i] +
                                              (double)a->motion.position[3 * at + (size_t)i]);
            }
        }
    }
}

static tal_status read_frame(element_room *r, const tal_back_analysis *a, tal_netcdf *run,
                             int32_t frame, tal_error *err) {
    const size_t start[3] = {(size_t)frame, 0, 0};
    const size_t nodes[3] = {1, r->node_count, 3}, elements[3] = {1, r->element_count, STRESSES};
    TAL_TRY(tal_netcdf_get_slab(run, "displacement", 3, start, nodes, r->displacement, err));
    TAL_TRY(tal_netcdf_get_slab(run, "stress", 3, start, elements, r->stress, err));
    place_nodes(r, a, frame);
    for (size_t e = 0; e < r->element_count; e++) {
        for (size_t k = 0; k < 3; k++) {
            r->principal[3 * e + k] = (float)r->stress[STRESSES * e + k];
        }
        r->von_mises[e] = (float)r->stress[STRESSES * e + 3];
    }
    return TAL_OK;
}

static tal_status write_grid(const element_room *r, const tal_origin *origin, const char *path,
                             tal_overwrite overwrite, tal_error *err) {
    const tal_vtk_array all[] = {
        {"displacement_m", "Float32", 3, 3 * r->node_count, r->moved},
        {"block", "Int32", 1, r->element_count, r->block},
        {"principal_stress_pa", "Float32", 3, 3 * r->element_count, r->principal},
        {"von_mises_pa", "Float32", 1, r->element_count, r->von_mises},
        {"points", "Float32", 3, 3 * r->node_count, r->point},
        {"connectivity", "Int32", 1, r->corner_count, r->connectivity},
        {"offsets", "Int32", 1, r->element_count, r->offset},
        {"types", "Int32", 1, r->element_count, r->type}};
    static const char *const BEFORE[] = {
        "<PointData>\n",           "</PointData>\n<CellData>\n", "", "",
        "</CellData>\n<Points>\n", "</Points>\n<Cells>\n",       "", ""};
    tal_output out;
    uint64_t offset = 0;
    TAL_TRY(tal_output_open(&out, path, overwrite, err));
    tal_vtk_print_head(&out, "UnstructuredGrid", origin);
    tal_output_print(&out, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n", r->node_count,
                     r->element_count);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        tal_output_print(&out, "%s", BEFORE[k]);
        tal_vtk_print_array(&out, &all[k], &offset);
    }
    tal_output_print(&out, "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData "
                           "encoding=\"raw\">\n_");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        tal_vtk_write_array(&out, &all[k]);
    }
    tal_output_print(&out, "\n</AppendedData>\n</VTKFile>\n");
    return tal_output_commit(&out, err);
}

static int32_t choose_stride(const element_room *r, int32_t frames, double mb_max) {
    const double frame = 24.0 * (double)r->node_count + 4.0 * (double)r->corner_count +
                         28.0 * (double)r->element_count;
    const double fitting = fmax(2.0, floor(mb_max * 1e6 / (frame + 2000.0)));
    return (int32_t)fmax(1.0, ceil((double)frames / fitting));
}

static tal_status write_frames(element_room *r, const tal_back_analysis *a, tal_netcdf *run,
                               double mb_max, const tal_output_place *place, tal_text *list,
                               tal_error *err) {
    const int32_t last = a->motion.frame_count - 1;
    const int32_t stride = choose_stride(r, last + 1, mb_max);
    for (int32_t wanted = 0, number = 0;; wanted += stride, number++) {
        const int32_t frame = wanted < last ? wanted : last;
        char name[64], path[TAL_PATH_SIZE];
        (void)snprintf(name, sizeof name, "paraview/elements_%05d.vtu", (int)number);
        TAL_TRY(tal_output_path(place, name, path, err));
        TAL_TRY(tal_interrupt_check(err));
        TAL_TRY(read_frame(r, a, run, frame, err));
        TAL_TRY(write_grid(r, &a->survey.origin, path, place->overwrite, err));
        tal_text_append(list, "<DataSet timestep=\"%.9g\" part=\"0\" file=\"%s\"/>\n",
                        a->motion.time[frame], name);
        if (frame == last) {
            return TAL_OK;
        }
    }
}

static tal_status write_all(const tal_back_analysis *a, tal_netcdf *run, double mb_max,
                            const tal_output_place *place, tal_error *err) {
    element_room r = {0};
    tal_text list = {0};
    tal_status status = open_mesh(&r, a, err);
    tal_text_append(&list, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
                           "version=\"1.0\">\n<Collection>\n");
    if (status == TAL_OK) {
        status = write_frames(&r, a, run, mb_max, place, &list, err);
    }
    tal_text_append(&list, "</Collection>\n</VTKFile>\n");
    room_destroy(&r);
    return tal_output_write_made(place, "elements.pvd", &list, status, err);
}

tal_status tal_paraview_write_elements(const tal_back_analysis *a, double mb_max,
                                       const tal_output_place *place, tal_error *err) {
    tal_netcdf run = {.id = -1};
    if (!(mb_max > 0.0) || a->motion.stress.soft_count == 0) {
        return TAL_OK;
    }
    TAL_TRY(tal_netcdf_open(&run, a->motion.stress.path, err));
    const tal_status status = tal_netcdf_has(&run, "displacement")
                                  ? write_all(a, &run, mb_max, place, err)
                                  : TAL_OK; // pseudo-rigid blocks have no mesh
    tal_netcdf_close(&run);
    return status;
}
