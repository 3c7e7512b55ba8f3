# Tests of the solver's shapes, terrain and contact detection.
talus_test(unit/shape.c LIBS talus_solver)
talus_test(unit/terrain.c LIBS talus_solver)
talus_test(unit/broad_phase.c LIBS talus_solver)
talus_test(unit/narrow_phase.c LIBS talus_solver)
talus_test(unit/ground.c LIBS talus_solver)
talus_test(property/contact_properties.c LIBS talus_solver)
talus_test(property/queries.c LIBS talus_solver)
