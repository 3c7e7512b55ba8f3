// SPDX-License-Identifier: GPL-3.0-or-later
// peer SCENE-FILE END-TIME MOTION-FILE [EFFORT [DT [START]]]: prints processor time in seconds and per step in
// ms, writes the motion: FRAMES times, the last at the end, position, orientation and velocity of every box as
// ten doubles. EFFORT is what the engine's file says, DT the step; 0 leaves either as it is. START from 1 on
// moves every box sideways by up to a tenth of a millimetre, each number in its own way.
#include "peer.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FRAMES = 10 }; // at these a step of 0.04 s has its end, too
static const double PERTURBATION_M = 1e-4;

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

// A multiplicative generator (Knuth): the same numbers on every machine.
static double draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

static void perturb(peer_scene *s, int start) {
    uint64_t state = (uint64_t)start;
    for (int b = 0; start > 0 && b < s->box_count; b++) {
        s->box[b].position[0] += PERTURBATION_M * draw(&state);
        s->box[b].position[1] += PERTURBATION_M * draw(&state);
    }
}

static void write_frame(const peer_scene *s, FILE *file) {
    for (int b = 0; b < s->box_count; b++) {
        double state[10];
        peer_state(b, &state[0], &state[3], &state[7]);
        must(fwrite(state, sizeof state, 1, file) == 1, "the motion cannot be written");
    }
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "peer SCENE-FILE END-TIME MOTION-FILE [EFFORT [DT [START]]]\n");
        return 2;
    }
    peer_scene s = read_scene(argv[1]);
    s.effort = argc > 4 ? strtod(argv[4], NULL) : 0.0;
    s.dt = argc > 5 && strtod(argv[5], NULL) > 0.0 ? strtod(argv[5], NULL) : s.dt;
    perturb(&s, argc > 6 ? atoi(argv[6]) : 0);
    const long steps = lround(strtod(argv[2], NULL) / s.dt);
    FILE *file = fopen(argv[3], "wb");
    must(file != NULL, argv[3]);
    peer_create(&s);
    double seconds = 0.0;
    for (long frame = 1, n = 0; frame <= FRAMES; frame++) {
        const clock_t start = clock();
        for (; n < steps * frame / FRAMES; n++) {
            peer_step(s.dt);
        }
        seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
        write_frame(&s, file);
    }
    must(fclose(file) == 0, argv[3]);
    printf("%.4g %.4f\n", seconds, 1e3 * seconds / (double)steps);
    return 0;
}
