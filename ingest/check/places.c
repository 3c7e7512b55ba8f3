// SPDX-License-Identifier: GPL-3.0-or-later
// A thing that lies elsewhere is moved back by each of the usual mistakes; the one that brings it to
// the others is the reason.
#include "ingest/check/places.h"

#include <math.h>
#include <stdio.h>

static const double foot_m = 0.3048;

static const tal_bounds nowhere = {INFINITY, INFINITY, -INFINITY, -INFINITY};

static bool is_empty(tal_bounds b) {
    return !(b.west < b.east && b.south < b.north);
}

static tal_bounds common(tal_bounds a, tal_bounds b) {
    return (tal_bounds){fmax(a.west, b.west), fmax(a.south, b.south), fmin(a.east, b.east),
                        fmin(a.north, b.north)};
}

static bool meet(tal_bounds a, tal_bounds b) {
    return !is_empty(common(a, b));
}

static tal_bounds exchanged(tal_bounds b) {
    return (tal_bounds){b.south, b.west, b.north, b.east};
}

static tal_bounds times(tal_bounds b, double factor) {
    return (tal_bounds){b.west * factor, b.south * factor, b.east * factor, b.north * factor};
}

// A box in a file's own coordinates as the study sees it.
static tal_bounds to_study(const tal_survey_file *file, tal_bounds own) {
    double x[4] = {own.west, own.east, own.west, own.east};
    double y[4] = {own.south, own.south, own.north, own.north};
    double z[4] = {0};
    tal_bounds found = nowhere;
    tal_error ignored;
    tal_error_reset(&ignored);
    if (tal_crs_transform_apply(file->to_study, x, y, z, 4, &ignored) != TAL_OK) {
        return found;
    }
    for (int k = 0; k < 4; k++) {
        if (isfinite(x[k]) && isfinite(y[k])) {
            found.west = fmin(found.west, x[k]);
            found.east = fmax(found.east, x[k]);
            found.south = fmin(found.south, y[k]);
            found.north = fmax(found.north, y[k]);
        }
    }
    return found;
}

// What was done to a file that would lie at `target` without it; NULL: nothing usual.
static const char *mistake_of(const tal_survey_file *file, tal_bounds target) {
    if (meet(to_study(file, exchanged(file->own_bounds)), target)) {
        return "its axes are exchanged: it has east where north should be (or latitude where "
               "longitude should be). Write it again with x and y exchanged";
    }
    if (meet(to_study(file, times(file->own_bounds, foot_m)), target)) {
        return "its map is in feet, its coordinate system in metres. Name the right system";
    }
    if (meet(to_study(file, times(file->own_bounds, 1.0 / foot_m)), target)) {
        return "its map is in metres, its coordinate system in feet. Name the right system";
    }
    return NULL;
}

static void box_text(tal_bounds b, char *text, size_t size) {
    snprintf(text, size, "east %.0f to %.0f, north %.0f to %.0f", b.west, b.east, b.south, b.north);
}

// ---- The surveys -------------------------------------------------------------------------------

static const char *key_of(const tal_survey_reader *survey, const char *before, const char *after) {
    return survey->name[0] == 'b' ? before : after;
}

static bool blame_files(tal_case *site, const tal_survey_reader *survey, tal_bounds target) {
    bool blamed = false;
    for (int i = 0; i < survey->file_count; i++) {
        const tal_survey_file *file = &survey->file[i];
        const char *mistake = meet(file->bounds, target) ? NULL : mistake_of(file, target);
        if (mistake != NULL) {
            tal_findings_add(
                &site->findings, "axes", TAL_REFUSE, key_of(survey, "site.before", "site.after"),
                "%s does not overlap the other survey as it stands; %s", file->path, mistake);
            blamed = true;
        }
    }
    return blamed;
}

static void check_surveys_meet(tal_case *site) {
    const tal_survey_reader *before = &site->before.survey, *after = &site->after.survey;
    char a[128], b[128];
    if (site->epoch_count < 2 || meet(before->bounds, after->bounds)) {
        return;
    }
    const bool later = blame_files(site, after, before->bounds);
    if (!later && !blame_files(site, before, after->bounds)) {
        box_text(before->bounds, a, sizeof a);
        box_text(after->bounds, b, sizeof b);
        tal_findings_add(&site->findings, "overlap", TAL_REFUSE, "site.after",
                         "the earlier survey (%s) and the later one (%s) do not overlap; are "
                         "their coordinate systems right (before_crs, after_crs)?",
                         a, b);
    }
}

// Far outside of where its coordinate system is meant to be used.
static bool is_off_the_map(const tal_crs *crs, tal_bounds b) {
    double area[4], x = 0.5 * (b.west + b.east), y = 0.5 * (b.south + b.north);
    tal_crs *degrees = NULL;
    tal_error ignored;
    bool off = false;
    tal_error_reset(&ignored);
    if (!isfinite(x) || !isfinite(y) || !tal_crs_find_area(crs, area)) {
        return !isfinite(x) || !isfinite(y);
    }
    if (tal_crs_create(&degrees, "EPSG:4326", "", &ignored) == TAL_OK &&
        tal_crs_convert_flat(crs, degrees, "", &x, &y, 1, &ignored) == TAL_OK) {
        const double spare = 3.0; // degrees: systems are used somewhat beyond their area
        off = !(x > area[0] - spare && x < area[2] + spare && y > area[1] - spare &&
                y < area[3] + spare);
    }
    tal_crs_destroy(degrees);
    return off;
}

static void check_on_the_map(tal_case *site, const tal_survey_reader *survey) {
    const tal_crs *crs = site->study.crs;
    for (int i = 0; i < survey->file_count; i++) {
        const tal_survey_file *file = &survey->file[i];
        if (!is_off_the_map(crs, file->bounds)) {
            continue;
        }
        const bool turned = !is_off_the_map(crs, to_study(file, exchanged(file->own_bounds)));
        char box[128];
        box_text(file->own_bounds, box, sizeof box);
        tal_findings_add(&site->findings, turned ? "axes" : "map", TAL_REFUSE,
                         key_of(survey, "site.before", "site.after"),
                         "%s (%s) lies far outside the area in which %s is used; %s", file->path,
                         box, tal_crs_get_info(file->crs)->name,
                         turned ? "with its axes exchanged it lies inside. Write it again with x "
                                  "and y exchanged"
                                : "name the right coordinate system (before_crs, after_crs)");
    }
}

// A file that holds degrees by its tag and metres by its numbers is refused before it is read; what
// is left here is a survey that shares little with the other.
static void check_share(tal_case *site) {
    const tal_bounds a = site->before.survey.bounds, b = site->after.survey.bounds;
    const tal_bounds both = common(a, b);
    const double larger =
        fmax((a.east - a.west) * (a.north - a.south), (b.east - b.west) * (b.north - b.south));
    if (site->epoch_count < 2 || is_empty(both) || site->area.count > 0 ||
        site->settings->site.bounds_m.count == 4) {
        return;
    }
    const double share = (both.east - both.west) * (both.north - both.south) / larger;
    if (share < 0.6) {
        tal_findings_add(
            &site->findings, "overlap", TAL_WARN, "site.after",
            "the surveys overlap on only %.0f %% of the larger one; what fell or came to rest "
            "outside that is not seen. Set area = to confirm that this is intended",
            100.0 * share);
    }
}

// ---- Area of interest and outlines -------------------------------------------------------------

static tal_bounds polygon_bounds(const tal_polygons *p, int32_t polygon) {
    tal_bounds found = nowhere;
    const int32_t first = p->ring_start[p->polygon_start[polygon]];
    const int32_t end = p->ring_start[p->polygon_start[polygon] + 1]; // of the outer ring
    for (int32_t k = first; k < end; k++) {
        found.west = fmin(found.west, p->x[k]);
        found.east = fmax(found.east, p->x[k]);
        found.south = fmin(found.south, p->y[k]);
        found.north = fmax(found.north, p->y[k]);
    }
    return found;
}

// Each polygon by itself: one that is right does not excuse another.
static void check_outlines(tal_case *site, const tal_areas *areas, const char *key,
                           const char *what, tal_bounds data) {
    int number = 0;
    for (int i = 0; i < areas->count; i++) {
        for (int32_t k = 0; k < areas->polygons[i].polygon_count; k++) {
            const tal_bounds box = polygon_bounds(&areas->polygons[i], k);
            char a[128], b[128];
            number++;
            if (meet(box, data)) {
                continue;
            }
            box_text(box, a, sizeof a);
            box_text(data, b, sizeof b);
            tal_findings_add(&site->findings, "outline", TAL_REFUSE, key,
                             "polygon %d of the %s (%s) does not overlap the ground that the "
                             "surveys show (%s)%s",
                             number, what, a, b,
                             meet(exchanged(box), data)
                                 ? "; its axes are exchanged. Write it again with x and y exchanged"
                                 : "; draw it there, or name its coordinate system in the file");
        }
    }
}

static void check_area(tal_case *site, tal_bounds *bounds) {
    const tal_reals *box = &site->settings->site.bounds_m;
    const tal_bounds data = *bounds;
    if (site->area.count > 0) {
        check_outlines(site, &site->area, "site.area", "area of interest", data);
        *bounds = common(*bounds, tal_areas_bounds(&site->area));
    }
    if (box->count == 4) {
        const tal_bounds asked = {box->value[0], box->value[1], box->value[2], box->value[3]};
        char a[128], b[128];
        box_text(asked, a, sizeof a);
        box_text(data, b, sizeof b);
        if (!meet(asked, data)) {
            tal_findings_add(&site->findings, "area", TAL_REFUSE, "site.bounds_m",
                             "the box (%s) does not overlap the surveys (%s); it takes west south "
                             "east north%s",
                             a, b,
                             meet(exchanged(asked), data) ? ", and its axes are exchanged" : "");
        }
        *bounds = common(*bounds, asked);
    }
    if (is_empty(*bounds) && !tal_findings_refuse(&site->findings)) {
        tal_findings_add(&site->findings, "area", TAL_REFUSE,
                         site->area.count > 0 ? "site.area" : "site.bounds_m",
                         "the area of interest and the surveys do not overlap");
    }
}

void tal_check_places(tal_case *site, tal_bounds *bounds) {
    check_surveys_meet(site);
    if (!tal_findings_refuse(&site->findings)) {
        check_on_the_map(site, &site->before.survey);
        check_on_the_map(site, &site->after.survey);
    }
    check_share(site);
    *bounds = site->before.survey.bounds;
    if (site->epoch_count == 2) {
        *bounds = common(*bounds, site->after.survey.bounds);
    }
    if (is_empty(*bounds)) {
        return; // nothing for an outline to lie on
    }
    check_area(site, bounds);
    if (!is_empty(*bounds)) {
        check_outlines(site, &site->source, "ingest.source", "source", *bounds);
        check_outlines(site, &site->deposit, "ingest.deposit", "deposit", *bounds);
        check_outlines(site, &site->stable, "ingest.stable", "stable terrain", *bounds);
    }
}
