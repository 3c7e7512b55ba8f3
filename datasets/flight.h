// SPDX-License-Identifier: GPL-3.0-or-later
// An airborne laser survey of a scene: flight strips, scan lines, pulses with several echoes, and
// the errors that real surveys have.
#ifndef TALUS_DATASETS_FLIGHT_H
#define TALUS_DATASETS_FLIGHT_H

#include "datasets/las_writer.h"
#include "datasets/scan_scene.h"

#include <stdint.h>

enum { TAL_STRIPS_MAX = 16 };

typedef struct {
    const char *name; // also names its random streams
    // Flight
    int strip_count;
    double heading_deg, strip_spacing_m; // neighbours are flown in opposite directions
    double altitude_m, speed_mps;
    double gps_start_s;
    // Scanner
    double half_angle_deg, forward_deg; // across and along the flight
    double line_m, pulse_deg;           // between scan lines, between pulses of a line
    double through_crown;               // share of pulses that get through a crown
    double stray_share;                 // pulses that meet a bird or come back by a detour
    // Errors: each is a standard deviation, drift an amplitude
    double plan_sigma_m, height_sigma_m;             // of each pulse, of each echo
    double strip_plan_sigma_m, strip_height_sigma_m; // of each strip as a whole
    double drift_m, drift_length_m;                  // of height along a strip
    double shift_m[3];                               // of the whole survey: east, north, up
    bool classified;
} tal_flight;

typedef struct {
    double bias_m[3]; // east, north, up
    double drift_phase;
    uint64_t point_count;
    uint64_t ground_count;
} tal_strip;

// What came of it.
typedef struct {
    tal_strip strip[TAL_STRIPS_MAX];
    uint64_t pulse_count; // with at least one echo
    uint64_t point_count;
    uint64_t ground_count, vegetation_count, stray_count;
    uint64_t several_echoes_count; // points of pulses with more than one echo
} tal_flight_summary;

// Receives the points in the order they were taken.
typedef void tal_flight_sink(void *context, const tal_las_point *point);

// `density_scale` multiplies the number of pulses per area.
tal_status tal_flight_run(const tal_flight *survey, const tal_scan_scene *scene, uint64_t seed,
                          double density_scale, tal_flight_sink *sink, void *context,
                          tal_flight_summary *summary, tal_error *err);

#endif
