// SPDX-License-Identifier: GPL-3.0-or-later
// A file of checksummed records, appended as things happen. A kill leaves at most one torn record at the
// end. Byte order is that of the machine: such files do not travel.
#ifndef TALUS_SOLVER_PROGRAM_RECORDS_H
#define TALUS_SOLVER_PROGRAM_RECORDS_H

#include "core/base/file.h"

#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *stream;
    char path[TAL_PATH_SIZE];
    uint32_t kind, length; // of the record last read
    unsigned char *buffer; // and its payload
    size_t buffer_size;
    size_t length_max; // a longer record is a torn one
} tal_records;

// `mode` as for fopen.
tal_status tal_records_open(tal_records *records, const char *path, const char *mode,
                            size_t length_max, tal_error *err);
void tal_records_close(tal_records *records);

tal_status tal_records_add(tal_records *records, uint32_t kind, const void *payload, size_t length,
                           tal_error *err);
// What was added so far reaches the disk.
tal_status tal_records_sync(tal_records *records, tal_error *err);

// The next record; false at the end or at a torn one.
bool tal_records_read(tal_records *records);
tal_status tal_records_rewind(tal_records *records, tal_error *err);
int64_t tal_records_place(tal_records *records);
// Drops what follows `place` and goes on from there.
tal_status tal_records_cut(tal_records *records, int64_t place, tal_error *err);
// Behind the last record.
tal_status tal_records_go_to_end(tal_records *records, tal_error *err);

#endif
