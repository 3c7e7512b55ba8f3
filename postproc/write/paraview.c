// SPDX-License-Identifier: GPL-3.0-or-later
// The motion for ParaView: VTK XML poly data with raw appended arrays.
#include "postproc/write/paraview.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "postproc/write/vtk_array.h"

#include <math.h>
#include <stdio.h>

enum { ARRAYS_MAX = 12 };

// A mesh of polygons with numbers on its cells.
typedef struct {
    size_t point_count, cell_count;
    tal_vtk_array points, connectivity, offsets;
    tal_vtk_array cell[ARRAYS_MAX];
    int cell_array_count;
    const tal_origin *origin;
} poly_data;

static tal_status write_poly_data(const char *path, const poly_data *p, tal_overwrite overwrite,
                                  tal_error *err) {
    tal_output out;
    uint64_t offset = 0;
    TAL_TRY(tal_output_open(&out, path, overwrite, err));
    tal_vtk_print_head(&out, "PolyData", p->origin);
    tal_output_print(&out,
                     "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                     "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n<CellData%s>\n",
                     p->point_count, p->cell_count,
                     p->cell_array_count > 1 ? " Scalars=\"speed_mps\"" : "");
    for (int i = 0; i < p->cell_array_count; i++) {
        tal_vtk_print_array(&out, &p->cell[i], &offset);
    }
    tal_output_print(&out, "</CellData>\n<Points>\n");
    tal_vtk_print_array(&out, &p->points, &offset);
    tal_output_print(&out, "</Points>\n<Polys>\n");
    tal_vtk_print_array(&out, &p->connectivity, &offset);
    tal_vtk_print_array(&out, &p->offsets, &offset);
    tal_output_print(&out, "</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < p->cell_array_count; i++) {
        tal_vtk_write_array(&out, &p->cell[i]);
    }
    tal_vtk_write_array(&out, &p->points);
    tal_vtk_write_array(&out, &p->connectivity);
    tal_vtk_write_array(&out, &p->offsets);
    tal_output_print(&out, "\n</AppendedData>\n</VTKFile>\n");
    return tal_output_commit(&out, err);
}

// Everything of a frame; the lists of corners are the same in all.
typedef struct {
    float *point;
    int32_t *connectivity, *offset, *block;
    float *velocity, *speed, *energy, *volume;
    size_t point_count, corner_count, face_count;
    tal_vec3 *vertex;
} frame_room;

static void frame_room_destroy(frame_room *r) {
    void *all[] = {r->point, r->connectivity, r->offset, r->block, r->velocity,
                   r->speed, r->energy,       r->volume, r->vertex};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tal_memory_destroy(all[i]);
    }
}

static tal_status frame_room_create(frame_room *r, const tal_blocks *blocks, tal_error *err) {
    r->point_count = (size_t)blocks->vertex_start[blocks->count];
    r->face_count = (size_t)blocks->face_start[blocks->count];
    r->corner_count = (size_t)blocks->corner_start[r->face_count];
    TAL_CREATE(r->point, 3 * r->point_count + 1, "a frame for ParaView", err);
    TAL_CREATE(r->connectivity, r->corner_count + 1, "a frame for ParaView", err);
    TAL_CREATE(r->offset, r->face_count + 1, "a frame for ParaView", err);
    TAL_CREATE(r->block, r->face_count + 1, "a frame for ParaView", err);
    TAL_CREATE(r->velocity, 3 * r->face_count + 1, "a frame for ParaView", err);
    TAL_CREATE(r->speed, r->face_count + 1, "a frame for ParaView", err);
    TAL_CREATE(r->energy, r->face_count + 1, "a frame for ParaView", err);
    TAL_CREATE(r->volume, r->face_count + 1, "a frame for ParaView", err);
    TAL_CREATE(r->vertex, (size_t)blocks->vertex_count_max + 1, "a frame for ParaView", err);
    for (int32_t b = 0; b < blocks->count; b++) {
        for (int32_t f = blocks->face_start[b]; f < blocks->face_start[b + 1]; f++) {
            r->block[f] = b;
            r->volume[f] = (float)blocks->volume[b];
            r->offset[f] = blocks->corner_start[f + 1];
            for (int32_t c = blocks->corner_start[f]; c < blocks->corner_start[f + 1]; c++) {
                r->connectivity[c] = blocks->vertex_start[b] + blocks->corner[c];
            }
        }
    }
    return TAL_OK;
}

static void fill_frame(frame_room *r, const tal_back_analysis *a, int32_t frame) {
    const tal_blocks *blocks = &a->blocks;
    for (int32_t b = 0; b < blocks->count; b++) {
        const tal_surface block = tal_blocks_pose_frame(blocks, &a->motion, b, frame, r->vertex);
        float *point = &r->point[3 * (size_t)blocks->vertex_start[b]];
        for (int32_t v = 0; v < block.vertex_count; v++) {
            point[3 * v] = (float)block.vertex[v].x;
            point[3 * v + 1] = (float)block.vertex[v].y;
            point[3 * v + 2] = (float)block.vertex[v].z;
        }
        double translation, rotation;
        tal_blocks_energy(blocks, &a->motion, b, frame, &translation, &rotation);
        const float *v = &a->motion.velocity[3 * tal_run_record_index(&a->motion, frame, b)];
        for (int32_t f = blocks->face_start[b]; f < blocks->face_start[b + 1]; f++) {
            r->energy[f] = (float)((translation + rotation) / 1000.0);
            r->speed[f] = (float)sqrt(2.0 * translation / blocks->mass[b]);
            for (int i = 0; i < 3; i++) {
                r->velocity[3 * f + i] = v[i];
            }
        }
    }
}

static poly_data describe(const frame_room *r, const tal_origin *origin) {
    return (poly_data){
        .point_count = r->point_count,
        .cell_count = r->face_count,
        .points = {"points", "Float32", 3, 3 * r->point_count, r->point},
        .connectivity = {"connectivity", "Int32", 1, r->corner_count, r->connectivity},
        .offsets = {"offsets", "Int32", 1, r->face_count, r->offset},
        .cell = {{"block", "Int32", 1, r->face_count, r->block},
                 {"speed_mps", "Float32", 1, r->face_count, r->speed},
                 {"velocity_mps", "Float32", 3, 3 * r->face_count, r->velocity},
                 {"energy_kJ", "Float32", 1, r->face_count, r->energy},
                 {"volume_m3", "Float32", 1, r->face_count, r->volume}},
        .cell_array_count = 5,
        .origin = origin};
}

static tal_status write_terrain(const tal_ground_mesh *ground, const tal_origin *origin,
                                const tal_output_place *place, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_status status = TAL_OK;
    float *point = NULL;
    int32_t *offset = NULL;
    TAL_TRY(tal_output_path(place, "paraview/terrain.vtp", path, err));
    TAL_CREATE_OR_DONE(point, 3 * (size_t)ground->node_count + 1, "the terrain", err);
    TAL_CREATE_OR_DONE(offset, (size_t)ground->face_count + 1, "the terrain", err);
    for (size_t i = 0; i < 3 * (size_t)ground->node_count; i++) {
        point[i] = (float)ground->node[i];
    }
    for (int32_t i = 0; i < ground->face_count; i++) {
        offset[i] = 3 * (i + 1);
    }
    const size_t faces = (size_t)ground->face_count, nodes = (size_t)ground->node_count;
    const poly_data p = {.point_count = nodes,
                         .cell_count = faces,
                         .points = {"points", "Float32", 3, 3 * nodes, point},
                         .connectivity = {"connectivity", "Int32", 1, 3 * faces, ground->face},
                         .offsets = {"offsets", "Int32", 1, faces, offset},
                         .cell = {{"class", "Int32", 1, faces, ground->face_class}},
                         .cell_array_count = 1,
                         .origin = origin};
    status = write_poly_data(path, &p, place->overwrite, err);
done:
    tal_memory_destroy(point);
    tal_memory_destroy(offset);
    return status;
}

static int32_t choose_stride(const tal_run_record *motion, const frame_room *r, double mb_max) {
    const double frame = 12.0 * (double)r->point_count + 4.0 * (double)r->corner_count +
                         32.0 * (double)r->face_count + 2000.0;
    const double fitting = fmax(2.0, floor(mb_max * 1e6 / frame));
    const double stride = ceil((double)motion->frame_count / fitting);
    return stride < 1.0 ? 1 : (int32_t)stride;
}

static void frame_name(char name[64], int32_t number) {
    (void)snprintf(name, 64, "paraview/blocks_%05d.vtp", (int)number);
}

static tal_status write_frames(frame_room *r, const tal_back_analysis *a, int32_t stride,
                               const tal_output_place *place, tal_text *list, tal_error *err) {
    const int32_t last = a->motion.frame_count - 1;
    tal_progress progress;
    tal_progress_begin(&progress, "writing frames for ParaView", "frames", (double)last + 1.0);
    for (int32_t wanted = 0, number = 0;; wanted += stride, number++) {
        const int32_t frame = wanted < last ? wanted : last;
        char name[64], path[TAL_PATH_SIZE];
        frame_name(name, number);
        TAL_TRY(tal_output_path(place, name, path, err));
        TAL_TRY(tal_interrupt_check(err));
        fill_frame(r, a, frame);
        const poly_data p = describe(r, &a->survey.origin);
        TAL_TRY(write_poly_data(path, &p, place->overwrite, err));
        tal_text_append(list, "<DataSet timestep=\"%.9g\" part=\"0\" file=\"%s\"/>\n",
                        a->motion.time[frame], name);
        tal_progress_advance(&progress, (double)frame + 1.0);
        if (frame == last) {
            tal_progress_end(&progress, (double)last + 1.0);
            return TAL_OK;
        }
    }
}

tal_status tal_paraview_write(const tal_back_analysis *a, const tal_ground_mesh *ground,
                              double mb_max, const tal_output_place *place, tal_error *err) {
    frame_room r = {0};
    tal_text list = {0};
    tal_status status = TAL_OK;
    if (!(mb_max > 0.0)) {
        return TAL_OK;
    }
    TAL_TRY_OR_DONE(write_terrain(ground, &a->survey.origin, place, err));
    TAL_TRY_OR_DONE(frame_room_create(&r, &a->blocks, err));
    tal_text_append(&list,
                    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
                    "<Collection>\n");
    TAL_TRY_OR_DONE(write_frames(&r, a, choose_stride(&a->motion, &r, mb_max), place, &list, err));
    tal_text_append(&list, "</Collection>\n</VTKFile>\n");
done:
    frame_room_destroy(&r);
    return tal_output_write_made(place, "blocks.pvd", &list, status, err);
}
