// SPDX-License-Identifier: GPL-3.0-or-later
// Each part is measured on its own piece of the grid, wide enough that nothing beyond its edge is
// looked at: the cost follows the size of the parts, not their number times the grid.
#include "ingest/volume/parts.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

// Around the cells of a part: three to the rim of a shadow's surroundings, one for their densities,
// one to spare. RINGS is how far tal_volume_region goes beyond the outline.
enum { MARGIN = 5, RINGS = 2 };

typedef struct {
    int32_t left, right, top, bottom; // inclusive; empty where left > right
} piece;

// ---- Which part a cell counts for --------------------------------------------------------------

// The part of the nearest cell of the outline; the lower number where two are equally near.
static int32_t nearest_part(const int32_t *label, const tal_grid *grid, int32_t column, int32_t row,
                            int radius) {
    int32_t found = 0;
    int64_t nearest = INT64_MAX;
    for (int32_t r = row - radius; r <= row + radius; r++) {
        for (int32_t c = column - radius; c <= column + radius; c++) {
            if (r < 0 || c < 0 || r >= grid->rows || c >= grid->columns) {
                continue;
            }
            const int32_t number = label[(int64_t)r * grid->columns + c];
            const int64_t dx = c - column, dy = r - row, distance = dx * dx + dy * dy;
            if (number != 0 && (distance < nearest || (distance == nearest && number < found))) {
                nearest = distance;
                found = number;
            }
        }
    }
    return found;
}

static void assign_region(const tal_grid *grid, const int32_t *label, const uint8_t *region,
                          int32_t *owner) {
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const int64_t i = (int64_t)row * grid->columns + column;
            owner[i] = region[i] != 0 ? nearest_part(label, grid, column, row, RINGS) : 0;
        }
    }
}

static void find_pieces(const tal_grid *grid, const int32_t *owner, int32_t part_count,
                        piece *pieces) {
    for (int32_t number = 0; number <= part_count; number++) {
        pieces[number] = (piece){INT32_MAX, -1, INT32_MAX, -1};
    }
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            piece *p = &pieces[owner[(int64_t)row * grid->columns + column]];
            p->left = column < p->left ? column : p->left;
            p->right = column > p->right ? column : p->right;
            p->top = row < p->top ? row : p->top;
            p->bottom = row;
        }
    }
}

static piece widen(piece p, const tal_grid *grid) {
    return (piece){.left = p.left < MARGIN ? 0 : p.left - MARGIN,
                   .right =
                       p.right + MARGIN >= grid->columns ? grid->columns - 1 : p.right + MARGIN,
                   .top = p.top < MARGIN ? 0 : p.top - MARGIN,
                   .bottom = p.bottom + MARGIN >= grid->rows ? grid->rows - 1 : p.bottom + MARGIN};
}

// ---- A piece of the grid -----------------------------------------------------------------------

typedef struct {
    tal_change change;
    tal_dem before, after;
    uint8_t *region, *mask;
} cutting;

static void cutting_destroy(cutting *c) {
    tal_change_destroy(&c->change);
    tal_dem_destroy(&c->before);
    tal_dem_destroy(&c->after);
    tal_memory_destroy(c->region);
    tal_memory_destroy(c->mask);
}

static tal_status cutting_create(cutting *c, const tal_grid *grid, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    *c = (cutting){0};
    TAL_TRY(tal_change_create(&c->change, grid, err));
    TAL_TRY(tal_dem_create(&c->before, grid, err));
    TAL_TRY(tal_dem_create(&c->after, grid, err));
    TAL_CREATE(c->region, cells, "the parts of a volume", err);
    TAL_CREATE(c->mask, cells, "the parts of a volume", err);
    return TAL_OK;
}

static void copy_dem(tal_dem *to, const tal_dem *from, size_t at, size_t start, size_t count) {
    memcpy(to->z + at, from->z + start, count * sizeof *to->z);
    memcpy(to->count + at, from->count + start, count * sizeof *to->count);
    memcpy(to->kind + at, from->kind + start, count * sizeof *to->kind);
}

// What tal_volume_measure looks at.
static void cutting_fill(cutting *c, const tal_comparison *a, piece p, const int32_t *label,
                         const int32_t *owner, int32_t number) {
    const size_t width = (size_t)(p.right - p.left + 1);
    for (int32_t row = p.top; row <= p.bottom; row++) {
        const size_t at = (size_t)(row - p.top) * width;
        const size_t start = (size_t)row * (size_t)a->grid.columns + (size_t)p.left;
        memcpy(c->change.dz + at, a->change.dz + start, width * sizeof(float));
        memcpy(c->change.random + at, a->change.random + start, width * sizeof(float));
        memcpy(c->change.spread + at, a->change.spread + start, width * sizeof(float));
        copy_dem(&c->before, &a->before, at, start, width);
        copy_dem(&c->after, &a->after, at, start, width);
        for (size_t k = 0; k < width; k++) {
            c->region[at + k] = owner[start + k] == number;
            c->mask[at + k] = label[start + k] == number;
        }
    }
}

static tal_status measure_part(const tal_comparison *a, piece p, const int32_t *label,
                               const int32_t *owner, int32_t number, double sign,
                               tal_volume_estimate *volume, tal_error *err) {
    cutting c = {0};
    tal_status status = TAL_OK;
    TAL_ASSERT(p.left >= 0 && p.right < a->grid.columns && p.left <= p.right);
    TAL_ASSERT(p.top >= 0 && p.bottom < a->grid.rows && p.top <= p.bottom);
    const tal_grid grid = {.west = a->grid.west + p.left * a->grid.cell,
                           .north = a->grid.north - p.top * a->grid.cell,
                           .cell = a->grid.cell,
                           .columns = p.right - p.left + 1,
                           .rows = p.bottom - p.top + 1};
    TAL_TRY_OR_DONE(cutting_create(&c, &grid, err));
    cutting_fill(&c, a, p, label, owner, number);
    TAL_TRY_OR_DONE(tal_volume_measure(&c.change, &c.before, &c.after, &a->variogram,
                                       a->registration.deviation, c.region, c.mask, sign, volume,
                                       err));
    volume->part_count = 1;
done:
    cutting_destroy(&c);
    return status;
}

tal_status tal_parts_measure(const tal_comparison *a, const int32_t *label, int32_t part_count,
                             double sign, tal_volume_estimate *volumes, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&a->grid);
    uint8_t *mask = NULL, *region = NULL;
    int32_t *owner = NULL;
    piece *pieces = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(mask, cells, "the parts of a volume", err);
    TAL_CREATE_OR_DONE(owner, cells, "the parts of a volume", err);
    TAL_CREATE_OR_DONE(pieces, (size_t)part_count + 1, "the parts of a volume", err);
    for (size_t i = 0; i < cells; i++) {
        mask[i] = label[i] != 0;
    }
    TAL_TRY_OR_DONE(tal_volume_region(&a->change, mask, sign, &region, err));
    assign_region(&a->grid, label, region, owner);
    find_pieces(&a->grid, owner, part_count, pieces);
    for (int32_t number = 1; number <= part_count; number++) {
        volumes[number] = (tal_volume_estimate){0};
        if (pieces[number].left <= pieces[number].right) {
            TAL_TRY_OR_DONE(measure_part(a, widen(pieces[number], &a->grid), label, owner, number,
                                         sign, &volumes[number], err));
        }
    }
done:
    tal_memory_destroy(mask);
    tal_memory_destroy(region);
    tal_memory_destroy(owner);
    tal_memory_destroy(pieces);
    return status;
}

// ---- Columns -----------------------------------------------------------------------------------

void tal_parts_sum_columns(const tal_grid *grid, const tal_components *parts, const float *columns,
                           tal_volume_estimate *volumes) {
    const size_t cells = tal_grid_cell_count(grid);
    const double cell_m2 = grid->cell * grid->cell;
    for (int32_t number = 1; number <= parts->count; number++) {
        volumes[number] = (tal_volume_estimate){.area_m2 = (double)parts->size[number] * cell_m2,
                                                .part_count = 1};
    }
    for (size_t i = 0; i < cells; i++) {
        if (parts->label[i] != 0) {
            tal_volume_estimate *v = &volumes[parts->label[i]];
            v->volume_m3 += (double)columns[i] * cell_m2;
            v->max_thickness_m = fmax(v->max_thickness_m, (double)columns[i]);
        }
    }
    for (int32_t number = 1; number <= parts->count; number++) {
        tal_volume_estimate *v = &volumes[number];
        v->low_m3 = v->high_m3 = v->volume_m3;
        v->mean_thickness_m = v->volume_m3 / v->area_m2;
    }
}

static bool is_rim(const tal_grid *grid, const tal_components *parts, size_t i) {
    const size_t columns = (size_t)grid->columns, column = i % columns, row = i / columns;
    const int32_t own = parts->label[i];
    return column == 0 || row == 0 || column + 1 == columns || row + 1 == (size_t)grid->rows ||
           parts->label[i - 1] != own || parts->label[i + 1] != own ||
           parts->label[i - columns] != own || parts->label[i + columns] != own;
}

// docs/theory/ingest.md (19).
void tal_parts_widen_by_rim(const tal_grid *grid, const tal_components *parts, const float *columns,
                            tal_volume_estimate *volumes) {
    const size_t cells = tal_grid_cell_count(grid);
    const double cell_m2 = grid->cell * grid->cell;
    for (size_t i = 0; i < cells; i++) {
        if (parts->label[i] != 0 && is_rim(grid, parts, i)) {
            tal_volume_estimate *v = &volumes[parts->label[i]];
            const double deviation =
                (double)columns[i] * cell_m2 / sqrt(12.0); // even over the cell
            v->random_m3 = hypot(v->random_m3, deviation);
        }
    }
    for (int32_t number = 1; number <= parts->count; number++) {
        tal_volume_estimate *v = &volumes[number];
        v->low_m3 = v->volume_m3 - 1.96 * v->random_m3;
        v->high_m3 = v->volume_m3 + 1.96 * v->random_m3;
    }
}

// ---- Parts of what the cliff frame found -------------------------------------------------------

// The map's part below the middle of a cell of the face. A column thinner than the sampling leaves
// the map without a part there: the nearest within sixteen cells then.
static int32_t part_below(const tal_comparison *cliff, const tal_rigid *back, const tal_grid *grid,
                          const tal_components *parts, int32_t column, int32_t row) {
    const size_t i = (size_t)row * (size_t)cliff->grid.columns + (size_t)column;
    double x, y, z = 0.5 * ((double)cliff->before.z[i] + (double)cliff->after.z[i]);
    tal_grid_centre(&cliff->grid, column, row, &x, &y);
    tal_rigid_apply(back, &x, &y, &z);
    const int32_t c = (int32_t)floor((x - grid->west) / grid->cell);
    const int32_t r = (int32_t)floor((grid->north - y) / grid->cell);
    int32_t found = 0;
    for (int radius = 1; found == 0 && radius <= 16; radius *= 2) {
        found = nearest_part(parts->label, grid, c, r, radius);
    }
    return found;
}

// The interval of a part: as wide as the face found it. Scraps of columns without a cell of the
// face may be anything up to twice their volume.
static void widen_interval(tal_volume_estimate *volume, const tal_volume_estimate *face) {
    const double half =
        face->area_m2 > 0.0 ? 0.5 * (face->high_m3 - face->low_m3) : volume->volume_m3;
    volume->low_m3 -= half;
    volume->high_m3 += half;
}

tal_status tal_parts_measure_cliff(const tal_comparison *cliff, const tal_grid *grid,
                                   const tal_components *parts, const float *columns, double sign,
                                   tal_volume_estimate *volumes, tal_error *err) {
    const tal_rigid back = tal_rigid_inverse(&cliff->frame);
    const uint8_t *mask = sign < 0.0 ? cliff->change.source : cliff->change.deposit;
    int32_t *label = NULL;
    tal_volume_estimate *face = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(label, tal_grid_cell_count(&cliff->grid), "the parts of a volume", err);
    TAL_CREATE_OR_DONE(face, (size_t)parts->count + 1, "the parts of a volume", err);
    for (int32_t row = 0; row < cliff->grid.rows; row++) {
        for (int32_t column = 0; column < cliff->grid.columns; column++) {
            const int64_t i = (int64_t)row * cliff->grid.columns + column;
            label[i] = mask[i] != 0 ? part_below(cliff, &back, grid, parts, column, row) : 0;
        }
    }
    TAL_TRY_OR_DONE(tal_parts_measure(cliff, label, parts->count, sign, face, err));
    tal_parts_sum_columns(grid, parts, columns, volumes);
    for (int32_t number = 1; number <= parts->count; number++) {
        widen_interval(&volumes[number], &face[number]);
    }
done:
    tal_memory_destroy(label);
    tal_memory_destroy(face);
    return status;
}
