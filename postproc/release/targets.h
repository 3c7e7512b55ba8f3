// SPDX-License-Identifier: GPL-3.0-or-later
// Roads, houses, planned barriers: which rocks come to them, and how.
#ifndef TALUS_POSTPROC_RELEASE_TARGETS_H
#define TALUS_POSTPROC_RELEASE_TARGETS_H

#include "core/geo/features.h"
#include "postproc/release/way.h"

// The first time a rock meets a target: crosses a line, enters a polygon or starts in it.
typedef struct {
    int64_t rock;
    tal_way_point at;
    double mass;
} tal_crossing;

typedef struct {
    char name[TAL_LABEL_SIZE];
    tal_features place;
    int64_t count, room;
    tal_crossing *crossing; // in the order of the rocks
} tal_target;

// What became of the rocks that met a barrier.
typedef struct {
    char name[TAL_LABEL_SIZE];
    double height_m, capacity_kj;
    tal_features place;
    int64_t held, broken, over;
    int64_t count;
    double *energy_kj, *height; // of all that met it
} tal_barrier_record;

typedef struct {
    int target_count, barrier_count;
    tal_target target[TAL_REPEAT_MAX];
    tal_barrier_record barrier[TAL_REPEAT_MAX];
} tal_targets;

tal_status tal_targets_create(tal_targets *targets, tal_rocks *rocks, const tal_settings *settings,
                              const tal_features_frame *frame, tal_error *err);
void tal_targets_destroy(tal_targets *targets);

// Columns of the tables, by quantity.
typedef enum {
    TAL_AT_ENERGY,   // kJ
    TAL_AT_VELOCITY, // m/s
    TAL_AT_JUMP,     // m, lowest point above the ground
    TAL_AT_HEIGHT,   // m, centroid above the ground
    TAL_AT_SPIN,     // rad/s
    TAL_AT_QUANTITIES
} tal_at_quantity;

typedef struct {
    const char *key, *name, *unit;
    const char *column; // of crossings.csv and of observed passages
} tal_at_notes;
extern const tal_at_notes tal_at_quantity_notes[TAL_AT_QUANTITIES];
double tal_crossing_value(const tal_crossing *crossing, tal_at_quantity quantity);
// Over the rocks that came; NaN where none did.
tal_status tal_target_percentile(const tal_target *target, tal_at_quantity quantity, double percent,
                                 double *value, tal_error *err);

#endif
