// SPDX-License-Identifier: GPL-3.0-or-later
// Eight pairs of rigid bodies of one color side by side, lane by lane, for contacts with plain dry friction, in
// single precision: sweeps are corrections of percussions, whose rounding is far below any tolerance that they
// are made for. What follows from the percussions is computed from them in double precision afterwards
// (tal_solve_percussions). Each lane does what the scalar kernel does, operation by operation: no bit depends on
// the width of the processor's vectors, nor on which pairs share a batch.
//
// Each lane has a mass as its unit, so that all its numbers are of the size of velocities, whatever bodies weigh.
#ifndef TALUS_SOLVER_PERCUSSION_BATCH_H
#define TALUS_SOLVER_PERCUSSION_BATCH_H

#include "solver/percussion/rigid.h"

enum { TAL_LANES = 8, TAL_BATCH_POINTS_MAX = 8 };

typedef float tal_lanes __attribute__((vector_size(TAL_LANES * sizeof(float))));

// The motion of a body while batches are swept: half a cache line. What visits leave has single precision anyway.
typedef struct {
    float v[4], w[4]; // the last ones are not used
} tal_lane_motion;

static inline tal_lane_motion tal_motion_to_lane(const tal_rigid_motion *m) {
    return (tal_lane_motion){{(float)m->v.x, (float)m->v.y, (float)m->v.z, 0.0f},
                             {(float)m->w.x, (float)m->w.y, (float)m->w.z, 0.0f}};
}

static inline tal_rigid_motion tal_motion_of_lane(const tal_lane_motion *m) {
    return (tal_rigid_motion){.v = {(double)m->v[0], (double)m->v[1], (double)m->v[2]},
                              .w = {(double)m->w[0], (double)m->w[1], (double)m->w[2]}};
}

// Constants of one point of each pair; 704 bytes.
typedef struct {
    tal_lanes w[6], inverse[6]; // tal_contact, tal_sticking_inverse
    tal_lanes arm_i[3], arm_j[3];
    tal_lanes bound, friction, inverse_normal;
    tal_lanes weight; // mean inverse mass
} tal_batch_point;

// What a sweep changes of them; 128 bytes.
typedef struct {
    tal_lanes percussion[3], lambda;
} tal_batch_percussion;

// What the acceleration goes by: the percussions that the sweep before the last one ended with; 96 bytes, of which
// nothing outlives a series of sweeps.
typedef struct {
    tal_lanes last[3];
} tal_batch_course;

// Of a position correction: how far a point has to open (or may close, if negative), and what pushes it.
typedef struct {
    tal_lanes wanted, push;
} tal_batch_opening;

// Pairs with fewer points than the first, and lanes without a pair (the ground against itself), have empty
// points: nothing pushes there.
typedef struct {
    int32_t pair[TAL_LANES]; // -1: none
    int32_t body_i[TAL_LANES], body_j[TAL_LANES];
    int32_t first_contact[TAL_LANES], contact_count[TAL_LANES];
    int32_t point_count, first_point;
    bool flows;
    double energy, relative; // of the last change, the lanes' sum
    tal_lanes normal[3], tangent_1[3], tangent_2[3];
    tal_lanes inertia_i[7], inertia_j[7]; // inverse mass, inverse inertia
    tal_lanes mass; // the unit, kg: percussions are those of the contacts over it
    tal_lanes energy_scale;
} tal_batch;

// The sweeps at a batch; `point`, `percussion` and `course` are those of its own points.
typedef struct {
    const char *name;
    // Goes on by `beta` times what the last sweep changed, then visits all points as tal_rigid_visit does.
    void (*visit)(tal_batch *batch, const tal_batch_point *point, tal_batch_percussion *percussion,
                  tal_batch_course *course, tal_lane_motion *motion, double beta);
    // The same for two batches that share no mobile body and have as many points, those of the second anywhere
    // behind those of the first.
    void (*visit_two)(tal_batch batch[2], const tal_batch_point *point,
                      tal_batch_percussion *percussion, tal_batch_course *course,
                      tal_lane_motion *motion, double beta);
    // Squared relative errors, to where the contacts have theirs.
    void (*residual)(const tal_batch *batch, const tal_batch_point *point,
                     const tal_batch_percussion *percussion, const tal_lane_motion *motion,
                     double *error);
    // One visit of all points along their normals; `moved` is by how much the furthest of a lane opened.
    void (*open)(const tal_batch *batch, const tal_batch_point *point, tal_batch_opening *opening,
                 tal_rigid_motion *displacement, double moved[TAL_LANES]);
} tal_batch_kernel;

extern const tal_batch_kernel tal_batch_kernel_plain; // what every processor of the kind can do
#if defined __x86_64__
extern const tal_batch_kernel tal_batch_kernel_avx2;
#endif

// The fastest that this processor has.
const tal_batch_kernel *tal_batch_kernel_best(void);

// A pair into a lane, its percussions apart; lanes and points that nothing fills have to be cleared.
void tal_batch_clear(tal_batch *batch, tal_batch_point *point, int32_t ground);
void tal_batch_set_lane(tal_batch *batch, tal_batch_point *point, int lane, int32_t number,
                        const tal_pair *pair, const tal_contact *contact,
                        const tal_inertia *inertia);

// Percussions from the contacts; and back.
void tal_batch_load(const tal_batch *batch, tal_batch_percussion *percussion,
                    const tal_contact *contact);
void tal_batch_store(const tal_batch *batch, const tal_batch_percussion *percussion,
                     tal_contact *contact);

// The percussion of a point in a lane, to another point and lane of a batch whose unit is the same. Other threads may
// write other lanes at the same time: no more than the one is touched.
static inline void tal_batch_copy_lane(const tal_batch_percussion *from, int from_lane,
                                       tal_batch_percussion *to, int to_lane) {
    for (int f = 0; f < 3; f++) {
        ((float *)&to->percussion[f])[to_lane] = from->percussion[f][from_lane];
    }
    ((float *)&to->lambda)[to_lane] = from->lambda[from_lane];
}

// Goes on by itself. What follows begins anew.
void tal_batch_go_on(const tal_batch *batch, tal_batch_percussion *percussion,
                     const tal_batch_course *course, double beta);

#endif
