// SPDX-License-Identifier: GPL-3.0-or-later
// manifest.json of a study: SHA-256 of what it was made from and of what it wrote.
#ifndef TALUS_PIPELINES_ENGINE_MANIFEST_H
#define TALUS_PIPELINES_ENGINE_MANIFEST_H

#include "pipelines/engine/runner.h"

// Stage programs, the files that the sites name, and every file that lies in the study folder
// itself; each run has a finished.json of its own.
tal_status tal_manifest_write(tal_study_folder *study, const tal_study_sites *sites,
                              const char *program, tal_error *err);

#endif
