// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the same event with other blocks and another time step.
#include "postproc/measure/variant.h"

#include <math.h>
#include <string.h>

static void append_scaled(tal_text *text, const char *setting, const tal_reals *values,
                          double factor) {
    tal_text_append(text, "%s=", setting);
    for (int i = 0; i < values->count; i++) {
        tal_text_append(text, "%s", i > 0 ? " " : "");
        tal_text_append_real(text, factor * values->value[i]);
    }
}

static void append_real(tal_text *text, const char *setting, double value) {
    append_scaled(text, setting, &(tal_reals){.count = 1, .value = {value}}, 1.0);
}

// `factor` times as many blocks: by their number, or by the sizes that are given instead.
static void append_blocks(tal_text *text, const tal_settings *s, double factor) {
    const double size = cbrt(1.0 / factor);
    if (s->mesh.blocks == TAL_BLOCKS_JOINTS) {
        for (int i = 0; i < s->joint_count; i++) {
            char setting[TAL_LABEL_SIZE + 32];
            (void)snprintf(setting, sizeof setting, "%sjoint.%s.spacing_m", i > 0 ? ";" : "",
                           s->joint[i].label);
            append_real(text, setting, size * s->joint[i].spacing_m);
        }
    } else if (s->mesh.blocks == TAL_BLOCKS_BRICKS && s->mesh.brick_m.count > 0) {
        append_scaled(text, "mesh.brick_m", &s->mesh.brick_m, size);
    } else if (s->mesh.blocks == TAL_BLOCKS_VORONOI && isfinite(s->mesh.size_m)) {
        append_real(text, "mesh.size_m", size * s->mesh.size_m);
    } else {
        append_real(text, "mesh.block_count",
                    fmax(1.0, round(factor * (double)s->mesh.block_count)));
    }
}

static void append_half(tal_text *text, const tal_settings *s) {
    append_blocks(text, s, 0.5);
}

static void append_double(tal_text *text, const tal_settings *s) {
    append_blocks(text, s, 2.0);
}

static void append_step(tal_text *text, const tal_settings *s) {
    append_real(text, "solve.dt_s", 0.5 * s->solve.dt_s);
}

static void append_second(tal_text *text, const tal_settings *s) {
    append_real(text, "random.run", (double)s->random.run + 1.0);
}

static void append_third(tal_text *text, const tal_settings *s) {
    append_real(text, "random.run", (double)s->random.run + 2.0);
}

static bool are_cut(const tal_settings *s) {
    return s->mesh.blocks != TAL_BLOCKS_IMPORT && s->mesh.blocks != TAL_BLOCKS_FORMS;
}

static bool are_random(const tal_settings *s) {
    return s->mesh.blocks == TAL_BLOCKS_JOINTS || s->mesh.blocks == TAL_BLOCKS_VORONOI;
}

static bool always(const tal_settings *s) {
    (void)s;
    return true;
}

static const struct {
    const char *name, *label;
    bool (*applies)(const tal_settings *);
    void (*append)(tal_text *, const tal_settings *);
} KINDS[TAL_VARIANTS_MAX] = {{"half", "Half as many blocks", are_cut, append_half},
                             {"double", "Twice as many blocks", are_cut, append_double},
                             {"step", "Half the time step", always, append_step},
                             {"second", "A second seed", are_random, append_second},
                             {"third", "A third seed", are_random, append_third}};

void tal_variants_append(tal_text *text, const tal_settings *settings) {
    for (int i = 0; i < TAL_VARIANTS_MAX && settings->report.sensitivity; i++) {
        if (KINDS[i].applies(settings)) {
            tal_text_append(text, "%s ", KINDS[i].name);
            KINDS[i].append(text, settings);
            tal_text_append(text, "\n");
        }
    }
}

bool tal_variant_at(const tal_settings *settings, int index, tal_variant *variant) {
    for (int i = 0, seen = 0; i < TAL_VARIANTS_MAX && settings->report.sensitivity; i++) {
        if (KINDS[i].applies(settings) && seen++ == index) {
            *variant = (tal_variant){.name = KINDS[i].name, .label = KINDS[i].label};
            return true;
        }
    }
    return false;
}
