// SPDX-License-Identifier: GPL-3.0-or-later
// What can be wrong with the description of a solid.
#include "solver/deformable/solid_parts.h"

#include "core/base/memory.h"

#include <math.h>

// Elements flatter than this are as good as inverted; and how many of a kind are named.
static const double QUALITY_MIN = 1e-6;
enum { NAMED_MAX = 5 };

// A mesh fills its shape to this share of the mass; a lumped mass moves the inertia by more.
static const double MASS_SLACK = 1e-3, CENTRE_SLACK = 1e-3, INERTIA_SLACK = 2e-3;

static void check_range(bool good, const char *name, const char *what, double value,
                        const char *range, tal_error *err) {
    if (!good) {
        tal_error_add(err, TAL_BAD_INPUT, "%s: %s = %g must be %s", name, what, value, range);
    }
}

static void check_material(const tal_solid_input *in, const char *name, tal_error *err) {
    check_range(in->density_kg_m3 > 0.0 && isfinite(in->density_kg_m3), name, "density_kg_m3",
                in->density_kg_m3, "above 0", err);
    check_range(in->young_pa > 0.0 && isfinite(in->young_pa), name, "young_pa", in->young_pa,
                "above 0", err);
    check_range(in->poisson > -1.0 && in->poisson < 0.499, name, "poisson", in->poisson,
                "above -1 and below 0.499 (at 0.5 nothing can change its volume, and these "
                "elements lock)",
                err);
    check_range(in->damping_mass_per_s >= 0.0 && isfinite(in->damping_mass_per_s), name,
                "damping_mass_per_s", in->damping_mass_per_s, "0 or more", err);
    check_range(in->damping_stiffness_s >= 0.0 && isfinite(in->damping_stiffness_s), name,
                "damping_stiffness_s", in->damping_stiffness_s, "0 or more", err);
    if (in->kinematics < 0 || in->kinematics >= TAL_KINEMATICS_COUNT) {
        tal_error_add(err, TAL_BAD_INPUT, "%s: there is no kinematics number %d", name,
                      (int)in->kinematics);
    }
    if (in->held_count > 0 && (in->kinematics == TAL_KINEMATICS_FLOATING_FRAME ||
                               in->kinematics == TAL_KINEMATICS_PSEUDO_RIGID)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: nodes can be held with total-lagrangian, corotational and small "
                      "kinematics only",
                      name);
    }
}

static void check_nodes(const tal_solid_input *in, const char *name, tal_error *err) {
    int32_t named = 0;
    for (int32_t n = 0; n < in->node_count; n++) {
        const tal_vec3 x = in->node_m[n];
        if (!(isfinite(x.x) && isfinite(x.y) && isfinite(x.z)) && named++ < NAMED_MAX) {
            tal_error_add(err, TAL_BAD_INPUT, "%s: node %d has a coordinate that is not finite",
                          name, n);
        }
    }
    for (int32_t n = 0; n < in->held_count; n++) {
        if ((in->held_node[n] < 0 || in->held_node[n] >= in->node_count) && named++ < NAMED_MAX) {
            tal_error_add(err, TAL_BAD_INPUT, "%s: held node %d does not exist", name,
                          in->held_node[n]);
        }
    }
}

static bool check_corners(const tal_solid_input *in, const char *name, const char *word,
                          const int32_t *corner, int size, int32_t element, uint8_t *used,
                          tal_error *err) {
    for (int k = 0; k < size; k++) {
        if (corner[k] < 0 || corner[k] >= in->node_count) {
            tal_error_add(err, TAL_BAD_INPUT, "%s: %s %d has node %d; nodes are numbered 0 to %d",
                          name, word, element, corner[k], in->node_count - 1);
            return false;
        }
        used[corner[k]] = 1;
    }
    return true;
}

static void check_elements(const tal_solid_input *in, const char *name,
                           const tal_element_kind *kind, const int32_t *corner, int32_t count,
                           uint8_t *used, tal_error *err) {
    int32_t named = 0;
    for (int32_t e = 0; e < count && named < NAMED_MAX; e++) {
        const int32_t *of = &corner[kind->node_count * e];
        tal_vec3 x[TAL_ELEMENT_NODES_MAX];
        if (!check_corners(in, name, kind->name, of, kind->node_count, e, used, err)) {
            named++;
            continue;
        }
        for (int k = 0; k < kind->node_count; k++) {
            x[k] = in->node_m[of[k]];
        }
        if (!(tal_element_quality(kind, x) > QUALITY_MIN)) {
            named++;
            tal_error_add(err, TAL_BAD_INPUT,
                          "%s: %s %d is inverted or flat: check the order of its nodes", name,
                          kind->name, e);
        }
    }
}

static void name_unused(const tal_solid_input *in, const char *name, const uint8_t *used,
                        tal_error *err) {
    int32_t first = -1, count = 0;
    for (int32_t n = 0; n < in->node_count; n++) {
        if (used[n] == 0) {
            first = count++ == 0 ? n : first;
        }
    }
    if (count > 0) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: %d of its nodes belong to no element (the first is node %d): leave them "
                      "out",
                      name, count, first);
    }
}

static int32_t root_of(int32_t *parent, int32_t n) {
    while (parent[n] != n) {
        n = parent[n] = parent[parent[n]];
    }
    return n;
}

static void join_all(int32_t *parent, const int32_t *corner, int32_t count, int size) {
    for (int32_t k = 0; k < count * size; k++) {
        parent[root_of(parent, corner[k])] = root_of(parent, corner[k - k % size]);
    }
}

// Elements that hang together by nodes are one piece.
static tal_status check_pieces(const tal_solid_input *in, const char *name, tal_error *err) {
    int32_t *parent, pieces = 0;
    TAL_CREATE(parent, (size_t)in->node_count, "nodes", err);
    for (int32_t n = 0; n < in->node_count; n++) {
        parent[n] = n;
    }
    join_all(parent, in->hexahedron, in->hexahedron_count, 8);
    join_all(parent, in->tetrahedron, in->tetrahedron_count, 4);
    for (int32_t n = 0; n < in->node_count; n++) {
        pieces += parent[n] == n;
    }
    tal_memory_destroy(parent);
    return pieces == 1 ? TAL_OK
                       : TAL_FAIL(err, TAL_BAD_INPUT,
                                  "%s: its elements are %d pieces that share no node: make one "
                                  "body of each, or join their nodes",
                                  name, pieces);
}

static tal_status check_mesh(const tal_solid_input *in, const char *name, tal_error *err) {
    uint8_t *used;
    const int before = err->message_count;
    if (in->node_count < 4 || in->hexahedron_count < 0 || in->tetrahedron_count < 0 ||
        in->hexahedron_count + in->tetrahedron_count < 1) {
        return tal_error_add(err, TAL_BAD_INPUT,
                             "%s: %d nodes, %d hexahedra and %d tetrahedra do not make a mesh",
                             name, in->node_count, in->hexahedron_count, in->tetrahedron_count);
    }
    TAL_CREATE(used, (size_t)in->node_count, "nodes", err);
    check_nodes(in, name, err);
    check_elements(in, name, &tal_hexahedron, in->hexahedron, in->hexahedron_count, used, err);
    check_elements(in, name, &tal_tetrahedron, in->tetrahedron, in->tetrahedron_count, used, err);
    if (err->message_count == before) {
        name_unused(in, name, used, err);
    }
    tal_memory_destroy(used);
    return err->message_count == before ? check_pieces(in, name, err) : err->status;
}

tal_status tal_solid_check_input(const tal_solid_input *input, const char *name, tal_error *err) {
    const int before = err->message_count;
    check_material(input, name, err);
    if (input->kinematics != TAL_KINEMATICS_PSEUDO_RIGID) {
        TAL_TRY(check_mesh(input, name, err));
    }
    return err->message_count == before ? TAL_OK : err->status;
}

static bool differs(double a, double b, double share) {
    return !(fabs(a - b) <= share * fabs(b));
}

tal_status tal_solid_check_mass(const tal_solid *s, const tal_solid_input *input, const char *name,
                                double mass, tal_vec3 inertia, tal_error *err) {
    const double size = sqrt((inertia.x + inertia.y + inertia.z) / mass);
    const double slack = input->lumped_mass ? INFINITY : INERTIA_SLACK; // of the moments
    const double j[3] = {s->inertia.m[0][0], s->inertia.m[1][1], s->inertia.m[2][2]};
    if (differs(s->total_mass, mass, MASS_SLACK)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: its mesh weighs %.6g kg and its body %.6g kg: the mesh does not fill "
                        "the surface, or density_kg_m3 is not that of the body",
                        name, s->total_mass, mass);
    }
    if (tal_vec3_length(s->centre) > CENTRE_SLACK * size) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: the centre of mass of its mesh lies %.3g m from the centroid of its "
                        "shape: give the nodes in the axes of the shape",
                        name, tal_vec3_length(s->centre));
    }
    if (differs(j[0], inertia.x, slack) || differs(j[1], inertia.y, slack) ||
        differs(j[2], inertia.z, slack)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: its mesh has the moments of inertia %.6g, %.6g, %.6g kg m2 and its "
                        "body %.6g, %.6g, %.6g: the mesh does not match its surface",
                        name, j[0], j[1], j[2], inertia.x, inertia.y, inertia.z);
    }
    return TAL_OK;
}
