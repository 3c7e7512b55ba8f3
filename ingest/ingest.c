// SPDX-License-Identifier: GPL-3.0-or-later
// The stage from end to end: look at everything, place it, grid it, compare it, write it.
#include "ingest/ingest.h"

#include "core/app/results.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "ingest/compare/cliff.h"
#include "ingest/read/pdal.h"
#include "ingest/volume/scenario.h"
#include "ingest/write/output.h"

#include <math.h>
#include <pthread.h>

// ---- Opening -----------------------------------------------------------------------------------

tal_status tal_ingest_check(const tal_settings *settings, tal_error *err) {
    const tal_site_settings *site = &settings->site;
    if (err->message_count > 0) {
        return err->status; // what is missing may stand in the lines that were not understood
    }
    if (site->before[0] == '\0') {
        tal_error_add(err, TAL_BAD_SETTING,
                      "[site] before = is empty: name the point clouds or rasters "
                      "of the ground before the event");
    }
    if (site->after[0] == '\0' && !tal_scenario_is_given(&settings->ingest)) {
        tal_error_add(
            err, TAL_BAD_SETTING,
            "[site] after = is empty: name the survey from after the "
            "event, or for a scenario give the source: [ingest] source = with plane_dip_deg, "
            "plane_dip_direction_deg and plane_depth_m, or thickness =, or base =");
    }
    if (site->bounds_m.count != 0 && site->bounds_m.count != 4) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "[site] bounds_m has %d numbers; it takes west south east "
                      "north",
                      site->bounds_m.count);
    }
    return err->status;
}

static bool needs_pdal(const tal_case *site) {
    const tal_survey_reader *surveys[2] = {&site->before.survey, &site->after.survey};
    const int ground = site->settings->ingest.ground;
    for (int s = 0; s < site->epoch_count; s++) {
        for (int i = 0; i < surveys[s]->file_count; i++) {
            const tal_format *format = surveys[s]->file[i].format;
            const bool filtered = ground == TAL_GROUND_SMRF || ground == TAL_GROUND_CSF;
            if (format->through_pdal || (filtered && !format->is_raster)) {
                return true;
            }
        }
    }
    return false;
}

static tal_status open_surveys(tal_case *site, tal_error *err) {
    const tal_settings *settings = site->settings;
    tal_survey_reader *surveys[2] = {&site->before.survey, &site->after.survey};
    const tal_status first =
        tal_survey_open(surveys[0], "before", settings, settings->site.before, err);
    const tal_status second =
        tal_survey_open(surveys[1], "after", settings, settings->site.after, err);
    TAL_TRY(first != TAL_OK ? first : second);
    site->epoch_count = surveys[1]->file_count > 0 ? 2 : 1;
    TAL_TRY(tal_site_crs_settle(&site->study, &settings->site, surveys, 2, err));
    const tal_status before =
        tal_survey_place(surveys[0], &site->study, &settings->site, settings->site.before_crs,
                         settings->site.before_unit, err);
    const tal_status after =
        tal_survey_place(surveys[1], &site->study, &settings->site, settings->site.after_crs,
                         settings->site.after_unit, err);
    TAL_TRY(before != TAL_OK ? before : after);
    char program[TAL_PATH_SIZE];
    if (needs_pdal(site) && !tal_pdal_find(program)) {
        return tal_pdal_missing(
            "a point cloud here needs PDAL (LAZ, E57, PLY or a PDAL ground filter)", err);
    }
    return TAL_OK;
}

static tal_status read_areas(tal_case *site, tal_error *err) {
    const tal_settings *settings = site->settings;
    const tal_crs *crs = site->study.crs;
    TAL_TRY(tal_areas_read(&site->area, settings, settings->site.area, "area", crs, err));
    TAL_TRY(tal_areas_read(&site->stable, settings, settings->ingest.stable, "stable", crs, err));
    TAL_TRY(tal_areas_read(&site->source, settings, settings->ingest.source, "source", crs, err));
    return tal_areas_read(&site->deposit, settings, settings->ingest.deposit, "deposit", crs, err);
}

static void close_case(tal_case *site) {
    tal_epoch_release(&site->before);
    tal_epoch_release(&site->after);
    tal_survey_close(&site->before.survey);
    tal_survey_close(&site->after.survey);
    tal_areas_destroy(&site->area);
    tal_areas_destroy(&site->stable);
    tal_areas_destroy(&site->source);
    tal_areas_destroy(&site->deposit);
    tal_site_crs_destroy(&site->study);
}

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

static void narrow(tal_bounds *bounds, tal_bounds other) {
    bounds->west = fmax(bounds->west, other.west);
    bounds->south = fmax(bounds->south, other.south);
    bounds->east = fmin(bounds->east, other.east);
    bounds->north = fmin(bounds->north, other.north);
}

static bool is_empty(tal_bounds b) {
    return !(b.west < b.east && b.south < b.north);
}

static tal_status refuse_disjoint(const char *first, tal_bounds a, const char *second, tal_bounds b,
                                  tal_error *err) {
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s (east %.0f to %.0f, north %.0f to %.0f) and %s (east %.0f to "
                    "%.0f, north %.0f to %.0f) do not overlap; are their coordinate systems right?",
                    first, a.west, a.east, a.south, a.north, second, b.west, b.east, b.south,
                    b.north);
}

static tal_status find_bounds(const tal_case *site, tal_bounds *bounds, tal_error *err) {
    const tal_reals *box = &site->settings->site.bounds_m;
    *bounds = site->before.survey.bounds;
    if (site->epoch_count == 2) {
        narrow(bounds, site->after.survey.bounds);
        if (is_empty(*bounds)) {
            return refuse_disjoint("the surveys from before", site->before.survey.bounds,
                                   "from after", site->after.survey.bounds, err);
        }
    }
    const tal_bounds data = *bounds;
    if (site->area.count > 0) {
        narrow(bounds, tal_areas_bounds(&site->area));
    }
    if (box->count == 4) {
        narrow(bounds, (tal_bounds){box->value[0], box->value[1], box->value[2], box->value[3]});
    }
    if (is_empty(*bounds)) {
        const tal_bounds asked = site->area.count > 0 ? tal_areas_bounds(&site->area)
                                                      : (tal_bounds){box->value[0], box->value[1],
                                                                     box->value[2], box->value[3]};
        return refuse_disjoint("the surveys", data, "the area of interest", asked, err);
    }
    return TAL_OK;
}

// One grid, one whole-number origin near its middle for everything.
static tal_status settle_grid(tal_case *site, tal_grid *grid, tal_error *err) {
    tal_bounds bounds;
    TAL_TRY(find_bounds(site, &bounds, err));
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
    return tal_output_summary(result, err);
}

static tal_status write_all(tal_ingest_result *result, hashing *inputs, tal_error *err) {
    TAL_TRY(hashing_wait(inputs, err));
    result->provenance = inputs->provenance;
    TAL_TRY(tal_results_begin(result->folder, "ingest", err));
    return tal_results_end(write_files(result, err), err);
}

static void tell_volume(const char *name, const tal_volume_estimate *v) {
    if (v->area_m2 > 0.0) {
        char text[128];
        tal_volume_text(v, text, sizeof text);
        tal_log_info("%s: %s on %.0f m2, up to %.3g m thick", name, text, v->area_m2,
                     v->max_thickness_m);
    } else {
        tal_log_warn("no %s was found beyond the level of detection", name);
    }
}

static void tell(const tal_ingest_result *result) {
    const tal_comparison *a = result->cliff != NULL ? result->cliff : result->vertical;
    const tal_registration *r = &a->registration;
    if (result->site->epoch_count == 2) {
        if (r->done) {
            tal_log_info(
                "co-registered: the survey from after moved by %.3f %.3f %.3f m (east, north, "
                "up)",
                r->motion.shift[0], r->motion.shift[1], r->motion.shift[2]);
        }
        tal_log_info("stable terrain: median %.3f m, NMAD %.3f m (before the fit %.3f m, %.3f m)",
                     r->at_last.median, r->at_last.nmad, r->at_first.median, r->at_first.nmad);
    }
    tell_volume("source", result->source);
    tell_volume("deposit", result->deposit);
}

static tal_status run_two_epochs(tal_case *site, const tal_grid *grid, tal_ingest_result *result,
                                 hashing *inputs, tal_error *err) {
    const tal_rigid upright = tal_rigid_identity();
    tal_comparison vertical = {0}, cliff = {0};
    tal_layers layers = {0};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_comparison_run(&vertical, site, &upright, grid, err));
    result->vertical = &vertical;
    result->source_slope_deg = tal_comparison_slope(&vertical, vertical.change.source);
    TAL_TRY_OR_DONE(tal_cliff_analyse(&cliff, site, &vertical, result->source_slope_deg, err));
    result->cliff = cliff.is_cliff ? &cliff : NULL;
    result->source = cliff.is_cliff ? &cliff.source : &vertical.source;
    result->deposit_on_cliff = cliff.is_cliff && tal_cliff_holds_deposit(&vertical);
    result->deposit = result->deposit_on_cliff ? &cliff.deposit : &vertical.deposit;
    TAL_TRY_OR_DONE(tal_layers_create(&layers, grid, err));
    tal_layers_fill(&layers, &vertical, result->cliff, result->deposit_on_cliff,
                    site->settings->ingest.bed);
    result->layers = &layers;
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
    result->vertical = &alone;
    result->source = &scenario.source;
    result->deposit = &scenario.deposit;
    result->layers = &scenario.layers;
    TAL_TRY_OR_DONE(write_all(result, inputs, err));
    tell_volume("source", result->source);
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
    site->settings = settings;
    site->depth_max = INFINITY;
    tal_gdal_init();
    TAL_TRY_OR_DONE(open_surveys(site, err));
    TAL_TRY_OR_DONE(read_areas(site, err));
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
    close_case(site);
    tal_memory_destroy(site);
    return status;
}
