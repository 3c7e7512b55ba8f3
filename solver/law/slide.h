// SPDX-License-Identifier: GPL-3.0-or-later
// How far a visit solves the sliding of a contact, one by one and in batches alike.
#ifndef TALUS_SOLVER_LAW_SLIDE_H
#define TALUS_SOLVER_LAW_SLIDE_H

// Relative accuracy to which one visit solves the sliding of a contact, and the most trials for it
// (each either Newton or a halving of the bracket). The last Newton step is kept for the next visit,
// so that sweeps converge to full accuracy although no visit pays for it.
#define TAL_SLIDE_ACCURACY 1e-4
enum { TAL_SLIDE_TRIALS_MAX = 100 };

// A contact that is pushed together no faster than this, m/s, is not: products of three such percussions would
// be too small for a number, and the search would divide by nothing.
#define TAL_PUSH_NOTHING 1e-100

#endif
