// SPDX-License-Identifier: GPL-3.0-or-later
// The line along which runout is measured: from the crown of the source down the ground to the toe.
#ifndef TALUS_POSTPROC_MEASURE_FLOW_LINE_H
#define TALUS_POSTPROC_MEASURE_FLOW_LINE_H

#include "core/geo/grid.h"

// s is the horizontal distance along the line from the crown; before the crown it is negative. Both
// ends go on straight.
typedef struct {
    int32_t count;
    double *x, *y; // metres from the origin
    double *s;
} tal_flow_line;

// The easiest way over the ground from cell to cell of `stop` (crown, centroid of the source,
// centroid of the deposit, its tip): climbing costs 20 times as much as going down or level.
// Smoothed over its own crinkles.
tal_status tal_flow_line_create(tal_flow_line *line, const tal_grid *grid, const float *ground,
                                const size_t *stop, int stop_count, tal_error *err);
void tal_flow_line_destroy(tal_flow_line *line);

// Distance along the line of its point nearest to (x, y).
double tal_flow_line_project(const tal_flow_line *line, double x, double y);
// The point at a distance along the line.
void tal_flow_line_point(const tal_flow_line *line, double s, double *x, double *y);

#endif
