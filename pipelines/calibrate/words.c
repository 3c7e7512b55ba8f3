// SPDX-License-Identifier: GPL-3.0-or-later
// What a calibration says about each setting, in sentences.
#include "pipelines/calibrate/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Shares of the range that the values which explain the deposit may take up.
static const double ROUGH = 0.35, UNKNOWN = 0.6;
static const double TRADE_OFF = 0.6;

static void append_setting(const tal_calibration *c, int k, tal_text *out) {
    const tal_parameter *p = &c->parameters.parameter[k];
    const tal_marginal *m = &c->posterior.marginal[k];
    char best[TAL_NUMBER_SIZE], low[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
    tal_parameter_words(p, c->point[c->best].unit[k], m->low, m->high, best);
    tal_parameter_words(p, m->low, m->low, m->high, low);
    tal_parameter_words(p, m->high, m->low, m->high, high);
    if (strcmp(low, high) == 0) {
        tal_text_append(out,
                        "%s = %s; no other value that was tried explains the observations as well. "
                        "More runs would show how well it is known.\n",
                        p->name, best);
    } else if (m->spread > UNKNOWN) {
        tal_text_append(
            out,
            "%s cannot be identified from these observations: values from %s to %s, most of "
            "the range, explain them equally well.\n",
            p->name, low, high);
    } else if (m->spread > ROUGH) {
        tal_text_append(
            out,
            "%s is known only roughly: best %s, and %s to %s explain the observations as "
            "well.\n",
            p->name, best, low, high);
    } else {
        tal_text_append(out, "%s = %s; values from %s to %s explain the observations as well.\n",
                        p->name, best, low, high);
    }
    if (p->value_count == 0 && (m->low < 0.02 || m->high > 0.98) && m->spread <= UNKNOWN) {
        tal_text_append(
            out, "The interval of %s ends at its range: a wider range may fit better.\n", p->name);
    }
}

tal_status tal_calibration_words(const tal_calibration *c, tal_text *out, tal_error *err) {
    for (int k = 0; k < c->parameters.count; k++) {
        append_setting(c, k, out);
    }
    for (int a = 0; a < c->parameters.count; a++) {
        for (int b = a + 1; b < c->parameters.count; b++) {
            const double r = c->posterior.correlation[a][b];
            if (fabs(r) > TRADE_OFF &&
                fmax(c->posterior.marginal[a].spread, c->posterior.marginal[b].spread) > 0.1) {
                tal_text_append(
                    out,
                    "%s and %s trade off (rank correlation %.2f): the observations determine a "
                    "combination of the two, not each of them. Fix one from other "
                    "knowledge, or calibrate on a further site.\n",
                    c->parameters.parameter[a].name, c->parameters.parameter[b].name, r);
            }
        }
    }
    if (c->sensitivity.degree == 0) {
        tal_text_append(out, "No sensitivity is given: there are too few runs to estimate it.\n");
    } else if (!tal_sensitivity_is_trusted(&c->sensitivity)) {
        tal_text_append(
            out,
            "No sensitivity is given: the polynomial behind it predicts only %.0f %% of the "
            "variance at points it has not seen. More runs help.\n",
            100 * fmax(0, c->sensitivity.predicted));
    }
    return out->failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the conclusions") : TAL_OK;
}
