// SPDX-License-Identifier: GPL-3.0-or-later
// Single blocks on two real slopes, against where real ones stopped:
//   solver_law_sites DATA/authume|DATA/tschamut [law=... mu=... KEY=...] [dt=0.01]... [starts=4]
//                    [rough=HEIGHT length=LENGTH] [half=odd|even] [points]
// KEY: any number of a law by its name (drag_per_s=0.5), or ground=NAME of core/base/grounds.h. blue:, gray:,
// red: before it: for that zone of Authume alone, rough and length too. A line per time step: travel in
// plan (m), its mean and quantiles, the deviation across the mean direction, and those of the
// experiment. `points` prints where each run stopped instead: along and across that direction.
#include "tests/solver/studies/study.h"

#include "core/base/memory.h"
#include "solver/detect/roughness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TIME_MAX_S = 60.0;
enum { RUNS_MAX = 100, STARTS_MAX = 64, VERTICES_MAX = 40000, TRIANGLES_MAX = 40000, ZONES = 3 };

typedef struct {
    tal_vec3 release, velocity;
    double edge[3], mass;
    double x, y; // where it stopped, as seen from its release
} site_run;

typedef struct {
    site_run run[RUNS_MAX];
    int run_count;
    tal_vec3 *vertex;
    int32_t *triangle, *zone, vertex_count, triangle_count;
    double along[2]; // mean direction of the real runs
} site;

// What is tried, per zone: the laws, and the ground.
typedef struct {
    tal_law law[ZONES + 1][ZONES + 1]; // the last class is that of the blocks
    tal_roughness rough[ZONES];
    int starts, half; // -1: all runs
    bool points;
} trial;

static double height_at(const site *s, double x, double y) {
    for (int32_t t = 0; t < s->triangle_count; t++) {
        const tal_vec3 a = s->vertex[s->triangle[3 * t]], b = s->vertex[s->triangle[3 * t + 1]],
                       c = s->vertex[s->triangle[3 * t + 2]];
        const double area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        const double v = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / area;
        const double w = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / area;
        if (v >= 0.0 && w >= 0.0 && v + w <= 1.0) {
            return a.z + v * (b.z - a.z) + w * (c.z - a.z);
        }
    }
    return NAN;
}

static double lowest_point(const site *s) {
    double z = INFINITY;
    for (int32_t k = 0; k < s->vertex_count; k++) {
        z = fmin(z, s->vertex[k].z);
    }
    return z;
}

static FILE *open_in(const char *directory, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "solver_law_sites: %s cannot be opened\n", path);
        exit(1);
    }
    return file;
}

// --- Tschamut ---

static void read_grid(site *s, const char *directory) {
    FILE *file = open_in(directory, "terrain.asc");
    int columns, rows;
    double x0, y0, cell, none;
    if (fscanf(file, "ncols %d nrows %d xllcorner %lf yllcorner %lf cellsize %lf NODATA_value %lf",
               &columns, &rows, &x0, &y0, &cell, &none) != 6) {
        exit(1);
    }
    for (int k = 0; k < rows * columns; k++) {
        tal_vec3 *v = &s->vertex[k];
        *v = (tal_vec3){x0 + cell * (k % columns + 0.5), y0 + cell * (rows - k / columns - 0.5),
                        0.0};
        if (fscanf(file, "%lf", &v->z) != 1) {
            exit(1);
        }
    }
    fclose(file);
    s->vertex_count = rows * columns;
    for (int32_t j = 0; j + 1 < rows; j++) {
        for (int32_t i = 0; i + 1 < columns; i++) {
            const int32_t v = j * columns + i, below = v + columns;
            const int32_t corner[6] = {below, below + 1, v + 1, below, v + 1, v};
            memcpy(&s->triangle[3 * s->triangle_count], corner, sizeof corner);
            s->triangle_count += 2;
        }
    }
}

static void read_tschamut(site *s, const char *directory) {
    read_grid(s, directory);
    double edge[8][3] = {{0}};
    char line[1024];
    FILE *file = open_in(directory, "block_metadata.csv");
    for (int id; fgets(line, sizeof line, file) != NULL;) {
        double e[3];
        if (sscanf(line, "%d,%*[^,],%*f,%*f,%lf,%lf,%lf", &id, &e[0], &e[1], &e[2]) == 4 &&
            id < 8) {
            memcpy(edge[id], e, sizeof e);
        }
    }
    fclose(file);
    file = open_in(directory, "release_points.csv");
    while (fgets(line, sizeof line, file) != NULL && s->run_count < RUNS_MAX) {
        site_run r = {0};
        int block;
        if (sscanf(line, "%*[^,],%*[^,],%lf,%lf,%*f,%*f,%lf,%lf,%lf,%d,%lf", &r.release.x,
                   &r.release.y, &r.velocity.x, &r.velocity.y, &r.velocity.z, &block,
                   &r.mass) == 7) {
            memcpy(r.edge, edge[block], sizeof r.edge);
            s->run[s->run_count++] = r;
        }
    }
    fclose(file);
    file = open_in(directory, "observed_deposition.csv");
    for (int k = 0; k < s->run_count && fgets(line, sizeof line, file) != NULL;) {
        double x, y;
        if (sscanf(line, "%*[^,],%*[^,],%lf,%lf", &x, &y) == 2) {
            s->run[k].x = x - s->run[k].release.x;
            s->run[k].y = y - s->run[k].release.y;
            k++;
        }
    }
    fclose(file);
}

// --- Authume: y is up there ---

static int32_t add_vertex(site *s, tal_vec3 v) {
    for (int32_t k = s->vertex_count - 1; k >= 0; k--) {
        if (tal_vec3_length(tal_vec3_subtract(s->vertex[k], v)) < 1e-3) {
            return k;
        }
    }
    s->vertex[s->vertex_count] = v;
    return s->vertex_count++;
}

static void add_triangle(site *s, const tal_vec3 corner[3], int32_t zone) {
    int32_t t[3];
    for (int k = 0; k < 3; k++) {
        t[k] = add_vertex(s, corner[k]);
    }
    if (t[0] == t[1] || t[1] == t[2] || t[0] == t[2]) {
        return;
    }
    s->zone[s->triangle_count] = zone;
    int32_t *to = &s->triangle[3 * s->triangle_count++];
    to[0] = t[0]; // the files wind them as seen from below
    to[1] = t[2];
    to[2] = t[1];
}

static void read_stl(site *s, const char *directory, const char *name, int32_t zone) {
    char line[256];
    tal_vec3 corner[3];
    int count = 0;
    FILE *file = open_in(directory, name);
    while (fgets(line, sizeof line, file) != NULL) {
        tal_vec3 v;
        if (sscanf(line, " vertex %lf %lf %lf", &v.x, &v.y, &v.z) == 3) {
            corner[count++] = (tal_vec3){v.x, -v.z, v.y};
            if (count == 3) {
                add_triangle(s, corner, zone);
                count = 0;
            }
        }
    }
    fclose(file);
}

static void read_authume(site *s, const char *directory) {
    static const char *const zone[] = {"Blue", "Gray", "Red"};
    tal_vec3 drop[4] = {{0}};
    char line[256];
    for (int k = 0; k < 3; k++) {
        snprintf(line, sizeof line, "Geometries/STL/DTM_%s_zone.stl", zone[k]);
        read_stl(s, directory, line, k);
    }
    FILE *file = open_in(directory, "positions_P1.xyz");
    for (int k = 0; k < 4; k++) {
        tal_vec3 v;
        if (fscanf(file, "%lf %lf %lf", &v.x, &v.y, &v.z) != 3) {
            exit(1);
        }
        drop[k] = (tal_vec3){v.x, -v.z, v.y};
    }
    fclose(file);
    const tal_vec3 middle = tal_vec3_scale(
        tal_vec3_add(tal_vec3_add(drop[0], drop[1]), tal_vec3_add(drop[2], drop[3])), 0.25);
    file = open_in(directory, "Endpoints_P1.txt");
    while (fgets(line, sizeof line, file) != NULL && s->run_count < RUNS_MAX) {
        site_run r = {0};
        double x, z;
        if (sscanf(line, "%lf %*f %lf %lf %lf %lf %lf", &x, &z, &r.mass, &r.edge[0], &r.edge[1],
                   &r.edge[2]) == 6) {
            r.release = drop[s->run_count % 4];
            r.x = x - middle.x; // which of the four it was is not known
            r.y = -z - middle.y;
            s->run[s->run_count++] = r;
        }
    }
    fclose(file);
}

// --- runs ---

// Mean direction from the release to the stop of the real runs.
static void find_direction(site *s) {
    double x = 0.0, y = 0.0;
    for (int k = 0; k < s->run_count; k++) {
        x += s->run[k].x;
        y += s->run[k].y;
    }
    s->along[0] = x / hypot(x, y);
    s->along[1] = y / hypot(x, y);
}

static tal_rough_terrain roughen(const site *s, const trial *t) {
    tal_rough_terrain ground = {.vertex_count = s->vertex_count,
                                .triangle_count = s->triangle_count,
                                .vertex = tal_memory_create(VERTICES_MAX, sizeof *s->vertex),
                                .triangle = tal_memory_create(3 * TRIANGLES_MAX, sizeof(int32_t)),
                                .surface_class = tal_memory_create(TRIANGLES_MAX, sizeof(int32_t))};
    tal_error err = {0};
    if (ground.vertex == NULL || ground.triangle == NULL || ground.surface_class == NULL) {
        exit(1);
    }
    memcpy(ground.vertex, s->vertex, (size_t)s->vertex_count * sizeof *s->vertex);
    memcpy(ground.triangle, s->triangle, 3 * (size_t)s->triangle_count * sizeof *s->triangle);
    memcpy(ground.surface_class, s->zone, (size_t)s->triangle_count * sizeof *s->zone);
    if (tal_terrain_roughen(&ground, t->rough, ZONES, 1, &err) != TAL_OK) {
        fprintf(stderr, "solver_law_sites: %s\n", err.text);
        exit(1);
    }
    return ground;
}

// One rock in any orientation; rocks of one scene pass through each other.
static void add_rock(test_scene *scene, const site *s, const site_run *r, int start) {
    const tal_random random =
        tal_random_stream(3, (uint32_t)(STARTS_MAX * (r - s->run) + start), "study/sites");
    const double volume = r->edge[0] * r->edge[1] * r->edge[2];
    const tal_quat turn = study_orientation(random, 0);
    tal_vec3 at = r->release;
    if (r->release.z == 0.0) { // Tschamut: just clear of the ground
        const tal_mat3 m = tal_quat_matrix(turn);
        at.z = height_at(s, at.x, at.y) + 0.3;
        for (int k = 0; k < 3; k++) {
            at.z += 0.5 * fabs(m.m[2][k]) * r->edge[k];
        }
    }
    const int32_t b =
        test_scene_add_box(scene, r->edge[0], r->edge[1], r->edge[2], at, turn, r->mass / volume);
    scene->body_class[b] = ZONES;
    scene->velocity[b] = r->velocity;
}

static bool is_wanted(const trial *t, int run) {
    return t->half < 0 || run % 2 == t->half;
}

// Stops of all runs: how far, along and across the mean direction of the real ones.
typedef struct {
    double travel[RUNS_MAX * STARTS_MAX], across[RUNS_MAX * STARTS_MAX];
    int count, moving;
    double rise;
} stops;

static void add_stop(const site *s, const trial *t, const char *what, double dx, double dy,
                     stops *all) {
    all->travel[all->count] = hypot(dx, dy);
    all->across[all->count] = s->along[0] * dy - s->along[1] * dx;
    if (t->points) {
        printf("%s %.3f %.3f\n", what, s->along[0] * dx + s->along[1] * dy,
               all->across[all->count]);
    }
    all->count++;
}

// Steps until all rocks rest, have left the ground, or time is over.
static tal_status step_all(const tal_model *model, tal_state *state, double z_min, stops *all,
                           tal_error *err) {
    tal_report report = {0};
    double most = 1e-9;
    for (int64_t moving = 1; moving > 0 && report.time_s < TIME_MAX_S;) {
        TAL_TRY(tal_step(model, state, &report, err));
        most = fmax(most, report.kinetic_translation_j + report.kinetic_rotation_j);
        all->rise = fmax(all->rise, (-report.dissipated_normal_j - report.dissipated_tangential_j -
                                     report.energy_rise_bound_j) /
                                        most);
        moving = 0;
        for (int32_t b = 0; b < tal_model_body_count(model); b++) {
            if (tal_state_has_body(state, b) && tal_state_positions(state)[b].z < z_min) {
                tal_state_remove_body(state, b);
            }
            moving += tal_state_has_body(state, b) &&
                      tal_vec3_length(tal_state_velocities(state)[b]) > 0.0;
        }
        all->moving = (int)moving;
    }
    return TAL_OK;
}

// All rocks at once: what passes through each other is as good as alone, and the ground is made once.
static void run_rocks(const site *s, const trial *t, const tal_rough_terrain *ground, double dt,
                      stops *all) {
    test_scene scene;
    tal_model *model = NULL;
    tal_state *state = NULL;
    tal_error err = {0};
    test_scene_init(&scene);
    scene.class_count = ZONES + 1;
    scene.law_table = &t->law[0][0];
    scene.settings.dt_s = dt;
    for (int k = 0; k < s->run_count * t->starts; k++) {
        if (is_wanted(t, k / t->starts)) {
            add_rock(&scene, s, &s->run[k / t->starts], k % t->starts);
        }
    }
    scene.vertex_count = ground->vertex_count;
    scene.triangle_count = ground->triangle_count;
    scene.vertex = ground->vertex;
    scene.triangle = ground->triangle;
    scene.triangle_class = ground->surface_class;
    if (test_scene_create_model(&scene, &model, &err) != TAL_OK ||
        tal_state_create(&state, model, 1, &err) != TAL_OK ||
        step_all(model, state, lowest_point(s) - 1.0, all, &err) != TAL_OK) {
        fprintf(stderr, "solver_law_sites: %s\n", err.text);
        exit(1);
    }
    for (int32_t b = 0, k = 0; k < s->run_count * t->starts; k++) {
        if (is_wanted(t, k / t->starts)) {
            const tal_vec3 from = s->run[k / t->starts].release,
                           to = tal_state_positions(state)[b++];
            add_stop(s, t, "simulated", to.x - from.x, to.y - from.y, all);
        }
    }
    tal_state_destroy(state);
    tal_model_destroy(model);
    scene.vertex = NULL; // the ground's
    scene.triangle = scene.triangle_class = NULL;
    test_scene_destroy(&scene);
}

static void print_stops(const char *what, stops *all) {
    const study_numbers n = study_measure(all->travel, all->count);
    const study_numbers side = study_measure(all->across, all->count);
    printf("%-12s %7.2f +- %.2f  %7.1f %7.1f %7.1f  across %6.2f dev %6.2f  %d of %d move  %.1e\n",
           what, n.mean, n.error, n.low, n.median, n.high, side.mean, side.error * sqrt(all->count),
           all->moving, all->count, all->rise);
    fflush(stdout);
}

static void run_all(const site *s, const trial *t, double dt) {
    static stops all;
    all = (stops){0};
    tal_rough_terrain ground = roughen(s, t);
    run_rocks(s, t, &ground, dt, &all);
    tal_rough_terrain_destroy(&ground);
    char what[32];
    snprintf(what, sizeof what, "dt %g", dt);
    if (!t->points) {
        print_stops(what, &all);
    }
}

static void print_observed(const site *s, const trial *t) {
    static stops all;
    all = (stops){0};
    for (int k = 0; k < s->run_count; k++) {
        if (is_wanted(t, k)) {
            add_stop(s, t, "real", s->run[k].x, s->run[k].y, &all);
        }
    }
    if (!t->points) {
        print_stops("real", &all);
    }
}

// One word for one zone, or for all three.
static bool set_zone(trial *t, int zone, const char *word) {
    if (strncmp(word, "rough=", 6) == 0) {
        t->rough[zone].height = strtod(word + 6, NULL);
        return true;
    }
    if (strncmp(word, "length=", 7) == 0) {
        t->rough[zone].length = strtod(word + 7, NULL);
        return true;
    }
    const bool known = study_set_law(&t->law[zone][ZONES], word);
    t->law[ZONES][zone] = t->law[zone][ZONES];
    return known;
}

static bool set_trial(trial *t, const char *word) {
    static const char *const zone[ZONES] = {"blue:", "gray:", "red:"};
    if (strncmp(word, "starts=", 7) == 0) {
        t->starts = (int)fmin(strtod(word + 7, NULL), STARTS_MAX);
        return true;
    }
    if (strncmp(word, "half=", 5) == 0) {
        t->half = strcmp(word + 5, "even") == 0 ? 1 : 0; // the first run is number 1
        return true;
    }
    if (strcmp(word, "points") == 0) {
        t->points = true;
        return true;
    }
    for (int k = 0; k < ZONES; k++) {
        if (strncmp(word, zone[k], strlen(zone[k])) == 0) {
            return set_zone(t, k, word + strlen(zone[k]));
        }
    }
    bool known = true;
    for (int k = 0; k < ZONES; k++) {
        known = set_zone(t, k, word) && known;
    }
    return known;
}

int main(int argc, char **argv) {
    static site s;
    static trial t = {.starts = 4, .half = -1};
    double dt[16] = {0.01};
    int dt_count = 0;
    if (argc < 2) {
        fprintf(stderr, "solver_law_sites DATA/authume|DATA/tschamut [key=value]...\n");
        return 2;
    }
    for (int k = 0; k < (ZONES + 1) * (ZONES + 1); k++) {
        (&t.law[0][0])[k] = study_default_law();
    }
    t.law[ZONES][ZONES].kind = TAL_LAW_PASS;
    for (int k = 0; k < ZONES; k++) {
        t.rough[k].length = 1.0;
    }
    for (int k = 2; k < argc; k++) {
        if (strncmp(argv[k], "dt=", 3) == 0 && dt_count < 16) {
            dt[dt_count++] = strtod(argv[k] + 3, NULL);
        } else if (!set_trial(&t, argv[k])) {
            fprintf(stderr, "solver_law_sites: '%s' is not known\n", argv[k]);
            return 2;
        }
    }
    s.vertex = calloc(VERTICES_MAX, sizeof *s.vertex);
    s.triangle = calloc(3 * TRIANGLES_MAX, sizeof *s.triangle);
    s.zone = calloc(TRIANGLES_MAX, sizeof *s.zone);
    if (s.vertex == NULL || s.triangle == NULL || s.zone == NULL) {
        return 1;
    }
    if (strstr(argv[1], "tschamut") != NULL) {
        read_tschamut(&s, argv[1]);
    } else {
        read_authume(&s, argv[1]);
    }
    find_direction(&s);
    print_observed(&s, &t);
    for (int k = 0; k < (dt_count > 0 ? dt_count : 1); k++) {
        run_all(&s, &t, dt[k]);
    }
    free(s.vertex);
    free(s.triangle);
    free(s.zone);
    return 0;
}
