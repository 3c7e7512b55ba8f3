// SPDX-License-Identifier: GPL-3.0-or-later
// The shaken blocks in one kinematics: CPU seconds, contacts, sweeps, and the path of the top. Arguments, all
// optional: kinematics, end in s, tolerance, steps from line to line, step in s.
#include "tests/solver/scenes/three_blocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int count, char **word) {
    static const char *const NAME[] = {"floating-frame", "total-lagrangian", "corotational",
                                       "small",          "pseudo-rigid",     "rigid"};
    static three_blocks s;
    tal_error err;
    tal_report report;
    int kind = 0;
    for (int k = 0; count > 1 && k < 6; k++) {
        kind = strcmp(word[1], NAME[k]) == 0 ? k : kind;
    }
    const double dt = count > 5 ? atof(word[5]) : 1e-4;
    const double end = count > 2 ? atof(word[2]) : 1.5,
                 tolerance = count > 3 ? atof(word[3]) : 1e-5;
    tal_error_reset(&err);
    if (three_blocks_begin(&s, kind < 5 ? (tal_kinematics)kind : 0, kind == 5, dt, tolerance, 1,
                           &err) != TAL_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const int every = count > 4 ? atoi(word[4]) : 1000, steps = (int)lround(end / dt);
    double sweeps = 0.0, rounds = 0.0, defect = 0.0;
    int most = 0, most_rounds = 0;
    const clock_t start = clock();
    for (int n = 1; n <= steps; n++) {
        if (tal_step(s.model, s.state, &report, &err) != TAL_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        sweeps += report.iterations;
        rounds += report.settling_rounds;
        most = report.iterations > most ? report.iterations : most;
        most_rounds = report.settling_rounds > most_rounds ? report.settling_rounds : most_rounds;
        defect = fmax(defect, fabs(report.energy_defect_j));
        if (n % every == 0) {
            printf("%.4f %.6f  contacts %d active %d penetration %.2e unconverged %d\n",
                   report.time_s, three_blocks_top(&s), report.contact_count, report.active_count,
                   report.penetration_m, report.unconverged_count);
        }
    }
    const double cpu = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%s: %.3f ms per step, sweeps mean %.2f most %d, settling rounds mean %.2f most %d, "
           "energy defect %.2e J\n",
           NAME[kind], 1e3 * cpu / steps, sweeps / steps, most, rounds / steps, most_rounds,
           defect);
    three_blocks_end(&s);
    return 0;
}
