// SPDX-License-Identifier: GPL-3.0-or-later
// The motion for ParaView: blocks.pvd with one .vtp per frame, and the terrain as one .vtp.
#ifndef TALUS_POSTPROC_WRITE_PARAVIEW_H
#define TALUS_POSTPROC_WRITE_PARAVIEW_H

#include "postproc/measure/back_analysis.h"
#include "postproc/measure/ground_mesh.h"
#include "postproc/write/output.h"

// Coordinates are metres from the study's origin, which every file names: single precision would
// round eastings and northings to half a metre. Frames are left out evenly to stay below `mb_max`.
tal_status tal_paraview_write(const tal_back_analysis *analysis, const tal_ground_mesh *ground,
                              double mb_max, const tal_output_place *place, tal_error *err);

#endif
