// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them.
#include "postproc/report/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Narrow no-break spaces (U+202F) between groups of three, from five digits on.
static void group_digits(char out[TAL_NUMBER_SIZE], const char *digits) {
    const size_t length = strlen(digits);
    size_t used = 0;
    for (size_t i = 0; i < length && used + 4 < TAL_NUMBER_SIZE; i++) {
        if (i > 0 && length > 4 && (length - i) % 3 == 0) {
            memcpy(&out[used], "\xe2\x80\xaf", 3);
            used += 3;
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

const char *tal_number_format(char out[TAL_NUMBER_SIZE], double value) {
    return tal_number_format_digits(out, value, 3);
}

const char *tal_number_format_digits(char out[TAL_NUMBER_SIZE], double value, int digits) {
    if (!isfinite(value)) {
        return strcpy(out, "\xe2\x80\x93");
    }
    if (value == 0.0) {
        return strcpy(out, "0");
    }
    char plain[TAL_NUMBER_SIZE], grouped[TAL_NUMBER_SIZE];
    const double size = fabs(value);
    // The place of the first digit once the last one is rounded: 999.7 becomes 1000.
    const int order = (int)floor(log10(size * (1.0 + 0.5 * pow(10.0, -digits))));
    if (size >= 1e12 || size < 0.01) {
        (void)snprintf(grouped, sizeof grouped, "%.*g", size < 0.01 ? digits - 1 : digits, size);
    } else if (order >= digits) {
        const double unit = pow(10.0, order - digits + 1);
        (void)snprintf(plain, sizeof plain, "%.0f", round(size / unit) * unit);
        group_digits(grouped, plain);
    } else {
        const int decimals = digits - 1 - (order > -1 ? order : -1);
        (void)snprintf(plain, sizeof plain, "%.*f", decimals, size);
        if (decimals == 0) {
            group_digits(grouped, plain);
        } else {
            (void)snprintf(grouped, sizeof grouped, "%s", plain);
        }
    }
    (void)snprintf(out, TAL_NUMBER_SIZE, "%s%.40s", value < 0.0 ? "\xe2\x88\x92" : "", grouped);
    return out;
}

const char *tal_unit_pretty(const char *unit) {
    static const char *const PAIR[][2] = {
        {"1", ""}, {"m2", "m\xc2\xb2"}, {"m3", "m\xc2\xb3"}, {"m s-1", "m/s"}, {"%", "%"}};
    for (size_t i = 0; i < sizeof PAIR / sizeof *PAIR; i++) {
        if (strcmp(unit, PAIR[i][0]) == 0) {
            return PAIR[i][1];
        }
    }
    return unit;
}
