#!/bin/sh
# Inputs in files, in two sets, on a GPU: a kernel that is right on the first set alone is found wrong in the finals, and by --config.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="$base/cache"
sets="$here/../cli/workloads/sets.json"

explain() {
	sed 's/^/# /' "$base/err" | head -n 10
	grep '"type":"trial"' "$base/lines" | cut -c1-500 | sed 's/^/# /' | head -n 8
}
tune() {
	asctune run "$sets" --device cuda --json --db "$base/t.db" "$@" >"$base/lines" 2>"$base/err"
}
found() { # CONFIGURATION STATUS WORDS
	grep '"type":"trial"' "$base/lines" | grep "\"config\":{$1}" | grep "\"status\":\"$2\"" | grep -q "$3"
}
answer() {
	asctune best --db "$base/t.db" --json | grep -q '"LIMIT":0'
}

asctune list builders --json | grep -q '"name":"nvrtc","usable":true' || skip "$(asctune list builders | sed -n 's/^nvrtc  *no  *//p')"
tune --strategy exhaustive --budget all
check "the faster kernel is wrong on the second set" found '"LIMIT":50' wrong 'with the inputs of sets/set1.safetensors: y: '
check "the other one is the answer" answer
tune --config LIMIT=50
check "it is wrong alone, too" grep -q 'with the inputs of sets/set1.safetensors: y: ' "$base/lines"
tune --config LIMIT=0
check "the other one is right on both" grep -q '"status":"ok"' "$base/lines"
echo "1..$n"
exit $failed
