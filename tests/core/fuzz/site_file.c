// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a site file: refused or read, never a crash; what was read prints and reads back.
#define _GNU_SOURCE // memfd_create
#include "core/app/site_file.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static tal_status read_bytes(tal_settings *settings, const void *data, size_t size,
                             tal_error *err) {
    const int file = memfd_create("site", 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (write(file, data, size) != (ssize_t)size) {
        abort();
    }
    tal_settings_init(settings);
    tal_error_reset(err);
    const tal_status status = tal_site_file_read(settings, path, 0, err);
    close(file);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_settings settings;
    static tal_error err;
    const tal_status status = read_bytes(&settings, data, size, &err);
    if ((status == TAL_OK) != (err.message_count == 0)) {
        abort();
    }
    if (status != TAL_OK) {
        return 0;
    }
    tal_text text = {0}, again = {0};
    tal_settings_write(&settings, TAL_STAGE_ALL, TAL_SETTINGS_NOTES, &text);
    if (read_bytes(&settings, text.bytes, text.length, &err) != TAL_OK) {
        abort();
    }
    tal_settings_write(&settings, TAL_STAGE_ALL, TAL_SETTINGS_NOTES, &again);
    if (strcmp(text.bytes, again.bytes) != 0) {
        abort();
    }
    tal_text_destroy(&text);
    tal_text_destroy(&again);
    return 0;
}
