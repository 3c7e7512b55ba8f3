// SPDX-License-Identifier: GPL-3.0-or-later
// What the solver recorded of a run: reading, blocks at a frame, their energies.
#include "postproc/measure/run_record.h"

#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"
#include "postproc/measure/motion_limits.h"

#include <math.h>
#include <string.h>

void tal_run_record_destroy(tal_run_record *motion) {
    double **series[] = {&motion->time,
                         &motion->step_time,
                         &motion->kinetic_translation,
                         &motion->kinetic_rotation,
                         &motion->potential,
                         &motion->dissipated_normal,
                         &motion->dissipated_tangential,
                         &motion->correction_work,
                         &motion->contact_count,
                         &motion->iterations,
                         &motion->residual,
                         &motion->penetration};
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        tal_memory_destroy(*series[i]);
    }
    tal_memory_destroy(motion->position);
    tal_memory_destroy(motion->orientation);
    tal_memory_destroy(motion->velocity);
    tal_memory_destroy(motion->spin);
    tal_memory_destroy(motion->left);
    tal_stress_record_destroy(&motion->stress);
    *motion = (tal_run_record){0};
}

static tal_status check_times(const tal_netcdf *file, const char *name, const char *of,
                              const double *time, size_t count, tal_error *err) {
    for (size_t i = 0; i < count; i++) {
        const double before = i > 0 ? time[i - 1] : -1.0;
        if (!(time[i] > before && time[i] <= TAL_TIME_MAX_S)) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: %s = %g s of %s %zu after %g s is impossible: the file is "
                            "damaged; run talus-solve again",
                            file->path, name, time[i], of, i, before);
        }
    }
    return TAL_OK;
}

// Energies are the largest of what is recorded per step.
static tal_status check_series(const tal_netcdf *file, const char *name, double least,
                               const double *value, size_t count, tal_error *err) {
    for (size_t i = 0; i < count; i++) {
        if (!(value[i] >= least && value[i] <= TAL_ENERGY_MAX_J)) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: %s = %g of step %zu is impossible: the file is damaged; run "
                            "talus-solve again",
                            file->path, name, value[i], i);
        }
    }
    return TAL_OK;
}

static tal_status read_series(tal_run_record *motion, tal_netcdf *file, tal_error *err) {
    struct {
        const char *name;
        double **values;
        double least;
    } series[] = {{"step_time", &motion->step_time, -TAL_ENERGY_MAX_J},
                  {"kinetic_translation", &motion->kinetic_translation, 0.0},
                  {"kinetic_rotation", &motion->kinetic_rotation, 0.0},
                  {"potential", &motion->potential, -TAL_ENERGY_MAX_J},
                  {"dissipated_normal", &motion->dissipated_normal, -TAL_ENERGY_MAX_J},
                  {"dissipated_tangential", &motion->dissipated_tangential, -TAL_ENERGY_MAX_J},
                  {"correction_work", &motion->correction_work, -TAL_ENERGY_MAX_J},
                  {"contact_count", &motion->contact_count, 0.0},
                  {"iterations", &motion->iterations, 0.0},
                  {"residual", &motion->residual, 0.0},
                  {"penetration", &motion->penetration, 0.0}};
    size_t steps;
    TAL_TRY(tal_netcdf_get_length(file, "step", &steps, err));
    motion->step_count = (int32_t)steps;
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        TAL_CREATE(*series[i].values, steps + 1, series[i].name, err);
        TAL_TRY(tal_netcdf_get_doubles(file, series[i].name, *series[i].values, steps, err));
        TAL_TRY(check_series(file, series[i].name, series[i].least, *series[i].values, steps, err));
    }
    return check_times(file, "step_time", "step", motion->step_time, steps, err);
}

// Motions made by other programs need not say it.
static double number_if_said(tal_netcdf *file, const char *name) {
    tal_error unsaid = {0};
    double value = NAN;
    (void)tal_netcdf_get_real(file, NULL, name, &value, &unsaid);
    return value;
}

static void read_friction(tal_run_record *motion, tal_netcdf *file) {
    tal_error unsaid = {0};
    char *of = NULL;
    motion->ground_friction[0] = number_if_said(file, "ground_friction_low");
    motion->ground_friction[1] = number_if_said(file, "ground_friction_high");
    motion->onset_moves_at = number_if_said(file, "onset_moves_at");
    motion->onset_holds_at = number_if_said(file, "onset_holds_at");
    if (tal_netcdf_get_text(file, NULL, "onset_of", &of, &unsaid) == TAL_OK) {
        motion->onset_is_share = strcmp(of, "share") == 0;
        tal_memory_destroy(of);
    }
}

// What the run says of itself, from 0 to `most`. The energy drift may be anything: the verdict says so.
static tal_status read_numbers(tal_run_record *motion, tal_netcdf *file, tal_error *err) {
    struct {
        const char *name;
        double *value, most;
    } notes[] = {{"unconverged_steps", &motion->unconverged_steps, motion->step_count},
                 {"finished_steps", &motion->finished_steps, motion->step_count},
                 {"clausius_duhem_worst_j", &motion->clausius_duhem_worst, TAL_ENERGY_MAX_J},
                 {"blocks_lost", &motion->blocks_lost, motion->block_count},
                 {"dt_s", &motion->dt, TAL_TIME_MAX_S}};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        const double *value = notes[i].value;
        TAL_TRY(tal_netcdf_get_real(file, NULL, notes[i].name, notes[i].value, err));
        if (!(*value >= 0.0 && *value <= notes[i].most)) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: %s = %g is impossible: the file is damaged; run talus-solve again",
                            file->path, notes[i].name, *value);
        }
    }
    return tal_netcdf_get_real(file, NULL, "energy_drift", &motion->energy_drift, err);
}

static tal_status read_notes(tal_run_record *motion, tal_netcdf *file, tal_error *err) {
    char *ended = NULL;
    TAL_TRY(read_numbers(motion, file, err));
    read_friction(motion, file);
    motion->ended_too_early = number_if_said(file, "ended_too_early") > 0.0;
    TAL_TRY(tal_netcdf_get_text(file, NULL, "ended_because", &ended, err));
    (void)strncat(motion->ended_because, ended, sizeof motion->ended_because - 1);
    tal_memory_destroy(ended);
    return TAL_OK;
}

static tal_status read_states(tal_run_record *motion, tal_netcdf *file, tal_error *err) {
    const size_t count = (size_t)motion->block_count;
    TAL_TRY(tal_netcdf_get_ints(file, "state", motion->left, count, err));
    for (size_t b = 0; b < count; b++) {
        if (motion->left[b] != 0 && motion->left[b] != 1) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: state = %d of block %zu is neither 0 nor 1: the file is damaged; "
                            "run talus-solve again",
                            file->path, (int)motion->left[b], b);
        }
    }
    return TAL_OK;
}

// One frame of a variable with `width` numbers per block, none farther than `most` from `centre`;
// NaN is that of a block that has left.
static tal_status read_frame(tal_netcdf *file, const char *name, const tal_run_record *motion,
                             int32_t frame, int width, double centre, double most, double *buffer,
                             tal_error *err) {
    const size_t start[3] = {(size_t)frame, 0, 0};
    const size_t count[3] = {1, (size_t)motion->block_count, (size_t)width};
    const int rank = width > 1 ? 3 : 2;
    TAL_TRY(tal_netcdf_get_slab(file, name, rank, start, count, buffer, err));
    for (size_t i = 0; i < count[1] * count[2]; i++) {
        const bool may_be_none = motion->left[i / count[2]] != 0;
        if (!(fabs(buffer[i] - centre) <= most || (may_be_none && isnan(buffer[i])))) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: %s = %g of block %zu in frame %d is impossible: the file is "
                            "damaged, or was made for another study; run talus-solve again",
                            file->path, name, buffer[i], i / count[2], (int)frame);
        }
    }
    return TAL_OK;
}

static tal_status read_positions(tal_run_record *motion, tal_netcdf *file, const tal_origin *origin,
                                 int32_t frame, double *buffer, tal_error *err) {
    const char *const name[3] = {"x", "y", "z"};
    const double shift[3] = {(double)origin->east, (double)origin->north, (double)origin->height};
    const size_t first = tal_run_record_index(motion, frame, 0);
    for (size_t i = 0; i < 3; i++) {
        TAL_TRY(
            read_frame(file, name[i], motion, frame, 1, shift[i], TAL_POSITION_MAX_M, buffer, err));
        for (size_t b = 0; b < (size_t)motion->block_count; b++) {
            motion->position[3 * (first + b) + i] = (float)(buffer[b] - shift[i]);
        }
    }
    return TAL_OK;
}

// A block that has left may have no pose any more: it is kept where it was last seen, at rest.
static void hold_last_pose(tal_run_record *motion, int32_t frame) {
    for (int32_t block = 0; block < motion->block_count; block++) {
        const size_t at = tal_run_record_index(motion, frame, block);
        const float *p = &motion->position[3 * at];
        if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) {
            continue;
        }
        const size_t before = frame > 0 ? tal_run_record_index(motion, frame - 1, block) : at;
        for (size_t i = 0; i < 3; i++) {
            motion->position[3 * at + i] = frame > 0 ? motion->position[3 * before + i] : 0.0f;
            motion->velocity[3 * at + i] = motion->spin[3 * at + i] = 0.0f;
        }
        for (size_t i = 0; i < 4; i++) {
            motion->orientation[4 * at + i] =
                frame > 0 ? motion->orientation[4 * before + i] : (i == 0 ? 1.0f : 0.0f);
        }
    }
}

static tal_status read_frames(tal_run_record *motion, tal_netcdf *file, const tal_origin *origin,
                              double *buffer, tal_error *err) {
    struct {
        const char *name;
        float *values;
        int width;
        double most;
    } part[] = {{"orientation", motion->orientation, 4, 1.001}, // unit quaternions, rounded
                {"velocity", motion->velocity, 3, TAL_SPEED_MAX_MPS},
                {"angular_velocity", motion->spin, 3, TAL_SPIN_MAX_RADPS}};
    for (int32_t frame = 0; frame < motion->frame_count; frame++) {
        TAL_TRY(read_positions(motion, file, origin, frame, buffer, err));
        for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
            TAL_TRY(read_frame(file, part[p].name, motion, frame, part[p].width, 0.0, part[p].most,
                               buffer, err));
            const size_t width = (size_t)part[p].width;
            float *target = &part[p].values[width * tal_run_record_index(motion, frame, 0)];
            for (size_t i = 0; i < width * (size_t)motion->block_count; i++) {
                target[i] = (float)buffer[i];
            }
        }
        hold_last_pose(motion, frame);
    }
    return TAL_OK;
}

static tal_status read_motion(tal_run_record *motion, tal_netcdf *file, const tal_blocks *blocks,
                              const tal_origin *origin, tal_error *err) {
    size_t frames, block_count;
    TAL_TRY(tal_netcdf_get_length(file, "frame", &frames, err));
    TAL_TRY(tal_netcdf_get_length(file, "block", &block_count, err));
    if (block_count != (size_t)blocks->count) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s has %zu blocks and blocks.nc beside it %d: they belong to different "
                        "runs; run talus-solve again",
                        file->path, block_count, (int)blocks->count);
    }
    if (frames == 0 || frames > INT32_MAX) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s contains no frames", file->path);
    }
    motion->frame_count = (int32_t)frames;
    motion->block_count = (int32_t)block_count;
    const size_t cells = frames * block_count;
    TAL_CREATE(motion->time, frames, "the times of the frames", err);
    TAL_CREATE(motion->position, 3 * cells, "the motion", err);
    TAL_CREATE(motion->orientation, 4 * cells, "the motion", err);
    TAL_CREATE(motion->velocity, 3 * cells, "the motion", err);
    TAL_CREATE(motion->spin, 3 * cells, "the motion", err);
    TAL_CREATE(motion->left, block_count, "the blocks", err);
    TAL_TRY(tal_netcdf_get_doubles(file, "time", motion->time, frames, err));
    TAL_TRY(check_times(file, "time", "frame", motion->time, frames, err));
    TAL_TRY(read_states(motion, file, err));
    TAL_TRY(read_series(motion, file, err));
    TAL_TRY(read_notes(motion, file, err));
    TAL_TRY(tal_stress_record_read(&motion->stress, file, block_count, origin, err));
    double *buffer;
    TAL_CREATE(buffer, 4 * block_count, "one frame", err);
    const tal_status status = read_frames(motion, file, origin, buffer, err);
    tal_memory_destroy(buffer);
    return status;
}

tal_status tal_run_record_read(tal_run_record *motion, const char *path, const tal_blocks *blocks,
                               const tal_origin *origin, tal_error *err) {
    tal_netcdf file = {.id = -1};
    *motion = (tal_run_record){0};
    TAL_TRY(tal_netcdf_open(&file, path, err));
    const tal_status status = read_motion(motion, &file, blocks, origin, err);
    tal_netcdf_close(&file);
    if (status != TAL_OK) {
        tal_run_record_destroy(motion);
    }
    return status;
}

tal_surface tal_blocks_pose_frame(const tal_blocks *blocks, const tal_run_record *motion,
                                  int32_t block, int32_t frame, tal_vec3 *vertex) {
    const size_t at = tal_run_record_index(motion, frame, block);
    double position[3], orientation[4];
    for (size_t i = 0; i < 3; i++) {
        position[i] = (double)motion->position[3 * at + i];
    }
    for (size_t i = 0; i < 4; i++) {
        orientation[i] = (double)motion->orientation[4 * at + i];
    }
    return tal_blocks_pose(blocks, block, position, orientation, vertex);
}

void tal_blocks_energy(const tal_blocks *blocks, const tal_run_record *motion, int32_t block,
                       int32_t frame, double *translation, double *rotation) {
    const size_t at = tal_run_record_index(motion, frame, block);
    double orientation[4], speed2 = 0.0;
    for (size_t i = 0; i < 4; i++) {
        orientation[i] = (double)motion->orientation[4 * at + i];
    }
    for (size_t i = 0; i < 3; i++) {
        speed2 += (double)motion->velocity[3 * at + i] * (double)motion->velocity[3 * at + i];
    }
    const float *spin = &motion->spin[3 * at];
    const tal_mat3 turn = tal_block_turn(orientation);
    const tal_vec3 own = tal_mat3_apply_transposed(
        &turn, tal_vec3_make((double)spin[0], (double)spin[1], (double)spin[2]));
    const double *inertia = &blocks->inertia[3 * block];
    *translation = 0.5 * blocks->mass[block] * speed2;
    *rotation = 0.5 * (inertia[0] * own.x * own.x + inertia[1] * own.y * own.y +
                       inertia[2] * own.z * own.z);
}

bool tal_run_record_has_blocks(const char *path) {
    tal_netcdf file = {.id = -1};
    const bool has =
        tal_netcdf_open(&file, path, NULL) == TAL_OK && tal_netcdf_has(&file, "vertex_start");
    tal_netcdf_close(&file);
    return has;
}
