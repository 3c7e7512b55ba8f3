// SPDX-License-Identifier: GPL-3.0-or-later
// Counter-based random numbers.
#include "core/base/random.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

static const double TWO_PI = 6.283185307179586476925286766559;

void tal_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        const uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

tal_random tal_random_stream(uint64_t seed, uint32_t run, const char *stream_name) {
    uint32_t hash = 2166136261u; // FNV-1a
    for (const char *c = stream_name; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    }
    return (tal_random){.seed = seed, .run = run, .stream = hash};
}

static void random_block(tal_random random, uint64_t draw, uint32_t out[4]) {
    const uint32_t counter[4] = {(uint32_t)draw, (uint32_t)(draw >> 32), random.run, random.stream};
    const uint32_t key[2] = {(uint32_t)random.seed, (uint32_t)(random.seed >> 32)};
    tal_random_philox(counter, key, out);
}

static uint64_t join(uint32_t low, uint32_t high) {
    return (uint64_t)high << 32 | low;
}

static double to_unit(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

uint64_t tal_random_bits(tal_random random, uint64_t draw) {
    uint32_t out[4];
    random_block(random, draw, out);
    return join(out[0], out[1]);
}

double tal_random_uniform(tal_random random, uint64_t draw) {
    return to_unit(tal_random_bits(random, draw));
}

double tal_random_normal(tal_random random, uint64_t draw) {
    uint32_t out[4];
    random_block(random, draw, out);
    const double radius = sqrt(-2.0 * log1p(-to_unit(join(out[0], out[1]))));
    return radius * cos(TWO_PI * to_unit(join(out[2], out[3]))); // Box and Muller
}

double tal_random_exponential(tal_random random, uint64_t draw) {
    return -log1p(-tal_random_uniform(random, draw));
}

uint64_t tal_random_below(tal_random random, uint64_t draw, uint64_t bound) {
    // Multiply-shift; the bias is below bound / 2^64.
    return (uint64_t)(((wide)tal_random_bits(random, draw) * bound) >> 64);
}

void tal_random_direction(tal_random random, uint64_t draw, double unit_vector[3]) {
    uint32_t out[4];
    random_block(random, draw, out);
    const double z = 2.0 * to_unit(join(out[0], out[1])) - 1.0;
    const double angle = TWO_PI * to_unit(join(out[2], out[3]));
    const double radius = sqrt(fmax(0.0, 1.0 - z * z));
    unit_vector[0] = radius * cos(angle);
    unit_vector[1] = radius * sin(angle);
    unit_vector[2] = z;
}
