// SPDX-License-Identifier: GPL-3.0-or-later
// The report's style sheet and scripts, built into the program from postproc/report/page.
#ifndef TALUS_POSTPROC_REPORT_PAGE_H
#define TALUS_POSTPROC_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char tal_page_report_css[], tal_page_replay_js[], tal_page_watch_js[];
extern const size_t tal_page_report_css_size, tal_page_replay_js_size, tal_page_watch_js_size;

#endif
