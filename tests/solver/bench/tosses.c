// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the cube tosses for the figures of docs/validation:
//   solver_tosses DATA end [key=value]...    a line per toss: errors at its last frame
//   solver_tosses DATA way [key=value]...    a line per frame: quartiles over the tosses
//   solver_tosses DATA median [key=value]... one line: medians at the last frame
// Keys: law (coulomb, mixed), mu, e, et, steps, inertia, floor, start (0 first frame, 1 half a
// frame on, 2 flight), part (0 even tosses, 1 odd tosses).
#include "tests/solver/scenes/tosses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    toss_settings settings;
    int part;
} options;

static int set_option(options *o, const char *word) {
    const char *value = strchr(word, '=');
    if (value == NULL) {
        return 1;
    }
    const size_t length = (size_t)(value++ - word);
    const double number = strtod(value, NULL);
    const struct {
        const char *key;
        double *target;
    } reals[] = {{"mu", &o->settings.law.friction},
                 {"e", &o->settings.law.restitution},
                 {"et", &o->settings.law.tangential_restitution},
                 {"inertia", &o->settings.inertia},
                 {"floor", &o->settings.floor}};
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++) {
        if (strlen(reals[k].key) == length && strncmp(word, reals[k].key, length) == 0) {
            *reals[k].target = number;
            return 0;
        }
    }
    if (strncmp(word, "law=", 4) == 0) {
        o->settings.law.kind = strcmp(value, "mixed") == 0 ? TAL_LAW_ACD2_COULOMB : TAL_LAW_COULOMB;
    } else if (strncmp(word, "steps=", 6) == 0) {
        o->settings.steps_per_frame = (int)number;
    } else if (strncmp(word, "start=", 6) == 0) {
        o->settings.start = (toss_start)(int)number;
    } else if (strncmp(word, "part=", 5) == 0) {
        o->part = (int)number;
    } else {
        return 1;
    }
    return 0;
}

typedef struct {
    int32_t count;
    toss_error *error; // TOSS_FRAMES_MAX per toss
    int32_t *frames;
} results;

static tal_status run_all(const tosses *t, const options *o, results *r, tal_error *err) {
    static toss_frame path[TOSS_FRAMES_MAX];
    r->count = 0;
    for (int32_t k = 0; k < t->toss_count; k++) {
        if (o->part >= 0 && k % 2 != o->part) {
            continue;
        }
        TAL_TRY(tosses_run(t, k, &o->settings, path, err));
        const int32_t frames = t->start[k + 1] - t->start[k];
        for (int32_t f = 0; f < frames; f++) {
            r->error[TOSS_FRAMES_MAX * r->count + f] =
                tosses_compare(&t->frame[t->start[k] + f], &path[f]);
        }
        r->frames[r->count++] = frames;
    }
    return TAL_OK;
}

// The quartile `q` of 0 to 4 over the first `count` numbers.
static double quartile(const double *sorted, int32_t count, int q) {
    const double at = 0.25 * q * (count - 1);
    const int32_t below = (int32_t)floor(at);
    const double share = at - below;
    return share > 0.0 ? (1.0 - share) * sorted[below] + share * sorted[below + 1] : sorted[below];
}

static void print_way(const tosses *t, const results *r, double *number) {
    printf("# time_s position_width: quartiles 1 2 3, angle_deg: quartiles 1 2 3, tosses\n");
    for (int32_t f = 0; f < TOSS_FRAMES_MAX; f++) {
        double line[6];
        int32_t count = 0;
        for (int what = 0; what < 2; what++) {
            count = 0;
            for (int32_t k = 0; k < r->count; k++) {
                const toss_error *e = &r->error[TOSS_FRAMES_MAX * k + f];
                if (f < r->frames[k]) {
                    number[count++] = what == 0 ? e->position : e->angle;
                }
            }
            if (2 * count < r->count) {
                return; // most tosses have ended
            }
            tosses_median(number, count); // sorts
            for (int q = 1; q <= 3; q++) {
                line[3 * what + q - 1] = quartile(number, count, q);
            }
        }
        printf("%.5f %.4f %.4f %.4f %.3f %.3f %.3f %d\n", f * t->frame_dt, line[0], line[1],
               line[2], line[3], line[4], line[5], count);
    }
}

static void print_end(const results *r) {
    printf("# position_width angle_deg\n");
    for (int32_t k = 0; k < r->count; k++) {
        const toss_error e = r->error[TOSS_FRAMES_MAX * k + r->frames[k] - 1];
        printf("%.5f %.4f\n", e.position, e.angle);
    }
}

static void print_median(const options *o, const results *r, double *number) {
    double median[2];
    for (int what = 0; what < 2; what++) {
        for (int32_t k = 0; k < r->count; k++) {
            const toss_error e = r->error[TOSS_FRAMES_MAX * k + r->frames[k] - 1];
            number[k] = what == 0 ? e.position : e.angle;
        }
        median[what] = tosses_median(number, r->count);
    }
    const tal_law *law = &o->settings.law;
    printf("%g %g %d %.4f %.3f\n", law->friction, law->restitution, o->settings.steps_per_frame,
           median[0], median[1]);
}

int main(int argc, char **argv) {
    tosses t;
    tal_error err = {0};
    if (argc < 3 || tosses_read(&t, argv[1], &err) != TAL_OK) {
        fprintf(stderr, "solver_tosses DATA end|way|median [key=value]... %s\n", err.text);
        return 2;
    }
    options o = {.settings = tosses_default(&t), .part = -1};
    for (int k = 3; k < argc; k++) {
        if (set_option(&o, argv[k]) != 0) {
            fprintf(stderr, "solver_tosses: '%s' is not known\n", argv[k]);
            return 2;
        }
    }
    const size_t tosses_max = (size_t)t.toss_count;
    results r = {.error = calloc(tosses_max * TOSS_FRAMES_MAX, sizeof *r.error),
                 .frames = calloc(tosses_max, sizeof *r.frames)};
    double *number = calloc(tosses_max, sizeof *number);
    if (r.error == NULL || r.frames == NULL || number == NULL ||
        run_all(&t, &o, &r, &err) != TAL_OK) {
        fprintf(stderr, "solver_tosses: %s\n", err.text);
        return 1;
    }
    if (strcmp(argv[2], "way") == 0) {
        print_way(&t, &r, number);
    } else if (strcmp(argv[2], "end") == 0) {
        print_end(&r);
    } else {
        print_median(&o, &r, number);
    }
    free(r.error);
    free(r.frames);
    free(number);
    tosses_destroy(&t);
    return 0;
}
