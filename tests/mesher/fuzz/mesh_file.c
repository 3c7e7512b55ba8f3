// SPDX-License-Identifier: GPL-3.0-or-later
// Rock files and tables of blocks from hostile bytes; the first byte chooses the format.
#include "mesher/import/mesh_file.h"
#include "core/base/memory.h"
#include "mesher/write/block_table.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void measure(tal_mesh_file *mesh) {
    double volume = 0;
    int64_t open = 0;
    if (tal_mesh_file_weld(mesh, NULL) == TAL_OK) {
        (void)tal_mesh_file_measure(mesh, 0, &volume, &open, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    char *text = tal_memory_create(size, 1);
    memcpy(text, data + 1, size - 1);
    tal_mesh_file mesh = {0};
    tal_block_table table = {0};
    tal_status status = TAL_BAD_INPUT;
    switch (data[0] % 4) {
    case 0:
        status = tal_mesh_file_parse_obj(&mesh, text, size - 1, "f.obj", NULL);
        break;
    case 1:
        status = tal_mesh_file_parse_stl(&mesh, text, size - 1, "f.stl", NULL);
        break;
    case 2:
        status = tal_mesh_file_parse_ply(&mesh, text, size - 1, "f.ply", NULL);
        break;
    default:
        (void)tal_block_table_parse(&table, text, "f.csv", NULL);
    }
    if (status == TAL_OK) {
        measure(&mesh);
    }
    tal_mesh_file_destroy(&mesh);
    tal_block_table_destroy(&table);
    tal_memory_destroy(text);
    return 0;
}
