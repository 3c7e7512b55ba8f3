// SPDX-License-Identifier: GPL-3.0-or-later
// Regions as masks, masks as outlines.
#include "postproc/measure/region.h"

#include "core/base/memory.h"

int tal_region_count(const tal_back_analysis *analysis) {
    return analysis->has_survey_deposit ? TAL_REGION_COUNT : TAL_REGION_SURVEYED;
}

bool tal_region_holds(const tal_back_analysis *analysis, tal_region region, size_t cell) {
    const tal_surveyed *survey = &analysis->survey;
    switch (region) {
    case TAL_REGION_SOURCE:
        return survey->source.value[cell] > 0.0f;
    case TAL_REGION_SIMULATED:
        return analysis->valid[cell] != 0 &&
               tal_thickness_is_deposit((double)analysis->deposit.thickness.value[cell],
                                        (double)survey->lod.value[cell]);
    default:
        return analysis->has_survey_deposit && tal_surveyed_has_deposit(survey, cell);
    }
}

tal_status tal_region_outline(tal_outline *outline, const tal_back_analysis *analysis,
                              tal_region region, const tal_grid *grid, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    tal_components parts;
    uint8_t *mask;
    TAL_ASSERT(cells == tal_grid_cell_count(&analysis->survey.grid));
    TAL_CREATE(mask, cells, "an outline", err);
    for (size_t i = 0; i < cells; i++) {
        mask[i] = tal_region_holds(analysis, region, i) ? 1 : 0;
    }
    tal_status status = tal_components_find(&parts, mask, grid->columns, grid->rows, false, err);
    if (status == TAL_OK) {
        const tal_cell_frame lattice = {grid->west, grid->north, grid->cell};
        status = tal_outline_trace(outline, &parts, lattice, err);
    }
    tal_components_destroy(&parts);
    tal_memory_destroy(mask);
    return status;
}
