// SPDX-License-Identifier: GPL-3.0-or-later
// The maps of a release as GeoTIFF.
#include "core/geo/raster_file.h"
#include "postproc/release/hazard.h"

#include <stdio.h>

static tal_status write_map(const tal_hazard *h, const tal_raster *values, const char *name,
                            const char *unit, const char *sentence, const tal_output_place *place,
                            tal_error *err) {
    char file[96], path[TAL_PATH_SIZE];
    (void)snprintf(file, sizeof file, "%s.tif", name);
    TAL_TRY(tal_output_path(place, file, path, err));
    tal_raster raster = *values; // the values stay where they are
    raster.grid = h->survey.real_grid;
    const tal_raster_notes notes = {.crs = h->survey.crs,
                                    .description = sentence,
                                    .unit = unit,
                                    .provenance = place->provenance};
    return tal_raster_write(path, &raster, &notes, place->overwrite, err);
}

static tal_status write_percentiles(const tal_hazard *h, const tal_output_place *place,
                                    tal_error *err) {
    static const struct {
        const char *name, *unit, *words;
    } quantity[] = {
        [TAL_CELL_ENERGY] = {"energy", "kJ", "kinetic energy"},
        [TAL_CELL_VELOCITY] = {"velocity", "m s-1", "velocity"},
        [TAL_CELL_JUMP] = {"jump_height", "m", "height of the lowest point above the ground"}};
    for (int q = 0; q < TAL_CELL_QUANTITIES; q++) {
        for (int n = 0; n < h->maps.percentile_count; n++) {
            char name[64], sentence[160];
            (void)snprintf(name, sizeof name, "%s_p%g", quantity[q].name, h->maps.percentile[n]);
            (void)snprintf(sentence, sizeof sentence,
                           "%s, %g %% of the rocks that pass the cell have less", quantity[q].words,
                           h->maps.percentile[n]);
            TAL_TRY(
                write_map(h, &h->maps.value[q][n], name, quantity[q].unit, sentence, place, err));
        }
    }
    return TAL_OK;
}

tal_status tal_hazard_write_maps(const tal_hazard *h, const tal_output_place *place,
                                 tal_error *err) {
    const tal_cell_maps *m = &h->maps;
    const struct {
        const char *name;
        const tal_raster *raster;
        const char *unit, *sentence;
    } maps[] = {
        {"passages", &m->passages, "1", "rocks that passed the cell or stopped in it"},
        {"reach", &m->reach, "1", "share of all rocks that came to the cell"},
        {"stops", &m->stops, "1", "rocks that came to rest in the cell"},
        {"arrival", &m->arrival, "s", "time at which the first rock came to the cell"},
    };
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
        TAL_TRY(
            write_map(h, maps[k].raster, maps[k].name, maps[k].unit, maps[k].sentence, place, err));
    }
    return write_percentiles(h, place, err);
}
