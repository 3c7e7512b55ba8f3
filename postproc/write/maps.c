// SPDX-License-Identifier: GPL-3.0-or-later
// The maps as files.
#include "postproc/write/maps.h"

#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"
#include "core/geo/raster_file.h"

#include <math.h>
#include <stdio.h>

int tal_maps_list(const tal_back_analysis *a, tal_map list[TAL_MAPS_MAX]) {
    const tal_deposit *d = &a->deposit;
    const tal_passage *p = &a->passage;
    const tal_ensemble *e = &a->ensemble;
    const tal_map all[] = {
        {"surface", &d->surface, "m",
         "ground with the simulated deposit, as a survey would see it"},
        {"thickness", &d->thickness, "m", "thickness of the simulated deposit, pores included"},
        {"solid", &d->solid, "m", "volume of simulated rock per area"},
        {"block_count", &d->count, "1", "blocks at rest with their centroid over the cell"},
        {"passages", &p->count, "1", "blocks that passed or stopped over the cell"},
        {"velocity_max", &p->velocity, "m s-1", "greatest speed of a block over the cell"},
        {"energy_max", &p->energy, "kJ", "greatest kinetic energy of one block over the cell"},
        {"energy_translation_max", &p->energy_translation, "kJ",
         "greatest kinetic energy of translation of one block over the cell"},
        {"energy_rotation_max", &p->energy_rotation, "kJ",
         "greatest kinetic energy of rotation of one block over the cell"},
        {"jump_height", &p->jump, "m", "greatest height of a block's lowest point above the bed"},
        {"arrival", &p->arrival, "s", "first time a block was over the cell"},
        {"tension_max", &p->tension, "Pa",
         "largest tensile stress of a block that deforms, over the cell where it had it"},
        {"reach", &a->reach, "1", "share of the runs in which a block reached the cell"},
        {"thickness_mean", &e->thickness_mean, "m", "thickness of the deposit, mean of the runs"},
        {"thickness_p05", &e->thickness_low, "m", "thickness of the deposit, 5 % of the runs"},
        {"thickness_p50", &e->thickness_median, "m",
         "thickness of the deposit, median of the runs"},
        {"thickness_p95", &e->thickness_high, "m", "thickness of the deposit, 95 % of the runs"},
        {"velocity_max_p50", &e->velocity_median, "m s-1", "greatest speed, median of the runs"},
        {"velocity_max_p95", &e->velocity_high, "m s-1", "greatest speed, 95 % of the runs"},
        {"energy_max_p50", &e->energy_median, "kJ", "greatest kinetic energy, median of the runs"},
        {"energy_max_p95", &e->energy_high, "kJ", "greatest kinetic energy, 95 % of the runs"},
        {"jump_height_p50", &e->jump_median, "m", "greatest jump height, median of the runs"},
        {"jump_height_p95", &e->jump_high, "m", "greatest jump height, 95 % of the runs"},
        {"arrival_p05", &e->arrival_low, "s",
         "time of arrival, 5 % of the runs that reached the cell"},
        {"arrival_p50", &e->arrival_median, "s",
         "time of arrival, median of the runs that reached the cell"}};
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].raster->value != NULL) {
            list[count++] = all[i];
        }
    }
    return count;
}

static tal_status write_tiff(const tal_map *m, const tal_back_analysis *a,
                             const tal_output_place *place, tal_error *err) {
    char name[64], path[TAL_PATH_SIZE];
    (void)snprintf(name, sizeof name, "%s.tif", m->name);
    TAL_TRY(tal_output_path(place, name, path, err));
    tal_raster raster = *m->raster; // the values stay where they are
    raster.grid = a->survey.real_grid;
    const tal_raster_notes notes = {.crs = a->survey.crs,
                                    .description = m->sentence,
                                    .unit = m->unit,
                                    .provenance = place->provenance};
    return tal_raster_write(path, &raster, &notes, place->overwrite, err);
}

// Cell centres along one axis; rows go from north to south as in the GeoTIFF.
static void put_axis(tal_netcdf *file, int variable, double first, double step, double *values,
                     int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        values[i] = first + step * ((double)i + 0.5);
    }
    tal_netcdf_put_doubles(file, variable, values);
}

static int add_axis(tal_netcdf *file, const char *name, const char *axis, int dimension) {
    const int variable = tal_netcdf_variable(file, name, TAL_NC_DOUBLE, 1, &dimension, "m",
                                             name[0] == 'x' ? "easting of cell centres"
                                                            : "northing of cell centres");
    tal_netcdf_text(file, variable, "standard_name",
                    name[0] == 'x' ? "projection_x_coordinate" : "projection_y_coordinate");
    tal_netcdf_text(file, variable, "axis", axis);
    return variable;
}

static tal_status write_netcdf(const tal_map *list, int count, const tal_back_analysis *a,
                               const tal_output_place *place, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_netcdf file;
    const tal_grid *grid = &a->survey.real_grid;
    double *axis;
    int variable[TAL_MAPS_MAX];
    TAL_TRY(tal_output_path(place, "maps.nc", path, err));
    const size_t longest = (size_t)(grid->columns > grid->rows ? grid->columns : grid->rows);
    TAL_CREATE(axis, longest, "the axes of maps.nc", err);
    tal_status status = tal_netcdf_create(&file, path, place->overwrite,
                                          "Simulated deposit and motion", place->provenance, err);
    if (status == TAL_OK) {
        const int y = tal_netcdf_dimension(&file, "y", (size_t)grid->rows);
        const int x = tal_netcdf_dimension(&file, "x", (size_t)grid->columns);
        const int shape[2] = {y, x};
        const int y_axis = add_axis(&file, "y", "Y", y), x_axis = add_axis(&file, "x", "X", x);
        tal_netcdf_grid_mapping(&file, a->survey.crs);
        const bool is_local = tal_crs_get_info(a->survey.crs)->is_local;
        for (int i = 0; i < count; i++) {
            variable[i] = tal_netcdf_variable(&file, list[i].name, TAL_NC_FLOAT, 2, shape,
                                              list[i].unit, list[i].sentence);
            tal_netcdf_real(&file, variable[i], "_FillValue", NAN);
            if (!is_local) {
                tal_netcdf_text(&file, variable[i], "grid_mapping", "crs");
            }
            tal_netcdf_compress(&file, variable[i], NULL);
        }
        put_axis(&file, y_axis, grid->north, -grid->cell, axis, grid->rows);
        put_axis(&file, x_axis, grid->west, grid->cell, axis, grid->columns);
        for (int i = 0; i < count; i++) {
            tal_netcdf_put_floats(&file, variable[i], list[i].raster->value);
        }
        status = tal_netcdf_commit(&file, err);
    }
    tal_memory_destroy(axis);
    return status;
}

tal_status tal_maps_write(const tal_back_analysis *analysis, const tal_output_place *place,
                          tal_error *err) {
    tal_map list[TAL_MAPS_MAX];
    const int count = tal_maps_list(analysis, list);
    for (int i = 0; i < count; i++) {
        TAL_TRY(write_tiff(&list[i], analysis, place, err));
    }
    return write_netcdf(list, count, analysis, place, err);
}
