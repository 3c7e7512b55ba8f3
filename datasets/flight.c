// SPDX-License-Identifier: GPL-3.0-or-later
// An airborne laser survey. Every draw belongs to its pulse, so the cloud does not depend on how
// many threads make it.
#include "datasets/flight.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/random.h"
#include "core/geometry/angle.h"

#include <math.h>
#include <stdio.h>

enum { ECHOES_MAX = 5, CROWNS_MAX = 8, BATCH_PULSES = 65536, DRAWS_PER_PULSE = 32 };
enum { LINE_BITS = 20, PULSE_BITS = 14 };

static const double ECHO_SEPARATION = 1.2; // m: closer echoes blend into one

// Places of a pulse in its own draws.
enum {
    DRAW_JITTER,
    DRAW_PLAN_EAST,
    DRAW_PLAN_NORTH,
    DRAW_RETURNED,
    DRAW_STRAY,
    DRAW_STRAY_HEIGHT,
    DRAW_SHRUB,
    DRAW_SHRUB_HEIGHT,
    DRAW_THROUGH_SHRUB,
    DRAW_CROWN = 9,     // one per crown
    DRAW_HEIGHT = 17,   // one per echo
    DRAW_CLASS = 22,    // one per echo
    DRAW_INTENSITY = 27 // one per echo
};

typedef enum { ECHO_GROUND, ECHO_VEGETATION, ECHO_HIGH_STRAY, ECHO_LOW_STRAY } echo_kind;

typedef struct {
    double fall; // along the ray
    echo_kind kind;
} echo;

typedef struct {
    tal_las_point point;
    echo_kind kind;
} measured;

typedef struct {
    const tal_flight *survey;
    const tal_scan_scene *scene;
    tal_random random, crown_random;
    tal_flight_summary *summary;
    double line_m, pulse_deg;
    double heading[2], right[2]; // unit vectors of the first strip
    double half_length;          // of a strip
    int64_t line_count;
    int64_t pulse_count; // of a line
} flight;

static double uniform(const flight *plan, uint64_t number, int draw) {
    return tal_random_uniform(plan->random, number * DRAWS_PER_PULSE + (uint64_t)draw);
}

static double normal(const flight *plan, uint64_t number, int draw) {
    return tal_random_normal(plan->random, number * DRAWS_PER_PULSE + (uint64_t)draw);
}

static flight plan_flight(const tal_flight *survey, const tal_scan_scene *scene, uint64_t seed,
                          double density_scale, tal_flight_summary *summary) {
    char stream[64];
    flight plan = {.survey = survey, .scene = scene, .summary = summary};
    (void)snprintf(stream, sizeof stream, "datasets/%s/pulses", survey->name);
    plan.random = tal_random_stream(seed, 0, stream);
    (void)snprintf(stream, sizeof stream, "datasets/%s/crowns", survey->name);
    plan.crown_random = tal_random_stream(seed, 0, stream);
    plan.line_m = survey->line_m / sqrt(density_scale);
    plan.pulse_deg = survey->pulse_deg / sqrt(density_scale);
    const double heading = tal_radians(survey->heading_deg);
    plan.heading[0] = sin(heading);
    plan.heading[1] = cos(heading);
    plan.right[0] = plan.heading[1];
    plan.right[1] = -plan.heading[0];
    plan.half_length = 0.5 * (fabs(scene->frame.width * plan.heading[0]) +
                              fabs(scene->frame.height * plan.heading[1])) +
                       0.25 * survey->altitude_m * tan(tal_radians(survey->forward_deg)) + 30.0;
    plan.line_count = (int64_t)ceil(2.0 * plan.half_length / plan.line_m);
    plan.pulse_count = (int64_t)floor(2.0 * survey->half_angle_deg / plan.pulse_deg) + 1;
    return plan;
}

// Biases of the strips, with their mean taken out: what all strips share is the survey's shift.
static void draw_strips(const tal_flight *survey, uint64_t seed, tal_flight_summary *summary) {
    char stream[64];
    (void)snprintf(stream, sizeof stream, "datasets/%s/strips", survey->name);
    const tal_random random = tal_random_stream(seed, 0, stream);
    for (int axis = 0; axis < 3; axis++) {
        const double sigma = axis < 2 ? survey->strip_plan_sigma_m : survey->strip_height_sigma_m;
        double mean = 0.0;
        for (int i = 0; i < survey->strip_count; i++) {
            summary->strip[i].bias_m[axis] =
                sigma * tal_random_normal(random, (uint64_t)(4 * i + axis));
            mean += summary->strip[i].bias_m[axis] / survey->strip_count;
        }
        for (int i = 0; i < survey->strip_count; i++) {
            summary->strip[i].bias_m[axis] -= mean;
        }
    }
    for (int i = 0; i < survey->strip_count; i++) {
        summary->strip[i].drift_phase =
            2.0 * TAL_PI * tal_random_uniform(random, (uint64_t)(4 * i + 3));
    }
}

// A pulse: which one, when, and where it goes.
typedef struct {
    uint64_t number;
    int strip;
    int64_t line, pulse;
    double flown; // along the strip
    double angle_deg;
    tal_ray ray;
} shot;

static shot aim(const flight *plan, int strip, int64_t line, int64_t pulse) {
    const tal_flight *survey = plan->survey;
    const tal_site_frame *frame = &plan->scene->frame;
    shot made = {.strip = strip, .line = line, .pulse = pulse};
    made.number = ((uint64_t)strip << LINE_BITS | (uint64_t)line) << PULSE_BITS | (uint64_t)pulse;
    made.flown = ((double)line + (double)pulse / (double)plan->pulse_count) * plan->line_m;
    const double sense = strip % 2 == 0 ? 1.0 : -1.0;
    const double along = sense * (made.flown - plan->half_length);
    const double across = (strip - 0.5 * (survey->strip_count - 1)) * survey->strip_spacing_m;
    // The mirror swings to and fro; the aircraft rolls a little.
    const double swing = line % 2 == 0 ? 1.0 : -1.0;
    const double jitter = 0.3 * (uniform(plan, made.number, DRAW_JITTER) - 0.5);
    const double roll = 1.2 * sin(made.flown / 83.0 + 2.1 * strip);
    made.angle_deg = swing * (((double)pulse + jitter) * plan->pulse_deg - survey->half_angle_deg);
    const double side = sense * tan(tal_radians(made.angle_deg + roll));
    const double ahead = sense * tan(tal_radians(survey->forward_deg));
    made.ray =
        (tal_ray){.x = 0.5 * frame->width + along * plan->heading[0] + across * plan->right[0],
                  .y = 0.5 * frame->height + along * plan->heading[1] + across * plan->right[1],
                  .z = survey->altitude_m,
                  .east = side * plan->right[0] + ahead * plan->heading[0],
                  .north = side * plan->right[1] + ahead * plan->heading[1]};
    return made;
}

static int add_echo(echo *echoes, int count, double fall, echo_kind kind) {
    if (count == ECHOES_MAX || (count > 0 && fall - echoes[count - 1].fall < ECHO_SEPARATION)) {
        return count;
    }
    echoes[count] = (echo){.fall = fall, .kind = kind};
    return count + 1;
}

// What crowns send back; `reached` says whether the pulse goes on to the ground.
static int echoes_of_crowns(const flight *plan, const shot *pulse, const tal_crown_hit *crowns,
                            int crown_count, echo *echoes, bool *reached) {
    int count = 0;
    *reached = true;
    for (int i = 0; i < crown_count && *reached; i++) {
        const uint64_t draw = (pulse->number * CROWNS_MAX + (uint64_t)i) * 4;
        const double path = crowns[i].leave - crowns[i].enter;
        if (tal_random_uniform(plan->crown_random, draw) < 0.9) {
            const double depth = 0.7 * tal_random_exponential(plan->crown_random, draw + 1);
            count =
                add_echo(echoes, count, crowns[i].enter + fmin(depth, 0.9 * path), ECHO_VEGETATION);
        }
        const double inner = tal_random_uniform(plan->crown_random, draw + 2);
        if (path > 3.0 && inner < 0.4 && count < ECHOES_MAX - 2) {
            count = add_echo(echoes, count, crowns[i].enter + path * (0.45 + 1.25 * inner),
                             ECHO_VEGETATION);
        }
        *reached = tal_random_uniform(plan->crown_random, draw + 3) < plan->survey->through_crown;
    }
    return count;
}

static int echoes_of_pulse(const flight *plan, const shot *pulse, const tal_ground_hit *ground,
                           echo *echoes) {
    const uint64_t number = pulse->number;
    if (uniform(plan, number, DRAW_STRAY) < plan->survey->stray_share) {
        const double height = uniform(plan, number, DRAW_STRAY_HEIGHT);
        if (height < 0.5) { // a bird, or moisture
            return add_echo(echoes, 0, ground->fall - 25.0 - 150.0 * height, ECHO_HIGH_STRAY);
        }
        return add_echo(echoes, 0, ground->fall + 3.0 + 50.0 * (height - 0.5), ECHO_LOW_STRAY);
    }
    tal_crown_hit crowns[CROWNS_MAX];
    const int crown_count =
        tal_scan_scene_find_crowns(plan->scene, &pulse->ray, ground, crowns, CROWNS_MAX);
    bool reached = true;
    int count = echoes_of_crowns(plan, pulse, crowns, crown_count, echoes, &reached);
    if (reached && crown_count > 0 && uniform(plan, number, DRAW_SHRUB) < 0.25) {
        const double height = 0.4 + 1.8 * uniform(plan, number, DRAW_SHRUB_HEIGHT);
        count = add_echo(echoes, count, ground->fall - height, ECHO_VEGETATION);
        reached = uniform(plan, number, DRAW_THROUGH_SHRUB) < 0.6;
    }
    // Faces that the pulse only grazes send little back.
    const bool bright = uniform(plan, number, DRAW_RETURNED) < ground->cosine / 0.22;
    if (reached && bright) {
        count = add_echo(echoes, count, ground->fall, ECHO_GROUND);
    }
    return count;
}

// As a good automatic classification would: mostly right, worst on cliffs and in undergrowth.
static uint8_t classify(const flight *plan, const shot *pulse, const tal_ground_hit *ground,
                        const echo *heard, int index) {
    if (!plan->survey->classified) {
        return TAL_LAS_UNCLASSIFIED;
    }
    const double chance = uniform(plan, pulse->number, DRAW_CLASS + index);
    const double height = ground->fall - heard->fall;
    switch (heard->kind) {
    case ECHO_GROUND: {
        const double missed = ground->gradient > 1.4 ? 0.10 : 0.03;
        return chance < missed ? TAL_LAS_UNCLASSIFIED : TAL_LAS_GROUND;
    }
    case ECHO_VEGETATION:
        if (chance < (height < 2.5 ? 0.06 : 0.006)) {
            return TAL_LAS_GROUND;
        }
        return height < 1.5 ? TAL_LAS_UNCLASSIFIED : TAL_LAS_HIGH_VEGETATION;
    case ECHO_HIGH_STRAY:
        return chance < 0.2 ? TAL_LAS_UNCLASSIFIED : TAL_LAS_HIGH_NOISE;
    case ECHO_LOW_STRAY:
        return chance < 0.2 ? TAL_LAS_UNCLASSIFIED : TAL_LAS_LOW_NOISE;
    }
    return TAL_LAS_UNCLASSIFIED;
}

static uint16_t brightness(const flight *plan, const shot *pulse, const tal_ground_hit *ground,
                           echo_kind kind, int index) {
    const double plain = kind == ECHO_GROUND       ? 300.0 + 1100.0 * fmax(ground->cosine, 0.0)
                         : kind == ECHO_VEGETATION ? 420.0
                                                   : 60.0;
    const double scatter = 1.0 + 0.18 * normal(plan, pulse->number, DRAW_INTENSITY + index);
    return (uint16_t)fmin(fmax(plain * scatter, 1.0), 65535.0);
}

// The errors: per echo, per pulse, per strip, of the whole survey.
static tal_las_point measure(const flight *plan, const shot *pulse, const tal_ground_hit *ground,
                             const echo *heard, int index) {
    const tal_flight *survey = plan->survey;
    const tal_strip *strip = &plan->summary->strip[pulse->strip];
    const tal_site_frame *frame = &plan->scene->frame;
    const uint64_t number = pulse->number;
    const double above = ground->fall - heard->fall;
    const double drift =
        survey->drift_m == 0.0
            ? 0.0
            : survey->drift_m *
                  sin(2.0 * TAL_PI * pulse->flown / survey->drift_length_m + strip->drift_phase);
    tal_las_point point = {.x = frame->west + ground->x - above * pulse->ray.east +
                                survey->plan_sigma_m * normal(plan, number, DRAW_PLAN_EAST) +
                                strip->bias_m[0] + survey->shift_m[0],
                           .y = frame->south + ground->y - above * pulse->ray.north +
                                survey->plan_sigma_m * normal(plan, number, DRAW_PLAN_NORTH) +
                                strip->bias_m[1] + survey->shift_m[1],
                           .z = ground->z + above +
                                survey->height_sigma_m * normal(plan, number, DRAW_HEIGHT + index) +
                                strip->bias_m[2] + drift + survey->shift_m[2],
                           .gps_time = survey->gps_start_s + 300.0 * pulse->strip +
                                       pulse->flown / survey->speed_mps,
                           .scan_angle_deg = pulse->angle_deg,
                           .strip = (uint16_t)(pulse->strip + 1),
                           .scan_direction = pulse->line % 2 == 0,
                           .edge_of_line = pulse->pulse == plan->pulse_count - 1,
                           .classification = classify(plan, pulse, ground, heard, index),
                           .intensity = brightness(plan, pulse, ground, heard->kind, index)};
    return point;
}

static bool is_inside(const tal_site_frame *frame, const tal_las_point *point) {
    return point->x >= frame->west && point->x < frame->west + frame->width &&
           point->y >= frame->south && point->y < frame->south + frame->height;
}

// Returns the number of echoes; none when one of them lies outside the site, so that the numbers of
// returns in the file stay right.
static int shoot(const flight *plan, int strip, int64_t line, int64_t pulse, measured *out) {
    const shot made = aim(plan, strip, line, pulse);
    tal_ground_hit ground;
    echo echoes[ECHOES_MAX];
    if (!tal_scan_scene_find_ground(plan->scene, &made.ray, &ground)) {
        return 0;
    }
    const int count = echoes_of_pulse(plan, &made, &ground, echoes);
    for (int i = 0; i < count; i++) {
        out[i].point = measure(plan, &made, &ground, &echoes[i], i);
        out[i].point.return_number = (uint8_t)(i + 1);
        out[i].point.return_count = (uint8_t)count;
        out[i].kind = echoes[i].kind;
        if (!is_inside(&plan->scene->frame, &out[i].point)) {
            return 0;
        }
    }
    return count;
}

static void book(tal_flight_summary *summary, int strip, const measured *echo_of, int count) {
    summary->pulse_count += count > 0;
    summary->several_echoes_count += count > 1 ? (uint64_t)count : 0;
    summary->point_count += (uint64_t)count;
    summary->strip[strip].point_count += (uint64_t)count;
    for (int i = 0; i < count; i++) {
        const bool ground = echo_of[i].kind == ECHO_GROUND;
        const bool vegetation = echo_of[i].kind == ECHO_VEGETATION;
        summary->ground_count += ground;
        summary->vegetation_count += vegetation;
        summary->stray_count += !ground && !vegetation;
        summary->strip[strip].ground_count += ground;
    }
}

typedef struct {
    measured *echo_of; // ECHOES_MAX per pulse
    int *echo_count;   // per pulse
} batch;

static tal_status fly_strip(const flight *plan, int strip, batch *work, tal_flight_sink *sink,
                            void *context, tal_progress *progress, tal_error *err) {
    const int64_t lines_at_once = BATCH_PULSES / plan->pulse_count;
    for (int64_t first = 0; first < plan->line_count; first += lines_at_once) {
        const int64_t lines =
            plan->line_count - first < lines_at_once ? plan->line_count - first : lines_at_once;
        const int64_t pulses = lines * plan->pulse_count;
#pragma omp parallel for schedule(dynamic, 512)
        for (int64_t i = 0; i < pulses; i++) {
            work->echo_count[i] = shoot(plan, strip, first + i / plan->pulse_count,
                                        i % plan->pulse_count, work->echo_of + i * ECHOES_MAX);
        }
        for (int64_t i = 0; i < pulses; i++) {
            const measured *echo_of = work->echo_of + i * ECHOES_MAX;
            book(plan->summary, strip, echo_of, work->echo_count[i]);
            for (int k = 0; k < work->echo_count[i]; k++) {
                sink(context, &echo_of[k].point);
            }
        }
        TAL_TRY(tal_interrupt_check(err));
        tal_progress_advance(progress, (double)(strip * plan->line_count + first + lines));
    }
    return TAL_OK;
}

tal_status tal_flight_run(const tal_flight *survey, const tal_scan_scene *scene, uint64_t seed,
                          double density_scale, tal_flight_sink *sink, void *context,
                          tal_flight_summary *summary, tal_error *err) {
    *summary = (tal_flight_summary){0};
    TAL_ASSERT(survey->strip_count >= 1 && survey->strip_count <= TAL_STRIPS_MAX);
    draw_strips(survey, seed, summary);
    const flight plan = plan_flight(survey, scene, seed, density_scale, summary);
    if (plan.line_count >= (int64_t)1 << LINE_BITS || plan.pulse_count >= (int64_t)1
                                                                              << PULSE_BITS) {
        return TAL_FAIL(err, TAL_TOO_LARGE,
                        "density scale %g needs too many pulses. Choose a smaller one",
                        density_scale);
    }
    tal_status status = TAL_OK;
    tal_progress progress;
    batch work = {0};
    tal_progress_begin(&progress, survey->name, "scan lines",
                       (double)(plan.line_count * survey->strip_count));
    TAL_CREATE_OR_DONE(work.echo_of, (size_t)BATCH_PULSES * ECHOES_MAX, "echoes", err);
    TAL_CREATE_OR_DONE(work.echo_count, BATCH_PULSES, "counts of echoes", err);
    for (int strip = 0; strip < survey->strip_count; strip++) {
        TAL_TRY_OR_DONE(fly_strip(&plan, strip, &work, sink, context, &progress, err));
    }
done:
    tal_progress_end(&progress, (double)(plan.line_count * survey->strip_count));
    tal_memory_destroy(work.echo_of);
    tal_memory_destroy(work.echo_count);
    return status;
}
