// SPDX-License-Identifier: GPL-3.0-or-later
// The source body from three rasters.
#include "mesher/rock/body.h"

#include "core/base/memory.h"
#include "core/geometry/angle.h"

#include <math.h>

static size_t raster_cell(const tal_body *body, int32_t column, int32_t row) {
    return (size_t)(body->rows - 1 - row) * (size_t)body->columns + (size_t)column;
}

static size_t body_cell(const tal_body *body, int32_t column, int32_t row) {
    return (size_t)row * (size_t)body->columns + (size_t)column;
}

// ---- Filling ---------------------------------------------------------------------------

static void fill_cell(tal_body *body, const tal_raster *bed, const tal_raster *before,
                      const tal_raster *source, int32_t column, int32_t row, double origin_z) {
    const size_t from = raster_cell(body, column, row), to = body_cell(body, column, row);
    const double lost = source->value[from];
    body->bed[to] = (float)((double)bed->value[from] - origin_z);
    body->thickness[to] = 0;
    if (!(lost > 0)) {
        return;
    }
    body->source_volume += lost * body->cell * body->cell;
    const double thickness = (double)before->value[from] - (double)bed->value[from];
    if (!(thickness > 0)) {
        body->buried_cells++;
        return;
    }
    body->thickness[to] = (float)thickness;
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

static void set_strike(tal_body *body, const plane_sums *s) {
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
    body->dip = atan(slope);
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
    body->strike = fmod(atan2(east, north) + 2 * TAL_PI, TAL_PI);
}

// Between two cells the rock sinks to the lower one's bed.
static double lowest_near(const tal_body *body, int32_t column, int32_t row) {
    double low = INFINITY;
    for (int32_t r = row - 1; r <= row + 1; r++) {
        for (int32_t c = column - 1; c <= column + 1; c++) {
            if (r >= 0 && c >= 0 && r < body->rows && c < body->columns) {
                low = fmin(low, (double)body->bed[body_cell(body, c, r)]);
            }
        }
    }
    return low;
}

static void measure(tal_body *body) {
    plane_sums sums = {0};
    double top_moment = 0;
    const double area = body->cell * body->cell;
    body->low = tal_vec3_make(INFINITY, INFINITY, INFINITY);
    body->high = tal_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t row = 0; row < body->rows; row++) {
        for (int32_t column = 0; column < body->columns; column++) {
            const double thickness = body->thickness[body_cell(body, column, row)];
            if (thickness <= 0) {
                continue;
            }
            const double x = body->west + column * body->cell, y = body->south + row * body->cell;
            const double bed = body->bed[body_cell(body, column, row)];
            body->cell_count++;
            body->volume += thickness * area;
            body->thickness_max = fmax(body->thickness_max, thickness);
            top_moment += thickness * (bed + thickness / 2);
            add_point(&sums, thickness, x, y, bed + thickness / 2);
            body->low = tal_vec3_make(fmin(body->low.x, x), fmin(body->low.y, y),
                                      fmin(body->low.z, lowest_near(body, column, row)));
            body->high = tal_vec3_make(fmax(body->high.x, x), fmax(body->high.y, y),
                                       fmax(body->high.z, bed + thickness));
        }
    }
    if (body->cell_count == 0) {
        return;
    }
    body->area = (double)body->cell_count * area;
    body->centroid = tal_vec3_make(sums.x / sums.w, sums.y / sums.w, top_moment / sums.w);
    // The surfaces reach one cell beyond the outermost centres, sinking towards neighbours there.
    body->low = tal_vec3_subtract(body->low, tal_vec3_make(body->cell, body->cell, 0));
    body->high = tal_vec3_add(body->high, tal_vec3_make(body->cell, body->cell, 0));
    set_strike(body, &sums);
}

// ---- Tiles -----------------------------------------------------------------------------

static void widen_tile(tal_body *body, int32_t column, int32_t row, int32_t tile) {
    // A cell speaks for the squares around its centre, so neighbours count as well.
    for (int32_t r = row - 1; r <= row + 1; r++) {
        for (int32_t c = column - 1; c <= column + 1; c++) {
            if (r < 0 || c < 0 || r >= body->rows || c >= body->columns) {
                continue;
            }
            const float bed = body->bed[body_cell(body, c, r)];
            const float top = bed + body->thickness[body_cell(body, c, r)];
            body->tile_low[tile] = fminf(body->tile_low[tile], bed);
            body->tile_high[tile] = fmaxf(body->tile_high[tile], top);
        }
    }
}

static tal_status make_tiles(tal_body *body, tal_error *err) {
    body->tile_cells = 8;
    body->tile_columns = body->columns / body->tile_cells + 1;
    body->tile_rows = body->rows / body->tile_cells + 1;
    const size_t count = (size_t)body->tile_columns * (size_t)body->tile_rows;
    TAL_CREATE(body->tile_low, count, "tiles of the source", err);
    TAL_CREATE(body->tile_high, count, "tiles of the source", err);
    for (size_t t = 0; t < count; t++) {
        body->tile_low[t] = INFINITY;
        body->tile_high[t] = -INFINITY;
    }
    for (int32_t row = 0; row < body->rows; row++) {
        for (int32_t column = 0; column < body->columns; column++) {
            if (body->thickness[body_cell(body, column, row)] <= 0) {
                continue;
            }
            // The rock of this cell reaches half way into its neighbours' tiles.
            for (int k = 0; k < 4; k++) {
                const int32_t tc = (column + (k & 1 ? 1 : -1)) / body->tile_cells;
                const int32_t tr = (row + (k & 2 ? 1 : -1)) / body->tile_cells;
                if (tc >= 0 && tr >= 0 && tc < body->tile_columns && tr < body->tile_rows) {
                    widen_tile(body, column, row, tr * body->tile_columns + tc);
                }
            }
        }
    }
    return TAL_OK;
}

static int32_t clamp_index(double value, int32_t count) {
    return value <= 0 ? 0 : (value >= count - 1 ? count - 1 : (int32_t)value);
}

bool tal_body_may_touch(const tal_body *body, tal_vec3 low, tal_vec3 high) {
    const double tile = body->cell * body->tile_cells;
    const double x0 = body->west - body->cell / 2, y0 = body->south - body->cell / 2;
    if (high.x < body->low.x || low.x > body->high.x || high.y < body->low.y ||
        low.y > body->high.y) {
        return false;
    }
    const int32_t c0 = clamp_index((low.x - x0) / tile, body->tile_columns);
    const int32_t c1 = clamp_index((high.x - x0) / tile, body->tile_columns);
    const int32_t r0 = clamp_index((low.y - y0) / tile, body->tile_rows);
    const int32_t r1 = clamp_index((high.y - y0) / tile, body->tile_rows);
    for (int32_t r = r0; r <= r1; r++) {
        for (int32_t c = c0; c <= c1; c++) {
            const int32_t t = r * body->tile_columns + c;
            if (low.z <= (double)body->tile_high[t] && high.z >= (double)body->tile_low[t]) {
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
static double fine_ground(const tal_body *body, double x, double y) {
    const tal_lattice *fine = &body->fine;
    const double u = (x - fine->west) / fine->spacing, v = (y - fine->south) / fine->spacing;
    if (body->ground == NULL ||
        !(u >= 0 && v >= 0 && u < fine->columns - 1 && v < fine->rows - 1)) {
        return -INFINITY;
    }
    const int32_t column = (int32_t)u, row = (int32_t)v;
    const double height = blend(body->ground, (size_t)row * (size_t)fine->columns + (size_t)column,
                                (size_t)fine->columns, u - column, v - row);
    return isnan(height) ? -INFINITY : height;
}

static tal_body_sample coarse_sample(const tal_body *body, double x, double y) {
    const double u = (x - body->west) / body->cell, v = (y - body->south) / body->cell;
    const bool outside = u < -0.5 || v < -0.5 || u > body->columns - 0.5 || v > body->rows - 0.5;
    const double cu = fmin(fmax(u, 0), body->columns - 1), cv = fmin(fmax(v, 0), body->rows - 1);
    const int32_t column = cu >= body->columns - 1 ? body->columns - 2 : (int32_t)cu;
    const int32_t row = cv >= body->rows - 1 ? body->rows - 2 : (int32_t)cv;
    const size_t at = body_cell(body, column, row), step = (size_t)body->columns;
    const double fx = cu - column, fy = cv - row;
    tal_body_sample sample = {blend(body->bed, at, step, fx, fy), 0,
                              outside ? 0 : blend(body->thickness, at, step, fx, fy)};
    if (isnan(sample.bed)) {
        // Beside a cell without data: the nearest cell speaks alone.
        const size_t nearest = body_cell(body, column + (fx > 0.5), row + (fy > 0.5));
        sample = (tal_body_sample){(double)body->bed[nearest], 0, (double)body->thickness[nearest]};
    }
    return sample;
}

tal_body_sample tal_body_at(const tal_body *body, double x, double y) {
    tal_body_sample sample = coarse_sample(body, x, y);
    const double fine = fine_ground(body, x, y);
    // Blocks run on the triangles: where those dip below the bed, rock may follow, but no farther
    // than the triangles are off anywhere.
    const double floor = sample.bed - body->ground_below;
    sample.ground = fine > floor ? fine : (fine == -INFINITY ? sample.bed : floor);
    return sample;
}

bool tal_body_holds(const tal_body *body, tal_vec3 p) {
    const tal_body_sample sample = tal_body_at(body, p.x, p.y);
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
static tal_status make_ground(tal_body *body, const tal_terrain_mesh *terrain, tal_error *err) {
    enum { BORDER_CELLS = 16, POINTS_MAX = 1 << 27 };
    const double cell = body->cell, border = BORDER_CELLS * cell;
    const double c0 = fmax(0, floor((body->low.x - border - body->west) / cell));
    const double c1 = fmin(body->columns - 1, ceil((body->high.x + border - body->west) / cell));
    const double r0 = fmax(0, floor((body->low.y - border - body->south) / cell));
    const double r1 = fmin(body->rows - 1, ceil((body->high.y + border - body->south) / cell));
    const double cells = (c1 - c0 + 1) * (r1 - r0 + 1);
    const int factor = cells * 16 < POINTS_MAX ? 4 : (cells * 4 < POINTS_MAX ? 2 : 1);
    body->fine = (tal_lattice){body->west + c0 * cell, body->south + r0 * cell, cell / factor,
                               (int32_t)(c1 - c0) * factor + 1, (int32_t)(r1 - r0) * factor + 1};
    const size_t points = (size_t)body->fine.columns * (size_t)body->fine.rows;
    TAL_CREATE(body->ground, points, "the ground below the source", err);
    tal_terrain_mesh_heights(terrain, &body->fine, body->ground);
    // A little less than the error, for between cells the bed is not known as well.
    body->ground_below = 0.95 * terrain->error_m;
    const tal_vec3 around = {border, border, 0};
    return tal_ground_create(&body->triangles, terrain, tal_vec3_subtract(body->low, around),
                             tal_vec3_add(body->high, around), err);
}

static tal_status fill(tal_body *body, const tal_raster *bed, const tal_raster *before,
                       const tal_raster *source, const tal_terrain_mesh *terrain,
                       const double origin[3], tal_error *err) {
    const size_t cells = tal_grid_cell_count(&bed->grid);
    TAL_CREATE(body->bed, cells, "the bed", err);
    TAL_CREATE(body->thickness, cells, "the thickness of the source", err);
    for (int32_t row = 0; row < body->rows; row++) {
        for (int32_t column = 0; column < body->columns; column++) {
            fill_cell(body, bed, before, source, column, row, origin[2]);
        }
    }
    measure(body);
    if (body->volume <= 0) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "the source holds no rock: no cell of source.tif above zero has its old "
            "surface above the bed. Look at ingest.png, or give the outline in [ingest] "
            "source, or bring blocks of your own with [mesh] blocks = import");
    }
    if (terrain != NULL) {
        TAL_TRY(make_ground(body, terrain, err));
    }
    return make_tiles(body, err);
}

tal_status tal_body_create(tal_body *body, const tal_raster *bed, const tal_raster *before,
                           const tal_raster *source, const tal_terrain_mesh *terrain,
                           const double origin[3], tal_error *err) {
    *body = (tal_body){.grid = bed->grid};
    TAL_TRY(check_rasters(bed, before, source, err));
    body->columns = bed->grid.columns;
    body->rows = bed->grid.rows;
    body->cell = bed->grid.cell;
    tal_grid_centre(&bed->grid, 0, body->rows - 1, &body->west, &body->south);
    body->west -= origin[0];
    body->south -= origin[1];
    const tal_status status = fill(body, bed, before, source, terrain, origin, err);
    if (status != TAL_OK) {
        tal_body_destroy(body);
    }
    return status;
}

void tal_body_destroy(tal_body *body) {
    if (body != NULL) {
        tal_memory_destroy(body->bed);
        tal_memory_destroy(body->ground);
        tal_ground_destroy(&body->triangles);
        tal_memory_destroy(body->thickness);
        tal_memory_destroy(body->tile_low);
        tal_memory_destroy(body->tile_high);
        *body = (tal_body){0};
    }
}
