// SPDX-License-Identifier: GPL-3.0-or-later
// A solid: all that is constant of the bodies that share a mesh and a material. Masses, stiffness, and for
// each length of step the factor of M + r h D + p h^2 K and its inverse at the surface nodes, made once.
// Numbers in brackets: docs/theory/deformable.md.
#ifndef TALUS_SOLVER_DEFORMABLE_SOLID_H
#define TALUS_SOLVER_DEFORMABLE_SOLID_H

#include "solver/deformable/element.h"
#include "solver/deformable/solid_kernel.h"
#include "solver/include/talus_solid.h"

// Forces in a step of length h: of the stiffness at q + h (p0 l- + p1 l+), of the damping at r0 l- + r1 l+,
// where q is the position at which contacts are found.
typedef struct {
    double h, p0, p1, r0, r1;
} tal_elastic_step;

tal_elastic_step tal_elastic_step_of(double h, bool is_moreau, tal_elastic_scheme scheme);

// What belongs to one length of step: the factor of (7) and its inverse at the surface.
typedef struct {
    tal_elastic_step step;
    tal_solid_factor factor;
    double *compliance; // (9): surface_count^2 blocks of 9, row by row
} tal_solid_level;
enum { TAL_SOLID_LEVELS_MAX = 4 };

// Slopes of the shape functions at an integration point, and the volume it stands for.
typedef struct {
    double gradient[TAL_ELEMENT_NODES_MAX][3];
    double volume;
} tal_solid_point;

// About a triangle of the surface, or several.
enum { TAL_SOLID_GROUP = 8 };
typedef struct {
    tal_vec3 middle;
    double radius;
} tal_solid_ball;

typedef struct {
    const tal_solid_kernel *kernel;
    tal_kinematics kinematics;
    bool nodes_only;
    tal_elasticity law;
    double density, alpha, beta;

    int32_t node_count;
    tal_vec3 *node;   // about the centre of mass
    uint8_t *is_held; // per node
    int32_t element_count;
    int32_t *node_start; // element_count + 1: into element_node
    int32_t *element_node;
    int32_t *point_start; // element_count + 1
    tal_solid_point *point;

    tal_block_matrix stiffness, system; // one pattern; the second is scratch of the factors
    double *mass;                       // per block of that pattern, times the unit matrix
    int level_count;
    tal_solid_level level[TAL_SOLID_LEVELS_MAX];

    double total_mass, volume;
    tal_vec3 centre;           // of the nodes as given: of rounding size
    tal_mat3 euler;            // S = int rho X X'
    tal_mat3 inertia, inverse; // J = tr(S) 1 - S
    double *row_mass;          // per node: sum_b M_ab
    tal_vec3 *mass_node;       // sum_b M_ab X_b

    int32_t surface_count;
    int32_t *surface_node; // node numbers, rising
    int32_t *surface_slot; // per node: its place in surface_node, or -1
    int32_t triangle_count;
    int32_t *triangle; // of the surface: 3 nodes each
    tal_solid_ball *ball;
    tal_solid_ball *group; // about each TAL_SOLID_GROUP triangles that follow each other
    int32_t *fourth;       // per triangle: the node that makes it half of a face of four, or -1
    double edge;           // mean length of a surface edge

    // Elements over which stresses are averaged (tension.h): of element e patch_start[e] to [e + 1], with
    // their shares of the volume. NULL: nobody asks.
    int32_t *patch_start, *patch_element;
    double *patch_share;
} tal_solid;

// Nodes, weights: a point of the surface between nodes.
typedef struct {
    int32_t count;
    int32_t node[4];
    double weight[4];
} tal_solid_site;

// `mass` and `inertia` (principal moments) are those of the bodies; a pseudo-rigid solid is made of them,
// a mesh has to have them. All that is wrong with the input is said at once; `name` says whose it is.
tal_status tal_solid_create(tal_solid *solid, const tal_solid_input *input, const char *name,
                            double mass, tal_vec3 inertia, tal_elastic_step step, tal_error *err);
// One more length of step.
tal_status tal_solid_add_level(tal_solid *solid, const char *name, tal_elastic_step step,
                               tal_error *err);
// Takes {0}.
void tal_solid_destroy(tal_solid *solid);

// Input without the bodies: numbers out of range, elements inside out, nodes that no element has
// (solid_check.c).
tal_status tal_solid_check_input(const tal_solid_input *input, const char *name, tal_error *err);

// The point of the surface nearest to `x` (about the centre of mass).
tal_solid_site tal_solid_find_site(const tal_solid *solid, tal_vec3 x);

// y = M x and y = K x, 3 numbers per node.
void tal_solid_multiply_mass(const tal_solid *solid, const double *x, double *y);
void tal_solid_multiply_stiffness(const tal_solid *solid, const double *x, double *y);

// x = (M + r h D + p h^2 K)^-1 b; `scratch`: 4 numbers per node.
void tal_solid_solve(const tal_solid *solid, const tal_solid_level *level, const double *b,
                     double *scratch, double *x);

// (8): takes translation and rotation out of a field.
void tal_solid_project(const tal_solid *solid, double *field);

#endif
