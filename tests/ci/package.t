#!/bin/sh
# What ci/package says and how it ends, with stand-ins for what makes and proves packages; what a Debian package has beside what is installed; ci/nightly, which
# calls it. What is in a package, and what becomes of it in a clean root, is ci/package's own to prove.
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-package.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
n=0
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || printf 'not ok %s - %s\n# wanted: %s\n# have: %s\n' "$n" "$1" "$2" "$3"
}
command -v cmake >/dev/null || { echo "1..0 # SKIP cmake is missing"; exit; }

# A tree with ci/package alone, and programs that do what a variable says.
mkdir -p "$work/tree/ci" "$work/tree/tests" "$work/bin"
cp "$root/ci/package" "$work/tree/ci/" && mkdir "$work/tree/tests/data" && cp -r "$root/tests/package" "$root/tests/consumers" "$work/tree/tests/" && cp -r "$root/tests/data/replay" "$work/tree/tests/data/"
stand_in() { # FILE TEXT
	printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"
}
stand_in "$work/tree/ci/setup" 'exit 0'
stand_in "$work/tree/ci/build" 'exit ${BUILD:-0}'
stand_in "$work/tree/ci/portable" '[ "${PORTABLE:-0}" = 0 ] || { echo "ci/portable: no network"; exit $PORTABLE; }
mkdir -p "$1" && : >"$1/asctune-1.2.3-linux-any.tar.gz" && echo "sum${DIFFERS:+$0}  asctune-1.2.3-linux-any.tar.gz" >"$1/SHA256SUMS"'
stand_in "$work/bin/cpack" 'mkdir -p "$4" && echo package >"$4/asctune_1.2.3_any.deb"'
stand_in "$work/bin/dpkg" 'echo any'
stand_in "$work/bin/dpkg-shlibdeps" ''
stand_in "$work/bin/file" ''
stand_in "$work/bin/lintian" 'echo "E: asctune: no-copyright-file"; exit ${LINTIAN:-0}'
stand_in "$work/bin/mmdebstrap" '[ -z "${ROOT:-}" ] || { echo "E: $ROOT" >&2; exit 1; }
echo "the root is made"; echo "I: running"; echo "${PROOF:+not }ok 1 - nothing of it is left"; [ -z "${PROOF:-}" ]'
for tool in sh sed grep tail head ls mv cp mkdir mktemp rm cat chmod dirname tar diff; do
	ln -s "$(command -v $tool)" "$work/bin/$tool"
done
package() { # [NAME=VALUE...] -- ARGUMENT...: what it says of each part, and how it ends
	settings=''
	while [ "$1" != -- ]; do settings="$settings $1"; shift; done
	shift
	env PATH="$work/bin" TMPDIR="$work" $settings "$work/tree/ci/package" "$@" >"$work/said" 2>&1
	echo "$? $(sed -n 's/ [0-9]* -//; /^ *\(ok\|not ok\)/p' "$work/said" | tr '\n' ',')"
}
made="ok the Debian package is made" built="ok archives are made that ask for glibc 2.28 alone" same="ok made in another folder, they have the same bytes" clean="ok lintian is content" used="in a clean root it is installed, used and purged" left="nothing of it is left"
check "all is well" "0 $made,$built,$same,$clean,    ok $left,ok $used," "$(package --)"
check "the package lies in the folder that is named" package "$(package -- "$work/made" >/dev/null; cat "$work/made/asctune_1.2.3_any.deb")"
check "no more than the package" "0 $made,$built," "$(package -- --build)"
check "it is not built" "1 not $made," "$(package BUILD=2 --)"
check "archives that ask for more" "1 $made,not $built,$clean,    ok $left,ok $used," "$(package PORTABLE=1 --)"
check "archives that cannot be made here" "0 $made,ok archives # SKIP ci/portable: no network,$clean,    ok $left,ok $used," "$(package PORTABLE=3 --)"
check "archives with other bytes" "1 $made,$built,not $same,$clean,    ok $left,ok $used," "$(package DIFFERS=yes --)"
check "lintian has something against it" "1 $made,$built,$same,not $clean,    ok $left,ok $used," "$(package LINTIAN=1 --)"
check "what lintian has is said" 1 "$(grep -c '^# E: asctune: no-copyright-file' "$work/said")"
check "something is left" "1 $made,$built,$same,$clean,    not ok $left,not ok $used," "$(package PROOF=failed --)"
check "no root can be made" "0 $made,$built,$same,$clean,ok a clean root # SKIP mmdebstrap makes none here: E: no_network," "$(package ROOT=no_network --)"
rm "$work/bin/mmdebstrap" "$work/bin/lintian"
check "no lintian, no mmdebstrap" "0 $made,$built,$same,${clean} # SKIP lintian is missing: apt-get install lintian,ok a clean root # SKIP mmdebstrap is missing: apt-get install mmdebstrap," "$(package --)"
check "an unknown option" "2 " "$(package -- --everything)"

# What programs ask for beyond what an archive's may: a program of this machine's compiler for its own glibc, a library that is not glibc's.
if command -v readelf >/dev/null && command -v cc >/dev/null; then
	printf '#include <stdio.h>\n#include <zlib.h>\nint main(void) { return puts(zlibVersion()) < 0; }\n' >"$work/asks.c"
	cc "$work/asks.c" -o "$work/asks" -Wl,--no-as-needed -lz -lm
	newest=$(readelf -VW "$work/asks" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1)
	more=''
	[ "$(printf '%s\n' GLIBC_2.28 "$newest" | sort -V | tail -n 1)" = GLIBC_2.28 ] || more=",symbols of $newest"
	check "what a program asks for beyond glibc 2.28" "1 library libz.so.1$more" "$(said=$("$root/ci/portable" --check "$work/asks"); echo "$? $(echo "$said" | sed "s|^$work/asks: ||" | paste -sd,)")"
	cc -shared -nostdlib -x c /dev/null -o "$work/nothing.so"
	check "a library that asks for nothing" "0 " "$("$root/ci/portable" --check "$work/nothing.so"; echo "$? ")"
fi

# What cpack has written into the folder that it packs.
mkdir -p "$work/packed/usr/share/man/man1" && echo manual >"$work/packed/usr/share/man/man1/asctune.1"
version=$(sed -n 's/^project(asctune VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
files() { # VERSION
	cmake -DCPACK_TEMPORARY_INSTALL_DIRECTORY="$work/packed" -DCPACK_ASCTUNE_SOURCE="$root" -DCPACK_PACKAGE_VERSION="$1" -DCPACK_PACKAGE_CONTACT="A <a@b.invalid>" \
		-P "$root/cmake/package_files.cmake" 2>&1
}
check "files of a Debian package" "" "$(files "$version")"
doc=$work/packed/usr/share/doc/asctune
check "the changelog is of the version" "asctune ($version) stable; urgency=medium" "$(gzip -dc "$doc/changelog.gz" | head -n 1)"
check "the licence is whole" "$(sed -n '/^Permission/,$p' "$root/LICENSE" | tr -s ' \n' ' ')" "$(sed -n '/^ Permission/,$p' "$doc/copyright" | sed 's/^ [.]$//' | tr -s ' \n' ' ' | sed 's/^ //')"
check "the manual page is compressed" manual "$(gzip -dc "$work/packed/usr/share/man/man1/asctune.1.gz")"
check "a version that the changelog does not have" 1 "$(files 99.0 | tr -s ' \n' ' ' | grep -c "the project's version is 99.0")"

# A night that is told to: the tree has no program, but its packages are looked at.
if command -v flock >/dev/null && command -v timeout >/dev/null; then
	cp "$root/ci/nightly" "$work/tree/ci/"
	stand_in "$work/program" 'exit 3'
	stand_in "$work/tree/ci/package" 'echo "ok 1 - lintian is content"; echo "not ok 2 - a clean root"; exit 1'
	ASCTUNE=$work/program "$work/tree/ci/nightly" --dir "$work/night" --packages "$work/tree" >"$work/said" 2>&1
	check "a night says what is wrong with a package" "3 a package is not right: not ok 2 - a clean root" "$? $(sed -n '1s/.*\(a package is not right.*\)/\1/p' "$work/night/latest/summary.md")"
else
	echo "ok $((n += 1)) - a night says what is wrong with a package # SKIP flock or timeout is missing"
fi
echo "1..$n"
