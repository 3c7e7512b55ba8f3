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
# What `make demo` and `make run` need built; tests are not part of it.
add_custom_target(programs ALL DEPENDS ${programs} ${pages})

if(TARGET talus_solver)
    include(CMakePackageConfigHelpers)
    install(TARGETS talus_solver talus_core EXPORT talus ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(header IN ITEMS core/base/laws.h core/base/math3_types.h core/base/status.h
            solver/include/talus_shape.h solver/include/talus_solid.h solver/include/talus_solver.h)
        get_filename_component(folder ${header} DIRECTORY)
        install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/talus/${folder})
    endforeach()
    install(EXPORT talus NAMESPACE talus:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
    configure_package_config_file(cmake/talus-config.cmake.in ${CMAKE_BINARY_DIR}/talus-config.cmake
        INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
    write_basic_package_version_file(${CMAKE_BINARY_DIR}/talus-config-version.cmake
        COMPATIBILITY SameMinorVersion)
    # `make install PREFIX=` is told after configuring, so the file finds its prefix from its own place.
    file(RELATIVE_PATH TALUS_PREFIX_FROM_PKGCONFIG /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(REGEX REPLACE "/$" "" TALUS_PREFIX_FROM_PKGCONFIG ${TALUS_PREFIX_FROM_PKGCONFIG})
    configure_file(cmake/talus-solver.pc.in ${CMAKE_BINARY_DIR}/talus-solver.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/talus-config.cmake ${CMAKE_BINARY_DIR}/talus-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
    install(FILES ${CMAKE_BINARY_DIR}/talus-solver.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
