// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a calibration that other programs read: runs.csv, runs.nc, calibrate.json, best.ini.
#define _GNU_SOURCE // realpath
#include "core/app/json.h"
#include "core/app/site_file.h"
#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"
#include "pipelines/calibrate/calibrate.h"
#include "pipelines/engine/csv.h"
#include "pipelines/engine/study_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The value of a parameter at a point: the site's own at the start.
static void value_text(const tal_calibration *c, const tal_point *point, int k, char text[64]) {
    const tal_parameter *p = &c->parameters.parameter[k];
    if (point->kind == TAL_POINT_START) {
        snprintf(text, 64, "%s", p->own);
    } else {
        char value[32];
        tal_parameter_text(p, point->unit[k], value);
        snprintf(text, 64, "%s", value);
    }
}

// --- runs.csv ---

static void append_csv_run(const tal_calibration *c, int number, int site, int seed,
                           tal_text *text) {
    const tal_point *point = &c->point[number];
    const tal_run_answer *answer = tal_calibration_answer(c, number, site, seed);
    tal_text_append(text, "%d,%s,", number, tal_point_words[point->kind]);
    tal_csv_append_text(text, c->sites.site[site].name);
    tal_text_append(text, ",%d,%s,%s", seed, answer->keys.text[TAL_CHAIN_POST],
                    tal_run_answer_word(answer));
    for (int k = 0; k < c->parameters.count; k++) {
        char value[64];
        value_text(c, point, k, value);
        tal_text_append(text, ",");
        tal_csv_append_text(text, value);
    }
    tal_text_append(text, ",");
    tal_csv_append_real(text, point->misfit);
    tal_text_append(text, ",");
    tal_csv_append_real(text, c->posterior.weight[number]);
    tal_run_answer_append(text, answer);
}

static tal_status write_csv(const tal_calibration *c, tal_error *err) {
    tal_text text = {0};
    tal_text_append(&text, "point,kind,site,seed,run,state");
    for (int k = 0; k < c->parameters.count; k++) {
        tal_text_append(&text, ",%s", c->parameters.parameter[k].name);
    }
    tal_text_append(&text, ",misfit,posterior_weight");
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        tal_text_append(&text, ",%s", tal_sheet_names[i]);
    }
    tal_text_append(&text, ",reason\n");
    for (int i = 0; i < c->point_count; i++) {
        for (int site = 0; site < c->judge_count; site++) {
            for (int seed = 0; seed < c->how->seeds; seed++) {
                append_csv_run(c, i, site, seed, &text);
            }
        }
    }
    const tal_status status = tal_page_write(&text, c->runner->study.path, "runs.csv", err);
    tal_text_destroy(&text);
    return status;
}

// --- runs.nc ---

static double number_at(const tal_calibration *c, const tal_point *point, int k) {
    char text[64];
    double value = NAN;
    value_text(c, point, k, text);
    if (c->parameters.parameter[k].value_count > 0 || !tal_text_to_real(text, &value)) {
        return tal_parameter_number(&c->parameters.parameter[k], point->unit[k]);
    }
    return value;
}

static void put_parameter(tal_netcdf *file, const tal_calibration *c, int k, int dimension,
                          double *values) {
    const tal_parameter *p = &c->parameters.parameter[k];
    char name[TAL_LABEL_SIZE], words[TAL_VALUES_MAX * 34] = "";
    snprintf(name, sizeof name, "%s", p->name);
    for (char *at = name; *at != '\0'; at++) {
        *at = *at == '.' || *at == '-' || *at == '+' ? '_' : *at;
    }
    const int variable =
        tal_netcdf_variable(file, name, TAL_NC_DOUBLE, 1, &dimension,
                            p->value_count > 0 || p->setting->unit == NULL ? "1" : p->setting->unit,
                            p->setting->sentence);
    tal_netcdf_text(file, variable, "setting", p->name);
    for (int i = 0; i < p->value_count; i++) {
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", i > 0 ? " " : "",
                 p->value[i]);
    }
    if (p->value_count > 0) {
        tal_netcdf_text(file, variable, "values", words);
    }
    for (int i = 0; i < c->point_count; i++) {
        values[i] = number_at(c, &c->point[i], k);
    }
    tal_netcdf_put_doubles(file, variable, values);
}

static void put_points(tal_netcdf *file, const tal_calibration *c, int dimension, double *values) {
    const char *const names[] = {"misfit", "noise", "posterior_weight", "kind"};
    const char *const words[] = {"weighted misfit of the scores",
                                 "standard error of the misfit over seeds",
                                 "weight in the posterior", "how the point was chosen"};
    for (int which = 0; which < 4; which++) {
        const int variable = tal_netcdf_variable(file, names[which], TAL_NC_DOUBLE, 1, &dimension,
                                                 "1", words[which]);
        if (which == 3) {
            tal_netcdf_text(file, variable, "flag_meanings", "start sample search");
            tal_netcdf_reals(file, variable, "flag_values", (const double[]){0, 1, 2}, 3);
        }
        for (int i = 0; i < c->point_count; i++) {
            const tal_point *point = &c->point[i];
            values[i] = which == 0   ? point->misfit
                        : which == 1 ? point->noise
                        : which == 2 ? c->posterior.weight[i]
                                     : (double)point->kind;
        }
        tal_netcdf_put_doubles(file, variable, values);
    }
}

static void put_scores(tal_netcdf *file, const tal_calibration *c, const int dimensions[3],
                       double *values) {
    const int runs = tal_calibration_runs_per_point(c);
    for (int score = 0; score < TAL_SHEET_COUNT; score++) {
        const int variable =
            tal_netcdf_variable(file, tal_sheet_names[score], TAL_NC_DOUBLE, 3, dimensions,
                                tal_sheet_units[score], tal_sheet_names[score]);
        for (int i = 0; i < c->point_count * runs; i++) {
            values[i] = c->answer[i].done ? c->answer[i].sheet.value[score] : NAN;
        }
        tal_netcdf_put_doubles(file, variable, values);
    }
}

static tal_status describe_study(const tal_calibration *c, char **text, tal_error *err) {
    tal_provenance *provenance = NULL;
    TAL_CREATE(provenance, 1, "provenance", err);
    tal_status status =
        tal_provenance_create(provenance, "talus-calibrate", c->settings, TAL_STAGE_ALL, err);
    if (status == TAL_OK) {
        *text = tal_provenance_text(provenance);
        status = *text != NULL ? TAL_OK : TAL_FAIL(err, TAL_NO_MEMORY, "no memory for provenance");
    }
    tal_provenance_destroy(provenance);
    tal_memory_destroy(provenance);
    return status;
}

static tal_status write_netcdf(const tal_calibration *c, tal_error *err) {
    const int runs = tal_calibration_runs_per_point(c);
    char path[TAL_PATH_SIZE], *provenance = NULL;
    double *values = NULL;
    tal_netcdf *file = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(values, (size_t)c->point_count * (size_t)runs, "runs.nc", err);
    TAL_CREATE_OR_DONE(file, 1, "runs.nc", err);
    file->id = -1;
    TAL_TRY_OR_DONE(tal_study_path(&c->runner->study, path, ".", "runs.nc", err));
    TAL_TRY_OR_DONE(describe_study(c, &provenance, err));
    TAL_TRY_OR_DONE(
        tal_netcdf_create(file, path, TAL_REPLACE, "Runs of a calibration", provenance, err));
    const int point = tal_netcdf_dimension(file, "point", (size_t)c->point_count);
    const int site = tal_netcdf_dimension(file, "site", (size_t)c->judge_count);
    const int seed = tal_netcdf_dimension(file, "seed", (size_t)c->how->seeds);
    for (int k = 0; k < c->parameters.count; k++) {
        put_parameter(file, c, k, point, values);
    }
    put_points(file, c, point, values);
    put_scores(file, c, (const int[]){point, site, seed}, values);
    TAL_TRY_OR_DONE(tal_netcdf_commit(file, err));
done:
    if (file != NULL) {
        tal_netcdf_discard(file);
    }
    tal_memory_destroy(file);
    tal_memory_destroy(values);
    cJSON_free(provenance);
    return status;
}

tal_status tal_calibration_write_tables(const tal_calibration *c, tal_error *err) {
    TAL_TRY(write_csv(c, err));
    return write_netcdf(c, err);
}

// --- calibrate.json ---

static cJSON *parameter_json(const tal_calibration *c, int k) {
    const tal_parameter *p = &c->parameters.parameter[k];
    const tal_marginal *m = &c->posterior.marginal[k];
    const double units[] = {c->point[c->best].unit[k], m->low, m->median, m->high};
    const char *const names[] = {"best", "low", "median", "high"};
    cJSON *item = cJSON_CreateObject();
    char text[64];
    cJSON_AddStringToObject(item, "setting", p->name);
    value_text(c, &c->point[0], k, text);
    cJSON_AddStringToObject(item, "start", text);
    for (int i = 0; i < 4; i++) {
        if (i == 0) {
            value_text(c, &c->point[c->best], k, text);
        } else {
            tal_parameter_text(p, units[i], text);
        }
        double value = 0;
        if (tal_text_to_real(text, &value)) {
            cJSON_AddNumberToObject(item, names[i], value);
        } else {
            cJSON_AddStringToObject(item, names[i], text);
        }
    }
    tal_json_add_number(item, "spread", m->spread);
    if (tal_sensitivity_is_trusted(&c->sensitivity)) {
        tal_json_add_number(item, "sensitivity_first", c->sensitivity.first[k]);
        tal_json_add_number(item, "sensitivity_total", c->sensitivity.total[k]);
    }
    return item;
}

static cJSON *sheet_json(const tal_run_answer *answer) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "run", answer->keys.text[TAL_CHAIN_POST]);
    if (!answer->done) {
        cJSON_AddStringToObject(item, "failed", answer->reason);
        return item;
    }
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        tal_json_add_number(item, tal_sheet_names[i], answer->sheet.value[i]);
    }
    return item;
}

static void add_sites(const tal_calibration *c, cJSON *root) {
    cJSON *sites = cJSON_AddArrayToObject(root, "sites");
    for (int i = 0; i < c->sites.count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "site", c->sites.site[i].name);
        cJSON_AddBoolToObject(item, "held_out", i >= c->judge_count);
        cJSON_AddItemToObject(item, "before", sheet_json(&c->report[2 * i]));
        cJSON_AddItemToObject(item, "after", sheet_json(&c->report[2 * i + 1]));
        cJSON_AddItemToArray(sites, item);
    }
}

static tal_status add_words(const tal_calibration *c, cJSON *root, tal_error *err) {
    tal_text words = {0};
    const tal_status status = tal_calibration_words(c, &words, err);
    cJSON *list = cJSON_AddArrayToObject(root, "conclusions");
    for (char *line = words.bytes, *end = NULL; line != NULL && (end = strchr(line, '\n')) != NULL;
         line = end + 1) {
        *end = '\0';
        cJSON_AddItemToArray(list, cJSON_CreateString(line));
    }
    tal_text_destroy(&words);
    return status;
}

tal_status tal_calibration_write_json(const tal_calibration *c, tal_error *err) {
    char path[TAL_PATH_SIZE], *provenance = NULL;
    TAL_TRY(tal_study_path(&c->runner->study, path, ".", "calibrate.json", err));
    TAL_TRY(describe_study(c, &provenance, err));
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "points", c->point_count);
    cJSON_AddNumberToObject(root, "runs_per_point", tal_calibration_runs_per_point(c));
    tal_json_add_number(root, "misfit_start", c->point[0].misfit);
    tal_json_add_number(root, "misfit_best", c->point[c->best].misfit);
    tal_json_add_number(root, "equal_misfit", c->posterior.margin);
    cJSON *parameters = cJSON_AddArrayToObject(root, "parameters");
    for (int k = 0; k < c->parameters.count; k++) {
        cJSON_AddItemToArray(parameters, parameter_json(c, k));
    }
    tal_json_add_number(root, "sensitivity_predicted",
                        c->sensitivity.degree > 0 ? c->sensitivity.predicted : NAN);
    add_sites(c, root);
    tal_status status = add_words(c, root, err);
    cJSON_AddItemToObject(root, "provenance", cJSON_Parse(provenance));
    if (status == TAL_OK) {
        status = tal_json_write(path, root, TAL_REPLACE, err);
    }
    cJSON_Delete(root);
    cJSON_free(provenance);
    return status;
}

// --- best.ini ---

// From the folder of best.ini, so that a study that moves together with its data stays usable.
static bool relative_path(const char *folder, const char *target, char path[TAL_PATH_SIZE]) {
    size_t common = 0;
    for (size_t i = 0; folder[i] != '\0' && folder[i] == target[i]; i++) {
        common = folder[i] == '/' ? i : common;
        if (folder[i + 1] == '\0' && target[i + 1] == '/') {
            common = i + 1;
        }
    }
    size_t used = 0;
    path[0] = '\0';
    for (const char *rest = folder + common; *rest != '\0'; rest++) {
        if (rest[0] == '/' && rest[1] != '\0') {
            used += (size_t)snprintf(path + used, TAL_PATH_SIZE - used, "../");
        }
        if (used + 4 >= TAL_PATH_SIZE) {
            return false;
        }
    }
    return (size_t)snprintf(path + used, TAL_PATH_SIZE - used, "%s", target + common + 1) <
           TAL_PATH_SIZE - used;
}

typedef struct {
    const tal_calibration *c;
    tal_settings *target;
} path_mover;

static tal_status move_files(void *context, const char *section, const tal_setting *setting,
                             const char *value, tal_error *err) {
    const path_mover *mover = context;
    tal_text text = {0};
    char path[TAL_PATH_SIZE], real[TAL_PATH_SIZE], moved[TAL_PATH_SIZE];
    const char *cursor = value;
    while (tal_settings_next_file(mover->c->settings, &cursor, path)) {
        const bool known = realpath(path, real) != NULL &&
                           relative_path(mover->c->runner->study.path, real, moved);
        tal_text_append(&text, "%s\n", known ? moved : path);
    }
    const tal_status status = text.failed
                                  ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for best.ini")
                                  : tal_settings_set(mover->target, section, setting->key,
                                                     tal_text_string(&text), "best.ini", err);
    tal_text_destroy(&text);
    return status;
}

static bool is_varied(const tal_calibration *c, const char *section, const char *key, int *which) {
    for (int k = 0; k < c->parameters.count; k++) {
        const tal_parameter *p = &c->parameters.parameter[k];
        if (strcmp(p->section, section) == 0 && strcmp(p->setting->key, key) == 0) {
            *which = k;
            return true;
        }
    }
    return false;
}

static void append_key(const tal_calibration *c, const char *section, const tal_setting *setting,
                       const char *value, tal_text *out) {
    int which = 0;
    if (is_varied(c, section, setting->key, &which)) {
        const tal_parameter *p = &c->parameters.parameter[which];
        const tal_marginal *m = &c->posterior.marginal[which];
        char low[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
        tal_parameter_words(p, m->low, m->low, m->high, low);
        tal_parameter_words(p, m->high, m->low, m->high, high);
        tal_text_append(out, "# calibrated; %s to %s explain the observations as well\n", low,
                        high);
    }
    tal_text_append(out, "%s =", setting->key);
    for (const char *line = value; *line != '\0';) { // lists of files go on, indented
        const size_t length = strcspn(line, "\n");
        tal_text_append(out, "%s %.*s", line == value ? "" : "\n   ", (int)length, line);
        line += length + (line[length] != '\0' ? strspn(line + length, "\n ") : 0);
    }
    tal_text_append(out, "\n");
}

// Only what differs from the defaults: the file stays one that people read.
static void append_section(const tal_calibration *c, const tal_settings_section *section,
                           const char *at, tal_text *out) {
    char name[TAL_SETTING_TEXT_SIZE];
    bool begun = false;
    snprintf(name, sizeof name, "%s%s%s", section->name, at[0] != '\0' ? "." : "", at);
    for (int i = 0; i < section->setting_count; i++) {
        const tal_setting *setting = &section->settings[i];
        tal_text value = {0};
        int which = 0;
        tal_settings_value(at, setting, &value);
        double given = 0, preset = 0;
        const bool same = strcmp(tal_text_string(&value), setting->preset) == 0 ||
                          (tal_text_to_real(tal_text_string(&value), &given) &&
                           tal_text_to_real(setting->preset, &preset) && given == preset);
        if (!same || is_varied(c, name, setting->key, &which)) {
            if (!begun) {
                tal_text_append(out, "\n[%s]\n", name);
                begun = true;
            }
            append_key(c, name, setting, tal_text_string(&value), out);
        }
        out->failed = out->failed || value.failed;
        tal_text_destroy(&value);
    }
}

static void append_settings(const tal_calibration *c, const tal_settings *best, tal_text *out) {
    int count = 0;
    const tal_settings_section *sections = tal_settings_sections(&count);
    for (int i = 0; i < count; i++) {
        if ((sections[i].stages & TAL_STAGE_CALIBRATE) != 0) {
            continue;
        }
        const char *first = (const char *)best + sections[i].offset;
        const int repeat =
            sections[i].repeats
                ? *(const int *)(const void *)((const char *)best + sections[i].count_offset)
                : 1;
        for (int k = 0; k < repeat; k++) {
            append_section(c, &sections[i], first + (size_t)k * sections[i].size, out);
        }
    }
}

static tal_status set_best(const tal_calibration *c, tal_settings *best, tal_error *err) {
    const tal_point *point = &c->point[c->best];
    for (int k = 0; k < c->parameters.count && point->kind != TAL_POINT_START; k++) {
        const tal_parameter *p = &c->parameters.parameter[k];
        char text[32];
        tal_parameter_text(p, point->unit[k], text);
        TAL_TRY(tal_settings_set(best, p->section, p->setting->key, text, "best.ini", err));
    }
    return TAL_OK;
}

tal_status tal_calibration_write_best(const tal_calibration *c, tal_error *err) {
    tal_settings *best = NULL;
    TAL_CREATE(best, 1, "settings", err);
    *best = *c->settings;
    tal_text text = {0};
    tal_text_append(&text,
                    "# Best fit of a calibration: misfit %.4f, %.4f before. Run it with\n"
                    "# make run SITE=best.ini. Everything else is at its default.\n",
                    c->point[c->best].misfit, c->point[0].misfit);
    path_mover mover = {.c = c, .target = best};
    tal_status status = tal_files_walk(c->settings, TAL_STAGE_ALL & ~(unsigned)TAL_STAGE_CALIBRATE,
                                       move_files, &mover, err);
    if (status == TAL_OK) {
        status = set_best(c, best, err);
    }
    if (status == TAL_OK) {
        append_settings(c, best, &text);
        status = tal_page_write(&text, c->runner->study.path, "best.ini", err);
    }
    tal_text_destroy(&text);
    tal_memory_destroy(best);
    return status;
}
