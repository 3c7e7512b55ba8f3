// SPDX-License-Identifier: GPL-3.0-or-later
// HDF5's work at the end of a program, switched off: it closes what is still open, and crashes on a
// file whose close has failed before, as it does on a full disk (seen with 1.10.8). All files are
// closed here, so nothing is lost.
#include "core/geo/hdf5_exit.h"

#include <hdf5.h>
#include <threads.h>

static void leave_exit_alone(void) {
    (void)
        H5dont_atexit(); // fails only when HDF5 is in use already; then there is nothing to be done
}

void tal_hdf5_init(void) {
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, leave_exit_alone);
}
