// SPDX-License-Identifier: GPL-3.0-or-later
// mesh.json: counts, volumes, sizes of blocks, and how all of it was made.
#include "mesher/stage.h"

#include "core/app/json.h"
#include "core/base/memory.h"
#include "core/geometry/angle.h"

#include <math.h>
#include <stdlib.h>

// ---- Sizes -----------------------------------------------------------------------------

typedef struct {
    double size; // cube root of the volume
    double volume;
} sized_block;

static int compare_sizes(const void *left, const void *right) {
    const sized_block *a = left, *b = right;
    return a->size < b->size ? -1 : (a->size > b->size ? 1 : 0);
}

// The size below which a share of the volume lies.
static double size_at(const sized_block *blocks, int32_t count, double total, double share) {
    double sum = 0;
    for (int32_t b = 0; b < count; b++) {
        sum += blocks[b].volume;
        if (sum >= share * total) {
            return blocks[b].size;
        }
    }
    return blocks[count - 1].size;
}

static double passing(const sized_block *blocks, int32_t count, double total, double size) {
    double sum = 0;
    for (int32_t b = 0; b < count && blocks[b].size <= size; b++) {
        sum += blocks[b].volume;
    }
    return sum / total;
}

// Share of the volume in smaller blocks as it was asked for; NaN where nothing was. Lognormal sizes
// of mean volume s^3 and deviation d are, by volume, lognormal about s exp(1.5 d^2).
static double wanted_passing(const tal_mesh_stage *stage, double size) {
    const double deviation = stage->settings->mesh.size_deviation;
    if (isnan(stage->block_size)) {
        return NAN;
    }
    if (stage->settings->mesh.blocks != TAL_BLOCKS_VORONOI || !(deviation > 0)) {
        return size >= stage->block_size * (1 - 1e-9) ? 1 : 0;
    }
    const double offset = log(size / stage->block_size) - 1.5 * deviation * deviation;
    return 0.5 * erfc(-offset / (deviation * sqrt(2)));
}

// Twenty sizes from the smallest block to the largest, evenly in the logarithm.
static void add_sieve(cJSON *object, const tal_mesh_stage *stage, const sized_block *blocks,
                      int32_t count, double total) {
    enum { SIEVES = 20 };
    cJSON *sieve = cJSON_AddArrayToObject(object, "sieve");
    const double first = blocks[0].size, last = blocks[count - 1].size;
    for (int k = 0; k < SIEVES && sieve != NULL; k++) {
        const double size =
            k == SIEVES - 1 ? last : first * pow(last / first, k / (double)(SIEVES - 1));
        cJSON *step = cJSON_CreateObject();
        tal_json_add_number(step, "size_m", size);
        tal_json_add_number(step, "volume_passing", passing(blocks, count, total, size));
        tal_json_add_number(step, "wanted_passing", wanted_passing(stage, size));
        cJSON_AddItemToArray(sieve, step);
        if (last <= first) {
            break;
        }
    }
}

static tal_status add_sizes(cJSON *object, const tal_mesh_stage *stage, tal_error *err) {
    const int32_t count = stage->blocks.block_count;
    sized_block *blocks;
    TAL_CREATE(blocks, (size_t)count, "sizes of blocks", err);
    double total = 0;
    for (int32_t b = 0; b < count; b++) {
        const double volume = stage->blocks.block[b].volume;
        blocks[b] = (sized_block){cbrt(volume), volume};
        total += volume;
    }
    qsort(blocks, (size_t)count, sizeof *blocks, compare_sizes);
    cJSON *size = cJSON_AddObjectToObject(object, "size");
    tal_json_add_number(size, "wanted_m", stage->block_size);
    tal_json_add_number(size, "smallest_m", blocks[0].size);
    tal_json_add_number(size, "d10_m", size_at(blocks, count, total, 0.1));
    tal_json_add_number(size, "d50_m", size_at(blocks, count, total, 0.5));
    tal_json_add_number(size, "d90_m", size_at(blocks, count, total, 0.9));
    tal_json_add_number(size, "largest_m", blocks[count - 1].size);
    tal_json_add_number(size, "mean_volume_m3", total / count);
    add_sieve(size, stage, blocks, count, total);
    tal_memory_destroy(blocks);
    return TAL_OK;
}

// ---- Parts -----------------------------------------------------------------------------

static void add_terrain(cJSON *root, const tal_mesh_stage *stage) {
    const tal_terrain_mesh *mesh = &stage->terrain;
    const double squares =
        (double)(stage->bed.grid.columns - 1) * (double)(stage->bed.grid.rows - 1);
    cJSON *terrain = cJSON_AddObjectToObject(root, "terrain");
    tal_json_add_number(terrain, "nodes", mesh->node_count);
    tal_json_add_number(terrain, "triangles", mesh->face_count);
    tal_json_add_number(terrain, "share_of_full_grid",
                        (mesh->face_count - mesh->wall_face_count) / (2 * squares));
    tal_json_add_number(terrain, "wall_triangles", mesh->wall_face_count);
    tal_json_add_number(terrain, "mesh_error_m", mesh->error_m);
    tal_json_add_number(terrain, "mesh_error_allowed_m", stage->settings->mesh.mesh_error_m);
    tal_json_add_number(terrain, "cells_without_triangle", mesh->lone_cells);
    cJSON *classes = cJSON_AddArrayToObject(terrain, "classes");
    for (int k = 0; k < stage->ground_names.count; k++) {
        cJSON_AddItemToArray(classes, cJSON_CreateString(stage->ground_names.name[k]));
    }
}

static void add_source(cJSON *root, const tal_mesh_stage *stage) {
    const double degrees = tal_degrees(1);
    const tal_rock *rock = &stage->rock;
    cJSON *source = cJSON_AddObjectToObject(root, "source");
    tal_json_add_number(source, "volume_m3", rock->volume);
    tal_json_add_number(source, "source_raster_m3", rock->source_volume);
    tal_json_add_number(source, "ingest_m3", stage->ingest_volume);
    tal_json_add_number(source, "difference_to_raster", rock->volume / rock->source_volume - 1);
    tal_json_add_number(source, "area_m2", rock->area);
    tal_json_add_number(source, "max_thickness_m", rock->thickness_max);
    tal_json_add_number(source, "strike_deg", rock->strike * degrees);
    tal_json_add_number(source, "dip_deg", rock->dip * degrees);
}

static void add_division(cJSON *blocks, const tal_mesh_stage *stage) {
    const tal_divide_report *division = &stage->division;
    const tal_mesh_settings *mesh = &stage->settings->mesh;
    static const char *const methods[] = {[TAL_BLOCKS_BRICKS] = "bricks",
                                          [TAL_BLOCKS_JOINTS] = "joints",
                                          [TAL_BLOCKS_VORONOI] = "voronoi",
                                          [TAL_BLOCKS_IMPORT] = "import",
                                          [TAL_BLOCKS_FORMS] = "forms"};
    cJSON_AddStringToObject(blocks, "method", methods[mesh->blocks]);
    if (!stage->has_rock) {
        return;
    }
    cJSON_AddStringToObject(blocks, "clip", mesh->clip == TAL_CLIP_BODY ? "body" : "none");
    tal_json_add_number(blocks, "strike_deg", tal_degrees(stage->strike));
    tal_json_add_number(blocks, "fill", division->piece_volume / division->rock_volume);
    tal_json_add_number(blocks, "inside_body", division->inside_volume / division->rock_volume);
    tal_json_add_number(blocks, "density_factor", division->mass_factor);
    tal_json_add_number(blocks, "slivers", (double)division->sliver_count);
    tal_json_add_number(blocks, "sliver_volume_m3", division->sliver_volume);
    tal_json_add_number(blocks, "not_clean", (double)division->rough_count);
    if (mesh->blocks == TAL_BLOCKS_JOINTS) {
        tal_json_add_number(blocks, "joint_planes", (double)stage->plane_count);
    }
}

static tal_status add_blocks(cJSON *root, const tal_mesh_stage *stage, tal_error *err) {
    cJSON *blocks = cJSON_AddObjectToObject(root, "blocks");
    double volume = 0, mass = 0;
    for (int32_t b = 0; b < stage->blocks.block_count; b++) {
        volume += stage->blocks.block[b].volume;
        mass += stage->blocks.block[b].mass;
    }
    tal_json_add_number(blocks, "count", stage->blocks.block_count);
    tal_json_add_number(blocks, "volume_m3", volume);
    tal_json_add_number(blocks, "mass_kg", mass);
    tal_json_add_number(blocks, "vertices", stage->blocks.vertex_count);
    tal_json_add_number(blocks, "faces", stage->blocks.face_count);
    add_division(blocks, stage);
    return add_sizes(blocks, stage, err);
}

static void add_import(cJSON *root, const tal_import_report *report) {
    cJSON *import = cJSON_AddObjectToObject(root, "import");
    tal_json_add_number(import, "table_rows", (double)report->row_count);
    cJSON *solids = cJSON_AddArrayToObject(import, "rocks");
    for (int k = 0; k < report->solid_count; k++) {
        const tal_import_solid *solid = &report->solid[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", solid->name);
        tal_json_add_number(item, "file_vertices", (double)solid->vertex_count);
        tal_json_add_number(item, "file_faces", (double)solid->face_count);
        tal_json_add_number(item, "open_edges", (double)solid->open_edges);
        tal_json_add_number(item, "crossings",
                            solid->crossings < 0 ? NAN : (double)solid->crossings);
        tal_json_add_number(item, "file_volume_m3", solid->file_volume);
        tal_json_add_number(item, "hull_volume_m3", solid->hull_volume);
        tal_json_add_number(item, "block_volume_m3", solid->block_volume);
        tal_json_add_number(item, "block_vertices", solid->block_vertices);
        cJSON_AddItemToArray(solids, item);
    }
}

tal_status tal_mesh_write_summary(const tal_mesh_stage *stage, tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (!tal_path_join(path, stage->folder, "mesh.json")) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: the path is too long", stage->folder);
    }
    cJSON *root = cJSON_CreateObject();
    add_terrain(root, stage);
    if (stage->has_rock) {
        add_source(root, stage);
    }
    tal_status status = add_blocks(root, stage, err);
    if (stage->settings->mesh.blocks == TAL_BLOCKS_IMPORT) {
        add_import(root, &stage->import);
    }
    cJSON_AddItemToObject(root, "provenance", tal_provenance_json(&stage->provenance));
    if (status == TAL_OK) {
        status = tal_json_write(path, root, stage->overwrite, err);
    }
    cJSON_Delete(root);
    return status;
}
