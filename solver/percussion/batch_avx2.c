// SPDX-License-Identifier: GPL-3.0-or-later
// The batch kernel, compiled for AVX2 (without fused multiply-add: the same bits).
#define KERNEL      tal_batch_kernel_avx2
#define KERNEL_NAME "avx2"
#include "solver/percussion/batch_kernel.h"
