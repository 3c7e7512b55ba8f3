// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that are given and change nothing, because another one is missing or says something else.
#ifndef TALUS_CORE_APP_IDLE_CHECK_H
#define TALUS_CORE_APP_IDLE_CHECK_H

#include "core/base/settings.h"

// Adds to `err` each setting of the site file or of --set that has no effect, with what it needs. Values that are the
// default are none, nor are those that --set or a [vary...] makes idle: who tries another law, or other blocks, keeps
// the numbers of the first.
void tal_idle_check(const tal_settings *settings, tal_error *err);

// Gives all that have no effect their default, so that the settings can be written as a site file of their own.
void tal_idle_reset(tal_settings *settings);

#endif
