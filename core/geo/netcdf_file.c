// SPDX-License-Identifier: GPL-3.0-or-later
// NetCDF-4 files with checked calls: writing.
#define _XOPEN_SOURCE 700
#include "core/geo/netcdf_file.h"

#include "core/base/fault.h"
#include "core/base/text.h"
#include "core/geo/hdf5_exit.h"
#include "core/geo/write_failure.h"

#include <netcdf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEFLATE_LEVEL = 4 };

static bool is_open(const tal_netcdf *file) {
    return file->id > 0; // NetCDF numbers its files from 65536 on; {0} is a closed one
}

// Keeps the first failure; true while all went well.
static bool keep(tal_netcdf *file, int code, const char *what) {
    if (code != NC_NOERR && file->failed == TAL_OK) {
        file->failed = tal_write_failed(&file->error, file->path, what, nc_strerror(code));
    }
    return file->failed == TAL_OK;
}

static bool can_write(const tal_netcdf *file) {
    TAL_ASSERT(file->writing);
    return file->failed == TAL_OK && is_open(file);
}

// One write of data: the place where a test may let the disk be full.
static bool can_put(tal_netcdf *file, const void *values, const char **name,
                    char buffer[NC_MAX_NAME + 1], int variable) {
    if (!can_write(file) || values == NULL) {
        return false;
    }
    const bool known = nc_inq_varname(file->id, variable, buffer) == NC_NOERR;
    *name = known ? buffer : "a variable";
    if (tal_fault_strikes(TAL_FAULT_WRITE)) {
        return keep(file, NC_EHDFERR, *name);
    }
    return true;
}

tal_status tal_netcdf_create(tal_netcdf *file, const char *path, tal_overwrite overwrite,
                             const char *title, const char *provenance, tal_error *err) {
    *file = (tal_netcdf){.id = -1, .writing = true};
    TAL_TRY(tal_part_begin(path, overwrite, file->part, err));
    tal_text_copy(file->path, sizeof file->path, path);
    tal_hdf5_init();
    const int code = nc_create(file->part, NC_NETCDF4 | NC_CLOBBER, &file->id);
    if (code != NC_NOERR) {
        file->id = -1;
        tal_part_discard(path);
        return tal_write_failed(err, path, "a NetCDF file", nc_strerror(code));
    }
    tal_netcdf_text(file, TAL_NC_GLOBAL, "Conventions", "CF-1.11");
    tal_netcdf_text(file, TAL_NC_GLOBAL, "title", title);
    tal_netcdf_text(file, TAL_NC_GLOBAL, "provenance", provenance);
    return TAL_OK;
}

int tal_netcdf_dimension(tal_netcdf *file, const char *name, size_t length) {
    int id = 0;
    if (can_write(file)) {
        keep(file, nc_def_dim(file->id, name, length > 0 ? length : NC_UNLIMITED, &id), name);
    }
    return id;
}

int tal_netcdf_variable(tal_netcdf *file, const char *name, tal_nc_type type, int dimension_count,
                        const int *dimensions, const char *units, const char *long_name) {
    static const nc_type types[] = {
        [TAL_NC_DOUBLE] = NC_DOUBLE, [TAL_NC_FLOAT] = NC_FLOAT, [TAL_NC_INT] = NC_INT,
        [TAL_NC_INT64] = NC_INT64,   [TAL_NC_BYTE] = NC_BYTE,   [TAL_NC_CHAR] = NC_CHAR};
    int id = 0;
    if (can_write(file)) {
        keep(file, nc_def_var(file->id, name, types[type], dimension_count, dimensions, &id), name);
        tal_netcdf_text(file, id, "units", units);
        tal_netcdf_text(file, id, "long_name", long_name);
    }
    return id;
}

void tal_netcdf_text(tal_netcdf *file, int variable, const char *name, const char *value) {
    if (can_write(file) && value != NULL) {
        keep(file, nc_put_att_text(file->id, variable, name, strlen(value), value), name);
    }
}

// CF wants these in the type of their variable; all others are double or int.
static nc_type attribute_type(const tal_netcdf *file, int variable, const char *name,
                              nc_type otherwise) {
    static const char *const like_variable[] = {"_FillValue", "missing_value", "valid_min",
                                                "valid_max",  "valid_range",   "flag_values",
                                                "flag_masks", "actual_range"};
    nc_type type = otherwise;
    for (size_t i = 0; i < sizeof like_variable / sizeof like_variable[0]; i++) {
        if (variable != TAL_NC_GLOBAL && strcmp(name, like_variable[i]) == 0) {
            (void)nc_inq_vartype(file->id, variable, &type);
        }
    }
    return type;
}

void tal_netcdf_reals(tal_netcdf *file, int variable, const char *name, const double *values,
                      size_t count) {
    if (can_write(file)) {
        const nc_type type = attribute_type(file, variable, name, NC_DOUBLE);
        keep(file, nc_put_att_double(file->id, variable, name, type, count, values), name);
    }
}

void tal_netcdf_real(tal_netcdf *file, int variable, const char *name, double value) {
    tal_netcdf_reals(file, variable, name, &value, 1);
}

void tal_netcdf_integer(tal_netcdf *file, int variable, const char *name, int64_t value) {
    if (can_write(file)) {
        // An int where it fits: more programs read it.
        const bool fits = value >= INT32_MIN && value <= INT32_MAX;
        const nc_type type = attribute_type(file, variable, name, fits ? NC_INT : NC_INT64);
        const long long wide = value;
        keep(file, nc_put_att_longlong(file->id, variable, name, type, 1, &wide), name);
    }
}

void tal_netcdf_integers(tal_netcdf *file, int variable, const char *name, const int32_t *values,
                         size_t count) {
    if (can_write(file)) {
        const nc_type type = attribute_type(file, variable, name, NC_INT);
        keep(file, nc_put_att_int(file->id, variable, name, type, count, values), name);
    }
}

void tal_netcdf_compress(tal_netcdf *file, int variable, const size_t *chunks) {
    if (!can_write(file)) {
        return;
    }
    int dimension_count = 0;
    keep(file, nc_inq_varndims(file->id, variable, &dimension_count), "a compressed variable");
    if (file->failed == TAL_OK && dimension_count > 0) { // a single value cannot be compressed
        if (chunks != NULL) {
            keep(file, nc_def_var_chunking(file->id, variable, NC_CHUNKED, chunks), "chunks");
        }
        keep(file, nc_def_var_deflate(file->id, variable, 1, 1, DEFLATE_LEVEL), "compression");
    }
}

#define PUT(file, variable, values, call)                                                          \
    do {                                                                                           \
        const char *name = NULL;                                                                   \
        char buffer[NC_MAX_NAME + 1];                                                              \
        if (can_put((file), (values), &name, buffer, (variable))) {                                \
            keep((file), (call), name);                                                            \
        }                                                                                          \
    } while (0)

void tal_netcdf_put_doubles(tal_netcdf *file, int variable, const double *values) {
    PUT(file, variable, values, nc_put_var_double(file->id, variable, values));
}

void tal_netcdf_put_floats(tal_netcdf *file, int variable, const float *values) {
    PUT(file, variable, values, nc_put_var_float(file->id, variable, values));
}

void tal_netcdf_put_ints(tal_netcdf *file, int variable, const int32_t *values) {
    PUT(file, variable, values, nc_put_var_int(file->id, variable, values));
}

void tal_netcdf_put_int64s(tal_netcdf *file, int variable, const int64_t *values) {
    _Static_assert(sizeof(long long) == sizeof(int64_t), "NetCDF's 64-bit call takes long long");
    PUT(file, variable, values, nc_put_var_longlong(file->id, variable, (const long long *)values));
}

void tal_netcdf_put_text(tal_netcdf *file, int variable, const char *values) {
    PUT(file, variable, values, nc_put_var_text(file->id, variable, values));
}

void tal_netcdf_put_slab(tal_netcdf *file, int variable, const size_t *start, const size_t *count,
                         const double *values) {
    PUT(file, variable, values, nc_put_vara_double(file->id, variable, start, count, values));
}

// HDF5 keeps a file open whose close has failed: its room on the disk is given back by hand.
static void discard_part(const tal_netcdf *file) {
    (void)!truncate(file->part, 0);
    tal_part_discard(file->path);
}

tal_status tal_netcdf_commit(tal_netcdf *file, tal_error *err) {
    TAL_ASSERT(file->writing && is_open(file));
    // Data reaches the disk in the close: its answer counts like that of a write.
    const int code = nc_close(file->id);
    file->id = -1;
    if (tal_fault_strikes(TAL_FAULT_WRITE)) {
        keep(file, NC_EHDFERR, "the end of the file");
    }
    if (!keep(file, code, "the end of the file")) {
        discard_part(file);
        return TAL_FAIL(err, file->failed, "%s", file->error.text);
    }
    return tal_part_commit(file->path, err);
}

void tal_netcdf_discard(tal_netcdf *file) {
    if (is_open(file) && file->writing) {
        (void)nc_close(file->id); // what it says no longer matters
        file->id = -1;
        discard_part(file);
    }
}
