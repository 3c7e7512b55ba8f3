// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers as a pure function of (seed, run, stream, draw): Philox4x32-10 (Salmon, Moraes,
// Dror, Shaw 2011). There is no state to carry: adding a draw to one stream moves no other, and
// run 7041 can be replayed alone.
#ifndef TALUS_CORE_BASE_RANDOM_H
#define TALUS_CORE_BASE_RANDOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t seed;
    uint32_t run;
    uint32_t stream;
} tal_random;

// `stream_name` says what the numbers are for ("mesher/seeds", "ingest/variogram").
tal_random tal_random_stream(uint64_t seed, uint32_t run, const char *stream_name);

// The block function itself: four 32-bit words.
void tal_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

uint64_t tal_random_bits(tal_random random, uint64_t draw);
double tal_random_uniform(tal_random random, uint64_t draw);                 // [0, 1), 53 bits
double tal_random_normal(tal_random random, uint64_t draw);                  // mean 0, deviation 1
double tal_random_exponential(tal_random random, uint64_t draw);             // mean 1
uint64_t tal_random_below(tal_random random, uint64_t draw, uint64_t bound); // 0 .. bound-1
void tal_random_direction(tal_random random, uint64_t draw, double unit_vector[3]);

#ifdef __cplusplus
}
#endif

#endif
