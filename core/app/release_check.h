// SPDX-License-Identifier: GPL-3.0-or-later
// What can be wrong with [release], [barrier], [forest] and [target] before any file is opened.
#ifndef TALUS_CORE_APP_RELEASE_CHECK_H
#define TALUS_CORE_APP_RELEASE_CHECK_H

#include "core/base/distribution.h"
#include "core/base/settings.h"

// Adds every mistake to `err`, with its line.
void tal_release_check(const tal_settings *settings, tal_error *err);

bool tal_forest_is_given(const tal_forest_settings *forest);

// The distributions of a site file that was checked.
typedef struct {
    tal_distribution size, height, speed, direction, spin; // of a rock
    tal_distribution diameter;                             // of a stem, cm
    bool has_size, has_direction, has_diameter;
} tal_release_draws;
tal_status tal_release_draws_read(tal_release_draws *draws, const tal_settings *settings,
                                  tal_error *err);

// The closed segments ab and cd have a point in common: coordinates x, y.
bool tal_segments_meet(const double a[2], const double b[2], const double c[2], const double d[2]);

#endif
