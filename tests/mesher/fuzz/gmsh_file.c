// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes of Gmsh from hostile bytes: refused, or of elements that name nodes that are there.
#include "mesher/import/gmsh_file.h"
#include "core/base/memory.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = tal_memory_create(size + 1, 1);
    memcpy(text, data, size);
    tal_volume_mesh mesh = {0};
    if (tal_gmsh_file_parse(&mesh, text, size, "f.msh", NULL) == TAL_OK) {
        for (int32_t k = 0; k < mesh.element_count; k++) {
            const int32_t *element = &mesh.element[TAL_VOLUME_CORNERS * k];
            for (int c = 0; c < tal_volume_corner_count(element); c++) {
                TAL_ASSERT(element[c] >= 0 && element[c] < mesh.node_count);
            }
        }
        TAL_ASSERT(mesh.element_count > 0 && tal_volume_mesh_volume(&mesh) > 0);
    }
    tal_memory_destroy(mesh.node);
    tal_memory_destroy(mesh.element);
    tal_memory_destroy(text);
    return 0;
}
