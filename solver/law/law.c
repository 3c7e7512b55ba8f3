// SPDX-License-Identifier: GPL-3.0-or-later
// The table of laws: one row each, taken from the list in core/base/laws.h.
#include "solver/law/law.h"

#include "core/base/status.h"

#include <math.h>

#define LAWS(ROW) TAL_LAW_LIST(ROW, ) TAL_LAW_LIST_OF_LIBRARY(ROW, )

#define DECLARE(X, kind, number, id, word) extern const tal_law_traits tal_law_##id;
LAWS(DECLARE)

#define ROW(X, kind, number, id, word) [number] = {word, &tal_law_##id},
static const struct {
    const char *name;
    const tal_law_traits *traits;
} TABLE[] = {LAWS(ROW)};
enum { ROW_COUNT = sizeof TABLE / sizeof TABLE[0] };

static bool is_law(int kind) {
    return kind >= 0 && kind < ROW_COUNT && TABLE[kind].traits != NULL;
}

const tal_law_traits *tal_law_traits_of(tal_law_kind kind) {
    return is_law((int)kind) ? TABLE[kind].traits : NULL;
}

const char *tal_law_name(tal_law_kind kind) {
    return is_law((int)kind) ? TABLE[kind].name : "none";
}

tal_law tal_law_now(const tal_law *law, const tal_contact_data *data, double w_normal) {
    const tal_law_traits *traits = tal_law_traits_of(law->kind);
    tal_law now = *law;
    if (traits->friction != NULL) {
        now.friction = traits->friction(law, data);
    }
    if (traits->restitution != NULL) {
        now.restitution = traits->restitution(law, data, w_normal);
    }
    return now;
}

void tal_law_prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c) {
    const tal_law_traits *traits = tal_law_traits_of(law->kind);
    TAL_ASSERT(traits != NULL && traits->prepare != NULL); // model check and detection see to it
    TAL_ASSERT(data->dt > 0.0 && c->w[0] > 0.0);
    const tal_law now = tal_law_now(law, data, c->w[0]);
    traits->prepare(&now, data, c);
}

void tal_law_prepare_inelastic(const tal_law *law, const tal_contact_data *data, tal_contact *c) {
    const tal_law_traits *traits = tal_law_traits_of(law->kind);
    TAL_ASSERT(traits != NULL && traits->prepare_inelastic != NULL);
    const tal_law now = tal_law_now(law, data, c->w[0]);
    traits->prepare_inelastic(&now, data, c);
}

// Energies per mass of the normal motion, a the acceleration of the loads, h = a dt/2. Before the
// percussion (v + h)^2/2 + a (gap - a dt^2/8): exact for a parabola, whose velocity is a mean over a
// step and whose gap lies between two steps. An impact leaves e^2 of it, counted from the surface.
double tal_law_rebound(const tal_contact_data *data, double e) {
    const double half = -0.5 * data->pull, speed = -data->before[0];
    const double acceleration = 2.0 * half / data->dt;
    if (half <= 0.0) {
        return e * speed;
    }
    const double ahead = acceleration * data->ahead, rest = half - ahead;
    const double lift = 2.0 * acceleration * fmax(data->gap, 0.0);
    const double left = e * e * (speed * (speed + 2.0 * (half + ahead)) + lift) - lift;
    return left >= 0.0 ? sqrt(rest * rest + left) - rest : e * speed;
}

void tal_contact_set_law(tal_contact *c, const tal_local_law *law) {
    c->bound = law->bound;
    c->pull = law->pull;
    c->softness = law->softness;
    c->slack = law->slack;
    c->slide[0] = law->slide[0];
    c->slide[1] = law->slide[1];
    c->friction = law->friction;
    c->floor = 0.0;
    c->adhesion = 0.0;
    c->inverse_normal = 1.0 / c->w[0];
}

void tal_contact_hold(tal_contact *c, const double velocity[3], bool tangents) {
    c->bound = velocity[0];
    c->pull = 0.0;
    c->softness = INFINITY;
    c->slack = tangents ? 0.0 : INFINITY;
    c->slide[0] = -velocity[1];
    c->slide[1] = -velocity[2];
    c->friction = INFINITY;
    c->floor = -INFINITY;
    c->adhesion = 0.0;
    c->inverse_normal = 1.0 / c->w[0];
}
