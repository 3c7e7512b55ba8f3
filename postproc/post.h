// SPDX-License-Identifier: GPL-3.0-or-later
// The whole of post-processing: read, work out, write.
#ifndef TALUS_POSTPROC_POST_H
#define TALUS_POSTPROC_POST_H

#include "core/app/program.h"

// The further runs that [report] sensitivity asks for, to stdout (postproc/measure/variant.h).
tal_status tal_post_print_variants(const tal_invocation *invocation, tal_error *err);
tal_status tal_post_run(const tal_invocation *invocation, bool with_film, tal_error *err);

#endif
