// SPDX-License-Identifier: GPL-3.0-or-later
// All that a release tells.
#include "postproc/release/hazard.h"

#include "core/app/json.h"
#include "core/app/number.h"
#include "core/app/provenance.h"
#include "core/app/results.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/quantile.h"
#include "core/geometry/angle.h"
#include "postproc/inputs.h"

#include <math.h>

// What values of cells may take in memory at once; the rest of the program needs less than as much again.
static const size_t VALUES_BYTES_MAX = (size_t)256 << 20;

typedef struct {
    tal_hazard *hazard;
    double *runout, *angle;
    int64_t count; // that came to an end on the terrain
} ends;

static tal_status look_at_rock(void *context, int64_t rock, const tal_rocks_moment *moment,
                               int32_t count, tal_error *err) {
    ends *e = context;
    tal_hazard *h = e->hazard;
    const double mass = h->rocks.mass[rock];
    double fastest = 0.0;
    (void)err;
    for (int32_t k = 0; k < count; k++) {
        const tal_way_point at = tal_way_between(&moment[k], &moment[k], mass, 0.0);
        fastest = fmax(fastest, at.speed);
        h->strongest_kj = fmax(h->strongest_kj, at.energy / 1000.0);
        h->highest_jump_m =
            isfinite(at.jump) ? fmax(h->highest_jump_m, at.jump) : h->highest_jump_m;
    }
    h->fastest_mps = fmax(h->fastest_mps, fastest);
    h->hurried += fastest * h->dt_s > TAL_HURRIED * h->rocks.size[rock];
    if (count > 0 && h->rocks.end[rock] != TAL_END_LEFT) {
        const double *a = moment[0].position, *b = moment[count - 1].position;
        const double level = hypot(b[0] - a[0], b[1] - a[1]);
        e->runout[e->count] = level;
        e->angle[e->count++] = tal_degrees(atan2(a[2] - b[2], level));
    }
    return TAL_OK;
}

static tal_status measure_ends(tal_hazard *h, tal_error *err) {
    static const double share[3] = {0.05, 0.5, 0.95};
    tal_status status = TAL_OK;
    ends e = {.hazard = h};
    TAL_CREATE_OR_DONE(e.runout, (size_t)h->rocks.count + 1, "rocks", err);
    TAL_CREATE_OR_DONE(e.angle, (size_t)h->rocks.count + 1, "rocks", err);
    TAL_TRY_OR_DONE(tal_rocks_walk(&h->rocks, look_at_rock, &e, err));
    for (int k = 0; k < 3; k++) {
        h->runout[k] = e.count > 0 ? tal_quantile(e.runout, (size_t)e.count, share[k]) : NAN;
        h->travel_angle_deg[k] =
            e.count > 0 ? tal_quantile(e.angle, (size_t)e.count, share[k]) : NAN;
    }
    for (int64_t k = 0; k < h->rocks.count; k++) {
        h->by_end[h->rocks.end[k] & 3]++;
        h->stem_hits += h->rocks.stem_count[k];
    }
done:
    tal_memory_destroy(e.runout);
    tal_memory_destroy(e.angle);
    return status;
}

static tal_status read_summary(tal_hazard *h, const char *folder, tal_error *err) {
    char path[TAL_PATH_SIZE];
    cJSON *root = NULL;
    double unconverged = 0.0, steps = 0.0;
    tal_path_join(path, folder, "rocks.json");
    TAL_TRY(tal_json_read(path, &root, err));
    tal_status status = tal_json_number(root, "unconverged_steps", path, &unconverged, err);
    status = status == TAL_OK ? tal_json_number(root, "steps", path, &steps, err) : status;
    cJSON_Delete(root);
    TAL_TRY(status);
    const double most = 1e15; // whole numbers that a double holds
    if (!(unconverged >= 0.0 && unconverged <= steps && steps <= most)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: %g steps of which %g did not converge are impossible: the file is "
                        "damaged; run talus-solve again",
                        path, steps, unconverged);
    }
    h->unconverged_steps = (int64_t)unconverged;
    h->step_count = (int64_t)steps;
    return TAL_OK;
}

// Before the greater ones at the end.
static void insert(tal_reals *list, double value) {
    int n = list->count++;
    for (; n > 0 && list->value[n - 1] > value; n--) {
        list->value[n] = list->value[n - 1];
    }
    list->value[n] = value;
}

static void add_all(tal_reals *list, const double *value, int count) {
    for (int k = 0; k < count; k++) {
        bool is_there = list->count == TAL_REALS_MAX;
        for (int n = 0; n < list->count; n++) {
            is_there = is_there || list->value[n] == value[k];
        }
        if (!is_there) {
            insert(list, value[k]);
        }
    }
}

// Those asked for, and with Rockyfor3D's names the ones it has; each once, rising.
static tal_reals percentiles_of(const tal_report_settings *report) {
    static const double more[] = {50.0, 90.0, 95.0, 98.0, 99.0};
    tal_reals list = {0};
    add_all(&list, report->percentiles.value, report->percentiles.count);
    if (report->rockyfor3d) {
        add_all(&list, more, (int)(sizeof more / sizeof *more));
    }
    return list;
}

static tal_status fill(tal_hazard *h, const tal_invocation *invocation, tal_error *err) {
    const tal_settings *s = &invocation->settings;
    const tal_reals percentiles = percentiles_of(&s->report);
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_surveyed_read(&h->survey, invocation->out, err));
    const tal_origin *o = &h->survey.origin;
    const tal_features_frame frame = {h->survey.crs,
                                      {(double)o->east, (double)o->north, (double)o->height}};
    tal_path_join(path, invocation->out, "rocks.nc");
    TAL_TRY(tal_rocks_open(&h->rocks, path, o, err));
    tal_log_info("%lld rocks", (long long)h->rocks.count);
    TAL_TRY(read_summary(h, invocation->out, err));
    h->dt_s = s->solve.dt_s;
    TAL_TRY(measure_ends(h, err));
    TAL_TRY(tal_cell_maps_create(&h->maps, &h->rocks, &h->survey.grid, &percentiles,
                                 VALUES_BYTES_MAX, err));
    TAL_TRY(tal_targets_create(&h->targets, &h->rocks, s, &frame, err));
    TAL_TRY(tal_compared_create(&h->compared, &h->rocks, &h->targets, s,
                                tal_grid_bounds(&h->survey.grid), err));
    h->compared.scores.value[TAL_SCORE_travel_p05_m] = h->runout[0];
    h->compared.scores.value[TAL_SCORE_travel_median_m] = h->runout[1];
    h->compared.scores.value[TAL_SCORE_travel_p95_m] = h->runout[2];
    return TAL_OK;
}

tal_status tal_hazard_create(tal_hazard *h, const tal_invocation *invocation, tal_error *err) {
    *h = (tal_hazard){.rocks = {.file = {.id = -1}}};
    const tal_status status = fill(h, invocation, err);
    if (status != TAL_OK) {
        tal_hazard_destroy(h);
    }
    return status;
}

void tal_hazard_destroy(tal_hazard *h) {
    tal_compared_destroy(&h->compared);
    tal_targets_destroy(&h->targets);
    tal_cell_maps_destroy(&h->maps);
    tal_rocks_close(&h->rocks);
    tal_surveyed_destroy(&h->survey);
}

// --- the whole ---

static tal_status check_inputs(const tal_invocation *invocation, tal_provenance *provenance,
                               tal_error *err) {
    static const tal_input_file needed[] = {{"ingest.json", "talus-ingest"},
                                            {"bed.tif", "talus-ingest"},
                                            {"rocks.nc", "talus-solve"},
                                            {"rocks.json", "talus-solve"}};
    const size_t count = sizeof needed / sizeof *needed;
    tal_error_reset(err);
    tal_inputs_check(invocation->out, needed, count, err);
    TAL_TRY(err->status);
    return tal_inputs_add(provenance, invocation->out, needed, count, err);
}

static tal_status write_all(tal_hazard *h, const tal_output_place *place, tal_error *err) {
    tal_log_info("writing maps");
    TAL_TRY(tal_hazard_write_maps(h, place, err));
    TAL_TRY(tal_hazard_write_tables(h, place, err));
    TAL_TRY(tal_hazard_write_scores(h, place, err));
    if (place->settings->report.rockyfor3d) {
        TAL_TRY(tal_hazard_write_rockyfor3d(h, place, err));
    }
    tal_log_info("writing layers for QGIS");
    TAL_TRY(tal_hazard_write_gis(h, place, err));
    tal_log_info("writing the report");
    TAL_TRY(tal_hazard_write_report(h, place, err));
    return tal_interrupt_check(err); // before anything is replaced
}

static void say_compared(const tal_compared *c) {
    if (c->outside[0] != '\0') {
        tal_log_warn("%s", c->outside);
    }
    for (int k = 0; k < c->count; k++) {
        const tal_compared_row *r = &c->row[k];
        char number[4][TAL_NUMBER_SIZE];
        tal_log_info("%s%s%s: median %s %s, observed %s; Kolmogorov-Smirnov %s (chance: below %s)",
                     r->target != NULL ? r->target : "", r->target != NULL ? ": " : "", r->name,
                     tal_number_format(number[0], r->simulated_quantile[1]), r->unit,
                     tal_number_format(number[1], r->observed_quantile[1]),
                     tal_number_format(number[2], r->ks),
                     tal_number_format(number[3], r->ks_limit));
    }
}

static void say_result(const tal_hazard *h) {
    char low[TAL_NUMBER_SIZE], middle[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
    tal_log_info("runout %s m (5 %%), %s m (median), %s m (95 %%)",
                 tal_number_format(low, h->runout[0]), tal_number_format(middle, h->runout[1]),
                 tal_number_format(high, h->runout[2]));
    for (int k = 0; k < h->targets.target_count; k++) {
        const tal_target *t = &h->targets.target[k];
        tal_log_info("%s: %lld of %lld rocks reach it", t->name, (long long)t->count,
                     (long long)h->rocks.count);
    }
    for (int k = 0; k < h->targets.barrier_count; k++) {
        const tal_barrier_record *b = &h->targets.barrier[k];
        tal_log_info("barrier %s: %lld stopped, %lld over it, %lld broken through", b->name,
                     (long long)b->held, (long long)b->over, (long long)b->broken);
    }
    say_compared(&h->compared);
}

tal_status tal_hazard_run(const tal_invocation *invocation, tal_error *err) {
    tal_status status = TAL_OK;
    tal_provenance provenance = {0};
    tal_hazard *h = NULL;
    tal_output_place place = {0};
    TAL_CREATE(h, 1, "the analysis", err);
    h->rocks.file.id = -1;
    TAL_TRY_OR_DONE(tal_provenance_create(&provenance, "talus-post", &invocation->settings,
                                          TAL_STAGE_POST, err));
    TAL_TRY_OR_DONE(check_inputs(invocation, &provenance, err));
    TAL_TRY_OR_DONE(tal_output_place_create(&place, invocation, &provenance, err));
    TAL_TRY_OR_DONE(tal_hazard_create(h, invocation, err));
    TAL_TRY_OR_DONE(tal_results_begin(invocation->out, "post", err));
    TAL_TRY_OR_DONE(tal_results_end(write_all(h, &place, err), err));
    say_result(h);
done:
    tal_hazard_destroy(h);
    tal_memory_destroy(h);
    tal_output_place_destroy(&place);
    tal_provenance_destroy(&provenance);
    return status;
}
