// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the files that read NetCDF.
#ifndef TALUS_CORE_GEO_NETCDF_PRIVATE_H
#define TALUS_CORE_GEO_NETCDF_PRIVATE_H

#include "core/base/status.h"

// Whether the library can read all of the file, and survives it.
tal_status tal_netcdf_probe(const char *path, tal_error *err);
// The sentence for an error `code` of the library.
tal_status tal_netcdf_open_failed(const char *path, int code, tal_error *err);

#endif
