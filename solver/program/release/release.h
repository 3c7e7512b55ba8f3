// SPDX-License-Identifier: GPL-3.0-or-later
// A release from beginning to end: terrain.nc, blocks.nc and [release] become rocks.nc.
#ifndef TALUS_SOLVER_PROGRAM_RELEASE_RELEASE_H
#define TALUS_SOLVER_PROGRAM_RELEASE_RELEASE_H

#include "core/app/program.h"

tal_status tal_release_run(const tal_invocation *invocation, const char *program, bool resume,
                           tal_error *err);

#endif
