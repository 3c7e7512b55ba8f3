// SPDX-License-Identifier: GPL-3.0-or-later
// Gradient noise on a fixed lattice.
#include "datasets/noise.h"

#include "core/base/random.h"

#include <math.h>
#include <stdint.h>

static const double TWO_PI = 6.283185307179586476925286766559;

// The terrain is part of the site and does not change with the seed of the surveys.
static const uint64_t TERRAIN_SEED = 20100511;

void tal_noise_init(tal_noise *noise, const char *stream_name) {
    const tal_random random = tal_random_stream(TERRAIN_SEED, 0, stream_name);
    for (int node = 0; node < TAL_NOISE_LATTICE * TAL_NOISE_LATTICE; node++) {
        const double angle = TWO_PI * tal_random_uniform(random, (uint64_t)node);
        noise->gradient_x[node] = (float)cos(angle);
        noise->gradient_y[node] = (float)sin(angle);
    }
}

tal_octave tal_octave_make(double wavelength, double amplitude, int number) {
    const double angle = 2.399963229728653 * number; // the golden angle: no two octaves agree
    return (tal_octave){.wavelength = wavelength,
                        .amplitude = amplitude,
                        .cosine = cos(angle),
                        .sine = sin(angle),
                        .offset_x = 17.31 * number,
                        .offset_y = 5.77 * number};
}

static double fade(double t) {
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

static double corner(const tal_noise *noise, int64_t column, int64_t row, double dx, double dy) {
    const int64_t mask = TAL_NOISE_LATTICE - 1;
    const int64_t node = (row & mask) * TAL_NOISE_LATTICE + (column & mask);
    return (double)noise->gradient_x[node] * dx + (double)noise->gradient_y[node] * dy;
}

double tal_noise_value(const tal_noise *noise, double x, double y) {
    const double floor_x = floor(x), floor_y = floor(y);
    const int64_t column = (int64_t)floor_x, row = (int64_t)floor_y;
    const double dx = x - floor_x, dy = y - floor_y;
    const double fx = fade(dx), fy = fade(dy);
    const double a = corner(noise, column, row, dx, dy);
    const double b = corner(noise, column + 1, row, dx - 1.0, dy);
    const double c = corner(noise, column, row + 1, dx, dy - 1.0);
    const double d = corner(noise, column + 1, row + 1, dx - 1.0, dy - 1.0);
    const double low = a + fx * (b - a), high = c + fx * (d - c);
    return 1.4 * (low + fy * (high - low)); // the plain value lies within +-0.7071
}

double tal_octave_value(const tal_noise *noise, const tal_octave *octave, double x, double y) {
    const double east = x / octave->wavelength, north = y / octave->wavelength;
    return octave->amplitude *
           tal_noise_value(noise, octave->cosine * east - octave->sine * north + octave->offset_x,
                           octave->sine * east + octave->cosine * north + octave->offset_y);
}
