// SPDX-License-Identifier: GPL-3.0-or-later
// The maps of a release by the names that Rockyfor3D gives its own, as ESRI ASCII grids.
#include "postproc/release/hazard.h"
#include "postproc/write/export.h"

#include <stdio.h>

static tal_status write_grid(const tal_hazard *h, const char *name, const tal_raster *values,
                             const tal_output_place *place, tal_error *err) {
    char file[96];
    tal_text text = {0};
    (void)snprintf(file, sizeof file, "rockyfor3d/%s.asc", name);
    tal_export_append_grid(&text, values, &h->survey.real_grid);
    const tal_status status =
        text.failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for %s", file)
                    : tal_output_write_text(place, file, text.bytes, text.length, err);
    tal_text_destroy(&text);
    return status;
}

// E_95, Ph_95 and so on, for every percentile there is.
static tal_status write_percentiles(const tal_hazard *h, const tal_output_place *place,
                                    tal_error *err) {
    static const struct {
        tal_cell_quantity quantity;
        const char *name;
    } rows[] = {{TAL_CELL_ENERGY, "E"}, {TAL_CELL_JUMP, "Ph"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (int n = 0; n < h->maps.percentile_count; n++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s_%g", rows[k].name, h->maps.percentile[n]);
            TAL_TRY(write_grid(h, name, &h->maps.value[rows[k].quantity][n], place, err));
        }
    }
    return TAL_OK;
}

// Rockyfor3D counts in per cent of the rocks.
static tal_status write_reach(const tal_hazard *h, const tal_output_place *place, tal_error *err) {
    tal_raster percent;
    TAL_TRY(tal_raster_create(&percent, &h->survey.grid, err));
    for (size_t k = 0; k < tal_grid_cell_count(&percent.grid); k++) {
        percent.value[k] = 100.0F * h->maps.reach.value[k];
    }
    const tal_status status = write_grid(h, "Reach_probability", &percent, place, err);
    tal_raster_destroy(&percent);
    return status;
}

static tal_status write_tree_impacts(const tal_hazard *h, const tal_output_place *place,
                                     tal_error *err) {
    tal_raster count;
    TAL_TRY(tal_raster_create(&count, &h->survey.grid, err));
    for (size_t k = 0; k < tal_grid_cell_count(&count.grid); k++) {
        count.value[k] = 0.0F;
    }
    for (int64_t k = 0; k < h->rocks.meeting_count; k++) {
        const tal_rocks_meeting *m = &h->rocks.meeting[k];
        const int64_t cell = tal_grid_index(&count.grid, m->position[0], m->position[1]);
        if (m->kind == 0 && cell >= 0) {
            count.value[cell] += 1.0F;
        }
    }
    const tal_status status = write_grid(h, "Nr_tree_impacts", &count, place, err);
    tal_raster_destroy(&count);
    return status;
}

tal_status tal_hazard_write_rockyfor3d(const tal_hazard *h, const tal_output_place *place,
                                       tal_error *err) {
    TAL_TRY(write_grid(h, "E_mean", &h->maps.energy_mean, place, err));
    TAL_TRY(write_percentiles(h, place, err));
    TAL_TRY(write_grid(h, "Nr_passages", &h->maps.passages, place, err));
    TAL_TRY(write_grid(h, "Nr_deposited", &h->maps.stops, place, err));
    TAL_TRY(write_reach(h, place, err));
    return write_tree_impacts(h, place, err);
}
