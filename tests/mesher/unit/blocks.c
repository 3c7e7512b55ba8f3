// SPDX-License-Identifier: GPL-3.0-or-later
// Source rock and blocks on a made-up site: volumes, mass, shapes, overlaps, ground, determinism,
// degenerate input.
#include "tests/support/check.h"

#include "core/base/memory.h"
#include "core/base/progress.h"
#include "mesher/rock/divide.h"
#include "mesher/terrain/terrain_mesh.h"
#include "tests/mesher/unit/scene.h"

static const double origin[3] = {700350, 1600250, 480};
static const double mesh_error = 0.25;
static const double pi = 3.14159265358979323846;

typedef struct {
    test_site site;
    tal_terrain_mesh terrain;
    tal_rock rock;
} fixture;

static void fixture_make(fixture *f, int32_t columns, int32_t rows, double cell, double size) {
    test_site_make(&f->site, columns, rows, cell, size);
    const tal_terrain_options options = {mesh_error, false, 0};
    check_ok(tal_terrain_mesh_create(&f->terrain, &f->site.bed, &options, origin, &check_error));
    check_ok(tal_rock_create(&f->rock, &f->site.bed, &f->site.before, &f->site.source, &f->terrain,
                             origin, &check_error));
}

static void fixture_destroy(fixture *f) {
    tal_rock_destroy(&f->rock);
    tal_terrain_mesh_destroy(&f->terrain);
    test_site_destroy(&f->site);
}

static const tal_divide_options clip_rock = {
    .clip_to_rock = true, .depth_m = 0, .density_kg_m3 = 2600, .thread_count = 2};
static const tal_divide_options clip_none = {
    .clip_to_rock = false, .depth_m = 0, .density_kg_m3 = 2600, .thread_count = 2};

// ---- Independent checks ----------------------------------------------------------------

// A block in world coordinates.
typedef struct {
    int32_t vertex_count, face_count;
    tal_vec3 *vertex;
    tal_vec3 *normal;
    double *offset;
    int32_t edge_count;
    tal_vec3 *edge;
    tal_vec3 low, high;
    double size;
} world_block;

static world_block to_world(const tal_block_set *set, int32_t b) {
    const tal_surface s = tal_block_set_surface(set, b);
    world_block w = {.vertex_count = s.vertex_count, .face_count = s.face_count};
    const int32_t corners = s.corner_start[s.face_count] - s.corner_start[0];
    w.vertex = tal_memory_create((size_t)s.vertex_count, sizeof *w.vertex);
    w.normal = tal_memory_create((size_t)s.face_count, sizeof *w.normal);
    w.offset = tal_memory_create((size_t)s.face_count, sizeof *w.offset);
    w.edge = tal_memory_create((size_t)corners, sizeof *w.edge);
    w.low = tal_vec3_make(INFINITY, INFINITY, INFINITY);
    w.high = tal_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t v = 0; v < s.vertex_count; v++) {
        const tal_vec3 p = tal_vec3_add(
            tal_quaternion_rotate(set->block[b].orientation, s.vertex[v]), set->block[b].position);
        w.vertex[v] = p;
        w.low = tal_vec3_make(fmin(w.low.x, p.x), fmin(w.low.y, p.y), fmin(w.low.z, p.z));
        w.high = tal_vec3_make(fmax(w.high.x, p.x), fmax(w.high.y, p.y), fmax(w.high.z, p.z));
    }
    w.size = tal_vec3_length(tal_vec3_subtract(w.high, w.low));
    for (int32_t f = 0; f < s.face_count; f++) {
        tal_vec3 area = {0, 0, 0};
        const tal_vec3 first = w.vertex[s.corner[s.corner_start[f]]];
        for (int32_t c = s.corner_start[f]; c < s.corner_start[f + 1]; c++) {
            const int32_t next = c + 1 < s.corner_start[f + 1] ? c + 1 : s.corner_start[f];
            const tal_vec3 p = w.vertex[s.corner[c]], q = w.vertex[s.corner[next]];
            area = tal_vec3_add(
                area, tal_vec3_cross(tal_vec3_subtract(p, first), tal_vec3_subtract(q, first)));
            if (s.corner[c] < s.corner[next]) {
                w.edge[w.edge_count++] = tal_vec3_normalize(tal_vec3_subtract(q, p));
            }
        }
        w.normal[f] = tal_vec3_normalize(area);
        w.offset[f] = tal_vec3_dot(w.normal[f], first);
    }
    return w;
}

static void world_destroy(world_block *w) {
    tal_memory_destroy(w->vertex);
    tal_memory_destroy(w->normal);
    tal_memory_destroy(w->offset);
    tal_memory_destroy(w->edge);
}

static double overlap_along(const world_block *a, const world_block *b, tal_vec3 axis) {
    double high_a = -INFINITY, low_b = INFINITY, low_a = INFINITY, high_b = -INFINITY;
    for (int32_t v = 0; v < a->vertex_count; v++) {
        const double d = tal_vec3_dot(axis, a->vertex[v]);
        high_a = fmax(high_a, d);
        low_a = fmin(low_a, d);
    }
    for (int32_t v = 0; v < b->vertex_count; v++) {
        const double d = tal_vec3_dot(axis, b->vertex[v]);
        low_b = fmin(low_b, d);
        high_b = fmax(high_b, d);
    }
    return fmin(high_a - low_b, high_b - low_a);
}

// Least overlap over all separating axes: zero or less means apart.
static double overlap(const world_block *a, const world_block *b) {
    double least = INFINITY;
    for (int32_t f = 0; f < a->face_count; f++) {
        least = fmin(least, overlap_along(a, b, a->normal[f]));
    }
    for (int32_t f = 0; f < b->face_count && least > 0; f++) {
        least = fmin(least, overlap_along(a, b, b->normal[f]));
    }
    for (int32_t i = 0; i < a->edge_count && least > 1e-9; i++) {
        for (int32_t j = 0; j < b->edge_count && least > 1e-9; j++) {
            const tal_vec3 axis = tal_vec3_cross(a->edge[i], b->edge[j]);
            if (tal_vec3_length(axis) > 1e-6) {
                least = fmin(least, overlap_along(a, b, tal_vec3_normalize(axis)));
            }
        }
    }
    return least;
}

static void check_no_overlap(const world_block *blocks, int32_t count) {
    for (int32_t a = 0; a < count; a++) {
        for (int32_t b = a + 1; b < count; b++) {
            const world_block *p = &blocks[a], *q = &blocks[b];
            if (p->low.x > q->high.x || q->low.x > p->high.x || p->low.y > q->high.y ||
                q->low.y > p->high.y || p->low.z > q->high.z || q->low.z > p->high.z) {
                continue;
            }
            const double depth = overlap(p, q), allowed = 1e-6 * fmin(p->size, q->size);
            if (depth > allowed) {
                fail_msg("blocks %d and %d overlap by %g m", a, b, depth);
            }
        }
    }
}

// Deepest point below the bed at vertices and at cells under the block, by plain bilinear sampling
// of the raster.
static double depth_below(const world_block *w, const tal_raster *bed) {
    double deepest = -INFINITY;
    for (int32_t v = 0; v < w->vertex_count; v++) {
        const tal_vec3 p = w->vertex[v];
        const double ground = tal_raster_sample(bed, p.x + origin[0], p.y + origin[1]);
        deepest = isnan(ground) ? deepest : fmax(deepest, ground - origin[2] - p.z);
    }
    const tal_grid *grid = &bed->grid;
    const int32_t c0 = (int32_t)fmax(0, floor((w->low.x + origin[0] - grid->west) / grid->cell));
    const int32_t c1 =
        (int32_t)fmin(grid->columns - 1, ceil((w->high.x + origin[0] - grid->west) / grid->cell));
    const int32_t r0 = (int32_t)fmax(0, floor((grid->north - w->high.y - origin[1]) / grid->cell));
    const int32_t r1 =
        (int32_t)fmin(grid->rows - 1, ceil((grid->north - w->low.y - origin[1]) / grid->cell));
    for (int32_t row = r0; row <= r1; row++) {
        for (int32_t column = c0; column <= c1; column++) {
            double x, y, low = -INFINITY, high = INFINITY;
            tal_grid_centre(grid, column, row, &x, &y);
            x -= origin[0];
            y -= origin[1];
            for (int32_t f = 0; f < w->face_count; f++) {
                const tal_vec3 n = w->normal[f];
                const double rest = w->offset[f] - n.x * x - n.y * y;
                if (n.z > 1e-9) {
                    high = fmin(high, rest / n.z);
                } else if (n.z < -1e-9) {
                    low = fmax(low, rest / n.z);
                } else if (rest < 0) {
                    high = -INFINITY;
                }
            }
            const double ground = (double)bed->value[row * grid->columns + column] - origin[2];
            if (low < high && !isnan(ground)) {
                deepest = fmax(deepest, ground - low);
            }
        }
    }
    return deepest;
}

// Deepest point of the block's edges below the triangles of the ground, every triangle tried.
static double depth_below_triangles(const world_block *w, const tal_terrain_mesh *mesh) {
    double deepest = -INFINITY;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        double x[3], y[3], z[3];
        for (int k = 0; k < 3; k++) {
            const int32_t v = mesh->face_node[3 * f + k];
            x[k] = mesh->x[v];
            y[k] = mesh->y[v];
            z[k] = mesh->z[v];
        }
        if (fmin(x[0], fmin(x[1], x[2])) > w->high.x || fmax(x[0], fmax(x[1], x[2])) < w->low.x ||
            fmin(y[0], fmin(y[1], y[2])) > w->high.y || fmax(y[0], fmax(y[1], y[2])) < w->low.y) {
            continue;
        }
        const double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
        for (int32_t a = 0; a < w->vertex_count; a++) {
            // Points between any two vertices lie inside the block as well.
            for (int32_t b = a; b < w->vertex_count; b++) {
                for (int step = 0; step < 8; step++) {
                    const tal_vec3 p = tal_vec3_add(
                        w->vertex[a],
                        tal_vec3_scale(tal_vec3_subtract(w->vertex[b], w->vertex[a]), step / 8.0));
                    const double u = ((p.x - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (p.y - y[0]));
                    const double v = ((x[1] - x[0]) * (p.y - y[0]) - (p.x - x[0]) * (y[1] - y[0]));
                    if (u >= 0 && v >= 0 && u + v <= area) {
                        const double ground = z[0] + (u * (z[1] - z[0]) + v * (z[2] - z[0])) / area;
                        deepest = fmax(deepest, ground - p.z);
                    }
                }
            }
        }
    }
    return deepest;
}

// Closed, convex, outward, Euler 2, body axes, exact moments.
static void check_shapes(const tal_block_set *set) {
    for (int32_t b = 0; b < set->block_count; b++) {
        const tal_surface surface = tal_block_set_surface(set, b);
        const tal_block *block = &set->block[b];
        const char *fault = tal_surface_fault(&surface, 1e-9);
        if (fault != NULL) {
            fail_msg("block %d: %s", b, fault);
        }
        const tal_mass_properties mass = tal_surface_mass(&surface);
        const double size = cbrt(block->volume), density = block->mass / block->volume;
        check_near(mass.volume, block->volume, 1e-9 * block->volume);
        check_near(tal_vec3_length(mass.centroid), 0, 1e-9 * size);
        for (int i = 0; i < 3; i++) {
            check_near(mass.inertia[i][i] * density, block->inertia[i], 1e-9 * block->inertia[2]);
            check_near(mass.inertia[i][(i + 1) % 3] * density, 0, 1e-8 * block->inertia[2]);
        }
    }
}

// Everything that must hold for clip = rock.
static void check_blocks(const fixture *f, const tal_block_set *set,
                         const tal_divide_report *report, double fill_least) {
    double volume = 0, mass = 0, deepest = -INFINITY;
    world_block *blocks = tal_memory_create((size_t)set->block_count, sizeof *blocks);
    check_shapes(set);
    for (int32_t b = 0; b < set->block_count; b++) {
        volume += set->block[b].volume;
        mass += set->block[b].mass;
        blocks[b] = to_world(set, b);
        deepest = fmax(deepest, depth_below(&blocks[b], &f->site.bed));
        assert_true(depth_below_triangles(&blocks[b], &f->terrain) <= 1e-6);
    }
    print_message("%d blocks fill %.2f %%, deepest %.3f m below the bed\n", set->block_count,
                  100 * volume / f->rock.volume, deepest);
    check_near(report->piece_volume, volume, 1e-9 * volume);
    assert_true(volume >= fill_least * f->rock.volume);
    assert_true(volume <= 1.01 * f->rock.volume);
    check_near(mass, 2600 * f->rock.volume, 1e-9 * mass);
    assert_true(deepest <= mesh_error);
    check_no_overlap(blocks, set->block_count);
    for (int32_t b = 0; b < set->block_count; b++) {
        world_destroy(&blocks[b]);
    }
    tal_memory_destroy(blocks);
}

static void divide_and_check(const fixture *f, tal_partition *partition, double fill_least) {
    tal_block_set set = {0};
    tal_divide_report report;
    check_ok(tal_divide(&set, partition, &f->rock, &clip_rock, &report, &check_error));
    check_blocks(f, &set, &report, fill_least);
    tal_block_set_destroy(&set);
    tal_partition_destroy(partition);
}

// ---- Body ------------------------------------------------------------------------------

static void rock_has_the_volume_of_the_source(void **state) {
    const fixture *f = *state;
    double expected = 0;
    for (size_t k = 0; k < tal_grid_cell_count(&f->site.source.grid); k++) {
        expected += (double)f->site.source.value[k];
    }
    check_near(f->rock.volume, expected, 0.005 * expected);
    // The scene strikes along atan(0.34 / 0.94) north of east: 70.1 degrees from north.
    check_near(f->rock.strike * 180 / pi, 90 - atan2(0.34, 0.94) * 180 / pi, 6);
    assert_true(f->rock.dip * 180 / pi > 30 && f->rock.dip * 180 / pi < 60);
}

static void bilinear_rock_integrates_to_the_sum_of_cells(void **state) {
    const fixture *f = *state;
    const tal_rock *rock = &f->rock;
    double sum = 0;
    const double h = 0.25;
    for (double x = rock->low.x + h / 2; x < rock->high.x; x += h) {
        for (double y = rock->low.y + h / 2; y < rock->high.y; y += h) {
            const tal_rock_sample sample = tal_rock_at(rock, x, y);
            sum += sample.thickness * h * h;
            assert_true(sample.thickness >= 0 && sample.ground >= sample.bed - mesh_error);
        }
    }
    check_near(sum, rock->volume, 0.002 * rock->volume);
}

static void quick_rejection_never_rejects_rock(void **state) {
    const fixture *f = *state;
    const tal_random random = tal_random_stream(2, 0, "test/boxes");
    int rejected = 0;
    for (uint64_t k = 0; k < 20000; k++) {
        const tal_rock *b = &f->rock;
        const tal_vec3 p = {
            b->low.x + (b->high.x - b->low.x) * tal_random_uniform(random, 3 * k),
            b->low.y + (b->high.y - b->low.y) * tal_random_uniform(random, 3 * k + 1),
            b->low.z + (b->high.z - b->low.z) * tal_random_uniform(random, 3 * k + 2)};
        const tal_vec3 half = {0.01, 0.01, 0.01};
        const bool may = tal_rock_may_touch(b, tal_vec3_subtract(p, half), tal_vec3_add(p, half));
        assert_true(may || !tal_rock_holds(b, p));
        rejected += may ? 0 : 1;
    }
    assert_true(rejected > 5000);
}

// ---- Blocks ----------------------------------------------------------------------------

static void bricks_fill_the_rock(void **state) {
    const fixture *f = *state;
    tal_partition partition;
    check_ok(tal_partition_bricks(&partition, &f->rock, f->rock.strike, tal_vec3_make(9, 8, 7),
                                  tal_vec3_make(0.5, 0.5, 0.5), &check_error));
    divide_and_check(f, &partition, 0.97);
}

static void voronoi_cells_fill_the_rock(void **state) {
    const fixture *f = *state;
    tal_partition partition;
    check_ok(tal_partition_voronoi(&partition, &f->rock, f->rock.strike, 8, tal_vec3_make(2, 1, 1),
                                   1, 0, &check_error));
    divide_and_check(f, &partition, 0.97);
}

static void joint_blocks_fill_the_rock(void **state) {
    const fixture *f = *state;
    const tal_joint_set sets[3] = {
        {1.2, 3.5, 9, 0.3, TAL_SPACING_KIND_EXPONENTIAL, 0.08, 0.9},
        {1.4, 1.9, 8, 0.3, TAL_SPACING_KIND_LOGNORMAL, 0.08, 1},
        {0.4, 0.2, 7, 0.3, TAL_SPACING_KIND_NORMAL, 0.05, 0.8},
    };
    tal_partition partition;
    check_ok(tal_partition_joints(&partition, &f->rock, sets, 3, 1, 0, &check_error));
    assert_true(partition.plane_count > 20);
    divide_and_check(f, &partition, 0.97);
}

static void gap_parts_neighbours_and_keeps_the_mass(void **state) {
    const fixture *f = *state;
    tal_partition partition;
    tal_block_set tight = {0}, loose = {0};
    tal_divide_report report;
    tal_divide_options options = clip_rock;
    check_ok(tal_partition_bricks(&partition, &f->rock, f->rock.strike, tal_vec3_make(9, 8, 7),
                                  tal_vec3_make(0.5, 0.5, 0.5), &check_error));
    check_ok(tal_divide(&tight, &partition, &f->rock, &options, &report, &check_error));
    options.gap_m = 0.2;
    check_ok(tal_divide(&loose, &partition, &f->rock, &options, &report, &check_error));
    check_near(report.mass, 2600 * f->rock.volume, 1e-9 * report.mass);
    check_shapes(&loose);
    double largest = 0;
    for (int32_t b = 0; b < loose.block_count; b++) {
        largest = fmax(largest, loose.block[b].volume);
    }
    check_near(largest, 8.8 * 7.8 * 6.8, 1e-6); // a whole brick, 0.1 m off every face
    tal_block_set_destroy(&tight);
    tal_block_set_destroy(&loose);
    tal_partition_destroy(&partition);
}

// ---- Same bytes ------------------------------------------------------------------------

static bool same_blocks(const tal_block_set *a, const tal_block_set *b) {
    return a->block_count == b->block_count && a->vertex_count == b->vertex_count &&
           a->corner_count == b->corner_count &&
           memcmp(a->vertex, b->vertex, (size_t)a->vertex_count * sizeof *a->vertex) == 0 &&
           memcmp(a->corner, b->corner, (size_t)a->corner_count * sizeof *a->corner) == 0 &&
           memcmp(a->block, b->block, (size_t)a->block_count * sizeof *a->block) == 0;
}

static void make_voronoi(const fixture *f, tal_block_set *set, uint64_t seed, uint32_t run,
                         int threads) {
    tal_partition partition;
    tal_divide_report report;
    tal_divide_options options = clip_rock;
    options.thread_count = threads;
    check_ok(tal_partition_voronoi(&partition, &f->rock, 1, 12, tal_vec3_make(1, 1, 1), seed, run,
                                   &check_error));
    check_ok(tal_divide(set, &partition, &f->rock, &options, &report, &check_error));
    tal_partition_destroy(&partition);
}

static void seed_decides_and_threads_do_not(void **state) {
    const fixture *f = *state;
    tal_block_set one = {0}, three = {0}, again = {0}, other = {0}, run = {0};
    make_voronoi(f, &one, 1, 0, 1);
    make_voronoi(f, &three, 1, 0, 3);
    make_voronoi(f, &again, 1, 0, 2);
    make_voronoi(f, &other, 2, 0, 2);
    make_voronoi(f, &run, 1, 1, 2);
    assert_true(same_blocks(&one, &three));
    assert_true(same_blocks(&one, &again));
    assert_false(same_blocks(&one, &other));
    assert_false(same_blocks(&one, &run));
    tal_block_set_destroy(&one);
    tal_block_set_destroy(&three);
    tal_block_set_destroy(&again);
    tal_block_set_destroy(&other);
    tal_block_set_destroy(&run);
}

// ---- Published bricks ------------------------------------------------------------------

static void whole_bricks_hold_about_the_volume(void **state) {
    const fixture *f = *state;
    tal_partition partition;
    tal_block_set set = {0};
    tal_divide_report report;
    check_ok(tal_partition_bricks(&partition, &f->rock, f->rock.strike, tal_vec3_make(5, 4, 6),
                                  tal_vec3_make(0, 0, 0), &check_error));
    check_ok(tal_divide(&set, &partition, &f->rock, &clip_none, &report, &check_error));
    check_near(report.piece_volume, f->rock.volume, 0.1 * f->rock.volume);
    for (int32_t b = 0; b < set.block_count; b++) {
        check_near(set.block[b].volume, 120, 1e-9);
        check_near(set.block[b].mass, 2600 * 120, 1e-6);
        assert_true(tal_rock_holds(&f->rock, set.block[b].position));
    }
    tal_block_set_destroy(&set);
    tal_partition_destroy(&partition);
}

// ---- Voronoi against the definition ----------------------------------------------------

static void voronoi_cells_hold_the_points_nearest_to_their_seed(void **state) {
    const fixture *f = *state;
    enum { SEEDS = 60 };
    tal_vec3 seeds[SEEDS];
    const tal_random random = tal_random_stream(4, 0, "test/seeds");
    const tal_rock *rock = &f->rock;
    for (uint64_t k = 0; k < SEEDS; k++) {
        const double u = tal_random_uniform(random, 3 * k);
        const double v = tal_random_uniform(random, 3 * k + 1);
        const double w = tal_random_uniform(random, 3 * k + 2);
        seeds[k] = tal_vec3_make(rock->low.x + u * (rock->high.x - rock->low.x),
                                 rock->low.y + v * (rock->high.y - rock->low.y),
                                 rock->low.z + w * (rock->high.z - rock->low.z));
    }
    tal_partition partition;
    check_ok(tal_partition_seeds(&partition, rock, 0, seeds, SEEDS, tal_vec3_make(1, 1, 1),
                                 &check_error));
    static tal_polyhedron cells[SEEDS];
    static tal_halfspace planes[SEEDS][TAL_POLYHEDRON_FACES];
    assert_int_equal(partition.cell_count, SEEDS);
    for (int64_t k = 0; k < SEEDS; k++) {
        check_ok(partition.make_cell(&partition, k, &cells[k], &check_error));
        tal_polyhedron_planes(&cells[k], planes[k]);
    }
    for (uint64_t k = 0; k < 20000; k++) {
        const tal_vec3 p = {
            rock->low.x + tal_random_uniform(random, 1000 + 3 * k) * (rock->high.x - rock->low.x),
            rock->low.y + tal_random_uniform(random, 1001 + 3 * k) * (rock->high.y - rock->low.y),
            rock->low.z + tal_random_uniform(random, 1002 + 3 * k) * (rock->high.z - rock->low.z)};
        int64_t nearest = 0;
        double distance = INFINITY;
        for (int64_t s = 0; s < SEEDS; s++) {
            const tal_vec3 at = tal_frame_point(&partition.frame, partition.seed[s]);
            const double d = tal_vec3_length(tal_vec3_subtract(at, p));
            if (d < distance) {
                distance = d;
                nearest = s;
            }
        }
        for (int64_t s = 0; s < SEEDS; s++) {
            bool inside = cells[s].vertex_count > 0;
            for (int32_t face = 0; face < cells[s].face_count && inside; face++) {
                inside = tal_halfspace_distance(planes[s][face], p) <= 0;
            }
            if (inside != (s == nearest) && tal_rock_holds(rock, p)) {
                fail_msg("point %d belongs to seed %d but cell %d says otherwise", (int)k,
                         (int)nearest, (int)s);
            }
        }
    }
    tal_partition_destroy(&partition);
}

// ---- Degenerate input ------------------------------------------------------------------

static void coplanar_and_repeated_seeds_still_fill_the_rock(void **state) {
    const fixture *f = *state;
    enum { SIDE = 7 };
    tal_vec3 seeds[2 * SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++) {
        const tal_rock *b = &f->rock;
        seeds[k] = tal_vec3_make(b->low.x + (k % SIDE + 0.5) / SIDE * (b->high.x - b->low.x),
                                 b->low.y + (k / SIDE + 0.5) / SIDE * (b->high.y - b->low.y),
                                 b->centroid.z);
        seeds[SIDE * SIDE + k] = seeds[k]; // each twice
    }
    tal_partition partition;
    check_ok(tal_partition_seeds(&partition, &f->rock, 0, seeds, 2 * SIDE * SIDE,
                                 tal_vec3_make(1, 1, 1), &check_error));
    assert_int_equal(partition.seed_count, SIDE * SIDE);
    assert_int_equal(partition.duplicate_count, SIDE * SIDE);
    divide_and_check(f, &partition, 0.95);
    check_fails(tal_partition_seeds(&partition, &f->rock, 0, seeds, 0, tal_vec3_make(1, 1, 1),
                                    &check_error),
                TAL_BAD_INPUT, "at least one seed");
}

static void one_cell_around_all_becomes_several_convex_parts(void **state) {
    const fixture *f = *state;
    tal_partition partition;
    check_ok(tal_partition_seeds(&partition, &f->rock, 0, &f->rock.centroid, 1,
                                 tal_vec3_make(1, 1, 1), &check_error));
    divide_and_check(f, &partition, 0.7);
}

static void parallel_joint_sets_leave_slabs(void **state) {
    const fixture *f = *state;
    const tal_joint_set sets[2] = {{0.7, 3, 6, 0.3, TAL_SPACING_KIND_CONSTANT, 0, 1},
                                   {0.7, 3, 9, 0.3, TAL_SPACING_KIND_CONSTANT, 0, 1}};
    tal_partition partition;
    check_ok(tal_partition_joints(&partition, &f->rock, sets, 2, 1, 0, &check_error));
    divide_and_check(f, &partition, 0.9);
}

static void impossible_spacings_and_sizes_are_refused(void **state) {
    const fixture *f = *state;
    tal_joint_set set = {0.7, 3, 0, 0.3, TAL_SPACING_KIND_CONSTANT, 0, 1};
    tal_partition partition;
    check_fails(tal_partition_joints(&partition, &f->rock, &set, 1, 1, 0, &check_error),
                TAL_BAD_SETTING, "larger spacing");
    set.spacing = 1e-6;
    check_fails(tal_partition_joints(&partition, &f->rock, &set, 1, 1, 0, &check_error),
                TAL_BAD_SETTING, "larger spacing");
    check_fails(tal_partition_bricks(&partition, &f->rock, 0, tal_vec3_make(0.01, 0.01, 0.01),
                                     tal_vec3_make(0, 0, 0), &check_error),
                TAL_TOO_LARGE, "choose larger");
    check_fails(tal_partition_voronoi(&partition, &f->rock, 0, 0.01, tal_vec3_make(1, 1, 1), 1, 0,
                                      &check_error),
                TAL_TOO_LARGE, "larger size_m");
}

static void persistence_zero_cuts_nothing(void **state) {
    const fixture *f = *state;
    const tal_joint_set set = {0.7, 3, 5, 0.3, TAL_SPACING_KIND_CONSTANT, 0, 0};
    tal_partition partition;
    check_ok(tal_partition_joints(&partition, &f->rock, &set, 1, 1, 0, &check_error));
    assert_int_equal(partition.cell_count, 1);
    tal_partition_destroy(&partition);
}

// A level bed with a source of chosen cells.
static void small_fixture(fixture *f, int32_t columns, int32_t rows, int32_t c0, int32_t c1,
                          int32_t r0, int32_t r1, float thickness) {
    const tal_grid grid = {origin[0], origin[1] + rows, 1, columns, rows};
    tal_raster *all[3] = {&f->site.before, &f->site.bed, &f->site.source};
    for (int k = 0; k < 3; k++) {
        check_ok(tal_raster_create(all[k], &grid, &check_error));
    }
    for (int32_t k = 0; k < columns * rows; k++) {
        const int32_t c = k % columns, r = k / columns;
        const bool inside = c >= c0 && c <= c1 && r >= r0 && r <= r1;
        f->site.bed.value[k] = 500;
        f->site.before.value[k] = 500 + (inside ? thickness : 0);
        f->site.source.value[k] = inside ? thickness : 0;
    }
    const tal_terrain_options options = {mesh_error, false, 0};
    check_ok(tal_terrain_mesh_create(&f->terrain, &f->site.bed, &options, origin, &check_error));
    check_ok(tal_rock_create(&f->rock, &f->site.bed, &f->site.before, &f->site.source, &f->terrain,
                             origin, &check_error));
}

static void source_of_one_cell_gives_a_block(void **state) {
    (void)state;
    fixture f;
    tal_partition partition;
    small_fixture(&f, 12, 12, 5, 5, 5, 5, 2);
    check_near(f.rock.volume, 2, 1e-6);
    const double size = cbrt(f.rock.volume);
    check_ok(tal_partition_bricks(&partition, &f.rock, f.rock.strike,
                                  tal_vec3_make(size, size, size), tal_vec3_make(0.5, 0.5, 0.5),
                                  &check_error));
    divide_and_check(&f, &partition, 0.7);
    fixture_destroy(&f);
}

static void rock_that_touches_the_rim_is_filled(void **state) {
    (void)state;
    fixture f;
    tal_partition partition;
    small_fixture(&f, 30, 20, 15, 29, 0, 19, 6);
    check_near(f.rock.volume, 15 * 20 * 6, 1e-3);
    check_ok(tal_partition_voronoi(&partition, &f.rock, 0, 3, tal_vec3_make(1, 1, 1), 1, 0,
                                   &check_error));
    divide_and_check(&f, &partition, 0.97);
    fixture_destroy(&f);
}

static void source_without_rock_is_refused(void **state) {
    (void)state;
    fixture f;
    tal_rock rock;
    small_fixture(&f, 12, 12, 5, 5, 5, 5, 2);
    for (int k = 0; k < 144; k++) {
        f.site.source.value[k] = 0;
    }
    check_fails(tal_rock_create(&rock, &f.site.bed, &f.site.before, &f.site.source, NULL, origin,
                                &check_error),
                TAL_BAD_INPUT, "holds no rock");
    const tal_grid other = {0, 0, 1, 5, 5};
    tal_raster small;
    check_ok(tal_raster_create(&small, &other, &check_error));
    check_fails(
        tal_rock_create(&rock, &f.site.bed, &f.site.before, &small, NULL, origin, &check_error),
        TAL_BAD_INPUT, "one grid");
    tal_raster_destroy(&small);
    fixture_destroy(&f);
}

static int make_site(void **state) {
    static fixture f;
    tal_progress_set_mode(TAL_PROGRESS_NONE);
    fixture_make(&f, 600, 320, 1, 0.45);
    *state = &f;
    return 0;
}

static int destroy_site(void **state) {
    fixture_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rock_has_the_volume_of_the_source),
        cmocka_unit_test(bilinear_rock_integrates_to_the_sum_of_cells),
        cmocka_unit_test(quick_rejection_never_rejects_rock),
        cmocka_unit_test(bricks_fill_the_rock),
        cmocka_unit_test(voronoi_cells_fill_the_rock),
        cmocka_unit_test(joint_blocks_fill_the_rock),
        cmocka_unit_test(gap_parts_neighbours_and_keeps_the_mass),
        cmocka_unit_test(seed_decides_and_threads_do_not),
        cmocka_unit_test(whole_bricks_hold_about_the_volume),
        cmocka_unit_test(voronoi_cells_hold_the_points_nearest_to_their_seed),
        cmocka_unit_test(coplanar_and_repeated_seeds_still_fill_the_rock),
        cmocka_unit_test(one_cell_around_all_becomes_several_convex_parts),
        cmocka_unit_test(parallel_joint_sets_leave_slabs),
        cmocka_unit_test(impossible_spacings_and_sizes_are_refused),
        cmocka_unit_test(persistence_zero_cuts_nothing),
        cmocka_unit_test(source_of_one_cell_gives_a_block),
        cmocka_unit_test(rock_that_touches_the_rim_is_filled),
        cmocka_unit_test(source_without_rock_is_refused),
    };
    return cmocka_run_group_tests(tests, make_site, destroy_site);
}
