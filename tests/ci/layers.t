#!/bin/sh
# The layering check passes on the tree, and fails on a forbidden #include and on a circle of files.
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-layers.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo 1..9
out=$("$root/ci/layers") && echo "ok 1 - the tree keeps the layers" || { echo "not ok 1 - the tree keeps the layers"; echo "$out" | sed 's/^/# /'; }
mkdir -p "$work/ci" "$work/tuner/base" "$work/tuner/workload/space" "$work/probes" "$work/db" "$work/reports" "$work/standin"
cp "$root/ci/layers" "$work/ci/"
echo '#include "tuner/base/err.h"' >"$work/tuner/workload/space/good.c"
"$work/ci/layers" >/dev/null && echo "ok 2 - an allowed include passes" || echo "not ok 2 - an allowed include passes"
echo '#include "tuner/workload/space/space.h"' >"$work/tuner/base/bad.c"
"$work/ci/layers" | grep -q 'tuner/base/bad.c:1: tuner/base may not include tuner/workload/space/space.h' &&
	echo "ok 3 - a forbidden include is named" || echo "not ok 3 - a forbidden include is named"
rm "$work/tuner/base/bad.c"

# Files that call each other, and names that are no calls: members, tags, comments, texts, and static functions of the same name.
cd "$work" || exit 1
cat >tuner/base/first.c <<'EOF'
int first_do(int n)
{
	return n > 0 ? between_do(n - 1) : 0;
}
EOF
cat >tuner/base/between.c <<'EOF'
enum asc_status
between_do(int n)
{
	return second_do(n, NULL);
}
EOF
cat >tuner/base/second.c <<'EOF'
static int helper(int n)
{
	return n;
}

/* The kernel's first_do() is not called here,
 * nor is first_do() there. */
int second_do(int n, struct first_do *o)
{
	puts("first_do(\"");
	return o->first_do + helper(n) + '"'; // first_do()
}
EOF
cat >tuner/base/third.c <<'EOF'
int helper(int n)
{
	return second_do(n, NULL);
}
EOF
ci/layers >out 2>&1 && echo "ok 4 - files that call each other in one direction pass" || { echo "not ok 4 - files that call each other in one direction pass"; sed 's/^/# /' out; }
sed -i 's/second_do(n, NULL);/second_do(n, first_do);/' tuner/base/between.c
! ci/layers >out 2>&1 && echo "ok 5 - a circle of files fails" || echo "not ok 5 - a circle of files fails"
grep -q '^a circle of 2 files:' out && grep -q '^  tuner/base/first.c calls between_do() of tuner/base/between.c$' out &&
	grep -q '^  tuner/base/between.c calls first_do() of tuner/base/first.c$' out && ! grep -q 'second.c' out &&
	echo "ok 6 - its files and calls are named, a function that is passed on among them" || { echo "not ok 6 - its files and calls are named, a function that is passed on among them"; sed 's/^/# /' out; }

# The list of circles, one line of which is of these two files.
sed -i "s|^circles='\$|&\ntuner/base/between.c tuner/base/first.c: one module|" ci/layers
ci/layers >out 2>&1 && echo "ok 7 - a circle on the list passes" || { echo "not ok 7 - a circle on the list passes"; sed 's/^/# /' out; }
sed -i 's/second_do(n, NULL)/n/; s/return o->first_do/return first_do(n)/' tuner/base/second.c
! ci/layers >out 2>&1 && grep -q '^a circle of 3 files:' out && echo "ok 8 - a circle that grew beyond its line fails" || { echo "not ok 8 - a circle that grew beyond its line fails"; sed 's/^/# /' out; }
rm tuner/base/second.c
sed -i 's/second_do(n, first_do)/n/' tuner/base/between.c
! ci/layers >out 2>&1 && grep -q 'lists a circle that is none, or another one: tuner/base/between.c tuner/base/first.c$' out &&
	echo "ok 9 - a line without a circle fails" || { echo "not ok 9 - a line without a circle fails"; sed 's/^/# /' out; }
