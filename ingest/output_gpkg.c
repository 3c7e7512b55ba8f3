// SPDX-License-Identifier: GPL-3.0-or-later
// site.gpkg: source, deposit, stable terrain and extent as polygons with QGIS styles.
#include "ingest/output.h"

#include "core/geo/geopackage.h"
#include "core/memory.h"
#include "ingest/outline.h"

#include <math.h>
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

static const tal_field part_fields[] = {{"part", TAL_FIELD_INTEGER},
                                        {"area_m2", TAL_FIELD_REAL},
                                        {"volume_m3", TAL_FIELD_REAL},
                                        {"mean_thickness_m", TAL_FIELD_REAL},
                                        {"max_thickness_m", TAL_FIELD_REAL}};
static const tal_field area_fields[] = {{"part", TAL_FIELD_INTEGER}, {"area_m2", TAL_FIELD_REAL}};

typedef struct {
    double sum, highest;
} part_sum;

// Thickness per part; NULL without a thickness.
static tal_status sum_parts(const tal_components *parts, const float *thickness, size_t cells,
                            part_sum **sums, tal_error *err) {
    TAL_CREATE(*sums, (size_t)parts->count + 1, "outlines", err);
    for (size_t i = 0; i < cells && thickness != NULL; i++) {
        const int32_t number = parts->label[i];
        if (number != 0 && !isnan(thickness[i])) {
            (*sums)[number].sum += (double)thickness[i];
            (*sums)[number].highest = fmax((*sums)[number].highest, (double)thickness[i]);
        }
    }
    return TAL_OK;
}

static tal_status add_part(tal_geopackage *package, const tal_components *parts, int32_t number,
                           const tal_grid *grid, const part_sum *sum, tal_error *err) {
    const double cell_m2 = grid->cell * grid->cell;
    const double area = (double)parts->size[number] * cell_m2;
    tal_outline outline;
    TAL_TRY(tal_outline_trace(&outline, parts, number, grid, err));
    const tal_geometry geometry = {.x = outline.x,
                                   .y = outline.y,
                                   .ring_count = outline.ring_count,
                                   .ring_start = outline.ring_start};
    const tal_field_value values[] = {{.integer = number},
                                      {.real = area},
                                      {.real = sum->sum * cell_m2},
                                      {.real = sum->sum / (double)parts->size[number]},
                                      {.real = sum->highest}};
    const tal_status status = tal_geopackage_add_feature(package, &geometry, values, err);
    tal_outline_destroy(&outline);
    return status;
}

static tal_status add_mask_layer(tal_geopackage *package, const tal_ingest_result *result,
                                 const char *name, const uint8_t *mask, const float *thickness,
                                 const char *fill, const char *edge, tal_error *err) {
    char style[2048];
    const tal_grid grid = tal_result_grid(result);
    const size_t cells = tal_grid_cell_count(&grid);
    tal_components parts;
    part_sum *sums = NULL;
    write_style(style, sizeof style, fill, edge, 0.5);
    TAL_TRY(tal_geopackage_add_layer(package, name, TAL_GEOMETRY_POLYGON, result->site->study.crs,
                                     thickness != NULL ? part_fields : area_fields,
                                     thickness != NULL ? 5 : 2, style, err));
    TAL_TRY(tal_components_find(&parts, mask, grid.columns, grid.rows, false, err));
    tal_status status = sum_parts(&parts, thickness, cells, &sums, err);
    for (int32_t number = 1; number <= parts.count && status == TAL_OK; number++) {
        status = add_part(package, &parts, number, &grid, &sums[number], err);
    }
    tal_memory_destroy(sums);
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
        status = add_mask_layer(package, result, "stable", mask, NULL, "120,170,120,40",
                                "90,140,90,255", err);
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
                                     result->site->study.crs, area_fields, 2, style, err));
    return tal_geopackage_add_feature(package, &geometry, values, err);
}

tal_status tal_output_geopackage(const tal_ingest_result *result, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_geopackage *package = NULL;
    tal_status status = TAL_OK;
    if (!tal_path_join(path, result->folder, "site.gpkg")) {
        return TAL_FAIL(err, TAL_BAD_USAGE, "%s: the path is too long", result->folder);
    }
    TAL_TRY_OR_DONE(tal_geopackage_create(&package, path, result->overwrite, err));
    TAL_TRY_OR_DONE(add_mask_layer(package, result, "source", result->source_mask,
                                   result->source_thickness, "215,48,39,90", "165,0,38,255", err));
    TAL_TRY_OR_DONE(add_mask_layer(package, result, "deposit", result->deposit_mask,
                                   result->deposit_thickness, "69,117,180,90", "49,54,149,255",
                                   err));
    TAL_TRY_OR_DONE(add_stable_layer(package, result, err));
    TAL_TRY_OR_DONE(add_extent_layer(package, result, err));
    TAL_TRY_OR_DONE(tal_geopackage_commit(&package, err));
done:
    tal_geopackage_discard(&package);
    return status;
}
