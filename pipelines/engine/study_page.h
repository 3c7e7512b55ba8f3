// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of studies: one style, text escaped, everything inside one file.
#ifndef TALUS_PIPELINES_ENGINE_STUDY_PAGE_H
#define TALUS_PIPELINES_ENGINE_STUDY_PAGE_H

#include "core/app/html.h"
#include "core/base/file.h"
#include "core/base/text.h"

void tal_page_begin(tal_text *page, const char *title);
void tal_page_end(tal_text *page);
// A number with the digits a reader wants; a dash for NaN.
void tal_page_number(tal_text *page, double value);
tal_status tal_page_write(tal_text *page, const char *folder, const char *name, tal_error *err);

// A byte per cell (0 transparent ... 255 full), as an image inside the page.
void tal_page_image(tal_text *page, const unsigned char *cells, int columns, int rows,
                    const char *alt);

#endif
