// SPDX-License-Identifier: GPL-3.0-or-later
// Growing text, numbers from text, and the nearest known word.
#ifndef TALUS_CORE_BASE_TEXT_H
#define TALUS_CORE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Starts as {0}. When memory runs out `failed` is set and later appends do nothing, so that a
// caller checks once at the end.
typedef struct {
    char *bytes; // always ended by '\0' once anything was appended
    size_t length;
    size_t capacity;
    bool failed;
} tal_text;

void tal_text_append(tal_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tal_text_append_bytes(tal_text *text, const char *bytes, size_t length);
void tal_text_destroy(tal_text *text);
const char *tal_text_string(const tal_text *text); // "" when empty

// The shortest decimal that reads back as the same double.
void tal_text_append_real(tal_text *text, double value);

// The whole of `string` (but for surrounding blanks) as a number, in the C locale whatever the
// user's is; false if it is not one. "nan" and "inf" are numbers here: the caller decides.
bool tal_text_to_real(const char *string, double *value);
bool tal_text_to_integer(const char *string, int64_t *value);

// Copies; false (and an empty string) when it does not fit.
bool tal_text_copy(char *target, size_t size, const char *source);

// Number of edits between two words (insert, delete, replace, swap neighbours).
int tal_text_distance(const char *a, const char *b);

// The one of `words` (ended by NULL) nearest to `word`, or NULL when none is near.
const char *tal_text_nearest(const char *word, const char *const *words);

#endif
