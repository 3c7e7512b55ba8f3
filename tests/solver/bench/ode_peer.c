// SPDX-License-Identifier: GPL-3.0-or-later
// ODE: QuickStep, at most 8 points per pair, the friction cone by two directions. The effort is the number
// of iterations (20).
#include "peer.h"

#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 8, ITERATIONS = 20 };

static dWorldID world;
static dSpaceID space;
static dJointGroupID contacts;
static dBodyID *body;
static double friction;

static void collide(void *unused, dGeomID a, dGeomID b) {
    (void)unused;
    if (dGeomGetBody(a) == NULL && dGeomGetBody(b) == NULL) {
        return;
    }
    dContact contact[POINTS_MAX];
    const int count = dCollide(a, b, POINTS_MAX, &contact[0].geom, sizeof contact[0]);
    for (int k = 0; k < count; k++) {
        contact[k].surface.mode = dContactApprox1;
        contact[k].surface.mu = friction;
        const dJointID joint = dJointCreateContact(world, contacts, &contact[k]);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

// ODE's heights stand up along y: turned upright, its rows run towards -y.
static void add_ground(const peer_scene *s) {
    if (s->nx == 0) {
        dCreatePlane(space, 0, 0, 1, 0);
        return;
    }
    double *turned = malloc((size_t)(s->nx * s->ny) * sizeof *turned);
    for (int j = 0; j < s->ny; j++) {
        memcpy(&turned[j * s->nx], &s->height[(s->ny - 1 - j) * s->nx],
               (size_t)s->nx * sizeof *turned);
    }
    const dHeightfieldDataID data = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(data, turned, 1, s->nx - 1, s->ny - 1, s->nx, s->ny, 1, 0, 2,
                                    0);
    free(turned);
    const dGeomID ground = dCreateHeightfield(space, data, 1);
    dMatrix3 upright;
    dRFromAxisAndAngle(upright, 1, 0, 0, acos(0.0));
    dGeomSetRotation(ground, upright);
    dGeomSetPosition(ground, 0.5 * (s->nx - 1), 0.5 * (s->ny - 1), 0);
}

static dBodyID add_box(const peer_box *b) {
    const dBodyID made = dBodyCreate(world);
    dMass mass;
    dMassSetBoxTotal(&mass, b->mass, b->edge[0], b->edge[1], b->edge[2]);
    dBodySetMass(made, &mass);
    dBodySetPosition(made, b->position[0], b->position[1], b->position[2]);
    dBodySetQuaternion(made, b->orientation);
    dBodySetAutoDisableFlag(made, 0);
    dGeomSetBody(dCreateBox(space, b->edge[0], b->edge[1], b->edge[2]), made);
    return made;
}

void peer_create(const peer_scene *s) {
    dInitODE2(0);
    world = dWorldCreate();
    space = dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ);
    contacts = dJointGroupCreate(0);
    friction = s->mu;
    dWorldSetGravity(world, s->gravity[0], s->gravity[1], s->gravity[2]);
    dWorldSetQuickStepNumIterations(world, s->effort > 0.0 ? (int)s->effort : ITERATIONS);
    const dThreadingImplementationID alone = dThreadingAllocateSelfThreadedImplementation();
    dWorldSetStepThreadingImplementation(world, dThreadingImplementationGetFunctions(alone), alone);
    dWorldSetStepIslandsProcessingMaxThreadCount(world, 1);
    add_ground(s);
    body = malloc((size_t)s->box_count * sizeof(dBodyID));
    for (int b = 0; b < s->box_count; b++) {
        body[b] = add_box(&s->box[b]);
    }
}

void peer_step(double dt) {
    dSpaceCollide(space, NULL, collide);
    dWorldQuickStep(world, dt);
    dJointGroupEmpty(contacts);
}

void peer_state(int box, double position[3], double orientation[4], double velocity[3]) {
    memcpy(position, dBodyGetPosition(body[box]), 3 * sizeof *position);
    memcpy(orientation, dBodyGetQuaternion(body[box]), 4 * sizeof *orientation);
    memcpy(velocity, dBodyGetLinearVel(body[box]), 3 * sizeof *velocity);
}
