// SPDX-License-Identifier: GPL-3.0-or-later
// Forms of single rocks.
#include "mesher/rock/forms.h"

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/geometry/angle.h"
#include "mesher/rock/hull.h"

#include <math.h>
#include <string.h>

enum { POINTS_MAX = 32, WORD_SIZE = 32 };

typedef struct {
    const char *word;
    bool is_natural;                         // each one is another
    tal_vec3 half_axes;                      // of the ellipsoid about a natural one, any unit
    int (*make)(tal_vec3 point[POINTS_MAX]); // corners of the others; NULL: a sphere
} form;

// EAD 340059 (ETAG 027): a cube of edge 3 whose edges and corners are cut off a third from the corners.
static int make_eota(tal_vec3 point[POINTS_MAX]) {
    int count = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < 8; k++) {
            double x[3] = {0.5, 0.5, 0.5};
            x[axis] = 1.5;
            point[count++] = tal_vec3_make((k & 1) != 0 ? x[0] : -x[0], (k & 2) != 0 ? x[1] : -x[1],
                                           (k & 4) != 0 ? x[2] : -x[2]);
        }
    }
    return count;
}

static int make_cube(tal_vec3 point[POINTS_MAX]) {
    for (int k = 0; k < 8; k++) {
        point[k] =
            tal_vec3_make((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1);
    }
    return 8;
}

// Axes after Sneed and Folk's classes: all alike, one short, one long, all different.
static const form FORMS[] = {
    {"eota", false, {0, 0, 0}, make_eota},  {"cube", false, {0, 0, 0}, make_cube},
    {"sphere", false, {0, 0, 0}, NULL},     {"equant", true, {1, 0.9, 0.85}, NULL},
    {"platy", true, {1, 0.85, 0.35}, NULL}, {"long", true, {1, 0.5, 0.45}, NULL},
    {"bladed", true, {1, 0.65, 0.3}, NULL},
};
enum { FORM_COUNT = sizeof FORMS / sizeof *FORMS };

// Corners spread evenly over the ellipsoid, then moved at random: along it by up to half their distance,
// inwards by up to a sixth. Enough for edges as broken rock has them, few enough to be quick.
enum { NATURAL_POINTS = 20 };

static int make_natural(const form *f, tal_random random, uint64_t number,
                        tal_vec3 point[POINTS_MAX]) {
    const double golden = 2.399963229728653; // angle between neighbours of a spiral
    for (int k = 0; k < NATURAL_POINTS; k++) {
        const uint64_t draw = (number * NATURAL_POINTS + (uint64_t)k) * 3;
        const double shift = tal_random_uniform(random, draw) - 0.5;
        const double turn = (tal_random_uniform(random, draw + 1) - 0.5) * 0.8;
        const double inward = 1.0 - tal_random_uniform(random, draw + 2) / 6.0;
        const double z = 1.0 - 2.0 * (k + 0.5 + 0.9 * shift) / NATURAL_POINTS;
        const double r = sqrt(1.0 - z * z), angle = k * golden + turn;
        point[k] =
            tal_vec3_make(inward * f->half_axes.x * r * cos(angle),
                          inward * f->half_axes.y * r * sin(angle), inward * f->half_axes.z * z);
    }
    return NATURAL_POINTS;
}

static tal_status add_hull(tal_block_set *set, const tal_vec3 *point, int count, tal_vec3 centre,
                           const char *word, tal_error *err) {
    tal_hull hull;
    TAL_TRY(tal_hull_create(&hull, point, count, word, err));
    tal_surface surface = tal_hull_surface(&hull);
    const tal_mass_properties mass = tal_surface_mass(&surface);
    const double scale = 1.0 / cbrt(mass.volume);
    for (int32_t v = 0; v < hull.vertex_count; v++) {
        const tal_vec3 from_centroid = tal_vec3_subtract(hull.vertex[v], mass.centroid);
        hull.vertex[v] = tal_vec3_add(centre, tal_vec3_scale(from_centroid, scale));
    }
    const tal_status status = tal_block_set_add(set, &surface, 1.0, err);
    tal_hull_destroy(&hull);
    return status;
}

static const form *find_form(const char *word) {
    for (int k = 0; k < FORM_COUNT; k++) {
        if (strcmp(FORMS[k].word, word) == 0) {
            return &FORMS[k];
        }
    }
    return NULL;
}

// The next word; false after the last.
static bool next_word(const char **words, char word[WORD_SIZE]) {
    *words += strspn(*words, " \t\n");
    const size_t length = strcspn(*words, " \t\n"),
                 kept = length < WORD_SIZE ? length : WORD_SIZE - 1;
    memcpy(word, *words, kept);
    word[kept] = '\0';
    *words += length;
    return length > 0;
}

tal_status tal_forms_check(const char *words, const char *where, tal_error *err) {
    char word[WORD_SIZE];
    int count = 0, bad = 0;
    while (next_word(&words, word)) {
        count++;
        if (find_form(word) == NULL) {
            bad++;
            tal_error_add(err, TAL_BAD_SETTING,
                          "%s: [mesh] forms: %s is not known; choose among eota, cube, sphere, "
                          "equant, platy, long and bladed",
                          where, word);
        }
    }
    if (count == 0) {
        return tal_error_add(err, TAL_BAD_SETTING,
                             "%s: [mesh] forms names no form: give one, such as eota", where);
    }
    return bad > 0 ? TAL_BAD_SETTING : TAL_OK;
}

static tal_vec3 place_of(const tal_forms_options *options, int32_t number) {
    return tal_vec3_add(options->first, tal_vec3_make(3.0 * number, 0, 0));
}

static tal_status add_form(tal_block_set *set, const form *f, const tal_forms_options *options,
                           tal_error *err) {
    tal_vec3 point[POINTS_MAX];
    char stream[64] = "mesher/forms/";
    strcat(stream, f->word);
    const tal_random random = tal_random_stream(options->seed, options->run, stream);
    for (int32_t k = 0; k < (f->is_natural ? options->count : 1); k++) {
        const tal_vec3 centre = place_of(options, set->block_count);
        if (!f->is_natural && f->make == NULL) {
            TAL_TRY(tal_block_set_add_sphere(set, centre, cbrt(0.75 / TAL_PI), err));
            continue;
        }
        const int count =
            f->is_natural ? make_natural(f, random, (uint64_t)k, point) : f->make(point);
        TAL_TRY(add_hull(set, point, count, centre, f->word, err));
    }
    return TAL_OK;
}

tal_status tal_forms_make(tal_block_set *set, const tal_forms_options *options, tal_error *err) {
    const char *words = options->words;
    char word[WORD_SIZE];
    while (next_word(&words, word)) {
        const form *f = find_form(word);
        TAL_ASSERT(f != NULL); // tal_forms_check
        TAL_TRY(add_form(set, f, options, err));
    }
    tal_block_set_finish(set, options->density_kg_m3, 1.0);
    return TAL_OK;
}
