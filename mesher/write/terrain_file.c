// SPDX-License-Identifier: GPL-3.0-or-later
// terrain.nc: the ground as a UGRID triangle mesh.
#include "mesher/write/terrain_file.h"

#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"

static void put_shifted(tal_netcdf *file, int variable, const double *local, double origin,
                        size_t count, double *scratch) {
    for (size_t k = 0; k < count; k++) {
        scratch[k] = local[k] + origin;
    }
    tal_netcdf_put_doubles(file, variable, scratch);
}

static int coordinate(tal_netcdf *file, const char *name, int dimension, const char *standard_name,
                      const char *local_name, bool is_local) {
    const int variable = tal_netcdf_variable(file, name, TAL_NC_DOUBLE, 1, &dimension, "m",
                                             is_local ? local_name : standard_name);
    if (!is_local) {
        tal_netcdf_text(file, variable, "standard_name", standard_name);
    }
    tal_netcdf_compress(file, variable, NULL);
    return variable;
}

static void describe_topology(tal_netcdf *file) {
    const int mesh =
        tal_netcdf_variable(file, "mesh", TAL_NC_INT, 0, NULL, NULL, "ground as triangles");
    tal_netcdf_text(file, mesh, "cf_role", "mesh_topology");
    tal_netcdf_integer(file, mesh, "topology_dimension", 2);
    tal_netcdf_text(file, mesh, "node_coordinates", "node_x node_y");
    tal_netcdf_text(file, mesh, "face_node_connectivity", "face_node");
    tal_netcdf_text(file, mesh, "face_dimension", "face");
}

static void write_origin(tal_netcdf *file, const tal_mesh_notes *notes) {
    tal_netcdf_real(file, TAL_NC_GLOBAL, "origin_east_m", notes->origin[0]);
    tal_netcdf_real(file, TAL_NC_GLOBAL, "origin_north_m", notes->origin[1]);
    tal_netcdf_real(file, TAL_NC_GLOBAL, "origin_height_m", notes->origin[2]);
    tal_netcdf_real(file, TAL_NC_GLOBAL, "mesh_error_m", notes->mesh_error_m);
}

static void write_variables(tal_netcdf *file, const tal_terrain_mesh *mesh,
                            const int32_t *face_class, const tal_class_names *names,
                            const tal_mesh_notes *notes, double *scratch) {
    const bool is_local = tal_crs_get_info(notes->crs)->is_local;
    const size_t nodes = (size_t)mesh->node_count;
    const int node = tal_netcdf_dimension(file, "node", nodes);
    const int face = tal_netcdf_dimension(file, "face", (size_t)mesh->face_count);
    const int three = tal_netcdf_dimension(file, "three", 3);
    const int class = tal_netcdf_dimension(file, "class", (size_t)names->count);
    const int letters = tal_netcdf_dimension(file, "name_length", TAL_CLASS_NAME_SIZE);
    describe_topology(file);
    const int x = coordinate(file, "node_x", node, "projection_x_coordinate", "east", is_local);
    const int y = coordinate(file, "node_y", node, "projection_y_coordinate", "north", is_local);
    const int z = coordinate(file, "node_z", node, "surface_altitude", "height", is_local);
    tal_netcdf_text(file, z, "mesh", "mesh");
    tal_netcdf_text(file, z, "location", "node");
    tal_netcdf_text(file, z, "coordinates", "node_x node_y");
    const int face_node =
        tal_netcdf_variable(file, "face_node", TAL_NC_INT, 2, (const int[]){face, three}, "1",
                            "nodes of each triangle, counter-clockwise");
    tal_netcdf_text(file, face_node, "cf_role", "face_node_connectivity");
    tal_netcdf_integer(file, face_node, "start_index", 0);
    tal_netcdf_compress(file, face_node, NULL);
    const int classes = tal_netcdf_variable(file, "face_class", TAL_NC_INT, 1, &face, "1",
                                            "surface class, number in class_name");
    tal_netcdf_text(file, classes, "mesh", "mesh");
    tal_netcdf_text(file, classes, "location", "face");
    tal_netcdf_compress(file, classes, NULL);
    const int class_name =
        tal_netcdf_variable(file, "class_name", TAL_NC_CHAR, 2, (const int[]){class, letters}, "1",
                            "names of the surface classes");
    tal_netcdf_grid_mapping(file, notes->crs);
    if (!is_local) {
        tal_netcdf_text(file, z, "grid_mapping", "crs");
        tal_netcdf_text(file, classes, "grid_mapping", "crs");
    }
    put_shifted(file, x, mesh->x, notes->origin[0], nodes, scratch);
    put_shifted(file, y, mesh->y, notes->origin[1], nodes, scratch);
    put_shifted(file, z, mesh->z, notes->origin[2], nodes, scratch);
    tal_netcdf_put_ints(file, face_node, mesh->face_node);
    tal_netcdf_put_ints(file, classes, face_class);
    tal_netcdf_put_text(file, class_name, names->name[0]);
}

tal_status tal_terrain_file_write(const char *path, const tal_terrain_mesh *mesh,
                                  const int32_t *face_class, const tal_class_names *names,
                                  const tal_mesh_notes *notes, tal_error *err) {
    tal_netcdf file;
    double *scratch;
    TAL_CREATE(scratch, (size_t)mesh->node_count, "coordinates", err);
    tal_status status = tal_netcdf_create(&file, path, notes->overwrite,
                                          "Ground the blocks run over", notes->provenance, err);
    if (status == TAL_OK) {
        tal_netcdf_text(&file, TAL_NC_GLOBAL, "Conventions", "CF-1.11 UGRID-1.0");
        write_origin(&file, notes);
        write_variables(&file, mesh, face_class, names, notes, scratch);
        status = tal_netcdf_commit(&file, err);
        tal_netcdf_discard(&file);
    }
    tal_memory_destroy(scratch);
    return status;
}
