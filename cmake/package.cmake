# The Debian package (ci/package: `cpack` in build/package): all that `cmake --install` takes, below /usr. Its version is the project's, and it depends on the
# packages whose libraries its files ask for (dpkg-shlibdeps).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The asctune authors <maintainers@asctune.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "autotuner and profiler of compute kernels")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "asctune builds the configurations of a kernel that a processor, a GPU or an NPU
can run, measures them in a process of their own, verifies each result, and
records everything in one SQLite file: the best configuration, how sure that
answer is, and what became slower since.
.
The program, its workloads, and libasctune, which programs ask at run time.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# What C kernels are compiled with; pictures, a baseline, and what calls functions of Python libraries.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, libc6-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox, libopenblas0-pthread, python3")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The loader's cache is brought up to date by dpkg's trigger, once for all packages. The names of scripts that are not there keep CPack from writing its own, which
# would do so as well.
file(WRITE ${CMAKE_BINARY_DIR}/deb/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/deb/triggers ${CMAKE_BINARY_DIR}/deb/postinst ${CMAKE_BINARY_DIR}/deb/postrm)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/package_files.cmake)
set(CPACK_ASCTUNE_SOURCE ${CMAKE_SOURCE_DIR})
include(CPack)
