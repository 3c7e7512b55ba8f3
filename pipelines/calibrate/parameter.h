// SPDX-License-Identifier: GPL-3.0-or-later
// Settings to be found: [vary.contact.friction] low, high. Inside the search every parameter runs
// from 0 to 1.
#ifndef TALUS_PIPELINES_CALIBRATE_PARAMETER_H
#define TALUS_PIPELINES_CALIBRATE_PARAMETER_H

#include "core/app/number.h"
#include "core/base/settings.h"

enum { TAL_PARAMETERS_MAX = 16, TAL_VALUES_MAX = 16 };

typedef struct {
    char name[TAL_LABEL_SIZE]; // "contact.friction"
    char section[TAL_SETTING_TEXT_SIZE];
    const tal_setting *setting;
    double low, high;
    bool is_log, is_integer;
    int value_count; // > 0: one of these words instead of a range
    char value[TAL_VALUES_MAX][32];
    char own[64]; // the site file's value as text, "" where it has none
} tal_parameter;

typedef struct {
    int count;
    tal_parameter parameter[TAL_PARAMETERS_MAX];
} tal_parameters;

// From the [vary.*] sections; every mistake is added to `err`.
tal_status tal_parameters_read(tal_parameters *parameters, const tal_settings *settings,
                               tal_error *err);

// The value at `unit` in [0, 1], as it is written in a site file: six digits.
void tal_parameter_text(const tal_parameter *parameter, double unit, char text[32]);
// The same for people: as many digits as the interval between two other places supports.
void tal_parameter_words(const tal_parameter *parameter, double unit, double low_unit,
                         double high_unit, char text[TAL_NUMBER_SIZE]);
// The same as a number; the place in the list where the value is a word.
double tal_parameter_number(const tal_parameter *parameter, double unit);
// Where the site file's own value lies, moved into the range; the middle where it has none.
double tal_parameter_unit(const tal_parameter *parameter);

#endif
