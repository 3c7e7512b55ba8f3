// SPDX-License-Identifier: GPL-3.0-or-later
// What a page is called: the title of the site file, or the name that tells the place.
#ifndef TALUS_CORE_APP_TITLE_H
#define TALUS_CORE_APP_TITLE_H

#include "core/base/settings.h"

#include <stddef.h>

void tal_title_find(const tal_settings *settings, char *title, size_t size);

#endif
