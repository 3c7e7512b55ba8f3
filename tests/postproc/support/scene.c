// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up study for tests of post-processing.
#include "tests/postproc/support/scene.h"

#include "core/app/json.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/geo/netcdf_file.h"
#include "core/geo/raster_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double EAST = 712000.0, NORTH = 1637000.0, HEIGHT = 400.0;
static const double DENSITY = 2600.0, STEP_S = 0.02;

tal_post_scene tal_post_scene_default(void) {
    return (tal_post_scene){.columns = 160,
                            .rows = 120,
                            .cell_m = 2.0,
                            .block_count = 200,
                            .frame_count = 201,
                            .duration_s = 20.0,
                            .epochs = 2,
                            .has_deposit = true,
                            .ended_because = "still"};
}

static double width_of(const tal_post_scene *s) {
    return s->columns * s->cell_m;
}

// A slope to the east that flattens into a terrace, with a gentle gully; heights above HEIGHT.
static double ground_at(const tal_post_scene *s, double x, double y) {
    const double w = width_of(s), h = s->rows * s->cell_m, t = x / w;
    const double slope = t < 0.62 ? 0.42 * w * pow((0.62 - t) / 0.62, 1.35) : 0.02 * w * (0.62 - t);
    const double side = (y - 0.5 * h) / h;
    return 100.0 + slope + 30.0 * side * side + 0.8 * sin(x / 9.0) * cos(y / 7.0) +
           0.25 * sin(x / 2.3 + y / 3.1);
}

// The source sits high on the slope.
static double source_at(const tal_post_scene *s, double x, double y) {
    const double w = width_of(s), h = s->rows * s->cell_m;
    const double a = (x - 0.16 * w) / (0.055 * w), b = (y - 0.5 * h) / (0.13 * h);
    const double r = a * a + b * b;
    const double d = (y - 0.88 * h) / (0.06 * h), other = a * a + d * d;
    if (s->two_sources && other < 1.0) {
        return 0.028 * w * sqrt(1.0 - other);
    }
    for (int32_t i = 0; i < s->more_sources; i++) { // in two rows west of the first
        const double e = (x - w * (i % 2 == 0 ? 0.03 : 0.08)) / (0.015 * w);
        const double g =
            (y - h * (0.04 + 0.92 * i / s->more_sources)) / (0.4 * h / s->more_sources);
        if (e * e + g * g < 1.0) {
            return 0.01 * w * sqrt(1.0 - e * e - g * g);
        }
    }
    return r < 1.0 ? 0.028 * w * sqrt(1.0 - r) : 0.0;
}

// An arrowhead on the terrace.
static double deposit_at(const tal_post_scene *s, double x, double y) {
    const double w = width_of(s), h = s->rows * s->cell_m;
    const double t = (x - 0.52 * w) / (0.26 * w);
    if (!s->has_deposit || t < 0.0 || t > 1.0) {
        return 0.0;
    }
    const double half = h * (0.06 + 0.24 * t * (1.15 - t));
    const double across = fabs(y - 0.5 * h) / half;
    return across < 1.0 ? 0.011 * w * sqrt(1.0 - across) * (1.0 - 0.6 * t) : 0.0;
}

typedef enum { BEFORE, AFTER, BED, DZ, LOD, SOURCE, DEPOSIT, LAYERS } layer;

static double layer_at(const tal_post_scene *s, layer kind, double x, double y) {
    const double ground = HEIGHT + ground_at(s, x, y);
    const double source = source_at(s, x, y), deposit = deposit_at(s, x, y);
    switch (kind) {
    case BEFORE:
        return ground + source;
    case AFTER:
        return ground + deposit;
    case DZ:
        return deposit - source;
    case LOD:
        return 0.25;
    case SOURCE:
        return source > 0.25 ? source : 0.0;
    case DEPOSIT:
        return deposit > 0.25 ? deposit : 0.0;
    default:
        return ground;
    }
}

static tal_status open_crs(const tal_post_scene *s, tal_crs **crs, tal_error *err) {
    return tal_crs_create(crs, s->is_local ? "local" : "EPSG:32620+5773", "scene", err);
}

static tal_status write_layer(const tal_post_scene *s, const char *folder, layer kind,
                              double *volume, tal_error *err) {
    static const char *const NAME[LAYERS] = {"before.tif", "after.tif",  "bed.tif",    "dz.tif",
                                             "lod.tif",    "source.tif", "deposit.tif"};
    const tal_grid grid = {EAST, NORTH, s->cell_m, s->columns, s->rows};
    const bool is_survey = kind == BEFORE || kind == AFTER || kind == DZ || kind == LOD;
    char path[TAL_PATH_SIZE];
    tal_raster raster;
    tal_crs *crs = NULL;
    (void)tal_path_join(path, folder, NAME[kind]);
    TAL_TRY(tal_raster_create(&raster, &grid, err));
    for (int32_t row = 0; row < s->rows; row++) {
        for (int32_t column = 0; column < s->columns; column++) {
            const double x = (column + 0.5) * s->cell_m, y = (s->rows - row - 0.5) * s->cell_m;
            // A corner without data, as real surveys have.
            const bool hole = (is_survey && s->survey_is_empty) || (column < 6 && row < 6);
            const double value = layer_at(s, kind, x, y);
            raster.value[row * s->columns + column] = hole ? NAN : (float)value;
            *volume += hole ? 0.0 : value * s->cell_m * s->cell_m;
        }
    }
    tal_status status = open_crs(s, &crs, err);
    if (status == TAL_OK) {
        const tal_raster_notes notes = {.crs = crs, .description = NAME[kind], .unit = "m"};
        status = tal_raster_write(path, &raster, &notes, TAL_REPLACE, err);
    }
    tal_crs_destroy(crs);
    tal_raster_destroy(&raster);
    return status;
}

static void add_volume(cJSON *root, const char *name, double volume) {
    cJSON *part = cJSON_AddObjectToObject(root, name);
    cJSON_AddNumberToObject(part, "volume_m3", volume);
    cJSON_AddNumberToObject(part, "low_m3", 0.93 * volume);
    cJSON_AddNumberToObject(part, "high_m3", 1.07 * volume);
    cJSON_AddNumberToObject(part, "area_m2", 1.0);
    cJSON_AddNumberToObject(part, "mean_thickness_m", 1.0);
    cJSON_AddNumberToObject(part, "max_thickness_m", 1.0);
}

static tal_status write_notes(const tal_post_scene *s, const char *folder, double source,
                              double deposit, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_crs *crs = NULL;
    TAL_TRY(open_crs(s, &crs, err));
    cJSON *root = cJSON_CreateObject();
    cJSON *grid = cJSON_AddObjectToObject(root, "grid");
    cJSON_AddNumberToObject(grid, "west_m", EAST);
    cJSON_AddNumberToObject(grid, "north_m", NORTH);
    cJSON_AddNumberToObject(grid, "cell_m", s->cell_m);
    cJSON_AddNumberToObject(grid, "columns", s->columns);
    cJSON_AddNumberToObject(grid, "rows", s->rows);
    cJSON_AddStringToObject(root, "crs", tal_crs_wkt(crs));
    cJSON *origin = cJSON_AddObjectToObject(root, "origin");
    cJSON_AddNumberToObject(origin, "east_m", EAST);
    cJSON_AddNumberToObject(origin, "north_m", NORTH);
    cJSON_AddNumberToObject(origin, "height_m", HEIGHT);
    cJSON_AddNumberToObject(root, "epochs", s->epochs);
    add_volume(root, "source", source);
    add_volume(root, "deposit", deposit);
    (void)tal_path_join(path, folder, "ingest.json");
    const tal_status status = tal_json_write(path, root, TAL_REPLACE, err);
    cJSON_Delete(root);
    tal_crs_destroy(crs);
    return status;
}

static tal_status write_terrain(const tal_post_scene *s, const char *folder, tal_error *err) {
    enum { SIDE_X = 41, SIDE_Y = 26, NODES = SIDE_X * SIDE_Y };
    enum { FACES = 2 * (SIDE_X - 1) * (SIDE_Y - 1) };
    static double x[NODES], y[NODES], z[NODES];
    static int32_t face[3 * FACES], class_of[FACES];
    for (int j = 0; j < SIDE_Y; j++) {
        for (int i = 0; i < SIDE_X; i++) {
            const double lx = width_of(s) * i / (SIDE_X - 1.0);
            const double ly = s->rows * s->cell_m * j / (SIDE_Y - 1.0);
            x[j * SIDE_X + i] = EAST + lx;
            y[j * SIDE_X + i] = NORTH - s->rows * s->cell_m + ly;
            z[j * SIDE_X + i] = HEIGHT + ground_at(s, lx, ly);
        }
    }
    int32_t *next = face;
    for (int32_t j = 0; j + 1 < SIDE_Y; j++) {
        for (int32_t i = 0; i + 1 < SIDE_X; i++) {
            const int32_t a = j * SIDE_X + i, b = a + 1, c = b + SIDE_X, d = a + SIDE_X;
            const int32_t six[6] = {a, b, c, a, c, d};
            memcpy(next, six, sizeof six);
            next += 6;
        }
    }
    char path[TAL_PATH_SIZE];
    tal_netcdf file;
    (void)tal_path_join(path, folder, "terrain.nc");
    TAL_TRY(tal_netcdf_create(&file, path, TAL_REPLACE, "Terrain of a test", "{}", err));
    const int node = tal_netcdf_dimension(&file, "node", NODES);
    const int faces = tal_netcdf_dimension(&file, "face", FACES);
    const int three = tal_netcdf_dimension(&file, "three", 3), shape[2] = {faces, three};
    const int vx = tal_netcdf_variable(&file, "node_x", TAL_NC_DOUBLE, 1, &node, "m", "x");
    const int vy = tal_netcdf_variable(&file, "node_y", TAL_NC_DOUBLE, 1, &node, "m", "y");
    const int vz = tal_netcdf_variable(&file, "node_z", TAL_NC_DOUBLE, 1, &node, "m", "z");
    const int vf = tal_netcdf_variable(&file, "face_node", TAL_NC_INT, 2, shape, "1", "nodes");
    const int vc = tal_netcdf_variable(&file, "face_class", TAL_NC_INT, 1, &faces, "1", "class");
    tal_netcdf_put_doubles(&file, vx, x);
    tal_netcdf_put_doubles(&file, vy, y);
    tal_netcdf_put_doubles(&file, vz, z);
    tal_netcdf_put_ints(&file, vf, face);
    tal_netcdf_put_ints(&file, vc, class_of);
    return tal_netcdf_commit(&file, err);
}

static double edge_of(const tal_post_scene *s, int32_t block, int axis) {
    const tal_random sizes = tal_random_stream(7, 0, "tests/post-scene/size");
    const double base = 0.0085 * width_of(s) * cbrt(200.0 / s->block_count);
    return base * (0.6 + 0.9 * tal_random_uniform(sizes, (uint64_t)(3 * block + axis)));
}

static tal_status write_blocks(const tal_post_scene *s, const char *folder, tal_error *err) {
    static const int32_t LOOP[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                     2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    const size_t n = (size_t)s->block_count;
    tal_status status = TAL_OK;
    int32_t *start = NULL, *face_start = NULL, *corner_start = NULL, *corner = NULL;
    double *vertex = NULL, *volume = NULL, *mass = NULL, *inertia = NULL;
    TAL_CREATE_OR_DONE(start, n + 1, "scene", err);
    TAL_CREATE_OR_DONE(face_start, n + 1, "scene", err);
    TAL_CREATE_OR_DONE(corner_start, 6 * n + 1, "scene", err);
    TAL_CREATE_OR_DONE(corner, 24 * n, "scene", err);
    TAL_CREATE_OR_DONE(vertex, 24 * n, "scene", err);
    TAL_CREATE_OR_DONE(volume, n, "scene", err);
    TAL_CREATE_OR_DONE(mass, n, "scene", err);
    TAL_CREATE_OR_DONE(inertia, 3 * n, "scene", err);
    for (size_t b = 0; b < n; b++) {
        const double e[3] = {edge_of(s, (int32_t)b, 0), edge_of(s, (int32_t)b, 1),
                             edge_of(s, (int32_t)b, 2)};
        volume[b] = e[0] * e[1] * e[2];
        mass[b] = DENSITY * volume[b];
        for (size_t i = 0; i < 3; i++) {
            const double p = e[(i + 1) % 3], q = e[(i + 2) % 3];
            inertia[3 * b + i] = mass[b] / 12.0 * (p * p + q * q);
        }
        for (size_t v = 0; v < 8; v++) {
            for (size_t i = 0; i < 3; i++) {
                vertex[3 * (8 * b + v) + i] = (v >> i & 1 ? 0.5 : -0.5) * e[i];
            }
        }
        start[b + 1] = (int32_t)(8 * (b + 1));
        face_start[b + 1] = (int32_t)(6 * (b + 1));
        for (size_t f = 0; f < 6; f++) {
            corner_start[6 * b + f + 1] = (int32_t)(24 * b + 4 * (f + 1));
        }
        memcpy(&corner[24 * b], LOOP, sizeof LOOP);
    }
    char path[TAL_PATH_SIZE];
    tal_netcdf file;
    (void)tal_path_join(path, folder, "blocks.nc");
    TAL_TRY_OR_DONE(tal_netcdf_create(&file, path, TAL_REPLACE, "Blocks of a test", "{}", err));
    const int block = tal_netcdf_dimension(&file, "block", n);
    const int edge = tal_netcdf_dimension(&file, "block_edge", n + 1);
    const int face = tal_netcdf_dimension(&file, "face", 6 * n);
    const int face_edge = tal_netcdf_dimension(&file, "face_edge", 6 * n + 1);
    const int vertices = tal_netcdf_dimension(&file, "vertex", 8 * n);
    const int corners = tal_netcdf_dimension(&file, "corner", 24 * n);
    const int three = tal_netcdf_dimension(&file, "three", 3);
    const int by_vertex[2] = {vertices, three}, by_block[2] = {block, three};
    (void)face;
    const int v0 = tal_netcdf_variable(&file, "vertex_start", TAL_NC_INT, 1, &edge, "1", "a");
    const int v1 = tal_netcdf_variable(&file, "face_start", TAL_NC_INT, 1, &edge, "1", "b");
    const int v2 = tal_netcdf_variable(&file, "corner_start", TAL_NC_INT, 1, &face_edge, "1", "c");
    const int v3 = tal_netcdf_variable(&file, "corner_vertex", TAL_NC_INT, 1, &corners, "1", "d");
    const int v4 = tal_netcdf_variable(&file, "vertex", TAL_NC_DOUBLE, 2, by_vertex, "m", "e");
    const int v5 = tal_netcdf_variable(&file, "volume", TAL_NC_DOUBLE, 1, &block, "m3", "f");
    const int v6 = tal_netcdf_variable(&file, "mass", TAL_NC_DOUBLE, 1, &block, "kg", "g");
    const int v7 = tal_netcdf_variable(&file, "inertia", TAL_NC_DOUBLE, 2, by_block, "kg m2", "h");
    tal_netcdf_put_ints(&file, v0, start);
    tal_netcdf_put_ints(&file, v1, face_start);
    tal_netcdf_put_ints(&file, v2, corner_start);
    tal_netcdf_put_ints(&file, v3, corner);
    tal_netcdf_put_doubles(&file, v4, vertex);
    tal_netcdf_put_doubles(&file, v5, volume);
    tal_netcdf_put_doubles(&file, v6, mass);
    tal_netcdf_put_doubles(&file, v7, inertia);
    TAL_TRY_OR_DONE(tal_netcdf_commit(&file, err));
done:
    tal_memory_destroy(start);
    tal_memory_destroy(face_start);
    tal_memory_destroy(corner_start);
    tal_memory_destroy(corner);
    tal_memory_destroy(vertex);
    tal_memory_destroy(volume);
    tal_memory_destroy(mass);
    tal_memory_destroy(inertia);
    return status;
}

typedef struct {
    double from[2], to[2], start_s, travel_s, hop, axis[3], turns;
} way;

static way way_of(const tal_post_scene *s, int32_t block) {
    const tal_random where = tal_random_stream(7, 0, "tests/post-scene/where");
    const tal_random stop = tal_random_stream(7, s->run, "tests/post-scene/stop");
    const double w = width_of(s), h = s->rows * s->cell_m;
    const uint64_t b = (uint64_t)block;
    const double angle = 6.283185307179586 * tal_random_uniform(where, 4 * b);
    const double radius = 0.9 * sqrt(tal_random_uniform(where, 4 * b + 1));
    const double lead = tal_random_uniform(stop, 4 * b);
    way out = {
        .from = {w * (0.16 + 0.055 * radius * cos(angle)), h * (0.5 + 0.13 * radius * sin(angle))},
        .start_s = 1.5 * tal_random_uniform(where, 4 * b + 2),
        .turns = 4.0 * tal_random_uniform(where, 4 * b + 3)};
    out.to[0] = s->all_lost ? 1.4 * w : w * (0.53 + 0.2 * pow(lead, 1.3));
    out.to[1] = h * (0.5 + (0.09 + 0.25 * (out.to[0] / w - 0.53)) *
                               (2.0 * tal_random_uniform(stop, 4 * b + 1) - 1.0));
    if (s->two_sources && block % 2 == 1) {
        out.from[1] = h * (0.88 + 0.06 * radius * sin(angle));
        out.to[1] = h * (0.88 + 0.03 * (2.0 * tal_random_uniform(stop, 4 * b + 1) - 1.0));
    }
    if (s->more_sources > 0 && block <= s->more_sources && block > 0) {
        const int32_t i = block - 1;
        out.from[0] = w * (i % 2 == 0 ? 0.03 : 0.08);
        out.from[1] = h * (0.04 + 0.92 * i / s->more_sources);
    }
    if (s->stands_still) { // but for a finger's breadth
        out.to[0] = out.from[0] + 0.02;
        out.to[1] = out.from[1];
        out.turns = 0.0;
    }
    out.travel_s = 0.55 * s->duration_s * (0.75 + 0.25 * tal_random_uniform(stop, 4 * b + 2));
    out.hop = (s->stands_still ? 0.0 : 0.02) * w * tal_random_uniform(stop, 4 * b + 3);
    tal_random_direction(tal_random_stream(7, 0, "tests/post-scene/axis"), b, out.axis);
    return out;
}

// Position from the origin of the study, quaternion.
static void pose_at(const tal_post_scene *s, int32_t block, double time, double place[3],
                    double turn[4]) {
    const way own = way_of(s, block);
    const double t = fmin(1.0, fmax(0.0, (time - own.start_s) / own.travel_s));
    const double share = t * t * (3.0 - 2.0 * t);
    const double x = own.from[0] + share * (own.to[0] - own.from[0]);
    const double y = own.from[1] + share * (own.to[1] - own.from[1]);
    const double stack = 0.25 * source_at(s, x, y) + 0.25 * deposit_at(s, x, y);
    place[0] = x;
    place[1] = y - s->rows * s->cell_m; // the origin is the north-west corner
    place[2] = ground_at(s, x, y) + 0.45 * edge_of(s, block, 2) + stack +
               own.hop * fabs(sin(9.0 * t)) * (1.0 - t);
    const double half = own.turns * 3.141592653589793 * share;
    turn[0] = cos(half);
    for (int i = 0; i < 3; i++) {
        turn[1 + i] = sin(half) * own.axis[i];
    }
}

typedef struct {
    double *x, *y, *z, *turn, *velocity, *spin;
} frame_buffer;

static void fill_frame(const tal_post_scene *s, double time, const frame_buffer *f) {
    const double dt = 1e-3;
    for (int32_t b = 0; b < s->block_count; b++) {
        double now[3], later[3], turn[4], turn_later[4];
        pose_at(s, b, time, now, turn);
        pose_at(s, b, time + dt, later, turn_later);
        f->x[b] = EAST + now[0];
        f->y[b] = NORTH + now[1];
        f->z[b] = HEIGHT + now[2];
        memcpy(&f->turn[4 * b], turn, sizeof turn);
        const way own = way_of(s, b);
        const double rate =
            2.0 *
            (acos(fmin(1.0, fmax(-1.0, turn_later[0]))) - acos(fmin(1.0, fmax(-1.0, turn[0])))) /
            dt;
        for (int i = 0; i < 3; i++) {
            f->velocity[3 * b + i] = (later[i] - now[i]) / dt;
            f->spin[3 * b + i] = rate * own.axis[i];
        }
    }
}

static void put_frames(const tal_post_scene *s, tal_netcdf *file, const int id[6],
                       const frame_buffer *f) {
    const size_t n = (size_t)s->block_count;
    for (int32_t k = 0; k < s->frame_count; k++) {
        const size_t start[3] = {(size_t)k, 0, 0};
        const size_t one[3] = {1, n, 1}, three[3] = {1, n, 3}, four[3] = {1, n, 4};
        fill_frame(s, s->duration_s * k / fmax(1.0, s->frame_count - 1.0), f);
        tal_netcdf_put_slab(file, id[0], start, one, f->x);
        tal_netcdf_put_slab(file, id[1], start, one, f->y);
        tal_netcdf_put_slab(file, id[2], start, one, f->z);
        tal_netcdf_put_slab(file, id[3], start, four, f->turn);
        tal_netcdf_put_slab(file, id[4], start, three, f->velocity);
        tal_netcdf_put_slab(file, id[5], start, three, f->spin);
    }
}

// Series that look like a rockfall: potential energy falls, kinetic energy has one hump.
static tal_status put_series(const tal_post_scene *s, tal_netcdf *file, int step, int steps,
                             tal_error *err) {
    static const char *const NAME[] = {
        "step_time",       "kinetic_translation", "kinetic_rotation",
        "potential",       "dissipated_normal",   "dissipated_tangential",
        "correction_work", "contact_count",       "iterations",
        "residual",        "penetration"};
    static const char *const UNIT[] = {"s", "J", "J", "J", "J", "J", "J", "1", "1", "1", "m"};
    enum { SERIES = sizeof NAME / sizeof *NAME };
    double *values;
    int id[SERIES];
    for (int i = 0; i < SERIES; i++) {
        id[i] = tal_netcdf_variable(file, NAME[i], TAL_NC_DOUBLE, 1, &step, UNIT[i], NAME[i]);
    }
    TAL_CREATE(values, (size_t)steps, "scene", err);
    for (int i = 0; i < SERIES; i++) {
        for (int k = 0; k < steps; k++) {
            const double t = (k + 1.0) * STEP_S, u = fmin(1.0, t / (0.75 * s->duration_s));
            const double fallen = u * u * (3.0 - 2.0 * u), hump = 1.1 * u * (1.0 - u) * 4.0 / 5.0;
            const double loss = 6.0 * u * (1.0 - u) * STEP_S / s->duration_s;
            const double row[SERIES] = {t,
                                        4e9 * hump,
                                        4e8 * hump,
                                        6e9 * (1.0 - fallen),
                                        3e9 * loss,
                                        5e9 * loss,
                                        0.0,
                                        900.0 * fallen,
                                        20.0,
                                        5e-7,
                                        2e-3 * (1.0 - u)};
            values[k] = row[i];
        }
        tal_netcdf_put_doubles(file, id[i], values);
    }
    tal_memory_destroy(values);
    return TAL_OK;
}

static tal_status write_motion(const tal_post_scene *s, const char *folder, const frame_buffer *f,
                               double *time, int32_t *state, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_netcdf file;
    (void)tal_path_join(path, folder, "run.nc");
    const int steps = (int)lround(s->duration_s / STEP_S);
    TAL_TRY(tal_netcdf_create(&file, path, TAL_REPLACE, "Motion of a test", "{}", err));
    const int block = tal_netcdf_dimension(&file, "block", (size_t)s->block_count);
    const int frame = tal_netcdf_dimension(&file, "frame", (size_t)s->frame_count);
    const int step = tal_netcdf_dimension(&file, "step", (size_t)steps);
    const int three = tal_netcdf_dimension(&file, "three", 3);
    const int four = tal_netcdf_dimension(&file, "four", 4);
    const int plain[2] = {frame, block}, vector[3] = {frame, block, three};
    const int quaternion[3] = {frame, block, four};
    const int vt = tal_netcdf_variable(&file, "time", TAL_NC_DOUBLE, 1, &frame,
                                       "seconds since 2020-01-01T00:00:00", "time");
    const int id[6] = {
        tal_netcdf_variable(&file, "x", TAL_NC_DOUBLE, 2, plain, "m", "x"),
        tal_netcdf_variable(&file, "y", TAL_NC_DOUBLE, 2, plain, "m", "y"),
        tal_netcdf_variable(&file, "z", TAL_NC_DOUBLE, 2, plain, "m", "z"),
        tal_netcdf_variable(&file, "orientation", TAL_NC_FLOAT, 3, quaternion, "1", "turn"),
        tal_netcdf_variable(&file, "velocity", TAL_NC_FLOAT, 3, vector, "m s-1", "v"),
        tal_netcdf_variable(&file, "angular_velocity", TAL_NC_FLOAT, 3, vector, "rad s-1", "w")};
    const int vs = tal_netcdf_variable(&file, "state", TAL_NC_INT, 1, &block, "1", "state");
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "unconverged_steps", s->unconverged_steps);
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "finished_steps", s->finished_steps);
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "energy_drift", s->energy_drift);
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "clausius_duhem_worst_j", s->clausius_duhem_j);
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "blocks_lost", s->all_lost ? s->block_count : 0);
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "dt_s", STEP_S);
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "ground_friction_low", 0.9);
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "ground_friction_high", 0.9);
    tal_netcdf_text(&file, TAL_NC_GLOBAL, "onset_of", "friction");
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "onset_moves_at", 0.38);
    tal_netcdf_real(&file, TAL_NC_GLOBAL, "onset_holds_at", 0.45);
    tal_netcdf_text(&file, TAL_NC_GLOBAL, "ended_because", s->ended_because);
    tal_netcdf_put_doubles(&file, vt, time);
    tal_netcdf_put_ints(&file, vs, state);
    put_frames(s, &file, id, f);
    const tal_status status = put_series(s, &file, step, steps, err);
    if (status != TAL_OK) {
        tal_netcdf_discard(&file);
        return status;
    }
    return tal_netcdf_commit(&file, err);
}

tal_status tal_post_scene_write_run(const tal_post_scene *s, const char *folder, tal_error *err) {
    const size_t n = (size_t)s->block_count;
    tal_status status = TAL_OK;
    double *room = NULL, *time = NULL;
    int32_t *state = NULL;
    TAL_TRY_OR_DONE(write_blocks(s, folder, err));
    TAL_CREATE_OR_DONE(room, 13 * n, "scene", err);
    TAL_CREATE_OR_DONE(time, (size_t)s->frame_count, "scene", err);
    TAL_CREATE_OR_DONE(state, n, "scene", err);
    const frame_buffer f = {room,         room + n,     room + 2 * n,
                            room + 3 * n, room + 7 * n, room + 10 * n};
    for (int32_t k = 0; k < s->frame_count; k++) {
        time[k] = s->duration_s * k / fmax(1.0, s->frame_count - 1.0);
    }
    for (size_t b = 0; b < n; b++) {
        state[b] = s->all_lost ? 1 : 0;
    }
    TAL_TRY_OR_DONE(write_motion(s, folder, &f, time, state, err));
done:
    tal_memory_destroy(room);
    tal_memory_destroy(time);
    tal_memory_destroy(state);
    return status;
}

tal_status tal_post_scene_write(const tal_post_scene *s, const char *folder, tal_error *err) {
    char path[TAL_PATH_SIZE];
    double volume[LAYERS] = {0};
    tal_gdal_init();
    TAL_TRY(tal_folder_create(folder, err));
    for (int kind = 0; kind < LAYERS; kind++) {
        const bool needs_two = kind != BED && kind != SOURCE && kind != BEFORE;
        if (s->epochs == 2 || !needs_two) {
            TAL_TRY(write_layer(s, folder, (layer)kind, &volume[kind], err));
        }
    }
    TAL_TRY(write_notes(s, folder, volume[SOURCE], volume[DEPOSIT], err));
    TAL_TRY(write_terrain(s, folder, err));
    TAL_TRY(tal_post_scene_write_run(s, folder, err));
    (void)tal_path_join(path, folder, "site.ini");
    return tal_file_write_text(path, "[report]\ntitle = A made-up rockfall\n", TAL_REPLACE, err);
}
