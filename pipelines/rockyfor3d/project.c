// SPDX-License-Identifier: GPL-3.0-or-later
// A project of Rockyfor3D, read and checked.
#include "pipelines/rockyfor3d/project.h"

#include "core/base/log.h"
#include "core/geo/raster_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    bool is_needed;
    double low, high;
    const char *unit;
} row;

// Names and ranges as the public input checks of Rockyfor3D have them.
static const row ROWS[TAL_RF_COUNT] = {
    [TAL_RF_DEM] = {"dem", true, -500, 9000, "m"},
    [TAL_RF_ROCKDENSITY] = {"rockdensity", true, 0, 3400, "kg/m3"},
    [TAL_RF_D1] = {"d1", true, 0, 100, "m"},
    [TAL_RF_D2] = {"d2", true, 0, 100, "m"},
    [TAL_RF_D3] = {"d3", true, 0, 100, "m"},
    [TAL_RF_BLSHAPE] = {"blshape", true, 0, 4, "1"},
    [TAL_RF_SOILTYPE] = {"soiltype", false, 0, 7, "1"},
    [TAL_RF_RG70] = {"rg70", false, 0, 100, "m"},
    [TAL_RF_RG20] = {"rg20", false, 0, 100, "m"},
    [TAL_RF_RG10] = {"rg10", false, 0, 100, "m"},
    [TAL_RF_NRTREES] = {"nrtrees", false, 0, 10000, "1/ha"},
    [TAL_RF_DBHMEAN] = {"dbhmean", false, 0, 250, "cm"},
    [TAL_RF_DBHSTD] = {"dbhstd", false, 0, 250, "cm"},
    [TAL_RF_CONIF_PERCENT] = {"conif_percent", false, 0, 100, "%"},
    [TAL_RF_NET_NUMBER] = {"net_number", false, 0, 999, "1"},
    [TAL_RF_NET_ENERGY] = {"net_energy", false, 0, 20000, "kJ"},
    [TAL_RF_NET_HEIGHT] = {"net_height", false, 0, 15, "m"},
};

const char *tal_rf_name(tal_rf_grid grid) {
    return ROWS[grid].name;
}

void tal_rf_file(const tal_rf_project *project, tal_rf_grid grid, char name[64]) {
    static const char *const endings[] = {"asc", "tif"};
    for (int k = 0; k < 2; k++) {
        char path[TAL_PATH_SIZE];
        snprintf(name, 64, "%s.%s", ROWS[grid].name, endings[k]);
        if (tal_path_join(path, project->folder, name) && tal_file_exists(path)) {
            return;
        }
    }
    name[0] = '\0';
}

static void check_range(const tal_rf_project *p, tal_rf_grid grid, const char *path,
                        tal_error *err) {
    const row *r = &ROWS[grid];
    const tal_raster *raster = &p->grid[grid];
    int64_t bad = 0;
    double example = NAN;
    for (size_t k = 0; k < tal_grid_cell_count(&raster->grid); k++) {
        const double value = (double)raster->value[k];
        if (isfinite(value) && (value < r->low || value > r->high)) {
            example = bad == 0 ? value : example;
            bad++;
        }
    }
    if (bad > 0) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "%s: %lld cells lie outside [%g, %g] %s, the first has %g", path,
                      (long long)bad, r->low, r->high, r->unit, example);
    }
}

static void read_grid(tal_rf_project *p, tal_rf_grid grid, tal_error *err) {
    char name[64], path[TAL_PATH_SIZE];
    tal_error one;
    tal_rf_file(p, grid, name);
    if (name[0] == '\0') {
        if (ROWS[grid].is_needed) {
            tal_error_add(err, TAL_NOT_FOUND, "%s: there is no %s.asc in it", p->folder,
                          ROWS[grid].name);
        }
        return;
    }
    tal_path_join(path, p->folder, name);
    tal_error_reset(&one);
    if (tal_raster_read(&p->grid[grid], path, &one) != TAL_OK) {
        tal_error_add(err, one.status, "%s", one.text);
        return;
    }
    p->has[grid] = true;
    if (p->has[TAL_RF_DEM] && !tal_grid_equal(&p->grid[grid].grid, &p->grid[TAL_RF_DEM].grid)) {
        tal_error_add(err, TAL_BAD_INPUT, "%s does not have the same cells as dem", path);
    }
    check_range(p, grid, path, err);
}

static bool have_same_cells(const tal_rf_project *p, tal_rf_grid a, tal_rf_grid b) {
    return p->has[a] && p->has[b] && tal_grid_equal(&p->grid[a].grid, &p->grid[b].grid);
}

// Where one grid has something, the other says how much of it.
static void check_cells(const tal_rf_project *p, tal_rf_grid first, tal_rf_grid second,
                        const char *what, tal_error *err) {
    int64_t bad = 0;
    if (!have_same_cells(p, first, second)) {
        return;
    }
    for (size_t k = 0; k < tal_grid_cell_count(&p->grid[first].grid); k++) {
        bad += p->grid[first].value[k] > 0.0F && !(p->grid[second].value[k] > 0.0F);
    }
    if (bad > 0) {
        tal_error_add(err, TAL_BAD_INPUT, "%s: %s: %lld cells of %s have no %s", p->folder,
                      ROWS[second].name, (long long)bad, ROWS[first].name, what);
    }
}

// What belongs together is there together.
static void check_sets(const tal_rf_project *p, tal_error *err) {
    static const struct {
        tal_rf_grid first, second;
        const char *what;
    } sets[] = {{TAL_RF_ROCKDENSITY, TAL_RF_D1, "diameter"},
                {TAL_RF_ROCKDENSITY, TAL_RF_D2, "diameter"},
                {TAL_RF_ROCKDENSITY, TAL_RF_D3, "diameter"},
                {TAL_RF_NRTREES, TAL_RF_DBHMEAN, "diameter of their stems"},
                {TAL_RF_NET_NUMBER, TAL_RF_NET_ENERGY, "energy"},
                {TAL_RF_NET_NUMBER, TAL_RF_NET_HEIGHT, "height"}};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        if (p->has[sets[k].first] && !p->has[sets[k].second] && !ROWS[sets[k].second].is_needed) {
            tal_error_add(err, TAL_NOT_FOUND, "%s: %s.asc is given without %s.asc", p->folder,
                          ROWS[sets[k].first].name, ROWS[sets[k].second].name);
        }
        check_cells(p, sets[k].first, sets[k].second, sets[k].what, err);
    }
}

// A cell is a source or not: what lies between 0 and the density of any rock is another unit.
static void check_density(const tal_rf_project *p, tal_error *err) {
    const double least = 2000.0;
    const tal_raster *density = &p->grid[TAL_RF_ROCKDENSITY];
    for (size_t k = 0; p->has[TAL_RF_ROCKDENSITY] && k < tal_grid_cell_count(&density->grid); k++) {
        if (density->value[k] > 0.0F && (double)density->value[k] < least) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "%s: rockdensity: a source has %g kg/m3; rock has %g to %g", p->folder,
                          (double)density->value[k], least, ROWS[TAL_RF_ROCKDENSITY].high);
            return;
        }
    }
}

static void tell_missing_soil(const tal_rf_project *p) {
    int64_t missing = 0;
    if (!have_same_cells(p, TAL_RF_DEM, TAL_RF_SOILTYPE)) {
        return;
    }
    for (size_t k = 0; k < tal_grid_cell_count(&p->grid[TAL_RF_DEM].grid); k++) {
        missing +=
            isfinite(p->grid[TAL_RF_DEM].value[k]) && !isfinite(p->grid[TAL_RF_SOILTYPE].value[k]);
    }
    if (missing > 0) {
        tal_log_warn("%s: soiltype: %lld cells of the dem have none and are taken as type 0, river "
                     "or swamp, from which nothing rebounds",
                     p->folder, (long long)missing);
    }
}

tal_status tal_rf_project_read(tal_rf_project *p, const char *folder, tal_error *err) {
    *p = (tal_rf_project){0};
    snprintf(p->folder, sizeof p->folder, "%s", folder);
    const int before = err->message_count;
    for (int grid = 0; grid < TAL_RF_COUNT; grid++) {
        read_grid(p, (tal_rf_grid)grid, err);
    }
    check_sets(p, err);
    check_density(p, err);
    tell_missing_soil(p);
    return err->message_count > before ? err->status : TAL_OK;
}

void tal_rf_project_destroy(tal_rf_project *p) {
    for (int grid = 0; grid < TAL_RF_COUNT; grid++) {
        tal_raster_destroy(&p->grid[grid]);
    }
}
