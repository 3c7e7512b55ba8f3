// SPDX-License-Identifier: GPL-3.0-or-later
// The stages of a run.
#include "pipelines/engine/chain.h"

#include "core/base/text.h"

#include <stdio.h>
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

static tal_status walk_section(const tal_settings_section *section, const char *name,
                               const char *values, tal_files_visit *visit, void *context,
                               tal_error *err) {
    for (int k = 0; k < section->setting_count; k++) {
        const tal_setting *setting = &section->settings[k];
        const char *value = values + setting->offset;
        if (setting->kind == TAL_KIND_FILES && value[0] != '\0') {
            TAL_TRY(visit(context, name, setting, value, err));
        }
    }
    return TAL_OK;
}

tal_status tal_files_walk(const tal_settings *settings, unsigned stages, tal_files_visit *visit,
                          void *context, tal_error *err) {
    int count = 0;
    const tal_settings_section *sections = tal_settings_sections(&count);
    for (int i = 0; i < count; i++) {
        const char *values = (const char *)settings + sections[i].offset;
        char name[TAL_SETTING_TEXT_SIZE];
        int copies = 1;
        if ((sections[i].stages & stages) == 0) {
            continue;
        }
        if (sections[i].repeats) {
            memcpy(&copies, (const char *)settings + sections[i].count_offset, sizeof copies);
        }
        for (int n = 0; n < copies; n++, values += sections[i].size) {
            // The struct of a section begins with its label.
            (void)snprintf(name, sizeof name, "%s%s%s", sections[i].name,
                           values[0] != '\0' ? "." : "", values);
            TAL_TRY(walk_section(&sections[i], name, values, visit, context, err));
        }
    }
    return TAL_OK;
}
