// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them: the one way in which reports, pages and log lines write them.
#ifndef TALUS_CORE_APP_NUMBER_H
#define TALUS_CORE_APP_NUMBER_H

enum { TAL_NUMBER_SIZE = 48 };

// Three significant digits, thousands parted by narrow spaces, a true minus; an en dash for NaN.
// Powers of ten only below a millionth and from a billion billion on.
const char *tal_number_format(char out[TAL_NUMBER_SIZE], double value);
const char *tal_number_format_digits(char out[TAL_NUMBER_SIZE], double value, int digits);

// As many digits as the interval in which the value is known supports: two of its width, at most four
// of the value. Three where there is no interval.
const char *tal_number_format_within(char out[TAL_NUMBER_SIZE], double value, double low,
                                     double high);

// "m2" as "m²", "1" as "", "m s-1" as "m/s".
const char *tal_unit_pretty(const char *unit);

#endif
