// SPDX-License-Identifier: GPL-3.0-or-later
// talus-solve: blocks + terrain + laws -> motion. A thin user of the solver library.
#include "core/app/json.h"
#include "core/app/number.h"
#include "core/app/program.h"
#include "core/app/provenance.h"
#include "core/app/results.h"
#include "core/app/site_check.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/math3.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "solver/program/breaking.h"
#include "solver/program/dump.h"
#include "solver/program/fields.h"
#include "solver/program/onset.h"
#include "solver/program/release/release.h"
#include "solver/program/run_file.h"
#include "solver/program/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tal_status check(tal_invocation *invocation, tal_error *err);
static tal_status run(const tal_invocation *invocation, tal_error *err);

static const tal_option options[] = {
    {"until", 0, "SECONDS", "End of the simulation (solve.until_s)."},
    {"output-every", 0, "SECONDS", "Time between stored frames (solve.output_every_s)."},
    {"checkpoint-every", 0, "SECONDS", "Time between checkpoints (solve.checkpoint_every_s)."},
    {"stop-when-still", 0, "YES|NO", "Stop as soon as every block rests (solve.stop_when_still)."},
    {"dump-problem", 0, "STEP",
     "Write the contact problem of this step (1, 2, ..) as FCLIB: contact-STEP.hdf5."},
    {"resume", 'r', NULL,
     "Continue from the last checkpoint of a run that was stopped or killed, or from the end of a "
     "finished one when until_s is later now. With --overwrite, a checkpoint of another run is "
     "replaced."},
};

static const tal_program program = {
    .name = "talus-solve",
    .summary = "lets the blocks fall over the terrain",
    .arguments = "SITE.ini [OPTION]...",
    .description =
        "Reads terrain.nc and blocks.nc in the output folder, moves the blocks by percussions "
        "(non-smooth contact dynamics) and writes run.nc: poses and velocities over time, "
        "energies, dissipation, residual and penetration of every step.\n\n"
        "A run can be stopped (Ctrl-C) or killed at any moment: --resume continues from the last "
        "checkpoint and gives the same bits as an uninterrupted run. A run that was stopped leaves "
        "a partial run.nc, which can be post-processed and says what it is. run.journal and "
        "run.checkpoint serve --resume only and may be deleted.\n\n"
        "The simulation ends when every block has rested for solve.still_s: no point of any block "
        "faster than solve.still_mps. Blocks that leave the terrain are taken out and counted.\n\n"
        "With a [release] in the site file single rocks fall instead, each on its own or all "
        "together, past barriers and through forest; their ways are written to rocks.nc. A release "
        "that was stopped or killed goes on with --resume, rock by rock.",
    .examples = "  talus-solve site.ini --out out/site\n"
                "  talus-solve site.ini --out out/site --set contact.friction=0.55 --overwrite\n",
    .stages = TAL_STAGE_SOLVE,
    .needs_site_file = true,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .check = check,
    .run = run,
};

static tal_status check(tal_invocation *invocation, tal_error *err) {
    static const char *const keys[][2] = {{"until", "until_s"},
                                          {"output-every", "output_every_s"},
                                          {"checkpoint-every", "checkpoint_every_s"},
                                          {"stop-when-still", "stop_when_still"}};
    const char *dump = tal_invocation_option(&program, invocation, "dump-problem");
    char *end = NULL;
    if (dump != NULL && (strtoll(dump, &end, 10) < 1 || *end != '\0')) {
        tal_error_add(err, TAL_BAD_USAGE, "--dump-problem %s must be the number of a step, from 1",
                      dump);
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = tal_invocation_option(&program, invocation, keys[i][0]);
        if (value != NULL) {
            char where[64];
            snprintf(where, sizeof where, "--%s", keys[i][0]);
            tal_settings_set(&invocation->settings, "solve", keys[i][1], value, where, err);
        }
    }
    return TAL_OK;
}

// Everything one run holds.
typedef struct {
    const tal_invocation *invocation;
    const tal_solve_settings *solve;
    tal_solve_scene scene;
    tal_breaking breaking;
    tal_break *breaks; // of a step
    tal_model *model;
    tal_state *state;
    tal_journal journal;
    tal_provenance *provenance;
    char key[TAL_JOURNAL_KEY_SIZE];
    uint8_t *lost;
    double *field; // of a frame
    double moved_s;
    int64_t dump_step; // whose contact problem is written; 0: none
    bool resume;
    tal_overwrite overwrite;
    const char *ended_because; // still, until, interrupted
    tal_onset onset;           // where the rock did not move
    char journal_path[TAL_PATH_SIZE], checkpoint_path[TAL_PATH_SIZE], run_path[TAL_PATH_SIZE],
        summary_path[TAL_PATH_SIZE];
} simulation;

static tal_status prepare_paths(simulation *s, tal_error *err) {
    const char *out = s->invocation->out;
    if (!tal_path_join(s->journal_path, out, "run.journal") ||
        !tal_path_join(s->checkpoint_path, out, "run.checkpoint") ||
        !tal_path_join(s->run_path, out, "run.nc") ||
        !tal_path_join(s->summary_path, out, "run.json")) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.100s...: path too long", out);
    }
    if (s->overwrite == TAL_KEEP_EXISTING && !s->resume && tal_file_exists(s->run_path)) {
        return TAL_FAIL(
            err, TAL_EXISTS,
            "%s already exists. Use --overwrite to replace it, or choose another folder "
            "with --out",
            s->run_path);
    }
    return TAL_OK;
}

// The key that a journal must share to be gone on with: settings and inputs, but not when to end.
static tal_status make_key(simulation *s, tal_error *err) {
    tal_settings *settings = NULL;
    tal_text text = {0};
    TAL_CREATE(settings, 1, "the settings", err);
    *settings = s->invocation->settings;
    settings->solve.until_s = 0.0;
    tal_settings_write(settings, program.stages, TAL_SETTINGS_PORTABLE, &text);
    tal_memory_destroy(settings);
    for (int i = 0; i < s->provenance->input_count; i++) {
        tal_text_append(&text, "%s\n", s->provenance->input[i].sha256);
    }
    const bool failed = text.failed;
    tal_sha256_bytes(tal_text_string(&text), text.length, s->key);
    tal_text_destroy(&text);
    return failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the record of inputs") : TAL_OK;
}

static tal_status prepare_provenance(simulation *s, tal_error *err) {
    static const char *const inputs[] = {"terrain.nc", "blocks.nc"};
    TAL_CREATE(s->provenance, 1, "the record of inputs", err);
    TAL_TRY(tal_provenance_create(s->provenance, program.name, &s->invocation->settings,
                                  program.stages, err));
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        char path[TAL_PATH_SIZE];
        tal_path_join(path, s->invocation->out, inputs[i]);
        if (!tal_file_exists(path)) {
            return TAL_FAIL(err, TAL_NOT_FOUND, "%s does not exist: run talus-mesh first", path);
        }
        TAL_TRY(tal_provenance_add_input(s->provenance, path, err));
    }
    return make_key(s, err);
}

static tal_status add_frame(simulation *s, tal_error *err) {
    const tal_journal_frame frame = {.time_s = tal_state_time(s->state),
                                     .body_count = s->scene.input.body_count,
                                     .position = tal_state_positions(s->state),
                                     .orientation = tal_state_orientations(s->state),
                                     .velocity = tal_state_velocities(s->state),
                                     .spin = tal_state_spins(s->state),
                                     .field = s->field};
    tal_fields_gather(&s->scene, s->model, s->state, s->field);
    return tal_journal_add_frame(&s->journal, &frame, err);
}

static tal_status add_step(simulation *s, const tal_report *r, const double broken_j[2],
                           tal_error *err) {
    const tal_journal_step step = {.time_s = r->time_s,
                                   .kinetic_translation_j = r->kinetic_translation_j,
                                   .kinetic_rotation_j = r->kinetic_rotation_j,
                                   .potential_j = r->potential_j,
                                   .dissipated_normal_j = r->dissipated_normal_j,
                                   .dissipated_tangential_j = r->dissipated_tangential_j,
                                   .correction_j = r->correction_j,
                                   .energy_defect_j = r->energy_defect_j,
                                   .residual = r->residual,
                                   .penetration_m = r->penetration_m,
                                   .clausius_duhem_j = fmax(0.0, r->clausius_duhem_worst_j),
                                   .moved_s = s->moved_s,
                                   .kinetic_deformation_j = r->kinetic_deformation_j,
                                   .strain_j = r->strain_j,
                                   .dissipated_material_j = r->dissipated_material_j,
                                   .cracks_j = broken_j[0],
                                   .released_j = broken_j[1],
                                   .contact_count = r->contact_count,
                                   .iterations = r->iterations,
                                   .unconverged_count = r->unconverged_count,
                                   .islands_resolved = r->islands_resolved,
                                   .islands_finished = r->islands_finished,
                                   .regularisation = (float)r->regularisation};
    return tal_journal_add_step(&s->journal, &step, err);
}

// The journal first: a checkpoint is never ahead of it.
static tal_status checkpoint(simulation *s, tal_error *err) {
    TAL_TRY(tal_journal_sync(&s->journal, err));
    return tal_checkpoint_write(s->model, s->state, s->checkpoint_path, err);
}

// A step of fewer blocks takes less than a millisecond: a second thread would wait more than work.
enum { SHARED_BLOCKS_MIN = 300 };

static int threads_for(const simulation *s) {
    const bool is_small = s->scene.input.body_count < SHARED_BLOCKS_MIN;
    return is_small && !s->invocation->threads_are_given ? 1 : s->invocation->thread_count;
}

static int64_t steps_done(const simulation *s) {
    return (int64_t)llround(tal_state_time(s->state) / s->solve->dt_s);
}

static tal_journal_shape journal_shape(const simulation *s) {
    return (tal_journal_shape){.body_count = s->breaking.block_count,
                               .body_capacity = s->breaking.capacity,
                               .field_count = tal_fields_count(&s->scene)};
}

static tal_status go_on(simulation *s, tal_error *err) {
    TAL_TRY(tal_checkpoint_read(s->model, s->state, s->checkpoint_path, err));
    tal_journal_step last;
    const int64_t frame_steps = tal_watch_steps(s->solve->output_every_s, s->solve->dt_s);
    TAL_TRY(tal_journal_resume(&s->journal, s->journal_path, s->key, journal_shape(s),
                               tal_state_time(s->state), steps_done(s) % frame_steps == 0, &last,
                               err));
    s->moved_s = last.moved_s;
    for (int32_t b = 0; b < s->scene.input.body_count; b++) {
        s->lost[b] = tal_state_has_body(s->state, b) ? 0 : 1;
    }
    if (steps_done(s) > tal_watch_steps(s->solve->until_s, s->solve->dt_s)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s is at %g s already, after solve.until_s = %g. Start afresh with "
                        "--overwrite",
                        s->checkpoint_path, tal_state_time(s->state), s->solve->until_s);
    }
    tal_log_info("continuing at %g s", tal_state_time(s->state));
    return TAL_OK;
}

static tal_status start_afresh(simulation *s, tal_error *err) {
    tal_journal_close(&s->journal);
    unlink(s->checkpoint_path); // it would belong to another journal
    TAL_TRY(tal_journal_create(&s->journal, s->journal_path, s->key, journal_shape(s), err));
    return add_frame(s, err);
}

// Model and state of the scene at its start.
static tal_status create(simulation *s, tal_error *err) {
    tal_state_destroy(s->state);
    tal_model_destroy(s->model);
    s->state = NULL;
    s->model = NULL;
    TAL_TRY(tal_scene_create_model(&s->scene, s->invocation->out, &s->model, err));
    return tal_state_create(&s->state, s->model, threads_for(s), err);
}

static tal_status break_again(void *context, const tal_break *b, tal_error *err) {
    simulation *s = context;
    return tal_breaking_add(&s->breaking, &s->scene, b, err);
}

// The pieces that there were when the checkpoint was written. A file that is not what it should be is found
// out later, with words of its own.
static tal_status recall_breaks(simulation *s, tal_error *err) {
    double time_s;
    if (!s->breaking.is_on || !s->resume || !tal_file_exists(s->checkpoint_path) ||
        tal_checkpoint_time(s->checkpoint_path, &time_s, err) != TAL_OK ||
        tal_journal_visit_breaks(s->journal_path, s->key, journal_shape(s), time_s, break_again, s,
                                 err) != TAL_OK) {
        tal_breaking_reset(&s->breaking, &s->scene);
    }
    tal_error_reset(err);
    return TAL_OK;
}

// With --resume and --overwrite both, a checkpoint of another run is in nobody's way.
static tal_status begin(simulation *s, tal_error *err) {
    if (!s->resume || !tal_file_exists(s->checkpoint_path)) {
        if (s->resume) {
            tal_log_info("no checkpoint in %s: starting at 0 s", s->invocation->out);
        }
        return start_afresh(s, err);
    }
    const tal_status status = go_on(s, err);
    if (status != TAL_BAD_INPUT || s->overwrite == TAL_KEEP_EXISTING) {
        return status;
    }
    tal_log_info("starting at 0 s, since %s", err->text);
    tal_error_reset(err);
    s->moved_s = 0.0;
    memset(s->lost, 0, (size_t)s->breaking.capacity);
    tal_breaking_reset(&s->breaking, &s->scene);
    TAL_TRY(create(s, err));
    return start_afresh(s, err);
}

// A step without such a problem is no reason to lose the run.
static tal_status dump(simulation *s, tal_error *err) {
    const tal_status status =
        tal_dump_problem(s->state, s->invocation->out, (long long)s->dump_step, err);
    if (status != TAL_UNAVAILABLE) {
        return status;
    }
    tal_log_warn("--dump-problem %lld: %s", (long long)s->dump_step, err->text);
    tal_error_reset(err);
    return TAL_OK;
}

// Another model, with the pieces, and a state of it that goes on.
static tal_status put_pieces(simulation *s, int32_t count, tal_error *err) {
    tal_model *model = NULL;
    tal_state *state = NULL;
    for (int32_t n = 0; n < count; n++) {
        TAL_TRY(tal_journal_add_break(&s->journal, &s->breaks[n], err));
        TAL_TRY(tal_breaking_add(&s->breaking, &s->scene, &s->breaks[n], err));
    }
    TAL_TRY(tal_scene_create_model(&s->scene, s->invocation->out, &model, err));
    const tal_status status = tal_state_continue(&state, model, s->state, threads_for(s), err);
    if (status != TAL_OK) {
        tal_model_destroy(model);
        return status;
    }
    tal_state_destroy(s->state);
    tal_model_destroy(s->model);
    s->state = state;
    s->model = model;
    for (int32_t n = 0; n < count; n++) {
        s->lost[s->breaks[n].body] = 1; // not over the rim, but no longer there
        tal_state_remove_body(state, s->breaks[n].body);
    }
    return TAL_OK;
}

// What breaks after a step; its energies are those of the pieces then.
static tal_status break_blocks(simulation *s, tal_report *report, double broken_j[2],
                               tal_error *err) {
    int32_t count = 0;
    TAL_TRY(tal_breaking_find(&s->breaking, &s->scene, s->model, s->state, s->breaks,
                              s->breaking.capacity, &count, err));
    for (int32_t n = 0; n < count; n++) {
        const tal_break *b = &s->breaks[n];
        report->kinetic_rotation_j += b->rotation_j;
        report->kinetic_deformation_j += b->deformation_j;
        report->strain_j += b->strain_j;
        broken_j[0] += b->surface_j;
        broken_j[1] += tal_break_released_j(b) - b->surface_j;
    }
    return count > 0 ? put_pieces(s, count, err) : TAL_OK;
}

static tal_status one_step(simulation *s, int64_t step, int64_t frame_steps,
                           int64_t checkpoint_steps, tal_error *err) {
    tal_report report;
    TAL_TRY(tal_step(s->model, s->state, &report, err));
    if (step == s->dump_step) {
        TAL_TRY(dump(s, err));
    }
    double broken_j[2] = {0.0, 0.0};
    TAL_TRY(break_blocks(s, &report, broken_j, err));
    tal_watch_take_out_lost(&s->scene, tal_model_ground(s->model), s->state, s->lost);
    const double time_s = tal_state_time(s->state);
    const bool moves = tal_watch_is_moving(&s->scene, s->state, s->lost, s->solve->still_mps);
    s->moved_s = moves ? time_s : s->moved_s;
    TAL_TRY(add_step(s, &report, broken_j, err));
    if (step % frame_steps == 0) {
        TAL_TRY(add_frame(s, err));
    }
    if (step % checkpoint_steps == 0) {
        TAL_TRY(checkpoint(s, err));
    }
    return TAL_OK;
}

static bool is_still(const simulation *s) {
    return s->solve->stop_when_still && tal_state_time(s->state) - s->moved_s >= s->solve->still_s;
}

static tal_status fall(simulation *s, tal_error *err) {
    const double dt_s = s->solve->dt_s;
    const int64_t last = tal_watch_steps(s->solve->until_s, dt_s);
    const int64_t frame_steps = tal_watch_steps(s->solve->output_every_s, dt_s);
    const int64_t checkpoint_steps = tal_watch_steps(s->solve->checkpoint_every_s, dt_s);
    tal_watch_tell_steps("until_s", s->solve->until_s, dt_s);
    tal_watch_tell_steps("output_every_s", s->solve->output_every_s, dt_s);
    int64_t step = steps_done(s);
    tal_progress progress;
    tal_progress_begin(&progress, "falling", "s", s->solve->until_s);
    while (step < last && !is_still(s) && !tal_interrupt_pending()) {
        step++;
        TAL_TRY(one_step(s, step, frame_steps, checkpoint_steps, err));
        tal_progress_advance(&progress, (double)step * dt_s);
    }
    tal_progress_end(&progress, (double)step * dt_s);
    if (s->dump_step > step) {
        tal_log_warn("--dump-problem %lld: the run ended after step %lld", (long long)s->dump_step,
                     (long long)step);
    }
    s->ended_because = is_still(s) ? "still" : step >= last ? "until" : "interrupted";
    // The end can be gone on from: a later run with --resume may ask for more.
    TAL_TRY(checkpoint(s, err));
    return step % frame_steps == 0 ? TAL_OK : add_frame(s, err);
}

static void add_breaking(const tal_leaves *leaves, cJSON *root) {
    if (leaves != NULL) {
        cJSON *breaking = cJSON_AddObjectToObject(root, "breaking");
        tal_json_add_number(breaking, "blocks_broken", leaves->broken_count);
        tal_json_add_number(breaking, "broken_along_joints", leaves->along_joints);
        tal_json_add_number(breaking, "crack_area_m2", leaves->area_m2);
        tal_json_add_number(breaking, "crack_energy_j", leaves->surface_j);
        tal_json_add_number(breaking, "released_j", leaves->released_j);
    }
}

static tal_status write_summary(const simulation *s, const tal_run_summary *r,
                                const tal_tensions *tensions, const tal_leaves *leaves,
                                tal_error *err) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "ended_because", s->ended_because);
    cJSON_AddBoolToObject(root, "ended_too_early", r->travel.is_too_early);
    tal_json_add_number(root, "duration_s", r->duration_s);
    tal_json_add_number(root, "steps", (double)r->step_count);
    tal_json_add_number(root, "frames", (double)r->frame_count);
    tal_json_add_number(root, "blocks", tensions->block_count);
    tal_json_add_number(root, "blocks_lost", r->blocks_lost);
    tal_json_add_number(root, "unconverged_steps", (double)r->unconverged_steps);
    tal_json_add_number(root, "islands_resolved", (double)r->islands_resolved);
    tal_json_add_number(root, "finished_steps", (double)r->finished_steps);
    tal_json_add_number(root, "islands_finished", (double)r->islands_finished);
    tal_json_add_number(root, "regularisation_max", r->regularisation_max);
    tal_json_add_number(root, "residual_max", r->residual_max);
    tal_json_add_number(root, "penetration_max_m", r->penetration_max_m);
    tal_json_add_number(root, "energy_start_j", r->energy_start_j);
    tal_json_add_number(root, "energy_end_j", r->energy_end_j);
    tal_json_add_number(root, "dissipated_normal_j", r->dissipated_normal_j);
    tal_json_add_number(root, "dissipated_tangential_j", r->dissipated_tangential_j);
    tal_json_add_number(root, "correction_j", r->correction_j);
    tal_json_add_number(root, "energy_drift", r->energy_drift);
    tal_json_add_number(root, "clausius_duhem_worst_j", r->clausius_duhem_worst_j);
    tal_json_add_number(root, "kinetic_peak_j", r->kinetic_peak_j);
    tal_json_add_number(root, "kinetic_peak_s", r->kinetic_peak_s);
    tal_json_add_number(root, "settled_s", r->settled_s);
    cJSON *travel = cJSON_AddObjectToObject(root, "travel");
    tal_json_add_number(travel, "median_m", r->travel.median);
    tal_json_add_number(travel, "p05_m", r->travel.low);
    tal_json_add_number(travel, "p95_m", r->travel.high);
    tal_json_add_number(travel, "moved_share", r->travel.moved_share);
    tal_tensions_add_json(tensions, root);
    add_breaking(leaves, root);
    if (!isnan(s->onset.holds_at)) {
        cJSON *onset = cJSON_AddObjectToObject(root, "onset");
        cJSON_AddStringToObject(onset, "of", s->onset.is_share ? "share" : "friction");
        tal_json_add_number(onset, "moves_at", s->onset.moves_at);
        tal_json_add_number(onset, "holds_at", s->onset.holds_at);
    }
    cJSON_AddItemToObject(root, "provenance", tal_provenance_json(s->provenance));
    const tal_status status = tal_json_write(s->summary_path, root, TAL_REPLACE, err);
    cJSON_Delete(root);
    return status;
}

static void say_onset(const tal_onset *onset) {
    const char *of = onset->is_share ? " times what is given" : "";
    if (!isnan(onset->moves_at)) {
        tal_log_warn("tried: a friction of %g%s lets more than half of the blocks go, %g does not",
                     onset->moves_at, of, onset->holds_at);
    } else if (!isnan(onset->holds_at)) {
        tal_log_warn("tried: even a friction of %g%s holds it", onset->holds_at, of);
    }
}

// Of the blocks of mean size. What came to rest had its time.
static bool ends_too_early(const simulation *s) {
    double volume = 0.0;
    for (int32_t b = 0; b < s->scene.input.body_count; b++) {
        volume += s->scene.volume_m3[b] / s->scene.input.body_count;
    }
    const double gravity = tal_vec3_length(s->scene.input.settings.gravity_mps2);
    return strcmp(s->ended_because, "still") != 0 &&
           tal_travel_ends_too_early(tal_state_time(s->state), gravity, volume);
}

static void say_failed_base(const tal_settings *settings) {
    if (tal_site_has_source(settings) && settings->mesh.source_class[0] == '\0') {
        tal_log_warn("if its base had failed before, say so: source_class in [mesh] makes it a "
                     "class of ground with a friction of its own");
    }
}

static void say_travel(const tal_travel *travel, const tal_onset *onset,
                       const tal_settings *settings) {
    char median[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
    const bool stayed = tal_travel_is_open(travel) || tal_travel_is_none(travel);
    (void)tal_number_format(median, stayed ? tal_travel_bound(travel->median) : travel->median);
    (void)tal_number_format(high, travel->high);
    if (tal_travel_is_open(travel)) {
        tal_log_warn("half of the blocks moved less than %s m: the run ended too early to say "
                     "whether the rock moves; give it more time (until_s in [solve])",
                     median);
    } else if (tal_travel_is_none(travel)) {
        tal_log_warn("the rock did not move: half of the blocks moved less than %s m, and %.0f %% "
                     "moved farther than their own size",
                     median, 100.0 * travel->moved_share);
        say_onset(onset);
        say_failed_base(settings);
    } else {
        tal_log_info("half of the blocks moved farther than %s m, a twentieth farther than %s m",
                     median, high);
    }
}

// Of a run that is over.
static tal_status find_onset(simulation *s, tal_error *err) {
    tal_travel travel;
    s->onset = tal_onset_unknown;
    if (s->breaking.broken_count > 0) {
        return TAL_OK; // it moved
    }
    TAL_TRY(tal_watch_travel(&s->scene, tal_state_positions(s->state), &travel, err));
    travel.is_too_early = ends_too_early(s);
    if (!s->solve->try_friction || !tal_travel_is_none(&travel) ||
        strcmp(s->ended_because, "interrupted") == 0) {
        return TAL_OK;
    }
    return tal_onset_find(&s->onset, s->model, &s->scene, s->solve, threads_for(s), err);
}

static tal_status write_files(simulation *s, const tal_tensions *tensions, const tal_leaves *leaves,
                              tal_run_summary *r, tal_error *err) {
    const tal_solve_scene *scene = leaves != NULL ? &leaves->scene : &s->scene;
    char *provenance = tal_provenance_text(s->provenance);
    const tal_run_notes notes = {.ended_because = s->ended_because,
                                 .ended_too_early = ends_too_early(s),
                                 .lost = leaves != NULL ? leaves->lost : s->lost,
                                 .provenance = provenance,
                                 .event = s->invocation->settings.solve.event,
                                 .position =
                                     leaves != NULL ? leaves->end : tal_state_positions(s->state),
                                 .tensions = tensions,
                                 .onset = &s->onset,
                                 .leaves = leaves};
    tal_status status = tal_results_begin(s->invocation->out, "solve", err);
    if (status == TAL_OK) {
        status = tal_run_file_write(s->run_path, s->resume ? TAL_REPLACE : s->overwrite,
                                    &s->journal, scene, &notes, r, err);
        status = status == TAL_OK ? write_summary(s, r, tensions, leaves, err) : status;
        status = tal_results_end(status, err);
    }
    cJSON_free(provenance);
    return status;
}

static void say_breaking(const tal_leaves *leaves) {
    if (leaves != NULL) {
        char area[TAL_NUMBER_SIZE], energy[TAL_NUMBER_SIZE], joints[48] = "";
        if (leaves->along_joints > 0) {
            snprintf(joints, sizeof joints, ", %d of them along joints", leaves->along_joints);
        }
        tal_log_info("%d blocks and pieces broke%s: cracks of %s m2 took %s kJ",
                     leaves->broken_count, joints, tal_number_format(area, leaves->area_m2),
                     tal_number_format(energy, 1e-3 * leaves->surface_j));
    }
}

static tal_status finish(simulation *s, tal_error *err) {
    tal_leaves made = {0}, *leaves = s->breaking.broken_count > 0 ? &made : NULL;
    tal_tensions tensions = {0};
    tal_run_summary r = {0};
    tal_status status = TAL_OK;
    if (leaves != NULL) {
        TAL_TRY(tal_leaves_create(leaves, &s->breaking, &s->scene, s->state, s->lost, err));
    }
    TAL_TRY_OR_DONE(tal_tensions_create(&tensions, leaves != NULL ? &leaves->scene : &s->scene,
                                        leaves, s->model, s->state,
                                        s->invocation->settings.break_.tensile_strength_pa, err));
    TAL_TRY_OR_DONE(write_files(s, &tensions, leaves, &r, err));
    tal_tensions_say(&tensions);
    say_breaking(leaves);
    tal_log_info("%d blocks, %zu steps to %g s (%s); kinetic energy peaks at %g s",
                 tensions.block_count, r.step_count, r.duration_s, s->ended_because,
                 r.kinetic_peak_s);
    say_travel(&r.travel, &s->onset, &s->invocation->settings);
    char depth[TAL_NUMBER_SIZE], drift[TAL_NUMBER_SIZE];
    tal_log_info(
        "deepest penetration %s m, energy drift %s %%, %lld steps not converged, %d blocks "
        "left over the rim",
        tal_number_format(depth, r.penetration_max_m),
        tal_number_format_digits(drift, 100.0 * r.energy_drift, 2), (long long)r.unconverged_steps,
        r.blocks_lost);
done:
    tal_tensions_destroy(&tensions);
    tal_leaves_destroy(&made);
    return status;
}

static tal_status run_simulation(simulation *s, tal_error *err) {
    TAL_TRY(prepare_paths(s, err));
    TAL_TRY(prepare_provenance(s, err));
    TAL_TRY(tal_scene_read(&s->scene, s->invocation->out, &s->invocation->settings, err));
    TAL_TRY(tal_breaking_begin(&s->breaking, &s->scene, &s->invocation->settings, err));
    TAL_CREATE(s->lost, (size_t)s->breaking.capacity + 1, "the blocks", err);
    TAL_CREATE(s->breaks, (size_t)s->breaking.capacity, "the blocks", err);
    TAL_CREATE(s->field, tal_fields_count(&s->scene) + 1, "a frame", err);
    TAL_TRY(recall_breaks(s, err));
    TAL_TRY(create(s, err));
    TAL_TRY(begin(s, err));
    if (!s->breaking.is_on) {
        tal_scene_drop_shapes(&s->scene);
    }
    TAL_TRY(fall(s, err));
    TAL_TRY(find_onset(s, err));
    TAL_TRY(finish(s, err));
    return strcmp(s->ended_because, "interrupted") != 0
               ? TAL_OK
               : TAL_FAIL(err, TAL_INTERRUPTED, "stopped at %g s; continue with --resume",
                          tal_state_time(s->state));
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    const char *dump = tal_invocation_option(&program, invocation, "dump-problem");
    if (invocation->settings.release.rocks > 0) {
        return tal_release_run(invocation, program.name,
                               tal_invocation_option(&program, invocation, "resume") != NULL, err);
    }
    simulation s = {.invocation = invocation,
                    .solve = &invocation->settings.solve,
                    .overwrite = invocation->overwrite,
                    .dump_step = dump != NULL ? strtoll(dump, NULL, 10) : 0,
                    .resume = tal_invocation_option(&program, invocation, "resume") != NULL};
    const tal_status status = run_simulation(&s, err);
    tal_journal_close(&s.journal);
    tal_state_destroy(s.state);
    tal_model_destroy(s.model);
    tal_scene_destroy(&s.scene);
    tal_provenance_destroy(s.provenance);
    tal_memory_destroy(s.provenance);
    tal_memory_destroy(s.lost);
    tal_memory_destroy(s.breaks);
    tal_memory_destroy(s.field);
    return status;
}

int main(int argc, char **argv) {
    return tal_program_main(&program, argc, argv);
}
