# The worker as a shared object that a Python interpreter loads (tuner/worker/worker_library.c): nothing of it is visible but its one function, so that no
# name of ours meets one of the libraries that the interpreter has; and it takes of our own folders' libraries only what a worker needs, nothing of SQLite.
add_library(worker_library MODULE tuner/worker/worker_library.c)
set_target_properties(worker_library PROPERTIES OUTPUT_NAME asctune_worker LINK_DEPENDS ${CMAKE_BINARY_DIR}/worker_library.map)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/worker_library.map CONTENT "{ global: asctune_worker_serve; local: *; };\n")
target_link_libraries(worker_library PRIVATE -Wl,--as-needed asc_worker)
target_link_options(worker_library PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/worker_library.map)
if(NOT ASCTUNE_SANITIZE)
	target_link_options(worker_library PRIVATE -Wl,-z,defs)
endif()
install(TARGETS worker_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/asctune)
