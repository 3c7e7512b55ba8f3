// SPDX-License-Identifier: GPL-3.0-or-later
// A small table from short words to numbers: open addressing, at most half full.
#include "pipelines/engine/table.h"

#include "core/base/memory.h"

#include <string.h>

static uint64_t hash_word(const char *word) {
    uint64_t hash = 1469598103934665603u; // FNV-1a
    for (; *word != '\0'; word++) {
        hash = (hash ^ (unsigned char)*word) * 1099511628211u;
    }
    return hash ^ (hash >> 29);
}

// The slot that holds the word, or the free one where it belongs.
static size_t find_slot(const tal_table *table, const char *word) {
    size_t i = (size_t)hash_word(word) & (table->slot_count - 1);
    while (table->slot[i] != 0 &&
           strcmp(table->words + table->word[table->slot[i] - 1], word) != 0) {
        i = (i + 1) & (table->slot_count - 1);
    }
    return i;
}

int64_t tal_table_find(const tal_table *table, const char *word) {
    if (table->slot_count == 0) {
        return -1;
    }
    const uint32_t entry = table->slot[find_slot(table, word)];
    return entry != 0 ? table->value[entry - 1] : -1;
}

static tal_status grow_slots(tal_table *table, tal_error *err) {
    const size_t old_count = table->slot_count, count = old_count > 0 ? 2 * old_count : 64;
    uint32_t *slot = NULL;
    TAL_CREATE(slot, count, "a table of keys", err);
    tal_memory_destroy(table->slot);
    table->slot = slot;
    table->slot_count = count;
    for (size_t i = 0; i < table->count; i++) {
        table->slot[find_slot(table, table->words + table->word[i])] = (uint32_t)i + 1;
    }
    return TAL_OK;
}

static tal_status reserve(tal_table *table, size_t word_length, tal_error *err) {
    if (table->count == table->capacity) {
        const size_t capacity = table->capacity > 0 ? 2 * table->capacity : 32;
        TAL_GROW(table->word, table->count, capacity, "a table of keys", err);
        TAL_GROW(table->value, table->count, capacity, "a table of keys", err);
        table->capacity = capacity;
    }
    const size_t needed = table->words_length + word_length + 1;
    if (needed > table->words_capacity) {
        const size_t capacity = 2 * needed + 1024;
        char *words = tal_memory_grow(table->words, table->words_length, capacity, 1);
        if (words == NULL) {
            return tal_memory_failed(err, "a table of keys", capacity, 1);
        }
        table->words = words;
        table->words_capacity = capacity;
    }
    return 2 * (table->count + 1) > table->slot_count ? grow_slots(table, err) : TAL_OK;
}

tal_status tal_table_set(tal_table *table, const char *word, int64_t value, tal_error *err) {
    const size_t length = strlen(word);
    TAL_TRY(reserve(table, length, err));
    const size_t slot = find_slot(table, word);
    if (table->slot[slot] != 0) {
        table->value[table->slot[slot] - 1] = value;
        return TAL_OK;
    }
    memcpy(table->words + table->words_length, word, length + 1);
    table->word[table->count] = table->words_length;
    table->value[table->count] = value;
    table->words_length += length + 1;
    table->slot[slot] = (uint32_t)++table->count;
    return TAL_OK;
}

void tal_table_destroy(tal_table *table) {
    tal_memory_destroy(table->words);
    tal_memory_destroy(table->word);
    tal_memory_destroy(table->value);
    tal_memory_destroy(table->slot);
    *table = (tal_table){0};
}
