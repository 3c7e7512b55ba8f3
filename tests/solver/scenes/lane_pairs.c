// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/scenes/lane_pairs.h"

#include "core/base/random.h"

#include <math.h>
#include <string.h>

typedef struct {
    tal_random random;
    uint64_t next;
} draws;

static double draw(draws *d, double low, double high) {
    return low + (high - low) * tal_random_uniform(d->random, d->next++);
}

static tal_vec3 draw_vector(draws *d) {
    return (tal_vec3){draw(d, -1.0, 1.0), draw(d, -1.0, 1.0), draw(d, -1.0, 1.0)};
}

static void make_contact(lane_pairs *s, draws *d, const tal_pair *pair, int32_t k) {
    tal_contact *c = &s->contact[k];
    const tal_law law = {.kind = TAL_LAW_COULOMB, .friction = draw(d, 0.1, 1.5)};
    const tal_contact_data data = {.dt = 0.01, .gap = fmax(0.0, draw(d, -0.01, 0.002))};
    for (int f = 0; f < 3; f++) {
        c->arm_i[f] = draw(d, -1.0, 1.0);
        c->arm_j[f] = draw(d, -1.0, 1.0);
    }
    tal_contact_effective_mass(&s->problem, pair, k);
    tal_law_prepare(&law, &data, c, NULL); // dry friction, and nothing more
    c->percussion[0] = fmax(0.0, draw(d, -1.0, 2.0));
    c->percussion[1] = draw(d, -0.3, 0.3) * c->percussion[0];
    c->percussion[2] = draw(d, -0.3, 0.3) * c->percussion[0];
    c->lambda = fmax(0.0, draw(d, -1.0, 1.0));
}

void lane_pairs_make(lane_pairs *s, uint64_t seed, uint32_t run, int32_t point_count) {
    draws stream = {.random = tal_random_stream(seed, run, "tests/lane_pairs")}, *d = &stream;
    memset(s, 0, sizeof *s);
    s->problem = (tal_percussion_problem){.body_count = BODIES,
                                          .motion = s->motion,
                                          .before = s->motion,
                                          .inertia = s->inertia,
                                          .pair_count = PAIRS,
                                          .pair = s->pair,
                                          .contact = s->contact};
    for (int32_t b = 0; b < BODIES; b++) {
        const double m = draw(d, 0.5, 2.0);
        s->motion[b].v = draw_vector(d);
        s->motion[b].w = draw_vector(d);
        s->inertia[b] =
            (tal_inertia){m, {4.0 * m, 0.5 * m, -0.3 * m, 5.0 * m, 0.2 * m, 6.0 * m}, 0.0};
    }
    for (int32_t p = 0; p < PAIRS; p++) {
        tal_pair *pair = &s->pair[p];
        *pair = (tal_pair){.body_i = 2 * p,
                           .body_j = p + 1 < PAIRS ? 2 * p + 1 : BODIES,
                           .first_contact = 8 * p,
                           .contact_count =
                               point_count > 0 ? point_count : 1 + (int32_t)draw(d, 0.0, 8.0),
                           .flows = run % 2 == 1,
                           .energy_scale = 2.0};
        pair->normal = tal_vec3_normalize(draw_vector(d));
        tal_vec3_tangents(pair->normal, &pair->tangent_1, &pair->tangent_2);
        for (int32_t k = 0; k < pair->contact_count; k++) {
            make_contact(s, d, pair, pair->first_contact + k);
        }
    }
}

void lane_pairs_batch(const lane_pairs *s, int lanes, lane_batched *b) {
    b->batch.point_count = 0;
    b->batch.first_point = 0;
    for (int p = 0; p < lanes; p++) {
        b->batch.point_count = b->batch.point_count > s->pair[p].contact_count
                                   ? b->batch.point_count
                                   : s->pair[p].contact_count;
    }
    tal_batch_clear(&b->batch, b->point, BODIES);
    for (int p = 0; p < lanes; p++) {
        tal_batch_set_lane(&b->batch, b->point, p, p, &s->pair[p], s->contact, s->inertia);
    }
    tal_batch_load(&b->batch, b->percussion, s->contact);
    for (int32_t n = 0; n <= BODIES; n++) {
        b->motion[n] = tal_motion_to_lane(&s->motion[n]);
    }
}

void lane_pairs_take(lane_pairs *s, const lane_batched *b) {
    tal_batch_store(&b->batch, b->percussion, s->contact);
    for (int32_t n = 0; n < BODIES; n++) {
        s->motion[n] = tal_motion_of_lane(&b->motion[n]);
    }
}
