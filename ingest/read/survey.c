// SPDX-License-Identifier: GPL-3.0-or-later
// Files of an epoch before their points are read: formats, coordinate systems, units of height.
#define _POSIX_C_SOURCE 200809L
#include "ingest/read/survey.h"

#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "ingest/read/pdal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Opening -----------------------------------------------------------------------------------

static tal_status look_at(tal_survey_file *file, tal_error *err) {
    file->height_factor = 1.0;
    TAL_TRY(tal_file_check_readable(file->path, err));
    file->format = tal_format_find(file->path);
    TAL_TRY(file->format->look(file->path, &file->header, err));
    file->point_count = file->header.point_count;
    if (file->header.note[0] != '\0') {
        tal_log_warn("%s: %s", file->path, file->header.note);
    }
    return TAL_OK;
}

static int count_files(const tal_settings *settings, const char *files) {
    char path[TAL_PATH_SIZE];
    int count = 0;
    while (tal_settings_next_file(settings, &files, path)) {
        count++;
    }
    return count;
}

tal_status tal_survey_open(tal_survey_reader *survey, const char *name,
                           const tal_settings *settings, const char *files, tal_error *err) {
    tal_status first = TAL_OK;
    *survey = (tal_survey_reader){.name = name};
    const int count = count_files(settings, files);
    if (count == 0) {
        return TAL_OK;
    }
    TAL_CREATE(survey->file, (size_t)count, "files of a survey", err);
    survey->file_count = count;
    for (int i = 0; i < count; i++) {
        tal_survey_file *file = &survey->file[i];
        tal_error own;
        tal_error_reset(&own);
        tal_settings_next_file(settings, &files, file->path);
        const tal_status status = look_at(file, &own);
        if (status != TAL_OK) {
            tal_error_add(err, status, "%s", own.text);
            first = first == TAL_OK ? status : first;
            file->format = NULL;
        }
        survey->has_rasters |= file->format != NULL && file->format->is_raster;
        survey->has_clouds |= file->format != NULL && !file->format->is_raster;
    }
    return first;
}

void tal_survey_close(tal_survey_reader *survey) {
    for (int i = 0; i < survey->file_count && survey->file != NULL; i++) {
        tal_survey_file *file = &survey->file[i];
        tal_crs_transform_destroy(file->to_study);
        tal_crs_transform_destroy(file->from_study);
        tal_crs_destroy(file->crs);
        tal_memory_destroy(file->header.crs_definition);
        if (file->las_path[0] != '\0') {
            remove(file->las_path);
        }
    }
    tal_scratch_destroy(survey->scratch);
    tal_memory_destroy(survey->file);
    *survey = (tal_survey_reader){0};
}

// ---- Coordinate systems ------------------------------------------------------------------------

static const tal_survey_file *first_with_definition(tal_survey_reader *const *surveys,
                                                    int survey_count) {
    for (int s = 0; s < survey_count; s++) {
        for (int i = 0; i < surveys[s]->file_count; i++) {
            if (surveys[s]->file[i].header.crs_definition != NULL) {
                return &surveys[s]->file[i];
            }
        }
    }
    return NULL;
}

// Degrees by its tag, metres by its numbers.
static bool tag_is_wrong(const tal_survey_file *file, const tal_crs *tag) {
    const tal_file_header *h = &file->header;
    return tal_crs_get_info(tag)->is_geographic && h->has_extent &&
           (fmax(fabs(h->low[0]), fabs(h->high[0])) > 540.0 ||
            fmax(fabs(h->low[1]), fabs(h->high[1])) > 360.0);
}

static tal_status refuse_tag(const tal_survey_file *file, const tal_crs *tag, const char *key,
                             tal_error *err) {
    const tal_file_header *h = &file->header;
    return TAL_FAIL(err, TAL_BAD_CRS,
                    "%s says that it is in %s, in degrees, but its coordinates (%.0f to %.0f, %.0f "
                    "to %.0f) are not degrees: the tag is wrong. Write the right system into the "
                    "site file, as in %s = EPSG:MAP+HEIGHTS",
                    file->path, tal_crs_get_info(tag)->name, h->low[0], h->high[0], h->low[1],
                    h->high[1], key);
}

tal_status tal_site_crs_settle(tal_site_crs *study, const tal_site_settings *site,
                               const char *own_crs, tal_survey_reader *const *surveys,
                               int survey_count, tal_error *err) {
    *study = (tal_site_crs){.crs_stated = site->crs[0] != '\0'};
    const tal_survey_file *first = first_with_definition(surveys, survey_count);
    const char *definition = site->crs, *where = "[site] crs";
    const bool from_file = !study->crs_stated && own_crs[0] == '\0' && first != NULL;
    if (!study->crs_stated && own_crs[0] != '\0') {
        definition = own_crs;
        where = surveys[0]->name[0] == 'b' ? "[site] before_crs" : "[site] after_crs";
    } else if (from_file) {
        definition = first->header.crs_definition;
        where = first->path;
    }
    if (definition[0] == '\0') {
        return TAL_FAIL(
            err, TAL_BAD_CRS,
            "%s: the file does not say in which coordinate system it is; "
            "write it into the site file, as in crs = EPSG:5490+5756 (map and heights), or "
            "crs = local for coordinates in a scanner's own frame, in metres",
            surveys[0]->file_count > 0 ? surveys[0]->file[0].path : "[site]");
    }
    TAL_TRY(tal_crs_create(&study->crs, definition, where, err));
    const tal_status status = from_file && tag_is_wrong(first, study->crs)
                                  ? refuse_tag(first, study->crs, "crs", err)
                                  : tal_crs_check_site(study->crs, where, err);
    if (status != TAL_OK) {
        tal_site_crs_destroy(study);
    }
    return status;
}

void tal_site_crs_destroy(tal_site_crs *study) {
    tal_crs_destroy(study->crs);
    *study = (tal_site_crs){0};
}

// Files without heights in their system take those of the study where it is stated and where the
// map is the same; anything else would be a guess of 30 to 100 metres.
static tal_status complete_heights(tal_survey_file *file, const tal_site_crs *study,
                                   const tal_site_settings *site, const char *epoch,
                                   tal_error *err) {
    const tal_crs_info *own = tal_crs_get_info(file->crs);
    if (own->has_vertical || own->is_local) {
        return TAL_OK;
    }
    tal_crs *flat = NULL;
    TAL_TRY(tal_crs_create(&flat, tal_crs_horizontal_wkt(study->crs), "[site] crs", err));
    const bool same_map = tal_crs_equal(flat, file->crs);
    tal_crs_destroy(flat);
    if (!study->crs_stated || !same_map) {
        return TAL_FAIL(
            err, TAL_BAD_CRS,
            "%s: its coordinate system (%s) says nothing about heights; "
            "write the complete system into the site file, as in %s_crs = EPSG:MAP+HEIGHTS",
            file->path, own->name, epoch);
    }
    tal_crs_destroy(file->crs);
    file->crs = NULL;
    return tal_crs_create(&file->crs, site->crs, "[site] crs", err);
}

static double unit_m(int unit) {
    switch (unit) {
    case TAL_HEIGHT_UNIT_M:
        return 1.0;
    case TAL_HEIGHT_UNIT_FT:
        return 0.3048;
    case TAL_HEIGHT_UNIT_US_FT:
        return 1200.0 / 3937.0;
    default:
        return 0.0;
    }
}

static tal_status refuse_unit(const tal_survey_file *file, const char *epoch, tal_error *err) {
    return TAL_FAIL(err, TAL_BAD_CRS,
                    "%s: the raster does not say whether its heights are metres "
                    "or feet; write it into the site file, as in %s_unit = m (or ft, us-ft)",
                    file->path, epoch);
}

// The user's word, then the file's own unit, then the unit of the system the file itself carries.
static tal_status settle_unit(tal_survey_file *file, int unit, bool own_heights, const char *epoch,
                              tal_error *err) {
    const tal_crs_info *info = tal_crs_get_info(file->crs);
    double metres = unit_m(unit);
    if (metres == 0.0) {
        metres = file->header.height_m;
    }
    if (metres == 0.0 && (own_heights || info->is_local || !file->format->is_raster)) {
        metres = info->vertical_m;
    }
    if (metres == 0.0) {
        return refuse_unit(file, epoch, err);
    }
    file->height_factor = metres / info->vertical_m;
    return TAL_OK;
}

// Who says `before_crs = local` has the last word on the file's own tag.
static tal_status check_local(const tal_survey_file *file, const tal_site_crs *study,
                              const char *own_crs, tal_error *err) {
    if (!tal_crs_get_info(study->crs)->is_local || file->header.crs_definition == NULL ||
        strcmp(own_crs, "local") == 0) {
        return TAL_OK;
    }
    tal_crs *stated = NULL;
    TAL_TRY(tal_crs_create(&stated, file->header.crs_definition, file->path, err));
    const tal_crs_info info = *tal_crs_get_info(stated);
    tal_crs_destroy(stated);
    if (info.is_geographic || fabs(info.horizontal_m - 1.0) > 1e-9) {
        return TAL_FAIL(err, TAL_BAD_CRS,
                        "%s: crs = local means metres, but the file says that it is in %s (%s). If "
                        "that is wrong, set before_crs = local (after_crs = local)",
                        file->path, info.horizontal_unit, info.name);
    }
    return TAL_OK;
}

// A file in feet that names a system in metres is off by a factor of three, and looks right.
static tal_status check_plan_unit(const tal_survey_file *file, const char *epoch, tal_error *err) {
    const tal_crs_info *info = tal_crs_get_info(file->crs);
    if (file->header.plan_m == 0.0 || info->is_geographic ||
        fabs(file->header.plan_m / info->horizontal_m - 1.0) < 1e-4) {
        return TAL_OK;
    }
    return TAL_FAIL(
        err, TAL_BAD_CRS,
        "%s names the coordinate system %s, which is in %s, but says that its map unit is %g m; "
        "write the right one into the site file, as in %s_crs = EPSG:5490+5756",
        file->path, info->name, info->horizontal_unit, file->header.plan_m, epoch);
}

static void tell_conversion(const tal_survey_file *file, const tal_site_crs *study) {
    const double accuracy = tal_crs_transform_accuracy_m(file->to_study);
    if (tal_crs_transform_is_identity(file->to_study)) {
        return;
    }
    const char *from = tal_crs_get_info(file->crs)->name, *to = tal_crs_get_info(study->crs)->name;
    if (isnan(accuracy)) {
        tal_log_warn("%s: converted from %s to %s; PROJ does not say how accurate that is",
                     file->path, from, to);
    } else {
        tal_log_info("%s: converted from %s to %s, accurate to %g m as PROJ states it", file->path,
                     from, to, accuracy);
    }
}

// A mistake of its own beside those that were found before.
static void add_mistake(tal_error *err, tal_status status, const tal_error *own) {
    if (status != TAL_OK) {
        tal_error_add(err, status, "%s", own->text);
    }
}

// What can be said of a file while the study has no coordinate system: the unit of its heights.
static tal_status look_at_unit(tal_survey_file *file, int unit, const char *epoch, tal_error *err) {
    tal_crs *own = NULL;
    tal_error ignored;
    tal_error_reset(&ignored);
    const bool stated = file->header.crs_definition != NULL &&
                        tal_crs_create(&own, file->header.crs_definition, "", &ignored) == TAL_OK &&
                        tal_crs_get_info(own)->has_vertical;
    tal_crs_destroy(own);
    const bool known = unit_m(unit) > 0.0 || file->header.height_m > 0.0 || stated;
    return !file->format->is_raster || known ? TAL_OK : refuse_unit(file, epoch, err);
}

// Heights and their unit are two questions; both are asked at once.
static tal_status settle_heights(tal_survey_file *file, const tal_site_crs *study,
                                 const tal_site_settings *site, int unit, bool own_definition,
                                 const char *epoch, tal_error *err) {
    tal_error own;
    const bool own_heights = own_definition && tal_crs_get_info(file->crs)->has_vertical;
    tal_error_reset(&own);
    const tal_status heights = complete_heights(file, study, site, epoch, &own);
    add_mistake(err, heights, &own);
    tal_error_reset(&own);
    const tal_status units = heights == TAL_OK ? settle_unit(file, unit, own_heights, epoch, &own)
                                               : look_at_unit(file, unit, epoch, &own);
    add_mistake(err, units, &own);
    return heights != TAL_OK ? heights : units;
}

static tal_status place_file(tal_survey_file *file, const tal_site_crs *study,
                             const tal_site_settings *site, const char *own_crs, int unit,
                             const char *epoch, tal_error *err) {
    char key[32];
    snprintf(key, sizeof key, "%s_crs", epoch);
    TAL_TRY(check_local(file, study, own_crs, err));
    const bool local = tal_crs_get_info(study->crs)->is_local;
    const char *definition = local                                 ? "local"
                             : own_crs[0] != '\0'                  ? own_crs
                             : file->header.crs_definition != NULL ? file->header.crs_definition
                                                                   : site->crs;
    const bool own_definition = definition == file->header.crs_definition;
    if (definition[0] == '\0') {
        return TAL_FAIL(err, TAL_BAD_CRS,
                        "%s: the file does not say in which coordinate system it is; "
                        "write it into the site file, as in %s = EPSG:5490+5756",
                        file->path, key);
    }
    TAL_TRY(tal_crs_create(&file->crs, definition, file->path, err));
    if (own_definition && tag_is_wrong(file, file->crs)) {
        return refuse_tag(file, file->crs, key, err);
    }
    if (own_definition) {
        TAL_TRY(check_plan_unit(file, epoch, err));
    }
    TAL_TRY(settle_heights(file, study, site, unit, own_definition, epoch, err));
    TAL_TRY(tal_crs_transform_create(&file->to_study, file->crs, study->crs, file->path, err));
    tell_conversion(file, study);
    if (file->format->is_raster) {
        TAL_TRY(tal_crs_transform_create_flat(&file->from_study, study->crs, file->crs, file->path,
                                              err));
    }
    return TAL_OK;
}

tal_status tal_survey_place(tal_survey_reader *survey, const tal_site_crs *study,
                            const tal_site_settings *site, const char *own_crs, int unit,
                            tal_error *err) {
    tal_status first = TAL_OK;
    for (int i = 0; i < survey->file_count; i++) {
        tal_error own;
        tal_error_reset(&own);
        tal_survey_file *file = &survey->file[i];
        const tal_status status =
            file->format == NULL ? TAL_OK // told already
            : study->crs == NULL ? look_at_unit(file, unit, survey->name, &own)
                                 : place_file(file, study, site, own_crs, unit, survey->name, &own);
        if (status != TAL_OK) {
            tal_error_add(err, status, "%s", own.text);
            first = first == TAL_OK ? status : first;
        }
    }
    return first;
}

tal_status tal_survey_convert(tal_survey_reader *survey, const char *folder,
                              tal_overwrite overwrite, int work, tal_error *err) {
    for (int i = 0; i < survey->file_count; i++) {
        tal_survey_file *file = &survey->file[i];
        const bool needed =
            file->format->through_pdal || (work != TAL_PDAL_CONVERT && !file->format->is_raster);
        if (!needed) {
            continue;
        }
        char name[64], path[TAL_PATH_SIZE];
        snprintf(name, sizeof name, "%s_%d", survey->name, i + 1);
        tal_log_info("%s: read with PDAL", file->path);
        TAL_TRY(tal_pdal_run(file->path, folder, name, (tal_pdal_work)work, overwrite, path, err));
        tal_text_copy(file->las_path, sizeof file->las_path, path);
    }
    return TAL_OK;
}
