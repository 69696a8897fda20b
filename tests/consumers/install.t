#!/bin/sh
# `cmake --install --prefix` and what a user does with it: the tree is moved, the source tree is out of sight (where a mount namespace may be had), a
# kernel is tuned by the installed program, and programs in C, by pkg-config and by CMake, and in Python look it up. $ASCTUNE_INSTALLED names a tree that
# is there already and has not been moved, such as /usr, where all is found without being told where.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-install.XXXXXX") || exit 1
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

P=${ASCTUNE_INSTALLED:-}
if [ -z "$P" ]; then
	cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1
	check "it is installed" 0 $?
	P="$work/else where/P" # blanks in names are no harm
	mkdir "$work/else where" && mv "$work/first" "$P"
fi
lib=$(dirname "$(find "$P" -name libasctune.so)")
mkdir "$work/user" && cd "$work/user" || exit 1
alone() {
	"$@"
}
if unshare --mount mount -t tmpfs none "$root" 2>/dev/null; then
	alone() {
		unshare --mount sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$root" "$@"
	}
fi
unset ASCTUNE_DB
loader=''
[ "$P" = /usr ] || { loader=$lib; export PKG_CONFIG_PATH="$lib/pkgconfig" CMAKE_PREFIX_PATH="$P"; }
export HOME="$work/user" ASCTUNE_CACHE_DIR="$work/cache"

check "nothing names where the tree was" "" "$(grep -rIlF -e "$work/first" -e "$build" "$P")"
check "its workloads are found" "$P/share/asctune/workloads/gemm.json" "$(alone "$P/bin/asctune" list workloads --json | sed -n 's/.*"name":"\([^"]*gemm.json\)".*/\1/p')"
check "the manual page is there" 1 "$(find "$P/share/man" -name 'asctune.1*' | wc -l)"
worker=$(find "$P" -name libasctune_worker.so)
if nm "$worker" | grep -q ' U __\(asan\|tsan\|ubsan\)_' || ! python3 -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
	skip "a Python loads the worker's library" "there is none that can"
else
	check "a Python loads the worker's library" yes "$(alone "$P/bin/asctune" doctor | awk '$1 == "python.worker" { print $2 }')"
fi
alone "$P/bin/asctune" init --lang c mine >/dev/null
alone "$P/bin/asctune" run mine/mine.json --device cpu --problem small --budget 8 --db mine.db >log 2>&1
check "a kernel is tuned" 0 $?
alone "$P/bin/asctune" export json --db mine.db >log 2>&1
check "and exported" 0 $?
best=$(alone "$P/bin/asctune" best --db mine.db --json)
block=$(echo "$best" | sed -n 's/.*"BLOCK":\([0-9]*\).*/\1/p' | head -n 1)
model=$(echo "$best" | sed -n 's/.*"device_model":"\([^"]*\)".*/\1/p' | head -n 1)

cat >ask.c <<'C'
#include <asctune.h>
#include <stdio.h>

/* How the configuration of a kernel of one's own was found, and what it is: FILE MODEL. */
int main(int argc, char **argv)
{
	struct asctune_table *table;
	struct asctune_answer answer;
	char error[256];

	if (argc != 3 || asctune_open(argv[1], 0, &table, error, sizeof error) != ASCTUNE_OK) {
		puts(error);
		return 1;
	}
	const struct asctune_size sizes[] = {{"N", 100000}};
	const struct asctune_type types[] = {{NULL, "f32"}};
	const int64_t active[] = {-1};
	const struct asctune_question question = {"mine", "cpu", argv[2], types, 1, sizes, 1, active, 1};

	asctune_ask(table, &question, &answer);
	printf("%d %lld %s\n", answer.found, (long long)answer.index, answer.config);
	asctune_close(table);
	return 0;
}
C
cat >ask.py <<'PY'
import sys
import asctune

def mine(x, y, out, *, implementation_index=None, config=None):
    return implementation_index, config["BLOCK"]

answer = asctune.Table(sys.argv[1]).ask(op="mine", device="cpu", device_model=sys.argv[2], types="f32", sizes={"N": 100000}, active=[-1, 0, 1, 2])
print(answer.found, *mine(1, 2, 3, **answer.keywords()))
PY
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(ask C)
find_package(asctune REQUIRED)
add_executable(ask ask.c)
target_link_libraries(ask asctune::asctune)
CMAKE

extra=$(nm "$lib/libasctune.a" | sed -n 's/.* U __asan_init$/-fsanitize=address,undefined/p; s/.* U __gcov_init$/--coverage/p' | sort -u)
wanted="1 -1 $block"
if command -v pkg-config >/dev/null; then
	flags=$(alone pkg-config --cflags --libs asctune)
	eval "alone cc $extra ask.c -o ask $flags" # quoted for a shell
	for table in mine.db best.json; do
		check "C, by pkg-config, of $table" "$wanted" "$(LD_LIBRARY_PATH=$loader alone ./ask $table "$model" | sed 's/{.*"BLOCK":\([0-9]*\).*/\1/')"
	done
else
	skip "C, by pkg-config" "no pkg-config"
fi
alone cmake -S . -B made -DCMAKE_C_FLAGS="$extra" >log 2>&1 && alone cmake --build made >>log 2>&1
check "C, by find_package" "$wanted" "$({ alone made/ask best.json "$model" || tail -n 3 log; } 2>&1 | sed 's/{.*"BLOCK":\([0-9]*\).*/\1/')"
if [ "$extra" = -fsanitize=address,undefined ]; then
	skip "Python" "the library has a sanitizer, which an interpreter without one cannot load"
elif command -v python3 >/dev/null; then
	check "Python" "1 None $block" "$(PYTHONPATH=$P/share/asctune alone python3 -B ask.py best.json "$model" 2>&1)"
else
	skip "Python" "no python3"
fi
echo "1..$n"
