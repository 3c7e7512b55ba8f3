// SPDX-License-Identifier: GPL-3.0-or-later
// The stages of a run.
#include "pipelines/engine/chain.h"

#include "core/base/text.h"

#include <string.h>

const tal_chain_link tal_chain[TAL_CHAIN_COUNT] = {
    [TAL_CHAIN_INGEST] = {"ingest", TAL_STAGE_INGEST, "stages/ingest"},
    [TAL_CHAIN_MESH] = {"mesh", TAL_STAGE_MESH, "stages/mesh"},
    [TAL_CHAIN_SOLVE] = {"solve", TAL_STAGE_SOLVE, "stages/solve"},
    [TAL_CHAIN_POST] = {"post", TAL_STAGE_POST, "runs"},
};

bool tal_setting_name_split(const char *name, char section[TAL_SETTING_TEXT_SIZE],
                            const char **key) {
    const char *dot = strrchr(name, '.');
    if (dot == NULL || (size_t)(dot - name) >= TAL_SETTING_TEXT_SIZE) {
        return false;
    }
    memcpy(section, name, (size_t)(dot - name));
    section[dot - name] = '\0';
    *key = dot + 1;
    return true;
}

bool tal_override_split(const char *text, tal_override *override) {
    char name[TAL_SETTING_TEXT_SIZE];
    const char *key = NULL, *equals = strchr(text, '=');
    if (equals == NULL || (size_t)(equals - text) >= sizeof name) {
        return false;
    }
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    override->value = equals + 1;
    return tal_setting_name_split(name, override->section, &key) &&
           tal_text_copy(override->key, sizeof override->key, key);
}

tal_status tal_override_apply(const char *text, tal_settings *settings, const char *where,
                              tal_error *err) {
    tal_override override;
    if (!tal_override_split(text, &override)) {
        return TAL_FAIL(err, TAL_BAD_SETTING, "%s: write SECTION.KEY=VALUE", text);
    }
    return tal_settings_set(settings, override.section, override.key, override.value, where, err);
}

tal_status tal_files_walk(const tal_settings *settings, unsigned stages, tal_files_visit *visit,
                          void *context, tal_error *err) {
    int count = 0;
    const tal_settings_section *sections = tal_settings_sections(&count);
    for (int i = 0; i < count; i++) {
        if ((sections[i].stages & stages) == 0 || sections[i].repeats) {
            continue; // no repeated section names files
        }
        for (int k = 0; k < sections[i].setting_count; k++) {
            const tal_setting *setting = &sections[i].settings[k];
            const char *value = (const char *)settings + sections[i].offset + setting->offset;
            if (setting->kind == TAL_KIND_FILES && value[0] != '\0') {
                TAL_TRY(visit(context, sections[i].name, setting, value, err));
            }
        }
    }
    return TAL_OK;
}
