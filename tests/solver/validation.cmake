# The solver against experiments, closed forms and the worst that can be thrown at it.
talus_test(analytic/closed_forms.c SOURCES scenes/scene.c LIBS talus_solver LABELS slow)
talus_test(analytic/prescribed.c SOURCES scenes/scene.c LIBS talus_solver)
talus_test(analytic/forces.c SOURCES scenes/scene.c LIBS talus_solver)
talus_test(property/layers.c SOURCES scenes/scene.c LIBS talus_solver LABELS slow)
talus_test_again(property/layers.c 500 long 3600 500)
talus_test(property/falls.c SOURCES scenes/scene.c LIBS talus_solver LABELS slow)
talus_test(property/rest.c SOURCES scenes/scene.c LIBS talus_solver LABELS threads)
talus_test(property/gabion.c SOURCES scenes/gabion.c LIBS talus_solver LABELS slow)
talus_test_again(property/gabion.c wall long 3600 wall)
talus_test(unit/prescribed.c SOURCES scenes/scene.c LIBS talus_solver)
talus_test(analytic/flat.c SOURCES scenes/scene.c LIBS talus_solver LABELS slow)
talus_test(property/tosses.c SOURCES scenes/tosses.c scenes/scene.c LIBS talus_solver LABELS slow)
talus_test(property/thrown.c SOURCES scenes/solids.c
    LIBS talus_solver talus_datasets_parts talus_mesher_parts LABELS slow)
talus_test_again(property/thrown.c all long 3600 all)
talus_test(property/clashes.c SOURCES scenes/solids.c LIBS talus_solver LABELS slow)
talus_test(property/ground_touch.c SOURCES scenes/solids.c LIBS talus_solver)
talus_test(unit/model_classes.c LIBS talus_solver)
talus_test(unit/soft_walls.c SOURCES scenes/scene.c LIBS talus_solver)
talus_script_test(cli/contact.sh)
talus_script_test(cli/fclib.sh)
talus_script_test(cli/wrong_input.sh)
talus_script_test(cli/library.sh)
talus_script_test(cli/settings.sh)
talus_script_test(cli/stopped.sh TIMEOUT 900 LABELS slow)
talus_script_test(cli/piton_times.sh LABELS long TIMEOUT 3600)

# Prints the tables of docs/validation/figures.sh.
talus_test_program(solver_tosses bench/tosses.c scenes/tosses.c scenes/scene.c LIBS talus_solver)
# Prints the tables of docs/validation/default-law.md.
set(TALUS_STUDY scenes/scene.c studies/study.c)
talus_test_program(solver_law_slopes studies/law_slopes.c studies/slopes.c ${TALUS_STUDY}
    LIBS talus_solver)
talus_test_program(solver_law_sites studies/law_sites.c ${TALUS_STUDY} LIBS talus_solver)
talus_test(property/default_law.c SOURCES studies/slopes.c scenes/tosses.c ${TALUS_STUDY}
    LIBS talus_solver LABELS slow TIMEOUT 900)
talus_test_again(property/default_law.c all long 3600 2400)
talus_test(property/left_behind.c SOURCES scenes/scene.c LIBS talus_solver)
