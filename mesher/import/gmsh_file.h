// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes of elements from Gmsh: format 4.1, as text. Tetrahedra and hexahedra of first order are taken;
// points, lines and faces are left out.
#ifndef TALUS_MESHER_IMPORT_GMSH_FILE_H
#define TALUS_MESHER_IMPORT_GMSH_FILE_H

#include "mesher/rock/volume_mesh.h"

#include <stddef.h>

bool tal_gmsh_file_is_known(const char *path);

// Nodes are in the coordinates of the file. Elements inside out, nodes of no element and a mesh in pieces
// are refused with their lines. Nothing to destroy after a failure.
tal_status tal_gmsh_file_read(tal_volume_mesh *mesh, const char *path, tal_error *err);
tal_status tal_gmsh_file_parse(tal_volume_mesh *mesh, const char *bytes, size_t length,
                               const char *path, tal_error *err);

#endif
