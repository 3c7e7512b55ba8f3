// SPDX-License-Identifier: GPL-3.0-or-later
// How a caller describes a body that deforms: what it is made of, how it is divided into elements, and
// which kinematics it follows. Nodes are in the axes of the body, as its shape is.
#ifndef TALUS_SOLID_H
#define TALUS_SOLID_H

#include "core/base/math3_types.h"
#include "core/base/status.h"
#include "solver/include/talus_shape.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TAL_KINEMATICS_FLOATING_FRAME,   // a frame that moves as a rigid body, small strains in it
    TAL_KINEMATICS_TOTAL_LAGRANGIAN, // large displacements, Saint Venant-Kirchhoff
    TAL_KINEMATICS_COROTATIONAL,     // linear about the mean rotation of the body
    TAL_KINEMATICS_SMALL,            // linear about the start: wrong as soon as a body turns
    TAL_KINEMATICS_PSEUDO_RIGID,     // one deformation gradient for all of the body: no mesh
    TAL_KINEMATICS_COUNT
} tal_kinematics;

typedef struct {
    tal_kinematics kinematics;
    double density_kg_m3, young_pa, poisson;
    double damping_mass_per_s;  // alpha of the damping alpha M + beta K
    double damping_stiffness_s; // beta
    bool lumped_mass;           // row sums in place of the consistent mass
    bool nodes_only;            // contact at nodes alone, not where edges of two surfaces cross
    int32_t node_count;
    const tal_vec3 *node_m;
    int32_t hexahedron_count;
    const int32_t *hexahedron; // 8 nodes each: (---)(+--)(++-)(-+-), then z+
    int32_t tetrahedron_count;
    const int32_t *tetrahedron; // 4 nodes each, positive volume
    int32_t held_count;         // nodes that stay where they are; not with a floating frame
    const int32_t *held_node;
} tal_solid_input;

// Tetrahedra that fill a convex polyhedron, in its axes, with no edge longer than `element_m`; nodes and
// tetrahedra as tal_solid_input takes them.
typedef struct {
    int32_t node_count, tetrahedron_count;
    tal_vec3 *node_m;
    int32_t *tetrahedron;
} tal_filling;

tal_status tal_filling_create(tal_filling *filling, const tal_shape_input *shape, double element_m,
                              tal_error *err);
// Takes {0}.
void tal_filling_destroy(tal_filling *filling);

// How the elastic forces of a step are taken.
typedef enum {
    TAL_ELASTIC_THETA,   // scheme moreau: theta = 1/2, which keeps energy; scheme acd2: theta = 1
    TAL_ELASTIC_IMPLICIT // scheme acd2 only: at the middle of the step to come (Maier and Glocker)
} tal_elastic_scheme;

#ifdef __cplusplus
}
#endif

#endif
