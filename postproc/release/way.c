// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a rock.
#include "postproc/release/way.h"

#include <math.h>

enum { PIECES_MAX = 10000 };

// Most that the velocity changes on a piece: at a blow, energy does not change evenly with the way.
static const double CHANGE_MPS = 0.5;

static double mix(double a, double b, double t) {
    return a + t * (b - a);
}

// Cubic with the given values and rates at both ends.
static double hermite(double p, double q, double u, double v, double span, double t) {
    const double s = 1.0 - t;
    return p * s * s * (1.0 + 2.0 * t) + q * t * t * (3.0 - 2.0 * t) +
           span * t * s * (u * s - v * t);
}

tal_way_point tal_way_between(const tal_rocks_moment *a, const tal_rocks_moment *b, double mass,
                              double t) {
    const double span = b->time - a->time;
    double x[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        const double v = mix(a->velocity[k], b->velocity[k], t);
        x[k] = hermite(a->position[k], b->position[k], a->velocity[k], b->velocity[k], span, t);
        square += v * v;
    }
    const double ground = isfinite(b->ground) ? mix(a->ground, b->ground, t) : a->ground;
    return (tal_way_point){.time = mix(a->time, b->time, t),
                           .x = x[0],
                           .y = x[1],
                           .z = x[2],
                           .speed = sqrt(square),
                           .energy = 0.5 * mass * square + mix(a->rotation, b->rotation, t),
                           .spin = mix(a->spin, b->spin, t),
                           .jump = x[2] - mix(a->drop, b->drop, t) - ground,
                           .height = x[2] - ground};
}

tal_way_point tal_way_mix(const tal_way_point *a, const tal_way_point *b, double t) {
    return (tal_way_point){
        mix(a->time, b->time, t), mix(a->x, b->x, t),         mix(a->y, b->y, t),
        mix(a->z, b->z, t),       mix(a->speed, b->speed, t), mix(a->energy, b->energy, t),
        mix(a->spin, b->spin, t), mix(a->jump, b->jump, t),   mix(a->height, b->height, t)};
}

void tal_way_walk(const tal_rocks_moment *moment, int32_t count, double mass, double piece_m,
                  tal_way_visit *visit, void *context) {
    for (int32_t k = 0; k + 1 < count; k++) {
        const tal_rocks_moment *a = &moment[k], *b = &moment[k + 1];
        const double length =
            hypot(b->position[0] - a->position[0], b->position[1] - a->position[1]);
        const double change =
            hypot(hypot(b->velocity[0] - a->velocity[0], b->velocity[1] - a->velocity[1]),
                  b->velocity[2] - a->velocity[2]);
        const double wanted = ceil(fmax(length / piece_m, change / CHANGE_MPS));
        const int pieces = wanted < 1.0 ? 1 : wanted > PIECES_MAX ? PIECES_MAX : (int)wanted;
        tal_way_point from = tal_way_between(a, b, mass, 0.0);
        for (int i = 1; i <= pieces; i++) {
            const tal_way_point to = tal_way_between(a, b, mass, (double)i / pieces);
            visit(context, &from, &to);
            from = to;
        }
    }
}
