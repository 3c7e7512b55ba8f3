// SPDX-License-Identifier: GPL-3.0-or-later
// The report's style sheet and scripts, built into the program from postproc/report/page.
#ifndef TALUS_POSTPROC_REPORT_PAGE_H
#define TALUS_POSTPROC_REPORT_PAGE_H

#include "core/base/text.h"

typedef struct {
    const char *name;
    const unsigned char *text; // ended by '\0'
} tal_page_file;

extern const tal_page_file tal_page_files[];
extern const size_t tal_page_file_count;

// Appends the file of that name as it is; there must be one.
void tal_page_append(tal_text *text, const char *name);

#endif
