// SPDX-License-Identifier: GPL-3.0-or-later
// Heaps of random convex polyhedra over a tilted bed: rasters of the deposit against a ray caster
// that knows the blocks only as half-spaces, column volumes against the sum over the faces.
#include "postproc/measure/deposit.h"
#include "core/base/random.h"
#include "tests/support/check.h"

enum { BLOCKS = 25, PLANES = 18, CORNERS_MAX = 40, COLUMNS = 48, ROWS = 40 };

typedef struct {
    int count;
    double at[CORNERS_MAX][3];
} polygon;

// A body as half-spaces n x <= d and as what is left of a cube after cutting with them.
typedef struct {
    double normal[PLANES][3], distance[PLANES];
    int face_count;
    polygon face[PLANES + 6];
} body;

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void start_with_cube(body *b, double half) {
    static const int LOOP[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    b->face_count = 6;
    for (int f = 0; f < 6; f++) {
        b->face[f].count = 4;
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 3; i++) {
                b->face[f].at[k][i] = LOOP[f][k] >> i & 1 ? half : -half;
            }
        }
    }
}

// The part of a polygon on the inner side; new corners are collected for the cap.
static polygon cut_polygon(const polygon *p, const double *n, double d, polygon *cap) {
    polygon out = {0};
    for (int k = 0; k < p->count; k++) {
        const double *a = p->at[k], *b = p->at[(k + 1) % p->count];
        const double da = dot(n, a) - d, db = dot(n, b) - d;
        if (da <= 0.0) {
            memcpy(out.at[out.count++], a, sizeof out.at[0]);
        }
        if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0)) {
            double *x = out.at[out.count++];
            for (int i = 0; i < 3; i++) {
                x[i] = a[i] + (b[i] - a[i]) * da / (da - db);
            }
            memcpy(cap->at[cap->count++], x, sizeof out.at[0]);
        }
        assert_true(out.count < CORNERS_MAX && cap->count < CORNERS_MAX);
    }
    return out;
}

// Corners around the normal, counter-clockwise, each once.
static void order_cap(polygon *cap, const double *n) {
    double centre[3] = {0}, u[3], v[3], angle[CORNERS_MAX];
    const double axis[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0.0};
    for (int k = 0; k < cap->count; k++) {
        for (int i = 0; i < 3; i++) {
            centre[i] += cap->at[k][i] / cap->count;
        }
    }
    cross(n, axis, u);
    cross(n, u, v);
    for (int k = 0; k < cap->count; k++) {
        const double r[3] = {cap->at[k][0] - centre[0], cap->at[k][1] - centre[1],
                             cap->at[k][2] - centre[2]};
        angle[k] = atan2(dot(r, v), dot(r, u));
    }
    for (int k = 1; k < cap->count; k++) {
        for (int m = k; m > 0 && angle[m] < angle[m - 1]; m--) {
            double point[3];
            const double swap = angle[m];
            angle[m] = angle[m - 1];
            angle[m - 1] = swap;
            memcpy(point, cap->at[m], sizeof point);
            memcpy(cap->at[m], cap->at[m - 1], sizeof point);
            memcpy(cap->at[m - 1], point, sizeof point);
        }
    }
    int kept = 0;
    for (int k = 0; k < cap->count; k++) { // every corner came from two faces
        const double *last = cap->at[kept > 0 ? kept - 1 : 0];
        if (kept == 0 || hypot(hypot(cap->at[k][0] - last[0], cap->at[k][1] - last[1]),
                               cap->at[k][2] - last[2]) > 1e-9) {
            memmove(cap->at[kept++], cap->at[k], sizeof cap->at[0]);
        }
    }
    cap->count = kept;
}

static void cut(body *b, const double *n, double d) {
    polygon cap = {0};
    int kept = 0;
    for (int f = 0; f < b->face_count; f++) {
        const polygon left = cut_polygon(&b->face[f], n, d, &cap);
        if (left.count >= 3) {
            b->face[kept++] = left;
        }
    }
    b->face_count = kept;
    if (cap.count >= 3) {
        order_cap(&cap, n);
        b->face[b->face_count++] = cap;
    }
}

static void random_unit(tal_random random, uint64_t draw, double *n, int size) {
    double length = 0.0;
    for (int i = 0; i < size; i++) {
        n[i] = tal_random_normal(random, draw + (uint64_t)i);
        length += n[i] * n[i];
    }
    for (int i = 0; i < size; i++) {
        n[i] /= sqrt(length);
    }
}

static void make_body(body *b, tal_random random, uint64_t draw) {
    const double size = 1.0 + 3.0 * tal_random_uniform(random, draw);
    start_with_cube(b, 3.0 * size);
    for (int k = 0; k < PLANES; k++) {
        // Six along the axes keep the body inside a box whatever the others are.
        if (k < 6) {
            b->normal[k][0] = b->normal[k][1] = b->normal[k][2] = 0.0;
            b->normal[k][k / 2] = k % 2 == 0 ? 1.0 : -1.0;
        } else {
            random_unit(random, draw + 10 + 8 * (uint64_t)k, b->normal[k], 3);
        }
        b->distance[k] =
            size * (0.6 + 0.4 * tal_random_uniform(random, draw + 10 + 8 * (uint64_t)k + 5));
        cut(b, b->normal[k], b->distance[k]);
    }
}

// A third of the sum of face area times distance of its plane.
static double body_volume(const body *b) {
    double volume = 0.0;
    for (int f = 0; f < b->face_count; f++) {
        const polygon *p = &b->face[f];
        double area[3] = {0};
        for (int k = 0; k < p->count; k++) {
            double c[3];
            cross(p->at[k], p->at[(k + 1) % p->count], c);
            for (int i = 0; i < 3; i++) {
                area[i] += 0.5 * c[i];
            }
        }
        const double size = sqrt(dot(area, area));
        volume += size > 0.0 ? dot(area, p->at[0]) / 3.0 : 0.0;
    }
    return volume;
}

// Everything the deposit is made from.
typedef struct {
    body shape[BLOCKS];
    float position[3 * BLOCKS], orientation[4 * BLOCKS];
    float bed[COLUMNS * ROWS];
    int32_t vertex_start[BLOCKS + 1], face_start[BLOCKS + 1], left[BLOCKS];
    int32_t corner_start[BLOCKS * (PLANES + 6) + 1], corner[BLOCKS * 600];
    double vertex[3 * BLOCKS * 600], volume[BLOCKS], mass[BLOCKS], inertia[3 * BLOCKS], time[1];
    tal_blocks rocks;
    tal_run_record motion;
    double volume_sum;
} heap;

static const tal_grid GRID = {-24.0, 20.0, 1.0, COLUMNS, ROWS};
static const tal_grid WIDE = {-48.0, 40.0, 2.0, COLUMNS, ROWS};
static const double HEIGHT_ZERO = 300.0;

static double bed_height(double x, double y) {
    return 301.5 + 0.4 * x - 0.25 * y;
}

// Corners are not shared between faces here: it makes no difference to a surface.
static void store_shape(heap *h, int b) {
    int32_t vertex = h->vertex_start[b], face = h->face_start[b];
    for (int f = 0; f < h->shape[b].face_count; f++) {
        const polygon *p = &h->shape[b].face[f];
        int32_t corner = h->corner_start[face];
        for (int k = 0; k < p->count; k++) {
            memcpy(&h->vertex[3 * vertex], p->at[k], sizeof p->at[k]);
            h->corner[corner++] = vertex++ - h->vertex_start[b];
        }
        h->corner_start[++face] = corner;
    }
    h->vertex_start[b + 1] = vertex;
    h->face_start[b + 1] = face;
    if (vertex - h->vertex_start[b] > h->rocks.vertex_count_max) {
        h->rocks.vertex_count_max = vertex - h->vertex_start[b];
    }
}

static void make_heap(heap *h, uint64_t seed) {
    const tal_random random = tal_random_stream(seed, 0, "tests/post-deposit");
    memset(h, 0, sizeof *h);
    for (int b = 0; b < BLOCKS; b++) {
        const uint64_t draw = 1000 * (uint64_t)b;
        double q[4];
        make_body(&h->shape[b], random, draw);
        store_shape(h, b);
        h->volume[b] = body_volume(&h->shape[b]);
        h->volume_sum += h->volume[b];
        h->mass[b] = 1.0;
        random_unit(random, draw + 900, q, 4);
        for (int i = 0; i < 4; i++) {
            h->orientation[4 * b + i] = (float)q[i];
        }
        // Some hang over the western rim.
        const double x = -25.0 + 44.0 * tal_random_uniform(random, draw + 910);
        const double y = -12.0 + 24.0 * tal_random_uniform(random, draw + 911);
        h->position[3 * b] = (float)x;
        h->position[3 * b + 1] = (float)y;
        h->position[3 * b + 2] =
            (float)(bed_height(x, y) - HEIGHT_ZERO + 4.0 * tal_random_uniform(random, draw + 912));
    }
    for (int cell = 0; cell < COLUMNS * ROWS; cell++) {
        h->bed[cell] =
            (float)bed_height(GRID.west + cell % COLUMNS + 0.5, GRID.north - cell / COLUMNS - 0.5);
    }
    h->rocks = (tal_blocks){.count = BLOCKS,
                            .vertex_start = h->vertex_start,
                            .face_start = h->face_start,
                            .corner_start = h->corner_start,
                            .corner = h->corner,
                            .vertex = h->vertex,
                            .volume = h->volume,
                            .mass = h->mass,
                            .inertia = h->inertia,
                            .vertex_count_max = h->rocks.vertex_count_max};
    h->motion = (tal_run_record){.frame_count = 1,
                                 .block_count = BLOCKS,
                                 .time = h->time,
                                 .position = h->position,
                                 .orientation = h->orientation,
                                 .left = h->left};
}

// v turned by q: v + 2 w (u x v) + 2 u x (u x v), with q = (w, u) made a unit.
static void turn(const float *q, const double *v, double *out) {
    double w = (double)q[0], u[3] = {(double)q[1], (double)q[2], (double)q[3]}, a[3], b[3];
    const double length = sqrt(w * w + dot(u, u));
    w /= length;
    for (int i = 0; i < 3; i++) {
        u[i] /= length;
    }
    cross(u, v, a);
    cross(u, a, b);
    for (int i = 0; i < 3; i++) {
        out[i] = v[i] + 2.0 * w * a[i] + 2.0 * b[i];
    }
}

// Highest point of a block over (x, y), from its half-spaces alone; -infinity beside it.
static double roof(const heap *h, int b, double x, double y) {
    double low = -INFINITY, high = INFINITY;
    const float *p = &h->position[3 * b];
    for (int k = 0; k < PLANES; k++) {
        double n[3];
        turn(&h->orientation[4 * b], h->shape[b].normal[k], n);
        const double rest = h->shape[b].distance[k] - n[0] * (x - (double)p[0]) -
                            n[1] * (y - (double)p[1]) + n[2] * (double)p[2];
        if (n[2] > 0.0) {
            high = fmin(high, rest / n[2]);
        } else {
            low = fmax(low, rest / n[2]);
        }
    }
    return low < high ? high : -INFINITY;
}

static double cast(const heap *h, int cell, int rays) {
    double sum = 0.0;
    for (int k = 0; k < rays * rays; k++) {
        const double x = GRID.west + cell % COLUMNS + (k % rays + 0.5) / rays;
        const double y = GRID.north - cell / COLUMNS - (k / rays + 0.5) / rays;
        double top = -INFINITY;
        for (int b = 0; b < BLOCKS; b++) {
            top = fmax(top, roof(h, b, x, y));
        }
        sum += fmax(0.0, top + HEIGHT_ZERO - bed_height(x, y));
    }
    return sum / (rays * rays);
}

static void surface_of_random_heaps_agrees_with_a_ray_caster(void **state) {
    (void)state;
    heap *h = malloc(sizeof *h);
    int covered = 0;
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        tal_deposit d;
        const int rays = (int)seed % 3 + 1;
        make_heap(h, seed);
        check_ok(tal_deposit_create(&d, &h->rocks, &h->motion, &GRID, h->bed, HEIGHT_ZERO, rays,
                                    &check_error));
        // Between cell centres the bed is a plane; beyond the outermost centres it is not.
        for (int cell = 0; cell < COLUMNS * ROWS; cell++) {
            const int column = cell % COLUMNS, row = cell / COLUMNS;
            if (column == 0 || column == COLUMNS - 1 || row == 0 || row == ROWS - 1) {
                continue;
            }
            const double expected = cast(h, cell, rays);
            worst = fmax(worst, fabs((double)d.thickness.value[cell] - expected));
            check_near((double)d.surface.value[cell],
                       (double)h->bed[cell] + (double)d.thickness.value[cell], 4e-5);
            covered += expected > 0.0 ? 1 : 0;
        }
        tal_deposit_destroy(&d);
    }
    print_message("%d covered cells, largest difference %.2g m\n", covered, worst);
    assert_true(covered > 800);
    // Heights of a hundred metres in single precision.
    check_near(worst, 0.0, 5e-5);
    free(h);
}

// Rock on the wide grid, and the part of it that stands over the cells of the narrow one.
static void sum_solid(const tal_deposit *d, double *all, double *narrow) {
    *all = d->solid_volume;
    *narrow = 0.0;
    for (int cell = 0; cell < COLUMNS * ROWS; cell++) {
        const double x = WIDE.west + 2.0 * (cell % COLUMNS) + 1.0;
        const double y = WIDE.north - 2.0 * (cell / COLUMNS) - 1.0;
        if (fabs(x) < 24.0 && fabs(y) < 20.0) {
            *narrow += 4.0 * (double)d->solid.value[cell];
        }
    }
}

static void columns_of_random_heaps_sum_to_the_volume(void **state) {
    (void)state;
    heap *h = malloc(sizeof *h);
    double worst = 0.0, outside = 0.0;
    for (uint64_t seed = 11; seed < 19; seed++) {
        tal_deposit d;
        double all, narrow;
        make_heap(h, seed);
        check_ok(tal_deposit_create(&d, &h->rocks, &h->motion, &WIDE, h->bed, HEIGHT_ZERO, 1,
                                    &check_error));
        sum_solid(&d, &all, &narrow);
        tal_deposit_destroy(&d);
        worst = fmax(worst, fabs(all - h->volume_sum) / h->volume_sum);
        // Over the rim of the narrow grid: what the wide one has beyond it, in single precision.
        check_ok(tal_deposit_create(&d, &h->rocks, &h->motion, &GRID, h->bed, HEIGHT_ZERO, 1,
                                    &check_error));
        check_near(d.solid_volume, narrow, 1e-6 * narrow);
        check_near(d.outside_volume, h->volume_sum - narrow, 1e-6 * narrow);
        outside += d.outside_volume;
        tal_deposit_destroy(&d);
    }
    print_message("largest relative difference of 8 heaps: %.2g; %.1f m3 over the rim\n", worst,
                  outside);
    assert_true(worst < 1e-9);
    assert_true(outside > 1.0);
    free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_of_random_heaps_agrees_with_a_ray_caster),
        cmocka_unit_test(columns_of_random_heaps_sum_to_the_volume)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
