#!/bin/sh
# Every operator of workloads/ on the CPU: each implementation computes what the reference does, for all problems tagged smoke and odd. Takes $ASCTUNE_BUILD.
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH"
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-operators.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache"
cd "$work" || exit 1
n=0
for name in rms_norm add_rms_norm softmax causal_softmax rotary_embedding apply_rotary_pos_emb reshape_and_cache; do
	python3 - "$root/workloads/$name.json" >problems <<'PY'
import json
import sys

for problem in json.load(open(sys.argv[1]))["problems"]:
    if {"smoke", "odd"} & set(problem["tags"]) and "cpu" in problem["devices"]:
        print("--problem", problem["name"])
PY
	n=$((n + 1))
	# shellcheck disable=SC2046
	asctune run "$root/workloads/$name.json" --device cpu $(cat problems) --strategy random --budget 3 --repeats 2 --no-race --no-history --trust --db r.db --json >lines 2>err
	rc=$?
	trials=$(grep '"type":"trial"' lines | grep -c '"status":"ok"')
	others=$(grep '"type":"trial"' lines | grep -vc '"status":"ok"')
	if [ "$rc" = 0 ] && [ "$trials" -ge "$(wc -l <problems)" ] && [ "$others" = 0 ]; then
		echo "ok $n - $name: $(wc -l <problems) problems, $trials configurations"
	else
		echo "not ok $n - $name: exit status $rc, $trials configurations, $others that are not right"
		{ head -n 5 err; grep '"type":"trial"' lines | grep -v '"status":"ok"' | grep -o '"problem":"[^"]*"\|"config":{[^}]*}\|"reason":"[^"]*"'; } | head -n 12 | sed 's/^/# /'
	fi
done
echo "1..$n"
