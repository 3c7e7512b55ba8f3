// SPDX-License-Identifier: GPL-3.0-or-later
// LAS 1.4, point format 6.
#include "datasets/las_writer.h"

#include "core/app/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_SIZE = 375, VLR_HEADER_SIZE = 54, POINT_SIZE = 30, POINT_FORMAT = 6 };
enum { GPS_TIME_IS_ADJUSTED = 1, CRS_IS_WKT = 16 }; // bits of the global encoding

static const double UNIT = 0.001;
static const double SCAN_ANGLE_UNIT = 0.006; // degrees

// Little-endian on any machine.
typedef struct {
    uint8_t *bytes;
    size_t at;
} packer;

static void pack(packer *to, uint64_t value, int size) {
    for (int i = 0; i < size; i++) {
        to->bytes[to->at++] = (uint8_t)(value >> (8 * i));
    }
}

static void pack_real(packer *to, double value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    pack(to, bits, 8);
}

static void pack_text(packer *to, const char *text, size_t size) {
    const size_t length = strlen(text) < size ? strlen(text) : size;
    memset(to->bytes + to->at, 0, size);
    memcpy(to->bytes + to->at, text, length);
    to->at += size;
}

static void pack_bounds(packer *to, const tal_las_writer *writer) {
    const double offset[3] = {writer->notes.offset_x, writer->notes.offset_y,
                              writer->notes.offset_z};
    for (int axis = 0; axis < 3; axis++) {
        const bool any = writer->point_count > 0;
        pack_real(to, any ? writer->high[axis] * UNIT + offset[axis] : 0.0);
        pack_real(to, any ? writer->low[axis] * UNIT + offset[axis] : 0.0);
    }
}

static void write_header(tal_las_writer *writer) {
    uint8_t header[HEADER_SIZE] = {0};
    packer to = {.bytes = header};
    char software[32];
    (void)snprintf(software, sizeof software, "talus-dataset %s", tal_version);
    const size_t wkt_size = strlen(writer->notes.wkt) + 1;

    pack_text(&to, "LASF", 4);
    pack(&to, 0, 2); // file source id
    pack(&to, GPS_TIME_IS_ADJUSTED | CRS_IS_WKT, 2);
    to.at += 16; // project id
    pack(&to, 1, 1);
    pack(&to, 4, 1);
    pack_text(&to, "SYNTHETIC", 32);
    pack_text(&to, software, 32);
    pack(&to, writer->notes.creation_day, 2);
    pack(&to, writer->notes.creation_year, 2);
    pack(&to, HEADER_SIZE, 2);
    pack(&to, HEADER_SIZE + VLR_HEADER_SIZE + wkt_size, 4);
    pack(&to, 1, 4); // variable length records
    pack(&to, POINT_FORMAT, 1);
    pack(&to, POINT_SIZE, 2);
    to.at += 4 + 5 * 4; // legacy counts, zero for point formats from 6 on
    for (int axis = 0; axis < 3; axis++) {
        pack_real(&to, UNIT);
    }
    pack_real(&to, writer->notes.offset_x);
    pack_real(&to, writer->notes.offset_y);
    pack_real(&to, writer->notes.offset_z);
    pack_bounds(&to, writer);
    to.at += 8 + 8 + 4; // waveforms and extended records: none
    pack(&to, writer->point_count, 8);
    for (int i = 0; i < 15; i++) {
        pack(&to, writer->count_by_return[i], 8);
    }
    TAL_ASSERT(to.at == HEADER_SIZE);
    tal_output_write(&writer->output, header, sizeof header);
}

static void write_wkt(tal_las_writer *writer) {
    uint8_t header[VLR_HEADER_SIZE] = {0};
    packer to = {.bytes = header};
    const size_t size = strlen(writer->notes.wkt) + 1;
    pack(&to, 0, 2);
    pack_text(&to, "LASF_Projection", 16);
    pack(&to, 2112, 2); // OGC coordinate system WKT
    pack(&to, size, 2);
    pack_text(&to, "OGC WKT", 32);
    tal_output_write(&writer->output, header, sizeof header);
    tal_output_write(&writer->output, writer->notes.wkt, size);
}

tal_status tal_las_writer_open(tal_las_writer *writer, const char *path, const tal_las_notes *notes,
                               tal_overwrite overwrite, tal_error *err) {
    *writer = (tal_las_writer){.notes = *notes};
    TAL_TRY(tal_output_open(&writer->output, path, overwrite, err));
    write_header(writer); // the place is taken now, the counts come at the end
    write_wkt(writer);
    return TAL_OK;
}

static void extend_bounds(tal_las_writer *writer, const int32_t whole[3]) {
    for (int axis = 0; axis < 3; axis++) {
        if (writer->point_count == 0 || whole[axis] < writer->low[axis]) {
            writer->low[axis] = whole[axis];
        }
        if (writer->point_count == 0 || whole[axis] > writer->high[axis]) {
            writer->high[axis] = whole[axis];
        }
    }
}

void tal_las_writer_add(tal_las_writer *writer, const tal_las_point *point) {
    TAL_ASSERT(point->return_number >= 1 && point->return_number <= point->return_count &&
               point->return_count <= 15);
    const int32_t whole[3] = {(int32_t)lround((point->x - writer->notes.offset_x) / UNIT),
                              (int32_t)lround((point->y - writer->notes.offset_y) / UNIT),
                              (int32_t)lround((point->z - writer->notes.offset_z) / UNIT)};
    extend_bounds(writer, whole);
    writer->point_count++;
    writer->count_by_return[point->return_number - 1]++;

    uint8_t record[POINT_SIZE] = {0};
    packer to = {.bytes = record};
    for (int axis = 0; axis < 3; axis++) {
        pack(&to, (uint32_t)whole[axis], 4);
    }
    pack(&to, point->intensity, 2);
    pack(&to, (uint64_t)point->return_number | (uint64_t)point->return_count << 4, 1);
    pack(&to, (uint64_t)point->scan_direction << 6 | (uint64_t)point->edge_of_line << 7, 1);
    pack(&to, point->classification, 1);
    pack(&to, 0, 1); // user data
    pack(&to, (uint16_t)(int16_t)lround(point->scan_angle_deg / SCAN_ANGLE_UNIT), 2);
    pack(&to, point->strip, 2);
    pack_real(&to, point->gps_time);
    TAL_ASSERT(to.at == POINT_SIZE);
    tal_output_write(&writer->output, record, sizeof record);
}

tal_status tal_las_writer_commit(tal_las_writer *writer, tal_error *err) {
    tal_output_seek(&writer->output, 0);
    write_header(writer);
    return tal_output_commit(&writer->output, err);
}

void tal_las_writer_discard(tal_las_writer *writer) {
    tal_output_discard(&writer->output);
}
