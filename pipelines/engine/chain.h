// SPDX-License-Identifier: GPL-3.0-or-later
// The stages of a run, in order: what each is called, which settings it reads, where a study keeps
// its results.
#ifndef TALUS_PIPELINES_ENGINE_CHAIN_H
#define TALUS_PIPELINES_ENGINE_CHAIN_H

#include "core/base/settings.h"

typedef enum {
    TAL_CHAIN_INGEST,
    TAL_CHAIN_MESH,
    TAL_CHAIN_SOLVE,
    TAL_CHAIN_POST,
    TAL_CHAIN_COUNT
} tal_chain_stage;

typedef struct {
    const char *name;   // "mesh": the program is talus-mesh
    unsigned stages;    // its settings
    const char *folder; // of finished results, below the study
} tal_chain_link;

extern const tal_chain_link tal_chain[TAL_CHAIN_COUNT];

// "contact.friction" as section and key: the last dot parts them.
bool tal_setting_name_split(const char *name, char section[TAL_SETTING_TEXT_SIZE],
                            const char **key);
// "contact.friction=0.5" as section, key and value; false when it is not of this form.
typedef struct {
    char section[TAL_SETTING_TEXT_SIZE];
    char key[TAL_SETTING_TEXT_SIZE];
    const char *value;
} tal_override;
bool tal_override_split(const char *text, tal_override *override);
// Sets it; `where` says whose it is in a message.
tal_status tal_override_apply(const char *text, tal_settings *settings, const char *where,
                              tal_error *err);

// Calls `visit` for every FILES setting of the sections of `stages` that names a file.
typedef tal_status tal_files_visit(void *context, const char *section, const tal_setting *setting,
                                   const char *value, tal_error *err);
tal_status tal_files_walk(const tal_settings *settings, unsigned stages, tal_files_visit *visit,
                          void *context, tal_error *err);

#endif
