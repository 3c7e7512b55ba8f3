// SPDX-License-Identifier: GPL-3.0-or-later
// Places of a release against the ground.
#include "core/geo/release_places.h"

#include "core/app/release_check.h"
#include "core/app/site_file.h"
#include "core/base/text.h"
#include "core/geo/raster_file.h"

#include <math.h>
#include <stdio.h>

const char *tal_release_where(const tal_settings *settings) {
    const tal_release_settings *r = &settings->release;
    return tal_settings_where(settings, r->from[0] != '\0' ? (const void *)r->from : &r->from_m);
}

// --- where rocks start ---

static void check_spot(const tal_place_ground *g, double x, double y, double z, const char *what,
                       int64_t number, const char *where, tal_error *err) {
    const double east = x + g->origin_m[0], north = y + g->origin_m[1];
    const double ground = isfinite(x) && isfinite(y) ? g->height(g->ground, x, y) : NAN;
    if (!isfinite(x) || !isfinite(y)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [release] %s %lld has no place in the coordinates of the site: is the "
                      "coordinate system of its file right? GeoJSON without one is in degrees",
                      where, what, (long long)number);
    } else if (isnan(ground)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [release] %s %lld at %.2f %.2f lies outside the terrain: move it, or "
                      "enlarge the site",
                      where, what, (long long)number, east, north);
    } else if (z < ground - g->spare_m) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [release] %s %lld at %.2f %.2f lies %.2f m below the terrain (its "
                      "height is %.2f m): lift it, or leave out its height",
                      where, what, (long long)number, east, north, ground - z, z + g->origin_m[2]);
    }
}

// Of all rings together, as drawn.
static bool has_area(const tal_features *f) {
    double twice = 0.0, way = 0.0;
    for (int32_t part = 0; part < f->part_count; part++) {
        const int32_t first = f->part_start[part];
        for (int32_t i = first + 1; i < f->part_start[part + 1]; i++) {
            const double dx = f->x[i] - f->x[i - 1], dy = f->y[i] - f->y[i - 1];
            twice += fabs((f->x[i - 1] - f->x[first]) * dy - (f->y[i - 1] - f->y[first]) * dx);
            way += hypot(dx, dy);
        }
    }
    return twice > 1e-6 * way * way;
}

void tal_release_check_start(const tal_place_ground *ground, const tal_features *from,
                             const char *where, tal_error *err) {
    static const char *const what[] = {[TAL_PLACE_POINTS] = "point",
                                       [TAL_PLACE_LINE] = "corner of a line",
                                       [TAL_PLACE_POLYGON] = "corner of a polygon"};
    for (int32_t i = 0; i < from->vertex_count; i++) {
        check_spot(ground, from->x[i], from->y[i],
                   from->kind == TAL_PLACE_POINTS ? from->z[i] : NAN, what[from->kind], i + 1,
                   where, err);
    }
    if (from->kind == TAL_PLACE_POLYGON && !has_area(from)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [release] its polygons have almost no area: use a line instead", where);
    }
}

void tal_release_check_cells(const tal_place_ground *ground, const tal_raster *cells,
                             const char *where, tal_error *err) {
    const tal_grid *grid = &cells->grid;
    int64_t number = 0;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            double x, y;
            if (!(cells->value[(size_t)row * (size_t)grid->columns + (size_t)column] > 0.0F)) {
                continue;
            }
            tal_grid_centre(grid, column, row, &x, &y);
            check_spot(ground, x - ground->origin_m[0], y - ground->origin_m[1], NAN, "cell",
                       ++number, where, err);
        }
    }
    if (number == 0) {
        tal_error_add(err, TAL_BAD_INPUT, "%s: [release] from: no cell of the raster is above 0",
                      where);
    }
}

void tal_release_check_size(const tal_place_ground *ground, const tal_settings *settings,
                            double size_m, tal_error *err) {
    const tal_release_settings *r = &settings->release;
    const double wide = ground->box.east - ground->box.west,
                 high = ground->box.north - ground->box.south;
    const void *given = r->size_m[0] != '\0'      ? (const void *)r->size_m
                        : r->diameters[0] != '\0' ? (const void *)r->diameters
                                                  : &settings->mesh.blocks;
    if (size_m >= fmin(wide, high)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: a rock of %g m does not fit on a terrain of %.0f by %.0f m: [release] "
                      "size_m takes the cube root of its volume, in metres",
                      tal_settings_where(settings, given), size_m, wide, high);
    }
}

// --- barriers ---

tal_status tal_release_read_barrier(tal_features *line, const tal_settings *settings, int number,
                                    const tal_features_frame *frame, tal_error *err) {
    const tal_barrier_settings *b = &settings->barrier[number];
    char where[2 * TAL_WHERE_SIZE + 2 * TAL_LABEL_SIZE];
    snprintf(where, sizeof where, "%s: [barrier.%s]", tal_settings_where_in(settings, b, sizeof *b),
             b->label);
    TAL_TRY(tal_features_create(line, settings, b->place, &b->line_m, TAL_PLACE_LINE, frame, where,
                                err));
    if (line->kind != TAL_PLACE_LINE) {
        tal_features_destroy(line);
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: a barrier is a line, and this layer has none",
                        where);
    }
    return TAL_OK;
}

static bool part_meets(const tal_features *a, int32_t i, const tal_features *b, int32_t part) {
    const double p[2] = {a->x[i - 1], a->y[i - 1]}, q[2] = {a->x[i], a->y[i]};
    for (int32_t k = b->part_start[part] + 1; k < b->part_start[part + 1]; k++) {
        const double r[2] = {b->x[k - 1], b->y[k - 1]}, s[2] = {b->x[k], b->y[k]};
        if (tal_segments_meet(p, q, r, s)) {
            return true;
        }
    }
    return false;
}

static bool lines_meet(const tal_features *a, const tal_features *b) {
    for (int32_t part = 0; part < a->part_count; part++) {
        for (int32_t i = a->part_start[part] + 1; i < a->part_start[part + 1]; i++) {
            for (int32_t other = 0; other < b->part_count; other++) {
                if (part_meets(a, i, b, other)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool has_length(const tal_features *line) {
    for (int32_t part = 0; part < line->part_count; part++) {
        for (int32_t i = line->part_start[part] + 1; i < line->part_start[part + 1]; i++) {
            if (line->x[i] != line->x[i - 1] || line->y[i] != line->y[i - 1]) {
                return true;
            }
        }
    }
    return false;
}

static void check_length(const tal_features *f, const char *where, const char *section,
                         const char *label, tal_error *err) {
    if (f->kind == TAL_PLACE_LINE && f->part_count > 0 && !has_length(f)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [%s.%s] has no length: all its corners are one point, which no rock can "
                      "cross",
                      where, section, label);
    }
}

// Does any of the points along the line lie on the ground?
static bool is_on_ground(const tal_features *line, const tal_place_ground *g) {
    enum { LOOKS = 64 };
    for (int32_t i = 1; i < line->vertex_count; i++) { // also between two lines: no harm
        for (int k = 0; k <= LOOKS; k++) {
            const double t = (double)k / LOOKS;
            if (!isnan(g->height(g->ground, (1.0 - t) * line->x[i - 1] + t * line->x[i],
                                 (1.0 - t) * line->y[i - 1] + t * line->y[i]))) {
                return true;
            }
        }
    }
    return false;
}

void tal_release_check_barrier(const tal_place_ground *ground, const tal_settings *settings,
                               const tal_features *const *line, int number, tal_error *err) {
    const tal_barrier_settings *b = &settings->barrier[number];
    const char *where = tal_settings_where_in(settings, b, sizeof *b);
    if (!is_on_ground(line[number], ground)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [barrier.%s] stands outside the terrain (its first corner is at %.2f "
                      "%.2f)",
                      where, b->label, line[number]->x[0] + ground->origin_m[0],
                      line[number]->y[0] + ground->origin_m[1]);
    }
    check_length(line[number], where, "barrier", b->label, err);
    for (int k = 0; k < number; k++) {
        if (lines_meet(line[k], line[number])) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "%s: [barrier.%s] overlaps [barrier.%s]: a rock would hit both at the "
                          "same place. Move one of them, or merge them",
                          where, b->label, settings->barrier[k].label);
        }
    }
}

// --- targets ---

tal_status tal_release_read_target(tal_features *place, const tal_settings *settings, int number,
                                   const tal_features_frame *frame, tal_error *err) {
    const tal_target_settings *t = &settings->target[number];
    char where[2 * TAL_WHERE_SIZE + 2 * TAL_LABEL_SIZE];
    snprintf(where, sizeof where, "%s: [target.%s]", tal_settings_where_in(settings, t, sizeof *t),
             t->label);
    TAL_TRY(tal_features_create(place, settings, t->place, &t->line_m, TAL_PLACE_LINE, frame, where,
                                err));
    if (place->kind == TAL_PLACE_POINTS) {
        tal_features_destroy(place);
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: points cannot be crossed: give lines or polygons",
                        where);
    }
    return TAL_OK;
}

// --- forest ---

tal_status tal_release_read_forest(tal_features *area, const tal_settings *settings,
                                   const tal_features_frame *frame, tal_error *err) {
    const tal_forest_settings *f = &settings->forest;
    const char *where = tal_settings_where_in(settings, f, sizeof *f);
    if (isnan(f->stems_per_ha)) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "%s: [forest] area is a layer of polygons: give stems_per_ha too", where);
    }
    if (f->area[0] == '\0') {
        return TAL_OK; // everywhere
    }
    TAL_TRY(
        tal_features_create(area, settings, f->area, NULL, TAL_PLACE_POLYGON, frame, where, err));
    if (area->kind != TAL_PLACE_POLYGON) {
        tal_features_destroy(area);
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: [forest] area must be polygons or a raster",
                        where);
    }
    return TAL_OK;
}

// The line is taken apart. False: not three numbers, or no diameter.
static bool parse_stem(char *line, int *word_count, double v[3]) {
    char word[3][64], rest[2];
    for (char *c = line; *c != '\0'; c++) {
        *c = *c == ',' || *c == ';' || *c == '\t' ? ' ' : *c;
    }
    *word_count = sscanf(line, "%63s %63s %63s %1s", word[0], word[1], word[2], rest);
    for (int k = 0; k < 3; k++) {
        if (k >= *word_count || !tal_text_to_real(word[k], &v[k]) || !isfinite(v[k])) {
            return false;
        }
    }
    return v[2] > 0.0;
}

static tal_status read_stems_of(const char *path, const double origin_m[3], tal_stem_take *take,
                                void *context, tal_error *err) {
    char line[512];
    FILE *stream = fopen(path, "r");
    if (stream == NULL) {
        return tal_error_add(err, TAL_NOT_FOUND, "%s cannot be read", path);
    }
    const int before = err->message_count;
    tal_status status = TAL_OK;
    for (int number = 1; status == TAL_OK && fgets(line, sizeof line, stream) != NULL; number++) {
        double v[3], first;
        int words = 0;
        const bool is_stem = parse_stem(line, &words, v);
        const bool is_header = number == 1 && sscanf(line, "%lf", &first) != 1;
        if (is_stem) {
            status = take(context, v[0] - origin_m[0], v[1] - origin_m[1], v[2], err);
        } else if (words > 0 && !is_header) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "%s:%d: a stem is east, north and diameter in centimetres, above 0", path,
                          number);
        }
    }
    fclose(stream);
    return status != TAL_OK ? status : err->message_count > before ? TAL_BAD_INPUT : TAL_OK;
}

tal_status tal_release_read_stems(const tal_settings *settings, const double origin_m[3],
                                  tal_stem_take *take, void *context, tal_error *err) {
    char path[TAL_PATH_SIZE];
    const char *files = settings->forest.stems;
    tal_status status = TAL_OK;
    while (tal_settings_next_file(settings, &files, path)) {
        const tal_status one = read_stems_of(path, origin_m, take, context, err);
        status = status == TAL_OK ? one : status;
    }
    return status;
}

// --- all of it ---

// What went wrong in one file does not hide the next one.
static void gather(tal_error *all, tal_status status, const tal_error *own) {
    if (status != TAL_OK) {
        tal_error_add(all, status, "%s", own->text);
    }
}

// Are the files of a key there? Those that only later stages read are missed before any work, too.
static bool has_files(const tal_settings *settings, const char *section, const char *label,
                      const char *key, const char *files, tal_error *err) {
    char name[2 * TAL_LABEL_SIZE];
    snprintf(name, sizeof name, "%s%s%s", section, label[0] != '\0' ? "." : "", label);
    return tal_site_file_check_files(settings, name, key, tal_settings_where(settings, files),
                                     err) == TAL_OK;
}

static void check_start_file(const tal_place_ground *g, const tal_settings *settings,
                             const tal_features_frame *frame, tal_error *err) {
    const tal_release_settings *r = &settings->release;
    const char *where = tal_release_where(settings);
    tal_error own;
    tal_error_reset(&own);
    (void)has_files(settings, "release", "", "diameters", r->diameters, err);
    if (!has_files(settings, "release", "", "from", r->from, err)) {
        return;
    }
    if (tal_features_are_raster(settings, r->from)) {
        char path[TAL_PATH_SIZE];
        const char *files = r->from;
        tal_raster cells = {0};
        tal_settings_next_file(settings, &files, path);
        const tal_status status = tal_raster_read(&cells, path, &own);
        gather(err, status, &own);
        if (status == TAL_OK) {
            tal_release_check_cells(g, &cells, where, err);
        }
        tal_raster_destroy(&cells);
        return;
    }
    tal_features from = {0};
    const tal_status status = tal_features_create(&from, settings, r->from, &r->from_m,
                                                  (tal_place_choice)r->from_is, frame, where, &own);
    gather(err, status, &own);
    if (status == TAL_OK) {
        tal_release_check_start(g, &from, where, err);
    }
    tal_features_destroy(&from);
}

// The middle of what size_m says: single rocks that are drawn larger are found when they are drawn.
static void check_sizes(const tal_place_ground *g, const tal_settings *settings, tal_error *err) {
    tal_release_draws draws;
    tal_error own;
    tal_error_reset(&own);
    if (tal_release_draws_read(&draws, settings, &own) == TAL_OK && draws.has_size) {
        tal_release_check_size(g, settings, tal_distribution_middle(&draws.size), err);
    }
}

static void check_barriers(const tal_place_ground *g, const tal_settings *settings,
                           const tal_features_frame *frame, tal_error *err) {
    tal_features line[TAL_REPEAT_MAX] = {0};
    const tal_features *lines[TAL_REPEAT_MAX];
    for (int k = 0; k < settings->barrier_count; k++) {
        const tal_barrier_settings *b = &settings->barrier[k];
        tal_error own;
        tal_error_reset(&own);
        lines[k] = &line[k]; // without parts where it could not be read: meets nothing
        if (has_files(settings, "barrier", b->label, "place", b->place, err)) {
            gather(err, tal_release_read_barrier(&line[k], settings, k, frame, &own), &own);
        }
        if (line[k].part_count > 0) {
            tal_release_check_barrier(g, settings, lines, k, err);
        }
    }
    for (int k = 0; k < settings->barrier_count; k++) {
        tal_features_destroy(&line[k]);
    }
}

// Does the box around the places share nothing with that of the ground?
static bool is_elsewhere(const tal_features *f, tal_bounds box) {
    tal_bounds own = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < f->vertex_count; i++) {
        own.west = fmin(own.west, f->x[i]);
        own.east = fmax(own.east, f->x[i]);
        own.south = fmin(own.south, f->y[i]);
        own.north = fmax(own.north, f->y[i]);
    }
    return own.east < box.west || own.west > box.east || own.north < box.south ||
           own.south > box.north;
}

static void check_elsewhere(const tal_place_ground *g, const tal_features *f, const char *where,
                            const char *section, const char *label, tal_error *err) {
    if (f->part_count > 0 && is_elsewhere(f, g->box)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [%s%s] lies outside the terrain (its first corner is at %.2f %.2f): no "
                      "rock can come there",
                      where, section, label, f->x[0] + g->origin_m[0], f->y[0] + g->origin_m[1]);
    }
}

typedef struct {
    tal_bounds box;
    int64_t count, inside_count;
} stem_count;

static tal_status count_stem(void *context, double x, double y, double diameter_cm,
                             tal_error *err) {
    stem_count *c = context;
    (void)diameter_cm, (void)err;
    c->count++;
    c->inside_count +=
        x >= c->box.west && x <= c->box.east && y >= c->box.south && y <= c->box.north;
    return TAL_OK;
}

static void check_stems(const tal_place_ground *g, const tal_settings *settings, tal_error *err) {
    const tal_forest_settings *f = &settings->forest;
    stem_count c = {.box = g->box};
    if (has_files(settings, "forest", "", "stems", f->stems, err) &&
        tal_release_read_stems(settings, g->origin_m, count_stem, &c, err) == TAL_OK &&
        c.count > 0 && c.inside_count == 0) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [forest] none of the %lld stems stands on the terrain: are they in the "
                      "coordinate system of the site?",
                      tal_settings_where(settings, f->stems), (long long)c.count);
    }
}

static void check_forest(const tal_place_ground *g, const tal_settings *settings,
                         const tal_features_frame *frame, tal_error *err) {
    const tal_forest_settings *f = &settings->forest;
    (void)has_files(settings, "forest", "", "diameters", f->diameters, err);
    check_stems(g, settings, err);
    if (!has_files(settings, "forest", "", "area", f->area, err) || !tal_forest_is_given(f) ||
        f->stems[0] != '\0' || tal_features_are_raster(settings, f->area)) {
        return;
    }
    tal_features area = {0};
    tal_error own;
    tal_error_reset(&own);
    gather(err, tal_release_read_forest(&area, settings, frame, &own), &own);
    check_elsewhere(g, &area, tal_settings_where_in(settings, f, sizeof *f), "forest", "", err);
    tal_features_destroy(&area);
}

static void check_target(const tal_place_ground *g, const tal_settings *settings, int number,
                         const tal_features_frame *frame, tal_error *err) {
    const tal_target_settings *t = &settings->target[number];
    tal_features place = {0};
    tal_error own;
    tal_error_reset(&own);
    (void)has_files(settings, "target", t->label, "observed", t->observed, err);
    if (has_files(settings, "target", t->label, "place", t->place, err)) {
        gather(err, tal_release_read_target(&place, settings, number, frame, &own), &own);
    }
    const char *where = tal_settings_where_in(settings, t, sizeof *t);
    check_length(&place, where, "target", t->label, err);
    check_elsewhere(g, &place, where, "target.", t->label, err);
    tal_features_destroy(&place);
}

void tal_release_check_places(const tal_place_ground *ground, const tal_settings *settings,
                              const tal_features_frame *frame, tal_error *err) {
    check_start_file(ground, settings, frame, err);
    check_sizes(ground, settings, err);
    check_barriers(ground, settings, frame, err);
    check_forest(ground, settings, frame, err);
    for (int k = 0; k < settings->target_count; k++) {
        check_target(ground, settings, k, frame, err);
    }
}
