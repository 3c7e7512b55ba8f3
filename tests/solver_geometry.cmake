# Tests of the solver's shapes, terrain and contact detection.
talus_test(test_shape unit/test_shape.c LIBS talus_solver)
talus_test(test_terrain unit/test_terrain.c LIBS talus_solver)
talus_test(test_broad_phase unit/test_broad_phase.c LIBS talus_solver)
talus_test(test_narrow_phase unit/test_narrow_phase.c LIBS talus_solver)
talus_test(test_ground unit/test_ground.c LIBS talus_solver)
talus_test(test_contact_properties property/test_contact_properties.c LIBS talus_solver)
