// SPDX-License-Identifier: GPL-3.0-or-later
// Sections [body.CLASS] and [break] against the rest of a site file.
#ifndef TALUS_CORE_APP_BODY_CHECK_H
#define TALUS_CORE_APP_BODY_CHECK_H

#include "core/base/settings.h"

// `names_are_known`: no layer or table can bring classes that the site file does not name.
void tal_body_check(const tal_settings *settings, bool names_are_known, tal_error *err);

#endif
