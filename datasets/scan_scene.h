// SPDX-License-Identifier: GPL-3.0-or-later
// What a scanner sees: the ground of one epoch and the trees on it. A scene is constant once made,
// so any number of threads may cast rays into it.
#ifndef TALUS_DATASETS_SCAN_SCENE_H
#define TALUS_DATASETS_SCAN_SCENE_H

#include "datasets/site_ground.h"

#include <stdint.h>

typedef struct {
    double x, y, base;    // foot of the stem
    double height;        // 0: no tree
    double radius, depth; // of the crown
} tal_tree;

typedef struct {
    const tal_site_ground *surface;
    tal_site_epoch epoch;
    tal_site_frame frame;
    // Elevations every metre, with a margin, to find quickly where a ray comes near the ground.
    int columns, rows;
    float *elevation;
    double highest;
    double gradient_max;
    // One tree at most per square of a coarse lattice.
    int tree_columns, tree_rows;
    tal_tree *tree;
} tal_scan_scene;

// A ray from (x, y, z): each metre of fall moves it by (east, north).
typedef struct {
    double x, y, z;
    double east, north;
} tal_ray;

typedef struct {
    double fall;     // from the origin of the ray to the ground
    double x, y, z;  // on the exact surface
    double cosine;   // of the angle between the ray and the normal of the ground
    double gradient; // of the ground there
} tal_ground_hit;

// A crown that a ray passes, by the fall at which it enters and leaves.
typedef struct {
    double enter, leave;
} tal_crown_hit;

tal_status tal_scan_scene_create(tal_scan_scene *scene, const tal_site_ground *surface,
                                 tal_site_epoch epoch, uint64_t seed, tal_error *err);
void tal_scan_scene_destroy(tal_scan_scene *scene);

// The first ground that the ray meets; false when it meets none within the site and its margin.
bool tal_scan_scene_find_ground(const tal_scan_scene *scene, const tal_ray *ray,
                                tal_ground_hit *hit);

// The crowns above the ground that was hit, in the order the ray meets them.
int tal_scan_scene_find_crowns(const tal_scan_scene *scene, const tal_ray *ray,
                               const tal_ground_hit *ground, tal_crown_hit *crowns, int crowns_max);

#endif
