// SPDX-License-Identifier: GPL-3.0-or-later
// Growing text, numbers from text, and the nearest known word.
#include "core/base/text.h"

#include "core/base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISTANCE_WORD_MAX = 63 };

static bool text_reserve(tal_text *text, size_t more) {
    if (text->failed || more > PTRDIFF_MAX - text->length - 1) {
        text->failed = true;
        return false;
    }
    const size_t needed = text->length + more + 1;
    if (needed <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity > 0 ? text->capacity : 256;
    while (capacity < needed) {
        capacity *= 2;
    }
    char *bytes = tal_memory_grow(text->bytes, text->length, capacity, 1);
    if (bytes == NULL) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void tal_text_append_bytes(tal_text *text, const char *bytes, size_t length) {
    if (text_reserve(text, length)) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
        text->bytes[text->length] = '\0';
    }
}

// Formatted once where it is short, as nearly always.
void tal_text_append(tal_text *text, const char *format, ...) {
    enum { SHORT = 120 };
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int length = text_reserve(text, SHORT)
                           ? vsnprintf(text->bytes + text->length, SHORT + 1, format, list)
                           : -1;
    if (length > SHORT && text_reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
    }
    text->failed = text->failed || length < 0;
    text->length += text->failed ? 0 : (size_t)length;
    if (text->bytes != NULL) {
        text->bytes[text->length] = '\0'; // also behind what was cut off
    }
    va_end(again);
    va_end(list);
}

void tal_text_destroy(tal_text *text) {
    tal_memory_destroy(text->bytes);
    *text = (tal_text){0};
}

const char *tal_text_string(const tal_text *text) {
    return text->bytes != NULL ? text->bytes : "";
}

// With an exponent only where a plain number would be long: 700000 and 0.0005, but 1e+20.
void tal_text_append_real(tal_text *text, double value) {
    const double size = fabs(value);
    const bool is_plain = value == 0.0 || (size >= 1e-4 && size < 1e15);
    char shortest[40];
    for (int digits = is_plain ? 0 : 1; digits <= 20; digits++) {
        snprintf(shortest, sizeof shortest, is_plain ? "%.*f" : "%.*g", digits, value);
        if (strtod(shortest, NULL) == value) {
            break;
        }
    }
    tal_text_append_bytes(text, shortest, strlen(shortest));
}

static bool only_blanks(const char *string) {
    while (isspace((unsigned char)*string)) {
        string++;
    }
    return *string == '\0';
}

bool tal_text_to_real(const char *string, double *value) {
    // Programs never call setlocale for numbers, so strtod reads points, not commas. Hexadecimal
    // floats are a surprise in a site file and are refused.
    if (strpbrk(string, "xX") != NULL) {
        return false;
    }
    char *end = NULL;
    const double number = strtod(string, &end);
    if (end == string || !only_blanks(end)) {
        return false;
    }
    *value = number;
    return true;
}

bool tal_text_to_integer(const char *string, int64_t *value) {
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(string, &end, 10);
    if (end == string || !only_blanks(end) || errno == ERANGE) {
        return false;
    }
    *value = number;
    return true;
}

bool tal_text_copy(char *target, size_t size, const char *source) {
    const size_t length = strlen(source);
    if (length >= size) {
        target[0] = '\0';
        return false;
    }
    memcpy(target, source, length + 1);
    return true;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

int tal_text_distance(const char *a, const char *b) {
    const size_t a_full = strlen(a), b_full = strlen(b);
    const int a_length = (int)(a_full < DISTANCE_WORD_MAX ? a_full : DISTANCE_WORD_MAX);
    const int b_length = (int)(b_full < DISTANCE_WORD_MAX ? b_full : DISTANCE_WORD_MAX);
    // Three rows of the Damerau-Levenshtein table (restricted: no edits between swapped letters).
    int rows[3][DISTANCE_WORD_MAX + 1];
    int *previous = rows[0], *current = rows[1], *before = rows[2];
    for (int j = 0; j <= b_length; j++) {
        previous[j] = j;
    }
    for (int i = 1; i <= a_length; i++) {
        current[0] = i;
        for (int j = 1; j <= b_length; j++) {
            const int replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = least(replaced, least(previous[j], current[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = least(current[j], before[j - 2] + 1);
            }
        }
        int *oldest = before;
        before = previous;
        previous = current;
        current = oldest;
    }
    return previous[b_length];
}

const char *tal_text_nearest(const char *word, const char *const *words) {
    const char *nearest = NULL;
    const int length = (int)strlen(word);
    int best = length / 3 + 2; // farther away is not a misspelling
    for (; *words != NULL; words++) {
        const bool begins = length >= 4 && strncmp(word, *words, strlen(word)) == 0;
        const int distance = begins ? 1 : tal_text_distance(word, *words);
        if (distance < best) {
            best = distance;
            nearest = *words;
        }
    }
    return nearest;
}
