# The solver against experiments, closed forms and the worst that can be thrown at it.
talus_test(solver_test_closed_forms analytic/solver_test_closed_forms.c SOURCES scenes/scene.c
    LIBS talus_solver LABELS slow)
talus_test(solver_test_prescribed analytic/solver_test_prescribed.c SOURCES scenes/scene.c
    LIBS talus_solver)
talus_test(solver_test_forces analytic/solver_test_forces.c SOURCES scenes/scene.c
    LIBS talus_solver)
talus_test(solver_test_layers property/solver_test_layers.c SOURCES scenes/scene.c
    LIBS talus_solver LABELS slow)
add_test(NAME solver_test_layers_500 COMMAND solver_test_layers 500)
talus_test_properties(solver_test_layers_500 "long" 3600)
talus_test(solver_test_falls property/solver_test_falls.c SOURCES scenes/scene.c
    LIBS talus_solver LABELS slow)
talus_test(solver_test_rest property/solver_test_rest.c SOURCES scenes/scene.c LIBS talus_solver)
talus_test(solver_test_gabion property/solver_test_gabion.c SOURCES scenes/gabion.c
    LIBS talus_solver LABELS slow)
add_test(NAME solver_test_gabion_wall COMMAND solver_test_gabion wall)
talus_test_properties(solver_test_gabion_wall "long" 3600)
talus_test(test_prescribed unit/test_prescribed.c SOURCES scenes/scene.c LIBS talus_solver)
talus_test(solver_test_flat analytic/solver_test_flat.c SOURCES scenes/scene.c
    LIBS talus_solver LABELS slow)
talus_test(solver_test_tosses property/solver_test_tosses.c SOURCES scenes/tosses.c scenes/scene.c
    LIBS talus_solver LABELS slow)
talus_test(solver_test_thrown property/solver_test_thrown.c SOURCES scenes/solids.c
    LIBS talus_solver talus_datasets_parts talus_mesher_parts LABELS slow)
add_test(NAME solver_test_thrown_all COMMAND solver_test_thrown all)
talus_test_properties(solver_test_thrown_all "long" 3600)
talus_test(solver_test_clashes property/solver_test_clashes.c SOURCES scenes/solids.c
    LIBS talus_solver LABELS slow)
talus_test(test_ground_touch property/test_ground_touch.c SOURCES scenes/solids.c
    LIBS talus_solver)
talus_test(test_model_classes unit/test_model_classes.c LIBS talus_solver)
talus_test(test_soft_walls unit/test_soft_walls.c SOURCES scenes/scene.c LIBS talus_solver)
talus_script_test(solver_wrong_input cli/solver_wrong_input.sh)
talus_script_test(solver_piton_times cli/solver_piton_times.sh LABELS long TIMEOUT 3600)

# Prints the tables of docs/validation/figures.sh.
add_executable(solver_tosses bench/solver_tosses.c scenes/tosses.c scenes/scene.c)
target_link_libraries(solver_tosses PRIVATE talus_flags talus_solver m)
set_target_properties(solver_tosses PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
