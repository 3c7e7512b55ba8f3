// SPDX-License-Identifier: GPL-3.0-or-later
// The peer that solver_bench is measured against: the same scene by Bullet, with its sequential impulses
// and default settings but for the friction. Only boxes on a plane. Prints processor time per step.
// The one C++ file of the project: Bullet has no other interface (docs/decisions/0006).
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Header {
    btVector3 gravity{0, 0, -9.81};
    double mu = 0.5, restitution = 0.0, dt = 0.005, end = 5.0, ground = 0.0;
    long blocks = 0;
};

bool read_header(std::istream &in, Header &h) {
    std::string line, key, kind;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        words >> key;
        if (key == "gravity") {
            words >> h.gravity[0] >> h.gravity[1] >> h.gravity[2];
        } else if (key == "mu") {
            words >> h.mu;
        } else if (key == "restitution") {
            words >> h.restitution;
        } else if (key == "dt") {
            words >> h.dt;
        } else if (key == "tend") {
            words >> h.end;
        } else if (key == "terrain") {
            words >> kind >> h.ground;
            if (kind != "plane") {
                return false;
            }
        } else if (key == "blocks") {
            words >> h.blocks;
            return h.blocks > 0;
        }
    }
    return false;
}

struct Body {
    std::unique_ptr<btCollisionShape> shape;
    std::unique_ptr<btMotionState> start;
    std::unique_ptr<btRigidBody> body;
};

// Bullet multiplies the coefficients of the two bodies.
Body make_body(btCollisionShape *shape, double mass, const btTransform &at, const Header &h) {
    Body made;
    made.shape.reset(shape);
    made.start.reset(new btDefaultMotionState(at));
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) {
        shape->calculateLocalInertia(mass, inertia);
    }
    btRigidBody::btRigidBodyConstructionInfo info(mass, made.start.get(), shape, inertia);
    info.m_friction = std::sqrt(h.mu);
    info.m_restitution = std::sqrt(h.restitution);
    made.body.reset(new btRigidBody(info));
    return made;
}

Body read_box(std::istream &in, const Header &h, bool may_sleep) {
    double x[17];
    for (double &value : x) {
        in >> value;
    }
    const double mass = x[0] * x[1] * x[2] * x[16];
    auto *box = new btBoxShape(btVector3(x[0] / 2, x[1] / 2, x[2] / 2));
    box->setMargin(0.001);
    const btTransform at(btQuaternion(x[7], x[8], x[9], x[6]), btVector3(x[3], x[4], x[5]));
    Body made = make_body(box, mass, at, h);
    made.body->setLinearVelocity(btVector3(x[10], x[11], x[12]));
    made.body->setAngularVelocity(btVector3(x[13], x[14], x[15]));
    if (!may_sleep) {
        made.body->setActivationState(DISABLE_DEACTIVATION);
    }
    return made;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "bullet_peer SCENE-FILE [sleep]\n");
        return 2;
    }
    std::ifstream in(argv[1]);
    Header h;
    if (!in || !read_header(in, h)) {
        std::fprintf(stderr, "%s: not a scene of boxes on a plane\n", argv[1]);
        return 1;
    }
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broad_phase, &solver, &configuration);
    world.setGravity(h.gravity);
    std::vector<Body> bodies;
    const btTransform origin = btTransform::getIdentity();
    bodies.push_back(
        make_body(new btStaticPlaneShape(btVector3(0, 0, 1), h.ground), 0.0, origin, h));
    for (long n = 0; n < h.blocks; n++) {
        bodies.push_back(read_box(in, h, argc > 2));
    }
    for (Body &made : bodies) {
        world.addRigidBody(made.body.get());
    }
    const long steps = std::lround(h.end / h.dt);
    const std::clock_t start = std::clock();
    for (long n = 0; n < steps; n++) {
        world.stepSimulation(h.dt, 0, h.dt);
    }
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%.4f\n", 1e3 * seconds / double(steps));
    for (Body &made : bodies) {
        world.removeRigidBody(made.body.get());
    }
    return 0;
}
