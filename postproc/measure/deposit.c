// SPDX-License-Identifier: GPL-3.0-or-later
// The deposit at the end of a run on the grid of the survey.
#include "postproc/measure/deposit.h"

#include "core/base/memory.h"

#include <math.h>

// Rays over the cells that blocks can cover: `rays` by `rays` per cell, heights from the origin.
typedef struct {
    int32_t first_column, first_row, columns, rows; // cells
    int rays;
    float *top;
} ray_field;

void tal_deposit_destroy(tal_deposit *deposit) {
    tal_raster_destroy(&deposit->surface);
    tal_raster_destroy(&deposit->thickness);
    tal_raster_destroy(&deposit->solid);
    tal_raster_destroy(&deposit->count);
    *deposit = (tal_deposit){0};
}

static int32_t clamp_cell(double value, int32_t count) {
    return value < 0.0 ? 0 : value > (double)count ? count : (int32_t)value;
}

static tal_bounds bounds_of(const tal_surface *block) {
    tal_vec3 low, high;
    tal_surface_bounds(block, &low, &high);
    return (tal_bounds){low.x, low.y, high.x, high.y};
}

// Cells [first, end) that a block within `b` touches.
static void cells_of(const tal_grid *grid, tal_bounds b, int32_t first[2], int32_t end[2]) {
    first[0] = clamp_cell(floor((b.west - grid->west) / grid->cell), grid->columns);
    end[0] = clamp_cell(floor((b.east - grid->west) / grid->cell) + 1.0, grid->columns);
    first[1] = clamp_cell(floor((grid->north - b.north) / grid->cell), grid->rows);
    end[1] = clamp_cell(floor((grid->north - b.south) / grid->cell) + 1.0, grid->rows);
}

static double ray_x(const tal_grid *grid, const ray_field *field, int32_t column) {
    return grid->west + ((double)column + 0.5) * grid->cell / field->rays;
}

static double ray_y(const tal_grid *grid, const ray_field *field, int32_t row) {
    return grid->north - ((double)row + 0.5) * grid->cell / field->rays;
}

// docs/theory/scores.md (1).
static void cast_rays(ray_field *field, const tal_grid *grid, const tal_surface *block) {
    const tal_bounds b = bounds_of(block);
    int32_t first[2], end[2];
    cells_of(grid, b, first, end);
    const int32_t rays = field->rays;
    for (int32_t row = first[1] * rays; row < end[1] * rays; row++) {
        const double y = ray_y(grid, field, row);
        if (y < b.south || y > b.north) {
            continue;
        }
        for (int32_t column = first[0] * rays; column < end[0] * rays; column++) {
            const double x = ray_x(grid, field, column);
            if (x < b.west || x > b.east) {
                continue;
            }
            const float top = (float)tal_block_top(block, x, y);
            const size_t at =
                (size_t)(row - field->first_row * rays) * (size_t)(field->columns * rays) +
                (size_t)(column - field->first_column * rays);
            if (top > field->top[at]) {
                field->top[at] = top;
            }
        }
    }
}

static tal_status ray_field_create(ray_field *field, const tal_blocks *blocks,
                                   const tal_run_record *motion, const tal_grid *grid,
                                   tal_vec3 *vertex, tal_error *err) {
    tal_bounds all = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int32_t b = 0; b < blocks->count; b++) {
        if (motion->left[b] != 0) {
            continue;
        }
        const tal_surface block =
            tal_blocks_pose_frame(blocks, motion, b, motion->frame_count - 1, vertex);
        const tal_bounds own = bounds_of(&block);
        all = (tal_bounds){fmin(all.west, own.west), fmin(all.south, own.south),
                           fmax(all.east, own.east), fmax(all.north, own.north)};
    }
    int32_t first[2] = {0, 0}, end[2] = {0, 0};
    if (all.west <= all.east) {
        cells_of(grid, all, first, end);
    }
    field->first_column = first[0];
    field->first_row = first[1];
    field->columns = end[0] - first[0];
    field->rows = end[1] - first[1];
    const size_t count =
        (size_t)field->columns * (size_t)field->rows * (size_t)field->rays * (size_t)field->rays;
    TAL_CREATE(field->top, count + 1, "the surface of the deposit", err);
    for (size_t i = 0; i < count; i++) {
        field->top[i] = -INFINITY;
    }
    return TAL_OK;
}

// The bed under a ray: between cell centres where all neighbours are known, else the cell's own.
static double bed_under(const tal_raster *bed, double x, double y, double own) {
    const double value = tal_raster_sample(bed, x, y);
    return isfinite(value) ? value : own;
}

static double mean_thickness(const ray_field *field, const tal_raster *bed, double height_zero,
                             int32_t column, int32_t row) {
    const tal_grid *grid = &bed->grid;
    const double own = (double)bed->value[(size_t)row * (size_t)grid->columns + (size_t)column];
    double sum = 0.0;
    for (int32_t i = 0; i < field->rays; i++) {
        for (int32_t j = 0; j < field->rays; j++) {
            const int32_t ray_row = row * field->rays + i, ray_column = column * field->rays + j;
            const size_t at = (size_t)(ray_row - field->first_row * field->rays) *
                                  (size_t)(field->columns * field->rays) +
                              (size_t)(ray_column - field->first_column * field->rays);
            const double top = (double)field->top[at];
            if (top == -INFINITY) {
                continue;
            }
            const double under = field->rays == 1 ? own
                                                  : bed_under(bed, ray_x(grid, field, ray_column),
                                                              ray_y(grid, field, ray_row), own);
            sum += fmax(0.0, top + height_zero - under);
        }
    }
    return sum / (double)(field->rays * field->rays);
}

static void fill_surface(tal_deposit *deposit, const ray_field *field, const tal_raster *bed,
                         double height_zero) {
    const tal_grid *grid = &bed->grid;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t cell = (size_t)row * (size_t)grid->columns + (size_t)column;
            if (!isfinite(bed->value[cell])) {
                continue;
            }
            double thickness = 0.0;
            if (row >= field->first_row && row < field->first_row + field->rows &&
                column >= field->first_column && column < field->first_column + field->columns) {
                thickness = mean_thickness(field, bed, height_zero, column, row);
            }
            deposit->thickness.value[cell] = (float)thickness;
            deposit->surface.value[cell] = (float)((double)bed->value[cell] + thickness);
        }
    }
}

static void add_solid(tal_deposit *deposit, const tal_blocks *blocks, const tal_run_record *motion,
                      const tal_grid *grid, ray_field *field, tal_vec3 *vertex, double *column) {
    for (int32_t b = 0; b < blocks->count; b++) {
        if (motion->left[b] != 0) {
            deposit->lost_volume += blocks->volume[b];
            continue;
        }
        deposit->resting_count++;
        const int32_t last = motion->frame_count - 1;
        const tal_surface block = tal_blocks_pose_frame(blocks, motion, b, last, vertex);
        deposit->outside_volume += tal_block_add_columns(&block, grid, column);
        cast_rays(field, grid, &block);
        const size_t at = tal_run_record_index(motion, last, b);
        const int64_t cell = tal_grid_index(grid, (double)motion->position[3 * at],
                                            (double)motion->position[3 * at + 1]);
        if (cell >= 0) {
            deposit->count.value[cell] += 1.0f;
        }
    }
}

static tal_status make_rasters(tal_deposit *deposit, const tal_grid *grid, tal_error *err) {
    TAL_TRY(tal_raster_create(&deposit->surface, grid, err));
    TAL_TRY(tal_raster_create(&deposit->thickness, grid, err));
    TAL_TRY(tal_raster_create(&deposit->solid, grid, err));
    TAL_TRY(tal_raster_create(&deposit->count, grid, err));
    const size_t cells = tal_grid_cell_count(grid);
    for (size_t i = 0; i < cells; i++) {
        deposit->count.value[i] = 0.0f;
    }
    return TAL_OK;
}

tal_status tal_deposit_create(tal_deposit *deposit, const tal_blocks *blocks,
                              const tal_run_record *motion, const tal_grid *grid, const float *bed,
                              double height_zero, int rays, tal_error *err) {
    tal_status status = TAL_OK;
    tal_vec3 *vertex = NULL;
    double *column = NULL;
    ray_field field = {.rays = rays};
    const size_t cells = tal_grid_cell_count(grid);
    *deposit = (tal_deposit){0};
    TAL_TRY_OR_DONE(make_rasters(deposit, grid, err));
    TAL_CREATE_OR_DONE(vertex, (size_t)blocks->vertex_count_max + 1, "a block", err);
    TAL_CREATE_OR_DONE(column, cells, "the solid volume over the cells", err);
    TAL_TRY_OR_DONE(ray_field_create(&field, blocks, motion, grid, vertex, err));
    add_solid(deposit, blocks, motion, grid, &field, vertex, column);
    const double area = grid->cell * grid->cell;
    for (size_t i = 0; i < cells; i++) {
        deposit->solid.value[i] = (float)(column[i] / area);
        deposit->solid_volume += column[i];
    }
    const tal_raster ground = {*grid, (float *)(uintptr_t)bed};
    fill_surface(deposit, &field, &ground, height_zero);
done:
    tal_memory_destroy(vertex);
    tal_memory_destroy(column);
    tal_memory_destroy(field.top);
    if (status != TAL_OK) {
        tal_deposit_destroy(deposit);
    }
    return status;
}
