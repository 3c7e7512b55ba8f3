// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a benchmark scene and prints processor time per step, iterations, residual, penetration, energies and
// how far the blocks moved sideways: solver_bench SCENE [threads [end time [tolerance [iterations]]]]
// For comparisons: solver_bench --write SCENE FILE, the scene as peer.c reads it.
#include "tests/solver/scenes/bench_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Processor time of all threads: what others do on the machine hardly changes it.
static double seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static double largest_drift(const test_scene *scene, const tal_state *state) {
    double drift = 0.0;
    for (int32_t b = 0; b < scene->body_count; b++) {
        drift = fmax(drift, tal_vec3_length(tal_vec3_subtract(tal_state_positions(state)[b],
                                                              scene->position[b])));
    }
    return drift;
}

static double farthest_x(const test_scene *scene, const tal_state *state) {
    double x = -INFINITY;
    for (int32_t b = 0; b < scene->body_count; b++) {
        x = fmax(x, tal_state_positions(state)[b].x);
    }
    return x;
}

typedef struct {
    double iterations, contacts, dissipated, correction, defect_worst, rise_worst, deepest;
    double opposed_worst, duhem_worst;
    long unconverged_steps, finished_steps, resolved, substeps;
} totals;

static void add(totals *t, const tal_report *r) {
    t->iterations += r->iterations;
    t->contacts += r->contact_count;
    t->dissipated += r->dissipated_normal_j + r->dissipated_tangential_j;
    t->correction += r->correction_j;
    t->defect_worst = fmax(t->defect_worst, fabs(r->energy_defect_j));
    t->rise_worst = fmax(t->rise_worst, -(r->dissipated_normal_j + r->dissipated_tangential_j) /
                                            fmax(r->energy_rise_bound_j, 1e-300));
    t->deepest = fmax(t->deepest, r->penetration_m);
    t->opposed_worst = fmax(t->opposed_worst, r->opposed_worst_j);
    t->duhem_worst = fmax(t->duhem_worst, r->clausius_duhem_worst_j);
    t->unconverged_steps += r->unconverged_count > 0;
    t->finished_steps += r->islands_finished > 0;
    t->resolved += r->islands_resolved;
    t->substeps += r->substeps;
}

static int fail(const tal_error *err) {
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

static tal_status start(const test_scene *scene, int threads, tal_model **model, tal_state **state,
                        tal_error *err) {
    TAL_TRY(test_scene_create_model(scene, model, err));
    return tal_state_create(state, *model, threads, err);
}

static int write_scene(const test_scene *s, const char *path) {
    FILE *file = fopen(path, "w");
    const tal_vec3 g = s->settings.gravity_mps2;
    const bool is_grid = s->vertex_count > 4;
    const int nx = is_grid ? (int)lround(s->vertex[s->vertex_count - 1].x) + 1 : 0;
    const int ny = is_grid ? s->vertex_count / nx : 0;
    if (file == NULL) {
        fprintf(stderr, "%s cannot be written\n", path);
        return 1;
    }
    fprintf(file, "%.17g %.17g %.17g %.17g %.17g %.17g\n%d %d\n", g.x, g.y, g.z, s->mu,
            s->restitution, s->settings.dt_s, nx, ny);
    for (int v = 0; v < nx * ny; v++) {
        fprintf(file, "%.17g\n", s->vertex[v].z);
    }
    fprintf(file, "%d\n", s->body_count);
    for (int32_t b = 0; b < s->body_count; b++) {
        const tal_vec3 p = s->position[b];
        const tal_quat q = s->orientation[b];
        fprintf(file, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n",
                s->edge[b][0], s->edge[b][1], s->edge[b][2], s->mass[b], p.x, p.y, p.z, q.w, q.x,
                q.y, q.z);
    }
    return fclose(file) == 0 ? 0 : 1;
}

static int run(const test_scene *scene, int threads) {
    static tal_error err;
    tal_model *model = NULL;
    tal_state *state = NULL;
    totals sum = {.opposed_worst = -INFINITY, .duhem_worst = -INFINITY};
    tal_report report = {0};
    if (start(scene, threads, &model, &state, &err) != TAL_OK) {
        tal_model_destroy(model);
        return fail(&err);
    }
    const long steps = lround(scene->end_time / scene->settings.dt_s);
    double elapsed = 0.0;
    for (long n = 1; n <= steps; n++) {
        const double begin = seconds();
        if (tal_step(model, state, &report, &err) != TAL_OK) {
            return fail(&err);
        }
        elapsed += seconds() - begin;
        add(&sum, &report);
        if (n % (steps / 10 > 0 ? steps / 10 : 1) == 0) {
            printf("t %.3f  %.3f CPU ms/step  kinetic %.4g J  contacts %d in %d  it %d  res %.1e  "
                   "pen %.3g mm (%d-%d)  drift %.4g mm  colors %d islands %d\n",
                   report.time_s, 1e3 * elapsed / (double)n,
                   report.kinetic_translation_j + report.kinetic_rotation_j, report.contact_count,
                   report.manifold_count, report.iterations, report.residual,
                   1e3 * report.penetration_m, report.penetration_body_i, report.penetration_body_j,
                   1e3 * largest_drift(scene, state), report.color_count, report.island_count);
        }
    }
    const double count = (double)steps;
    printf(
        "%d blocks, %ld steps: %.3f CPU ms/step, %.1f iterations, %.0f contacts, deepest %.4g mm, "
        "unconverged steps %ld, finished steps %ld, resolved %ld, substeps %ld\n",
        scene->body_count, steps, 1e3 * elapsed / count, sum.iterations / count,
        sum.contacts / count, 1e3 * sum.deepest, sum.unconverged_steps, sum.finished_steps,
        sum.resolved, sum.substeps);
    printf("dissipated %.6g J, lifted by correction %.3g J, worst defect %.3g J, worst rise %.3g "
           "of the bound, worst R_T.d_T %.3g J, worst Clausius-Duhem %.3g J\n",
           sum.dissipated, sum.correction, sum.defect_worst, sum.rise_worst, sum.opposed_worst,
           sum.duhem_worst);
    printf("drift %.4g mm, farthest x %.4f m, hash %016llx\n", 1e3 * largest_drift(scene, state),
           farthest_x(scene, state), (unsigned long long)tal_state_hash(state));
    tal_state_destroy(state);
    tal_model_destroy(model);
    return 0;
}

static int usage(void) {
    fprintf(stderr, "solver_bench SCENE [threads [end time [tolerance [iterations]]]]\n"
                    "solver_bench --write SCENE FILE\n");
    return 2;
}

int main(int argc, char **argv) {
    static tal_error err;
    test_scene scene;
    const bool writes = argc == 4 && strcmp(argv[1], "--write") == 0;
    if (argc < 2 || (argv[1][0] == '-' && !writes)) {
        return usage();
    }
    if (test_scene_make(&scene, argv[writes ? 2 : 1], &err) != TAL_OK) {
        return fail(&err);
    }
    scene.end_time = !writes && argc > 3 ? strtod(argv[3], NULL) : scene.end_time;
    scene.settings.tolerance = argc > 4 ? strtod(argv[4], NULL) : scene.settings.tolerance;
    scene.settings.iteration_max = argc > 5 ? atoi(argv[5]) : scene.settings.iteration_max;
    const int result =
        writes ? write_scene(&scene, argv[3]) : run(&scene, argc > 2 ? atoi(argv[2]) : 1);
    test_scene_destroy(&scene);
    return result;
}
