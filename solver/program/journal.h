// SPDX-License-Identifier: GPL-3.0-or-later
// The journal of a run under way: checksummed records of frames and steps, appended as they happen.
// A kill leaves at most one torn record at the end, which a resumed run cuts off.
#ifndef TALUS_SOLVER_PROGRAM_JOURNAL_H
#define TALUS_SOLVER_PROGRAM_JOURNAL_H

#include "core/base/file.h"
#include "solver/include/talus_solver.h"
#include "solver/program/records.h"

enum { TAL_JOURNAL_KEY_SIZE = 65 };

typedef struct {
    double time_s;
    double kinetic_translation_j, kinetic_rotation_j, potential_j;
    double dissipated_normal_j, dissipated_tangential_j, correction_j, energy_defect_j;
    double residual, penetration_m;
    double clausius_duhem_j; // most energy that a contact made which may make none; 0: none did
    double moved_s;          // last time a block was faster than the rest criterion allows
    double kinetic_deformation_j, strain_j, dissipated_material_j; // of blocks that deform
    double cracks_j, released_j; // of those that broke: what their cracks took, what else they lost
    int32_t contact_count, iterations, unconverged_count, islands_resolved;
    int32_t islands_finished;
    float regularisation; // of the finisher; 8 bytes together: no padding to be checked
} tal_journal_step;

// A block that broke: where, how it moved then as a whole, and what became of its energy.
typedef struct {
    double time_s;
    int32_t body;
    int32_t joint;   // along which of its planes of weakness, counted from 1; 0: along none
    tal_vec3 normal; // of the crack: normal . x = offset, axes of the body
    double offset;
    tal_vec3 position, velocity, spin; // metres from the site's origin, world axes
    tal_quat orientation;
    double tension_pa, area_m2, surface_j;
    double rotation_j, deformation_j, strain_j; // by which its energies changed
} tal_break;

static inline double tal_break_released_j(const tal_break *b) {
    return -(b->rotation_j + b->deformation_j + b->strain_j);
}

// Arrays of `body_count` entries; positions in metres from the site's origin.
typedef struct {
    double time_s;
    int32_t body_count;
    const tal_vec3 *position;
    const tal_quat *orientation;
    const tal_vec3 *velocity;
    const tal_vec3 *spin;
    const double *field; // of blocks that deform (fields.h)
} tal_journal_frame;

typedef struct {
    tal_records records;
    int32_t body_count, body_capacity; // at the start; with all pieces that there can be
    size_t field_count;
    unsigned char *frame; // being put together
} tal_journal;

// What frames hold: bodies at the start and at most; numbers per frame of blocks that deform.
typedef struct {
    int32_t body_count, body_capacity;
    size_t field_count;
} tal_journal_shape;

// `key` names settings and inputs: only a run with the same key may go on with a journal.
tal_status tal_journal_create(tal_journal *journal, const char *path, const char *key,
                              tal_journal_shape shape, tal_error *err);
// Opens a journal and cuts off everything later than `time_s`, and a frame at that time unless one is
// due then (the end of a run has a frame of its own); `last` becomes the last step kept. A journal that
// does not reach that time is refused: what it lost would be missing in the results.
tal_status tal_journal_resume(tal_journal *journal, const char *path, const char *key,
                              tal_journal_shape shape, double time_s, bool frame_is_due,
                              tal_journal_step *last, tal_error *err);
// The blocks that broke until `time_s`, in their order; the file is left as it is.
typedef tal_status tal_journal_break_visit(void *context, const tal_break *b, tal_error *err);
tal_status tal_journal_visit_breaks(const char *path, const char *key, tal_journal_shape shape,
                                    double time_s, tal_journal_break_visit *visit, void *context,
                                    tal_error *err);
tal_status tal_journal_add_frame(tal_journal *journal, const tal_journal_frame *frame,
                                 tal_error *err);
tal_status tal_journal_add_step(tal_journal *journal, const tal_journal_step *step, tal_error *err);
tal_status tal_journal_add_break(tal_journal *journal, const tal_break *b, tal_error *err);
// What was added so far reaches the disk.
tal_status tal_journal_sync(tal_journal *journal, tal_error *err);
void tal_journal_close(tal_journal *journal);

// Reads the records in order. Either callback may be NULL; frames are valid during the call.
typedef tal_status tal_journal_frame_visit(void *context, size_t number,
                                           const tal_journal_frame *frame, tal_error *err);
typedef tal_status tal_journal_step_visit(void *context, size_t number,
                                          const tal_journal_step *step, tal_error *err);
tal_status tal_journal_visit(tal_journal *journal, tal_journal_frame_visit *frame,
                             tal_journal_step_visit *step, void *context, tal_error *err);

#endif
