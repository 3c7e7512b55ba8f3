// SPDX-License-Identifier: GPL-3.0-or-later
// Text and bytes inside pages of HTML.
#ifndef TALUS_CORE_APP_HTML_H
#define TALUS_CORE_APP_HTML_H

#include "core/base/text.h"

// Escapes & < > " and ', so that the text may stand anywhere, also inside quotes of either kind.
void tal_html_append(tal_text *page, const char *string);
void tal_html_append_base64(tal_text *page, const void *bytes, size_t count);

// The head of a page up to its open <head>, with the style that all pages share; the caller adds
// what is its own, and then begins the body. The body ends with tal_html_end.
void tal_html_begin(tal_text *page, const char *title);
void tal_html_begin_body(tal_text *page);
void tal_html_end(tal_text *page);

#endif
