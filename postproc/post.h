// SPDX-License-Identifier: GPL-3.0-or-later
// The whole of post-processing: read, work out, write.
#ifndef TALUS_POSTPROC_POST_H
#define TALUS_POSTPROC_POST_H

#include "core/app/program.h"

tal_status tal_post_run(const tal_invocation *invocation, tal_error *err);

#endif
