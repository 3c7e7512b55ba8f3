// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic of eight lanes: the vectors of the compiler, and what they lack.
#ifndef TALUS_SOLVER_PERCUSSION_LANES_H
#define TALUS_SOLVER_PERCUSSION_LANES_H

#include "solver/percussion/batch.h"

#include <math.h>

#if defined __SSE2__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

// True is all bits set.
typedef int32_t lane_mask __attribute__((vector_size(TAL_LANES * sizeof(float))));

typedef struct {
    tal_lanes x, y, z;
} lanes3;

INLINE tal_lanes lanes_of(float value) {
    return (tal_lanes){value, value, value, value, value, value, value, value};
}

INLINE tal_lanes choose(lane_mask is, tal_lanes yes, tal_lanes no) {
#if defined __AVX2__
    return (tal_lanes)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)is);
#else
    return (tal_lanes)(((lane_mask)yes & is) | ((lane_mask)no & ~is));
#endif
}

INLINE tal_lanes absolute(tal_lanes a) {
    return (tal_lanes)((lane_mask)a & 0x7fffffff);
}

// Without AVX, GCC 12 takes comparisons of eight lanes apart one by one: then they are made by halves.
#if defined __SSE2__ && !defined __AVX2__
typedef union {
    tal_lanes lanes;
    lane_mask mask;
    __m128 half[2];
} lane_halves;

#define BY_HALVES(a, b, instruction)                                                               \
    const lane_halves x = {.lanes = (a)}, y = {.lanes = (b)};                                      \
    const lane_halves made = {                                                                     \
        .half = {instruction(x.half[0], y.half[0]), instruction(x.half[1], y.half[1])}};           \
    return made.mask

INLINE lane_mask is_less(tal_lanes a, tal_lanes b) {
    BY_HALVES(a, b, _mm_cmplt_ps);
}
INLINE lane_mask is_at_most(tal_lanes a, tal_lanes b) {
    BY_HALVES(a, b, _mm_cmple_ps);
}
INLINE lane_mask is_equal(tal_lanes a, tal_lanes b) {
    BY_HALVES(a, b, _mm_cmpeq_ps);
}
INLINE tal_lanes square_root(tal_lanes a) {
    const lane_halves x = {.lanes = a};
    return (lane_halves){.half = {_mm_sqrt_ps(x.half[0]), _mm_sqrt_ps(x.half[1])}}.lanes;
}
INLINE int is_any(lane_mask a) {
    const lane_halves x = {.mask = a};
    return (_mm_movemask_ps(x.half[0]) | _mm_movemask_ps(x.half[1])) != 0;
}
#else
INLINE lane_mask is_less(tal_lanes a, tal_lanes b) {
    return (lane_mask)(a < b);
}
INLINE lane_mask is_at_most(tal_lanes a, tal_lanes b) {
    return (lane_mask)(a <= b);
}
INLINE lane_mask is_equal(tal_lanes a, tal_lanes b) {
    return (lane_mask)(a == b);
}
#if defined __AVX2__
INLINE tal_lanes square_root(tal_lanes a) {
    return (tal_lanes)_mm256_sqrt_ps((__m256)a);
}
INLINE int is_any(lane_mask a) {
    return _mm256_movemask_ps((__m256)a) != 0;
}
#else
INLINE tal_lanes square_root(tal_lanes a) {
    tal_lanes root = a;
    for (int lane = 0; lane < TAL_LANES; lane++) {
        root[lane] = sqrtf(a[lane]);
    }
    return root;
}
INLINE int is_any(lane_mask a) {
    int any = 0;
    for (int lane = 0; lane < TAL_LANES; lane++) {
        any |= a[lane];
    }
    return any != 0;
}
#endif
#endif

INLINE tal_lanes larger_lanes(tal_lanes a, tal_lanes b) {
    return choose(is_less(b, a), a, b);
}

INLINE double sum_of(tal_lanes a) {
    double sum = 0.0;
    for (int lane = 0; lane < TAL_LANES; lane++) {
        sum += (double)a[lane];
    }
    return sum;
}

INLINE lanes3 lanes3_of(const tal_lanes a[3]) {
    return (lanes3){a[0], a[1], a[2]};
}
INLINE lanes3 add3(lanes3 a, lanes3 b) {
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}
INLINE lanes3 subtract3(lanes3 a, lanes3 b) {
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}
INLINE lanes3 add_scaled3(lanes3 a, tal_lanes s, lanes3 b) {
    return (lanes3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
INLINE tal_lanes dot3(lanes3 a, lanes3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
INLINE lanes3 cross3(lanes3 a, lanes3 b) {
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A symmetric matrix: xx xy xz yy yz zz.
INLINE lanes3 apply_symmetric(const tal_lanes m[6], lanes3 t) {
    return (lanes3){m[0] * t.x + m[1] * t.y + m[2] * t.z, m[1] * t.x + m[3] * t.y + m[4] * t.z,
                    m[2] * t.x + m[4] * t.y + m[5] * t.z};
}

// Rows become columns.
INLINE void transpose(tal_lanes row[8]) {
    tal_lanes pair[8], four[8];
    _Pragma("GCC unroll 4") for (int n = 0; n < 8; n += 2) {
        pair[n] = __builtin_shufflevector(row[n], row[n + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pair[n + 1] = __builtin_shufflevector(row[n], row[n + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    _Pragma("GCC unroll 2") for (int n = 0; n < 8; n += 4) {
        four[n] = __builtin_shufflevector(pair[n], pair[n + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        four[n + 1] = __builtin_shufflevector(pair[n], pair[n + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        four[n + 2] = __builtin_shufflevector(pair[n + 1], pair[n + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        four[n + 3] = __builtin_shufflevector(pair[n + 1], pair[n + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    _Pragma("GCC unroll 4") for (int n = 0; n < 4; n++) {
        row[n] = __builtin_shufflevector(four[n], four[n + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        row[n + 4] = __builtin_shufflevector(four[n], four[n + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#endif
