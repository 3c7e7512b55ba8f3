// SPDX-License-Identifier: GPL-3.0-or-later
// mesh.png: the triangles of the ground, and beside them the blocks in their scar, from above.
#include "mesher/stage.h"

#include "core/base/memory.h"
#include "core/geo/pixels.h"

#include <math.h>

enum { PANEL_SIDE = 900 };

// One view from straight above; a pixel keeps what is highest.
typedef struct {
    int columns, rows; // of the panel
    int left, image_columns, image_rows;
    double west, north, metres; // per pixel
    float *height;
    uint8_t *rgb; // three planes of the whole image
} panel;

static void paint_pixel(panel *p, int column, int row, const double colour[3]) {
    const size_t plane = (size_t)p->image_columns * (size_t)p->image_rows;
    const size_t at = (size_t)row * (size_t)p->image_columns + (size_t)(p->left + column);
    for (size_t k = 0; k < 3; k++) {
        p->rgb[k * plane + at] = (uint8_t)lround(255 * fmin(1, fmax(0, colour[k])));
    }
}

// Light from the north-west, 45 degrees high.
static double light_on(tal_vec3 normal) {
    const tal_vec3 n = tal_vec3_normalize(normal);
    return 0.35 + 0.65 * fmax(0, -0.5 * n.x + 0.5 * n.y + 0.7071 * n.z);
}

// Distance of a pixel to the nearest side of the triangle, from its barycentric coordinates.
static double edge_distance(const double weight[3], const tal_vec3 corner[3], double area,
                            const bool draw[3]) {
    double nearest = INFINITY;
    for (int k = 0; k < 3; k++) {
        // weight[k] belongs to corner k and vanishes on the side opposite to it.
        const tal_vec3 a = corner[(k + 1) % 3], b = corner[(k + 2) % 3];
        const double length = hypot(b.x - a.x, b.y - a.y);
        if (draw[(k + 1) % 3] && length > 0) {
            nearest = fmin(nearest, weight[k] * fabs(area) / length);
        }
    }
    return nearest;
}

// `draw` says which sides (k to k + 1) are lines.
static void paint_triangle(panel *p, const tal_vec3 world[3], const double tint[3],
                           const bool draw[3], double line) {
    tal_vec3 c[3];
    for (int k = 0; k < 3; k++) {
        c[k] = tal_vec3_make((world[k].x - p->west) / p->metres,
                             (p->north - world[k].y) / p->metres, world[k].z);
    }
    const double area =
        (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
    if (!(fabs(area) > 1e-12)) {
        return;
    }
    const double light = light_on(tal_vec3_cross(tal_vec3_subtract(world[1], world[0]),
                                                 tal_vec3_subtract(world[2], world[0])));
    const int x0 = (int)fmax(0, ceil(fmin(c[0].x, fmin(c[1].x, c[2].x)) - 0.5));
    const int x1 = (int)fmin(p->columns - 1, floor(fmax(c[0].x, fmax(c[1].x, c[2].x)) - 0.5));
    const int y0 = (int)fmax(0, ceil(fmin(c[0].y, fmin(c[1].y, c[2].y)) - 0.5));
    const int y1 = (int)fmin(p->rows - 1, floor(fmax(c[0].y, fmax(c[1].y, c[2].y)) - 0.5));
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            const double px = x + 0.5, py = y + 0.5;
            double w[3];
            for (int k = 0; k < 3; k++) {
                const tal_vec3 a = c[(k + 1) % 3], b = c[(k + 2) % 3];
                w[k] = ((b.x - a.x) * (py - a.y) - (px - a.x) * (b.y - a.y)) / area;
            }
            const double z = w[0] * c[0].z + w[1] * c[1].z + w[2] * c[2].z;
            float *height = &p->height[(size_t)y * (size_t)p->columns + (size_t)x];
            if (fmin(w[0], fmin(w[1], w[2])) < -1e-9 || z <= (double)*height) {
                continue;
            }
            *height = (float)z;
            const double dark = edge_distance(w, c, area, draw) < 0.6 ? line : 1;
            const double colour[3] = {light * tint[0] * dark, light * tint[1] * dark,
                                      light * tint[2] * dark};
            paint_pixel(p, x, y, colour);
        }
    }
}

static void paint_terrain(panel *p, const tal_terrain_mesh *mesh, double line) {
    static const double stone[3] = {0.93, 0.90, 0.84};
    static const bool sides[3] = {true, true, true};
    for (int32_t f = 0; f < mesh->face_count; f++) {
        tal_vec3 corner[3];
        for (int k = 0; k < 3; k++) {
            const int32_t v = mesh->face_node[3 * (size_t)f + (size_t)k];
            corner[k] = tal_vec3_make(mesh->x[v], mesh->y[v], mesh->z[v]);
        }
        paint_triangle(p, corner, stone, sides, line);
    }
}

// Neighbouring blocks get colours far apart: the golden ratio walks around the circle.
static void block_tint(int32_t block, double tint[3]) {
    const double hue = fmod(block * 0.6180339887498949, 1) * 6;
    for (int k = 0; k < 3; k++) {
        const double ramp = fabs(fmod(hue + 2 * k, 6) - 3) - 1;
        tint[k] = 0.62 + 0.36 * fmin(1, fmax(0, ramp));
    }
}

static void paint_block(panel *p, const tal_block_set *set, int32_t b) {
    const tal_surface surface = tal_block_set_surface(set, b);
    const tal_block *block = &set->block[b];
    double tint[3];
    block_tint(b, tint);
    for (int32_t f = 0; f < surface.face_count; f++) {
        const int32_t *loop = surface.corner + surface.corner_start[f];
        const int32_t size = surface.corner_start[f + 1] - surface.corner_start[f];
        for (int32_t k = 1; k + 1 < size; k++) {
            const int32_t number[3] = {loop[0], loop[k], loop[k + 1]};
            const bool sides[3] = {k == 1, true, k + 2 == size};
            tal_vec3 corner[3];
            for (int c = 0; c < 3; c++) {
                corner[c] = tal_vec3_add(
                    tal_quaternion_rotate(block->orientation, surface.vertex[number[c]]),
                    block->position);
            }
            paint_triangle(p, corner, tint, sides, 0.45);
        }
    }
}

// ---- Layout ----------------------------------------------------------------------------

static tal_bounds terrain_window(const tal_terrain_mesh *mesh) {
    tal_bounds w = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int32_t v = 0; v < mesh->node_count; v++) {
        w = (tal_bounds){fmin(w.west, mesh->x[v]), fmin(w.south, mesh->y[v]),
                         fmax(w.east, mesh->x[v]), fmax(w.north, mesh->y[v])};
    }
    return w;
}

static tal_bounds block_window(const tal_block_set *set) {
    tal_bounds w = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    double reach = 0;
    for (int32_t b = 0; b < set->block_count; b++) {
        const tal_vec3 at = set->block[b].position;
        w = (tal_bounds){fmin(w.west, at.x), fmin(w.south, at.y), fmax(w.east, at.x),
                         fmax(w.north, at.y)};
        reach = fmax(reach, cbrt(set->block[b].volume));
    }
    const double margin = 1.5 * reach + 0.05 * fmax(w.east - w.west, w.north - w.south);
    return (tal_bounds){w.west - margin, w.south - margin, w.east + margin, w.north + margin};
}

static panel make_panel(tal_bounds w) {
    const double wide = w.east - w.west, high = w.north - w.south;
    panel p = {.west = w.west, .north = w.north, .metres = fmax(wide, high) / PANEL_SIDE};
    p.columns = (int)fmax(1, ceil(wide / p.metres));
    p.rows = (int)fmax(1, ceil(high / p.metres));
    return p;
}

static tal_status paint_panels(const tal_mesh_stage *stage, panel panels[2], tal_error *err) {
    for (int k = 0; k < 2; k++) {
        panel *p = &panels[k];
        const size_t pixels = (size_t)p->columns * (size_t)p->rows;
        TAL_CREATE(p->height, pixels, "a picture", err);
        for (size_t i = 0; i < pixels; i++) {
            p->height[i] = -INFINITY;
        }
        paint_terrain(p, &stage->terrain, k == 0 ? 0.8 : 0.92);
        for (int32_t b = 0; k == 1 && b < stage->blocks.block_count; b++) {
            paint_block(p, &stage->blocks, b);
        }
    }
    return TAL_OK;
}

static tal_status write_file(const tal_mesh_stage *stage, const panel *p, tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (!tal_path_join(path, stage->folder, "mesh.png")) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: the path is too long", stage->folder);
    }
    const tal_pixels pixels = {p->image_columns, p->image_rows, 3, TAL_PIXELS_BY_BAND, p->rgb};
    return tal_pixels_write_png(&pixels, path, stage->overwrite, err);
}

tal_status tal_mesh_write_picture(const tal_mesh_stage *stage, tal_error *err) {
    enum { SPACE = 12 };
    panel panels[2] = {make_panel(terrain_window(&stage->terrain)),
                       make_panel(block_window(&stage->blocks))};
    const int columns = panels[0].columns + SPACE + panels[1].columns;
    const int rows = panels[0].rows > panels[1].rows ? panels[0].rows : panels[1].rows;
    const size_t bytes = 3 * (size_t)columns * (size_t)rows;
    uint8_t *rgb;
    TAL_CREATE(rgb, bytes, "a picture", err);
    for (size_t i = 0; i < bytes; i++) {
        rgb[i] = 255;
    }
    for (int k = 0; k < 2; k++) {
        panels[k].rgb = rgb;
        panels[k].image_columns = columns;
        panels[k].image_rows = rows;
        panels[k].left = k == 0 ? 0 : panels[0].columns + SPACE;
    }
    tal_status status = paint_panels(stage, panels, err);
    if (status == TAL_OK) {
        status = write_file(stage, &panels[0], err);
    }
    tal_memory_destroy(panels[0].height);
    tal_memory_destroy(panels[1].height);
    tal_memory_destroy(rgb);
    return status;
}
