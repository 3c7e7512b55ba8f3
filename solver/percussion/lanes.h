// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic of four lanes: the vectors of the compiler, and what they lack.
#ifndef TALUS_SOLVER_PERCUSSION_LANES_H
#define TALUS_SOLVER_PERCUSSION_LANES_H

#include "solver/percussion/batch.h"

#if defined __SSE2__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

// True is all bits set.
typedef long long lane_mask __attribute__((vector_size(TAL_LANES * sizeof(double))));

typedef struct {
    tal_lanes x, y, z;
} lanes3;

INLINE tal_lanes lanes_of(double value) {
    return (tal_lanes){value, value, value, value};
}

INLINE tal_lanes choose(lane_mask is, tal_lanes yes, tal_lanes no) {
#if defined __AVX2__
    return (tal_lanes)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)is);
#else
    return (tal_lanes)(((lane_mask)yes & is) | ((lane_mask)no & ~is));
#endif
}

INLINE tal_lanes absolute(tal_lanes a) {
    return (tal_lanes)((lane_mask)a & 0x7fffffffffffffffLL);
}

// Without AVX, GCC 12 takes comparisons of four lanes apart one by one: then they are made by halves.
#if defined __SSE2__ && !defined __AVX2__
typedef union {
    tal_lanes lanes;
    lane_mask mask;
    __m128d half[2];
} lane_halves;

#define BY_HALVES(a, b, instruction)                                                               \
    const lane_halves x = {.lanes = (a)}, y = {.lanes = (b)};                                      \
    const lane_halves made = {                                                                     \
        .half = {instruction(x.half[0], y.half[0]), instruction(x.half[1], y.half[1])}};           \
    return made.mask

INLINE lane_mask is_less(tal_lanes a, tal_lanes b) {
    BY_HALVES(a, b, _mm_cmplt_pd);
}
INLINE lane_mask is_at_most(tal_lanes a, tal_lanes b) {
    BY_HALVES(a, b, _mm_cmple_pd);
}
INLINE lane_mask is_equal(tal_lanes a, tal_lanes b) {
    BY_HALVES(a, b, _mm_cmpeq_pd);
}
INLINE tal_lanes square_root(tal_lanes a) {
    const lane_halves x = {.lanes = a};
    return (lane_halves){.half = {_mm_sqrt_pd(x.half[0]), _mm_sqrt_pd(x.half[1])}}.lanes;
}
INLINE int is_any(lane_mask a) {
    const lane_halves x = {.mask = a};
    return (_mm_movemask_pd(x.half[0]) | _mm_movemask_pd(x.half[1])) != 0;
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
    return (tal_lanes)_mm256_sqrt_pd((__m256d)a);
}
INLINE int is_any(lane_mask a) {
    return _mm256_movemask_pd((__m256d)a) != 0;
}
#else
INLINE tal_lanes square_root(tal_lanes a) {
    return (tal_lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}
INLINE int is_any(lane_mask a) {
    return (a[0] | a[1] | a[2] | a[3]) != 0;
}
#endif
#endif

INLINE tal_lanes larger_lanes(tal_lanes a, tal_lanes b) {
    return choose(is_less(b, a), a, b);
}

INLINE double sum_of(tal_lanes a) {
    return ((a[0] + a[1]) + a[2]) + a[3];
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
INLINE void transpose(tal_lanes row[4]) {
    const tal_lanes a = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    const tal_lanes b = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    const tal_lanes c = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    const tal_lanes d = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    row[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

#endif
