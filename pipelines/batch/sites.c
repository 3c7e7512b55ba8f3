// SPDX-License-Identifier: GPL-3.0-or-later
// The site files of a study.
#include "core/app/idle_check.h"
#include "core/app/site_check.h"
#include "core/app/site_file.h"
#include "core/base/memory.h"
#include "pipelines/engine/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_site(tal_study_site *site, const char *path) {
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

static bool is_taken(const tal_study_sites *sites, int site) {
    for (int k = 0; k < site; k++) {
        if (strcmp(sites->site[site].name, sites->site[k].name) == 0) {
            return true;
        }
    }
    return false;
}

static void make_names_unique(tal_study_sites *sites) {
    for (int i = 1; i < sites->count; i++) {
        char *name = sites->site[i].name;
        const size_t length = strlen(name);
        for (int number = i + 1; is_taken(sites, i); number++) {
            snprintf(name + length, sizeof sites->site[i].name - length, "-%d", number);
        }
    }
}

// What the command line says holds for every site; how to calibrate is said once, by the first.
static void apply_sets(tal_settings *settings, const tal_invocation *invocation, tal_error *err) {
    for (int i = 0; i < invocation->set_count; i++) {
        tal_override override;
        if (tal_override_split(invocation->set[i], &override) &&
            (tal_settings_find_section(override.section)->stages & TAL_STAGE_CALIBRATE) == 0) {
            (void)tal_override_apply(invocation->set[i], settings, "--set", err);
        }
    }
}

static tal_status read_one(tal_study_site *site, const char *path, tal_error *err) {
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

tal_status tal_study_sites_read(tal_study_sites *sites, const tal_invocation *invocation,
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
    for (int i = 1; i <= path_count; i++) {
        if (read_one(&sites->site[i], paths[i - 1], err) == TAL_OK) {
            apply_sets(sites->site[i].settings, invocation, err);
            if (tal_site_check(sites->site[i].settings, err) == TAL_OK) {
                tal_idle_check(sites->site[i].settings, err);
            }
        }
    }
    make_names_unique(sites);
    return err->message_count > 0 ? err->status : TAL_OK;
}

void tal_study_sites_destroy(tal_study_sites *sites) {
    for (int i = 0; i < sites->count; i++) {
        tal_memory_destroy(sites->site[i].settings);
    }
    tal_memory_destroy(sites->site);
    *sites = (tal_study_sites){0};
}
