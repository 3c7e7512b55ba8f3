// SPDX-License-Identifier: GPL-3.0-or-later
// ingest.json: every number with its uncertainty, and how it came about.
#include "ingest/write/output.h"

#include "core/app/json.h"
#include "core/geometry/angle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUMBER tal_json_add_number

static void add_grid(cJSON *root, const tal_ingest_result *result) {
    const tal_grid grid = tal_result_grid(result);
    cJSON *object = cJSON_AddObjectToObject(root, "grid");
    NUMBER(object, "west_m", grid.west);
    NUMBER(object, "north_m", grid.north);
    NUMBER(object, "cell_m", grid.cell);
    NUMBER(object, "columns", grid.columns);
    NUMBER(object, "rows", grid.rows);
}

static void add_origin(cJSON *root, const tal_origin *origin) {
    cJSON *object = cJSON_AddObjectToObject(root, "origin");
    NUMBER(object, "east_m", (double)origin->east);
    NUMBER(object, "north_m", (double)origin->north);
    NUMBER(object, "height_m", (double)origin->height);
}

static cJSON *add_volume(cJSON *root, const char *name, const tal_volume_estimate *v) {
    cJSON *object = cJSON_AddObjectToObject(root, name);
    NUMBER(object, "volume_m3", v->volume_m3);
    NUMBER(object, "low_m3", v->low_m3);
    NUMBER(object, "high_m3", v->high_m3);
    NUMBER(object, "area_m2", v->area_m2);
    NUMBER(object, "mean_thickness_m", v->mean_thickness_m);
    NUMBER(object, "max_thickness_m", v->max_thickness_m);
    NUMBER(object, "parts", v->part_count);
    NUMBER(object, "bridged_m2", v->filled_m2);
    NUMBER(object, "unseen_m2", v->gap_m2);
    cJSON *error = cJSON_AddObjectToObject(object, "standard_deviation_m3");
    NUMBER(error, "random", v->random_m3);
    NUMBER(error, "correlated", v->correlated_m3);
    NUMBER(error, "systematic", v->systematic_m3);
    NUMBER(error, "hidden", v->hidden_m3);
    return object;
}

static void add_statistics(cJSON *object, const char *name, const tal_statistics *s) {
    cJSON *item = cJSON_AddObjectToObject(object, name);
    NUMBER(item, "cells", (double)s->count);
    NUMBER(item, "mean_m", s->mean);
    NUMBER(item, "median_m", s->median);
    NUMBER(item, "nmad_m", s->nmad);
    NUMBER(item, "rmse_m", s->rmse);
}

static void add_reals(cJSON *object, const char *name, const double *values, int count) {
    cJSON_AddItemToObject(object, name, cJSON_CreateDoubleArray(values, count));
}

// Full coordinates: rotation about a stated centre, so that no digit is lost.
static void add_motion(cJSON *object, const tal_registration *r, const tal_origin *origin) {
    const double o[3] = {(double)origin->east, (double)origin->north, (double)origin->height};
    double matrix[16], centre[3], local[16];
    const tal_rigid *m = &r->motion;
    tal_rigid about_zero = *m; // the matrix that acts on coordinates less the centre
    for (int i = 0; i < 3; i++) {
        centre[i] = m->centre[i] + o[i];
        about_zero.centre[i] = 0.0;
    }
    tal_rigid_matrix(&about_zero, local);
    memcpy(matrix, local, sizeof matrix);
    add_reals(object, "centre_m", centre, 3);
    add_reals(object, "shift_m", m->shift, 3);
    cJSON *rows = cJSON_AddArrayToObject(object, "matrix_about_centre");
    for (int i = 0; i < 4; i++) {
        cJSON_AddItemToArray(rows, cJSON_CreateDoubleArray(matrix + 4 * i, 4));
    }
    cJSON_AddStringToObject(object, "meaning",
                            "moved = matrix (point - centre, 1) + centre; moves the later survey "
                            "onto the earlier one");
}

static void add_repeats(cJSON *object, const tal_registration *r, double cell) {
    if (r->done && r->repeats.has_cell) {
        cJSON *item = cJSON_AddObjectToObject(object, "with_wider_cells");
        NUMBER(item, "cell_m", 2.0 * cell);
        add_reals(item, "shift_added_m", r->repeats.by_cell, 3);
    }
    if (r->done && r->repeats.has_halves) {
        cJSON *item = cJSON_AddObjectToObject(object, "on_halves");
        add_reals(item, "shift_difference_m", r->repeats.by_half, 3);
    }
}

static void add_registration(cJSON *root, const tal_ingest_result *result) {
    const tal_comparison *a = result->cliff != NULL ? result->cliff : result->vertical;
    const tal_registration *r = &a->registration;
    cJSON *object = cJSON_AddObjectToObject(root, "coregistration");
    cJSON_AddStringToObject(object, "method",
                            !r->done           ? "none"
                            : r->with_rotation ? "icp"
                                               : "shift");
    if (r->done) {
        add_motion(object, r, &result->site->study.origin);
        double degrees[3];
        tal_rigid_angles(&r->motion, degrees);
        for (int i = 0; i < 3; i++) {
            degrees[i] = tal_degrees(degrees[i]);
        }
        add_reals(object, "rotation_deg", degrees, 3);
        NUMBER(object, "rounds", r->fit.rounds);
        cJSON_AddBoolToObject(object, "converged", r->fit.converged);
        NUMBER(object, "cells", (double)r->fit.cell_count);
    }
    add_reals(object, "shift_standard_deviation_m", r->deviation, 3);
    add_repeats(object, r, a->grid.cell);
    cJSON *stable = cJSON_AddObjectToObject(object, "stable_terrain");
    add_statistics(stable, "before_fit", &r->at_first);
    add_statistics(stable, "after_fit", &r->at_last);
}

static void add_checks(cJSON *root, const tal_findings *findings) {
    cJSON *list = cJSON_AddArrayToObject(root, "checks");
    for (int i = 0; i < findings->count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "check", findings->item[i].check);
        cJSON_AddStringToObject(item, "text", findings->item[i].sentence);
        cJSON_AddItemToArray(list, item);
    }
}

// Change that is neither source nor deposit: the largest first.
static void add_dropped(cJSON *root, const tal_ingest_result *result) {
    const tal_patches *patches = &result->vertical->change.dropped;
    const tal_origin *origin = &result->site->study.origin;
    cJSON *object = cJSON_AddObjectToObject(root, "dropped");
    NUMBER(object, "smaller_not_listed", (double)patches->left_out);
    cJSON *list = cJSON_AddArrayToObject(object, "patches");
    for (int i = 0; i < patches->count; i++) {
        const tal_patch *p = &patches->item[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "change", p->sign < 0.0 ? "loss" : "gain");
        NUMBER(item, "area_m2", p->area_m2);
        NUMBER(item, "volume_m3", p->volume_m3);
        NUMBER(item, "east_m", p->x + (double)origin->east);
        NUMBER(item, "north_m", p->y + (double)origin->north);
        cJSON_AddStringToObject(item, "why",
                                p->reason == TAL_DROPPED_SMALL
                                    ? p->sign < 0.0 ? "smaller than source_area_min_m2"
                                                    : "smaller than deposit_area_min_m2"
                                    : "most of it is within the level of detection");
        cJSON_AddItemToArray(list, item);
    }
}

static void add_detection(cJSON *root, const tal_ingest_result *result) {
    const tal_change *change =
        result->cliff != NULL ? &result->cliff->change : &result->vertical->change;
    cJSON *list = cJSON_AddArrayToObject(root, "detection");
    for (int k = 0; k < TAL_SLOPE_CLASSES; k++) {
        cJSON *item = cJSON_CreateObject();
        NUMBER(item, "slope_from_deg", 10.0 * k);
        NUMBER(item, "stable_cells", (double)change->stable_cells[k]);
        NUMBER(item, "nmad_m", change->nmad[k]);
        NUMBER(item, "registration_m", change->registration[k]);
        cJSON_AddItemToArray(list, item);
    }
}

static void add_variogram(cJSON *root, const tal_variogram *v) {
    cJSON *object = cJSON_AddObjectToObject(root, "variogram");
    cJSON_AddStringToObject(object, "of",
                            "stable terrain, after - before over the spread of its slope");
    NUMBER(object, "nugget", v->nugget);
    add_reals(object, "sill", v->sill, 2);
    add_reals(object, "range_m", v->range_m, 2);
    add_reals(object, "lag_m", v->lag_m, v->lag_count);
    add_reals(object, "gamma", v->gamma, v->lag_count);
}

static void add_survey(cJSON *root, const tal_epoch_ground *epoch, const tal_dem *dem, int choice) {
    static const char *const choices[] = {"auto", "classes", "native", "smrf", "csf", "none"};
    const tal_survey_reader *survey = &epoch->survey;
    cJSON *object = cJSON_AddObjectToObject(root, survey->name);
    NUMBER(object, "points", (double)survey->point_count);
    if (survey->has_clouds) {
        cJSON_AddStringToObject(object, "ground", choices[choice]);
        NUMBER(object, "ground_points", (double)epoch->ground_points);
    }
    NUMBER(object, "cells_with_points", (double)dem->cells_with_points);
    NUMBER(object, "cells_bridged", (double)dem->cells_filled);
    cJSON *files = cJSON_AddArrayToObject(object, "files");
    for (int i = 0; i < survey->file_count; i++) {
        const tal_survey_file *file = &survey->file[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", tal_path_name(file->path));
        cJSON_AddStringToObject(item, "kind", file->format->name);
        cJSON_AddStringToObject(item, "crs", tal_crs_get_info(file->crs)->name);
        NUMBER(item, "conversion_accuracy_m", tal_crs_transform_accuracy_m(file->to_study));
        if (file->las_path[0] != '\0') {
            char name[64];
            snprintf(name, sizeof name, "pdal_%s_%d.json", survey->name, i + 1);
            cJSON_AddStringToObject(item, "pipeline", name);
        }
        cJSON_AddItemToArray(files, item);
    }
}

static void add_frame(cJSON *root, const tal_ingest_result *result) {
    cJSON *object = cJSON_AddObjectToObject(root, "frame");
    const tal_comparison *cliff = result->cliff;
    cJSON_AddStringToObject(object, "name", cliff != NULL ? "cliff" : "vertical");
    NUMBER(object, "source_slope_deg", result->source_slope_deg);
    if (cliff == NULL) {
        return;
    }
    const tal_origin *origin = &result->site->study.origin;
    const double o[3] = {(double)origin->east, (double)origin->north, (double)origin->height};
    double centre[3];
    for (int i = 0; i < 3; i++) {
        centre[i] = cliff->frame.centre[i] + o[i];
    }
    add_reals(object, "centre_m", centre, 3);
    add_reals(object, "along", cliff->frame.rotation, 3);
    add_reals(object, "up_face", cliff->frame.rotation + 3, 3);
    add_reals(object, "normal", cliff->frame.rotation + 6, 3);
    add_volume(object, "source_vertical", &result->vertical->source);
    cJSON_AddStringToObject(object, "deposit", result->deposit_on_cliff ? "cliff" : "vertical");
    add_volume(object, "deposit_vertical", &result->vertical->deposit);
    add_volume(object, "deposit_cliff", &cliff->deposit);
}

static void add_two_epochs(cJSON *root, const tal_ingest_result *result) {
    const tal_case *site = result->site;
    add_survey(root, &site->after, &result->vertical->after, site->after.ground_choice);
    add_frame(root, result);
    add_registration(root, result);
    add_detection(root, result);
    add_dropped(root, result);
    add_variogram(root,
                  result->cliff != NULL ? &result->cliff->variogram : &result->vertical->variogram);
}

tal_status tal_output_summary(const tal_ingest_result *result, tal_error *err) {
    char path[TAL_PATH_SIZE];
    const tal_case *site = result->site;
    cJSON *root = cJSON_CreateObject();
    if (!tal_path_join(path, result->folder, "ingest.json")) {
        cJSON_Delete(root);
        return TAL_FAIL(err, TAL_BAD_USAGE, "%s: the path is too long", result->folder);
    }
    NUMBER(root, "epochs", site->epoch_count);
    cJSON_AddStringToObject(root, "crs", tal_crs_wkt(site->study.crs));
    add_grid(root, result);
    add_origin(root, &site->study.origin);
    add_volume(root, "source", result->source);
    add_volume(root, "deposit", result->deposit);
    add_survey(root, &site->before, &result->vertical->before, site->before.ground_choice);
    if (site->epoch_count == 2) {
        add_two_epochs(root, result);
    }
    add_checks(root, &site->findings);
    cJSON_AddItemToObject(root, "provenance", tal_provenance_json(result->provenance));
    const tal_status status = tal_json_write(path, root, result->overwrite, err);
    cJSON_Delete(root);
    return status;
}
