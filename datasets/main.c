// SPDX-License-Identifier: GPL-3.0-or-later
// talus-dataset: makes the point clouds of the embedded sites.
#include "core/app/program.h"
#include "core/base/text.h"
#include "datasets/generate.h"

#ifdef _OPENMP
#include <omp.h>
#endif

static const tal_option OPTIONS[] = {
    {.name = "seed",
     .argument = "NUMBER",
     .sentence = "Seed of the surveys: another seed gives another survey of the same ground. "
                 "Default 1."},
    {.name = "density-scale",
     .argument = "FACTOR",
     .sentence = "Multiplies the number of points, 0.001 to 100. Default 1."},
};

static tal_program_run generate_site;
static tal_program_check check_arguments;

static const tal_program PROGRAM = {
    .name = "talus-dataset",
    .summary = "make the point clouds of an embedded site",
    .arguments = "SITE [OPTION]...",
    .description =
        "SITE is piton-marcel (a synthetic reconstruction of the 2010 collapse in Martinique, from "
        "published figures; two airborne surveys of about 85 MB together) or slope (a small slope "
        "with 40 cubic metres of fallen rock, for quick trials).\n\n"
        "Into the folder given by --out it writes the earlier cloud, the later one, "
        "site.ini to run talus on them, truth.json with what is known to be true about them "
        "(volumes, outlines, the shift between the surveys, their errors), and truth.geojson with "
        "the outlines for a GIS. The same seed always gives the same bytes.",
    .examples = "talus-dataset slope --out slope\n"
                "talus-dataset piton-marcel --out piton-marcel --density-scale 0.25",
    .arguments_max = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .check = check_arguments,
    .run = generate_site};

static tal_status read_seed(const tal_invocation *invocation, uint64_t *seed, tal_error *err) {
    const char *text = tal_invocation_option(&PROGRAM, invocation, "seed");
    int64_t value = 1;
    *seed = 1;
    // JSON readers keep whole numbers only up to 2^53.
    if (text != NULL &&
        (!tal_text_to_integer(text, &value) || value < 0 || value > INT64_C(9007199254740991))) {
        return tal_error_add(err, TAL_BAD_USAGE,
                             "--seed=%s must be a whole number in [0, 9007199254740991]", text);
    }
    *seed = (uint64_t)value;
    return TAL_OK;
}

static tal_status read_density(const tal_invocation *invocation, double *scale, tal_error *err) {
    const char *text = tal_invocation_option(&PROGRAM, invocation, "density-scale");
    *scale = 1.0;
    if (text != NULL && (!tal_text_to_real(text, scale) || !(*scale >= 0.001 && *scale <= 100.0))) {
        return tal_error_add(err, TAL_BAD_USAGE,
                             "--density-scale=%s must be a number in [0.001, 100]", text);
    }
    return TAL_OK;
}

static tal_status find_site(const tal_invocation *invocation, const tal_site **site,
                            tal_error *err) {
    if (invocation->argument_count == 0) {
        return tal_error_add(err, TAL_BAD_USAGE, "which site? Say piton-marcel or slope");
    }
    const char *name = invocation->argument[0];
    *site = tal_site_find(name);
    if (*site == NULL) {
        const char *nearest = tal_text_nearest(name, tal_site_names);
        return tal_error_add(err, TAL_BAD_USAGE,
                             "site '%s' is not known%s%s. There are piton-marcel "
                             "and slope",
                             name, nearest != NULL ? "; did you mean " : "",
                             nearest != NULL ? nearest : "");
    }
    return TAL_OK;
}

static tal_status settle(const tal_invocation *invocation, tal_generation *wanted, tal_error *err) {
    *wanted = (tal_generation){.folder = invocation->out, .overwrite = invocation->overwrite};
    const tal_status statuses[] = {find_site(invocation, &wanted->site, err),
                                   read_seed(invocation, &wanted->seed, err),
                                   read_density(invocation, &wanted->density_scale, err)};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        TAL_TRY(statuses[i]);
    }
    return TAL_OK;
}

static tal_status check_arguments(tal_invocation *invocation, tal_error *err) {
    tal_generation wanted;
    return settle(invocation, &wanted, err);
}

static tal_status generate_site(const tal_invocation *invocation, tal_error *err) {
    tal_generation wanted;
    TAL_TRY(settle(invocation, &wanted, err));
#ifdef _OPENMP
    omp_set_num_threads(invocation->thread_count);
#endif
    return tal_generate(&wanted, err);
}

int main(int argc, char **argv) {
    return tal_program_main(&PROGRAM, argc, argv);
}
