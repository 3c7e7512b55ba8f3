// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in of the NetCDF library for fuzzers: files in memory, told as text, whose parts are edited one by one. Damaged
// bytes of a real file seldom come past the checksums of HDF5; what comes past the library is this: other lengths, other
// types, other values, something missing, a call that fails.
#ifndef TALUS_TESTS_SUPPORT_PAPER_NETCDF_H
#define TALUS_TESTS_SUPPORT_PAPER_NETCDF_H

#include <stddef.h>
#include <stdint.h>

// Adds a file, a line for each part; values are repeated as long as there is room:
//   dim NAME LENGTH
//   double|int|char NAME DIM,DIM : VALUE VALUE ...     (char: a word per row)
//   number NAME VALUE                                  (attributes of the file)
//   text NAME WORDS
void paper_netcdf_add(const char *name, const char *text);

// All files as they were added, then with the edits of `data`: six bytes each.
void paper_netcdf_edit(const uint8_t *data, size_t size);

#endif
