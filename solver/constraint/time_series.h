// SPDX-License-Identifier: GPL-3.0-or-later
// A number that changes with time, with its integrals: linear between the entries, before the first and
// after the last what these say. Two equal times make a jump.
#ifndef TALUS_SOLVER_CONSTRAINT_TIME_SERIES_H
#define TALUS_SOLVER_CONSTRAINT_TIME_SERIES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double time, value;
    double once, twice; // integrals from the first entry on
} tal_time_entry;

typedef struct {
    double value, once, twice;
} tal_time_values;

// How many of `count` rising times, `stride` bytes apart, are not later than `at`.
int32_t tal_times_until(const double *time, size_t stride, int32_t count, double at);

// Fills the integrals of entries whose times and values are known.
void tal_time_series_integrate(tal_time_entry *entry, int32_t count);

tal_time_values tal_time_series_at(const tal_time_entry *entry, int32_t count, double time);

#endif
