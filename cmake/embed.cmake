# Writes C source with the text of files: cmake -DOUT=FILE.c -DHEADER=FILE.h -DTEXTS="NAME=FILE;..." -P cmake/embed.cmake
# Files of one name follow each other in one text.
# As numbers, since a string literal of C17 need hold no more than 4,095 characters.
set(source "#include \"${HEADER}\"\n")
foreach(text ${TEXTS})
	string(REGEX MATCH "^([^=]+)=(.*)$" matched "${text}")
	list(APPEND names ${CMAKE_MATCH_1})
	file(READ "${CMAKE_MATCH_2}" bytes HEX)
	string(APPEND bytes_of_${CMAKE_MATCH_1} "${bytes}")
endforeach()
list(REMOVE_DUPLICATES names)
foreach(name ${names})
	string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes_of_${name}}")
	string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
	string(APPEND source "\nconst char ${name}[] = {\n${bytes}\n0};\n")
endforeach()
file(WRITE "${OUT}" "${source}")
