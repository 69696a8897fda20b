#!/bin/sh
# A kernel under flash-linear-attention's own autotuner, from its launch to a table in use: captured on a stub driver, results of its problems exported, and the program again:
# FLA's launcher takes the rows of the table, by exact keys, and benchmarks nothing. Needs Triton, and FLA's package as ci/consumers has it.
# covers: capture_workload.c fla_reader.c
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
python=${ASCTUNE_PYTHON:-python3}
package=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/asctune-consumers/fla-0.6.0
if ! "$python" -c 'import triton' 2>/dev/null; then
	echo "1..0 # SKIP $python has no Triton: ci/setup triton prints one that has"
	exit 0
fi
if ! [ -e "$package/version" ] && ! said=$(ASCTUNE_BUILD=$build timeout 60 "$root/ci/consumers" fla 2>&1); then
	echo "1..0 # SKIP $(echo "$said" | head -n 1)"
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-fla.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
unset ASCTUNE_DB ASCTUNE_DEBUG FLA_CACHE_MODE FLA_CONFIG_DIR FLA_GPU_NAME
export ASCTUNE_CACHE_DIR="$work/cache" TRITON_CACHE_DIR="$work/triton" PYTHONPATH="$root/tests/consumers:$root/tests/consumers/readers" ASCTUNE_PYTHON="$python" PYTHONDONTWRITEBYTECODE=1
n=0
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || printf 'not ok %s - %s\n# wanted: %s\n# have: %s\n' "$n" "$1" "$2" "$3"
}
program() { "$python" "$root/tests/consumers/capture_fla_program.py" "$package"; }

"$build/asctune" capture -o seen -- "$python" "$root/tests/consumers/capture_fla_program.py" "$package" >log 2>&1
check "the names of FLA's table are written, types in the order of the launch" \
	'"fla": {"operator": "add", "sizes": {"n": "n", "EVEN": "EVEN"}, "types": {"y": "i8", "x": "f32", "out": "f32"}}' "$(grep -o '"fla": {.*' seen/add.json)"
# Results in the place of `asctune run`: no other configuration is in the kernel's list.
"$python" - "$build/asctune" "$root/db/schema.sql" >log 2>&1 <<'END'
import json
import sys

import reader_tables as tables

workload = json.load(open("seen/add.json"))
tables.WORKLOADS, tables.DEVICES = {"add": workload["export"]}, ("NVIDIA H100 80GB HBM3",)
tables.random_problems = lambda *_: [({"n": n, "EVEN": n % 16 == 0}, {"T": "f32"}) for n in (20, 48)]
tables.random_config = lambda rnd, _: {"BLOCK": rnd.choice((64, 128)), "num_warps": rnd.choice((1, 8))}
status, said = tables.Tuned(sys.argv[1], sys.argv[2], ".", 1).run("fla", "-o", "tables")
sys.exit(said if status else 0)
END
check "results of the captured problems are exported" "0 add.json" "$? $(cd tables/NVIDIA_H100_80GB_HBM3 && ls add.json)"
wanted=$("$python" -c 'import json
for e in json.load(open("tables/NVIDIA_H100_80GB_HBM3/add.json"))["autotune_entries"].values():
    print(e["autotune_key"][0], e["config"]["kwargs"]["BLOCK"], e["config"]["num_warps"])')
check "FLA launches the rows of the table" "$wanted" "$(FLA_CACHE_MODE=strict FLA_CONFIG_DIR=tables/NVIDIA_H100_80GB_HBM3 program 2>&1)"
mkdir empty
check "without the table FLA benchmarks" "a benchmark was launched" "$(FLA_CACHE_MODE=strict FLA_CONFIG_DIR=empty program 2>&1)"
echo "1..$n"
