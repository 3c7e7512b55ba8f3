// SPDX-License-Identifier: GPL-3.0-or-later
// Single blocks on two real slopes, against where real ones stopped:
//   solver_law_sites DATA/authume|DATA/tschamut [law=... mu=... e=... et=...] [dt=0.01]... [starts=4]
// A line per time step: travel in plan (m), its mean and quantiles, and those of the experiment.
#include "tests/solver/studies/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 100, STARTS_MAX = 64, VERTICES_MAX = 40000, TRIANGLES_MAX = 40000 };

typedef struct {
    tal_vec3 release, velocity;
    double edge[3], mass, travel;
} site_run;

typedef struct {
    site_run run[RUNS_MAX];
    int run_count;
    tal_vec3 *vertex;
    int32_t *triangle, vertex_count, triangle_count;
} site;

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
            s->run[k].travel = hypot(x - s->run[k].release.x, y - s->run[k].release.y);
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

static void add_triangle(site *s, const tal_vec3 corner[3]) {
    int32_t t[3];
    for (int k = 0; k < 3; k++) {
        t[k] = add_vertex(s, corner[k]);
    }
    if (t[0] == t[1] || t[1] == t[2] || t[0] == t[2]) {
        return;
    }
    int32_t *to = &s->triangle[3 * s->triangle_count++];
    to[0] = t[0]; // the files wind them as seen from below
    to[1] = t[2];
    to[2] = t[1];
}

static void read_stl(site *s, const char *directory, const char *name) {
    char line[256];
    tal_vec3 corner[3];
    int count = 0;
    FILE *file = open_in(directory, name);
    while (fgets(line, sizeof line, file) != NULL) {
        tal_vec3 v;
        if (sscanf(line, " vertex %lf %lf %lf", &v.x, &v.y, &v.z) == 3) {
            corner[count++] = (tal_vec3){v.x, -v.z, v.y};
            if (count == 3) {
                add_triangle(s, corner);
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
        read_stl(s, directory, line);
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
            r.travel = hypot(x - middle.x, -z - middle.y);
            s->run[s->run_count++] = r;
        }
    }
    fclose(file);
}

// --- runs ---

static void set_scene(test_scene *scene, const site *s, const site_run *r, int start) {
    const tal_random random =
        tal_random_stream(3, (uint32_t)(STARTS_MAX * (r - s->run) + start), "study/sites");
    const double volume = r->edge[0] * r->edge[1] * r->edge[2];
    test_scene_add_box(scene, r->edge[0], r->edge[1], r->edge[2], r->release,
                       study_orientation(random, 0), r->mass / volume);
    const double ground = height_at(s, r->release.x, r->release.y);
    if (r->release.z == 0.0) { // Tschamut: just clear of the ground
        scene->position[0].z = ground + 0.3 - study_lowest(scene);
    }
    scene->velocity[0] = r->velocity;
    scene->vertex_count = s->vertex_count;
    scene->triangle_count = s->triangle_count;
    scene->vertex = s->vertex;
    scene->triangle = s->triangle;
    scene->triangle_class = calloc((size_t)s->triangle_count, sizeof *scene->triangle_class);
}

static void run_all(const site *s, const tal_law *law, double dt, int starts) {
    static double travel[RUNS_MAX * STARTS_MAX];
    int count = 0, moving = 0;
    double rise = 0.0;
    for (int k = 0; k < s->run_count * starts; k++) {
        const site_run *r = &s->run[k / starts];
        test_scene scene;
        study_end end = {0};
        tal_error err = {0};
        test_scene_init(&scene);
        scene.law = *law;
        scene.settings.dt_s = dt;
        set_scene(&scene, s, r, k % starts);
        const study_limits limits = {
            .time_max = 90.0, .x_max = INFINITY, .z_min = lowest_point(s) - 1.0};
        if (study_run(&scene, limits, &end, &err) != TAL_OK) {
            fprintf(stderr, "solver_law_sites: %s\n", err.text);
            exit(1);
        }
        scene.vertex = NULL; // the site's
        scene.triangle = NULL;
        moving += !end.stopped;
        rise = fmax(rise, end.rise);
        travel[count++] = hypot(end.place.x - r->release.x, end.place.y - r->release.y);
        test_scene_destroy(&scene);
    }
    const study_numbers n = study_measure(travel, count);
    printf("%d %g %g %g  %-8g %7.2f +- %.2f  %7.1f %7.1f %7.1f  %d of %d move  %.1e\n",
           (int)law->kind, law->friction, law->restitution, law->tangential_restitution, dt, n.mean,
           n.error, n.low, n.median, n.high, moving, count, rise);
    fflush(stdout);
}

static void print_observed(const site *s) {
    double travel[RUNS_MAX];
    for (int k = 0; k < s->run_count; k++) {
        travel[k] = s->run[k].travel;
    }
    const study_numbers n = study_measure(travel, s->run_count);
    printf("# %d real runs           %7.2f +- %.2f  %7.1f %7.1f %7.1f\n", s->run_count, n.mean,
           n.error, n.low, n.median, n.high);
}

int main(int argc, char **argv) {
    static site s;
    tal_law law = study_default_law();
    double dt[16] = {0.01};
    int dt_count = 0, starts = 4;
    if (argc < 2) {
        fprintf(stderr, "solver_law_sites DATA/authume|DATA/tschamut [key=value]...\n");
        return 2;
    }
    for (int k = 2; k < argc; k++) {
        if (strncmp(argv[k], "dt=", 3) == 0 && dt_count < 16) {
            dt[dt_count++] = strtod(argv[k] + 3, NULL);
        } else if (strncmp(argv[k], "starts=", 7) == 0) {
            starts = (int)fmin(strtod(argv[k] + 7, NULL), STARTS_MAX);
        } else if (!study_set_law(&law, argv[k])) {
            fprintf(stderr, "solver_law_sites: '%s' is not known\n", argv[k]);
            return 2;
        }
    }
    s.vertex = calloc(VERTICES_MAX, sizeof *s.vertex);
    s.triangle = calloc(3 * TRIANGLES_MAX, sizeof *s.triangle);
    if (s.vertex == NULL || s.triangle == NULL) {
        return 1;
    }
    if (strstr(argv[1], "tschamut") != NULL) {
        read_tschamut(&s, argv[1]);
    } else {
        read_authume(&s, argv[1]);
    }
    print_observed(&s);
    for (int k = 0; k < (dt_count > 0 ? dt_count : 1); k++) {
        run_all(&s, &law, dt[k], starts);
    }
    free(s.vertex);
    free(s.triangle);
    return 0;
}
