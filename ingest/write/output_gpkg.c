// SPDX-License-Identifier: GPL-3.0-or-later
// site.gpkg: source, deposit, stable terrain and extent as polygons with QGIS styles.
#include "ingest/write/output.h"

#include "core/base/memory.h"
#include "core/geo/geopackage.h"
#include "core/geometry/outline.h"
#include "ingest/volume/parts.h"

#include <stdio.h>

// A fill and an edge, as QGIS stores them.
static void write_style(char *text, size_t size, const char *fill, const char *edge, double width) {
    snprintf(
        text, size,
        "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>"
        "<qgis version=\"3.22\" styleCategories=\"Symbology\">"
        "<renderer-v2 type=\"singleSymbol\" symbollevels=\"0\" enableorderby=\"0\">"
        "<symbols><symbol type=\"fill\" name=\"0\" alpha=\"1\" clip_to_extent=\"1\">"
        "<layer class=\"SimpleFill\" enabled=\"1\" locked=\"0\" pass=\"0\"><Option type=\"Map\">"
        "<Option name=\"color\" type=\"QString\" value=\"%s\"/>"
        "<Option name=\"outline_color\" type=\"QString\" value=\"%s\"/>"
        "<Option name=\"outline_style\" type=\"QString\" value=\"solid\"/>"
        "<Option name=\"outline_width\" type=\"QString\" value=\"%g\"/>"
        "<Option name=\"outline_width_unit\" type=\"QString\" value=\"MM\"/>"
        "<Option name=\"style\" type=\"QString\" value=\"solid\"/>"
        "</Option></layer></symbol></symbols></renderer-v2></qgis>",
        fill, edge, width);
}

static const tal_field part_fields[] = {
    {"part", TAL_FIELD_INTEGER},        {"area_m2", TAL_FIELD_REAL},
    {"volume_m3", TAL_FIELD_REAL},      {"volume_low_m3", TAL_FIELD_REAL},
    {"volume_high_m3", TAL_FIELD_REAL}, {"mean_thickness_m", TAL_FIELD_REAL},
    {"max_thickness_m", TAL_FIELD_REAL}};
static const tal_field area_fields[] = {{"part", TAL_FIELD_INTEGER}, {"area_m2", TAL_FIELD_REAL}};

enum { PART_FIELDS = sizeof part_fields / sizeof part_fields[0], AREA_FIELDS = 2 };

// A layer of outlines; without a thickness only their areas are told.
typedef struct {
    const char *name;
    const uint8_t *mask;
    const float *thickness;
    double sign;                  // source -1, deposit 1
    const tal_comparison *change; // where the volume was found; NULL: by the user's word
    const char *fill, *edge;
} outlines;

static tal_status measure_parts(const outlines *o, const tal_components *parts,
                                const tal_grid *grid, tal_volume_estimate *volumes,
                                tal_error *err) {
    if (o->change == NULL) {
        tal_parts_sum_columns(grid, parts, o->thickness, volumes);
        tal_parts_widen_by_rim(grid, parts, o->thickness, volumes);
        return TAL_OK;
    }
    return o->change->is_cliff
               ? tal_parts_measure_cliff(o->change, grid, parts, o->thickness, o->sign, volumes,
                                         err)
               : tal_parts_measure(o->change, parts->label, parts->count, o->sign, volumes, err);
}

static tal_status add_part(tal_geopackage *package, const tal_components *parts, int32_t number,
                           const tal_outline *outline, double cell,
                           const tal_volume_estimate *volume, tal_error *err) {
    const int32_t ring = outline->polygon_start[number - 1];
    const tal_geometry geometry = {.x = outline->x,
                                   .y = outline->y,
                                   .ring_count = outline->polygon_start[number] - ring,
                                   .ring_start = &outline->ring_start[ring]};
    const tal_field_value values[] = {{.integer = number},
                                      {.real = (double)parts->size[number] * cell * cell},
                                      {.real = volume->volume_m3},
                                      {.real = volume->low_m3},
                                      {.real = volume->high_m3},
                                      {.real = volume->mean_thickness_m},
                                      {.real = volume->max_thickness_m}};
    return tal_geopackage_add_feature(package, &geometry, values, err);
}

static tal_status add_outlines(tal_geopackage *package, const tal_ingest_result *result,
                               const outlines *o, tal_error *err) {
    char style[2048];
    const tal_grid grid = tal_result_grid(result);
    tal_components parts = {0};
    tal_outline outline = {0};
    tal_volume_estimate *volumes = NULL;
    const bool measured = o->thickness != NULL;
    tal_status status = TAL_OK;
    write_style(style, sizeof style, o->fill, o->edge, 0.5);
    TAL_TRY(tal_geopackage_add_layer(package, o->name, TAL_GEOMETRY_POLYGON,
                                     result->site->study.crs, measured ? part_fields : area_fields,
                                     measured ? PART_FIELDS : AREA_FIELDS, style, err));
    TAL_TRY_OR_DONE(tal_components_find(&parts, o->mask, grid.columns, grid.rows, false, err));
    TAL_CREATE_OR_DONE(volumes, (size_t)parts.count + 1, "outlines", err);
    if (measured) {
        TAL_TRY_OR_DONE(measure_parts(o, &parts, &result->vertical->grid, volumes, err));
    }
    const tal_cell_frame lattice = {grid.west, grid.north, grid.cell};
    TAL_TRY_OR_DONE(tal_outline_trace(&outline, &parts, lattice, err));
    for (int32_t number = 1; number <= parts.count; number++) {
        TAL_TRY_OR_DONE(
            add_part(package, &parts, number, &outline, grid.cell, &volumes[number], err));
    }
done:
    tal_outline_destroy(&outline);
    tal_memory_destroy(volumes);
    tal_components_destroy(&parts);
    return status;
}

static tal_status add_stable_layer(tal_geopackage *package, const tal_ingest_result *result,
                                   tal_error *err) {
    const tal_grid *grid = &result->vertical->grid;
    const size_t cells = tal_grid_cell_count(grid);
    uint8_t *mask;
    TAL_CREATE(mask, cells, "outlines", err);
    for (size_t i = 0; i < cells && result->vertical->change.stable != NULL; i++) {
        mask[i] = result->vertical->change.stable[i];
    }
    // Crumbs make a map unreadable and files large.
    tal_status status = tal_mask_fill_holes(mask, grid->columns, grid->rows, 25, err);
    if (status == TAL_OK) {
        status = tal_mask_drop_small(mask, grid->columns, grid->rows, 100, err);
    }
    if (status == TAL_OK) {
        const outlines stable = {
            .name = "stable", .mask = mask, .fill = "120,170,120,40", .edge = "90,140,90,255"};
        status = add_outlines(package, result, &stable, err);
    }
    tal_memory_destroy(mask);
    return status;
}

static tal_status add_extent_layer(tal_geopackage *package, const tal_ingest_result *result,
                                   tal_error *err) {
    char style[2048];
    const tal_grid grid = tal_result_grid(result);
    const tal_bounds b = tal_grid_bounds(&grid);
    const double x[4] = {b.west, b.east, b.east, b.west},
                 y[4] = {b.south, b.south, b.north, b.north};
    const int32_t rings[2] = {0, 4};
    const tal_geometry geometry = {.x = x, .y = y, .ring_count = 1, .ring_start = rings};
    const tal_field_value values[] = {{.integer = 1},
                                      {.real = (b.east - b.west) * (b.north - b.south)}};
    write_style(style, sizeof style, "0,0,0,0", "60,60,60,255", 0.4);
    TAL_TRY(tal_geopackage_add_layer(package, "extent", TAL_GEOMETRY_POLYGON,
                                     result->site->study.crs, area_fields, AREA_FIELDS, style,
                                     err));
    return tal_geopackage_add_feature(package, &geometry, values, err);
}

// The analysis in which a volume was found.
static const tal_comparison *found_in(const tal_ingest_result *result, bool on_cliff) {
    return result->site->epoch_count < 2 ? NULL : on_cliff ? result->cliff : result->vertical;
}

tal_status tal_output_geopackage(const tal_ingest_result *result, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_geopackage *package = NULL;
    tal_status status = TAL_OK;
    const outlines source = {.name = "source",
                             .mask = result->layers->source_mask,
                             .thickness = result->layers->source,
                             .sign = -1.0,
                             .change = found_in(result, result->cliff != NULL),
                             .fill = "215,48,39,90",
                             .edge = "165,0,38,255"};
    const outlines deposit = {.name = "deposit",
                              .mask = result->layers->deposit_mask,
                              .thickness = result->layers->deposit,
                              .sign = 1.0,
                              .change = found_in(result, result->deposit_on_cliff),
                              .fill = "69,117,180,90",
                              .edge = "49,54,149,255"};
    if (!tal_path_join(path, result->folder, "site.gpkg")) {
        return TAL_FAIL(err, TAL_BAD_USAGE, "%s: the path is too long", result->folder);
    }
    TAL_TRY_OR_DONE(tal_geopackage_create(&package, path, result->overwrite, err));
    TAL_TRY_OR_DONE(add_outlines(package, result, &source, err));
    TAL_TRY_OR_DONE(add_outlines(package, result, &deposit, err));
    TAL_TRY_OR_DONE(add_stable_layer(package, result, err));
    TAL_TRY_OR_DONE(add_extent_layer(package, result, err));
    TAL_TRY_OR_DONE(tal_geopackage_commit(&package, err));
done:
    tal_geopackage_discard(&package);
    return status;
}
