// SPDX-License-Identifier: GPL-3.0-or-later
// Settings to be found.
#include "pipelines/calibrate/parameter.h"

#include "core/app/idle_check.h"
#include "core/app/site_check.h"
#include "core/base/memory.h"
#include "pipelines/engine/chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tal_status read_values(tal_parameter *p, const char *text, tal_error *err) {
    for (const char *word = text + strspn(text, " "); *word != '\0';) {
        const size_t length = strcspn(word, " ");
        if (p->value_count == TAL_VALUES_MAX || length >= sizeof p->value[0]) {
            return tal_error_add(err, TAL_BAD_SETTING,
                                 "[vary.%s] values: at most %d words of %d characters", p->name,
                                 TAL_VALUES_MAX, (int)sizeof p->value[0] - 1);
        }
        memcpy(p->value[p->value_count++], word, length);
        word += length;
        word += strspn(word, " ");
    }
    return TAL_OK;
}

static tal_status read_range(tal_parameter *p, const tal_vary_settings *vary, tal_error *err) {
    if (!(vary->low < vary->high)) { // also when one is not set
        return tal_error_add(err, TAL_BAD_SETTING,
                             "[vary.%s] needs low and high, low below high (or values)", p->name);
    }
    if (p->setting->kind != TAL_KIND_REAL && p->setting->kind != TAL_KIND_INTEGER) {
        return tal_error_add(err, TAL_BAD_SETTING,
                             "[vary.%s] %s is not a number: give values instead of low and high",
                             p->name, p->setting->key);
    }
    if (vary->scale == TAL_SCALE_LOG && vary->low <= 0) {
        return tal_error_add(err, TAL_BAD_SETTING,
                             "[vary.%s] low = %g: scale = log needs low above 0", p->name,
                             vary->low);
    }
    p->low = vary->low;
    p->high = vary->high;
    p->is_log = vary->scale == TAL_SCALE_LOG;
    p->is_integer = p->setting->kind == TAL_KIND_INTEGER;
    return TAL_OK;
}

// Whatever the search may choose must be allowed: both ends of a range, each of the words.
static tal_status check_values(const tal_parameter *p, tal_settings *scratch, tal_error *err) {
    tal_status status = TAL_OK;
    const int count = p->value_count > 0 ? p->value_count : 2;
    for (int i = 0; i < count; i++) {
        char text[32], where[128];
        tal_parameter_text(p, p->value_count > 0 ? (i + 0.5) / count : i, text);
        snprintf(where, sizeof where, "[vary.%s]", p->name);
        const tal_status one =
            tal_settings_set(scratch, p->section, p->setting->key, text, where, err);
        status = one != TAL_OK ? one : status;
    }
    return status;
}

static tal_status read_own(tal_parameter *p, const tal_settings_section *section,
                           const tal_settings *settings, tal_error *err) {
    const char *label = section->repeats ? p->section + strlen(section->name) + 1 : "";
    const int count =
        section->repeats
            ? *(const int *)(const void *)((const char *)settings + section->count_offset)
            : 1;
    for (int i = 0; i < count; i++) {
        const char *at = (const char *)settings + section->offset + (size_t)i * section->size;
        if (strcmp(at, label) == 0) {
            tal_text value = {0};
            tal_settings_value(at, p->setting, &value);
            const bool failed = value.failed;
            snprintf(p->own, sizeof p->own, "%.63s", tal_text_string(&value));
            tal_text_destroy(&value);
            return failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the value of %s", p->name)
                          : TAL_OK;
        }
    }
    return TAL_OK;
}

static tal_status read_parameter(tal_parameter *p, const tal_vary_settings *vary,
                                 const tal_settings *settings, tal_settings *scratch,
                                 tal_error *err) {
    const char *key = NULL;
    tal_text_copy(p->name, sizeof p->name, vary->label);
    if (!tal_setting_name_split(p->name, p->section, &key)) {
        return tal_error_add(err, TAL_BAD_SETTING,
                             "[vary.%s] names no setting; write [vary.SECTION.KEY], such as "
                             "[vary.contact.friction]",
                             p->name);
    }
    const tal_settings_section *section = tal_settings_find_section(p->section);
    p->setting = section != NULL ? tal_settings_find(p->section, key) : NULL;
    if (p->setting == NULL) {
        char where[128];
        snprintf(where, sizeof where, "[vary.%s]", p->name);
        return tal_settings_set(scratch, p->section, key, "", where, err); // says the nearest known
    }
    if (p->setting->kind == TAL_KIND_FILES || p->setting->kind == TAL_KIND_REALS ||
        (section->stages & (TAL_STAGE_CALIBRATE | TAL_STAGE_POST)) != 0) {
        return tal_error_add(err, TAL_BAD_SETTING,
                             "[vary.%s] cannot be searched for: choose a number or a word that the "
                             "simulation depends on",
                             p->name);
    }
    TAL_TRY(read_own(p, section, settings, err));
    TAL_TRY(read_values(p, vary->values, err));
    if (p->value_count == 0) {
        TAL_TRY(read_range(p, vary, err));
    }
    return check_values(p, scratch, err);
}

tal_status tal_parameters_read(tal_parameters *parameters, const tal_settings *settings,
                               tal_error *err) {
    tal_settings *scratch = NULL;
    if (settings->vary_count == 0) {
        return tal_error_add(
            err, TAL_BAD_SETTING,
            "%s names no setting to search for: add for instance [vary.contact.friction] "
            "with low = 0.3 and high = 0.9",
            settings->site_file);
    }
    if (settings->vary_count > TAL_PARAMETERS_MAX) {
        return tal_error_add(err, TAL_BAD_SETTING,
                             "%d sections [vary.*]; at most %d can be searched for",
                             settings->vary_count, TAL_PARAMETERS_MAX);
    }
    TAL_CREATE(scratch, 1, "settings", err);
    *scratch = *settings;
    tal_status status = TAL_OK;
    for (int i = 0; i < settings->vary_count; i++) {
        const tal_status one =
            read_parameter(&parameters->parameter[i], &settings->vary[i], settings, scratch, err);
        status = one != TAL_OK ? one : status;
    }
    status = status == TAL_OK ? tal_site_check(scratch, err) : status;
    if (status == TAL_OK) {
        tal_idle_check(scratch, err);
        status = err->message_count > 0 ? err->status : TAL_OK;
    }
    parameters->count = settings->vary_count;
    tal_memory_destroy(scratch);
    return status;
}

static int place_of(const tal_parameter *p, double unit) {
    const int place = (int)floor(unit * p->value_count);
    return place < 0 ? 0 : place >= p->value_count ? p->value_count - 1 : place;
}

static double place_value(const tal_parameter *p, double unit) {
    return p->is_log ? exp(log(p->low) + unit * (log(p->high) - log(p->low)))
                     : p->low + unit * (p->high - p->low);
}

void tal_parameter_words(const tal_parameter *p, double unit, double low_unit, double high_unit,
                         char text[TAL_NUMBER_SIZE]) {
    if (p->value_count > 0 || p->is_integer) {
        tal_parameter_text(p, unit, text);
    } else {
        (void)tal_number_format_within(text, place_value(p, unit), place_value(p, low_unit),
                                       place_value(p, high_unit));
    }
}

void tal_parameter_text(const tal_parameter *p, double unit, char text[32]) {
    if (p->value_count > 0) {
        snprintf(text, 32, "%s", p->value[place_of(p, unit)]);
        return;
    }
    const double value = place_value(p, unit);
    if (p->is_integer) {
        snprintf(text, 32, "%.0f", fmax(ceil(p->low), fmin(floor(p->high), round(value))));
    } else {
        snprintf(text, 32, "%.6g", value);
    }
}

double tal_parameter_number(const tal_parameter *p, double unit) {
    char text[32];
    if (p->value_count > 0) {
        return place_of(p, unit);
    }
    tal_parameter_text(p, unit, text);
    return strtod(text, NULL);
}

double tal_parameter_unit(const tal_parameter *p) {
    double value = 0;
    for (int i = 0; i < p->value_count; i++) {
        if (strcmp(p->own, p->value[i]) == 0) {
            return (i + 0.5) / p->value_count;
        }
    }
    if (p->value_count > 0 || !tal_text_to_real(p->own, &value)) {
        return 0.5;
    }
    const double unit =
        p->is_log ? (log(fmax(value, p->low)) - log(p->low)) / (log(p->high) - log(p->low))
                  : (value - p->low) / (p->high - p->low);
    return fmax(0.0, fmin(1.0, unit));
}
