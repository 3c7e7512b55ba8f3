// SPDX-License-Identifier: GPL-3.0-or-later
// Two threads that add to one number: the thread sanitizer must say so. Beside it the same done rightly,
// with a barrier in between, of which it must say nothing.
#include <stdio.h>

static double wrong, right[2];

int main(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int k = 0; k < 2; k++) {
            right[k] = k;
        }
#pragma omp for
        for (int k = 0; k < 2; k++) {
            right[1 - k] += 1.0;
        }
    }
    printf("%g %g\n", right[0], right[1]);
    fflush(stdout);
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int k = 0; k < 20000; k++) {
        wrong += 1.0;
    }
    printf("%g\n", wrong);
    return 0;
}
