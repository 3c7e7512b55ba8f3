// SPDX-License-Identifier: GPL-3.0-or-later
// Coordinate systems by PROJ: what a definition means in metres.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/crs_private.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <math.h>
#include <proj_experimental.h> // from two to three dimensions and back
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void keep_message(void *data, int level, const char *message) {
    tal_proj_log *log = data;
    if (level == PJ_LOG_ERROR && message != NULL) {
        snprintf(log->text, sizeof log->text, " (PROJ: %.1000s)", message);
    }
}

PJ_CONTEXT *tal_proj_context_create(tal_proj_log *log) {
    PJ_CONTEXT *context = proj_context_create();
    if (context != NULL) {
        log->text[0] = '\0';
        proj_log_func(context, log, keep_message);
        proj_log_level(context, PJ_LOG_ERROR);
        // A result must not depend on whether a server answered.
        proj_context_set_enable_network(context, 0);
    }
    return context;
}

const char *tal_proj_log_text(tal_proj_log *log) {
    return log->text;
}

// Takes the place of `crs`: what is wrapped by a transformation to WGS 84 (TOWGS84 in old WKT).
static PJ *unwrap_bound(PJ_CONTEXT *context, PJ *crs) {
    while (crs != NULL && proj_get_type(crs) == PJ_TYPE_BOUND_CRS) {
        PJ *source = proj_get_source_crs(context, crs);
        proj_destroy(crs);
        crs = source;
    }
    return crs;
}

static PJ *create_part(PJ_CONTEXT *context, const PJ *compound, int index) {
    return unwrap_bound(context, proj_crs_get_sub_crs(context, compound, index));
}

typedef struct {
    char direction[32];
    char unit[64];
    double factor; // metres or radians per unit
} axis;

static int read_axes(PJ_CONTEXT *context, const PJ *crs, axis axes[3]) {
    PJ *system = proj_crs_get_coordinate_system(context, crs);
    int count = system != NULL ? proj_cs_get_axis_count(context, system) : 0;
    count = count > 3 ? 3 : count;
    for (int i = 0; i < count; i++) {
        const char *direction = NULL;
        const char *unit = NULL;
        if (proj_cs_get_axis_info(context, system, i, NULL, NULL, &direction, &axes[i].factor,
                                  &unit, NULL, NULL) == 0) {
            count = 0;
            break;
        }
        tal_text_copy(axes[i].direction, sizeof axes[i].direction, direction ? direction : "");
        tal_text_copy(axes[i].unit, sizeof axes[i].unit, unit ? unit : "");
    }
    proj_destroy(system);
    return count;
}

static void note_vertical(tal_crs *crs, const axis *height) {
    crs->info.has_vertical = true;
    crs->info.vertical_m = height->factor;
    crs->heights_go_down = strcmp(height->direction, "down") == 0;
    tal_text_copy(crs->info.vertical_unit, sizeof crs->info.vertical_unit, height->unit);
}

static void note_horizontal(tal_crs *crs, const axis axes[3], PJ_TYPE type) {
    tal_crs_info *info = &crs->info;
    info->is_geographic = type == PJ_TYPE_GEOGRAPHIC_2D_CRS || type == PJ_TYPE_GEOGRAPHIC_3D_CRS;
    info->is_projected = type == PJ_TYPE_PROJECTED_CRS;
    info->horizontal_m = info->is_geographic ? 0.0 : axes[0].factor;
    tal_text_copy(info->horizontal_unit, sizeof info->horizontal_unit, axes[0].unit);
    const char *first = axes[0].direction;
    const char *second = axes[1].direction;
    crs->y_before_x = strcmp(first, "north") == 0 && strcmp(second, "east") == 0;
    // Polar projections call both axes "north" or "south": along two meridians.
    const bool polar = strcmp(first, second) == 0;
    crs->axes_are_usual =
        crs->y_before_x || polar || (strcmp(first, "east") == 0 && strcmp(second, "north") == 0);
}

static tal_status note_parts(tal_crs *crs, PJ *horizontal, PJ *vertical, const char *definition,
                             const char *where, tal_error *err) {
    axis axes[3] = {0};
    const PJ_TYPE type = proj_get_type(horizontal);
    const int count = read_axes(crs->context, horizontal, axes);
    if (type == PJ_TYPE_VERTICAL_CRS) {
        return TAL_FAIL(err, TAL_BAD_CRS,
                        "%s: '%.200s' (%s) describes heights only. Put the horizontal one "
                        "before it, as in EPSG:5490+5756",
                        where, definition, crs->info.name);
    }
    if (count < 2) {
        return TAL_FAIL(err, TAL_BAD_CRS, "%s: the axes of '%.200s' are not understood%s", where,
                        definition, tal_proj_log_text(&crs->log));
    }
    note_horizontal(crs, axes, type);
    if (count == 3) {
        note_vertical(crs, &axes[2]);
    }
    if (vertical != NULL && read_axes(crs->context, vertical, axes) == 1) {
        note_vertical(crs, &axes[0]);
    }
    if (type == PJ_TYPE_ENGINEERING_CRS) {
        if (fabs(crs->info.horizontal_m - 1.0) > 1e-9) {
            return TAL_FAIL(
                err, TAL_BAD_CRS,
                "%s: its local coordinates are in %s ('%s'). Convert them to metres first", where,
                crs->info.horizontal_unit, crs->info.name);
        }
        crs->info.is_local = true;
    }
    return TAL_OK;
}

static tal_status copy_wkt(PJ_CONTEXT *context, const PJ *crs, char **wkt, tal_error *err) {
    static const char *const options[] = {"MULTILINE=NO", NULL};
    const char *text = proj_as_wkt(context, crs, PJ_WKT2_2019, options);
    const size_t length = text != NULL ? strlen(text) : 0;
    TAL_CREATE(*wkt, length + 1, "a coordinate system", err);
    if (length > 0) {
        memcpy(*wkt, text, length);
    }
    return TAL_OK;
}

// The two parts, and what they mean.
static tal_status read_parts(tal_crs *crs, const char *definition, const char *where,
                             tal_error *err) {
    tal_status status = TAL_OK;
    PJ *vertical = NULL;
    PJ *whole = unwrap_bound(crs->context, proj_clone(crs->context, crs->given));
    if (whole != NULL && proj_get_type(whole) == PJ_TYPE_COMPOUND_CRS) {
        crs->horizontal = create_part(crs->context, whole, 0);
        vertical = create_part(crs->context, whole, 1);
        proj_destroy(whole);
    } else {
        crs->horizontal = whole;
    }
    if (crs->horizontal == NULL) {
        status = TAL_FAIL(err, TAL_BAD_CRS, "%s: '%.200s' has no horizontal part%s", where,
                          definition, tal_proj_log_text(&crs->log));
        goto done;
    }
    TAL_TRY_OR_DONE(note_parts(crs, crs->horizontal, vertical, definition, where, err));
    PJ *flat = proj_crs_demote_to_2D(crs->context, NULL, crs->horizontal);
    if (flat != NULL) {
        proj_destroy(crs->horizontal);
        crs->horizontal = flat;
    }
done:
    proj_destroy(vertical);
    return status;
}

// PROJ would also take a name and guess among similar ones; a study's coordinates deserve better.
static bool is_definition(const char *text) {
    return strpbrk(text, ":[{") != NULL || strstr(text, "proj=") != NULL;
}

// "EPSG:32620+ellipsoidal": heights above the ellipsoid, as satellite positioning gives them.
static PJ *create_ellipsoidal(PJ_CONTEXT *context, const char *definition) {
    static const char suffix[] = "+ellipsoidal";
    char horizontal[128];
    const size_t length = strlen(definition) - (sizeof suffix - 1);
    snprintf(horizontal, sizeof horizontal, "%.*s", (int)length, definition);
    PJ *flat = length < sizeof horizontal ? proj_create(context, horizontal) : NULL;
    PJ *solid = flat != NULL ? proj_crs_promote_to_3D(context, NULL, flat) : NULL;
    proj_destroy(flat);
    return solid;
}

static bool ends_with(const char *text, const char *suffix) {
    const size_t length = strlen(text);
    const size_t tail = strlen(suffix);
    return length > tail && strcasecmp(text + length - tail, suffix) == 0;
}

// `given` stays NULL when PROJ does not know the definition.
static tal_status create_given(PJ_CONTEXT *context, const char *definition, PJ **given,
                               tal_error *err) {
    if (!is_definition(definition)) {
        return TAL_OK;
    }
    if (ends_with(definition, "+ellipsoidal")) {
        *given = create_ellipsoidal(context, definition);
        return TAL_OK;
    }
    // A bare PROJ string is an operation to PROJ unless it says that it is a coordinate system.
    const bool bare = strstr(definition, "proj=") != NULL && strpbrk(definition, "[{") == NULL &&
                      strstr(definition, "type=crs") == NULL;
    tal_text text = {0};
    tal_text_append(&text, "%s%s", definition, bare ? " +type=crs" : "");
    const bool failed = text.failed;
    *given = failed ? NULL : proj_create(context, tal_text_string(&text));
    tal_text_destroy(&text);
    return failed ? tal_memory_failed(err, "a coordinate system", strlen(definition), 1) : TAL_OK;
}

static tal_status read_definition(tal_crs *crs, const char *definition, const char *where,
                                  tal_error *err) {
    TAL_TRY(create_given(crs->context, definition, &crs->given, err));
    if (crs->given == NULL || proj_is_crs(crs->given) == 0) {
        return TAL_FAIL(
            err, TAL_BAD_CRS,
            "%s: '%.200s' is not a coordinate system that PROJ knows%s. Write an EPSG code "
            "for the map and one for the heights, as in EPSG:5490+5756, or WKT, or "
            "local for coordinates in a scanner's own frame, in metres",
            where, definition, tal_proj_log_text(&crs->log));
    }
    const char *name = proj_get_name(crs->given);
    snprintf(crs->info.name, sizeof crs->info.name, "%s", name != NULL ? name : "unnamed");
    TAL_TRY(read_parts(crs, definition, where, err));
    if (crs->info.is_local) {
        return TAL_OK;
    }
    TAL_TRY(copy_wkt(crs->context, crs->given, &crs->wkt, err));
    return copy_wkt(crs->context, crs->horizontal, &crs->horizontal_wkt, err);
}

static void make_local(tal_crs *crs) {
    crs->info = (tal_crs_info){.is_local = true,
                               .has_vertical = true,
                               .horizontal_m = 1.0,
                               .vertical_m = 1.0,
                               .name = "local",
                               .horizontal_unit = "metre",
                               .vertical_unit = "metre"};
    crs->axes_are_usual = true;
}

static char *copy_trimmed(const char *text) {
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL) {
        length--;
    }
    char *copy = tal_memory_create(length + 1, 1);
    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

tal_status tal_crs_create(tal_crs **crs, const char *definition, const char *where,
                          tal_error *err) {
    tal_status status = TAL_OK;
    char *trimmed = copy_trimmed(definition);
    *crs = tal_memory_create(1, sizeof **crs);
    if (*crs == NULL || trimmed == NULL) {
        status = tal_memory_failed(err, "a coordinate system", 1, sizeof **crs);
        goto done;
    }
    (*crs)->context = tal_proj_context_create(&(*crs)->log);
    if ((*crs)->context == NULL) {
        status = TAL_FAIL(err, TAL_NO_MEMORY, "no memory for PROJ");
        goto done;
    }
    if (strcasecmp(trimmed, "local") != 0) {
        TAL_TRY_OR_DONE(read_definition(*crs, trimmed, where, err));
    }
    if (strcasecmp(trimmed, "local") == 0 || (*crs)->info.is_local) {
        make_local(*crs);
    }
done:
    tal_memory_destroy(trimmed);
    if (status != TAL_OK) {
        tal_crs_destroy(*crs);
        *crs = NULL;
    }
    return status;
}

void tal_crs_destroy(tal_crs *crs) {
    if (crs == NULL) {
        return;
    }
    proj_destroy(crs->given);
    proj_destroy(crs->horizontal);
    if (crs->context != NULL) {
        proj_context_destroy(crs->context); // NULL would be PROJ's shared default
    }
    tal_memory_destroy(crs->wkt);
    tal_memory_destroy(crs->horizontal_wkt);
    tal_memory_destroy(crs);
}

const tal_crs_info *tal_crs_get_info(const tal_crs *crs) {
    return &crs->info;
}

const char *tal_crs_wkt(const tal_crs *crs) {
    return crs->wkt != NULL ? crs->wkt : "";
}

const char *tal_crs_horizontal_wkt(const tal_crs *crs) {
    return crs->horizontal_wkt != NULL ? crs->horizontal_wkt : "";
}

bool tal_crs_equal(const tal_crs *a, const tal_crs *b) {
    if (a->info.is_local || b->info.is_local) {
        return a->info.is_local && b->info.is_local;
    }
    // Coordinates are always taken as x, y here, whatever order the authority prescribes.
    return proj_is_equivalent_to_with_ctx(a->context, a->given, b->given,
                                          PJ_COMP_EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS) != 0;
}

bool tal_crs_find_area(const tal_crs *crs, double degrees[4]) {
    return !crs->info.is_local && crs->horizontal != NULL &&
           proj_get_area_of_use(crs->context, crs->horizontal, &degrees[0], &degrees[1],
                                &degrees[2], &degrees[3], NULL) != 0 &&
           degrees[0] > -1000.0 && degrees[0] < degrees[2] && degrees[1] < degrees[3];
}

static bool is_metre(double metres_per_unit) {
    return fabs(metres_per_unit - 1.0) < 1e-9;
}

tal_status tal_crs_check_site(const tal_crs *crs, const char *where, tal_error *err) {
    const tal_crs_info *info = &crs->info;
    if (info->is_local) {
        return TAL_OK;
    }
    if (!info->is_projected) {
        return TAL_FAIL(
            err, TAL_BAD_CRS,
            "%s: %s is not a map projection (its unit is the %s). A study needs metres: "
            "choose a projected system, such as the UTM zone of the site",
            where, info->name, info->horizontal_unit);
    }
    if (!is_metre(info->horizontal_m)) {
        return TAL_FAIL(err, TAL_BAD_CRS,
                        "%s: the unit of %s is the %s. A study needs metres: choose the metric "
                        "version of this projection or the UTM zone; files in feet are then "
                        "converted",
                        where, info->name, info->horizontal_unit);
    }
    if (!crs->axes_are_usual) {
        return TAL_FAIL(
            err, TAL_BAD_CRS,
            "%s: the axes of %s do not point east and north. Choose a system whose axes "
            "do",
            where, info->name);
    }
    if (!info->has_vertical) {
        return TAL_FAIL(err, TAL_BAD_CRS,
                        "%s: %s says nothing about heights. Add the code of their datum, as in "
                        "EPSG:5490+5756, or +ellipsoidal for heights above the ellipsoid",
                        where, info->name);
    }
    if (!is_metre(info->vertical_m) || crs->heights_go_down) {
        return TAL_FAIL(err, TAL_BAD_CRS,
                        "%s: the unit of the heights of %s is the %s%s. A study needs heights in "
                        "metres, counted upwards",
                        where, info->name, info->vertical_unit,
                        crs->heights_go_down ? ", counted downwards" : "");
    }
    return TAL_OK;
}

static int64_t whole(double value) {
    return isfinite(value) && fabs(value) < 9e15 ? (int64_t)llround(value) : 0;
}

tal_origin tal_origin_near(double x, double y, double z) {
    return (tal_origin){.east = whole(x), .north = whole(y), .height = whole(z)};
}

bool tal_origin_is_possible(const double place[3]) {
    const double most = 1e8; // more than twice around the Earth
    for (int a = 0; a < 3; a++) {
        if (!(fabs(place[a]) <= most && place[a] == round(place[a]))) {
            return false;
        }
    }
    return true;
}
