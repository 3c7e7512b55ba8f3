// SPDX-License-Identifier: GPL-3.0-or-later
// A release for QGIS: ways, stops, crossings, targets and barriers in result.gpkg.
#include "core/base/memory.h"
#include "core/geo/geopackage.h"
#include "postproc/release/hazard.h"

// More ways hide each other, and the file would be as large as rocks.nc.
enum { WAYS_MAX = 1000 };

typedef struct {
    tal_hazard *hazard;
    tal_geopackage *package;
    int64_t every; // n-th way
    double *room;
    size_t room_count;
} writer;

static void real_place(const tal_hazard *h, const double local[3], double out[3]) {
    out[0] = local[0] + (double)h->survey.origin.east;
    out[1] = local[1] + (double)h->survey.origin.north;
    out[2] = local[2] + (double)h->survey.origin.height;
}

static void rock_values(const tal_hazard *h, int64_t rock, tal_field_value value[5]) {
    value[0].integer = rock;
    value[1].real = h->rocks.mass[rock];
    value[2].real = h->rocks.size[rock];
    value[3].real = h->rocks.duration[rock];
    value[4].integer = h->rocks.end[rock];
}

static const tal_field ROCK_FIELDS[] = {{"rock", TAL_FIELD_INTEGER},
                                        {"mass_kg", TAL_FIELD_REAL},
                                        {"size_m", TAL_FIELD_REAL},
                                        {"duration_s", TAL_FIELD_REAL},
                                        {"end", TAL_FIELD_INTEGER}};

static tal_status add_way(void *context, int64_t rock, const tal_rocks_moment *moment,
                          int32_t count, tal_error *err) {
    writer *w = context;
    tal_field_value value[5];
    const size_t n = (size_t)count;
    if (rock % w->every != 0 || count < 2) {
        return TAL_OK;
    }
    if (4 * n > w->room_count) {
        TAL_GROW(w->room, w->room_count, 8 * n, "a trajectory", err);
        w->room_count = 8 * n;
    }
    for (size_t k = 0; k < n; k++) {
        double place[3];
        real_place(w->hazard, moment[k].position, place);
        w->room[k] = place[0];
        w->room[n + k] = place[1];
        w->room[2 * n + k] = place[2];
        w->room[3 * n + k] = moment[k].time;
    }
    const tal_geometry geometry = {.x = w->room,
                                   .y = w->room + n,
                                   .z = w->room + 2 * n,
                                   .m = w->room + 3 * n,
                                   .vertex_count = count};
    rock_values(w->hazard, rock, value);
    return tal_geopackage_add_feature(w->package, &geometry, value, err);
}

static tal_status add_stop(void *context, int64_t rock, const tal_rocks_moment *moment,
                           int32_t count, tal_error *err) {
    writer *w = context;
    tal_field_value value[5];
    double place[3];
    if (count < 1 || w->hazard->rocks.end[rock] == TAL_END_LEFT) {
        return TAL_OK;
    }
    real_place(w->hazard, moment[count - 1].position, place);
    const tal_geometry geometry = {
        .x = &place[0], .y = &place[1], .z = &place[2], .vertex_count = 1};
    rock_values(w->hazard, rock, value);
    return tal_geopackage_add_feature(w->package, &geometry, value, err);
}

static tal_status add_crossings(writer *w, tal_error *err) {
    static const tal_field fields[] = {
        {"target", TAL_FIELD_TEXT},        {"rock", TAL_FIELD_INTEGER},
        {"energy_kj", TAL_FIELD_REAL},     {"velocity_mps", TAL_FIELD_REAL},
        {"jump_height_m", TAL_FIELD_REAL}, {"centre_height_m", TAL_FIELD_REAL},
        {"rotation_radps", TAL_FIELD_REAL}};
    const tal_hazard *h = w->hazard;
    TAL_TRY(tal_geopackage_add_layer(w->package, "crossings", TAL_GEOMETRY_POINT_Z, h->survey.crs,
                                     fields, sizeof fields / sizeof *fields, NULL, err));
    for (int k = 0; k < h->targets.target_count; k++) {
        const tal_target *t = &h->targets.target[k];
        for (int64_t i = 0; i < t->count; i++) {
            const tal_crossing *c = &t->crossing[i];
            const double local[3] = {c->at.x, c->at.y, c->at.z};
            double place[3];
            tal_field_value value[2 + TAL_AT_QUANTITIES] = {{.text = t->name},
                                                            {.integer = c->rock}};
            for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
                value[2 + q].real = tal_crossing_value(c, (tal_at_quantity)q);
            }
            real_place(h, local, place);
            const tal_geometry geometry = {
                .x = &place[0], .y = &place[1], .z = &place[2], .vertex_count = 1};
            TAL_TRY(tal_geopackage_add_feature(w->package, &geometry, value, err));
        }
    }
    return TAL_OK;
}

// Each part of a line or ring as a line of its own.
static tal_status add_place(writer *w, const tal_features *f, const tal_field_value *value,
                            tal_error *err) {
    const tal_hazard *h = w->hazard;
    for (int32_t part = 0; part < f->part_count; part++) {
        const int32_t first = f->part_start[part], count = f->part_start[part + 1] - first;
        const bool is_ring = f->kind == TAL_PLACE_POLYGON;
        const size_t n = (size_t)count + (is_ring ? 1 : 0);
        if (2 * n > w->room_count) {
            TAL_GROW(w->room, w->room_count, 4 * n, "a line", err);
            w->room_count = 4 * n;
        }
        for (size_t k = 0; k < n; k++) {
            const size_t from = (size_t)first + k % (size_t)count;
            w->room[k] = f->x[from] + (double)h->survey.origin.east;
            w->room[n + k] = f->y[from] + (double)h->survey.origin.north;
        }
        const tal_geometry geometry = {.x = w->room, .y = w->room + n, .vertex_count = (int32_t)n};
        TAL_TRY(tal_geopackage_add_feature(w->package, &geometry, value, err));
    }
    return TAL_OK;
}

static tal_status add_targets(writer *w, tal_error *err) {
    static const tal_field fields[] = {{"target", TAL_FIELD_TEXT},
                                       {"rocks", TAL_FIELD_INTEGER},
                                       {"share", TAL_FIELD_REAL},
                                       {"energy_p95_kj", TAL_FIELD_REAL},
                                       {"velocity_p95_mps", TAL_FIELD_REAL},
                                       {"jump_height_p95_m", TAL_FIELD_REAL},
                                       {"centre_height_p95_m", TAL_FIELD_REAL},
                                       {"rotation_p95_radps", TAL_FIELD_REAL}};
    const tal_hazard *h = w->hazard;
    TAL_TRY(tal_geopackage_add_layer(w->package, "targets", TAL_GEOMETRY_LINE, h->survey.crs,
                                     fields, sizeof fields / sizeof *fields, NULL, err));
    for (int k = 0; k < h->targets.target_count; k++) {
        const tal_target *t = &h->targets.target[k];
        tal_field_value value[3 + TAL_AT_QUANTITIES] = {
            {.text = t->name},
            {.integer = t->count},
            {.real = (double)t->count / (double)h->rocks.count}};
        for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
            TAL_TRY(tal_target_percentile(t, (tal_at_quantity)q, 95.0, &value[3 + q].real, err));
        }
        TAL_TRY(add_place(w, &t->place, value, err));
    }
    return TAL_OK;
}

static tal_status add_barriers(writer *w, tal_error *err) {
    static const tal_field fields[] = {
        {"barrier", TAL_FIELD_TEXT},     {"height_m", TAL_FIELD_REAL},
        {"capacity_kj", TAL_FIELD_REAL}, {"stopped", TAL_FIELD_INTEGER},
        {"over", TAL_FIELD_INTEGER},     {"broken_through", TAL_FIELD_INTEGER}};
    const tal_hazard *h = w->hazard;
    TAL_TRY(tal_geopackage_add_layer(w->package, "barriers", TAL_GEOMETRY_LINE, h->survey.crs,
                                     fields, sizeof fields / sizeof *fields, NULL, err));
    for (int k = 0; k < h->targets.barrier_count; k++) {
        const tal_barrier_record *b = &h->targets.barrier[k];
        const tal_field_value value[] = {{.text = b->name},        {.real = b->height_m},
                                         {.real = b->capacity_kj}, {.integer = b->held},
                                         {.integer = b->over},     {.integer = b->broken}};
        TAL_TRY(add_place(w, &b->place, value, err));
    }
    return TAL_OK;
}

static tal_status add_all(writer *w, tal_error *err) {
    tal_hazard *h = w->hazard;
    TAL_TRY(tal_geopackage_add_layer(w->package, "trajectories", TAL_GEOMETRY_LINE_ZM,
                                     h->survey.crs, ROCK_FIELDS, 5, NULL, err));
    TAL_TRY(tal_rocks_walk(&h->rocks, add_way, w, err));
    TAL_TRY(tal_geopackage_add_layer(w->package, "stops", TAL_GEOMETRY_POINT_Z, h->survey.crs,
                                     ROCK_FIELDS, 5, NULL, err));
    TAL_TRY(tal_rocks_walk(&h->rocks, add_stop, w, err));
    TAL_TRY(add_targets(w, err));
    TAL_TRY(add_crossings(w, err));
    return add_barriers(w, err);
}

tal_status tal_hazard_write_gis(tal_hazard *h, const tal_output_place *place, tal_error *err) {
    char path[TAL_PATH_SIZE];
    writer w = {.hazard = h, .every = (h->rocks.count + WAYS_MAX - 1) / WAYS_MAX};
    w.every = w.every < 1 ? 1 : w.every;
    TAL_TRY(tal_output_path(place, "result.gpkg", path, err));
    TAL_TRY(tal_geopackage_create(&w.package, path, place->overwrite, err));
    tal_status status = add_all(&w, err);
    if (status == TAL_OK) {
        status = tal_geopackage_commit(&w.package, err);
    } else {
        tal_geopackage_discard(&w.package);
    }
    tal_memory_destroy(w.room);
    return status;
}
