// SPDX-License-Identifier: GPL-3.0-or-later
// A contact problem in a file: the plain form (text) or FCLIB (HDF5), local (W, q) or global (M, H, f, w),
// of two or three dimensions. Problems of two dimensions are lifted: a second tangent in which nothing
// moves and nothing pushes.
#ifndef TALUS_SOLVER_PROGRAM_CONTACT_PROBLEM_H
#define TALUS_SOLVER_PROGRAM_CONTACT_PROBLEM_H

#include "solver/percussion/given_mass.h"
#include "solver/program/contact/acd2.h"

enum { TAL_PROBLEM_TITLE_SIZE = 256 };

// Entries of a sparse matrix as they are read, any order.
typedef struct {
    int32_t row_count, column_count;
    int64_t count;
    int32_t *row, *column;
    double *value;
} tal_triplets;

typedef struct {
    char title[TAL_PROBLEM_TITLE_SIZE];
    bool is_global;
    int dimension; // in the file: 2 or 3
    int32_t contact_count;
    double *friction;
    bool is_acd2;   // the law; else it is dry friction
    bool has_cones; // acd2+coulomb: `friction` counts
    tal_acd2_law acd2;
    tal_local_law *law;   // acd2, as the solvers are given it
    double *q;            // 3 per contact: q, or w of a global problem
    double *guess;        // 3 per contact, NULL: none
    tal_triplets w;       // local: 3 contact_count square
    tal_triplets mass, h; // global
    int32_t motion_count;
    double *f;
    // What the solvers are given: W and q, made from the masses where those are given.
    tal_local_input input;
    int32_t *block_row, *block_column;
    double *block;
    tal_mass *masses;
} tal_contact_problem;

// Reads either form (told apart by the first bytes) and prepares `input`.
tal_status tal_contact_problem_read(tal_contact_problem *problem, const char *path, tal_error *err);
// Takes {0}.
void tal_contact_problem_destroy(tal_contact_problem *problem);

// The same problem with its solution: FCLIB for names that end in .hdf5 or .h5, else plain. `r` may be
// NULL: no solution.
tal_status tal_contact_problem_write(const tal_contact_problem *problem, const double *r,
                                     const char *path, tal_error *err);

// The plain form from memory, prepared likewise.
tal_status tal_contact_problem_parse(tal_contact_problem *problem, const char *text,
                                     const char *name, tal_error *err);

// For the two readers and writers (plain_file.c, fclib_file.c).
tal_status tal_plain_parse(tal_contact_problem *problem, const char *text, const char *path,
                           tal_error *err);
tal_status tal_plain_read(tal_contact_problem *problem, const char *path, tal_error *err);
tal_status tal_plain_write(const tal_contact_problem *problem, const double *r, const char *path,
                           tal_error *err);
tal_status tal_fclib_read(tal_contact_problem *problem, const char *path, tal_error *err);
tal_status tal_fclib_write(const tal_contact_problem *problem, const double *r, const char *path,
                           tal_error *err);
// Whether a file may hold this number: finite, or one of mu, kn, kt (nothing gives way) and bound (none).
bool tal_contact_problem_takes(const char *name, double value);
tal_status tal_triplets_create(tal_triplets *triplets, int64_t count, tal_error *err);
void tal_triplets_destroy(tal_triplets *triplets);

// u = W r + q and, of global problems, v. Sizes as in the problem.
void tal_contact_problem_velocity(const tal_contact_problem *problem, const double *r, double *u);
void tal_contact_problem_motion(const tal_contact_problem *problem, const double *r, double *v);

#endif
