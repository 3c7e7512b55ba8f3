// SPDX-License-Identifier: GPL-3.0-or-later
// Mutants of a NetCDF file whose checksums are right, whatever else is wrong: HDF5 refuses all others at once.
#include "core/geo/netcdf_file.h"
#include "tests/support/mutate.h"
#include "tests/support/watched.h"

#include <netcdf.h>

static mutant m;

uint32_t H5_checksum_metadata(const void *data, size_t length, uint32_t start); // of the library

static void put_sum(size_t begin, size_t end) {
    if (end <= m.length && m.length - end >= 4) {
        const uint32_t sum = H5_checksum_metadata(m.bytes + begin, end - begin, 0);
        memcpy(m.bytes + end, &sum, sizeof sum);
    }
}

// Of the superblock and of the headers of objects in version 2: a signature, version, flags, times and numbers that
// the flags announce, the length of the messages, these, and the sum.
static void mend_sums(void) {
    enum { SUPERBLOCK_BYTES = 44, HAS_TIMES = 0x20, HAS_NUMBERS = 0x10 };
    put_sum(0, SUPERBLOCK_BYTES);
    for (size_t at = 0; at + 32 < m.length; at++) {
        if (m.bytes[at] != 'O' || memcmp(m.bytes + at, "OHDR\2", 5) != 0) {
            continue;
        }
        const unsigned flags = (unsigned char)m.bytes[at + 5];
        const size_t length_at =
            at + 6 + ((flags & HAS_TIMES) != 0 ? 16 : 0) + ((flags & HAS_NUMBERS) != 0 ? 4 : 0);
        uint64_t length = 0; // little-endian, of 1, 2, 4 or 8 bytes
        const size_t width = (size_t)1 << (flags & 3);
        if (length_at + width < m.length) {
            memcpy(&length, m.bytes + length_at, width);
        }
        if (length > 0 && length < m.length) {
            put_sum(at, length_at + width + length);
        }
    }
}

// The library's table of open files, half a megabyte, is made when there is one and given back when there is none:
// one in memory stays open.
static void keep_table(void) {
    int unused = -1;
    if (nc_create("kept", NC_DISKLESS, &unused) != NC_NOERR) {
        abort();
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static tal_error err;
    static tal_netcdf file;
    static const double x[12] = {1, 2, 3};
    static const int32_t n[4] = {0, 1, 2, 3};
    mutant_begin(&m, "seed.nc");
    mutant_need(tal_netcdf_create(&file, m.path, TAL_REPLACE, "Seed", "{}", &err), &err);
    const int rows = tal_netcdf_dimension(&file, "row", 4),
              three = tal_netcdf_dimension(&file, "three", 3);
    const int real =
        tal_netcdf_variable(&file, "x", TAL_NC_DOUBLE, 2, (int[]){rows, three}, "m", "x");
    const int whole = tal_netcdf_variable(&file, "n", TAL_NC_INT, 1, &rows, "1", "n");
    tal_netcdf_compress(&file, real, NULL);
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "dt_s", 0.01);
    tal_netcdf_put_doubles(&file, real, x);
    tal_netcdf_put_ints(&file, whole, n);
    mutant_need(tal_netcdf_commit(&file, &err), &err);
    mutant_take_seed(&m);
    keep_table();
    watched_begin(argc, argv);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    static tal_netcdf file;
    double x[12], dt = 0;
    int32_t n[4];
    char *title = NULL;
    watched_try(data, size);
    mutant_edit(&m, data, size);
    mend_sums();
    mutant_renew(&m);
    mutant_write(&m);
    if (tal_netcdf_open(&file, m.path, &err) == TAL_OK) {
        (void)tal_netcdf_get_doubles(&file, "x", x, 12, &err);
        (void)tal_netcdf_get_ints(&file, "n", n, 4, &err);
        (void)tal_netcdf_get_real(&file, NULL, "dt_s", &dt, &err);
        if (tal_netcdf_get_text(&file, NULL, "title", &title, &err) == TAL_OK) {
            tal_memory_destroy(title);
        }
        tal_netcdf_close(&file);
    }
    watched_end_try();
    return 0;
}
