// SPDX-License-Identifier: GPL-3.0-or-later
// What no single row of the settings table can see: settings that exclude one another, and names that
// must have been given elsewhere.
#ifndef TALUS_CORE_APP_SITE_CHECK_H
#define TALUS_CORE_APP_SITE_CHECK_H

#include "core/base/settings.h"

#include <stdbool.h>

// Judges what was given since the last call (a site file, then --set: the later wins over the earlier)
// and settles it: a law in kg has no ratios and the other way round. Every mistake is added to `err`.
tal_status tal_site_check(tal_settings *settings, tal_error *err);

// Is it a surface class that the site file itself names?
bool tal_site_names_class(const tal_settings *settings, const char *name, size_t length);

// Do the files of surface classes that end like this hold whole numbers? Else they hold polygons.
bool tal_is_class_raster(const char *path);

// Adds the complaint that a pair does not name two surface classes; `more` are names found in layers.
void tal_site_refuse_pair(const tal_settings *settings, const tal_pair_settings *pair,
                          const char *more, tal_error *err);

// Is there a source to divide into blocks? Imported rocks and forms come without.
bool tal_site_has_source(const tal_settings *settings);

#endif
