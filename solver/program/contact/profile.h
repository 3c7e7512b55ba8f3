// SPDX-License-Identifier: GPL-3.0-or-later
// Performance profiles (Dolan and More 2002): for each solver the share of problems it solves within a
// multiple of the best time.
#ifndef TALUS_SOLVER_PROGRAM_CONTACT_PROFILE_H
#define TALUS_SOLVER_PROGRAM_CONTACT_PROFILE_H

#include "core/base/file.h"

// seconds[problem * solver_count + solver], INFINITY: not solved. The figure is an SVG.
tal_status tal_profile_write(const char *path, tal_overwrite overwrite, int problem_count,
                             int solver_count, const char *const *solver_name,
                             const double *seconds, tal_error *err);

// The share of problems that `solver` solves within `multiple` of the best time.
double tal_profile_share(int problem_count, int solver_count, const double *seconds, int solver,
                         double multiple);

#endif
