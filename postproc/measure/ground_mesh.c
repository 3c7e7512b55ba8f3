// SPDX-License-Identifier: GPL-3.0-or-later
// The triangles the blocks ran over.
#include "postproc/measure/ground_mesh.h"

#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"

void tal_ground_mesh_destroy(tal_ground_mesh *ground) {
    tal_memory_destroy(ground->node);
    tal_memory_destroy(ground->face);
    tal_memory_destroy(ground->face_class);
    *ground = (tal_ground_mesh){0};
}

static tal_status read_nodes(tal_ground_mesh *ground, tal_netcdf *file, const tal_origin *origin,
                             double *axis, tal_error *err) {
    const char *const name[3] = {"node_x", "node_y", "node_z"};
    const double shift[3] = {(double)origin->east, (double)origin->north, (double)origin->height};
    for (size_t i = 0; i < 3; i++) {
        TAL_TRY(tal_netcdf_get_doubles(file, name[i], axis, (size_t)ground->node_count, err));
        for (size_t n = 0; n < (size_t)ground->node_count; n++) {
            ground->node[3 * n + i] = axis[n] - shift[i];
        }
    }
    return TAL_OK;
}

static tal_status read_ground(tal_ground_mesh *ground, tal_netcdf *file, const tal_origin *origin,
                              tal_error *err) {
    size_t nodes, faces;
    TAL_TRY(tal_netcdf_get_length(file, "node", &nodes, err));
    TAL_TRY(tal_netcdf_get_length(file, "face", &faces, err));
    if (nodes > INT32_MAX / 4 || faces > INT32_MAX / 4) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: more triangles than can be numbered", file->path);
    }
    ground->node_count = (int32_t)nodes;
    ground->face_count = (int32_t)faces;
    TAL_CREATE(ground->node, 3 * nodes + 1, "the terrain", err);
    TAL_CREATE(ground->face, 3 * faces + 1, "the terrain", err);
    TAL_CREATE(ground->face_class, faces + 1, "the terrain", err);
    double *axis;
    TAL_CREATE(axis, nodes + 1, "the terrain", err);
    const tal_status status = read_nodes(ground, file, origin, axis, err);
    tal_memory_destroy(axis);
    TAL_TRY(status);
    TAL_TRY(tal_netcdf_get_ints(file, "face_node", ground->face, 3 * faces, err));
    TAL_TRY(tal_netcdf_get_ints(file, "face_class", ground->face_class, faces, err));
    for (size_t i = 0; i < 3 * faces; i++) {
        if (ground->face[i] < 0 || ground->face[i] >= ground->node_count) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: triangle %zu uses node %d, and there are %d; run talus-mesh again",
                            file->path, i / 3, (int)ground->face[i], (int)ground->node_count);
        }
    }
    return TAL_OK;
}

tal_status tal_ground_mesh_read(tal_ground_mesh *ground, const char *path, const tal_origin *origin,
                                tal_error *err) {
    tal_netcdf file = {.id = -1};
    *ground = (tal_ground_mesh){0};
    TAL_TRY(tal_netcdf_open(&file, path, err));
    const tal_status status = read_ground(ground, &file, origin, err);
    tal_netcdf_close(&file);
    if (status != TAL_OK) {
        tal_ground_mesh_destroy(ground);
    }
    return status;
}
