# Bodies that deform.
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
talus_test(analytic/elements.c SOURCES scenes/box_mesh.c LIBS talus_solver PkgConfig::LAPACKE)
