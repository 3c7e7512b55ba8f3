// SPDX-License-Identifier: GPL-3.0-or-later
// Planes as geologists give them.
#ifndef TALUS_CORE_GEOMETRY_DIP_H
#define TALUS_CORE_GEOMETRY_DIP_H

#include "core/base/math3.h"

// The upward normal of a plane that dips by `dip` towards `direction`, clockwise from north; east, north, up.
static inline tal_vec3 tal_dip_normal(double dip, double direction) {
    return tal_vec3_make(sin(dip) * sin(direction), sin(dip) * cos(direction), cos(dip));
}

#endif
