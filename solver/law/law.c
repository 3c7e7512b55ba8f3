// SPDX-License-Identifier: GPL-3.0-or-later
// The table of laws: one row each, taken from the list in core/base/laws.h.
#include "solver/law/law.h"

#include "core/base/status.h"

#include <math.h>
#include <string.h>

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

const tal_law_more tal_nothing_more = {.softness = INFINITY};

// Bit by bit: a zero may have a sign.
static void keep_more(tal_contact *c, const tal_law_more *more, tal_law_more *room) {
    const bool is_nothing = memcmp(more, &tal_nothing_more, sizeof *more) == 0;
    c->more = is_nothing ? &tal_nothing_more : room;
    if (!is_nothing) {
        *room = *more;
    }
}

void tal_law_prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                     tal_law_more *room) {
    const tal_law_traits *traits = tal_law_traits_of(law->kind);
    TAL_ASSERT(traits != NULL && traits->prepare != NULL); // model check and detection see to it
    TAL_ASSERT(data->dt > 0.0 && c->w[0] > 0.0);
    const tal_law now = tal_law_now(law, data, c->w[0]);
    tal_law_more more = tal_nothing_more;
    traits->prepare(&now, data, c, &more);
    keep_more(c, &more, room);
}

void tal_law_prepare_inelastic(const tal_law *law, const tal_contact_data *data, tal_contact *c,
                               tal_law_more *room) {
    const tal_law_traits *traits = tal_law_traits_of(law->kind);
    TAL_ASSERT(traits != NULL && traits->prepare_inelastic != NULL);
    const tal_law now = tal_law_now(law, data, c->w[0]);
    tal_law_more more = tal_nothing_more;
    traits->prepare_inelastic(&now, data, c, &more);
    keep_more(c, &more, room);
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

void tal_contact_set_law(tal_contact *c, const tal_local_law *law, tal_law_more *room) {
    const tal_law_more more = {.pull = law->pull,
                               .softness = law->softness,
                               .slack = law->slack,
                               .slide = {law->slide[0], law->slide[1]}};
    c->bound = law->bound;
    c->friction = law->friction;
    c->inverse_normal = 1.0 / c->w[0];
    keep_more(c, &more, room);
}

void tal_contact_hold(tal_contact *c, const double velocity[3], bool tangents, tal_law_more *more) {
    *more = (tal_law_more){.softness = INFINITY,
                           .slack = tangents ? 0.0 : INFINITY,
                           .slide = {-velocity[1], -velocity[2]},
                           .floor = -INFINITY};
    c->bound = velocity[0];
    c->friction = INFINITY;
    c->inverse_normal = 1.0 / c->w[0];
    c->more = more;
}
