#!/bin/sh
# libasctune as others use it: installed, from C++ by pkg-config, linked statically, by find_package, and from Python.
# covers: libasctune.c
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
here=$root/tests/consumers
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-lookup.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
n=0
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || printf 'not ok %s - %s\n# wanted: %s\n# have: %s\n' "$n" "$1" "$2" "$3"
}
skip() { # NAME REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

DESTDIR=$work/root cmake --install "$build" >"$work/log" 2>&1
pc=$(find "$work/root" -name asctune.pc)
lib=$(dirname "$(find "$work/root" -name libasctune.a)")
check "the library is installed" 0 "$([ -n "$pc" ] && [ -e "$lib/libasctune.so" ]; echo $?)"
check "nothing is visible but its functions" "asctune_ask asctune_close asctune_error asctune_explain asctune_open asctune_reload" \
	"$(nm -D --defined-only "$lib/libasctune.so" | awk '{print $3}' | sort | tr '\n' ' ' | sed 's/ $//')"
check "nor in the static one" "$(nm -D --defined-only "$lib/libasctune.so" | awk '{print $3}' | sort)" \
	"$(nm -g --defined-only "$lib/libasctune.a" | awk 'NF == 3 {print $3}' | sort)"

# What is linked with a library that has a sanitizer or counts lines has it, too.
extra=$(nm "$lib/libasctune.a" | sed -n 's/.* U __asan_init$/-fsanitize=address,undefined/p; s/.* U __gcov_init$/--coverage/p' | sort -u)
if command -v c++ >/dev/null && command -v pkg-config >/dev/null; then
	flags="$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs asctune)"
	c++ -Wall -Wextra -Werror -pedantic -std=c++17 $extra "$here/lookup.cc" -o "$work/shared" $flags 2>"$work/log"
	check "C++ compiles and links" "" "$(cat "$work/log")"
	check "a rule" "2 1 " "$(LD_LIBRARY_PATH=$lib "$work/shared" "$here/lookup.json" 33)"
	check "an exact rule" '1 2 {"BLOCK":64}' "$(LD_LIBRARY_PATH=$lib "$work/shared" "$here/lookup.json" 16)"
	check "nothing" "0 -1 " "$(LD_LIBRARY_PATH=$lib "$work/shared" "$here/lookup.json" 100)"
	private=$(sed -n 's/^Libs.private: //p' "$pc")
	c++ $extra "$here/lookup.cc" -o "$work/static" -I"$root/reports/tables/lookup" "$lib/libasctune.a" $private 2>"$work/log"
	check "the static library links" "" "$(cat "$work/log")"
	check "and answers the same" '1 2 {"BLOCK":64}' "$("$work/static" "$here/lookup.json" 16)"
else
	skip "C++" "no C++ compiler or pkg-config"
fi

check "find_package has it" 1 "$(find "$work/root" -name asctune-config.cmake | wc -l)"
module=$(dirname "$(dirname "$(find "$work/root" -path "*/asctune/asctune/__init__.py")")")
if [ "$extra" = -fsanitize=address,undefined ]; then
	skip "Python" "the library has a sanitizer, which an interpreter without one cannot load"
elif command -v python3 >/dev/null; then
	python3 -B "$here/lookup.py" "$lib/libasctune.so.0" "$module" "$here/lookup.json" >"$work/python" 2>&1
	check "Python ends" 0 $?
	check "every check of Python holds" "" "$(grep -v -e '^ok ' -e '^1\.\.' "$work/python")"
	check "all were made" "$(sed -n 's/^1\.\.//p' "$work/python")" "$(grep -c '^ok ' "$work/python")"
else
	skip "Python" "no python3"
fi
echo "1..$n"
