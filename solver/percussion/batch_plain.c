// SPDX-License-Identifier: GPL-3.0-or-later
// The batch kernel for the least processor of the kind (x86-64: SSE2).
#define KERNEL      tal_batch_kernel_plain
#define KERNEL_NAME "plain"
#include "solver/percussion/batch_kernel.h"
