// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/finish/interior_point.h"

#include "core/base/memory.h"
#include "solver/finish/cone.h"

#include <string.h>

static const double KEEP_OFF = 0.99; // of the way to the wall
static const double SMOOTHING =
    0.1; // of |z_T|, in units of centre / x_0: 0.1 was the best of 0, 0.1, 1
static const double LEAST_STEP = 0.1; // a shorter one is not worth its factors
static const double HELD_CENTRING = 0.5;
// Where a convex problem is left to the proximal points, in units of its start: at 1e-4 of either a vault
// of five rings took three times the steps, at 1e-12 rounding had begun.
static const double CENTRED = 1e-8, FEASIBLE = 1e-7;
// Added to M in the system, never in the defect, so that it vanishes with the step: where W is singular, only
// S S is left of a pivot, and it becomes smaller than the rounding of M. At 1e-10 a vault of five rings stood
// still at 1e-6, at 1e-8 it is solved; at 1e-6 it stood still again.
static const double PROXIMAL = 1e-8;
enum { HELD_STEPS = 3 };

static tal_status allocate(tal_interior_point *ip, size_t count, tal_error *err) {
    double **triple[] = {&ip->shape,  &ip->x,      &ip->z,        &ip->dx,
                         &ip->dz,     &ip->right,  &ip->unscaled, &ip->defect,
                         &ip->lambda, &ip->target, &ip->square};
    for (size_t i = 0; i < sizeof triple / sizeof triple[0]; i++) {
        TAL_CREATE(*triple[i], 3 * count, "an interior point", err);
    }
    TAL_CREATE(ip->scaling, 9 * count, "an interior point", err);
    TAL_CREATE(ip->inverse, 9 * count, "an interior point", err);
    TAL_CREATE(ip->axes, 9 * count, "an interior point", err);
    TAL_CREATE(ip->own, 9 * count, "an interior point", err);
    TAL_CREATE(ip->slip, count, "an interior point", err);
    TAL_CREATE(ip->turn, 2 * count, "an interior point", err);
    return TAL_OK;
}

// r = shape * x makes the cone of a contact self-dual and its block of M of trace 3. Without friction
// the tangents have no part in anything.
static void set_shape(tal_interior_point *ip, const tal_finish_work *work, int32_t k) {
    const double *own = &work->scaled.w.value[9 * tal_finish_work_diagonal(work, k)];
    const double mu = work->scaled.friction[k];
    const double normal = mu > 0.0 ? 1.0 / mu : 1.0, tangent = mu > 0.0 ? 1.0 : 0.0;
    const double trace = normal * normal * own[0] + tangent * tangent * (own[4] + own[8]);
    const double size = sqrt(3.0 / trace);
    ip->shape[3 * k] = size * normal;
    ip->shape[3 * k + 1] = ip->shape[3 * k + 2] = size * tangent;
}

static void place_inside(tal_interior_point *ip, const tal_finish_work *work) {
    const int32_t count = work->scaled.w.count;
    double largest = 0.0;
    for (int32_t k = 0; k < count; k++) {
        set_shape(ip, work, k);
        for (int a = 0; a < 3; a++) {
            largest = fmax(largest, fabs(ip->shape[3 * k + a] * work->scaled.q[3 * k + a]));
        }
    }
    largest = largest > 0.0 ? largest : 1.0;
    for (int32_t i = 0; i < 3 * count; i++) {
        ip->x[i] = ip->z[i] = i % 3 == 0 ? largest : 0.0;
    }
    ip->size = largest;
}

tal_status tal_interior_point_create(tal_interior_point *ip, const tal_finish_work *work,
                                     tal_error *err) {
    *ip = (tal_interior_point){0};
    tal_status status = allocate(ip, (size_t)work->scaled.w.count, err);
    status =
        status == TAL_OK ? tal_block_matrix_create_like(&ip->turned, &work->scaled.w, err) : status;
    if (status != TAL_OK) {
        tal_interior_point_destroy(ip);
        return status;
    }
    place_inside(ip, work);
    return TAL_OK;
}

void tal_interior_point_destroy(tal_interior_point *ip) {
    void *all[] = {ip->shape,    ip->x,      ip->z,       ip->dx,      ip->dz,     ip->right,
                   ip->unscaled, ip->defect, ip->scaling, ip->inverse, ip->lambda, ip->target,
                   ip->slip,     ip->turn,   ip->axes,    ip->square,  ip->own};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tal_memory_destroy(all[i]);
    }
    tal_block_matrix_destroy(&ip->turned);
    *ip = (tal_interior_point){0};
}

double tal_interior_point_regularisation(const tal_interior_point *ip) {
    return PROXIMAL + ip->tie;
}

void tal_interior_point_get(const tal_interior_point *ip, const tal_finish_work *work,
                            double *scaled_r) {
    for (int32_t i = 0; i < 3 * work->scaled.w.count; i++) {
        scaled_r[i] = ip->shape[i] * ip->x[i];
    }
}

// M x + b into `right`.
static void set_velocity(tal_interior_point *ip, const tal_finish_work *work) {
    const int32_t size = 3 * work->scaled.w.count;
    tal_interior_point_get(ip, work, ip->unscaled);
    tal_block_matrix_multiply(&work->scaled.w, ip->unscaled, ip->right);
    for (int32_t i = 0; i < size; i++) {
        const double pull = ip->tie > 0.0 ? ip->tie * (ip->unscaled[i] - ip->anchor[i]) : 0.0;
        ip->right[i] = ip->shape[i] * (ip->right[i] + work->scaled.q[i] + pull);
    }
}

void tal_interior_point_begin_convex(tal_interior_point *ip, const tal_finish_work *work,
                                     const double *slip_of) {
    const int32_t count = work->scaled.w.count;
    memset(ip->slip, 0, (size_t)count * sizeof *ip->slip);
    memset(ip->turn, 0, 2 * (size_t)count * sizeof *ip->turn);
    for (int32_t i = 0; slip_of != NULL && i < 3 * count; i++) {
        ip->x[i] = ip->shape[i] > 0.0 ? slip_of[i] / ip->shape[i] : 0.0;
    }
    if (slip_of != NULL) {
        set_velocity(ip, work);
        for (int32_t k = 0; k < count; k++) {
            ip->slip[k] = hypot(ip->right[3 * k + 1], ip->right[3 * k + 2]);
        }
    }
    ip->is_convex = true;
    ip->tie = 0.0;
    place_inside(ip, work);
}

void tal_interior_point_begin_tied(tal_interior_point *ip, const tal_finish_work *work,
                                   const double *anchor, double tie) {
    ip->is_convex = ip->has_slip = false;
    ip->held_steps = 0;
    ip->tie = tie;
    ip->anchor = anchor;
    place_inside(ip, work);
}

void tal_interior_point_begin(tal_interior_point *ip, const tal_finish_work *work) {
    tal_interior_point_begin_tied(ip, work, NULL, 0.0);
}

bool tal_interior_point_is_centred(const tal_interior_point *ip, const tal_finish_work *work) {
    double square = 0.0;
    for (int32_t i = 0; i < 3 * work->scaled.w.count; i++) {
        square += ip->defect[i] * ip->defect[i];
    }
    return ip->centre <= CENTRED * ip->size * ip->size && sqrt(square) <= FEASIBLE * ip->size;
}

// False if a contact has come so near the wall of its cone that rounding decides.
static bool set_scaling(tal_interior_point *ip, int32_t count) {
    double sum = 0.0;
    for (int32_t i = 0; i < 3 * count; i++) {
        sum += ip->x[i] * ip->z[i];
    }
    ip->centre = sum / count;
    for (int32_t k = 0; k < count; k++) {
        const double *x = &ip->x[3 * k], *z = &ip->z[3 * k];
        if (!(tal_cone_determinant(x) > 0.0 && tal_cone_determinant(z) > 0.0)) {
            return false;
        }
        tal_cone_scale(x, z, &ip->scaling[9 * k], &ip->inverse[9 * k]);
        tal_cone_axes(x, z, &ip->axes[9 * k], &ip->square[3 * k]);
        tal_block_apply(&ip->scaling[9 * k], x, &ip->lambda[3 * k]);
    }
    return isfinite(ip->centre) && ip->centre > 0.0;
}

// The slip |z_T|, smoothed where a contact is about to hold, and its derivative (none where held).
static void set_slip(tal_interior_point *ip, int32_t count, bool is_held) {
    if (ip->is_convex) {
        return;
    }
    for (int32_t k = 0; k < count; k++) {
        const double *z = &ip->z[3 * k], smooth = SMOOTHING * ip->centre / ip->x[3 * k];
        const double now = sqrt(z[1] * z[1] + z[2] * z[2] + smooth * smooth);
        const double before = ip->has_slip && is_held ? ip->slip[k] : now;
        ip->slip[k] = 0.5 * (before + now);
        ip->turn[2 * k] = is_held || now == 0.0 ? 0.0 : z[1] / now;
        ip->turn[2 * k + 1] = is_held || now == 0.0 ? 0.0 : z[2] / now;
    }
    ip->has_slip = is_held;
}

static void set_defect(tal_interior_point *ip, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        for (int a = 0; a < 3; a++) {
            ip->defect[3 * k + a] = ip->z[3 * k + a] - ip->right[3 * k + a];
        }
        ip->defect[3 * k] -= ip->slip[k];
    }
}

// y = (I - e_0 turn') x of contact k
static void remove_turn(const tal_interior_point *ip, int32_t k, const double x[3], double y[3]) {
    y[0] = x[0] - ip->turn[2 * k] * x[1] - ip->turn[2 * k + 1] * x[2];
    y[1] = x[1];
    y[2] = x[2];
}

// Q' x
static void turn_in(const double q[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) {
        y[i] = q[i] * x[0] + q[3 + i] * x[1] + q[6 + i] * x[2];
    }
}

// Q_i' A Q_j
static void turn_block(const double qi[9], const double a[9], const double qj[9], double to[9]) {
    double half[9] = {0};
    tal_block_add_product(a, qj, half);
    for (int c = 0; c < 3; c++) {
        const double column[3] = {half[c], half[3 + c], half[6 + c]};
        double turned[3];
        turn_in(qi, column, turned);
        to[c] = turned[0];
        to[3 + c] = turned[1];
        to[6 + c] = turned[2];
    }
}

// What belongs to contact i alone: (I - e_0 turn') S S, the tie and the proximal term, in its axes.
static void set_own(const tal_interior_point *ip, int32_t i, double own[9]) {
    const double *q = &ip->axes[9 * i], *shape = &ip->shape[3 * i];
    const double tie[9] = {ip->tie * shape[0] * shape[0], 0.0, 0.0, 0.0,
                           ip->tie * shape[1] * shape[1], 0.0, 0.0, 0.0,
                           ip->tie * shape[2] * shape[2]};
    turn_block(q, tie, q, own);
    for (int b = 0; b < 3; b++) {
        const double turn = ip->turn[2 * i] * q[3 + b] + ip->turn[2 * i + 1] * q[6 + b];
        own[4 * b] += PROXIMAL;
        for (int a = 0; a < 3; a++) {
            own[3 * a + b] += ((a == b) - q[a] * turn) * ip->square[3 * i + b]; // q[a]: Q' e_0
        }
    }
}

// The system (I - e_0 turn') S S + M, contact by contact in the axes of S, where S S is diagonal: what is
// large along one of them does not round off what is small along another.
static tal_status assemble(tal_interior_point *ip, tal_finish_work *work, tal_error *err) {
    const tal_block_matrix *w = &work->scaled.w;
    for (int32_t i = 0; i < w->count; i++) {
        const double *q = &ip->axes[9 * i];
        double *own = &ip->own[9 * i];
        for (int64_t p = w->start[i]; p < w->start[i + 1]; p++) {
            const double *left = &ip->shape[3 * i], *right = &ip->shape[3 * w->column[p]];
            double block[9];
            for (int a = 0; a < 9; a++) {
                block[a] = left[a / 3] * w->value[9 * p + a] * right[a % 3];
            }
            turn_block(q, block, &ip->axes[9 * w->column[p]], &ip->turned.value[9 * p]);
        }
        set_own(ip, i, own);
    }
    return tal_contact_system_prepare(&work->contacts, &ip->turned, ip->own, NULL, NULL, err);
}

// The step for complementarities that miss their target by -`target`; lambda \ target replaces it.
static bool set_step(tal_interior_point *ip, tal_finish_work *work) {
    const int32_t count = work->scaled.w.count;
    for (int32_t k = 0; k < count; k++) {
        double push[3], turned[3];
        tal_cone_divide(&ip->lambda[3 * k], &ip->target[3 * k], push);
        tal_block_apply(&ip->scaling[9 * k], push, &ip->target[3 * k]);
        remove_turn(ip, k, &ip->target[3 * k], turned);
        for (int a = 0; a < 3; a++) {
            turned[a] += ip->defect[3 * k + a];
        }
        turn_in(&ip->axes[9 * k], turned, &ip->right[3 * k]);
    }
    if (!tal_contact_system_solve(&work->contacts, ip->right, ip->unscaled)) {
        return false;
    }
    for (int32_t k = 0; k < count; k++) {
        const double *in_axes = &ip->unscaled[3 * k], *square = &ip->square[3 * k];
        const double scaled[3] = {square[0] * in_axes[0], square[1] * in_axes[1],
                                  square[2] * in_axes[2]};
        double twice[3];
        tal_block_apply(&ip->axes[9 * k], in_axes, &ip->dx[3 * k]);
        tal_block_apply(&ip->axes[9 * k], scaled, twice);
        for (int a = 0; a < 3; a++) {
            ip->dz[3 * k + a] = ip->target[3 * k + a] - twice[a];
        }
    }
    return true;
}

static double longest_step(const tal_interior_point *ip, int32_t count) {
    double length = 1.0 / KEEP_OFF;
    for (int32_t k = 0; k < count; k++) {
        length = tal_cone_step(&ip->x[3 * k], &ip->dx[3 * k], length);
        length = tal_cone_step(&ip->z[3 * k], &ip->dz[3 * k], length);
    }
    return length;
}

static double centre_after(const tal_interior_point *ip, int32_t count, double length) {
    double sum = 0.0;
    for (int32_t i = 0; i < 3 * count; i++) {
        sum += (ip->x[i] + length * ip->dx[i]) * (ip->z[i] + length * ip->dz[i]);
    }
    return sum / count;
}

static void set_target(tal_interior_point *ip, int32_t count, double centring, bool is_corrected) {
    for (int32_t k = 0; k < count; k++) {
        double *target = &ip->target[3 * k], square[3], once[3], other[3], second[3] = {0};
        tal_cone_product(&ip->lambda[3 * k], &ip->lambda[3 * k], square);
        if (is_corrected) {
            tal_block_apply(&ip->inverse[9 * k], &ip->dz[3 * k], once);
            tal_block_apply(&ip->scaling[9 * k], &ip->dx[3 * k], other);
            tal_cone_product(once, other, second);
        }
        target[0] = centring * ip->centre - square[0] - second[0];
        target[1] = -square[1] - second[1];
        target[2] = -square[2] - second[2];
    }
}

// Predictor and corrector of Mehrotra. `reach` is how far one may go, 0 if the system is singular.
static tal_status find_step(tal_interior_point *ip, tal_finish_work *work, bool is_held,
                            double *reach, tal_error *err) {
    const int32_t count = work->scaled.w.count;
    *reach = 0.0;
    set_slip(ip, count, is_held);
    set_velocity(ip, work);
    set_defect(ip, count);
    TAL_TRY(assemble(ip, work, err));
    if (!tal_finish_work_factorise(work)) {
        return TAL_OK;
    }
    set_target(ip, count, 0.0, false);
    if (!set_step(ip, work)) {
        return TAL_OK;
    }
    const double length = fmin(1.0, longest_step(ip, count));
    const double left = fmax(0.0, centre_after(ip, count, length) / ip->centre);
    const double least = is_held ? HELD_CENTRING : 1e-6;
    set_target(ip, count, fmax(least, fmin(1.0, left * left * left)), true);
    *reach = set_step(ip, work) ? fmin(1.0, KEEP_OFF * longest_step(ip, count)) : 0.0;
    return TAL_OK;
}

tal_status tal_interior_point_advance(tal_interior_point *ip, tal_finish_work *work, bool *moved,
                                      tal_error *err) {
    const int32_t count = work->scaled.w.count;
    double length = 0.0;
    *moved = false;
    if (!set_scaling(ip, count)) {
        return TAL_OK;
    }
    if (ip->held_steps == 0) {
        TAL_TRY(find_step(ip, work, false, &length, err));
    }
    if (length < LEAST_STEP && !ip->is_convex) {
        ip->held_steps = ip->held_steps == 0 ? HELD_STEPS : ip->held_steps;
        ip->held_steps--;
        TAL_TRY(find_step(ip, work, true, &length, err));
    }
    for (int32_t i = 0; i < 3 * count; i++) {
        ip->x[i] += length * ip->dx[i];
        ip->z[i] += length * ip->dz[i];
    }
    *moved = length > 0.0;
    return TAL_OK;
}
