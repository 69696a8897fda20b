# What a wheel has (ci/wheel, pyproject.toml): the program as it is, in `bin` of a Python environment; libasctune beside its Python package; the worker's
# library where the program finds it; the workloads.
set(installed_in_wheel COMPONENT wheel)
install(PROGRAMS $<TARGET_FILE:asctune> DESTINATION ${SKBUILD_SCRIPTS_DIR} ${installed_in_wheel})
install(FILES $<TARGET_FILE:shared_library> DESTINATION ${SKBUILD_PLATLIB_DIR}/asctune RENAME libasctune.so.0 ${installed_in_wheel})
install(FILES $<TARGET_FILE:worker_library> DESTINATION ${SKBUILD_DATA_DIR}/lib/asctune ${installed_in_wheel})
install(DIRECTORY workloads DESTINATION ${SKBUILD_DATA_DIR}/share/asctune ${installed_in_wheel} PATTERN templates EXCLUDE)
if(DEFINED ENV{ASCTUNE_ZIG}) # versions and licences of the libraries that are inside
	install(DIRECTORY $ENV{ASCTUNE_ZIG}/libraries DESTINATION ${SKBUILD_DATA_DIR}/share/asctune ${installed_in_wheel})
endif()
