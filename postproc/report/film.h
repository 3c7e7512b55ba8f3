// SPDX-License-Identifier: GPL-3.0-or-later
// A film of the replay: a browser draws the frames of the report, ffmpeg joins them.
#ifndef TALUS_POSTPROC_REPORT_FILM_H
#define TALUS_POSTPROC_REPORT_FILM_H

#include "postproc/write/output.h"

// Both programs are there; else says which are not, and how they are called.
tal_status tal_film_check(tal_error *err);

// replay.mp4 (1920 x 1080, 25 frames a second) and replay.jpg, a picture from its middle, from the
// report that was just written.
tal_status tal_film_write(const tal_output_place *place, tal_error *err);

#endif
