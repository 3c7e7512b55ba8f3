// SPDX-License-Identifier: GPL-3.0-or-later
// A project of Rockyfor3D as a site file of talus.
#include "core/base/memory.h"
#include "core/base/settings.h"
#include "core/base/text.h"
#include "pipelines/rockyfor3d/project.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const tal_rf_project *project;
    const char *out;
    tal_overwrite overwrite;
    tal_text text;
} writer;

static size_t cells_of(const tal_rf_project *p) {
    return tal_grid_cell_count(&p->grid[TAL_RF_DEM].grid);
}

static bool is_source(const tal_rf_project *p, size_t cell) {
    return p->grid[TAL_RF_ROCKDENSITY].value[cell] > 0.0F;
}

// Mean over the source cells (or all cells above 0 of `where`), NaN without any.
static double mean_of(const tal_rf_project *p, tal_rf_grid grid, tal_rf_grid where) {
    double sum = 0.0;
    int64_t count = 0;
    for (size_t k = 0; k < cells_of(p); k++) {
        if (p->grid[where].value[k] > 0.0F && isfinite(p->grid[grid].value[k])) {
            sum += (double)p->grid[grid].value[k];
            count++;
        }
    }
    return count > 0 ? sum / (double)count : NAN;
}

static void append_path(writer *w, const char *key, tal_rf_grid grid) {
    char name[64];
    tal_rf_file(w->project, grid, name);
    tal_text_append(&w->text, "%s = %s/%s\n", key, w->project->folder, name);
}

static void append_more(writer *w, tal_rf_grid grid) {
    char name[64];
    tal_rf_file(w->project, grid, name);
    tal_text_append(&w->text, "    %s/%s\n", w->project->folder, name);
}

// The form that most source cells ask for.
static const char *form_of(const tal_rf_project *p) {
    static const char *const forms[] = {"equant", "cube", "equant", "sphere", "platy"};
    int64_t count[5] = {0};
    int best = 2;
    for (size_t k = 0; k < cells_of(p); k++) {
        const float shape = p->grid[TAL_RF_BLSHAPE].value[k];
        if (is_source(p, k) && shape >= 0.0F && shape <= 4.0F) {
            count[(int)shape]++;
        }
    }
    for (int k = 1; k < 5; k++) {
        best = count[k] > count[best] ? k : best;
    }
    return forms[best];
}

static int soil_of(const tal_rf_project *p, size_t cell) {
    const float soil = p->grid[TAL_RF_SOILTYPE].value[cell];
    return soil >= 0.0F && soil <= 7.0F ? (int)soil : 0;
}

// Obstacles of the height rg70 are met at 70 % of the impacts, rg20 and rg10 at 20 and 10 %: the mean height
// over the cells of a soil type, 0 where none is given.
static double obstacle_height(const tal_rf_project *p, int soil) {
    static const struct {
        tal_rf_grid grid;
        double share;
    } part[] = {{TAL_RF_RG70, 0.7}, {TAL_RF_RG20, 0.2}, {TAL_RF_RG10, 0.1}};
    double height = 0.0;
    for (size_t n = 0; n < sizeof part / sizeof *part; n++) {
        double sum = 0.0;
        int64_t count = 0;
        for (size_t k = 0; p->has[part[n].grid] && k < cells_of(p); k++) {
            const double value = (double)p->grid[part[n].grid].value[k];
            if (soil_of(p, k) == soil && isfinite(value)) {
                sum += value;
                count++;
            }
        }
        height += count > 0 ? part[n].share * sum / (double)count : 0.0;
    }
    return height;
}

static void append_ground(writer *w) {
    // Mean normal restitution of each soil type. Rockyfor3D lessens it with the speed of the impact, and
    // takes tangential losses from the roughness; here friction does that, and is to be calibrated.
    static const double rebound[] = {0.0, 0.23, 0.28, 0.33, 0.38, 0.43, 0.53, 0.35};
    if (!w->project->has[TAL_RF_SOILTYPE]) {
        return;
    }
    tal_text_append(&w->text, "ground_class = soil0\n"
                              "ground_class_names = soil1 soil2 soil3 soil4 soil5 soil6 soil7\n");
    append_path(w, "ground_classes", TAL_RF_SOILTYPE);
    bool is_used[8] = {false};
    for (size_t k = 0; k < cells_of(w->project); k++) {
        is_used[soil_of(w->project, k)] = true;
    }
    for (int k = 0; k < 8; k++) {
        if (is_used[k]) {
            tal_text_append(&w->text, "\n[pair.rock.soil%d]\nrestitution = %g\n", k, rebound[k]);
        }
        const double height = is_used[k] ? obstacle_height(w->project, k) : 0.0;
        if (height > 0.0) { // corners go up and down by half of it
            tal_text_append(&w->text, "\n[ground.soil%d]\nroughness_m = %.3g\n", k, 0.5 * height);
        }
    }
}

static void append_release(writer *w, int64_t per_cell) {
    int64_t sources = 0;
    for (size_t k = 0; k < cells_of(w->project); k++) {
        sources += is_source(w->project, k);
    }
    tal_text_append(&w->text,
                    "\n[release]\n# %lld source cells, %lld rocks from each.\nrocks = %lld\n",
                    (long long)sources, (long long)per_cell, (long long)(sources * per_cell));
    append_path(w, "from", TAL_RF_ROCKDENSITY);
    append_path(w, "diameters", TAL_RF_D1);
    append_more(w, TAL_RF_D2);
    append_more(w, TAL_RF_D3);
}

static void append_forest(writer *w) {
    const tal_rf_project *p = w->project;
    if (!p->has[TAL_RF_NRTREES] || !(mean_of(p, TAL_RF_NRTREES, TAL_RF_NRTREES) > 0.0)) {
        return;
    }
    tal_text_append(&w->text, "\n[forest]\n");
    append_path(w, "area", TAL_RF_NRTREES);
    append_path(w, "diameters", TAL_RF_DBHMEAN);
    if (p->has[TAL_RF_DBHSTD]) {
        append_more(w, TAL_RF_DBHSTD);
    }
    if (p->has[TAL_RF_CONIF_PERCENT]) {
        // Conifers about 1, broad-leaved trees as beech.
        const double conifers = mean_of(p, TAL_RF_CONIF_PERCENT, TAL_RF_NRTREES) / 100.0;
        tal_text_append(&w->text, "strength = %.3g\n", conifers + (1.0 - conifers) * 1.5);
    }
}

// --- nets ---

typedef struct {
    double x, y, along;
} corner;

static int by_place(const void *a, const void *b) {
    const double p = ((const corner *)a)->along, q = ((const corner *)b)->along;
    return (p > q) - (p < q);
}

// Direction in which points lie farthest apart.
static double long_axis(const corner *corners, int32_t count) {
    double mean[2] = {0, 0}, xx = 0, xy = 0, yy = 0;
    for (int32_t k = 0; k < count; k++) {
        mean[0] += corners[k].x / count;
        mean[1] += corners[k].y / count;
    }
    for (int32_t k = 0; k < count; k++) {
        const double x = corners[k].x - mean[0], y = corners[k].y - mean[1];
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    return 0.5 * atan2(2.0 * xy, xx - yy);
}

// One corner for each cell's length along the net: the mean of the cells there, however thick it is drawn.
static int32_t merge_thick(corner *corners, int32_t count, double cell) {
    const double first = corners[0].along - 0.5 * cell;
    int32_t kept = 0;
    for (int32_t k = 0, end; k < count; k = end) {
        const double slice = floor((corners[k].along - first) / cell);
        corner mean = {0};
        for (end = k; end < count && floor((corners[end].along - first) / cell) == slice; end++) {
            mean.x += corners[end].x;
            mean.y += corners[end].y;
        }
        corners[kept++] = (corner){mean.x / (end - k), mean.y / (end - k), corners[k].along};
    }
    return kept;
}

// The middle line of the cells of one net, from the rim of its first cell to that of its last.
static tal_status find_net(const writer *w, int number, corner **corners, int32_t *count,
                           tal_error *err) {
    const tal_raster *nets = &w->project->grid[TAL_RF_NET_NUMBER];
    const tal_grid *g = &nets->grid;
    *count = 0;
    TAL_CREATE(*corners, cells_of(w->project) + 2, "a net", err);
    corner *inner = *corners + 1;
    for (size_t k = 0; k < cells_of(w->project); k++) {
        if (nets->value[k] == (float)number) {
            corner *c = &inner[(*count)++];
            tal_grid_centre(g, (int32_t)(k % (size_t)g->columns), (int32_t)(k / (size_t)g->columns),
                            &c->x, &c->y);
        }
    }
    const double angle = long_axis(inner, *count);
    for (int32_t k = 0; k < *count; k++) {
        inner[k].along = inner[k].x * cos(angle) + inner[k].y * sin(angle);
    }
    qsort(inner, (size_t)*count, sizeof *inner, by_place);
    *count = merge_thick(inner, *count, g->cell);
    const double reach = 0.5 * g->cell - 0.001; // nets that follow one another do not touch
    const double half[2] = {reach * cos(angle), reach * sin(angle)};
    const corner last = inner[*count - 1];
    (*corners)[0] = (corner){inner[0].x - half[0], inner[0].y - half[1], 0.0};
    inner[*count] = (corner){last.x + half[0], last.y + half[1], 0.0};
    *count += 2;
    return TAL_OK;
}

static double greatest(const writer *w, tal_rf_grid grid, int number) {
    double most = 0.0;
    for (size_t k = 0; k < cells_of(w->project); k++) {
        if (w->project->grid[TAL_RF_NET_NUMBER].value[k] == (float)number &&
            isfinite(w->project->grid[grid].value[k])) {
            most = fmax(most, (double)w->project->grid[grid].value[k]);
        }
    }
    return most;
}

static tal_status write_text(const writer *w, const char *name, const tal_text *text,
                             tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_output output;
    if (text->failed) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for %s", name);
    }
    if (!tal_path_join(path, w->out, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s/%s: the path is too long", w->out, name);
    }
    TAL_TRY(tal_output_open(&output, path, w->overwrite, err));
    tal_output_write(&output, tal_text_string(text), text->length);
    return tal_output_commit(&output, err);
}

// A table with one line as text, which has no coordinate system of its own: that of the study holds.
static tal_status write_net(const writer *w, int number, const char *name, const corner *corners,
                            int32_t count, tal_error *err) {
    tal_text text = {0};
    tal_text_append(&text, "net,WKT\n%d,\"LINESTRING (", number);
    for (int32_t k = 0; k < count; k++) {
        tal_text_append(&text, "%s%.3f %.3f", k > 0 ? ", " : "", corners[k].x, corners[k].y);
    }
    tal_text_append(&text, ")\"\n");
    const tal_status status = write_text(w, name, &text, err);
    tal_text_destroy(&text);
    return status;
}

static tal_status append_net(writer *w, int number, tal_error *err) {
    corner *corners = NULL;
    int32_t count = 0;
    char name[32];
    snprintf(name, sizeof name, "net%d.csv", number);
    TAL_TRY(find_net(w, number, &corners, &count, err));
    const tal_status status = write_net(w, number, name, corners, count, err);
    tal_memory_destroy(corners);
    tal_text_append(&w->text, "\n[barrier.net%d]\nplace = %s\nheight_m = %g\ncapacity_kj = %g\n",
                    number, name, greatest(w, TAL_RF_NET_HEIGHT, number),
                    greatest(w, TAL_RF_NET_ENERGY, number));
    return status;
}

static tal_status append_nets(writer *w, tal_error *err) {
    bool is_there[1000] = {false};
    int count = 0;
    for (size_t k = 0; w->project->has[TAL_RF_NET_NUMBER] && k < cells_of(w->project); k++) {
        const float number = w->project->grid[TAL_RF_NET_NUMBER].value[k];
        if (number >= 1.0F && number < 1000.0F) {
            is_there[(int)number] = true;
        }
    }
    for (int number = 1; number < 1000; number++) {
        if (is_there[number] && ++count > TAL_REPEAT_MAX) {
            return TAL_FAIL(err, TAL_TOO_LARGE,
                            "more than %d nets in net_number: run the project in parts",
                            TAL_REPEAT_MAX);
        }
        if (is_there[number]) {
            TAL_TRY(append_net(w, number, err));
        }
    }
    return TAL_OK;
}

// 10 ms for rocks of a metre, less for smaller ones: docs/rockfall.md, "Time, memory, interruptions".
static void append_solve(writer *w) {
    double size = 1.0;
    for (int k = 0; k < 3; k++) {
        size *= cbrt(mean_of(w->project, (tal_rf_grid)(TAL_RF_D1 + k), TAL_RF_ROCKDENSITY));
    }
    tal_text_append(&w->text, "\n[solve]\ndt_s = %.1g\n", fmin(0.01, 0.01 * size));
}

tal_status tal_rf_write_site(const tal_rf_project *p, const char *out, const char *crs,
                             int64_t per_cell, tal_overwrite overwrite, tal_error *err) {
    writer w = {.project = p, .out = out, .overwrite = overwrite};
    const double cell = p->grid[TAL_RF_DEM].grid.cell;
    if (!(mean_of(p, TAL_RF_ROCKDENSITY, TAL_RF_ROCKDENSITY) > 0.0)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: no cell of rockdensity is above 0: there is no source", p->folder);
    }
    tal_text_append(&w.text, "# From the Rockyfor3D project in %s.\n[site]\n", p->folder);
    append_path(&w, "before", TAL_RF_DEM);
    // Grids as text do not say in which unit they are; those of Rockyfor3D are in metres.
    tal_text_append(&w.text, "crs = %s\n%s\n[ingest]\ncell_m = %g\nground = none\n", crs,
                    strcmp(crs, "local") != 0 ? "before_unit = m\n" : "", cell);
    tal_text_append(&w.text,
                    "\n[mesh]\nblocks = forms\nforms = %s\ndensity_kg_m3 = %.6g\n"
                    "mesh_error_m = %g\n",
                    form_of(p), mean_of(p, TAL_RF_ROCKDENSITY, TAL_RF_ROCKDENSITY), 0.1 * cell);
    append_ground(&w);
    append_release(&w, per_cell);
    append_forest(&w);
    tal_status status = append_nets(&w, err);
    append_solve(&w);
    tal_text_append(&w.text, "\n[report]\ntitle = %s\nrockyfor3d = yes\n",
                    tal_path_name(p->folder));
    status = status == TAL_OK ? write_text(&w, "site.ini", &w.text, err) : status;
    tal_text_destroy(&w.text);
    return status;
}
