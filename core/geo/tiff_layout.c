// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the parts of a TIFF fit together (TIFF 6.0, section 2; BigTIFF has longer numbers).
#include "core/geo/tiff_layout.h"

#include "core/base/memory.h"
#include "core/geo/gdal_log.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTRY_MAX = 20,         // bytes of an entry of a directory
    ENTRIES_MAX = 4096,     // of a directory
    DIRECTORIES_MAX = 1000, // those of damaged files may go round
    LEADER = 4              // bytes before a block of a Cloud Optimized GeoTIFF
};

// What is needed of a directory.
typedef enum {
    WIDTH,
    LENGTH,
    BITS,
    COMPRESSION,
    PHOTOMETRIC,
    STRIP_OFFSETS,
    SAMPLES,
    STRIP_ROWS,
    STRIP_SIZES,
    PLANAR,
    TILE_WIDTH,
    TILE_LENGTH,
    TILE_OFFSETS,
    TILE_SIZES,
    FIELDS
} field;
static const int TAGS[FIELDS] = {256, 257, 258, 259, 262, 273, 277,
                                 278, 279, 284, 322, 323, 324, 325};
enum { SHORT = 3, LONG = 4, LONG8 = 16 };
enum { NOT_COMPRESSED = 1, DEFLATE = 8, OLD_DEFLATE = 32946, APART = 2 };

typedef struct {
    uint64_t count, at; // number of values, and where in the file they are
    int size;           // bytes of a value; 0: there is no such entry
} entry;

typedef struct {
    uint64_t from, size;
    bool is_block;  // of cells; else what tells about them
    bool is_packed; // compressed: equal blocks may be stored once
} extent;

typedef struct {
    const char *path;
    VSILFILE *file;
    uint64_t file_size;
    bool is_big_endian, is_big, has_leaders;
    tal_tiff_extent what;
    entry has[FIELDS]; // of the directory that is looked at
    extent *extent;    // of all directories
    size_t extent_count, extent_room;
} tiff;

static tal_status fail_here(const tiff *t, const char *what, tal_error *err) {
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s is damaged: %s. Take another copy of it; if this is the only one and other "
                    "programs show it as it should be, gdal_translate IN OUT writes it anew",
                    t->path, what);
}

// ---- Numbers of the file ---------------------------------------------------------------------------

static bool read_at(const tiff *t, uint64_t at, void *bytes, size_t count) {
    return at <= t->file_size && count <= t->file_size - at &&
           VSIFSeekL(t->file, at, SEEK_SET) == 0 && VSIFReadL(bytes, 1, count, t->file) == count;
}

static uint64_t number(const tiff *t, const unsigned char *bytes, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        value = value << 8 | bytes[t->is_big_endian ? i : size - 1 - i];
    }
    return value;
}

static int bytes_of_type(uint64_t type) {
    static const int bytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type < sizeof bytes / sizeof bytes[0] ? bytes[type] : 0;
}

// The number that an entry holds, or what stands for one that is missing.
static uint64_t value_of(const tiff *t, field f, uint64_t otherwise) {
    unsigned char bytes[8];
    const entry *e = &t->has[f];
    return e->size > 0 && e->count > 0 && read_at(t, e->at, bytes, (size_t)e->size)
               ? number(t, bytes, e->size)
               : otherwise;
}

// ---- One directory ---------------------------------------------------------------------------------

static tal_status add_extent(tiff *t, extent added, tal_error *err) {
    if (t->extent_count == t->extent_room) {
        const size_t room = 2 * t->extent_room + 64;
        TAL_GROW(t->extent, t->extent_room, room, "the parts of a raster file", err);
        t->extent_room = room;
    }
    t->extent[t->extent_count++] = added;
    return TAL_OK;
}

static tal_status read_entry(tiff *t, const unsigned char *bytes, uint64_t at, tal_error *err) {
    const int tag = (int)number(t, bytes, 2), word = t->is_big ? 8 : 4;
    const uint64_t type = number(t, bytes + 2, 2), count = number(t, bytes + 4, word);
    entry e = {.count = count, .at = at + 4 + (uint64_t)word, .size = bytes_of_type(type)};
    const bool is_far = e.size > 0 && count > (uint64_t)(word / e.size);
    if (is_far) {
        e.at = number(t, bytes + 4 + word, word);
        if (count > t->file_size / (uint64_t)e.size ||
            e.at > t->file_size - count * (uint64_t)e.size) {
            return fail_here(t, "a list of its header does not fit into it", err);
        }
        TAL_TRY(add_extent(t, (extent){e.at, count * (uint64_t)e.size, false, false}, err));
    }
    for (int f = 0; f < FIELDS; f++) {
        if (TAGS[f] == tag) {
            t->has[f] = e;
            if (type != SHORT && type != LONG && type != LONG8) {
                return fail_here(t, "its header has numbers of a kind that cannot be", err);
            }
        }
    }
    return TAL_OK;
}

// `*at` becomes the place of the next directory, 0 after the last; also 0 where there is none to be read.
static tal_status read_directory(tiff *t, uint64_t *at, tal_error *err) {
    const int head = t->is_big ? 8 : 2, each = t->is_big ? ENTRY_MAX : 12, word = t->is_big ? 8 : 4;
    unsigned char bytes[ENTRY_MAX];
    uint64_t place = *at;
    int64_t last_tag = -1;
    memset(t->has, 0, sizeof t->has);
    *at = 0;
    if (!read_at(t, place, bytes, (size_t)head)) {
        return TAL_OK;
    }
    const uint64_t count = number(t, bytes, head);
    if (count == 0 || count > ENTRIES_MAX) {
        return TAL_OK;
    }
    const uint64_t size = (uint64_t)head + count * (uint64_t)each + (uint64_t)word;
    TAL_TRY(add_extent(t, (extent){place, size, false, false}, err));
    place += (uint64_t)head;
    for (uint64_t k = 0; k < count; k++, place += (uint64_t)each) {
        if (!read_at(t, place, bytes, (size_t)each)) {
            return fail_here(t, "its header is cut off", err);
        }
        const int64_t tag = (int64_t)number(t, bytes, 2);
        if (tag <= last_tag) {
            return fail_here(t, "the entries of its header are not in their order", err);
        }
        last_tag = tag;
        TAL_TRY(read_entry(t, bytes, place, err));
    }
    *at = read_at(t, place, bytes, (size_t)word) ? number(t, bytes, word) : 0;
    return TAL_OK;
}

// ---- Its blocks ------------------------------------------------------------------------------------

// Strips are tiles as wide as the picture, of which the last may be lower.
typedef struct {
    uint64_t columns, rows;      // of the picture
    uint64_t width, height;      // of a block
    uint64_t across, down, sets; // how many there are
    uint64_t row_bits;           // of a row of a block
    uint64_t compression;
    bool has_tiles;
    const entry *offsets, *sizes;
} layout;

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

static tal_status find_layout(const tiff *t, layout *l, tal_error *err) {
    const uint64_t columns = value_of(t, WIDTH, 0), rows = value_of(t, LENGTH, 0);
    const uint64_t samples = value_of(t, SAMPLES, 1), bits = value_of(t, BITS, 1);
    const bool has_tiles = t->has[TILE_OFFSETS].size > 0, apart = value_of(t, PLANAR, 1) == APART;
    const uint64_t strip_rows = value_of(t, STRIP_ROWS, UINT32_MAX);
    *l = (layout){.columns = columns,
                  .rows = rows,
                  .width = has_tiles ? value_of(t, TILE_WIDTH, 0) : columns,
                  .height = has_tiles           ? value_of(t, TILE_LENGTH, 0)
                            : strip_rows < rows ? strip_rows
                                                : rows,
                  .sets = apart ? samples : 1,
                  .compression = value_of(t, COMPRESSION, NOT_COMPRESSED),
                  .has_tiles = has_tiles,
                  .offsets = &t->has[has_tiles ? TILE_OFFSETS : STRIP_OFFSETS],
                  .sizes = &t->has[has_tiles ? TILE_SIZES : STRIP_SIZES]};
    const bool fits = columns > 0 && columns <= INT32_MAX && rows > 0 && rows <= INT32_MAX &&
                      l->width > 0 && l->width <= INT32_MAX && l->height > 0 &&
                      l->height <= INT32_MAX && samples > 0 && samples <= UINT16_MAX && bits > 0 &&
                      bits <= 128;
    if (!fits) {
        return fail_here(t, "its header has no size that can be", err);
    }
    l->across = divide_up(columns, l->width);
    l->down = divide_up(rows, l->height);
    l->row_bits = l->width * bits * (apart ? 1 : samples);
    const uint64_t count = l->across * l->down; // below 2^62
    if (l->offsets->size == 0 || l->offsets->count / l->sets != count ||
        l->offsets->count % l->sets != 0 ||
        (l->sizes->size > 0 && l->sizes->count != l->offsets->count) ||
        t->has[PHOTOMETRIC].size == 0) {
        return fail_here(
            t, "its header names another number of strips or tiles than its size needs", err);
    }
    return TAL_OK;
}

// Bytes of the k-th block without compression.
static uint64_t full_size(const layout *l, uint64_t k, bool is_cut) {
    const uint64_t row = k / l->across % l->down, rest = l->rows - row * l->height;
    const uint64_t rows = is_cut && !l->has_tiles && rest < l->height ? rest : l->height;
    return rows * divide_up(l->row_bits, 8);
}

// What a deflated block holds must be as long as its cells (GDAL reads what it needs of a longer one), and agree
// with the sum behind it.
static tal_status check_deflated(const tiff *t, const layout *l, uint64_t k, uint64_t at,
                                 uint64_t size, tal_error *err) {
    const uint64_t wanted = full_size(l, k, true), padded = full_size(l, k, false);
    if (wanted > 1U << 28 || padded > 1U << 28 || size > 1U << 28) {
        return TAL_OK; // GDAL is slow enough with it
    }
    unsigned char *stored, *room = NULL;
    size_t found = 0;
    tal_status status = TAL_OK;
    TAL_CREATE(stored, (size_t)size, "a tile of a raster", err);
    TAL_CREATE_OR_DONE(room, (size_t)padded, "a tile of a raster", err);
    if (!read_at(t, at, stored, (size_t)size) ||
        CPLZLibInflate(stored, (size_t)size, room, (size_t)padded, &found) == NULL ||
        (found != wanted && found != padded)) {
        status = fail_here(t, "cells of it are not what was stored", err);
    }
done:
    tal_memory_destroy(stored);
    tal_memory_destroy(room);
    return status;
}

static tal_status check_block(tiff *t, const layout *l, uint64_t k, uint64_t at, uint64_t size,
                              tal_error *err) {
    unsigned char leader[LEADER];
    if (at == 0 && size == 0) {
        return TAL_OK; // left out: there is nothing in it
    }
    if (at == 0 || size == 0 || at > t->file_size || size > t->file_size - at) {
        return fail_here(t, "its cells are not all there", err);
    }
    if (l->compression == NOT_COMPRESSED && size != full_size(l, k, true) &&
        size != full_size(l, k, false)) {
        return fail_here(t, "its strips or tiles are not as long as their cells", err);
    }
    if (t->has_leaders &&
        (!read_at(t, at - LEADER, leader, LEADER) || number(t, leader, LEADER) != size)) {
        return fail_here(t, "its strips or tiles are not where its header says", err);
    }
    if (t->what == TAL_TIFF_WHOLE && (l->compression == DEFLATE || l->compression == OLD_DEFLATE)) {
        TAL_TRY(check_deflated(t, l, k, at, size, err));
    }
    return add_extent(t, (extent){at, size, true, l->compression != NOT_COMPRESSED}, err);
}

static tal_status check_blocks(tiff *t, tal_error *err) {
    layout l;
    if (t->has[WIDTH].size == 0 && t->has[LENGTH].size == 0) {
        return TAL_OK; // no picture
    }
    TAL_TRY(find_layout(t, &l, err));
    for (uint64_t k = 0; k < l.offsets->count && l.sizes->size > 0; k++) {
        unsigned char offset[8], size[8];
        if (!read_at(t, l.offsets->at + k * (uint64_t)l.offsets->size, offset,
                     (size_t)l.offsets->size) ||
            !read_at(t, l.sizes->at + k * (uint64_t)l.sizes->size, size, (size_t)l.sizes->size)) {
            return fail_here(t, "its header is cut off", err);
        }
        TAL_TRY(check_block(t, &l, k, number(t, offset, l.offsets->size),
                            number(t, size, l.sizes->size), err));
    }
    return TAL_OK;
}

// ---- The whole -------------------------------------------------------------------------------------

static int compare_extents(const void *one, const void *other) {
    const extent *a = one, *b = other;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->size > b->size) - (a->size < b->size);
}

// Blocks with the same cells may be one and the same; lists may share their numbers.
static tal_status check_apart(const tiff *t, tal_error *err) {
    uint64_t block_end = 0, list_end = 0;
    qsort(t->extent, t->extent_count, sizeof *t->extent, compare_extents);
    for (size_t i = 0; i < t->extent_count; i++) {
        const extent *e = &t->extent[i], *before = i > 0 ? e - 1 : e;
        const bool is_twin = i > 0 && e->is_packed && before->is_packed &&
                             e->from == before->from && e->size == before->size;
        if (!is_twin && (e->from < block_end || (e->is_block && e->from < list_end))) {
            return fail_here(t, "its parts lie over each other", err);
        }
        uint64_t *end = e->is_block ? &block_end : &list_end;
        *end = e->from + e->size > *end ? e->from + e->size : *end;
    }
    return TAL_OK;
}

// Cloud Optimized GeoTIFF repeats the length of a block before it, and says so behind the first bytes of the file.
static bool find_leaders(const tiff *t) {
    char text[256] = "";
    const uint64_t begin = t->is_big ? 16 : 8;
    const size_t room = sizeof text - 1;
    const uint64_t left = t->file_size > begin ? t->file_size - begin : 0;
    return read_at(t, begin, text, left < room ? (size_t)left : room) &&
           strncmp(text, "GDAL_STRUCTURAL_METADATA_SIZE=", 30) == 0 &&
           strstr(text, "BLOCK_LEADER=SIZE_AS_UINT4") != NULL &&
           strstr(text, "KNOWN_INCOMPATIBLE_EDITION=NO") != NULL;
}

// False where it is no TIFF; `*directory` is the place of its first one.
static bool read_head(tiff *t, uint64_t *directory) {
    unsigned char head[16];
    if (VSIFSeekL(t->file, 0, SEEK_END) != 0) {
        return false;
    }
    t->file_size = VSIFTellL(t->file);
    if (!read_at(t, 0, head, 8) || head[0] != head[1] || (head[0] != 'I' && head[0] != 'M')) {
        return false;
    }
    t->is_big_endian = head[0] == 'M';
    const uint64_t version = number(t, head + 2, 2);
    t->is_big = version == 43;
    if ((version != 42 && version != 43) || (t->is_big && !read_at(t, 0, head, 16))) {
        return false;
    }
    *directory = t->is_big ? number(t, head + 8, 8) : number(t, head + 4, 4);
    t->has_leaders = !t->is_big_endian && find_leaders(t);
    return true;
}

static tal_status check_file(tiff *t, tal_error *err) {
    uint64_t at = 0;
    if (!read_head(t, &at)) {
        return TAL_OK;
    }
    TAL_TRY(add_extent(t, (extent){0, t->is_big ? 16 : 8, false, false}, err));
    for (int n = 0; n < DIRECTORIES_MAX && at != 0; n++) {
        TAL_TRY(read_directory(t, &at, err));
        TAL_TRY(check_blocks(t, err));
    }
    return check_apart(t, err);
}

tal_status tal_tiff_check(const char *path, tal_tiff_extent what, tal_error *err) {
    tiff t = {.path = path, .what = what};
    tal_gdal_log log;
    tal_gdal_log_begin(&log);
    t.file = VSIFOpenL(path, "rb");
    const tal_status status = t.file != NULL ? check_file(&t, err) : TAL_OK;
    if (t.file != NULL) {
        VSIFCloseL(t.file);
    }
    tal_gdal_log_end();
    tal_memory_destroy(t.extent);
    return status;
}
