// SPDX-License-Identifier: GPL-3.0-or-later
// The section of the report that holds the 3D replay, and the scripts and data behind it.
#ifndef TALUS_POSTPROC_REPORT_REPORT_REPLAY_H
#define TALUS_POSTPROC_REPORT_REPORT_REPLAY_H

#include "core/base/settings.h"
#include "core/base/text.h"
#include "postproc/measure/back_analysis.h"
#include "postproc/measure/ground_mesh.h"

// The picture and its controls.
void tal_report_replay_append_frame(tal_text *text, const tal_back_analysis *analysis,
                                    const tal_settings *settings);
// What the scripts of the page read, and the scripts.
tal_status tal_report_replay_append_data(tal_text *text, const tal_back_analysis *analysis,
                                         const tal_ground_mesh *ground,
                                         const tal_settings *settings, tal_error *err);

#endif
