// SPDX-License-Identifier: GPL-3.0-or-later
// [release], [barrier], [forest] and [target] against themselves and one another.
#include "core/app/release_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const tal_settings *settings;
    tal_error *err;
} check;

// --- distributions ---

typedef struct {
    const char *section, *key, *text;
    double low, high;
    tal_distribution *target;
    bool *is_given; // NULL: it always is
} draw_row;

static tal_status read_row(const draw_row *row, const tal_settings *settings, tal_error *err) {
    char where[2 * TAL_WHERE_SIZE];
    const bool is_given = row->text[0] != '\0';
    if (row->is_given != NULL) {
        *row->is_given = is_given;
    }
    if (!is_given && row->is_given != NULL) {
        return TAL_OK;
    }
    snprintf(where, sizeof where, "%s: [%s] %s", tal_settings_where(settings, row->text),
             row->section, row->key);
    return tal_distribution_parse(row->target, row->text, row->low, row->high, where, err);
}

tal_status tal_release_draws_read(tal_release_draws *d, const tal_settings *settings,
                                  tal_error *err) {
    const tal_release_settings *r = &settings->release;
    *d = (tal_release_draws){0};
    const draw_row rows[] = {
        {"release", "size_m", r->size_m, 0.001, 1000.0, &d->size, &d->has_size},
        {"release", "height_m", r->height_m, 0.0, 10000.0, &d->height, NULL},
        {"release", "speed_mps", r->speed_mps, 0.0, 1000.0, &d->speed, NULL},
        {"release", "direction_deg", r->direction_deg, -360.0, 720.0, &d->direction,
         &d->has_direction},
        {"release", "spin_radps", r->spin_radps, 0.0, 10000.0, &d->spin, NULL},
        {"forest", "diameter_cm", settings->forest.diameter_cm, 0.1, 2000.0, &d->diameter,
         &d->has_diameter},
    };
    tal_status status = TAL_OK;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const tal_status of_row = read_row(&rows[k], settings, err);
        status = status == TAL_OK ? of_row : status;
    }
    return status;
}

// --- places ---

// A value that was refused was stated: nothing follows from its absence.
static bool is_refused(const check *c, const char *section, const char *key) {
    char refused[2 * TAL_LABEL_SIZE + 32];
    (void)snprintf(refused, sizeof refused, "[%s] %s = ", section, key);
    return strstr(c->err->text, refused) != NULL;
}

static void check_place(check *c, const char *section, const char *label, const char *key,
                        const char *files, const char *inline_key, const tal_reals *points,
                        int least) {
    char name[2 * TAL_LABEL_SIZE];
    snprintf(name, sizeof name, "%s%s%s", section, label[0] != '\0' ? "." : "", label);
    const bool has_files = files[0] != '\0', has_points = points->count > 0;
    if (has_files && has_points) {
        tal_error_add(c->err, TAL_BAD_SETTING,
                      "%s: [%s] both %s and (at %s) %s give the place: keep only one of them",
                      tal_settings_where(c->settings, files), name, key,
                      tal_settings_where(c->settings, points), inline_key);
    } else if (!has_files && !has_points && !is_refused(c, name, inline_key)) {
        tal_error_add(c->err, TAL_BAD_SETTING,
                      "%s: [%s] does not say where it is: give %s = FILE, or %s with the easting "
                      "and northing of each point",
                      c->settings->site_file, name, key, inline_key);
    } else if (has_points && (points->count % 2 != 0 || points->count < 2 * least)) {
        tal_error_add(c->err, TAL_BAD_SETTING,
                      "%s: [%s] %s has %d numbers; it needs an easting and a northing for each "
                      "point, and at least %d point%s",
                      tal_settings_where(c->settings, points), name, inline_key, points->count,
                      least, least == 1 ? "" : "s");
    }
}

static void check_release(check *c) {
    const tal_release_settings *r = &c->settings->release;
    static const int least[] = {
        [TAL_PLACE_POINTS] = 1, [TAL_PLACE_LINE] = 2, [TAL_PLACE_POLYGON] = 3};
    check_place(c, "release", "", "from", r->from, "from_m", &r->from_m, least[r->from_is]);
    if (r->size_m[0] != '\0' && r->diameters[0] != '\0') {
        tal_error_add(c->err, TAL_BAD_SETTING,
                      "%s: [release] both size_m and (at %s) diameters give the size of the rocks: "
                      "keep only one of them",
                      tal_settings_where(c->settings, r->size_m),
                      tal_settings_where(c->settings, r->diameters));
    }
    if (c->settings->report.sensitivity) {
        tal_error_add(c->err, TAL_BAD_SETTING,
                      "%s: [report] sensitivity is for blocks that fall together: leave it out, "
                      "since a [release] reports its own scatter",
                      tal_settings_where(c->settings, &c->settings->report.sensitivity));
    }
}

// --- barriers ---

// Twice the signed area of the triangle abc.
static double turn_of(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool is_in_box(const double a[2], const double b[2], const double p[2]) {
    return p[0] >= fmin(a[0], b[0]) && p[0] <= fmax(a[0], b[0]) && p[1] >= fmin(a[1], b[1]) &&
           p[1] <= fmax(a[1], b[1]);
}

bool tal_segments_meet(const double a[2], const double b[2], const double c[2], const double d[2]) {
    const double abc = turn_of(a, b, c), abd = turn_of(a, b, d);
    const double cda = turn_of(c, d, a), cdb = turn_of(c, d, b);
    if (((abc > 0.0 && abd < 0.0) || (abc < 0.0 && abd > 0.0)) &&
        ((cda > 0.0 && cdb < 0.0) || (cda < 0.0 && cdb > 0.0))) {
        return true;
    }
    return (abc == 0.0 && is_in_box(a, b, c)) || (abd == 0.0 && is_in_box(a, b, d)) ||
           (cda == 0.0 && is_in_box(c, d, a)) || (cdb == 0.0 && is_in_box(c, d, b));
}

static bool lines_meet(const tal_reals *a, const tal_reals *b) {
    for (int i = 0; i + 3 < a->count; i += 2) {
        for (int k = 0; k + 3 < b->count; k += 2) {
            if (tal_segments_meet(&a->value[i], &a->value[i + 2], &b->value[k], &b->value[k + 2])) {
                return true;
            }
        }
    }
    return false;
}

static void check_stated(check *c, const tal_barrier_settings *b, double value, const char *key) {
    char name[2 * TAL_LABEL_SIZE];
    (void)snprintf(name, sizeof name, "barrier.%s", b->label);
    if (isnan(value) && !is_refused(c, name, key)) {
        tal_error_add(c->err, TAL_BAD_SETTING, "%s: [%s] must state %s",
                      tal_settings_where_in(c->settings, b, sizeof *b), name, key);
    }
}

static void check_barrier(check *c, int number) {
    const tal_barrier_settings *b = &c->settings->barrier[number];
    check_place(c, "barrier", b->label, "place", b->place, "line_m", &b->line_m, 2);
    check_stated(c, b, b->height_m, "height_m");
    check_stated(c, b, b->capacity_kj, "capacity_kj");
    for (int other = 0; other < number; other++) {
        const tal_barrier_settings *o = &c->settings->barrier[other];
        if (lines_meet(&o->line_m, &b->line_m)) {
            tal_error_add(c->err, TAL_BAD_SETTING,
                          "%s: [barrier.%s] overlaps [barrier.%s] of %s: a rock would hit both at "
                          "the same place. Move one of them, or merge them",
                          tal_settings_where(c->settings, &b->line_m), b->label, o->label,
                          tal_settings_where(c->settings, &o->line_m));
        }
    }
}

// --- forest ---

bool tal_forest_is_given(const tal_forest_settings *f) {
    return f->area[0] != '\0' || f->stems[0] != '\0' || !isnan(f->stems_per_ha);
}

static void check_forest(check *c) {
    const tal_forest_settings *f = &c->settings->forest;
    const char *where = tal_settings_where_in(c->settings, f, sizeof *f);
    const bool has_diameter = f->diameter_cm[0] != '\0' || f->diameters[0] != '\0';
    if (!tal_forest_is_given(f)) {
        if (has_diameter && !is_refused(c, "forest", "stems_per_ha")) {
            tal_error_add(c->err, TAL_BAD_SETTING,
                          "%s: [forest] has diameters but no stems: give stems_per_ha, or area = "
                          "FILE with a raster of stems per hectare, or stems = FILE",
                          where);
        }
        return;
    }
    if (f->stems[0] != '\0' && (f->area[0] != '\0' || !isnan(f->stems_per_ha) || has_diameter)) {
        tal_error_add(c->err, TAL_BAD_SETTING,
                      "%s: [forest] stems already lists every stem: leave out area, stems_per_ha "
                      "and diameters",
                      where);
    } else if (f->stems[0] == '\0' && !has_diameter) {
        tal_error_add(c->err, TAL_BAD_SETTING,
                      "%s: [forest] has stems but no diameters: give diameter_cm = 30, diameter_cm "
                      "= normal 30 10, or diameters = FILE",
                      where);
    }
}

// --- all ---

// What a release has no score for would count for nothing, in a calibration as well.
static void check_observed(check *c) {
    const tal_report_settings *r = &c->settings->report;
    const struct {
        const char *key;
        const double *value;
    } of_deposits[] = {{"runout_m", &r->runout_m}, {"fahrboeschung", &r->fahrboeschung}};
    for (size_t k = 0; k < sizeof of_deposits / sizeof *of_deposits; k++) {
        if (!isnan(*of_deposits[k].value)) {
            tal_error_add(c->err, TAL_BAD_SETTING,
                          "%s: [report] %s is for blocks that fall together: give [report] stops, "
                          "the places where rocks stopped",
                          tal_settings_where(c->settings, of_deposits[k].value),
                          of_deposits[k].key);
        }
    }
}

static void check_no_release(check *c) {
    const tal_settings *s = c->settings;
    const struct {
        const char *name;
        bool is_there;
        const void *section;
        size_t size;
    } needs[] = {
        {"barrier", s->barrier_count > 0, &s->barrier[0], sizeof s->barrier[0]},
        {"target", s->target_count > 0, &s->target[0], sizeof s->target[0]},
        {"forest", tal_forest_is_given(&s->forest), &s->forest, sizeof s->forest},
        {"release", s->release.from[0] != '\0' || s->release.from_m.count > 0, &s->release,
         sizeof s->release},
    };
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++) {
        if (needs[k].is_there) {
            tal_error_add(c->err, TAL_BAD_SETTING,
                          "%s: [%s] is for the rocks of a release: set [release] rocks = NUMBER",
                          tal_settings_where_in(s, needs[k].section, needs[k].size), needs[k].name);
        }
    }
    if (s->mesh.blocks == TAL_BLOCKS_FORMS) {
        tal_error_add(c->err, TAL_BAD_SETTING,
                      "%s: [mesh] blocks = forms is for the rocks of a release: set [release] "
                      "rocks = NUMBER and where they start",
                      tal_settings_where(s, &s->mesh.blocks));
    }
}

static void check_percentiles(check *c) {
    const tal_reals *percentiles = &c->settings->report.percentiles;
    if (percentiles->count == 0 && !is_refused(c, "report", "percentiles")) {
        tal_error_add(c->err, TAL_BAD_SETTING,
                      "%s: [report] percentiles is empty: give at least one, or leave it out",
                      tal_settings_where(c->settings, percentiles));
    }
}

void tal_release_check(const tal_settings *settings, tal_error *err) {
    check c = {settings, err};
    // A number that was refused is still a release: what else is wrong with it is told as well.
    if (settings->release.rocks == 0 && !is_refused(&c, "release", "rocks")) {
        check_no_release(&c);
        return;
    }
    tal_release_draws draws;
    check_release(&c);
    (void)tal_release_draws_read(&draws, settings, err);
    check_forest(&c);
    check_observed(&c);
    check_percentiles(&c);
    for (int k = 0; k < settings->barrier_count; k++) {
        check_barrier(&c, k);
    }
    for (int k = 0; k < settings->target_count; k++) {
        const tal_target_settings *t = &settings->target[k];
        check_place(&c, "target", t->label, "place", t->place, "line_m", &t->line_m, 2);
    }
}
