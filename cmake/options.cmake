# Flags and helpers every target shares.
add_library(talus_flags INTERFACE)
target_compile_options(talus_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -ffp-contract=off
    $<$<BOOL:${TALUS_WERROR}>:-Werror>)
target_include_directories(talus_flags INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
if(TALUS_SANITIZE)
    target_compile_options(talus_flags INTERFACE -fsanitize=${TALUS_SANITIZE} -fno-omit-frame-pointer)
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
