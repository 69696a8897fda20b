#!/bin/sh
# On a machine that was up for long the clock counts more nanoseconds than a number of JSON holds (2^53, 104 days): a run is the same there. A time namespace has
# such a clock; where none can be made, the test is skipped.
# covers: protocol.c
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH" LC_ALL=C.UTF-8
unset ASCTUNE_DB ASCTUNE_DEBUG GITHUB_ACTIONS GITHUB_STEP_SUMMARY
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-uptime.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache"
cd "$work" || exit 1
later() { unshare --time --monotonic 20000000 --boottime 20000000 "$@"; } # 231 days

later true 2>why || { echo "1..0 # SKIP no time namespace: $(tail -n 1 why)"; exit 0; }
echo 1..2
# the finals, and a time by which all has to be done
later asctune run "$root/tests/cli/workloads/axpy.json" --device cpu --problem small --budget 4s --db u.db >said 2>&1
status=$?
[ "$status" = 0 ] && echo "ok 1 - a run with a budget of time ends well" || { echo "not ok 1 - a run with a budget of time ends well: $status"; sed 's/^/# /' said >&2; }
if grep -q 'crashed\|beyond 2^53' said || ! later asctune best --db u.db >best 2>&1; then
	echo 'not ok 2 - nothing crashes, and there is an answer'
	sed 's/^/# /' said best >&2
else
	echo 'ok 2 - nothing crashes, and there is an answer'
fi
