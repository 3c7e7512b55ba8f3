// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of a release: hazard.json, targets.csv, crossings.csv, barriers.csv.
#include "core/app/json.h"
#include "core/base/quantile.h"
#include "postproc/release/hazard.h"

#include <math.h>
#include <stdio.h>

static void append_number(tal_text *text, double value) {
    tal_text_append(text, ",");
    if (isfinite(value)) {
        tal_text_append(text, "%.6g", value);
    }
}

static tal_status append_target(tal_text *text, const tal_hazard *h, const tal_target *t,
                                tal_error *err) {
    for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
        tal_text_append(text, "%s,%lld,%.6g,%s,%s", t->name, (long long)t->count,
                        (double)t->count / (double)h->rocks.count, tal_at_quantity_notes[q].key,
                        tal_at_quantity_notes[q].unit);
        for (int n = 0; n < h->maps.percentile_count; n++) {
            double value;
            TAL_TRY(
                tal_target_percentile(t, (tal_at_quantity)q, h->maps.percentile[n], &value, err));
            append_number(text, value);
        }
        double most;
        TAL_TRY(tal_target_percentile(t, (tal_at_quantity)q, 100.0, &most, err));
        append_number(text, most);
        tal_text_append(text, "\n");
    }
    return TAL_OK;
}

static void append_crossings(tal_text *text, const tal_hazard *h) {
    tal_text_append(text, "target,rock,time_s,east_m,north_m,height_m,mass_kg");
    for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
        tal_text_append(text, ",%s", tal_at_quantity_notes[q].column);
    }
    tal_text_append(text, "\n");
    for (int k = 0; k < h->targets.target_count; k++) {
        const tal_target *t = &h->targets.target[k];
        for (int64_t i = 0; i < t->count; i++) {
            const tal_crossing *c = &t->crossing[i];
            tal_text_append(text, "%s,%lld,%.3f,%.3f,%.3f,%.3f", t->name, (long long)c->rock,
                            c->at.time, c->at.x + (double)h->survey.origin.east,
                            c->at.y + (double)h->survey.origin.north,
                            c->at.z + (double)h->survey.origin.height);
            append_number(text, c->mass);
            for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
                append_number(text, tal_crossing_value(c, (tal_at_quantity)q));
            }
            tal_text_append(text, "\n");
        }
    }
}

static void append_barriers(tal_text *text, const tal_hazard *h) {
    tal_text_append(text, "barrier,height_m,capacity_kj,met,stopped,over,broken_through");
    for (int n = 0; n < h->maps.percentile_count; n++) {
        tal_text_append(text, ",energy_p%g_kj,centre_height_p%g_m", h->maps.percentile[n],
                        h->maps.percentile[n]);
    }
    tal_text_append(text, "\n");
    for (int k = 0; k < h->targets.barrier_count; k++) {
        const tal_barrier_record *b = &h->targets.barrier[k];
        tal_text_append(text, "%s,%g,%g,%lld,%lld,%lld,%lld", b->name, b->height_m, b->capacity_kj,
                        (long long)b->count, (long long)b->held, (long long)b->over,
                        (long long)b->broken);
        for (int n = 0; n < h->maps.percentile_count; n++) {
            const double p = h->maps.percentile[n] / 100.0;
            append_number(text,
                          b->count > 0 ? tal_quantile(b->energy_kj, (size_t)b->count, p) : NAN);
            append_number(text, b->count > 0 ? tal_quantile(b->height, (size_t)b->count, p) : NAN);
        }
        tal_text_append(text, "\n");
    }
}

static tal_status write_targets(const tal_hazard *h, const tal_output_place *place,
                                tal_error *err) {
    tal_text text = {0}, crossings = {0};
    tal_status status = TAL_OK;
    tal_text_append(&text, "target,rocks,share,quantity,unit");
    for (int n = 0; n < h->maps.percentile_count; n++) {
        tal_text_append(&text, ",p%g", h->maps.percentile[n]);
    }
    tal_text_append(&text, ",max\n");
    for (int k = 0; status == TAL_OK && k < h->targets.target_count; k++) {
        status = append_target(&text, h, &h->targets.target[k], err);
    }
    TAL_TRY(tal_output_write_made(place, "targets.csv", &text, status, err));
    append_crossings(&crossings, h);
    return tal_output_write_made(place, "crossings.csv", &crossings, TAL_OK, err);
}

static void add_ends(cJSON *root, const tal_hazard *h) {
    static const char *const names[] = {"at_rest", "left_over_the_rim", "stopped_by_barriers",
                                        "still_moving"};
    static const char *const percent[] = {"p05", "p50", "p95"};
    tal_json_add_number(root, "rocks", (double)h->rocks.count);
    for (int k = 0; k < 4; k++) {
        tal_json_add_number(root, names[k], (double)h->by_end[k]);
    }
    tal_json_add_number(root, "stem_hits", (double)h->stem_hits);
    cJSON *runout = cJSON_AddObjectToObject(root, "runout_m");
    cJSON *angle = cJSON_AddObjectToObject(root, "travel_angle_deg");
    for (int k = 0; k < 3; k++) {
        tal_json_add_number(runout, percent[k], h->runout[k]);
        tal_json_add_number(angle, percent[k], h->travel_angle_deg[k]);
    }
    tal_json_add_number(root, "velocity_max_mps", h->fastest_mps);
    tal_json_add_number(root, "energy_max_kj", h->strongest_kj);
    tal_json_add_number(root, "jump_height_max_m", h->highest_jump_m);
    tal_json_add_number(root, "reach_area_m2", h->maps.reach_area_m2);
}

static tal_status add_targets(cJSON *root, const tal_hazard *h, tal_error *err) {
    cJSON *targets = cJSON_AddArrayToObject(root, "targets");
    for (int k = 0; k < h->targets.target_count; k++) {
        const tal_target *t = &h->targets.target[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(targets, item);
        cJSON_AddStringToObject(item, "name", t->name);
        tal_json_add_number(item, "rocks", (double)t->count);
        tal_json_add_number(item, "share", (double)t->count / (double)h->rocks.count);
        for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
            cJSON *values = cJSON_AddObjectToObject(item, tal_at_quantity_notes[q].key);
            cJSON_AddStringToObject(values, "unit", tal_at_quantity_notes[q].unit);
            for (int n = 0; n < h->maps.percentile_count; n++) {
                char name[32];
                double value;
                (void)snprintf(name, sizeof name, "p%g", h->maps.percentile[n]);
                TAL_TRY(tal_target_percentile(t, (tal_at_quantity)q, h->maps.percentile[n], &value,
                                              err));
                tal_json_add_number(values, name, value);
            }
        }
    }
    return TAL_OK;
}

static void add_barriers(cJSON *root, const tal_hazard *h) {
    cJSON *barriers = cJSON_AddArrayToObject(root, "barriers");
    for (int k = 0; k < h->targets.barrier_count; k++) {
        const tal_barrier_record *b = &h->targets.barrier[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(barriers, item);
        cJSON_AddStringToObject(item, "name", b->name);
        tal_json_add_number(item, "met", (double)b->count);
        tal_json_add_number(item, "stopped", (double)b->held);
        tal_json_add_number(item, "over", (double)b->over);
        tal_json_add_number(item, "broken_through", (double)b->broken);
    }
}

static tal_status write_json(const tal_hazard *h, const tal_output_place *place, tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_output_path(place, "hazard.json", path, err));
    cJSON *root = cJSON_CreateObject();
    add_ends(root, h);
    tal_status status = add_targets(root, h, err);
    add_barriers(root, h);
    cJSON_AddItemToObject(root, "provenance", cJSON_Duplicate(place->provenance_json, true));
    status = status == TAL_OK ? tal_json_write(path, root, place->overwrite, err) : status;
    cJSON_Delete(root);
    return status;
}

tal_status tal_hazard_write_tables(const tal_hazard *h, const tal_output_place *place,
                                   tal_error *err) {
    tal_text barriers = {0};
    TAL_TRY(write_targets(h, place, err));
    append_barriers(&barriers, h);
    TAL_TRY(tal_output_write_made(place, "barriers.csv", &barriers, TAL_OK, err));
    return write_json(h, place, err);
}
