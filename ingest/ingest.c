// SPDX-License-Identifier: GPL-3.0-or-later
// The stage from end to end: look at everything, place it, grid it, compare it, write it.
#include "ingest/ingest.h"

#include "core/app/number.h"
#include "core/app/results.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "ingest/check/outcome.h"
#include "ingest/check/places.h"
#include "ingest/check/registration.h"
#include "ingest/check/release.h"
#include "ingest/compare/cliff.h"
#include "ingest/opening.h"
#include "ingest/read/pdal.h"
#include "ingest/volume/scenario.h"
#include "ingest/write/output.h"

#include <math.h>
#include <pthread.h>

// ---- Reading -----------------------------------------------------------------------------------

static tal_status scan(tal_case *site, const char *folder, tal_overwrite overwrite,
                       tal_error *err) {
    const int ground = site->settings->ingest.ground;
    const int work = ground == TAL_GROUND_SMRF  ? TAL_PDAL_SMRF
                     : ground == TAL_GROUND_CSF ? TAL_PDAL_CSF
                                                : TAL_PDAL_CONVERT;
    TAL_TRY(tal_survey_convert(&site->before.survey, folder, overwrite, work, err));
    TAL_TRY(tal_survey_convert(&site->after.survey, folder, overwrite, work, err));
    TAL_TRY(tal_survey_scan(&site->before.survey, folder, err));
    return tal_survey_scan(&site->after.survey, folder, err);
}

// ---- The grid ----------------------------------------------------------------------------------

// One grid, one whole-number origin near its middle for everything.
static tal_status settle_grid(tal_case *site, tal_grid *grid, tal_error *err) {
    tal_bounds bounds;
    tal_check_places(site, &bounds);
    if (tal_findings_refuse(&site->findings)) {
        return tal_findings_tell(&site->findings, err);
    }
    tal_check_release_bounds(site, bounds, err);
    tal_check_stops(site, bounds, err);
    if (err->message_count > 0) {
        return err->status;
    }
    const double low = fmin(site->before.survey.low, site->after.survey.low);
    site->study.origin =
        tal_origin_near(0.5 * (bounds.west + bounds.east), 0.5 * (bounds.south + bounds.north),
                        isfinite(low) ? low : 0.0);
    TAL_TRY(tal_grid_fit(grid, bounds, site->settings->ingest.cell_m, err));
    if ((double)grid->columns * (double)grid->rows > 4e8) {
        return TAL_FAIL(err, TAL_TOO_LARGE,
                        "a grid of %d by %d cells is too large; choose a larger "
                        "cell_m or a smaller area",
                        grid->columns, grid->rows);
    }
    grid->west -= (double)site->study.origin.east;
    grid->north -= (double)site->study.origin.north;
    tal_areas_move(&site->area, site->study.origin);
    tal_areas_move(&site->stable, site->study.origin);
    tal_areas_move(&site->source, site->study.origin);
    tal_areas_move(&site->deposit, site->study.origin);
    return TAL_OK;
}

// ---- Results -----------------------------------------------------------------------------------

static tal_status add_files(tal_provenance *provenance, const tal_settings *settings,
                            const char *files, tal_error *err) {
    char path[TAL_PATH_SIZE];
    while (tal_settings_next_file(settings, &files, path)) {
        TAL_TRY(tal_provenance_add_input(provenance, path, err));
    }
    return TAL_OK;
}

static tal_status note_inputs(tal_provenance *provenance, const tal_settings *settings,
                              tal_error *err) {
    const char *const lists[] = {settings->site.before,      settings->site.after,
                                 settings->site.area,        settings->ingest.stable,
                                 settings->ingest.source,    settings->ingest.deposit,
                                 settings->ingest.thickness, settings->ingest.base};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        TAL_TRY(add_files(provenance, settings, lists[i], err));
    }
    return TAL_OK;
}

// Hashing the inputs takes as long as reading them: it runs beside the work.
typedef struct {
    pthread_t thread;
    bool started;
    const tal_settings *settings;
    tal_provenance *provenance;
    tal_status status;
    tal_error err;
} hashing;

static void *hash_inputs(void *context) {
    hashing *h = context;
    h->status = tal_provenance_create(h->provenance, "talus-ingest", h->settings, TAL_STAGE_INGEST,
                                      &h->err);
    if (h->status == TAL_OK) {
        h->status = note_inputs(h->provenance, h->settings, &h->err);
    }
    return NULL;
}

static tal_status hashing_start(hashing *h, const tal_settings *settings, tal_error *err) {
    *h = (hashing){.settings = settings};
    TAL_CREATE(h->provenance, 1, "the provenance", err);
    h->started = pthread_create(&h->thread, NULL, hash_inputs, h) == 0;
    if (!h->started) {
        hash_inputs(h);
    }
    return TAL_OK;
}

static tal_status hashing_wait(hashing *h, tal_error *err) {
    if (h->started) {
        pthread_join(h->thread, NULL);
        h->started = false;
    }
    return h->status == TAL_OK ? TAL_OK : TAL_FAIL(err, h->status, "%s", h->err.text);
}

static void hashing_end(hashing *h) {
    if (h->started) {
        pthread_join(h->thread, NULL);
    }
    if (h->provenance != NULL) {
        tal_provenance_destroy(h->provenance);
    }
    tal_memory_destroy(h->provenance);
}

static tal_status write_files(const tal_ingest_result *result, tal_error *err) {
    TAL_TRY(tal_output_rasters(result, err));
    TAL_TRY(tal_output_geopackage(result, err));
    TAL_TRY(tal_output_quick_look(result, err));
    TAL_TRY(tal_output_page(result, err));
    TAL_TRY(tal_output_summary(result, err));
    return tal_interrupt_check(err); // before anything is replaced
}

static tal_status write_all(tal_ingest_result *result, hashing *inputs, tal_error *err) {
    TAL_TRY(hashing_wait(inputs, err));
    TAL_TRY(tal_interrupt_check(err));
    result->provenance = inputs->provenance;
    TAL_TRY(tal_results_begin(result->folder, "ingest", err));
    return tal_results_end(write_files(result, err), err);
}

static void tell_volume(const char *name, const tal_volume_estimate *v) {
    if (v->area_m2 > 0.0) {
        char text[128], thick[TAL_NUMBER_SIZE];
        tal_volume_text(v, text, sizeof text);
        tal_log_info("%s: %s on %.0f m2, up to %s m thick", name, text, v->area_m2,
                     tal_number_format(thick, v->max_thickness_m));
    }
}

static void tell(const tal_ingest_result *result) {
    const tal_comparison *a = result->cliff != NULL ? result->cliff : result->vertical;
    const tal_registration *r = &a->registration;
    if (result->site->epoch_count == 2) {
        if (r->done) {
            tal_log_info(
                "co-registered: the later survey was moved by %.3f %.3f %.3f m (east, north, "
                "up)",
                r->motion.shift[0], r->motion.shift[1], r->motion.shift[2]);
        }
        tal_log_info("stable terrain: median %.3f m, NMAD %.3f m (before the fit %.3f m, %.3f m)",
                     r->at_last.median, r->at_last.nmad, r->at_first.median, r->at_first.nmad);
    }
    tell_volume("source", result->source);
    tell_volume("deposit", result->deposit);
    const tal_patches *dropped = &result->vertical->change.dropped;
    if (dropped->count > 0) {
        char volume[TAL_NUMBER_SIZE];
        tal_log_info("%lld patches of change were dropped, the largest with %.0f m2 and %s m3; "
                     "ingest.json lists them",
                     (long long)dropped->count + (long long)dropped->left_out,
                     dropped->item[0].area_m2,
                     tal_number_format(volume, dropped->item[0].volume_m3));
    }
}

static tal_status run_two_epochs(tal_case *site, const tal_grid *grid, tal_ingest_result *result,
                                 hashing *inputs, tal_error *err) {
    const tal_rigid upright = tal_rigid_identity();
    tal_comparison vertical = {0}, cliff = {0};
    tal_layers layers = {0};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_comparison_run(&vertical, site, &upright, grid, err));
    if (tal_findings_refuse(&site->findings)) {
        TAL_TRY_OR_DONE(tal_findings_tell(&site->findings, err));
    }
    result->vertical = &vertical;
    result->source_slope_deg = tal_comparison_slope(&vertical, vertical.change.source);
    TAL_TRY_OR_DONE(tal_interrupt_check(err));
    TAL_TRY_OR_DONE(tal_cliff_analyse(&cliff, site, &vertical, result->source_slope_deg, err));
    result->cliff = cliff.is_cliff ? &cliff : NULL;
    result->source = cliff.is_cliff ? &cliff.source : &vertical.source;
    result->deposit_on_cliff = cliff.is_cliff && tal_cliff_holds_deposit(&vertical);
    result->deposit = result->deposit_on_cliff ? &cliff.deposit : &vertical.deposit;
    TAL_TRY_OR_DONE(tal_check_registration(site, cliff.is_cliff ? &cliff : &vertical, err));
    TAL_TRY_OR_DONE(tal_check_outcome(site, &vertical, result->source, result->deposit, err));
    TAL_TRY_OR_DONE(tal_findings_tell(&site->findings, err));
    TAL_TRY_OR_DONE(tal_layers_create(&layers, grid, err));
    tal_layers_fill(&layers, &vertical, result->cliff, result->deposit_on_cliff,
                    site->settings->ingest.bed);
    result->layers = &layers;
    TAL_TRY_OR_DONE(tal_check_release_bed(site, grid, &layers, err));
    TAL_TRY_OR_DONE(write_all(result, inputs, err));
    tell(result);
done:
    tal_layers_destroy(&layers);
    tal_comparison_destroy(&vertical);
    tal_comparison_destroy(&cliff);
    return status;
}

static tal_status run_scenario(tal_case *site, const tal_grid *grid, tal_ingest_result *result,
                               hashing *inputs, tal_error *err) {
    const tal_rigid upright = tal_rigid_identity();
    tal_comparison alone = {0};
    tal_scenario scenario = {0};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_comparison_run(&alone, site, &upright, grid, err));
    TAL_TRY_OR_DONE(tal_scenario_make(&scenario, site, &alone, err));
    TAL_TRY_OR_DONE(tal_findings_tell(&site->findings, err));
    result->vertical = &alone;
    result->source = &scenario.source;
    result->deposit = &scenario.deposit;
    result->layers = &scenario.layers;
    TAL_TRY_OR_DONE(tal_check_release_bed(site, grid, &scenario.layers, err));
    TAL_TRY_OR_DONE(write_all(result, inputs, err));
    tell_volume("source as given, up to the size of a cell", result->source);
done:
    tal_scenario_destroy(&scenario);
    tal_comparison_destroy(&alone);
    return status;
}

tal_status tal_ingest_run(const tal_settings *settings, const char *folder, tal_overwrite overwrite,
                          tal_error *err) {
    tal_case *site = NULL;
    hashing *inputs = NULL;
    tal_grid grid;
    tal_status status = TAL_OK;
    TAL_CREATE(site, 1, "a study", err);
    tal_gdal_init();
    TAL_TRY_OR_DONE(tal_case_open(site, settings, err));
    TAL_TRY_OR_DONE(tal_output_check(folder, overwrite, err));
    TAL_CREATE_OR_DONE(inputs, 1, "the provenance", err);
    TAL_TRY_OR_DONE(hashing_start(inputs, settings, err));
    TAL_TRY_OR_DONE(scan(site, folder, overwrite, err));
    TAL_TRY_OR_DONE(settle_grid(site, &grid, err));
    tal_ingest_result result = {
        .folder = folder, .overwrite = overwrite, .site = site, .source_slope_deg = NAN};
    TAL_TRY_OR_DONE(site->epoch_count == 2 ? run_two_epochs(site, &grid, &result, inputs, err)
                                           : run_scenario(site, &grid, &result, inputs, err));
done:
    if (inputs != NULL) {
        hashing_end(inputs);
    }
    tal_memory_destroy(inputs);
    tal_case_close(site);
    tal_memory_destroy(site);
    return status;
}
