# Threads: the same bits for any number of them, and under the thread sanitizer no two that meet.
talus_test(property/threads.c SOURCES scenes/scene.c LIBS talus_solver LABELS threads)
if(TALUS_SANITIZE MATCHES "thread")
    # That it would find a race is shown with one.
    talus_test_program(solver_planted_race unit/planted_race.c LIBS OpenMP::OpenMP_C)
    add_test(NAME solver_unit_planted_race COMMAND solver_planted_race)
    talus_test_properties(solver_unit_planted_race "threads" 60)
    set_tests_properties(solver_unit_planted_race PROPERTIES PASS_REGULAR_EXPRESSION "data race")
    add_dependencies(thread_tests solver_planted_race)
endif()
