// SPDX-License-Identifier: GPL-3.0-or-later
// The site file (INI, by libinih): all mistakes of a file at once, each with its line.
#ifndef TALUS_CORE_APP_SITE_FILE_H
#define TALUS_CORE_APP_SITE_FILE_H

#include "core/base/settings.h"

// Reads on top of what `settings` holds. Files named in sections of `stages` must be there and
// readable; every mistake is added to `err`.
tal_status tal_site_file_read(tal_settings *settings, const char *path, unsigned stages,
                              tal_error *err);

// Adds one message per file of the FILES setting `section.key` that cannot be read.
tal_status tal_site_file_check_files(const tal_settings *settings, const char *section,
                                     const char *key, const char *where, tal_error *err);

// The line on which the site file sets `[section] key`; 0 where it does not, or without a site file.
int tal_site_file_find_line(const tal_settings *settings, const char *section, const char *key);

#endif
