#!/bin/sh
# The wheel that ci/wheel makes, here for this machine alone, in an empty environment of Python, with the source tree out of sight (where a mount namespace may
# be had): program, workloads and library are found from their own places, a kernel is tuned, and its table is asked from Python. Skipped where no Python can make
# environments or scikit-build-core cannot be had.
# covers: places.c
# slow: 30 s
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-wheel.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
n=0
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || printf 'not ok %s - %s\n# wanted: %s\n# have: %s\n' "$n" "$1" "$2" "$3"
}
finish() {
	echo "1..$n"
	exit
}
unset ASCTUNE_DB ASCTUNE_TABLE PYTHONPATH
made=$("$root/ci/wheel" --native "$work/wheels" 2>"$work/log") || { echo "1..0 # SKIP $(tail -n 1 "$work/log")"; exit; }
check "one wheel is made, for every Python" "$(uname -m)" "$(basename "$made" | sed -n 's/^asctune-[0-9.]*-py3-none-linux_\(.*\)[.]whl$/\1/p')"
python3 -m venv "$work/env" >"$work/log" 2>&1 || { echo "ok $((n + 1)) - an environment # SKIP $(tail -n 1 "$work/log")"; n=$((n + 1)); finish; }
E=$work/env
"$E/bin/pip" install --quiet --disable-pip-version-check --no-index "$made" >"$work/log" 2>&1
check "pip installs it, and nothing else" 0 $?

mkdir "$work/user" && cd "$work/user" || exit 1
alone() {
	"$@"
}
if unshare --mount mount -t tmpfs none "$root" 2>/dev/null; then
	alone() {
		unshare --mount sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$root" "$@"
	}
fi
export HOME="$work/user" ASCTUNE_CACHE_DIR="$work/cache"
check "the program is no script" ELF "$(head -c 4 "$E/bin/asctune" | tail -c 3)"
check "no text names the tree that it was made in" "" "$(grep -rIlF "$root" "$E")"
alone "$E/bin/asctune" doctor >log 2>&1
check "doctor" "device.cpu yes" "$(grep '^device.cpu ' log | tr -s ' ' | cut -d' ' -f1,2)"
check "Python loads the worker's library" yes "$(awk '$1 == "python.worker" { print $2 }' log)"
check "workloads" "$E/share/asctune/workloads/gemm.json" "$(alone "$E/bin/asctune" list workloads --json | sed -n 's/.*"name":"\([^"]*gemm.json\)".*/\1/p')"
check "those are whole" "" "$(alone "$E/bin/asctune" check-workload "$E/share/asctune/workloads" 2>&1 | grep -v ': ok: ')"
alone "$E/bin/asctune" init --lang c mine >/dev/null
alone "$E/bin/asctune" run mine/mine.json --device cpu --problem small --budget 4 --db mine.db >log 2>&1
check "a kernel is tuned" 0 $?
alone "$E/bin/asctune" export json --db mine.db >log 2>&1
check "and exported" 0 $?
cat >ask.py <<'PYTHON'
import asctune, json, os, sys

row = json.load(open("best.json"))["configurations"][0]
asked = row["problem_values"]
with asctune.Table("best.json") as table:
    answer = table.ask(op=row["operator"], device=row["device_kind"], device_model=row["device_model"], types=asked["dtypes"], sizes=asked["dims"], active=[-1])
print(os.path.relpath(table._library._name, os.path.dirname(asctune.__file__)), answer.found, answer.config == row["config"])
PYTHON
check "Python asks its table, by the library in its package" "libasctune.so.0 1 True" "$(alone env PATH=/nowhere "$E/bin/python" -I ask.py 2>&1)"
"$E/bin/pip" uninstall --quiet --yes asctune >log 2>&1
check "pip takes it away again" "" "$(find "$E" -name '*asctune*' ! -type d)"
finish
