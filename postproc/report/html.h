// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of HTML: escaped text and numbers as people read them.
#ifndef TALUS_POSTPROC_REPORT_HTML_H
#define TALUS_POSTPROC_REPORT_HTML_H

#include "core/base/text.h"

enum { TAL_NUMBER_SIZE = 48 };

void tal_html_append(tal_text *text, const char *string); // &, <, >, " escaped
// Three significant digits, thousands parted by narrow spaces, a true minus; an en dash for NaN.
const char *tal_number_format(char out[TAL_NUMBER_SIZE], double value);
const char *tal_number_format_digits(char out[TAL_NUMBER_SIZE], double value, int digits);
// "m2" as "m²", "1" as "", "m s-1" as "m/s".
const char *tal_unit_pretty(const char *unit);

#endif
