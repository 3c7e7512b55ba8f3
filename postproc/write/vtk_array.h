// SPDX-License-Identifier: GPL-3.0-or-later
// Raw arrays at the end of VTK XML files.
#ifndef TALUS_POSTPROC_WRITE_VTK_ARRAY_H
#define TALUS_POSTPROC_WRITE_VTK_ARRAY_H

#include "core/base/file.h"

// `count` numbers of four bytes each.
typedef struct {
    const char *name;
    const char *type; // "Float32" or "Int32"
    int components;
    size_t count;
    const void *values;
} tal_vtk_array;

static inline const char *tal_vtk_byte_order(void) {
    static const uint16_t ONE = 1;
    return *(const uint8_t *)&ONE == 1 ? "LittleEndian" : "BigEndian";
}

// In the head of a file: what it is and where; `offset` goes on behind it.
static inline void tal_vtk_print_array(tal_output *out, const tal_vtk_array *a, uint64_t *offset) {
    tal_output_print(out,
                     "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                     "format=\"appended\" offset=\"%llu\"/>\n",
                     a->type, a->name, a->components, (unsigned long long)*offset);
    *offset += 8 + 4 * a->count; // every block begins with its length
}

static inline void tal_vtk_write_array(tal_output *out, const tal_vtk_array *a) {
    const uint64_t bytes = 4 * a->count;
    tal_output_write(out, &bytes, sizeof bytes);
    tal_output_write(out, a->values, (size_t)bytes);
}

#endif
