// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of blocks.
#include "mesher/write/block_table.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geometry/angle.h"

#include <math.h>
#include <string.h>

typedef enum {
    COLUMN_X,
    COLUMN_Y,
    COLUMN_Z,
    COLUMN_LENGTH,
    COLUMN_WIDTH,
    COLUMN_HEIGHT,
    COLUMN_RADIUS,
    COLUMN_SHAPE,
    COLUMN_QW,
    COLUMN_QX,
    COLUMN_QY,
    COLUMN_QZ,
    COLUMN_STRIKE,
    COLUMN_VX,
    COLUMN_VY,
    COLUMN_VZ,
    COLUMN_WX,
    COLUMN_WY,
    COLUMN_WZ,
    COLUMN_DENSITY,
    COLUMN_CLASS,
    COLUMN_COUNT
} column_kind;

static const char *const column_names[COLUMN_COUNT + 1] = {
    "x_m",        "y_m",           "z_m",    "length_m", "width_m", "height_m",
    "radius_m",   "shape",         "qw",     "qx",       "qy",      "qz",
    "strike_deg", "vx_mps",        "vy_mps", "vz_mps",   "wx_rps",  "wy_rps",
    "wz_rps",     "density_kg_m3", "class",  NULL};

enum { COLUMNS_MAX = 64, FIELD_SIZE = 256 };

typedef struct {
    const char *path;
    int64_t line;
    char separator;
    int column_count;
    column_kind column[COLUMNS_MAX];
    bool has[COLUMN_COUNT];
    tal_error *err;
} table_reader;

// ---- Fields ----------------------------------------------------------------------------

// Copies the next field without surrounding blanks and quotes; false after the last.
static bool next_field(const char **cursor, char separator, char field[FIELD_SIZE]) {
    if (*cursor == NULL) {
        return false;
    }
    const char *end = strchr(*cursor, separator);
    const char *from = *cursor;
    size_t length = end != NULL ? (size_t)(end - from) : strlen(from);
    *cursor = end != NULL ? end + 1 : NULL;
    while (length > 0 && strchr(" \t\"", from[0]) != NULL) {
        from++;
        length--;
    }
    while (length > 0 && strchr(" \t\"\r", from[length - 1]) != NULL) {
        length--;
    }
    length = length < FIELD_SIZE - 1 ? length : FIELD_SIZE - 1;
    memcpy(field, from, length);
    field[length] = '\0';
    return true;
}

static void read_names(table_reader *reader, const char *line) {
    char field[FIELD_SIZE];
    reader->separator = strchr(line, ';') != NULL ? ';' : (strchr(line, '\t') != NULL ? '\t' : ',');
    while (next_field(&line, reader->separator, field) && reader->column_count < COLUMNS_MAX) {
        int kind = 0;
        while (kind < COLUMN_COUNT && strcmp(field, column_names[kind]) != 0) {
            kind++;
        }
        if (kind == COLUMN_COUNT) {
            const char *near = tal_text_nearest(field, column_names);
            tal_error_add(reader->err, TAL_BAD_INPUT, "%s:%lld: column '%s' is not known%s%s%s",
                          reader->path, (long long)reader->line, field,
                          near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                          near != NULL ? "?" : "; docs/formats.md lists the columns");
        } else {
            reader->has[kind] = true;
        }
        reader->column[reader->column_count++] = (column_kind)kind;
    }
    if (!reader->has[COLUMN_X] || !reader->has[COLUMN_Y] || !reader->has[COLUMN_Z]) {
        tal_error_add(reader->err, TAL_BAD_INPUT, "%s:%lld: the columns x_m, y_m, z_m are needed",
                      reader->path, (long long)reader->line);
    }
}

// ---- Rows ------------------------------------------------------------------------------

static void set_number(tal_block_row *row, column_kind kind, double value) {
    double *const target[COLUMN_COUNT] = {
        [COLUMN_X] = &row->position.x,          [COLUMN_Y] = &row->position.y,
        [COLUMN_Z] = &row->position.z,          [COLUMN_LENGTH] = &row->edge.x,
        [COLUMN_WIDTH] = &row->edge.y,          [COLUMN_HEIGHT] = &row->edge.z,
        [COLUMN_RADIUS] = &row->radius,         [COLUMN_QW] = &row->quaternion[0],
        [COLUMN_QX] = &row->quaternion[1],      [COLUMN_QY] = &row->quaternion[2],
        [COLUMN_QZ] = &row->quaternion[3],      [COLUMN_VX] = &row->velocity.x,
        [COLUMN_VY] = &row->velocity.y,         [COLUMN_VZ] = &row->velocity.z,
        [COLUMN_WX] = &row->angular_velocity.x, [COLUMN_WY] = &row->angular_velocity.y,
        [COLUMN_WZ] = &row->angular_velocity.z, [COLUMN_DENSITY] = &row->density};
    if (target[kind] != NULL) {
        *target[kind] = value;
    } else if (kind == COLUMN_STRIKE) {
        // The length points along strike, clockwise from north.
        const double half = (TAL_PI / 2 - tal_radians(value)) / 2;
        row->quaternion[0] = cos(half);
        row->quaternion[1] = row->quaternion[2] = 0;
        row->quaternion[3] = sin(half);
    }
}

static void set_field(table_reader *reader, tal_block_row *row, column_kind kind,
                      const char *field) {
    if (kind == COLUMN_SHAPE) {
        (void)tal_text_copy(row->shape, sizeof row->shape, field);
        return;
    }
    if (kind == COLUMN_CLASS) {
        if (!tal_text_copy(row->surface_class, sizeof row->surface_class, field)) {
            tal_error_add(reader->err, TAL_BAD_INPUT, "%s:%lld: class '%.80s' is too long",
                          reader->path, (long long)reader->line, field);
        }
        return;
    }
    double value = 0;
    if (field[0] == '\0') {
        return;
    }
    if (!tal_text_to_real(field, &value) || !isfinite(value)) {
        tal_error_add(reader->err, TAL_BAD_INPUT, "%s:%lld: %s = '%.60s' is not a number",
                      reader->path, (long long)reader->line, column_names[kind], field);
        return;
    }
    set_number(row, kind, value);
}

static void check_row(table_reader *reader, tal_block_row *row) {
    const tal_vec3 e = row->edge;
    const bool is_box = e.x > 0 && e.y > 0 && e.z > 0;
    if (!is_box && !(row->radius > 0) && row->shape[0] == '\0') {
        tal_error_add(reader->err, TAL_BAD_INPUT,
                      "%s:%lld: a block needs length_m, width_m and height_m above zero, or a "
                      "radius_m, or a file in shape",
                      reader->path, (long long)reader->line);
    }
    double length = 0;
    for (int k = 0; k < 4; k++) {
        length += row->quaternion[k] * row->quaternion[k];
    }
    length = sqrt(length);
    if (fabs(length - 1) > 0.01) {
        tal_error_add(reader->err, TAL_BAD_INPUT,
                      "%s:%lld: the quaternion has length %g; it must have length 1", reader->path,
                      (long long)reader->line, length);
    }
    for (int k = 0; k < 4; k++) {
        row->quaternion[k] /= length > 0 ? length : 1;
    }
    if (row->density < 0) {
        tal_error_add(reader->err, TAL_BAD_INPUT, "%s:%lld: density_kg_m3 = %g is below zero",
                      reader->path, (long long)reader->line, row->density);
    }
}

static void read_row(table_reader *reader, tal_block_row *row, const char *line) {
    char field[FIELD_SIZE];
    *row = (tal_block_row){.quaternion = {1, 0, 0, 0}, .line = reader->line};
    int count = 0;
    for (; next_field(&line, reader->separator, field); count++) {
        if (count < reader->column_count && reader->column[count] != COLUMN_COUNT) {
            set_field(reader, row, reader->column[count], field);
        }
    }
    if (count != reader->column_count) {
        tal_error_add(reader->err, TAL_BAD_INPUT, "%s:%lld: %d values for %d columns", reader->path,
                      (long long)reader->line, count, reader->column_count);
        return;
    }
    check_row(reader, row);
}

// ---- Table -----------------------------------------------------------------------------

static bool is_blank(const char *line) {
    line += strspn(line, " \t\r");
    return *line == '\0' || *line == '#';
}

static void read_lines(table_reader *reader, tal_block_table *table, char *text) {
    for (char *line = text; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        reader->line++;
        if (!is_blank(line) && reader->column_count == 0) {
            read_names(reader, line);
        } else if (!is_blank(line)) {
            read_row(reader, &table->row[table->row_count++], line);
        }
        line = end != NULL ? end + 1 : NULL;
    }
}

tal_status tal_block_table_parse(tal_block_table *table, const char *bytes, const char *path,
                                 tal_error *err) {
    *table = (tal_block_table){0};
    size_t lines = 1;
    for (const char *at = strchr(bytes, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        lines++;
    }
    const size_t length = strlen(bytes);
    char *text;
    TAL_CREATE(text, length + 1, "a table", err);
    memcpy(text, bytes, length);
    table->row = tal_memory_create(lines, sizeof *table->row);
    if (table->row == NULL) {
        tal_memory_destroy(text);
        return tal_memory_failed(err, "rows of a table", lines, sizeof *table->row);
    }
    tal_error found;
    tal_error_reset(&found);
    table_reader reader = {.path = path, .err = &found};
    read_lines(&reader, table, text);
    tal_memory_destroy(text);
    if (found.status == TAL_OK && table->row_count == 0) {
        tal_error_add(&found, TAL_BAD_INPUT, "%s holds no block", path);
    }
    if (found.status != TAL_OK) {
        tal_block_table_destroy(table);
        if (err != NULL) {
            *err = found;
        }
    }
    return found.status;
}

tal_status tal_block_table_read(tal_block_table *table, const char *path, tal_error *err) {
    char *bytes = NULL;
    size_t length = 0;
    *table = (tal_block_table){0};
    TAL_TRY(tal_file_read(path, &bytes, &length, err));
    const tal_status status = tal_block_table_parse(table, bytes, path, err);
    tal_memory_destroy(bytes);
    return status;
}

void tal_block_table_destroy(tal_block_table *table) {
    if (table != NULL) {
        tal_memory_destroy(table->row);
        *table = (tal_block_table){0};
    }
}
