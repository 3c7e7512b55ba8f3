// SPDX-License-Identifier: GPL-3.0-or-later
// The tracked tosses of a real cube. Test code: it stops at the first failed allocation.
#define _POSIX_C_SOURCE 200809L // glob
#include "tests/solver/scenes/tosses.h"

#include "tests/solver/scenes/scene.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.295779513082323;

// Tracks sink up to 0.11 half widths into the plate: higher than this the cube flies.
static const double CLEAR_OF_THE_PLATE = 0.15;

// The number after "key": in a flat JSON text.
static tal_status read_number(const char *text, const char *key, const char *path, double *value,
                              tal_error *err) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    char *end = NULL;
    if (at != NULL) {
        at += strlen(quoted);
        *value = strtod(at, &end);
    }
    return at != NULL && end != at ? TAL_OK
                                   : TAL_FAIL(err, TAL_BAD_INPUT, "%s: no number %s", path, key);
}

static tal_status read_experiment(tosses *t, const char *directory, tal_error *err) {
    char path[1024], text[8192];
    snprintf(path, sizeof path, "%s/experiment.json", directory);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return TAL_FAIL(err, TAL_NOT_FOUND, "%s cannot be opened", path);
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    TAL_TRY(read_number(text, "dt", path, &t->frame_dt, err));
    TAL_TRY(read_number(text, "g", path, &t->gravity, err));
    TAL_TRY(read_number(text, "mass", path, &t->mass, err));
    TAL_TRY(read_number(text, "inertia", path, &t->inertia, err));
    TAL_TRY(read_number(text, "mu", path, &t->friction, err));
    return read_number(text, "restitution", path, &t->restitution, err);
}

static void *grown(void *memory, size_t count, size_t size) {
    void *larger = realloc(memory, count * size);
    if (larger == NULL) {
        abort();
    }
    return larger;
}

static void add_frame(tosses *t, const double v[16], int32_t *last_toss) {
    if ((t->frame_count & (t->frame_count - 1)) == 0) {
        t->frame = grown(t->frame, 2 * (size_t)t->frame_count + 1, sizeof *t->frame);
    }
    if ((int32_t)v[0] != *last_toss) {
        *last_toss = (int32_t)v[0];
        t->start = grown(t->start, (size_t)t->toss_count + 2, sizeof *t->start);
        t->start[t->toss_count++] = t->frame_count;
    }
    const tal_quat q = tal_quat_normalize((tal_quat){v[6], v[7], v[8], v[9]});
    t->frame[t->frame_count++] =
        (toss_frame){.position = {v[3], v[4], v[5]},
                     .orientation = q,
                     .velocity = {v[10], v[11], v[12]},
                     .spin = tal_quat_rotate(q, (tal_vec3){v[13], v[14], v[15]})};
    t->start[t->toss_count] = t->frame_count;
}

static tal_status read_tracks(tosses *t, const char *path, tal_error *err) {
    char line[1024];
    int32_t last_toss = -1;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return TAL_FAIL(err, TAL_NOT_FOUND, "%s cannot be opened", path);
    }
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        double v[16];
        char *at = line;
        int read = 0;
        for (char *end; read < 16; read++, at = *end == ',' ? end + 1 : end) {
            v[read] = strtod(at, &end);
            if (end == at) {
                break;
            }
        }
        if (read == 16) {
            add_frame(t, v, &last_toss);
        } else if (number > 1) {
            fclose(file);
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%d: not 16 numbers", path, number);
        }
        if (t->toss_count > 0 && t->frame_count - t->start[t->toss_count - 1] > TOSS_FRAMES_MAX) {
            fclose(file);
            return TAL_FAIL(err, TAL_TOO_LARGE, "%s:%d: a toss of more than %d frames", path,
                            number, (int)TOSS_FRAMES_MAX);
        }
    }
    fclose(file);
    return TAL_OK;
}

tal_status tosses_read(tosses *t, const char *directory, tal_error *err) {
    char pattern[1024];
    glob_t files;
    *t = (tosses){0};
    TAL_TRY(read_experiment(t, directory, err));
    snprintf(pattern, sizeof pattern, "%s/tosses-*.csv", directory);
    if (glob(pattern, 0, NULL, &files) != 0) { // sorted by name
        return TAL_FAIL(err, TAL_NOT_FOUND, "%s: there is no such file", pattern);
    }
    tal_status status = TAL_OK;
    for (size_t k = 0; k < files.gl_pathc && status == TAL_OK; k++) {
        status = read_tracks(t, files.gl_pathv[k], err);
    }
    globfree(&files);
    return status;
}

void tosses_destroy(tosses *t) {
    free(t->start);
    free(t->frame);
    *t = (tosses){0};
}

toss_settings tosses_default(const tosses *t) {
    return (toss_settings){
        .law = {.kind = TAL_LAW_COULOMB, .friction = t->friction, .restitution = t->restitution},
        .steps_per_frame = 8,
        .inertia = t->inertia};
}

toss_error tosses_compare(const toss_frame *a, const toss_frame *b) {
    const tal_quat turn = tal_quat_multiply(tal_quat_conjugate(a->orientation), b->orientation);
    const double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return (toss_error){0.5 * tal_vec3_length(tal_vec3_subtract(a->position, b->position)),
                        DEGREES * 2.0 * atan2(sine, fabs(turn.w))};
}

static double lowest_corner(const toss_frame *f) {
    const tal_mat3 r = tal_quat_matrix(f->orientation);
    return f->position.z - fabs(r.m[2][0]) - fabs(r.m[2][1]) - fabs(r.m[2][2]);
}

// The rotation that takes `from` to `to` within `time`, as a steady spin in world axes.
static tal_vec3 steady_spin(tal_quat from, tal_quat to, double time) {
    const tal_quat turn = tal_quat_multiply(to, tal_quat_conjugate(from));
    const tal_vec3 axis = {turn.x, turn.y, turn.z};
    const double sine = tal_vec3_length(axis), sign = turn.w < 0.0 ? -1.0 : 1.0;
    const double angle = 2.0 * atan2(sine, fabs(turn.w));
    return sine > 0.0 ? tal_vec3_scale(axis, sign * angle / (sine * time)) : (tal_vec3){0};
}

// Least squares of x(t) + g t^2/2 over the flight; the turn between its ends.
static toss_frame fit_flight(const tosses *t, const toss_frame *track, int32_t count) {
    int32_t n = 1;
    while (n < count && lowest_corner(&track[n]) > CLEAR_OF_THE_PLATE) {
        n++;
    }
    if (n < 3) {
        return track[0];
    }
    const double middle = 0.5 * (n - 1) * t->frame_dt;
    tal_vec3 mean = {0}, slope = {0};
    double weight = 0.0;
    for (int32_t f = 0; f < n; f++) {
        const double time = f * t->frame_dt;
        tal_vec3 x = track[f].position;
        x.z += 0.5 * t->gravity * time * time;
        mean = tal_vec3_add_scaled(mean, 1.0 / n, x);
        slope = tal_vec3_add_scaled(slope, time - middle, x);
        weight += (time - middle) * (time - middle);
    }
    toss_frame first = track[0];
    first.velocity = tal_vec3_scale(slope, 1.0 / weight);
    first.position = tal_vec3_add_scaled(mean, -middle, first.velocity);
    first.spin = steady_spin(track[0].orientation, track[n - 1].orientation, (n - 1) * t->frame_dt);
    return first;
}

static toss_frame start_of(const tosses *t, const toss_frame *track, int32_t count,
                           toss_start start) {
    toss_frame first = start == TOSS_FLIGHT ? fit_flight(t, track, count) : track[0];
    if (start == TOSS_HALF_FRAME_ON) {
        first.velocity.z -= 0.5 * t->gravity * t->frame_dt;
    }
    return first;
}

static void make_scene(const tosses *t, const toss_frame *first, const toss_settings *settings,
                       test_scene *scene) {
    test_scene_init(scene);
    scene->law = settings->law;
    scene->settings.dt_s = t->frame_dt / settings->steps_per_frame;
    scene->settings.gravity_mps2 = (tal_vec3){0.0, 0.0, -t->gravity};
    test_scene_set_plane(scene, (tal_vec3){0.0, 0.0, settings->floor}, (tal_vec3){0.0, 0.0, 1.0},
                         100.0);
    test_scene_add_box(scene, 2.0, 2.0, 2.0, first->position, first->orientation, t->mass / 8.0);
    scene->inertia[0] = (tal_vec3){settings->inertia, settings->inertia, settings->inertia};
    scene->velocity[0] = first->velocity;
    scene->spin[0] = first->spin;
}

tal_status tosses_run(const tosses *t, int32_t k, const toss_settings *settings, toss_frame *path,
                      tal_error *err) {
    const toss_frame *track = &t->frame[t->start[k]];
    const int32_t count = t->start[k + 1] - t->start[k];
    test_scene scene;
    tal_model *model = NULL;
    tal_state *state = NULL;
    tal_report report;
    const toss_frame first = start_of(t, track, count, settings->start);
    make_scene(t, &first, settings, &scene);
    tal_status status = test_scene_create_model(&scene, &model, err);
    if (status == TAL_OK) {
        status = tal_state_create(&state, model, 1, err);
    }
    for (int32_t f = 0; status == TAL_OK && f < count; f++) {
        for (int n = 0; status == TAL_OK && f > 0 && n < settings->steps_per_frame; n++) {
            status = tal_step(model, state, &report, err);
        }
        path[f] = (toss_frame){.position = tal_state_positions(state)[0],
                               .orientation = tal_state_orientations(state)[0],
                               .velocity = tal_state_velocities(state)[0],
                               .spin = tal_state_spins(state)[0]};
    }
    tal_state_destroy(state);
    tal_model_destroy(model);
    test_scene_destroy(&scene);
    return status;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tosses_median(double *number, int32_t count) {
    qsort(number, (size_t)count, sizeof *number, by_size);
    return count % 2 == 1 ? number[count / 2] : 0.5 * (number[count / 2 - 1] + number[count / 2]);
}
