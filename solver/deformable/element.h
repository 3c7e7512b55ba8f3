// SPDX-License-Identifier: GPL-3.0-or-later
// Finite elements: trilinear hexahedra and linear tetrahedra. A kind of element is a row; numbers in
// brackets are the equations of docs/theory/deformable.md.
#ifndef TALUS_SOLVER_DEFORMABLE_ELEMENT_H
#define TALUS_SOLVER_DEFORMABLE_ELEMENT_H

#include "core/base/math3.h"
#include "solver/deformable/material.h"

#include <stdbool.h>
#include <stdint.h>

enum { TAL_ELEMENT_NODES_MAX = 8, TAL_ELEMENT_POINTS_MAX = 8, TAL_ELEMENT_FACE_MAX = 4 };

// Where and with which weights an integral over the parent element is taken.
typedef struct {
    int count;
    double point[TAL_ELEMENT_POINTS_MAX][3];
    double weight[TAL_ELEMENT_POINTS_MAX];
} tal_quadrature;

typedef struct {
    const char *name;
    int node_count;
    void (*shape)(const double xi[3], double n[TAL_ELEMENT_NODES_MAX],
                  double slope[TAL_ELEMENT_NODES_MAX][3]);
    tal_quadrature forces, mass; // exact for parallelepipeds
    double middle[3];
    int face_count, face_size;
    int face[6][TAL_ELEMENT_FACE_MAX]; // counter-clockwise seen from outside
} tal_element_kind;

// Node order of hexahedra: (---)(+--)(++-)(-+-), then the same with z+; of tetrahedra: the fourth node
// on the side to which the first three turn counter-clockwise.
extern const tal_element_kind tal_hexahedron, tal_tetrahedron;

// Slopes of the shape functions in space, and how much larger the element is there than its parent.
typedef struct {
    double n[TAL_ELEMENT_NODES_MAX];
    double gradient[TAL_ELEMENT_NODES_MAX][3];
    double jacobian; // above 0 unless the element is turned inside out
} tal_element_point;

tal_element_point tal_element_at(const tal_element_kind *kind, const tal_vec3 *x,
                                 const double xi[3]);

// The least Jacobian over nodes and integration points, as a share of the mean: at most 0 if inverted.
double tal_element_quality(const tal_element_kind *kind, const tal_vec3 *x);

// (6): int rho N_a N_b, per component the same: node_count x node_count.
void tal_element_mass(const tal_element_kind *kind, const tal_vec3 *x, double density, double *m);

// (5): (3 node_count) x (3 node_count), row by row.
void tal_element_stiffness(const tal_element_kind *kind, const tal_vec3 *x, tal_elasticity law,
                           double *k);

#endif
