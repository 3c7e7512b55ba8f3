// SPDX-License-Identifier: GPL-3.0-or-later
// Coordinate systems from the GeoTIFF keys of a LAS file (OGC GeoTIFF 1.1, chapter 7): those that
// name EPSG codes, and UTM zones spelled out.
#include "ingest/read/las_file.h"

#include <stdio.h>
#include <string.h>

enum {
    KEY_MODEL_TYPE = 1024,
    KEY_GEOGRAPHIC = 2048,
    KEY_PROJECTED = 3072,
    KEY_PROJECTION = 3074,
    KEY_LINEAR_UNITS = 3076,
    KEY_VERTICAL = 4096,
    KEY_VERTICAL_UNITS = 4099,
    USER_DEFINED = 32767
};

typedef struct {
    int model, geographic, projected, projection, linear_units, vertical, vertical_units;
} keys_found;

static int *place_of(keys_found *found, int key) {
    switch (key) {
    case KEY_MODEL_TYPE:
        return &found->model;
    case KEY_GEOGRAPHIC:
        return &found->geographic;
    case KEY_PROJECTED:
        return &found->projected;
    case KEY_PROJECTION:
        return &found->projection;
    case KEY_LINEAR_UNITS:
        return &found->linear_units;
    case KEY_VERTICAL:
        return &found->vertical;
    case KEY_VERTICAL_UNITS:
        return &found->vertical_units;
    default:
        return NULL;
    }
}

// Four numbers a key: id, where its value is (0: here), how many, the value.
static void find_keys(const uint16_t *keys, size_t key_values, keys_found *found) {
    if (key_values < 4) {
        return;
    }
    size_t count = keys[3];
    if (count > key_values / 4 - 1) {
        count = key_values / 4 - 1;
    }
    for (size_t k = 1; k <= count; k++) {
        const uint16_t *key = keys + 4 * k;
        int *place = place_of(found, key[0]);
        if (place != NULL && key[1] == 0) {
            *place = key[3];
        }
    }
}

// EPSG codes of length units, in metres.
static double unit_m(int code) {
    switch (code) {
    case 9001:
        return 1.0;
    case 9002:
        return 0.3048;
    case 9003:
        return 1200.0 / 3937.0;
    default:
        return 0.0;
    }
}

static bool is_code(int value) {
    return value > 1023 && value < USER_DEFINED;
}

// Datums whose UTM zones have EPSG codes in a row: (geographic code, north base, south base), the
// code being base + zone; 0 where the datum has no such row.
static int utm_code(int geographic, int projection) {
    static const int bases[][3] = {{4326, 32600, 32700}, {4322, 32200, 32300}, {4269, 26900, 0},
                                   {4267, 26700, 0},     {4258, 25800, 0},     {4230, 23000, 0}};
    const bool north = projection > 16000 && projection <= 16060;
    const bool south = projection > 16100 && projection <= 16160;
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        const int base = north ? bases[i][1] : bases[i][2];
        if (bases[i][0] == geographic && base > 0 && (north || south)) {
            return base + projection % 100;
        }
    }
    return 0;
}

bool tal_las_crs_from_keys(const uint16_t *keys, size_t key_values, char *definition, size_t size,
                           double *vertical_m, char *note, size_t note_size) {
    keys_found found = {0};
    find_keys(keys, key_values, &found);
    *vertical_m = unit_m(found.vertical_units);
    int horizontal = 0;
    if (is_code(found.projected)) {
        horizontal = found.projected;
    } else if (found.model != 2 && is_code(found.geographic) && found.projection != 0) {
        horizontal = utm_code(found.geographic, found.projection);
    } else if (found.model == 2 && is_code(found.geographic)) {
        horizontal = found.geographic;
    }
    definition[0] = '\0';
    if (horizontal == 0) {
        if (found.model != 0 || found.projected != 0 || found.geographic != 0) {
            snprintf(note, note_size,
                     "its GeoTIFF keys describe a coordinate system without an EPSG code; name "
                     "it in the site file (crs, or before_crs and after_crs)");
        }
        return false;
    }
    // A unit of its own turns a coded projection into another one: not for us to guess.
    if (found.linear_units == USER_DEFINED) {
        snprintf(note, note_size,
                 "its GeoTIFF keys give EPSG:%d a unit of its own; name the right system in "
                 "the site file (crs, or before_crs and after_crs)",
                 horizontal);
        return false;
    }
    // 5001 to 5199 are not systems but the ellipsoids and datums of older GeoTIFF tables.
    const bool has_vertical =
        is_code(found.vertical) && (found.vertical <= 5000 || found.vertical >= 5200);
    const int length = has_vertical
                           ? snprintf(definition, size, "EPSG:%d+%d", horizontal, found.vertical)
                           : snprintf(definition, size, "EPSG:%d", horizontal);
    return length > 0 && (size_t)length < size;
}

double tal_las_plan_unit_from_keys(const uint16_t *keys, size_t key_values) {
    keys_found found = {0};
    find_keys(keys, key_values, &found);
    return unit_m(found.linear_units);
}
