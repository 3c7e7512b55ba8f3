// SPDX-License-Identifier: GPL-3.0-or-later
// Terrain and blocks for other programs: Wavefront OBJ, PLY, VTK PolyData (VTP).
#include "mesher/stage.h"

#include "core/base/memory.h"

#include <string.h>

// Polygons with one number each (class of the ground, number of the block); study coordinates.
typedef struct {
    const char *name;   // "terrain"
    const char *number; // what `tag` is
    int64_t point_count, face_count;
    tal_vec3 *point;
    int64_t *start; // face_count + 1
    int64_t *corner;
    int64_t *tag;
} polygons;

static tal_status reserve(polygons *p, int64_t points, int64_t faces, int64_t corners,
                          tal_error *err) {
    p->point_count = points;
    p->face_count = faces;
    TAL_CREATE(p->point, (size_t)points + 1, "exported points", err);
    TAL_CREATE(p->start, (size_t)faces + 1, "exported faces", err);
    TAL_CREATE(p->corner, (size_t)corners + 1, "exported corners", err);
    TAL_CREATE(p->tag, (size_t)faces + 1, "exported numbers", err);
    return TAL_OK;
}

static void destroy(polygons *p) {
    tal_memory_destroy(p->point);
    tal_memory_destroy(p->start);
    tal_memory_destroy(p->corner);
    tal_memory_destroy(p->tag);
}

static tal_status take_terrain(polygons *p, const tal_mesh_stage *stage, tal_error *err) {
    const tal_terrain_mesh *mesh = &stage->terrain;
    *p = (polygons){.name = "terrain", .number = "class"};
    TAL_TRY(reserve(p, mesh->node_count, mesh->face_count, 3 * (int64_t)mesh->face_count, err));
    for (int32_t v = 0; v < mesh->node_count; v++) {
        p->point[v] = tal_vec3_make(mesh->x[v] + stage->origin[0], mesh->y[v] + stage->origin[1],
                                    mesh->z[v] + stage->origin[2]);
    }
    for (int32_t f = 0; f < mesh->face_count; f++) {
        p->start[f + 1] = 3 * ((int64_t)f + 1);
        p->tag[f] = stage->face_class[f];
        for (int k = 0; k < 3; k++) {
            p->corner[3 * (int64_t)f + k] = mesh->face_node[3 * (size_t)f + (size_t)k];
        }
    }
    return TAL_OK;
}

static tal_status take_blocks(polygons *p, const tal_mesh_stage *stage, tal_error *err) {
    const tal_block_set *set = &stage->blocks;
    const tal_vec3 origin = {stage->origin[0], stage->origin[1], stage->origin[2]};
    *p = (polygons){.name = "blocks", .number = "block"};
    TAL_TRY(reserve(p, set->vertex_count, set->face_count, set->corner_count, err));
    for (int32_t b = 0; b < set->block_count; b++) {
        const tal_block *block = &set->block[b];
        for (int32_t v = set->vertex_start[b]; v < set->vertex_start[b + 1]; v++) {
            const tal_vec3 turned = tal_quaternion_rotate(block->orientation, set->vertex[v]);
            p->point[v] = tal_vec3_add(tal_vec3_add(turned, block->position), origin);
        }
        for (int32_t f = set->face_start[b]; f < set->face_start[b + 1]; f++) {
            p->tag[f] = b;
            p->start[f + 1] = set->corner_start[f + 1];
            for (int32_t c = set->corner_start[f]; c < set->corner_start[f + 1]; c++) {
                p->corner[c] = (int64_t)set->vertex_start[b] + set->corner[c];
            }
        }
    }
    return TAL_OK;
}

// ---- Formats ---------------------------------------------------------------------------

static void write_obj(tal_output *out, const polygons *p) {
    tal_output_print(out, "# talus %s, metres in coordinates of the study\n", p->name);
    for (int64_t v = 0; v < p->point_count; v++) {
        tal_output_print(out, "v %.6f %.6f %.6f\n", p->point[v].x, p->point[v].y, p->point[v].z);
    }
    int64_t group = -1;
    for (int64_t f = 0; f < p->face_count; f++) {
        if (p->tag[f] != group) {
            group = p->tag[f];
            tal_output_print(out, "g %s_%lld\n", p->number, (long long)group);
        }
        tal_output_print(out, "f");
        for (int64_t c = p->start[f]; c < p->start[f + 1]; c++) {
            tal_output_print(out, " %lld", (long long)p->corner[c] + 1);
        }
        tal_output_print(out, "\n");
    }
}

static void write_ply(tal_output *out, const polygons *p) {
    tal_output_print(out,
                     "ply\nformat ascii 1.0\ncomment talus %s, metres in coordinates of the study\n"
                     "element vertex %lld\nproperty double x\nproperty double y\n"
                     "property double z\nelement face %lld\n"
                     "property list uchar int vertex_indices\nproperty int %s\nend_header\n",
                     p->name, (long long)p->point_count, (long long)p->face_count, p->number);
    for (int64_t v = 0; v < p->point_count; v++) {
        tal_output_print(out, "%.6f %.6f %.6f\n", p->point[v].x, p->point[v].y, p->point[v].z);
    }
    for (int64_t f = 0; f < p->face_count; f++) {
        tal_output_print(out, "%lld", (long long)(p->start[f + 1] - p->start[f]));
        for (int64_t c = p->start[f]; c < p->start[f + 1]; c++) {
            tal_output_print(out, " %lld", (long long)p->corner[c]);
        }
        tal_output_print(out, " %lld\n", (long long)p->tag[f]);
    }
}

static void write_vtp_numbers(tal_output *out, const char *name, const int64_t *values,
                              int64_t count) {
    tal_output_print(out, "<DataArray type=\"Int64\" Name=\"%s\" format=\"ascii\">\n", name);
    for (int64_t k = 0; k < count; k++) {
        tal_output_print(out, "%lld\n", (long long)values[k]);
    }
    tal_output_print(out, "</DataArray>\n");
}

static void write_vtp(tal_output *out, const polygons *p) {
    tal_output_print(out,
                     "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                     "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n"
                     "<Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                     "NumberOfStrips=\"0\" NumberOfPolys=\"%lld\">\n<CellData Scalars=\"%s\">\n",
                     (long long)p->point_count, (long long)p->face_count, p->number);
    write_vtp_numbers(out, p->number, p->tag, p->face_count);
    tal_output_print(out, "</CellData>\n<Points>\n<DataArray type=\"Float64\" "
                          "NumberOfComponents=\"3\" format=\"ascii\">\n");
    for (int64_t v = 0; v < p->point_count; v++) {
        tal_output_print(out, "%.6f %.6f %.6f\n", p->point[v].x, p->point[v].y, p->point[v].z);
    }
    tal_output_print(out, "</DataArray>\n</Points>\n<Polys>\n");
    write_vtp_numbers(out, "connectivity", p->corner, p->start[p->face_count]);
    write_vtp_numbers(out, "offsets", p->start + 1, p->face_count);
    tal_output_print(out, "</Polys>\n</Piece>\n</PolyData>\n</VTKFile>\n");
}

static tal_status write_polygons(const tal_mesh_stage *stage, const polygons *p, tal_error *err) {
    char name[64], path[TAL_PATH_SIZE];
    tal_output out = {0};
    (void)snprintf(name, sizeof name, "%s.%s", p->name, stage->export_format);
    if (!tal_path_join(path, stage->folder, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: the path is too long", stage->folder);
    }
    TAL_TRY(tal_output_open(&out, path, stage->overwrite, err));
    if (strcmp(stage->export_format, "obj") == 0) {
        write_obj(&out, p);
    } else if (strcmp(stage->export_format, "ply") == 0) {
        write_ply(&out, p);
    } else {
        write_vtp(&out, p);
    }
    const tal_status status = tal_output_commit(&out, err);
    tal_output_discard(&out);
    return status;
}

tal_status tal_mesh_write_exports(const tal_mesh_stage *stage, tal_error *err) {
    if (stage->export_format == NULL) {
        return TAL_OK;
    }
    polygons terrain = {0}, blocks = {0};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(take_terrain(&terrain, stage, err));
    TAL_TRY_OR_DONE(write_polygons(stage, &terrain, err));
    TAL_TRY_OR_DONE(take_blocks(&blocks, stage, err));
    TAL_TRY_OR_DONE(write_polygons(stage, &blocks, err));
done:
    destroy(&terrain);
    destroy(&blocks);
    return status;
}
