// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite, which reads GeoPackages and the tables of PROJ, for fuzzers: no locks, since there is one thread, no
// statistics, and small pieces from a store of its own. It is not what we test.
#ifndef TALUS_TESTS_SUPPORT_SQLITE_ALONE_H
#define TALUS_TESTS_SUPPORT_SQLITE_ALONE_H

// The file that includes it first says _GNU_SOURCE.
#include <dlfcn.h>
#include <stdlib.h>

// Before anything uses the library.
static inline void sqlite_alone(void) {
    enum { SINGLE_THREAD = 1, STATISTICS = 9, STORE = 13 }; // of sqlite3.h
    typedef int configure_function(int what, ...);
    configure_function *configure = (configure_function *)dlsym(RTLD_DEFAULT, "sqlite3_config");
    if (configure == NULL || configure(SINGLE_THREAD) != 0 || configure(STATISTICS, 0) != 0 ||
        configure(STORE, 1200, 500) != 0) {
        abort();
    }
}

#endif
