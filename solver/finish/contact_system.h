// SPDX-License-Identifier: GPL-3.0-or-later
// The linear systems of all finishing methods: per contact k, with 3 by 3 matrices f and g of its own,
//   f_k s_k + g_k (A s)_k = b_k,
// A positive semidefinite with the pattern of W. Contacts of the same bodies form a patch. Their velocities
// are those of one relative motion, so that six unknowns do for as many points as it has
// (docs/theory/finisher.md, "Patches").
#ifndef TALUS_SOLVER_FINISH_CONTACT_SYSTEM_H
#define TALUS_SOLVER_FINISH_CONTACT_SYSTEM_H

#include "solver/finish/block_factor.h"

// The two forms of a system: a row is a contact, of three unknowns; or a patch or two contacts, of six.
typedef enum { TAL_NARROW, TAL_WIDE, TAL_FORM_COUNT } tal_system_form;

typedef struct {
    tal_system_form form; // of the system at hand
    bool can_be_wide;
    int32_t contact_count, patch_count;
    int32_t *patch_of;     // per contact; patches are numbered by their first contacts
    int32_t *member_start; // per patch and one more
    int32_t *member;       // contacts of the patches, ascending
    int32_t *order;        // of elimination: contacts
    int32_t *row;          // per contact: its row of the system, -1 where it takes no part
    int32_t *first_row;    // per patch
    int32_t *row_order;    // of elimination: rows
    double *basis;         // 18 per contact: 3 by 6, its velocity by the unknowns of its row
    double *inverse;       // 9 per contact, of f
    double *core;          // 36 per row: sum of basis' f^-1 g basis, or its inverse
    uint8_t *is_inverse;   // per row
    double *diagonal, *cholesky, *column; // scratch of the basis: of one patch
    double *right;                        // 6 per row
    double *left, *step, *sum, *moved;    // 3 per contact
    const tal_block_matrix *a;
    const double *f, *g; // 9 per contact; g NULL: 1
    tal_block_matrix system[TAL_FORM_COUNT];
    tal_block_factor factor[TAL_FORM_COUNT];
} tal_contact_system;

// With the pattern of `w`, which the matrices of all systems have; eliminated in the order of contacts
// `order`, in which patches stay together (solver/finish/ordering.h).
tal_status tal_contact_system_create(tal_contact_system *system, const tal_block_matrix *w,
                                     const int32_t *order, tal_error *err);
// Takes {0}.
void tal_contact_system_destroy(tal_contact_system *system);

// Fills the system of the contacts with is_in[k] (NULL: of all); `g` may be NULL: 1. `a`, `f` and `g` are kept by the caller until
// the last solution.
tal_status tal_contact_system_prepare(tal_contact_system *system, const tal_block_matrix *a,
                                      const double *f, const double *g, const uint8_t *is_in,
                                      tal_error *err);

// Whether the system prepared could be factorised; tal_block_factor_compute.
bool tal_contact_system_factorise(tal_contact_system *system);

// Of the system prepared.
const tal_block_factor *tal_contact_system_factor(const tal_contact_system *system);

// A system that takes more operations is not begun.
void tal_contact_system_limit(tal_contact_system *system, double flops_max);

// Prepared and factorised: the step x of the contacts that take part, the others' is left alone.
// Refined with `a` itself. False if it is not finite.
bool tal_contact_system_solve(tal_contact_system *system, const double *b, double *x);

#endif
