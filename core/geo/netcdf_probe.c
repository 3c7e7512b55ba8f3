// SPDX-License-Identifier: GPL-3.0-or-later
// Everything in a NetCDF file, read for a trial.
#include "core/geo/hdf5_probe.h"
#include "core/geo/netcdf_private.h"

#include <netcdf.h>
#include <stdlib.h>

// The child ends with 0, or with the error of the library without its sign (33 to 140).
enum { EXIT_ERROR_MIN = 32, PIECE_BYTES = 1 << 24, NAME_BYTES = NC_MAX_NAME + 1 };

// Attributes of a variable or, with NC_GLOBAL, of the file.
static int read_attributes(int file, int variable, int count) {
    int code = NC_NOERR;
    for (int i = 0; i < count && code == NC_NOERR; i++) {
        char name[NAME_BYTES];
        nc_type type = 0;
        size_t length = 0;
        code = nc_inq_attname(file, variable, i, name);
        code = code == NC_NOERR ? nc_inq_att(file, variable, name, &type, &length) : code;
        if (code == NC_NOERR && type <= NC_UINT64 && length < PIECE_BYTES / 8) {
            char *room = malloc(8 * length + 1);
            code = room != NULL ? nc_get_att(file, variable, name, room) : NC_ENOMEM;
            free(room);
        }
    }
    return code;
}

// The values in pieces along the first dimension.
static int read_values(int file, int variable, nc_type type, int dimensions, const int *dimension) {
    size_t start[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS], row = 8;
    int code = NC_NOERR;
    for (int d = 0; d < dimensions && code == NC_NOERR; d++) {
        code = nc_inq_dimlen(file, dimension[d], &count[d]);
        if (code == NC_NOERR && (count[d] == 0 || (d > 0 && count[d] > PIECE_BYTES / row))) {
            return NC_NOERR; // nothing, or a row that is larger than any we read
        }
        row *= d > 0 ? count[d] : 1;
    }
    if (code != NC_NOERR || type > NC_UINT64 || dimensions == 0) {
        return code;
    }
    const size_t rows = count[0], piece = PIECE_BYTES / row > 0 ? PIECE_BYTES / row : 1,
                 most = rows < piece ? rows : piece;
    char *room = malloc(most * row);
    code = room != NULL ? NC_NOERR : NC_ENOMEM;
    for (start[0] = 0; start[0] < rows && code == NC_NOERR; start[0] += count[0]) {
        count[0] = rows - start[0] < most ? rows - start[0] : most;
        code = nc_get_vara(file, variable, start, count, room);
    }
    free(room);
    return code;
}

static int read_everything(int file) {
    int variables = 0, attributes = 0;
    int code = nc_inq(file, NULL, &variables, &attributes, NULL);
    code = code == NC_NOERR ? read_attributes(file, NC_GLOBAL, attributes) : code;
    for (int v = 0; v < variables && code == NC_NOERR; v++) {
        nc_type type = 0;
        int dimensions = 0, dimension[NC_MAX_VAR_DIMS];
        code = nc_inq_var(file, v, NULL, &type, &dimensions, dimension, &attributes);
        code = code == NC_NOERR ? read_attributes(file, v, attributes) : code;
        code = code == NC_NOERR ? read_values(file, v, type, dimensions, dimension) : code;
    }
    return code;
}

static int read_file(const char *path) {
    int file = -1;
    int code = nc_open(path, NC_NOWRITE, &file);
    code = code == NC_NOERR ? read_everything(file) : code;
    code = code == NC_NOERR ? nc_close(file) : code;
    return code < 0 && code > -256 ? -code : code == NC_NOERR ? 0 : -NC_EHDFERR;
}

tal_status tal_netcdf_probe(const char *path, tal_error *err) {
    int code = 0;
    TAL_TRY(tal_hdf5_probe(path, read_file, &code, err));
    return code == 0               ? TAL_OK
           : code > EXIT_ERROR_MIN ? tal_netcdf_open_failed(path, -code, err)
                                   : tal_hdf5_crashes(path, err);
}
