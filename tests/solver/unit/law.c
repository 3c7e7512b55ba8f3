// SPDX-License-Identifier: GPL-3.0-or-later
// One contact, any effective mass, any velocity: what the solver returns is put into the law as the
// theory states it (docs/theory/solver.md, "Laws"), not into the numbers the law was prepared as.
#include "solver/law/law.h"
#include "core/base/random.h"
#include "solver/step/model.h"
#include "tests/support/check.h"

#include <string.h>

enum { PROBLEMS = 2000, VISITS = 60 };

typedef struct {
    tal_law law;
    tal_contact_data data;
    tal_contact contact;
    tal_law_more more;
    double q[3];
    double r[3], d[3]; // percussion and velocity of the solution
} problem;

typedef struct {
    tal_random random;
    uint64_t draw;
} dice;

static double uniform(dice *from, double low, double high) {
    return low + (high - low) * tal_random_uniform(from->random, from->draw++);
}

static void make_problem(problem *p, tal_law_kind kind, uint32_t number) {
    dice from = {.random = tal_random_stream(77, number, "tests/law")};
    double b[3][3];
    for (int k = 0; k < 9; k++) {
        b[k / 3][k % 3] = uniform(&from, -0.5, 0.5) + (k % 4 == 0 ? 1.0 : 0.0);
    }
    *p = (problem){
        .law = {.kind = kind, .friction = uniform(&from, 0.1, 0.8), .dissipation_in_kg = true}};
    // Whatever was there before is not to be used.
    p->contact = (tal_contact){.bound = NAN, .friction = NAN};
    p->more = (tal_law_more){NAN, NAN, NAN, {NAN, NAN}, NAN, NAN};
    for (int k = 0, i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            p->contact.w[k++] = b[i][0] * b[j][0] + b[i][1] * b[j][1] + b[i][2] * b[j][2];
        }
    }
    for (int k = 0; k < 3; k++) {
        p->data.before[k] = uniform(&from, -2.0, 1.0);
        p->q[k] = p->data.before[k] + uniform(&from, -1.0, 0.2);
    }
    p->law.restitution = uniform(&from, 0.0, 1.0);
    p->data.dt = 0.01;
    p->data.gap = uniform(&from, -0.01, 0.02);
    p->data.kn = uniform(&from, 0.5, 8.0);
    p->data.kt = uniform(&from, 0.2, 4.0);
    p->data.stiffness = uniform(&from, 100.0, 5000.0);
    p->data.damping = uniform(&from, 1.0, 50.0);
    p->data.closing = uniform(&from, 0.0, 1.0) < 0.8;
    p->data.impact = p->data.closing && uniform(&from, 0.0, 1.0) < 0.7;
}

static void velocity_of(problem *p) {
    const double *w = p->contact.w, *r = p->r;
    p->d[0] = p->q[0] + w[0] * r[0] + w[1] * r[1] + w[2] * r[2];
    p->d[1] = p->q[1] + w[1] * r[0] + w[3] * r[1] + w[4] * r[2];
    p->d[2] = p->q[2] + w[2] * r[0] + w[4] * r[1] + w[5] * r[2];
}

// Visited as sweeps do: each visit begins where the last one left off.
static void visit(problem *p, int visits) {
    for (int n = 0; n < visits; n++) {
        tal_law_solve(&p->contact, p->q, p->r);
    }
    velocity_of(p);
}

static void solve(problem *p) {
    tal_law_prepare(&p->law, &p->data, &p->contact, &p->more);
    visit(p, VISITS);
}

static double bound_of_gap(const problem *p) {
    return -fmax(fmax(p->data.gap, 0.0) / p->data.dt, p->data.before[0]);
}

static double mean(const problem *p, int k) {
    return 0.5 * (p->d[k] + p->data.before[k]);
}

// r >= 0, d_N+ >= bound, one of them equal.
static void check_complementary(double r, double above) {
    assert_true(r >= -1e-9);
    assert_true(above >= -1e-9);
    check_near(r * above, 0.0, 1e-8);
}

// |R_T| <= mu N; below it nothing slides, on it R_T is opposed to the velocity `slide`.
static void check_cone(const problem *p, double mu, double normal, const double slide[2]) {
    const double along = hypot(p->r[1], p->r[2]), speed = hypot(slide[0], slide[1]);
    assert_true(along <= mu * normal * (1.0 + 1e-9) + 1e-12);
    check_near(along * slide[0], -speed * p->r[1], 1e-6 * (1.0 + speed));
    check_near(along * slide[1], -speed * p->r[2], 1e-6 * (1.0 + speed));
    if (along < mu * normal * (1.0 - 1e-6)) {
        check_near(speed, 0.0, 1e-6);
    }
}

static void check_residual_vanishes(problem *p) {
    double residual[3];
    memcpy(p->contact.percussion, p->r, sizeof p->r);
    tal_law_residual(&p->contact, p->d, 0.3, residual);
    for (int k = 0; k < 3; k++) {
        check_near(residual[k], 0.0, 1e-6);
    }
}

// R_N = r + kn max(0, -x_N) with kn at impacts, R_T = -kt x_T at closing contacts.
static void acd2_is_solved_as_stated(void **unused) {
    (void)unused;
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p;
        make_problem(&p, TAL_LAW_ACD2, n);
        p.data.kn = n % 7 == 0 ? 0.0 : p.data.kn;
        p.data.kt = n % 5 == 0 ? 0.0 : p.data.kt;
        solve(&p);
        const double kn = p.data.impact ? p.data.kn : 0.0, kt = p.data.closing ? p.data.kt : 0.0;
        check_complementary(p.r[0] - kn * fmax(0.0, -mean(&p, 0)), p.d[0] - bound_of_gap(&p));
        check_near(p.r[1], -kt * mean(&p, 1), 1e-9);
        check_near(p.r[2], -kt * mean(&p, 2), 1e-9);
        check_residual_vanishes(&p);
    }
}

// As printed: R_N = r - kn x_N and d_N+ >= 0 at closing contacts, so that a contact may also pull.
static void published_acd2_is_solved_as_printed(void **unused) {
    (void)unused;
    int pulls = 0;
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p;
        make_problem(&p, TAL_LAW_ACD2_PUBLISHED, n);
        p.data.kn = n % 7 == 0 ? 0.0 : p.data.kn;
        p.q[0] += n % 3 == 0 ? 4.0 : 0.0; // another blow opens it
        solve(&p);
        const double kn = p.data.closing ? p.data.kn : 0.0, kt = p.data.closing ? p.data.kt : 0.0;
        const double least = p.data.closing ? 0.0 : -fmax(p.data.gap, 0.0) / p.data.dt;
        check_complementary(p.r[0] + kn * mean(&p, 0), p.d[0] - least);
        check_near(p.r[1], -kt * mean(&p, 1), 1e-9);
        check_near(p.r[2], -kt * mean(&p, 2), 1e-9);
        check_residual_vanishes(&p);
        pulls += p.r[0] < -0.1;
    }
    assert_true(pulls > PROBLEMS / 10);
}

static void check_dry(const problem *p, double bound, double adhesion) {
    check_complementary(p->r[0] + adhesion, p->d[0] - bound);
    check_cone(p, p->law.friction, p->r[0] + adhesion, &p->d[1]);
}

static void coulomb_is_solved_as_stated(void **unused) {
    (void)unused;
    int slides = 0, sticks = 0;
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p;
        make_problem(&p, TAL_LAW_COULOMB, n);
        p.data.adhesion = n % 2 ? 0.5 : 0.0;
        solve(&p);
        const double rebound = -p.law.restitution * p.data.before[0];
        check_dry(&p, p.data.impact ? rebound : bound_of_gap(&p), p.data.adhesion);
        check_residual_vanishes(&p);
        const bool carries = p.r[0] + p.data.adhesion > 1e-6;
        slides += carries && hypot(p.d[1], p.d[2]) > 1e-3;
        sticks += carries && hypot(p.d[1], p.d[2]) < 1e-9;
    }
    assert_true(slides > PROBLEMS / 20 && sticks > PROBLEMS / 20);
}

// Where mu |W_NT| > W_NN a contact that is pushed shut may open by its own friction (Painleve): what is
// returned obeys the law all the same.
static void strong_coupling_is_solved_as_stated(void **unused) {
    (void)unused;
    int open = 0;
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p;
        make_problem(&p, TAL_LAW_COULOMB, n);
        p.law.friction = 3.0;
        solve(&p);
        const double *w = p.contact.w;
        if (p.law.friction * hypot(w[1], w[2]) < w[0]) {
            continue;
        }
        if (p.r[0] <= 0.0) {
            check_near(p.r[0], 0.0, 0.0);
            check_near(hypot(p.r[1], p.r[2]), 0.0, 0.0);
            open++;
        }
    }
    assert_true(open > 10);
}

static void a_surface_without_friction_gives_no_tangential_percussion(void **unused) {
    (void)unused;
    problem p;
    make_problem(&p, TAL_LAW_COULOMB, 3);
    p.law.friction = 0.0;
    p.data.closing = p.data.impact = true;
    p.data.before[0] = p.q[0] = -1.0;
    solve(&p);
    check_near(p.d[0], p.law.restitution, 1e-12);
    check_near(hypot(p.r[1], p.r[2]), 0.0, 0.0);
}

// At impacts the normal law of acd2, and -kt x_T cut at the cone; dry friction elsewhere.
static void mixed_law_is_solved_as_stated(void **unused) {
    (void)unused;
    int cuts = 0, whole = 0;
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p;
        make_problem(&p, TAL_LAW_ACD2_COULOMB, n);
        p.data.pull = -0.1; // kn in kg is what it is, whatever pulls
        solve(&p);
        if (!p.data.impact) {
            check_dry(&p, bound_of_gap(&p), 0.0);
            check_residual_vanishes(&p);
            continue;
        }
        check_complementary(p.r[0] - p.data.kn * fmax(0.0, -mean(&p, 0)),
                            p.d[0] - bound_of_gap(&p));
        const double x[2] = {mean(&p, 1), mean(&p, 2)}, speed = hypot(x[0], x[1]);
        const double want = fmin(p.data.kt * speed, p.law.friction * p.r[0]);
        check_near(p.r[1], -want * x[0] / speed, 1e-6);
        check_near(p.r[2], -want * x[1] / speed, 1e-6);
        check_residual_vanishes(&p);
        cuts += want < p.data.kt * speed - 1e-3 && p.r[0] > 0.0;
        whole += want == p.data.kt * speed;
    }
    assert_true(cuts > PROBLEMS / 20 && whole > PROBLEMS / 20);
}

// R_N = max(0, -dt (k (gap + dt d_N+) + c d_N+)), dry friction.
static void penalty_is_solved_as_stated(void **unused) {
    (void)unused;
    int pushes = 0;
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p;
        make_problem(&p, TAL_LAW_PENALTY, n);
        solve(&p);
        const double dt = p.data.dt;
        const double force =
            -(p.data.stiffness * (p.data.gap + dt * p.d[0])) - p.data.damping * p.d[0];
        check_near(p.r[0], fmax(0.0, dt * force), 1e-8);
        check_cone(&p, p.law.friction, p.r[0], &p.d[1]);
        check_residual_vanishes(&p);
        pushes += p.r[0] > 0.01;
    }
    assert_true(pushes > PROBLEMS / 10);
    problem none;
    make_problem(&none, TAL_LAW_PENALTY, 0);
    none.data.stiffness = none.data.damping = 0.0; // a spring that is none
    solve(&none);
    check_near(none.r[0], 0.0, 0.0);
}

// The form for the energy guard: e = kn = kt = 0. Friction stays where the law has a cone; a spring
// stays what it is.
static void the_inelastic_form_neither_rebounds_nor_dissipates_by_kn(void **unused) {
    (void)unused;
    static const tal_law_kind kinds[] = {TAL_LAW_ACD2, TAL_LAW_ACD2_PUBLISHED, TAL_LAW_COULOMB,
                                         TAL_LAW_ACD2_COULOMB, TAL_LAW_PENALTY};
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p, spring;
        make_problem(&p, kinds[n % 5], n);
        spring = p;
        tal_law_prepare_inelastic(&p.law, &p.data, &p.contact, &p.more);
        visit(&p, VISITS);
        if (p.law.kind == TAL_LAW_PENALTY) {
            solve(&spring);
            assert_memory_equal(p.r, spring.r, sizeof p.r);
            continue;
        }
        const bool has_cone = n % 5 == 2 || n % 5 == 3;
        check_complementary(p.r[0], p.d[0] - bound_of_gap(&p));
        check_cone(&p, has_cone ? p.law.friction : 0.0, p.r[0], &p.d[1]);
    }
}

// A visit ends at an accuracy of 1e-4 and hands on the next Newton step, so the lambda of the next
// visit errs by the square: from 1e-3 off to less than 2e-5.
static void one_visit_betters_the_slide_by_a_newton_step(void **unused) {
    (void)unused;
    static const tal_law_kind kinds[] = {TAL_LAW_COULOMB, TAL_LAW_ACD2_COULOMB, TAL_LAW_PENALTY};
    for (int kind = 0; kind < 3; kind++) {
        int slides = 0;
        for (uint32_t n = 0; n < PROBLEMS; n++) {
            problem p;
            make_problem(&p, kinds[kind], n);
            p.data.closing = p.data.impact = kind == 1 || p.data.impact;
            solve(&p);
            const double exact = p.contact.lambda;
            const double slide[2] = {p.d[1] + p.contact.more->slide[0],
                                     p.d[2] + p.contact.more->slide[1]};
            const double along = hypot(p.r[1], p.r[2]);
            if (p.r[0] < 0.05 || hypot(slide[0], slide[1]) < 0.05 ||
                along < p.law.friction * p.r[0] * (1.0 - 1e-9)) {
                continue;
            }
            slides++;
            check_near(exact, hypot(slide[0], slide[1]) / along, 1e-9 * exact);
            p.contact.lambda = exact * (1.0 + 1e-3);
            if (p.contact.lambda < p.contact.more->slack) {
                continue;
            }
            visit(&p, 1);
            check_near(p.contact.lambda, exact, 2e-5 * exact);
        }
        assert_true(slides > PROBLEMS / 50);
    }
}

// R - P_K(y), y = R - rho (d_N - bound + mu |d_T|, d_T). P is the projection on the cone K exactly if
// P lies in K, y - P in its polar cone, and the two are orthogonal.
static void residual_of_dry_friction_is_de_saxces(void **unused) {
    (void)unused;
    int inside = 0, tip = 0, rim = 0;
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p;
        make_problem(&p, TAL_LAW_COULOMB, n);
        p.data.impact = p.data.closing = true;
        tal_law_prepare(&p.law, &p.data, &p.contact, &p.more);
        const double mu = p.law.friction, rho = 0.4;
        const double bound = -p.law.restitution * p.data.before[0];
        dice from = {.random = tal_random_stream(78, n, "tests/law")};
        double y[3], out[3], residual[3];
        for (int k = 0; k < 3; k++) {
            p.contact.percussion[k] = uniform(&from, -1.0, 1.0) + (k == 0 ? 0.8 : 0.0);
            p.d[k] = uniform(&from, -2.0, 2.0);
        }
        tal_law_residual(&p.contact, p.d, rho, residual);
        const double slip[3] = {p.d[0] - bound + mu * hypot(p.d[1], p.d[2]), p.d[1], p.d[2]};
        double product = 0.0;
        for (int k = 0; k < 3; k++) {
            y[k] = p.contact.percussion[k] - rho * slip[k];
            p.r[k] = p.contact.percussion[k] - residual[k];
            out[k] = y[k] - p.r[k];
            product += p.r[k] * out[k];
        }
        assert_true(hypot(p.r[1], p.r[2]) <= mu * p.r[0] + 1e-12);
        assert_true(out[0] + mu * hypot(out[1], out[2]) <= 1e-12);
        check_near(product, 0.0, 1e-12);
        inside += hypot(out[1], out[2]) == 0.0 && out[0] == 0.0;
        tip += p.r[0] == 0.0;
        rim += p.r[0] > 0.0 && hypot(out[1], out[2]) > 0.0;
    }
    assert_true(inside > 50 && tip > 50 && rim > 50);
}

// The proximal point P of the law with kn, kt: P_N = max(0, R_N - rho (d_N - bound),
// R_N - rho (d_N + d_N- + 2 P_N/kn)), P_T = R_T - rho (d_T + d_T- + 2 P_T/kt).
static void residual_of_acd2_is_its_proximal_form(void **unused) {
    (void)unused;
    const double rho = 0.4;
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p;
        double residual[3];
        make_problem(&p, n % 2 ? TAL_LAW_ACD2 : TAL_LAW_ACD2_COULOMB, n);
        p.data.impact = p.data.closing = true;
        tal_law_prepare(&p.law, &p.data, &p.contact, &p.more);
        dice from = {.random = tal_random_stream(79, n, "tests/law")};
        for (int k = 0; k < 3; k++) {
            p.contact.percussion[k] = uniform(&from, -1.0, 1.0) + (k == 0 ? 0.8 : 0.0);
            p.d[k] = uniform(&from, -2.0, 2.0);
        }
        tal_law_residual(&p.contact, p.d, rho, residual);
        const double *r = p.contact.percussion;
        const double rigid = r[0] - rho * (p.d[0] - bound_of_gap(&p));
        const double soft =
            (r[0] - rho * (p.d[0] + p.data.before[0])) / (1.0 + 2.0 * rho / p.data.kn);
        check_near(r[0] - residual[0], fmax(0.0, fmax(rigid, soft)), 1e-12);
        double t[2];
        for (int k = 0; k < 2; k++) {
            t[k] = (r[1 + k] - rho * (p.d[1 + k] + p.data.before[1 + k])) /
                   (1.0 + 2.0 * rho / p.data.kt);
        }
        const double radius = n % 2 ? INFINITY : p.law.friction * fmax(r[0], 0.0);
        const double cut = fmin(1.0, radius / hypot(t[0], t[1]));
        check_near(r[1] - residual[1], t[0] * cut, 1e-12);
        check_near(r[2] - residual[2], t[1] * cut, 1e-12);
    }
}

static bool must_dissipate(tal_law_kind kind, bool at_impact) {
    const tal_contact_data data = {.closing = at_impact, .impact = at_impact};
    return tal_law_acts(tal_law_traits_of(kind)->clausius_duhem, data.closing, data.impact);
}

// Half a step of acceleration before and after: per mass, the energy above the surface after an impact is
// e^2 of that before.
static double energy_above(double speed, double gap, double acceleration, double dt) {
    const double at_gap = speed + 0.5 * acceleration * dt;
    return 0.5 * at_gap * at_gap + acceleration * (gap - acceleration * dt * dt / 8.0);
}

static void a_rebound_leaves_the_square_of_e_of_the_energy(void **unused) {
    (void)unused;
    const double dt = 0.1, g = 10.0, e = 0.6, v = 2.6;
    const double gap[3] = {0.03, 0.0, -0.02}; // what is closed already counts as just closed
    for (int k = 0; k < 3; k++) {
        const tal_contact_data data = {
            .gap = gap[k], .dt = dt, .before = {-v, 0, 0}, .pull = -g * dt};
        const double after = tal_law_rebound(&data, e), above = fmax(gap[k], 0.0);
        check_near(energy_above(after, above, g, dt), e * e * energy_above(v, above, g, dt), 1e-12);
    }
    const tal_contact_data slow = {.gap = 0.03, .dt = dt, .before = {-0.1, 0, 0}, .pull = -g * dt};
    check_near(tal_law_rebound(&slow, e), e * 0.1, 1e-15); // too little to rise that high
    const tal_contact_data pulled_off = {.gap = 0.03, .dt = dt, .before = {-v, 0, 0}, .pull = 0.5};
    check_near(tal_law_rebound(&pulled_off, e), e * v, 1e-15);
}

// Bodies that went on by `ahead` to meet: gravity worked on the way v (dt/2 + ahead) before the impact and
// works on u (dt/2 - ahead) after it, which is less than nothing if the body is ahead by more than half a step.
static void a_rebound_at_the_surface_counts_the_ways_to_and_from_it(void **unused) {
    (void)unused;
    const double dt = 0.1, g = 10.0, e = 0.6, v = 2.6;
    const double ahead[3] = {0.001, 0.02, 0.08};
    for (int k = 0; k < 3; k++) {
        const tal_contact_data data = {
            .dt = dt, .before = {-v, 0, 0}, .pull = -g * dt, .ahead = ahead[k]};
        const double u = tal_law_rebound(&data, e), left = 0.5 * dt - ahead[k];
        check_near(0.5 * u * u + g * u * left,
                   e * e * (0.5 * v * v + g * v * (0.5 * dt + ahead[k])), 1e-12);
    }
}

// kn = 2/W (1 + e)/(1 - e) of a lone contact would miss the rebound by what pulls within the step; the law makes
// up for it. With e = 1 nothing is lost: it parts as fast as it came.
static void a_lone_contact_parts_with_the_rebound_asked_for(void **unused) {
    (void)unused;
    static const double ratio[] = {0.0, 0.3, 0.9, 1.0};
    const double w = 0.4, v = 1.7;
    for (int n = 0; n < 8; n++) {
        const double e = ratio[n % 4], pull = n < 4 ? -0.2 : 0.0;
        problem p = {.law = {.kind = TAL_LAW_ACD2_COULOMB, .restitution = e},
                     .data = {.dt = 0.01,
                              .before = {-v, 0, 0},
                              .pull = pull,
                              .kn = e < 1.0 ? 2.0 / w * (1.0 + e) / (1.0 - e) : INFINITY,
                              .closing = true,
                              .impact = true},
                     .contact = {.w = {w, 0, 0, w, 0, w}},
                     .q = {pull - v, 0, 0}};
        solve(&p);
        check_near(p.d[0], e < 1.0 ? tal_law_rebound(&p.data, e) : v, 1e-12);
    }
}

// What the law `ground` says it is: rolling, scar and plastic at once.
static void the_law_of_grounds_has_all_of_the_three(void **unused) {
    (void)unused;
    const tal_law_traits *ground = tal_law_traits_of(TAL_LAW_GROUND),
                         *rolling = tal_law_traits_of(TAL_LAW_ROLLING),
                         *scar = tal_law_traits_of(TAL_LAW_SCAR),
                         *plastic = tal_law_traits_of(TAL_LAW_PLASTIC);
    assert_true(ground->rolls && rolling->rolls && ground->scars && scar->scars);
    const tal_law law = {.friction = 0.3,
                         .friction_max = 0.9,
                         .scar_growth_per_m = 2.0,
                         .restitution = 0.6,
                         .plastic_energy_j_m2 = 5.0};
    const tal_contact_data data = {.before = {-2.0, 7.0, 8.0}, .scar = 0.4, .radius = 0.5};
    const double pi = acos(-1.0), energy = 0.5 * 2.0 * 2.0 / (0.1 * pi * 0.5 * 0.5);
    check_near(scar->friction(&law, &data), 0.3 + 2.0 / pi * atan(2.0 * 0.4) * (0.9 - 0.3), 1e-15);
    check_near(plastic->restitution(&law, &data, 0.1), 0.6 / (1.0 + energy / 5.0), 1e-15);
    assert_true(ground->friction(&law, &data) == scar->friction(&law, &data));
    assert_true(ground->restitution(&law, &data, 0.1) == plastic->restitution(&law, &data, 0.1));
    assert_true(!rolling->scars && !scar->rolls && !plastic->rolls && !plastic->scars);
    assert_true(ground->has_dry_friction && ground->rebounds && !ground->is_spring);
}

// docs/theory/grounds.md (13), (14): sliding at 5 m/s, and after 0.6 m.
static void friction_weakens_with_speed_and_with_slip(void **unused) {
    (void)unused;
    const tal_law law = {.friction = 0.7,
                         .friction_fast = 0.2,
                         .weakening_speed_mps = 2.0,
                         .friction_worn = 0.1,
                         .weakening_slip_m = 0.3};
    const tal_contact_data data = {.before = {-9.0, 3.0, -4.0}, .pull = 7.0, .slid = 0.6};
    const tal_law_traits *speed = tal_law_traits_of(TAL_LAW_SPEED_WEAKENING),
                         *slip = tal_law_traits_of(TAL_LAW_SLIP_WEAKENING);
    check_near(speed->friction(&law, &data), 0.2 + 0.5 / (1.0 + 5.0 / 2.0), 1e-15);
    check_near(slip->friction(&law, &data), 0.1 + 0.6 * exp(-2.0), 1e-15);
}

// Percussions whose squares are too small for a number, as resting bodies leave them: still none that is not
// one, and within the cone.
static void the_smallest_percussions_are_numbers(void **unused) {
    (void)unused;
    static const double scale[] = {1e-80, 1e-99, 1e-101, 1e-160, 1e-310, 5e-324};
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        problem p;
        make_problem(&p, TAL_LAW_COULOMB, n);
        p.data.gap = 0.0;
        for (int k = 0; k < 3; k++) {
            p.data.before[k] = 0.0;
            p.q[k] *= scale[n % 6];
        }
        solve(&p);
        assert_true(isfinite(p.r[0]) && isfinite(p.r[1]) && isfinite(p.r[2]));
        assert_true(isfinite(p.contact.lambda) && p.r[0] >= 0.0);
        assert_true(hypot(p.r[1], p.r[2]) <= p.law.friction * p.r[0] * (1.0 + 1e-9));
        assert_true(p.d[0] >= -1e-9 * scale[n % 6] - 1e-99);
    }
}

// What batches may solve side by side is a rigid contact with a friction cone, and nothing else.
// Newton's step from far below the slide of a contact that is hardly pushed may be beyond all numbers.
static void a_slide_that_is_hardly_pushed_is_a_number(void **unused) {
    (void)unused;
    for (int digits = 20; digits < 100; digits++) {
        for (uint32_t n = 0; n < 200; n++) {
            problem p;
            dice from = {.random = tal_random_stream(78, n, "tests/law")};
            make_problem(&p, TAL_LAW_COULOMB, n);
            solve(&p);
            p.contact.bound = 0.0;
            p.q[0] = -pow(10.0, -digits);
            p.contact.lambda = pow(10.0, uniform(&from, 0.0, 12.0));
            visit(&p, 3);
            for (int k = 0; k < 3; k++) {
                assert_true(isfinite(p.r[k]));
            }
            assert_true(hypot(p.r[1], p.r[2]) <= 1.001 * p.contact.friction * p.r[0]);
        }
    }
}

static void only_a_rigid_contact_with_a_cone_is_dry(void **unused) {
    (void)unused;
    problem p;
    make_problem(&p, TAL_LAW_COULOMB, 1);
    tal_law_prepare(&p.law, &p.data, &p.contact, &p.more);
    assert_true(tal_is_dry(&p.contact));
    assert_ptr_equal(p.contact.more, &tal_nothing_more); // which all share
    for (int n = 0; n < 8; n++) {
        tal_contact c = p.contact;
        tal_law_more m = tal_nothing_more;
        c.more = &m;
        double *const number[8] = {&m.softness, &m.slack,    &m.slide[0], &m.slide[1],
                                   &c.friction, &c.friction, &m.floor,    &m.adhesion};
        const double other[8] = {1.0, 1.0, 0.1, -0.1, 0.0, INFINITY, -INFINITY, 1.0};
        *number[n] = other[n];
        assert_false(tal_is_dry(&c));
    }
}

// A constraint reaches its velocity whatever it takes; without tangents it leaves those alone.
static void a_held_contact_moves_as_it_is_told(void **unused) {
    (void)unused;
    const double velocity[3] = {0.3, -0.7, 1.1};
    for (uint32_t n = 0; n < 200; n++) {
        problem p;
        make_problem(&p, TAL_LAW_JOINT, n);
        tal_contact_hold(&p.contact, velocity, true, &p.more);
        visit(&p, 1);
        for (int k = 0; k < 3; k++) {
            check_near(p.d[k], velocity[k], 1e-10);
        }
        check_residual_vanishes(&p);
        tal_contact_hold(&p.contact, velocity, false, &p.more);
        visit(&p, VISITS);
        check_near(p.d[0], velocity[0], 1e-10);
        check_near(fabs(p.r[1]) + fabs(p.r[2]), 0.0, 0.0);
        solve(&p); // the law itself: closes the gap within the step and does not slide
        const double closes[3] = {-p.data.gap / p.data.dt, 0.0, 0.0};
        for (int k = 0; k < 3; k++) {
            check_near(p.d[k], closes[k], 1e-10);
        }
    }
}

static void laws_have_names_and_acd2_must_dissipate(void **unused) {
    (void)unused;
    assert_string_equal(tal_law_name(TAL_LAW_NONE), "none");
    assert_string_equal(tal_law_name(TAL_LAW_ACD2_COULOMB), "acd2+coulomb");
    assert_string_equal(tal_law_name(TAL_LAW_PASS), "pass");
    assert_string_equal(tal_law_name((tal_law_kind)99), "none");
    assert_true(must_dissipate(TAL_LAW_ACD2, false));
    assert_true(must_dissipate(TAL_LAW_ACD2_COULOMB, true));
    assert_false(must_dissipate(TAL_LAW_ACD2_COULOMB, false));
    assert_false(must_dissipate(TAL_LAW_COULOMB, true));
    assert_false(must_dissipate(TAL_LAW_ACD2_PUBLISHED, true));
}

// What a number of a law may be. Beyond it there is no rock, and nothing that could be computed with.
static void numbers_of_laws_have_ends(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        size_t place;
        double low, high;
    } numbers[] = {
#define NUMBER(field, low, high) {#field, offsetof(tal_law, field), low, high}
        NUMBER(friction, 0, 100),
        NUMBER(restitution, 0, 1),
        NUMBER(tangential_restitution, -1, 1),
        NUMBER(kn_kg, 0, 1e18),
        NUMBER(kt_kg, 0, 1e18),
        NUMBER(cohesion_pa, 0, 1e12),
        NUMBER(stiffness_n_m, 0, 1e15),
        NUMBER(damping_n_s_m, 0, 1e15),
        NUMBER(rolling_friction, 0, 100),
        NUMBER(friction_max, 0, 100),
        NUMBER(scar_growth_per_m, 0, 1e6),
        NUMBER(scar_decay_per_s, 0, 1e6),
        NUMBER(drag_per_s, 0, 1e3),
        NUMBER(plastic_energy_j_m2, 0, 1e12),
        NUMBER(friction_fast, 0, 100),
        NUMBER(weakening_speed_mps, 0, 1e6),
        NUMBER(friction_worn, 0, 100),
        NUMBER(weakening_slip_m, 0, 1e6),
        NUMBER(turbulence_mps2, 0, 1e9),
#undef NUMBER
    };
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        for (int k = 0; k < 5; k++) {
            const double low = numbers[n].low, high = numbers[n].high;
            const double value[5] = {low, high, low - 1e-9, high * (1.0 + 1e-9), NAN};
            tal_law law = {.kind = TAL_LAW_COULOMB};
            memcpy((char *)&law + numbers[n].place, &value[k], sizeof value[k]);
            if (k < 2) {
                check_ok(tal_model_check_law(0, 1, &law, &check_error));
            } else {
                check_fails(tal_model_check_law(0, 1, &law, &check_error), TAL_BAD_SETTING,
                            numbers[n].name);
            }
        }
    }
}

static void what_a_contact_was_prepared_as_is_handed_on_whole(void **state) {
    (void)state;
    const tal_law_more more = {.pull = 2, .softness = 3, .slack = 4, .slide = {5, 6}};
    const tal_contact c = {.bound = 1, .friction = 7, .more = &more};
    const tal_local_law law = tal_local_law_of(&c);
    const double found[] = {law.bound,    law.pull,     law.softness, law.slack,
                            law.slide[0], law.slide[1], law.friction};
    for (int i = 0; i < 7; i++) {
        check_near(found[i], i + 1.0, 0.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_laws_have_ends),
        cmocka_unit_test(acd2_is_solved_as_stated),
        cmocka_unit_test(published_acd2_is_solved_as_printed),
        cmocka_unit_test(coulomb_is_solved_as_stated),
        cmocka_unit_test(strong_coupling_is_solved_as_stated),
        cmocka_unit_test(a_surface_without_friction_gives_no_tangential_percussion),
        cmocka_unit_test(mixed_law_is_solved_as_stated),
        cmocka_unit_test(penalty_is_solved_as_stated),
        cmocka_unit_test(the_inelastic_form_neither_rebounds_nor_dissipates_by_kn),
        cmocka_unit_test(one_visit_betters_the_slide_by_a_newton_step),
        cmocka_unit_test(residual_of_dry_friction_is_de_saxces),
        cmocka_unit_test(residual_of_acd2_is_its_proximal_form),
        cmocka_unit_test(a_rebound_leaves_the_square_of_e_of_the_energy),
        cmocka_unit_test(a_rebound_at_the_surface_counts_the_ways_to_and_from_it),
        cmocka_unit_test(a_lone_contact_parts_with_the_rebound_asked_for),
        cmocka_unit_test(the_law_of_grounds_has_all_of_the_three),
        cmocka_unit_test(friction_weakens_with_speed_and_with_slip),
        cmocka_unit_test(the_smallest_percussions_are_numbers),
        cmocka_unit_test(a_slide_that_is_hardly_pushed_is_a_number),
        cmocka_unit_test(only_a_rigid_contact_with_a_cone_is_dry),
        cmocka_unit_test(a_held_contact_moves_as_it_is_told),
        cmocka_unit_test(what_a_contact_was_prepared_as_is_handed_on_whole),
        cmocka_unit_test(laws_have_names_and_acd2_must_dissipate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
