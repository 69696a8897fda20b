# Toolchain file of ci/portable and ci/wheel: $ASCTUNE_ZIG is the folder that ci/zig prints, with the compiler and the static libraries, $ASCTUNE_ZIG_PROCESSOR
# its processor.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $ENV{ASCTUNE_ZIG_PROCESSOR})
foreach(pair C_COMPILER=cc AR=ar RANLIB=ranlib)
	string(REPLACE "=" ";" pair ${pair})
	list(GET pair 0 variable)
	list(GET pair 1 tool)
	set(CMAKE_${variable} $ENV{ASCTUNE_ZIG}/bin/${tool})
endforeach()
# No archive of libasctune: binutils' objcopy knows the host's objects alone, and zig's does not do what is asked of it.
set(CMAKE_OBJCOPY "" CACHE FILEPATH "")
# The same bytes in any folder.
set(CMAKE_C_FLAGS_INIT "\"-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.\" \"-ffile-prefix-map=${CMAKE_BINARY_DIR}=build\"")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -pie")
set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)
set(CMAKE_FIND_ROOT_PATH $ENV{ASCTUNE_ZIG})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
