// SPDX-License-Identifier: GPL-3.0-or-later
// core/app/page.css, built into the programs.
#ifndef TALUS_CORE_APP_STYLE_H
#define TALUS_CORE_APP_STYLE_H

#include <stddef.h>

extern const unsigned char tal_style_page_css[];
extern const size_t tal_style_page_css_size;

#endif
