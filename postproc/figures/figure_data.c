// SPDX-License-Identifier: GPL-3.0-or-later
// What the figures show, as small text tables.
#include "postproc/figures/figure_data.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "postproc/figures/graticule.h"
#include "postproc/measure/region.h"
#include "postproc/report/image.h"
#include "postproc/report/report_map.h"

#include <math.h>
#include <stdio.h>

static tal_status write_table(const tal_output_place *place, const char *name, tal_text *text,
                              tal_error *err) {
    char path[96];
    (void)snprintf(path, sizeof path, "figures/%s", name);
    return tal_output_write_made(place, path, text, TAL_OK, err);
}

static tal_status write_outline(const tal_back_analysis *a, tal_region region, const char *name,
                                const tal_output_place *place, tal_error *err) {
    tal_outline outline;
    tal_text text = {0};
    TAL_TRY(tal_region_outline(&outline, a, region, &a->survey.real_grid, err));
    tal_text_append(&text, "# outline: easting m, northing m\n");
    for (int32_t ring = 0; ring < outline.ring_count; ring++) {
        tal_text_append(&text, ">\n");
        const int32_t begin = outline.ring_start[ring], end = outline.ring_start[ring + 1];
        for (int32_t v = begin; v <= end; v++) {
            const int32_t at = v == end ? begin : v;
            tal_text_append(&text, "%.3f %.3f\n", outline.x[at], outline.y[at]);
        }
    }
    tal_outline_destroy(&outline);
    return write_table(place, name, &text, err);
}

static tal_status write_outlines(const tal_back_analysis *a, const tal_output_place *place,
                                 tal_error *err) {
    static const char *const NAME[] = {[TAL_REGION_SOURCE] = "source.txt",
                                       [TAL_REGION_SIMULATED] = "simulated.txt",
                                       [TAL_REGION_SURVEYED] = "surveyed.txt"};
    for (int region = 0; region < TAL_REGION_COUNT; region++) {
        TAL_TRY(write_outline(a, (tal_region)region, NAME[region], place, err));
    }
    return TAL_OK;
}

static tal_status write_flow_line(const tal_back_analysis *a, const tal_output_place *place,
                                  tal_error *err) {
    tal_text text = {0};
    tal_text_append(&text, "# flow line: easting m, northing m, distance from the crown m\n");
    for (int32_t i = 0; a->has_line && i < a->line.count; i++) {
        tal_text_append(&text, "%.3f %.3f %.3f\n", a->line.x[i] + (double)a->survey.origin.east,
                        a->line.y[i] + (double)a->survey.origin.north, a->line.s[i]);
    }
    if (a->has_line && tal_back_analysis_line_end(a) > a->line.s[a->line.count - 1]) {
        double x, y;
        tal_flow_line_point(&a->line, tal_back_analysis_line_end(a), &x, &y);
        tal_text_append(&text, "%.3f %.3f %.3f\n", x + (double)a->survey.origin.east,
                        y + (double)a->survey.origin.north, tal_back_analysis_line_end(a));
    }
    return write_table(place, "flow_line.txt", &text, err);
}

static void append_or_nan(tal_text *text, double value) {
    if (isfinite(value)) {
        tal_text_append(text, " %.4f", value);
    } else {
        tal_text_append(text, " NaN");
    }
}

static double sample(const tal_raster *raster, const tal_grid *grid, double x, double y) {
    tal_raster moved = *raster;
    moved.grid = *grid;
    return moved.value == NULL ? NAN : tal_raster_sample(&moved, x, y);
}

// A surface is drawn only where it leaves the bed, so that no line hides another.
static double unless_bed(double height, double bed, double least) {
    return fabs(height - bed) > least ? height : NAN;
}

// Heights along the flow line, from a little behind the crown to beyond the toes.
static tal_status write_profile(const tal_back_analysis *a, const tal_output_place *place,
                                tal_error *err) {
    tal_text text = {0};
    const tal_surveyed *s = &a->survey;
    tal_text_append(&text,
                    "# along the flow line: distance from the crown m; heights m of the bed, "
                    "before, after, simulated surface (NaN where it is the bed)\n");
    if (a->has_line) {
        const double far = tal_back_analysis_line_end(a);
        const double begin = -0.06 * far, end = 1.16 * far;
        const int count = 600;
        for (int i = 0; i <= count; i++) {
            double x, y;
            const double at = begin + (end - begin) * i / count;
            tal_flow_line_point(&a->line, at, &x, &y);
            tal_text_append(&text, "%.3f", at);
            const double bed = sample(&s->bed, &s->grid, x, y);
            const double lod = fmax(0.01, sample(&s->lod, &s->grid, x, y));
            append_or_nan(&text, bed);
            append_or_nan(&text, unless_bed(sample(&s->before, &s->grid, x, y), bed, lod));
            append_or_nan(&text, unless_bed(sample(&s->after, &s->grid, x, y), bed, lod));
            append_or_nan(&text,
                          unless_bed(sample(&a->deposit.surface, &s->grid, x, y), bed, 0.01));
            tal_text_append(&text, "\n");
        }
    }
    return write_table(place, "profile.txt", &text, err);
}

// Volume per metre along the flow line, in some sixty bins.
static tal_status write_mass(const tal_back_analysis *a, const tal_output_place *place,
                             tal_error *err) {
    enum { BINS = 60 };
    double simulated[BINS] = {0}, surveyed[BINS] = {0};
    tal_text text = {0};
    tal_text_append(&text, "# volume along the flow line: distance from the crown m; surveyed and "
                           "simulated m3 per m\n");
    if (a->has_line) {
        const tal_surveyed *s = &a->survey;
        const double far = tal_back_analysis_line_end(a);
        const double begin = -0.06 * far, width = 1.22 * far / BINS;
        const double area = tal_surveyed_cell_area(s);
        for (size_t i = 0; i < tal_grid_cell_count(&s->grid); i++) {
            double x, y;
            const double own = (double)a->deposit.thickness.value[i];
            const double theirs = tal_surveyed_has_deposit(s, i) && a->has_survey_deposit
                                      ? (double)s->deposit.value[i]
                                      : 0.0;
            if (!(own > 0.0) && !(theirs > 0.0)) {
                continue;
            }
            tal_grid_centre(&s->grid, (int32_t)(i % (size_t)s->grid.columns),
                            (int32_t)(i / (size_t)s->grid.columns), &x, &y);
            const double bin = floor((tal_flow_line_project(&a->line, x, y) - begin) / width);
            if (bin >= 0.0 && bin < BINS) {
                simulated[(int)bin] += own > 0.0 ? own * area / width : 0.0;
                surveyed[(int)bin] += theirs * area / width;
            }
        }
        for (int i = 0; i < BINS; i++) {
            tal_text_append(&text, "%.3f %.4f %.4f\n", begin + width * (i + 0.5), surveyed[i],
                            simulated[i]);
        }
    }
    return write_table(place, "mass.txt", &text, err);
}

// At most some 1500 points: a long run has a hundred thousand steps, a figure a thousand pixels.
static tal_status write_energy(const tal_back_analysis *a, const tal_output_place *place,
                               tal_error *err) {
    const tal_run_record *m = &a->motion;
    tal_text text = {0};
    tal_text_append(&text,
                    "# time s; potential energy released, kinetic (translation), kinetic "
                    "(rotation), dissipated along the normal, tangentially (both summed) J\n");
    const int32_t stride = m->step_count / 1500 + 1;
    double normal = 0.0, tangential = 0.0;
    for (int32_t i = 0; i < m->step_count; i++) {
        normal += fabs(m->dissipated_normal[i]);
        tangential += fabs(m->dissipated_tangential[i]);
        if (i % stride == 0 || i + 1 == m->step_count) {
            tal_text_append(&text, "%.5f %.6g %.6g %.6g %.6g %.6g\n", m->step_time[i],
                            m->potential[0] - m->potential[i], m->kinetic_translation[i],
                            m->kinetic_rotation[i], normal, tangential);
        }
    }
    return write_table(place, "energy.txt", &text, err);
}

static tal_status write_wanted_sizes(const tal_sieve *sieve, const tal_output_place *place,
                                     tal_error *err) {
    tal_text text = {0};
    tal_text_append(&text, "# block size (cube root of volume) m; share of the volume wanted in "
                           "blocks up to it %%\n");
    for (int i = 0; i < sieve->count; i++) {
        tal_text_append(&text, "%.5g %.5f\n", sieve->size[i], 100.0 * sieve->share[i]);
    }
    return write_table(place, "sizes_wanted.txt", &text, err);
}

static tal_status write_sizes(const tal_back_analysis *a, const tal_output_place *place,
                              tal_error *err) {
    const size_t n = (size_t)a->blocks.count;
    tal_text text = {0};
    double *volume, total, sum = 0.0;
    TAL_TRY(tal_sieve_sort_volumes(&a->blocks, &volume, &total, err));
    tal_text_append(&text, "# block size (cube root of volume) m; share of the volume in blocks up "
                           "to it %%; share of the blocks %%\n");
    const size_t stride = n / 1500 + 1;
    for (size_t i = 0; i < n; i++) {
        sum += volume[i];
        if (i % stride == 0 || i + 1 == n) {
            tal_text_append(&text, "%.5g %.5f %.5f\n", cbrt(volume[i]), 100.0 * sum / total,
                            100.0 * (double)(i + 1) / (double)n);
        }
    }
    tal_memory_destroy(volume);
    TAL_TRY(write_table(place, "sizes.txt", &text, err));
    return write_wanted_sizes(&a->sieve, place, err);
}

// The colours of the report's own map, so that all pictures agree.
static tal_status write_colours(const tal_back_analysis *a, const tal_output_place *place,
                                tal_error *err) {
    const double full = tal_report_thickness_scale(a);
    tal_text text = {0};
    for (int i = 0; i < 20; i++) {
        uint8_t low[3], high[3];
        tal_colour_thickness(i / 20.0, low);
        tal_colour_thickness((i + 1) / 20.0, high);
        tal_text_append(&text, "%g %d/%d/%d %g %d/%d/%d\n", full * i / 20.0, low[0], low[1], low[2],
                        full * (i + 1) / 20.0, high[0], high[1], high[2]);
    }
    tal_text_append(&text, "B 255/240/170\nF 84/18/30\nN 255/255/255\n");
    TAL_TRY(write_table(place, "thickness.cpt", &text, err));
    for (int i = -20; i < 20; i++) {
        uint8_t low[3], high[3];
        // Zero belongs to both sides: each piece takes the colours of its own.
        tal_colour_change(i < 0 ? i / 20.0 : i / 20.0 + 1e-9, low);
        tal_colour_change(i < 0 ? (i + 1) / 20.0 - 1e-9 : (i + 1) / 20.0, high);
        tal_text_append(&text, "%g %d/%d/%d %g %d/%d/%d\n", full * i / 20.0, low[0], low[1], low[2],
                        full * (i + 1) / 20.0, high[0], high[1], high[2]);
    }
    tal_text_append(&text, "B 127/44/0\nF 0/52/104\nN 255/255/255\n");
    return write_table(place, "difference.cpt", &text, err);
}

static tal_status write_graticule(const tal_back_analysis *a, const tal_output_place *place,
                                  tal_error *err) {
    tal_bounds sheet = tal_report_map_focus(a);
    sheet.west += (double)a->survey.origin.east;
    sheet.east += (double)a->survey.origin.east;
    sheet.south += (double)a->survey.origin.north;
    sheet.north += (double)a->survey.origin.north;
    tal_text line = {0}, label = {0};
    tal_text_append(&line, "# lines of equal longitude and latitude: easting m, northing m\n");
    const tal_status status = tal_graticule_write(&line, &label, a->survey.crs, &sheet, err);
    const tal_status written =
        tal_output_write_made(place, "figures/graticule.txt", &line, status, err);
    return tal_output_write_made(place, "figures/graticule_labels.txt", &label, written, err);
}

tal_status tal_figure_data_write(const tal_back_analysis *analysis, const tal_output_place *place,
                                 tal_error *err) {
    TAL_TRY(write_outlines(analysis, place, err));
    TAL_TRY(write_flow_line(analysis, place, err));
    if (place->settings->report.graticule == TAL_GRATICULE_DEGREES) {
        TAL_TRY(write_graticule(analysis, place, err));
    }
    TAL_TRY(write_profile(analysis, place, err));
    TAL_TRY(write_mass(analysis, place, err));
    TAL_TRY(write_energy(analysis, place, err));
    TAL_TRY(write_sizes(analysis, place, err));
    return write_colours(analysis, place, err);
}
