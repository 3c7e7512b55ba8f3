// SPDX-License-Identifier: GPL-3.0-or-later
// The whole of post-processing.
#include "postproc/post.h"

#include "core/app/number.h"
#include "core/app/provenance.h"
#include "core/app/results.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "postproc/figures/figures.h"
#include "postproc/inputs.h"
#include "postproc/measure/back_analysis.h"
#include "postproc/measure/ground_mesh.h"
#include "postproc/report/film.h"
#include "postproc/report/report.h"
#include "postproc/report/report_calibration.h"
#include "postproc/report/thumbnail.h"
#include "postproc/write/export.h"
#include "postproc/write/gis.h"
#include "postproc/write/maps.h"
#include "postproc/write/paraview.h"
#include "postproc/write/paraview_elements.h"
#include "postproc/write/score_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// In the order in which provenance lists them. What has no maker may be missing.
static const tal_input_file SURVEY[] = {{"ingest.json", "talus-ingest"},
                                        {"before.tif", NULL},
                                        {"after.tif", NULL},
                                        {"bed.tif", "talus-ingest"},
                                        {"dz.tif", NULL},
                                        {"lod.tif", NULL},
                                        {"source.tif", "talus-ingest"},
                                        {"deposit.tif", NULL},
                                        {"terrain.nc", "talus-mesh"},
                                        {"mesh.json", NULL}};
static const tal_input_file RUN[] = {{"blocks.nc", "talus-mesh"}, {"run.nc", "talus-solve"}};
enum { SURVEY_FILES = sizeof SURVEY / sizeof *SURVEY, RUN_FILES = sizeof RUN / sizeof *RUN };

static tal_status describe(tal_provenance *provenance, const tal_invocation *invocation,
                           const char *const *runs, int run_count, tal_error *err) {
    TAL_TRY(tal_provenance_create(provenance, "talus-post", &invocation->settings, TAL_STAGE_POST,
                                  err));
    TAL_TRY(tal_inputs_add(provenance, invocation->out, SURVEY, SURVEY_FILES, err));
    const char *cursor[] = {invocation->settings.report.image,
                            invocation->settings.report.calibration};
    char path[TAL_PATH_SIZE];
    for (size_t i = 0; i < sizeof cursor / sizeof *cursor; i++) {
        while (tal_settings_next_file(&invocation->settings, &cursor[i], path)) {
            if (tal_file_exists(path)) { // else the report says what is wrong with it
                TAL_TRY(tal_provenance_add_input(provenance, path, err));
            }
        }
    }
    for (int i = 0; i < run_count && provenance->input_count + 2 <= TAL_PROVENANCE_INPUTS_MAX;
         i++) {
        TAL_TRY(tal_inputs_add(provenance, runs[i], RUN, RUN_FILES, err));
    }
    return TAL_OK;
}

// Every input that is missing, named at once.
static tal_status check_inputs(const tal_invocation *invocation, const char *const *runs,
                               int run_count, tal_error *err) {
    tal_error_reset(err);
    tal_inputs_check(invocation->out, SURVEY, SURVEY_FILES, err);
    for (int i = 0; i < run_count; i++) {
        tal_inputs_check(runs[i], RUN, RUN_FILES, err);
    }
    return err->status;
}

static tal_status write_all(const tal_back_analysis *a, const tal_output_place *place,
                            bool with_film, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_ground_mesh ground;
    tal_figures figures = {0};
    TAL_TRY(tal_output_path(place, "terrain.nc", path, err));
    tal_log_info("writing maps");
    TAL_TRY(tal_maps_write(a, place, err));
    TAL_TRY(tal_score_file_write(a, place, err));
    TAL_TRY(tal_ground_mesh_read(&ground, path, &a->survey.origin, err));
    tal_status status = TAL_OK;
    tal_log_info("writing layers for QGIS");
    TAL_TRY_OR_DONE(tal_gis_write(a, place, err));
    TAL_TRY_OR_DONE(tal_export_write(a, place, err));
    tal_log_info("writing the motion for ParaView");
    TAL_TRY_OR_DONE(
        tal_paraview_write(a, &ground, place->settings->report.paraview_mb, place, err));
    TAL_TRY_OR_DONE(
        tal_paraview_write_elements(a, place->settings->report.paraview_mb, place, err));
    if (place->settings->report.figures) {
        tal_log_info("drawing figures");
        TAL_TRY_OR_DONE(tal_figures_write(&figures, a, place, err));
    }
    tal_log_info("writing the report");
    TAL_TRY_OR_DONE(tal_thumbnail_write(a, place, err));
    TAL_TRY_OR_DONE(tal_report_write(a, &ground, &figures, place, err));
    if (with_film) {
        TAL_TRY_OR_DONE(tal_film_write(place, err));
    }
    status = tal_interrupt_check(err); // before anything is replaced
done:
    tal_ground_mesh_destroy(&ground);
    return status;
}

static void say_result(const tal_back_analysis *a) {
    if (a->trust.level == TAL_TRUST_BAD) {
        tal_log_warn("do not trust this result:");
    }
    for (int i = 0; i < TAL_TRUST_CHECKS; i++) {
        if (a->trust.check[i].level != TAL_TRUST_GOOD) {
            tal_log_warn("%s", a->trust.check[i].text);
        }
    }
    const double *v = a->scores.value, runout = v[TAL_SCORE_runout_error_m];
    char iou[TAL_NUMBER_SIZE + 4], error[TAL_NUMBER_SIZE], ratio[TAL_NUMBER_SIZE];
    (void)tal_number_format(iou, v[TAL_SCORE_iou]);
    if (a->no_runout != NULL) {
        tal_log_info("%s%sthere is no runout to report", a->has_survey_deposit ? "IoU " : "",
                     a->has_survey_deposit ? strcat(iou, "; ") : "");
    } else if (a->has_survey_deposit && isfinite(runout)) {
        tal_log_info("IoU %s, runout error %s m, volume ratio %s", iou,
                     tal_number_format(error, runout),
                     tal_number_format(ratio, v[TAL_SCORE_volume_ratio]));
    } else if (a->has_survey_deposit) {
        tal_log_info("IoU %s: there is no simulated deposit to measure", iou);
    } else if (a->surveys_are_apart) {
        tal_log_warn("no cell has a value in both surveys: scores that compare are left out; see "
                     "before.tif and after.tif");
    } else {
        tal_log_warn("there is no surveyed deposit: scores that compare are left out");
    }
}

tal_status tal_post_print_variants(const tal_invocation *invocation, tal_error *err) {
    tal_text text = {0};
    tal_variants_append(&text, &invocation->settings);
    const tal_status status =
        text.failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the variants") : TAL_OK;
    (void)fputs(tal_text_string(&text), stdout);
    tal_text_destroy(&text);
    return status;
}

tal_status tal_post_run(const tal_invocation *invocation, bool with_film, tal_error *err) {
    const char *const own[1] = {invocation->out};
    const char *const *runs = invocation->argument_count > 0 ? invocation->argument : own;
    const int run_count = invocation->argument_count > 0 ? invocation->argument_count : 1;
    tal_status status = TAL_OK;
    tal_provenance provenance = {0};
    tal_back_analysis analysis = {0};
    tal_output_place place = {0};
    TAL_TRY(check_inputs(invocation, runs, run_count, err));
    TAL_TRY(tal_report_calibration_check(&invocation->settings, err));
    if (with_film) {
        TAL_TRY(tal_film_check(err));
    }
    TAL_TRY_OR_DONE(describe(&provenance, invocation, runs, run_count, err));
    TAL_TRY_OR_DONE(tal_output_place_create(&place, invocation, &provenance, err));
    tal_log_info("reading %d run%s", run_count, run_count == 1 ? "" : "s");
    TAL_TRY_OR_DONE(tal_back_analysis_create(&analysis, invocation->out, runs, run_count,
                                             &invocation->settings, err));
    TAL_TRY_OR_DONE(tal_results_begin(invocation->out, "post", err));
    TAL_TRY_OR_DONE(tal_results_end(write_all(&analysis, &place, with_film, err), err));
    say_result(&analysis);
done:
    tal_back_analysis_destroy(&analysis);
    tal_output_place_destroy(&place);
    tal_provenance_destroy(&provenance);
    return status;
}
