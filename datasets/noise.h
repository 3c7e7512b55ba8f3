// SPDX-License-Identifier: GPL-3.0-or-later
// Gradient noise (Perlin 1985, with the quintic fade of Perlin 2002): the natural roughness of the
// synthetic terrain. The lattice is a fixed table, so a value is a pure function of its place.
#ifndef TALUS_DATASETS_NOISE_H
#define TALUS_DATASETS_NOISE_H

#include "core/base/status.h"

enum { TAL_NOISE_LATTICE = 128 }; // the pattern repeats after this many wavelengths

typedef struct {
    float gradient_x[TAL_NOISE_LATTICE * TAL_NOISE_LATTICE];
    float gradient_y[TAL_NOISE_LATTICE * TAL_NOISE_LATTICE];
} tal_noise;

// One octave: `angle` turns the lattice and `offset` moves it, so that octaves do not line up.
typedef struct {
    double wavelength;
    double amplitude;
    double cosine, sine;
    double offset_x, offset_y;
} tal_octave;

void tal_noise_init(tal_noise *noise, const char *stream_name);
tal_octave tal_octave_make(double wavelength, double amplitude, int number);

// About -1 to 1, mean 0, at lattice coordinates.
double tal_noise_value(const tal_noise *noise, double x, double y);
// Amplitude times noise, at metres.
double tal_octave_value(const tal_noise *noise, const tal_octave *octave, double x, double y);

#endif
