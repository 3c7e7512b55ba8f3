// SPDX-License-Identifier: GPL-3.0-or-later
// NetCDF-4 files with checked calls: created aside, synced and renamed on close; every variable has
// units; reading names the file and the variable in each message.
#ifndef TALUS_CORE_GEO_NETCDF_FILE_H
#define TALUS_CORE_GEO_NETCDF_FILE_H

#include "core/base/file.h"
#include "core/geo/crs.h"
#include "core/geo/grid.h"

#include <stdint.h>

typedef struct {
    int id; // -1 when closed
    bool writing;
    tal_status failed; // first failure while writing, reported by the commit
    tal_error error;
    char path[TAL_PATH_SIZE];
    char part[TAL_PATH_SIZE]; // while writing
} tal_netcdf;

typedef enum {
    TAL_NC_DOUBLE,
    TAL_NC_FLOAT,
    TAL_NC_INT,
    TAL_NC_INT64,
    TAL_NC_BYTE,
    TAL_NC_CHAR
} tal_nc_type;

// Writing. Like tal_output: definitions and puts need no check of their own, the first failure is
// kept and returned by the commit. Conventions, title, provenance become global attributes.
tal_status tal_netcdf_create(tal_netcdf *file, const char *path, tal_overwrite overwrite,
                             const char *title, const char *provenance, tal_error *err);
int tal_netcdf_dimension(tal_netcdf *file, const char *name, size_t length); // 0: unlimited
// `dimensions` are ids as returned above; returns the variable's id. `units` "1" for numbers;
// NULL for containers such as mesh topology and grid mapping.
int tal_netcdf_variable(tal_netcdf *file, const char *name, tal_nc_type type, int dimension_count,
                        const int *dimensions, const char *units, const char *long_name);
void tal_netcdf_text(tal_netcdf *file, int variable, const char *name, const char *value);
void tal_netcdf_real(tal_netcdf *file, int variable, const char *name, double value);
void tal_netcdf_integer(tal_netcdf *file, int variable, const char *name, int64_t value);
// Several numbers, such as flag_values. Like _FillValue, valid_min and the others that CF wants so,
// these take the type of their variable.
void tal_netcdf_reals(tal_netcdf *file, int variable, const char *name, const double *values,
                      size_t count);
void tal_netcdf_integers(tal_netcdf *file, int variable, const char *name, const int32_t *values,
                         size_t count);
// Variable `crs` with crs_wkt (and what CF wants besides); gives `local` coordinates none.
void tal_netcdf_grid_mapping(tal_netcdf *file, const tal_crs *crs);
// The axes `y` (row 0 in the north) and `x` of a raster, the variable `crs` and what GIS programs
// need to place it. `dimensions` (y, x) are for the variables of cells, each of which wants
// tal_netcdf_text(file, variable, "grid_mapping", "crs") unless the coordinates are local.
void tal_netcdf_raster_axes(tal_netcdf *file, const tal_grid *grid, const tal_crs *crs,
                            int dimensions[2]);
enum { TAL_NC_GLOBAL = -1 }; // as `variable` of the attribute calls
// `chunks` may be NULL.
void tal_netcdf_compress(tal_netcdf *file, int variable, const size_t *chunks);
void tal_netcdf_put_doubles(tal_netcdf *file, int variable, const double *values);
void tal_netcdf_put_floats(tal_netcdf *file, int variable, const float *values);
void tal_netcdf_put_ints(tal_netcdf *file, int variable, const int32_t *values);
void tal_netcdf_put_int64s(tal_netcdf *file, int variable, const int64_t *values);
// Characters of a char variable.
void tal_netcdf_put_text(tal_netcdf *file, int variable, const char *values);
// One slab: start and count per dimension.
void tal_netcdf_put_slab(tal_netcdf *file, int variable, const size_t *start, const size_t *count,
                         const double *values);
tal_status tal_netcdf_commit(tal_netcdf *file, tal_error *err);
void tal_netcdf_discard(tal_netcdf *file); // harmless after a commit

// Reading. Each call reports what is missing or of the wrong shape.
tal_status tal_netcdf_open(tal_netcdf *file, const char *path, tal_error *err);
void tal_netcdf_close(tal_netcdf *file);
tal_status tal_netcdf_get_length(tal_netcdf *file, const char *dimension, size_t *length,
                                 tal_error *err);
bool tal_netcdf_has(tal_netcdf *file, const char *variable);
// Reads the whole variable, which must hold exactly `count` values.
tal_status tal_netcdf_get_doubles(tal_netcdf *file, const char *variable, double *values,
                                  size_t count, tal_error *err);
tal_status tal_netcdf_get_ints(tal_netcdf *file, const char *variable, int32_t *values,
                               size_t count, tal_error *err);
// Characters of a char variable such as class_name, with no '\0' added.
tal_status tal_netcdf_get_chars(tal_netcdf *file, const char *variable, char *values, size_t count,
                                tal_error *err);
// A part of a variable, which must have `rank` dimensions: as many as `start` and `count` have numbers.
tal_status tal_netcdf_get_slab(tal_netcdf *file, const char *variable, int rank,
                               const size_t *start, const size_t *count, double *values,
                               tal_error *err);
// Text attribute of a variable (NULL: global); freed with tal_memory_destroy.
tal_status tal_netcdf_get_text(tal_netcdf *file, const char *variable, const char *attribute,
                               char **value, tal_error *err);
tal_status tal_netcdf_get_real(tal_netcdf *file, const char *variable, const char *attribute,
                               double *value, tal_error *err);

#endif
