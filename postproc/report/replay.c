// SPDX-License-Identifier: GPL-3.0-or-later
// The 3D replay inside the report.
#include "postproc/report/replay.h"

#include "core/app/html.h"
#include "core/base/memory.h"
#include "postproc/report/photo.h"

#include <math.h>
#include <stdio.h>

// Without a graphics card 30,000 triangles still turn smoothly; the grid has at most 28,800.
enum { TERRAIN_FACES_MAX = 30000, TERRAIN_SIDE_MAX = 120 };

typedef struct {
    double low[3];
    double step[3]; // metres per unit of the 16-bit numbers
} scale;

typedef struct {
    size_t node_count, face_count;
    float *node; // 3 per node
    uint32_t *face;
} mesh;

static void mesh_destroy(mesh *m) {
    tal_memory_destroy(m->node);
    tal_memory_destroy(m->face);
}

// A mesh of grid cells, every `stride`-th: one node per cell centre with a finite height and, when
// `mask` is given, with a cell of the mask around it; heights from the origin.
static tal_status mesh_from_raster(mesh *m, const tal_grid *grid, const float *height, double zero,
                                   const uint8_t *mask, int32_t stride, tal_error *err) {
    const int32_t columns = (grid->columns + stride - 1) / stride;
    const int32_t rows = (grid->rows + stride - 1) / stride;
    int32_t *number;
    *m = (mesh){0};
    TAL_CREATE(number, (size_t)columns * (size_t)rows, "a mesh for the replay", err);
    m->node = tal_memory_create(3 * (size_t)columns * (size_t)rows, sizeof *m->node);
    m->face = tal_memory_create(6 * (size_t)columns * (size_t)rows, sizeof *m->face);
    if (m->node == NULL || m->face == NULL) {
        tal_memory_destroy(number);
        mesh_destroy(m);
        return tal_memory_failed(err, "a mesh for the replay", (size_t)columns * (size_t)rows, 36);
    }
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t c = 0; c < columns; c++) {
            const size_t cell = (size_t)(r * stride) * (size_t)grid->columns + (size_t)(c * stride);
            double x, y;
            tal_grid_centre(grid, c * stride, r * stride, &x, &y);
            number[r * columns + c] = -1;
            if (!isfinite(height[cell]) || (mask != NULL && mask[cell] == 0)) {
                continue;
            }
            float *node = &m->node[3 * m->node_count];
            node[0] = (float)x;
            node[1] = (float)y;
            node[2] = (float)((double)height[cell] - zero);
            number[r * columns + c] = (int32_t)m->node_count++;
        }
    }
    for (int32_t r = 0; r + 1 < rows; r++) {
        for (int32_t c = 0; c + 1 < columns; c++) {
            const int32_t corner[4] = {number[r * columns + c], number[(r + 1) * columns + c],
                                       number[(r + 1) * columns + c + 1],
                                       number[r * columns + c + 1]};
            const int pick[2][3] = {{0, 1, 2}, {0, 2, 3}};
            for (int t = 0; t < 2; t++) {
                const int32_t a = corner[pick[t][0]], b = corner[pick[t][1]],
                              d = corner[pick[t][2]];
                if (a >= 0 && b >= 0 && d >= 0) {
                    uint32_t *face = &m->face[3 * m->face_count++];
                    face[0] = (uint32_t)a;
                    face[1] = (uint32_t)b;
                    face[2] = (uint32_t)d;
                }
            }
        }
    }
    tal_memory_destroy(number);
    return TAL_OK;
}

static tal_status mesh_from_ground(mesh *m, const tal_ground_mesh *ground, tal_error *err) {
    *m = (mesh){.node_count = (size_t)ground->node_count, .face_count = (size_t)ground->face_count};
    TAL_CREATE(m->node, 3 * m->node_count + 1, "a mesh for the replay", err);
    TAL_CREATE(m->face, 3 * m->face_count + 1, "a mesh for the replay", err);
    for (size_t i = 0; i < 3 * m->node_count; i++) {
        m->node[i] = (float)ground->node[i];
    }
    for (size_t i = 0; i < 3 * m->face_count; i++) {
        m->face[i] = (uint32_t)ground->face[i];
    }
    return TAL_OK;
}

// The solver's own triangles as long as a browser can turn them smoothly, else a coarser grid.
static tal_status make_terrain(mesh *m, const tal_back_analysis *a, const tal_ground_mesh *ground,
                               tal_error *err) {
    if (ground->face_count > 0 && ground->face_count <= TERRAIN_FACES_MAX) {
        return mesh_from_ground(m, ground, err);
    }
    const tal_grid *grid = &a->survey.grid;
    const int32_t longest = grid->columns > grid->rows ? grid->columns : grid->rows;
    const int32_t stride = longest / TERRAIN_SIDE_MAX + 1;
    return mesh_from_raster(m, grid, a->survey.bed.value, (double)a->survey.origin.height, NULL,
                            stride, err);
}

static void widen(double low[3], double high[3], const float *point) {
    for (int i = 0; i < 3; i++) {
        if (isfinite(point[i])) {
            low[i] = fmin(low[i], (double)point[i]);
            high[i] = fmax(high[i], (double)point[i]);
        }
    }
}

// Blocks that flew off over the rim may be anywhere: the box holds the ground and a margin, and
// what is outside is drawn at its edge.
static scale fit_scale(const mesh *terrain, const tal_run_record *motion) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < terrain->node_count; i++) {
        widen(low, high, &terrain->node[3 * i]);
    }
    for (int32_t b = 0; b < motion->block_count; b++) {
        for (int32_t f = 0; f < motion->frame_count; f++) {
            if (motion->left[b] == 0) {
                widen(low, high, &motion->position[3 * tal_run_record_index(motion, f, b)]);
            }
        }
    }
    scale s;
    for (int i = 0; i < 3; i++) {
        if (!(low[i] <= high[i])) {
            low[i] = high[i] = 0.0;
        }
        const double margin = 0.02 * (high[i] - low[i]) + 1.0;
        s.low[i] = low[i] - margin;
        s.step[i] = (high[i] - low[i] + 2.0 * margin) / 65535.0;
    }
    return s;
}

static uint16_t quantise(const scale *s, int axis, double value) {
    const double q = round((value - s->low[axis]) / s->step[axis]);
    return (uint16_t)(q >= 65535.0 ? 65535.0 : q > 0.0 ? q : 0.0);
}

// "name": "base64", little-endian as every browser's machine is; byte order is made explicit.
static void append_blob(tal_text *text, const char *name, const void *bytes, size_t count) {
    tal_text_append(text, ",\n\"%s\":\"", name);
    tal_html_append_base64(text, bytes, count);
    tal_text_append(text, "\"");
}

static tal_status append_mesh(tal_text *text, const char *name, const mesh *m, const scale *s,
                              tal_error *err) {
    uint16_t *node;
    char blob[32];
    TAL_CREATE(node, 3 * m->node_count + 1, "a mesh for the replay", err);
    for (size_t i = 0; i < 3 * m->node_count; i++) {
        node[i] = quantise(s, (int)(i % 3), (double)m->node[i]);
    }
    (void)snprintf(blob, sizeof blob, "%s_node", name);
    append_blob(text, blob, node, 3 * m->node_count * sizeof *node);
    (void)snprintf(blob, sizeof blob, "%s_face", name);
    append_blob(text, blob, m->face, 3 * m->face_count * sizeof *m->face);
    tal_memory_destroy(node);
    return TAL_OK;
}

static tal_status append_shapes(tal_text *text, const tal_blocks *blocks, tal_error *err) {
    const size_t vertices = (size_t)blocks->vertex_start[blocks->count];
    const size_t faces = (size_t)blocks->face_start[blocks->count];
    float *vertex;
    TAL_CREATE(vertex, 3 * vertices + 1, "the blocks of the replay", err);
    for (size_t i = 0; i < 3 * vertices; i++) {
        vertex[i] = (float)blocks->vertex[i];
    }
    append_blob(text, "vertex", vertex, 3 * vertices * sizeof *vertex);
    tal_memory_destroy(vertex);
    append_blob(text, "vertex_start", blocks->vertex_start,
                ((size_t)blocks->count + 1) * sizeof *blocks->vertex_start);
    append_blob(text, "face_start", blocks->face_start,
                ((size_t)blocks->count + 1) * sizeof *blocks->face_start);
    append_blob(text, "corner_start", blocks->corner_start,
                (faces + 1) * sizeof *blocks->corner_start);
    uint8_t *corner;
    const size_t corners = (size_t)blocks->corner_start[faces];
    TAL_CREATE(corner, 2 * corners + 1, "the blocks of the replay", err);
    for (size_t i = 0; i < corners; i++) {
        corner[2 * i] = (uint8_t)(blocks->corner[i] & 255);
        corner[2 * i + 1] = (uint8_t)(blocks->corner[i] >> 8 & 255);
    }
    append_blob(text, "corner", corner, 2 * corners);
    tal_memory_destroy(corner);
    return TAL_OK;
}

// What a click on a block shows.
static tal_status append_numbers(tal_text *text, const tal_back_analysis *a, tal_error *err) {
    const tal_run_record *motion = &a->motion;
    float *number;
    enum { WIDTH = 5 };
    TAL_CREATE(number, WIDTH * (size_t)a->blocks.count, "the numbers of the blocks", err);
    for (int32_t b = 0; b < a->blocks.count; b++) {
        double fastest = 0.0, strongest = 0.0, way = 0.0;
        for (int32_t f = 0; f < motion->frame_count; f++) {
            double translation, rotation, step = 0.0;
            tal_blocks_energy(&a->blocks, motion, b, f, &translation, &rotation);
            fastest = fmax(fastest, sqrt(2.0 * translation / a->blocks.mass[b]));
            strongest = fmax(strongest, translation + rotation);
            for (size_t i = 0; i < 3 && f > 0; i++) {
                const double d =
                    (double)motion->position[3 * tal_run_record_index(motion, f, b) + i] -
                    (double)motion->position[3 * tal_run_record_index(motion, f - 1, b) + i];
                step += d * d;
            }
            way += isfinite(step) ? sqrt(step) : 0.0;
        }
        float *own = &number[WIDTH * b];
        own[0] = (float)a->blocks.volume[b];
        own[1] = (float)a->blocks.mass[b];
        own[2] = (float)fastest;
        own[3] = (float)strongest;
        own[4] = (float)way;
    }
    append_blob(text, "number", number, WIDTH * (size_t)a->blocks.count * sizeof *number);
    tal_memory_destroy(number);
    return TAL_OK;
}

// What blocks that deform can be coloured by; below 0: not given.
static tal_status append_tensions(tal_text *text, const tal_back_analysis *a, tal_error *err) {
    const tal_stress_record *stress = &a->motion.stress;
    float *tension;
    if (stress->soft_count == 0) {
        return TAL_OK;
    }
    TAL_CREATE(tension, (size_t)a->blocks.count, "the stresses of the blocks", err);
    for (int32_t b = 0; b < a->blocks.count; b++) {
        tension[b] = isfinite(stress->tension_pa[b]) ? (float)stress->tension_pa[b] : -1.0f;
    }
    append_blob(text, "tension", tension, (size_t)a->blocks.count * sizeof *tension);
    tal_memory_destroy(tension);
    if (isfinite(stress->strength_pa)) {
        tal_text_append(text, ",\n\"strength\":%.9g", stress->strength_pa);
    }
    return TAL_OK;
}

// Which frames are kept: the wanted rate, thinned further until they fit; the last one always is.
static int32_t choose_stride(const tal_run_record *motion, double frames_per_s, double bytes_max) {
    const double duration = motion->time[motion->frame_count - 1] - motion->time[0];
    const double per_frame = 14.0 * 4.0 / 3.0 * (double)motion->block_count;
    const double wanted = fmax(2.0, duration * frames_per_s + 1.0);
    const double fitting = fmax(2.0, bytes_max / per_frame);
    const double stride = ceil((double)motion->frame_count / fmin(wanted, fitting) - 1e-9);
    return stride < 1.0 ? 1 : (int32_t)stride;
}

static tal_status append_frames(tal_text *text, const tal_back_analysis *a, const scale *s,
                                int32_t stride, tal_error *err) {
    const tal_run_record *motion = &a->motion;
    const size_t blocks = (size_t)motion->block_count;
    const size_t kept = (size_t)((motion->frame_count - 1 + stride - 1) / stride) + 1;
    float *time = NULL;
    uint16_t *position = NULL;
    int16_t *turn = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(time, kept, "the frames of the replay", err);
    TAL_CREATE_OR_DONE(position, 3 * kept * blocks, "the frames of the replay", err);
    TAL_CREATE_OR_DONE(turn, 4 * kept * blocks, "the frames of the replay", err);
    for (size_t k = 0; k < kept; k++) {
        const int32_t wanted = (int32_t)k * stride;
        const int32_t frame = wanted < motion->frame_count ? wanted : motion->frame_count - 1;
        time[k] = (float)motion->time[frame];
        for (size_t b = 0; b < blocks; b++) {
            const size_t at = tal_run_record_index(motion, frame, (int32_t)b);
            for (size_t i = 0; i < 3; i++) {
                position[3 * (k * blocks + b) + i] =
                    quantise(s, (int)i, (double)motion->position[3 * at + i]);
            }
            for (size_t i = 0; i < 4; i++) {
                const double q = (double)motion->orientation[4 * at + i];
                turn[4 * (k * blocks + b) + i] =
                    (int16_t)lround(32767.0 * (isfinite(q) ? fmax(-1.0, fmin(1.0, q)) : 0.0));
            }
        }
    }
    append_blob(text, "time", time, kept * sizeof *time);
    append_blob(text, "position", position, 3 * kept * blocks * sizeof *position);
    append_blob(text, "turn", turn, 4 * kept * blocks * sizeof *turn);
done:
    tal_memory_destroy(time);
    tal_memory_destroy(position);
    tal_memory_destroy(turn);
    return status;
}

// The surveyed deposit as a skin at the height of the later survey.
static tal_status append_surveyed(tal_text *text, const tal_back_analysis *a, const scale *s,
                                  tal_error *err) {
    const tal_surveyed *survey = &a->survey;
    const size_t cells = tal_grid_cell_count(&survey->grid);
    uint8_t *mask;
    TAL_CREATE(mask, cells, "the surveyed deposit", err);
    for (size_t i = 0; i < cells; i++) {
        mask[i] = tal_surveyed_has_deposit(survey, i) ? 1 : 0;
    }
    mesh skin;
    const int32_t longest =
        survey->grid.columns > survey->grid.rows ? survey->grid.columns : survey->grid.rows;
    tal_status status =
        mesh_from_raster(&skin, &survey->grid, survey->after.value, (double)survey->origin.height,
                         mask, longest / 400 + 1, err);
    tal_memory_destroy(mask);
    TAL_TRY(status);
    status = append_mesh(text, "surveyed", &skin, s, err);
    mesh_destroy(&skin);
    return status;
}

tal_status tal_replay_append(tal_text *text, const tal_back_analysis *a,
                             const tal_ground_mesh *ground, const tal_settings *settings,
                             tal_error *err) {
    mesh terrain;
    TAL_TRY(make_terrain(&terrain, a, ground, err));
    const scale s = fit_scale(&terrain, &a->motion);
    tal_text_append(
        text,
        "{\"blocks\":%d,\n\"zero\":%lld,\n\"low\":[%.9g,%.9g,%.9g],\n\"step\":[%.9g,%.9g,%.9g]",
        (int)a->blocks.count, (long long)a->survey.origin.height, s.low[0], s.low[1], s.low[2],
        s.step[0], s.step[1], s.step[2]);
    tal_status status = append_mesh(text, "terrain", &terrain, &s, err);
    mesh_destroy(&terrain);
    TAL_TRY(status);
    if (a->has_survey_deposit) {
        TAL_TRY(append_surveyed(text, a, &s, err));
    }
    TAL_TRY(append_shapes(text, &a->blocks, err));
    TAL_TRY(append_numbers(text, a, err));
    TAL_TRY(append_tensions(text, a, err));
    TAL_TRY(append_frames(text, a, &s,
                          choose_stride(&a->motion, settings->report.replay_frames_per_s,
                                        settings->report.replay_mb * 1e6),
                          err));
    TAL_TRY(tal_photo_append(text, a, settings, err));
    tal_text_append(text, "}\n");
    return text->failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the replay") : TAL_OK;
}
