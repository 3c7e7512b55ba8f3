// SPDX-License-Identifier: GPL-3.0-or-later
// The LAS reader. Nothing in a file is believed before it is checked against the file's size.
#define _POSIX_C_SOURCE 200809L
#include "ingest/read/las_file.h"

#include "core/base/memory.h"
#include "ingest/read/format.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    HEADER_1_0 = 227,
    HEADER_1_3 = 235,
    HEADER_1_4 = 375,
    VLR_HEADER = 54,
    EVLR_HEADER = 60,
    RECORD_GEO_KEYS = 34735,
    RECORD_WKT = 2112,
    RECORD_MAX = 16 * 1024 * 1024, // longest CRS record that is read
    VLR_MAX = 100000,
    CHUNK_BYTES = 8 * 1024 * 1024
};

struct tal_las {
    tal_las_header header;
    const char *name; // of the file, for messages; inside `path`
    char *path;
    FILE *stream;         // NULL when reading from memory
    const uint8_t *bytes; // NULL when reading from a stream
    uint64_t size;        // of the file
    uint64_t point_offset;
    uint64_t position; // next point
    size_t chunk;      // points read at once
    uint8_t *buffer;   // records of one chunk
};

static uint16_t get_u16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get_u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get_u64(const uint8_t *p) {
    return (uint64_t)get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}

static int32_t get_i32(const uint8_t *p) {
    const uint32_t bits = get_u32(p);
    int32_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double get_f64(const uint8_t *p) {
    const uint64_t bits = get_u64(p);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static tal_status read_at(tal_las *las, uint64_t position, void *target, size_t count,
                          tal_error *err) {
    if (position > las->size || count > las->size - position) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s ends too early: %llu bytes are needed, it has %llu",
                        las->name, (unsigned long long)(position + count),
                        (unsigned long long)las->size);
    }
    if (las->bytes != NULL) {
        memcpy(target, las->bytes + position, count);
        return TAL_OK;
    }
    if (fseeko(las->stream, (off_t)position, SEEK_SET) != 0 ||
        fread(target, 1, count, las->stream) != count) {
        return TAL_FAIL(err, TAL_IO, "%s cannot be read: %s", las->name,
                        ferror(las->stream) ? strerror(errno)
                                            : "it was shortened while it was being read");
    }
    return TAL_OK;
}

// ---- Header ------------------------------------------------------------------------------------

static const uint8_t record_minimum[11] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};

static tal_status check_numbers(const tal_las *las, tal_error *err) {
    const tal_las_header *header = &las->header;
    for (int axis = 0; axis < 3; axis++) {
        const char letter = (char)('x' + axis);
        if (!isfinite(header->scale[axis]) || header->scale[axis] == 0.0) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: the scale of %c is %g, so its coordinates have "
                            "no meaning; write the file again from its source",
                            las->name, letter, header->scale[axis]);
        }
        if (!isfinite(header->offset[axis])) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: the offset of %c is %g, so its coordinates have "
                            "no meaning; write the file again from its source",
                            las->name, letter, header->offset[axis]);
        }
    }
    return TAL_OK;
}

static void read_bounds(tal_las_header *header, const uint8_t *bytes) {
    for (int axis = 0; axis < 3; axis++) {
        header->scale[axis] = get_f64(bytes + 131 + 8 * axis);
        header->offset[axis] = get_f64(bytes + 155 + 8 * axis);
        header->high[axis] = get_f64(bytes + 179 + 16 * axis);
        header->low[axis] = get_f64(bytes + 187 + 16 * axis);
    }
}

static tal_status read_format(tal_las *las, const uint8_t *bytes, tal_error *err) {
    tal_las_header *header = &las->header;
    header->compressed = (bytes[104] & 0xC0) != 0;
    header->format = bytes[104] & 0x3F;
    if (header->format > 10) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: point format %d is not one of LAS 1.0 to 1.4 (0 to "
                        "10)",
                        las->name, header->format);
    }
    header->record_length = get_u16(bytes + 105);
    const uint32_t minimum = record_minimum[header->format];
    if (header->record_length < minimum) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: its points have %u bytes, but format %d needs at "
                        "least %u; the header is damaged",
                        las->name, header->record_length, header->format, minimum);
    }
    header->extra_bytes = header->record_length - minimum;
    return TAL_OK;
}

static tal_status check_extent(tal_las *las, tal_error *err) {
    const tal_las_header *header = &las->header;
    if (las->point_offset > las->size) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s is truncated: its points should begin at byte %llu, "
                        "but it has only %llu bytes; copy it again from its source",
                        las->name, (unsigned long long)las->point_offset,
                        (unsigned long long)las->size);
    }
    const uint64_t room = (las->size - las->point_offset) / header->record_length;
    if (header->point_count > room && !header->compressed) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s is truncated: its header promises %llu points, the "
                        "file holds %llu; copy it again from its source",
                        las->name, (unsigned long long)header->point_count,
                        (unsigned long long)room);
    }
    return TAL_OK;
}

static tal_status read_header(tal_las *las, uint8_t bytes[HEADER_1_4], tal_error *err) {
    tal_las_header *header = &las->header;
    if (las->size < HEADER_1_0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s is truncated: %llu bytes are less than the header of "
                        "a LAS file (%d)",
                        las->name, (unsigned long long)las->size, HEADER_1_0);
    }
    memset(bytes, 0, HEADER_1_4);
    TAL_TRY(read_at(las, 0, bytes, las->size < HEADER_1_4 ? (size_t)las->size : HEADER_1_4, err));
    if (memcmp(bytes, "LASF", 4) != 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a LAS file (it does not begin with LASF)",
                        las->name);
    }
    header->version_minor = bytes[25];
    if (bytes[24] != 1 || header->version_minor > 4) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is LAS %d.%d; talus reads 1.0 to 1.4", las->name,
                        bytes[24], bytes[25]);
    }
    const uint16_t header_size = get_u16(bytes + 94);
    const uint16_t needed = header->version_minor == 4   ? HEADER_1_4
                            : header->version_minor == 3 ? HEADER_1_3
                                                         : HEADER_1_0;
    if (header_size < needed || header_size > las->size) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: its header claims %u bytes, LAS 1.%d needs %u and "
                        "the file has %llu",
                        las->name, header_size, header->version_minor, needed,
                        (unsigned long long)las->size);
    }
    las->point_offset = get_u32(bytes + 96);
    header->point_count = get_u32(bytes + 107);
    if (header->version_minor == 4 && get_u64(bytes + 247) != 0) {
        header->point_count = get_u64(bytes + 247);
    }
    read_bounds(header, bytes);
    TAL_TRY(read_format(las, bytes, err));
    TAL_TRY(check_numbers(las, err));
    if (las->point_offset < header_size) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: its points would begin inside its header (byte "
                        "%llu)",
                        las->name, (unsigned long long)las->point_offset);
    }
    return check_extent(las, err);
}

// ---- Variable length records -------------------------------------------------------------------

typedef struct {
    char *wkt;
    uint16_t *keys;
    size_t key_values;
} crs_records;

static tal_status keep_wkt(tal_las *las, uint64_t position, size_t length, crs_records *records,
                           tal_error *err) {
    char *wkt = NULL;
    TAL_CREATE(wkt, length + 1, "a coordinate system", err);
    const tal_status status = read_at(las, position, wkt, length, err);
    if (status != TAL_OK || wkt[0] == '\0' || records->wkt != NULL) {
        tal_memory_destroy(wkt);
        return status;
    }
    records->wkt = wkt;
    return TAL_OK;
}

static tal_status keep_keys(tal_las *las, uint64_t position, size_t length, crs_records *records,
                            tal_error *err) {
    if (records->keys != NULL || length < 8) {
        return TAL_OK;
    }
    TAL_CREATE(records->keys, length / 2, "GeoTIFF keys", err);
    uint8_t pair[2];
    for (size_t i = 0; i < length / 2; i++) {
        TAL_TRY(read_at(las, position + 2 * i, pair, 2, err));
        records->keys[i] = get_u16(pair);
    }
    records->key_values = length / 2;
    return TAL_OK;
}

static tal_status keep_record(tal_las *las, const uint8_t *user, unsigned id, uint64_t position,
                              uint64_t length, crs_records *records, tal_error *err) {
    static const char projection[16] = "LASF_Projection";
    if (memcmp(user, projection, sizeof projection) != 0 || length > RECORD_MAX) {
        return TAL_OK;
    }
    if (id == RECORD_WKT) {
        return keep_wkt(las, position, (size_t)length, records, err);
    }
    if (id == RECORD_GEO_KEYS && length <= 65535) {
        return keep_keys(las, position, (size_t)length, records, err);
    }
    return TAL_OK;
}

// A wrong count or length of records is harmless as long as the points are where they should be.
// Where records stand and what their heads look like.
typedef struct {
    const char *place; // of the points, for the note
    uint64_t begin, end;
    uint32_t promised;
    uint32_t head_size;
    bool is_long; // lengths of 8 bytes, not of 2
} record_list;

static tal_status read_records(tal_las *las, const record_list *list, crs_records *records,
                               int *count, tal_error *err) {
    uint64_t position = list->begin;
    uint32_t found = 0;
    for (; found < list->promised && found < VLR_MAX; found++) {
        uint8_t head[EVLR_HEADER];
        if (position > list->end || list->end - position < list->head_size) {
            break;
        }
        TAL_TRY(read_at(las, position, head, list->head_size, err));
        const uint64_t length = list->is_long ? get_u64(head + 20) : get_u16(head + 20);
        position += list->head_size;
        if (length > list->end - position) {
            break;
        }
        TAL_TRY(keep_record(las, head + 2, get_u16(head + 18), position, length, records, err));
        position += length;
    }
    *count = (int)found;
    if (found < list->promised) {
        snprintf(las->header.note, sizeof las->header.note,
                 "its header promises %u records %s the points, %u are there", list->promised,
                 list->place, found);
    }
    return TAL_OK;
}

static tal_status read_vlrs(tal_las *las, const uint8_t *header_bytes, crs_records *records,
                            tal_error *err) {
    const record_list list = {.place = "before",
                              .begin = get_u16(header_bytes + 94),
                              .end = las->point_offset,
                              .promised = get_u32(header_bytes + 100),
                              .head_size = VLR_HEADER};
    return read_records(las, &list, records, &las->header.vlr_count, err);
}

static tal_status read_evlrs(tal_las *las, const uint8_t *header_bytes, crs_records *records,
                             tal_error *err) {
    if (las->header.version_minor < 4) {
        return TAL_OK;
    }
    const record_list list = {.place = "after",
                              .begin = get_u64(header_bytes + 235),
                              .end = las->size,
                              .promised = get_u32(header_bytes + 243),
                              .head_size = EVLR_HEADER,
                              .is_long = true};
    return read_records(las, &list, records, &las->header.evlr_count, err);
}

// The header says which of the two kinds counts; the other one is better than none.
static tal_status settle_crs(tal_las *las, bool prefers_wkt, const crs_records *records,
                             tal_error *err) {
    char definition[64] = "";
    tal_las_header *header = &las->header;
    if (records->keys != NULL) {
        tal_las_crs_from_keys(records->keys, records->key_values, definition, sizeof definition,
                              &header->vertical_m, header->note, sizeof header->note);
        header->plan_m = tal_las_plan_unit_from_keys(records->keys, records->key_values);
    }
    const bool use_wkt = records->wkt != NULL && (prefers_wkt || definition[0] == '\0');
    const char *chosen = use_wkt ? records->wkt : definition;
    if (use_wkt) {
        header->vertical_m = header->plan_m = 0.0;
    }
    if (chosen[0] == '\0') {
        return TAL_OK;
    }
    TAL_CREATE(header->crs_definition, strlen(chosen) + 1, "a coordinate system", err);
    memcpy(header->crs_definition, chosen, strlen(chosen) + 1);
    return TAL_OK;
}

static tal_status read_all_headers(tal_las *las, tal_error *err) {
    uint8_t bytes[HEADER_1_4];
    crs_records records = {0};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(read_header(las, bytes, err));
    TAL_TRY_OR_DONE(read_vlrs(las, bytes, &records, err));
    TAL_TRY_OR_DONE(read_evlrs(las, bytes, &records, err));
    TAL_TRY_OR_DONE(settle_crs(las, (get_u16(bytes + 6) & 16) != 0, &records, err));
done:
    tal_memory_destroy(records.wkt);
    tal_memory_destroy(records.keys);
    return status;
}

// ---- Opening and closing -----------------------------------------------------------------------

static tal_status open_stream(tal_las *las, tal_error *err) {
    struct stat info;
    las->stream = fopen(las->path, "rb");
    if (las->stream == NULL) {
        return TAL_FAIL(err, errno == ENOENT ? TAL_NOT_FOUND : TAL_IO, "%s cannot be opened: %s",
                        las->path, strerror(errno));
    }
    if (fstat(fileno(las->stream), &info) != 0 || !S_ISREG(info.st_mode)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a regular file", las->path);
    }
    las->size = (uint64_t)info.st_size;
    return TAL_OK;
}

static tal_status prepare(tal_las *las, const char *path, tal_error *err) {
    TAL_CREATE(las->path, strlen(path) + 1, "a path", err);
    memcpy(las->path, path, strlen(path) + 1);
    las->name = las->path;
    if (las->bytes == NULL) {
        TAL_TRY(open_stream(las, err));
    }
    TAL_TRY(read_all_headers(las, err));
    // Neither a short file nor absurdly long records take more memory than they need.
    const uint64_t points = las->header.compressed ? 0 : las->header.point_count;
    las->chunk = CHUNK_BYTES / las->header.record_length;
    las->chunk = las->chunk < TAL_POINTS_CAPACITY ? las->chunk : TAL_POINTS_CAPACITY;
    las->chunk = points < las->chunk ? (size_t)points : las->chunk;
    TAL_CREATE(las->buffer, las->chunk * las->header.record_length + 1, "a chunk of a LAS file",
               err);
    tal_las_rewind(las);
    return TAL_OK;
}

static tal_status open_either(tal_las **las, const uint8_t *bytes, size_t count, const char *path,
                              tal_error *err) {
    TAL_CREATE(*las, 1, "a LAS file", err);
    (*las)->bytes = bytes;
    (*las)->size = count;
    const tal_status status = prepare(*las, path, err);
    if (status != TAL_OK) {
        tal_las_close(*las);
        *las = NULL;
    }
    return status;
}

tal_status tal_las_open(tal_las **las, const char *path, tal_error *err) {
    return open_either(las, NULL, 0, path, err);
}

tal_status tal_las_open_memory(tal_las **las, const uint8_t *bytes, size_t count, const char *path,
                               tal_error *err) {
    return open_either(las, bytes, count, path, err);
}

void tal_las_close(tal_las *las) {
    if (las == NULL) {
        return;
    }
    if (las->stream != NULL) {
        fclose(las->stream);
    }
    tal_memory_destroy(las->header.crs_definition);
    tal_memory_destroy(las->buffer);
    tal_memory_destroy(las->path);
    tal_memory_destroy(las);
}

const tal_las_header *tal_las_get_header(const tal_las *las) {
    return &las->header;
}

void tal_las_rewind(tal_las *las) {
    las->position = 0;
}

// ---- Points ------------------------------------------------------------------------------------

// Byte 14 counts returns, bytes 15 and 16 hold flags and class: packed differently from format 6
// on.
static void decode_attributes(const uint8_t *record, bool modern, tal_points *points, size_t i) {
    const unsigned returns = record[14];
    if (modern) {
        points->point_class[i] = record[16];
        points->is_last[i] = (returns & 15U) >= (returns >> 4 & 15U);
        points->is_withheld[i] = (record[15] & 4U) != 0;
    } else {
        points->point_class[i] = record[15] & 31U;
        points->is_last[i] = (returns & 7U) >= (returns >> 3 & 7U);
        points->is_withheld[i] = (record[15] & 128U) != 0;
    }
}

static void decode(const tal_las *las, size_t count, tal_points *points) {
    const tal_las_header *header = &las->header;
    const bool modern = header->format >= 6;
    const uint8_t *record = las->buffer;
    for (size_t i = 0; i < count; i++, record += header->record_length) {
        points->x[i] = get_i32(record) * header->scale[0] + header->offset[0];
        points->y[i] = get_i32(record + 4) * header->scale[1] + header->offset[1];
        points->z[i] = get_i32(record + 8) * header->scale[2] + header->offset[2];
        decode_attributes(record, modern, points, i);
    }
    points->count = count;
}

tal_status tal_las_read(tal_las *las, tal_points *points, tal_error *err) {
    const tal_las_header *header = &las->header;
    points->count = 0;
    if (header->compressed) {
        return TAL_FAIL(err, TAL_UNAVAILABLE,
                        "%s is compressed (LAZ); its points are read with pdal", las->name);
    }
    const uint64_t left = header->point_count - las->position;
    const size_t count = left < las->chunk ? (size_t)left : las->chunk;
    if (count == 0) {
        return TAL_OK;
    }
    TAL_TRY(read_at(las, las->point_offset + las->position * header->record_length, las->buffer,
                    count * header->record_length, err));
    las->position += count;
    TAL_ASSERT(count <= TAL_POINTS_CAPACITY && las->position <= header->point_count);
    decode(las, count, points);
    return TAL_OK;
}

// ---- As a row of the formats -------------------------------------------------------------------

// Compressed points are PDAL's.
static bool begins(const uint8_t *bytes, size_t count) {
    return count >= 4 && memcmp(bytes, "LASF", 4) == 0 &&
           (count <= 104 || (bytes[104] & 0xC0) == 0);
}

tal_status tal_las_look(const char *path, tal_file_header *found, tal_error *err) {
    tal_las *las = NULL;
    TAL_TRY(tal_las_open(&las, path, err));
    const tal_las_header *header = &las->header;
    found->height_m = header->vertical_m;
    found->plan_m = header->plan_m;
    found->point_count = header->point_count;
    found->has_extent = header->point_count > 0;
    for (int axis = 0; axis < 2; axis++) {
        found->low[axis] = header->low[axis];
        found->high[axis] = header->high[axis];
    }
    memcpy(found->note, header->note, sizeof found->note);
    const tal_status status = tal_file_header_set_crs(found, header->crs_definition, err);
    tal_las_close(las);
    return status;
}

static tal_status row_open(void **reader, const char *path, tal_error *err) {
    tal_las *las = NULL;
    const tal_status status = tal_las_open(&las, path, err);
    *reader = las;
    return status;
}

static tal_status row_read(void *reader, tal_points *points, tal_error *err) {
    return tal_las_read(reader, points, err);
}

static void row_close(void *reader) {
    tal_las_close(reader);
}

static const char *const endings[] = {"las", NULL};

const tal_format tal_format_las = {.name = "las",
                                   .meaning = "LAS",
                                   .endings = endings,
                                   .begins = begins,
                                   .look = tal_las_look,
                                   .open = row_open,
                                   .read = row_read,
                                   .close = row_close};
