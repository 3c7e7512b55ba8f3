// SPDX-License-Identifier: GPL-3.0-or-later
// rocks.nc: trajectories as CF contiguous ragged arrays, written in slabs.
#include "solver/program/release/rocks_file.h"

#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SLAB = 65536, WIDE = 4 };

// One variable of the file, and where its value stands.
typedef struct {
    const char *name, *units, *sentence;
    tal_nc_type type;
    int width;     // values per item: 1, 3 or 4
    size_t offset; // of the first in its struct
    bool is_real;  // a double; else int32, int64 or float, by `type`
} column;

#define S(member) offsetof(tal_rock_summary, member)
static const column ROCK[] = {
    {"rock", "1", "number of the rock", TAL_NC_INT64, 1, S(number), false},
    {"sample_count", "1", "samples of the rock", TAL_NC_INT, 1, S(sample_count), false},
    {"block", "1", "block of blocks.nc that gave its form", TAL_NC_INT, 1, S(block), false},
    {"end", "1", "how it ended", TAL_NC_INT, 1, S(end), false},
    {"barrier", "1", "barrier that stopped it, -1: none", TAL_NC_INT, 1, S(barrier), false},
    {"stem_count", "1", "stems it hit", TAL_NC_INT, 1, S(stem_count), false},
    {"size", "m", "cube root of the volume", TAL_NC_DOUBLE, 1, S(size), true},
    {"mass", "kg", "mass", TAL_NC_DOUBLE, 1, S(mass), true},
    {"duration", "s", "time until it last moved", TAL_NC_DOUBLE, 1, S(duration), true},
};
#undef S
#define M(member) offsetof(tal_fall_sample, member)
static const column SAMPLE[] = {
    {"time", "s", "time since the release", TAL_NC_FLOAT, 1, M(time), false},
    {"x", "m", "easting of the centroid", TAL_NC_DOUBLE, 1, M(position[0]), false},
    {"y", "m", "northing of the centroid", TAL_NC_DOUBLE, 1, M(position[1]), false},
    {"z", "m", "height of the centroid", TAL_NC_DOUBLE, 1, M(position[2]), false},
    {"orientation", "1", "quaternion body to world, scalar first", TAL_NC_FLOAT, 4, M(orientation),
     false},
    {"velocity", "m s-1", "velocity of the centroid", TAL_NC_FLOAT, 3, M(velocity), false},
    {"angular_velocity", "rad s-1", "angular velocity, world axes", TAL_NC_FLOAT, 3, M(spin),
     false},
    {"drop", "m", "from the centroid down to the lowest point", TAL_NC_FLOAT, 1, M(drop), false},
    {"ground", "m", "height of the ground below the centroid", TAL_NC_DOUBLE, 1, M(ground), false},
    {"rotation_energy", "J", "kinetic energy of rotation", TAL_NC_FLOAT, 1, M(rotation), false},
};
#undef M
#define E(member) offsetof(tal_rock_meeting, member)
static const column MEETING[] = {
    {"meeting_kind", "1", "what the rock met", TAL_NC_INT, 1, E(kind), false},
    {"meeting_number", "1", "number of the barrier or stem", TAL_NC_INT, 1, E(number), false},
    {"meeting_outcome", "1", "what came of it", TAL_NC_INT, 1, E(outcome), false},
    {"meeting_time", "s", "time since the release", TAL_NC_FLOAT, 1, E(time), false},
    {"meeting_x", "m", "easting of the centroid", TAL_NC_DOUBLE, 1, E(position[0]), false},
    {"meeting_y", "m", "northing of the centroid", TAL_NC_DOUBLE, 1, E(position[1]), false},
    {"meeting_z", "m", "height of the centroid", TAL_NC_DOUBLE, 1, E(position[2]), false},
    {"meeting_height", "m", "height of the centroid above the ground", TAL_NC_FLOAT, 1, E(height),
     false},
    {"meeting_energy", "J", "kinetic energy before", TAL_NC_FLOAT, 1, E(energy), false},
    {"meeting_taken", "J", "kinetic energy taken", TAL_NC_FLOAT, 1, E(taken), false},
};
#undef E

enum { COLUMNS_MAX = 16 };

// The rows of one dimension while they gather to a slab.
typedef struct {
    const column *columns;
    int column_count, dimension;
    int variable[COLUMNS_MAX];
    size_t item_size;
    unsigned char *items;
    size_t count, written;
} table;

typedef struct {
    tal_netcdf file;
    const tal_rocks_notes *notes;
    table rock, sample, meeting;
    int meeting_rock; // variable: the rock of a meeting
    double *slab;
    double *owner; // of the meetings at hand
    tal_release_summary *summary;
} writer;

static double origin_of(const writer *w, const char *name) {
    const double *origin = w->notes->scene->origin_m;
    if (strcmp(name, "ground") == 0) {
        return origin[2];
    }
    static const char prefix[] = "meeting_";
    const bool has_prefix = strncmp(name, prefix, sizeof prefix - 1) == 0;
    const char *last = has_prefix ? name + sizeof prefix - 1 : name;
    return strlen(last) != 1 ? 0.0
           : last[0] == 'x'  ? origin[0]
           : last[0] == 'y'  ? origin[1]
           : last[0] == 'z'  ? origin[2]
                             : 0.0;
}

static double value_of(const column *c, const unsigned char *item, int k) {
    const unsigned char *at = item + c->offset;
    return c->is_real                ? ((const double *)(const void *)at)[k]
           : c->type == TAL_NC_INT64 ? (double)((const int64_t *)(const void *)at)[k]
           : c->type == TAL_NC_INT   ? (double)((const int32_t *)(const void *)at)[k]
                                     : (double)((const float *)(const void *)at)[k];
}

static void put_column(writer *w, const table *t, int number) {
    const column *c = &t->columns[number];
    const double add = c->type == TAL_NC_DOUBLE ? origin_of(w, c->name) : 0.0;
    const size_t width = (size_t)c->width;
    for (size_t i = 0; i < t->count; i++) {
        for (size_t k = 0; k < width; k++) {
            w->slab[i * width + k] = value_of(c, t->items + i * t->item_size, (int)k) + add;
        }
    }
    const size_t start[2] = {t->written, 0}, count[2] = {t->count, width};
    tal_netcdf_put_slab(&w->file, t->variable[number], start, count, w->slab);
}

static void flush(writer *w, table *t) {
    for (int k = 0; t->count > 0 && k < t->column_count; k++) {
        put_column(w, t, k);
    }
    if (t == &w->meeting && t->count > 0) {
        tal_netcdf_put_slab(&w->file, w->meeting_rock, &t->written, &t->count, w->owner);
    }
    t->written += t->count;
    t->count = 0;
}

static void add_item(writer *w, table *t, const void *item, double owner) {
    if (t->count == SLAB) {
        flush(w, t);
    }
    if (t == &w->meeting) {
        w->owner[t->count] = owner;
    }
    const unsigned char *from = item;
    for (size_t k = 0; k < t->item_size; k++) {
        t->items[t->count * t->item_size + k] = from[k];
    }
    t->count++;
}

static tal_status add_rock(void *context, const tal_fallen_rock *rock, tal_error *err) {
    writer *w = context;
    const tal_rock_summary *s = &rock->summary;
    tal_release_summary *sum = w->summary;
    (void)err;
    add_item(w, &w->rock, s, 0.0);
    for (int32_t k = 0; k < s->sample_count; k++) {
        add_item(w, &w->sample, &rock->sample[k], 0.0);
    }
    for (int32_t k = 0; k < s->meeting_count; k++) {
        add_item(w, &w->meeting, &rock->meeting[k], (double)s->number);
    }
    sum->rock_count++;
    sum->by_end[s->end]++;
    sum->sample_count += s->sample_count;
    sum->step_count += s->step_count;
    sum->unconverged_steps += s->unconverged_count;
    sum->stem_hits += s->stem_count;
    sum->penetration_max = fmax(sum->penetration_max, s->penetration);
    sum->duration_max = fmax(sum->duration_max, s->duration);
    return TAL_OK;
}

static tal_status define(writer *w, table *t, const char *dimension, int64_t count,
                         const int wide[WIDE + 1], tal_error *err) {
    t->dimension = tal_netcdf_dimension(&w->file, dimension, (size_t)(count > 0 ? count : 1));
    for (int k = 0; k < t->column_count; k++) {
        const column *c = &t->columns[k];
        const int dimensions[2] = {t->dimension, wide[c->width]};
        t->variable[k] = tal_netcdf_variable(&w->file, c->name, c->type, c->width > 1 ? 2 : 1,
                                             dimensions, c->units, c->sentence);
        tal_netcdf_compress(&w->file, t->variable[k], NULL);
    }
    TAL_CREATE(t->items, SLAB * t->item_size, "the trajectories", err);
    return TAL_OK;
}

static void describe(writer *w) {
    static const int32_t ends[] = {0, 1, 2, 3};
    const double *origin = w->notes->scene->origin_m;
    tal_netcdf *file = &w->file;
    tal_netcdf_text(file, w->rock.variable[0], "cf_role", "trajectory_id");
    tal_netcdf_text(file, w->rock.variable[1], "sample_dimension", "sample");
    tal_netcdf_integers(file, w->rock.variable[3], "flag_values", ends, 4);
    tal_netcdf_text(file, w->rock.variable[3], "flag_meanings",
                    "at_rest left_over_the_rim stopped_by_a_barrier still_moving");
    tal_netcdf_integers(file, w->meeting.variable[0], "flag_values", ends, 2);
    tal_netcdf_text(file, w->meeting.variable[0], "flag_meanings", "stem barrier");
    tal_netcdf_integers(file, w->meeting.variable[2], "flag_values", ends, 3);
    tal_netcdf_text(file, w->meeting.variable[2], "flag_meanings", "held broken_through over_it");
    tal_netcdf_text(file, TAL_NC_GLOBAL, "featureType", "trajectory");
    tal_netcdf_real(file, TAL_NC_GLOBAL, "origin_east_m", origin[0]);
    tal_netcdf_real(file, TAL_NC_GLOBAL, "origin_north_m", origin[1]);
    tal_netcdf_real(file, TAL_NC_GLOBAL, "origin_height_m", origin[2]);
    tal_netcdf_real(file, TAL_NC_GLOBAL, "dt_s", w->notes->settings->solve.dt_s);
    tal_netcdf_grid_mapping(file, w->notes->scene->crs);
}

static tal_status define_all(writer *w, const tal_rock_journal *journal, tal_error *err) {
    int wide[WIDE + 1] = {0};
    wide[3] = tal_netcdf_dimension(&w->file, "three", 3);
    wide[4] = tal_netcdf_dimension(&w->file, "four", 4);
    TAL_TRY(define(w, &w->rock, "rock", journal->rock_count, wide, err));
    TAL_TRY(define(w, &w->sample, "sample", journal->sample_count, wide, err));
    TAL_TRY(define(w, &w->meeting, "meeting", journal->meeting_count, wide, err));
    w->meeting_rock = tal_netcdf_variable(&w->file, "meeting_rock", TAL_NC_INT64, 1,
                                          &w->meeting.dimension, "1", "rock that met it");
    tal_netcdf_real(&w->file, TAL_NC_GLOBAL, "meeting_count", (double)journal->meeting_count);
    describe(w);
    TAL_CREATE(w->slab, (size_t)SLAB * WIDE, "the trajectories", err);
    TAL_CREATE(w->owner, SLAB, "the trajectories", err);
    return TAL_OK;
}

tal_status tal_rocks_file_write(tal_rock_journal *journal, const tal_rocks_notes *notes,
                                tal_release_summary *summary, tal_error *err) {
    static writer w; // large, and used by one thread only
    w = (writer){
        .notes = notes,
        .summary = summary,
        .rock = {ROCK, sizeof ROCK / sizeof *ROCK, .item_size = sizeof(tal_rock_summary)},
        .sample = {SAMPLE, sizeof SAMPLE / sizeof *SAMPLE, .item_size = sizeof(tal_fall_sample)},
        .meeting = {MEETING, sizeof MEETING / sizeof *MEETING,
                    .item_size = sizeof(tal_rock_meeting)}};
    *summary = (tal_release_summary){0};
    tal_status status = tal_netcdf_create(&w.file, notes->path, notes->overwrite,
                                          "Rocks of a release", notes->provenance, err);
    if (status != TAL_OK) {
        return status;
    }
    TAL_TRY_OR_DONE(define_all(&w, journal, err));
    TAL_TRY_OR_DONE(tal_rock_journal_visit(journal, add_rock, &w, err));
    flush(&w, &w.rock);
    flush(&w, &w.sample);
    flush(&w, &w.meeting);
    status = tal_netcdf_commit(&w.file, err);
done:
    if (status != TAL_OK) {
        tal_netcdf_discard(&w.file);
    }
    tal_memory_destroy(w.rock.items);
    tal_memory_destroy(w.sample.items);
    tal_memory_destroy(w.meeting.items);
    tal_memory_destroy(w.slab);
    tal_memory_destroy(w.owner);
    return status;
}
