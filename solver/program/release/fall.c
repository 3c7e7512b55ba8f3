// SPDX-License-Identifier: GPL-3.0-or-later
// The fall of rocks.
#include "solver/program/release/fall.h"

#include "core/base/interrupt.h"
#include "core/base/math3.h"
#include "core/base/memory.h"
#include "solver/program/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A moment is kept where the velocity of the centroid, or that of the rotation's energy, departs by this
// much from what the moments before say. The spin itself turns in free flight, its energy does not.
static const double KINK_MPS = 0.2, KINK_SHARE = 0.03;

enum { STEMS_REMEMBERED = 64, LIFTS_MAX = 40 };

typedef struct {
    int32_t stem;
    double left; // energy it can still take
} touched_stem;

// What is known of a rock while it falls.
typedef struct {
    bool is_gone;
    bool is_held; // by a stem, in the present step
    double moved_s;
    tal_vec3 before;         // centroid before the step
    tal_fall_sample present; // at the end of the last step
    bool is_kept;            // the present moment
    tal_fall_sample kept;    // the last one kept
    double kick[3];          // change of velocity per second right after it
    bool has_kick;
    touched_stem touched[STEMS_REMEMBERED]; // the oldest is forgotten
    int32_t touched_count;
} runner;

typedef struct {
    const tal_fall *fall;
    const tal_solve_settings *solve;
    int32_t count;
    tal_fallen_rock *rock;
    runner *runner;
    tal_model *model;
    tal_state *state;
} falling;

// --- the scene ---

// Arrays of one scene.
typedef struct {
    int32_t *shape, *class;
    double *mass;
    tal_vec3 *inertia, *position, *velocity, *spin;
    tal_quat *orientation;
    tal_shape_input *shapes;
} arrays;

static tal_status take_arrays(tal_arena *arena, arrays *a, size_t n, tal_error *err) {
    TAL_TAKE(arena, a->shape, n, "rocks", err);
    TAL_TAKE(arena, a->class, n, "rocks", err);
    TAL_TAKE(arena, a->mass, n, "rocks", err);
    TAL_TAKE(arena, a->inertia, n, "rocks", err);
    TAL_TAKE(arena, a->position, n, "rocks", err);
    TAL_TAKE(arena, a->velocity, n, "rocks", err);
    TAL_TAKE(arena, a->spin, n, "rocks", err);
    TAL_TAKE(arena, a->orientation, n, "rocks", err);
    TAL_TAKE(arena, a->shapes, n, "rocks", err);
    return TAL_OK;
}

static void fill_arrays(const falling *f, arrays *a) {
    for (int32_t b = 0; b < f->count; b++) {
        const tal_rock_start *s = &f->rock[b].start;
        a->shape[b] = b;
        a->class[b] = f->fall->scene->input.body_class[s->block];
        a->mass[b] = s->mass;
        a->inertia[b] = s->inertia;
        a->position[b] = s->position;
        a->velocity[b] = s->velocity;
        a->spin[b] = s->spin;
        a->orientation[b] = s->orientation;
        a->shapes[b] = s->shape;
    }
}

static tal_status create_model(falling *f, arrays *a, tal_error *err) {
    tal_model_input input = f->fall->scene->input; // laws, classes, settings
    input.ground = f->fall->ground;
    input.shape_count = input.body_count = f->count;
    input.shape = a->shapes;
    input.body_shape = a->shape;
    input.body_class = a->class;
    input.mass_kg = a->mass;
    input.inertia_kg_m2 = a->inertia;
    input.position_m = a->position;
    input.orientation = a->orientation;
    input.velocity_mps = a->velocity;
    input.spin_radps = a->spin;
    return tal_model_create(&f->model, &input, err);
}

// What the model says of blocks, up to its numbers, in the words of a release.
static tal_status refuse_crowd(const falling *f, tal_error *err) {
    char first[160];
    const tal_settings *settings = f->fall->settings;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(err->text, "(\n"), err->text);
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s: [release] together = yes: the rocks do not fit where they start (%s...): "
                    "release fewer, from a larger place, or let height_m scatter more",
                    tal_settings_where(settings, &settings->release.together), first);
}

// Between the corners of a rock the ground may still stand out: it is lifted until it is free.
static tal_status create_scene(falling *f, tal_arena *arena, tal_error *err) {
    arrays a = {0};
    TAL_TRY(take_arrays(arena, &a, (size_t)f->count, err));
    fill_arrays(f, &a);
    tal_status status = create_model(f, &a, err);
    for (int lift = 0; f->count == 1 && status == TAL_BAD_INPUT && lift < LIFTS_MAX; lift++) {
        f->rock[0].start.position.z += 0.05 * f->rock[0].start.size;
        a.position[0] = f->rock[0].start.position;
        status = create_model(f, &a, err);
    }
    if (f->count > 1 && status == TAL_BAD_INPUT) {
        return refuse_crowd(f, err);
    }
    TAL_TRY(status);
    return tal_state_create(&f->state, f->model, f->fall->thread_count, err);
}

// --- moments ---

static tal_fall_sample sample_of(const falling *f, int32_t b) {
    const tal_rock_start *start = &f->rock[b].start;
    const tal_vec3 x = tal_state_positions(f->state)[b], v = tal_state_velocities(f->state)[b];
    const tal_vec3 w = tal_state_spins(f->state)[b], i = start->inertia;
    const tal_quat q = tal_state_orientations(f->state)[b];
    const tal_mat3 turn = tal_quat_matrix(q);
    const tal_vec3 own = tal_mat3_apply_transposed(&turn, w);
    const double rotation = 0.5 * (i.x * own.x * own.x + i.y * own.y * own.y + i.z * own.z * own.z);
    return (tal_fall_sample){
        .time = (float)tal_state_time(f->state),
        .position = {(float)x.x, (float)x.y, (float)x.z},
        .orientation = {(float)q.w, (float)q.x, (float)q.y, (float)q.z},
        .velocity = {(float)v.x, (float)v.y, (float)v.z},
        .spin = {(float)w.x, (float)w.y, (float)w.z},
        .drop = (float)tal_rock_drop(start, q),
        .ground = (float)tal_ground_height(f->fall->ground, x.x, x.y),
        .rotation = (float)rotation,
    };
}

static tal_status keep(falling *f, int32_t b, const tal_fall_sample *moment, tal_error *err) {
    runner *r = &f->runner[b];
    r->kept = *moment;
    r->has_kick = false;
    return tal_fallen_rock_add_sample(&f->rock[b], moment, err);
}

// Has the motion since the last moment kept gone another way than at its beginning?
static bool has_kink(runner *r, const tal_fall_sample *now, double mass) {
    const double span = (double)now->time - (double)r->kept.time;
    const double turned =
        sqrt(2.0 * (double)now->rotation / mass) - sqrt(2.0 * (double)r->kept.rotation / mass);
    double departed = 0.0, speed = 0.0;
    for (int k = 0; k < 3; k++) {
        const double change = (double)now->velocity[k] - (double)r->kept.velocity[k];
        if (!r->has_kick) {
            r->kick[k] = change / span;
        }
        const double off = change - r->kick[k] * span;
        departed += off * off;
        speed += (double)now->velocity[k] * (double)now->velocity[k];
    }
    r->has_kick = true;
    const double limit = fmax(KINK_MPS, KINK_SHARE * sqrt(speed));
    return departed > limit * limit || fabs(turned) > limit;
}

static bool has_moved(const tal_fall_sample *a, const tal_fall_sample *b) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += fabs((double)a->position[k] - (double)b->position[k]) +
               fabs((double)a->velocity[k] - (double)b->velocity[k]);
    }
    return sum > 1e-3;
}

// Keeps the moment before a kink and the one after it, and one in every interval of output.
static tal_status observe(falling *f, int32_t b, tal_error *err) {
    runner *r = &f->runner[b];
    const tal_fall_sample before = r->present, now = sample_of(f, b);
    const bool before_is_kept = r->is_kept;
    const bool is_due =
        (double)now.time - (double)r->kept.time >= f->solve->output_every_s - 0.5 * f->solve->dt_s;
    const bool is_kink = has_kink(r, &now, f->rock[b].start.mass);
    r->present = now;
    r->is_kept = is_kink || (is_due && has_moved(&r->kept, &now));
    if (is_kink && !before_is_kept) {
        TAL_TRY(keep(f, b, &before, err));
    }
    return r->is_kept ? keep(f, b, &now, err) : TAL_OK;
}

static double energy_of(const falling *f, int32_t b, const tal_fall_sample *s) {
    const double v[3] = {(double)s->velocity[0], (double)s->velocity[1], (double)s->velocity[2]};
    return 0.5 * f->rock[b].start.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           (double)s->rotation;
}

static double height_above_ground(const falling *f, tal_vec3 x) {
    return x.z - tal_ground_height(f->fall->ground, x.x, x.y);
}

// --- stems ---

// Energy that a stem can still take from this rock; the whole of it where they did not meet.
static touched_stem *stem_memory(runner *r, int32_t stem, const tal_stems *stems, bool *is_new) {
    const int32_t known = r->touched_count < STEMS_REMEMBERED ? r->touched_count : STEMS_REMEMBERED;
    *is_new = false;
    for (int32_t k = 0; k < known; k++) {
        if (r->touched[k].stem == stem) {
            return &r->touched[k];
        }
    }
    *is_new = true;
    touched_stem *slot = &r->touched[r->touched_count++ % STEMS_REMEMBERED];
    *slot = (touched_stem){stem, stems->energy[stem]};
    return slot;
}

static bool stem_is_broken(const void *context, int32_t stem) {
    const runner *r = context;
    const int32_t known = r->touched_count < STEMS_REMEMBERED ? r->touched_count : STEMS_REMEMBERED;
    for (int32_t k = 0; k < known; k++) {
        if (r->touched[k].stem == stem) {
            return !(r->touched[k].left > 0.0);
        }
    }
    return false;
}

// A stem takes the energy of the motion towards it, as far as it can; what goes along it stays.
static tal_status hit_stem(falling *f, int32_t b, int32_t stem, tal_vec3 touch, tal_error *err) {
    const tal_stems *stems = &f->fall->obstacles->stems;
    tal_fallen_rock *rock = &f->rock[b];
    runner *r = &f->runner[b];
    const double mass = rock->start.mass;
    tal_vec3 v = tal_state_velocities(f->state)[b];
    const tal_vec3 w = tal_state_spins(f->state)[b];
    const tal_vec3 n =
        tal_vec3_normalize(tal_vec3_make(stems->x[stem] - touch.x, stems->y[stem] - touch.y, 0.0));
    const double towards = tal_vec3_dot(v, n);
    if (!(towards > 0.0)) {
        return TAL_OK;
    }
    bool is_new;
    touched_stem *memory = stem_memory(r, stem, stems, &is_new);
    const double energy = 0.5 * mass * towards * towards;
    const double taken = fmin(energy, memory->left);
    const double rest = energy > taken ? sqrt(2.0 * (energy - taken) / mass) : 0.0;
    memory->left = energy >= memory->left ? 0.0 : memory->left - taken;
    v = tal_vec3_add_scaled(v, rest - towards, n);
    const tal_rock_meeting meeting = {.kind = TAL_MEETING_STEM,
                                      .number = stem,
                                      .outcome = memory->left > 0.0 ? TAL_MEETING_HELD
                                                                    : TAL_MEETING_BROKEN,
                                      .time = (float)tal_state_time(f->state),
                                      .position = {(float)touch.x, (float)touch.y, (float)touch.z},
                                      .height = (float)height_above_ground(f, touch),
                                      .energy = (float)energy_of(f, b, &r->present),
                                      .taken = (float)taken};
    tal_state_set_motion(f->model, f->state, b, v, w);
    r->is_held = memory->left > 0.0;
    rock->summary.stem_count += is_new ? 1 : 0;
    return is_new ? tal_fallen_rock_add_meeting(rock, &meeting, err) : TAL_OK;
}

// Stems on the way of the coming step, one after another: each changes the way to the next.
static tal_status meet_stems(falling *f, int32_t b, tal_error *err) {
    enum { PER_STEP = 8 };
    runner *r = &f->runner[b];
    const double dt = f->solve->dt_s, radius = 0.5 * f->rock[b].start.size;
    r->is_held = false;
    for (int k = 0; k < PER_STEP; k++) {
        const tal_vec3 x = tal_state_positions(f->state)[b], v = tal_state_velocities(f->state)[b];
        const double from[2] = {x.x, x.y}, to[2] = {x.x + dt * v.x, x.y + dt * v.y};
        double at;
        const int32_t stem = tal_stems_first_touch(&f->fall->obstacles->stems, from, to, radius,
                                                   stem_is_broken, r, &at);
        if (stem < 0) {
            break;
        }
        TAL_TRY(hit_stem(f, b, stem, tal_vec3_add_scaled(x, at * dt, v), err));
    }
    return TAL_OK;
}

// --- barriers ---

static tal_rock_meeting meet(const falling *f, int32_t b, int barrier, tal_vec3 x) {
    const tal_barrier *wall = &f->fall->obstacles->barrier[barrier];
    tal_rock_meeting m = {.kind = TAL_MEETING_BARRIER,
                          .number = barrier,
                          .time = (float)tal_state_time(f->state),
                          .position = {(float)x.x, (float)x.y, (float)x.z},
                          .height = (float)height_above_ground(f, x),
                          .energy = (float)energy_of(f, b, &f->runner[b].present)};
    const double energy = (double)m.energy;
    m.outcome = (double)m.height > wall->height ? TAL_MEETING_OVER
                : energy > wall->capacity       ? TAL_MEETING_BROKEN
                                                : TAL_MEETING_HELD;
    m.taken = m.outcome == TAL_MEETING_OVER     ? 0.0F
              : m.outcome == TAL_MEETING_BROKEN ? (float)wall->capacity
                                                : m.energy;
    return m;
}

// The rock ends where it met the barrier.
static tal_status stop_at_barrier(falling *f, int32_t b, const tal_rock_meeting *m,
                                  tal_error *err) {
    runner *r = &f->runner[b];
    tal_fall_sample last = r->present;
    for (int k = 0; k < 3; k++) {
        last.position[k] = m->position[k];
    }
    TAL_TRY(keep(f, b, &last, err)); // as it came
    for (int k = 0; k < 3; k++) {
        last.velocity[k] = last.spin[k] = 0.0F;
    }
    last.rotation = 0.0F;
    last.time = nextafterf(last.time, INFINITY);
    TAL_TRY(keep(f, b, &last, err)); // and held
    r->is_kept = true;
    r->is_gone = true;
    r->moved_s = tal_state_time(f->state);
    f->rock[b].summary.end = TAL_ROCK_STOPPED;
    f->rock[b].summary.barrier = m->number;
    tal_state_remove_body(f->state, b);
    return TAL_OK;
}

// The barrier that the last step crossed after the share `after` of its way; -1: none.
static int next_barrier(const falling *f, int32_t b, double after, double *at) {
    const tal_vec3 x = tal_state_positions(f->state)[b], y = f->runner[b].before;
    const double from[2] = {y.x, y.y}, to[2] = {x.x, x.y};
    int next = -1;
    *at = 2.0;
    for (int k = 0; k < f->fall->obstacles->barrier_count; k++) {
        const double t =
            tal_features_first_crossing(&f->fall->obstacles->barrier[k].line, from, to);
        if (t > after && t <= 1.0 && t < *at) {
            *at = t;
            next = k;
        }
    }
    return next;
}

static tal_status meet_barriers(falling *f, int32_t b, tal_error *err) {
    double at = 0.0;
    for (int k = next_barrier(f, b, 0.0, &at); k >= 0; k = next_barrier(f, b, at, &at)) {
        const tal_vec3 x = tal_state_positions(f->state)[b], y = f->runner[b].before;
        const tal_vec3 place = tal_vec3_add_scaled(y, at, tal_vec3_subtract(x, y));
        const tal_rock_meeting m = meet(f, b, k, place);
        TAL_TRY(tal_fallen_rock_add_meeting(&f->rock[b], &m, err));
        if (m.outcome == TAL_MEETING_HELD) {
            return stop_at_barrier(f, b, &m, err);
        }
        if (m.outcome == TAL_MEETING_BROKEN) {
            const double left = sqrt(1.0 - (double)m.taken / (double)m.energy);
            tal_state_set_motion(f->model, f->state, b,
                                 tal_vec3_scale(tal_state_velocities(f->state)[b], left),
                                 tal_vec3_scale(tal_state_spins(f->state)[b], left));
            f->runner[b].present = sample_of(f, b);
            TAL_TRY(keep(f, b, &f->runner[b].present, err));
            f->runner[b].is_kept = true;
        }
    }
    return TAL_OK;
}

// --- steps ---

static void leave(falling *f, int32_t b) {
    const tal_vec3 x = tal_state_positions(f->state)[b];
    runner *r = &f->runner[b];
    if (isnan(tal_ground_height(f->fall->ground, x.x, x.y))) {
        f->rock[b].summary.end = TAL_ROCK_LEFT;
        r->is_gone = true;
        r->moved_s = tal_state_time(f->state);
        tal_state_remove_body(f->state, b);
    }
}

// A rock that leans against a stem is pushed by gravity and held again in each step.
static bool is_moving(const falling *f, int32_t b) {
    const double by_gravity =
        f->runner[b].is_held ? 2.0 * f->solve->gravity_mps2 * f->solve->dt_s : 0.0;
    const double fastest = tal_vec3_length(tal_state_velocities(f->state)[b]) +
                           tal_vec3_length(tal_state_spins(f->state)[b]) * f->rock[b].start.radius;
    return fastest > f->solve->still_mps + by_gravity;
}

static tal_status after_step(falling *f, int32_t b, tal_error *err) {
    runner *r = &f->runner[b];
    TAL_TRY(observe(f, b, err));
    if (f->fall->obstacles->barrier_count > 0) {
        TAL_TRY(meet_barriers(f, b, err));
    }
    if (!r->is_gone) {
        leave(f, b);
    }
    if (!r->is_gone && is_moving(f, b)) {
        r->moved_s = tal_state_time(f->state);
    }
    return TAL_OK;
}

static tal_status step(falling *f, tal_error *err) {
    tal_report report;
    for (int32_t b = 0; b < f->count; b++) {
        f->runner[b].before = tal_state_positions(f->state)[b];
        if (!f->runner[b].is_gone && f->fall->obstacles->stems.count > 0) {
            TAL_TRY(meet_stems(f, b, err));
        }
    }
    TAL_TRY(tal_step(f->model, f->state, &report, err));
    for (int32_t b = 0; b < f->count; b++) {
        tal_rock_summary *s = &f->rock[b].summary;
        if (!f->runner[b].is_gone) {
            s->step_count++;
            s->unconverged_count += report.unconverged_count > 0 ? 1 : 0;
            s->penetration = fmax(s->penetration, report.penetration_m);
            TAL_TRY(after_step(f, b, err));
        }
    }
    return TAL_OK;
}

// Nothing that is still there has moved for a while, or the library has laid the only rock to rest.
static bool is_over(const falling *f) {
    const double now = tal_state_time(f->state);
    for (int32_t b = 0; b < f->count; b++) {
        const runner *r = &f->runner[b];
        const tal_vec3 v = tal_state_velocities(f->state)[b], w = tal_state_spins(f->state)[b];
        const bool is_laid = f->count == 1 && now > 0.0 && v.x == 0.0 && v.y == 0.0 && v.z == 0.0 &&
                             w.x == 0.0 && w.y == 0.0 && w.z == 0.0;
        if (!r->is_gone && !is_laid && now - r->moved_s < f->solve->still_s) {
            return false;
        }
    }
    return true;
}

static void begin_rock(tal_fallen_rock *rock) {
    const tal_rock_start *start = &rock->start;
    rock->summary = (tal_rock_summary){.number = start->number,
                                       .block = start->block,
                                       .end = TAL_ROCK_RESTS,
                                       .barrier = -1,
                                       .size = start->size,
                                       .mass = start->mass,
                                       .radius = start->radius};
}

static tal_status end_rock(falling *f, int32_t b, tal_error *err) {
    runner *r = &f->runner[b];
    tal_rock_summary *s = &f->rock[b].summary;
    s->duration = r->moved_s;
    if (!r->is_gone && tal_state_time(f->state) - r->moved_s < f->solve->still_s &&
        is_moving(f, b)) {
        s->end = TAL_ROCK_MOVES;
    }
    return r->is_kept ? TAL_OK : keep(f, b, &r->present, err);
}

static tal_status run(falling *f, tal_error *err) {
    const int64_t last = tal_watch_steps(f->solve->until_s, f->solve->dt_s);
    for (int32_t b = 0; b < f->count; b++) {
        begin_rock(&f->rock[b]);
        f->runner[b].present = sample_of(f, b);
        f->runner[b].is_kept = true;
        TAL_TRY(keep(f, b, &f->runner[b].present, err));
    }
    for (int64_t k = 0; k < last && !is_over(f); k++) {
        TAL_TRY(tal_interrupt_check(err));
        TAL_TRY(step(f, err));
    }
    for (int32_t b = 0; b < f->count; b++) {
        TAL_TRY(end_rock(f, b, err));
    }
    return TAL_OK;
}

tal_status tal_fall_run(const tal_fall *fall, int64_t first, int32_t count, tal_fallen_rock *rock,
                        tal_error *err) {
    falling f = {.fall = fall, .solve = &fall->settings->solve, .count = count, .rock = rock};
    tal_arena arena = {0};
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(f.runner, (size_t)count, "rocks", err);
    TAL_TRY_OR_DONE(tal_arena_create(&arena, (size_t)count * 512 + 4096, err));
    for (int32_t b = 0; b < count; b++) {
        TAL_TRY_OR_DONE(tal_starts_draw(fall->starts, first + b, &rock[b].start, err));
    }
    TAL_TRY_OR_DONE(create_scene(&f, &arena, err));
    TAL_TRY_OR_DONE(run(&f, err));
done:
    tal_state_destroy(f.state);
    tal_model_destroy(f.model);
    tal_arena_destroy(&arena);
    tal_memory_destroy(f.runner);
    return status;
}
