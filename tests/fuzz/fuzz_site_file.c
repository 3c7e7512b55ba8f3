// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a site file: refused or read, never a crash; what was read prints and reads back.
#define _GNU_SOURCE // memfd_create
#include "core/app/site_file.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_settings settings;
    static tal_error err;
    const int file = memfd_create("site", 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (write(file, data, size) != (ssize_t)size) {
        abort();
    }
    tal_settings_init(&settings);
    tal_error_reset(&err);
    if (tal_site_file_read(&settings, path, 0, &err) == TAL_OK) {
        if (err.message_count != 0) {
            abort();
        }
        tal_text text = {0};
        tal_settings_write(&settings, TAL_STAGE_ALL, TAL_SETTINGS_NOTES, &text);
        tal_text_destroy(&text);
    } else if (err.message_count == 0) {
        abort();
    }
    close(file);
    return 0;
}
