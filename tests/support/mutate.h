// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzing by mutation: a good file made by our own writer, and edits that the fuzzer chooses. Every six
// bytes of its input are one edit: three of the place, one of the kind, two of the value.
#ifndef TALUS_TESTS_SUPPORT_MUTATE_H
#define TALUS_TESTS_SUPPORT_MUTATE_H

#include "core/base/file.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    char folder[256], path[TAL_PATH_SIZE]; // where each mutant is written
    char *seed, *bytes;
    size_t seed_length, length;
} mutant;

static inline void mutant_need(tal_status status, const tal_error *err) {
    if (status != TAL_OK) {
        fprintf(stderr, "the harness itself fails: %s\n", err->text);
        abort();
    }
}

// A folder of our own, and the path `name` in it, where the seed is to be written. In memory where there is such
// a file system: a file on a disk takes longer than most readers do.
static inline void mutant_begin(mutant *m, const char *name) {
    const char *base = getenv("TMPDIR");
    base = base != NULL ? base : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(m->folder, sizeof m->folder, "%s/talus-fuzz-XXXXXX", base);
    extern char *mkdtemp(char *);
    if (mkdtemp(m->folder) == NULL || !tal_path_join(m->path, m->folder, name)) {
        abort();
    }
}

static inline void mutant_take_seed(mutant *m) {
    tal_error err = {0};
    mutant_need(tal_file_read(m->path, &m->seed, &m->seed_length, &err), &err);
    m->bytes = tal_memory_create(m->seed_length + 1, 1);
}

// The seed with the edits of `data`, in m->bytes.
static inline void mutant_edit(mutant *m, const uint8_t *data, size_t size) {
    memcpy(m->bytes, m->seed, m->seed_length);
    m->length = m->seed_length;
    for (; size >= 6 && m->length >= 8; data += 6, size -= 6) {
        const size_t place = ((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % m->length;
        const size_t last = m->length - place < 8 ? m->length - 8 : place;
        switch (data[3] % 6) {
        case 0: // one byte
            m->bytes[place] = (char)data[4];
            break;
        case 1: // one bit
            m->bytes[place] = (char)(m->bytes[place] ^ (1 << (data[4] & 7)));
            break;
        case 2: // a number of two bytes
            memcpy(m->bytes + last, data + 4, 2);
            break;
        case 3: // ones or zeros
            memset(m->bytes + last, (data[4] & 1) != 0 ? 0xff : 0, (data[5] & 7) + 1u);
            break;
        case 4: // a piece from elsewhere
            memmove(m->bytes + last, m->bytes + (size_t)data[4] * 256 % (m->length - 7), 8);
            break;
        default: // cut short
            m->length = data[5] == 0 ? place : m->length;
        }
    }
}

// Another file of that name: HDF5 takes one that it still has open for the same.
static inline void mutant_renew(const mutant *m) {
    (void)unlink(m->path);
}

static inline void mutant_write(const mutant *m) {
    FILE *stream = fopen(m->path, "wb");
    if (stream == NULL || fwrite(m->bytes, 1, m->length, stream) != m->length ||
        fclose(stream) != 0) {
        abort();
    }
}

#endif
