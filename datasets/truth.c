// SPDX-License-Identifier: GPL-3.0-or-later
// truth.json and truth.geojson.
#include "datasets/truth.h"

#include "core/app/json.h"
#include "core/geometry/angle.h"
#include "datasets/crs_text.h"

#include <math.h>

static double thickness_at(const tal_site_ground *surface, tal_extent_kind kind, double x,
                           double y) {
    return kind == TAL_SOURCE ? tal_site_ground_loss(surface, x, y)
                              : tal_site_ground_gain(surface, x, y);
}

static void sum_extent(tal_extent *extent, const tal_site_ground *surface, tal_extent_kind kind) {
    const tal_site_frame frame = tal_site_ground_frame(surface);
    const double cell = fmin(0.5, frame.width / 1000.0);
    const int columns = (int)(frame.width / cell), rows = (int)(frame.height / cell);
    int64_t cells = 0;
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const double thickness =
                thickness_at(surface, kind, (column + 0.5) * cell, (row + 0.5) * cell);
            cells += thickness > 0.0;
            extent->max_thickness_m = fmax(extent->max_thickness_m, thickness);
        }
    }
    extent->area_m2 = (double)cells * cell * cell;
}

// Distance from the centre to the outermost place with any thickness in one direction.
static double find_edge(const tal_site_ground *surface, tal_extent_kind kind, double x, double y,
                        double east, double north) {
    const tal_site_frame frame = tal_site_ground_frame(surface);
    const double step = frame.width / 1400.0;
    double outside = 0.6 * hypot(frame.width, frame.height);
    while (outside > step && thickness_at(surface, kind, x + (outside - step) * east,
                                          y + (outside - step) * north) <= 0.0) {
        outside -= step;
    }
    double inside = outside - step;
    for (int i = 0; i < 30; i++) {
        const double middle = 0.5 * (inside + outside);
        if (thickness_at(surface, kind, x + middle * east, y + middle * north) > 0.0) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return 0.5 * (inside + outside);
}

void tal_extent_measure(tal_extent *extent, const tal_site_ground *surface, tal_extent_kind kind) {
    const tal_site_figures figures = tal_site_ground_figures(surface);
    *extent = (tal_extent){.volume_m3 = kind == TAL_SOURCE ? figures.source_volume_m3
                                                           : figures.deposit_volume_m3};
    sum_extent(extent, surface, kind);
    double x = 0.0, y = 0.0;
    if (kind == TAL_SOURCE) {
        tal_site_ground_source_centre(surface, &x, &y);
    } else {
        tal_site_ground_deposit_centre(surface, &x, &y);
    }
    for (int i = 0; i < TAL_OUTLINE_VERTICES; i++) {
        const double angle = 2.0 * TAL_PI * i / TAL_OUTLINE_VERTICES;
        const double radius = find_edge(surface, kind, x, y, cos(angle), sin(angle));
        extent->x[i] = x + radius * cos(angle);
        extent->y[i] = y + radius * sin(angle);
    }
}

static double rounded(double value, double unit) {
    return round(value / unit) * unit;
}

static double to_millimetres(double metres) {
    return round(metres * 1000.0) / 1000.0;
}

// One closed ring in coordinates of the study.
static cJSON *ring_json(const tal_extent *extent, const tal_site_frame *frame) {
    cJSON *ring = cJSON_CreateArray();
    for (int i = 0; i <= TAL_OUTLINE_VERTICES; i++) {
        const int vertex = i % TAL_OUTLINE_VERTICES;
        const double place[2] = {to_millimetres(frame->west + extent->x[vertex]),
                                 to_millimetres(frame->south + extent->y[vertex])};
        cJSON_AddItemToArray(ring, cJSON_CreateDoubleArray(place, 2));
    }
    return ring;
}

static cJSON *extent_json(const tal_extent *extent, const tal_site_frame *frame) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "volume_m3", extent->volume_m3);
    cJSON_AddNumberToObject(json, "area_m2", rounded(extent->area_m2, 0.01));
    cJSON_AddNumberToObject(json, "mean_thickness_m",
                            to_millimetres(extent->volume_m3 / extent->area_m2));
    cJSON_AddNumberToObject(json, "max_thickness_m", to_millimetres(extent->max_thickness_m));
    cJSON_AddItemToObject(json, "outline", ring_json(extent, frame));
    return json;
}

static cJSON *frame_json(const tal_site_frame *frame) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "west_m", frame->west);
    cJSON_AddNumberToObject(json, "south_m", frame->south);
    cJSON_AddNumberToObject(json, "east_m", frame->west + frame->width);
    cJSON_AddNumberToObject(json, "north_m", frame->south + frame->height);
    return json;
}

static cJSON *vector_json(const double vector[3]) {
    const double shown[3] = {rounded(vector[0], 1e-6), rounded(vector[1], 1e-6),
                             rounded(vector[2], 1e-6)};
    return cJSON_CreateDoubleArray(shown, 3);
}

// Mean bias of the ground points of a survey: what its strips add to its shift.
static void mean_strip_bias(const tal_flight *survey, const tal_flight_summary *summary,
                            double mean[3]) {
    for (int axis = 0; axis < 3; axis++) {
        mean[axis] = 0.0;
        for (int i = 0; i < survey->strip_count; i++) {
            mean[axis] += summary->strip[i].bias_m[axis] * (double)summary->strip[i].ground_count /
                          (double)(summary->ground_count > 0 ? summary->ground_count : 1);
        }
    }
}

static cJSON *strips_json(const tal_flight *survey, const tal_flight_summary *summary) {
    cJSON *strips = cJSON_CreateArray();
    for (int i = 0; i < survey->strip_count; i++) {
        cJSON *strip = cJSON_CreateObject();
        cJSON_AddNumberToObject(strip, "point_source_id", i + 1);
        cJSON_AddNumberToObject(strip, "points", (double)summary->strip[i].point_count);
        cJSON_AddItemToObject(strip, "bias_m", vector_json(summary->strip[i].bias_m));
        cJSON_AddItemToArray(strips, strip);
    }
    return strips;
}

static void add_errors(cJSON *json, const tal_flight *survey) {
    cJSON *errors = cJSON_AddObjectToObject(json, "errors");
    cJSON_AddNumberToObject(errors, "height_sigma_m", survey->height_sigma_m);
    cJSON_AddNumberToObject(errors, "plan_sigma_m", survey->plan_sigma_m);
    cJSON_AddNumberToObject(errors, "strip_height_sigma_m", survey->strip_height_sigma_m);
    cJSON_AddNumberToObject(errors, "strip_plan_sigma_m", survey->strip_plan_sigma_m);
    cJSON_AddNumberToObject(errors, "drift_amplitude_m", survey->drift_m);
    cJSON_AddNumberToObject(errors, "drift_length_m", survey->drift_length_m);
    cJSON_AddNumberToObject(errors, "stray_share", survey->stray_share);
}

static cJSON *survey_json(const tal_truth *truth, tal_site_epoch epoch, double area) {
    const tal_flight *survey = &truth->site->survey[epoch];
    const tal_flight_summary *summary = truth->summary[epoch];
    double bias[3];
    mean_strip_bias(survey, summary, bias);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "file", truth->site->file_name[epoch]);
    cJSON_AddNumberToObject(json, "planned_points_per_m2",
                            truth->site->points_per_m2[epoch] * truth->density_scale);
    cJSON_AddNumberToObject(json, "points_per_m2",
                            to_millimetres((double)summary->point_count / area));
    cJSON_AddNumberToObject(json, "pulses", (double)summary->pulse_count);
    cJSON_AddNumberToObject(json, "points", (double)summary->point_count);
    cJSON_AddNumberToObject(json, "ground_points", (double)summary->ground_count);
    cJSON_AddNumberToObject(json, "vegetation_points", (double)summary->vegetation_count);
    cJSON_AddNumberToObject(json, "stray_points", (double)summary->stray_count);
    cJSON_AddNumberToObject(json, "points_of_several_returns",
                            (double)summary->several_echoes_count);
    cJSON_AddBoolToObject(json, "classified", survey->classified);
    cJSON_AddItemToObject(json, "shift_m", vector_json(survey->shift_m));
    cJSON_AddItemToObject(json, "mean_strip_bias_m", vector_json(bias));
    add_errors(json, survey);
    cJSON_AddItemToObject(json, "strips", strips_json(survey, summary));
    return json;
}

static cJSON *shift_json(const double shift[3], const char *meaning) {
    static const char *const names[3] = {"dx_m", "dy_m", "dz_m"};
    cJSON *json = cJSON_CreateObject();
    for (int axis = 0; axis < 3; axis++) {
        cJSON_AddNumberToObject(json, names[axis], rounded(shift[axis], 1e-6));
    }
    cJSON_AddStringToObject(json, "meaning", meaning);
    return json;
}

static void add_shifts(cJSON *json, const tal_truth *truth) {
    const tal_flight *survey = truth->site->survey;
    double bias[2][3], shift[3], found[3];
    for (int epoch = 0; epoch < 2; epoch++) {
        mean_strip_bias(&survey[epoch], truth->summary[epoch], bias[epoch]);
    }
    for (int axis = 0; axis < 3; axis++) {
        shift[axis] = survey[TAL_AFTER].shift_m[axis] - survey[TAL_BEFORE].shift_m[axis];
        found[axis] = shift[axis] + bias[TAL_AFTER][axis] - bias[TAL_BEFORE][axis];
    }
    cJSON_AddItemToObject(
        json, "shift",
        shift_json(shift,
                   "Add to true coordinates to get those of the survey from after; the survey "
                   "from before has no shift. To co-register, subtract."));
    cJSON_AddItemToObject(
        json, "shift_with_strips",
        shift_json(found,
                   "The shift plus the mean bias of the strips from after, minus that of the "
                   "strips from before: what co-registration can find."));
}

static tal_status write_json(const char *folder, const char *name, const cJSON *json,
                             tal_overwrite overwrite, tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (!tal_path_join(path, folder, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: the path of this folder is too long", folder);
    }
    return tal_json_write(path, json, overwrite, err);
}

static tal_status write_truth_json(const tal_truth *truth, const tal_extent extent[2],
                                   const char *folder, tal_overwrite overwrite, tal_error *err) {
    const tal_site_frame frame = tal_site_ground_frame(truth->surface);
    const tal_site_figures figures = tal_site_ground_figures(truth->surface);
    const double area = frame.width * frame.height;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "site", truth->site->name);
    cJSON_AddStringToObject(json, "about", truth->site->about);
    cJSON_AddNumberToObject(json, "seed", (double)truth->seed);
    cJSON_AddNumberToObject(json, "density_scale", truth->density_scale);
    cJSON_AddStringToObject(json, "crs", TAL_DATASET_CRS);
    cJSON_AddItemToObject(json, "extent", frame_json(&frame));
    cJSON_AddNumberToObject(json, "bulking", figures.bulking);
    cJSON_AddItemToObject(json, "source", extent_json(&extent[TAL_SOURCE], &frame));
    cJSON_AddItemToObject(json, "deposit", extent_json(&extent[TAL_DEPOSIT], &frame));
    add_shifts(json, truth);
    cJSON *surveys = cJSON_AddObjectToObject(json, "surveys");
    cJSON_AddItemToObject(surveys, "before", survey_json(truth, TAL_BEFORE, area));
    cJSON_AddItemToObject(surveys, "after", survey_json(truth, TAL_AFTER, area));
    const tal_status status = write_json(folder, "truth.json", json, overwrite, err);
    cJSON_Delete(json);
    return status;
}

static void add_feature(cJSON *features, const char *kind, const tal_extent *extent,
                        const tal_site_frame *frame) {
    cJSON *feature = cJSON_CreateObject();
    cJSON_AddStringToObject(feature, "type", "Feature");
    cJSON *properties = cJSON_AddObjectToObject(feature, "properties");
    cJSON_AddStringToObject(properties, "kind", kind);
    cJSON_AddNumberToObject(properties, "volume_m3", extent->volume_m3);
    cJSON *geometry = cJSON_AddObjectToObject(feature, "geometry");
    cJSON_AddStringToObject(geometry, "type", "Polygon");
    cJSON *rings = cJSON_AddArrayToObject(geometry, "coordinates");
    cJSON_AddItemToArray(rings, ring_json(extent, frame));
    cJSON_AddItemToArray(features, feature);
}

// In coordinates of the study, said by the member "crs" that GDAL and QGIS understand.
static tal_status write_truth_geojson(const tal_truth *truth, const tal_extent extent[2],
                                      const char *folder, tal_overwrite overwrite, tal_error *err) {
    const tal_site_frame frame = tal_site_ground_frame(truth->surface);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "type", "FeatureCollection");
    cJSON_AddStringToObject(json, "name", "truth");
    cJSON *crs = cJSON_AddObjectToObject(json, "crs");
    cJSON_AddStringToObject(crs, "type", "name");
    cJSON_AddStringToObject(cJSON_AddObjectToObject(crs, "properties"), "name",
                            TAL_DATASET_CRS_URN);
    cJSON *features = cJSON_AddArrayToObject(json, "features");
    add_feature(features, "source", &extent[TAL_SOURCE], &frame);
    add_feature(features, "deposit", &extent[TAL_DEPOSIT], &frame);
    const tal_status status = write_json(folder, "truth.geojson", json, overwrite, err);
    cJSON_Delete(json);
    return status;
}

tal_status tal_truth_write(const tal_truth *truth, const char *folder, tal_overwrite overwrite,
                           tal_error *err) {
    tal_extent extent[2];
    tal_extent_measure(&extent[TAL_SOURCE], truth->surface, TAL_SOURCE);
    tal_extent_measure(&extent[TAL_DEPOSIT], truth->surface, TAL_DEPOSIT);
    TAL_TRY(write_truth_geojson(truth, extent, folder, overwrite, err));
    return write_truth_json(truth, extent, folder, overwrite, err);
}
