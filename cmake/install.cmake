# Programs with man pages and completion, and the solver library for other builds.
get_property(programs GLOBAL PROPERTY TALUS_PROGRAMS)
foreach(program IN LISTS programs)
    set(man ${CMAKE_BINARY_DIR}/share/${program}.1)
    set(completion ${CMAKE_BINARY_DIR}/share/completions/${program})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/completions)
    add_custom_command(OUTPUT ${man} ${completion}
        COMMAND ${program} --help=man > ${man}.part
        COMMAND ${CMAKE_COMMAND} -E rename ${man}.part ${man}
        COMMAND ${program} --help=bash > ${completion}.part
        COMMAND ${CMAKE_COMMAND} -E rename ${completion}.part ${completion}
        DEPENDS ${program} VERBATIM)
    list(APPEND pages ${man} ${completion})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${man} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endforeach()
if(pages)
    add_custom_target(pages ALL DEPENDS ${pages})
endif()

if(TARGET talus_solver)
    include(CMakePackageConfigHelpers)
    install(TARGETS talus_solver talus_core EXPORT talus ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES solver/talus_solver.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/talus)
    install(EXPORT talus NAMESPACE talus:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
    configure_package_config_file(cmake/talus-config.cmake.in ${CMAKE_BINARY_DIR}/talus-config.cmake
        INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
    write_basic_package_version_file(${CMAKE_BINARY_DIR}/talus-config-version.cmake
        COMPATIBILITY SameMinorVersion)
    configure_file(cmake/talus-solver.pc.in ${CMAKE_BINARY_DIR}/talus-solver.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/talus-config.cmake ${CMAKE_BINARY_DIR}/talus-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
    install(FILES ${CMAKE_BINARY_DIR}/talus-solver.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
