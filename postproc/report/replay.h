// SPDX-License-Identifier: GPL-3.0-or-later
// The 3D replay inside the report: terrain, blocks and motion, thinned and quantised.
#ifndef TALUS_POSTPROC_REPORT_REPLAY_H
#define TALUS_POSTPROC_REPORT_REPLAY_H

#include "core/base/settings.h"
#include "core/base/text.h"
#include "postproc/measure/back_analysis.h"
#include "postproc/measure/ground_mesh.h"

// Appends one JSON object. Positions are 16-bit fractions of the scene's box, orientations 16-bit
// quaternions; frames are left out evenly until the motion takes at most [report] replay_mb as base64.
tal_status tal_replay_append(tal_text *text, const tal_back_analysis *analysis,
                             const tal_ground_mesh *ground, const tal_settings *settings,
                             tal_error *err);

#endif
