// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of a solid for the least processor of the kind (x86-64: SSE2).
#define KERNEL      tal_solid_kernel_plain
#define KERNEL_NAME "plain"
#include "solver/deformable/solid_loops.h"

const tal_solid_kernel *tal_solid_kernel_best(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        return &tal_solid_kernel_avx2;
    }
#endif
    return &tal_solid_kernel_plain;
}
