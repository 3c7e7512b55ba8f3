// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a run: reading, posing.
#include "postproc/measure/blocks.h"

#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"
#include "postproc/measure/sphere.h"

#include <math.h>
#include <string.h>

enum { NAME_SIZE = 32 };

void tal_blocks_destroy(tal_blocks *blocks) {
    tal_memory_destroy(blocks->vertex_start);
    tal_memory_destroy(blocks->face_start);
    tal_memory_destroy(blocks->corner_start);
    tal_memory_destroy(blocks->corner);
    tal_memory_destroy(blocks->vertex);
    tal_memory_destroy(blocks->volume);
    tal_memory_destroy(blocks->mass);
    tal_memory_destroy(blocks->inertia);
    *blocks = (tal_blocks){0};
}

// Starts must rise from 0 to `total`: everything else walks memory by them.
static bool is_rising(const int32_t *start, int32_t count, int32_t total) {
    for (int32_t i = 0; i < count; i++) {
        if (start[i] > start[i + 1]) {
            return false;
        }
    }
    return start[0] == 0 && start[count] == total;
}

static bool corners_fit(const tal_blocks *blocks) {
    for (int32_t b = 0; b < blocks->count; b++) {
        const int32_t vertices = blocks->vertex_start[b + 1] - blocks->vertex_start[b];
        for (int32_t f = blocks->face_start[b]; f < blocks->face_start[b + 1]; f++) {
            for (int32_t c = blocks->corner_start[f]; c < blocks->corner_start[f + 1]; c++) {
                if (blocks->corner[c] < 0 || blocks->corner[c] >= vertices) {
                    return false;
                }
            }
        }
    }
    return true;
}

static tal_status check_rocks(tal_blocks *blocks, const char *path, int32_t vertices, int32_t faces,
                              int32_t corners, tal_error *err) {
    if (!is_rising(blocks->vertex_start, blocks->count, vertices) ||
        !is_rising(blocks->face_start, blocks->count, faces) ||
        !is_rising(blocks->corner_start, faces, corners) || !corners_fit(blocks)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: the lists of vertices, faces and corners do not fit together; "
                        "run talus-mesh again",
                        path);
    }
    blocks->smallest_size = INFINITY;
    for (int32_t b = 0; b < blocks->count; b++) {
        if (!(blocks->volume[b] > 0.0) || !(blocks->mass[b] > 0.0)) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: block %d has a volume of %g m3 and a mass of %g kg; both must be "
                            "positive",
                            path, (int)b, blocks->volume[b], blocks->mass[b]);
        }
        const int32_t own = blocks->vertex_start[b + 1] - blocks->vertex_start[b];
        blocks->vertex_count_max = own > blocks->vertex_count_max ? own : blocks->vertex_count_max;
        blocks->smallest_size = fmin(blocks->smallest_size, cbrt(blocks->volume[b]));
    }
    return TAL_OK;
}

static tal_status read_shapes(tal_blocks *blocks, tal_netcdf *file, tal_error *err) {
    size_t block_count, vertices, faces, corners;
    TAL_TRY(tal_netcdf_get_length(file, "block", &block_count, err));
    TAL_TRY(tal_netcdf_get_length(file, "vertex", &vertices, err));
    TAL_TRY(tal_netcdf_get_length(file, "face", &faces, err));
    TAL_TRY(tal_netcdf_get_length(file, "corner", &corners, err));
    if (block_count > INT32_MAX / 8 || vertices > INT32_MAX / 8 || corners > INT32_MAX / 8 ||
        faces > INT32_MAX / 8) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: more blocks than talus-post can number",
                        file->path);
    }
    blocks->count = (int32_t)block_count;
    TAL_CREATE(blocks->vertex_start, block_count + 1, "the blocks", err);
    TAL_CREATE(blocks->face_start, block_count + 1, "the blocks", err);
    TAL_CREATE(blocks->corner_start, faces + 1, "the faces of the blocks", err);
    TAL_CREATE(blocks->corner, corners + 1, "the corners of the blocks", err);
    TAL_CREATE(blocks->vertex, 3 * vertices + 1, "the vertices of the blocks", err);
    TAL_CREATE(blocks->volume, block_count + 1, "the blocks", err);
    TAL_CREATE(blocks->mass, block_count + 1, "the blocks", err);
    TAL_CREATE(blocks->inertia, 3 * block_count + 1, "the blocks", err);
    TAL_TRY(tal_netcdf_get_ints(file, "vertex_start", blocks->vertex_start, block_count + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "face_start", blocks->face_start, block_count + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "corner_start", blocks->corner_start, faces + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "corner_vertex", blocks->corner, corners, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "vertex", blocks->vertex, 3 * vertices, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "volume", blocks->volume, block_count, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "mass", blocks->mass, block_count, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "inertia", blocks->inertia, 3 * block_count, err));
    return check_rocks(blocks, file->path, (int32_t)vertices, (int32_t)faces, (int32_t)corners,
                       err);
}

tal_status tal_blocks_read(tal_blocks *blocks, const char *path, tal_error *err) {
    tal_status status = TAL_OK;
    tal_netcdf file = {.id = -1};
    double *radius = NULL;
    *blocks = (tal_blocks){0};
    TAL_TRY_OR_DONE(tal_netcdf_open(&file, path, err));
    TAL_TRY_OR_DONE(read_shapes(blocks, &file, err));
    if (blocks->count == 0) {
        status = TAL_FAIL(err, TAL_BAD_INPUT, "%s contains no blocks", path);
        goto done;
    }
    if (tal_netcdf_has(&file, "sphere_radius")) {
        TAL_CREATE_OR_DONE(radius, (size_t)blocks->count, "the spheres", err);
        TAL_TRY_OR_DONE(
            tal_netcdf_get_doubles(&file, "sphere_radius", radius, (size_t)blocks->count, err));
        TAL_TRY_OR_DONE(tal_blocks_replace_spheres(blocks, radius, err));
    }
done:
    tal_netcdf_close(&file);
    tal_memory_destroy(radius);
    if (status != TAL_OK) {
        tal_blocks_destroy(blocks);
    }
    return status;
}

tal_mat3 tal_block_turn(const double orientation[4]) {
    const tal_quat q = {orientation[0], orientation[1], orientation[2], orientation[3]};
    const bool is_zero = q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    return tal_quat_matrix(is_zero ? (tal_quat){1.0, 0.0, 0.0, 0.0} : tal_quat_normalize(q));
}

tal_surface tal_blocks_pose(const tal_blocks *blocks, int32_t block, const double position[3],
                            const double orientation[4], tal_vec3 *vertex) {
    const tal_mat3 turn = tal_block_turn(orientation);
    TAL_ASSERT(block >= 0 && block < blocks->count);
    const int32_t first = blocks->vertex_start[block];
    const int32_t count = blocks->vertex_start[block + 1] - first;
    TAL_ASSERT(count <= blocks->vertex_count_max);
    for (int32_t v = 0; v < count; v++) {
        const double *own = &blocks->vertex[3 * (size_t)(first + v)];
        const tal_vec3 turned = tal_mat3_apply(&turn, tal_vec3_make(own[0], own[1], own[2]));
        vertex[v] =
            tal_vec3_make(position[0] + turned.x, position[1] + turned.y, position[2] + turned.z);
    }
    const int32_t face = blocks->face_start[block];
    return (tal_surface){.vertex = vertex,
                         .vertex_count = count,
                         .corner_start = &blocks->corner_start[face],
                         .face_count = blocks->face_start[block + 1] - face,
                         .corner = blocks->corner};
}
