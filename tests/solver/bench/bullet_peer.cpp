// SPDX-License-Identifier: GPL-3.0-or-later
// Bullet with its sequential impulses and default settings but for the friction; no sleeping. The effort is
// the number of iterations (10). The one C++
// file of the project: Bullet has no other interface (docs/decisions/0006).
#include "peer.h"

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

btDiscreteDynamicsWorld *world;
std::vector<btRigidBody *> boxes;

// Bullet multiplies the coefficients of the two bodies.
btRigidBody *add_body(btCollisionShape *shape, double mass, const btTransform &at,
                      const peer_scene &scene) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) {
        shape->calculateLocalInertia(mass, inertia);
    }
    btRigidBody::btRigidBodyConstructionInfo info(mass, new btDefaultMotionState(at), shape,
                                                  inertia);
    info.m_friction = std::sqrt(scene.mu);
    info.m_restitution = std::sqrt(scene.restitution);
    auto *body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    world->addRigidBody(body);
    return body;
}

void add_ground(const peer_scene &scene) {
    btTransform at = btTransform::getIdentity();
    if (scene.nx == 0) {
        add_body(new btStaticPlaneShape(btVector3(0, 0, 1), 0.0), 0.0, at, scene);
        return;
    }
    const double *last = scene.height + scene.nx * scene.ny;
    const double low = *std::min_element(scene.height, const_cast<double *>(last));
    const double high = *std::max_element(scene.height, const_cast<double *>(last));
    auto *shape = new btHeightfieldTerrainShape(scene.nx, scene.ny, scene.height, 1.0, low, high, 2,
                                                PHY_DOUBLE, false);
    at.setOrigin(btVector3(0.5 * (scene.nx - 1), 0.5 * (scene.ny - 1), 0.5 * (low + high)));
    add_body(shape, 0.0, at, scene);
}

void add_box(const peer_scene &scene, const peer_box &b) {
    auto *shape = new btBoxShape(btVector3(b.edge[0] / 2, b.edge[1] / 2, b.edge[2] / 2));
    shape->setMargin(0.001);
    const btQuaternion q(b.orientation[1], b.orientation[2], b.orientation[3], b.orientation[0]);
    const btVector3 p(b.position[0], b.position[1], b.position[2]);
    boxes.push_back(add_body(shape, b.mass, btTransform(q, p), scene));
}

} // namespace

void peer_create(const peer_scene *scene) {
    auto *configuration = new btDefaultCollisionConfiguration;
    world =
        new btDiscreteDynamicsWorld(new btCollisionDispatcher(configuration), new btDbvtBroadphase,
                                    new btSequentialImpulseConstraintSolver, configuration);
    world->setGravity(btVector3(scene->gravity[0], scene->gravity[1], scene->gravity[2]));
    if (scene->effort > 0.0) {
        world->getSolverInfo().m_numIterations = int(scene->effort);
    }
    add_ground(*scene);
    for (int b = 0; b < scene->box_count; b++) {
        add_box(*scene, scene->box[b]);
    }
}

void peer_step(double dt) {
    world->stepSimulation(dt, 0, dt);
}

void peer_state(int box, double position[3], double orientation[4], double velocity[3]) {
    const btTransform &at = boxes[size_t(box)]->getWorldTransform();
    const btQuaternion q = at.getRotation();
    for (int k = 0; k < 3; k++) {
        position[k] = at.getOrigin()[k];
        velocity[k] = boxes[size_t(box)]->getLinearVelocity()[k];
    }
    orientation[0] = q.w();
    orientation[1] = q.x();
    orientation[2] = q.y();
    orientation[3] = q.z();
}
