// SPDX-License-Identifier: GPL-3.0-or-later
// Text and bytes inside pages of HTML.
#include "core/app/html.h"

#include <stdint.h>

static const char *entity(char letter) {
    switch (letter) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void tal_html_append(tal_text *page, const char *string) {
    for (const char *c = string; *c != '\0'; c++) {
        const char *escaped = entity(*c);
        if (escaped != NULL) {
            tal_text_append(page, "%s", escaped);
        } else {
            tal_text_append_bytes(page, c, 1);
        }
    }
}

void tal_html_append_base64(tal_text *page, const void *bytes, size_t count) {
    static const char DIGIT[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = bytes;
    char chunk[4096];
    size_t used = 0;
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t word = ((uint32_t)in[i] << 16) | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0u) |
                              (left > 2 ? (uint32_t)in[i + 2] : 0u);
        chunk[used++] = DIGIT[(word >> 18) & 63u];
        chunk[used++] = DIGIT[(word >> 12) & 63u];
        chunk[used++] = left > 1 ? DIGIT[(word >> 6) & 63u] : '=';
        chunk[used++] = left > 2 ? DIGIT[word & 63u] : '=';
        if (used == sizeof chunk) {
            tal_text_append_bytes(page, chunk, used);
            used = 0;
        }
    }
    tal_text_append_bytes(page, chunk, used);
}
