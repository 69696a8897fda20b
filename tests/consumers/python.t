#!/bin/sh
# The package asctune as it is installed: tables given to Triton's kernels, by a decorator, to a library's, to a program that knows nothing of it; `tune` of a
# function in C; and what each says where Triton, the program or a table is missing. With Triton it needs neither GPU nor torch: tests/consumers/stub_driver.py.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
here=$root/tests/consumers
python=$("${ASCTUNE_PYTHON:-python3}" -c 'import sys; print(sys.executable)') # by its own path: PATH is set to nothing below
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-python.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
n=0
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || printf 'not ok %s - %s\n# wanted: %s\n# have: %s\n' "$n" "$1" "$2" "$3"
}

cmake --install "$build" --prefix "$work/P" >"$work/log" 2>&1
check "it is installed" 0 $?
if nm "$(find "$work/P" -name libasctune.a)" | grep -q ' U __asan_init$'; then
	echo "1..$n # the library has a sanitizer, which an interpreter without one cannot load"
	exit 0
fi
[ -n "$python" ] || { echo "1..$n # no Python"; exit 0; }
cd "$work" || exit 1
unset ASCTUNE_DB ASCTUNE_TABLE ASCTUNE_TUNE ASCTUNE_CAPTURE
export PYTHONPATH="$work/P/share/asctune" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore ASCTUNE_CACHE_DIR="$work/cache" TRITON_CACHE_DIR="$work/triton"

# A Python that finds no package: the language alone.
check "the package needs nothing" "tune" "$("$python" -S -c 'import asctune; print(asctune.tune.__name__)' 2>&1)"
check "what is no kernel is said" "TypeError: expected a kernel of Triton, FILE.cu:KERNEL or FILE.c:FUNCTION, not 1" \
	"$("$python" -S -c 'import asctune; asctune.tune(1)' 2>&1 | tail -n 1)"
check "a decorator without Triton says so" "ModuleNotFoundError: No module named 'triton'" \
	"$("$python" -S -c 'import asctune; asctune.autotune([], [])(print)' 2>&1 | tail -n 1)"
# The library is found in the installed tree, and beside the program of a build; else it is said where it was sought.
opening='import asctune; asctune.Table("nowhere.json")'
missing="ValueError: cannot read nowhere.json: No such file or directory"
check "an installed tree has the library" "$missing" "$(PATH=/nowhere "$python" -S -c "$opening" 2>&1 | tail -n 1)"
check "so has a build" "$missing" "$(PATH=$build PYTHONPATH=$root/tuner/python "$python" -S -c "$opening" 2>&1 | tail -n 1)"
check "a source tree alone has none" "$root/tuner/python/asctune, $root/lib*, $root/lib/*, beside asctune, which is not in PATH, where the system's loader looks" \
	"$(PATH=/nowhere PYTHONPATH=$root/tuner/python "$python" -S -c "$opening" 2>&1 | sed -n '$s/.*No such file or directory: sought in //p')"
mv "$work/P/bin/asctune" "$work/aside"
check "so is a program that is not there" "FileNotFoundError: the program asctune is neither in $work/P/bin nor in PATH" \
	"$(PATH=/nowhere "$python" -S "$here/given/tune_c.py" "$work/add.c" 2>&1 | tail -n 1)"
mv "$work/aside" "$work/P/bin/asctune"
mkdir "$work/tmp"
TMPDIR="$work/tmp" "$python" -S "$here/given/tune_c.py" "$work/add.c" >"$work/tuned" 2>"$work/said"
check "a function in C is tuned" 0 $?
check "its folder goes with the process" "" "$(ls "$work/tmp")"
check "one that was named stays" "$work/add_tuned/best.json" "$(ls "$work/add_tuned/best.json")"
grep -v '^ok ' "$work/tuned" | sed 's/^/# /'
check "every check of it holds" "$(grep -c . "$work/tuned")" "$(grep -c '^ok ' "$work/tuned")"
for words in "" "nowhere.py" "-m"; do
	check "python -m asctune --table T $words" 2 "$("$python" -S -m asctune --table T $words >"$work/log" 2>&1; echo $?)"
done
echo 'import sys; print(*sys.argv[1:]); sys.exit(7)' >a_module.py
for words in "-m a_module" a_module.py "-- $python a_module.py"; do
	PYTHONPATH="$PYTHONPATH:$work" "$python" -m asctune --kernels='*' --table T $words --table U -m >log 2>&1
	check "python -m asctune --table T ${words% *} ...: its status" 7 $?
	check "its arguments are its own" "--table U -m" "$(cat log)"
done

if "$python" -c 'import triton' 2>/dev/null; then
	PATH="$work/P/bin:$PATH" PYTHONPATH="$PYTHONPATH:$here" "$python" "$here/given/kernels.py" "$work" >"$work/given" 2>&1
	check "kernels of Triton are given their configurations" 0 $?
	grep -v '^ok ' "$work/given" | sed 's/^/# /'
	check "every check of them holds" "$(sed -n 's/^1\.\.//p' "$work/given")" "$(grep -c '^ok ' "$work/given")"
	cat >rules.json <<'JSON'
{"format": "asctune-infiniops-rules", "version": 1, "rules": [{"op": "a_library:copy_kernel", "device": "cuda", "device_name": "*", "dtype": "float32",
  "match": {"n": 4096}, "implementation_index": -1, "config": {"num_warps": 8, "constexprs": {"B": 512}}}]}
JSON
	PYTHONPATH="$PYTHONPATH:$here" "$python" -m asctune --table rules.json --kernels 'a_library:*' "$here/given/program.py" >"$work/given" 2>&1
	check "a program that knows nothing of it" "512 8 exact 0" "$(cat "$work/given")"
else
	n=$((n + 1))
	echo "ok $n - kernels of Triton # SKIP $python has no Triton: ci/setup triton prints one that has"
fi
echo "1..$n"
