// SPDX-License-Identifier: GPL-3.0-or-later
// peer SCENE-FILE END-TIME POSES-FILE: prints processor time per step in ms, writes the poses at the end.
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "the scene file is not as solver_bench writes it: %s\n", what);
        exit(1);
    }
}

static void read_box(FILE *file, peer_box *b) {
    double *value[] = {&b->edge[0],        &b->edge[1],        &b->edge[2],
                       &b->mass,           &b->position[0],    &b->position[1],
                       &b->position[2],    &b->orientation[0], &b->orientation[1],
                       &b->orientation[2], &b->orientation[3]};
    for (size_t k = 0; k < sizeof value / sizeof value[0]; k++) {
        must(fscanf(file, "%lf", value[k]) == 1, "a box");
    }
}

static peer_scene read_scene(const char *path) {
    peer_scene s = {0};
    FILE *file = fopen(path, "r");
    must(file != NULL, path);
    must(fscanf(file, "%lf %lf %lf %lf %lf %lf", &s.gravity[0], &s.gravity[1], &s.gravity[2], &s.mu,
                &s.restitution, &s.dt) == 6,
         "gravity, friction, restitution, dt");
    must(fscanf(file, "%d %d", &s.nx, &s.ny) == 2, "the ground");
    s.height = malloc((size_t)(s.nx * s.ny + 1) * sizeof *s.height);
    for (int k = 0; k < s.nx * s.ny; k++) {
        must(fscanf(file, "%lf", &s.height[k]) == 1, "a height");
    }
    must(fscanf(file, "%d", &s.box_count) == 1, "the number of boxes");
    s.box = malloc((size_t)s.box_count * sizeof *s.box);
    for (int b = 0; b < s.box_count; b++) {
        read_box(file, &s.box[b]);
    }
    fclose(file);
    return s;
}

static void write_poses(const peer_scene *s, const char *path) {
    FILE *file = fopen(path, "w");
    must(file != NULL, path);
    for (int b = 0; b < s->box_count; b++) {
        double p[3], q[4];
        peer_pose(b, p, q);
        fprintf(file, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", p[0], p[1], p[2], q[0], q[1],
                q[2], q[3]);
    }
    fclose(file);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "peer SCENE-FILE END-TIME POSES-FILE\n");
        return 2;
    }
    const peer_scene s = read_scene(argv[1]);
    const long steps = lround(strtod(argv[2], NULL) / s.dt);
    peer_create(&s);
    const clock_t start = clock();
    for (long n = 0; n < steps; n++) {
        peer_step(s.dt);
    }
    printf("%.4f\n", 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC / (double)steps);
    write_poses(&s, argv[3]);
    return 0;
}
