# Flags and helpers every target shares.
add_library(talus_flags INTERFACE)
target_compile_options(talus_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -ffp-contract=off
    $<$<BOOL:${TALUS_WERROR}>:-Werror>)
target_include_directories(talus_flags INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
# What a mistake in our code could be turned into is made hard: canaries on the stack, checked libc
# calls (not under sanitizers, which check more), nothing writable in the tables of the loader, and
# programs at an address that is not known beforehand.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
# The kernels of the solver have canaries where they hold text only: everywhere they cost 3 % of its
# instructions (S3_wall).
target_compile_options(talus_flags INTERFACE
    -fstack-protector$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TALUS_KERNELS>>>:-strong>)
target_link_options(talus_flags INTERFACE -Wl,-z,relro -Wl,-z,now)
if(NOT TALUS_SANITIZE)
    target_compile_options(talus_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
# Build and installed tree alike. A path of the build tree only, as CMake would write it, is padded with
# a colon, and an empty entry means the current folder.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
if(TALUS_SANITIZE)
    # A finding ends the program: one that is only printed is read by nobody.
    target_compile_options(talus_flags INTERFACE -fsanitize=${TALUS_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(talus_flags INTERFACE -fsanitize=${TALUS_SANITIZE})
endif()

# talus_program(NAME SOURCES ... LIBS ...): a program of the tool box, installed with its man page and
# completion, both printed by the program itself.
set_property(GLOBAL PROPERTY TALUS_PROGRAMS "")
function(talus_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE talus_flags talus_app ${arg_LIBS})
    set_property(GLOBAL APPEND PROPERTY TALUS_PROGRAMS ${name})
endfunction()
