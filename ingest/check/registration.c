// SPDX-License-Identifier: GPL-3.0-or-later
// The fit, judged.
#include "ingest/check/registration.h"

#include "core/app/number.h"
#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "ingest/check/place.h"
#include "ingest/check/trend.h"

#include <math.h>
#include <stdio.h>

// What satellite positioning and control points leave of a survey's place, one standard deviation of
// ordinary practice.
static const double positioning_m = 0.3;
static const double refused_at = 3.0; // times the expected shift
static const double stable_share_min = 0.15;

// Distance of points, or of a raster's cells.
static double resolution_of(const tal_epoch_ground *epoch, const tal_dem *dem) {
    double resolution = 0.0;
    for (int i = 0; i < epoch->survey.file_count; i++) {
        resolution = fmax(resolution, epoch->survey.file[i].raster_cell_m);
    }
    if (epoch->survey.has_clouds && epoch->ground_points > 0) {
        const double points_per_cell =
            (double)epoch->ground_points / fmax(1.0, (double)dem->cells_with_points);
        resolution = fmax(resolution, dem->grid.cell / sqrt(points_per_cell));
    }
    return resolution;
}

// How far a survey may lie from another of the same ground without anybody being surprised: noise and
// positioning in squares, in plan also the resolution.
typedef struct {
    double plan, up;
} expectation;

// docs/theory/ingest.md (17).
static expectation expected_shift(const tal_case *site, const tal_comparison *a) {
    const double resolution =
        fmax(resolution_of(&site->before, &a->before), resolution_of(&site->after, &a->after));
    const double up = hypot(a->registration.at_last.nmad, positioning_m);
    return (expectation){.plan = hypot(resolution, up), .up = up};
}

static double length_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double reach_of(const tal_grid *grid) {
    return 0.5 * grid->cell * hypot(grid->columns, grid->rows);
}

static void judge(tal_case *site, const char *check, const char *what, double moved,
                  double expected) {
    const bool refused = moved > refused_at * expected && !site->settings->ingest.accept_shift;
    char number[TAL_NUMBER_SIZE];
    tal_findings_add(
        &site->findings, check, refused ? TAL_REFUSE : TAL_WARN, "ingest.accept_shift",
        "%s, where the surveys' resolution and noise explain %s m. %s", what,
        tal_number_format_digits(number, expected, 2),
        refused ? "Are coordinate systems, units and files right? If so, set accept_shift = yes"
                : "Check the unchanged ground in dz.tif before you trust the changes");
}

static void check_shift(tal_case *site, const double shift[3], expectation expected) {
    const double plan = hypot(shift[0], shift[1]), up = fabs(shift[2]);
    char what[256];
    if (plan <= expected.plan && up <= expected.up) {
        return;
    }
    const bool in_plan = plan / expected.plan > up / expected.up;
    snprintf(what, sizeof what,
             "the later survey had to be moved by %.2f m (%+.2f east, %+.2f north, %+.2f up) to "
             "fit the earlier one, %s",
             length_of(shift), shift[0], shift[1], shift[2],
             in_plan ? "mostly horizontally" : "mostly vertically");
    judge(site, "shift", what, in_plan ? plan : up, in_plan ? expected.plan : expected.up);
}

static void check_rotation(tal_case *site, const tal_comparison *a, expectation expected) {
    char what[256];
    double angles[3];
    tal_rigid_angles(&a->registration.motion, angles);
    const double rim = length_of(angles) * reach_of(&a->grid);
    const bool is_tilt = hypot(angles[0], angles[1]) > fabs(angles[2]);
    if (rim <= expected.plan) {
        return;
    }
    snprintf(what, sizeof what,
             "the later survey had to be rotated by %.3f degrees, %.2f m at the rim of the study "
             "(%s), to fit the earlier one",
             tal_degrees(length_of(angles)), rim, is_tilt ? "a tilt" : "about the vertical");
    judge(site, is_tilt ? "tilt" : "rotation", what, rim, expected.plan);
}

static void check_settled(tal_case *site, const tal_comparison *a) {
    const tal_coregister_result *fit = &a->registration.fit;
    if (!fit->converged) {
        tal_findings_add(
            &site->findings, "settled", site->settings->ingest.accept_shift ? TAL_WARN : TAL_REFUSE,
            "ingest.accept_shift",
            "the fit of the later survey to the earlier one did not settle within %d rounds: they "
            "differ too much, or the stable terrain has too little relief. Give stable terrain "
            "(stable =), or coregister = none, or accept_shift = yes",
            fit->rounds);
    }
}

// The worst axis of a difference against what the stated deviation allows.
static int worst_axis(const double difference[3], const double deviation[3], double *ratio) {
    int worst = 0;
    *ratio = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double own = fabs(difference[axis]) / fmax(deviation[axis], 1e-6);
        if (own > *ratio) {
            *ratio = own;
            worst = axis;
        }
    }
    return worst;
}

static void check_repeats(tal_case *site, const tal_comparison *a, expectation expected) {
    static const char *const directions[3] = {"east", "north", "up"};
    const tal_repeats *r = &a->registration.repeats;
    const double *deviation = a->registration.fit.block_deviation;
    const double least = 0.1 * expected.up; // less than that changes nothing
    double ratio;
    int axis = worst_axis(r->by_cell, deviation, &ratio);
    if (r->has_cell && ratio > 3.0 && fabs(r->by_cell[axis]) > least) {
        tal_findings_add(&site->findings, "shift_by_cell", TAL_WARN, "ingest.cell_m",
                         "the shift depends on the cell: with %g m instead of %g m the later "
                         "survey would move %+.2f m farther to the %s, %.0f times the standard "
                         "deviation estimated from the terrain; the stated deviation was increased",
                         2.0 * a->grid.cell, a->grid.cell, r->by_cell[axis], directions[axis],
                         ratio);
    }
    axis = worst_axis(r->by_half, deviation, &ratio);
    if (r->has_halves && ratio > 6.0 &&
        fabs(r->by_half[axis]) > least) { // twice the deviation each
        tal_findings_add(
            &site->findings, "shift_by_half", TAL_WARN, "ingest.stable",
            "the shift depends on the terrain: two halves of the stable terrain give shifts that "
            "differ by %.2f m (%s), %.0f times their standard deviation; something that counts as "
            "stable has moved. Draw the stable terrain yourself",
            fabs(r->by_half[axis]), directions[axis], 0.5 * ratio);
    }
}

// ---- What the fit leaves -----------------------------------------------------------------------

static bool stands_out(const tal_comparison *a, double rim, const tal_trend *t) {
    return rim > 2.0 * t->nmad && rim > 0.1 * a->grid.cell;
}

static void check_tilt(tal_case *site, const tal_comparison *a, const tal_trend *t) {
    if (stands_out(a, t->tilt, t)) {
        tal_findings_add(&site->findings, "tilt", TAL_WARN, "ingest.coregister",
                         "the later survey is tilted relative to the earlier one: %.2f m at the "
                         "rim of the study, where the stable terrain scatters by %.2f m. %s",
                         t->tilt, t->nmad,
                         site->after.survey.has_rasters
                             ? "Rasters are shifted but not rotated: correct the tilt beforehand"
                             : "Set coregister = icp");
    }
}

static void check_dome(tal_case *site, const tal_comparison *a, const tal_trend *t) {
    if (stands_out(a, fabs(t->dome), t)) {
        tal_findings_add(&site->findings, "dome", TAL_WARN, "site.after",
                         "one survey bends against the other: the middle of the study lies %.2f m "
                         "%s than its rim in the later survey, where the stable terrain "
                         "scatters by %.2f m. Pictures of a drone without control points do that "
                         "(a dome); volumes are off by it",
                         fabs(t->dome), t->dome < 0.0 ? "higher" : "lower", t->nmad);
    }
}

static void check_map(tal_case *site, const tal_comparison *a, const tal_trend *t,
                      expectation expected) {
    const double reach = reach_of(&a->grid);
    char what[256];
    if (fabs(t->turn) > expected.plan && stands_out(a, fabs(t->turn), t)) {
        snprintf(what, sizeof what,
                 "the later survey is rotated by %.2f degrees about the vertical relative to the "
                 "earlier one, %.2f m at the rim of the study, and is only shifted",
                 tal_degrees(t->turn / reach), fabs(t->turn));
        judge(site, "rotation", what, fabs(t->turn), expected.plan);
    }
    if (fabs(t->stretch) > expected.plan && stands_out(a, fabs(t->stretch), t)) {
        snprintf(what, sizeof what,
                 "the later survey is stretched to %.2f %% of the earlier one, %.2f m at the "
                 "rim of the study: the map has another scale, or its cells another size",
                 100.0 * (1.0 + t->stretch / reach), fabs(t->stretch));
        judge(site, "scale", what, fabs(t->stretch), expected.plan);
    }
}

static tal_status check_trend(tal_case *site, const tal_comparison *a, expectation expected,
                              tal_error *err) {
    tal_trend t;
    if (a->is_cliff) {
        return TAL_OK;
    }
    TAL_TRY(tal_trend_find(a, &t, err));
    if (!a->registration.with_rotation) {
        check_tilt(site, a, &t);
    }
    check_dome(site, a, &t);
    check_map(site, a, &t, expected);
    return TAL_OK;
}

// Where most of the ground rose or sank, no rockfall did it.
static void check_stable_share(tal_case *site, const tal_comparison *a) {
    const size_t cells = tal_grid_cell_count(&a->grid);
    double stable = 0.0, both = 0.0, up = 0.0, down = 0.0;
    for (size_t i = 0; i < cells; i++) {
        stable += a->change.stable[i] != 0;
        both += isnan(a->change.dz[i]) ? 0.0 : 1.0;
        up += a->change.dz[i] > a->change.lod[i];
        down += a->change.dz[i] < -a->change.lod[i];
    }
    if (stable >= stable_share_min * both || site->stable.count > 0) {
        return;
    }
    const char *reason = up > 1.5 * down   ? "Plants or snow in the later survey that were not "
                                             "filtered out (ground =), or a shift?"
                         : down > 1.5 * up ? "Plants or snow in the earlier survey that were not "
                                             "filtered out (ground =), or a shift?"
                                           : "Plants, strips that do not fit, moving ground?";
    tal_findings_add(
        &site->findings, "elsewhere", TAL_WARN, "ingest.stable",
        "only %.0f %% of the ground counts as stable, and everything depends on it; %.0f %% rose "
        "and %.0f %% sank. %s Draw the stable terrain yourself if this is right",
        100.0 * stable / fmax(both, 1.0), 100.0 * up / fmax(both, 1.0),
        100.0 * down / fmax(both, 1.0), reason);
}

tal_status tal_check_registration(tal_case *site, const tal_comparison *a, tal_error *err) {
    const expectation expected = expected_shift(site, a);
    const tal_registration *r = &a->registration;
    check_stable_share(site, a);
    if (r->done && !a->is_cliff) {
        TAL_TRY(tal_check_place(site, a, err));
    }
    if (r->done) {
        check_shift(site, r->motion.shift, expected);
        check_rotation(site, a, expected);
        check_settled(site, a);
        check_repeats(site, a, expected);
    } else if (fabs(r->at_last.median) >
               fmin(expected.up, fmax(3.0 * r->deviation[2], 0.1 * expected.up))) {
        tal_findings_add(&site->findings, "shift", TAL_WARN, "ingest.coregister",
                         "coregister = none, but the stable terrain lies %+.2f m away from where "
                         "it was; every volume is wrong by this height times its area",
                         r->at_last.median);
    }
    return check_trend(site, a, expected, err);
}
