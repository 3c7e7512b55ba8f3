// SPDX-License-Identifier: GPL-3.0-or-later
// Assembling a solid.
#include "solver/deformable/solid.h"

#include "core/base/memory.h"
#include "solver/deformable/solid_parts.h"
#include "solver/finish/ordering.h"

#include <math.h>
#include <string.h>

tal_elastic_step tal_elastic_step_of(double h, bool is_moreau, tal_elastic_scheme scheme) {
    if (is_moreau) {
        return (tal_elastic_step){h, -0.25, 0.25, 0.5, 0.5};
    }
    return (tal_elastic_step){h, 0.0, scheme == TAL_ELASTIC_IMPLICIT ? 0.5 : 1.0, 0.0, 1.0};
}

static const tal_element_kind *kind_of(const tal_solid *s, int32_t e) {
    return s->node_start[e + 1] - s->node_start[e] == 8 ? &tal_hexahedron : &tal_tetrahedron;
}

static void gather_nodes(const tal_solid *s, int32_t e, tal_vec3 x[TAL_ELEMENT_NODES_MAX]) {
    for (int32_t n = s->node_start[e]; n < s->node_start[e + 1]; n++) {
        x[n - s->node_start[e]] = s->node[s->element_node[n]];
    }
}

// M and K of one element into the pattern; the system follows from both.
static void add_element(tal_solid *s, int32_t e, const double *mass, const double *stiffness,
                        bool lumped) {
    const int32_t *node = &s->element_node[s->node_start[e]];
    const int count = s->node_start[e + 1] - s->node_start[e];
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            const int64_t p = tal_block_matrix_find(&s->stiffness, node[a], node[b]);
            const int64_t q = lumped ? tal_block_matrix_find(&s->stiffness, node[a], node[a]) : p;
            s->mass[q] += mass[count * a + b];
            for (int n = 0; n < 9; n++) {
                s->stiffness.value[9 * p + n] +=
                    stiffness[(3 * a + n / 3) * 3 * count + 3 * b + n % 3];
            }
        }
    }
}

static void assemble_mesh(tal_solid *s, bool lumped) {
    double mass[64], stiffness[24 * 24];
    for (int32_t e = 0; e < s->element_count; e++) {
        const tal_element_kind *kind = kind_of(s, e);
        tal_vec3 x[TAL_ELEMENT_NODES_MAX];
        gather_nodes(s, e, x);
        tal_element_mass(kind, x, s->density, mass);
        tal_element_stiffness(kind, x, s->law, stiffness);
        add_element(s, e, mass, stiffness, lumped);
        for (int p = 0; p < kind->forces.count; p++) {
            const tal_element_point at = tal_element_at(kind, x, kind->forces.point[p]);
            tal_solid_point *point = &s->point[s->point_start[e] + p];
            memcpy(point->gradient, at.gradient, sizeof at.gradient);
            point->volume = at.jacobian * kind->forces.weight[p];
            s->volume += point->volume;
        }
    }
}

// (16): a uniform deformation gradient is a linear field between four nodes, with the masses of the body
// itself and its whole volume at one point.
static void assemble_pseudo_rigid(tal_solid *s, double mass, tal_vec3 inertia) {
    const double middle[3] = {0.25, 0.25, 0.25};
    const double moment[3] = {0.5 * (inertia.y + inertia.z - inertia.x),
                              0.5 * (inertia.z + inertia.x - inertia.y),
                              0.5 * (inertia.x + inertia.y - inertia.z)};
    const tal_element_point at = tal_element_at(&tal_tetrahedron, s->node, middle);
    double masses[16], stiffness[12 * 12], constant[4];
    for (int a = 0; a < 4; a++) { // N_a = constant + gradient . X
        const double *g = at.gradient[a];
        const tal_vec3 x = s->node[a];
        constant[a] = 1.0 - (g[0] * x.x + g[1] * x.y + g[2] * x.z);
    }
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            masses[4 * a + b] = mass * constant[a] * constant[b];
            for (int i = 0; i < 3; i++) {
                masses[4 * a + b] += at.gradient[a][i] * moment[i] * at.gradient[b][i];
            }
        }
    }
    s->volume = mass / s->density;
    tal_element_stiffness(&tal_tetrahedron, s->node, s->law, stiffness);
    for (int n = 0; n < 12 * 12; n++) {
        stiffness[n] *= s->volume * 6.0 / at.jacobian;
    }
    add_element(s, 0, masses, stiffness, false);
    memcpy(s->point[0].gradient, at.gradient, sizeof at.gradient);
    s->point[0].volume = s->volume;
}

static void hold_block(const tal_solid *s, int32_t row, int32_t column, double *block) {
    if (s->is_held[row] == 0 && s->is_held[column] == 0) {
        return;
    }
    for (int n = 0; n < 9; n++) {
        block[n] = row == column && n % 4 == 0 ? 1.0 : 0.0;
    }
}

// (7): M + r1 h (alpha M + beta K) + p1 h^2 K
static void make_system(tal_solid *s, const tal_elastic_step *t) {
    const double of_mass = 1.0 + t->r1 * t->h * s->alpha;
    const double of_stiffness = t->r1 * t->h * s->beta + t->p1 * t->h * t->h;
    for (int32_t row = 0; row < s->node_count; row++) {
        for (int64_t p = s->stiffness.start[row]; p < s->stiffness.start[row + 1]; p++) {
            double *block = &s->system.value[9 * p];
            for (int n = 0; n < 9; n++) {
                block[n] = of_stiffness * s->stiffness.value[9 * p + n] +
                           (n % 4 == 0 ? of_mass * s->mass[p] : 0.0);
            }
            hold_block(s, row, s->system.column[p], block);
        }
    }
}

static void add_outer(tal_mat3 *sum, double share, tal_vec3 a, tal_vec3 b) {
    const double left[3] = {a.x, a.y, a.z}, right[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum->m[i][j] += share * left[i] * right[j];
        }
    }
}

static void measure_rows(tal_solid *s) {
    s->total_mass = 0.0;
    for (int32_t a = 0; a < s->node_count; a++) {
        s->row_mass[a] = 0.0;
        s->mass_node[a] = (tal_vec3){0};
        for (int64_t p = s->stiffness.start[a]; p < s->stiffness.start[a + 1]; p++) {
            s->row_mass[a] += s->mass[p];
            s->mass_node[a] =
                tal_vec3_add_scaled(s->mass_node[a], s->mass[p], s->node[s->stiffness.column[p]]);
        }
        s->total_mass += s->row_mass[a];
    }
}

// The centre of mass is where the sum over the masses in use says, to the last bit.
static void measure(tal_solid *s) {
    measure_rows(s);
    for (int32_t a = 0; a < s->node_count; a++) {
        s->centre = tal_vec3_add_scaled(s->centre, 1.0 / s->total_mass, s->mass_node[a]);
    }
    for (int32_t a = 0; a < s->node_count; a++) {
        s->node[a] = tal_vec3_subtract(s->node[a], s->centre);
    }
    measure_rows(s);
    s->euler = (tal_mat3){0};
    for (int32_t a = 0; a < s->node_count; a++) {
        add_outer(&s->euler, 1.0, s->node[a], s->mass_node[a]);
    }
    s->inertia = tal_inertia_of_euler(&s->euler);
    s->inverse = tal_mat3_inverse_symmetric(&s->inertia);
}

static tal_status allocate_factor(tal_solid_factor *to, const tal_block_factor *from,
                                  tal_error *err) {
    const size_t count = (size_t)from->count, blocks = (size_t)from->start[count];
    to->count = from->count;
    TAL_CREATE(to->order, count, "the factor of a solid", err);
    TAL_CREATE(to->place, count, "the factor of a solid", err);
    TAL_CREATE(to->start, count + 1, "the factor of a solid", err);
    TAL_CREATE(to->row, blocks + 1, "the factor of a solid", err);
    TAL_CREATE(to->lower, 12 * blocks + 1, "the factor of a solid", err);
    TAL_CREATE(to->inverse, 12 * count, "the factor of a solid", err);
    return TAL_OK;
}

static void copy_columns(double *to, const double *block) {
    for (int n = 0; n < 9; n++) {
        to[4 * (n % 3) + n / 3] = block[n];
    }
}

// A is symmetric, so that L and the pivots say all.
static tal_status pack_factor(tal_solid_factor *to, const tal_block_factor *from, tal_error *err) {
    const int64_t blocks = from->start[from->count];
    TAL_TRY(allocate_factor(to, from, err));
    memcpy(to->order, from->order, (size_t)from->count * sizeof *to->order);
    memcpy(to->place, from->place, (size_t)from->count * sizeof *to->place);
    memcpy(to->start, from->start, ((size_t)from->count + 1) * sizeof *to->start);
    for (int64_t p = 0; p < blocks; p++) {
        to->row[p] = from->row[p];
        copy_columns(&to->lower[12 * p], &from->lower[9 * p]);
    }
    for (int32_t n = 0; n < from->count; n++) {
        copy_columns(&to->inverse[12 * (ptrdiff_t)n], &from->inverse[9 * (ptrdiff_t)n]);
    }
    return TAL_OK;
}

static void destroy_factor(tal_solid_factor *f) {
    void *const array[] = {f->order, f->place, f->start, f->row, f->lower, f->inverse};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        tal_memory_destroy(array[k]);
    }
}

static tal_status factor_system(tal_solid *s, tal_solid_factor *made, const char *name,
                                tal_error *err) {
    tal_block_factor factor = {0};
    int32_t *order;
    TAL_CREATE(order, (size_t)s->node_count, "the order of nodes", err);
    tal_status status = tal_ordering_find(&s->system, order, err);
    status = status == TAL_OK ? tal_block_factor_create(&factor, s->node_count, err) : status;
    status = status == TAL_OK ? tal_block_factor_analyse(&factor, &s->system, order, err) : status;
    tal_memory_destroy(order);
    if (status == TAL_OK &&
        (!tal_block_factor_compute(&factor, &s->system) || factor.perturbed_count > 0)) {
        status =
            TAL_FAIL(err, TAL_BAD_INPUT,
                     "%s: its mass and stiffness cannot be factored; look for elements that are "
                     "nearly flat, or for a modulus far from that of any rock",
                     name);
    }
    status = status == TAL_OK ? pack_factor(made, &factor, err) : status;
    tal_block_factor_destroy(&factor);
    return status;
}

// (9): the rigid part of the inverse is that of the frame, and is not counted twice.
static void take_rigid_part(const tal_solid *s, const tal_elastic_step *t, int32_t a, int32_t b,
                            double *block) {
    const double share = 1.0 / (1.0 + t->r1 * t->h * s->alpha);
    const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int j = 0; j < 3; j++) {
        const tal_vec3 push = {axis[j][0], axis[j][1], axis[j][2]};
        const tal_vec3 turn = tal_mat3_apply(&s->inverse, tal_vec3_cross(s->node[b], push));
        const tal_vec3 move =
            tal_vec3_add_scaled(tal_vec3_cross(turn, s->node[a]), 1.0 / s->total_mass, push);
        block[j] -= share * move.x;
        block[3 + j] -= share * move.y;
        block[6 + j] -= share * move.z;
    }
}

// Columns of the inverse that belong to surface node n; what is held does not answer.
static void fill_compliance_columns(const tal_solid *s, const tal_solid_level *level, int32_t n,
                                    double *x, double *scratch) {
    const int32_t node = s->surface_node[n];
    s->kernel->invert(&level->factor, node, scratch, x);
    for (int32_t m = 0; m < s->surface_count && s->is_held[node] == 0; m++) {
        memcpy(&level->compliance[9 * ((ptrdiff_t)m * s->surface_count + n)],
               &x[9 * (ptrdiff_t)s->surface_node[m]], 9 * sizeof *x);
    }
}

static tal_status make_compliance(const tal_solid *s, tal_solid_level *level, tal_error *err) {
    const size_t count = (size_t)s->surface_count;
    double *work;
    TAL_CREATE(level->compliance, 9 * count * count, "the compliance of a surface", err);
    TAL_CREATE(work, 21 * (size_t)s->node_count, "the compliance of a surface", err);
    for (int32_t n = 0; n < s->surface_count; n++) {
        fill_compliance_columns(s, level, n, work, &work[9 * (ptrdiff_t)s->node_count]);
    }
    tal_memory_destroy(work);
    for (int32_t m = 0; s->kinematics == TAL_KINEMATICS_FLOATING_FRAME && m < s->surface_count;
         m++) {
        for (int32_t n = 0; n < s->surface_count; n++) {
            take_rigid_part(s, &level->step, s->surface_node[m], s->surface_node[n],
                            &level->compliance[9 * ((ptrdiff_t)m * s->surface_count + n)]);
        }
    }
    return TAL_OK;
}

static tal_status fill(tal_solid *s, const tal_solid_input *input, const char *name, double mass,
                       tal_vec3 inertia, tal_error *err) {
    const bool is_meshed = input->kinematics != TAL_KINEMATICS_PSEUDO_RIGID;
    TAL_TRY(is_meshed ? tal_solid_copy_mesh(s, input, err)
                      : tal_solid_make_four_nodes(s, mass, inertia, err));
    TAL_TRY(tal_solid_make_pattern(s, err));
    TAL_CREATE(s->mass, (size_t)s->stiffness.start[s->node_count], "masses", err);
    if (is_meshed) {
        assemble_mesh(s, input->lumped_mass);
    } else {
        assemble_pseudo_rigid(s, mass, inertia);
    }
    TAL_CREATE(s->row_mass, (size_t)s->node_count, "masses", err);
    TAL_CREATE(s->mass_node, (size_t)s->node_count, "masses", err);
    measure(s);
    if (is_meshed) {
        TAL_TRY(tal_solid_check_mass(s, input, name, mass, inertia, err));
    }
    return is_meshed ? tal_solid_find_surface(s, err) : tal_solid_all_nodes_are_surface(s, err);
}

tal_status tal_solid_add_level(tal_solid *s, const char *name, tal_elastic_step step,
                               tal_error *err) {
    TAL_ASSERT(s->level_count < TAL_SOLID_LEVELS_MAX);
    tal_solid_level *level = &s->level[s->level_count++];
    level->step = step;
    make_system(s, &step);
    TAL_TRY(factor_system(s, &level->factor, name, err));
    return make_compliance(s, level, err);
}

tal_status tal_solid_create(tal_solid *solid, const tal_solid_input *input, const char *name,
                            double mass, tal_vec3 inertia, tal_elastic_step step, tal_error *err) {
    *solid = (tal_solid){.kernel = tal_solid_kernel_best(),
                         .kinematics = input->kinematics,
                         .nodes_only = input->nodes_only,
                         .law = tal_elasticity_make(input->young_pa, input->poisson),
                         .density = input->density_kg_m3,
                         .alpha = input->damping_mass_per_s,
                         .beta = input->damping_stiffness_s};
    tal_status status = fill(solid, input, name, mass, inertia, err);
    status = status == TAL_OK ? tal_solid_add_level(solid, name, step, err) : status;
    if (status != TAL_OK) {
        tal_solid_destroy(solid);
    }
    return status;
}

void tal_solid_destroy(tal_solid *s) {
    void *const array[] = {
        s->node, s->is_held,  s->node_start, s->element_node, s->point_start,   s->point,
        s->mass, s->row_mass, s->mass_node,  s->triangle,     s->surface_node,  s->surface_slot,
        s->ball, s->group,    s->fourth,     s->patch_start,  s->patch_element, s->patch_share};
    tal_block_matrix_destroy(&s->stiffness);
    tal_block_matrix_destroy(&s->system);
    for (int k = 0; k < s->level_count; k++) {
        destroy_factor(&s->level[k].factor);
        tal_memory_destroy(s->level[k].compliance);
    }
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        tal_memory_destroy(array[k]);
    }
    *s = (tal_solid){0};
}

void tal_solid_multiply_mass(const tal_solid *s, const double *x, double *y) {
    s->kernel->multiply_mass(&s->stiffness, s->mass, x, y);
}

void tal_solid_multiply_stiffness(const tal_solid *s, const double *x, double *y) {
    s->kernel->multiply(&s->stiffness, x, y);
}

void tal_solid_solve(const tal_solid *s, const tal_solid_level *level, const double *b,
                     double *scratch, double *x) {
    s->kernel->solve(&level->factor, b, scratch, x);
}

void tal_solid_project(const tal_solid *s, double *field) {
    tal_vec3 push = {0}, moment = {0};
    for (int32_t a = 0; a < s->node_count; a++) {
        const tal_vec3 u = {field[3 * a], field[3 * a + 1], field[3 * a + 2]};
        push = tal_vec3_add_scaled(push, s->row_mass[a], u);
        moment = tal_vec3_add(moment, tal_vec3_cross(s->mass_node[a], u));
    }
    const tal_vec3 shift = tal_vec3_scale(push, 1.0 / s->total_mass);
    const tal_vec3 turn = tal_mat3_apply(&s->inverse, moment);
    for (int32_t a = 0; a < s->node_count; a++) {
        const tal_vec3 rigid = tal_vec3_add(shift, tal_vec3_cross(turn, s->node[a]));
        field[3 * a] -= rigid.x;
        field[3 * a + 1] -= rigid.y;
        field[3 * a + 2] -= rigid.z;
    }
}
