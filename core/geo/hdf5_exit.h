// SPDX-License-Identifier: GPL-3.0-or-later
// HDF5's work at the end of a program, switched off. For whatever uses HDF5 directly.
#ifndef TALUS_CORE_GEO_HDF5_EXIT_H
#define TALUS_CORE_GEO_HDF5_EXIT_H

// To be called before anything that may start HDF5; safe to call more than once.
void tal_hdf5_init(void);

#endif
