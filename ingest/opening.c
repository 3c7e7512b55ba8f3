// SPDX-License-Identifier: GPL-3.0-or-later
// Each step adds its mistakes to those of the others and goes on as far as it can without them.
#include "ingest/opening.h"

#include "core/geo/raster_file.h"
#include "ingest/read/pdal.h"
#include "ingest/volume/scenario.h"

#include <math.h>

// ---- Settings ----------------------------------------------------------------------------------

static bool is_scenario(const tal_settings *s) {
    return (s->site.before[0] == '\0') != (s->site.after[0] == '\0');
}

static void check_scenario(const tal_settings *s, tal_error *err) {
    const char *missing = s->site.after[0] == '\0' ? "after" : "before";
    if (!tal_scenario_is_given(s)) {
        tal_error_add(
            err, TAL_BAD_SETTING,
            "[site] %s = is empty: name the survey from %s the event, or for a scenario "
            "with one survey say what falls: [ingest] source = (polygons) with "
            "plane_dip_deg, plane_dip_direction_deg and plane_depth_m, or thickness =, or "
            "base =, or [mesh] blocks = import for blocks of your own, or blocks = forms for the "
            "rocks of a [release]",
            missing, missing);
    }
    if (s->ingest.thickness[0] != '\0' && s->ingest.base[0] != '\0') {
        tal_error_add(err, TAL_BAD_SETTING,
                      "[ingest] thickness = and base = both say what falls; keep one of them");
    }
    if (s->ingest.thickness[0] != '\0' && s->ingest.thickness_is == TAL_THICKNESS_ASK) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "[ingest] thickness = is given, but not where it lies: set thickness_is = "
                      "below if it is a depth dug out of the survey's surface, or thickness_is = "
                      "above if it is a pile on top of it, as in flow models");
    }
}

static void check_settings(const tal_settings *s, tal_error *err) {
    if (s->site.before[0] == '\0' && s->site.after[0] == '\0') {
        tal_error_add(err, TAL_BAD_SETTING,
                      "[site] before = and after = are empty: name the point clouds or rasters of "
                      "the ground before and after the event (one of them for a scenario)");
    } else if (is_scenario(s)) {
        check_scenario(s, err);
    }
    if (s->site.bounds_m.count != 0 && s->site.bounds_m.count != 4) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "[site] bounds_m has %d numbers; it takes west south east north",
                      s->site.bounds_m.count);
    }
}

// ---- Surveys -----------------------------------------------------------------------------------

static void gather(tal_error *all, tal_status status, const tal_error *own) {
    if (status != TAL_OK) {
        tal_error_add(all, status, "%s", own->text);
    }
}

static bool needs_pdal(const tal_case *site) {
    const tal_survey_reader *surveys[2] = {&site->before.survey, &site->after.survey};
    const int ground = site->settings->ingest.ground;
    const bool filtered = ground == TAL_GROUND_SMRF || ground == TAL_GROUND_CSF;
    for (int s = 0; s < site->epoch_count; s++) {
        for (int i = 0; i < surveys[s]->file_count; i++) {
            const tal_format *format = surveys[s]->file[i].format;
            if (format != NULL && (format->through_pdal || (filtered && !format->is_raster))) {
                return true;
            }
        }
    }
    return false;
}

static void check_pdal(const tal_case *site, tal_error *err) {
    char program[TAL_PATH_SIZE];
    tal_error own;
    tal_error_reset(&own);
    if (needs_pdal(site) && !tal_pdal_find(program)) {
        gather(err,
               tal_pdal_missing(
                   "a point cloud here needs PDAL (LAZ, E57, PLY or a PDAL ground filter)", &own),
               &own);
    }
}

// The words of the site file for one epoch.
typedef struct {
    const char *name, *files, *crs;
    int unit;
} epoch_words;

static void open_surveys(tal_case *site, tal_error *err) {
    const tal_site_settings *s = &site->settings->site;
    const epoch_words before = {"before", s->before, s->before_crs, s->before_unit};
    const epoch_words after = {"after", s->after, s->after_crs, s->after_unit};
    // With one survey it does not matter which of the two words names it.
    const epoch_words words[2] = {s->before[0] != '\0' ? before : after, after};
    tal_survey_reader *surveys[2] = {&site->before.survey, &site->after.survey};
    tal_error own;
    site->epoch_count = is_scenario(site->settings) ? 1 : 2;
    for (int k = 0; k < site->epoch_count; k++) {
        tal_error_reset(&own);
        gather(err,
               tal_survey_open(surveys[k], words[k].name, site->settings, words[k].files, &own),
               &own);
    }
    tal_error_reset(&own);
    if (surveys[0]->file_count > 0) {
        gather(err,
               tal_site_crs_settle(&site->study, s, words[0].crs, surveys, site->epoch_count, &own),
               &own);
    }
    for (int k = 0; k < site->epoch_count; k++) {
        tal_error_reset(&own);
        gather(err,
               tal_survey_place(surveys[k], &site->study, s, words[k].crs, words[k].unit, &own),
               &own);
    }
    check_pdal(site, err);
}

// ---- Outlines and rasters ----------------------------------------------------------------------

static void read_areas(tal_case *site, tal_error *err) {
    const tal_settings *s = site->settings;
    const struct {
        tal_areas *areas;
        const char *files, *key;
    } lists[] = {{&site->area, s->site.area, "area"},
                 {&site->stable, s->ingest.stable, "stable"},
                 {&site->source, s->ingest.source, "source"},
                 {&site->deposit, s->ingest.deposit, "deposit"}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        tal_error own;
        tal_error_reset(&own);
        gather(
            err,
            tal_areas_read(lists[i].areas, s, lists[i].files, lists[i].key, site->study.crs, &own),
            &own);
    }
}

static void look_at_raster(const tal_case *site, const char *files, tal_error *err) {
    char path[TAL_PATH_SIZE];
    while (tal_settings_next_file(site->settings, &files, path)) {
        tal_raster_info info;
        tal_error own;
        tal_error_reset(&own);
        const tal_status status = tal_raster_info_read(&info, path, &own);
        gather(err, status, &own);
        if (status == TAL_OK) {
            tal_raster_info_destroy(&info);
        }
    }
}

tal_status tal_case_open(tal_case *site, const tal_settings *settings, tal_error *err) {
    site->settings = settings;
    site->findings.settings = settings;
    site->depth_max = INFINITY;
    check_settings(settings, err);
    open_surveys(site, err);
    read_areas(site, err);
    look_at_raster(site, settings->ingest.thickness, err);
    look_at_raster(site, settings->ingest.base, err);
    if (site->epoch_count == 1) {
        tal_scenario_check(site, err);
    }
    return err->message_count > 0 ? err->status : TAL_OK;
}

void tal_case_close(tal_case *site) {
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
