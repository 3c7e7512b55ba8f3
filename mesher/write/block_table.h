// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of blocks: a header line with names of columns, one block per line.
#ifndef TALUS_MESHER_WRITE_BLOCK_TABLE_H
#define TALUS_MESHER_WRITE_BLOCK_TABLE_H

#include "core/base/status.h"
#include "core/geometry/halfspace.h"

#include <stdint.h>

// What a row says; what it does not say has the value in brackets.
typedef struct {
    tal_vec3 position;         // of the centroid
    tal_vec3 edge;             // of a box (0)
    double radius;             // of a sphere (0)
    char shape[256];           // file of a rock, relative to the table (empty)
    double quaternion[4];      // (1, 0, 0, 0)
    tal_vec3 velocity;         // (0)
    tal_vec3 angular_velocity; // (0)
    double density;            // (0: that of the rock)
    char surface_class[64];    // (empty)
    int64_t line;
} tal_block_row;

typedef struct {
    int64_t row_count;
    tal_block_row *row;
} tal_block_table;

// All mistakes of the table are reported together.
tal_status tal_block_table_read(tal_block_table *table, const char *path, tal_error *err);
tal_status tal_block_table_parse(tal_block_table *table, const char *bytes, const char *path,
                                 tal_error *err);
void tal_block_table_destroy(tal_block_table *table);

#endif
