// SPDX-License-Identifier: GPL-3.0-or-later
// blocks.nc: all blocks with shape, mass, pose and velocity.
#include "mesher/write/terrain_file.h"

#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"

#include <string.h>

typedef struct {
    tal_netcdf file;
    int block, block_edge, face_edge, vertex, face, corner, three, four;
    double *scratch; // four per block, three per vertex
} block_writer;

static int define(block_writer *w, const char *name, tal_nc_type type, int rank, int first,
                  int second, const char *units, const char *long_name) {
    const int variable = tal_netcdf_variable(&w->file, name, type, rank,
                                             (const int[]){first, second}, units, long_name);
    tal_netcdf_compress(&w->file, variable, NULL);
    return variable;
}

static void write_ints(block_writer *w, const char *name, int dimension, const char *long_name,
                       const int32_t *values) {
    const int variable = define(w, name, TAL_NC_INT, 1, dimension, 0, "1", long_name);
    tal_netcdf_put_ints(&w->file, variable, values);
}

static void write_shapes(block_writer *w, const tal_block_set *set) {
    write_ints(w, "vertex_start", w->block_edge, "first vertex of each block", set->vertex_start);
    write_ints(w, "face_start", w->block_edge, "first face of each block", set->face_start);
    write_ints(w, "corner_start", w->face_edge, "first corner of each face", set->corner_start);
    write_ints(w, "corner_vertex", w->corner,
               "vertex, local to its block, counter-clockwise seen from outside", set->corner);
    for (int32_t v = 0; v < set->vertex_count; v++) {
        memcpy(w->scratch + 3 * (size_t)v, &set->vertex[v], 3 * sizeof(double));
    }
    const int variable = define(w, "vertex", TAL_NC_DOUBLE, 2, w->vertex, w->three, "m",
                                "vertices in body axes: centroid, principal axes of inertia");
    tal_netcdf_put_doubles(&w->file, variable, w->scratch);
}

// A value of every block; `offset` and `count` say which doubles of tal_block.
static void write_member(block_writer *w, const tal_block_set *set, const char *name, size_t offset,
                         size_t count, const double *shift, const char *units,
                         const char *long_name) {
    for (int32_t b = 0; b < set->block_count; b++) {
        double value[4];
        memcpy(value, (const char *)&set->block[b] + offset, count * sizeof(double));
        for (size_t k = 0; k < count; k++) {
            w->scratch[(size_t)b * count + k] = value[k] + (shift != NULL ? shift[k] : 0);
        }
    }
    const int second = count == 4 ? w->four : w->three;
    const int variable =
        define(w, name, TAL_NC_DOUBLE, count > 1 ? 2 : 1, w->block, second, units, long_name);
    tal_netcdf_put_doubles(&w->file, variable, w->scratch);
}

static bool has_spheres(const tal_block_set *set) {
    for (int32_t b = 0; b < set->block_count; b++) {
        if (set->block[b].sphere_radius > 0) {
            return true;
        }
    }
    return false;
}

static void write_blocks(block_writer *w, const tal_block_set *set, const double origin[3]) {
    write_member(w, set, "position", offsetof(tal_block, position), 3, origin, "m",
                 "centroid in coordinates of the study: east, north, height");
    write_member(w, set, "orientation", offsetof(tal_block, orientation), 4, NULL, "1",
                 "quaternion from body to world axes, scalar first");
    write_member(w, set, "velocity", offsetof(tal_block, velocity), 3, NULL, "m s-1",
                 "velocity of the centroid");
    write_member(w, set, "angular_velocity", offsetof(tal_block, angular_velocity), 3, NULL,
                 "rad s-1", "angular velocity in world axes");
    write_member(w, set, "volume", offsetof(tal_block, volume), 1, NULL, "m3", "volume");
    write_member(w, set, "mass", offsetof(tal_block, mass), 1, NULL, "kg", "mass");
    write_member(w, set, "inertia", offsetof(tal_block, inertia), 3, NULL, "kg m2",
                 "principal moments of inertia");
    if (has_spheres(set)) {
        write_member(w, set, "sphere_radius", offsetof(tal_block, sphere_radius), 1, NULL, "m",
                     "radius of spheres, zero for polyhedra");
    }
}

static void write_classes(block_writer *w, const int32_t *block_class,
                          const tal_class_names *names) {
    const int class = tal_netcdf_dimension(&w->file, "class", (size_t)names->count);
    const int letters = tal_netcdf_dimension(&w->file, "name_length", TAL_CLASS_NAME_SIZE);
    write_ints(w, "block_class", w->block, "surface class, number in class_name", block_class);
    const int class_name =
        tal_netcdf_variable(&w->file, "class_name", TAL_NC_CHAR, 2, (const int[]){class, letters},
                            "1", "names of the surface classes");
    tal_netcdf_put_text(&w->file, class_name, names->name[0]);
}

// The elements of all blocks, one after the other; only where there are any.
static tal_status write_volumes(block_writer *w, const tal_block_set *set,
                                const tal_volume_mesh *volume, tal_error *err) {
    const size_t blocks = (size_t)set->block_count;
    int32_t *start = NULL, *element = NULL;
    double *node = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(start, 2 * blocks + 2, "elements of blocks", err);
    int32_t *node_start = start, *element_start = start + blocks + 1;
    for (size_t b = 0; b < blocks; b++) {
        node_start[b + 1] = node_start[b] + volume[b].node_count;
        element_start[b + 1] = element_start[b] + volume[b].element_count;
    }
    if (element_start[blocks] == 0) {
        goto done;
    }
    TAL_CREATE_OR_DONE(node, 3 * (size_t)node_start[blocks], "elements of blocks", err);
    TAL_CREATE_OR_DONE(element, TAL_VOLUME_CORNERS * (size_t)element_start[blocks],
                       "elements of blocks", err);
    for (size_t b = 0; b < blocks; b++) {
        for (int32_t n = 0; n < volume[b].node_count; n++) {
            memcpy(&node[3 * (node_start[b] + n)], &volume[b].node[n], 3 * sizeof *node);
        }
        if (volume[b].element_count > 0) {
            memcpy(&element[TAL_VOLUME_CORNERS * element_start[b]], volume[b].element,
                   TAL_VOLUME_CORNERS * (size_t)volume[b].element_count * sizeof *element);
        }
    }
    const int nodes = tal_netcdf_dimension(&w->file, "mesh_node", (size_t)node_start[blocks]);
    const int elements = tal_netcdf_dimension(&w->file, "element", (size_t)element_start[blocks]);
    const int eight = tal_netcdf_dimension(&w->file, "eight", TAL_VOLUME_CORNERS);
    write_ints(w, "mesh_node_start", w->block_edge, "first mesh node of each block", node_start);
    write_ints(w, "element_start", w->block_edge, "first element of each block", element_start);
    const int at = define(w, "mesh_node", TAL_NC_DOUBLE, 2, nodes, w->three, "m",
                          "nodes of the finite elements, body axes");
    tal_netcdf_put_doubles(&w->file, at, node);
    const int corners = define(w, "element_node", TAL_NC_INT, 2, elements, eight, "1",
                               "mesh nodes, local to their block: 8 of a hexahedron, 4 of a "
                               "tetrahedron and then -1");
    tal_netcdf_put_ints(&w->file, corners, element);
done:
    tal_memory_destroy(start);
    tal_memory_destroy(node);
    tal_memory_destroy(element);
    return status;
}

static void define_dimensions(block_writer *w, const tal_block_set *set) {
    tal_netcdf *file = &w->file;
    w->block = tal_netcdf_dimension(file, "block", (size_t)set->block_count);
    w->block_edge = tal_netcdf_dimension(file, "block_edge", (size_t)set->block_count + 1);
    w->face_edge = tal_netcdf_dimension(file, "face_edge", (size_t)set->face_count + 1);
    // A length of zero would mean an unlimited dimension; spheres alone have no vertices.
    w->vertex = tal_netcdf_dimension(file, "vertex", (size_t)set->vertex_count);
    w->face = tal_netcdf_dimension(file, "face", (size_t)set->face_count);
    w->corner = tal_netcdf_dimension(file, "corner", (size_t)set->corner_count);
    w->three = tal_netcdf_dimension(file, "three", 3);
    w->four = tal_netcdf_dimension(file, "four", 4);
}

tal_status tal_blocks_file_write(const char *path, const tal_block_set *set,
                                 const int32_t *block_class, const tal_volume_mesh *volume,
                                 const tal_class_names *names, const tal_mesh_notes *notes,
                                 tal_error *err) {
    block_writer writer = {0};
    const size_t values = 3 * (size_t)set->vertex_count + 4 * (size_t)set->block_count;
    TAL_CREATE(writer.scratch, values, "values of blocks", err);
    tal_status status = tal_netcdf_create(&writer.file, path, notes->overwrite,
                                          "Blocks of the source", notes->provenance, err);
    if (status == TAL_OK) {
        tal_netcdf *file = &writer.file;
        tal_netcdf_real(file, TAL_NC_GLOBAL, "origin_east_m", notes->origin[0]);
        tal_netcdf_real(file, TAL_NC_GLOBAL, "origin_north_m", notes->origin[1]);
        tal_netcdf_real(file, TAL_NC_GLOBAL, "origin_height_m", notes->origin[2]);
        define_dimensions(&writer, set);
        tal_netcdf_grid_mapping(file, notes->crs);
        write_shapes(&writer, set);
        write_blocks(&writer, set, notes->origin);
        write_classes(&writer, block_class, names);
        status = write_volumes(&writer, set, volume, err);
        status = status == TAL_OK ? tal_netcdf_commit(file, err) : status;
        tal_netcdf_discard(file);
    }
    tal_memory_destroy(writer.scratch);
    return status;
}
