# Turns files into one C source: cmake -DOUT=x.c -DPREFIX=page -DHEADER=a/page.h -DFILES="a;b" -P embed.cmake
# Each file is tal_PREFIX_NAME (ended by a zero) with tal_PREFIX_NAME_size; with -DTABLE=ON they are
# static, and tal_PREFIX_files names them.
set(text "// Made by embed.cmake.\n#include \"${HEADER}\"\n\n")
foreach(path IN LISTS FILES)
    get_filename_component(file ${path} NAME)
    string(REPLACE "." "_" name ${file})
    file(READ ${path} hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " hex "${hex}")
    if(TABLE)
        string(APPEND text "static ")
        string(APPEND rows "    {\"${file}\", tal_${PREFIX}_${name}},\n")
    endif()
    string(APPEND text "const unsigned char tal_${PREFIX}_${name}[] = {\n${hex}0};\n")
    if(NOT TABLE)
        string(APPEND text "const size_t tal_${PREFIX}_${name}_size = sizeof tal_${PREFIX}_${name} - 1;\n\n")
    endif()
endforeach()
if(TABLE)
    string(APPEND text "\nconst tal_${PREFIX}_file tal_${PREFIX}_files[] = {\n${rows}};\n"
        "const size_t tal_${PREFIX}_file_count = sizeof tal_${PREFIX}_files / sizeof *tal_${PREFIX}_files;\n")
endif()
file(WRITE ${OUT} "${text}")
