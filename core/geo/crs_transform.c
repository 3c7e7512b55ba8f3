// SPDX-License-Identifier: GPL-3.0-or-later
// Transformations between coordinate systems by PROJ that are known and complete, or refused.
//
// PROJ itself quietly takes the next best operation when the best one lacks its grid. Here the
// operations are listed as if every grid were installed, the one for each point is chosen by PROJ's
// own rule, and if that one lacks a grid the point is not transformed by another.
#include "core/geo/crs_private.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct tal_crs_transform {
    PJ_CONTEXT *context; // NULL for the identity
    tal_proj_log log;
    PJ_OBJ_LIST *operations; // as PROJ found them, best first
    int operation_count;
    PJ **steps; // the same with x, y order on both sides; NULL where a grid is missing
    bool from_y_first;
    double accuracy_m;
    char where[512];
};

static PJ_OBJ_LIST *list_operations(PJ_CONTEXT *context, const PJ *from, const PJ *to,
                                    bool allow_ballpark) {
    PJ_OPERATION_FACTORY_CONTEXT *factory = proj_create_operation_factory_context(context, NULL);
    if (factory == NULL) {
        return NULL;
    }
    proj_operation_factory_context_set_spatial_criterion(
        context, factory, PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION);
    proj_operation_factory_context_set_grid_availability_use(context, factory,
                                                             PROJ_GRID_AVAILABILITY_IGNORED);
    proj_operation_factory_context_set_allow_ballpark_transformations(context, factory,
                                                                      allow_ballpark);
    PJ_OBJ_LIST *list = proj_create_operations(context, from, to, factory);
    proj_operation_factory_context_destroy(factory);
    return list;
}

// Adds the grids an operation lacks: "us_noaa_conus.tif (https://cdn.proj.org/...)".
static void append_missing_grids(PJ_CONTEXT *context, const PJ *operation, tal_text *text) {
    const int count = proj_coordoperation_get_grid_used_count(context, operation);
    for (int i = 0; i < count; i++) {
        const char *name = NULL;
        const char *url = NULL;
        int available = 0;
        if (proj_coordoperation_get_grid_used(context, operation, i, &name, NULL, NULL, &url, NULL,
                                              NULL, &available) == 0 ||
            available != 0 || name == NULL || strstr(tal_text_string(text), name) != NULL) {
            continue;
        }
        tal_text_append(text, "%s%s", text->length > 0 ? ", " : "", name);
        if (url != NULL && url[0] != '\0') {
            tal_text_append(text, " (%s)", url);
        }
    }
}

// Operations [first, end) all lack a grid.
static tal_status fail_grid(const tal_crs_transform *transform, int first, int end,
                            tal_error *err) {
    tal_text grids = {0};
    for (int i = first; i < end; i++) {
        PJ *operation = proj_list_get(transform->context, transform->operations, i);
        if (operation != NULL) {
            append_missing_grids(transform->context, operation, &grids);
        }
        proj_destroy(operation);
    }
    TAL_FAIL(
        err, TAL_BAD_CRS,
        "%s: the transformation to the coordinate system of the study needs a grid that is not "
        "installed: %s%s. Put it into PROJ's folder (projsync --file NAME does that), or "
        "convert the file beforehand",
        transform->where, end - first > 1 ? "depending on the region one or more of " : "",
        grids.length > 0 ? tal_text_string(&grids) : "PROJ does not say which");
    tal_text_destroy(&grids);
    return TAL_BAD_CRS;
}

// One operation: its accuracy, and itself with x, y order if all it needs is there.
static void prepare_operation(tal_crs_transform *transform, int index) {
    PJ_CONTEXT *context = transform->context;
    PJ *operation = proj_list_get(context, transform->operations, index);
    if (operation != NULL && proj_coordoperation_is_instantiable(context, operation) != 0) {
        transform->steps[index] = proj_normalize_for_visualization(context, operation);
    }
    if (transform->steps[index] != NULL) {
        const double accuracy = proj_coordoperation_get_accuracy(context, operation);
        const double known = accuracy >= 0.0 ? accuracy : (double)NAN;
        transform->accuracy_m = isnan(known) || isnan(transform->accuracy_m)
                                    ? (double)NAN
                                    : fmax(known, transform->accuracy_m);
    }
    proj_destroy(operation);
}

static tal_status refuse_unknown(const tal_crs_transform *transform, const PJ *from, const PJ *to,
                                 const tal_crs *from_crs, const tal_crs *to_crs, tal_error *err) {
    PJ_OBJ_LIST *ballpark = list_operations(transform->context, from, to, true);
    const bool guess = ballpark != NULL && proj_list_get_count(ballpark) > 0;
    proj_list_destroy(ballpark);
    return TAL_FAIL(err, TAL_BAD_CRS,
                    "%s: PROJ knows no %stransformation from %s to %s%s. Convert the file with a "
                    "transformation you trust, or correct the coordinate system if it is misstated",
                    transform->where, guess ? "exact " : "", from_crs->info.name, to_crs->info.name,
                    guess ? ", only a ballpark one that ignores the difference of the datums" : "");
}

static tal_status prepare_operations(tal_crs_transform *transform, const PJ *from, const PJ *to,
                                     const tal_crs *from_crs, const tal_crs *to_crs,
                                     tal_error *err) {
    transform->operations = list_operations(transform->context, from, to, false);
    const int count =
        transform->operations != NULL ? proj_list_get_count(transform->operations) : 0;
    if (count == 0) {
        return refuse_unknown(transform, from, to, from_crs, to_crs, err);
    }
    TAL_CREATE(transform->steps, (size_t)count, "a transformation", err);
    transform->operation_count = count;
    int usable = 0;
    for (int i = 0; i < count; i++) {
        prepare_operation(transform, i);
        usable += transform->steps[i] != NULL ? 1 : 0;
    }
    if (usable == 0) {
        return fail_grid(transform, 0, count, err);
    }
    return TAL_OK;
}

static tal_status check_pair(const tal_crs *from, const tal_crs *to, const char *where,
                             bool with_heights, tal_error *err) {
    const tal_crs_info *a = &from->info;
    const tal_crs_info *b = &to->info;
    if (a->is_local != b->is_local) {
        return TAL_FAIL(err, TAL_BAD_CRS,
                        "%s: local coordinates cannot be brought together with %s. Use data in one "
                        "of the two only",
                        where, a->is_local ? b->name : a->name);
    }
    if (with_heights && a->has_vertical != b->has_vertical) {
        const tal_crs_info *silent = a->has_vertical ? b : a;
        return TAL_FAIL(
            err, TAL_BAD_CRS,
            "%s: %s says nothing about heights, %s does. State the datum of the heights "
            "too, as in EPSG:5490+5756: they differ by up to 100 m between datums",
            where, silent->name, silent == a ? b->name : a->name);
    }
    if (!a->is_local && !from->axes_are_usual) {
        return TAL_FAIL(err, TAL_BAD_CRS,
                        "%s: the axes of %s do not point east and north, so which coordinate is "
                        "which is not certain. Convert the file beforehand",
                        where, a->name);
    }
    return TAL_OK;
}

static tal_status create_transform(tal_crs_transform **transform, const tal_crs *from,
                                   const tal_crs *to, const char *where, bool with_heights,
                                   tal_error *err) {
    *transform = NULL;
    TAL_TRY(check_pair(from, to, where, with_heights, err));
    tal_crs_transform *made = NULL;
    TAL_CREATE(made, 1, "a transformation", err);
    snprintf(made->where, sizeof made->where, "%s", where);
    made->from_y_first = from->y_before_x;
    const PJ *a = with_heights ? from->given : from->horizontal;
    const PJ *b = with_heights ? to->given : to->horizontal;
    const bool same =
        with_heights || from->info.is_local
            ? tal_crs_equal(from, to)
            : proj_is_equivalent_to_with_ctx(from->context, a, b,
                                             PJ_COMP_EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS) != 0;
    tal_status status = TAL_OK;
    if (!same) {
        made->context = tal_proj_context_create(&made->log);
        status = made->context != NULL ? prepare_operations(made, a, b, from, to, err)
                                       : TAL_FAIL(err, TAL_NO_MEMORY, "no memory for PROJ");
    }
    if (status != TAL_OK) {
        tal_crs_transform_destroy(made);
        return status;
    }
    *transform = made;
    return TAL_OK;
}

tal_status tal_crs_transform_create(tal_crs_transform **transform, const tal_crs *from,
                                    const tal_crs *to, const char *where, tal_error *err) {
    return create_transform(transform, from, to, where, true, err);
}

tal_status tal_crs_transform_create_flat(tal_crs_transform **transform, const tal_crs *from,
                                         const tal_crs *to, const char *where, tal_error *err) {
    return create_transform(transform, from, to, where, false, err);
}

void tal_crs_transform_destroy(tal_crs_transform *transform) {
    if (transform == NULL) {
        return;
    }
    for (int i = 0; i < transform->operation_count; i++) {
        proj_destroy(transform->steps[i]);
    }
    tal_memory_destroy(transform->steps);
    proj_list_destroy(transform->operations);
    if (transform->context != NULL) {
        proj_context_destroy(transform->context);
    }
    tal_memory_destroy(transform);
}

bool tal_crs_transform_is_identity(const tal_crs_transform *transform) {
    return transform->context == NULL;
}

double tal_crs_transform_accuracy_m(const tal_crs_transform *transform) {
    return transform->accuracy_m;
}

static double finite_or_nan(double value) {
    return isfinite(value) ? value : (double)NAN;
}

// Points [first, end) by one operation; -1: no operation holds there.
static void apply_operation(const tal_crs_transform *transform, int index, double *x, double *y,
                            double *z, size_t first, size_t end) {
    const size_t count = end - first;
    if (index >= 0) {
        PJ *step = transform->steps[index];
        proj_errno_reset(step);
        (void)proj_trans_generic(step, PJ_FWD, x + first, sizeof *x, count, y + first, sizeof *y,
                                 count, z != NULL ? z + first : NULL, sizeof *z,
                                 z != NULL ? count : 0, NULL, 0, 0);
    }
    for (size_t i = first; i < end; i++) {
        const bool good = index >= 0 && isfinite(x[i]) && isfinite(y[i]);
        x[i] = good ? x[i] : (double)NAN;
        y[i] = good ? y[i] : (double)NAN;
        if (z != NULL) {
            z[i] = good ? finite_or_nan(z[i]) : (double)NAN;
        }
    }
}

static int choose_operation(const tal_crs_transform *transform, double x, double y) {
    if (transform->operation_count == 1) {
        return 0;
    }
    const PJ_COORD point =
        transform->from_y_first ? proj_coord(y, x, 0.0, 0.0) : proj_coord(x, y, 0.0, 0.0);
    return proj_get_suggested_operation(transform->context, transform->operations, PJ_FWD, point);
}

tal_status tal_crs_transform_apply(const tal_crs_transform *transform, double *x, double *y,
                                   double *z, size_t count, tal_error *err) {
    if (transform->context == NULL) {
        return TAL_OK;
    }
    size_t first = 0;
    while (first < count) {
        const int index = choose_operation(transform, x[first], y[first]);
        size_t end = transform->operation_count == 1 ? count : first + 1;
        while (end < count && choose_operation(transform, x[end], y[end]) == index) {
            end++;
        }
        if (index >= 0 && transform->steps[index] == NULL) {
            return fail_grid(transform, index, index + 1, err);
        }
        apply_operation(transform, index, x, y, z, first, end);
        first = end;
    }
    return TAL_OK;
}

tal_status tal_crs_convert_flat(const tal_crs *from, const tal_crs *to, const char *where,
                                double *x, double *y, size_t count, tal_error *err) {
    tal_crs_transform *transform;
    TAL_TRY(tal_crs_transform_create_flat(&transform, from, to, where, err));
    const tal_status status = tal_crs_transform_apply(transform, x, y, NULL, count, err);
    tal_crs_transform_destroy(transform);
    return status;
}
