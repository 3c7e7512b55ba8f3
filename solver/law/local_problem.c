// SPDX-License-Identifier: GPL-3.0-or-later
// The local problem of a contact: its solution and its residual, whatever law its numbers come from.
#include "solver/law/law.h"
#include "solver/law/slide.h"

// fmax is a call of the mathematical library; this is one instruction.
static inline double larger(double a, double b) {
    return a > b ? a : b;
}

// The percussion for a given lambda: tangential part eliminated, the larger normal branch counts.
typedef struct {
    double normal, tangent[2];
    double tangent_length;
    double rise; // d(friction R_N / |R_T|) / d lambda
} trial;

static double normal_branches(const tal_contact *c, double q_normal, double turn, double loss) {
    const double rigid = (c->bound - q_normal + turn) / (c->w[0] - loss);
    const double compliant =
        c->more->softness == INFINITY
            ? c->more->floor
            : (c->more->pull - q_normal + turn) / (c->w[0] + c->more->softness - loss);
    return larger(c->more->floor, larger(rigid, compliant));
}

static trial trial_at(const tal_contact *c, const double q[3], double lambda) {
    const double m11 = c->w[3] + lambda, m12 = c->w[4], m22 = c->w[5] + lambda;
    const double s = 1.0 / (m11 * m22 - m12 * m12);
    const double a11 = m22 * s, a12 = -m12 * s, a22 = m11 * s;
    const double t1 = q[1] + c->more->slide[0], t2 = q[2] + c->more->slide[1];
    const double v1 = a11 * c->w[1] + a12 * c->w[2], v2 = a12 * c->w[1] + a22 * c->w[2];
    const double turn = v1 * t1 + v2 * t2, loss = v1 * c->w[1] + v2 * c->w[2];
    const double normal = normal_branches(c, q[0], turn, loss);
    const double r1 = -(a11 * t1 + a12 * t2) - v1 * normal;
    const double r2 = -(a12 * t1 + a22 * t2) - v2 * normal;
    const double length = sqrt(r1 * r1 + r2 * r2);

    // derivatives: A' = -A A, R_T' = -A R_T - v R_N'
    const bool soft = isfinite(c->more->softness) &&
                      normal * (c->w[0] - loss) > (c->bound - q[0] + turn) * (1.0 + 1e-14);
    const double stiffness = c->w[0] + (soft ? c->more->softness : 0.0) - loss;
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
    const double lambda = larger(c->lambda, c->more->slack);
    return (slide_search){.low = c->more->slack, .high = INFINITY, .lambda = lambda};
}

// Newton may go no further at once where nothing is known to be too far: determinants have squares of lambda.
static const double FAR = 1e30;

// `excess` has the sign of friction R_N / |R_T| - 1 at the present lambda, which is found where it is at most
// `enough`; `per_rise` is what Newton's step has per excess.
static inline void search_advance(slide_search *search, double excess, double per_rise,
                                  double enough, double unit) {
    if (excess < 0.0) {
        search->low = search->lambda;
    } else {
        search->high = search->lambda;
    }
    const bool is_bounded = search->high < INFINITY;
    const double further = 2.0 * search->low + unit,
                 most = is_bounded ? search->high : FAR * further;
    double next = search->lambda - excess * per_rise;
    if (!(next >= search->low && next <= most)) { // also NaN and infinity
        next = is_bounded ? 0.5 * (search->low + search->high) : further;
    }
    search->done = fabs(excess) <= enough || next == search->lambda;
    search->lambda_next = next;
}

static trial find_slide(tal_contact *c, const double q[3]) {
    slide_search search = search_begin(c);
    trial at = trial_at(c, q, search.lambda);
    for (int n = 0; n < TAL_SLIDE_TRIALS_MAX; n++) {
        const double excess =
            at.tangent_length > 0.0 ? c->friction * at.normal / at.tangent_length - 1.0 : INFINITY;
        search_advance(&search, excess, 1.0 / at.rise, TAL_SLIDE_ACCURACY, c->w[3] + c->w[5]);
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
// (S + lambda) R_T = -(q_T + W_TN (bound - q_N)/W_NN) with the Schur complement S. All of it is multiplied by the
// determinant of S + lambda, so that a trial needs one root and one division, neither waiting for the other.
static void slide_rigid(tal_contact *c, const double q[3], double percussion[3]) {
    const double n1 = c->w[1] * c->inverse_normal, n2 = c->w[2] * c->inverse_normal;
    const double s11 = c->w[3] - n1 * c->w[1], s12 = c->w[4] - n1 * c->w[2];
    const double s22 = c->w[5] - n2 * c->w[2];
    const double push = c->bound - q[0], base = push * c->inverse_normal;
    const double b1 = -(q[1] + c->more->slide[0] + n1 * push),
                 b2 = -(q[2] + c->more->slide[1] + n2 * push);
    const double turn = n1 * b1 + n2 * b2;
    slide_search search = search_begin(c);
    double normal = 0.0, r1 = 0.0, r2 = 0.0, determinant = 0.0, length = 0.0;
    for (int n = 0; n < TAL_SLIDE_TRIALS_MAX; n++) {
        const double m11 = s11 + search.lambda, m22 = s22 + search.lambda;
        determinant = m11 * m22 - s12 * s12;
        r1 = m22 * b1 - s12 * b2;
        r2 = m11 * b2 - s12 * b1;
        normal = base * determinant - (n1 * r1 + n2 * r2);
        const double square = r1 * r1 + r2 * r2;
        length = sqrt(square);
        const double normal_rise = base * (m11 + m22) - turn;
        const double rise =
            c->friction * (normal_rise * square - normal * (r1 * b1 + r2 * b2)); // times length^3
        const double excess = c->friction * normal - length;                     // times length
        search_advance(&search, excess, square / rise, TAL_SLIDE_ACCURACY * length,
                       c->w[3] + c->w[5]);
        if (search.done) {
            break;
        }
        search.lambda = search.lambda_next;
    }
    const double inverse = 1.0 / (determinant * length);
    const double along = c->friction * normal * inverse;
    c->lambda = search.lambda_next;
    percussion[0] = normal > 0.0 ? normal * length * inverse : 0.0;
    percussion[1] = normal > 0.0 ? r1 * along : 0.0;
    percussion[2] = normal > 0.0 ? r2 * along : 0.0;
}

static void solve_frictionless(const tal_contact *c, const double q[3], double percussion[3]) {
    percussion[0] = normal_branches(c, q[0], 0.0, 0.0);
    percussion[1] = percussion[2] = 0.0;
}

// The common case, a rigid contact that holds: one product with the inverse.
static bool solve_sticking(const tal_contact *c, const double q[3], double percussion[3]) {
    const double b0 = c->bound - q[0], b1 = -(q[1] + c->more->slide[0]),
                 b2 = -(q[2] + c->more->slide[1]);
    double m[6];
    tal_sticking_inverse(c, m);
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
    const bool pushed = c->bound - q[0] > TAL_PUSH_NOTHING ||
                        (c->more->softness < INFINITY && c->more->pull > q[0]);
    if (!pushed) {
        percussion[0] = percussion[1] = percussion[2] = 0.0;
        return;
    }
    if (c->more->softness == INFINITY) {
        if (!solve_sticking(c, q, percussion)) {
            slide_rigid(c, q, percussion);
        }
        return;
    }
    trial at = trial_at(c, q, c->more->slack);
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
    if (c->more->slack == INFINITY || c->friction == 0.0) {
        solve_frictionless(c, q, percussion);
    } else if (c->friction == INFINITY) {
        const trial at = trial_at(c, q, c->more->slack);
        percussion[0] = at.normal;
        percussion[1] = at.tangent[0];
        percussion[2] = at.tangent[1];
    } else {
        solve_with_cone(c, q, percussion);
    }
}

// Adhesion A shifts the cone: R_N + A obeys the law without adhesion (Mohr-Coulomb with tension).
void tal_law_solve(tal_contact *c, const double q[3], double percussion[3]) {
    if (c->more->adhesion > 0.0) {
        const double shifted[3] = {q[0] - c->w[0] * c->more->adhesion,
                                   q[1] - c->w[1] * c->more->adhesion,
                                   q[2] - c->w[2] * c->more->adhesion};
        solve_without_adhesion(c, shifted, percussion);
        percussion[0] -= c->more->adhesion;
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
    double normal = fmax(c->more->floor, r[0] + rho * (c->bound - d[0]));
    if (isfinite(c->more->softness)) {
        normal =
            fmax(normal, (r[0] + rho * (c->more->pull - d[0])) / (1.0 + rho * c->more->softness));
    }
    residual[0] = r[0] - normal;
    if (isinf(c->more->slack)) {
        residual[1] = r[1];
        residual[2] = r[2];
        return;
    }
    const double s = 1.0 / (1.0 + rho * c->more->slack);
    const double t1 = (r[1] - rho * (d[1] + c->more->slide[0])) * s;
    const double t2 = (r[2] - rho * (d[2] + c->more->slide[1])) * s;
    const double length = sqrt(t1 * t1 + t2 * t2);
    const double radius = isinf(c->friction) ? INFINITY : c->friction * fmax(r[0], 0.0);
    const double cut = length > radius ? radius / length : 1.0;
    residual[1] = r[1] - t1 * cut;
    residual[2] = r[2] - t2 * cut;
}

void tal_law_residual(const tal_contact *c, const double d[3], double rho, double residual[3]) {
    const double r[3] = {c->percussion[0] + c->more->adhesion, c->percussion[1], c->percussion[2]};
    const bool dry = isinf(c->more->softness) && c->more->slack == 0.0 && isfinite(c->friction);
    if (dry) {
        residual_dry(c, r, d, rho, residual);
    } else {
        residual_general(c, r, d, rho, residual);
    }
}
