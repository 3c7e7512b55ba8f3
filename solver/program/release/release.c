// SPDX-License-Identifier: GPL-3.0-or-later
// A release from beginning to end. Rocks fall in batches shared by all threads; a batch is written down in
// the order of its rocks, so neither threads nor kills change a bit.
#include "solver/program/release/release.h"

#include "core/app/json.h"
#include "core/app/number.h"
#include "core/app/provenance.h"
#include "core/app/results.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/threads.h"
#include "solver/program/release/fall.h"
#include "solver/program/release/rock_journal.h"
#include "solver/program/release/rocks_file.h"
#include "solver/program/watch.h"

#include <string.h>

enum { BATCH = 256 };

typedef struct {
    const tal_invocation *invocation;
    const tal_settings *settings;
    bool resume;
    tal_overwrite overwrite;
    tal_provenance *provenance;
    char key[TAL_SHA256_TEXT_SIZE];
    tal_solve_scene scene;
    tal_ground *ground;
    tal_starts starts;
    tal_obstacles obstacles;
    tal_rock_journal journal;
    tal_fallen_rock *rock; // a batch, or all that fall together
    int32_t rock_room;
    char journal_path[TAL_PATH_SIZE], rocks_path[TAL_PATH_SIZE], summary_path[TAL_PATH_SIZE];
} release;

static tal_status prepare_paths(release *r, tal_error *err) {
    const char *out = r->invocation->out;
    if (!tal_path_join(r->journal_path, out, "rocks.journal") ||
        !tal_path_join(r->rocks_path, out, "rocks.nc") ||
        !tal_path_join(r->summary_path, out, "rocks.json")) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.100s...: path too long", out);
    }
    if (r->overwrite == TAL_KEEP_EXISTING && !r->resume && tal_file_exists(r->rocks_path)) {
        return TAL_FAIL(err, TAL_EXISTS,
                        "%s exists already. Say --overwrite to replace it, or choose another "
                        "folder with --out",
                        r->rocks_path);
    }
    return TAL_OK;
}

static tal_status add_files(release *r, const char *files, tal_error *err) {
    char path[TAL_PATH_SIZE];
    while (tal_settings_next_file(r->settings, &files, path)) {
        TAL_TRY(tal_provenance_add_input(r->provenance, path, err));
    }
    return TAL_OK;
}

static tal_status add_inputs(release *r, tal_error *err) {
    static const char *const inputs[] = {"terrain.nc", "blocks.nc"};
    const tal_settings *s = r->settings;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char path[TAL_PATH_SIZE];
        tal_path_join(path, r->invocation->out, inputs[i]);
        if (!tal_file_exists(path)) {
            return TAL_FAIL(err, TAL_NOT_FOUND, "%s does not exist: run talus-mesh first", path);
        }
        TAL_TRY(tal_provenance_add_input(r->provenance, path, err));
    }
    TAL_TRY(add_files(r, s->release.from, err));
    TAL_TRY(add_files(r, s->release.diameters, err));
    TAL_TRY(add_files(r, s->forest.area, err));
    TAL_TRY(add_files(r, s->forest.diameters, err));
    TAL_TRY(add_files(r, s->forest.stems, err));
    for (int k = 0; k < s->barrier_count; k++) {
        TAL_TRY(add_files(r, s->barrier[k].place, err));
    }
    return TAL_OK;
}

// The key that a journal must share to be gone on with: all but the number of rocks.
static tal_status make_key(release *r, tal_error *err) {
    tal_settings *settings = NULL;
    tal_text text = {0};
    TAL_CREATE(settings, 1, "the settings", err);
    *settings = *r->settings;
    settings->release.rocks = 1;
    tal_settings_write(settings, TAL_STAGE_SOLVE, TAL_SETTINGS_PORTABLE, &text);
    tal_text_append(&text, "seed %lld run %lld\n", (long long)r->settings->random.seed,
                    (long long)r->settings->random.run);
    tal_memory_destroy(settings);
    for (int i = 0; i < r->provenance->input_count; i++) {
        tal_text_append(&text, "%s\n", r->provenance->input[i].sha256);
    }
    const bool failed = text.failed;
    tal_sha256_bytes(tal_text_string(&text), text.length, r->key);
    tal_text_destroy(&text);
    return failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the record of inputs") : TAL_OK;
}

static tal_status prepare_scene(release *r, tal_error *err) {
    TAL_TRY(tal_scene_read(&r->scene, r->invocation->out, r->settings, err));
    TAL_TRY(tal_ground_create(&r->ground, &r->scene.input, err));
    TAL_TRY(tal_starts_create(&r->starts, r->settings, &r->scene, r->ground, err));
    return tal_obstacles_create(&r->obstacles, r->settings, &r->scene, r->ground, err);
}

static tal_status prepare_rocks(release *r, tal_error *err) {
    r->rock_room = r->settings->release.together ? (int32_t)r->settings->release.rocks : BATCH;
    TAL_CREATE(r->rock, (size_t)r->rock_room, "rocks", err);
    for (int32_t k = 0; k < r->rock_room; k++) {
        TAL_TRY(tal_fallen_rock_create(&r->rock[k], tal_starts_vertices_max(&r->starts), err));
    }
    return TAL_OK;
}

static tal_status begin(release *r, tal_error *err) {
    if (r->resume && tal_file_exists(r->journal_path)) {
        const tal_status status = tal_rock_journal_resume(&r->journal, r->journal_path, r->key,
                                                          r->settings->release.rocks, err);
        if (status == TAL_OK) {
            tal_log_info("going on after %lld rocks", (long long)r->journal.rock_count);
            return TAL_OK;
        }
        if (status != TAL_BAD_INPUT || r->overwrite == TAL_KEEP_EXISTING) {
            return status;
        }
        tal_log_info("starting afresh, since %s", err->text);
        tal_error_reset(err);
        tal_rock_journal_close(&r->journal);
    }
    return tal_rock_journal_create(&r->journal, r->journal_path, r->key, err);
}

// --- falling ---

typedef struct {
    const tal_fall *fall;
    int64_t first;
    tal_fallen_rock *rock;
    tal_status *status;
    tal_error *error; // per rock
} batch;

static void fall_some(void *context, int64_t first, int64_t end) {
    batch *b = context;
    for (int64_t k = first; k < end; k++) {
        b->status[k] = tal_fall_run(b->fall, b->first + k, 1, &b->rock[k], &b->error[k]);
    }
}

// Those up to the first that failed or was interrupted.
static tal_status write_batch(release *r, const batch *b, int64_t count, tal_error *err) {
    tal_status status = TAL_OK;
    for (int64_t k = 0; status == TAL_OK && k < count; k++) {
        if (b->status[k] != TAL_OK) {
            *err = b->error[k];
            status = b->status[k];
            break;
        }
        status = tal_rock_journal_add(&r->journal, &b->rock[k], err);
    }
    if (status == TAL_OK || status == TAL_INTERRUPTED) {
        TAL_TRY(tal_rock_journal_sync(&r->journal, err));
    }
    return status;
}

static tal_status fall_one_by_one(release *r, const tal_fall *fall, tal_error *err) {
    const int64_t rocks = r->settings->release.rocks;
    tal_status status = TAL_OK;
    tal_progress progress;
    batch b = {.fall = fall, .rock = r->rock};
    TAL_CREATE_OR_DONE(b.status, BATCH, "rocks", err);
    TAL_CREATE_OR_DONE(b.error, BATCH, "rocks", err);
    tal_progress_begin(&progress, "falling", "rocks", (double)rocks);
    while (status == TAL_OK && r->journal.rock_count < rocks) {
        b.first = r->journal.rock_count;
        const int64_t left = rocks - b.first, count = left < BATCH ? left : BATCH;
        tal_threads_loop(r->invocation->thread_count, count, 1, fall_some, &b);
        status = write_batch(r, &b, count, err);
        tal_progress_advance(&progress, (double)r->journal.rock_count);
    }
    tal_progress_end(&progress, (double)r->journal.rock_count);
done:
    tal_memory_destroy(b.status);
    tal_memory_destroy(b.error);
    return status;
}

static tal_status fall_together(release *r, tal_fall *fall, tal_error *err) {
    const int32_t rocks = r->rock_room;
    if (r->journal.rock_count == rocks) {
        return TAL_OK;
    }
    tal_rock_journal_close(&r->journal); // one scene has no half
    TAL_TRY(tal_rock_journal_create(&r->journal, r->journal_path, r->key, err));
    fall->thread_count = r->invocation->thread_count;
    TAL_TRY(tal_fall_run(fall, 0, rocks, r->rock, err));
    for (int32_t k = 0; k < rocks; k++) {
        TAL_TRY(tal_rock_journal_add(&r->journal, &r->rock[k], err));
    }
    return tal_rock_journal_sync(&r->journal, err);
}

// --- the end ---

static tal_status write_summary(const release *r, const tal_release_summary *s, tal_error *err) {
    static const char *const ends[] = {"at_rest", "left_over_the_rim", "stopped_by_barriers",
                                       "still_moving"};
    cJSON *root = cJSON_CreateObject();
    tal_json_add_number(root, "rocks", (double)s->rock_count);
    for (int k = 0; k < 4; k++) {
        tal_json_add_number(root, ends[k], (double)s->by_end[k]);
    }
    tal_json_add_number(root, "steps", (double)s->step_count);
    tal_json_add_number(root, "unconverged_steps", (double)s->unconverged_steps);
    tal_json_add_number(root, "samples", (double)s->sample_count);
    tal_json_add_number(root, "stem_hits", (double)s->stem_hits);
    tal_json_add_number(root, "stems", r->obstacles.stems.count);
    tal_json_add_number(root, "penetration_max_m", s->penetration_max);
    tal_json_add_number(root, "longest_s", s->duration_max);
    cJSON_AddItemToObject(root, "provenance", tal_provenance_json(r->provenance));
    const tal_status status = tal_json_write(r->summary_path, root, TAL_REPLACE, err);
    cJSON_Delete(root);
    return status;
}

static tal_status finish(release *r, tal_error *err) {
    tal_release_summary s = {0};
    char *provenance = tal_provenance_text(r->provenance);
    const tal_rocks_notes notes = {.path = r->rocks_path,
                                   .provenance = provenance,
                                   .overwrite = r->resume ? TAL_REPLACE : r->overwrite,
                                   .settings = r->settings,
                                   .scene = &r->scene,
                                   .obstacles = &r->obstacles};
    tal_status status = tal_results_begin(r->invocation->out, "solve", err);
    if (status == TAL_OK) {
        status = tal_rocks_file_write(&r->journal, &notes, &s, err);
        status = status == TAL_OK ? write_summary(r, &s, err) : status;
        status = tal_results_end(status, err);
    }
    cJSON_free(provenance);
    TAL_TRY(status);
    const tal_solve_settings *solve = &r->settings->solve;
    tal_log_info("%lld rocks: %lld came to rest, %lld left over the rim, %lld were stopped by "
                 "barriers, %lld still moved after %g s",
                 (long long)s.rock_count, (long long)s.by_end[TAL_ROCK_RESTS],
                 (long long)s.by_end[TAL_ROCK_LEFT], (long long)s.by_end[TAL_ROCK_STOPPED],
                 (long long)s.by_end[TAL_ROCK_MOVES],
                 (double)tal_watch_steps(solve->until_s, solve->dt_s) * solve->dt_s);
    char depth[TAL_NUMBER_SIZE];
    tal_log_info("%lld steps, %lld of them not converged; deepest penetration %s m",
                 (long long)s.step_count, (long long)s.unconverged_steps,
                 tal_number_format(depth, s.penetration_max));
    return TAL_OK;
}

static tal_status run_release(release *r, const char *program, tal_error *err) {
    TAL_TRY(prepare_paths(r, err));
    TAL_CREATE(r->provenance, 1, "the record of inputs", err);
    TAL_TRY(tal_provenance_create(r->provenance, program, r->settings, TAL_STAGE_SOLVE, err));
    TAL_TRY(add_inputs(r, err));
    TAL_TRY(make_key(r, err));
    TAL_TRY(prepare_scene(r, err));
    TAL_TRY(prepare_rocks(r, err));
    tal_watch_tell_steps("until_s", r->settings->solve.until_s, r->settings->solve.dt_s);
    TAL_TRY(begin(r, err));
    tal_fall fall = {.settings = r->settings,
                     .scene = &r->scene,
                     .ground = r->ground,
                     .starts = &r->starts,
                     .obstacles = &r->obstacles,
                     .thread_count = 1};
    const tal_status status = r->settings->release.together ? fall_together(r, &fall, err)
                                                            : fall_one_by_one(r, &fall, err);
    if (status == TAL_INTERRUPTED) {
        return TAL_FAIL(err, TAL_INTERRUPTED, "stopped after %lld rocks; go on with --resume",
                        (long long)r->journal.rock_count);
    }
    TAL_TRY(status);
    return finish(r, err);
}

tal_status tal_release_run(const tal_invocation *invocation, const char *program, bool resume,
                           tal_error *err) {
    release r = {.invocation = invocation,
                 .settings = &invocation->settings,
                 .resume = resume,
                 .overwrite = invocation->overwrite};
    const tal_status status = run_release(&r, program, err);
    for (int32_t k = 0; r.rock != NULL && k < r.rock_room; k++) {
        tal_fallen_rock_destroy(&r.rock[k]);
    }
    tal_memory_destroy(r.rock);
    tal_rock_journal_close(&r.journal);
    tal_obstacles_destroy(&r.obstacles);
    tal_starts_destroy(&r.starts);
    tal_ground_destroy(r.ground);
    tal_scene_destroy(&r.scene);
    if (r.provenance != NULL) {
        tal_provenance_destroy(r.provenance);
    }
    tal_memory_destroy(r.provenance);
    return status;
}
