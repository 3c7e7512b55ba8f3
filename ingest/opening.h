// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that can be seen of a study before its points are read: settings that do not fit
// together, files, coordinate systems, units, outlines. All mistakes at once.
#ifndef TALUS_INGEST_OPENING_H
#define TALUS_INGEST_OPENING_H

#include "ingest/compare/comparison.h"

tal_status tal_case_open(tal_case *site, const tal_settings *settings, tal_error *err);
void tal_case_close(tal_case *site);

#endif
