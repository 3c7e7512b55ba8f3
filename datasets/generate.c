// SPDX-License-Identifier: GPL-3.0-or-later
// The files of an embedded site. truth.json is the last one: where it is, all the others are.
#include "datasets/generate.h"

#include "core/base/log.h"
#include "datasets/crs_text.h"
#include "datasets/las_writer.h"
#include "datasets/truth.h"

#include <string.h>

static void add_to_las(void *context, const tal_las_point *point) {
    tal_las_writer_add(context, point);
}

static void add_to_xyz(void *context, const tal_las_point *point) {
    tal_output_print(context, "%.3f %.3f %.3f\n", point->x, point->y, point->z);
}

static tal_status path_in(char path[TAL_PATH_SIZE], const tal_generation *wanted, const char *name,
                          tal_error *err) {
    if (!tal_path_join(path, wanted->folder, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: the path of this folder is too long",
                        wanted->folder);
    }
    return TAL_OK;
}

static tal_status survey_to_las(const tal_generation *wanted, const tal_scan_scene *scene,
                                tal_site_epoch epoch, const char *path, tal_flight_summary *summary,
                                tal_error *err) {
    const tal_site *site = wanted->site;
    const tal_las_notes notes = {.wkt = TAL_DATASET_WKT,
                                 .creation_day = site->day[epoch],
                                 .creation_year = site->year[epoch],
                                 .offset_x = scene->frame.west,
                                 .offset_y = scene->frame.south};
    tal_las_writer writer = {0};
    tal_status status = tal_las_writer_open(&writer, path, &notes, wanted->overwrite, err);
    if (status == TAL_OK) {
        status = tal_flight_run(&site->survey[epoch], scene, wanted->seed, wanted->density_scale,
                                add_to_las, &writer, summary, err);
    }
    if (status == TAL_OK) {
        status = tal_las_writer_commit(&writer, err);
    }
    tal_las_writer_discard(&writer);
    return status;
}

static tal_status survey_to_xyz(const tal_generation *wanted, const tal_scan_scene *scene,
                                tal_site_epoch epoch, const char *path, tal_flight_summary *summary,
                                tal_error *err) {
    tal_output output = {0};
    tal_status status = tal_output_open(&output, path, wanted->overwrite, err);
    if (status == TAL_OK) {
        status = tal_flight_run(&wanted->site->survey[epoch], scene, wanted->seed,
                                wanted->density_scale, add_to_xyz, &output, summary, err);
    }
    if (status == TAL_OK) {
        status = tal_output_commit(&output, err);
    }
    tal_output_discard(&output);
    return status;
}

static tal_status write_cloud(const tal_generation *wanted, const tal_site_ground *surface,
                              tal_site_epoch epoch, tal_flight_summary *summary, tal_error *err) {
    const char *name = wanted->site->file_name[epoch];
    char path[TAL_PATH_SIZE];
    TAL_TRY(path_in(path, wanted, name, err));
    tal_scan_scene scene;
    TAL_TRY(tal_scan_scene_create(&scene, surface, epoch, wanted->seed, err));
    const bool is_text = strstr(name, ".xyz") != NULL;
    const tal_status status =
        (is_text ? survey_to_xyz : survey_to_las)(wanted, &scene, epoch, path, summary, err);
    tal_scan_scene_destroy(&scene);
    if (status == TAL_OK) {
        tal_log_info("%s: %llu points", name, (unsigned long long)summary->point_count);
    }
    return status;
}

static tal_status write_committed(const tal_generation *wanted, const char *name,
                                  const unsigned char *bytes, size_t size, tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(path_in(path, wanted, name, err));
    tal_output output = {0};
    TAL_TRY(tal_output_open(&output, path, wanted->overwrite, err));
    tal_output_write(&output, bytes, size);
    const tal_status status = tal_output_commit(&output, err);
    tal_output_discard(&output);
    return status;
}

static tal_status check_folder(const tal_generation *wanted, tal_error *err) {
    const char *const names[] = {wanted->site->file_name[0],
                                 wanted->site->file_name[1],
                                 "site.ini",
                                 "truth.geojson",
                                 "truth.json",
                                 "calibrate.json"};
    const size_t count = sizeof names / sizeof names[0] - (wanted->site->calibration == NULL);
    tal_status status = TAL_OK;
    for (size_t i = 0; i < count; i++) {
        char path[TAL_PATH_SIZE];
        TAL_TRY(path_in(path, wanted, names[i], err));
        if (wanted->overwrite == TAL_KEEP_EXISTING && tal_file_exists(path)) {
            status = tal_error_add(err, TAL_EXISTS,
                                   "%s already exists. Use --overwrite to replace it, or choose "
                                   "another folder with --out",
                                   path);
        }
    }
    return status;
}

tal_status tal_generate(const tal_generation *wanted, tal_error *err) {
    tal_site_ground *surface = NULL;
    tal_flight_summary summary[2];
    TAL_TRY(check_folder(wanted, err)); // before any work
    TAL_TRY(tal_site_ground_create(&surface, wanted->site->kind, err));
    tal_status status = TAL_OK;
    for (int epoch = TAL_BEFORE; epoch <= TAL_AFTER; epoch++) {
        TAL_TRY_OR_DONE(write_cloud(wanted, surface, (tal_site_epoch)epoch, &summary[epoch], err));
    }
    const tal_site *site = wanted->site;
    TAL_TRY_OR_DONE(
        write_committed(wanted, "site.ini", site->site_file, *site->site_file_size, err));
    if (site->calibration != NULL) {
        TAL_TRY_OR_DONE(write_committed(wanted, "calibrate.json", site->calibration,
                                        *site->calibration_size, err));
    }
    const tal_truth truth = {.site = wanted->site,
                             .surface = surface,
                             .summary = {&summary[TAL_BEFORE], &summary[TAL_AFTER]},
                             .seed = wanted->seed,
                             .density_scale = wanted->density_scale};
    TAL_TRY_OR_DONE(tal_truth_write(&truth, wanted->folder, wanted->overwrite, err));
done:
    tal_site_ground_destroy(surface);
    return status;
}
