/* SPDX-License-Identifier: GPL-3.0-or-later
 * What a peer of solver_bench has to do: make the scene, step it, say where the boxes are. peer.c has main(),
 * reads the scene, takes the time and writes the end. C, and C++ where an engine has no other interface. */
#ifndef TALUS_TESTS_SOLVER_BENCH_PEER_H
#define TALUS_TESTS_SOLVER_BENCH_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double edge[3], mass, position[3], orientation[4]; /* w x y z */
} peer_box;

typedef struct {
    double gravity[3], mu, restitution, dt, end;
    int nx, ny; /* 0: the plane z = 0; else heights over whole metres, row by row */
    double *height;
    int box_count;
    peer_box *box;
} peer_scene;

void peer_create(const peer_scene *scene);
void peer_step(double dt);
void peer_pose(int box, double position[3], double orientation[4]);

#ifdef __cplusplus
}
#endif

#endif
