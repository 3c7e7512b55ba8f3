// SPDX-License-Identifier: GPL-3.0-or-later
// What no single row of the settings table can see: settings that exclude one another, and names that
// must have been given elsewhere.
#ifndef TALUS_CORE_APP_SITE_CHECK_H
#define TALUS_CORE_APP_SITE_CHECK_H

#include "core/base/settings.h"

// Judges what was given since the last call (a site file, then --set: the later wins over the earlier)
// and settles it: a law in kg has no ratios and the other way round. Every mistake is added to `err`.
tal_status tal_site_check(tal_settings *settings, tal_error *err);

#endif
