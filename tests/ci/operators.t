#!/bin/sh
# Every operator of workloads/ on the CPU: each kernel in C computes what the reference does, for all problems tagged smoke and odd that it covers, in its
# default configuration and one drawn at random. Takes $ASCTUNE_BUILD.
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH"
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-operators.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$work/cache}" # has the peaks of this machine, which each run would measure
cd "$work" || exit 1

# A line for each kernel: WORKLOAD IMPLEMENTATION PROBLEM...
python3 - "$root"/workloads/*.json >kernels <<'PY'
import json
import pathlib
import sys

for path in map(pathlib.Path, sys.argv[1:]):
    workload = json.loads(path.read_text())
    for i in workload.get("implementations", []):
        if "cpu" in i.get("devices", ["cpu"]) and i.get("source", "").endswith(".c"):
            names = [p["name"] for p in workload["problems"] if {"smoke", "odd"} & set(p.get("tags", [])) and "cpu" in p.get("devices", ["cpu"])
                     and eval(i.get("when", "True"), {**p["dims"], **p["dtypes"]})]
            print(path.stem, i["name"], *names)
PY

n=0
while read -r name kernel problems; do
	n=$((n + 1))
	wanted=$(echo "$problems" | wc -w)
	# shellcheck disable=SC2046,SC2086
	asctune run "$root/workloads/$name.json" --device cpu --impl "$kernel" $(printf -- '--problem %s ' $problems) --strategy random --budget 2 --repeats 1 --cache hot --no-race --no-history --trust --db r.db --json >lines 2>err </dev/null
	rc=$?
	# Each problem's line comes before those of its trials: PROBLEM RIGHT WRONG.
	awk '/"type":"run"/ { match($0, /"problem":"[^"]*"/); problem = substr($0, RSTART + 11, RLENGTH - 12); right[problem] += 0 }
		/"type":"trial"/ { if (/"status":"ok"/) right[problem]++; else wrong[problem]++ }
		END { for (problem in right) print problem, right[problem], wrong[problem] + 0 }' lines >counts
	if [ "$rc" = 0 ] && [ "$wanted" -gt 0 ] && [ "$(awk '$2 > 0 && $3 == 0' counts | wc -l)" = "$wanted" ]; then
		echo "ok $n - $name $kernel: $wanted problems, $(awk '{ sum += $2 } END { print sum }' counts) configurations"
	else
		echo "not ok $n - $name $kernel: exit status $rc, $wanted problems"
		{ head -n 5 err; awk '$2 == 0 || $3 > 0 { print $1 ": " $2 " right, " $3 " wrong" }' counts; grep '"type":"trial"' lines | grep -v '"status":"ok"' | grep -o '"config":{[^}]*}\|"reason":"[^"]*"'; } | head -n 16 | sed 's/^/# /'
	fi
done <kernels
[ "$n" -ge 17 ] || echo "not ok - $n kernels"
echo "1..$n"
