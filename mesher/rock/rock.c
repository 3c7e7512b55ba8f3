// SPDX-License-Identifier: GPL-3.0-or-later
// The source rock from three rasters.
#include "mesher/rock/rock.h"

#include "core/base/memory.h"
#include "core/geometry/angle.h"

#include <math.h>

static size_t raster_cell(const tal_rock *rock, int32_t column, int32_t row) {
    return (size_t)(rock->rows - 1 - row) * (size_t)rock->columns + (size_t)column;
}

static size_t rock_cell(const tal_rock *rock, int32_t column, int32_t row) {
    return (size_t)row * (size_t)rock->columns + (size_t)column;
}

// ---- Filling ---------------------------------------------------------------------------

static void fill_cell(tal_rock *rock, const tal_raster *bed, const tal_raster *before,
                      const tal_raster *source, int32_t column, int32_t row, double origin_z) {
    const size_t from = raster_cell(rock, column, row), to = rock_cell(rock, column, row);
    const double lost = source->value[from];
    rock->bed[to] = (float)((double)bed->value[from] - origin_z);
    rock->thickness[to] = 0;
    if (!(lost > 0)) {
        return;
    }
    rock->source_volume += lost * rock->cell * rock->cell;
    const double thickness = (double)before->value[from] - (double)bed->value[from];
    if (!(thickness > 0)) {
        rock->buried_cells++;
        return;
    }
    rock->thickness[to] = (float)thickness;
}

// ---- Measures --------------------------------------------------------------------------

// Sums over the source, for the plane through the middle surface.
typedef struct {
    double w, x, y, z, xx, xy, yy, xz, yz;
} plane_sums;

static void add_point(plane_sums *sums, double w, double x, double y, double z) {
    sums->w += w;
    sums->x += w * x;
    sums->y += w * y;
    sums->z += w * z;
    sums->xx += w * x * x;
    sums->xy += w * x * y;
    sums->yy += w * y * y;
    sums->xz += w * x * z;
    sums->yz += w * y * z;
}

static void set_strike(tal_rock *rock, const plane_sums *s) {
    const double mx = s->x / s->w, my = s->y / s->w, mz = s->z / s->w;
    const double xx = s->xx / s->w - mx * mx, yy = s->yy / s->w - my * my;
    const double xy = s->xy / s->w - mx * my;
    const double xz = s->xz / s->w - mx * mz, yz = s->yz / s->w - my * mz;
    const double determinant = xx * yy - xy * xy;
    double slope_x = 0, slope_y = 0;
    if (determinant > 1e-12 * (xx + yy) * (xx + yy)) {
        slope_x = (xz * yy - yz * xy) / determinant;
        slope_y = (yz * xx - xz * xy) / determinant;
    }
    const double slope = hypot(slope_x, slope_y);
    rock->dip = atan(slope);
    double east, north; // along strike
    if (slope > 0.02) {
        east = -slope_y;
        north = slope_x;
    } else {
        // Nearly level: the long axis of the outline.
        const double angle = 0.5 * atan2(2 * xy, xx - yy);
        east = cos(angle);
        north = sin(angle);
    }
    rock->strike = fmod(atan2(east, north) + 2 * TAL_PI, TAL_PI);
}

// Between two cells the rock sinks to the lower one's bed.
static double lowest_near(const tal_rock *rock, int32_t column, int32_t row) {
    double low = INFINITY;
    for (int32_t r = row - 1; r <= row + 1; r++) {
        for (int32_t c = column - 1; c <= column + 1; c++) {
            if (r >= 0 && c >= 0 && r < rock->rows && c < rock->columns) {
                low = fmin(low, (double)rock->bed[rock_cell(rock, c, r)]);
            }
        }
    }
    return low;
}

static void measure(tal_rock *rock) {
    plane_sums sums = {0};
    double top_moment = 0;
    const double area = rock->cell * rock->cell;
    rock->low = tal_vec3_make(INFINITY, INFINITY, INFINITY);
    rock->high = tal_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t row = 0; row < rock->rows; row++) {
        for (int32_t column = 0; column < rock->columns; column++) {
            const double thickness = rock->thickness[rock_cell(rock, column, row)];
            if (thickness <= 0) {
                continue;
            }
            const double x = rock->west + column * rock->cell, y = rock->south + row * rock->cell;
            const double bed = rock->bed[rock_cell(rock, column, row)];
            rock->cell_count++;
            rock->volume += thickness * area;
            rock->thickness_max = fmax(rock->thickness_max, thickness);
            top_moment += thickness * (bed + thickness / 2);
            add_point(&sums, thickness, x, y, bed + thickness / 2);
            rock->low = tal_vec3_make(fmin(rock->low.x, x), fmin(rock->low.y, y),
                                      fmin(rock->low.z, lowest_near(rock, column, row)));
            rock->high = tal_vec3_make(fmax(rock->high.x, x), fmax(rock->high.y, y),
                                       fmax(rock->high.z, bed + thickness));
        }
    }
    if (rock->cell_count == 0) {
        return;
    }
    rock->area = (double)rock->cell_count * area;
    rock->centroid = tal_vec3_make(sums.x / sums.w, sums.y / sums.w, top_moment / sums.w);
    // The surfaces reach one cell beyond the outermost centres, sinking towards neighbours there.
    rock->low = tal_vec3_subtract(rock->low, tal_vec3_make(rock->cell, rock->cell, 0));
    rock->high = tal_vec3_add(rock->high, tal_vec3_make(rock->cell, rock->cell, 0));
    set_strike(rock, &sums);
}

// ---- Tiles -----------------------------------------------------------------------------

static void widen_tile(tal_rock *rock, int32_t column, int32_t row, int32_t tile) {
    // A cell speaks for the squares around its centre, so neighbours count as well.
    for (int32_t r = row - 1; r <= row + 1; r++) {
        for (int32_t c = column - 1; c <= column + 1; c++) {
            if (r < 0 || c < 0 || r >= rock->rows || c >= rock->columns) {
                continue;
            }
            const float bed = rock->bed[rock_cell(rock, c, r)];
            const float top = bed + rock->thickness[rock_cell(rock, c, r)];
            rock->tile_low[tile] = fminf(rock->tile_low[tile], bed);
            rock->tile_high[tile] = fmaxf(rock->tile_high[tile], top);
        }
    }
}

static tal_status make_tiles(tal_rock *rock, tal_error *err) {
    rock->tile_cells = 8;
    rock->tile_columns = rock->columns / rock->tile_cells + 1;
    rock->tile_rows = rock->rows / rock->tile_cells + 1;
    const size_t count = (size_t)rock->tile_columns * (size_t)rock->tile_rows;
    TAL_CREATE(rock->tile_low, count, "tiles of the source", err);
    TAL_CREATE(rock->tile_high, count, "tiles of the source", err);
    for (size_t t = 0; t < count; t++) {
        rock->tile_low[t] = INFINITY;
        rock->tile_high[t] = -INFINITY;
    }
    for (int32_t row = 0; row < rock->rows; row++) {
        for (int32_t column = 0; column < rock->columns; column++) {
            if (rock->thickness[rock_cell(rock, column, row)] <= 0) {
                continue;
            }
            // The rock of this cell reaches half way into its neighbours' tiles.
            for (int k = 0; k < 4; k++) {
                const int32_t tc = (column + (k & 1 ? 1 : -1)) / rock->tile_cells;
                const int32_t tr = (row + (k & 2 ? 1 : -1)) / rock->tile_cells;
                if (tc >= 0 && tr >= 0 && tc < rock->tile_columns && tr < rock->tile_rows) {
                    widen_tile(rock, column, row, tr * rock->tile_columns + tc);
                }
            }
        }
    }
    return TAL_OK;
}

static int32_t clamp_index(double value, int32_t count) {
    return value <= 0 ? 0 : (value >= count - 1 ? count - 1 : (int32_t)value);
}

bool tal_rock_may_touch(const tal_rock *rock, tal_vec3 low, tal_vec3 high) {
    const double tile = rock->cell * rock->tile_cells;
    const double x0 = rock->west - rock->cell / 2, y0 = rock->south - rock->cell / 2;
    if (high.x < rock->low.x || low.x > rock->high.x || high.y < rock->low.y ||
        low.y > rock->high.y) {
        return false;
    }
    const int32_t c0 = clamp_index((low.x - x0) / tile, rock->tile_columns);
    const int32_t c1 = clamp_index((high.x - x0) / tile, rock->tile_columns);
    const int32_t r0 = clamp_index((low.y - y0) / tile, rock->tile_rows);
    const int32_t r1 = clamp_index((high.y - y0) / tile, rock->tile_rows);
    for (int32_t r = r0; r <= r1; r++) {
        for (int32_t c = c0; c <= c1; c++) {
            const int32_t t = r * rock->tile_columns + c;
            if (low.z <= (double)rock->tile_high[t] && high.z >= (double)rock->tile_low[t]) {
                return true;
            }
        }
    }
    return false;
}

// ---- Sampling --------------------------------------------------------------------------

static double blend(const float *value, size_t at, size_t row_step, double fx, double fy) {
    const double south = (double)value[at] * (1 - fx) + (double)value[at + 1] * fx;
    const double north =
        (double)value[at + row_step] * (1 - fx) + (double)value[at + row_step + 1] * fx;
    return south * (1 - fy) + north * fy;
}

// Height of the ground on the finer lattice; -INFINITY outside it.
static double fine_ground(const tal_rock *rock, double x, double y) {
    const tal_lattice *fine = &rock->fine;
    const double u = (x - fine->west) / fine->spacing, v = (y - fine->south) / fine->spacing;
    if (rock->ground == NULL ||
        !(u >= 0 && v >= 0 && u < fine->columns - 1 && v < fine->rows - 1)) {
        return -INFINITY;
    }
    const int32_t column = (int32_t)u, row = (int32_t)v;
    const double height = blend(rock->ground, (size_t)row * (size_t)fine->columns + (size_t)column,
                                (size_t)fine->columns, u - column, v - row);
    return isnan(height) ? -INFINITY : height;
}

static tal_rock_sample coarse_sample(const tal_rock *rock, double x, double y) {
    const double u = (x - rock->west) / rock->cell, v = (y - rock->south) / rock->cell;
    const bool outside = u < -0.5 || v < -0.5 || u > rock->columns - 0.5 || v > rock->rows - 0.5;
    const double cu = fmin(fmax(u, 0), rock->columns - 1), cv = fmin(fmax(v, 0), rock->rows - 1);
    const int32_t column = cu >= rock->columns - 1 ? rock->columns - 2 : (int32_t)cu;
    const int32_t row = cv >= rock->rows - 1 ? rock->rows - 2 : (int32_t)cv;
    const size_t at = rock_cell(rock, column, row), step = (size_t)rock->columns;
    const double fx = cu - column, fy = cv - row;
    tal_rock_sample sample = {blend(rock->bed, at, step, fx, fy), 0,
                              outside ? 0 : blend(rock->thickness, at, step, fx, fy)};
    if (isnan(sample.bed)) {
        // Beside a cell without data: the nearest cell speaks alone.
        const size_t nearest = rock_cell(rock, column + (fx > 0.5), row + (fy > 0.5));
        sample = (tal_rock_sample){(double)rock->bed[nearest], 0, (double)rock->thickness[nearest]};
    }
    return sample;
}

tal_rock_sample tal_rock_at(const tal_rock *rock, double x, double y) {
    tal_rock_sample sample = coarse_sample(rock, x, y);
    const double fine = fine_ground(rock, x, y);
    // Blocks run on the triangles: where those dip below the bed, rock may follow, but no farther
    // than the triangles are off anywhere.
    const double floor = sample.bed - rock->ground_below;
    sample.ground = fine > floor ? fine : (fine == -INFINITY ? sample.bed : floor);
    return sample;
}

bool tal_rock_holds(const tal_rock *rock, tal_vec3 p) {
    const tal_rock_sample sample = tal_rock_at(rock, p.x, p.y);
    return p.z > sample.bed && p.z < sample.bed + sample.thickness;
}

// ---- Making ----------------------------------------------------------------------------

static tal_status check_rasters(const tal_raster *bed, const tal_raster *before,
                                const tal_raster *source, tal_error *err) {
    if (!tal_grid_equal(&bed->grid, &before->grid) || !tal_grid_equal(&bed->grid, &source->grid)) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "bed.tif, before.tif and source.tif do not share one grid; run talus-ingest "
            "again so that all three come from the same study");
    }
    if (bed->grid.columns < 2 || bed->grid.rows < 2) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "the grid has %d x %d cells; at least 2 x 2 are needed",
                        bed->grid.columns, bed->grid.rows);
    }
    return TAL_OK;
}

// Triangles bend along lines that no cell knows of: four points per cell see them well enough.
static tal_status make_ground(tal_rock *rock, const tal_terrain_mesh *terrain, tal_error *err) {
    enum { BORDER_CELLS = 16, POINTS_MAX = 1 << 27 };
    const double cell = rock->cell, border = BORDER_CELLS * cell;
    const double c0 = fmax(0, floor((rock->low.x - border - rock->west) / cell));
    const double c1 = fmin(rock->columns - 1, ceil((rock->high.x + border - rock->west) / cell));
    const double r0 = fmax(0, floor((rock->low.y - border - rock->south) / cell));
    const double r1 = fmin(rock->rows - 1, ceil((rock->high.y + border - rock->south) / cell));
    const double cells = (c1 - c0 + 1) * (r1 - r0 + 1);
    const int factor = cells * 16 < POINTS_MAX ? 4 : (cells * 4 < POINTS_MAX ? 2 : 1);
    rock->fine = (tal_lattice){rock->west + c0 * cell, rock->south + r0 * cell, cell / factor,
                               (int32_t)(c1 - c0) * factor + 1, (int32_t)(r1 - r0) * factor + 1};
    const size_t points = (size_t)rock->fine.columns * (size_t)rock->fine.rows;
    TAL_CREATE(rock->ground, points, "the ground below the source", err);
    tal_terrain_mesh_heights(terrain, &rock->fine, rock->ground);
    // A little less than the error, for between cells the bed is not known as well.
    rock->ground_below = 0.95 * terrain->error_m;
    const tal_vec3 around = {border, border, 0};
    return tal_near_ground_create(&rock->triangles, terrain, tal_vec3_subtract(rock->low, around),
                                  tal_vec3_add(rock->high, around), err);
}

static tal_status fill(tal_rock *rock, const tal_raster *bed, const tal_raster *before,
                       const tal_raster *source, const tal_terrain_mesh *terrain,
                       const double origin[3], tal_error *err) {
    const size_t cells = tal_grid_cell_count(&bed->grid);
    TAL_CREATE(rock->bed, cells, "the bed", err);
    TAL_CREATE(rock->thickness, cells, "the thickness of the source", err);
    for (int32_t row = 0; row < rock->rows; row++) {
        for (int32_t column = 0; column < rock->columns; column++) {
            fill_cell(rock, bed, before, source, column, row, origin[2]);
        }
    }
    measure(rock);
    if (rock->volume <= 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "the source holds no rock: wherever source.tif is above zero, the old "
                        "surface is not above the bed. Look at ingest.png, or give the outline in "
                        "[ingest] source, or bring blocks of your own with [mesh] blocks = import");
    }
    if (terrain != NULL) {
        TAL_TRY(make_ground(rock, terrain, err));
    }
    return make_tiles(rock, err);
}

tal_status tal_rock_create(tal_rock *rock, const tal_raster *bed, const tal_raster *before,
                           const tal_raster *source, const tal_terrain_mesh *terrain,
                           const double origin[3], tal_error *err) {
    *rock = (tal_rock){.grid = bed->grid};
    TAL_TRY(check_rasters(bed, before, source, err));
    rock->columns = bed->grid.columns;
    rock->rows = bed->grid.rows;
    rock->cell = bed->grid.cell;
    tal_grid_centre(&bed->grid, 0, rock->rows - 1, &rock->west, &rock->south);
    rock->west -= origin[0];
    rock->south -= origin[1];
    const tal_status status = fill(rock, bed, before, source, terrain, origin, err);
    if (status != TAL_OK) {
        tal_rock_destroy(rock);
        return status;
    }
    TAL_ASSERT(rock->volume > 0 && rock->low.x < rock->high.x && rock->low.y < rock->high.y);
    return TAL_OK;
}

void tal_rock_destroy(tal_rock *rock) {
    if (rock != NULL) {
        tal_memory_destroy(rock->bed);
        tal_memory_destroy(rock->ground);
        tal_near_ground_destroy(&rock->triangles);
        tal_memory_destroy(rock->thickness);
        tal_memory_destroy(rock->tile_low);
        tal_memory_destroy(rock->tile_high);
        *rock = (tal_rock){0};
    }
}
