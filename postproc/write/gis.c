// SPDX-License-Identifier: GPL-3.0-or-later
// The result for QGIS: the layers of result.gpkg.
#include "postproc/write/gis.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "core/geo/geopackage.h"
#include "postproc/measure/region.h"
#include "postproc/write/gis_project.h"
#include "postproc/write/gis_style.h"

#include <math.h>

static tal_status add_layer(tal_geopackage *package, const char *name, tal_geometry_kind kind,
                            const tal_back_analysis *a, const tal_field *fields, int field_count,
                            tal_error *err) {
    tal_text qml = {0};
    const tal_gis_style *style = tal_gis_style_of(name);
    if (style != NULL) {
        tal_gis_style_append_qml(&qml, style);
    }
    const tal_status status =
        tal_geopackage_add_layer(package, name, kind, a->survey.crs, fields, field_count,
                                 style != NULL ? tal_text_string(&qml) : NULL, err);
    tal_text_destroy(&qml);
    return status;
}

// What is known of a block over the whole run.
typedef struct {
    double fastest, strongest, way, drop, still_since;
} history;

static history history_of(const tal_back_analysis *a, int32_t block) {
    const tal_run_record *m = &a->motion;
    history h = {0};
    for (int32_t f = 0; f < m->frame_count; f++) {
        const float *p = &m->position[3 * tal_run_record_index(m, f, block)];
        double translation, rotation;
        tal_blocks_energy(&a->blocks, m, block, f, &translation, &rotation);
        h.fastest = fmax(h.fastest, sqrt(2.0 * translation / a->blocks.mass[block]));
        h.strongest = fmax(h.strongest, (translation + rotation) / 1000.0);
        if (f > 0) {
            const float *q = &m->position[3 * tal_run_record_index(m, f - 1, block)];
            const double step =
                sqrt(pow((double)p[0] - (double)q[0], 2.0) + pow((double)p[1] - (double)q[1], 2.0) +
                     pow((double)p[2] - (double)q[2], 2.0));
            h.way += isfinite(step) ? step : 0.0;
            if (step > 1e-3) {
                h.still_since = m->time[f];
            }
        }
    }
    const size_t first = tal_run_record_index(m, 0, block);
    const size_t last = tal_run_record_index(m, m->frame_count - 1, block);
    h.drop = (double)m->position[3 * first + 2] - (double)m->position[3 * last + 2];
    return h;
}

static const tal_field BLOCK_FIELDS[] = {
    {"block", TAL_FIELD_INTEGER},
    {"volume_m3", TAL_FIELD_REAL},
    {"mass_kg", TAL_FIELD_REAL},
    {"velocity_max_mps", TAL_FIELD_REAL},
    {"energy_max_kj", TAL_FIELD_REAL},
    {"way_m", TAL_FIELD_REAL},
    {"drop_m", TAL_FIELD_REAL},
    {"still_since_s", TAL_FIELD_REAL},
    {"left_over_rim", TAL_FIELD_INTEGER},
    {"tension_max_mpa", TAL_FIELD_REAL}, // this and the next: of blocks that deform
    {"would_have_broken", TAL_FIELD_INTEGER}};
enum { BLOCK_FIELD_COUNT = sizeof BLOCK_FIELDS / sizeof *BLOCK_FIELDS };

static int block_field_count(const tal_back_analysis *a) {
    return a->motion.stress.soft_count > 0 ? BLOCK_FIELD_COUNT : BLOCK_FIELD_COUNT - 2;
}

static void block_values(const tal_back_analysis *a, int32_t block,
                         tal_field_value value[BLOCK_FIELD_COUNT]) {
    const history h = history_of(a, block);
    value[0].integer = block;
    value[1].real = a->blocks.volume[block];
    value[2].real = a->blocks.mass[block];
    value[3].real = h.fastest;
    value[4].real = h.strongest;
    value[5].real = h.way;
    value[6].real = h.drop;
    value[7].real = h.still_since;
    value[8].integer = a->motion.left[block] != 0;
    if (a->motion.stress.soft_count > 0) {
        value[9].real = 1e-6 * a->motion.stress.tension_pa[block];
        value[10].integer = tal_stress_record_is_broken(&a->motion.stress, block);
    }
}

static tal_status add_blocks(tal_geopackage *package, const tal_back_analysis *a, tal_error *err) {
    const size_t room = (size_t)a->blocks.vertex_count_max + 1;
    const int32_t last = a->motion.frame_count - 1;
    tal_status status = TAL_OK;
    tal_vec3 *vertex = NULL;
    double *outline = NULL, *x = NULL, *y = NULL;
    int32_t *order = NULL;
    TAL_CREATE_OR_DONE(vertex, room, "a block", err);
    TAL_CREATE_OR_DONE(outline, 2 * room, "a block", err);
    TAL_CREATE_OR_DONE(x, room, "a block", err);
    TAL_CREATE_OR_DONE(y, room, "a block", err);
    TAL_CREATE_OR_DONE(order, 3 * room, "a block", err);
    TAL_TRY_OR_DONE(add_layer(package, "blocks", TAL_GEOMETRY_POLYGON, a, BLOCK_FIELDS,
                              block_field_count(a), err));
    for (int32_t b = 0; b < a->blocks.count; b++) {
        if (a->motion.left[b] != 0) {
            continue;
        }
        tal_field_value value[BLOCK_FIELD_COUNT];
        const tal_surface block = tal_blocks_pose_frame(&a->blocks, &a->motion, b, last, vertex);
        const int32_t count = tal_block_footprint(&block, outline, order);
        for (int32_t i = 0; i < count; i++) {
            x[i] = outline[2 * i] + (double)a->survey.origin.east;
            y[i] = outline[2 * i + 1] + (double)a->survey.origin.north;
        }
        const int32_t ring_start[2] = {0, count}, polygon_start[2] = {0, 1};
        const tal_geometry geometry = {.x = x,
                                       .y = y,
                                       .ring_count = 1,
                                       .ring_start = ring_start,
                                       .vertex_count = count,
                                       .polygon_count = 1,
                                       .polygon_start = polygon_start};
        block_values(a, b, value);
        if (count >= 3) {
            TAL_TRY_OR_DONE(tal_geopackage_add_feature(package, &geometry, value, err));
        }
    }
done:
    tal_memory_destroy(vertex);
    tal_memory_destroy(outline);
    tal_memory_destroy(x);
    tal_memory_destroy(y);
    tal_memory_destroy(order);
    return status;
}

static void real_position(const tal_back_analysis *a, int32_t frame, int32_t block, double out[3]) {
    const float *p = &a->motion.position[3 * tal_run_record_index(&a->motion, frame, block)];
    out[0] = (double)p[0] + (double)a->survey.origin.east;
    out[1] = (double)p[1] + (double)a->survey.origin.north;
    out[2] = (double)p[2] + (double)a->survey.origin.height;
}

static tal_status add_points(tal_geopackage *package, const tal_back_analysis *a, tal_error *err) {
    TAL_TRY(add_layer(package, "block_points", TAL_GEOMETRY_POINT_Z, a, BLOCK_FIELDS,
                      block_field_count(a), err));
    for (int32_t b = 0; b < a->blocks.count; b++) {
        double p[3];
        tal_field_value value[BLOCK_FIELD_COUNT];
        real_position(a, a->motion.frame_count - 1, b, p);
        if (a->motion.left[b] != 0 || !isfinite(p[0])) {
            continue;
        }
        const tal_geometry geometry = {.x = &p[0], .y = &p[1], .z = &p[2], .vertex_count = 1};
        block_values(a, b, value);
        TAL_TRY(tal_geopackage_add_feature(package, &geometry, value, err));
    }
    return TAL_OK;
}

// Points of a trajectory at least half a cell apart; M is the time.
static int32_t thin_way(const tal_back_analysis *a, int32_t block, double *const axis[4]) {
    const double least = 0.5 * a->survey.grid.cell;
    int32_t count = 0;
    for (int32_t f = 0; f < a->motion.frame_count; f++) {
        double p[3];
        real_position(a, f, block, p);
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            break;
        }
        const bool is_last = f + 1 == a->motion.frame_count;
        if (count > 0 && !is_last) {
            const double dx = p[0] - axis[0][count - 1], dy = p[1] - axis[1][count - 1],
                         dz = p[2] - axis[2][count - 1];
            if (dx * dx + dy * dy + dz * dz < least * least) {
                continue;
            }
        }
        for (int i = 0; i < 3; i++) {
            axis[i][count] = p[i];
        }
        axis[3][count++] = a->motion.time[f];
    }
    return count;
}

static tal_status add_trajectories(tal_geopackage *package, const tal_back_analysis *a,
                                   tal_error *err) {
    const size_t frames = (size_t)a->motion.frame_count;
    double *room;
    TAL_TRY(add_layer(package, "trajectories", TAL_GEOMETRY_LINE_ZM, a, BLOCK_FIELDS,
                      block_field_count(a), err));
    TAL_CREATE(room, 4 * frames, "a trajectory", err);
    double *const axis[4] = {room, room + frames, room + 2 * frames, room + 3 * frames};
    tal_status status = TAL_OK;
    for (int32_t b = 0; b < a->blocks.count && status == TAL_OK; b++) {
        tal_field_value value[BLOCK_FIELD_COUNT];
        const int32_t count = thin_way(a, b, axis);
        if (count < 2) {
            continue;
        }
        const tal_geometry geometry = {
            .x = axis[0], .y = axis[1], .z = axis[2], .m = axis[3], .vertex_count = count};
        block_values(a, b, value);
        status = tal_geopackage_add_feature(package, &geometry, value, err);
        if (status == TAL_OK) {
            status = tal_interrupt_check(err);
        }
    }
    tal_memory_destroy(room);
    return status;
}

static tal_status add_outline(tal_geopackage *package, const tal_back_analysis *a,
                              tal_region region, const char *name, double volume, tal_error *err) {
    static const tal_field FIELDS[] = {{"area_m2", TAL_FIELD_REAL}, {"volume_m3", TAL_FIELD_REAL}};
    tal_outline outline;
    double area = 0.0;
    TAL_TRY(add_layer(package, name, TAL_GEOMETRY_MULTIPOLYGON, a, FIELDS, 2, err));
    for (size_t i = 0; i < tal_grid_cell_count(&a->survey.grid); i++) {
        area += tal_region_holds(a, region, i) ? tal_surveyed_cell_area(&a->survey) : 0.0;
    }
    if (!(area > 0.0)) {
        return TAL_OK;
    }
    TAL_TRY(tal_region_outline(&outline, a, region, &a->survey.real_grid, err));
    const tal_geometry geometry = {.x = outline.x,
                                   .y = outline.y,
                                   .ring_count = outline.ring_count,
                                   .ring_start = outline.ring_start,
                                   .vertex_count = outline.vertex_count,
                                   .polygon_count = outline.polygon_count,
                                   .polygon_start = outline.polygon_start};
    const tal_field_value value[2] = {{.real = area}, {.real = volume}};
    const tal_status status = tal_geopackage_add_feature(package, &geometry, value, err);
    tal_outline_destroy(&outline);
    return status;
}

static tal_status add_outlines(tal_geopackage *package, const tal_back_analysis *a,
                               tal_error *err) {
    const struct {
        const char *name;
        double volume;
    } layer[] = {[TAL_REGION_SOURCE] = {"source_outline", a->survey.source_volume.volume},
                 [TAL_REGION_SIMULATED] = {"simulated_outline",
                                           a->scores.value[TAL_SCORE_volume_simulated_m3]},
                 [TAL_REGION_SURVEYED] = {"surveyed_outline",
                                          a->scores.value[TAL_SCORE_volume_surveyed_m3]}};
    for (int region = 0; region < tal_region_count(a); region++) {
        TAL_TRY(add_outline(package, a, (tal_region)region, layer[region].name,
                            layer[region].volume, err));
    }
    return TAL_OK;
}

static tal_status add_line(tal_geopackage *package, const tal_back_analysis *a,
                           const tal_flow_line *line, int source, tal_error *err) {
    const size_t n = (size_t)line->count;
    tal_raster bed = a->survey.bed;
    bed.grid = a->survey.grid;
    double *room;
    TAL_CREATE(room, 3 * n, "the flow line", err);
    for (size_t i = 0; i < n; i++) {
        const double z = tal_raster_sample(&bed, line->x[i], line->y[i]);
        room[i] = line->x[i] + (double)a->survey.origin.east;
        room[n + i] = line->y[i] + (double)a->survey.origin.north;
        room[2 * n + i] = isfinite(z) ? z : 0.0;
    }
    const tal_geometry geometry = {
        .x = room, .y = room + n, .z = room + 2 * n, .m = line->s, .vertex_count = line->count};
    const tal_field_value value[2] = {{.real = line->s[n - 1] - line->s[0]}, {.integer = source}};
    const tal_status status = tal_geopackage_add_feature(package, &geometry, value, err);
    tal_memory_destroy(room);
    return status;
}

static tal_status add_flow_lines(tal_geopackage *package, const tal_back_analysis *a,
                                 tal_error *err) {
    static const tal_field FIELDS[] = {{"length_m", TAL_FIELD_REAL}, {"source", TAL_FIELD_INTEGER}};
    if (!a->has_line) {
        return TAL_OK;
    }
    TAL_TRY(add_layer(package, "flow_line", TAL_GEOMETRY_LINE_ZM, a, FIELDS, 2, err));
    TAL_TRY(add_line(package, a, &a->line, 1, err));
    for (int i = 1; i < a->sources.count; i++) {
        if (a->sources.source[i].has_line) {
            TAL_TRY(add_line(package, a, &a->sources.source[i].line, i + 1, err));
        }
    }
    return TAL_OK;
}

static tal_status add_scores(tal_geopackage *package, const tal_back_analysis *a, tal_error *err) {
    static const tal_field FIELDS[] = {
        {"score", TAL_FIELD_TEXT},      {"unit", TAL_FIELD_TEXT},
        {"value", TAL_FIELD_REAL},      {"runs_p05", TAL_FIELD_REAL},
        {"runs_p50", TAL_FIELD_REAL},   {"runs_p95", TAL_FIELD_REAL},
        {"survey_low", TAL_FIELD_REAL}, {"survey_high", TAL_FIELD_REAL},
        {"all_low", TAL_FIELD_REAL},    {"all_high", TAL_FIELD_REAL},
        {"meaning", TAL_FIELD_TEXT}};
    TAL_TRY(tal_geopackage_add_layer(package, "scores", TAL_GEOMETRY_NONE, NULL, FIELDS,
                                     sizeof FIELDS / sizeof *FIELDS, NULL, err));
    for (int i = 0; i < TAL_SCORE_COUNT; i++) {
        const tal_score_interval *interval = &a->interval[i];
        const tal_field_value value[] = {
            {.text = tal_score_notes[i].key},     {.text = tal_score_notes[i].unit},
            {.real = a->scores.value[i]},         {.real = interval->low},
            {.real = interval->median},           {.real = interval->high},
            {.real = interval->survey_low},       {.real = interval->survey_high},
            {.real = interval->all_low},          {.real = interval->all_high},
            {.text = tal_score_notes[i].sentence}};
        TAL_TRY(tal_geopackage_add_feature(package, NULL, value, err));
    }
    return TAL_OK;
}

static tal_status add_all(tal_geopackage *package, const tal_back_analysis *a, tal_error *err) {
    TAL_TRY(add_blocks(package, a, err));
    TAL_TRY(add_points(package, a, err));
    TAL_TRY(add_trajectories(package, a, err));
    TAL_TRY(add_outlines(package, a, err));
    TAL_TRY(add_flow_lines(package, a, err));
    return add_scores(package, a, err);
}

tal_status tal_gis_write(const tal_back_analysis *a, const tal_output_place *place,
                         tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_geopackage *package = NULL;
    TAL_TRY(tal_output_path(place, "result.gpkg", path, err));
    TAL_TRY(tal_geopackage_create(&package, path, place->overwrite, err));
    tal_status status = add_all(package, a, err);
    if (status == TAL_OK) {
        status = tal_geopackage_commit(&package, err);
    }
    tal_geopackage_discard(&package);
    TAL_TRY(status);
    return tal_gis_project_write(a, place, err);
}
