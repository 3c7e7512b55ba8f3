// SPDX-License-Identifier: GPL-3.0-or-later
// The GMT scripts of the figures: plain shell with the numbers of the study at their top, so that a
// user can change and run them again.
#include "postproc/figures/figure_scripts.h"

#include "core/geometry/angle.h"
#include "postproc/figures/graticule.h"
#include "postproc/figures/template.h"
#include "postproc/measure/region.h"
#include "postproc/report/report_map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double nice_step(double range, double parts) {
    const double raw = range / parts, unit = pow(10.0, floor(log10(raw)));
    const double share = raw / unit;
    return (share <= 1.0 ? 1.0 : share <= 2.0 ? 2.0 : share <= 5.0 ? 5.0 : 10.0) * unit;
}

// Region of a map in the study's coordinates, its size on paper, and the spacing of its ticks.
typedef struct {
    double west, east, south, north;
    double width_cm, height_cm;
    double tick;
} sheet;

static sheet map_sheet(const tal_back_analysis *a, double width_cm) {
    const tal_bounds b = tal_report_map_focus(a);
    const double east = (double)a->survey.origin.east, north = (double)a->survey.origin.north;
    sheet s = {b.west + east, b.east + east, b.south + north, b.north + north, width_cm, 0.0, 0.0};
    s.height_cm = width_cm * (b.north - b.south) / (b.east - b.west);
    s.tick = nice_step(b.east - b.west, width_cm / 2.2);
    return s;
}

static void set_region(tal_template_values *v, const sheet *s) {
    tal_template_set(v, "region", "%.3f/%.3f/%.3f/%.3f", s->west, s->east, s->south, s->north);
    tal_template_set(v, "width", "%.3f", s->width_cm);
    tal_template_set(v, "height", "%.3f", s->height_cm);
    tal_template_set(v, "tick", "%g", s->tick);
}

// A name from a file, safe between single quotes and without GMT's escapes.
static void set_plain(tal_template_values *v, const char *key, const char *name) {
    char plain[TAL_TEMPLATE_VALUE_SIZE];
    size_t used = 0;
    for (const char *c = name; *c != '\0' && used + 1 < sizeof plain; c++) {
        const bool is_plain = (*c >= ' ' && *c <= '~') && strchr("'\\@`$\"", *c) == NULL;
        plain[used++] = is_plain ? *c : '_';
    }
    plain[used] = '\0';
    tal_template_set(v, key, "%s", plain);
}

// Where the flow line meets the runout of a deposit.
static void set_toe(tal_template_values *v, const char *key, const tal_back_analysis *a,
                    tal_score_key runout) {
    double x, y;
    if (a->has_line && isfinite(a->scores.value[runout])) {
        tal_flow_line_point(&a->line, a->scores.value[runout], &x, &y);
        tal_template_set(v, key, "%.3f %.3f", x + (double)a->survey.origin.east,
                         y + (double)a->survey.origin.north);
    }
}

// How much rock a corner of the map hides, `share` of its width wide.
static size_t corner_cells(const tal_back_analysis *a, const tal_bounds *map, bool is_east,
                           bool is_north, double share) {
    const double side = share * (map->east - map->west);
    const tal_grid *grid = &a->survey.grid;
    size_t count = 0;
    for (size_t cell = 0; cell < tal_grid_cell_count(grid); cell++) {
        double x, y;
        tal_grid_centre(grid, (int32_t)(cell % (size_t)grid->columns),
                        (int32_t)(cell / (size_t)grid->columns), &x, &y);
        const double from_side = is_east ? map->east - x : x - map->west;
        const double from_end = is_north ? map->north - y : y - map->south;
        if (from_side >= 0.0 && from_side < side && from_end >= 0.0 && from_end < side) {
            for (int region = 0; region < tal_region_count(a); region++) {
                count += tal_region_holds(a, (tal_region)region, cell);
            }
        }
    }
    return count;
}

// The globe stands where it hides less: the other two corners have the arrow and the scale.
static void set_inset(tal_template_values *v, const tal_back_analysis *a, const tal_bounds *map,
                      const sheet *s) {
    double longitude, latitude;
    if (tal_graticule_find_place(a->survey.crs, 0.5 * (s->west + s->east),
                                 0.5 * (s->south + s->north), &longitude, &latitude)) {
        const double share = 2.6 / s->width_cm;
        const bool is_left =
            corner_cells(a, map, false, true, share) <= corner_cells(a, map, true, false, share);
        tal_template_set(v, "longitude", "%.4f", longitude);
        tal_template_set(v, "latitude", "%.4f", latitude);
        tal_template_set(v, "inset", "%s", is_left ? "TL" : "BR");
    }
}

static void set_map(tal_template_values *v, const tal_back_analysis *a) {
    const tal_bounds focus = tal_report_map_focus(a);
    const double tall = (focus.north - focus.south) / (focus.east - focus.west);
    const bool is_tall = tall > 1.05;
    const sheet s = map_sheet(a, is_tall ? fmax(8.0, 16.5 / tall) : 16.0);
    const double bar = nice_step(s.east - s.west, 6.0);
    const double cm = (s.east - s.west) / s.width_cm; // metres on the ground per cm on paper
    const double x = s.west + 0.7 * cm, y = s.south + 0.55 * cm;
    const tal_crs_info *crs = tal_crs_get_info(a->survey.crs);
    set_region(v, &s);
    set_inset(v, a, &focus, &s);
    set_toe(v, "toe_surveyed", a, TAL_SCORE_runout_surveyed_m);
    set_toe(v, "toe_simulated", a, TAL_SCORE_runout_simulated_m);
    set_plain(v, "crs", crs->is_local ? "Local coordinates" : crs->name);
    tal_template_set(v, "tall", "%s", is_tall ? "yes" : "");
    tal_template_set(v, "least_thickness", "%s", a->survey.epochs == 2 ? "../lod.tif" : "0.000001");
    tal_template_set(v, "bar_box", "%.3f %.3f", x + bar / 2.0, y + 0.2 * cm);
    tal_template_set(v, "bar_box_width", "%.4f", bar / (s.east - s.west) * s.width_cm + 0.8);
    tal_template_set(v, "bar_begin", "%.3f %.3f", x, y);
    tal_template_set(v, "bar_end", "%.3f %.3f", x + bar, y);
    tal_template_set(v, "bar_middle", "%.3f %.3f", x + bar / 2.0, y);
    tal_template_set(v, "bar_length", "%g", bar);
    tal_template_set(v, "north", "%.3f %.3f", s.east - 0.8 * cm, s.north - 1.1 * cm);
}

static bool has_two_epochs(const tal_back_analysis *a) {
    return a->survey.epochs == 2;
}

static void set_thickness(tal_template_values *v, const tal_back_analysis *a) {
    const tal_bounds b = tal_report_map_focus(a);
    const bool in_row = b.east - b.west < 1.1 * (b.north - b.south);
    sheet s = map_sheet(a, in_row ? 7.4 : 9.0);
    s.tick = nice_step(b.east - b.west, 4.0);
    set_region(v, &s);
    tal_template_set(v, "in_row", "%s", in_row ? "yes" : "");
    tal_template_set(v, "right", "%.3f", s.width_cm + 0.5);
    tal_template_set(v, "down", "%.3f", s.height_cm + 0.5);
    tal_template_set(v, "frame_a", "%s", in_row ? "WSne" : "Wsne");
    tal_template_set(v, "frame_c", "%s", in_row ? "wSne" : "WSne");
    // Left end and height of the two colour bars, from the corner of the last panel.
    const double x[2] = {in_row ? -1.5 * s.width_cm : s.width_cm + 1.5,
                         in_row ? 0.2 : s.width_cm + 1.5};
    const double y[2] = {in_row ? -1.9 : 0.5 * s.height_cm,
                         in_row ? -1.9 : 0.5 * s.height_cm - 2.3};
    tal_template_set(v, "colours_a", "%.2fc/%.2fc", x[0], y[0]);
    tal_template_set(v, "colours_c", "%.2fc/%.2fc", x[1], y[1]);
    tal_template_set(v, "colours_length", "%.2f", in_row ? 7.0 : s.width_cm - 2.0);
}

static bool has_line(const tal_back_analysis *a) {
    return a->has_line;
}

// The toe, and the angle at which the crown is seen from it.
static void set_fall(tal_template_values *v, const char *const key[2], const tal_back_analysis *a,
                     tal_score_key runout, tal_score_key mobility) {
    const double s = a->scores.value[runout];
    const double z = a->crown_height - s * a->scores.value[mobility];
    if (isfinite(s) && isfinite(z)) {
        tal_template_set(v, key[0], "%.3f %.3f", s, z);
        tal_template_set(v, key[1], "%.1f", tal_degrees(atan(a->scores.value[mobility])));
    }
}

static void set_profile(tal_template_values *v, const tal_back_analysis *a) {
    static const char *const SURVEYED[] = {"fall_surveyed", "angle_surveyed"};
    static const char *const SIMULATED[] = {"fall_simulated", "angle_simulated"};
    // The farther toe has room above it, the nearer one below.
    const bool goes_farther = !(a->scores.value[TAL_SCORE_runout_error_m] < 0.0);
    tal_template_set(v, "crown", "%.3f", a->crown_height);
    tal_template_set(v, "place_surveyed", "%s", goes_farther ? "TR" : "BL");
    tal_template_set(v, "place_simulated", "%s", goes_farther ? "BL" : "TR");
    if (a->has_survey_deposit) {
        set_fall(v, SURVEYED, a, TAL_SCORE_runout_surveyed_m, TAL_SCORE_fahrboeschung_surveyed);
    }
    set_fall(v, SIMULATED, a, TAL_SCORE_runout_simulated_m, TAL_SCORE_fahrboeschung_simulated);
}

static void set_energy(tal_template_values *v, const tal_back_analysis *a) {
    double most = 0.0;
    for (int32_t i = 0; i < a->motion.step_count; i++) {
        most = fmax(most, a->motion.potential[0] - a->motion.potential[i]);
        most = fmax(most, a->motion.kinetic_translation[i]);
    }
    tal_template_set(v, "joules", "%g",
                     most >= 1e12  ? 1e12
                     : most >= 1e9 ? 1e9
                     : most >= 1e6 ? 1e6
                                   : 1e3);
    tal_template_set(v, "unit", "%s",
                     most >= 1e12  ? "TJ"
                     : most >= 1e9 ? "GJ"
                     : most >= 1e6 ? "MJ"
                                   : "kJ");
}

static void set_point(tal_template_values *v, const char *const key[2],
                      const tal_volume_range *source, double value) {
    if (!isfinite(source->volume) || !isfinite(value)) {
        return;
    }
    tal_template_set(v, key[0], "%g %g", source->volume, value);
    if (isfinite(source->low) && isfinite(source->high)) {
        tal_template_set(v, key[1], "'%g %g' '%g %g'", fmax(source->low, 1e-3), value, source->high,
                         value);
    }
}

static void set_mobility(tal_template_values *v, const tal_back_analysis *a) {
    static const char *const SURVEYED[] = {"point_surveyed", "range_surveyed"};
    static const char *const SIMULATED[] = {"point_simulated", "range_simulated"};
    const tal_volume_range *source = &a->survey.source_volume;
    const double volume = source->volume > 0.0 ? source->volume : 1e4;
    tal_template_set(v, "low", "%g", pow(10.0, fmin(1.0, floor(log10(volume)) - 1.0)));
    tal_template_set(v, "high", "%g", pow(10.0, fmax(8.0, ceil(log10(volume)) + 1.0)));
    if (a->has_survey_deposit) {
        set_point(v, SURVEYED, source, a->scores.value[TAL_SCORE_fahrboeschung_surveyed]);
    }
    set_point(v, SIMULATED, source, a->scores.value[TAL_SCORE_fahrboeschung_simulated]);
}

static void set_sizes(tal_template_values *v, const tal_back_analysis *a) {
    const tal_sieve *sieve = &a->sieve;
    double least = sieve->count > 0 ? sieve->size[0] : INFINITY;
    double most = sieve->count > 0 ? sieve->size[sieve->count - 1] : 0.0;
    for (int32_t i = 0; i < a->blocks.count; i++) {
        least = fmin(least, cbrt(a->blocks.volume[i]));
        most = fmax(most, cbrt(a->blocks.volume[i]));
    }
    // Less than a decade reads better on an even axis.
    const bool is_log = most > 8.0 * least;
    tal_template_set(v, "low", "%.4g", is_log ? least / 1.3 : fmax(0.0, least - 0.1 * most));
    tal_template_set(v, "high", "%.4g", is_log ? most * 1.3 : 1.1 * most);
    tal_template_set(v, "log", "%s", is_log ? "l" : "");
    tal_template_set(v, "ticks", "%s", is_log ? "a2fg" : "afg");
    tal_template_set(v, "and_wanted", "%s",
                     sieve->count > 0 ? ", and the share by volume that was requested" : "");
    if (sieve->count > 0) {
        tal_template_set(v, "wanted", "%s", sieve->is_one_size ? "one size" : "by volume");
    }
}

// ---- The table -------------------------------------------------------------------------

typedef struct {
    const char *name; // its script is scripts/NAME.sh
    const char *title;
    const char *caption; // may have placeholders too
    bool is_wide;
    bool (*is_wanted)(const tal_back_analysis *a); // NULL: always
    void (*set_values)(tal_template_values *v,
                       const tal_back_analysis *a); // NULL: the common ones do
} figure_row;

static const figure_row FIGURES[] = {
    {"map", "Map",
     "Shaded bed, source, simulated thickness beyond the level of detection, outlines of both "
     "deposits and the flow line along which runout is measured. Coordinates: {{crs_words}}.",
     true, NULL, set_map},
    {"thickness", "Thickness, side by side",
     "Surveyed and simulated thickness beyond the level of detection, and their difference: blue "
     "where the simulation has too much, orange where it has too little. Coordinates: "
     "{{crs_words}}.",
     true, has_two_epochs, set_thickness},
    {"profile", "Along the flow line",
     "Heights along the flow line with the Fahrb\xc3\xb6schung from crown to toe, and the volume "
     "of the deposits per metre of the line.",
     true, has_line, set_profile},
    {"energy", "Energy over time",
     "Potential energy released since the start, what of it is kinetic, and what has been "
     "dissipated at contacts along their normal and tangentially.",
     false, NULL, set_energy},
    {"mobility", "How far for its size",
     "Fall height over runout against the volume of the source, with the lines of Scheidegger and "
     "Corominas; bars are the volume's 95 % interval.",
     false, NULL, set_mobility},
    {"sizes", "Block sizes",
     "Share of the rock, by volume and by number, in blocks up to a size{{and_wanted}}.", false,
     NULL, set_sizes},
};
static const int FIGURE_COUNT = sizeof FIGURES / sizeof *FIGURES;
_Static_assert(sizeof FIGURES / sizeof *FIGURES <= TAL_FIGURES_MAX, "TAL_FIGURES_MAX is too small");

static const char *words_of_crs(const tal_back_analysis *a) {
    const tal_crs_info *crs = tal_crs_get_info(a->survey.crs);
    return crs->is_local ? "local coordinates" : crs->name;
}

static tal_status write_figure(tal_figure_script *script, const figure_row *row,
                               const tal_back_analysis *a, bool in_degrees, tal_error *err) {
    tal_template_values values = {0};
    char file[64];
    tal_template_set(&values, "figure", "%s", row->name);
    tal_template_set(&values, "surveyed", "%s", a->has_survey_deposit ? "yes" : "");
    tal_template_set(&values, "line", "%s", a->has_line ? "yes" : "");
    tal_template_set(&values, "degrees", "%s", in_degrees ? "yes" : "");
    tal_template_set(&values, "crs_words", "%s", words_of_crs(a));
    if (row->set_values != NULL) {
        row->set_values(&values, a);
    }
    *script = (tal_figure_script){.name = row->name, .title = row->title, .is_wide = row->is_wide};
    (void)snprintf(file, sizeof file, "%s.sh", row->name);
    const char *built_in = tal_script_find(file);
    if (built_in == NULL) {
        return TAL_FAIL(err, TAL_NOT_FOUND, "postproc/figures/scripts has no %s", file);
    }
    TAL_TRY(tal_template_expand(&script->text, built_in, file, &values, err));
    TAL_TRY(tal_template_expand_line(&script->caption, row->caption, strlen(row->caption),
                                     row->name, &values, err));
    return script->text.failed || script->caption.failed
               ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the scripts of the figures")
               : TAL_OK;
}

tal_status tal_figure_scripts_create(tal_figure_scripts *scripts, const tal_back_analysis *a,
                                     const tal_settings *settings, tal_error *err) {
    const bool in_degrees = settings->report.graticule == TAL_GRATICULE_DEGREES &&
                            !tal_crs_get_info(a->survey.crs)->is_local;
    *scripts = (tal_figure_scripts){0};
    tal_status status = TAL_OK;
    for (int i = 0; i < FIGURE_COUNT && status == TAL_OK; i++) {
        if (FIGURES[i].is_wanted == NULL || FIGURES[i].is_wanted(a)) {
            status =
                write_figure(&scripts->script[scripts->count++], &FIGURES[i], a, in_degrees, err);
        }
    }
    if (status != TAL_OK) {
        tal_figure_scripts_destroy(scripts);
    }
    return status;
}

void tal_figure_scripts_destroy(tal_figure_scripts *scripts) {
    for (int i = 0; i < scripts->count; i++) {
        tal_text_destroy(&scripts->script[i].text);
        tal_text_destroy(&scripts->script[i].caption);
    }
    scripts->count = 0;
}
