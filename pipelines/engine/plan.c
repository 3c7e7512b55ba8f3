// SPDX-License-Identifier: GPL-3.0-or-later
// What is to be done in a study.
#define _GNU_SOURCE // realpath
#include "pipelines/engine/plan.h"

#include "core/app/json.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tal_status reserve(tal_plan *plan, tal_error *err) {
    if (plan->count < plan->capacity) {
        return TAL_OK;
    }
    const int capacity = plan->capacity > 0 ? 2 * plan->capacity : 64;
    TAL_GROW(plan->job, (size_t)plan->count, (size_t)capacity, "the jobs of a study", err);
    plan->capacity = capacity;
    return TAL_OK;
}

static void job_name(char name[64], tal_chain_stage stage, const char *key) {
    snprintf(name, 64, "%s %s", tal_chain[stage].name, key);
}

// Appends a job and owns `arguments` from then on.
static tal_status append_job(tal_plan *plan, const tal_job *job, tal_error *err) {
    char name[64];
    TAL_TRY(reserve(plan, err));
    job_name(name, job->stage, job->key);
    TAL_TRY(tal_table_set(&plan->index, name, plan->count, err));
    plan->job[plan->count++] = *job;
    return TAL_OK;
}

// --- arguments of a stage program ---

typedef struct {
    const tal_settings *settings;
    tal_text *text;
} argument_maker;

// Files by their whole paths: the site file that is kept lies elsewhere.
static tal_status add_files(void *context, const char *section, const tal_setting *setting,
                            const char *value, tal_error *err) {
    const argument_maker *maker = context;
    const char *cursor = value;
    char path[TAL_PATH_SIZE], real[TAL_PATH_SIZE];
    tal_text_append(maker->text, "%s.%s=", section, setting->key);
    while (tal_settings_next_file(maker->settings, &cursor, path)) {
        if (realpath(path, real) == NULL) {
            return TAL_FAIL(err, TAL_NOT_FOUND, "%s no longer exists", path);
        }
        tal_text_append(maker->text, "%s\n", real);
    }
    tal_text_append(maker->text, "%c", TAL_ARGUMENT_END);
    return TAL_OK;
}

static bool is_for_stage(const char *text, tal_chain_stage stage) {
    tal_override override;
    if (!tal_override_split(text, &override)) {
        return false;
    }
    const tal_settings_section *found = tal_settings_find_section(override.section);
    const tal_setting *setting = tal_settings_find(override.section, override.key);
    return found != NULL && setting != NULL && setting->kind != TAL_KIND_FILES &&
           (found->stages & tal_chain[stage].stages) != 0;
}

static tal_status make_arguments(tal_chain_stage stage, const char *site,
                                 const tal_settings *settings, const char *const *overrides,
                                 int override_count, char **arguments, tal_error *err) {
    tal_text text = {0};
    argument_maker maker = {.settings = settings, .text = &text};
    tal_text_append(&text, "%s%c", site, TAL_ARGUMENT_END);
    tal_status status = tal_files_walk(settings, tal_chain[stage].stages, add_files, &maker, err);
    for (int i = 0; i < override_count; i++) {
        if (is_for_stage(overrides[i], stage)) {
            tal_text_append(&text, "%s%c", overrides[i], TAL_ARGUMENT_END);
        }
    }
    if (status == TAL_OK && text.failed) {
        status = TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the arguments of a job");
    }
    if (status != TAL_OK) {
        tal_text_destroy(&text);
        return status;
    }
    *arguments = text.bytes;
    return TAL_OK;
}

tal_status tal_plan_add_run(tal_plan *plan, const tal_study_folder *study, const char *site,
                            const tal_settings *settings, const char *const *overrides,
                            int override_count, const tal_run_keys *keys, tal_error *err) {
    // From the end: what is finished needs nothing of what it was made from.
    int first = TAL_CHAIN_COUNT;
    while (first > 0 &&
           !tal_study_is_finished(study, (tal_chain_stage)(first - 1), keys->text[first - 1])) {
        first--;
    }
    int parent = -1;
    for (int stage = first; stage < TAL_CHAIN_COUNT; stage++) {
        char name[64];
        job_name(name, (tal_chain_stage)stage, keys->text[stage]);
        const int64_t known = tal_table_find(&plan->index, name);
        if (known >= 0) {
            parent = (int)known;
            continue;
        }
        tal_job job = {.stage = (tal_chain_stage)stage, .parent = parent};
        memcpy(job.key, keys->text[stage], TAL_KEY_SIZE);
        if (stage > 0) {
            memcpy(job.parent_key, keys->text[stage - 1], TAL_KEY_SIZE);
        }
        TAL_TRY(make_arguments(job.stage, site, settings, overrides, override_count, &job.arguments,
                               err));
        const tal_status status = append_job(plan, &job, err);
        if (status != TAL_OK) {
            tal_memory_destroy(job.arguments);
            return status;
        }
        parent = plan->count - 1;
    }
    return TAL_OK;
}

void tal_plan_destroy(tal_plan *plan) {
    for (int i = 0; i < plan->count; i++) {
        tal_memory_destroy(plan->job[i].arguments);
    }
    tal_memory_destroy(plan->job);
    tal_table_destroy(&plan->index);
    *plan = (tal_plan){0};
}

// --- as a file ---

tal_status tal_plan_write(const tal_plan *plan, const char *path, tal_error *err) {
    cJSON *root = cJSON_CreateArray();
    for (int i = 0; i < plan->count; i++) {
        const tal_job *job = &plan->job[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "stage", tal_chain[job->stage].name);
        cJSON_AddStringToObject(item, "key", job->key);
        cJSON_AddStringToObject(item, "after", job->parent_key);
        cJSON_AddNumberToObject(item, "parent", job->parent);
        cJSON_AddStringToObject(item, "arguments", job->arguments);
        cJSON_AddItemToArray(root, item);
    }
    const tal_status status = tal_json_write(path, root, TAL_REPLACE, err);
    cJSON_Delete(root);
    return status;
}

static tal_status read_job(const cJSON *item, tal_job *job, const char *path, tal_error *err) {
    const char *stage = cJSON_GetStringValue(cJSON_GetObjectItem(item, "stage"));
    const char *key = cJSON_GetStringValue(cJSON_GetObjectItem(item, "key"));
    const char *after = cJSON_GetStringValue(cJSON_GetObjectItem(item, "after"));
    const char *arguments = cJSON_GetStringValue(cJSON_GetObjectItem(item, "arguments"));
    const cJSON *parent = cJSON_GetObjectItem(item, "parent");
    int found = 0;
    while (found < TAL_CHAIN_COUNT &&
           (stage == NULL || strcmp(stage, tal_chain[found].name) != 0)) {
        found++;
    }
    if (found == TAL_CHAIN_COUNT || key == NULL || after == NULL || arguments == NULL ||
        !cJSON_IsNumber(parent) || !tal_text_copy(job->key, sizeof job->key, key) ||
        !tal_text_copy(job->parent_key, sizeof job->parent_key, after)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a plan of jobs", path);
    }
    job->stage = (tal_chain_stage)found;
    job->parent = parent->valueint;
    const size_t length = strlen(arguments);
    TAL_CREATE(job->arguments, length + 1, "the arguments of a job", err);
    memcpy(job->arguments, arguments, length);
    return TAL_OK;
}

tal_status tal_plan_read(tal_plan *plan, const char *path, tal_error *err) {
    cJSON *root = NULL;
    const cJSON *item = NULL;
    TAL_TRY(tal_json_read(path, &root, err));
    tal_status status = TAL_OK;
    cJSON_ArrayForEach(item, root) {
        tal_job job = {0};
        TAL_TRY_OR_DONE(read_job(item, &job, path, err));
        status = append_job(plan, &job, err);
        if (status != TAL_OK) {
            tal_memory_destroy(job.arguments);
            break;
        }
    }
done:
    cJSON_Delete(root);
    return status;
}
