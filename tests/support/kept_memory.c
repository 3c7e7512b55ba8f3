// SPDX-License-Identifier: GPL-3.0-or-later
// Large pieces of memory in fuzzers: the address sanitizer asks the system for each and gives it back, whose pages
// were half of the time that a site file takes. Some are kept instead, out of bounds until they are taken again.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { LARGE_BYTES = 1 << 17, PIECES_MAX = 16 };

void __asan_poison_memory_region(void const volatile *from, size_t bytes); // of the compiler
void __asan_unpoison_memory_region(void const volatile *from, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes); // of the C library
void __real_free(void *memory);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *memory);

// `address` is inverted while a piece is in use: the leak sanitizer must not find it here then.
static struct {
    uintptr_t address;
    size_t bytes;
    bool is_free;
} piece[PIECES_MAX];
static int piece_count;

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    for (int i = 0; i < piece_count && bytes >= LARGE_BYTES; i++) {
        if (piece[i].is_free && piece[i].bytes == bytes) {
            void *memory = (void *)piece[i].address;
            __asan_unpoison_memory_region(memory, bytes);
            piece[i].is_free = false;
            piece[i].address = ~piece[i].address;
            return memory;
        }
    }
    void *memory = __real_aligned_alloc(alignment, bytes);
    if (memory != NULL && bytes >= LARGE_BYTES && piece_count < PIECES_MAX) {
        piece[piece_count].bytes = bytes;
        piece[piece_count++].address = ~(uintptr_t)memory;
    }
    return memory;
}

void __wrap_free(void *memory) {
    for (int i = 0; i < piece_count; i++) {
        if (!piece[i].is_free && piece[i].address == ~(uintptr_t)memory) {
            __asan_poison_memory_region(memory, piece[i].bytes);
            piece[i].is_free = true;
            piece[i].address = (uintptr_t)memory;
            return;
        }
        if (piece[i].is_free && piece[i].address == (uintptr_t)memory && memory != NULL) {
            abort(); // freed twice
        }
    }
    __real_free(memory);
}
