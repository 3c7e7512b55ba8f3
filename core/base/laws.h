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
    ROW(X, PENALTY, 5, penalty, "penalty")

// Laws that only callers of the library can choose.
#define TAL_LAW_LIST_OF_LIBRARY(ROW, X)                                                            \
    /* none: these surfaces go through each other (bodies only) */                                 \
    ROW(X, PASS, 6, pass, "pass")                                                                  \
    /* two-sided: the two points stay together (constraints, not surfaces) */                      \
    ROW(X, JOINT, 7, joint, "joint")

#endif
