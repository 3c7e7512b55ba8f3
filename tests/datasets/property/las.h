// SPDX-License-Identifier: GPL-3.0-or-later
// A small LAS 1.4 reader of the tests' own, written from the specification (ASPRS LAS 1.4-R15),
// so that the writer is not judged by itself. Little-endian machines only.
#ifndef TALUS_TESTS_DATASETS_PROPERTY_LAS_H
#define TALUS_TESTS_DATASETS_PROPERTY_LAS_H

#include "tests/support/check.h"

typedef struct {
    uint8_t *bytes;
    size_t size;
    uint64_t count;
    uint64_t first; // byte of the first point
} las_file;

typedef struct {
    double x, y, z, gps_time, scan_angle_deg;
    unsigned return_number, return_count, classification, strip, intensity;
} las_record;

static inline uint64_t las_number(const las_file *las, size_t at, int size) {
    uint64_t value = 0;
    assert_true(at + (size_t)size <= las->size);
    memcpy(&value, las->bytes + at, (size_t)size);
    return value;
}

static inline double las_real(const las_file *las, size_t at) {
    double value = 0.0;
    assert_true(at + 8 <= las->size);
    memcpy(&value, las->bytes + at, 8);
    return value;
}

static inline las_file las_open(const char *path) {
    las_file las = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot open %s", path);
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    las.size = (size_t)ftell(file);
    rewind(file);
    las.bytes = malloc(las.size);
    assert_non_null(las.bytes);
    assert_int_equal(fread(las.bytes, 1, las.size, file), las.size);
    fclose(file);
    las.first = las_number(&las, 96, 4);
    las.count = las_number(&las, 247, 8);
    return las;
}

static inline void las_close(las_file *las) {
    free(las->bytes);
    *las = (las_file){0};
}

static inline las_record las_get(const las_file *las, uint64_t index) {
    const size_t at = las->first + index * 30;
    double place[3];
    for (int axis = 0; axis < 3; axis++) {
        const int32_t whole = (int32_t)(uint32_t)las_number(las, at + 4 * (size_t)axis, 4);
        place[axis] =
            whole * las_real(las, 131 + 8 * (size_t)axis) + las_real(las, 155 + 8 * (size_t)axis);
    }
    const unsigned returns = (unsigned)las_number(las, at + 14, 1);
    return (las_record){.x = place[0],
                        .y = place[1],
                        .z = place[2],
                        .intensity = (unsigned)las_number(las, at + 12, 2),
                        .return_number = returns & 15u,
                        .return_count = returns >> 4,
                        .classification = (unsigned)las_number(las, at + 16, 1),
                        .scan_angle_deg = 0.006 * (int16_t)(uint16_t)las_number(las, at + 18, 2),
                        .strip = (unsigned)las_number(las, at + 20, 2),
                        .gps_time = las_real(las, at + 22)};
}

#endif
