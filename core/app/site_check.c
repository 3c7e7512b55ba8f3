// SPDX-License-Identifier: GPL-3.0-or-later
// Settings against one another.
#include "core/app/site_check.h"

#include "core/app/body_check.h"
#include "core/app/release_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// --- a law in kg or as ratios ---

// The four numbers of [contact] or of a [pair.A.B]: in kg, and as ratios.
typedef struct {
    char section[2 * TAL_LABEL_SIZE];
    double *kg[2], *ratio[2];
} law_rows;

static const char *const KG[2] = {"kn_kg", "kt_kg"};
static const char *const RATIO[2] = {"restitution", "tangential_restitution"};

static law_rows rows_of_contact(tal_contact_settings *contact) {
    return (law_rows){.section = "contact",
                      .kg = {&contact->kn_kg, &contact->kt_kg},
                      .ratio = {&contact->restitution, &contact->tangential_restitution}};
}

static law_rows rows_of_pair(tal_pair_settings *pair) {
    law_rows rows = {.kg = {&pair->kn_kg, &pair->kt_kg},
                     .ratio = {&pair->restitution, &pair->tangential_restitution}};
    snprintf(rows.section, sizeof rows.section, "pair.%s", pair->label);
    return rows;
}

// Where one of two numbers was given just now, and which; NULL for neither.
static const char *given_of(const tal_settings *settings, double *const value[2], int *which) {
    const char *where = NULL;
    for (int i = 1; i >= 0; i--) {
        const char *found = tal_settings_given(settings, value[i]);
        *which = found != NULL ? i : *which;
        where = found != NULL ? found : where;
    }
    return where;
}

// The way that was not taken is emptied.
static void choose_way(tal_settings *settings, const law_rows *law, tal_error *err) {
    int kg = 0, ratio = 0;
    const char *kg_where = given_of(settings, law->kg, &kg);
    const char *ratio_where = given_of(settings, law->ratio, &ratio);
    if (kg_where != NULL && ratio_where != NULL) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [%s] %s and (at %s) %s set the same thing in two ways: keep kn_kg and "
                      "kt_kg, or restitution and tangential_restitution",
                      kg_where, law->section, KG[kg], ratio_where, RATIO[ratio]);
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (kg_where != NULL) {
            *law->ratio[i] = NAN;
        } else if (ratio_where != NULL) {
            *law->kg[i] = NAN;
        }
    }
}

// What [contact] does not say as a ratio has its default; in kg there is none.
static void complete_contact(tal_settings *settings, tal_error *err) {
    const law_rows law = rows_of_contact(&settings->contact);
    const bool in_kg = !isnan(*law.kg[0]) || !isnan(*law.kg[1]);
    for (int i = 0; i < 2; i++) {
        if (in_kg && isnan(*law.kg[i])) {
            tal_error_add(
                err, TAL_BAD_SETTING,
                "%s: [contact] has %s but not %s: a law in kg needs both (0 dissipates nothing)",
                tal_settings_where(settings, law.kg[1 - i]), KG[1 - i], KG[i]);
        }
        if (!in_kg && isnan(*law.ratio[i])) {
            *law.ratio[i] = strtod(tal_settings_find("contact", RATIO[i])->preset, NULL);
        }
    }
}

// A pair takes what it does not say from [contact], if that says it in the same way.
static void check_pair_is_complete(tal_settings *settings, tal_pair_settings *pair,
                                   tal_error *err) {
    const law_rows law = rows_of_pair(pair), contact = rows_of_contact(&settings->contact);
    const struct {
        double *const *own, *const *shared;
        const char *const *key;
    } ways[2] = {{law.kg, contact.kg, KG}, {law.ratio, contact.ratio, RATIO}};
    for (int w = 0; w < 2; w++) {
        for (int i = 0; i < 2; i++) {
            if (!isnan(*ways[w].own[1 - i]) && isnan(*ways[w].own[i]) &&
                isnan(*ways[w].shared[i])) {
                tal_error_add(
                    err, TAL_BAD_SETTING,
                    "%s: [%s] has %s but not %s, and [contact] does not set it either: give both",
                    tal_settings_where(settings, ways[w].own[1 - i]), law.section,
                    ways[w].key[1 - i], ways[w].key[i]);
            }
        }
    }
}

// --- grounds by name ---

// What a ground class says, in [contact] or in a [pair.A.B].
typedef struct {
    char section[2 * TAL_LABEL_SIZE];
    int *ground, *law;
    int law_scar, law_ground; // as the section counts laws
    double *number[5];
} ground_rows;

static ground_rows grounds_of_contact(tal_contact_settings *c) {
    return (ground_rows){.section = "contact",
                         .ground = &c->ground,
                         .law = &c->law,
                         .law_scar = TAL_CHOICE_LAW_SCAR,
                         .law_ground = TAL_CHOICE_LAW_GROUND,
                         .number = {&c->friction, &c->friction_max, &c->scar_growth_per_m,
                                    &c->scar_decay_per_s, &c->drag_per_s}};
}

static ground_rows grounds_of_pair(tal_pair_settings *p) {
    ground_rows rows = {.ground = &p->ground,
                        .law = &p->law,
                        .law_scar = TAL_CHOICE_LAW_SCAR + 1, // the first is that of [contact]
                        .law_ground = TAL_CHOICE_LAW_GROUND + 1,
                        .number = {&p->friction, &p->friction_max, &p->scar_growth_per_m,
                                   &p->scar_decay_per_s, &p->drag_per_s}};
    snprintf(rows.section, sizeof rows.section, "pair.%s", p->label);
    return rows;
}

// A class named just now sets what was not given just now: its numbers, and the law.
static void apply_ground(const tal_settings *settings, const ground_rows *rows, tal_error *err) {
#define ROW(X, kind, word, mu, most, growth, decay, drag) {mu, most, growth, decay, drag},
    static const double numbers[][5] = {{0.0}, TAL_GROUND_LIST(ROW, )};
#undef ROW
    const char *where = tal_settings_given(settings, rows->law);
    if (tal_settings_given(settings, rows->ground) == NULL ||
        *rows->ground == TAL_GROUND_KIND_NONE) {
        return;
    }
    if (where == NULL) {
        *rows->law = rows->law_ground;
    } else if (*rows->law != rows->law_scar && *rows->law != rows->law_ground) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [%s] a ground class needs the law ground or scar: leave law out", where,
                      rows->section);
    }
    for (int k = 0; k < 5; k++) {
        if (tal_settings_given(settings, rows->number[k]) == NULL) {
            *rows->number[k] = numbers[*rows->ground][k];
        }
    }
}

static void apply_grounds(tal_settings *settings, tal_error *err) {
    const ground_rows contact = grounds_of_contact(&settings->contact);
    apply_ground(settings, &contact, err);
    for (int k = 0; k < settings->pair_count; k++) {
        const ground_rows pair = grounds_of_pair(&settings->pair[k]);
        apply_ground(settings, &pair, err);
    }
}

// --- names of surface classes ---

// Does `list`, words by blanks, hold `name`?
static bool lists_word(const char *list, const char *name, size_t length) {
    for (const char *word = list + strspn(list, " "); *word != '\0'; word += strspn(word, " ")) {
        const size_t size = strcspn(word, " ");
        if (size == length && strncmp(word, name, length) == 0) {
            return true;
        }
        word += size;
    }
    return false;
}

bool tal_site_names_class(const tal_settings *settings, const char *name, size_t length) {
    const tal_mesh_settings *mesh = &settings->mesh;
    return lists_word(mesh->ground_class, name, length) ||
           lists_word(mesh->block_class, name, length) ||
           lists_word(mesh->source_class, name, length) ||
           lists_word(mesh->ground_class_names, name, length);
}

bool tal_site_has_source(const tal_settings *settings) {
    return settings->mesh.blocks != TAL_BLOCKS_IMPORT && settings->mesh.blocks != TAL_BLOCKS_FORMS;
}

bool tal_is_class_raster(const char *path) {
    static const char *const ends[] = {".tif", ".tiff", ".vrt", ".asc", ".img"};
    const size_t length = strlen(path);
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        const size_t size = strlen(ends[k]);
        if (length > size && strcasecmp(path + length - size, ends[k]) == 0) {
            return true;
        }
    }
    return false;
}

// Polygon layers (core/geo/surface_classes.h) and tables of blocks bring names of their own: those are
// known once they are read.
static bool names_are_known(const tal_settings *settings) {
    char path[TAL_PATH_SIZE];
    const char *cursor = settings->mesh.ground_classes;
    while (tal_settings_next_file(settings, &cursor, path)) {
        if (!tal_is_class_raster(path)) {
            return false;
        }
    }
    return settings->mesh.import[0] == '\0';
}

void tal_site_refuse_pair(const tal_settings *settings, const tal_pair_settings *pair,
                          const char *more, tal_error *err) {
    const tal_mesh_settings *mesh = &settings->mesh;
    const bool has_names = mesh->ground_class_names[0] != '\0';
    const bool has_source = mesh->source_class[0] != '\0';
    tal_error_add(err, TAL_BAD_SETTING,
                  "%s: [pair.%s] does not name two surface classes of this site, which are: %s, "
                  "%s%s%s%s%s%s",
                  tal_settings_where_in(settings, pair, sizeof *pair), pair->label,
                  mesh->ground_class, mesh->block_class, has_source ? ", " : "", mesh->source_class,
                  has_names ? " and " : "", mesh->ground_class_names, more);
}

static void check_pair_names(const tal_settings *settings, const tal_pair_settings *pair,
                             tal_error *err) {
    const char *dot = strchr(pair->label, '.');
    const bool named =
        dot != NULL && (!names_are_known(settings) ||
                        (tal_site_names_class(settings, pair->label, (size_t)(dot - pair->label)) &&
                         tal_site_names_class(settings, dot + 1, strlen(dot + 1))));
    if (!named) {
        tal_site_refuse_pair(settings, pair, "", err);
    }
}

// [pair.A.B] and [pair.B.A] say the same two surfaces.
static bool is_turned_round(const char *label, const char *other) {
    const char *dot = strchr(label, '.');
    const size_t first = dot != NULL ? (size_t)(dot - label) : 0,
                 second = dot != NULL ? strlen(dot + 1) : 0;
    return dot != NULL && strlen(other) == strlen(label) && strncmp(other, dot + 1, second) == 0 &&
           other[second] == '.' && strncmp(other + second + 1, label, first) == 0;
}

static void check_pair_is_alone(const tal_settings *settings, int pair, tal_error *err) {
    for (int i = 0; i < pair; i++) {
        const tal_pair_settings *earlier = &settings->pair[i], *later = &settings->pair[pair];
        if (is_turned_round(earlier->label, later->label) &&
            strcmp(earlier->label, later->label) != 0) {
            tal_error_add(err, TAL_BAD_SETTING,
                          "%s: [pair.%s] names the surfaces of [pair.%s] (at %s) again: keep one",
                          tal_settings_where_in(settings, later, sizeof *later), later->label,
                          earlier->label,
                          tal_settings_where_in(settings, earlier, sizeof *earlier));
        }
    }
}

// --- the end of a run ---

static void check_end(const tal_settings *settings, tal_error *err) {
    const tal_solve_settings *solve = &settings->solve;
    const char *end = tal_settings_given(settings, &solve->until_s),
               *step = tal_settings_given(settings, &solve->dt_s);
    if (solve->until_s < solve->dt_s) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [solve] until_s = %g s is shorter than a step of dt_s = %g s",
                      end != NULL    ? end
                      : step != NULL ? step
                                     : settings->site_file,
                      solve->until_s, solve->dt_s);
    }
}

tal_status tal_site_check(tal_settings *settings, tal_error *err) {
    const int before = err->message_count;
    apply_grounds(settings, err);
    const law_rows contact = rows_of_contact(&settings->contact);
    choose_way(settings, &contact, err);
    complete_contact(settings, err);
    for (int i = 0; i < settings->pair_count; i++) {
        const law_rows pair = rows_of_pair(&settings->pair[i]);
        choose_way(settings, &pair, err);
        check_pair_is_complete(settings, &settings->pair[i], err);
        check_pair_names(settings, &settings->pair[i], err);
        check_pair_is_alone(settings, i, err);
    }
    tal_body_check(settings, names_are_known(settings), err);
    tal_release_check(settings, err);
    check_end(settings, err);
    for (int i = 0; i < settings->given_count; i++) {
        settings->given[i].is_settled = true;
    }
    return err->message_count > before ? TAL_BAD_SETTING : TAL_OK;
}
