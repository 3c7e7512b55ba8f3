// SPDX-License-Identifier: GPL-3.0-or-later
// The complete state in one file: poses, velocities, momenta, who rests, and the percussions remembered
// for the next step. Little-endian, versioned, with the fingerprint of its model and a checksum.
#include "solver/step/state.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "solver/motion/integrate.h"
#include "solver/motion/rest.h"
#include "solver/step/hash.h"

#include <math.h>
#include <string.h>

static const char MAGIC[8] = {'T', 'A', 'L', 'U', 'S', 'C', 'H', 'K'};
enum { VERSION = 5 };

typedef struct {
    char magic[8];
    uint32_t version;
    int32_t body_count;
    uint64_t fingerprint;
    uint64_t step;
    double time;
    double memory_dt;
    int32_t pair_count;
    int32_t point_count;
    uint64_t checksum; // of all that follows
} header;

// The file: the motion of each kind of bodies, the percussions remembered, trails, who rests, who is gone.
typedef struct {
    int count;
    tal_section section[TAL_SECTIONS_MAX + 5];
} contents;

static void add(contents *all, void *bytes, size_t size) {
    all->section[all->count++] = (tal_section){bytes, size};
}

static contents contents_of(const tal_state *state) {
    const size_t bodies = (size_t)state->body_count;
    const tal_contact_memory *memory = &state->memory;
    contents all = {0};
    all.count = tal_list_motion(state, all.section);
    add(&all, memory->pair, (size_t)memory->pair_count * sizeof *memory->pair);
    add(&all, memory->point, (size_t)memory->point_count * sizeof *memory->point);
    add(&all, state->trail, bodies * sizeof *state->trail);
    add(&all, state->rest, bodies * sizeof *state->rest);
    add(&all, state->is_gone, bodies * sizeof *state->is_gone); // bytes: at the end
    return all;
}

static uint64_t checksum_of(const contents *all) {
    uint64_t hash = TAL_HASH_START;
    for (int k = 0; k < all->count; k++) {
        hash = tal_hash_bytes(hash, all->section[k].bytes, all->section[k].size);
    }
    return hash;
}

// Bytes behind a header that names so many pairs and points.
static size_t size_of(const tal_state *state, const header *head) {
    tal_section motion[TAL_SECTIONS_MAX];
    const int count = tal_list_motion(state, motion);
    size_t size =
        (size_t)head->body_count * (sizeof(tal_trail) + sizeof(tal_rest) + sizeof(uint8_t)) +
        (size_t)head->pair_count * sizeof(tal_memory_pair) +
        (size_t)head->point_count * sizeof(tal_memory_point);
    for (int k = 0; k < count; k++) {
        size += motion[k].size;
    }
    return size;
}

tal_status tal_checkpoint_write(const tal_model *model, const tal_state *state, const char *path,
                                tal_error *err) {
    const contents all = contents_of(state);
    header head = {.version = VERSION,
                   .body_count = state->body_count,
                   .fingerprint = model->fingerprint,
                   .step = state->step,
                   .time = state->time,
                   .memory_dt = state->memory.dt,
                   .pair_count = state->memory.pair_count,
                   .point_count = state->memory.point_count,
                   .checksum = checksum_of(&all)};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    tal_output output;
    TAL_TRY(tal_output_open(&output, path, TAL_REPLACE, err));
    tal_output_write(&output, &head, sizeof head);
    for (int k = 0; k < all.count; k++) {
        if (all.section[k].size > 0) {
            tal_output_write(&output, all.section[k].bytes, all.section[k].size);
        }
    }
    return tal_output_commit(&output, err);
}

static tal_status check_header(const tal_model *model, const header *head, const char *path,
                               size_t length, tal_error *err) {
    if (length < sizeof *head || memcmp(head->magic, MAGIC, sizeof MAGIC) != 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a checkpoint of talus", path);
    }
    if (head->version != VERSION) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: checkpoint version %u, this talus reads version %d; run it with the "
                        "talus that wrote it, or start again",
                        path, head->version, VERSION);
    }
    if (head->body_count != model->body_count || head->fingerprint != model->fingerprint) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s belongs to another run (other blocks, terrain, laws or settings): "
                        "restore those, or start again",
                        path);
    }
    return TAL_OK;
}

static tal_status restore(tal_state *state, const header *head, const char *bytes, size_t length,
                          const char *path, tal_error *err) {
    if (head->pair_count < 0 || head->point_count < 0 || length != size_of(state, head)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is cut short: start again or use an older one",
                        path);
    }
    if (tal_hash_bytes(TAL_HASH_START, bytes, length) != head->checksum) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s is damaged (its checksum is wrong): start again or use an older one",
                        path);
    }
    TAL_TRY(tal_contact_memory_reserve(&state->memory, head->pair_count, head->point_count, err));
    state->memory.pair_count = head->pair_count;
    state->memory.point_count = head->point_count;
    state->memory.dt = head->memory_dt;
    state->step = head->step;
    state->time = head->time;
    const contents all = contents_of(state);
    for (int k = 0; k < all.count; k++) {
        if (all.section[k].size > 0) {
            memcpy(all.section[k].bytes, bytes, all.section[k].size);
        }
        bytes += all.section[k].size;
    }
    return TAL_OK;
}

static const double FAR_M = 1e7, FAST_MPS = 1e4;

static bool is_within(tal_vec3 v, double most) {
    return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most; // false for NaN
}

// A checksum says that the file is whole, not that it makes sense: no block is that far away, that fast,
// or turned by something that is no rotation.
static tal_status check_motion(const tal_model *model, const tal_state *state, const char *path,
                               tal_error *err) {
    const double spin_radps = 1e4;
    for (int32_t b = 0; b < model->body_count; b++) {
        const tal_quat q = state->orientation[b];
        const tal_vec3 inertia = model->inertia[b];
        const double heaviest = fmax(inertia.x, fmax(inertia.y, inertia.z));
        const double length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        const tal_trail *trail = &state->trail[b];
        if (!is_within((tal_vec3){trail->scar, trail->decay, trail->slid}, FAR_M) ||
            !(trail->drag >= 0.0 && trail->drag <= FAST_MPS) ||
            !(state->lead[b] >= 0.0 && state->lead[b] <= model->settings.dt_s) ||
            !is_within(state->position[b], FAR_M) || !is_within(state->velocity[b], FAST_MPS) ||
            !is_within(state->momentum[b], spin_radps * heaviest) || !(fabs(length - 1.0) < 1e-6)) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: block %d has an impossible position or velocity: start again or "
                            "use an older one",
                            path, b);
        }
    }
    return state->time >= 0.0 && isfinite(state->time)
               ? TAL_OK
               : TAL_FAIL(err, TAL_BAD_INPUT, "%s: its time of %g s is impossible: start again",
                          path, state->time);
}

// How long a block is still or hangs, how deep it lies and in whom.
static tal_status check_rest(const tal_model *model, const tal_state *state, const char *path,
                             tal_error *err) {
    for (int32_t b = 0; b < model->body_count; b++) {
        const tal_rest *rest = &state->rest[b];
        if (!(rest->still_steps >= 0 && rest->depth >= 0.0 && rest->depth <= FAR_M &&
              rest->partner >= TAL_BODY_TERRAIN && rest->partner < model->body_count &&
              rest->hung_s >= 0.0 && isfinite(rest->hung_s))) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: how block %d rests is impossible: start again or use an older one",
                            path, b);
        }
    }
    return TAL_OK;
}

// A percussion that would throw its body faster than any can be was never found.
static bool is_point_possible(const tal_memory_point *point, double mass) {
    const double most = 2.0 * FAST_MPS * mass;
    return fabs(point->normal) <= most && is_within(point->tangential, most) &&
           isfinite(point->bonded);
}

static bool is_pair_possible(const tal_model *model, const tal_contact_memory *memory,
                             const tal_memory_pair *pair) {
    if (!(pair->body_i >= 0 && pair->body_i < model->body_count && is_within(pair->moment, 1e18) &&
          pair->first_point >= 0 && pair->point_count >= 0 &&
          pair->point_count <= memory->point_count - pair->first_point)) {
        return false;
    }
    for (int32_t k = pair->first_point; k < pair->first_point + pair->point_count; k++) {
        if (!is_point_possible(&memory->point[k], model->mass[pair->body_i])) {
            return false;
        }
    }
    return true;
}

// Remembered percussions are possible and lie where their pairs say.
static tal_status check_memory(const tal_model *model, const tal_state *state, const char *path,
                               tal_error *err) {
    const tal_contact_memory *memory = &state->memory;
    bool good = memory->dt == 0.0 || (memory->dt >= 1e-9 && memory->dt <= 10.0);
    for (int32_t p = 0; good && p < memory->pair_count; p++) {
        good = is_pair_possible(model, memory, &memory->pair[p]);
    }
    return good ? TAL_OK
                : TAL_FAIL(err, TAL_BAD_INPUT,
                           "%s: its remembered percussions make no sense: start again or use an "
                           "older one",
                           path);
}

// What follows from a state just read.
static void take_up(const tal_model *model, tal_state *state) {
    tal_state_refresh_spins(model, state);
    state->work.problem.pair_count = 0; // contacts and reactions are those of a step
    memset(state->work.reaction, 0, (size_t)model->constraint_count * sizeof *state->work.reaction);
    tal_soft_refresh(model, state);
    for (int32_t b = 0; b < model->body_count; b++) {
        const uint8_t stands = state->is_gone[b] != 0 || tal_is_at_rest(state, b) ? 1 : 0;
        state->is_fixed[b] = model->is_fixed[b] | stands;
        state->is_immovable[b] = model->is_immovable[b] | stands;
        if (tal_is_at_rest(state, b)) { // a zero that was turned may be -0
            state->spin[b] = (tal_vec3){0};
        }
    }
}

tal_status tal_checkpoint_read(const tal_model *model, tal_state *state, const char *path,
                               tal_error *err) {
    char *bytes = NULL;
    size_t length = 0;
    header head = {0};
    TAL_TRY(tal_file_read(path, &bytes, &length, err));
    memcpy(&head, bytes, length < sizeof head ? length : sizeof head);
    tal_status status = check_header(model, &head, path, length, err);
    if (status == TAL_OK) {
        status = restore(state, &head, bytes + sizeof head, length - sizeof head, path, err);
    }
    status = status == TAL_OK ? check_motion(model, state, path, err) : status;
    status = status == TAL_OK ? check_rest(model, state, path, err) : status;
    status = status == TAL_OK ? check_memory(model, state, path, err) : status;
    if (status == TAL_OK) {
        take_up(model, state);
        if (!tal_state_is_valid(model, state)) {
            status = TAL_FAIL(err, TAL_BAD_INPUT,
                              "%s: the blocks that it says move and those that it says rest "
                              "contradict each other: start again or use an older one",
                              path);
        }
    }
    tal_memory_destroy(bytes);
    return status;
}

tal_status tal_checkpoint_time(const char *path, double *time_s, tal_error *err) {
    char *bytes = NULL;
    size_t length = 0;
    header head = {0};
    TAL_TRY(tal_file_read(path, &bytes, &length, err));
    memcpy(&head, bytes, length < sizeof head ? length : sizeof head);
    tal_memory_destroy(bytes);
    *time_s = head.time;
    return length >= sizeof head && memcmp(head.magic, MAGIC, sizeof MAGIC) == 0
               ? TAL_OK
               : TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a checkpoint of talus", path);
}

// Arrays of all kinds hold bodies in their order: those of `from` are the beginning of the new ones.
tal_status tal_state_continue(tal_state **state, const tal_model *model, const tal_state *from,
                              int thread_count, tal_error *err) {
    TAL_ASSERT(from->body_count <= model->body_count);
    TAL_TRY(tal_state_create(state, model, thread_count, err));
    tal_contact_memory *memory = &(*state)->memory;
    const tal_status status =
        tal_contact_memory_reserve(memory, from->memory.pair_count, from->memory.point_count, err);
    if (status != TAL_OK) {
        tal_state_destroy(*state);
        *state = NULL;
        return status;
    }
    memory->pair_count = from->memory.pair_count;
    memory->point_count = from->memory.point_count;
    memory->dt = from->memory.dt;
    (*state)->step = from->step;
    (*state)->time = from->time;
    const contents to = contents_of(*state), old = contents_of(from);
    TAL_ASSERT(to.count == old.count);
    for (int k = 0; k < to.count; k++) {
        TAL_ASSERT(to.section[k].size >= old.section[k].size);
        if (old.section[k].size > 0) {
            memcpy(to.section[k].bytes, old.section[k].bytes, old.section[k].size);
        }
    }
    take_up(model, *state);
    return TAL_OK;
}
