# libasctune, shared and static, with nothing visible but the functions of its header; for pkg-config and find_package too.
asctune_library(lookup reports/tables/lookup asc_results)
set(api asctune_open asctune_close asctune_ask asctune_reload asctune_error asctune_explain)

add_library(shared_library SHARED reports/tables/lookup/libasctune.c)
set_target_properties(shared_library PROPERTIES OUTPUT_NAME asctune VERSION ${PROJECT_VERSION} SOVERSION 0
	PUBLIC_HEADER reports/tables/lookup/asctune.h)
target_link_libraries(shared_library PRIVATE asc_lookup)
list(JOIN api "; " names)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/libasctune.map CONTENT "{ global: ${names}; local: *; };\n")
target_link_options(shared_library PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/libasctune.map)

# One object of all that the functions need, so that no other name of ours meets one of a program's. A toolchain without objcopy makes none.
if(CMAKE_OBJCOPY)
	set(archive libasctune.a)
	set(parts $<TARGET_FILE:asc_lookup> $<TARGET_FILE:asc_results> $<TARGET_FILE:asc_db> $<TARGET_FILE:asc_result> $<TARGET_FILE:asc_base>)
	list(TRANSFORM api PREPEND --keep-global-symbol= OUTPUT_VARIABLE kept)
	add_custom_command(OUTPUT ${archive}
		# The compiler names the linker's target: lld does not take it from archives.
		COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o asctune_library.o -Wl,--start-group ${parts} -Wl,--end-group -Wl,-u,asctune_open
		COMMAND ${CMAKE_OBJCOPY} ${kept} asctune_library.o
		COMMAND ${CMAKE_COMMAND} -E rm -f libasctune.a
		COMMAND ${CMAKE_AR} crs libasctune.a asctune_library.o
		DEPENDS asc_lookup asc_results asc_db asc_result asc_base VERBATIM)
	install(FILES ${CMAKE_BINARY_DIR}/libasctune.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
add_custom_target(static_library ALL DEPENDS ${archive})

# Both find the rest from their own place, so that an installed tree may move.
include(CMakePackageConfigHelpers)
file(RELATIVE_PATH include_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/asctune.pc.in asctune.pc @ONLY)
configure_package_config_file(cmake/asctune-config.cmake.in asctune-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/asctune
	PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/asctune-config-version.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS shared_library)
install(FILES ${CMAKE_BINARY_DIR}/asctune.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/asctune-config.cmake ${CMAKE_BINARY_DIR}/asctune-config-version.cmake
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/asctune)
install(DIRECTORY tuner/python/asctune DESTINATION ${CMAKE_INSTALL_DATADIR}/asctune FILES_MATCHING PATTERN "*.py"
	PATTERN __pycache__ EXCLUDE)
