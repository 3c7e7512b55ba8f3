// SPDX-License-Identifier: GPL-3.0-or-later
// Box3D in single precision, one worker, no sleeping. The effort is the number of sub-steps (4).
#include "peer.h"

#include "box3d/box3d.h"
#include "box3d/collision.h"

#include <stdlib.h>

enum { SUBSTEPS = 4 };

static int substeps;
static b3WorldId world;
static b3BodyId *body;

static b3ShapeDef surface(const peer_scene *s) {
    b3ShapeDef def = b3DefaultShapeDef();
    def.baseMaterial.friction = (float)s->mu;
    def.baseMaterial.restitution = (float)s->restitution;
    return def;
}

static b3MeshData *make_mesh(const peer_scene *s) {
    const int cells = (s->nx - 1) * (s->ny - 1);
    b3Vec3 *vertex = malloc((size_t)(s->nx * s->ny) * sizeof *vertex);
    int32_t *index = malloc(6 * (size_t)cells * sizeof *index), *next = index;
    for (int v = 0; v < s->nx * s->ny; v++) {
        vertex[v] = (b3Vec3){(float)(v % s->nx), (float)(v / s->nx), (float)s->height[v]};
    }
    for (int c = 0; c < cells; c++) {
        const int v = c / (s->nx - 1) * s->nx + c % (s->nx - 1);
        const int32_t corner[6] = {v, v + 1, v + s->nx + 1, v, v + s->nx + 1, v + s->nx};
        for (int k = 0; k < 6; k++) {
            *next++ = corner[k];
        }
    }
    const b3MeshDef def = {.vertices = vertex,
                           .indices = index,
                           .vertexCount = s->nx * s->ny,
                           .triangleCount = 2 * cells,
                           .useMedianSplit = true,
                           .identifyEdges = true};
    int degenerate[64];
    return b3CreateMesh(&def, degenerate, 64);
}

static void add_ground(const peer_scene *s) {
    const b3BodyDef def = b3DefaultBodyDef();
    const b3BodyId ground = b3CreateBody(world, &def);
    const b3ShapeDef shape = surface(s);
    if (s->nx > 0) {
        b3CreateMeshShape(ground, &shape, make_mesh(s), (b3Vec3){1, 1, 1});
    } else {
        const b3BoxHull hull = b3MakeOffsetBoxHull(500, 500, 5, (b3Vec3){0, 0, -5});
        b3CreateHullShape(ground, &shape, &hull.base);
    }
}

static b3BodyId add_box(const peer_scene *s, const peer_box *b) {
    b3BodyDef def = b3DefaultBodyDef();
    def.type = b3_dynamicBody;
    def.enableSleep = false;
    def.position.x = (float)b->position[0];
    def.position.y = (float)b->position[1];
    def.position.z = (float)b->position[2];
    def.rotation =
        (b3Quat){{(float)b->orientation[1], (float)b->orientation[2], (float)b->orientation[3]},
                 (float)b->orientation[0]};
    const b3BodyId made = b3CreateBody(world, &def);
    b3ShapeDef shape = surface(s);
    shape.density = (float)(b->mass / (b->edge[0] * b->edge[1] * b->edge[2]));
    const b3BoxHull hull =
        b3MakeBoxHull((float)b->edge[0] / 2, (float)b->edge[1] / 2, (float)b->edge[2] / 2);
    b3CreateHullShape(made, &shape, &hull.base);
    return made;
}

void peer_create(const peer_scene *s) {
    b3WorldDef def = b3DefaultWorldDef();
    def.gravity = (b3Vec3){(float)s->gravity[0], (float)s->gravity[1], (float)s->gravity[2]};
    def.enableSleep = false;
    def.workerCount = 1;
    substeps = s->effort > 0.0 ? (int)s->effort : SUBSTEPS;
    world = b3CreateWorld(&def);
    add_ground(s);
    body = malloc((size_t)s->box_count * sizeof *body);
    for (int b = 0; b < s->box_count; b++) {
        body[b] = add_box(s, &s->box[b]);
    }
}

void peer_step(double dt) {
    b3World_Step(world, (float)dt, substeps);
}

void peer_state(int box, double position[3], double orientation[4], double velocity[3]) {
    const b3Pos p = b3Body_GetPosition(body[box]);
    const b3Quat q = b3Body_GetRotation(body[box]);
    position[0] = p.x;
    position[1] = p.y;
    position[2] = p.z;
    orientation[0] = q.s;
    orientation[1] = q.v.x;
    orientation[2] = q.v.y;
    orientation[3] = q.v.z;
    const b3Vec3 v = b3Body_GetLinearVelocity(body[box]);
    velocity[0] = v.x;
    velocity[1] = v.y;
    velocity[2] = v.z;
}
