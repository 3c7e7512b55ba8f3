// SPDX-License-Identifier: GPL-3.0-or-later
// Surfaces from PLY files: text and both byte orders.
#include "mesher/import/mesh_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 16, PROPERTIES_MAX = 64, WORD_SIZE = 64, CORNERS_MAX = 4096 };

typedef enum { PLY_TEXT, PLY_LITTLE, PLY_BIG } ply_format;

typedef enum {
    TYPE_NONE,
    TYPE_INT8,
    TYPE_UINT8,
    TYPE_INT16,
    TYPE_UINT16,
    TYPE_INT32,
    TYPE_UINT32,
    TYPE_FLOAT,
    TYPE_DOUBLE
} ply_type;

typedef struct {
    char name[WORD_SIZE];
    ply_type type;
    ply_type count_type; // of a list, else TYPE_NONE
} ply_property;

typedef struct {
    char name[WORD_SIZE];
    int64_t count;
    int property_count;
    ply_property property[PROPERTIES_MAX];
} ply_element;

typedef struct {
    const char *path;
    const char *at, *end;
    ply_format format;
    int element_count;
    ply_element element[ELEMENTS_MAX];
} ply_reader;

// ---- Header ----------------------------------------------------------------------------

static ply_type type_of(const char *word) {
    static const struct {
        const char *word;
        ply_type type;
    } names[] = {{"char", TYPE_INT8},     {"int8", TYPE_INT8},     {"uchar", TYPE_UINT8},
                 {"uint8", TYPE_UINT8},   {"short", TYPE_INT16},   {"int16", TYPE_INT16},
                 {"ushort", TYPE_UINT16}, {"uint16", TYPE_UINT16}, {"int", TYPE_INT32},
                 {"int32", TYPE_INT32},   {"uint", TYPE_UINT32},   {"uint32", TYPE_UINT32},
                 {"float", TYPE_FLOAT},   {"float32", TYPE_FLOAT}, {"double", TYPE_DOUBLE},
                 {"float64", TYPE_DOUBLE}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcmp(names[k].word, word) == 0) {
            return names[k].type;
        }
    }
    return TYPE_NONE;
}

static tal_status bad_header(const ply_reader *reader, const char *line, tal_error *err) {
    return TAL_FAIL(err, TAL_BAD_INPUT, "%s: the PLY header is not understood at '%.60s'",
                    reader->path, line);
}

static tal_status read_property(ply_reader *reader, const char *line, tal_error *err) {
    char word[4][WORD_SIZE] = {{0}};
    if (reader->element_count == 0) {
        return bad_header(reader, line, err);
    }
    ply_element *element = &reader->element[reader->element_count - 1];
    if (element->property_count == PROPERTIES_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: an element has more than %d properties",
                        reader->path, PROPERTIES_MAX);
    }
    ply_property *property = &element->property[element->property_count++];
    const int words =
        sscanf(line, "property %63s %63s %63s %63s", word[0], word[1], word[2], word[3]);
    const bool is_list = words == 4 && strcmp(word[0], "list") == 0;
    if (!is_list && words != 2) {
        return bad_header(reader, line, err);
    }
    property->count_type = is_list ? type_of(word[1]) : TYPE_NONE;
    property->type = type_of(word[is_list ? 2 : 0]);
    memcpy(property->name, word[is_list ? 3 : 1], WORD_SIZE);
    const bool is_known =
        property->type != TYPE_NONE &&
        (!is_list || (property->count_type != TYPE_NONE && property->count_type < TYPE_FLOAT));
    return is_known ? TAL_OK : bad_header(reader, line, err);
}

static tal_status read_element(ply_reader *reader, const char *line, tal_error *err) {
    long long count = 0;
    if (reader->element_count == ELEMENTS_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: more than %d kinds of elements", reader->path,
                        ELEMENTS_MAX);
    }
    ply_element *element = &reader->element[reader->element_count];
    if (sscanf(line, "element %63s %lld", element->name, &count) != 2 || count < 0) {
        return bad_header(reader, line, err);
    }
    element->count = count;
    reader->element_count++;
    return TAL_OK;
}

static tal_status read_header_line(ply_reader *reader, const char *line, tal_error *err) {
    char word[WORD_SIZE] = {0};
    if (sscanf(line, "format %63s", word) == 1) {
        if (strcmp(word, "ascii") == 0) {
            reader->format = PLY_TEXT;
        } else if (strcmp(word, "binary_little_endian") == 0) {
            reader->format = PLY_LITTLE;
        } else if (strcmp(word, "binary_big_endian") == 0) {
            reader->format = PLY_BIG;
        } else {
            return bad_header(reader, line, err);
        }
        return TAL_OK;
    }
    if (strncmp(line, "element", 7) == 0) {
        return read_element(reader, line, err);
    }
    if (strncmp(line, "property", 8) == 0) {
        return read_property(reader, line, err);
    }
    return TAL_OK; // comments
}

static tal_status read_header(ply_reader *reader, tal_error *err) {
    for (int64_t number = 1;; number++) {
        const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
        char line[512];
        if (newline == NULL) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: the PLY header has no end_header",
                            reader->path);
        }
        size_t length = (size_t)(newline - reader->at);
        length = length < sizeof line - 1 ? length : sizeof line - 1;
        memcpy(line, reader->at, length);
        line[length] = '\0';
        line[strcspn(line, "\r")] = '\0';
        reader->at = newline + 1;
        if (number == 1 && strcmp(line, "ply") != 0) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a PLY file: it does not begin with ply",
                            reader->path);
        }
        if (strcmp(line, "end_header") == 0) {
            return TAL_OK;
        }
        TAL_TRY(read_header_line(reader, line, err));
    }
}

// ---- Values ----------------------------------------------------------------------------

static bool read_text(ply_reader *reader, double *value) {
    char *after = NULL;
    *value = strtod(reader->at, &after);
    if (after == reader->at || after > reader->end) {
        return false;
    }
    reader->at = after;
    return true;
}

static double decode(ply_type type, const unsigned char *b) {
    uint64_t bits = 0;
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    for (int k = sizes[type] - 1; k >= 0; k--) {
        bits = bits << 8 | b[k];
    }
    float single;
    double number;
    const uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&number, &bits, sizeof number);
    switch (type) {
    case TYPE_INT8:
        return (int8_t)bits;
    case TYPE_INT16:
        return (int16_t)bits;
    case TYPE_INT32:
        return (int32_t)low;
    case TYPE_FLOAT:
        return (double)single;
    case TYPE_DOUBLE:
        return number;
    default:
        return (double)bits;
    }
}

static bool read_value(ply_reader *reader, ply_type type, double *value) {
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    if (reader->format == PLY_TEXT) {
        return read_text(reader, value);
    }
    const int size = sizes[type];
    if (reader->end - reader->at < size) {
        return false;
    }
    unsigned char bytes[8] = {0};
    for (int k = 0; k < size; k++) {
        bytes[reader->format == PLY_LITTLE ? k : size - 1 - k] = (unsigned char)reader->at[k];
    }
    reader->at += size;
    *value = decode(type, bytes);
    return true;
}

// ---- Elements --------------------------------------------------------------------------

typedef struct {
    double coordinate[3];
    int64_t corner[CORNERS_MAX];
    int64_t corner_count;
} ply_row;

// One property of one row; only coordinates and faces are kept. False at the end of the file.
static bool read_into(ply_reader *reader, const ply_property *property, ply_row *row) {
    double value = 0;
    if (property->count_type == TYPE_NONE) {
        if (!read_value(reader, property->type, &value)) {
            return false;
        }
        static const char *const names[3] = {"x", "y", "z"};
        for (int k = 0; k < 3; k++) {
            if (strcmp(property->name, names[k]) == 0) {
                row->coordinate[k] = value;
            }
        }
        return true;
    }
    double length = 0;
    if (!read_value(reader, property->count_type, &length) || !(length >= 0)) {
        return false;
    }
    const bool is_face = strcmp(property->name, "vertex_indices") == 0 ||
                         strcmp(property->name, "vertex_index") == 0;
    for (double k = 0; k < length; k++) {
        if (!read_value(reader, property->type, &value)) {
            return false;
        }
        if (is_face && row->corner_count < CORNERS_MAX) {
            row->corner[row->corner_count++] =
                value >= 0 && value < INT32_MAX ? (int64_t)value : -1;
        }
    }
    return true;
}

static tal_status read_rows(ply_reader *reader, const ply_element *element, tal_mesh_file *mesh,
                            tal_error *err) {
    const bool is_vertex = strcmp(element->name, "vertex") == 0;
    const bool is_face = strcmp(element->name, "face") == 0;
    ply_row row;
    if (element->property_count == 0) {
        return TAL_OK;
    }
    for (int64_t number = 0; number < element->count; number++) {
        row.coordinate[0] = row.coordinate[1] = row.coordinate[2] = NAN;
        row.corner_count = 0;
        for (int k = 0; k < element->property_count; k++) {
            if (!read_into(reader, &element->property[k], &row)) {
                return TAL_FAIL(
                    err, TAL_BAD_INPUT,
                    "%s: the file ends early, or something in %s %lld of %lld is not a number",
                    reader->path, element->name, (long long)number + 1, (long long)element->count);
            }
        }
        if (is_vertex) {
            const tal_vec3 p = {row.coordinate[0], row.coordinate[1], row.coordinate[2]};
            if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
                return TAL_FAIL(err, TAL_BAD_INPUT, "%s: vertex %lld lacks a finite x, y or z",
                                reader->path, (long long)number + 1);
            }
            TAL_TRY(tal_mesh_file_add_vertex(mesh, p, err));
        } else if (is_face && row.corner_count >= 3) {
            TAL_TRY(tal_mesh_file_add_polygon(mesh, row.corner, row.corner_count, reader->path,
                                              number + 1, err));
        }
    }
    return TAL_OK;
}

tal_status tal_mesh_file_parse_ply(tal_mesh_file *mesh, const char *bytes, size_t length,
                                   const char *path, tal_error *err) {
    *mesh = (tal_mesh_file){.part_count = 1};
    ply_reader reader = {.path = path, .at = bytes, .end = bytes + length};
    TAL_TRY(read_header(&reader, err));
    for (int k = 0; k < reader.element_count; k++) {
        TAL_TRY(read_rows(&reader, &reader.element[k], mesh, err));
        if (strcmp(reader.element[k].name, "face") == 0) {
            break; // materials and the like may follow
        }
    }
    return TAL_OK;
}
