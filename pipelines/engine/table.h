// SPDX-License-Identifier: GPL-3.0-or-later
// A small table from short words to numbers: which keys are known, which input was hashed before.
#ifndef TALUS_PIPELINES_ENGINE_TABLE_H
#define TALUS_PIPELINES_ENGINE_TABLE_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *words; // all of them, each ended by '\0'
    size_t words_length, words_capacity;
    size_t *word; // start of each entry's word
    int64_t *value;
    size_t count, capacity;
    uint32_t *slot; // 1 + entry, 0: free
    size_t slot_count;
} tal_table; // starts as {0}

// The value of a word, or -1.
int64_t tal_table_find(const tal_table *table, const char *word);
// A new word; a known one gets the new value.
tal_status tal_table_set(tal_table *table, const char *word, int64_t value, tal_error *err);
void tal_table_destroy(tal_table *table);

#endif
