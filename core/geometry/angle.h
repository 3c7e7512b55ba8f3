// SPDX-License-Identifier: GPL-3.0-or-later
// Pi, and degrees as people write them against radians as the code uses them.
#ifndef TALUS_CORE_GEOMETRY_ANGLE_H
#define TALUS_CORE_GEOMETRY_ANGLE_H

#define TAL_PI 3.14159265358979323846

static inline double tal_radians(double degrees) {
    return degrees * TAL_PI / 180.0;
}

static inline double tal_degrees(double radians) {
    return radians * 180.0 / TAL_PI;
}

#endif
