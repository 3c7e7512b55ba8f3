// SPDX-License-Identifier: GPL-3.0-or-later
// The NetCDF library in memory. Linked instead of the real one, with --wrap for what would look at the disk.
#define _XOPEN_SOURCE 700 // strndup
#include "tests/support/paper_netcdf.h"

#include "core/app/results.h"
#include "core/base/arena.h"
#include "core/geo/hdf5_exit.h"
#include "core/geo/hdf5_probe.h"

#include <math.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILES_MAX = 4,
    DIMENSIONS_MAX = 24,
    VARIABLES_MAX = 64,
    ATTRIBUTES_MAX = 32,
    RANK_MAX = 4,
    NAME_BYTES = 32,
    TEXT_BYTES = 64,
    VALUES_MAX = 1024,  // of a file
    READ_MAX = 1 << 16, // values in one call
    MEMORY_MAX = 1 << 18,
    EDIT_BYTES = 6,
    EDITS_MAX = 24
};

typedef struct {
    char name[NAME_BYTES];
    size_t length;
} dimension;

typedef struct {
    char name[NAME_BYTES];
    nc_type type;
    int rank, dimension[RANK_MAX];
    size_t first, held; // among the values of the file
} variable;

typedef struct {
    char name[NAME_BYTES];
    nc_type type;
    size_t length;
    double number;
    char text[TEXT_BYTES];
} attribute;

typedef struct {
    char name[NAME_BYTES];
    int dimension_count, variable_count, attribute_count;
    dimension dimension[DIMENSIONS_MAX];
    variable variable[VARIABLES_MAX];
    attribute attribute[ATTRIBUTES_MAX];
    size_t value_count;
    double value[VALUES_MAX];
} paper;

static paper seed[FILES_MAX], page[FILES_MAX]; // as added, and as edited
static int file_count;
static int calls_left; // until one fails; negative: none does

// ---- Files as text ---------------------------------------------------------------------------

static void need(bool holds, const char *line) {
    if (!holds) {
        fprintf(stderr, "the harness itself fails: %.60s\n", line);
        abort();
    }
}

static size_t length_of(const paper *p, const variable *v) {
    size_t length = 1;
    for (int d = 0; d < v->rank; d++) {
        if (__builtin_mul_overflow(length, p->dimension[v->dimension[d]].length, &length)) {
            return SIZE_MAX;
        }
    }
    return length;
}

static int find_dimension(const paper *p, const char *name) {
    for (int d = 0; d < p->dimension_count; d++) {
        if (strcmp(p->dimension[d].name, name) == 0) {
            return d;
        }
    }
    return -1;
}

static void add_rank(paper *p, variable *v, char *names) {
    for (char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
        need(v->rank < RANK_MAX && find_dimension(p, name) >= 0, name);
        v->dimension[v->rank++] = find_dimension(p, name);
    }
}

static void add_words(paper *p, const variable *v, const char *words) {
    const size_t width = p->dimension[v->dimension[v->rank - 1]].length;
    for (size_t row = 0; row < v->held / width; row++) {
        words += strspn(words, " ");
        const size_t length = strcspn(words, " ");
        for (size_t k = 0; k < length && k < width; k++) {
            p->value[v->first + row * width + k] = words[k];
        }
        words += length;
    }
}

static void add_numbers(paper *p, const variable *v, const char *numbers) {
    const char *next = numbers;
    for (size_t k = 0; k < v->held; k++) {
        char *end = NULL;
        double number = strtod(next, &end);
        if (end == next) {
            next = numbers;
            number = strtod(next, &end);
        }
        need(end != next, numbers);
        p->value[v->first + k] = number;
        next = end;
    }
}

static void add_variable(paper *p, const char *kind, char *name, char *dimensions,
                         const char *values, const char *line) {
    need(p->variable_count < VARIABLES_MAX, line);
    variable *v = &p->variable[p->variable_count++];
    v->type = strcmp(kind, "int") == 0 ? NC_INT : strcmp(kind, "char") == 0 ? NC_CHAR : NC_DOUBLE;
    snprintf(v->name, sizeof v->name, "%s", name);
    add_rank(p, v, dimensions);
    v->first = p->value_count;
    v->held = length_of(p, v);
    p->value_count += v->held;
    need(p->value_count <= VALUES_MAX, line);
    if (v->type == NC_CHAR) {
        add_words(p, v, values);
    } else {
        add_numbers(p, v, values);
    }
}

static void add_attribute(paper *p, bool is_text, const char *name, const char *value,
                          const char *line) {
    need(p->attribute_count < ATTRIBUTES_MAX, line);
    attribute *a = &p->attribute[p->attribute_count++];
    snprintf(a->name, sizeof a->name, "%s", name);
    a->type = is_text ? NC_CHAR : NC_DOUBLE;
    if (is_text) {
        snprintf(a->text, sizeof a->text, "%s", value);
    } else {
        a->number = strtod(value, NULL);
    }
    a->length = is_text ? strlen(a->text) : 1;
}

static void add_line(paper *p, const char *line) {
    char kind[16], name[NAME_BYTES], rest[900], dimensions[100] = "";
    need(sscanf(line, "%15s %31s %899[^\n]", kind, name, rest) == 3, line);
    if (strcmp(kind, "dim") == 0) {
        need(p->dimension_count < DIMENSIONS_MAX, line);
        dimension *d = &p->dimension[p->dimension_count++];
        snprintf(d->name, sizeof d->name, "%s", name);
        d->length = strtoul(rest, NULL, 10);
    } else if (strcmp(kind, "number") == 0 || strcmp(kind, "text") == 0) {
        add_attribute(p, strcmp(kind, "text") == 0, name, rest, line);
    } else {
        const char *colon = strchr(rest, ':');
        need(colon != NULL && sscanf(rest, "%99s", dimensions) == 1, line);
        add_variable(p, kind, name, dimensions, colon + 1, line);
    }
}

void paper_netcdf_add(const char *name, const char *text) {
    need(file_count < FILES_MAX, name);
    paper *p = &seed[file_count++];
    *p = (paper){0};
    snprintf(p->name, sizeof p->name, "%s", name);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        add_line(p, line);
    }
    memcpy(page, seed, sizeof page);
    calls_left = -1;
}

// ---- Edits -----------------------------------------------------------------------------------

// A number that readers may stumble over, a small whole one, or another.
static double pick_number(uint8_t kind, uint8_t choice) {
    static const double special[] = {0,           -0.0,       1,          -1,        2147483647,
                                     -2147483648, 2147483648, 4294967296, 1e9,       -1e9,
                                     1e15,        1e19,       1e300,      -1e300,    1e-300,
                                     5e-324,      NAN,        INFINITY,   -INFINITY, 9.97e36};
    switch (kind % 3) {
    case 0:
        return special[choice % (sizeof special / sizeof *special)];
    case 1:
        return (int8_t)choice;
    default:
        return choice / 16.0 - 8.0;
    }
}

static size_t pick_length(uint8_t kind, uint8_t choice) {
    static const size_t large[] = {
        (size_t)1 << 31,  ((size_t)1 << 31) - 1, ((size_t)1 << 32) + 1, ((size_t)1 << 62) + 1,
        SIZE_MAX / 3 + 1, SIZE_MAX / 8 + 1,      SIZE_MAX - 1,          SIZE_MAX};
    return kind % 4 == 0 ? large[choice % (sizeof large / sizeof *large)]
                         : (size_t)(choice % 32); // lengths of the files are of that order
}

static void edit_attribute(attribute *a, const uint8_t *e) {
    static const nc_type types[] = {NC_CHAR, NC_DOUBLE, NC_INT, NC_STRING, NC_BYTE};
    switch (e[3] % 4) {
    case 0:
        a->number = pick_number(e[4], e[5]);
        break;
    case 1:
        a->text[e[4] % TEXT_BYTES] = (char)e[5];
        break;
    case 2:
        a->length = e[5] % (TEXT_BYTES + 1);
        break;
    default:
        a->type = types[e[5] % (sizeof types / sizeof *types)];
    }
}

static void edit_variable(paper *p, variable *v, const uint8_t *e) {
    switch (e[0] % 8) {
    case 3:
        v->type = (nc_type)(e[5] % 15); // 13 and 14: types of the user's own
        break;
    case 4:
        if (e[4] % 2 == 0) {
            v->rank = e[5] % (RANK_MAX + 1);
        } else {
            v->dimension[e[3] % RANK_MAX] = e[5] % p->dimension_count;
        }
        break;
    case 5:
        v->name[0] = '~'; // there is none of that name
        break;
    default:
        if (v->held > 0) {
            p->value[v->first + e[3] % v->held] = pick_number(e[4], e[5]);
        }
    }
}

static void edit(const uint8_t *e) {
    paper *p = &page[e[1] % file_count];
    switch (e[0] % 8) {
    case 2:
        p->dimension[e[2] % p->dimension_count].length = pick_length(e[4], e[5]);
        break;
    case 6:
        if (p->attribute_count > 0) {
            edit_attribute(&p->attribute[e[2] % p->attribute_count], e);
        }
        break;
    case 7:
        calls_left = e[5];
        break;
    default:
        edit_variable(p, &p->variable[e[2] % p->variable_count], e);
    }
}

void paper_netcdf_edit(const uint8_t *data, size_t size) {
    memcpy(page, seed, sizeof page);
    calls_left = -1;
    for (int n = 0; n < EDITS_MAX && size >= EDIT_BYTES; n++) {
        edit(data);
        data += EDIT_BYTES;
        size -= EDIT_BYTES;
    }
}

// ---- The library: as far as we call it -------------------------------------------------------

static bool fails(void) {
    return calls_left >= 0 && calls_left-- == 0;
}

static paper *paper_of(int id) {
    return &page[id - 1];
}

const char *nc_strerror(int code) {
    return code == NC_NOERR ? "no error" : "an error of the library";
}

int nc_open(const char *path, int mode, int *id) {
    (void)mode;
    const char *name = strrchr(path, '/');
    name = name != NULL ? name + 1 : path;
    for (int f = 0; f < file_count; f++) {
        if (strcmp(page[f].name, name) == 0) {
            *id = f + 1;
            return fails() ? NC_EHDFERR : NC_NOERR;
        }
    }
    return NC_EHDFERR;
}

int nc_close(int id) {
    (void)id;
    return NC_NOERR;
}

int nc_inq(int id, int *dimensions, int *variables, int *attributes, int *unlimited) {
    (void)dimensions, (void)unlimited;
    *variables = paper_of(id)->variable_count;
    *attributes = paper_of(id)->attribute_count;
    return NC_NOERR;
}

int nc_inq_dimid(int id, const char *name, int *number) {
    *number = find_dimension(paper_of(id), name);
    return *number < 0 ? NC_EBADDIM : NC_NOERR;
}

int nc_inq_dimlen(int id, int number, size_t *length) {
    *length = paper_of(id)->dimension[number].length;
    return fails() ? NC_EHDFERR : NC_NOERR;
}

int nc_inq_varid(int id, const char *name, int *number) {
    const paper *p = paper_of(id);
    for (*number = 0; *number < p->variable_count; ++*number) {
        if (strcmp(p->variable[*number].name, name) == 0) {
            return NC_NOERR;
        }
    }
    return NC_ENOTVAR;
}

int nc_inq_var(int id, int number, char *name, nc_type *type, int *rank, int *dimensions,
               int *attributes) {
    const variable *v = &paper_of(id)->variable[number];
    (void)name;
    *type = v->type;
    *rank = v->rank;
    memcpy(dimensions, v->dimension, (size_t)v->rank * sizeof *dimensions);
    if (attributes != NULL) {
        *attributes = 0;
    }
    return fails() ? NC_EHDFERR : NC_NOERR;
}

static attribute *find_attribute(int id, int owner, const char *name) {
    paper *p = paper_of(id);
    for (int a = 0; owner == NC_GLOBAL && a < p->attribute_count; a++) {
        if (strcmp(p->attribute[a].name, name) == 0) {
            return &p->attribute[a];
        }
    }
    return NULL;
}

int nc_inq_attname(int id, int owner, int number, char *name) {
    (void)owner;
    memcpy(name, paper_of(id)->attribute[number].name, NAME_BYTES);
    return NC_NOERR;
}

int nc_inq_att(int id, int owner, const char *name, nc_type *type, size_t *length) {
    const attribute *a = find_attribute(id, owner, name);
    if (a == NULL) {
        return NC_ENOTATT;
    }
    *type = a->type;
    *length = a->length;
    return NC_NOERR;
}

int nc_get_att_text(int id, int owner, const char *name, char *text) {
    const attribute *a = find_attribute(id, owner, name);
    memcpy(text, a->text, a->length);
    return fails() ? NC_EHDFERR : NC_NOERR;
}

int nc_get_att_double(int id, int owner, const char *name, double *numbers) {
    const attribute *a = find_attribute(id, owner, name);
    for (size_t k = 0; k < a->length; k++) {
        numbers[k] = a->number;
    }
    return fails() ? NC_EHDFERR : NC_NOERR;
}

int nc_get_att_string(int id, int owner, const char *name, char **strings) {
    const attribute *a = find_attribute(id, owner, name);
    for (size_t k = 0; k < a->length; k++) {
        strings[k] = a->text[0] == '\0' ? NULL : strndup(a->text, TEXT_BYTES);
    }
    return fails() ? NC_EHDFERR : NC_NOERR;
}

int nc_free_string(size_t count, char **strings) {
    for (size_t k = 0; k < count; k++) {
        free(strings[k]);
    }
    return NC_NOERR;
}

static size_t bytes_of(nc_type type) {
    return type == NC_BYTE || type == NC_CHAR || type == NC_UBYTE  ? 1
           : type == NC_SHORT || type == NC_USHORT                 ? 2
           : type == NC_INT || type == NC_UINT || type == NC_FLOAT ? 4
                                                                   : 8;
}

int nc_get_att(int id, int owner, const char *name, void *room) {
    const attribute *a = find_attribute(id, owner, name);
    memset(room, 0, a->length * bytes_of(a->type));
    return fails() ? NC_EHDFERR : NC_NOERR;
}

static double value_at(const paper *p, const variable *v, size_t k) {
    return k < v->held ? p->value[v->first + k] : NC_FILL_DOUBLE;
}

// Whether all of a variable can be given, and how much that is.
static int check_all(const variable *v, size_t length, bool is_text) {
    if ((v->type == NC_CHAR) != is_text) {
        return NC_ECHAR;
    }
    return length > READ_MAX || fails() ? NC_EHDFERR : NC_NOERR;
}

int nc_get_var_double(int id, int number, double *values) {
    const paper *p = paper_of(id);
    const variable *v = &p->variable[number];
    const size_t length = length_of(p, v);
    const int code = check_all(v, length, false);
    for (size_t k = 0; code == NC_NOERR && k < length; k++) {
        values[k] = value_at(p, v, k);
    }
    return code;
}

// What does not fit is told, and all is given nevertheless.
int nc_get_var_int(int id, int number, int *values) {
    const paper *p = paper_of(id);
    const variable *v = &p->variable[number];
    const size_t length = length_of(p, v);
    int code = check_all(v, length, false);
    const bool is_good = code == NC_NOERR;
    for (size_t k = 0; is_good && k < length; k++) {
        const double value = value_at(p, v, k);
        const bool fits = value >= -2147483648.0 && value <= 2147483647.0;
        values[k] = fits ? (int)value : NC_FILL_INT;
        code = fits ? code : NC_ERANGE;
    }
    return code;
}

int nc_get_var_text(int id, int number, char *values) {
    const paper *p = paper_of(id);
    const variable *v = &p->variable[number];
    const size_t length = length_of(p, v);
    const int code = check_all(v, length, true);
    for (size_t k = 0; code == NC_NOERR && k < length; k++) {
        const double value = value_at(p, v, k);
        values[k] = value >= -128.0 && value <= 127.0 ? (char)value : '\0';
    }
    return code;
}

// Walks a box within a variable: the number of its elements, or an error.
static int count_box(const paper *p, const variable *v, const size_t *start, const size_t *count,
                     size_t *total) {
    *total = 1;
    for (int d = 0; d < v->rank; d++) {
        const size_t length = p->dimension[v->dimension[d]].length;
        if (start[d] > length || count[d] > length - start[d]) {
            return NC_EEDGE;
        }
        if (__builtin_mul_overflow(*total, count[d], total)) {
            return NC_EHDFERR;
        }
    }
    return *total > READ_MAX || fails() ? NC_EHDFERR : NC_NOERR;
}

static size_t place_in_box(const paper *p, const variable *v, const size_t *start,
                           const size_t *count, size_t k) {
    size_t place = 0, factor = 1;
    for (int d = v->rank - 1; d >= 0; d--) {
        place += factor * (start[d] + k % count[d]);
        k /= count[d];
        factor *= p->dimension[v->dimension[d]].length;
    }
    return place;
}

int nc_get_vara_double(int id, int number, const size_t *start, const size_t *count,
                       double *values) {
    const paper *p = paper_of(id);
    const variable *v = &p->variable[number];
    size_t total = 0;
    const int code = count_box(p, v, start, count, &total);
    for (size_t k = 0; code == NC_NOERR && k < total; k++) {
        values[k] = value_at(p, v, place_in_box(p, v, start, count, k));
    }
    return code;
}

int nc_get_vara(int id, int number, const size_t *start, const size_t *count, void *room) {
    const paper *p = paper_of(id);
    const variable *v = &p->variable[number];
    size_t total = 0;
    const int code = count_box(p, v, start, count, &total);
    if (code == NC_NOERR) {
        memset(room, 0, total * bytes_of(v->type));
    }
    return code;
}

// ---- What would look at the disk -------------------------------------------------------------

tal_status __wrap_tal_file_check_readable(const char *path, tal_error *err);
tal_status __wrap_tal_results_check_file(const char *path, bool *is_listed, tal_error *err);
tal_status __wrap_tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code,
                                 tal_error *err);
void __wrap_tal_hdf5_init(void);

tal_status __wrap_tal_file_check_readable(const char *path, tal_error *err) {
    (void)path, (void)err;
    return TAL_OK;
}

tal_status __wrap_tal_results_check_file(const char *path, bool *is_listed, tal_error *err) {
    (void)path, (void)err;
    *is_listed = false;
    return TAL_OK;
}

// No child: nothing of a library can crash here. Where it says that the file is bad, it is used nevertheless: the
// recorded sum of a file may be right and its content wrong.
tal_status __wrap_tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code,
                                 tal_error *err) {
    (void)err;
    const int calls = calls_left;
    (void)reader(path);
    calls_left = calls;
    *code = 0;
    return TAL_OK;
}

void __wrap_tal_hdf5_init(void) {
}

// ---- What a computer does not have -----------------------------------------------------------

void *__real_tal_memory_create(size_t count, size_t size);
void *__wrap_tal_memory_create(size_t count, size_t size);

void *__wrap_tal_memory_create(size_t count, size_t size) {
    size_t bytes = 0;
    return __builtin_mul_overflow(count, size, &bytes) || bytes > MEMORY_MAX
               ? NULL
               : __real_tal_memory_create(count, size);
}

void *__real_tal_memory_grow(void *memory, size_t old_count, size_t count, size_t size);
void *__wrap_tal_memory_grow(void *memory, size_t old_count, size_t count, size_t size);

void *__wrap_tal_memory_grow(void *memory, size_t old_count, size_t count, size_t size) {
    return count > MEMORY_MAX / size ? NULL
                                     : __real_tal_memory_grow(memory, old_count, count, size);
}

tal_status __real_tal_arena_create(tal_arena *arena, size_t first_bytes, tal_error *err);
tal_status __wrap_tal_arena_create(tal_arena *arena, size_t first_bytes, tal_error *err);

// A megabyte of new pages for every file would take most of the time.
tal_status __wrap_tal_arena_create(tal_arena *arena, size_t first_bytes, tal_error *err) {
    (void)first_bytes;
    return __real_tal_arena_create(arena, 1 << 14, err);
}
