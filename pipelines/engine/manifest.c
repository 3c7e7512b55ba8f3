// SPDX-License-Identifier: GPL-3.0-or-later
// manifest.json of a study.
#define _GNU_SOURCE // scandir
#include "pipelines/engine/manifest.h"

#include "core/app/json.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const NAME = "manifest.json";

static void add_item(cJSON *list, const char *site, const char *name, const char *sha256) {
    cJSON *item = cJSON_CreateObject();
    if (site != NULL) {
        cJSON_AddStringToObject(item, "site", site);
    }
    cJSON_AddStringToObject(item, "name", name);
    cJSON_AddStringToObject(item, "sha256", sha256);
    cJSON_AddItemToArray(list, item);
}

typedef struct {
    tal_study_folder *study;
    const tal_study_site *site;
    cJSON *list;
} input_adder;

static tal_status add_inputs(void *context, const char *section, const tal_setting *setting,
                             const char *value, tal_error *err) {
    const input_adder *adder = context;
    const char *cursor = value;
    char path[TAL_PATH_SIZE];
    (void)section;
    (void)setting;
    while (tal_settings_next_file(adder->site->settings, &cursor, path)) {
        const char *sha256 = "";
        TAL_TRY(tal_study_hash(adder->study, path, &sha256, err));
        add_item(adder->list, adder->site->name, tal_path_name(path), sha256);
    }
    return TAL_OK;
}

static int is_output(const struct dirent *entry) {
    const size_t length = strlen(entry->d_name);
    const bool is_part = length > 5 && strcmp(entry->d_name + length - 5, ".part") == 0;
    return entry->d_type == DT_REG && !is_part && strcmp(entry->d_name, NAME) != 0 ? 1 : 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static tal_status add_outputs(const tal_study_folder *study, cJSON *list, tal_error *err) {
    struct dirent **entry = NULL;
    const int count = scandir(study->path, &entry, is_output, compare_names);
    if (count < 0) {
        return TAL_FAIL(err, TAL_IO, "%s: cannot read the folder: %s", study->path,
                        strerror(errno));
    }
    tal_status status = TAL_OK;
    for (int i = 0; i < count; i++) {
        char path[TAL_PATH_SIZE], sha256[TAL_SHA256_TEXT_SIZE];
        if (status == TAL_OK) {
            status = tal_study_path(study, path, ".", entry[i]->d_name, err);
        }
        if (status == TAL_OK) {
            status = tal_sha256_file(path, sha256, err);
        }
        if (status == TAL_OK) {
            add_item(list, NULL, entry[i]->d_name, sha256);
        }
        free(entry[i]);
    }
    free(entry);
    return status;
}

tal_status tal_manifest_write(tal_study_folder *study, const tal_study_sites *sites,
                              const char *program, tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_study_path(study, path, ".", NAME, err));
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "program", program);
    cJSON_AddStringToObject(root, "version", tal_version);
    cJSON *programs = cJSON_AddArrayToObject(root, "programs");
    for (int stage = 0; stage < TAL_CHAIN_COUNT; stage++) {
        char name[64];
        snprintf(name, sizeof name, "talus-%s", tal_chain[stage].name);
        add_item(programs, NULL, name, study->program_sha256[stage]);
    }
    tal_status status = TAL_OK;
    input_adder adder = {.study = study, .list = cJSON_AddArrayToObject(root, "inputs")};
    for (int i = 0; i < sites->count && status == TAL_OK; i++) {
        adder.site = &sites->site[i];
        status =
            tal_files_walk(adder.site->settings, TAL_STAGE_ALL & ~(unsigned)TAL_STAGE_CALIBRATE,
                           add_inputs, &adder, err);
    }
    if (status == TAL_OK) {
        status = add_outputs(study, cJSON_AddArrayToObject(root, "outputs"), err);
    }
    if (status == TAL_OK) {
        status = tal_json_write(path, root, TAL_REPLACE, err);
    }
    cJSON_Delete(root);
    return status;
}
