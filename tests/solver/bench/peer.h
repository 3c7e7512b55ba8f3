/* SPDX-License-Identifier: GPL-3.0-or-later
 * What an engine has to do to be compared: make the scene, step it, say where the boxes are. peer.c has main(),
 * reads the scene, takes the time and writes the motion. C, and C++ where an engine has no other interface. */
#ifndef TALUS_TESTS_SOLVER_BENCH_PEER_H
#define TALUS_TESTS_SOLVER_BENCH_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double edge[3], mass, position[3], orientation[4]; /* w x y z */
} peer_box;

typedef struct {
    double gravity[3], mu, restitution, dt;
    double
        effort; /* what the engine spends on a step: its tolerance, iterations or sub-steps; 0: as usual */
    int nx, ny; /* 0: the plane z = 0; else heights over whole metres, row by row */
    double *height;
    int box_count;
    peer_box *box;
} peer_scene;

void peer_create(const peer_scene *scene);
void peer_step(double dt);
void peer_state(int box, double position[3], double orientation[4], double velocity[3]);

#ifdef __cplusplus
}
#endif

#endif
