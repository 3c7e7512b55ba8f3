// SPDX-License-Identifier: GPL-3.0-or-later
// Performance profiles (Dolan and More 2002): for each solver the share of problems it solves within a
// multiple of the best time, of those that it was tried on.
#ifndef TALUS_SOLVER_PROGRAM_CONTACT_PROFILE_H
#define TALUS_SOLVER_PROGRAM_CONTACT_PROFILE_H

#include "core/base/file.h"

// seconds[problem * solver_count + solver], INFINITY: not solved, NAN: not tried. The figure is an SVG, of
// the solvers that were tried at all.
tal_status tal_profile_write(const char *path, tal_overwrite overwrite, int problem_count,
                             int solver_count, const char *const *solver_name,
                             const double *seconds, tal_error *err);

// How many problems `solver` was tried on.
int tal_profile_tried(int problem_count, int solver_count, const double *seconds, int solver);

// The share of problems that `solver` solves within `multiple` of the best time.
double tal_profile_share(int problem_count, int solver_count, const double *seconds, int solver,
                         double multiple);

#endif
