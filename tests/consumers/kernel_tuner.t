#!/bin/sh
# What asctune exports, read by Kernel Tuner's own code. Needs the environment that tests/bench/setup-peers makes; installs nothing.
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/tests/consumers}
python=$("$root/tests/bench/setup-peers" --where)
build=${ASCTUNE_BUILD:-$root/build/dev}
unset ASCTUNE_DB ASCTUNE_DEBUG
if ! "$python" -c 'import kernel_tuner' 2>/dev/null; then
	echo "1..0 # SKIP kernel_tuner is not installed: tests/bench/setup-peers does that"
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-consumers.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$work/cache}"
cd "$work" || exit 1
give_up() {
	echo "Bail out! $1"
	cat log
	exit 1
}
"$build/asctune" run "$root/tests/cli/workloads/axpy.json" --device cpu --repeats 3 --budget all --db a.db >log 2>&1 || give_up run
for impl in good wrong segfault syntax sleep; do
	"$build/asctune" run "$root/tests/cli/workloads/faults.json" --device cpu --impl "$impl" --limit 500ms --db a.db >>log 2>&1
done
"$build/asctune" export t4 --db a.db -o t4 2>>log || give_up t4
"$build/asctune" export t1 "$root/workloads/sdpa.json" --device cpu -o t1 2>>log || give_up t1
"$build/asctune" export t1 "$root/workloads/sdpa.json" --device Ascend910B3 -o t1 2>>log || give_up t1
"$build/asctune" export t1 "$root/workloads/gemm.json" --device cpu -o t1 2>>log || give_up t1
for file in t1/*; do
	echo "$(basename "$file"),$("$build/asctune" space "$file" --count)"
done >counts.csv
exec "$python" -W ignore "$here/kernel_tuner_reads.py" t1 t4 counts.csv
