// SPDX-License-Identifier: GPL-3.0-or-later
// The photograph of the ground that [report] image names, for the replay.
#ifndef TALUS_POSTPROC_REPORT_PHOTO_H
#define TALUS_POSTPROC_REPORT_PHOTO_H

#include "core/base/settings.h"
#include "core/base/text.h"
#include "postproc/measure/back_analysis.h"

// Appends the photograph over the study's grid to the JSON of the replay, and the colour it has over
// the source, which fresh rock takes; nothing where no image is named.
tal_status tal_photo_append(tal_text *text, const tal_back_analysis *analysis,
                            const tal_settings *settings, tal_error *err);

#endif
