// SPDX-License-Identifier: GPL-3.0-or-later
// The laws as numbers of one local problem, its solution and its residual.
#include "solver/law/law.h"

#include "core/base/status.h"

// Relative accuracy to which one visit solves the sliding of a contact, and the most trials for it
// (each either Newton or a halving of the bracket). The last Newton step is kept for the next visit,
// so that sweeps converge to full accuracy although no visit pays for it.
static const double SLIDE_ACCURACY = 1e-4;
enum { SLIDE_TRIALS_MAX = 100 };

// fmax is a call of the mathematical library; this is one instruction.
static inline double larger(double a, double b) {
    return a > b ? a : b;
}

const char *tal_law_name(tal_law_kind kind) {
    static const char *const name[TAL_LAW_KIND_COUNT] = {
        "none", "acd2", "acd2-published", "coulomb", "acd2+coulomb", "penalty", "pass"};
    return kind >= 0 && kind < TAL_LAW_KIND_COUNT ? name[kind] : "unknown";
}

bool tal_law_is_dissipative(tal_law_kind kind, bool impact) {
    return kind == TAL_LAW_ACD2 || (kind == TAL_LAW_ACD2_COULOMB && impact);
}

// Inverse of W + diag(0, slack, slack), symmetric positive definite.
static void invert_sticking(tal_contact *c) {
    const double slack = isinf(c->slack) ? 0.0 : c->slack;
    const double a = c->w[0], b = c->w[1], d = c->w[2], e = c->w[3] + slack, f = c->w[4],
                 g = c->w[5] + slack;
    const double m00 = e * g - f * f, m01 = d * f - b * g, m02 = b * f - d * e;
    const double s = 1.0 / (a * m00 + b * m01 + d * m02);
    c->inverse[0] = m00 * s;
    c->inverse[1] = m01 * s;
    c->inverse[2] = m02 * s;
    c->inverse[3] = (a * g - d * d) * s;
    c->inverse[4] = (b * d - a * f) * s;
    c->inverse[5] = (a * e - b * b) * s;
}

// The bound of the gap: the surfaces may close what is open, no more; a contact that opens already
// is not asked to open faster (docs/theory/solver.md, "Gaps").
static double gap_bound(const tal_contact_data *data) {
    return -fmax(fmax(data->gap, 0.0) / data->dt, data->before[0]);
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
    if (data->ahead > 0.0) { // at the surface, with less than half a step of the way to go
        const double rest = acceleration * fmax(0.5 * data->dt - data->ahead, 0.0);
        const double energy = speed * (speed + 2.0 * (half + acceleration * data->ahead));
        return sqrt(rest * rest + e * e * energy) - rest;
    }
    const double lift = 2.0 * acceleration * fmax(data->gap, 0.0) - half * half;
    const double left = e * e * ((speed + half) * (speed + half) + lift) - lift;
    return left >= half * half ? sqrt(left) - half : e * speed;
}

static void prepare_dry(const tal_contact_data *data, double friction, tal_contact *c) {
    c->bound = gap_bound(data);
    c->pull = 0.0;
    c->softness = INFINITY;
    c->slack = 0.0;
    c->slide[0] = c->slide[1] = 0.0;
    c->friction = friction;
    c->floor = 0.0;
    c->adhesion = data->adhesion;
    c->inverse_normal = 1.0 / c->w[0];
}

// kn on x_N and kt on x_T, x = (d- + d+)/2: 2 x = d + d-, so kn x_N becomes d_N + d_N- over 2/kn.
static void add_dissipation(const tal_contact_data *data, double kn, double kt, tal_contact *c) {
    c->pull = -data->before[0];
    c->softness = kn > 0.0 ? 2.0 / kn : INFINITY;
    c->slack = kt > 0.0 ? 2.0 / kt : INFINITY;
    c->slide[0] = data->before[1];
    c->slide[1] = data->before[2];
}

// kn from the ratio makes a lone contact part with e v - (1 - e) a dt/2. This softness in its place
// makes it part with the velocity wanted; the pull stays -d_N-, so that R.x <= 0.
static void set_rebound(const tal_law *law, const tal_contact_data *data, tal_contact *c) {
    const double e = law->restitution, speed = -data->before[0];
    if (law->dissipation_in_kg || e == 1.0) {
        return;
    }
    const double after = fmin(tal_law_rebound(data, e), speed);
    const double hard = (after + speed - data->pull) / (1.0 + e); // over (v - after)/(1 - e)
    c->softness *= (speed - after) / ((1.0 - e) * hard);
}

static void prepare_acd2(const tal_law *law, const tal_contact_data *data, tal_contact *c) {
    prepare_dry(data, INFINITY, c);
    add_dissipation(data, data->impact ? data->kn : 0.0, data->closing ? data->kt : 0.0, c);
    if (data->impact) {
        set_rebound(law, data, c);
    }
}

static void prepare_published(const tal_contact_data *data, tal_contact *c) {
    prepare_dry(data, INFINITY, c);
    add_dissipation(data, 0.0, data->closing ? data->kt : 0.0, c);
    if (data->closing) {
        c->bound = 0.0;
        c->softness = data->kn > 0.0 ? 2.0 / data->kn : INFINITY;
        c->floor = data->kn > 0.0 ? -INFINITY : 0.0;
    } else {
        c->bound = -fmax(data->gap, 0.0) / data->dt;
    }
}

// Implicit: force -k (gap + dt d_N+) - c d_N+ over dt.
static void prepare_penalty(const tal_contact_data *data, double friction, tal_contact *c) {
    prepare_dry(data, friction, c);
    const double hardness = data->dt * (data->dt * data->stiffness + data->damping);
    c->bound = -INFINITY;
    c->softness = hardness > 0.0 ? 1.0 / hardness : INFINITY;
    c->pull = hardness > 0.0 ? -data->dt * data->stiffness * data->gap / hardness : 0.0;
}

void tal_law_prepare(const tal_law *law, const tal_contact_data *data, tal_contact *c) {
    switch (law->kind) {
    case TAL_LAW_ACD2:
        prepare_acd2(law, data, c);
        break;
    case TAL_LAW_ACD2_PUBLISHED:
        prepare_published(data, c);
        break;
    case TAL_LAW_PENALTY:
        prepare_penalty(data, law->friction, c);
        break;
    case TAL_LAW_COULOMB:
        prepare_dry(data, law->friction, c);
        if (data->impact) {
            c->bound = tal_law_rebound(data, law->restitution);
        }
        break;
    case TAL_LAW_ACD2_COULOMB:
        prepare_dry(data, law->friction, c);
        if (data->impact) {
            add_dissipation(data, data->kn, data->kt, c);
            set_rebound(law, data, c);
        }
        break;
    case TAL_LAW_NONE:
    case TAL_LAW_PASS:
    case TAL_LAW_KIND_COUNT:
        TAL_ASSERT(law->kind == TAL_LAW_COULOMB); // model check and detection let no other through
    }
    invert_sticking(c);
}

void tal_law_prepare_inelastic(const tal_law *law, const tal_contact_data *data, tal_contact *c) {
    if (law->kind == TAL_LAW_PENALTY) { // stays the spring it is
        tal_law_prepare(law, data, c);
        return;
    }
    const bool has_cone = law->kind == TAL_LAW_COULOMB || law->kind == TAL_LAW_ACD2_COULOMB;
    prepare_dry(data, has_cone ? law->friction : 0.0, c);
    invert_sticking(c);
}

// The percussion for a given lambda: tangential part eliminated, the larger normal branch counts.
typedef struct {
    double normal, tangent[2];
    double tangent_length;
    double rise; // d(friction R_N / |R_T|) / d lambda
} trial;

static double normal_branches(const tal_contact *c, double q_normal, double turn, double loss) {
    const double rigid = (c->bound - q_normal + turn) / (c->w[0] - loss);
    const double compliant = c->softness == INFINITY
                                 ? c->floor
                                 : (c->pull - q_normal + turn) / (c->w[0] + c->softness - loss);
    return larger(c->floor, larger(rigid, compliant));
}

static trial trial_at(const tal_contact *c, const double q[3], double lambda) {
    const double m11 = c->w[3] + lambda, m12 = c->w[4], m22 = c->w[5] + lambda;
    const double s = 1.0 / (m11 * m22 - m12 * m12);
    const double a11 = m22 * s, a12 = -m12 * s, a22 = m11 * s;
    const double t1 = q[1] + c->slide[0], t2 = q[2] + c->slide[1];
    const double v1 = a11 * c->w[1] + a12 * c->w[2], v2 = a12 * c->w[1] + a22 * c->w[2];
    const double turn = v1 * t1 + v2 * t2, loss = v1 * c->w[1] + v2 * c->w[2];
    const double normal = normal_branches(c, q[0], turn, loss);
    const double r1 = -(a11 * t1 + a12 * t2) - v1 * normal;
    const double r2 = -(a12 * t1 + a22 * t2) - v2 * normal;
    const double length = sqrt(r1 * r1 + r2 * r2);

    // derivatives: A' = -A A, R_T' = -A R_T - v R_N'
    const bool soft = isfinite(c->softness) &&
                      normal * (c->w[0] - loss) > (c->bound - q[0] + turn) * (1.0 + 1e-14);
    const double stiffness = c->w[0] + (soft ? c->softness : 0.0) - loss;
    const double vt = v1 * (a11 * t1 + a12 * t2) + v2 * (a12 * t1 + a22 * t2);
    const double normal_rise =
        normal > 0.0 ? -(vt + (v1 * v1 + v2 * v2) * normal) / stiffness : 0.0;
    const double p1 = -(a11 * r1 + a12 * r2) - v1 * normal_rise;
    const double p2 = -(a12 * r1 + a22 * r2) - v2 * normal_rise;
    const double length_rise = length > 0.0 ? (r1 * p1 + r2 * p2) / length : 0.0;
    const double rise =
        length > 0.0 ? c->friction * (normal_rise - normal * length_rise / length) / length : 0.0;
    return (trial){normal, {r1, r2}, length, rise};
}

// The search for the lambda at which |R_T| = friction R_N, common to both forms of a contact. The
// ratio friction R_N / |R_T| is nearly linear in lambda (a secular equation), so Newton needs one to
// three trials; the bracket makes it safe.
typedef struct {
    double low, high, lambda, lambda_next;
    bool done;
} slide_search;

static slide_search search_begin(const tal_contact *c) {
    const double lambda = larger(c->lambda, c->slack);
    return (slide_search){.low = c->slack, .high = INFINITY, .lambda = lambda};
}

// `excess` = friction R_N / |R_T| - 1 at the present lambda, `rise` its derivative.
static inline void search_advance(slide_search *search, double excess, double rise, double unit) {
    if (excess < 0.0) {
        search->low = search->lambda;
    } else {
        search->high = search->lambda;
    }
    double next = search->lambda - excess / rise;
    if (!(next >= search->low && next <= search->high)) { // also NaN and infinity
        next =
            search->high < INFINITY ? 0.5 * (search->low + search->high) : 2.0 * search->low + unit;
    }
    search->done = fabs(excess) <= SLIDE_ACCURACY || next == search->lambda;
    search->lambda_next = next;
}

static trial find_slide(tal_contact *c, const double q[3]) {
    slide_search search = search_begin(c);
    trial at = trial_at(c, q, search.lambda);
    for (int n = 0; n < SLIDE_TRIALS_MAX; n++) {
        const double excess =
            at.tangent_length > 0.0 ? c->friction * at.normal / at.tangent_length - 1.0 : INFINITY;
        search_advance(&search, excess, at.rise, c->w[3] + c->w[5]);
        if (search.done) {
            break;
        }
        search.lambda = search.lambda_next;
        at = trial_at(c, q, search.lambda);
    }
    c->lambda = search.lambda_next;
    return at;
}

// Sliding of a rigid contact: R_N = (bound - q_N - W_NT R_T)/W_NN eliminated first, which leaves
// (S + lambda) R_T = -(q_T + W_TN (bound - q_N)/W_NN) with the Schur complement S.
static void slide_rigid(tal_contact *c, const double q[3], double percussion[3]) {
    const double n1 = c->w[1] * c->inverse_normal, n2 = c->w[2] * c->inverse_normal;
    const double s11 = c->w[3] - n1 * c->w[1], s12 = c->w[4] - n1 * c->w[2];
    const double s22 = c->w[5] - n2 * c->w[2];
    const double push = c->bound - q[0], base = push * c->inverse_normal;
    const double b1 = -(q[1] + c->slide[0] + n1 * push), b2 = -(q[2] + c->slide[1] + n2 * push);
    slide_search search = search_begin(c);
    double normal = 0.0, r1 = 0.0, r2 = 0.0, ratio = 0.0;
    for (int n = 0; n < SLIDE_TRIALS_MAX; n++) {
        const double m11 = s11 + search.lambda, m22 = s22 + search.lambda;
        const double inverse = 1.0 / (m11 * m22 - s12 * s12);
        r1 = (m22 * b1 - s12 * b2) * inverse;
        r2 = (m11 * b2 - s12 * b1) * inverse;
        normal = base - n1 * r1 - n2 * r2;
        const double p1 = -(m22 * r1 - s12 * r2) * inverse; // dR_T / d lambda
        const double p2 = -(m11 * r2 - s12 * r1) * inverse;
        const double per_length = 1.0 / sqrt(r1 * r1 + r2 * r2);
        ratio = c->friction * normal * per_length;
        const double rise = -per_length * (c->friction * (n1 * p1 + n2 * p2) +
                                           ratio * per_length * (r1 * p1 + r2 * p2));
        search_advance(&search, ratio - 1.0, rise, c->w[3] + c->w[5]);
        if (search.done) {
            break;
        }
        search.lambda = search.lambda_next;
    }
    c->lambda = search.lambda_next;
    percussion[0] = larger(normal, 0.0);
    percussion[1] = normal > 0.0 ? r1 * ratio : 0.0;
    percussion[2] = normal > 0.0 ? r2 * ratio : 0.0;
}

static void solve_frictionless(const tal_contact *c, const double q[3], double percussion[3]) {
    percussion[0] = normal_branches(c, q[0], 0.0, 0.0);
    percussion[1] = percussion[2] = 0.0;
}

// The common case, a rigid contact that holds: one product with the stored inverse.
static bool solve_sticking(const tal_contact *c, const double q[3], double percussion[3]) {
    const double b0 = c->bound - q[0], b1 = -(q[1] + c->slide[0]), b2 = -(q[2] + c->slide[1]);
    const double *m = c->inverse;
    const double r0 = m[0] * b0 + m[1] * b1 + m[2] * b2;
    const double r1 = m[1] * b0 + m[3] * b1 + m[4] * b2;
    const double r2 = m[2] * b0 + m[4] * b1 + m[5] * b2;
    const double radius = c->friction * r0;
    if (r0 < 0.0 || r1 * r1 + r2 * r2 > radius * radius) {
        return false;
    }
    percussion[0] = r0;
    percussion[1] = r1;
    percussion[2] = r2;
    return true;
}

static void solve_with_cone(tal_contact *c, const double q[3], double percussion[3]) {
    const bool pushed = c->bound > q[0] || (c->softness < INFINITY && c->pull > q[0]);
    if (!pushed) {
        percussion[0] = percussion[1] = percussion[2] = 0.0;
        return;
    }
    if (c->softness == INFINITY) {
        if (!solve_sticking(c, q, percussion)) {
            slide_rigid(c, q, percussion);
        }
        return;
    }
    trial at = trial_at(c, q, c->slack);
    if (at.tangent_length > c->friction * at.normal) {
        at = find_slide(c, q);
        const double scale =
            at.tangent_length > 0.0 ? c->friction * at.normal / at.tangent_length : 0.0;
        at.tangent[0] *= scale;
        at.tangent[1] *= scale;
    }
    percussion[0] = at.normal;
    percussion[1] = at.tangent[0];
    percussion[2] = at.tangent[1];
}

static void solve_without_adhesion(tal_contact *c, const double q[3], double percussion[3]) {
    if (c->slack == INFINITY || c->friction == 0.0) {
        solve_frictionless(c, q, percussion);
    } else if (c->friction == INFINITY) {
        const trial at = trial_at(c, q, c->slack);
        percussion[0] = at.normal;
        percussion[1] = at.tangent[0];
        percussion[2] = at.tangent[1];
    } else {
        solve_with_cone(c, q, percussion);
    }
}

// Adhesion A shifts the cone: R_N + A obeys the law without adhesion (Mohr-Coulomb with tension).
void tal_law_solve(tal_contact *c, const double q[3], double percussion[3]) {
    if (c->adhesion > 0.0) {
        const double shifted[3] = {q[0] - c->w[0] * c->adhesion, q[1] - c->w[1] * c->adhesion,
                                   q[2] - c->w[2] * c->adhesion};
        solve_without_adhesion(c, shifted, percussion);
        percussion[0] -= c->adhesion;
    } else {
        solve_without_adhesion(c, q, percussion);
    }
}

// Projection on the cone |y_T| <= mu y_N.
static void project_on_cone(double mu, double y[3]) {
    const double length = sqrt(y[1] * y[1] + y[2] * y[2]);
    if (length <= mu * y[0]) {
        return;
    }
    if (mu * length <= -y[0]) {
        y[0] = y[1] = y[2] = 0.0;
        return;
    }
    const double normal = (y[0] + mu * length) / (1.0 + mu * mu);
    const double scale = mu * normal / length;
    y[0] = normal;
    y[1] *= scale;
    y[2] *= scale;
}

// De Saxce's form of dry friction: R - P_K(R - rho (d_N - bound + mu |d_T|, d_T)).
static void residual_dry(const tal_contact *c, const double r[3], const double d[3], double rho,
                         double residual[3]) {
    const double sliding = sqrt(d[1] * d[1] + d[2] * d[2]);
    double y[3] = {r[0] - rho * (d[0] - c->bound + c->friction * sliding), r[1] - rho * d[1],
                   r[2] - rho * d[2]};
    project_on_cone(c->friction, y);
    for (int k = 0; k < 3; k++) {
        residual[k] = r[k] - y[k];
    }
}

// Proximal form of the general law: both vanish at solutions only.
static void residual_general(const tal_contact *c, const double r[3], const double d[3], double rho,
                             double residual[3]) {
    double normal = fmax(c->floor, r[0] + rho * (c->bound - d[0]));
    if (isfinite(c->softness)) {
        normal = fmax(normal, (r[0] + rho * (c->pull - d[0])) / (1.0 + rho * c->softness));
    }
    residual[0] = r[0] - normal;
    if (isinf(c->slack)) {
        residual[1] = r[1];
        residual[2] = r[2];
        return;
    }
    const double s = 1.0 / (1.0 + rho * c->slack);
    const double t1 = (r[1] - rho * (d[1] + c->slide[0])) * s;
    const double t2 = (r[2] - rho * (d[2] + c->slide[1])) * s;
    const double length = sqrt(t1 * t1 + t2 * t2);
    const double radius = isinf(c->friction) ? INFINITY : c->friction * fmax(r[0], 0.0);
    const double cut = length > radius ? radius / length : 1.0;
    residual[1] = r[1] - t1 * cut;
    residual[2] = r[2] - t2 * cut;
}

void tal_law_residual(const tal_contact *c, const double d[3], double rho, double residual[3]) {
    const double r[3] = {c->percussion[0] + c->adhesion, c->percussion[1], c->percussion[2]};
    const bool dry = isinf(c->softness) && c->slack == 0.0 && isfinite(c->friction);
    if (dry) {
        residual_dry(c, r, d, rho, residual);
    } else {
        residual_general(c, r, d, rho, residual);
    }
}
