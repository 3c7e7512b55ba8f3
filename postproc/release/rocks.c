// SPDX-License-Identifier: GPL-3.0-or-later
// The rocks of a release from rocks.nc.
#include "postproc/release/rocks.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "postproc/measure/motion_limits.h"

#include <math.h>
#include <string.h>

enum { PIECE = 1 << 17 }; // moments read at once, about 13 MB

static bool is_whole(double value, double low, double high) {
    return value >= low && value <= high && value == floor(value);
}

// What each variable may hold, around the origin where it is a place. Rocks that are over the rim have no ground.
typedef struct {
    const char *name;
    double most;
    int axis; // 0 to 2: of the origin; -1: none
    bool may_be_nan;
} number_range;

static const number_range RANGES[] = {{"x", TAL_POSITION_MAX_M, 0, false},
                                      {"y", TAL_POSITION_MAX_M, 1, false},
                                      {"z", TAL_POSITION_MAX_M, 2, false},
                                      {"velocity", TAL_SPEED_MAX_MPS, -1, false},
                                      {"angular_velocity", TAL_SPIN_MAX_RADPS, -1, false},
                                      {"time", TAL_TIME_MAX_S, -1, false},
                                      {"drop", TAL_POSITION_MAX_M, -1, false},
                                      {"ground", TAL_POSITION_MAX_M, 2, true},
                                      {"rotation_energy", TAL_ENERGY_MAX_J, -1, false},
                                      {"meeting_x", TAL_POSITION_MAX_M, 0, false},
                                      {"meeting_y", TAL_POSITION_MAX_M, 1, false},
                                      {"meeting_z", TAL_POSITION_MAX_M, 2, false},
                                      {"meeting_height", TAL_POSITION_MAX_M, -1, true},
                                      {"meeting_energy", TAL_ENERGY_MAX_J, -1, false},
                                      {"meeting_taken", TAL_ENERGY_MAX_J, -1, true},
                                      {"mass", TAL_MASS_MAX_KG, -1, false},
                                      {"size", TAL_POSITION_MAX_M, -1, false},
                                      {"duration", TAL_TIME_MAX_S, -1, false}};

static const number_range *range_of(const char *name) {
    const number_range *range = RANGES;
    while (strcmp(range->name, name) != 0) {
        range++;
        TAL_ASSERT(range < RANGES + sizeof RANGES / sizeof *RANGES);
    }
    return range;
}

// `width` numbers of each of the `count` things that are called `what`, of which the first is number `first`.
static tal_status check_numbers(const tal_rocks *r, const char *name, const double *value,
                                size_t count, size_t width, const char *what, size_t first,
                                tal_error *err) {
    const number_range *range = range_of(name);
    const int64_t origin[3] = {r->origin.east, r->origin.north, r->origin.height};
    const double centre = range->axis >= 0 ? (double)origin[range->axis] : 0.0;
    for (size_t i = 0; i < count * width; i++) {
        const bool is_fine =
            isnan(value[i]) ? range->may_be_nan : fabs(value[i] - centre) <= range->most;
        if (!is_fine) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: %s = %g of %s %zu is impossible: the file is damaged, or was made "
                            "for another study; run talus-solve again",
                            r->file.path, name, value[i], what, first + i / width);
        }
    }
    return TAL_OK;
}

static tal_status read_meeting_count(tal_rocks *r, tal_error *err) {
    double count = 0.0;
    TAL_TRY(tal_netcdf_get_real(&r->file, NULL, "meeting_count", &count, err));
    if (!is_whole(count, 0.0, INT32_MAX)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: meeting_count = %g is no number of meetings: the file is damaged; run "
                        "talus-solve again",
                        r->file.path, count);
    }
    r->meeting_count = (int64_t)count;
    return TAL_OK;
}

static tal_status read_meetings(tal_rocks *r, tal_error *err) {
    static const char *const names[] = {
        "meeting_rock", "meeting_kind", "meeting_number", "meeting_outcome", "meeting_x",
        "meeting_y",    "meeting_z",    "meeting_height", "meeting_energy",  "meeting_taken"};
    double *column = NULL;
    tal_status status = TAL_OK;
    TAL_TRY(read_meeting_count(r, err));
    const size_t n = (size_t)r->meeting_count, start = 0;
    TAL_CREATE(r->meeting, n + 1, "meetings", err);
    TAL_CREATE(column, n + 1, "meetings", err);
    for (size_t k = 0; n > 0 && k < sizeof names / sizeof *names; k++) {
        TAL_TRY_OR_DONE(tal_netcdf_get_slab(&r->file, names[k], 1, &start, &n, column, err));
        if (k >= 4) {
            TAL_TRY_OR_DONE(check_numbers(r, names[k], column, n, 1, "meeting", 0, err));
        }
        for (size_t i = 0; i < n; i++) {
            tal_rocks_meeting *m = &r->meeting[i];
            int32_t *const whole[4] = {&m->rock, &m->kind, &m->number, &m->outcome};
            double *const real[6] = {&m->position[0], &m->position[1], &m->position[2],
                                     &m->height,      &m->energy,      &m->taken};
            if (k < 4 && !is_whole(column[i], INT32_MIN, INT32_MAX)) {
                status = TAL_FAIL(err, TAL_BAD_INPUT,
                                  "%s: %s = %g of meeting %zu is no whole number: the file is "
                                  "damaged; run talus-solve again",
                                  r->file.path, names[k], column[i], i);
                goto done;
            }
            if (k < 4) {
                *whole[k] = (int32_t)column[i];
            } else {
                *real[k - 4] = column[i];
            }
        }
    }
done:
    tal_memory_destroy(column);
    return status;
}

// Memory is taken by what the rocks say of their ways: it must be there to be read.
static tal_status check_samples(tal_rocks *r, tal_error *err) {
    size_t length = 0;
    TAL_TRY(tal_netcdf_get_length(&r->file, "sample", &length, err));
    return (uint64_t)r->first[r->count] <= length
               ? TAL_OK
               : TAL_FAIL(
                     err, TAL_BAD_INPUT,
                     "%s: sample_count adds up to %lld, and there are %zu samples: the file is "
                     "damaged; run talus-solve again",
                     r->file.path, (long long)r->first[r->count], length);
}

static tal_status read_rocks(tal_rocks *r, tal_error *err) {
    size_t count = 0;
    int32_t *samples = NULL;
    TAL_TRY(tal_netcdf_get_length(&r->file, "rock", &count, err));
    r->count = (int64_t)count;
    TAL_CREATE(r->mass, count, "rocks", err);
    TAL_CREATE(r->size, count, "rocks", err);
    TAL_CREATE(r->duration, count, "rocks", err);
    TAL_CREATE(r->end, count, "rocks", err);
    TAL_CREATE(r->stem_count, count, "rocks", err);
    TAL_CREATE(r->block, count, "rocks", err);
    TAL_CREATE(r->first, count + 1, "rocks", err);
    static const char *const names[3] = {"mass", "size", "duration"};
    double *const columns[3] = {r->mass, r->size, r->duration};
    for (int k = 0; k < 3; k++) {
        TAL_TRY(tal_netcdf_get_doubles(&r->file, names[k], columns[k], count, err));
        TAL_TRY(check_numbers(r, names[k], columns[k], count, 1, "rock", 0, err));
    }
    TAL_TRY(tal_netcdf_get_ints(&r->file, "end", r->end, count, err));
    TAL_TRY(tal_netcdf_get_ints(&r->file, "stem_count", r->stem_count, count, err));
    TAL_TRY(tal_netcdf_get_ints(&r->file, "block", r->block, count, err));
    TAL_CREATE(samples, count, "rocks", err);
    const tal_status status = tal_netcdf_get_ints(&r->file, "sample_count", samples, count, err);
    for (size_t k = 0; status == TAL_OK && k < count; k++) {
        r->first[k + 1] = r->first[k] + (samples[k] > 0 ? samples[k] : 0);
    }
    tal_memory_destroy(samples);
    return status == TAL_OK ? check_samples(r, err) : status;
}

tal_status tal_rocks_open(tal_rocks *r, const char *path, const tal_origin *origin,
                          tal_error *err) {
    *r = (tal_rocks){.origin = *origin, .file = {.id = -1}};
    TAL_TRY(tal_netcdf_open(&r->file, path, err));
    tal_status status = read_rocks(r, err);
    status = status == TAL_OK ? read_meetings(r, err) : status;
    for (int64_t i = 0; status == TAL_OK && i < r->meeting_count; i++) {
        r->meeting[i].position[0] -= (double)origin->east;
        r->meeting[i].position[1] -= (double)origin->north;
        r->meeting[i].position[2] -= (double)origin->height;
    }
    if (status != TAL_OK) {
        tal_rocks_close(r);
    }
    return status;
}

void tal_rocks_close(tal_rocks *r) {
    if (r->file.id >= 0) {
        tal_netcdf_close(&r->file);
    }
    void *const arrays[] = {r->mass,       r->size,  r->duration, r->end,
                            r->stem_count, r->block, r->first,    r->meeting};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        tal_memory_destroy(arrays[k]);
    }
    *r = (tal_rocks){.file = {.id = -1}};
}

// --- ways ---

typedef struct {
    tal_rocks_moment *moment;
    double *column; // three numbers per moment
    size_t room;
} piece;

static tal_status reserve(piece *p, size_t count, tal_error *err) {
    count = count > 0 ? count : 1; // ways without a moment have a place, too
    if (count > p->room) {
        TAL_GROW(p->moment, p->room, count, "trajectories", err);
        TAL_GROW(p->column, 3 * p->room, 3 * count, "trajectories", err);
        p->room = count;
    }
    return TAL_OK;
}

// One variable of `width` numbers into the member of the moments that `at` names.
static tal_status read_column(tal_rocks *r, piece *p, const char *name, size_t first, size_t count,
                              size_t width, tal_error *err) {
    const size_t start[2] = {first, 0}, counts[2] = {count, width};
    TAL_TRY(tal_netcdf_get_slab(&r->file, name, width > 1 ? 2 : 1, start, counts, p->column, err));
    return check_numbers(r, name, p->column, count, width, "sample", first, err);
}

static tal_status read_piece(tal_rocks *r, piece *p, size_t first, size_t count, tal_error *err) {
    static const char *const axis[3] = {"x", "y", "z"};
    const double zero[3] = {(double)r->origin.east, (double)r->origin.north,
                            (double)r->origin.height};
    TAL_TRY(reserve(p, count, err));
    for (size_t k = 0; k < 3; k++) {
        TAL_TRY(read_column(r, p, axis[k], first, count, 1, err));
        for (size_t i = 0; i < count; i++) {
            p->moment[i].position[k] = p->column[i] - zero[k];
        }
    }
    TAL_TRY(read_column(r, p, "velocity", first, count, 3, err));
    for (size_t i = 0; i < 3 * count; i++) {
        p->moment[i / 3].velocity[i % 3] = p->column[i];
    }
    TAL_TRY(read_column(r, p, "angular_velocity", first, count, 3, err));
    for (size_t i = 0; i < count; i++) {
        const double *w = &p->column[3 * i];
        p->moment[i].spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
    static const struct {
        const char *name;
        size_t offset;
    } single[] = {{"time", offsetof(tal_rocks_moment, time)},
                  {"drop", offsetof(tal_rocks_moment, drop)},
                  {"ground", offsetof(tal_rocks_moment, ground)},
                  {"rotation_energy", offsetof(tal_rocks_moment, rotation)}};
    for (size_t k = 0; k < sizeof single / sizeof *single; k++) {
        TAL_TRY(read_column(r, p, single[k].name, first, count, 1, err));
        for (size_t i = 0; i < count; i++) {
            char *moment = (char *)&p->moment[i];
            *(double *)(void *)(moment + single[k].offset) = p->column[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        p->moment[i].ground -= zero[2];
    }
    return TAL_OK;
}

tal_status tal_rocks_walk(tal_rocks *r, tal_rocks_visit *visit, void *context, tal_error *err) {
    piece p = {0};
    tal_status status = TAL_OK;
    for (int64_t begin = 0, end; begin < r->count; begin = end) {
        TAL_TRY_OR_DONE(tal_interrupt_check(err));
        for (end = begin + 1; end < r->count && r->first[end + 1] - r->first[begin] <= PIECE;) {
            end++;
        }
        const size_t first = (size_t)r->first[begin];
        TAL_TRY_OR_DONE(read_piece(r, &p, first, (size_t)r->first[end] - first, err));
        for (int64_t k = begin; k < end; k++) {
            TAL_TRY_OR_DONE(visit(context, k, p.moment + (r->first[k] - r->first[begin]),
                                  (int32_t)(r->first[k + 1] - r->first[k]), err));
        }
    }
done:
    tal_memory_destroy(p.moment);
    tal_memory_destroy(p.column);
    return status;
}
