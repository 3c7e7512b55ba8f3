// SPDX-License-Identifier: GPL-3.0-or-later
// The surface classes that polygon layers name, for what a site file says of them.
#ifndef TALUS_CORE_GEO_SURFACE_CLASSES_H
#define TALUS_CORE_GEO_SURFACE_CLASSES_H

#include "core/base/settings.h"

// Before any work: does every [pair] name classes of the site file or of its polygon layers? Tables of
// blocks, which bring names too, are left to the stage that reads them.
tal_status tal_surface_classes_check(const tal_settings *settings, tal_error *err);

#endif
