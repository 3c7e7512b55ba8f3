// SPDX-License-Identifier: GPL-3.0-or-later
// The report's style sheet and scripts.
#include "postproc/report/page.h"

#include "core/base/status.h"

#include <string.h>

void tal_page_append(tal_text *text, const char *name) {
    for (size_t i = 0; i < tal_page_file_count; i++) {
        if (strcmp(tal_page_files[i].name, name) == 0) {
            const char *bytes = (const char *)tal_page_files[i].text;
            tal_text_append_bytes(text, bytes, strlen(bytes));
            return;
        }
    }
    TAL_ASSERT(false); // a page without its script
}
