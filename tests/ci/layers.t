#!/bin/sh
# The layering check passes on the tree, and fails on a forbidden #include, on a circle of files and on a second place that decides what is best.
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-layers.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo 1..17
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
rm tuner/base/first.c tuner/base/between.c tuner/base/third.c

# A second place that decides what an answer is; beside it the same words where nothing is decided.
number=10
second() { # FILE WHAT NAME, the text on stdin
	mkdir -p "$(dirname "$1")"
	cat >"$1"
	! ci/layers >out 2>&1 && grep -q "^$1:[0-9]*: decides what is $2," out && [ "$(wc -l <out)" = 1 ] &&
		echo "ok $number - $3" || { echo "not ok $number - $3"; sed 's/^/# /' out; }
	rm "$1"
	number=$((number + 1))
}
second tuner/base/gone.c withdrawn "failures that withdraw, in C" <<'EOF'
bool gone(const struct row *r)
{
	return r->status == RESULT_CRASHED || r->status == RESULT_TIMEOUT ||
	       r->status == RESULT_WRONG;
}
EOF
second db/sql/load/gone.sql withdrawn "failures that withdraw, in SQL" <<'EOF'
-- Trials that count no more.
SELECT id FROM trial
WHERE status IN ('crashed', 'timeout', 'wrong');
EOF
second db/gone.c withdrawn "a view that knows them" <<'EOF'
static const char sql[] = "SELECT t.id FROM trial t"
			  " JOIN withdrawn w ON w.trial_id = t.id";
EOF
second reports/fast.c fastest "the fastest, in C" <<'EOF'
static const struct row *find(const struct row *list, size_t n)
{
	const struct row *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (!best || list[i].median_ns < best->median_ns)
			best = &list[i];
	return best;
}
EOF
second db/sql/load/fast.sql fastest "the fastest, in SQL" <<'EOF'
-- The best.
SELECT id FROM trial WHERE status = 'ok'
ORDER BY median_ns, id LIMIT 1;
EOF
second tuner/base/sure.c sure "how sure" <<'EOF'
struct sureness find(size_t n)
{
	return (struct sureness){n > 1 ? SURE_TIE : SURE_CLEAR, n, 0};
}
EOF
cat >reports/said.c <<'EOF'
/* status IN ('wrong', 'crashed', 'timeout') ORDER BY median_ns LIMIT 1 */
static const char *const classes[] = {[SURE_TIE] = "tie"};
static const char sql[] = "SELECT median_ns FROM trial WHERE status IN ('build_failed', 'wrong', 'crashed', 'timeout')"
			  " ORDER BY id LIMIT 1";

bool is_tie(const struct sureness *s)
{
	const bool tie = s->sure == SURE_TIE;

	return tie && SURE_NAMES > 1 && s->median_ns > 0;
}
EOF
ci/layers >out 2>&1 && echo "ok 16 - words without a decision pass" || { echo "not ok 16 - words without a decision pass"; sed 's/^/# /' out; }
mkdir -p reports/results
echo 'int no_rule;' >reports/results/stands.c
! ci/layers >out 2>&1 && grep -q 'lists reports/results/stands.c, which decides nothing that is withdrawn$' out &&
	echo "ok 17 - a line without a decision fails" || { echo "not ok 17 - a line without a decision fails"; sed 's/^/# /' out; }
