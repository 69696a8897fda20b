#!/bin/sh
# The layering check passes on the tree, and fails on a forbidden #include.
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-layers.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo 1..3
out=$("$root/ci/layers") && echo "ok 1 - the tree keeps the layers" || { echo "not ok 1 - the tree keeps the layers"; echo "$out" | sed 's/^/# /'; }
mkdir -p "$work/ci" "$work/tuner/base" "$work/tuner/workload/space" "$work/probes" "$work/db" "$work/reports" "$work/standin"
cp "$root/ci/layers" "$work/ci/"
echo '#include "tuner/base/err.h"' >"$work/tuner/workload/space/good.c"
"$work/ci/layers" >/dev/null && echo "ok 2 - an allowed include passes" || echo "not ok 2 - an allowed include passes"
echo '#include "tuner/workload/space/space.h"' >"$work/tuner/base/bad.c"
"$work/ci/layers" | grep -q 'tuner/base/bad.c:1: tuner/base may not include tuner/workload/space/space.h' &&
	echo "ok 3 - a forbidden include is named" || echo "not ok 3 - a forbidden include is named"
