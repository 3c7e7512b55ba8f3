// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them.
#include "core/app/number.h"

#include <math.h>
#include <stdbool.h>
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

// The power of ten of the first digit, once the last of `digits` is rounded: 999.7 becomes 1000.
static int order_of(double size, int digits) {
    return (int)floor(log10(size * (1.0 + 0.5 * pow(10.0, -digits))));
}

static void append_power(char out[TAL_NUMBER_SIZE], double size, int digits) {
    static const char *const SMALL[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    const int order = order_of(size, digits);
    char power[12];
    (void)snprintf(power, sizeof power, "%d", order < 0 ? -order : order);
    (void)snprintf(out, TAL_NUMBER_SIZE,
                   "%.*f\xc2\xa0\xc3\x97\xc2\xa0"
                   "10%s",
                   digits - 1, size / pow(10.0, order), order < 0 ? "\xe2\x81\xbb" : "");
    for (const char *digit = power; *digit != '\0'; digit++) {
        (void)strncat(out, SMALL[*digit - '0'], TAL_NUMBER_SIZE - 1 - strlen(out));
    }
}

// Rounded to the given power of ten.
static const char *format_place(char out[TAL_NUMBER_SIZE], double value, int place) {
    char plain[TAL_NUMBER_SIZE], grouped[TAL_NUMBER_SIZE];
    const double size = fabs(value);
    if (place >= 0) {
        const double unit = pow(10.0, place);
        (void)snprintf(plain, sizeof plain, "%.0f", round(size / unit) * unit);
        group_digits(grouped, plain);
    } else {
        (void)snprintf(grouped, sizeof grouped, "%.*f", -place, size);
    }
    const bool is_zero = strspn(grouped, "0.") == strlen(grouped);
    (void)snprintf(out, TAL_NUMBER_SIZE, "%s%.40s", value < 0.0 && !is_zero ? "\xe2\x88\x92" : "",
                   grouped);
    return out;
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
    const double size = fabs(value);
    if (size >= 1e18 || size < 1e-6) {
        char power[TAL_NUMBER_SIZE];
        append_power(power, size, size < 1.0 && digits > 1 ? digits - 1 : digits);
        (void)snprintf(out, TAL_NUMBER_SIZE, "%s%.40s", value < 0.0 ? "\xe2\x88\x92" : "", power);
        return out;
    }
    if (size < 0.01) { // a digit less: nobody means three of so small a number
        const int fewer = digits > 1 ? digits - 1 : digits;
        return format_place(out, value, order_of(size, fewer) - fewer + 1);
    }
    const int order = order_of(size, digits);
    return format_place(out, value, (order > -1 ? order : -1) - digits + 1);
}

const char *tal_number_format_within(char out[TAL_NUMBER_SIZE], double value, double low,
                                     double high) {
    const double width = high - low, size = fabs(value);
    if (!isfinite(value) || !isfinite(width) || !(width > 0.0) || size >= 1e18 || size < 1e-6) {
        return tal_number_format(out, value);
    }
    const int order = order_of(size, 4);
    int place = order_of(width, 2) - 1;
    place = place < order - 3 ? order - 3 : place;
    return format_place(out, value, place > order ? order : place);
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
