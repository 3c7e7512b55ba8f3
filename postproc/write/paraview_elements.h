// SPDX-License-Identifier: GPL-3.0-or-later
// The finite elements of a run for ParaView: elements.pvd.
#ifndef TALUS_POSTPROC_WRITE_PARAVIEW_ELEMENTS_H
#define TALUS_POSTPROC_WRITE_PARAVIEW_ELEMENTS_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

// Unstructured grids with displaced nodes, displacements, principal and von Mises stresses; nothing where
// no block has elements. Frames are left out evenly to stay below `mb_max`.
tal_status tal_paraview_write_elements(const tal_back_analysis *analysis, double mb_max,
                                       const tal_output_place *place, tal_error *err);

#endif
