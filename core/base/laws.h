// SPDX-License-Identifier: GPL-3.0-or-later
// The laws there are: what the site file may say, and what callers of the library name them. What a law
// does stands in solver/law/law_<id>.c. A new law is one row here and that file.
#ifndef TALUS_CORE_BASE_LAWS_H
#define TALUS_CORE_BASE_LAWS_H

// ROW(X, kind, number, id, word): TAL_LAW_<kind> = number. Numbers stand in checkpoints: never change one.
#define TAL_LAW_LIST(ROW, X)                                                                       \
    /* acd2 at impacts, cut at the friction cone; dry friction elsewhere */                        \
    ROW(X, ACD2_COULOMB, 4, acd2_coulomb, "acd2+coulomb")                                          \
    /* Fremond's dissipative percussions, one-sided */                                             \
    ROW(X, ACD2, 1, acd2, "acd2")                                                                  \
    /* the same as printed in the thesis: can create energy */                                     \
    ROW(X, ACD2_PUBLISHED, 2, acd2_published, "acd2-published")                                    \
    /* Moreau-Jean: Newton restitution, dry friction, optional cohesion */                         \
    ROW(X, COULOMB, 3, coulomb, "coulomb")                                                         \
    /* spring and dashpot, dry friction */                                                         \
    ROW(X, PENALTY, 5, penalty, "penalty")                                                         \
    /* acd2+coulomb with a cone for the moment: resistance to rolling */                           \
    ROW(X, ROLLING, 8, rolling, "rolling")                                                         \
    /* the same with friction that grows with the scar a rock digs, and drag: soft ground */       \
    ROW(X, SCAR, 9, scar, "scar")                                                                  \
    /* the same with a rebound that falls with the energy of the impact per area */                \
    ROW(X, PLASTIC, 10, plastic, "plastic")                                                        \
    /* rolling, scar and plastic together */                                                       \
    ROW(X, GROUND, 11, ground, "ground")                                                           \
    /* friction that falls with the speed of sliding: rock avalanches */                           \
    ROW(X, SPEED_WEAKENING, 12, speed_weakening, "speed-weakening")                                \
    /* friction that falls with the way slid: rock that is ground up */                            \
    ROW(X, SLIP_WEAKENING, 13, slip_weakening, "slip-weakening")

// Laws that only callers of the library can choose.
#define TAL_LAW_LIST_OF_LIBRARY(ROW, X)                                                            \
    /* none: these surfaces go through each other (bodies only) */                                 \
    ROW(X, PASS, 6, pass, "pass")                                                                  \
    /* two-sided: the two points stay together (constraints, not surfaces) */                      \
    ROW(X, JOINT, 7, joint, "joint")

#endif
