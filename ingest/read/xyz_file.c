// SPDX-License-Identifier: GPL-3.0-or-later
// The text reader. The first lines decide separator and columns; from then on every line must be a
// point, or the reader says which one is not.
#define _POSIX_C_SOURCE 200809L
#include "ingest/read/xyz_file.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "ingest/read/format.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BUFFER_BYTES = 1 << 20,
    LINE_BYTES = 4096, // longer lines are not points
    COLUMNS_MAX = 64,
    HEADER_LINES_MAX = 20 // words before the first point
};

// No place on Earth, in any unit, has larger coordinates.
static const double coordinate_max = 1e9;

typedef struct {
    const char *start;
    size_t length;
} field;

struct tal_xyz {
    char *path;
    FILE *stream;      // NULL when reading from memory
    const char *bytes; // NULL when reading from a stream
    size_t byte_count;
    uint64_t size;
    uint64_t consumed; // bytes handed out as lines
    char *buffer;
    size_t capacity; // of the buffer, but for one byte
    size_t filled, used;
    bool at_end;
    long line;          // of the line last handed out
    long first_line;    // of the first point
    char separator;     // ' ' for any run of blanks and tabs
    int column[3];      // of x, y, z
    int class_column;   // -1: none
    int columns_needed; // highest of these + 1
};

// ---- Lines -------------------------------------------------------------------------------------

static tal_status refill(tal_xyz *xyz, tal_error *err) {
    memmove(xyz->buffer, xyz->buffer + xyz->used, xyz->filled - xyz->used);
    xyz->filled -= xyz->used;
    xyz->used = 0;
    const size_t room = xyz->capacity - xyz->filled;
    size_t got;
    if (xyz->stream != NULL) {
        got = fread(xyz->buffer + xyz->filled, 1, room, xyz->stream);
        if (ferror(xyz->stream)) {
            return TAL_FAIL(err, TAL_IO, "%s cannot be read: %s", xyz->path, strerror(errno));
        }
    } else {
        const size_t left = xyz->byte_count - (size_t)(xyz->consumed + xyz->filled);
        got = left < room ? left : room;
        memcpy(xyz->buffer + xyz->filled, xyz->bytes + xyz->consumed + xyz->filled, got);
    }
    xyz->filled += got;
    xyz->at_end = got < room;
    return TAL_OK;
}

// The next line without its end, '\0' added; NULL after the last.
static tal_status next_line(tal_xyz *xyz, char **line, size_t *length, tal_error *err) {
    *line = NULL;
    char *end = memchr(xyz->buffer + xyz->used, '\n', xyz->filled - xyz->used);
    if (end == NULL && !xyz->at_end) {
        TAL_TRY(refill(xyz, err));
        end = memchr(xyz->buffer, '\n', xyz->filled);
    }
    if (end == NULL && xyz->used == xyz->filled) {
        return TAL_OK;
    }
    char *start = xyz->buffer + xyz->used;
    size_t bytes = (end == NULL ? xyz->filled : (size_t)(end - xyz->buffer)) - xyz->used;
    xyz->line++;
    if (bytes >= LINE_BYTES) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s:%ld: the line is longer than %d characters, so this is "
                        "not a list of points",
                        xyz->path, xyz->line, LINE_BYTES - 1);
    }
    const size_t step = bytes + (end != NULL);
    xyz->used += step;
    xyz->consumed += step;
    if (bytes > 0 && start[bytes - 1] == '\r') {
        bytes--;
    }
    start[bytes] = '\0'; // the buffer has one byte to spare
    *line = start;
    *length = bytes;
    return TAL_OK;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_comment_or_empty(const char *line) {
    while (is_blank(*line)) {
        line++;
    }
    return *line == '\0' || *line == '#';
}

// Splits into fields; trailing blanks of a field are cut. Returns how many there are.
static int split(char *line, size_t length, char separator, field *fields, int fields_max) {
    int count = 0;
    char *cursor = line, *end = line + length;
    while (count < fields_max) {
        while (cursor < end && is_blank(*cursor)) {
            cursor++;
        }
        if (cursor == end && (separator == ' ' || count == 0)) {
            break;
        }
        char *stop = cursor;
        while (stop < end && !(separator == ' ' ? is_blank(*stop) : *stop == separator)) {
            stop++;
        }
        char *last = stop;
        while (last > cursor && is_blank(last[-1])) {
            last--;
        }
        fields[count++] = (field){cursor, (size_t)(last - cursor)};
        if (stop == end) {
            break;
        }
        cursor = stop + 1;
    }
    return count;
}

// ---- Numbers -----------------------------------------------------------------------------------

// Plain decimals of at most 15 digits are exact products of an integer and a power of ten up to
// 10^22, hence correctly rounded; everything else takes the general way.
static bool fast_real(const char *text, size_t length, double *value) {
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    size_t i = 0;
    const bool negative = length > 0 && text[0] == '-';
    i += negative || (length > 0 && text[0] == '+');
    int64_t digits = 0;
    int digit_count = 0, decimals = 0;
    bool after_point = false;
    for (; i < length; i++) {
        const char c = text[i];
        if (c == '.' && !after_point) {
            after_point = true;
        } else if (c >= '0' && c <= '9' && digit_count < 15) {
            digits = 10 * digits + (c - '0');
            digit_count++;
            decimals += after_point;
        } else {
            return false;
        }
    }
    *value = (negative ? -(double)digits : (double)digits) / power[decimals];
    return digit_count > 0;
}

static bool to_real(field f, double *value) {
    char copy[64];
    if (fast_real(f.start, f.length, value)) {
        return true;
    }
    if (f.length == 0 || f.length >= sizeof copy) {
        return false;
    }
    memcpy(copy, f.start, f.length);
    copy[f.length] = '\0';
    return tal_text_to_real(copy, value);
}

static bool has_decimal_comma(field f) {
    bool digit_before = false;
    for (size_t i = 0; i + 1 < f.length; i++) {
        if (f.start[i] == ',' && digit_before && isdigit((unsigned char)f.start[i + 1])) {
            return true;
        }
        digit_before = isdigit((unsigned char)f.start[i]) != 0;
    }
    return false;
}

// ---- Columns -----------------------------------------------------------------------------------

static char find_separator(const char *line) {
    if (strchr(line, ';') != NULL) {
        return ';';
    }
    if (strchr(line, '\t') != NULL) {
        return '\t';
    }
    // "1,5 2,5 3,5": commas between digits and blanks between columns make a decimal comma.
    const char *comma = strchr(line, ',');
    if (comma == NULL) {
        return ' ';
    }
    while (is_blank(*line)) {
        line++;
    }
    for (const char *c = line; *c != '\0'; c++) {
        const bool inner_blank = is_blank(*c) && c[1] != '\0' && !is_blank(c[1]);
        const bool after_comma = c > line && (c[-1] == ',' || is_blank(c[-1]));
        if (inner_blank && !after_comma && c[1] != ',') {
            return ' ';
        }
    }
    return ',';
}

static bool word_is_one_of(field f, const char *const *words) {
    char word[32];
    while (f.length > 0 && (*f.start == '/' || *f.start == '"' || *f.start == '#')) {
        f.start++;
        f.length--;
    }
    while (f.length > 0 && f.start[f.length - 1] == '"') {
        f.length--;
    }
    if (f.length == 0 || f.length >= sizeof word) {
        return false;
    }
    for (size_t i = 0; i < f.length; i++) {
        word[i] = (char)tolower((unsigned char)f.start[i]);
    }
    word[f.length] = '\0';
    for (; *words != NULL; words++) {
        if (strcmp(word, *words) == 0) {
            return true;
        }
    }
    return false;
}

static const char *const axis_words[3][12] = {
    {"x", "x_m", "east", "easting", "e", "x_coord", "xcoord", "east_m", "easting_m", "x[m]", NULL},
    {"y", "y_m", "north", "northing", "n", "y_coord", "ycoord", "north_m", "northing_m", "y[m]",
     NULL},
    {"z", "z_m", "height", "elevation", "h", "elev", "alt", "altitude", "height_m", "elevation_m",
     "z[m]", NULL}};
static const char *const class_words[] = {"classification", "class", "point_class", "label", NULL};

// A header that names the columns; false when it names less than x, y and z.
static bool name_columns(tal_xyz *xyz, const field *fields, int count) {
    int column[3] = {-1, -1, -1}, class_column = -1;
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            if (column[axis] < 0 && word_is_one_of(fields[i], axis_words[axis])) {
                column[axis] = i;
            }
        }
        if (word_is_one_of(fields[i], class_words)) {
            class_column = i;
        }
    }
    if (column[0] < 0 || column[1] < 0 || column[2] < 0) {
        return false;
    }
    memcpy(xyz->column, column, sizeof column);
    xyz->class_column = class_column;
    return true;
}

static void settle_columns_needed(tal_xyz *xyz) {
    int highest = xyz->class_column;
    for (int axis = 0; axis < 3; axis++) {
        highest = xyz->column[axis] > highest ? xyz->column[axis] : highest;
    }
    xyz->columns_needed = highest + 1;
}

static bool all_numbers(const field *fields, int count) {
    double value;
    for (int i = 0; i < count; i++) {
        if (!to_real(fields[i], &value)) {
            return false;
        }
    }
    return true;
}

static tal_status refuse_decimal_comma(const tal_xyz *xyz, field f, tal_error *err) {
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s:%ld: \"%.*s\" has a decimal comma; write the file with decimal points (in "
                    "a text editor, replace each , with .)",
                    xyz->path, xyz->line, (int)(f.length < 40 ? f.length : 40), f.start);
}

// Words before the first point name the columns, or are skipped; a lone number is the count of a
// PTS.
static tal_status look_at_line(tal_xyz *xyz, char *line, size_t length, bool *is_point,
                               tal_error *err) {
    field fields[COLUMNS_MAX];
    const char separator = find_separator(line);
    const int count = split(line, length, separator, fields, COLUMNS_MAX);
    *is_point = count >= 3 && all_numbers(fields, 3);
    if (*is_point || name_columns(xyz, fields, count)) {
        xyz->separator = separator;
    }
    double value;
    for (int i = 0; i < count && i < 3 && !*is_point; i++) {
        if (has_decimal_comma(fields[i]) && !isalpha((unsigned char)fields[i].start[0])) {
            return refuse_decimal_comma(xyz, fields[i], err);
        }
        if (count >= 3 && i == 0 && to_real(fields[0], &value)) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s:%ld: \"%.60s\" is not a point: three numbers x y z "
                            "are expected",
                            xyz->path, xyz->line, line);
        }
    }
    return TAL_OK;
}

// Leaves the reader before the first point.
static tal_status find_first_point(tal_xyz *xyz, tal_error *err) {
    xyz->column[0] = 0;
    xyz->column[1] = 1;
    xyz->column[2] = 2;
    xyz->class_column = -1;
    xyz->separator = ' ';
    int words = 0;
    bool is_point = false;
    while (words <= HEADER_LINES_MAX) {
        char *line;
        size_t length;
        TAL_TRY(next_line(xyz, &line, &length, err));
        if (line == NULL) {
            xyz->first_line = xyz->line + 1; // a file without points: the caller sees none
            settle_columns_needed(xyz);
            return TAL_OK;
        }
        if (is_comment_or_empty(line)) {
            continue;
        }
        TAL_TRY(look_at_line(xyz, line, length, &is_point, err));
        if (is_point) {
            xyz->first_line = xyz->line;
            settle_columns_needed(xyz);
            return tal_xyz_rewind(xyz, err);
        }
        words++;
    }
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s: the first %d lines hold no point (three numbers x y z); "
                    "is it a point cloud?",
                    xyz->path, HEADER_LINES_MAX);
}

// ---- Opening and closing -----------------------------------------------------------------------

static tal_status open_stream(tal_xyz *xyz, tal_error *err) {
    struct stat info;
    xyz->stream = fopen(xyz->path, "rb");
    if (xyz->stream == NULL) {
        return TAL_FAIL(err, errno == ENOENT ? TAL_NOT_FOUND : TAL_IO, "%s cannot be opened: %s",
                        xyz->path, strerror(errno));
    }
    if (fstat(fileno(xyz->stream), &info) != 0 || !S_ISREG(info.st_mode)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a regular file", xyz->path);
    }
    xyz->size = (uint64_t)info.st_size;
    return TAL_OK;
}

static tal_status prepare(tal_xyz *xyz, const char *path, tal_error *err) {
    TAL_CREATE(xyz->path, strlen(path) + 1, "a path", err);
    memcpy(xyz->path, path, strlen(path) + 1);
    if (xyz->bytes == NULL) {
        TAL_TRY(open_stream(xyz, err));
    }
    xyz->capacity = xyz->size < BUFFER_BYTES ? (size_t)xyz->size + 1 : BUFFER_BYTES;
    TAL_CREATE(xyz->buffer, xyz->capacity + 1, "a chunk of a text file", err);
    return find_first_point(xyz, err);
}

static tal_status open_either(tal_xyz **xyz, const char *bytes, size_t count, const char *path,
                              tal_error *err) {
    TAL_CREATE(*xyz, 1, "a text file", err);
    (*xyz)->bytes = bytes;
    (*xyz)->byte_count = count;
    (*xyz)->size = count;
    const tal_status status = prepare(*xyz, path, err);
    if (status != TAL_OK) {
        tal_xyz_close(*xyz);
        *xyz = NULL;
    }
    return status;
}

tal_status tal_xyz_open(tal_xyz **xyz, const char *path, tal_error *err) {
    return open_either(xyz, NULL, 0, path, err);
}

tal_status tal_xyz_open_memory(tal_xyz **xyz, const char *bytes, size_t count, const char *path,
                               tal_error *err) {
    return open_either(xyz, bytes, count, path, err);
}

void tal_xyz_close(tal_xyz *xyz) {
    if (xyz == NULL) {
        return;
    }
    if (xyz->stream != NULL) {
        fclose(xyz->stream);
    }
    tal_memory_destroy(xyz->buffer);
    tal_memory_destroy(xyz->path);
    tal_memory_destroy(xyz);
}

tal_status tal_xyz_rewind(tal_xyz *xyz, tal_error *err) {
    if (xyz->stream != NULL && fseeko(xyz->stream, 0, SEEK_SET) != 0) {
        return TAL_FAIL(err, TAL_IO, "%s cannot be read twice: %s", xyz->path, strerror(errno));
    }
    xyz->filled = xyz->used = 0;
    xyz->consumed = 0;
    xyz->at_end = false;
    xyz->line = 0;
    while (xyz->line + 1 < xyz->first_line) {
        char *line;
        size_t length;
        TAL_TRY(next_line(xyz, &line, &length, err));
        if (line == NULL) {
            break;
        }
    }
    return TAL_OK;
}

double tal_xyz_progress(const tal_xyz *xyz) {
    return xyz->size > 0 ? (double)xyz->consumed / (double)xyz->size : 1.0;
}

// ---- Points ------------------------------------------------------------------------------------

static tal_status refuse_field(const tal_xyz *xyz, field f, int axis, double value,
                               tal_error *err) {
    const int shown = (int)(f.length < 40 ? f.length : 40);
    if (has_decimal_comma(f)) {
        return refuse_decimal_comma(xyz, f, err);
    }
    if (isnan(value)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%ld: \"%.*s\" is not a number (%c)", xyz->path,
                        xyz->line, shown, f.start, 'x' + axis);
    }
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s:%ld: %c = %.*s is not a coordinate on Earth; remove the point "
                    "or correct it",
                    xyz->path, xyz->line, 'x' + axis, shown, f.start);
}

static tal_status parse_point(tal_xyz *xyz, char *line, size_t length, tal_points *points,
                              tal_error *err) {
    field fields[COLUMNS_MAX];
    double value[3];
    const int count = split(line, length, xyz->separator, fields, xyz->columns_needed);
    if (count < xyz->columns_needed) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%ld: \"%.60s\" has %d columns, %d are needed",
                        xyz->path, xyz->line, line, count, xyz->columns_needed);
    }
    for (int axis = 0; axis < 3; axis++) {
        const field f = fields[xyz->column[axis]];
        value[axis] = NAN;
        if (!to_real(f, &value[axis]) || !(fabs(value[axis]) <= coordinate_max)) {
            return refuse_field(xyz, f, axis, value[axis], err);
        }
    }
    double point_class = 0.0;
    if (xyz->class_column >= 0 && !to_real(fields[xyz->class_column], &point_class)) {
        point_class = 0.0;
    }
    TAL_ASSERT(points->count < TAL_POINTS_CAPACITY);
    const size_t i = points->count++;
    points->x[i] = value[0];
    points->y[i] = value[1];
    points->z[i] = value[2];
    points->point_class[i] =
        (uint8_t)(point_class > 0.0 && point_class < 256.0 ? point_class : 0.0);
    points->is_last[i] = 1;
    points->is_withheld[i] = 0;
    return TAL_OK;
}

tal_status tal_xyz_read(tal_xyz *xyz, tal_points *points, tal_error *err) {
    points->count = 0;
    while (points->count < TAL_POINTS_CAPACITY) {
        char *line;
        size_t length;
        TAL_TRY(next_line(xyz, &line, &length, err));
        if (line == NULL) {
            break;
        }
        if (!is_comment_or_empty(line)) {
            TAL_TRY(parse_point(xyz, line, length, points, err));
        }
    }
    return TAL_OK;
}

// ---- As a row of the formats -------------------------------------------------------------------

static tal_status row_open(void **reader, const char *path, tal_error *err) {
    tal_xyz *xyz = NULL;
    const tal_status status = tal_xyz_open(&xyz, path, err);
    *reader = xyz;
    return status;
}

// Text says nothing about itself but whether it is one.
static tal_status row_look(const char *path, tal_file_header *header, tal_error *err) {
    (void)header;
    tal_xyz *xyz = NULL;
    const tal_status status = tal_xyz_open(&xyz, path, err);
    tal_xyz_close(xyz);
    return status;
}

static tal_status row_read(void *reader, tal_points *points, tal_error *err) {
    return tal_xyz_read(reader, points, err);
}

static void row_close(void *reader) {
    tal_xyz_close(reader);
}

static const char *const endings[] = {"xyz", "txt", "csv", "pts", "xyzc", "neu", NULL};

const tal_format tal_format_text = {.name = "text",
                                    .meaning = "text with a known ending",
                                    .endings = endings,
                                    .look = row_look,
                                    .open = row_open,
                                    .read = row_read,
                                    .close = row_close};
