# What a Debian package has beside what is installed, written into the folder that cpack packs: the licence in Debian's form, the changelog, and why lintian
# need not mind that all of it is one package; texts are compressed as its policy has it.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(doc ${root}/share/doc/asctune)

file(READ ${CPACK_ASCTUNE_SOURCE}/LICENSE license)
string(REGEX MATCH "Copyright [(]c[)] ([^\n]*)\n\n(.*)" matched "${license}")
set(holder ${CMAKE_MATCH_1})
string(REGEX REPLACE "\n(.)" "\n \\1" text " ${CMAKE_MATCH_2}")
string(REPLACE "\n\n" "\n .\n" text "${text}")
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: asctune

Files: *
Copyright: ${holder}
License: Expat

License: Expat
${text}")

file(WRITE ${root}/share/lintian/overrides/asctune "# One package has the program, its library and what programs are linked with: they are of one version.
asctune: package-name-doesnt-match-sonames libasctune0
asctune: link-to-shared-library-in-wrong-package usr/lib/*/libasctune.so.* *usr/lib/*/libasctune.so*
")

# The newest heading of the changelog: "## VERSION (DATE)".
file(STRINGS ${CPACK_ASCTUNE_SOURCE}/CHANGELOG.md heading REGEX "^## " LIMIT_COUNT 1)
string(REGEX MATCH "^## ([^ ]+) [(]([-0-9]+)[)]$" matched "${heading}")
if(NOT CMAKE_MATCH_1 STREQUAL CPACK_PACKAGE_VERSION)
	message(FATAL_ERROR "CHANGELOG.md begins with \"${heading}\", the project's version is ${CPACK_PACKAGE_VERSION}")
endif()
execute_process(COMMAND date -u -R -d ${CMAKE_MATCH_2} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${doc}/changelog "asctune (${CPACK_PACKAGE_VERSION}) stable; urgency=medium

  * /usr/share/doc/asctune/CHANGELOG.md.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(COPY ${CPACK_ASCTUNE_SOURCE}/CHANGELOG.md DESTINATION ${doc})
file(CHMOD ${doc}/CHANGELOG.md PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
execute_process(COMMAND gzip -9nf ${doc}/changelog ${doc}/CHANGELOG.md ${root}/share/man/man1/asctune.1 COMMAND_ERROR_IS_FATAL ANY)
