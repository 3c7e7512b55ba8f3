# Bodies that deform.
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
talus_test(analytic/elements.c SOURCES scenes/box_mesh.c LIBS talus_solver PkgConfig::LAPACKE)
talus_test(analytic/free_solids.c SOURCES scenes/box_mesh.c scenes/scene.c LIBS talus_solver)
talus_test(analytic/soft_contacts.c SOURCES scenes/box_mesh.c scenes/scene.c LIBS talus_solver)
