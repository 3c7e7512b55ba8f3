# Bodies that deform.
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
talus_test(analytic/elements.c SOURCES scenes/box_mesh.c LIBS talus_solver PkgConfig::LAPACKE)
talus_test(analytic/free_solids.c SOURCES scenes/box_mesh.c scenes/scene.c LIBS talus_solver LABELS slow)
talus_test_again(analytic/free_solids.c all long 3600 100000)
talus_test(analytic/soft_contacts.c SOURCES scenes/box_mesh.c scenes/scene.c LIBS talus_solver)
talus_test(analytic/soft_rest.c SOURCES scenes/box_mesh.c scenes/scene.c LIBS talus_solver)
talus_test(analytic/tension.c SOURCES scenes/box_mesh.c scenes/scene.c LIBS talus_solver)
talus_test_program(solver_soft_blocks bench/soft_blocks.c scenes/three_blocks.c scenes/box_mesh.c scenes/scene.c
    LIBS talus_solver)
talus_test(unit/soft_scenes.c SOURCES scenes/box_mesh.c scenes/scene.c LIBS talus_solver LABELS threads)
talus_test(analytic/maier_glocker.c SOURCES scenes/box_mesh.c scenes/scene.c LIBS talus_solver)
talus_test(property/shaken_blocks.c SOURCES scenes/three_blocks.c scenes/box_mesh.c scenes/scene.c
    LIBS talus_solver LABELS slow)
talus_test_again(property/shaken_blocks.c all long 3600 all)
talus_test(unit/fill.c LIBS talus_solver)
talus_script_test(cli/deformable.sh LABELS slow)
talus_test(analytic/theorem_frame.c LIBS talus_core)
