// SPDX-License-Identifier: GPL-3.0-or-later
// LAS 1.4, point format 6 (ASPRS LAS Specification 1.4-R15), as much of it as the embedded sites
// need: written aside and renamed, with a fixed date and no path in the header.
#ifndef TALUS_DATASETS_LAS_WRITER_H
#define TALUS_DATASETS_LAS_WRITER_H

#include "core/base/file.h"
#include "core/base/status.h"

#include <stdint.h>

enum {
    TAL_LAS_UNCLASSIFIED = 1,
    TAL_LAS_GROUND = 2,
    TAL_LAS_HIGH_VEGETATION = 5,
    TAL_LAS_LOW_NOISE = 7,
    TAL_LAS_HIGH_NOISE = 18
};

typedef struct {
    double x, y, z;  // in the coordinate system of the file
    double gps_time; // adjusted standard GPS time, s
    double scan_angle_deg;
    uint16_t intensity;
    uint16_t strip; // point source id
    uint8_t return_number;
    uint8_t return_count;
    uint8_t classification;
    bool scan_direction;
    bool edge_of_line;
} tal_las_point;

typedef struct {
    const char *wkt;
    uint16_t creation_day, creation_year;
    double offset_x, offset_y, offset_z; // of the whole numbers in the file; their unit is 1 mm
} tal_las_notes;

typedef struct {
    tal_output output;
    tal_las_notes notes;
    uint64_t point_count;
    uint64_t count_by_return[15];
    int32_t low[3], high[3]; // in whole numbers of the file
} tal_las_writer;

tal_status tal_las_writer_open(tal_las_writer *writer, const char *path, const tal_las_notes *notes,
                               tal_overwrite overwrite, tal_error *err);
void tal_las_writer_add(tal_las_writer *writer, const tal_las_point *point);
// Completes the header and gives the file its name.
tal_status tal_las_writer_commit(tal_las_writer *writer, tal_error *err);
void tal_las_writer_discard(tal_las_writer *writer); // harmless after a commit or on {0}

#endif
