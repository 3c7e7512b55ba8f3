// SPDX-License-Identifier: GPL-3.0-or-later
// Ground classes by name, as practitioners of rockfall simulation know them: the numbers of the law `scar`
// (RAMMS::ROCKFALL; docs/guide.md, "Grounds", says where each comes from and how sure it is).
#ifndef TALUS_CORE_BASE_GROUNDS_H
#define TALUS_CORE_BASE_GROUNDS_H

// ROW(X, kind, word, friction, friction_max, growth per m, decay per s, drag per s)
#define TAL_GROUND_LIST(ROW, X)                                                                    \
    ROW(X, EXTRA_SOFT, "extra-soft", 0.20, 2.0, 1.0, 50.0, 0.9)                                    \
    ROW(X, SOFT, "soft", 0.25, 2.0, 1.25, 100.0, 0.8)                                              \
    ROW(X, MEDIUM_SOFT, "medium-soft", 0.30, 2.0, 1.5, 125.0, 0.7)                                 \
    ROW(X, MEDIUM, "medium", 0.35, 2.0, 2.0, 150.0, 0.6)                                           \
    ROW(X, MEDIUM_HARD, "medium-hard", 0.40, 2.0, 2.5, 175.0, 0.55)                                \
    ROW(X, HARD, "hard", 0.55, 2.0, 3.0, 185.0, 0.5)                                               \
    ROW(X, EXTRA_HARD, "extra-hard", 0.80, 2.0, 4.0, 200.0, 0.3)                                   \
    ROW(X, SNOW, "snow", 0.10, 0.35, 2.0, 150.0, 0.7)

#endif
