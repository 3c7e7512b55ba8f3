// SPDX-License-Identifier: GPL-3.0-or-later
// Text and bytes inside pages of HTML.
#include "core/app/html.h"

#include "core/app/style.h"

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

void tal_html_begin(tal_text *page, const char *title) {
    tal_text_append(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<meta name=\"viewport\" content=\"width=device-width, "
                          "initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>");
    tal_html_append(page, title);
    tal_text_append(page, "</title>\n<style>\n");
    tal_text_append_bytes(page, (const char *)tal_style_page_css, tal_style_page_css_size);
    tal_text_append(page, "</style>\n");
}

void tal_html_begin_body(tal_text *page) {
    tal_text_append(page, "</head>\n<body>\n<div class=\"page\">\n");
}

void tal_html_end(tal_text *page) {
    tal_text_append(page, "</div>\n</body>\n</html>\n");
}
