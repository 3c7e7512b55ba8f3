// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the report about stresses in blocks that deform.
#ifndef TALUS_POSTPROC_REPORT_REPORT_STRESS_H
#define TALUS_POSTPROC_REPORT_REPORT_STRESS_H

#include "core/base/text.h"
#include "postproc/measure/back_analysis.h"

// Nothing where all blocks are rigid.
void tal_report_append_stress(tal_text *text, const tal_back_analysis *analysis);

#endif
