// SPDX-License-Identifier: GPL-3.0-or-later
// The site file (INI, by libinih): all mistakes of a file at once, each with its line.
#ifndef TALUS_CORE_APP_SITE_FILE_H
#define TALUS_CORE_APP_SITE_FILE_H

#include "core/settings.h"

// Reads on top of what `settings` holds. Paths of FILES settings are made relative to the folder of
// the site file.
tal_status tal_site_file_read(tal_settings *settings, const char *path, tal_error *err);

// Adds one message per file named in sections of `stages` that cannot be read.
tal_status tal_site_file_check_inputs(const tal_settings *settings, unsigned stages, tal_error *err);

#endif
