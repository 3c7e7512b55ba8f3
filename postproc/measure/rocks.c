// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a run and their motion: reading, posing, energies.
#include "postproc/measure/rocks.h"

#include "core/base/math3.h"
#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"
#include "postproc/measure/sphere.h"

#include <math.h>
#include <string.h>

enum { NAME_SIZE = 32 };

void tal_rocks_destroy(tal_rocks *rocks) {
    tal_memory_destroy(rocks->vertex_start);
    tal_memory_destroy(rocks->face_start);
    tal_memory_destroy(rocks->corner_start);
    tal_memory_destroy(rocks->corner);
    tal_memory_destroy(rocks->vertex);
    tal_memory_destroy(rocks->volume);
    tal_memory_destroy(rocks->mass);
    tal_memory_destroy(rocks->inertia);
    *rocks = (tal_rocks){0};
}

// Starts must rise from 0 to `total`: everything else walks memory by them.
static bool is_rising(const int32_t *start, int32_t count, int32_t total) {
    for (int32_t i = 0; i < count; i++) {
        if (start[i] > start[i + 1]) {
            return false;
        }
    }
    return start[0] == 0 && start[count] == total;
}

static bool corners_fit(const tal_rocks *rocks) {
    for (int32_t b = 0; b < rocks->count; b++) {
        const int32_t vertices = rocks->vertex_start[b + 1] - rocks->vertex_start[b];
        for (int32_t f = rocks->face_start[b]; f < rocks->face_start[b + 1]; f++) {
            for (int32_t c = rocks->corner_start[f]; c < rocks->corner_start[f + 1]; c++) {
                if (rocks->corner[c] < 0 || rocks->corner[c] >= vertices) {
                    return false;
                }
            }
        }
    }
    return true;
}

static tal_status check_rocks(tal_rocks *rocks, const char *path, int32_t vertices, int32_t faces,
                              int32_t corners, tal_error *err) {
    if (!is_rising(rocks->vertex_start, rocks->count, vertices) ||
        !is_rising(rocks->face_start, rocks->count, faces) ||
        !is_rising(rocks->corner_start, faces, corners) || !corners_fit(rocks)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: the lists of vertices, faces and corners do not fit together; "
                        "run talus-mesh again",
                        path);
    }
    rocks->smallest_size = INFINITY;
    for (int32_t b = 0; b < rocks->count; b++) {
        if (!(rocks->volume[b] > 0.0) || !(rocks->mass[b] > 0.0)) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: block %d has a volume of %g m3 and a mass of %g kg; both must be "
                            "positive",
                            path, (int)b, rocks->volume[b], rocks->mass[b]);
        }
        const int32_t own = rocks->vertex_start[b + 1] - rocks->vertex_start[b];
        rocks->vertex_count_max = own > rocks->vertex_count_max ? own : rocks->vertex_count_max;
        rocks->smallest_size = fmin(rocks->smallest_size, cbrt(rocks->volume[b]));
    }
    return TAL_OK;
}

static tal_status read_shapes(tal_rocks *rocks, tal_netcdf *file, tal_error *err) {
    size_t blocks, vertices, faces, corners;
    TAL_TRY(tal_netcdf_get_length(file, "block", &blocks, err));
    TAL_TRY(tal_netcdf_get_length(file, "vertex", &vertices, err));
    TAL_TRY(tal_netcdf_get_length(file, "face", &faces, err));
    TAL_TRY(tal_netcdf_get_length(file, "corner", &corners, err));
    if (blocks > INT32_MAX / 8 || vertices > INT32_MAX / 8 || corners > INT32_MAX / 8 ||
        faces > INT32_MAX / 8) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: more blocks than talus-post can number",
                        file->path);
    }
    rocks->count = (int32_t)blocks;
    TAL_CREATE(rocks->vertex_start, blocks + 1, "the blocks", err);
    TAL_CREATE(rocks->face_start, blocks + 1, "the blocks", err);
    TAL_CREATE(rocks->corner_start, faces + 1, "the faces of the blocks", err);
    TAL_CREATE(rocks->corner, corners + 1, "the corners of the blocks", err);
    TAL_CREATE(rocks->vertex, 3 * vertices + 1, "the vertices of the blocks", err);
    TAL_CREATE(rocks->volume, blocks + 1, "the blocks", err);
    TAL_CREATE(rocks->mass, blocks + 1, "the blocks", err);
    TAL_CREATE(rocks->inertia, 3 * blocks + 1, "the blocks", err);
    TAL_TRY(tal_netcdf_get_ints(file, "vertex_start", rocks->vertex_start, blocks + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "face_start", rocks->face_start, blocks + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "corner_start", rocks->corner_start, faces + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "corner_vertex", rocks->corner, corners, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "vertex", rocks->vertex, 3 * vertices, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "volume", rocks->volume, blocks, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "mass", rocks->mass, blocks, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "inertia", rocks->inertia, 3 * blocks, err));
    return check_rocks(rocks, file->path, (int32_t)vertices, (int32_t)faces, (int32_t)corners, err);
}

tal_status tal_rocks_read(tal_rocks *rocks, const char *path, tal_error *err) {
    tal_status status = TAL_OK;
    tal_netcdf file = {.id = -1};
    double *radius = NULL;
    *rocks = (tal_rocks){0};
    TAL_TRY_OR_DONE(tal_netcdf_open(&file, path, err));
    TAL_TRY_OR_DONE(read_shapes(rocks, &file, err));
    if (rocks->count == 0) {
        status = TAL_FAIL(err, TAL_BAD_INPUT, "%s: there is no block in it", path);
        goto done;
    }
    if (tal_netcdf_has(&file, "sphere_radius")) {
        TAL_CREATE_OR_DONE(radius, (size_t)rocks->count, "the spheres", err);
        TAL_TRY_OR_DONE(
            tal_netcdf_get_doubles(&file, "sphere_radius", radius, (size_t)rocks->count, err));
        TAL_TRY_OR_DONE(tal_rocks_replace_spheres(rocks, radius, err));
    }
done:
    tal_netcdf_close(&file);
    tal_memory_destroy(radius);
    if (status != TAL_OK) {
        tal_rocks_destroy(rocks);
    }
    return status;
}

void tal_motion_destroy(tal_motion *motion) {
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
    *motion = (tal_motion){0};
}

static tal_status read_series(tal_motion *motion, tal_netcdf *file, tal_error *err) {
    struct {
        const char *name;
        double **values;
    } series[] = {{"step_time", &motion->step_time},
                  {"kinetic_translation", &motion->kinetic_translation},
                  {"kinetic_rotation", &motion->kinetic_rotation},
                  {"potential", &motion->potential},
                  {"dissipated_normal", &motion->dissipated_normal},
                  {"dissipated_tangential", &motion->dissipated_tangential},
                  {"correction_work", &motion->correction_work},
                  {"contact_count", &motion->contact_count},
                  {"iterations", &motion->iterations},
                  {"residual", &motion->residual},
                  {"penetration", &motion->penetration}};
    size_t steps;
    TAL_TRY(tal_netcdf_get_length(file, "step", &steps, err));
    motion->step_count = (int32_t)steps;
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        TAL_CREATE(*series[i].values, steps + 1, series[i].name, err);
        TAL_TRY(tal_netcdf_get_doubles(file, series[i].name, *series[i].values, steps, err));
    }
    return TAL_OK;
}

static tal_status read_notes(tal_motion *motion, tal_netcdf *file, tal_error *err) {
    char *ended = NULL;
    TAL_TRY(tal_netcdf_get_real(file, NULL, "unconverged_steps", &motion->unconverged_steps, err));
    TAL_TRY(tal_netcdf_get_real(file, NULL, "finished_steps", &motion->finished_steps, err));
    TAL_TRY(tal_netcdf_get_real(file, NULL, "energy_drift", &motion->energy_drift, err));
    TAL_TRY(tal_netcdf_get_real(file, NULL, "blocks_lost", &motion->blocks_lost, err));
    TAL_TRY(tal_netcdf_get_real(file, NULL, "dt_s", &motion->dt, err));
    TAL_TRY(tal_netcdf_get_text(file, NULL, "ended_because", &ended, err));
    (void)strncat(motion->ended_because, ended, sizeof motion->ended_because - 1);
    tal_memory_destroy(ended);
    return TAL_OK;
}

// One frame of a variable with `width` numbers per block, none farther than `most` from `centre`;
// NaN is that of a block that has left.
static tal_status read_frame(tal_netcdf *file, const char *name, const tal_motion *motion,
                             int32_t frame, int width, double centre, double most, double *buffer,
                             tal_error *err) {
    const size_t start[3] = {(size_t)frame, 0, 0};
    const size_t count[3] = {1, (size_t)motion->block_count, (size_t)width};
    TAL_TRY(tal_netcdf_get_slab(file, name, start, count, buffer, err));
    for (size_t i = 0; i < count[1] * count[2]; i++) {
        if (fabs(buffer[i] - centre) > most) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: %s = %g of block %zu in frame %d cannot be: the file is damaged, "
                            "or was made for another study; run talus-solve again",
                            file->path, name, buffer[i], i / count[2], (int)frame);
        }
    }
    return TAL_OK;
}

// What no rock does, and single precision would no longer resolve.
static const double POSITION_MAX_M = 1e6, SPEED_MAX_MPS = 1e4, SPIN_MAX_RADPS = 1e6,
                    TIME_MAX_S = 1e6;

static tal_status read_positions(tal_motion *motion, tal_netcdf *file, const tal_origin *origin,
                                 int32_t frame, double *buffer, tal_error *err) {
    const char *const name[3] = {"x", "y", "z"};
    const double shift[3] = {(double)origin->east, (double)origin->north, (double)origin->height};
    const size_t first = tal_motion_index(motion, frame, 0);
    for (size_t i = 0; i < 3; i++) {
        TAL_TRY(read_frame(file, name[i], motion, frame, 1, shift[i], POSITION_MAX_M, buffer, err));
        for (size_t b = 0; b < (size_t)motion->block_count; b++) {
            motion->position[3 * (first + b) + i] = (float)(buffer[b] - shift[i]);
        }
    }
    return TAL_OK;
}

// A block that has left may have no pose any more: it is kept where it was last seen, at rest.
static void hold_last_pose(tal_motion *motion, int32_t frame) {
    for (int32_t block = 0; block < motion->block_count; block++) {
        const size_t at = tal_motion_index(motion, frame, block);
        const float *p = &motion->position[3 * at];
        if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) {
            continue;
        }
        const size_t before = frame > 0 ? tal_motion_index(motion, frame - 1, block) : at;
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

static tal_status read_frames(tal_motion *motion, tal_netcdf *file, const tal_origin *origin,
                              double *buffer, tal_error *err) {
    struct {
        const char *name;
        float *values;
        int width;
        double most;
    } part[] = {{"orientation", motion->orientation, 4, 1.001}, // unit quaternions, rounded
                {"velocity", motion->velocity, 3, SPEED_MAX_MPS},
                {"angular_velocity", motion->spin, 3, SPIN_MAX_RADPS}};
    for (int32_t frame = 0; frame < motion->frame_count; frame++) {
        TAL_TRY(read_positions(motion, file, origin, frame, buffer, err));
        for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
            TAL_TRY(read_frame(file, part[p].name, motion, frame, part[p].width, 0.0, part[p].most,
                               buffer, err));
            const size_t width = (size_t)part[p].width;
            float *target = &part[p].values[width * tal_motion_index(motion, frame, 0)];
            for (size_t i = 0; i < width * (size_t)motion->block_count; i++) {
                target[i] = (float)buffer[i];
            }
        }
        hold_last_pose(motion, frame);
    }
    return TAL_OK;
}

static tal_status check_times(const tal_motion *motion, const tal_netcdf *file, tal_error *err) {
    for (int32_t frame = 0; frame < motion->frame_count; frame++) {
        const double time = motion->time[frame],
                     before = frame > 0 ? motion->time[frame - 1] : -1.0;
        if (!(time > before && time <= TIME_MAX_S)) {
            return TAL_FAIL(
                err, TAL_BAD_INPUT,
                "%s: time = %g s of frame %d after %g s cannot be: the file is damaged; "
                "run talus-solve again",
                file->path, time, (int)frame, before);
        }
    }
    return TAL_OK;
}

static tal_status read_motion(tal_motion *motion, tal_netcdf *file, const tal_rocks *rocks,
                              const tal_origin *origin, tal_error *err) {
    size_t frames, blocks;
    TAL_TRY(tal_netcdf_get_length(file, "frame", &frames, err));
    TAL_TRY(tal_netcdf_get_length(file, "block", &blocks, err));
    if (blocks != (size_t)rocks->count) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s has %zu blocks and blocks.nc beside it %d: they belong to different "
                        "runs; run talus-solve again",
                        file->path, blocks, (int)rocks->count);
    }
    if (frames == 0 || frames > INT32_MAX) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: there is no frame in it", file->path);
    }
    motion->frame_count = (int32_t)frames;
    motion->block_count = (int32_t)blocks;
    const size_t cells = frames * blocks;
    TAL_CREATE(motion->time, frames, "the times of the frames", err);
    TAL_CREATE(motion->position, 3 * cells, "the motion", err);
    TAL_CREATE(motion->orientation, 4 * cells, "the motion", err);
    TAL_CREATE(motion->velocity, 3 * cells, "the motion", err);
    TAL_CREATE(motion->spin, 3 * cells, "the motion", err);
    TAL_CREATE(motion->left, blocks, "the blocks", err);
    TAL_TRY(tal_netcdf_get_doubles(file, "time", motion->time, frames, err));
    TAL_TRY(check_times(motion, file, err));
    TAL_TRY(tal_netcdf_get_ints(file, "state", motion->left, blocks, err));
    TAL_TRY(read_series(motion, file, err));
    TAL_TRY(read_notes(motion, file, err));
    double *buffer;
    TAL_CREATE(buffer, 4 * blocks, "one frame", err);
    const tal_status status = read_frames(motion, file, origin, buffer, err);
    tal_memory_destroy(buffer);
    return status;
}

tal_status tal_motion_read(tal_motion *motion, const char *path, const tal_rocks *rocks,
                           const tal_origin *origin, tal_error *err) {
    tal_netcdf file = {.id = -1};
    *motion = (tal_motion){0};
    TAL_TRY(tal_netcdf_open(&file, path, err));
    const tal_status status = read_motion(motion, &file, rocks, origin, err);
    tal_netcdf_close(&file);
    if (status != TAL_OK) {
        tal_motion_destroy(motion);
    }
    return status;
}

// Files hold quaternions in single precision: one that is not a unit would change volumes.
static tal_mat3 turn_from(const double orientation[4]) {
    const tal_quat q = {orientation[0], orientation[1], orientation[2], orientation[3]};
    const bool is_zero = q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    return tal_quat_matrix(is_zero ? (tal_quat){1.0, 0.0, 0.0, 0.0} : tal_quat_normalize(q));
}

tal_surface tal_rocks_pose(const tal_rocks *rocks, int32_t block, const double position[3],
                           const double orientation[4], tal_vec3 *vertex) {
    const tal_mat3 turn = turn_from(orientation);
    const int32_t first = rocks->vertex_start[block];
    const int32_t count = rocks->vertex_start[block + 1] - first;
    for (int32_t v = 0; v < count; v++) {
        const double *own = &rocks->vertex[3 * (size_t)(first + v)];
        const tal_vec3 turned = tal_mat3_apply(&turn, tal_vec3_make(own[0], own[1], own[2]));
        vertex[v] =
            tal_vec3_make(position[0] + turned.x, position[1] + turned.y, position[2] + turned.z);
    }
    const int32_t face = rocks->face_start[block];
    return (tal_surface){.vertex = vertex,
                         .vertex_count = count,
                         .corner_start = &rocks->corner_start[face],
                         .face_count = rocks->face_start[block + 1] - face,
                         .corner = rocks->corner};
}

tal_surface tal_rocks_pose_frame(const tal_rocks *rocks, const tal_motion *motion, int32_t block,
                                 int32_t frame, tal_vec3 *vertex) {
    const size_t at = tal_motion_index(motion, frame, block);
    double position[3], orientation[4];
    for (size_t i = 0; i < 3; i++) {
        position[i] = (double)motion->position[3 * at + i];
    }
    for (size_t i = 0; i < 4; i++) {
        orientation[i] = (double)motion->orientation[4 * at + i];
    }
    return tal_rocks_pose(rocks, block, position, orientation, vertex);
}

void tal_rocks_energy(const tal_rocks *rocks, const tal_motion *motion, int32_t block,
                      int32_t frame, double *translation, double *rotation) {
    const size_t at = tal_motion_index(motion, frame, block);
    double orientation[4], speed2 = 0.0;
    for (size_t i = 0; i < 4; i++) {
        orientation[i] = (double)motion->orientation[4 * at + i];
    }
    for (size_t i = 0; i < 3; i++) {
        speed2 += (double)motion->velocity[3 * at + i] * (double)motion->velocity[3 * at + i];
    }
    const float *spin = &motion->spin[3 * at];
    const tal_mat3 turn = turn_from(orientation);
    const tal_vec3 own = tal_mat3_apply_transposed(
        &turn, tal_vec3_make((double)spin[0], (double)spin[1], (double)spin[2]));
    const double *inertia = &rocks->inertia[3 * block];
    *translation = 0.5 * rocks->mass[block] * speed2;
    *rotation = 0.5 * (inertia[0] * own.x * own.x + inertia[1] * own.y * own.y +
                       inertia[2] * own.z * own.z);
}
