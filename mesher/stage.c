// SPDX-License-Identifier: GPL-3.0-or-later
// The stage from beginning to end.
#include "mesher/stage.h"

#include "core/app/number.h"
#include "core/app/results.h"
#include "core/app/site_check.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "mesher/import/put_down.h"
#include "mesher/rock/forms.h"
#include "mesher/write/terrain_file.h"

#include <math.h>
#include <string.h>

// ---- Checks before any work ------------------------------------------------------------

static void check_joints(const tal_settings *s, tal_error *err) {
    if (s->joint_count == 0) {
        tal_error_add(
            err, TAL_BAD_SETTING,
            "[mesh] blocks = joints needs at least one joint set: add a section [joint.1] "
            "with dip_deg, dip_direction_deg and spacing_m");
    }
    for (int k = 0; k < s->joint_count; k++) {
        const tal_joint_settings *joint = &s->joint[k];
        if (isnan(joint->dip_deg) || isnan(joint->dip_direction_deg) || isnan(joint->spacing_m)) {
            tal_error_add(err, TAL_BAD_SETTING,
                          "[joint.%s] must state dip_deg, dip_direction_deg and spacing_m",
                          joint->label);
        }
    }
}

static void check_list(const tal_reals *list, const char *key, const char *what, tal_error *err) {
    if (list->count != 0 && list->count != 3) {
        tal_error_add(err, TAL_BAD_SETTING, "[mesh] %s must hold three numbers (%s), not %d", key,
                      what, list->count);
    }
}

// Better now than after the work; what comes into being meanwhile is refused when it is written.
static tal_status check_outputs(const tal_invocation *invocation, tal_error *err) {
    static const char *const names[] = {"terrain.nc", "blocks.nc", "mesh.json", "mesh.png"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char path[TAL_PATH_SIZE];
        if (invocation->overwrite == TAL_KEEP_EXISTING &&
            tal_path_join(path, invocation->out, names[k]) && tal_file_exists(path)) {
            tal_error_add(err, TAL_EXISTS, "%s already exists. Use --overwrite to replace it",
                          path);
        }
    }
    return err->status;
}

tal_status tal_mesh_stage_check(const tal_invocation *invocation, const char *export_format,
                                tal_error *err) {
    const tal_settings *s = &invocation->settings;
    if (s->mesh.blocks == TAL_BLOCKS_JOINTS) {
        check_joints(s, err);
    }
    if (s->mesh.blocks == TAL_BLOCKS_IMPORT && s->mesh.import[0] == '\0') {
        tal_error_add(
            err, TAL_BAD_SETTING,
            "[mesh] blocks = import needs files: name rocks (OBJ, STL, PLY, MSH) or tables "
            "(CSV) in [mesh] import");
    }
    if (s->mesh.blocks == TAL_BLOCKS_FORMS) {
        tal_forms_check(s->mesh.forms, tal_settings_where(s, s->mesh.forms), err);
    }
    check_list(&s->mesh.brick_m, "brick_m", "along strike, across, up", err);
    check_list(&s->mesh.anisotropy, "anisotropy", "along strike, across, up", err);
    check_list(&s->mesh.import_position_m, "import_position_m", "east, north, height", err);
    if (s->mesh.anisotropy.count == 0) {
        tal_error_add(err, TAL_BAD_SETTING, "[mesh] anisotropy must hold three numbers");
    }
    if (s->mesh.ground_class[0] == '\0' || s->mesh.block_class[0] == '\0') {
        tal_error_add(err, TAL_BAD_SETTING, "[mesh] ground_class and block_class need a name");
    }
    if (s->mesh.source_class[0] != '\0' && !tal_site_has_source(s)) {
        tal_error_add(
            err, TAL_BAD_SETTING,
            "[mesh] source_class = %s: blocks = import and blocks = forms have no source; "
            "draw its ground with ground_classes",
            s->mesh.source_class);
    }
    if (export_format != NULL && strcmp(export_format, "obj") != 0 &&
        strcmp(export_format, "ply") != 0 && strcmp(export_format, "vtp") != 0) {
        tal_error_add(err, TAL_BAD_USAGE, "--export %s: choose obj, ply or vtp", export_format);
    }
    return err->status;
}

// ---- Terrain ---------------------------------------------------------------------------

static tal_status make_terrain(tal_mesh_stage *stage, tal_error *err) {
    const tal_mesh_settings *mesh = &stage->settings->mesh;
    const tal_terrain_options options = {mesh->mesh_error_m, mesh->full_resolution, mesh->margin_m};
    TAL_TRY(tal_terrain_mesh_create(&stage->terrain, &stage->bed, &options, stage->origin, err));
    if (mesh->rim_wall) {
        TAL_TRY(tal_terrain_mesh_add_wall(&stage->terrain, stage->bed.grid.cell / 4, 50, err));
    }
    TAL_CREATE(stage->face_class, (size_t)stage->terrain.face_count, "surface classes", err);
    if (tal_class_names_find(&stage->ground_names, mesh->ground_class) < 0) {
        return TAL_FAIL(err, TAL_BAD_SETTING, "[mesh] ground_class = %s is longer than %d letters",
                        mesh->ground_class, TAL_CLASS_NAME_SIZE - 1);
    }
    TAL_TRY(tal_classes_assign(stage->face_class, &stage->terrain, stage->origin, stage->settings,
                               stage->crs, &stage->ground_names, err));
    if (mesh->source_class[0] != '\0') {
        TAL_TRY(tal_classes_assign_source(stage->face_class, &stage->terrain, stage->origin,
                                          &stage->source, mesh->source_class, &stage->ground_names,
                                          err));
    }
    tal_log_info("terrain: %d triangles, within %.3g m of the bed", stage->terrain.face_count,
                 stage->terrain.error_m);
    return TAL_OK;
}

// ---- Blocks ----------------------------------------------------------------------------

static void compare_volumes(const tal_mesh_stage *stage) {
    const tal_rock *rock = &stage->rock;
    const double difference = rock->volume / rock->source_volume - 1;
    char volume[TAL_NUMBER_SIZE];
    tal_log_info("source: %s m3 of rock between the old surface and the bed",
                 tal_number_format_digits(volume, rock->volume, 5));
    if (fabs(difference) > 0.005) {
        tal_log_warn(
            "that differs by %.2f %% from the volume of source.tif (%s m3): the bed is not the "
            "old surface minus the source, as with a cliff frame or bed = after",
            100 * difference, tal_number_format_digits(volume, rock->source_volume, 5));
    }
    if (rock->buried_cells > 0) {
        tal_log_warn("%lld cells of the source have their old surface below the bed; they hold no "
                     "rock",
                     (long long)rock->buried_cells);
    }
}

static tal_status import_blocks(tal_mesh_stage *stage, tal_error *err) {
    const tal_mesh_settings *mesh = &stage->settings->mesh;
    const double *at = mesh->import_position_m.value;
    const tal_import_options options = {
        .settings = stage->settings,
        .unit_m = mesh->import_unit == TAL_IMPORT_UNIT_MM ? 1e-3 : 1,
        .vertices_max = (int)mesh->import_vertices_max,
        .has_position = mesh->import_position_m.count == 3,
        .position = tal_vec3_make(at[0], at[1], at[2]),
        .origin = {stage->origin[0], stage->origin[1], stage->origin[2]},
        .block_class = mesh->block_class,
        .density_kg_m3 = mesh->density_kg_m3,
    };
    TAL_TRY(tal_import(&stage->blocks, &stage->block_class, &stage->volume, &stage->block_names,
                       &options, &stage->import, err));
    return mesh->import_onto_ground ? tal_blocks_put_down(&stage->blocks, &stage->terrain, err)
                                    : TAL_OK;
}

// In the middle of the site, high above the ground: only their forms matter.
static tal_status make_forms(tal_mesh_stage *stage, tal_error *err) {
    const tal_settings *s = stage->settings;
    const tal_terrain_mesh *t = &stage->terrain;
    double x = 0, y = 0, top = -INFINITY;
    for (int32_t k = 0; k < t->node_count; k++) {
        x += t->x[k] / t->node_count;
        y += t->y[k] / t->node_count;
        top = fmax(top, t->z[k]);
    }
    const tal_forms_options options = {.words = s->mesh.forms,
                                       .count = (int32_t)s->mesh.form_count,
                                       .seed = (uint64_t)s->random.seed,
                                       .run = (uint32_t)s->random.run,
                                       .first = tal_vec3_make(x, y, top + 10),
                                       .density_kg_m3 = s->mesh.density_kg_m3};
    TAL_TRY(tal_forms_make(&stage->blocks, &options, err));
    TAL_CREATE(stage->block_class, (size_t)stage->blocks.block_count, "surface classes", err);
    return TAL_OK;
}

// Finite elements where [body.CLASS] asks for them.
static tal_status fill_blocks(tal_mesh_stage *stage, tal_error *err) {
    int64_t count = 0;
    if (stage->volume == NULL) {
        TAL_CREATE(stage->volume, (size_t)stage->blocks.block_count, "elements of blocks", err);
    }
    TAL_TRY(tal_blocks_fill(stage->volume, &stage->blocks, stage->block_class, &stage->block_names,
                            stage->settings, err));
    for (int32_t b = 0; b < stage->blocks.block_count; b++) {
        count += stage->volume[b].element_count;
    }
    if (count > 0) {
        tal_log_info("elements: %lld", (long long)count);
    }
    return TAL_OK;
}

static tal_status make_blocks(tal_mesh_stage *stage, tal_error *err) {
    const char *name = stage->settings->mesh.block_class;
    if (tal_class_names_find(&stage->block_names, name) < 0) {
        return TAL_FAIL(err, TAL_BAD_SETTING, "[mesh] block_class = %s is longer than %d letters",
                        name, TAL_CLASS_NAME_SIZE - 1);
    }
    if (stage->settings->mesh.blocks == TAL_BLOCKS_FORMS) {
        TAL_TRY(make_forms(stage, err));
    } else if (!stage->has_rock) {
        TAL_TRY(import_blocks(stage, err));
    } else {
        TAL_TRY(tal_mesh_make_blocks(stage, err));
        TAL_CREATE(stage->block_class, (size_t)stage->blocks.block_count, "surface classes", err);
        compare_volumes(stage);
    }
    tal_log_info("blocks: %d", stage->blocks.block_count);
    return fill_blocks(stage, err);
}

// ---- Output ----------------------------------------------------------------------------

static tal_status write_netcdf(const tal_mesh_stage *stage, const char *provenance,
                               tal_error *err) {
    const tal_mesh_notes notes = {stage->crs,
                                  provenance,
                                  {stage->origin[0], stage->origin[1], stage->origin[2]},
                                  stage->settings->mesh.mesh_error_m,
                                  stage->overwrite};
    char terrain[TAL_PATH_SIZE], blocks[TAL_PATH_SIZE];
    if (!tal_path_join(terrain, stage->folder, "terrain.nc") ||
        !tal_path_join(blocks, stage->folder, "blocks.nc")) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: the path is too long", stage->folder);
    }
    TAL_TRY(tal_terrain_file_write(terrain, &stage->terrain, stage->face_class,
                                   &stage->ground_names, &notes, err));
    return tal_blocks_file_write(blocks, &stage->blocks, stage->block_class, stage->volume,
                                 &stage->block_names, &notes, err);
}

static tal_status write_files(const tal_mesh_stage *stage, tal_error *err) {
    char *provenance = tal_provenance_text(&stage->provenance);
    if (provenance == NULL) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the provenance");
    }
    const tal_status status = write_netcdf(stage, provenance, err);
    cJSON_free(provenance);
    TAL_TRY(status);
    TAL_TRY(tal_mesh_write_picture(stage, err));
    TAL_TRY(tal_mesh_write_exports(stage, err));
    TAL_TRY(tal_mesh_write_summary(stage, err));
    return tal_interrupt_check(err); // before anything is replaced
}

static tal_status write_outputs(const tal_mesh_stage *stage, tal_error *err) {
    TAL_TRY(tal_results_begin(stage->folder, "mesh", err));
    return tal_results_end(write_files(stage, err), err);
}

// ---- All -------------------------------------------------------------------------------

static void destroy_stage(tal_mesh_stage *stage) {
    tal_provenance_destroy(&stage->provenance);
    tal_crs_destroy(stage->crs);
    tal_raster_destroy(&stage->bed);
    tal_raster_destroy(&stage->before);
    tal_raster_destroy(&stage->source);
    tal_terrain_mesh_destroy(&stage->terrain);
    tal_memory_destroy(stage->face_class);
    tal_rock_destroy(&stage->rock);
    tal_import_report_destroy(&stage->import);
    tal_volume_meshes_destroy(stage->volume, stage->blocks.block_count);
    tal_block_set_destroy(&stage->blocks);
    tal_memory_destroy(stage->block_class);
    tal_memory_destroy(stage);
}

static tal_status run_stage(tal_mesh_stage *stage, tal_error *err) {
    TAL_TRY(tal_provenance_create(&stage->provenance, "talus-mesh", stage->settings, TAL_STAGE_MESH,
                                  err));
    TAL_TRY(tal_mesh_read_inputs(stage, err));
    TAL_TRY(make_terrain(stage, err));
    TAL_TRY(make_blocks(stage, err));
    return write_outputs(stage, err);
}

tal_status tal_mesh_stage_run(const tal_invocation *invocation, const char *export_format,
                              tal_error *err) {
    tal_mesh_stage *stage;
    TAL_TRY(check_outputs(invocation, err));
    TAL_CREATE(stage, 1, "the stage", err);
    stage->settings = &invocation->settings;
    stage->folder = invocation->out;
    stage->overwrite = invocation->overwrite;
    stage->thread_count = invocation->thread_count;
    stage->export_format = export_format;
    stage->ingest_volume = NAN;
    const tal_status status = run_stage(stage, err);
    destroy_stage(stage);
    return status;
}
