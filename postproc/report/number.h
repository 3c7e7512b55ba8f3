// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them.
#ifndef TALUS_POSTPROC_REPORT_NUMBER_H
#define TALUS_POSTPROC_REPORT_NUMBER_H

#include "core/app/html.h"

enum { TAL_NUMBER_SIZE = 48 };

// Three significant digits, thousands parted by narrow spaces, a true minus; an en dash for NaN.
const char *tal_number_format(char out[TAL_NUMBER_SIZE], double value);
const char *tal_number_format_digits(char out[TAL_NUMBER_SIZE], double value, int digits);
// "m2" as "m²", "1" as "", "m s-1" as "m/s".
const char *tal_unit_pretty(const char *unit);

#endif
