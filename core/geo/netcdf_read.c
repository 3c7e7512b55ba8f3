// SPDX-License-Identifier: GPL-3.0-or-later
// NetCDF files with checked calls: reading. Each message names the file and the variable.
#include "core/geo/netcdf_file.h"

#include "core/app/results.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geo/hdf5_exit.h"
#include "core/geo/netcdf_private.h"

#include <netcdf.h>
#include <string.h>

tal_status tal_netcdf_open_failed(const char *path, int code, tal_error *err) {
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s cannot be read as NetCDF (%s). It is of another format, incomplete or "
                    "damaged: create it again",
                    path, nc_strerror(code));
}

tal_status tal_netcdf_open(tal_netcdf *file, const char *path, tal_error *err) {
    *file = (tal_netcdf){.id = -1};
    TAL_TRY(tal_file_check_readable(path, err));
    if (!tal_text_copy(file->path, sizeof file->path, path)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.100s...: path too long", path);
    }
    tal_hdf5_init();
    bool is_listed = false;
    TAL_TRY(tal_results_check_file(path, &is_listed, err));
    if (!is_listed) {
        TAL_TRY(tal_netcdf_probe(path, err));
    }
    const int code = nc_open(path, NC_NOWRITE, &file->id);
    if (code != NC_NOERR) {
        file->id = -1;
        return tal_netcdf_open_failed(path, code, err);
    }
    return TAL_OK;
}

void tal_netcdf_close(tal_netcdf *file) {
    if (file->id > 0 && !file->writing) {
        (void)nc_close(file->id); // opened for reading: nothing can be lost
        file->id = -1;
    }
}

static tal_status fail_read(const tal_netcdf *file, const char *variable, int code,
                            tal_error *err) {
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s: variable '%s' cannot be read: %s. If the file is damaged, create it again",
                    file->path, variable, nc_strerror(code));
}

tal_status tal_netcdf_get_length(tal_netcdf *file, const char *dimension, size_t *length,
                                 tal_error *err) {
    int id = 0;
    int code = nc_inq_dimid(file->id, dimension, &id);
    if (code == NC_NOERR) {
        code = nc_inq_dimlen(file->id, id, length);
    }
    if (code != NC_NOERR) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s has no dimension '%s' (%s). Was it made by another program or version?",
                        file->path, dimension, nc_strerror(code));
    }
    return TAL_OK;
}

bool tal_netcdf_has(tal_netcdf *file, const char *variable) {
    int id = 0;
    return nc_inq_varid(file->id, variable, &id) == NC_NOERR;
}

static tal_status find_variable(tal_netcdf *file, const char *variable, int *id, tal_error *err) {
    const int code = nc_inq_varid(file->id, variable, id);
    if (code != NC_NOERR) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s has no variable '%s' (%s). Was it made by another program or version?",
                        file->path, variable, nc_strerror(code));
    }
    return TAL_OK;
}

typedef struct {
    nc_type type;
    int dimension_count;
    size_t lengths[NC_MAX_VAR_DIMS];
} variable_shape;

static tal_status read_shape(tal_netcdf *file, const char *variable, int id, variable_shape *shape,
                             tal_error *err) {
    int dimensions[NC_MAX_VAR_DIMS];
    int code =
        nc_inq_var(file->id, id, NULL, &shape->type, &shape->dimension_count, dimensions, NULL);
    for (int i = 0; code == NC_NOERR && i < shape->dimension_count; i++) {
        code = nc_inq_dimlen(file->id, dimensions[i], &shape->lengths[i]);
    }
    return code == NC_NOERR ? TAL_OK : fail_read(file, variable, code, err);
}

static tal_status fail_count(const tal_netcdf *file, const char *variable,
                             const variable_shape *shape, size_t wanted, tal_error *err) {
    char lengths[160] = "a single value";
    size_t used = 0;
    for (int i = 0; i < shape->dimension_count && used < sizeof lengths - 24; i++) {
        used += (size_t)snprintf(lengths + used, sizeof lengths - used, "%s%zu", i > 0 ? " x " : "",
                                 shape->lengths[i]);
    }
    return TAL_FAIL(err, TAL_BAD_INPUT, "%s: variable '%s' is %s, but %zu values are needed",
                    file->path, variable, lengths, wanted);
}

static bool is_whole(nc_type type) {
    return type != NC_FLOAT && type != NC_DOUBLE;
}

enum wanted { WANT_NUMBERS, WANT_WHOLE_NUMBERS, WANT_CHARS };

static tal_status check_type(const tal_netcdf *file, const char *variable, nc_type type,
                             enum wanted wanted, tal_error *err) {
    const bool is_char = type == NC_CHAR;
    if (type > NC_MAX_ATOMIC_TYPE || type == NC_STRING || is_char != (wanted == WANT_CHARS)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: variable '%s' must hold %s", file->path, variable,
                        wanted == WANT_CHARS ? "characters" : "numbers");
    }
    if (wanted == WANT_WHOLE_NUMBERS && !is_whole(type)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: variable '%s' must hold whole numbers, not real ones", file->path,
                        variable);
    }
    return TAL_OK;
}

// Finds a variable of the wanted type with exactly `count` values.
static tal_status find_values(tal_netcdf *file, const char *variable, enum wanted wanted,
                              size_t count, int *id, tal_error *err) {
    TAL_TRY(find_variable(file, variable, id, err));
    variable_shape shape;
    TAL_TRY(read_shape(file, variable, *id, &shape, err));
    TAL_TRY(check_type(file, variable, shape.type, wanted, err));
    size_t held = 1;
    bool fits = true;
    for (int i = 0; i < shape.dimension_count; i++) {
        fits = fits && tal_size_multiply(held, shape.lengths[i], &held);
    }
    if (!fits || held != count) {
        return fail_count(file, variable, &shape, count, err);
    }
    return TAL_OK;
}

tal_status tal_netcdf_get_doubles(tal_netcdf *file, const char *variable, double *values,
                                  size_t count, tal_error *err) {
    int id = 0;
    TAL_TRY(find_values(file, variable, WANT_NUMBERS, count, &id, err));
    const int code = nc_get_var_double(file->id, id, values);
    return code == NC_NOERR ? TAL_OK : fail_read(file, variable, code, err);
}

tal_status tal_netcdf_get_ints(tal_netcdf *file, const char *variable, int32_t *values,
                               size_t count, tal_error *err) {
    int id = 0;
    TAL_TRY(find_values(file, variable, WANT_WHOLE_NUMBERS, count, &id, err));
    const int code = nc_get_var_int(file->id, id, values);
    return code == NC_NOERR ? TAL_OK : fail_read(file, variable, code, err);
}

tal_status tal_netcdf_get_chars(tal_netcdf *file, const char *variable, char *values, size_t count,
                                tal_error *err) {
    int id = 0;
    TAL_TRY(find_values(file, variable, WANT_CHARS, count, &id, err));
    const int code = nc_get_var_text(file->id, id, values);
    return code == NC_NOERR ? TAL_OK : fail_read(file, variable, code, err);
}

tal_status tal_netcdf_get_slab(tal_netcdf *file, const char *variable, int rank,
                               const size_t *start, const size_t *count, double *values,
                               tal_error *err) {
    int id = 0;
    TAL_TRY(find_variable(file, variable, &id, err));
    variable_shape shape;
    TAL_TRY(read_shape(file, variable, id, &shape, err));
    TAL_TRY(check_type(file, variable, shape.type, WANT_NUMBERS, err));
    if (shape.dimension_count != rank) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: variable '%s' has %d dimensions, but %d are needed. Was it made by "
                        "another program or version?",
                        file->path, variable, shape.dimension_count, rank);
    }
    for (int i = 0; i < rank; i++) {
        if (start[i] > shape.lengths[i] || count[i] > shape.lengths[i] - start[i]) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: variable '%s' has %zu values along dimension %d, but those from "
                            "%zu to %zu are needed",
                            file->path, variable, shape.lengths[i], i + 1, start[i],
                            start[i] + count[i]);
        }
    }
    const int code = nc_get_vara_double(file->id, id, start, count, values);
    return code == NC_NOERR ? TAL_OK : fail_read(file, variable, code, err);
}

// `variable` NULL: global. Finds the attribute's owner, type and length.
static tal_status find_attribute(tal_netcdf *file, const char *variable, const char *attribute,
                                 int *owner, nc_type *type, size_t *length, tal_error *err) {
    *owner = NC_GLOBAL;
    if (variable != NULL) {
        TAL_TRY(find_variable(file, variable, owner, err));
    }
    const int code = nc_inq_att(file->id, *owner, attribute, type, length);
    if (code != NC_NOERR) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s%s%s has no attribute '%s' (%s)", file->path,
                        variable != NULL ? ": variable " : "", variable != NULL ? variable : "",
                        attribute, nc_strerror(code));
    }
    return TAL_OK;
}

static tal_status fail_attribute(const tal_netcdf *file, const char *attribute, const char *wanted,
                                 tal_error *err) {
    return TAL_FAIL(err, TAL_BAD_INPUT, "%s: attribute '%s' must be %s", file->path, attribute,
                    wanted);
}

static tal_status get_string_attribute(tal_netcdf *file, int owner, const char *attribute,
                                       char **value, tal_error *err) {
    char *string = NULL;
    if (nc_get_att_string(file->id, owner, attribute, &string) != NC_NOERR) {
        return fail_attribute(file, attribute, "text", err);
    }
    const size_t length = string != NULL ? strlen(string) : 0;
    *value = tal_memory_create(length + 1, 1);
    if (*value != NULL && length > 0) {
        memcpy(*value, string, length);
    }
    (void)nc_free_string(1, &string);
    return *value != NULL ? TAL_OK : tal_memory_failed(err, "an attribute", length + 1, 1);
}

tal_status tal_netcdf_get_text(tal_netcdf *file, const char *variable, const char *attribute,
                               char **value, tal_error *err) {
    int owner = 0;
    nc_type type = NC_NAT;
    size_t length = 0;
    *value = NULL;
    TAL_TRY(find_attribute(file, variable, attribute, &owner, &type, &length, err));
    if (type == NC_STRING && length == 1) {
        return get_string_attribute(file, owner, attribute, value, err);
    }
    if (type != NC_CHAR) {
        return fail_attribute(file, attribute, "text", err);
    }
    TAL_CREATE(*value, length + 1, "an attribute", err);
    if (nc_get_att_text(file->id, owner, attribute, *value) != NC_NOERR) {
        tal_memory_destroy(*value);
        *value = NULL;
        return fail_attribute(file, attribute, "readable text", err);
    }
    return TAL_OK;
}

tal_status tal_netcdf_get_real(tal_netcdf *file, const char *variable, const char *attribute,
                               double *value, tal_error *err) {
    int owner = 0;
    nc_type type = NC_NAT;
    size_t length = 0;
    TAL_TRY(find_attribute(file, variable, attribute, &owner, &type, &length, err));
    if (type == NC_CHAR || type == NC_STRING || length != 1 ||
        nc_get_att_double(file->id, owner, attribute, value) != NC_NOERR) {
        return fail_attribute(file, attribute, "one number", err);
    }
    return TAL_OK;
}
