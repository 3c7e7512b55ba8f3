// SPDX-License-Identifier: GPL-3.0-or-later
// run.nc from the journal: frames are copied one by one, the series of steps in one piece each.
#include "solver/program/run_file.h"

#include "core/base/math3.h"
#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"
#include "solver/program/fields.h"
#include "solver/program/watch.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const double SETTLED = 1e-3; // kinetic energy, share of its peak

// A per-step series: where it stands in tal_journal_step and what it is called in run.nc.
typedef struct {
    const char *name, *units, *long_name;
    size_t offset;
    bool is_integer;
} series;

#define REAL_SERIES(name, units, text, member)                                                     \
    { name, units, text, offsetof(tal_journal_step, member), false }
#define INTEGER_SERIES(name, units, text, member)                                                  \
    { name, units, text, offsetof(tal_journal_step, member), true }

static const series SERIES[] = {
    REAL_SERIES("step_time", "s", "end of the step since the event", time_s),
    REAL_SERIES("kinetic_translation", "J", "kinetic energy of translation", kinetic_translation_j),
    REAL_SERIES("kinetic_rotation", "J", "kinetic energy of rotation", kinetic_rotation_j),
    REAL_SERIES("potential", "J", "potential energy", potential_j),
    REAL_SERIES("dissipated_normal", "J", "energy dissipated by normal percussions in the step",
                dissipated_normal_j),
    REAL_SERIES("dissipated_tangential", "J",
                "energy dissipated by tangential percussions in the step", dissipated_tangential_j),
    REAL_SERIES("correction_work", "J", "potential energy moved by the position correction",
                correction_j),
    REAL_SERIES("energy_defect", "J", "change of energy not explained by the other terms",
                energy_defect_j),
    REAL_SERIES("clausius_duhem", "J",
                "most energy that one contact made in the step (Clausius-Duhem: none)",
                clausius_duhem_j),
    REAL_SERIES("residual", "1", "residual of the contact solver", residual),
    REAL_SERIES("penetration", "m", "deepest penetration", penetration_m),
    INTEGER_SERIES("contact_count", "1", "contact points", contact_count),
    INTEGER_SERIES("iterations", "1", "sweeps of the contact solver", iterations),
    INTEGER_SERIES("unconverged_count", "1", "contact points above the tolerance",
                   unconverged_count),
};

enum { SERIES_COUNT = sizeof SERIES / sizeof SERIES[0] };

// And of runs with blocks that deform.
static const series SOFT_SERIES[] = {
    REAL_SERIES("kinetic_deformation", "J", "kinetic energy of deformation", kinetic_deformation_j),
    REAL_SERIES("strain", "J", "energy of strain", strain_j),
    REAL_SERIES("dissipated_material", "J", "energy dissipated by the material in the step",
                dissipated_material_j),
    REAL_SERIES("cracks", "J", "energy that the cracks of blocks that broke took in the step",
                cracks_j),
    REAL_SERIES("released", "J", "other energy of strain that blocks lost when they broke",
                released_j),
};

enum { SOFT_SERIES_COUNT = sizeof SOFT_SERIES / sizeof SOFT_SERIES[0] };

typedef struct {
    tal_netcdf *file;
    const tal_solve_scene *scene;
    const tal_leaves *leaves; // NULL: nothing broke
    tal_run_summary *summary;
    tal_journal_step *steps;
    double *row; // four numbers per block
    int block;   // dimension
    int three;   // dimension
    int time, x, y, z, orientation, velocity, spin;
    int displacement, stress; // -1: no block has elements
} writer;

// --- first pass: how much there is, and the sums ---

static tal_status count_frame(void *context, size_t number, const tal_journal_frame *frame,
                              tal_error *err) {
    (void)frame, (void)err;
    ((writer *)context)->summary->frame_count = number + 1;
    return TAL_OK;
}

static tal_status sum_step(void *context, size_t number, const tal_journal_step *step,
                           tal_error *err) {
    (void)err;
    tal_run_summary *s = ((writer *)context)->summary;
    const double kinetic = step->kinetic_translation_j + step->kinetic_rotation_j;
    const double energy =
        kinetic + step->potential_j + step->kinetic_deformation_j + step->strain_j;
    if (number == 0) {
        s->energy_start_j = energy + step->dissipated_normal_j + step->dissipated_tangential_j +
                            step->dissipated_material_j + step->cracks_j + step->released_j -
                            step->correction_j - step->energy_defect_j;
    }
    s->step_count = number + 1;
    s->duration_s = step->time_s;
    s->energy_end_j = energy;
    s->unconverged_steps += step->unconverged_count > 0 ? 1 : 0;
    s->islands_resolved += step->islands_resolved;
    s->finished_steps += step->islands_finished > 0 ? 1 : 0;
    s->islands_finished += step->islands_finished;
    s->regularisation_max = fmax(s->regularisation_max, (double)step->regularisation);
    s->dissipated_normal_j += step->dissipated_normal_j;
    s->dissipated_tangential_j += step->dissipated_tangential_j;
    s->correction_j += step->correction_j;
    s->dissipated_material_j += step->dissipated_material_j;
    s->broken_j += step->cracks_j + step->released_j;
    s->energy_drift += fabs(step->energy_defect_j);
    s->penetration_max_m = fmax(s->penetration_max_m, step->penetration_m);
    s->clausius_duhem_worst_j = fmax(s->clausius_duhem_worst_j, step->clausius_duhem_j);
    s->residual_max = fmax(s->residual_max, step->residual);
    if (kinetic > s->kinetic_peak_j) {
        s->kinetic_peak_j = kinetic;
        s->kinetic_peak_s = step->time_s;
    }
    if (kinetic > SETTLED * s->kinetic_peak_j) {
        s->settled_s = step->time_s;
    }
    return TAL_OK;
}

// --- second pass: the data ---

static tal_status keep_step(void *context, size_t number, const tal_journal_step *step,
                            tal_error *err) {
    (void)err;
    ((writer *)context)->steps[number] = *step;
    return TAL_OK;
}

static void put_row(writer *w, int variable, size_t frame, size_t width) {
    const size_t count[3] = {1, (size_t)w->scene->input.body_count, width};
    const size_t start[3] = {frame, 0, 0};
    tal_netcdf_put_slab(w->file, variable, start, count, w->row);
}

static void put_fields(writer *w, size_t number, const double *field) {
    const tal_scene_elements *e = &w->scene->elements;
    if (w->stress < 0) {
        return;
    }
    const size_t start[3] = {number, 0, 0};
    const size_t nodes[3] = {1, (size_t)e->node_start[w->scene->input.body_count], 3};
    const size_t elements[3] = {1, (size_t)e->element_start[w->scene->input.body_count],
                                TAL_STRESS_NUMBERS};
    tal_netcdf_put_slab(w->file, w->displacement, start, nodes, field);
    tal_netcdf_put_slab(w->file, w->stress, start, elements, field + 3 * nodes[1]);
}

static tal_status put_frame(void *context, size_t number, const tal_journal_frame *stored,
                            tal_error *err) {
    (void)err;
    writer *w = context;
    const tal_journal_frame posed =
        w->leaves != NULL ? tal_leaves_pose(w->leaves, stored) : *stored;
    const tal_journal_frame *frame = &posed;
    const size_t n = (size_t)w->scene->input.body_count;
    const int position[3] = {w->x, w->y, w->z};
    const tal_vec3 *const vectors[2] = {frame->velocity, frame->spin};
    tal_netcdf_put_slab(w->file, w->time, &number, &(size_t){1}, &frame->time_s);
    for (int k = 0; k < 3; k++) {
        for (size_t b = 0; b < n; b++) {
            w->row[b] = (&frame->position[b].x)[k] + w->scene->origin_m[k];
        }
        put_row(w, position[k], number, 1);
    }
    for (int k = 0; k < 2; k++) {
        for (size_t b = 0; b < n; b++) {
            w->row[3 * b] = vectors[k][b].x;
            w->row[3 * b + 1] = vectors[k][b].y;
            w->row[3 * b + 2] = vectors[k][b].z;
        }
        put_row(w, k == 0 ? w->velocity : w->spin, number, 3);
    }
    for (size_t b = 0; b < n; b++) {
        const tal_quat q = frame->orientation[b];
        w->row[4 * b] = q.w, w->row[4 * b + 1] = q.x, w->row[4 * b + 2] = q.y,
                   w->row[4 * b + 3] = q.z;
    }
    put_row(w, w->orientation, number, 4);
    put_fields(w, number, frame->field);
    return TAL_OK;
}

static void define_fields(writer *w, int frame, int three) {
    tal_netcdf *f = w->file;
    const tal_scene_elements *e = &w->scene->elements;
    w->displacement = w->stress = -1;
    if (tal_fields_count(w->scene) == 0) {
        return;
    }
    const size_t nodes = (size_t)e->node_start[w->scene->input.body_count];
    const size_t elements = (size_t)e->element_start[w->scene->input.body_count];
    const int node = tal_netcdf_dimension(f, "mesh_node", nodes);
    const int element = tal_netcdf_dimension(f, "element", elements);
    const int four = tal_netcdf_dimension(f, "stress_number", TAL_STRESS_NUMBERS);
    w->displacement = tal_netcdf_variable(f, "displacement", TAL_NC_FLOAT, 3,
                                          (const int[]){frame, node, three}, "m",
                                          "displacement of the mesh nodes of blocks.nc from where "
                                          "a rigid block has them, world axes");
    w->stress =
        tal_netcdf_variable(f, "stress", TAL_NC_FLOAT, 3, (const int[]){frame, element, four}, "Pa",
                            "stress of the elements of blocks.nc: three principal "
                            "stresses, the largest first, tension positive; von Mises");
    tal_netcdf_compress(f, w->displacement, (const size_t[]){1, nodes, 3});
    tal_netcdf_compress(f, w->stress, (const size_t[]){1, elements, TAL_STRESS_NUMBERS});
}

static void define_frames(writer *w, const tal_run_notes *notes) {
    tal_netcdf *f = w->file;
    const size_t block_count = (size_t)w->scene->input.body_count;
    const int frame = tal_netcdf_dimension(f, "frame", w->summary->frame_count);
    const int block = w->block = tal_netcdf_dimension(f, "block", block_count);
    const int three = w->three = tal_netcdf_dimension(f, "three", 3);
    const int four = tal_netcdf_dimension(f, "four", 4);
    const int axes[3] = {frame, block, three}, quaternion[3] = {frame, block, four};
    char since[96];
    snprintf(since, sizeof since, "seconds since %.63s",
             notes->event[0] != '\0' ? notes->event : "1970-01-01T00:00:00");
    w->time = tal_netcdf_variable(f, "time", TAL_NC_DOUBLE, 1, axes, since, "time since the event");
    tal_netcdf_text(f, w->time, "standard_name", "time");
    tal_netcdf_text(f, w->time, "axis", "T");
    w->x = tal_netcdf_variable(f, "x", TAL_NC_DOUBLE, 2, axes, "m", "easting of the centroid");
    w->y = tal_netcdf_variable(f, "y", TAL_NC_DOUBLE, 2, axes, "m", "northing of the centroid");
    w->z = tal_netcdf_variable(f, "z", TAL_NC_DOUBLE, 2, axes, "m", "height of the centroid");
    tal_netcdf_text(f, w->x, "standard_name", "projection_x_coordinate");
    tal_netcdf_text(f, w->y, "standard_name", "projection_y_coordinate");
    tal_netcdf_text(f, w->z, "positive", "up");
    w->orientation = tal_netcdf_variable(f, "orientation", TAL_NC_FLOAT, 3, quaternion, "1",
                                         "quaternion from body to world axes, scalar first");
    w->velocity = tal_netcdf_variable(f, "velocity", TAL_NC_FLOAT, 3, axes, "m s-1",
                                      "velocity of the centroid");
    w->spin = tal_netcdf_variable(f, "angular_velocity", TAL_NC_FLOAT, 3, axes, "rad s-1",
                                  "angular velocity in world axes");
    const int data[3] = {w->orientation, w->velocity, w->spin};
    for (int i = 0; i < 3; i++) {
        tal_netcdf_text(f, data[i], "coordinates", "time x y z");
        if (!tal_crs_get_info(w->scene->crs)->is_local) {
            tal_netcdf_text(f, data[i], "grid_mapping", "crs");
        }
        const size_t chunk[3] = {1, block_count, i == 0 ? 4 : 3};
        tal_netcdf_compress(f, data[i], chunk);
    }
    define_fields(w, frame, three);
}

static tal_status put_blocks(writer *w, const tal_run_notes *notes, tal_error *err) {
    tal_netcdf *f = w->file;
    const size_t n = (size_t)w->scene->input.body_count;
    const int id = tal_netcdf_variable(f, "block", TAL_NC_INT, 1, &w->block, "1",
                                       w->leaves == NULL ? "number of the block in blocks.nc"
                                                         : "number of the block");
    tal_netcdf_text(f, id, "cf_role", "trajectory_id");
    const int lost = tal_netcdf_variable(f, "state", TAL_NC_INT, 1, &w->block, "1",
                                         "0 on the ground, 1 left over the rim");
    tal_netcdf_integers(f, lost, "flag_values", (const int32_t[]){0, 1}, 2);
    tal_netcdf_text(f, lost, "flag_meanings", "on_the_ground left_over_the_rim");
    int32_t *numbers = NULL;
    TAL_CREATE(numbers, 2 * n, "the blocks' numbers", err);
    for (size_t b = 0; b < n; b++) {
        numbers[b] = (int32_t)b;
        numbers[n + b] = notes->lost[b];
        w->summary->blocks_lost += notes->lost[b];
    }
    tal_netcdf_put_ints(f, id, numbers);
    tal_netcdf_put_ints(f, lost, numbers + n);
    tal_memory_destroy(numbers);
    tal_tensions_put(notes->tensions, f, w->block, w->three);
    return TAL_OK;
}

static tal_status put_series(writer *w, tal_error *err) {
    tal_netcdf *f = w->file;
    const size_t count = w->summary->step_count;
    const size_t rows = count > 0 ? count : 1; // stopped before its first step: zeros at 0 s
    const int step = tal_netcdf_dimension(f, "step", rows);
    double *reals = NULL;
    TAL_CREATE(reals, rows, "the series of steps", err);
    const int soft = w->scene->soft_count > 0 ? SOFT_SERIES_COUNT : 0;
    for (int s = 0; s < SERIES_COUNT + soft; s++) {
        const series *row = s < SERIES_COUNT ? &SERIES[s] : &SOFT_SERIES[s - SERIES_COUNT];
        const int id =
            tal_netcdf_variable(f, row->name, row->is_integer ? TAL_NC_INT : TAL_NC_DOUBLE, 1,
                                &step, row->units, row->long_name);
        for (size_t i = 0; i < count; i++) {
            const void *value = (const char *)&w->steps[i] + row->offset;
            reals[i] = row->is_integer ? (double)*(const int32_t *)value : *(const double *)value;
        }
        tal_netcdf_put_slab(f, id, &(size_t){0}, &rows, reals);
    }
    tal_memory_destroy(reals);
    return TAL_OK;
}

static void put_summary(writer *w, const tal_run_notes *notes) {
    tal_netcdf *f = w->file;
    const tal_run_summary *s = w->summary;
    tal_netcdf_text(f, TAL_NC_GLOBAL, "featureType", "trajectory");
    tal_netcdf_text(f, TAL_NC_GLOBAL, "ended_because", notes->ended_because);
    tal_netcdf_integer(f, TAL_NC_GLOBAL, "ended_too_early", notes->ended_too_early);
    tal_netcdf_integer(f, TAL_NC_GLOBAL, "unconverged_steps", s->unconverged_steps);
    tal_netcdf_integer(f, TAL_NC_GLOBAL, "islands_resolved", s->islands_resolved);
    tal_netcdf_integer(f, TAL_NC_GLOBAL, "finished_steps", s->finished_steps);
    tal_netcdf_integer(f, TAL_NC_GLOBAL, "blocks_lost", s->blocks_lost);
    tal_netcdf_real(f, TAL_NC_GLOBAL, "energy_drift", s->energy_drift);
    tal_netcdf_real(f, TAL_NC_GLOBAL, "clausius_duhem_worst_j", s->clausius_duhem_worst_j);
    tal_netcdf_real(f, TAL_NC_GLOBAL, "dt_s", w->scene->input.settings.dt_s);
    tal_netcdf_real(f, TAL_NC_GLOBAL, "ground_friction_low", w->scene->ground_friction[0]);
    tal_netcdf_real(f, TAL_NC_GLOBAL, "ground_friction_high", w->scene->ground_friction[1]);
    if (!isnan(notes->onset->holds_at)) {
        tal_netcdf_text(f, TAL_NC_GLOBAL, "onset_of",
                        notes->onset->is_share ? "share" : "friction");
        tal_netcdf_real(f, TAL_NC_GLOBAL, "onset_moves_at", notes->onset->moves_at);
        tal_netcdf_real(f, TAL_NC_GLOBAL, "onset_holds_at", notes->onset->holds_at);
    }
    static const char *const names[3] = {"origin_east_m", "origin_north_m", "origin_height_m"};
    for (int k = 0; k < 3; k++) {
        tal_netcdf_real(f, TAL_NC_GLOBAL, names[k], w->scene->origin_m[k]);
    }
}

static tal_status write_all(writer *w, tal_journal *journal, const tal_run_notes *notes,
                            tal_error *err) {
    define_frames(w, notes);
    tal_netcdf_grid_mapping(w->file, w->scene->crs);
    TAL_TRY(put_blocks(w, notes, err));
    if (w->leaves != NULL) {
        TAL_TRY(tal_leaves_put(w->leaves, w->file, w->block, w->three, err));
    }
    TAL_TRY(tal_journal_visit(journal, put_frame, keep_step, w, err));
    TAL_TRY(put_series(w, err));
    put_summary(w, notes);
    return tal_netcdf_commit(w->file, err);
}

// What the energy drift is a share of: all energy that changed its form, and what a free fall through one step
// would give. Without that, rock that stays where it is would be judged by its rounding errors.
static double exchanged_energy(const tal_run_summary *s, const tal_model_input *input) {
    const double fall = tal_vec3_length(input->settings.gravity_mps2) * input->settings.dt_s;
    double mass = 0.0;
    for (int32_t b = 0; b < input->body_count; b++) {
        mass += input->mass_kg[b];
    }
    return s->dissipated_normal_j + s->dissipated_tangential_j + fabs(s->dissipated_material_j) +
           s->broken_j + fabs(s->energy_start_j - s->energy_end_j) + s->kinetic_peak_j +
           mass * fall * fall;
}

tal_status tal_run_file_write(const char *path, tal_overwrite overwrite, tal_journal *journal,
                              const tal_solve_scene *scene, const tal_run_notes *notes,
                              tal_run_summary *summary, tal_error *err) {
    static tal_netcdf file;
    *summary = (tal_run_summary){0};
    writer w = {.file = &file, .scene = scene, .leaves = notes->leaves, .summary = summary};
    TAL_TRY(tal_journal_visit(journal, count_frame, sum_step, &w, err));
    const double exchanged = exchanged_energy(summary, &scene->input);
    summary->energy_drift = exchanged > 0.0 ? summary->energy_drift / exchanged : 0.0;
    tal_status status = TAL_OK;
    TAL_TRY(
        tal_netcdf_create(&file, path, overwrite, "Motion of the blocks", notes->provenance, err));
    TAL_CREATE_OR_DONE(w.steps, summary->step_count + 1, "the steps", err);
    TAL_CREATE_OR_DONE(w.row, 4 * (size_t)scene->input.body_count, "a frame", err);
    TAL_TRY_OR_DONE(tal_watch_travel(scene, notes->position, &summary->travel, err));
    summary->travel.is_too_early = notes->ended_too_early;
    TAL_TRY_OR_DONE(write_all(&w, journal, notes, err));
done:
    tal_netcdf_discard(&file);
    tal_memory_destroy(w.steps);
    tal_memory_destroy(w.row);
    return status;
}
