// SPDX-License-Identifier: GPL-3.0-or-later
// The site files of a study.
#include "core/app/site_file.h"
#include "core/memory.h"
#include "pipelines/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_site(tal_site *site, const char *path) {
    char folder[TAL_PATH_SIZE];
    snprintf(site->name, sizeof site->name, "%.200s", tal_path_name(path));
    char *dot = strrchr(site->name, '.');
    if (dot != NULL && dot != site->name) {
        *dot = '\0';
    }
    tal_path_folder(folder, path);
    if (strcmp(site->name, "site") == 0 && tal_path_name(folder)[0] != '.') {
        snprintf(site->name, sizeof site->name, "%.200s", tal_path_name(folder));
    }
}

static void make_names_unique(tal_sites *sites) {
    for (int i = 1; i < sites->count; i++) {
        int same = 0;
        for (int k = 0; k < i; k++) {
            same += strcmp(sites->site[i].name, sites->site[k].name) == 0 ? 1 : 0;
        }
        if (same > 0) {
            const size_t length = strlen(sites->site[i].name);
            snprintf(sites->site[i].name + length, sizeof sites->site[i].name - length, "-%d",
                     i + 1);
        }
    }
}

static const char *section_at(const tal_settings *settings, const tal_settings_section *section,
                              int k) {
    return (const char *)settings + section->offset + (size_t)k * section->size;
}

static int section_count(const tal_settings *settings, const tal_settings_section *section) {
    return section->repeats
               ? *(const int *)(const void *)((const char *)settings + section->count_offset)
               : 1;
}

// What the command line changed: settings that differ between the first file alone and as given.
typedef struct {
    const tal_settings *plain, *given;
    tal_settings *target;
    tal_error *err;
} change;

static const char *find_labelled(const tal_settings *settings, const tal_settings_section *section,
                                 const char *label) {
    for (int k = 0; k < section_count(settings, section); k++) {
        if (strcmp(section_at(settings, section, k), label) == 0) {
            return section_at(settings, section, k);
        }
    }
    return NULL;
}

static void apply_one(const change *c, const tal_settings_section *section, const char *given,
                      const tal_setting *setting) {
    const char *plain = find_labelled(c->plain, section, given);
    tal_text before = {0}, after = {0};
    if (plain != NULL) {
        tal_settings_value(plain, setting, &before);
    }
    tal_settings_value(given, setting, &after);
    const char *value = tal_text_string(&after);
    if (strcmp(tal_text_string(&before), value) != 0) {
        char name[TAL_SETTING_TEXT_SIZE];
        snprintf(name, sizeof name, "%s%s%s", section->name, given[0] != '\0' ? "." : "", given);
        (void)tal_settings_set(c->target, name, setting->key, value, "--set", c->err);
    }
    tal_text_destroy(&before);
    tal_text_destroy(&after);
}

static void apply_changes(const change *c) {
    int count = 0;
    const tal_settings_section *sections = tal_settings_sections(&count);
    for (int i = 0; i < count; i++) {
        if ((sections[i].stages & TAL_STAGE_CALIBRATE) != 0) {
            continue;
        }
        for (int k = 0; k < section_count(c->given, &sections[i]); k++) {
            for (int s = 0; s < sections[i].setting_count; s++) {
                apply_one(c, &sections[i], section_at(c->given, &sections[i], k),
                          &sections[i].settings[s]);
            }
        }
    }
}

static tal_status read_one(tal_site *site, const char *path, tal_error *err) {
    tal_error *one = NULL;
    TAL_CREATE(one, 1, "messages", err);
    tal_error_reset(one);
    tal_settings_init(site->settings);
    tal_status status = tal_file_check_readable(path, one);
    if (status != TAL_OK) {
        tal_error_add(err, TAL_BAD_USAGE, "%s", one->text);
    } else {
        status = tal_site_file_read(site->settings, path,
                                    TAL_STAGE_ALL & ~(unsigned)TAL_STAGE_CALIBRATE, err);
    }
    name_site(site, path);
    tal_memory_destroy(one);
    return status;
}

tal_status tal_sites_read(tal_sites *sites, const tal_invocation *invocation,
                          const char *const *paths, int path_count, tal_error *err) {
    TAL_CREATE(sites->site, (size_t)path_count + 1, "sites", err);
    for (int i = 0; i <= path_count; i++) {
        TAL_CREATE(sites->site[i].settings, 1, "the settings of a site", err);
        sites->count++;
    }
    *sites->site[0].settings = invocation->settings;
    name_site(&sites->site[0], invocation->settings.site_file);
    if (path_count == 0 || invocation->settings.site_file[0] == '\0') {
        return TAL_OK;
    }
    tal_site plain = {0};
    TAL_CREATE(plain.settings, 1, "the settings of a site", err);
    tal_status status = read_one(&plain, invocation->settings.site_file, err);
    for (int i = 1; i <= path_count; i++) {
        if (read_one(&sites->site[i], paths[i - 1], err) == TAL_OK) {
            apply_changes(&(change){.plain = plain.settings,
                                    .given = &invocation->settings,
                                    .target = sites->site[i].settings,
                                    .err = err});
        }
    }
    tal_memory_destroy(plain.settings);
    make_names_unique(sites);
    return status != TAL_OK ? status : err->message_count > 0 ? err->status : TAL_OK;
}

void tal_sites_destroy(tal_sites *sites) {
    for (int i = 0; i < sites->count; i++) {
        tal_memory_destroy(sites->site[i].settings);
    }
    tal_memory_destroy(sites->site);
    *sites = (tal_sites){0};
}
