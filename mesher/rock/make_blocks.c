// SPDX-License-Identifier: GPL-3.0-or-later
// Settings to blocks: which partition, which size, which lattice.
#include "mesher/stage.h"

#include "core/base/log.h"
#include "core/geometry/angle.h"

#include <math.h>

static const double degree = TAL_PI / 180;

static tal_divide_options divide_options(const tal_mesh_stage *stage) {
    const tal_mesh_settings *mesh = &stage->settings->mesh;
    return (tal_divide_options){
        .clip_to_rock = mesh->clip == TAL_CLIP_BODY,
        // Not at all: a block that starts in the ground starts with a push.
        .depth_m = 0,
        .gap_m = mesh->blocks == TAL_BLOCKS_VORONOI
                     ? fmax(mesh->gap_m, mesh->gap_share * stage->block_size)
                     : mesh->gap_m,
        .density_kg_m3 = mesh->density_kg_m3,
        .thread_count = stage->thread_count,
        .first_effort = stage->effort,
    };
}

static tal_vec3 stretch_of(const tal_mesh_settings *mesh) {
    const double *a = mesh->anisotropy.value;
    return tal_vec3_make(a[0], a[1], a[2]);
}

static tal_status make_partition(const tal_mesh_stage *stage, double size, tal_vec3 phase,
                                 tal_partition *partition, tal_error *err) {
    const tal_settings *s = stage->settings;
    const tal_mesh_settings *mesh = &s->mesh;
    const uint64_t seed = (uint64_t)s->random.seed;
    const uint32_t run = (uint32_t)s->random.run;
    if (mesh->blocks == TAL_BLOCKS_BRICKS) {
        const double *b = mesh->brick_m.value;
        const tal_vec3 edge = mesh->brick_m.count == 3 ? tal_vec3_make(b[0], b[1], b[2])
                                                       : tal_vec3_make(size, size, size);
        return tal_partition_bricks(partition, &stage->rock, stage->strike, edge, phase, err);
    }
    if (mesh->blocks == TAL_BLOCKS_VORONOI && !isnan(mesh->size_deviation)) {
        return tal_partition_voronoi_sized(partition, &stage->rock, stage->strike, size,
                                           mesh->size_deviation, stretch_of(mesh), seed, run, err);
    }
    if (mesh->blocks == TAL_BLOCKS_VORONOI && mesh->relax_rounds > 0) {
        return tal_partition_voronoi_relaxed(partition, &stage->rock, stage->strike, size,
                                             mesh->relax_rounds, stretch_of(mesh), seed, run, err);
    }
    if (mesh->blocks == TAL_BLOCKS_VORONOI) {
        return tal_partition_voronoi(partition, &stage->rock, stage->strike, size, stretch_of(mesh),
                                     seed, run, err);
    }
    tal_joint_set sets[TAL_REPEAT_MAX];
    static const tal_spacing_kind kinds[] = {[TAL_SPACING_EXPONENTIAL] =
                                                 TAL_SPACING_KIND_EXPONENTIAL,
                                             [TAL_SPACING_NORMAL] = TAL_SPACING_KIND_NORMAL,
                                             [TAL_SPACING_LOGNORMAL] = TAL_SPACING_KIND_LOGNORMAL,
                                             [TAL_SPACING_CONSTANT] = TAL_SPACING_KIND_CONSTANT};
    for (int k = 0; k < s->joint_count; k++) {
        const tal_joint_settings *joint = &s->joint[k];
        sets[k] = (tal_joint_set){joint->dip_deg * degree,
                                  joint->dip_direction_deg * degree,
                                  joint->spacing_m,
                                  joint->spacing_deviation,
                                  kinds[joint->spacing_distribution],
                                  joint->spread_deg * degree,
                                  joint->persistence};
    }
    return tal_partition_joints(partition, &stage->rock, sets, s->joint_count, seed, run, err);
}

static tal_status divide_once(tal_mesh_stage *stage, double size, tal_vec3 phase, tal_error *err) {
    tal_partition partition = {0};
    const tal_divide_options options = divide_options(stage);
    TAL_TRY(make_partition(stage, size, phase, &partition, err));
    tal_block_set_destroy(&stage->blocks);
    const tal_status status =
        tal_divide(&stage->blocks, &partition, &stage->rock, &options, &stage->division, err);
    stage->plane_count = partition.plane_count;
    stage->seed_count = partition.seed_count;
    tal_partition_destroy(&partition);
    return status;
}

static const tal_vec3 middle_phase = {0.5, 0.5, 0.5};

// Whole bricks stick out of the rock; of 27 lattices the one whose bricks do so least is taken.
static tal_status divide_whole_bricks(tal_mesh_stage *stage, double size, tal_error *err) {
    enum { STEPS = 3, WORTH_TRYING = 1000000 };
    tal_vec3 best_phase = middle_phase;
    double best = -1;
    for (int k = 0; k < STEPS * STEPS * STEPS; k++) {
        const tal_vec3 phase = {(double)(k % STEPS) / STEPS, (double)(k / STEPS % STEPS) / STEPS,
                                (double)(k / STEPS / STEPS) / STEPS};
        tal_error ignored;
        if (divide_once(stage, size, phase, &ignored) == TAL_INTERRUPTED) {
            *err = ignored;
            return TAL_INTERRUPTED;
        }
        const tal_divide_report *division = &stage->division;
        const double share = division->inside_volume / division->piece_volume;
        if (stage->blocks.block_count > 0 && share > best) {
            best = share;
            best_phase = phase;
        }
        if (division->cell_count > WORTH_TRYING) {
            break;
        }
    }
    return divide_once(stage, size, best_phase, err);
}

static tal_status divide_at(tal_mesh_stage *stage, double size, tal_error *err) {
    const tal_mesh_settings *mesh = &stage->settings->mesh;
    stage->block_size = size;
    return mesh->clip == TAL_CLIP_NONE && mesh->blocks == TAL_BLOCKS_BRICKS
               ? divide_whole_bricks(stage, size, err)
               : divide_once(stage, size, middle_phase, err);
}

// How the logarithm of the count follows that of the size: to the power of -3 for whole cells; two
// sizes tried tell better.
static double count_slope(const double size[2], const double ratio[2]) {
    const double slope = (log(ratio[1]) - log(ratio[0])) / (log(size[1]) - log(size[0]));
    return slope < -1.5 && slope > -6 ? slope : -3;
}

// Boundary blocks are smaller than whole ones, and how far cells are broken up depends on how well
// they fit: rounds bring the count near the wish, and the best of them counts. Once cells had to be
// broken up more to fill the rock, they are in later rounds, too: else the count would jump. Few blocks of
// a thin source may be asked for by cells so large that nothing is left of any: then back by half.
static tal_status divide_to_count(tal_mesh_stage *stage, tal_error *err) {
    enum { ROUNDS_MAX = 9 };
    static const double good_enough = 0.05;
    const double wanted = (double)stage->settings->mesh.block_count;
    double size[2] = {0, cbrt(stage->rock.volume / wanted)}, ratio[2] = {1, 1};
    double best = INFINITY, best_size = size[1];
    int best_effort = 0, last_effort = 0;
    bool is_too_large = false;
    for (int round = 0; round < ROUNDS_MAX && best > good_enough; round++) {
        last_effort = stage->effort;
        const tal_status status = divide_at(stage, size[1], err);
        is_too_large = status == TAL_BAD_INPUT && isfinite(best);
        if (is_too_large) {
            tal_error_reset(err);
            size[1] = sqrt(size[0] * size[1]);
            continue;
        }
        TAL_TRY(status);
        ratio[1] = stage->blocks.block_count / wanted;
        stage->effort = stage->division.effort;
        if (fabs(log(ratio[1])) < best) {
            best = fabs(log(ratio[1]));
            best_size = size[1];
            best_effort = last_effort;
        }
        const double slope = round == 0 ? -3 : count_slope(size, ratio);
        size[0] = size[1];
        ratio[0] = ratio[1];
        size[1] *= pow(ratio[1], -1 / slope);
    }
    if (best > 0.1) {
        tal_log_info("%.0f block%s requested, but that number is met only roughly: blocks at "
                     "the boundary are broken up until the source is filled",
                     wanted, wanted == 1 ? " was" : "s were");
    }
    stage->effort = best_effort;
    return size[0] == best_size && !is_too_large ? TAL_OK : divide_at(stage, best_size, err);
}

static tal_status divide_rock(tal_mesh_stage *stage, tal_error *err) {
    const tal_mesh_settings *mesh = &stage->settings->mesh;
    if (mesh->blocks == TAL_BLOCKS_JOINTS) {
        return divide_once(stage, NAN, middle_phase, err);
    }
    if (mesh->blocks == TAL_BLOCKS_BRICKS && mesh->brick_m.count == 3) {
        const double *b = mesh->brick_m.value;
        return divide_at(stage, cbrt(b[0] * b[1] * b[2]), err);
    }
    if (mesh->blocks == TAL_BLOCKS_VORONOI && !isnan(mesh->size_m)) {
        return divide_at(stage, mesh->size_m, err);
    }
    return divide_to_count(stage, err);
}

tal_status tal_mesh_make_blocks(tal_mesh_stage *stage, tal_error *err) {
    const tal_mesh_settings *mesh = &stage->settings->mesh;
    stage->block_size = NAN;
    TAL_TRY(tal_rock_create(&stage->rock, &stage->bed, &stage->before, &stage->source,
                            &stage->terrain, stage->origin, err));
    stage->strike = isnan(mesh->strike_deg) ? stage->rock.strike : mesh->strike_deg * degree;
    TAL_TRY(divide_rock(stage, err));
    const tal_divide_report *division = &stage->division;
    const double fill = division->piece_volume / division->rock_volume;
    if (mesh->clip == TAL_CLIP_BODY && fill < 0.97) {
        tal_log_warn("the blocks fill only %.1f %% of the source: they are too large for its "
                     "thickness or for the roughness of its surfaces. The mass is right, the "
                     "density changes by %+.1f %%; "
                     "smaller blocks fill the source better",
                     100 * fill, 100 * (division->mass_factor - 1));
    }
    return TAL_OK;
}
