// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of a chunk of points.
#include "ingest/read/points.h"

#include "core/base/memory.h"

tal_status tal_points_create(tal_points *points, tal_error *err) {
    tal_status status = TAL_OK;
    *points = (tal_points){0};
    TAL_CREATE_OR_DONE(points->x, TAL_POINTS_CAPACITY, "a chunk of points", err);
    TAL_CREATE_OR_DONE(points->y, TAL_POINTS_CAPACITY, "a chunk of points", err);
    TAL_CREATE_OR_DONE(points->z, TAL_POINTS_CAPACITY, "a chunk of points", err);
    TAL_CREATE_OR_DONE(points->point_class, TAL_POINTS_CAPACITY, "a chunk of points", err);
    TAL_CREATE_OR_DONE(points->is_last, TAL_POINTS_CAPACITY, "a chunk of points", err);
    TAL_CREATE_OR_DONE(points->is_withheld, TAL_POINTS_CAPACITY, "a chunk of points", err);
done:
    if (status != TAL_OK) {
        tal_points_destroy(points);
    }
    return status;
}

void tal_points_destroy(tal_points *points) {
    tal_memory_destroy(points->x);
    tal_memory_destroy(points->y);
    tal_memory_destroy(points->z);
    tal_memory_destroy(points->point_class);
    tal_memory_destroy(points->is_last);
    tal_memory_destroy(points->is_withheld);
    *points = (tal_points){0};
}
