// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the parts of a TIFF fit together. Private to core/geo.
#ifndef TALUS_CORE_GEO_TIFF_LAYOUT_H
#define TALUS_CORE_GEO_TIFF_LAYOUT_H

#include "core/base/status.h"

// A flipped bit in a TIFF's directory moves a strip of cells by some cells, leaves out rows or takes the bytes of a
// list for heights, and GDAL reads on. What the directory says of the cells must agree: as many strips or tiles as
// the size needs, each as long as its cells, none over another. Deflated cells have a sum of their own, which GDAL
// does not look at. TAL_OK too for what is no TIFF or cannot be opened: GDAL has the words for that.
typedef enum { TAL_TIFF_HEADER, TAL_TIFF_WHOLE } tal_tiff_extent;
tal_status tal_tiff_check(const char *path, tal_tiff_extent what, tal_error *err);

#endif
