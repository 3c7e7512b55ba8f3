// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of studies: one style, text escaped, everything inside one file.
#ifndef TALUS_PIPELINES_ENGINE_STUDY_PAGE_H
#define TALUS_PIPELINES_ENGINE_STUDY_PAGE_H

#include "core/app/html.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/geo/grid.h"

void tal_page_begin(tal_text *page, const char *title);
void tal_page_end(tal_text *page);
// A number with the digits a reader wants; a dash for NaN.
void tal_page_number(tal_text *page, double value);
tal_status tal_page_write(tal_text *page, const char *folder, const char *name, tal_error *err);

// A table that sorts by its heads: begin, its <th> cells, rows, its <tr> rows, end.
void tal_page_table_begin(tal_text *page);
void tal_page_table_rows(tal_text *page);
void tal_page_table_end(tal_text *page);

// A share of 0 to 1 per cell over the shaded ground (which may have no value), with scale and
// legend.
tal_status tal_page_map(tal_text *page, const tal_raster *share, const tal_raster *ground,
                        const char *name, tal_error *err);

#endif
