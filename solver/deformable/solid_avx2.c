// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of a solid, compiled for AVX2 (without fused multiply-add: the same bits).
#define KERNEL      tal_solid_kernel_avx2
#define KERNEL_NAME "avx2"
#include "solver/deformable/solid_loops.h"
