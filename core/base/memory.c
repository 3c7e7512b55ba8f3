// SPDX-License-Identifier: GPL-3.0-or-later
// Heap memory with checked sizes.
#define _DEFAULT_SOURCE // madvise
#include "core/base/memory.h"

#include "core/base/fault.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64, LARGE = 1 << 20, COPIED_AT_ONCE = 1 << 24 };
_Static_assert(_Alignof(max_align_t) >= sizeof(void *), "there is room before what is aligned");

// The address sanitizer would take what an allocation is rounded up by for part of it, and miss whatever runs over
// its end by a few items.
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined HAS_ADDRESS_SANITIZER
void __asan_poison_memory_region(void const volatile *from, size_t bytes); // of the compiler
static void forbid(const char *from, size_t bytes) {
    __asan_poison_memory_region(from, bytes);
}
#else
static void forbid(const char *from, size_t bytes) {
    (void)from, (void)bytes;
}
#endif

bool tal_size_multiply(size_t count, size_t size, size_t *product) {
    return !__builtin_mul_overflow(count, size, product);
}

static size_t round_up(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// The C library would keep what is freed up to 32 MB for itself: 76 MB of holes in a fall of 100,000 blocks.
void tal_memory_begin(void) {
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, LARGE);
    (void)mallopt(M_TRIM_THRESHOLD, 32 * LARGE); // what is small is made again soon
#endif
}

void *tal_memory_create(size_t count, size_t size) {
    size_t bytes = 0;
    if (!tal_size_multiply(count, size, &bytes) || bytes > PTRDIFF_MAX - ALIGNMENT ||
        tal_fault_strikes(TAL_FAULT_ALLOCATION)) {
        return NULL;
    }
    const size_t rounded = round_up(bytes > 0 ? bytes : 1);
    char *whole = calloc(1, rounded + ALIGNMENT); // pages that nobody writes to take no memory
    if (whole == NULL) {
        return NULL;
    }
    char *memory = whole + ALIGNMENT - (uintptr_t)whole % ALIGNMENT;
    memcpy(memory - sizeof whole, &whole, sizeof whole); // for tal_memory_destroy
    forbid(memory + bytes, rounded - bytes);
    return memory;
}

// Of what is large, pages of the old place go back to the system as they are copied: both as a whole may be too much.
static void move_bytes(char *to, char *from, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        const size_t next = bytes - done < COPIED_AT_ONCE ? bytes - done : COPIED_AT_ONCE;
        memcpy(to + done, from + done, next);
        if (bytes > COPIED_AT_ONCE) {
            tal_memory_forget(from, done, next, 1);
        }
        done += next;
    }
}

void *tal_memory_grow(void *memory, size_t old_count, size_t count, size_t size) {
    void *larger = tal_memory_create(count, size);
    if (larger != NULL && memory != NULL) {
        move_bytes(larger, memory, (old_count < count ? old_count : count) * size);
        tal_memory_destroy(memory);
    }
    return larger;
}

void tal_memory_destroy(void *memory) {
    char *whole = NULL;
    if (memory != NULL) {
        memcpy(&whole, (char *)memory - sizeof whole, sizeof whole);
    }
    free(whole);
}

void tal_memory_forget(void *memory, size_t first, size_t count, size_t size) {
    if (memory == NULL || count == 0) {
        return;
    }
    char *from = (char *)memory + first * size, *end = from + count * size;
#ifdef TALUS_DEBUG
    memset(from, 0xff, (size_t)(end - from)); // not a number, and no index
#endif
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    from += (page - (uintptr_t)from % page) % page;
    if (from < end) {
        // Refused, it was of no use: the pages stay.
        (void)madvise(from, (size_t)(end - from) / page * page, MADV_DONTNEED);
    }
}

tal_status tal_memory_failed(tal_error *err, const char *what, size_t count, size_t size) {
    return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for %s: %zu items of %zu bytes", what, count,
                    size);
}
