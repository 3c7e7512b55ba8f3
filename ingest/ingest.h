// SPDX-License-Identifier: GPL-3.0-or-later
// The whole stage: from a site file to the results in a folder.
#ifndef TALUS_INGEST_INGEST_H
#define TALUS_INGEST_INGEST_H

#include "core/base/file.h"
#include "core/base/settings.h"
#include "core/base/status.h"

tal_status tal_ingest_run(const tal_settings *settings, const char *folder, tal_overwrite overwrite,
                          tal_error *err);

#endif
