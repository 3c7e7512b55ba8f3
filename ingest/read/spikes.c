// SPDX-License-Identifier: GPL-3.0-or-later
// Spikes of a raster.
#include "ingest/read/spikes.h"

#include <math.h>

// A corner has three cells around it; fewer do not tell what the ground is like.
enum { NEIGHBOURS_MIN = 3 };
// In rough ground, the height of a cell differs from those around it as these do among themselves.
static const float ranges_min = 3.0F;

typedef struct {
    int count;
    float low, high;
    double sum;
} surroundings;

static surroundings look_around(const tal_raster *raster, int32_t row, int32_t column) {
    const tal_grid *grid = &raster->grid;
    surroundings s = {.low = INFINITY, .high = -INFINITY};
    for (int32_t r = row > 0 ? row - 1 : 0; r <= row + 1 && r < grid->rows; r++) {
        for (int32_t c = column > 0 ? column - 1 : 0; c <= column + 1 && c < grid->columns; c++) {
            const float value = raster->value[(size_t)r * (size_t)grid->columns + (size_t)c];
            if ((r != row || c != column) && !isnan(value)) {
                s.count++;
                s.sum += (double)value;
                s.low = fminf(s.low, value);
                s.high = fmaxf(s.high, value);
            }
        }
    }
    return s;
}

tal_spikes tal_spikes_bridge(tal_raster *raster, double step_max) {
    tal_spikes spikes = {0};
    float farthest = 0.0F;
    for (int32_t row = 0; row < raster->grid.rows; row++) {
        for (int32_t column = 0; column < raster->grid.columns; column++) {
            float *value =
                &raster->value[(size_t)row * (size_t)raster->grid.columns + (size_t)column];
            const surroundings s = look_around(raster, row, column);
            const float beyond = fmaxf(s.low - *value, *value - s.high);
            if (isnan(*value) || s.count < NEIGHBOURS_MIN || (double)beyond <= step_max ||
                beyond <= ranges_min * (s.high - s.low)) {
                continue;
            }
            spikes.count++;
            if (beyond > farthest) {
                farthest = beyond;
                spikes.row = row, spikes.column = column;
                spikes.value = *value, spikes.low = s.low, spikes.high = s.high;
            }
            *value = (float)(s.sum / s.count);
        }
    }
    return spikes;
}
