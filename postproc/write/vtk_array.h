// SPDX-License-Identifier: GPL-3.0-or-later
// VTK XML files: their head, and raw arrays at their end.
#ifndef TALUS_POSTPROC_WRITE_VTK_ARRAY_H
#define TALUS_POSTPROC_WRITE_VTK_ARRAY_H

#include "core/base/file.h"
#include "core/geo/crs.h"

// `count` numbers of four bytes each.
typedef struct {
    const char *name;
    const char *type; // "Float32" or "Int32"
    int components;
    size_t count;
    const void *values;
} tal_vtk_array;

// Up to the pieces of a "PolyData" or "UnstructuredGrid" about `origin`.
static inline void tal_vtk_print_head(tal_output *out, const char *type, const tal_origin *origin) {
    static const uint16_t ONE = 1;
    tal_output_print(out,
                     "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                     "byte_order=\"%s\" header_type=\"UInt64\">\n<%s>\n<FieldData>\n"
                     "<DataArray type=\"Float64\" Name=\"origin_m\" NumberOfComponents=\"3\" "
                     "NumberOfTuples=\"1\" format=\"ascii\">%lld %lld %lld</DataArray>\n"
                     "</FieldData>\n",
                     type, *(const uint8_t *)&ONE == 1 ? "LittleEndian" : "BigEndian", type,
                     (long long)origin->east, (long long)origin->north, (long long)origin->height);
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
