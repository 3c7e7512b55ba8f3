// SPDX-License-Identifier: GPL-3.0-or-later
// Where rocks start.
#include "solver/program/release/start.h"

#include "core/base/math3.h"
#include "core/base/memory.h"
#include "core/geo/raster_file.h"
#include "core/geometry/angle.h"
#include "core/geometry/mass_properties.h"

#include <math.h>
#include <string.h>

// Draws of one rock, each from a stream of its own: another rock or another draw moves nothing.
typedef enum {
    DRAW_PLACE,
    DRAW_BLOCK,
    DRAW_SIZE,
    DRAW_HEIGHT,
    DRAW_SPEED,
    DRAW_DIRECTION,
    DRAW_SPIN,
    DRAW_AXIS,
    DRAW_TURN,
    DRAW_ORDER // of places, not of one rock
} draw_kind;

static tal_random stream_of(const tal_starts *s, draw_kind kind) {
    static const char *const names[] = {
        "release/place",     "release/block", "release/size", "release/height", "release/speed",
        "release/direction", "release/spin",  "release/axis", "release/turn",   "release/order"};
    return tal_random_stream((uint64_t)s->settings->random.seed, (uint32_t)s->settings->random.run,
                             names[kind]);
}

// --- places ---

static tal_status read_cells(tal_starts *s, tal_error *err) {
    char path[TAL_PATH_SIZE];
    const char *files = s->settings->release.from;
    tal_settings_next_file(s->settings, &files, path);
    TAL_TRY(tal_raster_read(&s->cells, path, err));
    const size_t count = tal_grid_cell_count(&s->cells.grid);
    TAL_CREATE(s->place, count, "cells of the release", err);
    for (size_t i = 0; i < count; i++) {
        if (s->cells.value[i] > 0.0F) {
            s->place[s->place_count++] = (int32_t)i;
        }
    }
    return TAL_OK;
}

static tal_status list_points(tal_starts *s, tal_error *err) {
    s->place_count = s->from.kind == TAL_PLACE_POINTS ? s->from.vertex_count : 0;
    TAL_CREATE(s->place, (size_t)s->place_count + 1, "points of the release", err);
    for (int32_t k = 0; k < s->place_count; k++) {
        s->place[k] = k;
    }
    return TAL_OK;
}

// In a drawn order: however few rocks there are, they come from all over the source, not from its first rows.
static void shuffle_places(tal_starts *s) {
    const tal_random random = stream_of(s, DRAW_ORDER);
    for (int32_t k = s->place_count - 1; k > 0; k--) {
        const int32_t other = (int32_t)tal_random_below(random, (uint64_t)k, (uint64_t)k + 1);
        const int32_t kept = s->place[k];
        s->place[k] = s->place[other];
        s->place[other] = kept;
    }
}

static tal_status measure_places(tal_starts *s, tal_error *err) {
    const tal_features *f = &s->from;
    double sum = 0.0;
    TAL_CREATE(s->length, (size_t)f->vertex_count + 1, "lines of the release", err);
    s->low[0] = s->low[1] = INFINITY;
    s->high[0] = s->high[1] = -INFINITY;
    for (int32_t part = 0; part < f->part_count; part++) {
        for (int32_t i = f->part_start[part]; i < f->part_start[part + 1]; i++) {
            sum +=
                i > f->part_start[part] ? hypot(f->x[i] - f->x[i - 1], f->y[i] - f->y[i - 1]) : 0.0;
            s->length[i] = sum;
            s->low[0] = fmin(s->low[0], f->x[i]);
            s->low[1] = fmin(s->low[1], f->y[i]);
            s->high[0] = fmax(s->high[0], f->x[i]);
            s->high[1] = fmax(s->high[1], f->y[i]);
        }
    }
    return TAL_OK;
}

static void place_on_line(const tal_starts *s, double share, double xy[2]) {
    const tal_features *f = &s->from;
    const double wanted = share * s->length[f->vertex_count - 1];
    int32_t i = 1;
    while (i < f->vertex_count - 1 && s->length[i] < wanted) {
        i++;
    }
    const double step = s->length[i] - s->length[i - 1];
    const double t = step > 0.0 ? (wanted - s->length[i - 1]) / step : 1.0;
    xy[0] = f->x[i - 1] + t * (f->x[i] - f->x[i - 1]);
    xy[1] = f->y[i - 1] + t * (f->y[i] - f->y[i - 1]);
}

enum { TRIES_MAX = 10000 };

// Evenly inside the polygons; false where they are too thin to be hit.
static bool place_in_polygon(const tal_starts *s, tal_random random, uint64_t first, double xy[2]) {
    for (uint64_t k = 0; k < TRIES_MAX; k++) {
        for (int i = 0; i < 2; i++) {
            xy[i] = s->low[i] + (s->high[i] - s->low[i]) *
                                    tal_random_uniform(random, first + 2 * k + (uint64_t)i);
        }
        if (tal_features_hold(&s->from, xy[0], xy[1])) {
            return true;
        }
    }
    return false;
}

// Rocks go through points and cells in turn, in the drawn order: each place gets as many as the others.
static bool find_place(const tal_starts *s, int64_t number, double xyz[3]) {
    const tal_random random = stream_of(s, DRAW_PLACE);
    const uint64_t draw = (uint64_t)number * 2 * TRIES_MAX;
    xyz[2] = NAN;
    if (s->from_raster) {
        const tal_grid *grid = &s->cells.grid;
        const int32_t cell = s->place[number % s->place_count];
        double x, y;
        tal_grid_centre(grid, cell % grid->columns, cell / grid->columns, &x, &y);
        x -= s->scene->origin_m[0];
        y -= s->scene->origin_m[1];
        xyz[0] = x + (tal_random_uniform(random, draw) - 0.5) * grid->cell;
        xyz[1] = y + (tal_random_uniform(random, draw + 1) - 0.5) * grid->cell;
        if (isnan(tal_ground_height(s->ground, xyz[0], xyz[1]))) { // half a cell beyond the rim
            xyz[0] = x;
            xyz[1] = y;
        }
        return true;
    }
    switch (s->from.kind) {
    case TAL_PLACE_POINTS: {
        const int32_t k = s->place[number % s->place_count];
        xyz[0] = s->from.x[k];
        xyz[1] = s->from.y[k];
        xyz[2] = s->from.z[k];
        return true;
    }
    case TAL_PLACE_LINE:
        place_on_line(s, tal_random_uniform(random, draw), xyz);
        return true;
    default:
        return place_in_polygon(s, random, draw, xyz);
    }
}

// --- checks ---

static double height_at(const void *ground, double x, double y) {
    return tal_ground_height(ground, x, y);
}

tal_place_ground tal_release_ground(const tal_settings *settings, const tal_solve_scene *scene,
                                    const tal_ground *ground) {
    // What talus-ingest took for the ground lies up to mesh_error_m off its triangles, and bumps move those.
    double spare = 2.0 * settings->mesh.mesh_error_m, highest = 0.0;
    for (int k = 0; k < settings->ground_count; k++) {
        highest = fmax(highest, settings->ground[k].roughness_m);
    }
    return (tal_place_ground){
        .height = height_at,
        .ground = ground,
        .box = {scene->low_m[0], scene->low_m[1], scene->high_m[0], scene->high_m[1]},
        .origin_m = {scene->origin_m[0], scene->origin_m[1], scene->origin_m[2]},
        .spare_m = spare + highest};
}

static tal_status check_places(const tal_starts *s, const char *where, tal_error *err) {
    const int before = err->message_count;
    const tal_place_ground ground = tal_release_ground(s->settings, s->scene, s->ground);
    double xyz[3];
    if (s->from_raster) {
        tal_release_check_cells(&ground, &s->cells, where, err);
    } else {
        tal_release_check_start(&ground, &s->from, where, err);
    }
    if (err->message_count == before && !find_place(s, 0, xyz)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: [release] its polygons have almost no area: use a line instead", where);
    }
    return err->message_count > before ? TAL_BAD_INPUT : TAL_OK;
}

static tal_status read_diameters(tal_starts *s, tal_error *err) {
    const char *files = s->settings->release.diameters;
    char path[TAL_PATH_SIZE];
    while (s->diameter_count < 3 && tal_settings_next_file(s->settings, &files, path)) {
        TAL_TRY(tal_raster_read(&s->diameter[s->diameter_count++], path, err));
    }
    if (s->diameter_count == 2) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "%s: [release] diameters: give one raster, or three (d1, d2, d3)",
                        tal_settings_where(s->settings, s->settings->release.diameters));
    }
    return TAL_OK;
}

static tal_status fill(tal_starts *s, tal_error *err) {
    if (s->scene->volume_m3 == NULL) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "blocks.nc has no volumes: a release needs blocks as talus-mesh writes "
                        "them");
    }
    const tal_settings *settings = s->settings;
    const tal_release_settings *r = &settings->release;
    const char *where = tal_release_where(settings);
    const tal_features_frame frame = {
        s->scene->crs, {s->scene->origin_m[0], s->scene->origin_m[1], s->scene->origin_m[2]}};
    TAL_TRY(tal_release_draws_read(&s->draws, settings, err));
    s->from_raster = tal_features_are_raster(settings, r->from);
    if (s->from_raster) {
        TAL_TRY(read_cells(s, err));
    } else {
        TAL_TRY(tal_features_create(&s->from, settings, r->from, &r->from_m,
                                    (tal_place_choice)r->from_is, &frame, where, err));
        TAL_TRY(list_points(s, err));
        TAL_TRY(measure_places(s, err));
    }
    TAL_TRY(read_diameters(s, err));
    TAL_TRY(check_places(s, where, err));
    shuffle_places(s);
    return TAL_OK;
}

tal_status tal_starts_create(tal_starts *s, const tal_settings *settings,
                             const tal_solve_scene *scene, const tal_ground *ground,
                             tal_error *err) {
    *s = (tal_starts){.settings = settings, .scene = scene, .ground = ground};
    const tal_status status = fill(s, err);
    if (status != TAL_OK) {
        tal_starts_destroy(s);
    }
    return status;
}

void tal_starts_destroy(tal_starts *s) {
    tal_features_destroy(&s->from);
    tal_memory_destroy(s->length);
    tal_raster_destroy(&s->cells);
    tal_memory_destroy(s->place);
    for (int k = 0; k < 3; k++) {
        tal_raster_destroy(&s->diameter[k]);
    }
    *s = (tal_starts){0};
}

// --- one rock ---

int32_t tal_starts_vertices_max(const tal_starts *s) {
    int32_t most = 1;
    for (int32_t b = 0; b < s->scene->input.shape_count; b++) {
        const int32_t count = s->scene->input.shape[b].vertex_count;
        most = count > most ? count : most;
    }
    return most;
}

double tal_rock_drop(const tal_rock_start *start, tal_quat orientation) {
    if (start->shape.kind == TAL_SHAPE_SPHERE) {
        return start->shape.radius;
    }
    const tal_mat3 turn = tal_quat_matrix(orientation);
    double lowest = 0.0;
    for (int32_t k = 0; k < start->shape.vertex_count; k++) {
        lowest = fmin(lowest, tal_mat3_apply(&turn, start->vertex[k]).z);
    }
    return -lowest;
}

// The block made larger or smaller, all ways alike.
static void scale_block(const tal_starts *s, tal_rock_start *r, double factor) {
    const tal_model_input *in = &s->scene->input;
    const double cube = factor * factor * factor;
    r->shape = in->shape[r->block];
    r->shape.radius *= factor;
    for (int32_t k = 0; k < r->shape.vertex_count; k++) {
        r->vertex[k] = tal_vec3_scale(in->shape[r->block].vertex[k], factor);
    }
    r->shape.vertex = r->vertex;
    r->mass = in->mass_kg[r->block] * cube;
    r->inertia = tal_vec3_scale(in->inertia_kg_m2[r->block], cube * factor * factor);
    r->size = cbrt(s->scene->volume_m3[r->block]) * factor;
    r->radius = s->scene->bounding_radius_m[r->block] * factor;
}

// Longest first, as the axes of a block are: its principal moments rise.
static void sort_widths(double width[3]) {
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 2; k++) {
            const double a = width[k], b = width[k + 1];
            width[k] = fmax(a, b);
            width[k + 1] = fmin(a, b);
        }
    }
}

// The block stretched along its own axes to the given widths, longest to longest; then turned so that
// its axes are principal again.
static void stretch_block(const tal_starts *s, tal_rock_start *r, const double width[3]) {
    const double density = s->scene->input.mass_kg[r->block] / s->scene->volume_m3[r->block];
    tal_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    scale_block(s, r, 1.0);
    const int32_t count = r->shape.vertex_count;
    int32_t corner_start[256] = {0};
    if (r->shape.kind == TAL_SHAPE_SPHERE || r->shape.face_count > 255) {
        scale_block(s, r, cbrt(width[0] * width[1] * width[2]) / r->size);
        return;
    }
    for (int32_t k = 0; k < count; k++) {
        const tal_vec3 v = r->vertex[k];
        low = tal_vec3_make(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = tal_vec3_make(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    const tal_vec3 factor = {width[0] / (high.x - low.x), width[1] / (high.y - low.y),
                             width[2] / (high.z - low.z)};
    for (int32_t k = 0; k < count; k++) {
        r->vertex[k].x *= factor.x;
        r->vertex[k].y *= factor.y;
        r->vertex[k].z *= factor.z;
    }
    for (int32_t f = 0; f < r->shape.face_count; f++) {
        corner_start[f + 1] = corner_start[f] + r->shape.loop_size[f];
    }
    const tal_surface surface = {r->vertex, count, corner_start, r->shape.face_count,
                                 r->shape.loop_vertex};
    const tal_mass_properties mass = tal_surface_mass(&surface);
    const tal_principal_axes axes = tal_inertia_principal(mass.inertia);
    r->radius = 0.0;
    for (int32_t k = 0; k < count; k++) {
        r->vertex[k] = tal_quaternion_rotate_back(axes.quaternion,
                                                  tal_vec3_subtract(r->vertex[k], mass.centroid));
        r->radius = fmax(r->radius, tal_vec3_length(r->vertex[k]));
    }
    r->size = cbrt(mass.volume);
    r->mass = density * mass.volume;
    r->inertia =
        tal_vec3_scale(tal_vec3_make(axes.moment[0], axes.moment[1], axes.moment[2]), density);
}

static double cell_value(const tal_raster *raster, double east, double north) {
    const int64_t cell = tal_grid_index(&raster->grid, east, north);
    return cell >= 0 ? (double)raster->value[cell] : NAN;
}

static tal_status take_shape(const tal_starts *s, tal_rock_start *r, tal_error *err) {
    const uint64_t number = (uint64_t)r->number;
    const int32_t count = s->scene->input.shape_count;
    r->block = (int32_t)tal_random_below(stream_of(s, DRAW_BLOCK), number, (uint64_t)count);
    if (s->diameter_count > 0) {
        double width[3];
        const double east = r->position.x + s->scene->origin_m[0];
        const double north = r->position.y + s->scene->origin_m[1];
        for (int k = 0; k < 3; k++) {
            width[k] = cell_value(&s->diameter[s->diameter_count == 3 ? k : 0], east, north);
            if (!(width[k] > 0.0)) {
                return TAL_FAIL(
                    err, TAL_BAD_INPUT,
                    "%s: [release] diameters: there is no value at %.2f %.2f, where a rock starts",
                    tal_settings_where(s->settings, s->settings->release.diameters), east, north);
            }
        }
        sort_widths(width);
        stretch_block(s, r, width);
        return TAL_OK;
    }
    const double natural = cbrt(s->scene->volume_m3[r->block]);
    const double size = s->draws.has_size
                            ? tal_distribution_draw(&s->draws.size, stream_of(s, DRAW_SIZE), number)
                            : natural;
    scale_block(s, r, size / natural);
    return TAL_OK;
}

// Evenly over all rotations (Shoemake 1992).
static tal_quat random_turn(tal_random random, uint64_t number) {
    const double u = tal_random_uniform(random, 3 * number);
    const double a = 2.0 * TAL_PI * tal_random_uniform(random, 3 * number + 1);
    const double b = 2.0 * TAL_PI * tal_random_uniform(random, 3 * number + 2);
    return (tal_quat){sqrt(1.0 - u) * sin(a), sqrt(1.0 - u) * cos(a), sqrt(u) * sin(b),
                      sqrt(u) * cos(b)};
}

// Direction in which the ground falls about a place, clockwise from north.
static double down_slope(const tal_starts *s, double x, double y, double span) {
    const double east = tal_ground_height(s->ground, x + span, y);
    const double west = tal_ground_height(s->ground, x - span, y);
    const double north = tal_ground_height(s->ground, x, y + span);
    const double south = tal_ground_height(s->ground, x, y - span);
    const double dx = west - east, dy = south - north;
    return isfinite(dx) && isfinite(dy) ? atan2(dx, dy) : 0.0;
}

static void take_motion(const tal_starts *s, tal_rock_start *r) {
    const uint64_t number = (uint64_t)r->number;
    const double speed = tal_distribution_draw(&s->draws.speed, stream_of(s, DRAW_SPEED), number);
    const double spin = tal_distribution_draw(&s->draws.spin, stream_of(s, DRAW_SPIN), number);
    const double angle = s->draws.has_direction
                             ? tal_radians(tal_distribution_draw(
                                   &s->draws.direction, stream_of(s, DRAW_DIRECTION), number))
                             : down_slope(s, r->position.x, r->position.y, fmax(1.0, r->size));
    double axis[3];
    tal_random_direction(stream_of(s, DRAW_AXIS), number, axis);
    r->velocity = tal_vec3_make(speed * sin(angle), speed * cos(angle), 0.0);
    r->spin = tal_vec3_make(spin * axis[0], spin * axis[1], spin * axis[2]);
    r->orientation = s->settings->release.orientation == TAL_ORIENTATION_RANDOM
                         ? random_turn(stream_of(s, DRAW_TURN), number)
                         : s->scene->input.orientation[r->block];
}

// As low as no corner, nor the ground below its edges, is closer to the ground than `height`.
static double height_of_centre(const tal_starts *s, const tal_rock_start *r, double height) {
    double highest = tal_ground_height(s->ground, r->position.x, r->position.y) +
                     tal_rock_drop(r, r->orientation);
    if (r->shape.kind == TAL_SHAPE_SPHERE) {
        const double radius = r->shape.radius;
        for (int k = 0; k < 64; k++) { // 8 directions, 8 distances
            const double angle = TAL_PI / 4.0 * (k / 8), out = radius * (k % 8 + 1) / 8.0;
            const double ground = tal_ground_height(s->ground, r->position.x + out * cos(angle),
                                                    r->position.y + out * sin(angle));
            const double below = sqrt(fmax(0.0, radius * radius - out * out));
            highest = isnan(ground) ? highest : fmax(highest, ground + below);
        }
        return highest + height;
    }
    const tal_mat3 turn = tal_quat_matrix(r->orientation);
    for (int32_t k = 0; k < r->shape.vertex_count; k++) {
        const tal_vec3 v = tal_mat3_apply(&turn, r->vertex[k]);
        const double ground =
            tal_ground_height(s->ground, r->position.x + v.x, r->position.y + v.y);
        highest = isnan(ground) ? highest : fmax(highest, ground - v.z);
    }
    return highest + height;
}

tal_status tal_starts_draw(const tal_starts *s, int64_t number, tal_rock_start *r, tal_error *err) {
    double xyz[3] = {0};
    r->number = number;
    if (!find_place(s, number, xyz)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "no place was found for rock %lld in the polygons of [release]",
                        (long long)number);
    }
    r->position = tal_vec3_make(xyz[0], xyz[1], 0.0);
    TAL_TRY(take_shape(s, r, err));
    const tal_place_ground ground = tal_release_ground(s->settings, s->scene, s->ground);
    const int before = err->message_count;
    tal_release_check_size(&ground, s->settings, r->size, err);
    if (err->message_count > before) {
        return TAL_BAD_INPUT;
    }
    take_motion(s, r);
    const double height =
        tal_distribution_draw(&s->draws.height, stream_of(s, DRAW_HEIGHT), (uint64_t)number);
    const double lowest = height_of_centre(s, r, height);
    r->position.z = isnan(xyz[2]) ? lowest : fmax(xyz[2], lowest);
    return isfinite(lowest)
               ? TAL_OK
               : TAL_FAIL(err, TAL_BAD_INPUT, "rock %lld starts at %.2f %.2f, outside the terrain",
                          (long long)number, xyz[0] + s->scene->origin_m[0],
                          xyz[1] + s->scene->origin_m[1]);
}
