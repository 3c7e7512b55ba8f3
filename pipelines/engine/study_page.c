// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of studies.
#include "pipelines/engine/study_page.h"

#include "core/app/number.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void tal_page_begin(tal_text *page, const char *title) {
    tal_html_begin(page, title);
    tal_html_begin_body(page);
    tal_text_append(page, "<header><h1>");
    tal_html_append(page, title);
    tal_text_append(page, "</h1></header>\n");
}

void tal_page_end(tal_text *page) {
    tal_html_end(page);
}

void tal_page_number(tal_text *page, double value) {
    char number[TAL_NUMBER_SIZE];
    tal_text_append(page, "%s", tal_number_format(number, value));
}

tal_status tal_page_write(tal_text *page, const char *folder, const char *name, tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (page->failed || !tal_path_join(path, folder, name)) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for %s", name);
    }
    return tal_file_write_text(path, tal_text_string(page), TAL_REPLACE, err);
}

// --- images ---

static void put_word(unsigned char *target, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        target[i] = (unsigned char)(value >> (8 * i));
    }
}

// White to dark red, easy to tell apart in print and for colour-blind readers.
static void fill_palette(unsigned char *palette) {
    for (int i = 0; i < 256; i++) {
        const double t = i / 255.0;
        palette[4 * i + 0] = (unsigned char)(255 * (1 - t) * (1 - t));
        palette[4 * i + 1] = (unsigned char)(255 * (1 - t * (0.4 + 0.6 * t)));
        palette[4 * i + 2] = (unsigned char)(255 * (1 - 0.45 * t * t));
    }
}

// A bitmap with a palette: the one image format that needs no compression library.
void tal_page_image(tal_text *page, const unsigned char *cells, int columns, int rows,
                    const char *alt) {
    enum { HEADER = 54, PALETTE = 1024 };
    const size_t stride = ((size_t)columns + 3) / 4 * 4,
                 size = HEADER + PALETTE + stride * (size_t)rows;
    unsigned char *bytes = tal_memory_create(size, 1);
    if (bytes == NULL) {
        page->failed = true;
        return;
    }
    bytes[0] = 'B';
    bytes[1] = 'M';
    put_word(bytes + 2, (uint32_t)size);
    put_word(bytes + 10, HEADER + PALETTE);
    put_word(bytes + 14, 40);
    put_word(bytes + 18, (uint32_t)columns);
    put_word(bytes + 22, (uint32_t)rows);
    bytes[26] = 1;
    bytes[28] = 8;
    fill_palette(bytes + HEADER);
    for (int row = 0; row < rows; row++) { // the lowest row comes first
        memcpy(bytes + HEADER + PALETTE + stride * (size_t)(rows - 1 - row),
               cells + (size_t)row * (size_t)columns, (size_t)columns);
    }
    tal_text_append(page, "<img alt=\"");
    tal_html_append(page, alt);
    tal_text_append(page, "\" width=\"%d\" height=\"%d\" src=\"data:image/bmp;base64,", columns,
                    rows);
    tal_html_append_base64(page, bytes, size);
    tal_text_append(page, "\">\n");
    tal_memory_destroy(bytes);
}
