// SPDX-License-Identifier: GPL-3.0-or-later
// Ground and trees as a ray meets them.
#include "datasets/scan_scene.h"

#include "core/base/memory.h"
#include "core/base/random.h"

#include <math.h>

static const double MARGIN = 48.0;      // of the raster around the site
static const double TREE_CELL = 6.5;    // lattice of the trees
static const double TREE_HEIGHT = 18.0; // highest
static const double TREE_RADIUS = 4.2;  // widest crown
static const double GRADIENT_CAP = 5.0; // steeper faces are rare enough to be found anyway

static tal_status fill_elevation(tal_scan_scene *scene, tal_error *err) {
    scene->columns = (int)(scene->frame.width + 2.0 * MARGIN) + 1;
    scene->rows = (int)(scene->frame.height + 2.0 * MARGIN) + 1;
    TAL_CREATE(scene->elevation, (size_t)scene->columns * (size_t)scene->rows,
               "the elevations of a scene", err);
#pragma omp parallel for schedule(static)
    for (int row = 0; row < scene->rows; row++) {
        for (int column = 0; column < scene->columns; column++) {
            scene->elevation[(size_t)row * (size_t)scene->columns + (size_t)column] =
                (float)tal_site_ground_elevation(scene->surface, scene->epoch, column - MARGIN,
                                                 row - MARGIN);
        }
    }
    return TAL_OK;
}

static void measure_elevation(tal_scan_scene *scene) {
    float steepest = 0.0f, highest = scene->elevation[0];
    for (int row = 0; row < scene->rows; row++) {
        const float *line = scene->elevation + (size_t)row * (size_t)scene->columns;
        for (int column = 0; column + 1 < scene->columns; column++) {
            highest = fmaxf(highest, line[column]);
            steepest = fmaxf(steepest, fabsf(line[column + 1] - line[column]));
        }
    }
    scene->highest = (double)highest;
    scene->gradient_max = fmin((double)steepest * 1.4, GRADIENT_CAP);
}

// Trees grew before the event: the ground of that time decides where.
static double old_gradient(const tal_site_ground *surface, double x, double y) {
    const double east = tal_site_ground_elevation(surface, TAL_BEFORE, x + 2.0, y) -
                        tal_site_ground_elevation(surface, TAL_BEFORE, x - 2.0, y);
    const double north = tal_site_ground_elevation(surface, TAL_BEFORE, x, y + 2.0) -
                         tal_site_ground_elevation(surface, TAL_BEFORE, x, y - 2.0);
    return 0.25 * hypot(east, north);
}

// The same draws in both epochs: a tree that still stands is the same tree.
static tal_tree grow_tree(const tal_scan_scene *scene, tal_random random, int column, int row) {
    const uint64_t draw = ((uint64_t)row * (uint64_t)scene->tree_columns + (uint64_t)column) * 8;
    tal_tree tree = {0};
    tree.x = (column + tal_random_uniform(random, draw)) * TREE_CELL - MARGIN;
    tree.y = (row + tal_random_uniform(random, draw + 1)) * TREE_CELL - MARGIN;
    if (tal_random_uniform(random, draw + 2) >=
        tal_site_ground_cover(scene->surface, scene->epoch, tree.x, tree.y)) {
        return tree;
    }
    if (old_gradient(scene->surface, tree.x, tree.y) > 1.1) {
        return tree; // nothing roots on rock faces
    }
    const double size = tal_random_uniform(random, draw + 3);
    tree.height = 4.0 + (TREE_HEIGHT - 4.0) * size * size;
    tree.radius =
        fmin(TREE_RADIUS, 1.4 + 0.17 * tree.height + 0.6 * tal_random_uniform(random, draw + 4));
    tree.depth = tree.height * (0.45 + 0.25 * tal_random_uniform(random, draw + 5));
    tree.base = tal_site_ground_elevation(scene->surface, scene->epoch, tree.x, tree.y);
    return tree;
}

static tal_status plant_trees(tal_scan_scene *scene, uint64_t seed, tal_error *err) {
    const tal_random random = tal_random_stream(seed, 0, "datasets/trees");
    scene->tree_columns = (int)ceil((scene->frame.width + 2.0 * MARGIN) / TREE_CELL);
    scene->tree_rows = (int)ceil((scene->frame.height + 2.0 * MARGIN) / TREE_CELL);
    TAL_CREATE(scene->tree, (size_t)scene->tree_columns * (size_t)scene->tree_rows,
               "the trees of a scene", err);
#pragma omp parallel for schedule(static)
    for (int row = 0; row < scene->tree_rows; row++) {
        for (int column = 0; column < scene->tree_columns; column++) {
            scene->tree[(size_t)row * (size_t)scene->tree_columns + (size_t)column] =
                grow_tree(scene, random, column, row);
        }
    }
    return TAL_OK;
}

tal_status tal_scan_scene_create(tal_scan_scene *scene, const tal_site_ground *surface,
                                 tal_site_epoch epoch, uint64_t seed, tal_error *err) {
    *scene = (tal_scan_scene){
        .surface = surface, .epoch = epoch, .frame = tal_site_ground_frame(surface)};
    tal_status status = fill_elevation(scene, err);
    if (status == TAL_OK) {
        measure_elevation(scene);
        status = plant_trees(scene, seed, err);
    }
    if (status != TAL_OK) {
        tal_scan_scene_destroy(scene);
    }
    return status;
}

void tal_scan_scene_destroy(tal_scan_scene *scene) {
    tal_memory_destroy(scene->elevation);
    tal_memory_destroy(scene->tree);
    *scene = (tal_scan_scene){0};
}

static bool is_near(const tal_scan_scene *scene, double x, double y) {
    return x > -MARGIN + 2.0 && x < scene->frame.width + MARGIN - 2.0 && y > -MARGIN + 2.0 &&
           y < scene->frame.height + MARGIN - 2.0;
}

// Bilinear, with the gradient of the cell; the place must be near the site.
static double sample(const tal_scan_scene *scene, double x, double y, double *east, double *north) {
    const double column = x + MARGIN, row = y + MARGIN;
    const int i = (int)column, j = (int)row;
    const double fx = column - i, fy = row - j;
    const float *low = scene->elevation + (size_t)j * (size_t)scene->columns + i;
    const float *high = low + scene->columns;
    const double a = (double)low[0], b = (double)low[1];
    const double c = (double)high[0], d = (double)high[1];
    *east = (1.0 - fy) * (b - a) + fy * (d - c);
    *north = (1.0 - fx) * (c - a) + fx * (d - b);
    return (1.0 - fy) * ((1.0 - fx) * a + fx * b) + fy * ((1.0 - fx) * c + fx * d);
}

// Height of the ray over the exact ground.
static double clearance(const tal_scan_scene *scene, const tal_ray *ray, double fall) {
    return ray->z - fall -
           tal_site_ground_elevation(scene->surface, scene->epoch, ray->x + fall * ray->east,
                                     ray->y + fall * ray->north);
}

// A few steps of the secant method from just above the ground.
static double refine(const tal_scan_scene *scene, const tal_ray *ray, double fall) {
    double old_fall = fall, old_gap = clearance(scene, ray, fall);
    double new_fall = fall + 0.7 * old_gap;
    for (int i = 0; i < 2; i++) {
        const double gap = clearance(scene, ray, new_fall);
        const double change = gap - old_gap;
        if (fabs(gap) < 0.002 || fabs(change) < 1e-9) {
            break;
        }
        const double step = -gap * (new_fall - old_fall) / change;
        old_fall = new_fall;
        old_gap = gap;
        new_fall += fmin(fmax(step, -1.0), 1.0);
    }
    return new_fall;
}

bool tal_scan_scene_find_ground(const tal_scan_scene *scene, const tal_ray *ray,
                                tal_ground_hit *hit) {
    const double speed = hypot(ray->east, ray->north);
    // No ground is steeper than gradient_max: so far the ray can fall without passing through it.
    const double caution = 1.0 / (1.0 + scene->gradient_max * speed);
    double fall = ray->z - scene->highest, east = 0.0, north = 0.0;
    bool seen = false;
    for (int step = 0; step < 400; step++) {
        const double x = ray->x + fall * ray->east, y = ray->y + fall * ray->north;
        if (!is_near(scene, x, y)) {
            if (seen) {
                return false;
            }
            fall += 4.0; // it may still come in from the side
            if (ray->z - fall < scene->highest - 600.0) {
                return false;
            }
            continue;
        }
        seen = true;
        const double gap = ray->z - fall - sample(scene, x, y, &east, &north);
        if (gap < 0.4) {
            break;
        }
        fall += gap * caution;
    }
    if (!seen) {
        return false;
    }
    hit->fall = refine(scene, ray, fall);
    hit->x = ray->x + hit->fall * ray->east;
    hit->y = ray->y + hit->fall * ray->north;
    hit->z = tal_site_ground_elevation(scene->surface, scene->epoch, hit->x, hit->y);
    hit->gradient = hypot(east, north);
    hit->cosine = (1.0 + east * ray->east + north * ray->north) /
                  (sqrt(1.0 + speed * speed) * sqrt(1.0 + hit->gradient * hit->gradient));
    return true;
}

// Ray against the ellipsoid of a crown.
static bool meet_crown(const tal_tree *tree, const tal_ray *ray, tal_crown_hit *crown) {
    const double flat = 1.0 / (tree->radius * tree->radius);
    const double tall = 4.0 / (tree->depth * tree->depth);
    const double px = ray->x - tree->x, py = ray->y - tree->y;
    const double pz = ray->z - (tree->base + tree->height - 0.5 * tree->depth);
    const double a = flat * (ray->east * ray->east + ray->north * ray->north) + tall;
    const double b = flat * (px * ray->east + py * ray->north) - tall * pz;
    const double c = flat * (px * px + py * py) + tall * pz * pz - 1.0;
    const double root = b * b - a * c;
    if (root <= 0.0) {
        return false;
    }
    crown->enter = (-b - sqrt(root)) / a;
    crown->leave = (-b + sqrt(root)) / a;
    return true;
}

static void insert_crown(tal_crown_hit *crowns, int count, tal_crown_hit crown) {
    int at = count;
    while (at > 0 && crowns[at - 1].enter > crown.enter) {
        crowns[at] = crowns[at - 1];
        at--;
    }
    crowns[at] = crown;
}

static int tree_index(double metres, int count) {
    const int index = (int)floor((metres + MARGIN) / TREE_CELL);
    return index < 0 ? 0 : index >= count ? count - 1 : index;
}

int tal_scan_scene_find_crowns(const tal_scan_scene *scene, const tal_ray *ray,
                               const tal_ground_hit *ground, tal_crown_hit *crowns,
                               int crowns_max) {
    // The part of the ray that can be among trees: the last TREE_HEIGHT metres and, because trees
    // uphill stand higher, as much again.
    const double reach = 2.0 * TREE_HEIGHT;
    const double x0 = ground->x, x1 = ground->x - reach * ray->east;
    const double y0 = ground->y, y1 = ground->y - reach * ray->north;
    const int west = tree_index(fmin(x0, x1) - TREE_RADIUS, scene->tree_columns);
    const int east = tree_index(fmax(x0, x1) + TREE_RADIUS, scene->tree_columns);
    const int south = tree_index(fmin(y0, y1) - TREE_RADIUS, scene->tree_rows);
    const int north = tree_index(fmax(y0, y1) + TREE_RADIUS, scene->tree_rows);
    int count = 0;
    for (int row = south; row <= north; row++) {
        for (int column = west; column <= east; column++) {
            const tal_tree *tree =
                &scene->tree[(size_t)row * (size_t)scene->tree_columns + (size_t)column];
            tal_crown_hit crown;
            if (count < crowns_max && tree->height > 0.0 && meet_crown(tree, ray, &crown) &&
                crown.enter < ground->fall) {
                crown.leave = fmin(crown.leave, ground->fall);
                insert_crown(crowns, count++, crown);
            }
        }
    }
    return count;
}
