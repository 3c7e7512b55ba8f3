// SPDX-License-Identifier: GPL-3.0-or-later
// A number or a distribution.
#include "core/base/distribution.h"

#include "core/base/text.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *word;
    int count; // of its numbers
} words;

static const words WORDS[TAL_DISTRIBUTION_COUNT] = {
    [TAL_DISTRIBUTION_CONSTANT] = {"constant", 1},
    [TAL_DISTRIBUTION_UNIFORM] = {"uniform", 2},
    [TAL_DISTRIBUTION_NORMAL] = {"normal", 2},
    [TAL_DISTRIBUTION_LOGNORMAL] = {"lognormal", 2},
    [TAL_DISTRIBUTION_EXPONENTIAL] = {"exponential", 1},
};

// The next word of `*text`; false after the last, or where it is too long to be one.
static bool next_word(const char **text, char word[64]) {
    *text += strspn(*text, " \t");
    const size_t length = strcspn(*text, " \t");
    if (length == 0 || length > 63) {
        return false;
    }
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

static int find_word(const char *word) {
    for (int k = 0; k < TAL_DISTRIBUTION_COUNT; k++) {
        if (strcmp(WORDS[k].word, word) == 0) {
            return k;
        }
    }
    return -1;
}

// Of normal deviates, the share below `x`.
static double normal_share(double x) {
    return 0.5 * erfc(-x / sqrt(2.0));
}

// Share of the values below `x`, of a distribution without ends.
static double share_below(const tal_distribution *d, double x) {
    switch (d->kind) {
    case TAL_DISTRIBUTION_NORMAL:
        return normal_share((x - d->first) / d->second);
    case TAL_DISTRIBUTION_LOGNORMAL:
        return x > 0.0 ? normal_share(log(x / d->first) / d->second) : 0.0;
    default: // exponential
        return -expm1(-fmax(x, 0.0) / d->first);
    }
}

static bool has_no_ends(const tal_distribution *d) {
    const bool is_exponential = d->kind == TAL_DISTRIBUTION_EXPONENTIAL;
    const bool has_deviation =
        d->kind == TAL_DISTRIBUTION_NORMAL || d->kind == TAL_DISTRIBUTION_LOGNORMAL;
    return (is_exponential && d->first > 0.0) || (has_deviation && d->second > 0.0);
}

// Values beyond an end of the range are set to it. At 0 that is what one means: no height, no speed. Anywhere
// else it is a heap of values that nobody asked for, of which a hundredth does not matter.
static tal_status check_cut(const tal_distribution *d, const char *text, const char *where,
                            tal_error *err) {
    static const double CUT_MAX = 0.01;
    const double below = d->low != 0.0 ? share_below(d, d->low) : 0.0;
    const double cut = below + 1.0 - share_below(d, d->high);
    if (cut > CUT_MAX) {
        return tal_error_add(
            err, TAL_BAD_SETTING,
            "%s = %s: %.0f %% of its values would lie outside [%g, %g]: take a "
            "smaller deviation or mean%s",
            where, text, 100.0 * cut, d->low, d->high,
            d->kind == TAL_DISTRIBUTION_NORMAL ? ", or lognormal, which stays above 0" : "");
    }
    return TAL_OK;
}

static tal_status check_range(const tal_distribution *d, const char *text, const char *where,
                              tal_error *err) {
    const bool has_deviation =
        d->kind == TAL_DISTRIBUTION_NORMAL || d->kind == TAL_DISTRIBUTION_LOGNORMAL;
    const double low = d->first, high = d->kind == TAL_DISTRIBUTION_UNIFORM ? d->second : d->first;
    if (d->kind == TAL_DISTRIBUTION_UNIFORM && d->first > d->second) {
        return tal_error_add(err, TAL_BAD_SETTING, "%s = %s: the lower end must come first", where,
                             text);
    }
    if (has_deviation && !(d->second >= 0.0)) {
        return tal_error_add(err, TAL_BAD_SETTING, "%s = %s: a deviation cannot be negative", where,
                             text);
    }
    if (low < d->low || high > d->high) {
        return tal_error_add(err, TAL_BAD_SETTING, "%s = %s must be in [%g, %g]", where, text,
                             d->low, d->high);
    }
    return has_no_ends(d) ? check_cut(d, text, where, err) : TAL_OK;
}

tal_status tal_distribution_parse(tal_distribution *d, const char *text, double low, double high,
                                  const char *where, tal_error *err) {
    const char *cursor = text;
    char word[64];
    double number[2] = {0.0, 0.0};
    int count = 0, kind = TAL_DISTRIBUTION_CONSTANT;
    bool is_good = next_word(&cursor, word);
    if (is_good && !tal_text_to_real(word, &number[0])) {
        kind = find_word(word);
        is_good = kind >= 0;
    } else if (is_good) {
        count = 1;
    }
    while (is_good && next_word(&cursor, word)) {
        is_good = count < 2 && tal_text_to_real(word, &number[count]);
        count++;
    }
    is_good = is_good && *cursor == '\0' && count == WORDS[kind].count && isfinite(number[0]) &&
              isfinite(number[1]);
    if (!is_good) {
        return tal_error_add(
            err, TAL_BAD_SETTING,
            "%s = %s is neither a number nor a distribution: write 1.5, uniform LOW HIGH, normal "
            "MEAN DEVIATION, lognormal MEDIAN DEVIATION-OF-THE-LOGARITHM or exponential MEAN",
            where, text);
    }
    *d = (tal_distribution){(tal_distribution_kind)kind, number[0], number[1], low, high};
    return check_range(d, text, where, err);
}

static double draw_free(const tal_distribution *d, tal_random random, uint64_t draw) {
    switch (d->kind) {
    case TAL_DISTRIBUTION_UNIFORM:
        return d->first + (d->second - d->first) * tal_random_uniform(random, draw);
    case TAL_DISTRIBUTION_NORMAL:
        return d->first + d->second * tal_random_normal(random, draw);
    case TAL_DISTRIBUTION_LOGNORMAL:
        return d->first * exp(d->second * tal_random_normal(random, draw));
    case TAL_DISTRIBUTION_EXPONENTIAL:
        return d->first * tal_random_exponential(random, draw);
    default:
        return d->first;
    }
}

double tal_distribution_middle(const tal_distribution *d) {
    return d->kind == TAL_DISTRIBUTION_UNIFORM ? 0.5 * (d->first + d->second) : d->first;
}

double tal_distribution_draw(const tal_distribution *d, tal_random random, uint64_t draw) {
    return fmin(fmax(draw_free(d, random, draw), d->low), d->high);
}
