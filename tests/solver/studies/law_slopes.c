// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the ensembles on slopes, a line per time step:
//   solver_law_slopes plane|break [law=... mu=... e=... et=...] [dt=0.02]... [starts=240]
//   [slope=35] [length=100] [a=1 b=0.9 c=0.8]
#include "tests/solver/studies/slopes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    slope_study study;
    double dt[16];
    int dt_count;
} options;

static bool set_option(options *o, const char *word) {
    const struct {
        const char *key;
        double *target;
    } real[] = {{"slope=", &o->study.slope_deg}, {"length=", &o->study.length},
                {"a=", &o->study.edge[0]},       {"b=", &o->study.edge[1]},
                {"c=", &o->study.edge[2]},       {"speed=", &o->study.speed}};
    if (study_set_law(&o->study.law, word)) {
        return true;
    }
    if (strncmp(word, "dt=", 3) == 0 && o->dt_count < 16) {
        o->dt[o->dt_count++] = strtod(word + 3, NULL);
        return true;
    }
    if (strncmp(word, "starts=", 7) == 0) {
        o->study.starts = atoi(word + 7);
        return o->study.starts > 1;
    }
    if (strncmp(word, "seed=", 5) == 0) {
        o->study.seed = strtoull(word + 5, NULL, 10);
        return true;
    }
    for (size_t k = 0; k < sizeof real / sizeof real[0]; k++) {
        if (strncmp(word, real[k].key, strlen(real[k].key)) == 0) {
            *real[k].target = strtod(word + strlen(real[k].key), NULL);
            return true;
        }
    }
    return false;
}

static void print_line(const slope_study *study, const slope_result *result) {
    const study_numbers *n = study->flat == 0.0 ? &result->arrival : &result->stop;
    const tal_law *law = &study->law;
    printf("%d %g %g %g  %-8g %7.3f +- %.3f  %7.2f %7.2f %7.2f  %d  %.1e\n", (int)law->kind,
           law->friction, law->restitution, law->tangential_restitution, study->dt, n->mean,
           n->error, n->low, n->median, n->high, result->missing, result->rise);
    fflush(stdout);
}

int main(int argc, char **argv) {
    tal_error err = {0};
    const bool is_break = argc > 1 && strcmp(argv[1], "break") == 0;
    options o = {.study = is_break ? slope_study_break(study_default_law(), 0.0, 240)
                                   : slope_study_plane(study_default_law(), 0.0, 240)};
    for (int k = 2; k < argc; k++) {
        if (!set_option(&o, argv[k])) {
            fprintf(stderr, "solver_law_slopes: '%s' is not known\n", argv[k]);
            return 2;
        }
    }
    if (o.dt_count == 0) {
        o = (options){.study = o.study, .dt = {0.02, 0.005, 0.00125}, .dt_count = 3};
    }
    printf("# law mu e et  dt_s  mean +- its error  5%% 50%% 95%%  missing  worst relative rise\n");
    for (int k = 0; k < o.dt_count; k++) {
        slope_result result;
        o.study.dt = o.dt[k];
        if (slope_study_run(&o.study, &result, &err) != TAL_OK) {
            fprintf(stderr, "solver_law_slopes: %s\n", err.text);
            return 1;
        }
        print_line(&o.study, &result);
    }
    return 0;
}
